// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vectors of which few elements may be there: a sorted list, a bitmap or full, whichever suits their density.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/matrix_operations/index_lists.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>

namespace coppice {

enum class vector_format {
    list,   ///< indices[entries], rising, and values[entries]
    bitmap, ///< values[n] and a flag for each
    full    ///< values[n], all of them entries
};

/// Borrowed list of entries: indices rise strictly.
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
struct place_entry {
    list_view<T, I> from;
    T* values;
    std::int8_t* present;
    COPPICE_HD void operator()(std::int64_t k) const {
        values[from.indices[k]] = from.values[k];
        present[from.indices[k]] = 1;
    }
};
template <class I>
struct list_falls {
    I const* list;
    std::int64_t count, size;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        bool const good = list[k] >= 0 && list[k] < size && (k + 1 == count || list[k] < list[k + 1]);
        return good ? count : k;
    }
};

} // namespace detail

/// Owns a vector in one memory; move-only. `exec.copy(v)` moves between places.
///
/// **Conversion rule**, applied by settle(), with which every operation ends: full where all elements are entries; a
/// list becomes a bitmap above n/16 entries, a bitmap a list below n/64; in between a vector stays what it is, so that
/// one that hovers is not converted again and again. A full vector that loses entries becomes a bitmap first.
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
    /// The entries of a list. matrix_error unless its indices rise strictly within [0, n).
    template <executor Executor>
    sparse_vector(Executor const& exec, std::int64_t n, buffer<I> indices, buffer<T> values) : sparse_vector(exec, n) {
        require_size("values of a list", values, indices.size());
        std::int64_t const count = indices.size();
        std::int64_t const bad =
            reduce(exec, count, count, detail::list_falls<I>{indices.data(), count, n}, detail::smaller{});
        if (bad < count)
            throw matrix_error("list of a vector of length " + std::to_string(n) + ": index " + std::to_string(bad) +
                               " is outside, or its follower does not rise");
        entries_ = count;
        indices_ = std::move(indices);
        values_ = std::move(values);
        settle(exec);
    }
    /// What a dense vector holds; waits for the number of its entries.
    template <executor Executor>
    sparse_vector(Executor const& exec, dense_vector<T> v) : sparse_vector(exec, v.size()) {
        entries_ = entry_count(exec, v.view());
        format_ = v.is_full() ? vector_format::full : vector_format::bitmap;
        values_ = std::move(v.values());
        present_ = std::move(v.present());
        settle(exec);
    }

    std::int64_t size() const { return size_; }
    std::int64_t entries() const { return entries_; }
    vector_format format() const { return format_; }

    /// The list, where the format is that.
    list_view<T, I> list() const { return {indices_.view(), values_.view()}; }
    /// The elements, where the format is bitmap or full.
    dense_vector_view<T const> dense() const { return {values_.view(), present_.view()}; }
    /// Elements to overwrite; entries stay what they are.
    dense_vector_view<T> dense() { return {values_.view(), present_.view()}; }

    /// The entries as a list, in `indices` and `values` where the vector is none itself.
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

    /// A copy with a place for every element.
    template <executor Executor>
    dense_vector<T> to_dense(Executor const& exec) const {
        if (format_ == vector_format::full) return dense_vector<T>(copy_of(exec, values_));
        if (format_ == vector_format::bitmap) return {copy_of(exec, values_), copy_of(exec, present_)};
        dense_vector<T> to(exec, size_);
        fill(exec, to.values().view(), T{});
        for_each(exec, entries_, detail::place_entry<T, I>{list(), to.values().data(), to.present().data()});
        return to;
    }

    /// Takes the format that the density asks for.
    template <executor Executor>
    void settle(Executor const& exec) {
        vector_format const wanted = wanted_format();
        if (wanted == format_) return;
        if (wanted == vector_format::list) {
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
            if (wanted == vector_format::full) present_ = {};
        }
        format_ = wanted;
    }

    /// The same entries as a bitmap, whatever their number: for a vector that grows by single elements. It stays one
    /// until an operation ends with it.
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
    /// Whether the arrays come from this memory.
    bool is_in(std::shared_ptr<memory_resource> const& memory) const {
        auto const from_there = [&](auto const& array) { return array.empty() || array.memory() == memory; };
        return from_there(indices_) && from_there(values_) && from_there(present_);
    }
    /// The arrays, given up: indices and values of a list, values and flags of a bitmap, values of a full vector.
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
    /// After writes through dense() that made `count` more entries.
    void add_entries(std::int64_t count) { entries_ += count; }

    /// Copy in the memory of `exec`, wherever the vector lives.
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
    vector_format wanted_format() const {
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

} // namespace coppice
