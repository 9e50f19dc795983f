// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communities by propagation of labels.
#pragma once

#include <coppice/graph/communities/label_rounds.hpp>

namespace coppice::inline v0_1 {

struct label_propagation_result {
    buffer<vertex_id> labels{}; ///< smallest vertex of the community; in the memory of the executor
    std::int64_t communities = 0;
    int sweeps = 0;
    bool converged = false; ///< no vertex changes its label any more
};

/// Label propagation (Raghavan, Albert and Kumara 2007): each vertex repeatedly takes the label that most of its edges
/// lead to. It keeps its label if that is among the most frequent ones; otherwise the smallest of these is taken. A
/// quarter of the vertices, chosen by a hash that changes with every sweep, moves at a time. Edge values and loops are
/// ignored. The graph is undirected. The result is the same for any number of threads, on host and CUDA. Memory: 36
/// bytes per vertex; on CUDA 48, and 24 per edge. Waits once per sweep.
///
/// Throws argument_error for max_sweeps < 1.
template <executor Executor>
label_propagation_result label_propagation(Executor const& exec, graph_view g, int max_sweeps = 100);

namespace analytics {

struct count_of_label {
    COPPICE_HD std::uint64_t operator()(vertex_id, vertex_id label, vertex_id own, std::int64_t weight) const {
        return 2 * static_cast<std::uint64_t>(weight) + (label == own ? 1 : 0);
    }
    template <class Worker>
    COPPICE_HD void moves(Worker&, vertex_id, vertex_id, vertex_id) const {}
};

} // namespace analytics

template <executor Executor>
label_propagation_result label_propagation(Executor const& exec, graph_view g, int max_sweeps) {
    using namespace analytics;
    if (max_sweeps < 1)
        throw argument_error("label_propagation option max_sweeps is " + std::to_string(max_sweeps) +
                             ", expected 1 or more");
    if (g.vertices == 0) return {.converged = true};
    label_propagation_result r;
    label_rounds<Executor> rounds(exec, g, nullptr);
    while (r.sweeps < max_sweeps && !r.converged) {
        ++r.sweeps;
        r.converged = rounds.sweep(count_of_label{}, std::uint64_t(r.sweeps)) == 0;
    }
    r.labels = std::move(rounds.labels());
    label_by_min_member(exec, r.labels);
    r.communities = reduce(exec, g.vertices, std::int64_t{0}, is_root{r.labels.data()}, plus{});
    return r;
}

#define COPPICE_LABEL_PROPAGATION(EXTERN, EXECUTOR)                                                                    \
    EXTERN template label_propagation_result label_propagation(EXECUTOR const&, graph_view, int)
COPPICE_LABEL_PROPAGATION(extern, host_executor);
COPPICE_LABEL_PROPAGATION(extern, cuda_executor);

} // namespace coppice::inline v0_1
