// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows that parts make for each other.
#pragma once

#include <cstdint>
#include <utility>

#include <coppice/solvers/distributed/levels/exchange.hpp>
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>

namespace coppice::distributed {

struct place_of_begin {
    std::int32_t const* list;
    std::int64_t count;
    std::int64_t const* begin;
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t p) const { to[p] = detail::lower_position(list, 0, count, begin[p]); }
};
struct move_offset {
    std::int32_t const* from;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = from[i] - from[0]; }
};

/// Rows [first, behind) of a matrix.
template <executor Executor, class T>
csr<T> slice_rows(Executor const& exec, csr_view<T> a, std::int64_t first, std::int64_t behind,
                  part_begins const& entries, std::size_t part) {
    buffer<std::int32_t> offsets(exec, behind - first + 1);
    for_each(exec, offsets.size(), move_offset{a.offsets + first, offsets.data()});
    std::int64_t const count = entries[part + 1] - entries[part];
    return {std::int32_t(behind - first), a.columns(), std::move(offsets),
            copy_of(exec, a.column_indices().slice(entries[part], count)),
            copy_of(exec, a.values().slice(entries[part], count))};
}

/// `made` has rows of all parts, of which part p has [begin[p], begin[p + 1]): every part gets its own, those that
/// others made added up in the order of the parts, and counts them from its first one.
template <executor Executor, class T>
listed_matrix<T> push_rows(Executor const& exec, part_messages const& others, listed_matrix<T> const& made,
                           part_begins const& begin) {
    auto const self = std::size_t(others.part());
    auto const first = std::int32_t(begin[self]), rows = std::int32_t(begin[self + 1]) - first;
    auto const placed = exec.copy(begin);
    buffer<std::int64_t> places(exec, placed.size());
    for_each(exec, places.size(), place_of_begin{made.list().data(), made.list().size(), placed.data(), places.data()});
    part_begins const send_begin = to_vector(exec, places), receive_begin = begins_of_received(others, send_begin);
    buffer<std::int32_t> names(exec, receive_begin.back());
    exchange(exec, others, send_begin, made.list().data(), receive_begin, names.data());
    auto const received = exchange_rows(exec, others, send_begin, made.entries().view(), receive_begin);
    part_begins const entries = begins_of_entries(exec, received.view().offsets, receive_begin);
    listed_matrix<T> sum(exec, rows, made.columns());
    for (std::size_t p = 0; p + 1 < receive_begin.size(); ++p) {
        std::int64_t const from = receive_begin[p], behind = receive_begin[p + 1];
        if (from == behind) continue;
        auto list = copy_of(exec, names.view().slice(from, behind - from));
        for_each(exec, list.size(), move_index{list.data(), -first});
        listed_matrix<T> of_part(detail::sound_rows{}, rows, std::move(list),
                                 slice_rows(exec, received.view(), from, behind, entries, p));
        sum = sum.nonzeros() == 0 ? std::move(of_part) : add(exec, sum, of_part);
    }
    return sum;
}

template <class I>
struct differ {
    I const *a, *b;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return a[k] != b[k]; }
};
template <executor Executor, class View>
bool are_equal(Executor const& exec, View a, View b) {
    using I = std::remove_const_t<typename View::value_type>;
    return a.size() == b.size() && reduce(exec, a.size(), std::int64_t{0}, differ<I>{a.data(), b.data()}, plus{}) == 0;
}

/// Of couplings K between parts: is there an entry (j, i) for every (i, j), and are they equal?
struct coupling_symmetry {
    bool pattern, values;
};
/// For the entries of this part; rows and columns of part p begin with begin[p].
template <executor Executor, class T>
coupling_symmetry symmetry_of(Executor const& exec, part_messages const& others, listed_matrix<T> const& k,
                              part_begins const& begin) {
    auto const first = std::int32_t(begin[std::size_t(others.part())]);
    auto const turned =
        push_rows(exec, others, renumber(exec, turn(exec, k), 0, first, k.columns(), k.columns()), begin);
    auto const a = k.entries().view(), b = turned.entries().view();
    bool const pattern = are_equal(exec, k.list().view(), turned.list().view()) &&
                         are_equal(exec, a.row_offsets(), b.row_offsets()) &&
                         are_equal(exec, a.column_indices(), b.column_indices());
    return {pattern, pattern && are_equal(exec, a.values(), b.values())};
}

} // namespace coppice::distributed
