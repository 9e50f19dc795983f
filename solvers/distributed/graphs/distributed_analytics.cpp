// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_analytics_definitions.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include <coppice/core/names.hpp>
#include <coppice/graph/frontier/undirected.hpp>
#include <coppice/solvers/distributed/graphs/distributed_louvain.hpp>

namespace coppice::inline v0_1 {
namespace distributed {
namespace {

constexpr std::array<std::string_view, 6> graph_algorithms{"bfs",      "communities", "components",
                                                           "pagerank", "sssp",        "triangles"};
constexpr std::array<std::string_view, 5> device_algorithms{"bfs", "components", "pagerank", "sssp", "triangles"};

std::span<std::string_view const> algorithms(bool on_devices) {
    if (on_devices) return device_algorithms;
    return graph_algorithms;
}

} // namespace

template <class T>
graph_answer answer_communities(host_executor const& exec, rank_communicator const& comm,
                                distributed_rows<host_executor> const& rows, row_block<T> const& block,
                                analytics_options const& o) {
    auto const r =
        louvain_distributed(exec, comm, rows, array_view<T const>(block.values), {.resolution = o.resolution});
    auto labels = analytics::vertices_of(exec, r.labels);
    auto const largest = double(largest_set(comm, rows.begins(), labels));
    return {std::move(labels),
            {{"communities", double(r.communities)},
             {"largest", largest},
             {"modularity", r.modularity},
             {"levels", double(r.levels)}}};
}

void require_graph_algorithm(std::string_view name, bool on_devices) {
    if (!is_distributed_graph_algorithm(name))
        detail::throw_unknown_name("graph algorithm over ranks", name, graph_algorithms);
    if (!is_distributed_graph_algorithm(name, on_devices))
        throw argument_error(std::string(name) + " over ranks runs on the host only; available on devices: " +
                             distributed_graph_algorithms(true));
}

} // namespace distributed

bool is_distributed_graph_algorithm(std::string_view name, bool on_devices) {
    auto const all = distributed::algorithms(on_devices);
    return std::find(all.begin(), all.end(), name) != all.end();
}
std::string distributed_graph_algorithms(bool on_devices) {
    std::string text;
    for (std::string_view const name : distributed::algorithms(on_devices))
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

template bool is_undirected(rank_communicator const&, row_block<float> const&);
template bool is_undirected(rank_communicator const&, row_block<double> const&);
COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(, host_executor, float);
COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(, host_executor, double);

} // namespace coppice::inline v0_1
