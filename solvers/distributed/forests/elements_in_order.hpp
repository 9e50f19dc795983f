// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elements of a distributed vector in another order, for example that of the positions in a linear forest.
#pragma once

#include <cstdint>

#include <coppice/semiring/matrix_operations/hypersparse.hpp>
#include <coppice/solvers/distributed/graphs/rank_graph.hpp>
#include <coppice/solvers/distributed/rows/compact_indices.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// The global indices [begins[rank], begins[rank + 1]) of a rank.
inline rank_ids ids_of_rank(rank_offsets const& begins, int rank) {
    auto const p = std::size_t(rank);
    return {std::int32_t(begins[p]), std::int32_t(begins[p + 1] - begins[p]), nullptr, 0};
}

struct is_of_others {
    std::int32_t const* at;
    rank_ids ids;
    COPPICE_HD bool operator()(std::int64_t i) const { return ids.local(at[i]) < 0; }
};
struct find_source {
    std::int32_t const* at;
    rank_ids ids;
    std::int32_t* source;
    COPPICE_HD void operator()(std::int64_t i) const { source[i] = ids.local_or_outer(at[i]); }
};

/// Where the elements at a list of global indices are: in the vector of this rank, or in the halo after it.
template <executor Executor>
struct order_plan {
    rank_ids ids;                 ///< of this rank, and the indices in the halo
    buffer<std::int32_t> outer{}; ///< indices of other ranks, ascending
    halo_plan halo;
    buffer<std::int32_t>
        source; ///< for each element of the list: position in the vector, or rows + position in `outer`

    /// `at`: the list, in memory of the executor. Rank p owns the elements [begins[p], begins[p + 1]). Collective.
    order_plan(Executor const& exec, rank_communicator const& comm, rank_offsets const& begins,
               array_view<std::int32_t const> at)
        : ids(ids_of_rank(begins, comm.rank())), outer(indices_of_others(exec, ids, at)),
          halo(comm, begins, to_vector(exec, outer)), source(exec, at.size()) {
        ids.outer = outer.data();
        ids.outer_count = std::int32_t(outer.size());
        for_each(exec, at.size(), find_source{at.data(), ids, source.data()});
    }

private:
    static buffer<std::int32_t> indices_of_others(Executor const& exec, rank_ids const& own,
                                                  array_view<std::int32_t const> at) {
        buffer<std::int32_t> list(exec, at.size());
        std::int64_t const count =
            select(exec, at.size(), is_of_others{at.data(), own}, list_index{at.data(), list.data()});
        return detail::distinct_of(exec, copy_of(exec, list.view().slice(0, count)));
    }
};

template <class X>
struct take_element {
    std::int32_t const* source;
    std::int32_t rows;
    X const *own, *halo;
    X* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const k = source[i];
        to[i] = k < rows ? own[k] : halo[k - rows];
    }
};

/// Fetches the elements of a plan, as often as required. Borrows the plan.
template <executor Executor, class X>
class elements_in_order {
public:
    elements_in_order(Executor const& exec, rank_communicator const& comm, order_plan<Executor> const& plan)
        : plan_(plan), halo_(exec, comm, plan.halo) {}

    bool replayable() const { return halo_.replayable(); }
    /// to[i] = x[element i of the list]; `x` has the elements of this rank. Collective.
    void fetch(Executor const& exec, X const* x, X* to) {
        halo_.start(exec, x);
        halo_.finish(exec);
        for_each(exec, plan_.source.size(),
                 take_element<X>{plan_.source.data(), plan_.ids.rows, x, halo_.values(), to});
    }

private:
    order_plan<Executor> const& plan_;
    halo<Executor, X> halo_;
};

} // namespace coppice::inline v0_1::distributed
