// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A colouring: greedy, many edges first.
#pragma once

#include <coppice/graph/analytics/worklist.hpp>

namespace coppice {

struct colouring_result {
    buffer<std::int32_t> colours{}; ///< 0, 1, ...: neighbours differ; in the memory of the executor
    std::int32_t count = 0;
};

/// Colours of an undirected graph, at most one more than the largest degree. Loops are ignored.
///
/// It is the greedy colouring in an order in which vertices of more than twice the mean of edges come first, then by a
/// bit of a hash of v / 16, then by number: a vertex takes the smallest colour that is free when all neighbours before
/// it have theirs (Jones and Plassmann 1993). The same for any number of threads, on host and CUDA. Near n + m steps.
/// Memory: 6 words a vertex. Waits.
template <executor Executor>
colouring_result colour_graph(Executor const& exec, graph_view g);

namespace analytics {

struct take_colour {
    graph_view g;
    std::int32_t* colours; ///< -1 - class where there is none yet
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        std::int32_t const mine = colours[v];
        for (std::int32_t first = 0;; first += 64) {
            std::uint64_t taken = 0; // of 64 colours
            for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
                vertex_id const u = g.neighbors[k];
                std::int32_t const other = worker.load(colours + u);
                if (other >= 0) {
                    if (other >= first && other - first < 64) taken |= std::uint64_t(1) << (other - first);
                } else if (other == mine && u < v) {
                    return worker.emit(v); // waits
                }
            }
            if (~taken == 0) continue;
            std::int32_t colour = first;
            for (; taken & 1; taken >>= 1) ++colour;
            return worker.store(colours + v, colour);
        }
    }
};
struct colour_of {
    std::int32_t const* colours;
    COPPICE_HD std::int32_t operator()(std::int64_t v) const { return colours[v] + 1; }
};

} // namespace analytics

template <executor Executor>
colouring_result colour_graph(Executor const& exec, graph_view g) {
    using namespace analytics;
    colouring_result result{buffer<std::int32_t>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    std::int32_t* const colours = result.colours.data();
    repeat_classes(exec, vertex_classes(g, true), colours, -1, -1, take_colour{g, colours});
    result.count = reduce(exec, g.vertices, std::int32_t{0}, colour_of{colours}, maximum{});
    return result;
}

#define COPPICE_COLOURING(EXTERN, EXECUTOR) EXTERN template colouring_result colour_graph(EXECUTOR const&, graph_view)
COPPICE_COLOURING(extern, host_executor);
COPPICE_COLOURING(extern, cuda_executor);

} // namespace coppice
