// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Opens the cycles of a [0, 2]-factor and numbers its vertices along the paths. See graph/forest/linear_forest.hpp.
///
/// The thesis finds the weakest edges of cycles by a scan over all vertices and then scans again for positions. Here
/// the scan for positions comes first, because it also identifies the vertices in cycles, which are usually few. Only
/// these are copied into a small graph, scanned for their weakest edges, opened, and scanned again.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/graph/scan/bidirectional_scan.hpp>
#include <coppice/graph/scan/single_rank_graph.hpp>

namespace coppice::inline v0_1 {
namespace graph_detail {

/// Neighbours of a factor of degree 1 or 2, as global indices.
template <class I>
struct factor_neighbor {
    I const* neighbors;
    int degree;
    COPPICE_HD I operator()(std::int64_t v, int d) const { return d < degree ? neighbors[degree * v + d] : I(-1); }
};

/// Whether the neighbours of v violate the rules of a factor: they are other vertices, distinct, and list v as a
/// neighbour if they are on this rank.
template <class I, class Ids>
struct is_faulty_vertex {
    I const* neighbors;
    int degree;
    Ids ids;
    std::int64_t vertices; ///< of all ranks
    COPPICE_HD std::int64_t operator()(std::int64_t v) const {
        I const id = ids(v);
        for (int s = 0; s < degree; ++s) {
            I const w = neighbors[degree * v + s];
            if (w == I(-1)) continue;
            if (w < I(0) || w >= vertices || w == id || (s > 0 && w == neighbors[degree * v])) return 1;
            I const here = ids.local(w);
            if (here < I(0)) continue;
            I const* const back = neighbors + degree * std::int64_t(here);
            if (back[0] != id && back[degree - 1] != id) return 1;
        }
        return 0;
    }
};

/// Initial value 1 of every vertex, to count along the path. Unsigned, since sums in cycles may overflow.
template <class I>
struct one_per_vertex {
    COPPICE_HD std::make_unsigned_t<I> operator()(std::int64_t, int) const { return 1; }
};
template <class I>
struct add_counts {
    using count = std::make_unsigned_t<I>;
    COPPICE_HD count operator()(count near, count far) const { return near + far; }
};
template <class I>
using position_entry = scan_entry<std::make_unsigned_t<I>, I>;

template <class Value, class I>
struct is_in_cycle {
    scan_entry<Value, I> const* entries;
    COPPICE_HD bool operator()(std::int64_t v) const { return !entries[v].ended(); }
};
/// Numbers the vertices in cycles: vertices[c] = v, number[v] = c.
template <class I>
struct number_vertex {
    I* vertices;
    I* number;
    COPPICE_HD void operator()(std::int64_t c, std::int64_t v) const {
        vertices[c] = static_cast<I>(v);
        number[v] = static_cast<I>(c);
    }
};

/// Weight of the edge as it is stored in the row of `from`.
template <class T, class I, class O>
COPPICE_HD T stored_weight(csr_view<T, I, O> weights, I from, I to) {
    constexpr int batch = 4; // edges whose loads are independent
    O k = weights.row_begin(from);
    O const end = weights.row_end(from);
    for (; end - k >= O(batch); k += O(batch)) {
        I columns[batch];
        COPPICE_UNROLL
        for (int t = 0; t < batch; ++t) columns[t] = weights.indices[k + O(t)];
        for (int t = 0; t < batch; ++t)
            if (columns[t] == to) return magnitude_of(weights.coefficients[k + O(t)]);
    }
    for (; k < end; ++k)
        if (weights.indices[k] == to) return magnitude_of(weights.coefficients[k]);
    return T(0);
}

/// Global indices of the vertices of the small graph of cycles, which has its own local indices.
template <class I, class Ids>
struct member_ids {
    Ids all;
    I const* vertices;
    I const* number;
    COPPICE_HD I operator()(std::int64_t c) const { return all(vertices[c]); }
    COPPICE_HD I local(I id) const {
        I const v = all.local(id);
        return v < I(0) ? I(-1) : number[v];
    }
};

/// The edges of a vertex in the factor, with the weights of its row.
template <class T, class I>
struct edges_of_vertex {
    I to[2];
    T weight[2];
};
template <class T, class I, class O, class Ids>
struct find_edges {
    csr_view<T, I, O> weights;
    Ids ids;
    factor_neighbor<I> neighbor;
    COPPICE_HD edges_of_vertex<T, I> operator()(std::int64_t v) const {
        edges_of_vertex<T, I> edges;
        for (int d = 0; d < 2; ++d) {
            edges.to[d] = neighbor(v, d);
            edges.weight[d] =
                edges.to[d] < I(0) ? T(0) : stored_weight(weights, static_cast<I>(v), ids.local_or_outer(edges.to[d]));
        }
        return edges;
    }
};

/// Edges of the small graph of cycles, as global indices, with their weights in the graph.
template <class T, class I, class O, class Ids>
struct cycle_edges {
    csr_view<T, I, O> weights;
    Ids ids;
    I const* vertices;
    factor_neighbor<I> neighbor;
    edges_of_vertex<T, I> const* outer;
    I* links;                  ///< [2 C]
    weighted_edge<T, I>* edge; ///< [2 C]

    COPPICE_HD void operator()(std::int64_t c) const {
        I const v = vertices[c], from = ids(v);
        for (int d = 0; d < 2; ++d) {
            I const to = links[2 * c + d] = neighbor(v, d);
            I const w = ids.local_or_outer(to);
            // The smaller weight if the matrix is not symmetric, so that both ends use the same.
            T const out = stored_weight(weights, v, w);
            T const back = weight_back(w, v, from);
            edge[2 * c + d] = {back < out ? back : out, from < to ? from : to, from < to ? to : from};
        }
    }

private:
    COPPICE_HD T weight_back(I w, I v, I id) const {
        if (w < weights.rows()) return stored_weight(weights, w, v);
        edges_of_vertex<T, I> const& edges = outer[w - weights.rows()];
        return edges.weight[edges.to[0] == id ? 0 : 1];
    }
};

template <class I>
struct cycle_neighbor {
    I const* links;
    COPPICE_HD I operator()(std::int64_t c, int d) const { return links[2 * c + d]; }
};
template <class T, class I>
struct cycle_edge {
    weighted_edge<T, I> const* edge;
    COPPICE_HD weighted_edge<T, I> operator()(std::int64_t c, int d) const { return edge[2 * c + d]; }
};

/// The last of two edges in the total order.
template <class I>
struct weaker_edge {
    static constexpr bool idempotent = true;
    edge_order<I> order;
    template <class T>
    COPPICE_HD weighted_edge<T, I> operator()(weighted_edge<T, I> const& e, weighted_edge<T, I> const& f) const {
        return order.before(e, f) ? f : e;
    }
};

/// Removes the link at both ends of the weakest edge of each cycle; stores the weight that each end had for it.
template <class T, class I, class O, class Ids>
struct open_at_weakest {
    csr_view<T, I, O> weights;
    Ids ids;
    I const* vertices;
    scan_entry<weighted_edge<T, I>, I> const* entries;
    weighted_edge<T, I> const* edge;
    weaker_edge<I> weaker;
    I* links;
    double* removed; ///< [C] weight of the removed edge at c, negative if there is none

    COPPICE_HD void operator()(std::int64_t c) const {
        weighted_edge<T, I> const weakest = weaker(entries[c].value[0], entries[c].value[1]);
        removed[c] = -1;
        for (int d = 0; d < 2; ++d) {
            if (edge[2 * c + d] != weakest) continue;
            I const to = links[2 * c + d];
            links[2 * c + d] = I(-1);
            removed[c] = static_cast<double>(stored_weight(weights, vertices[c], ids.local_or_outer(to)));
        }
    }
};
struct removed_sum {
    std::int64_t ends;
    double weight;
};
struct add_removed {
    COPPICE_HD removed_sum operator()(removed_sum const& a, removed_sum const& b) const {
        return {a.ends + b.ends, a.weight + b.weight};
    }
};
struct count_removed {
    double const* removed;
    COPPICE_HD removed_sum operator()(std::int64_t c) const {
        return removed[c] < 0 ? removed_sum{0, 0} : removed_sum{1, removed[c]};
    }
};

/// Copies the positions of opened cycles back.
template <class I>
struct write_back {
    position_entry<I> const* opened;
    I const* vertices;
    position_entry<I>* entries;
    COPPICE_HD void operator()(std::int64_t c) const { entries[vertices[c]] = opened[c]; }
};

/// Opens the cycles left by the scan for positions, which have `cyclic` vertices, and completes its entries. The sum of
/// what was removed on this rank is stored in *removed_sums, in memory of the executor, when the queued work is done.
template <class Rank, class T, class I, class O>
void open_cycles(Rank const& rank, csr_view<T, I, O> weights, graph_factor<I> const& f, std::int64_t cyclic,
                 array_view<position_entry<I>> entries, removed_sum* removed_sums) {
    using ids_type = typename Rank::ids_type;
    auto const& exec = rank.exec();
    ids_type const ids = rank.ids();
    factor_neighbor<I> const of_factor{f.neighbors.data(), f.degree};
    std::int64_t const vertices = entries.size();
    buffer<I> number(exec, vertices);
    buffer<I> members(exec, vertices);
    queue_select(exec, vertices, is_in_cycle<std::make_unsigned_t<I>, I>{entries.data()},
                 number_vertex<I>{members.data(), number.data()});
    buffer<I> links(exec, 2 * cyclic);
    buffer<weighted_edge<T, I>> edge(exec, 2 * cyclic);
    buffer<double> removed(exec, cyclic);
    typename Rank::template outer_values<edges_of_vertex<T, I>> outer(rank);
    auto const* const outer_edges = outer.fetch(find_edges<T, I, O, ids_type>{weights, ids, of_factor});
    for_each(exec, cyclic,
             cycle_edges<T, I, O, ids_type>{weights, ids, members.data(), of_factor, outer_edges, links.data(),
                                            edge.data()});
    member_ids<I, ids_type> const of_members{ids, members.data(), number.data()};
    cycle_neighbor<I> const neighbor{links.data()};
    weaker_edge<I> const weaker{f.order};
    auto const weakest =
        rank.template scan<weighted_edge<T, I>>(cyclic, of_members, neighbor, cycle_edge<T, I>{edge.data()}, weaker);
    for_each(exec, cyclic,
             open_at_weakest<T, I, O, ids_type>{weights, ids, members.data(), weakest.entries.data(), edge.data(),
                                                weaker, links.data(), removed.data()});
    auto const opened =
        rank.template scan<std::make_unsigned_t<I>>(cyclic, of_members, neighbor, one_per_vertex<I>{}, add_counts<I>{});
    for_each(exec, cyclic, write_back<I>{opened.entries.data(), members.data(), entries.data()});
    reduce_to(exec, cyclic, removed_sum{0, 0}, count_removed{removed.data()}, add_removed{}, removed_sums);
}

/// Longest length, sum of the lengths and number of the paths that begin at some vertices.
template <class I>
struct path_lengths {
    I longest, sum, paths;
};
struct add_lengths {
    template <class I>
    COPPICE_HD path_lengths<I> operator()(path_lengths<I> const& a, path_lengths<I> const& b) const {
        return {a.longest > b.longest ? a.longest : b.longest, a.sum + b.sum, a.paths + b.paths};
    }
};

/// Algorithm 7, lines 28-34: the smaller end is the id of the path and has position 0. The neighbour towards it
/// precedes the vertex, the other one follows it. Returns the length of the path that starts at v, or 0.
template <class I, class Ids>
struct describe_path {
    position_entry<I> const* entries;
    Ids ids;
    factor_neighbor<I> neighbor;
    I* path_ids;
    I* positions;
    I* links;

    COPPICE_HD path_lengths<I> operator()(std::int64_t v) const {
        position_entry<I> const e = entries[v];
        int const d = e.link[0] > e.link[1] ? 0 : 1; // the larger link marks the smaller vertex
        path_ids[v] = path_end_vertex(e.link[d]);
        positions[v] = static_cast<I>(e.value[d] - 1);
        links[2 * v] = next(v, e, d);
        links[2 * v + 1] = next(v, e, 1 - d);
        I const length = e.value[d] == 1 ? static_cast<I>(e.value[1 - d]) : I(0);
        return {length, length, length > I(0) ? I(1) : I(0)};
    }

private:
    /// Next vertex in direction d; -1 if the path ends at v. If a cycle was opened at v, the path ends there although
    /// the factor has another edge.
    COPPICE_HD I next(std::int64_t v, position_entry<I> const& e, int d) const {
        return path_end_vertex(e.link[d]) == ids(v) ? I(-1) : neighbor(v, d);
    }
};
template <class I, class Ids, class Starts>
struct store_position {
    Starts starts;
    Ids ids;
    I const* path_ids;
    I const* positions;
    I* permutation;
    I* inverse;
    COPPICE_HD void operator()(std::int64_t v) const {
        I const p = starts(path_ids[v]) + positions[v];
        inverse[v] = p;
        if (I const here = ids.local(p); here >= I(0)) permutation[here] = ids(v);
    }
};

template <class I>
struct is_first_of_path {
    I const* positions;
    COPPICE_HD bool operator()(std::int64_t v) const { return positions[v] == 0; }
};
template <class I>
struct list_first_of_path {
    I* firsts;
    COPPICE_HD void operator()(std::int64_t path, std::int64_t v) const { firsts[path] = static_cast<I>(v); }
};
template <class I>
struct length_of_path {
    position_entry<I> const* entries;
    I const* firsts;
    COPPICE_HD I operator()(std::int64_t k) const {
        position_entry<I> const e = entries[firsts[k]];
        return static_cast<I>(e.value[0] + e.value[1] - 1);
    }
};
template <class I>
struct store_path_start {
    I const* firsts;
    I *offsets, *starts;
    COPPICE_HD void operator()(std::int64_t k, I start) const {
        offsets[k] = start;
        starts[firsts[k]] = start;
    }
};

/// Numbers the vertices path after path. The order equals that of sorting by (path id, position), but needs no sort: an
/// exclusive scan over the lengths of the paths, in the order of their smaller ends, gives the first position of every
/// path.
template <class Rank, class I>
void number_along_paths(Rank const& rank, array_view<position_entry<I> const> entries, factor_neighbor<I> neighbor,
                        linear_forest<I>& forest) {
    using ids_type = typename Rank::ids_type;
    using path_starts = typename Rank::template path_starts<factor_neighbor<I>>;
    auto const& exec = rank.exec();
    std::int64_t const n = entries.size();
    forest.path_ids = buffer<I>(exec, n);
    forest.positions = buffer<I>(exec, n);
    forest.permutation = buffer<I>(exec, n);
    forest.inverse = buffer<I>(exec, n);
    forest.links = buffer<I>(exec, 2 * n);
    I* const positions = forest.positions.data();
    path_lengths<I> const lengths =
        reduce(exec, n, path_lengths<I>{0, 0, 0},
               describe_path<I, ids_type>{entries.data(), rank.ids(), neighbor, forest.path_ids.data(), positions,
                                          forest.links.data()},
               add_lengths{});
    path_lengths<I> const of_all = rank.all_reduce(lengths, add_lengths{});
    forest.longest_path = of_all.longest;
    forest.paths = of_all.paths;
    I const begin = rank.sum_before(lengths.sum);
    buffer<I> firsts(exec, n);
    queue_select(exec, n, is_first_of_path<I>{positions}, list_first_of_path<I>{firsts.data()});
    forest.path_offsets = buffer<I>(exec, std::int64_t(lengths.paths) + 1);
    buffer<I> starts(exec, n);
    queue_exclusive_scan(exec, std::int64_t(lengths.paths), length_of_path<I>{entries.data(), firsts.data()},
                         store_path_start<I>{firsts.data(), forest.path_offsets.data(), starts.data()}, begin);
    fill(exec, forest.path_offsets.view().slice(lengths.paths, 1), static_cast<I>(begin + lengths.sum));
    path_starts const of_paths(rank, neighbor, starts.data(), forest.path_ids.data());
    for_each(exec, n,
             store_position<I, ids_type, decltype(of_paths.of)>{of_paths.of, rank.ids(), forest.path_ids.data(),
                                                                positions, forest.permutation.data(),
                                                                forest.inverse.data()});
    rank.complete_permutation(forest.inverse.data(), forest.permutation.data(), n);
}

/// Computes the forest by scans over all vertices.
template <class Rank, class T, class I, class O>
removed_sum scan_forest(Rank const& rank, csr_view<T, I, O> weights, graph_factor<I> const& f,
                        linear_forest<I>& forest) {
    factor_neighbor<I> const neighbor{f.neighbors.data(), f.degree};
    auto scan = rank.template scan<std::make_unsigned_t<I>>(f.vertices, rank.ids(), neighbor, one_per_vertex<I>{},
                                                            add_counts<I>{});
    bool const cyclic = rank.all_reduce(scan.open, plus{}) > 0;
    buffer<removed_sum> removed_sums(rank.exec(), 1);
    if (cyclic) open_cycles(rank, weights, f, scan.open / 2, scan.entries.view(), removed_sums.data());
    array_view<position_entry<I> const> const entries = scan.entries.view();
    number_along_paths(rank, entries, neighbor, forest);
    return cyclic ? rank.all_reduce(rank.exec().load(removed_sums.data()), add_removed{}) : removed_sum{0, 0};
}

/// Estimates from a sample whether most neighbours are close in memory, so that walks along paths have few cache
/// misses.
template <class I>
bool neighbors_are_near(factor_neighbor<I> const& neighbor, std::int64_t vertices) {
    constexpr std::int64_t samples = 64, near = 1 << 13;
    std::int64_t far = 0;
    for (std::int64_t s = 0; s < samples; ++s) {
        std::int64_t const v = vertices * s / samples;
        std::int64_t const w = neighbor(v, 0) < I(0) ? v : std::int64_t(neighbor(v, 0));
        far += w > v + near || w + near < v ? 1 : 0;
    }
    return far * 4 < samples;
}

/// Walks along every path from its smaller end and numbers its vertices. Returns false if some vertices are in cycles;
/// their path ids are then -1.
template <class I>
bool walk_paths(factor_neighbor<I> neighbor, linear_forest<I>& forest, array_view<I> offsets) {
    std::fill(forest.path_ids.begin(), forest.path_ids.end(), I(-1));
    I placed = 0, paths = 0, longest = 0;
    for (I end = 0; end < forest.vertices; ++end) {
        I const a = neighbor(end, 0), b = neighbor(end, 1);
        if ((a >= I(0) && b >= I(0)) || forest.path_ids[end] >= I(0)) continue;
        I const start = offsets[paths++] = placed;
        for (I from = I(-1), at = end, next = a < I(0) ? b : a;;) {
            forest.path_ids[at] = end;
            forest.positions[at] = placed - start;
            forest.inverse[at] = placed;
            forest.permutation[placed++] = at;
            forest.links[2 * at] = from;
            forest.links[2 * at + 1] = next;
            if (next < I(0)) break;
            from = std::exchange(at, next);
            I const first = neighbor(at, 0);
            next = first == from ? neighbor(at, 1) : first;
        }
        longest = std::max(longest, I(placed - start));
    }
    offsets[paths] = placed;
    forest.paths = paths;
    forest.longest_path = longest;
    return placed == forest.vertices;
}

/// Opens the cycles of a factor of degree 2, whose vertices have path id -1, in its neighbour array `links`; overwrites
/// the path ids. Returns the sum of what was removed, as open_cycles().
template <class T, class I, class O>
removed_sum open_cycles_by_walks(host_executor const& exec, csr_view<T, I, O> weights, edge_order<I> order,
                                 array_view<I> path_ids, array_view<I> links) {
    buffer<I> number(exec, path_ids.size()), members(exec, path_ids.size());
    std::int64_t const cyclic = select(
        exec, path_ids.size(), [&](std::int64_t v) { return path_ids[v] < I(0); },
        number_vertex<I>{members.data(), number.data()});
    buffer<double> removed(exec, cyclic);
    std::fill(removed.begin(), removed.end(), -1.0);
    weaker_edge<I> const weaker{order};
    // Weights of the edges of v to its two neighbours, by one pass over its row.
    auto const weights_of = [&](I v, I before, I after) {
        std::pair<T, T> found{T(0), T(0)};
        for (O k = weights.row_begin(v); k < weights.row_end(v); ++k) {
            if (weights.indices[k] == before) found.first = magnitude_of(weights.coefficients[k]);
            if (weights.indices[k] == after) found.second = magnitude_of(weights.coefficients[k]);
        }
        return found;
    };
    auto const edge = [&](I v, I w, T out, T back) { // the smaller weight, as in cycle_edges
        return weighted_edge<T, I>{std::min(out, back), std::min(v, w), std::max(v, w)};
    };
    auto const remove_edge = [&](I v, I w) {
        links[2 * v + (links[2 * v] == w ? 0 : 1)] = I(-1);
        removed[number[v]] = static_cast<double>(stored_weight(weights, v, w));
    };
    for (I const start : members.view().slice(0, cyclic)) {
        if (path_ids[start] >= I(0)) continue;
        I const last = links[2 * start + 1], second = links[2 * start];
        auto const [to_last, to_second] = weights_of(start, last, second);
        path_ids[start] = start;
        weighted_edge<T, I> weakest{};
        T out = to_second;
        for (I from = start, at = second;;) {
            I const next = links[2 * at] == from ? links[2 * at + 1] : links[2 * at];
            auto const [back, further] = weights_of(at, from, next);
            auto const passed = edge(from, at, out, back);
            weakest = from == start ? passed : weaker(weakest, passed);
            path_ids[at] = start;
            if (next == start) { // `at` is the last vertex
                weakest = weaker(weakest, edge(at, start, further, to_last));
                break;
            }
            out = further;
            from = std::exchange(at, next);
        }
        remove_edge(weakest.low, weakest.high);
        remove_edge(weakest.high, weakest.low);
    }
    return reduce(exec, cyclic, removed_sum{0, 0}, count_removed{removed.data()}, add_removed{});
}

/// Computes the forest with one thread by one or two walks along each path. A few threads that scan together need four
/// passes over each vertex and further passes over the results, which takes longer. Returns nothing if the scans are
/// faster.
template <class T, class I, class O>
std::optional<removed_sum> walk_forest(host_executor const& exec, csr_view<T, I, O> weights, graph_factor<I> const& f,
                                       linear_forest<I>& forest) {
    constexpr int threads_for_walks = 3; // more threads are as fast with scans
    std::int64_t const n = forest.vertices;
    factor_neighbor<I> const neighbor{f.neighbors.data(), f.degree};
    if (n == 0 || exec.threads() > threads_for_walks || !neighbors_are_near(neighbor, n)) return std::nullopt;
    forest.path_ids = buffer<I>(exec, n);
    forest.positions = buffer<I>(exec, n);
    forest.permutation = buffer<I>(exec, n);
    forest.inverse = buffer<I>(exec, n);
    forest.links = buffer<I>(exec, 2 * n);
    buffer<I> offsets(exec, n + 1);
    removed_sum removed_sums{0, 0};
    if (!walk_paths(neighbor, forest, offsets.view())) {
        auto opened = copy_of(exec, f.neighbors);
        removed_sums = open_cycles_by_walks(exec, weights, f.order, forest.path_ids.view(), opened.view());
        walk_paths(factor_neighbor<I>{opened.data(), f.degree}, forest, offsets.view());
    }
    forest.path_offsets = copy_of(exec, array_view<I const>(offsets.data(), std::int64_t(forest.paths) + 1));
    return removed_sums;
}
template <class T, class I, class O>
std::optional<removed_sum> walk_forest(cuda_executor const&, csr_view<T, I, O>, graph_factor<I> const&,
                                       linear_forest<I>&) {
    return std::nullopt;
}

template <executor Executor, class T, class I, class O>
std::optional<removed_sum> walk_forest(single_rank_graph<Executor, I> const& all, csr_view<T, I, O> weights,
                                       graph_factor<I> const& f, linear_forest<I>& forest) {
    return walk_forest(all.exec(), weights, f, forest);
}
/// A distributed graph is always scanned.
template <class Rank, class T, class I, class O>
std::optional<removed_sum> walk_forest(Rank const&, csr_view<T, I, O>, graph_factor<I> const&,
                                       linear_forest<I>&) requires(Rank::is_distributed) {
    return std::nullopt;
}

/// Throws as extract_forest() if f is no factor of the rows of `weights`.
template <class Rank, class T, class I, class O>
void require_factor(Rank const& rank, csr_view<T, I, O> weights, graph_factor<I> const& f) {
    require_size("vertices of the factor", f.vertices, weights.rows());
    if (f.degree < 1 || f.degree > 2)
        throw argument_error("a linear forest needs a factor of degree 1 or 2, got " + std::to_string(f.degree));
    require_size("neighbours of the factor", f.neighbors, std::int64_t(f.degree) * f.vertices);

    std::int64_t const vertices = rank.all_reduce(std::int64_t(f.vertices), plus{});
    std::int64_t const faulty = rank.all_reduce(
        reduce(rank.exec(), f.vertices, std::int64_t{0},
               is_faulty_vertex<I, typename Rank::ids_type>{f.neighbors.data(), f.degree, rank.ids(), vertices},
               plus{}),
        plus{});
    if (faulty > 0)
        throw argument_error("the neighbours of " + std::to_string(faulty) +
                             " vertices of a factor are out of range, repeated or not mutual");
}

/// Computes the linear forest of a factor that require_factor() has accepted; `weights` are the rows of this rank.
template <class Rank, class T, class I, class O>
linear_forest<I> forest_at(Rank const& rank, csr_view<T, I, O> weights, graph_factor<I> const& f) {
    linear_forest<I> forest;
    forest.vertices = f.vertices;
    auto removed_sums = walk_forest(rank, weights, f, forest);
    if (!removed_sums) removed_sums = scan_forest(rank, weights, f, forest);
    forest.cycles_broken = static_cast<I>(removed_sums->ends / 2);
    // every removed edge was counted at both ends, as was every edge of the factor
    forest.weight = f.weight - removed_sums->weight / 2;
    forest.weight_coverage = f.total_weight > 0 ? forest.weight / f.total_weight : 1.0;
    forest.edges = rank.all_reduce(std::int64_t(f.vertices), plus{}) - forest.paths;
    return forest;
}

/// forest_at() for a graph on a single rank.
template <executor Executor, class T, class I, class O>
linear_forest<I> forest_of_factor(Executor const& exec, csr_view<T, I, O> weights, graph_factor<I> const& f) {
    return forest_at(single_rank_graph<Executor, I>(exec), weights, f);
}

} // namespace graph_detail

template <executor Executor, class T, class I, class O>
linear_forest<I> extract_forest(Executor const& exec, csr_view<T, I, O> weights, graph_factor<I> const& f) {
    require_square(weights, "extract_forest");
    graph_detail::require_factor(graph_detail::single_rank_graph<Executor, I>(exec), weights, f);
    return graph_detail::forest_of_factor(exec, weights, f);
}

} // namespace coppice::inline v0_1
