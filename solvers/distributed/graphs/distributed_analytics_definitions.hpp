// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of run_graph_algorithm_distributed(). Included by the source files that instantiate it.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/graphs/distributed_analytics.hpp>
#include <coppice/solvers/distributed/graphs/distributed_bfs.hpp>
#include <coppice/solvers/distributed/graphs/distributed_components.hpp>
#include <coppice/solvers/distributed/graphs/distributed_louvain.hpp>
#include <coppice/solvers/distributed/graphs/distributed_pagerank.hpp>
#include <coppice/solvers/distributed/graphs/distributed_sssp.hpp>
#include <coppice/solvers/distributed/graphs/distributed_triangles.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Throws argument_error unless there is an algorithm with this name.
void require_graph_algorithm(std::string_view name);

template <executor Executor>
graph_answer answer_bfs(Executor const& exec, rank_communicator const& comm, distributed_rows<Executor> const& rows,
                        analytics_options const& o) {
    auto const r =
        bfs_distributed(exec, comm, rows, o.source, o.hops > 0 ? o.hops : std::numeric_limits<std::int32_t>::max(),
                        o.undirected ? &rows : nullptr);
    return {analytics::values_of(exec, r.levels), {{"depth", r.depth}, {"reached", double(r.reached)}}};
}

template <executor Executor, class T>
graph_answer answer_sssp(Executor const& exec, rank_communicator const& comm, distributed_rows<Executor> const& rows,
                         row_block<T> const& block, analytics_options const& o) {
    auto const lengths = exec.copy(block.values);
    auto const r = sssp_distributed(exec, comm, rows, array_view<T const>(lengths.view()), o.source,
                                    {.delta = o.delta, .parents = false});
    struct sums {
        double reached, farthest;
    } mine{0, 0};
    auto found = analytics::values_of(exec, r.distances);
    for (double const d : found) {
        if (!(d < std::numeric_limits<double>::infinity())) continue;
        ++mine.reached;
        mine.farthest = std::max(mine.farthest, d);
    }
    sums const all = comm.all_reduce(mine, [](sums const& a, sums const& b) {
        return sums{a.reached + b.reached, std::max(a.farthest, b.farthest)};
    });
    graph_answer answer{
        std::move(found),
        {{"reached", all.reached}, {"farthest", all.farthest}, {"delta", r.delta}, {"rounds", double(r.rounds)}}};
    if (r.negative_cycle) answer.failure = analytics::negative_cycle_failure;
    return answer;
}

/// Size of the largest set of equal labels, which are global indices.
inline std::int64_t largest_set(rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                                graph_answer::vertex_numbers const& labels) {
    std::map<vertex_id, std::int64_t> counts;
    for (std::int64_t const label : labels) ++counts[vertex_id(label)];
    std::vector<vertex_message<std::int64_t>> sent;
    sent.reserve(counts.size());
    for (auto const& [label, count] : counts) sent.push_back({label, count});
    std::map<vertex_id, std::int64_t> of_all;
    std::int64_t largest = 0;
    for (auto const& m : send_to_owners(comm, begins, sent)) largest = std::max(largest, of_all[m.vertex] += m.value);
    return comm.all_reduce(largest, maximum{});
}

template <executor Executor>
graph_answer answer_components(Executor const& exec, rank_communicator const& comm,
                               distributed_rows<Executor> const& rows) {
    auto const r = connected_components_distributed(exec, comm, rows);
    auto labels = analytics::vertices_of(exec, r.labels);
    auto const largest = double(largest_set(comm, rows.begins(), labels));
    return {std::move(labels), {{"components", double(r.components)}, {"largest", largest}}};
}

template <executor Executor, class T>
graph_answer answer_pagerank(Executor const& exec, rank_communicator const& comm,
                             distributed_rows<Executor> const& rows, row_block<T> const& block,
                             analytics_options const& o) {
    bool const own_transpose = o.undirected && (!o.weighted || is_symmetric(set_up_executor(exec), comm, block));
    auto const transposed = own_transpose ? row_block<T>() : transpose_rows(set_up_executor(exec), comm, block);
    auto const run = [&](distributed_rows<Executor> const& incoming, std::vector<T> const& values) {
        directed_weights<T> weights;
        auto const of_rows = exec.copy(o.weighted ? block.values : std::vector<T>()),
                   of_incoming = exec.copy(o.weighted ? values : std::vector<T>());
        if (o.weighted) weights = {of_rows.view(), of_incoming.view()};
        return pagerank_distributed<T>(exec, comm, rows, incoming, {o.damping, o.tolerance, o.max_iterations}, weights);
    };
    auto const r = own_transpose ? run(rows, block.values)
                                 : run(distributed_rows<Executor>(exec, comm, transposed.offsets, transposed.columns),
                                       transposed.values);
    graph_answer answer{analytics::values_of(exec, r.ranks),
                        {{"iterations", r.iterations}, {"residual", r.residual}, {"converged", r.converged}}};
    if (!r.converged) answer.failure = "pagerank did not converge in " + std::to_string(r.iterations) + " iterations";
    return answer;
}

template <executor Executor>
graph_answer answer_triangles(Executor const& exec, rank_communicator const& comm,
                              distributed_rows<Executor> const& rows) {
    auto const r = clustering_distributed(exec, comm, rows);
    return {analytics::values_of(exec, r.triangles),
            {{"triangles", double(r.total)}, {"mean_clustering", r.mean}, {"transitivity", r.transitivity}}};
}

template <executor Executor, class T>
graph_answer answer_communities(Executor const& exec, rank_communicator const& comm,
                                distributed_rows<Executor> const& rows, row_block<T> const& block,
                                analytics_options const& o) {
    auto const weights = exec.copy(block.values);
    auto const r =
        louvain_distributed(exec, comm, rows, array_view<T const>(weights.view()), {.resolution = o.resolution});
    auto labels = analytics::vertices_of(exec, r.labels);
    auto const largest = double(largest_set(comm, rows.begins(), labels));
    return {std::move(labels),
            {{"communities", double(r.communities)},
             {"largest", largest},
             {"modularity", r.modularity},
             {"levels", double(r.levels)}}};
}

} // namespace distributed

template <executor Executor, class T>
graph_answer run_graph_algorithm_distributed(Executor const& exec, rank_communicator const& comm, std::string_view name,
                                             distributed_rows<Executor> const& rows, row_block<T> const& block,
                                             analytics_options const& options) {
    require_size("columns of the matrix of a graph", block.all_columns, block.all_rows);
    require_size("distributed rows of a graph", rows.size(), block.rows());
    distributed::require_graph_algorithm(name);
    if (name == "bfs") return distributed::answer_bfs(exec, comm, rows, options);
    if (name == "communities") return distributed::answer_communities(exec, comm, rows, block, options);
    if (name == "components") return distributed::answer_components(exec, comm, rows);
    if (name == "pagerank") return distributed::answer_pagerank(exec, comm, rows, block, options);
    if (name == "triangles") return distributed::answer_triangles(exec, comm, rows);
    return distributed::answer_sssp(exec, comm, rows, block, options);
}

template <executor Executor, class T>
graph_answer run_graph_algorithm_distributed(Executor const& exec, rank_communicator const& comm, std::string_view name,
                                             row_block<T> const& block, analytics_options const& options) {
    require_size("columns of the matrix of a graph", block.all_columns, block.all_rows);
    distributed::require_graph_algorithm(name);
    distributed_rows<Executor> const rows(exec, comm, block.offsets, block.columns);
    return run_graph_algorithm_distributed(exec, comm, name, rows, block, options);
}

} // namespace coppice::inline v0_1
