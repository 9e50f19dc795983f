// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Greedy b-matching: a [0, n]-factor for any n, or with a separate capacity for each vertex.
#pragma once

#include <coppice/graph/frontier/filtered_edges.hpp>
#include <coppice/graph/frontier/rounds.hpp>
#include <coppice/graph/scan/edge_order.hpp>

namespace coppice::inline v0_1 {

/// Result in the memory of the executor.
template <class T>
struct b_matching_result {
    buffer<vertex_id> from{}, to{}; ///< ends of the selected edges, from < to; heavy edges first
    buffer<T> weights{};            ///< magnitudes
    double weight = 0;
    double weight_coverage = 0; ///< weight / sum of the weights of all edges; 0 if that sum is 0
    std::int64_t rounds = 0;
};

/// Selects edges of an undirected graph, at most capacities[v] at each vertex v. The selection is that of the greedy
/// algorithm, which takes each edge in the order of graph/scan/edge_order.hpp (heavy edges first) if both ends have
/// capacity left. It is maximal, and its weight is at least half of the maximum. It equals greedy_factor() if all
/// capacities are the same number from 1 to 4.
///
/// Every vertex bids for its heaviest edges up to its capacity. An edge with bids from both ends is taken. A vertex
/// whose capacity is exhausted refuses the other bids, and the refused vertices bid for their next edges (locally
/// dominant edges: Preis 1999; with capacities: Khan et al. 2016). No bid is repeated: O(m) time for the bids and O(m
/// log m) for sorting the edges. The number of rounds is the length of the longest chain of refusals. The result is the
/// same for any number of threads, on host and CUDA. Memory: 36 bytes per stored edge and 44 per vertex for double
/// weights. Waits.
///
/// `a` stores every edge once in each direction. The weight of edge {i, j}, i < j, is |a_ij|; loops and zeros are no
/// edges. Throws dimension_error if `a` is not square or the number of capacities is not that of the vertices,
/// argument_error for a negative capacity, matrix_error for a weight that is not finite.
template <executor Executor, class T>
b_matching_result<T> b_matching(Executor const& exec, csr_view<T> a, array_view<std::int32_t const> capacities);
/// b_matching() with capacity `capacity` at every vertex.
template <executor Executor, class T>
b_matching_result<T> b_matching(Executor const& exec, csr_view<T> a, std::int32_t capacity);

namespace analytics {

/// Edges, addressed by an edge index.
template <class T>
struct edge_list {
    vertex_id *low, *high;
    T* weight;
    /// Copies edge e of `from` to position `at`.
    COPPICE_HD void copy_edge(edge_list const& from, std::int64_t e, std::int64_t at) const {
        low[at] = from.low[e];
        high[at] = from.high[e];
        weight[at] = from.weight[e];
    }
};
/// Selects the entries above the diagonal with nonzero weight.
template <class T>
struct weighted_edges {
    csr_view<T> a;
    edge_list<T> edges;
    int* bad;
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const { return a.indices[k] > u && a.coefficients[k] != T(0); }
    COPPICE_HD void store(vertex_id u, std::int32_t k, std::int32_t at) const {
        T const x = a.coefficients[k], weight = x < T(0) ? -x : x;
        if (!(weight - weight == T(0))) *bad = 1;
        edges.low[at] = u;
        edges.high[at] = a.indices[k];
        edges.weight[at] = weight;
    }
};
/// Computes the offset of the ends at vertex v in the list of ends, which is sorted by vertex.
struct first_end {
    vertex_id const* vertex;
    std::int64_t count;
    std::int32_t* offsets;
    COPPICE_HD void operator()(std::int64_t v) const {
        offsets[v] = static_cast<std::int32_t>(detail::lower_position(vertex, 0, count, v));
    }
};

struct bidding_state {
    loop_switch loop{1};
    std::int32_t round = 0;
};
/// Data of both steps. Row v of `incident` has the indices of the edges at v, heavy ones first.
struct bidding {
    graph_view incident;
    vertex_id const *low, *high;
    std::int32_t const* capacities;
    std::int32_t* next;   ///< next position in the row of v for a bid
    std::int32_t* live;   ///< bids of v that are not refused
    std::int32_t* taken;  ///< selected edges of v
    std::int32_t* queued; ///< last round in which v was appended to the list of bidders
    std::uint64_t* bids;  ///< two bits per edge: bid of the low end, bid of the high end
    bidding_state const* state;

    COPPICE_HD bool is_high(std::int32_t e, vertex_id v) const { return high[e] == v; }
    COPPICE_HD vertex_id other_end(std::int32_t e, vertex_id v) const { return is_high(e, v) ? low[e] : high[e]; }
    COPPICE_HD static std::uint64_t bit(std::int32_t e, bool high_end) {
        return std::uint64_t(1) << (2 * (e % 32) + (high_end ? 1 : 0));
    }
};
struct begin_bidding {
    bidding x;
    worklist* bidders;
    COPPICE_HD void operator()(std::int64_t v) const {
        x.next[v] = x.incident.offsets[v];
        x.live[v] = x.taken[v] = x.queued[v] = 0;
        list_all{bidders, x.incident.vertices}(v);
    }
};
/// Makes the next bids of a vertex. The second bid for an edge takes the edge; a vertex whose capacity is exhausted by
/// that is emitted.
struct bid {
    bidding x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        std::int32_t at = x.next[v], live = x.live[v];
        for (std::int32_t const end = x.incident.offsets[v + 1]; live < x.capacities[v] && at < end; ++at) {
            std::int32_t const e = x.incident.neighbors[at];
            vertex_id const u = x.other_end(e, v);
            if (worker.load(x.taken + u) >= x.capacities[u]) continue;
            ++live;
            bool const high = x.is_high(e, v);
            if ((worker.set_bits(x.bids + e / 32, bidding::bit(e, high)) & bidding::bit(e, !high)) == 0) continue;
            take_edge(worker, u);
            take_edge(worker, v);
        }
        x.next[v] = at;
        x.live[v] = live;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void take_edge(Worker& worker, vertex_id v) const {
        if (worker.add(x.taken + v, 1) + 1 == x.capacities[v]) worker.emit(v);
    }
};
/// A vertex without remaining capacity refuses the bids of others; these bid again.
struct refuse_bid {
    bidding x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v, std::int32_t k) const {
        std::int32_t const e = x.incident.neighbors[k];
        bool const high = x.is_high(e, v);
        std::uint64_t const bids = x.bids[e / 32];
        if ((bids & bidding::bit(e, high)) != 0 || (bids & bidding::bit(e, !high)) == 0) return;
        vertex_id const u = x.other_end(e, v);
        worker.add(x.live + u, -1);
        std::int32_t const round = x.state->round + 1;
        if (worker.exchange(x.queued + u, round) != round) worker.emit(u);
    }
};
struct next_bids {
    worklist *bidders, *again, *full;
    bidding_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        swap_and_clear(*bidders, *again);
        full->clear();
        ++state->round;
        if (bidders->count == 0) state->loop.stop();
    }
};

struct has_both_bids {
    std::uint64_t const* bids;
    COPPICE_HD bool operator()(std::int64_t e) const { return (bids[e / 32] >> 2 * (e % 32) & 3) == 3; }
};
template <class T>
struct value_as_double {
    T const* values;
    COPPICE_HD double operator()(std::int64_t i) const { return double(values[i]); }
};
struct is_below_zero {
    std::int32_t const* values;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return values[i] < 0 ? 1 : 0; }
};

/// Owns an edge_list.
template <class T>
struct edge_buffers {
    buffer<vertex_id> low, high;
    buffer<T> weight;
    template <executor Executor>
    edge_buffers(Executor const& exec, std::int64_t count) : low(exec, count), high(exec, count), weight(exec, count) {}
    edge_list<T> view() { return {low.data(), high.data(), weight.data()}; }
};
template <class T>
struct hash_edge {
    edge_list<T> edges;
    std::uint64_t* hashes;
    std::int32_t* indices;
    COPPICE_HD void operator()(std::int64_t e) const {
        hashes[e] = edge_order<vertex_id>{}.hash(edges.low[e], edges.high[e]);
        indices[e] = static_cast<std::int32_t>(e);
    }
};
template <class T>
struct store_lightness {
    T const* weights;
    std::int32_t const* indices;
    T* to;
    COPPICE_HD void operator()(std::int64_t e) const { to[e] = -weights[indices[e]]; }
};
template <class T>
struct copy_indexed_edge {
    edge_list<T> from;
    std::int32_t const* indices;
    edge_list<T> to;
    COPPICE_HD void operator()(std::int64_t e) const { to.copy_edge(from, indices[e], e); }
};
template <class T>
struct copy_selected_edge {
    edge_list<T> from, to;
    COPPICE_HD void operator()(std::int64_t at, std::int64_t e) const { to.copy_edge(from, e, at); }
};
/// Lists the edges of each end.
template <class T>
struct store_ends {
    edge_list<T> edges;
    vertex_id* ends;
    std::int32_t* incident;
    COPPICE_HD void operator()(std::int64_t e) const {
        ends[2 * e] = edges.low[e];
        ends[2 * e + 1] = edges.high[e];
        incident[2 * e] = incident[2 * e + 1] = static_cast<std::int32_t>(e);
    }
};
/// All edges, sorted by the edge order (heavy ones first).
template <executor Executor, class T>
edge_buffers<T> edges_in_order(Executor const& exec, csr_view<T> a) {
    std::int32_t count = 0;
    auto const first = offsets_of_selected(exec, a, weighted_edges<T>{a, {}, nullptr}, count);
    edge_buffers<T> found(exec, count);
    edge_list<T> const edges = found.view();
    auto bad = placed(exec, 0);
    filter_edges(exec, a, first.data(), weighted_edges<T>{a, edges, bad.data()});
    if (exec.load(bad.data()) != 0) throw matrix_error("b_matching: edge weights are not finite");
    buffer<std::int32_t> indices(exec, count);
    {
        buffer<std::uint64_t> hashes(exec, count);
        for_each(exec, count, hash_edge<T>{edges, hashes.data(), indices.data()});
        sort_by_key(exec, hashes.view(), indices.view());
    }
    buffer<T> lightness(exec, count);
    for_each(exec, count, store_lightness<T>{edges.weight, indices.data(), lightness.data()});
    sort_by_key(exec, lightness.view(), indices.view());
    edge_buffers<T> ordered(exec, count);
    for_each(exec, count, copy_indexed_edge<T>{edges, indices.data(), ordered.view()});
    return ordered;
}

} // namespace analytics

template <executor Executor, class T>
b_matching_result<T> b_matching(Executor const& exec, csr_view<T> a, array_view<std::int32_t const> capacities) {
    using namespace analytics;
    require_square(a, "b_matching");
    std::int64_t const n = a.rows();
    require_size("capacities of b_matching", capacities, n);
    if (std::int64_t const bad = reduce(exec, n, std::int64_t{0}, is_below_zero{capacities.data()}, plus{}); bad > 0)
        throw argument_error("b_matching: " + std::to_string(bad) + " capacities are below 0");
    auto ordered = edges_in_order(exec, a);
    edge_list<T> const edges = ordered.view();
    std::int64_t const count = ordered.low.size();
    buffer<vertex_id> ends(exec, 2 * count);
    buffer<std::int32_t> incident(exec, 2 * count), offsets(exec, n + 1), words(exec, 4 * n);
    for_each(exec, count, store_ends<T>{edges, ends.data(), incident.data()});
    sort_by_key(exec, ends.view(), incident.view());
    for_each(exec, n + 1, first_end{ends.data(), 2 * count, offsets.data()});
    buffer<std::uint64_t> bids(exec, (count + 31) / 32);
    fill(exec, bids.view(), 0);

    graph_view rows;
    rows.vertices = vertex_id(n);
    rows.edge_count = vertex_id(2 * count);
    rows.offsets = offsets.data();
    rows.neighbors = incident.data();
    worklists<3> lists(exec, n);
    worklist *const bidders = lists[0], *const again = lists[1], *const full = lists[2];
    auto state = placed(exec, bidding_state{});
    auto* const w = words.data();
    bidding const x{rows,  edges.low, edges.high, capacities.data(), w,
                    w + n, w + 2 * n, w + 3 * n,  bids.data(),       state.data()};
    for_each(exec, n, begin_bidding{x, bidders});
    if (n > 0)
        rounds<Executor>(exec).run(&state.data()->loop, item_step{nullptr, bidders, into(full), bid{x}},
                                   edge_step{nullptr, full, rows, into(again), refuse_bid{x}},
                                   single_step{next_bids{bidders, again, full, state.data()}});

    b_matching_result<T> result;
    edge_buffers<T> chosen(exec, count);
    std::int64_t const found =
        select(exec, count, has_both_bids{bids.data()}, copy_selected_edge<T>{edges, chosen.view()});
    result.from = copy_of(exec, chosen.low.view().slice(0, found));
    result.to = copy_of(exec, chosen.high.view().slice(0, found));
    result.weights = copy_of(exec, chosen.weight.view().slice(0, found));
    result.weight = reduce(exec, found, 0.0, value_as_double<T>{chosen.weight.data()}, plus{});
    double const all = reduce(exec, count, 0.0, value_as_double<T>{edges.weight}, plus{});
    result.weight_coverage = all > 0 ? result.weight / all : 0;
    result.rounds = exec.load(state.data()).round;
    return result;
}
template <executor Executor, class T>
b_matching_result<T> b_matching(Executor const& exec, csr_view<T> a, std::int32_t capacity) {
    require_square(a, "b_matching");
    if (capacity < 0)
        throw argument_error("b_matching: the capacity is " + std::to_string(capacity) + ", expected 0 or more");
    buffer<std::int32_t> capacities(exec, a.rows());
    fill(exec, capacities.view(), capacity);
    return b_matching(exec, a, array_view<std::int32_t const>(capacities.view()));
}

#define COPPICE_B_MATCHING(EXTERN, EXECUTOR, T)                                                                        \
    EXTERN template b_matching_result<T> b_matching(EXECUTOR const&, csr_view<T>, array_view<std::int32_t const>);     \
    EXTERN template b_matching_result<T> b_matching(EXECUTOR const&, csr_view<T>, std::int32_t)
COPPICE_B_MATCHING(extern, host_executor, float);
COPPICE_B_MATCHING(extern, host_executor, double);
COPPICE_B_MATCHING(extern, cuda_executor, float);
COPPICE_B_MATCHING(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
