// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel [0, n]-factor (algorithm 8): in each round vertices propose edges along their rows; mutual proposals are
/// confirmed.
#pragma once

#include <algorithm>

#include <coppice/graph/factor/factor_result.hpp>
#include <coppice/graph/factor/greedy_factor.hpp>
#include <coppice/graph/factor/proposal_rounds.hpp>
#include <coppice/graph/scan/single_rank_graph.hpp>

namespace coppice::inline v0_1 {

/// Computes a [0, n]-factor of the undirected graph whose edges {i, j} have the weights |weights(i, j)|, with
/// preference for heavy edges.
///
/// `weights` is square, in the memory of `exec`, without duplicate entries, and should be symmetric, as from
/// symmetrised_weights() in algebra/operations.hpp. Diagonal entries and zeros are no edges. If it is not symmetric,
/// the edges stored in both directions are used, and each end reads the weight in its own row.
///
/// The factor depends on weights and options only: it is the same for every executor and any number of threads. (The
/// sums `weight` and `total_weight` have the same bits on one kind of executor.) Without charges (charge_below = 0,
/// rounds = 0 or none) it is the greedy factor of the same tie rule. Waits for the device after rounds without charges
/// and at the end.
///
/// Throws argument_error for options out of range, dimension_error for a matrix that is not square, matrix_error for
/// weights that are NaN or infinite.
template <executor Executor, class T, class I, class O>
graph_factor<I> parallel_factor(Executor const& exec, csr_view<T, I, O> weights, factor_options const& options = {});

namespace graph_detail {

/// Decides the number of rounds and in which of them vertices are charged (see `charging`).
///
/// If `rounds` is not given, rounds are without charges as long as those done and the expected ones cost no more than
/// `affordable_rounds`; then four rounds with charges follow, and rounds without charges until they add few edges.
class round_schedule {
public:
    /// `full_cost`: cost of a round in which all rows are searched, in the units of proposal_rounds.
    round_schedule(factor_options const& options, double full_cost)
        : options_(options), full_cost_(full_cost), last_cost_(full_cost), charges_(options.rounds.has_value()) {}

    bool continues(int rounds_done) const {
        if (options_.rounds) return *options_.rounds == 0 || rounds_done < *options_.rounds;
        return grows_ || !has_charged(rounds_done);
    }
    /// Whether the host reads the totals of the round. Additional rounds do nothing, so that later checks can be rare.
    bool inspects(int round) const { return options_.rounds || round < 4 || round % 4 == 3; }
    charging of_round(int round) {
        if ((round - first_) % options_.charge_period == options_.charge_offset || has_charged(round))
            charging_ = false;
        return {charges_ && charging_, static_cast<std::uint64_t>(round), options_.seed,
                static_cast<std::uint64_t>(options_.charge_probability * 4294967296.0)};
    }
    /// Updates the schedule with the totals of an uncharged round. `next_cost`: upper bound of the cost of another
    /// round; `edges()`: number of edges of the factor.
    template <class Edges>
    void update(int rounds_done, round_total const& total, double next_cost, Edges const& edges) {
        charging_ = double(total.confirmed) < options_.charge_below * double(total.proposed);
        if (options_.rounds || options_.charge_below == 0) return;
        if (charges_) {
            // An edge is confirmed at both ends.
            if (has_charged(rounds_done)) grows_ = double(total.confirmed) >= min_growth * 2 * double(edges());
            return;
        }
        spent_ += (rounds_done - inspected_) * (last_cost_ + next_cost) / 2;
        last_cost_ = next_cost;
        inspected_ = rounds_done;
        if (spent_ + expected_cost(total, next_cost) <= affordable_rounds * full_cost_) return;
        charges_ = charging_ = true;
        first_ = rounds_done - 1; // the round just done was the first one
    }

private:
    /// Cost of the remaining uncharged rounds at the rate of this one: the part that it decides of the proposals, by
    /// confirmation, or of the rows, which lost candidates that became full (all spokes of a hub in one round). Since
    /// both decrease, a round costs half of `next_cost` on average.
    double expected_cost(round_total const& total, double next_cost) const {
        double const decided =
            std::max(double(total.confirmed) / double(total.proposed), double(total.searched) / full_cost_);
        return next_cost / 2 / decided;
    }
    /// Whether the rounds with charges are over.
    bool has_charged(int rounds_done) const {
        return !options_.rounds && charges_ && rounds_done - first_ >= charged_rounds;
    }

    static constexpr double affordable_rounds = 8; // in rounds at full cost; five rounds with charges cost nearly five
    static constexpr int charged_rounds = 5;
    static constexpr double min_growth = 0.01; // of the edges, by the last round after those with charges

    factor_options options_;
    double full_cost_;
    double last_cost_;     ///< `next_cost` of the last inspected round
    double spent_ = 0;     ///< cost of the rounds up to the last inspected one
    int inspected_ = 0;    ///< rounds up to the last inspected one
    bool charges_;         ///< charges are allowed from now on
    bool charging_ = true; ///< true before the first round without charges
    bool grows_ = true;    ///< the last round added enough edges
    int first_ = 0;        ///< first round of the schedule with charges
};

/// Algorithm 8 for n = N; neighbours are global indices.
template <int N, class Rank, class T, class I, class O>
graph_factor<I> factor_of_degree(Rank const& rank, csr_view<T, I, O> weights, factor_options const& options) {
    auto const& exec = rank.exec();
    graph_factor<I> f;
    f.degree = N;
    f.vertices = weights.rows();
    f.order = {options.ties, options.seed};
    f.neighbors = buffer<I>(exec, N * std::int64_t(weights.rows()));
    fill(exec, f.neighbors.view(), I(-1));
    auto const plan = make_srcsr_plan(exec, weights);
    proposal_rounds<N, T, I, O, Rank> rounds(rank, plan, weights, f);
    round_schedule schedule(options, rounds.next_cost());
    while (schedule.continues(f.rounds)) {
        auto const total = rounds.run(schedule.of_round(f.rounds), schedule.inspects(f.rounds));
        ++f.rounds;
        if (!total) continue;
        f.maximal = total->proposed == 0;
        // later rounds would be the same; the factor may not be maximal if the weights are not symmetric
        if (total->confirmed == 0) break;
        schedule.update(f.rounds, *total, rounds.next_cost(), [&] { return rounds.edges(); });
    }
    f.edges = rounds.edges();
    weigh_factor(rank, weights, plan, f);
    return f;
}
template <class Rank, class T, class I, class O>
graph_factor<I> factor_at(Rank const& rank, csr_view<T, I, O> weights, factor_options const& options) {
    switch (options.degree) {
    case 1:
        return factor_of_degree<1>(rank, weights, options);
    case 2:
        return factor_of_degree<2>(rank, weights, options);
    case 3:
        return factor_of_degree<3>(rank, weights, options);
    default:
        return factor_of_degree<4>(rank, weights, options);
    }
}

} // namespace graph_detail

template <executor Executor, class T, class I, class O>
graph_factor<I> parallel_factor(Executor const& exec, csr_view<T, I, O> weights, factor_options const& options) {
    graph_detail::check_factor_options(options);
    require_square(weights, "parallel_factor");
    return graph_detail::factor_at(graph_detail::single_rank_graph<Executor, I>(exec), weights, options);
}

#define COPPICE_PARALLEL_FACTOR(EXTERN, EXECUTOR, T, I)                                                                \
    EXTERN template graph_factor<I> parallel_factor(EXECUTOR const&, csr_view<T, I>, factor_options const&)
COPPICE_PARALLEL_FACTOR(extern, host_executor, float, std::int32_t);
COPPICE_PARALLEL_FACTOR(extern, host_executor, double, std::int32_t);
COPPICE_PARALLEL_FACTOR(extern, cuda_executor, float, std::int32_t);
COPPICE_PARALLEL_FACTOR(extern, cuda_executor, double, std::int32_t);

} // namespace coppice::inline v0_1
