// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// GraphBLAS vectors in dense storage: a value for every index, and flags that mark the entries.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {

/// Borrowed vector, usable in device code: values[n], and present[n] with 1 for an entry and 0 for none. If `present`
/// is empty, the vector is full: every index is an entry. `values` is never read where there is no entry.
template <class T>
struct dense_vector_view {
    using value_type = std::remove_const_t<T>;
    using flag_type = std::conditional_t<std::is_const_v<T>, std::int8_t const, std::int8_t>;

    array_view<T> values{};
    array_view<flag_type> present{};

    COPPICE_HD std::int64_t size() const { return values.size(); }
    COPPICE_HD bool is_full() const { return present.data() == nullptr; }
    COPPICE_HD bool has(std::int64_t i) const { return is_full() || present[i] != 0; }
    template <class U = T>
    requires(!std::is_const_v<U>) COPPICE_HD constexpr operator dense_vector_view<U const>() const {
        return {values, present};
    }
};

/// Owns a vector in one memory space; move-only. `exec.copy(v)` copies between memory spaces.
template <class T>
class dense_vector {
public:
    using value_type = T;

    /// A vector of length 0.
    dense_vector() = default;
    /// A vector of length `n` without entries.
    template <executor Executor>
    dense_vector(Executor const& exec, std::int64_t n) : values_(exec, n), present_(exec, n) {
        coppice::fill(exec, present_.view(), std::int8_t{0});
    }
    /// A full vector.
    explicit dense_vector(buffer<T> values) : values_(std::move(values)) {}
    /// A vector of values[n] with present[n], 1 for an entry and 0 for none. Throws dimension_error if the lengths
    /// disagree.
    dense_vector(buffer<T> values, buffer<std::int8_t> present)
        : values_(std::move(values)), present_(std::move(present)) {
        require_size("presence flags of a vector", present_, values_.size());
    }

    std::int64_t size() const { return values_.size(); }
    bool is_full() const { return present_.data() == nullptr; }
    buffer<T> const& values() const { return values_; }
    buffer<T>& values() { return values_; }
    /// Empty for a full vector.
    buffer<std::int8_t> const& present() const { return present_; }
    buffer<std::int8_t>& present() { return present_; }

    dense_vector_view<T> view() & { return {values_.view(), present_.view()}; }
    dense_vector_view<T const> view() const& { return {values_.view(), present_.view()}; }
    dense_vector_view<T const> view() const&& = delete; ///< a temporary vector would be destroyed immediately

private:
    buffer<T> values_;
    buffer<std::int8_t> present_;
};

/// Copies `v` from any memory space to that of `exec`.
template <executor Executor, class T>
dense_vector<T> copy_of(Executor const& exec, dense_vector<T> const& v) {
    if (v.is_full()) return dense_vector<T>(copy_of(exec, v.values()));
    return {copy_of(exec, v.values()), copy_of(exec, v.present())};
}

namespace detail {

struct count_entry {
    std::int8_t const* present;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return present[i] != 0 ? 1 : 0; }
};

/// Throws dimension_error unless a vector has one flag per value or no flags; argument_error if it has elements but a
/// null pointer.
template <class T>
void require_flags(dense_vector_view<T> v, char const* what) {
    require_elements(what, v.values);
    if (v.is_full()) return;
    std::string name(what);
    name += ": presence flags";
    require_size(name, v.present, v.size());
}

} // namespace detail

/// Returns the number of entries; on CUDA waits for it.
template <executor Executor, class T>
std::int64_t entry_count(Executor const& exec, dense_vector_view<T> v) {
    detail::require_flags(v, "a vector");
    return v.is_full() ? v.size()
                       : reduce(exec, v.size(), std::int64_t{0}, detail::count_entry{v.present.data()}, plus{});
}

} // namespace coppice::inline v0_1
