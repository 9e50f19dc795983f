// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_analytics.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <coppice/core/names.hpp>
#include <coppice/graph/frontier/undirected.hpp>
#include <coppice/solvers/distributed/graphs/distributed_bfs.hpp>
#include <coppice/solvers/distributed/graphs/distributed_components.hpp>
#include <coppice/solvers/distributed/graphs/distributed_louvain.hpp>
#include <coppice/solvers/distributed/graphs/distributed_pagerank.hpp>
#include <coppice/solvers/distributed/graphs/distributed_sssp.hpp>
#include <coppice/solvers/distributed/graphs/distributed_triangles.hpp>

namespace coppice::inline v0_1 {
namespace distributed {
namespace {

constexpr std::array<std::string_view, 6> graph_algorithms{"bfs",      "communities", "components",
                                                           "pagerank", "sssp",        "triangles"};

using rows_of_graph = distributed_rows<host_executor>;

graph_answer answer_bfs(host_executor const& exec, rank_communicator const& comm, rows_of_graph const& rows,
                        analytics_options const& o) {
    auto const r =
        bfs_distributed(exec, comm, rows, o.source, o.hops > 0 ? o.hops : std::numeric_limits<std::int32_t>::max());
    return {analytics::values_of(exec, r.levels), {{"depth", r.depth}, {"reached", double(r.reached)}}};
}

template <class T>
graph_answer answer_sssp(host_executor const& exec, rank_communicator const& comm, rows_of_graph const& rows,
                         row_block<T> const& block, analytics_options const& o) {
    auto const r = sssp_distributed(exec, comm, rows, array_view<T const>(block.values), o.source,
                                    {.delta = o.delta, .parents = false});
    struct sums {
        double reached, farthest;
    } mine{0, 0};
    for (T const d : r.distances) {
        if (!(d < std::numeric_limits<T>::infinity())) continue;
        ++mine.reached;
        mine.farthest = std::max(mine.farthest, double(d));
    }
    sums const all = comm.all_reduce(mine, [](sums const& a, sums const& b) {
        return sums{a.reached + b.reached, std::max(a.farthest, b.farthest)};
    });
    return {analytics::values_of(exec, r.distances),
            {{"reached", all.reached}, {"farthest", all.farthest}, {"delta", r.delta}, {"rounds", double(r.rounds)}}};
}

/// Size of the largest set of equal labels, which are global indices.
std::int64_t largest_set(rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                         buffer<vertex_id> const& labels) {
    std::map<vertex_id, std::int64_t> counts;
    for (vertex_id const label : labels) ++counts[label];
    std::vector<vertex_message<std::int64_t>> sent;
    sent.reserve(counts.size());
    for (auto const& [label, count] : counts) sent.push_back({label, count});
    std::map<vertex_id, std::int64_t> of_all;
    std::int64_t largest = 0;
    for (auto const& m : send_to_owners(comm, begins, sent)) largest = std::max(largest, of_all[m.vertex] += m.value);
    return comm.all_reduce(largest, maximum{});
}

graph_answer answer_components(host_executor const& exec, rank_communicator const& comm, rows_of_graph const& rows) {
    auto const r = connected_components_distributed(exec, comm, rows);
    return {analytics::vertices_of(exec, r.labels),
            {{"components", double(r.components)}, {"largest", double(largest_set(comm, rows.begins(), r.labels))}}};
}

template <class T>
graph_answer answer_communities(host_executor const& exec, rank_communicator const& comm, rows_of_graph const& rows,
                                row_block<T> const& block, analytics_options const& o) {
    auto const r =
        louvain_distributed(exec, comm, rows, array_view<T const>(block.values), {.resolution = o.resolution});
    return {analytics::vertices_of(exec, r.labels),
            {{"communities", double(r.communities)},
             {"largest", double(largest_set(comm, rows.begins(), r.labels))},
             {"modularity", r.modularity},
             {"levels", double(r.levels)}}};
}

template <class T>
graph_answer answer_pagerank(host_executor const& exec, rank_communicator const& comm, rows_of_graph const& rows,
                             row_block<T> const& block, analytics_options const& o) {
    bool const own_transpose = o.undirected && (!o.weighted || is_symmetric(exec, comm, block));
    auto const transposed = own_transpose ? row_block<T>() : transpose_rows(exec, comm, block);
    auto const run = [&](rows_of_graph const& incoming, std::vector<T> const& values) {
        directed_weights<T> weights;
        if (o.weighted) weights = {array_view<T const>(block.values), array_view<T const>(values)};
        return pagerank_distributed<T>(exec, comm, rows, incoming, {o.damping, o.tolerance, o.max_iterations}, weights);
    };
    auto const r = own_transpose
                       ? run(rows, block.values)
                       : run(rows_of_graph(exec, comm, transposed.offsets, transposed.columns), transposed.values);
    graph_answer answer{analytics::values_of(exec, r.ranks),
                        {{"iterations", r.iterations}, {"residual", r.residual}, {"converged", r.converged}}};
    if (!r.converged) answer.failure = "pagerank did not converge in " + std::to_string(r.iterations) + " iterations";
    return answer;
}

graph_answer answer_triangles(host_executor const& exec, rank_communicator const& comm, rows_of_graph const& rows) {
    auto const r = clustering_distributed(exec, comm, rows);
    return {analytics::values_of(exec, r.triangles),
            {{"triangles", double(r.total)}, {"mean_clustering", r.mean}, {"transitivity", r.transitivity}}};
}

} // namespace
} // namespace distributed

bool is_distributed_graph_algorithm(std::string_view name) {
    auto const& all = distributed::graph_algorithms;
    return std::find(all.begin(), all.end(), name) != all.end();
}
std::string distributed_graph_algorithms() {
    std::string text;
    for (std::string_view const name : distributed::graph_algorithms)
        text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

template <class T>
bool is_undirected(rank_communicator const& comm, row_block<T> const& rows) {
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < rows.rows(); ++i)
        for (auto k = rows.offsets[std::size_t(i)]; k < rows.offsets[std::size_t(i) + 1]; ++k)
            sum += analytics::signed_hash(vertex_id(rows.first + i), rows.columns[std::size_t(k)]);
    return comm.all_reduce(sum, plus{}) == 0;
}

template <class T>
graph_answer run_graph_algorithm_distributed(host_executor const& exec, rank_communicator const& comm,
                                             std::string_view name, row_block<T> const& block,
                                             analytics_options const& options) {
    require_size("columns of the matrix of a graph", block.all_columns, block.all_rows);
    if (!is_distributed_graph_algorithm(name))
        detail::throw_unknown_name("graph algorithm over ranks", name, distributed::graph_algorithms);
    distributed::rows_of_graph const rows(exec, comm, block.offsets, block.columns);
    if (name == "bfs") return distributed::answer_bfs(exec, comm, rows, options);
    if (name == "communities") return distributed::answer_communities(exec, comm, rows, block, options);
    if (name == "components") return distributed::answer_components(exec, comm, rows);
    if (name == "pagerank") return distributed::answer_pagerank(exec, comm, rows, block, options);
    if (name == "sssp") return distributed::answer_sssp(exec, comm, rows, block, options);
    return distributed::answer_triangles(exec, comm, rows);
}

#define COPPICE_DISTRIBUTED_ANALYTICS(T)                                                                               \
    template bool is_undirected(rank_communicator const&, row_block<T> const&);                                        \
    template graph_answer run_graph_algorithm_distributed(host_executor const&, rank_communicator const&,              \
                                                          std::string_view, row_block<T> const&,                       \
                                                          analytics_options const&);
COPPICE_DISTRIBUTED_ANALYTICS(float)
COPPICE_DISTRIBUTED_ANALYTICS(double)

} // namespace coppice::inline v0_1
