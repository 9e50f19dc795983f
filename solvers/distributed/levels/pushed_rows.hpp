// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sends rows that a rank has computed to the ranks that own them.
#pragma once

#include <cstdint>
#include <utility>

#include <coppice/solvers/distributed/levels/exchange.hpp>
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>

namespace coppice::inline v0_1::distributed {

struct find_begin_position {
    std::int32_t const* list;
    std::int64_t count;
    std::int64_t const* begin;
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t p) const { to[p] = detail::lower_position(list, 0, count, begin[p]); }
};
struct shift_offset {
    std::int32_t const* from;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = from[i] - from[0]; }
};

/// Rows [first, end) of a matrix.
template <executor Executor, class T>
csr<T> slice_rows(Executor const& exec, csr_view<T> a, std::int64_t first, std::int64_t end,
                  rank_offsets const& entries, std::size_t rank) {
    buffer<std::int32_t> offsets(exec, end - first + 1);
    for_each(exec, offsets.size(), shift_offset{a.offsets + first, offsets.data()});
    std::int64_t const count = entries[rank + 1] - entries[rank];
    return {std::int32_t(end - first), a.columns(), std::move(offsets),
            copy_of(exec, a.column_indices().slice(entries[rank], count)),
            copy_of(exec, a.values().slice(entries[rank], count))};
}

/// Rank p owns rows [begin[p], begin[p + 1]) of `made`, which has rows of all ranks. Every rank receives its own rows,
/// with local row indices; contributions of several ranks are added in rank order.
template <executor Executor, class T>
hypersparse_rows<T> push_rows(Executor const& exec, rank_communicator const& comm, hypersparse_rows<T> const& made,
                              rank_offsets const& begin) {
    auto const self = std::size_t(comm.rank());
    auto const first = std::int32_t(begin[self]), rows = std::int32_t(begin[self + 1]) - first;
    auto const placed = exec.copy(begin);
    buffer<std::int64_t> positions(exec, placed.size());
    for_each(exec, positions.size(),
             find_begin_position{made.list().data(), made.list().size(), placed.data(), positions.data()});
    csr_view<T> const sent = made.entries().view();
    rank_offsets const send_begin = to_vector(exec, positions);
    row_offsets const sent_begin{send_begin, begins_of_entries(exec, sent.offsets, send_begin)},
        received_begin = begins_of_received(comm, sent_begin);
    buffer<std::int32_t> row_indices(exec, received_begin.rows.back());
    auto const received = exchange_rows(
        exec, comm, sent_begin, sent, received_begin,
        exchanged<std::int32_t>{sent_begin.rows, made.list().data(), received_begin.rows, row_indices.data()});
    hypersparse_rows<T> sum(exec, rows, made.columns());
    for (std::size_t p = 0; p + 1 < received_begin.rows.size(); ++p) {
        std::int64_t const from = received_begin.rows[p], end = received_begin.rows[p + 1];
        if (from == end) continue;
        auto list = copy_of(exec, row_indices.view().slice(from, end - from));
        for_each(exec, list.size(), shift_index{list.data(), -first});
        hypersparse_rows<T> of_rank(detail::sound_rows{}, rows, std::move(list),
                                    slice_rows(exec, received.view(), from, end, received_begin.entries, p));
        sum = sum.nonzeros() == 0 ? std::move(of_rank) : add(exec, sum, of_rank);
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

/// Symmetry of the couplings K between ranks: of the pattern (an entry (j, i) for every (i, j)) and of the values.
struct coupling_symmetry {
    bool pattern, values;
};
/// K^T: the entries (j, i) of other ranks in the rows of this rank; the rows and columns of rank p begin with begin[p].
/// Collective.
template <executor Executor, class T>
hypersparse_rows<T> mirrored(Executor const& exec, rank_communicator const& comm, hypersparse_rows<T> const& k,
                             rank_offsets const& begin) {
    auto const first = std::int32_t(begin[std::size_t(comm.rank())]);
    return push_rows(exec, comm, renumber(exec, transposed(exec, k), 0, first, k.columns(), k.columns()), begin);
}
/// Compares K with mirrored(K).
template <executor Executor, class T>
coupling_symmetry symmetry_of(Executor const& exec, hypersparse_rows<T> const& k, hypersparse_rows<T> const& mirror) {
    auto const a = k.entries().view(), b = mirror.entries().view();
    bool const pattern = are_equal(exec, k.list().view(), mirror.list().view()) &&
                         are_equal(exec, a.row_offsets(), b.row_offsets()) &&
                         are_equal(exec, a.column_indices(), b.column_indices());
    return {pattern, pattern && are_equal(exec, a.values(), b.values())};
}
/// Returns the symmetry of the entries of K that this rank owns. Collective.
template <executor Executor, class T>
coupling_symmetry symmetry_of(Executor const& exec, rank_communicator const& comm, hypersparse_rows<T> const& k,
                              rank_offsets const& begin) {
    return symmetry_of(exec, k, mirrored(exec, comm, k, begin));
}

} // namespace coppice::inline v0_1::distributed
