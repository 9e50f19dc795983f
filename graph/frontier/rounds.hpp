// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds of maps that are repeated until a loop ends: levels of a search, rounds of relaxation.
///
///     rounds<Executor> r(exec);
///     r.run(loop, edge_step{predicate, in, g, outs, f}, ..., single_step{f});
///
/// executes while (loop->on) { every step, in order }, where a step is edge_map, vertex_map, bitmap_map or
/// for_each(exec, 1, f).
/// The last step is a single step. Only single steps change device predicates and lists and stop the loop. On CUDA, one
/// kernel, whose blocks synchronise with each other, executes many small rounds: on a grid or a road network the launch
/// of a step takes longer than its work. On CUDA run() returns when the loop is queued. The data of the steps must
/// outlive the loop; the object `r` need not. The same steps can be run again.
#pragma once

#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

template <int N, class F>
struct edge_step {
    int const* predicate; ///< null: none
    worklist const* in;
    graph_view g;
    outputs<N> outs;
    F f;
};
template <int N, class F>
struct item_step {
    int const* predicate;
    worklist const* in;
    outputs<N> outs;
    F f;
    /// Set for a step whose predicate may become true within a round: a round is then small only if the list of this
    /// step is short, too.
    bool opens_late = false;
};
template <class F>
struct bitmap_step {
    int const* predicate;
    worklist const* in; ///< all vertices
    bitmap* out;
    F f;
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
bitmap_step(int const*, worklist const*, bitmap*, F) -> bitmap_step<F>;
template <class F>
single_step(F) -> single_step<F>;

template <executor Executor, int N, class F>
void run_step(Executor const& exec, edge_step<N, F> const& s) {
    edge_map(exec, s.predicate, s.in, s.g, s.outs, s.f);
}
template <executor Executor, int N, class F>
void run_step(Executor const& exec, item_step<N, F> const& s) {
    vertex_map(exec, s.predicate, s.in, s.outs, s.f);
}
template <executor Executor, class F>
void run_step(Executor const& exec, bitmap_step<F> const& s) {
    bitmap_map(exec, s.predicate, s.in, s.out, s.f);
}
template <executor Executor, class F>
void run_step(Executor const& exec, single_step<F> const& s) {
    for_each(exec, 1, s.f);
}

/// The host needs no fused rounds, since it has no launches.
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

} // namespace coppice::inline v0_1::analytics

#if defined(__CUDACC__)
#include <coppice/graph/frontier/rounds_cuda.cuh>
#endif
