// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel [0, n]-factor (algorithm 8): rounds of proposals along the rows, confirmed where they are mutual.
#pragma once

#include <coppice/graph/factor_result.hpp>
#include <coppice/graph/greedy_factor.hpp>

namespace coppice {

/// A [0, n]-factor of the undirected graph whose edges {i, j} weigh |weights(i, j)|, heavy edges first.
///
/// `weights` is square, in the memory of `exec`, each column at most once in a row, and meant to be symmetric, as
/// symmetrised_weights() in algebra/operations.hpp gives it. Diagonal entries and zeros are no edges. Of a matrix that
/// is not symmetric, edges stored in both directions are used, each end going by its own weight.
///
/// The factor depends on weights and options only: it is the same for every executor and any number of threads. (The
/// sums `weight` and `total_weight` are the same on one executor.) With charge_period = 1 and rounds = 0 it is the
/// greedy factor of the same tie rule. Waits for the device in rounds without charges and at the end.
///
/// Throws argument_error for options out of range, dimension_error for a matrix that is not square, matrix_error for
/// weights that are NaN or infinite.
template <executor Executor, class T, class I, class O>
graph_factor<I> parallel_factor(Executor const& exec, csr_view<T, I, O> weights, factor_options const& options = {});

namespace graph_detail {

/// Gives every vertex its state for a round, from the number of its confirmed edges.
struct set_states {
    vertex_state* states;
    charging rule;
    int capacity;
    COPPICE_HD void operator()(std::int64_t v) const { states[v] = rule.state(v, states[v].degree(), capacity); }
};
struct vertex_degree {
    vertex_state const* states;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return states[v].degree(); }
};
struct vertex_outcome {
    round_outcome<std::uint8_t> const* outcomes;
    COPPICE_HD round_outcome<std::int64_t> operator()(std::int64_t v) const {
        return {outcomes[v].proposed, outcomes[v].confirmed};
    }
};
struct add_outcomes {
    using outcome = round_outcome<std::int64_t>;
    COPPICE_HD outcome operator()(outcome const& a, outcome const& b) const {
        return {a.proposed + b.proposed, a.confirmed + b.confirmed};
    }
};

/// Decides in which rounds vertices are charged.
class charge_schedule {
public:
    explicit charge_schedule(factor_options const& options) : options_(options) {}

    charging of_round(int round) {
        if (round % options_.charge_period == options_.charge_offset) charging_ = false;
        return {charging_, static_cast<std::uint64_t>(round), options_.seed,
                static_cast<std::uint64_t>(options_.charge_probability * 4294967296.0)};
    }
    /// What an uncharged round achieved.
    void heed(round_outcome<std::int64_t> const& outcome) {
        charging_ = double(outcome.confirmed) < options_.charge_below * double(outcome.proposed);
    }

private:
    factor_options options_;
    bool charging_ = true; // before the first round without charges
};

/// Algorithm 8 for n = N.
template <int N, executor Executor, class T, class I, class O>
graph_factor<I> factor_of_degree(Executor const& exec, csr_view<T, I, O> weights, factor_options const& options) {
    std::int64_t const vertices = weights.rows();
    graph_factor<I> f;
    f.degree = N;
    f.vertices = weights.rows();
    f.order = {options.ties, options.seed};
    f.neighbors = buffer<I>(exec, N * vertices);
    fill(exec, f.neighbors.view(), I(-1));
    auto const plan = make_srcsr_plan(exec, weights);
    buffer<I> proposed(exec, N * vertices);
    buffer<vertex_state> states(exec, vertices);
    buffer<round_outcome<std::uint8_t>> outcomes(exec, vertices);
    I* const neighbors = f.neighbors.data();

    fill(exec, states.view(), vertex_state::full(0)); // no edges yet
    charge_schedule schedule(options);
    for (int k = 0; options.rounds == 0 || k < options.rounds; ++k) {
        charging const rule = schedule.of_round(k);
        for_each(exec, vertices, set_states{states.data(), rule, N});
        reduce_rows(
            exec, plan,
            along_nonzeros{offer_candidate<T, I, N>{states.data(), neighbors}, weights.coefficients, weights.indices},
            keep_best<T, I, N>{f.order}, store_proposals<T, I, N>{states.data(), proposed.data()});
        for_each(exec, vertices, confirm_proposals<I, N>{proposed.data(), neighbors, states.data(), outcomes.data()});
        f.rounds = k + 1;
        if (rule.active) continue;
        auto const outcome =
            reduce(exec, vertices, round_outcome<std::int64_t>{0, 0}, vertex_outcome{outcomes.data()}, add_outcomes{});
        f.maximal = outcome.proposed == 0;
        if (outcome.confirmed == 0) break; // later rounds would not differ; can be short of maximal if not symmetric
        schedule.heed(outcome);
    }
    f.edges = reduce(exec, vertices, std::int64_t{0}, vertex_degree{states.data()}, plus{}) / 2;
    weigh_factor(exec, weights, plan, f);
    return f;
}

} // namespace graph_detail

template <executor Executor, class T, class I, class O>
graph_factor<I> parallel_factor(Executor const& exec, csr_view<T, I, O> weights, factor_options const& options) {
    graph_detail::check_factor_options(options);
    graph_detail::require_square(weights, "parallel_factor");
    switch (options.degree) {
    case 1:
        return graph_detail::factor_of_degree<1>(exec, weights, options);
    case 2:
        return graph_detail::factor_of_degree<2>(exec, weights, options);
    case 3:
        return graph_detail::factor_of_degree<3>(exec, weights, options);
    default:
        return graph_detail::factor_of_degree<4>(exec, weights, options);
    }
}

#define COPPICE_PARALLEL_FACTOR(EXTERN, EXECUTOR, T, I)                                                                \
    EXTERN template graph_factor<I> parallel_factor(EXECUTOR const&, csr_view<T, I>, factor_options const&)
COPPICE_PARALLEL_FACTOR(extern, host_executor, float, std::int32_t);
COPPICE_PARALLEL_FACTOR(extern, host_executor, double, std::int32_t);
COPPICE_PARALLEL_FACTOR(extern, cuda_executor, float, std::int32_t);
COPPICE_PARALLEL_FACTOR(extern, cuda_executor, double, std::int32_t);

} // namespace coppice
