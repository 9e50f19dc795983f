// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of the tridiagonal system along a forest over ranks, and their distribution.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/solvers/distributed/forests/elements_in_order.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

namespace coppice::inline v0_1::distributed {

/// Starts of paths next to a position, from those that a rank knows; -1 if there is none.
struct path_starts {
    std::int64_t at_or_before = -1, at_or_after = -1;
};
struct find_path_starts {
    std::int32_t const* starts; ///< ascending
    std::int64_t count;
    std::int64_t const* positions;
    path_starts* to;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const k = detail::lower_position(starts, 0, count, positions[p] + 1); // starts[k] is after it
        std::int64_t const before = k > 0 ? starts[k - 1] : -1;
        to[p] = {before, before == positions[p] ? before : k < count ? starts[k] : -1};
    }
};
/// First position of each rank if no path is divided: the start of a path that is nearest to begins[rank], and the end.
/// Element [q][p] of `known`: those that rank q knows next to begins[p].
inline rank_offsets nearest_path_starts(rank_offsets const& begins,
                                        std::vector<std::vector<path_starts>> const& known) {
    rank_offsets nearest(begins);
    for (std::size_t p = 0; p + 1 < begins.size(); ++p) {
        std::int64_t before = 0, after = begins.back();
        for (auto const& of_rank : known) {
            before = std::max(before, of_rank[p].at_or_before);
            if (of_rank[p].at_or_after >= 0) after = std::min(after, of_rank[p].at_or_after);
        }
        nearest[p] = begins[p] - before <= after - begins[p] ? before : after;
    }
    return nearest;
}
/// The same from the starts of paths that this rank knows, path_offsets of its forest. Collective.
template <executor Executor>
rank_offsets offsets_of_whole_paths(Executor const& exec, rank_communicator const& comm, rank_offsets const& begins,
                                    buffer<std::int32_t> const& path_offsets) {
    auto const targets = exec.copy(begins);
    buffer<path_starts> known(exec, targets.size());
    std::int64_t const count = path_offsets.size() - 1; // the last element is the end
    for_each(exec, known.size(), find_path_starts{path_offsets.data(), count, targets.data(), known.data()});
    return nearest_path_starts(begins, comm.gather(to_vector(exec, known)));
}

struct store_index {
    std::int32_t first;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = first + std::int32_t(i); }
};
/// The positions [of[rank], of[rank + 1]) of a vector that is distributed by `from`. Collective.
template <executor Executor>
order_plan<Executor> plan_of_range(Executor const& exec, rank_communicator const& comm, rank_offsets const& from,
                                   rank_offsets const& of) {
    auto const self = std::size_t(comm.rank());
    buffer<std::int32_t> list(exec, of[self + 1] - of[self]);
    for_each(exec, list.size(), store_index{std::int32_t(of[self]), list.data()});
    return {exec, comm, from, list.view()};
}
/// The elements [of[rank], of[rank + 1]) of `x`, which is distributed by `from`. Collective.
template <executor Executor>
buffer<std::int32_t> redistributed(Executor const& exec, rank_communicator const& comm, rank_offsets const& from,
                                   buffer<std::int32_t> const& x, rank_offsets const& of) {
    auto const plan = plan_of_range(exec, comm, from, of);
    buffer<std::int32_t> elements(exec, plan.source.size());
    elements_in_order<Executor, std::int32_t>(exec, comm, plan).fetch(exec, x.data(), elements.data());
    return elements;
}
/// The largest number of rows of a rank.
inline std::int64_t max_block_rows(rank_offsets const& begins) {
    std::int64_t rows = 0;
    for (std::size_t p = 0; p + 1 < begins.size(); ++p) rows = std::max(rows, begins[p + 1] - begins[p]);
    return rows;
}

/// Positions in the vertices of this rank; -1 for vertices of other ranks.
struct make_local {
    std::int32_t const* links;
    rank_ids ids;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = links[k] < 0 ? -1 : ids.local(links[k]); }
};
template <class T>
struct store_forest_row {
    graph_detail::forest_row<T>* rows;
    COPPICE_HD void operator()(std::int64_t row, graph_detail::forest_row<T> const& sum) const { rows[row] = sum; }
};
/// The entries of a rank in columns of other ranks, in memory of its executor: row of[r] has the entries [offsets[r],
/// offsets[r + 1]). Borrowed; columns are global.
template <class T>
struct couplings_view {
    std::int32_t const *of, *offsets, *columns;
    T const* values;
};
/// Adds the entries of a row in columns of other ranks that its path contains.
template <class T>
struct add_couplings {
    couplings_view<T> couplings;
    std::int32_t const* links; ///< global
    graph_detail::forest_row<T>* rows;
    COPPICE_HD void operator()(std::int64_t r) const {
        std::int32_t const row = couplings.of[r];
        for (std::int32_t k = couplings.offsets[r]; k < couplings.offsets[r + 1]; ++k) {
            if (couplings.columns[k] == links[2 * row]) rows[row].lower += couplings.values[k];
            if (couplings.columns[k] == links[2 * row + 1]) rows[row].upper += couplings.values[k];
        }
    }
};

/// Copies the entries in columns of other ranks to the executor.
template <executor Executor, class T>
struct placed_couplings {
    buffer<std::int32_t> of, offsets, columns;
    buffer<T> values;

    placed_couplings(Executor const& exec, distributed_csr<Executor, T> const& a)
        : of(exec.copy(a.couplings().rows)), offsets(exec.copy(a.couplings().offsets)),
          columns(exec.copy(a.couplings().columns)), values(exec.copy(a.couplings().values)) {}
    std::int64_t rows() const { return of.size(); }
    couplings_view<T> view() const { return {of.data(), offsets.data(), columns.data(), values.data()}; }
};

/// The rows of the system of a forest in the order of the vertices of this rank. `links`: of the forest, global.
template <executor Executor, class T>
buffer<graph_detail::forest_row<T>>
forest_rows(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
            placed_couplings<Executor, T> const& couplings, buffer<std::int32_t> const& links) {
    auto const own = a.own_block().view();
    buffer<std::int32_t> local(exec, links.size());
    for_each(exec, links.size(), make_local{links.data(), ids_of_rank(a.begins(), comm.rank()), local.data()});
    buffer<graph_detail::forest_row<T>> rows(exec, own.rows());
    reduce_rows(
        exec, make_srcsr_plan(exec, own),
        along_nonzeros{graph_detail::classify_nonzero<T, std::int32_t>{local.data()}, own.coefficients, own.indices},
        graph_detail::add_to_row<T>{}, store_forest_row<T>{rows.data()});
    for_each(exec, couplings.rows(), add_couplings<T>{couplings.view(), links.data(), rows.data()});
    return rows;
}

template <class T>
struct split_into_bands {
    graph_detail::forest_row<T> const* rows;
    T *lower, *diagonal, *upper;
    COPPICE_HD void operator()(std::int64_t p) const {
        lower[p] = rows[p].lower;
        diagonal[p] = rows[p].diagonal;
        upper[p] = rows[p].upper;
    }
};
template <class T>
struct merge_bands {
    tridiagonal_view<T> bands;
    graph_detail::forest_row<T>* rows;
    COPPICE_HD void operator()(std::int64_t p) const { rows[p] = {bands.lower[p], bands.diagonal[p], bands.upper[p]}; }
};

/// Writes the rows of a plan to a tridiagonal matrix of as many rows. `rows`: those of this rank. Collective.
template <executor Executor, class T>
void read_bands(Executor const& exec, rank_communicator const& comm, order_plan<Executor> const& plan,
                buffer<graph_detail::forest_row<T>> const& rows, tridiagonal<T>& bands) {
    std::int64_t const n = plan.source.size();
    buffer<graph_detail::forest_row<T>> in_order(exec, n);
    elements_in_order<Executor, graph_detail::forest_row<T>>(exec, comm, plan)
        .fetch(exec, rows.data(), in_order.data());
    for_each(exec, n,
             split_into_bands<T>{in_order.data(), bands.lower.data(), bands.diagonal.data(), bands.upper.data()});
}

} // namespace coppice::inline v0_1::distributed
