// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parts of a graph with local numbers: sampled neighbourhoods for graph networks, induced subgraphs, neighbourhoods of
/// k edges.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/random.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/graph/frontier/graph_view.hpp>

namespace coppice::inline v0_1 {

/// Vertices and edges of a part of a graph, in the memory of the executor.
struct local_graph {
    buffer<vertex_id> vertices{}; ///< vertices[v] is the vertex of the graph with the local number v
    buffer<vertex_id> from{};     ///< from[e] and to[e]: local numbers of the ends of an edge, which leaves `from`
    buffer<vertex_id> to{};       ///< (edge_index of PyTorch Geometric)
    buffer<std::int32_t> edges{}; ///< edges[e]: its position in the arrays of the graph
    /// Numbers of vertices that each hop adds; the first element is the number of seeds.
    std::vector<std::int64_t> vertices_of_hops{};
    std::vector<std::int64_t> edges_of_hops{}; ///< numbers of edges of each hop
};

struct neighbor_sample_options {
    /// Number of edges that are drawn at every vertex that the previous hop added; an element per hop. -1: all edges.
    std::vector<std::int64_t> fanouts{};
    /// false: different edges, all of them if a vertex has at most as many as the fan-out. true: each draw is
    /// independent.
    bool replace = false;
    std::uint64_t seed = 1;
};

/// Samples the neighbourhood of vertices (GraphSAGE, Hamilton et al. 2017): hop h draws outgoing edges of the vertices
/// that hop h - 1 added, and adds their ends. For incoming edges pass the transposed graph. Every vertex occurs once in
/// the result: seeds in their order, then the new vertices of each hop in ascending order. Edges are in the order of
/// the hops and of the vertices that they leave. All edges of a vertex have the same probability.
///
/// The edges that are drawn at a vertex depend on the seed and the vertex only: results are the same for any number of
/// threads, on host and CUDA. O(s log s) time and O(s) memory for s vertices and edges of the result, independent of
/// the size of the graph; a vertex without replacement takes min(fan-out^2, degree) steps. Waits.
///
/// Throws argument_error for a fan-out below -1, for a seed that is no vertex or occurs twice, and for a fan-out of -1
/// with replacement.
template <executor Executor>
local_graph sample_neighbors(Executor const& exec, graph_view g, array_view<vertex_id const> seeds,
                             neighbor_sample_options const& options);

/// Returns the given vertices and all edges between them. Local numbers are positions in `vertices`; edges have the
/// order of the rows. Time and memory: degrees of the vertices. Throws argument_error for a vertex that does not exist
/// or occurs twice. Waits.
template <executor Executor>
local_graph induced_subgraph(Executor const& exec, graph_view g, array_view<vertex_id const> vertices);

/// Returns the vertices within `hops` outgoing edges of the seeds, and all edges between them (of one seed: its ego
/// graph). Vertices are ordered as by sample_neighbors(). Errors as there. Waits.
template <executor Executor>
local_graph k_hop_subgraph(Executor const& exec, graph_view g, array_view<vertex_id const> seeds, int hops);

namespace analytics {

/// Draws the edges of frontier vertex i into [offsets[i], offsets[i + 1]): the lane code of host and CUDA.
struct edge_draw {
    graph_view g;
    vertex_id const* frontier;
    vertex_id first_number; ///< local number of frontier[0]
    std::int64_t const* offsets;
    bool replace;
    std::uint64_t seed;
    std::int32_t* edges;
    vertex_id* from;

    COPPICE_HD void operator()(std::int64_t i) const {
        vertex_id const u = frontier[i];
        std::int32_t const begin = g.offsets[u], degree = g.degree(u);
        std::int64_t const count = offsets[i + 1] - offsets[i];
        std::int32_t* const to = edges + offsets[i];
        random_sequence numbers(seed, u);
        if (replace)
            for (std::int64_t k = 0; k < count; ++k) to[k] = numbers.below(degree);
        else if (count == degree)
            for (std::int32_t k = 0; k < degree; ++k) to[k] = k;
        else if (count > 0 && count > degree / count)
            scan(std::int32_t(count), degree, numbers, to);
        else
            choose(std::int32_t(count), degree, numbers, to);
        for (std::int64_t k = 0; k < count; ++k) {
            to[k] += begin;
            from[offsets[i] + k] = first_number + vertex_id(i);
        }
    }

private:
    /// Selection sampling (Knuth, TAOCP 2, algorithm 3.4.2 S).
    COPPICE_HD static void scan(std::int32_t count, std::int32_t degree, random_sequence& numbers, std::int32_t* to) {
        std::int32_t taken = 0;
        for (std::int32_t k = 0; taken < count; ++k)
            if (numbers.below(degree - k) < count - taken) to[taken++] = k;
    }
    /// Floyd's algorithm (Bentley and Floyd, CACM 30, 1987).
    COPPICE_HD static void choose(std::int32_t count, std::int32_t degree, random_sequence& numbers, std::int32_t* to) {
        for (std::int32_t k = 0; k < count; ++k) {
            std::int32_t const last = degree - count + k;
            std::int32_t x = numbers.below(last + 1);
            for (std::int32_t j = 0; j < k; ++j)
                if (to[j] == x) {
                    x = last;
                    break;
                }
            to[k] = x;
        }
    }
};
/// Number of edges that are drawn at frontier vertex i; 0 for i = size, so that a scan also returns the total.
struct draw_count {
    graph_view g;
    array_view<vertex_id const> frontier;
    std::int64_t fanout;
    bool replace;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        if (i == frontier.size()) return 0;
        std::int64_t const degree = g.degree(frontier[i]);
        if (replace) return degree > 0 ? fanout : 0;
        return fanout < 0 || fanout > degree ? degree : fanout;
    }
};

/// Local numbers of vertices in sorted lists.
struct number_lookup {
    vertex_id const* sorted;
    vertex_id const* numbers;
    std::int64_t count;
    /// The local number of a vertex; -1: it has none.
    COPPICE_HD vertex_id operator()(vertex_id v) const {
        std::int64_t const at = detail::position_between(sorted, std::int64_t{0}, count, v);
        return at < 0 ? -1 : numbers[at];
    }
};
struct count_up {
    vertex_id* to;
    vertex_id first;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = first + vertex_id(i); }
};
struct repeats_previous {
    vertex_id const* sorted;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return i > 0 && sorted[i] == sorted[i - 1] ? 1 : 0; }
};

/// Joins arrays in the memory of the executor.
template <executor Executor, class T>
buffer<T> concatenated(Executor const& exec, std::vector<buffer<T>> const& all) {
    std::int64_t total = 0, at = 0;
    for (auto const& one : all) total += one.size();
    buffer<T> whole(exec, total);
    for (auto const& one : all) {
        exec.copy_elements(one.data(), whole.data() + at, one.size());
        at += one.size();
    }
    return whole;
}

/// Vertices with local numbers 0, 1, ..., and the lookup of the number of a vertex.
template <executor Executor>
class numbered_vertices {
public:
    /// Throws argument_error if an element of `list` is no vertex or occurs twice; `what` names it.
    numbered_vertices(Executor const& exec, graph_view g, array_view<vertex_id const> list, std::string const& what) {
        if (reduce(exec, list.size(), std::int64_t{0}, is_no_vertex{list.data(), g.vertices}, plus{}) > 0)
            throw argument_error(what + " is no vertex, expected 0 to " + std::to_string(g.vertices - 1));
        add(exec, copy_of(exec, list));
        if (reduce(exec, list.size(), std::int64_t{0}, repeats_previous{sorted_.data()}, plus{}) > 0)
            throw argument_error(what + " occurs twice, expected different vertices");
    }
    /// Gives the next numbers to vertices that have none.
    void add(Executor const& exec, buffer<vertex_id> more) {
        std::int64_t const before = size(), added = more.size();
        buffer<vertex_id> sorted(exec, before + added), numbers(exec, before + added);
        exec.copy_elements(sorted_.data(), sorted.data(), before);
        exec.copy_elements(more.data(), sorted.data() + before, added);
        exec.copy_elements(numbers_.data(), numbers.data(), before);
        for_each(exec, added, count_up{numbers.data() + before, vertex_id(before)});
        if (sorted.size() > 0) sort_by_key(exec, sorted.view(), numbers.view());
        exec.synchronize(); // the former lists are destroyed here
        sorted_ = std::move(sorted);
        numbers_ = std::move(numbers);
        hops_.push_back(std::move(more));
    }
    std::int64_t size() const { return sorted_.size(); }
    number_lookup lookup() const { return {sorted_.data(), numbers_.data(), size()}; }
    /// The vertices that were added last.
    array_view<vertex_id const> newest() const { return hops_.back().view(); }
    buffer<vertex_id> all(Executor const& exec) const { return concatenated(exec, hops_); }

private:
    buffer<vertex_id> sorted_{}, numbers_{};
    std::vector<buffer<vertex_id>> hops_{};
};

struct number_of_end {
    graph_view g;
    std::int32_t const* edges;
    number_lookup lookup;
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t e) const { to[e] = lookup(g.neighbors[edges[e]]); }
};

struct store_edge_end {
    graph_view g;
    std::int32_t const* edges;
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t e) const { to[e] = g.neighbors[edges[e]]; }
};
struct is_new_end {
    vertex_id const* sorted;
    number_lookup lookup;
    COPPICE_HD bool operator()(std::int64_t i) const {
        return (i == 0 || sorted[i] != sorted[i - 1]) && lookup(sorted[i]) < 0;
    }
};
struct copy_selected_end {
    vertex_id const* from;
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t at, std::int64_t i) const { to[at] = from[i]; }
};
/// The ends of edges that have no local number yet, in ascending order.
template <executor Executor>
buffer<vertex_id> new_ends(Executor const& exec, graph_view g, buffer<std::int32_t> const& edges,
                           number_lookup lookup) {
    std::int64_t const count = edges.size();
    buffer<vertex_id> ends(exec, count), found(exec, count);
    if (count == 0) return found;
    for_each(exec, count, store_edge_end{g, edges.data(), ends.data()});
    fill(exec, found.view(), 0);
    sort_by_key(exec, ends.view(), found.view());
    std::int64_t const added =
        select(exec, count, is_new_end{ends.data(), lookup}, copy_selected_end{ends.data(), found.data()});
    auto shortened = copy_of(exec, array_view<vertex_id const>(found.data(), added));
    exec.synchronize(); // both lists are destroyed here
    return shortened;
}

/// Edges between numbered vertices: counts those of vertex i, or writes them if `from` is set.
struct inner_edges {
    graph_view g;
    array_view<vertex_id const> vertices;
    number_lookup lookup;
    std::int64_t const* offsets = nullptr;
    vertex_id *from = nullptr, *to = nullptr;
    std::int32_t* edges = nullptr;

    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        if (i == vertices.size()) return 0;
        std::int64_t count = 0;
        for (std::int32_t k = g.offsets[vertices[i]]; k < g.offsets[vertices[i] + 1]; ++k) {
            vertex_id const v = lookup(g.neighbors[k]);
            if (v < 0) continue;
            if (from) {
                std::int64_t const e = offsets[i] + count;
                from[e] = vertex_id(i);
                to[e] = v;
                edges[e] = k;
            }
            ++count;
        }
        return count;
    }
};
struct write_inner_edges {
    inner_edges each;
    COPPICE_HD void operator()(std::int64_t i) const { each(i); }
};

inline void check_fanouts(neighbor_sample_options const& o) {
    for (auto const fanout : o.fanouts) {
        if (fanout < -1)
            throw argument_error("sample_neighbors: a fan-out is " + std::to_string(fanout) +
                                 ", expected a number of edges, or -1 for all");
        if (fanout < 0 && o.replace)
            throw argument_error(
                "sample_neighbors: a fan-out is -1, all edges, with replace, expected a number of edges");
    }
}

} // namespace analytics

template <executor Executor>
local_graph sample_neighbors(Executor const& exec, graph_view g, array_view<vertex_id const> seeds,
                             neighbor_sample_options const& options) {
    using namespace analytics;
    check_fanouts(options);
    numbered_vertices numbers(exec, g, seeds, "sample_neighbors: a seed");
    local_graph found;
    found.vertices_of_hops.push_back(seeds.size());
    std::vector<buffer<vertex_id>> from, to;
    std::vector<buffer<std::int32_t>> edges;
    for (auto const fanout : options.fanouts) {
        auto const frontier = numbers.newest();
        std::int64_t const size = frontier.size(), first = numbers.size() - size;
        buffer<std::int64_t> offsets(exec, size + 1);
        std::int64_t const drawn =
            exclusive_scan(exec, size + 1, draw_count{g, frontier, fanout, options.replace},
                           coppice::detail::store_offset<std::int64_t>{offsets.data()}, std::int64_t{0});
        edges.emplace_back(exec, drawn);
        from.emplace_back(exec, drawn);
        to.emplace_back(exec, drawn);
        for_each(exec, size,
                 edge_draw{g, frontier.data(), vertex_id(first), offsets.data(), options.replace, options.seed,
                           edges.back().data(), from.back().data()});
        numbers.add(exec, new_ends(exec, g, edges.back(), numbers.lookup()));
        for_each(exec, drawn, number_of_end{g, edges.back().data(), numbers.lookup(), to.back().data()});
        exec.synchronize(); // the offsets are destroyed here
        found.vertices_of_hops.push_back(numbers.newest().size());
        found.edges_of_hops.push_back(drawn);
    }
    found.vertices = numbers.all(exec);
    found.from = concatenated(exec, from);
    found.to = concatenated(exec, to);
    found.edges = concatenated(exec, edges);
    exec.synchronize();
    return found;
}

template <executor Executor>
local_graph induced_subgraph(Executor const& exec, graph_view g, array_view<vertex_id const> vertices) {
    using namespace analytics;
    numbered_vertices const numbers(exec, g, vertices, "induced_subgraph: an element of vertices");
    inner_edges each{g, vertices, numbers.lookup()};
    buffer<std::int64_t> offsets(exec, vertices.size() + 1);
    std::int64_t const count = exclusive_scan(
        exec, vertices.size() + 1, each, coppice::detail::store_offset<std::int64_t>{offsets.data()}, std::int64_t{0});
    local_graph found{copy_of(exec, vertices),
                      buffer<vertex_id>(exec, count),
                      buffer<vertex_id>(exec, count),
                      buffer<std::int32_t>(exec, count),
                      {vertices.size()},
                      {count}};
    each.offsets = offsets.data();
    each.from = found.from.data();
    each.to = found.to.data();
    each.edges = found.edges.data();
    for_each(exec, vertices.size(), write_inner_edges{each});
    exec.synchronize(); // numbers and offsets are destroyed here
    return found;
}

template <executor Executor>
local_graph k_hop_subgraph(Executor const& exec, graph_view g, array_view<vertex_id const> seeds, int hops) {
    using namespace analytics;
    if (hops < 0) throw argument_error("k_hop_subgraph: hops is " + std::to_string(hops) + ", expected 0 or more");
    numbered_vertices numbers(exec, g, seeds, "k_hop_subgraph: a seed");
    std::vector<std::int64_t> sizes{seeds.size()};
    for (int hop = 0; hop < hops && sizes.back() > 0; ++hop) {
        auto const frontier = numbers.newest();
        buffer<std::int64_t> offsets(exec, frontier.size() + 1);
        std::int64_t const all =
            exclusive_scan(exec, frontier.size() + 1, draw_count{g, frontier, -1, false},
                           coppice::detail::store_offset<std::int64_t>{offsets.data()}, std::int64_t{0});
        buffer<std::int32_t> edges(exec, all);
        buffer<vertex_id> from(exec, all);
        for_each(exec, frontier.size(),
                 edge_draw{g, frontier.data(), 0, offsets.data(), false, 0, edges.data(), from.data()});
        numbers.add(exec, new_ends(exec, g, edges, numbers.lookup()));
        sizes.push_back(numbers.newest().size());
    }
    sizes.resize(std::size_t(hops) + 1, 0);
    auto const vertices = numbers.all(exec);
    auto found = induced_subgraph(exec, g, vertices.view());
    found.vertices_of_hops = std::move(sizes);
    return found;
}

#define COPPICE_SAMPLING(EXTERN, EXECUTOR)                                                                             \
    EXTERN template local_graph sample_neighbors(EXECUTOR const&, graph_view, array_view<vertex_id const>,             \
                                                 neighbor_sample_options const&);                                      \
    EXTERN template local_graph induced_subgraph(EXECUTOR const&, graph_view, array_view<vertex_id const>);            \
    EXTERN template local_graph k_hop_subgraph(EXECUTOR const&, graph_view, array_view<vertex_id const>, int)
COPPICE_SAMPLING(extern, host_executor);
COPPICE_SAMPLING(extern, cuda_executor);

} // namespace coppice::inline v0_1
