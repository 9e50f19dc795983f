// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lists of rows or columns that extract and assign take: all of them, or indices in the memory of the executor.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice {

/// GrB_ALL.
struct all_indices {};

namespace detail {

template <class I>
struct index_out_of_range {
    I const* list;
    std::int64_t bound, count;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return list[k] >= 0 && list[k] < bound ? count : k; }
};
template <class I>
struct index_falls {
    I const* list;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return list[k] < list[k + 1] ? 0 : 1; }
};
template <class I>
struct note_first_place {
    I const* sorted;
    I* where;
    COPPICE_HD void operator()(std::int64_t k) const {
        if (k == 0 || sorted[k - 1] != sorted[k]) where[sorted[k]] = I(k);
    }
};
template <class I>
struct count_up {
    I* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = I(k); }
};

/// A list of indices, sorted: where an index stands in the list. All of 0, 1, … where `sorted` is null.
template <class I>
struct index_map {
    I const* sorted = nullptr;
    I const* positions = nullptr;
    I const* list = nullptr;  ///< as it was given
    I const* where = nullptr; ///< the place of every index in `sorted`, if many are looked up
    std::int64_t count = 0;
    bool distinct = true;

    COPPICE_HD std::int64_t size() const { return count; }
    COPPICE_HD std::int64_t at(std::int64_t k) const { return list ? std::int64_t(list[k]) : k; }
    /// The first place in `sorted` of an index, -1 where it has none.
    COPPICE_HD std::int64_t place(std::int64_t index) const {
        if (where) return where[index];
        std::int64_t const p = lower_position(sorted, 0, count, index);
        return p < count && std::int64_t(sorted[p]) == index ? p : -1;
    }
};

/// Checks a list and sorts it; argument_error for an index outside [0, bound).
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
        rising_ = n < 2 || reduce(exec, n - 1, std::int64_t{0}, index_falls<I>{list.data()}, plus{}) == 0;
        if (!rising_) sort_by_key(exec, sorted_.view(), positions_.view());
        distinct_ = n < 2 || reduce(exec, n - 1, std::int64_t{0}, index_falls<I>{sorted_.data()}, plus{}) == 0;
        bound_ = bound;
        map_ = {sorted_.data(), positions_.data(), list.data(), nullptr, n, distinct_};
        // An empty list is a list, and not all.
        if (n == 0) {
            sorted_ = buffer<I>(exec, 1);
            map_.sorted = map_.positions = map_.list = sorted_.data();
        }
    }
    index_map<I> map() const { return map_; }
    /// The same for so many look-ups: where they are worth it, with a table as long as the matrix has indices, for the
    /// search of one costs as much as the writing of some fifty.
    template <executor Executor>
    index_map<I> map_for(Executor const& exec, std::int64_t look_ups) {
        if (!map_.sorted || bound_ / 64 > look_ups) return map_;
        where_ = buffer<I>(exec, std::max<std::int64_t>(bound_, 1));
        fill(exec, where_.view(), I(-1));
        for_each(exec, map_.count, note_first_place<I>{map_.sorted, where_.data()});
        map_.where = where_.data();
        return map_;
    }
    bool rising() const { return rising_; }
    void require_distinct(char const* what) const {
        if (!distinct_)
            throw argument_error(std::string(what) + ": an index occurs twice in the list of an assignment");
    }

private:
    buffer<I> sorted_, positions_, where_;
    index_map<I> map_{};
    std::int64_t bound_ = 0;
    bool rising_ = true, distinct_ = true;
};

} // namespace detail
} // namespace coppice
