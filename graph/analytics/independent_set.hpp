// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A maximal independent set: greedy, few edges first.
#pragma once

#include <coppice/graph/analytics/worklist.hpp>

namespace coppice {

struct independent_set_result {
    buffer<std::uint8_t> members{}; ///< 1: in the set; in the memory of the executor
    std::int64_t size = 0;
};

/// A maximal independent set of an undirected graph: no two members are neighbours, everyone else has a member for a
/// neighbour. Loops are ignored.
///
/// It is the greedy set in an order in which vertices of few edges come first (at most twice the mean), then by a bit
/// of a hash, then by number: a vertex is in it when all neighbours before it are out. So it is the same for any number
/// of threads, on host and CUDA. Near n + m steps. Memory: a byte and five words a vertex. Waits.
template <executor Executor>
independent_set_result maximal_independent_set(Executor const& exec, graph_view g);

namespace analytics {

enum set_status : std::uint8_t { set_out = 0, set_in = 1, set_open = 2 /* + class */ };

struct decide_member {
    graph_view g;
    std::uint8_t* status;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        std::uint8_t const mine = status[v];
        bool waits = false;
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = g.neighbors[k];
            std::uint8_t const other = worker.load(status + u);
            if (other == set_in) return worker.store(status + v, std::uint8_t(set_out));
            waits = waits || (other == mine && u < v);
        }
        if (waits) return worker.emit(v);
        worker.store(status + v, std::uint8_t(set_in));
    }
};
struct count_member {
    std::uint8_t const* status;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return status[v]; }
};

} // namespace analytics

template <executor Executor>
independent_set_result maximal_independent_set(Executor const& exec, graph_view g) {
    using namespace analytics;
    independent_set_result result{buffer<std::uint8_t>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    std::uint8_t* const status = result.members.data();
    repeat_classes(exec, vertex_classes(g, false), status, set_open, 1, decide_member{g, status});
    result.size = reduce(exec, g.vertices, std::int64_t{0}, count_member{status}, plus{});
    return result;
}

#define COPPICE_INDEPENDENT_SET(EXTERN, EXECUTOR)                                                                      \
    EXTERN template independent_set_result maximal_independent_set(EXECUTOR const&, graph_view)
COPPICE_INDEPENDENT_SET(extern, host_executor);
COPPICE_INDEPENDENT_SET(extern, cuda_executor);

} // namespace coppice
