// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Synchronous push-relabel on a network that stores the reverse of every edge; max_flow.hpp describes it.
#pragma once

#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

/// An edge of a network and its reverse exist both; capacities may be 0.
struct flow_arrays {
    graph_view g;
    std::int32_t const* reverse; ///< position of the reverse edge
    double* residual;
    double* pushed; ///< of this round
    double* excess;
    std::int32_t* heights;
    std::int32_t* next_heights;
    std::int32_t* queued; ///< number of the round for which the vertex is queued
    vertex_id source, sink;
    COPPICE_HD bool is_active(vertex_id v) const { return v != source && v != sink && excess[v] > 0; }
};
struct flow_state {
    loop_switch loop{1};
    std::int32_t round = 0;    ///< lists of this round hold each vertex once
    std::int64_t rounds = 0;   ///< of all loops
    std::int64_t steps = 0;    ///< since heights were computed
    std::int32_t distance = 0; ///< of a search
};

struct find_reverse {
    graph_view g;
    std::int32_t* reverse;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        reverse[k] = position_of_edge(g, g.neighbors[k], u);
    }
};
template <class T>
COPPICE_HD double limited_capacity(T capacity, double limit) {
    return double(capacity) < limit ? double(capacity) : limit;
}
template <class T>
struct set_capacity {
    graph_view network, edges;
    T const* capacities;
    double limit;
    double* residual;
    double* pushed;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        vertex_id const v = network.neighbors[k];
        std::int32_t const at = u == v ? -1 : position_of_edge(edges, u, v);
        residual[k] = at < 0 ? 0.0 : limited_capacity(capacities[at], limit);
        pushed[k] = 0;
    }
};
/// Flow of the edges of the given graph: what an edge has lost, unless its reverse lost it.
template <class T>
struct store_flow {
    graph_view network, edges;
    T const* capacities;
    double limit;
    double const* residual;
    double* flows;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        double const left = residual[position_of_edge(network, u, edges.neighbors[k])];
        double const flow = limited_capacity(capacities[k], limit) - left;
        flows[k] = u != edges.neighbors[k] && flow > 0 ? flow : 0.0;
    }
};

/// Pushes all capacities of the edges of the source.
struct push_from_source {
    flow_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id, std::int32_t k) const {
        vertex_id const v = x.g.neighbors[k];
        if (!(x.residual[k] > 0)) return;
        x.excess[v] = x.residual[k]; // each neighbour has one edge from the source
        x.residual[x.reverse[k]] += x.residual[k];
        x.residual[k] = 0;
    }
};
/// Pushes the excess of a vertex downwards, in the order of its row; lists the receivers.
struct push_excess {
    flow_arrays x;
    flow_state const* state;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u) const {
        std::int32_t const below = x.heights[u] - 1;
        double left = x.excess[u];
        for (auto k = x.g.offsets[u], end = x.g.offsets[u + 1]; k < end && left > 0; ++k) {
            vertex_id const v = x.g.neighbors[k];
            double const room = x.residual[k];
            if (!(room > 0) || x.heights[v] != below) continue;
            double const flow = room < left ? room : left;
            x.residual[k] = room - flow;
            x.pushed[k] = flow;
            left -= flow;
            if (worker.exchange(x.queued + v, state->round) != state->round) worker.emit(v);
        }
        x.excess[u] = left;
    }
};
/// Adds what was pushed to a vertex. Heights of the round before are those of all pushes, so that an edge and its
/// reverse do not push in one round.
struct receive_flow {
    using value = double;
    flow_arrays x;
    COPPICE_HD double term(vertex_id, std::int32_t k) const {
        double& pushed = x.pushed[x.reverse[k]];
        double const flow = pushed;
        if (flow > 0) {
            x.residual[k] += flow;
            pushed = 0;
        }
        return flow;
    }
    COPPICE_HD void store(vertex_id v, double sum) const { x.excess[v] += sum; }
};
/// Lifts an active vertex just above its lowest neighbour of the residual graph. Excess that rounding left without such
/// a neighbour is dropped.
struct find_height {
    flow_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u) const {
        std::int32_t const none = 0x7fffffff;
        x.next_heights[u] = x.heights[u];
        if (!x.is_active(u)) return;
        std::int32_t lowest = none;
        for (auto k = x.g.offsets[u], end = x.g.offsets[u + 1]; k < end; ++k)
            if (x.residual[k] > 0 && x.heights[x.g.neighbors[k]] < lowest) lowest = x.heights[x.g.neighbors[k]];
        if (lowest == none)
            x.excess[u] = 0; // not covered: depends on rounding
        else if (lowest >= x.heights[u])
            x.next_heights[u] = lowest + 1;
    }
};
/// Lists each active vertex once for the next round. queued[v] = -round flags the vertices of this list; the receivers
/// of pushes are flagged by +round.
struct list_active {
    flow_arrays x;
    flow_state const* state;
    bool lifts;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (lifts) x.heights[v] = x.next_heights[v];
        if (x.is_active(v) && worker.exchange(x.queued + v, -state->round) != -state->round)
            worker.emit(v, x.g.degree(v));
    }
};
struct end_flow_round {
    worklist* now;
    worklist* next;
    worklist* receivers;
    flow_state* state;
    std::int64_t max_steps;
    COPPICE_HD void operator()(std::int64_t) const {
        state->steps += now->work + now->count;
        swap_and_clear(*now, *next);
        receivers->clear();
        ++state->round;
        ++state->rounds;
        if (now->count == 0 || state->steps > max_steps) state->loop.stop();
    }
};
struct start_flow_rounds {
    flow_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        state->loop.on = 1;
        state->steps = 0;
    }
};

/// Heights by distances in the residual graph, against its edges.
struct start_heights {
    flow_arrays x;
    vertex_id from;
    std::int32_t height;
    worklist* now;
    worklist* next;
    flow_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        x.heights[from] = height;
        now->clear();
        next->clear();
        now->items[now->count++] = from;
        state->loop.on = 1;
        state->distance = height;
    }
};
struct spread_height {
    flow_arrays x;
    flow_state const* state;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id, std::int32_t k) const {
        vertex_id const v = x.g.neighbors[k];
        if (v == x.source || v == x.sink || !(x.residual[x.reverse[k]] > 0) || worker.load(x.heights + v) != -1) return;
        if (worker.claim(x.heights + v, std::int32_t(-1), state->distance + 1)) worker.emit(v);
    }
};
struct end_height_round {
    worklist* now;
    worklist* next;
    flow_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        swap_and_clear(*now, *next);
        ++state->distance;
        if (now->count == 0) state->loop.stop();
    }
};
struct store_reach {
    flow_arrays x;
    std::uint8_t* with_source;
    COPPICE_HD void operator()(std::int64_t v) const { with_source[v] = x.heights[v] == -1 || v == x.source ? 1 : 0; }
};
struct close_heights {
    flow_arrays x;
    COPPICE_HD void operator()(std::int64_t v) const {
        if (x.heights[v] == -1) x.heights[v] = 2 * x.g.vertices; // no excess is there
    }
};

struct next_flow_round {
    flow_state* state;
    COPPICE_HD void operator()(std::int64_t) const { ++state->round; }
};

/// Owns the arrays of a network. Capacities above `limit` are reduced to it.
template <executor Executor>
class push_relabel {
public:
    template <class T>
    push_relabel(Executor const& exec, csr_view<T> network, csr_view<T> edges, vertex_id source, vertex_id sink,
                 double limit)
        : exec_(exec), g_(network), limit_(limit), reverse_(exec, g_.edge_count), residual_(exec, g_.edge_count),
          pushed_(exec, g_.edge_count), excess_(exec, g_.vertices), heights_(exec, g_.vertices),
          next_heights_(exec, g_.vertices), queued_(exec, g_.vertices), lists_(exec, g_.vertices),
          state_(placed(exec, flow_state{})), all_(every_vertex(exec, g_)), rounds_(exec),
          searches_(exec), x_{g_,
                              reverse_.data(),
                              residual_.data(),
                              pushed_.data(),
                              excess_.data(),
                              heights_.data(),
                              next_heights_.data(),
                              queued_.data(),
                              source,
                              sink} {
        edge_map(exec, nullptr, all_.data(), g_, nothing(), find_reverse{g_, reverse_.data()});
        edge_map(exec, nullptr, all_.data(), g_, nothing(),
                 set_capacity<T>{g_, graph_view(edges), edges.coefficients, limit, residual_.data(), pushed_.data()});
        fill(exec, excess_.view(), 0.0);
        fill(exec, queued_.view(), 0);
    }

    /// Pushes until no excess is left except at source and sink.
    std::int64_t run() {
        worklist *const now = lists_[0], *const next = lists_[1], *const receivers = lists_[2];
        flow_state* const state = state_.data();
        for_each(exec_, 1, start_heights{x_, x_.source, 0, now, next, state});
        edge_map(exec_, nullptr, now, g_, nothing(), push_from_source{x_});
        std::int64_t const max_steps = 4 * (std::int64_t(g_.vertices) + g_.edge_count);
        for (;;) {
            set_heights(nullptr);
            list_all_active(now);
            for_each(exec_, 1, start_flow_rounds{state});
            rounds_.run(
                &state->loop, {.replayable = true},
                [&] {
                    vertex_map(exec_, nullptr, now, into(receivers), push_excess{x_, state});
                    edge_sum(exec_, nullptr, receivers, g_, receive_flow{x_});
                    vertex_map(exec_, nullptr, now, nothing(), find_height{x_});
                    vertex_map(exec_, nullptr, now, into(next), list_active{x_, state, true});
                    vertex_map(exec_, nullptr, receivers, into(next), list_active{x_, state, false});
                    for_each(exec_, 1, end_flow_round{now, next, receivers, state, max_steps});
                },
                nullptr);
            if (exec_.load(now).count == 0) return exec_.load(state).rounds;
        }
    }
    /// Sets heights to the distances to the sink, or, if there is no path, to the source plus n. After the search from
    /// the sink, stores the sides of the cut if there is an array.
    void set_heights(std::uint8_t* with_source) {
        fill(exec_, heights_.view(), -1);
        search(x_.sink, 0);
        if (with_source) for_each(exec_, g_.vertices, store_reach{x_, with_source});
        search(x_.source, g_.vertices);
        for_each(exec_, g_.vertices, close_heights{x_});
    }
    template <class T>
    void store_flows(csr_view<T> edges, double* flows) const {
        edge_map(exec_, nullptr, all_.data(), graph_view(edges), nothing(),
                 store_flow<T>{g_, graph_view(edges), edges.coefficients, limit_, residual_.data(), flows});
    }
    double received() const { return exec_.load(excess_.data() + x_.sink); }

private:
    void search(vertex_id from, std::int32_t height) {
        worklist *const now = lists_[0], *const next = lists_[1];
        flow_state* const state = state_.data();
        for_each(exec_, 1, start_heights{x_, from, height, now, next, state});
        searches_.run(
            &state->loop, {.replayable = true},
            [&] {
                edge_map(exec_, nullptr, now, g_, into(next), spread_height{x_, state});
                for_each(exec_, 1, end_height_round{now, next, state});
            },
            nullptr);
    }
    void list_all_active(worklist* now) {
        for (int k = 0; k < 3; ++k) for_each(exec_, 1, clear_set{lists_[k]});
        for_each(exec_, 1, next_flow_round{state_.data()});
        vertex_map(exec_, nullptr, all_.data(), into(now), list_active{x_, state_.data(), false});
        for_each(exec_, 1, next_flow_round{state_.data()});
    }
    Executor exec_;
    graph_view g_;
    double limit_;
    buffer<std::int32_t> reverse_;
    buffer<double> residual_, pushed_, excess_;
    buffer<std::int32_t> heights_, next_heights_, queued_;
    worklists<3> lists_;
    buffer<flow_state> state_;
    buffer<worklist> all_;
    repetition<Executor> rounds_, searches_;
    flow_arrays x_;
};

} // namespace coppice::inline v0_1::analytics
