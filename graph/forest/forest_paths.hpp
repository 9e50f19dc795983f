// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Breaks the cycles of a [0, 2]-factor and numbers its vertices along the paths. See graph/forest/linear_forest.hpp.
///
/// The thesis looks for the weakest edge of cycles with a scan over all vertices and then scans again for positions.
/// Here positions come first: that scan also tells which vertices lie in cycles, usually few. Only those are copied
/// into a small graph of their own, searched for weakest edges, opened and scanned again.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/graph/scan/bidirectional_scan.hpp>
#include <coppice/graph/scan/single_rank_graph.hpp>

namespace coppice {
namespace graph_detail {

/// Neighbours of a factor of any degree up to 2, by name.
template <class I>
struct factor_neighbor {
    I const* neighbors;
    int degree;
    COPPICE_HD I operator()(std::int64_t v, int d) const { return d < degree ? neighbors[degree * v + d] : I(-1); }
};

/// Whether the neighbours of v are what a factor may hold: other vertices, each once, that list v as well where they
/// are of this place.
template <class I, class Names>
struct is_faulty_vertex {
    I const* neighbors;
    int degree;
    Names names;
    std::int64_t vertices; ///< of all places
    COPPICE_HD std::int64_t operator()(std::int64_t v) const {
        I const name = names(v);
        for (int s = 0; s < degree; ++s) {
            I const w = neighbors[degree * v + s];
            if (w == I(-1)) continue;
            if (w < I(0) || w >= vertices || w == name || (s > 0 && w == neighbors[degree * v])) return 1;
            I const here = names.own(w);
            if (here < I(0)) continue;
            I const* const back = neighbors + degree * std::int64_t(here);
            if (back[0] != name && back[degree - 1] != name) return 1;
        }
        return 0;
    }
};

/// Counting along the path: every vertex brings a one. Unsigned, since in cycles sums grow without meaning.
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
    constexpr int at_once = 4; // whose loads do not wait for each other
    O k = weights.row_begin(from);
    O const end = weights.row_end(from);
    for (; end - k >= O(at_once); k += O(at_once)) {
        I columns[at_once];
        COPPICE_UNROLL
        for (int t = 0; t < at_once; ++t) columns[t] = weights.indices[k + O(t)];
        for (int t = 0; t < at_once; ++t)
            if (columns[t] == to) return magnitude_of(weights.coefficients[k + O(t)]);
    }
    for (; k < end; ++k)
        if (weights.indices[k] == to) return magnitude_of(weights.coefficients[k]);
    return T(0);
}

/// The names of the vertices of the small graph of cycles, which counts them by itself.
template <class I, class Names>
struct member_names {
    Names all;
    I const* vertices;
    I const* number;
    COPPICE_HD I operator()(std::int64_t c) const { return all(vertices[c]); }
    COPPICE_HD I own(I name) const {
        I const v = all.own(name);
        return v < I(0) ? I(-1) : number[v];
    }
};

/// The edges of a vertex in the factor, as its row has them.
template <class T, class I>
struct edges_of_vertex {
    I to[2];
    T weight[2];
};
template <class T, class I, class O, class Names>
struct look_up_edges {
    csr_view<T, I, O> weights;
    Names names;
    factor_neighbor<I> neighbor;
    COPPICE_HD edges_of_vertex<T, I> operator()(std::int64_t v) const {
        edges_of_vertex<T, I> edges;
        for (int d = 0; d < 2; ++d) {
            edges.to[d] = neighbor(v, d);
            edges.weight[d] =
                edges.to[d] < I(0) ? T(0) : stored_weight(weights, static_cast<I>(v), names.place(edges.to[d]));
        }
        return edges;
    }
};

/// The edges of the small graph of cycles, by name, with their weights in the graph.
template <class T, class I, class O, class Names>
struct cycle_edges {
    csr_view<T, I, O> weights;
    Names names;
    I const* vertices;
    factor_neighbor<I> neighbor;
    edges_of_vertex<T, I> const* outer;
    I* links;                  ///< [2 C]
    weighted_edge<T, I>* edge; ///< [2 C]

    COPPICE_HD void operator()(std::int64_t c) const {
        I const v = vertices[c], from = names(v);
        for (int d = 0; d < 2; ++d) {
            I const to = links[2 * c + d] = neighbor(v, d);
            I const w = names.place(to);
            // The smaller one where the matrix is not symmetric, so that both ends see the same.
            T const out = stored_weight(weights, v, w);
            T const back = weight_back(w, v, from);
            edge[2 * c + d] = {back < out ? back : out, from < to ? from : to, from < to ? to : from};
        }
    }

private:
    COPPICE_HD T weight_back(I w, I v, I name) const {
        if (w < weights.rows()) return stored_weight(weights, w, v);
        edges_of_vertex<T, I> const& edges = outer[w - weights.rows()];
        return edges.weight[edges.to[0] == name ? 0 : 1];
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

/// Cuts the link of each of the two ends of a cycle's weakest edge; notes the weight that each end had for it.
template <class T, class I, class O, class Names>
struct cut_weakest {
    csr_view<T, I, O> weights;
    Names names;
    I const* vertices;
    scan_entry<weighted_edge<T, I>, I> const* entries;
    weighted_edge<T, I> const* edge;
    weaker_edge<I> weaker;
    I* links;
    double* removed; ///< [C] weight of what is cut at c, negative where nothing is

    COPPICE_HD void operator()(std::int64_t c) const {
        weighted_edge<T, I> const weakest = weaker(entries[c].value[0], entries[c].value[1]);
        removed[c] = -1;
        for (int d = 0; d < 2; ++d) {
            if (edge[2 * c + d] != weakest) continue;
            I const to = links[2 * c + d];
            links[2 * c + d] = I(-1);
            removed[c] = static_cast<double>(stored_weight(weights, vertices[c], names.place(to)));
        }
    }
};
struct cut_sum {
    std::int64_t ends;
    double weight;
};
struct add_cuts {
    COPPICE_HD cut_sum operator()(cut_sum const& a, cut_sum const& b) const {
        return {a.ends + b.ends, a.weight + b.weight};
    }
};
struct count_cut {
    double const* removed;
    COPPICE_HD cut_sum operator()(std::int64_t c) const {
        return removed[c] < 0 ? cut_sum{0, 0} : cut_sum{1, removed[c]};
    }
};

/// Writes the positions of opened cycles back.
template <class I>
struct write_back {
    position_entry<I> const* opened;
    I const* vertices;
    position_entry<I>* entries;
    COPPICE_HD void operator()(std::int64_t c) const { entries[vertices[c]] = opened[c]; }
};

/// Opens the cycles that the scan for positions left, on `cyclic` vertices, and completes its entries; what was cut
/// here is going to be in *cuts, in memory of the executor.
template <class Place, class T, class I, class O>
void open_cycles(Place const& place, csr_view<T, I, O> weights, graph_factor<I> const& f, std::int64_t cyclic,
                 array_view<position_entry<I>> entries, cut_sum* cuts) {
    using names_type = typename Place::names_type;
    auto const& exec = place.exec();
    names_type const names = place.names();
    factor_neighbor<I> const of_factor{f.neighbors.data(), f.degree};
    std::int64_t const vertices = entries.size();
    buffer<I> number(exec, vertices);
    buffer<I> members(exec, vertices);
    queue_select(exec, vertices, is_in_cycle<std::make_unsigned_t<I>, I>{entries.data()},
                 number_vertex<I>{members.data(), number.data()});
    buffer<I> links(exec, 2 * cyclic);
    buffer<weighted_edge<T, I>> edge(exec, 2 * cyclic);
    buffer<double> removed(exec, cyclic);
    typename Place::template outer_values<edges_of_vertex<T, I>> outer(place);
    auto const* const outer_edges = outer.fetch(look_up_edges<T, I, O, names_type>{weights, names, of_factor});
    for_each(exec, cyclic,
             cycle_edges<T, I, O, names_type>{weights, names, members.data(), of_factor, outer_edges, links.data(),
                                              edge.data()});
    member_names<I, names_type> const of_members{names, members.data(), number.data()};
    cycle_neighbor<I> const neighbor{links.data()};
    weaker_edge<I> const weaker{f.order};
    auto const weakest =
        place.template scan<weighted_edge<T, I>>(cyclic, of_members, neighbor, cycle_edge<T, I>{edge.data()}, weaker);
    for_each(exec, cyclic,
             cut_weakest<T, I, O, names_type>{weights, names, members.data(), weakest.entries.data(), edge.data(),
                                              weaker, links.data(), removed.data()});
    auto const opened = place.template scan<std::make_unsigned_t<I>>(cyclic, of_members, neighbor, one_per_vertex<I>{},
                                                                     add_counts<I>{});
    for_each(exec, cyclic, write_back<I>{opened.entries.data(), members.data(), entries.data()});
    reduce_to(exec, cyclic, cut_sum{0, 0}, count_cut{removed.data()}, add_cuts{}, cuts);
}

/// Of the paths that begin at some vertices.
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

/// Algorithm 7, lines 28-34: the smaller end names the path and is its position 0. The neighbour towards it stands
/// before the vertex, the other one behind it. Gives the length of the path that starts at v; 0 where none does.
template <class I, class Names>
struct name_path {
    position_entry<I> const* entries;
    Names names;
    factor_neighbor<I> neighbor;
    I* path_ids;
    I* positions;
    I* links;

    COPPICE_HD path_lengths<I> operator()(std::int64_t v) const {
        position_entry<I> const e = entries[v];
        int const d = e.link[0] > e.link[1] ? 0 : 1; // the larger mark is the smaller vertex
        path_ids[v] = path_end_vertex(e.link[d]);
        positions[v] = static_cast<I>(e.value[d] - 1);
        links[2 * v] = next(v, e, d);
        links[2 * v + 1] = next(v, e, 1 - d);
        I const length = e.value[d] == 1 ? static_cast<I>(e.value[1 - d]) : I(0);
        return {length, length, length > I(0) ? I(1) : I(0)};
    }

private:
    /// The path may end here although the factor goes on: where a cycle was cut.
    COPPICE_HD I next(std::int64_t v, position_entry<I> const& e, int d) const {
        return path_end_vertex(e.link[d]) == names(v) ? I(-1) : neighbor(v, d);
    }
};
template <class I>
struct starts_path {
    I const* positions;
    COPPICE_HD bool operator()(std::int64_t v) const { return positions[v] == 0; }
};
template <class I>
struct store_first {
    I* first;
    COPPICE_HD void operator()(std::int64_t path, std::int64_t v) const { first[path] = static_cast<I>(v); }
};
/// Length of path k, whose first vertex is known.
template <class I>
struct length_of_path {
    position_entry<I> const* entries;
    I const* first;
    COPPICE_HD I operator()(std::int64_t k) const {
        position_entry<I> const e = entries[first[k]];
        return static_cast<I>(e.value[0] + e.value[1] - 1);
    }
};
/// The first place of path k, where it is looked for by the path's number and by its first vertex.
template <class I>
struct store_start {
    I const* first;
    I* starts;
    I* offsets;
    COPPICE_HD void operator()(std::int64_t k, I start) const {
        offsets[k] = start;
        starts[first[k]] = start;
    }
};
template <class I, class Names, class Starts>
struct place_vertex {
    Starts starts;
    Names names;
    I const* path_ids;
    I const* positions;
    I* permutation;
    I* inverse;
    COPPICE_HD void operator()(std::int64_t v) const {
        I const p = starts(path_ids[v]) + positions[v];
        inverse[v] = p;
        if (I const here = names.own(p); here >= I(0)) permutation[here] = names(v);
    }
};

/// Numbers the vertices path after path. Sorting by (path id, position) would give the same order: the scan over the
/// lengths of the paths, in the order of their smaller ends, gives every path its first place without sorting.
template <class Place, class I>
void number_along_paths(Place const& place, array_view<position_entry<I> const> entries, factor_neighbor<I> neighbor,
                        linear_forest<I>& forest) {
    using names_type = typename Place::names_type;
    using path_starts = typename Place::template path_starts<factor_neighbor<I>>;
    auto const& exec = place.exec();
    std::int64_t const n = entries.size();
    forest.path_ids = buffer<I>(exec, n);
    forest.positions = buffer<I>(exec, n);
    forest.permutation = buffer<I>(exec, n);
    forest.inverse = buffer<I>(exec, n);
    forest.links = buffer<I>(exec, 2 * n);
    I* const positions = forest.positions.data();
    path_lengths<I> const lengths =
        reduce(exec, n, path_lengths<I>{0, 0, 0},
               name_path<I, names_type>{entries.data(), place.names(), neighbor, forest.path_ids.data(), positions,
                                        forest.links.data()},
               add_lengths{});
    path_lengths<I> const of_all = place.join(lengths, add_lengths{});
    forest.longest_path = of_all.longest;
    forest.paths = of_all.paths;
    I const begin = place.sum_before(lengths.sum);
    buffer<I> first(exec, n);
    queue_select(exec, n, starts_path<I>{positions}, store_first<I>{first.data()});
    forest.path_offsets = buffer<I>(exec, std::int64_t(lengths.paths) + 1);
    buffer<I> starts(exec, n);
    queue_exclusive_scan(exec, std::int64_t(lengths.paths), length_of_path<I>{entries.data(), first.data()},
                         store_start<I>{first.data(), starts.data(), forest.path_offsets.data()}, begin);
    fill(exec, forest.path_offsets.view().slice(lengths.paths, 1), static_cast<I>(begin + lengths.sum));
    path_starts const of_paths(place, neighbor, starts.data(), forest.path_ids.data());
    for_each(exec, n,
             place_vertex<I, names_type, decltype(of_paths.of)>{of_paths.of, place.names(), forest.path_ids.data(),
                                                                positions, forest.permutation.data(),
                                                                forest.inverse.data()});
    place.complete_permutation(forest.inverse.data(), forest.permutation.data(), n);
}

/// The whole forest by scans over all vertices.
template <class Place, class T, class I, class O>
cut_sum scan_forest(Place const& place, csr_view<T, I, O> weights, graph_factor<I> const& f, linear_forest<I>& forest) {
    factor_neighbor<I> const neighbor{f.neighbors.data(), f.degree};
    auto scan = place.template scan<std::make_unsigned_t<I>>(f.vertices, place.names(), neighbor, one_per_vertex<I>{},
                                                             add_counts<I>{});
    bool const cyclic = place.join(scan.open, plus{}) > 0;
    buffer<cut_sum> cuts(place.exec(), 1);
    if (cyclic) open_cycles(place, weights, f, scan.open / 2, scan.entries.view(), cuts.data());
    array_view<position_entry<I> const> const entries = scan.entries.view();
    number_along_paths(place, entries, neighbor, forest);
    return cyclic ? place.join(place.exec().load(cuts.data()), add_cuts{}) : cut_sum{0, 0};
}

/// Whether neighbours mostly lie near each other in memory, so that walks from one to the next do not wait for it; by a
/// sample.
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

/// Walks over every path of a factor without cycles, from its smaller end, and numbers its vertices. False where some
/// lie in cycles: the path ids of these are -1 then.
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

/// Opens the cycles of a factor of degree 2, whose vertices have the path id -1, in its neighbours `links`; path ids
/// are used up. Adds up what was cut as open_cycles() does.
template <class T, class I, class O>
cut_sum cut_cycles(host_executor const& exec, csr_view<T, I, O> weights, edge_order<I> order, array_view<I> path_ids,
                   array_view<I> links) {
    buffer<I> number(exec, path_ids.size()), members(exec, path_ids.size());
    std::int64_t const cyclic = select(
        exec, path_ids.size(), [&](std::int64_t v) { return path_ids[v] < I(0); },
        number_vertex<I>{members.data(), number.data()});
    buffer<double> removed(exec, cyclic);
    std::fill(removed.begin(), removed.end(), -1.0);
    weaker_edge<I> const weaker{order};
    // A vertex's weights for the edges to the two neighbours, by one look at its row.
    auto const weights_of = [&](I v, I before, I behind) {
        std::pair<T, T> found{T(0), T(0)};
        for (O k = weights.row_begin(v); k < weights.row_end(v); ++k) {
            if (weights.indices[k] == before) found.first = magnitude_of(weights.coefficients[k]);
            if (weights.indices[k] == behind) found.second = magnitude_of(weights.coefficients[k]);
        }
        return found;
    };
    auto const edge = [&](I v, I w, T out, T back) { // the smaller weight, as cycle_edges has it
        return weighted_edge<T, I>{std::min(out, back), std::min(v, w), std::max(v, w)};
    };
    auto const cut = [&](I v, I w) {
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
            if (next == start) { // at is the last one
                weakest = weaker(weakest, edge(at, start, further, to_last));
                break;
            }
            out = further;
            from = std::exchange(at, next);
        }
        cut(weakest.low, weakest.high);
        cut(weakest.high, weakest.low);
    }
    return reduce(exec, cyclic, cut_sum{0, 0}, count_cut{removed.data()}, add_cuts{});
}

/// The whole forest by one thread, in a walk or two over each path: what few threads do together takes four steps at
/// each vertex, and passes over what these have written. Nothing where it would not pay.
template <class T, class I, class O>
std::optional<cut_sum> walk_forest(host_executor const& exec, csr_view<T, I, O> weights, graph_factor<I> const& f,
                                   linear_forest<I>& forest) {
    constexpr int threads_for_walks = 3; // more of them scan as fast together
    std::int64_t const n = forest.vertices;
    factor_neighbor<I> const neighbor{f.neighbors.data(), f.degree};
    if (n == 0 || exec.threads() > threads_for_walks || !neighbors_are_near(neighbor, n)) return std::nullopt;
    forest.path_ids = buffer<I>(exec, n);
    forest.positions = buffer<I>(exec, n);
    forest.permutation = buffer<I>(exec, n);
    forest.inverse = buffer<I>(exec, n);
    forest.links = buffer<I>(exec, 2 * n);
    buffer<I> offsets(exec, n + 1);
    cut_sum cuts{0, 0};
    if (!walk_paths(neighbor, forest, offsets.view())) {
        auto opened = copy_of(exec, f.neighbors);
        cuts = cut_cycles(exec, weights, f.order, forest.path_ids.view(), opened.view());
        walk_paths(factor_neighbor<I>{opened.data(), f.degree}, forest, offsets.view());
    }
    forest.path_offsets = copy_of(exec, array_view<I const>(offsets.data(), std::int64_t(forest.paths) + 1));
    return cuts;
}
template <class T, class I, class O>
std::optional<cut_sum> walk_forest(cuda_executor const&, csr_view<T, I, O>, graph_factor<I> const&, linear_forest<I>&) {
    return std::nullopt;
}

template <executor Executor, class T, class I, class O>
std::optional<cut_sum> walk_forest(whole_graph<Executor, I> const& all, csr_view<T, I, O> weights,
                                   graph_factor<I> const& f, linear_forest<I>& forest) {
    return walk_forest(all.exec(), weights, f, forest);
}
/// Of parts only where each sees the others'.
template <class Place, class T, class I, class O>
std::optional<cut_sum> walk_forest(Place const&, csr_view<T, I, O>, graph_factor<I> const&,
                                   linear_forest<I>&) requires(Place::in_parts) {
    return std::nullopt;
}

/// Throws what extract_forest() throws for a factor that is none of the rows of `weights`.
template <class Place, class T, class I, class O>
void require_factor(Place const& place, csr_view<T, I, O> weights, graph_factor<I> const& f) {
    require_size("vertices of the factor", f.vertices, weights.rows());
    if (f.degree < 1 || f.degree > 2)
        throw argument_error("a linear forest needs a factor of degree 1 or 2, got " + std::to_string(f.degree));
    require_size("neighbours of the factor", f.neighbors, std::int64_t(f.degree) * f.vertices);

    std::int64_t const vertices = place.join(std::int64_t(f.vertices), plus{});
    std::int64_t const faulty = place.join(
        reduce(place.exec(), f.vertices, std::int64_t{0},
               is_faulty_vertex<I, typename Place::names_type>{f.neighbors.data(), f.degree, place.names(), vertices},
               plus{}),
        plus{});
    if (faulty > 0)
        throw argument_error("the neighbours of " + std::to_string(faulty) +
                             " vertices of a factor are out of range, repeated or not mutual");
}

/// The forest of a factor of the rows of `weights` that is known to be one.
template <class Place, class T, class I, class O>
linear_forest<I> forest_at(Place const& place, csr_view<T, I, O> weights, graph_factor<I> const& f) {
    linear_forest<I> forest;
    forest.vertices = f.vertices;
    auto cuts = walk_forest(place, weights, f, forest);
    if (!cuts) cuts = scan_forest(place, weights, f, forest);
    forest.cycles_broken = static_cast<I>(cuts->ends / 2);
    forest.weight = f.weight - cuts->weight / 2; // each cut was seen from both ends, as each edge of the factor
    forest.weight_coverage = f.total_weight > 0 ? forest.weight / f.total_weight : 1.0;
    forest.edges = place.join(std::int64_t(f.vertices), plus{}) - forest.paths;
    return forest;
}

/// The same for whole graphs.
template <executor Executor, class T, class I, class O>
linear_forest<I> forest_of_factor(Executor const& exec, csr_view<T, I, O> weights, graph_factor<I> const& f) {
    return forest_at(whole_graph<Executor, I>(exec), weights, f);
}

} // namespace graph_detail

template <executor Executor, class T, class I, class O>
linear_forest<I> extract_forest(Executor const& exec, csr_view<T, I, O> weights, graph_factor<I> const& f) {
    require_square(weights, "extract_forest");
    graph_detail::require_factor(graph_detail::whole_graph<Executor, I>(exec), weights, f);
    return graph_detail::forest_of_factor(exec, weights, f);
}

} // namespace coppice
