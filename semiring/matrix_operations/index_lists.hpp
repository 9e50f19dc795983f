// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lists of rows or columns for extract and assign: all of them, or an array of indices in the memory space of the
/// executor.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {

/// All indices: GrB_ALL.
struct all_indices {};

namespace detail {

template <class I>
struct index_out_of_range {
    I const* list;
    std::int64_t bound, count;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return list[k] >= 0 && list[k] < bound ? count : k; }
};
template <class I>
struct is_descent {
    I const* list;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return list[k] < list[k + 1] ? 0 : 1; }
};
template <class I>
struct store_first_position {
    I const* sorted;
    I* table;
    COPPICE_HD void operator()(std::int64_t k) const {
        if (k == 0 || sorted[k - 1] != sorted[k]) table[sorted[k]] = I(k);
    }
};
template <class I>
struct count_up {
    I* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = I(k); }
};

/// A sorted list of indices with the position of each index in the original list. If `sorted` is null, all indices 0,
/// 1, ….
template <class I>
struct index_map {
    I const* sorted = nullptr;
    I const* positions = nullptr;
    I const* list = nullptr; ///< in the original order
    /// Lookup table: first position of every index in `sorted`, -1 for none; null for binary search.
    I const* table = nullptr;
    std::int64_t count = 0;
    bool distinct = true;

    COPPICE_HD std::int64_t size() const { return count; }
    COPPICE_HD std::int64_t at(std::int64_t k) const { return list ? std::int64_t(list[k]) : k; }
    /// Returns the first position of an index in `sorted`, -1 if it does not occur.
    COPPICE_HD std::int64_t find(std::int64_t index) const {
        if (table) return table[index];
        std::int64_t const p = lower_position(sorted, 0, count, index);
        return p < count && std::int64_t(sorted[p]) == index ? p : -1;
    }
};

/// Checks a list and sorts it. Throws argument_error for an index outside [0, bound).
template <class I>
class prepared_list {
public:
    template <executor Executor>
    prepared_list(Executor const&, all_indices, std::int64_t bound, char const*) {
        map_.count = bound;
    }
    template <executor Executor>
    prepared_list(Executor const& exec, array_view<I const> list, std::int64_t bound, char const* what) {
        std::int64_t const n = list.size();
        std::int64_t const bad = reduce(exec, n, n, index_out_of_range<I>{list.data(), bound, n}, smaller{});
        if (bad < n)
            throw argument_error(std::string(what) + " " + std::to_string(bad) + " of the list is " +
                                 std::to_string(exec.load(list.data() + bad)) + ", expected 0 to " +
                                 std::to_string(bound - 1));
        checked_cast<I>(n, "length of a list of indices");
        sorted_ = copy_of(exec, list);
        positions_ = buffer<I>(exec, n);
        for_each(exec, n, count_up<I>{positions_.data()});
        increasing_ = n < 2 || reduce(exec, n - 1, std::int64_t{0}, is_descent<I>{list.data()}, plus{}) == 0;
        if (!increasing_) sort_by_key(exec, sorted_.view(), positions_.view());
        distinct_ = n < 2 || reduce(exec, n - 1, std::int64_t{0}, is_descent<I>{sorted_.data()}, plus{}) == 0;
        bound_ = bound;
        map_ = {sorted_.data(), positions_.data(), list.data(), nullptr, n, distinct_};
        // An empty list is not all_indices: `sorted` must not be null.
        if (n == 0) {
            sorted_ = buffer<I>(exec, 1);
            map_.sorted = map_.positions = map_.list = sorted_.data();
        }
    }
    index_map<I> map() const { return map_; }
    /// Returns the map for this number of lookups, with a dense lookup table if there are at least bound / 64 lookups:
    /// one binary search costs as much as about fifty writes.
    template <executor Executor>
    index_map<I> map_for(Executor const& exec, std::int64_t lookups) {
        if (!map_.sorted || bound_ / 64 > lookups) return map_;
        table_ = buffer<I>(exec, std::max<std::int64_t>(bound_, 1));
        fill(exec, table_.view(), I(-1));
        for_each(exec, map_.count, store_first_position<I>{map_.sorted, table_.data()});
        map_.table = table_.data();
        return map_;
    }
    bool is_increasing() const { return increasing_; }
    void require_distinct(char const* what) const {
        if (!distinct_)
            throw argument_error(std::string(what) + ": an index occurs twice in the list of an assignment");
    }

private:
    buffer<I> sorted_, positions_, table_;
    index_map<I> map_{};
    std::int64_t bound_ = 0;
    bool increasing_ = true, distinct_ = true;
};

} // namespace detail
} // namespace coppice::inline v0_1
