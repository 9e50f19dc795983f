// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse vectors, stored as a sorted list, a bitmap, or full, depending on their density.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/late.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/matrix_operations/index_lists.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>

namespace coppice::inline v0_1 {

enum class vector_format {
    list,   ///< indices[entries], sorted, and values[entries]
    bitmap, ///< values[n] and one flag each
    full    ///< values[n], all of them entries
};

/// Borrowed list of entries: indices sorted without duplicates.
template <class T, class I = std::int32_t>
struct list_view {
    array_view<I const> indices{};
    array_view<T const> values{};
    COPPICE_HD std::int64_t entries() const { return indices.size(); }
};

namespace detail {

struct flag_is_set {
    std::int8_t const* present;
    COPPICE_HD bool operator()(std::int64_t i) const { return present[i] != 0; }
};
template <class T, class I>
struct list_entry {
    T const* from;
    I* indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t i) const {
        indices[position] = static_cast<I>(i);
        values[position] = from[i];
    }
};
template <class T, class I>
struct scatter_list_entry {
    list_view<T, I> from;
    T* values;
    std::int8_t* present;
    COPPICE_HD void operator()(std::int64_t k) const {
        values[from.indices[k]] = from.values[k];
        present[from.indices[k]] = 1;
    }
};
template <class I>
struct unsorted_index {
    I const* list;
    std::int64_t count, size;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        bool const good = list[k] >= 0 && list[k] < size && (k + 1 == count || list[k] < list[k + 1]);
        return good ? count : k;
    }
};

} // namespace detail

/// Owns a vector in one memory space; move-only. `exec.copy(v)` copies between memory spaces.
///
/// **Conversion rule**, applied by choose_format() at the end of every operation: a vector is full if all elements are
/// entries. A list with more than n/16 entries becomes a bitmap; a bitmap with fewer than n/64 entries becomes a list.
/// The gap between the limits prevents repeated conversions. A full vector that loses entries becomes a bitmap first.
template <class T, class I = std::int32_t>
class sparse_vector {
public:
    using value_type = T;
    using index_type = I;

    /// A vector of length 0.
    sparse_vector() = default;
    /// A vector of length `n` without entries.
    template <executor Executor>
    sparse_vector(Executor const& exec, std::int64_t n) : size_(n), indices_(exec, 0), values_(exec, 0) {
        if (n < 0) throw argument_error("length of a vector is negative: " + std::to_string(n));
        checked_cast<I>(n, "length of a vector");
    }
    /// A vector from a list of entries. Throws matrix_error unless the indices are sorted without duplicates in [0, n).
    template <executor Executor>
    sparse_vector(Executor const& exec, std::int64_t n, buffer<I> indices, buffer<T> values) : sparse_vector(exec, n) {
        require_size("values of a list", values, indices.size());
        std::int64_t const count = indices.size();
        std::int64_t const bad =
            reduce(exec, count, count, detail::unsorted_index<I>{indices.data(), count, n}, detail::smaller{});
        if (bad < count)
            throw matrix_error("list of a vector of length " + std::to_string(n) + ": index " + std::to_string(bad) +
                               " is out of range, or not less than the next");
        entries_ = count;
        indices_ = std::move(indices);
        values_ = std::move(values);
        choose_format(exec);
    }
    /// A vector with the entries of a dense vector; waits for their number.
    template <executor Executor>
    sparse_vector(Executor const& exec, dense_vector<T> v) : sparse_vector(exec, v.size()) {
        entries_ = entry_count(exec, v.view());
        format_ = v.is_full() ? vector_format::full : vector_format::bitmap;
        values_ = std::move(v.values());
        present_ = std::move(v.present());
        choose_format(exec);
    }

    std::int64_t size() const { return size_; }
    std::int64_t entries() const { return entries_; }
    vector_format format() const { return format_; }

    /// The list, if the format is list.
    list_view<T, I> list() const { return {indices_.view(), values_.view()}; }
    /// The elements, if the format is bitmap or full.
    dense_vector_view<T const> dense() const { return {values_.view(), present_.view()}; }
    /// Mutable elements; the set of entries must not change.
    dense_vector_view<T> dense() { return {values_.view(), present_.view()}; }

    /// Returns the entries as a list; uses `indices` and `values` as storage if the format is not list.
    template <executor Executor>
    list_view<T, I> as_list(Executor const& exec, buffer<I>& indices, buffer<T>& values) const {
        if (format_ == vector_format::list) return list();
        indices = buffer<I>(exec, entries_);
        if (format_ == vector_format::full) {
            for_each(exec, size_, detail::count_up<I>{indices.data()});
            return {indices.view(), values_.view()};
        }
        values = buffer<T>(exec, entries_);
        select(exec, size_, detail::flag_is_set{present_.data()},
               detail::list_entry<T, I>{values_.data(), indices.data(), values.data()});
        return {indices.view(), values.view()};
    }

    /// Returns a copy with storage for every element.
    template <executor Executor>
    dense_vector<T> to_dense(Executor const& exec) const {
        if (format_ == vector_format::full) return dense_vector<T>(copy_of(exec, values_));
        if (format_ == vector_format::bitmap) return {copy_of(exec, values_), copy_of(exec, present_)};
        dense_vector<T> to(exec, size_);
        fill(exec, to.values().view(), detail::late<T>{}.value);
        for_each(exec, entries_, detail::scatter_list_entry<T, I>{list(), to.values().data(), to.present().data()});
        return to;
    }

    /// Converts to the format that the conversion rule selects.
    template <executor Executor>
    void choose_format(Executor const& exec) {
        vector_format const format = preferred_format();
        if (format == format_) return;
        if (format == vector_format::list) {
            buffer<I> indices;
            buffer<T> values;
            as_list(exec, indices, values);
            indices_ = std::move(indices);
            values_ = std::move(values);
            present_ = {};
        } else {
            if (format_ == vector_format::list) {
                auto dense = to_dense(exec);
                values_ = std::move(dense.values());
                present_ = std::move(dense.present());
                indices_ = {};
            }
            if (format == vector_format::full) present_ = {};
        }
        format_ = format;
    }

    template <executor Executor>
    [[deprecated("renamed to choose_format")]] void settle(Executor const& exec) {
        choose_format(exec);
    }

    /// Converts to a bitmap, for any number of entries: for a vector to which single elements are added. It stays a
    /// bitmap until an operation applies the conversion rule.
    template <executor Executor>
    void make_bitmap(Executor const& exec) {
        if (format_ == vector_format::bitmap) return;
        auto dense = to_dense(exec);
        if (dense.is_full()) {
            present_ = buffer<std::int8_t>(exec, size_);
            fill(exec, present_.view(), std::int8_t{1});
        } else {
            present_ = std::move(dense.present());
        }
        values_ = std::move(dense.values());
        indices_ = {};
        format_ = vector_format::bitmap;
    }
    /// Whether the arrays were allocated from this memory resource.
    bool is_in(std::shared_ptr<memory_resource> const& memory) const {
        auto const from_there = [&](auto const& array) { return array.empty() || array.memory() == memory; };
        return from_there(indices_) && from_there(values_) && from_there(present_);
    }
    /// Released arrays: indices and values of a list, values and flags of a bitmap, values of a full vector.
    struct arrays {
        buffer<I> indices;
        buffer<T> values;
        buffer<std::int8_t> present;
    };
    arrays release() && {
        arrays a{std::move(indices_), std::move(values_), std::move(present_)};
        *this = sparse_vector();
        return a;
    }
    /// Updates the number of entries after writes through dense() that added `count` entries.
    void add_entries(std::int64_t count) { entries_ += count; }

    /// Copies the vector from any memory space to that of `exec`.
    template <executor Executor>
    friend sparse_vector copy_of(Executor const& exec, sparse_vector const& v) {
        sparse_vector to;
        to.size_ = v.size_;
        to.entries_ = v.entries_;
        to.format_ = v.format_;
        to.indices_ = coppice::copy_of(exec, v.indices_);
        to.values_ = coppice::copy_of(exec, v.values_);
        to.present_ = coppice::copy_of(exec, v.present_);
        return to;
    }

private:
    vector_format preferred_format() const {
        if (entries_ == size_ && size_ > 0) return vector_format::full;
        if (format_ == vector_format::list) return entries_ > size_ / 16 ? vector_format::bitmap : vector_format::list;
        return entries_ < size_ / 64 ? vector_format::list : vector_format::bitmap;
    }

    std::int64_t size_ = 0;
    std::int64_t entries_ = 0;
    vector_format format_ = vector_format::list;
    buffer<I> indices_;
    buffer<T> values_;
    buffer<std::int8_t> present_;
};

} // namespace coppice::inline v0_1
