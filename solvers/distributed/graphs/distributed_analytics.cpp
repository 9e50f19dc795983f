// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_analytics_definitions.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <coppice/core/names.hpp>
#include <coppice/graph/frontier/undirected.hpp>

namespace coppice::inline v0_1 {
namespace distributed {
namespace {

constexpr std::array<std::string_view, 6> graph_algorithms{"bfs",      "communities", "components",
                                                           "pagerank", "sssp",        "triangles"};

} // namespace

void require_graph_algorithm(std::string_view name) {
    if (!is_distributed_graph_algorithm(name))
        detail::throw_unknown_name("graph algorithm over ranks", name, graph_algorithms);
}

} // namespace distributed

bool is_distributed_graph_algorithm(std::string_view name) {
    auto const& all = distributed::graph_algorithms;
    return std::find(all.begin(), all.end(), name) != all.end();
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
