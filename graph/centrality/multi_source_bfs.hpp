// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Breadth-first search from 64 sources simultaneously, one bit per source.
#pragma once

#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

struct reach_state {
    loop_switch loop{1};
    std::int32_t depth = 0;
};
struct reach_arrays {
    std::uint64_t* seen;
    std::uint64_t* fresh;    ///< bits that are new in this level
    std::uint64_t* arriving; ///< bits that are new in the next level
    reach_state* state;
};

struct begin_reach {
    reach_arrays x;
    COPPICE_HD void operator()(std::int64_t v) const { x.seen[v] = x.fresh[v] = x.arriving[v] = 0; }
};
struct begin_sources {
    reach_arrays x;
    vertex_id const* sources;
    int count;
    worklist* now;
    worklist* next;
    COPPICE_HD void operator()(std::int64_t) const {
        *x.state = {};
        x.state->loop.on = 1;
        now->clear();
        next->clear();
        for (int s = 0; s < count; ++s) {
            if (x.seen[sources[s]] == 0) now->items[now->count++] = sources[s];
            x.seen[sources[s]] |= std::uint64_t(1) << s;
            x.fresh[sources[s]] = x.seen[sources[s]];
        }
    }
};
struct pass_bits {
    graph_view g;
    reach_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        std::uint64_t const bits = x.fresh[u] & ~x.seen[v];
        if ((bits & ~worker.load(x.arriving + v)) == 0) return;
        if (worker.set_bits(x.arriving + v, bits) == 0) worker.emit(v);
    }
};
template <class Arrive>
struct take_bits {
    reach_arrays x;
    Arrive arrive;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id v) const {
        std::uint64_t const bits = x.arriving[v];
        x.arriving[v] = 0;
        x.fresh[v] = bits;
        x.seen[v] |= bits;
        arrive(v, bits, x.state->depth + 1);
    }
};
struct next_depth {
    worklist* now;
    worklist* next;
    reach_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        swap_and_clear(*now, *next);
        ++state->depth;
        if (now->count == 0) state->loop.stop();
    }
};

/// Multi-source search with its arrays: 32 bytes per vertex.
template <executor Executor>
class reach_search {
public:
    static constexpr int sources_together = 64;

    reach_search(Executor const& exec, graph_view g)
        : exec_(exec), g_(g), bits_(exec, 3 * std::int64_t(g.vertices)), lists_(exec, g.vertices),
          state_(placed(exec, reach_state{})), repeat_(exec) {}

    /// Calls arrive(v, bits, depth) once for every vertex v and depth > 0 such that the sources in `bits` reach v first
    /// at this depth. `sources` are at most 64, in the memory of the executor. Every call passes the same `arrive`.
    template <class Arrive>
    void run(vertex_id const* sources, int count, Arrive const& arrive) {
        std::int64_t const n = g_.vertices;
        reach_arrays const x{bits_.data(), bits_.data() + n, bits_.data() + 2 * n, state_.data()};
        worklist *const now = lists_[0], *const next = lists_[1];
        for_each(exec_, n, begin_reach{x});
        for_each(exec_, 1, begin_sources{x, sources, count, now, next});
        repeat_.run(
            &x.state->loop, {.replayable = true},
            [&] {
                edge_map(exec_, nullptr, now, g_, into(next), pass_bits{g_, x});
                vertex_map(exec_, nullptr, next, nothing(), take_bits<Arrive>{x, arrive});
                for_each(exec_, 1, next_depth{now, next, x.state});
            },
            nullptr);
    }

private:
    Executor exec_;
    graph_view g_;
    buffer<std::uint64_t> bits_;
    worklists<2> lists_;
    buffer<reach_state> state_;
    repetition<Executor> repeat_;
};

} // namespace coppice::inline v0_1::analytics
