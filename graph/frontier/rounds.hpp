// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds of visits that follow each other until a loop ends: levels of a search, rounds of relaxation.
///
///     rounds<Executor> r(exec);
///     r.run(loop, edge_step{gate, in, g, outs, f}, ..., single_step{f});
///
/// is while (loop->on) { every step, in order }: visit_edges, visit_items and for_each(exec, 1, f). The last step is a
/// single one, and single steps alone close gates, change lists and stop the loop. On CUDA, rounds of few vertices are
/// done many at a time by one kernel, whose blocks wait for each other: on a grid or a road network a launch for each
/// step takes longer than its work. On CUDA run() returns when the loop is queued; what it works with outlives `r`,
/// which may run the same steps again.
#pragma once

#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::analytics {

template <int N, class F>
struct edge_step {
    int const* gate; ///< null: none
    worklist const* in;
    graph_view g;
    outputs<N> outs;
    F f;
};
template <int N, class F>
struct item_step {
    int const* gate;
    worklist const* in;
    outputs<N> outs;
    F f;
    bool opens_late = false; ///< its gate may be opened within a round: no round is small then while its list is long
};
template <class F>
struct single_step {
    F f;
};
template <int N, class F>
edge_step(int const*, worklist const*, graph_view, outputs<N>, F) -> edge_step<N, F>;
template <int N, class F>
item_step(int const*, worklist const*, outputs<N>, F) -> item_step<N, F>;
template <int N, class F>
item_step(int const*, worklist const*, outputs<N>, F, bool) -> item_step<N, F>;
template <class F>
single_step(F) -> single_step<F>;

template <executor Executor, int N, class F>
void run_step(Executor const& exec, edge_step<N, F> const& s) {
    visit_edges(exec, s.gate, s.in, s.g, s.outs, s.f);
}
template <executor Executor, int N, class F>
void run_step(Executor const& exec, item_step<N, F> const& s) {
    visit_items(exec, s.gate, s.in, s.outs, s.f);
}
template <executor Executor, class F>
void run_step(Executor const& exec, single_step<F> const& s) {
    for_each(exec, 1, s.f);
}

/// Threads of the host need no launches.
template <class... Steps>
void run_small_rounds(host_executor const&, loop_switch const*, Steps const&...) {}

template <executor Executor>
class rounds {
public:
    explicit rounds(Executor const& exec) : exec_(exec), repeat_(exec) {}

    template <class... Steps>
    void run(loop_switch* loop, Steps const&... steps) {
        auto const body = [&] {
            (run_step(exec_, steps), ...);
            run_small_rounds(exec_, loop, steps...);
        };
        repeat_.run(loop, {.replayable = true}, body, nullptr);
    }

private:
    Executor exec_;
    repetition<Executor> repeat_;
};

} // namespace coppice::analytics

#if defined(__CUDACC__)
#include <coppice/graph/frontier/rounds_cuda.cuh>
#endif
