// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks that prove results of graph algorithms, in linear time on the host.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <coppice/graph/frontier/answer.hpp>

namespace coppice::inline v0_1 {

/// Graph in host memory, with its values as doubles.
struct host_graph {
    std::vector<std::int32_t> offsets{0};
    std::vector<vertex_id> neighbors{};
    std::vector<double> values{};
    bool single = false; ///< sums of lengths were rounded to float
    vertex_id vertices() const { return static_cast<vertex_id>(offsets.size() - 1); }
};
template <executor Executor, class T>
host_graph host_graph_of(Executor const& exec, csr_view<T> a) {
    auto const values = to_vector(exec, a.values());
    return {to_vector(exec, a.row_offsets()),
            to_vector(exec, a.column_indices()),
            {values.begin(), values.end()},
            std::is_same_v<T, float>};
}

/// Names of the algorithms that have a check.
std::span<std::string_view const> checked_graph_algorithms();

/// Proves that a result is right, with the options that it was computed with. Returns an empty string, or the first
/// violation. O(n + m) time.
///
/// Properties that are checked for each algorithm:
/// - bfs, sssp, widest: no edge improves a value, and edges that explain values lead from the source to each vertex.
/// - components: no edge leaves a component, and each component is connected.
/// - topological-levels, longest-paths: no edge improves a value, and an edge explains each value; vertices on or after
///   cycles have no value.
/// - max-flow: capacities, conservation (up to rounding), and no path with remaining capacity from source to sink.
/// - min-cut: source and sink are on different sides, and the cut has the stated capacity.
/// - maximal-matching: mates are mutual neighbours, and each edge has an end with a mate.
/// - matching: the same, and each edge has an end whose matching edge is at least as heavy; so the weight is at least
///   half of the optimum.
/// - independent-set: members are not neighbours, and all other vertices have a member as a neighbour.
/// - colouring: neighbours have different colours.
///
/// Throws argument_error for an algorithm without a check.
std::string check_graph_answer(std::string_view name, host_graph const& g, graph_answer const& answer,
                               analytics_options const& options);

} // namespace coppice::inline v0_1
