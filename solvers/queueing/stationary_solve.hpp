// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Stationary distributions for all executors; instantiated in hbisa.cpp and hbisa.cu.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/solvers/queueing/hbisa_lane.hpp>
#include <coppice/solvers/queueing/stationary.hpp>
#include <coppice/solvers/queueing/stationary_lane.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// The index of a state if its rates are not those of a generator, otherwise the number of states.
template <class T>
struct wrong_state {
    csr_view<T> q; ///< transpose of A
    double precision;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        double sum = 0, diagonal = 0;
        bool wrong = false;
        for (auto k = q.offsets[i]; k < q.offsets[i + 1]; ++k) {
            double const value = q.coefficients[k];
            sum += value;
            if (q.indices[k] == i)
                diagonal += value;
            else
                wrong |= value > 0;
        }
        double const size = sum < 0 ? -sum : sum;
        return wrong || !(diagonal > 0) || !(size <= precision * diagonal) ? i : std::int64_t(q.rows());
    }
};
/// Throws matrix_error for the first state whose rates are not those of a generator; `q` is the transpose of A.
template <executor Executor, class T>
void require_generator(Executor const& exec, csr_view<T> q) {
    double const precision = std::sqrt(double(std::numeric_limits<T>::epsilon()));
    std::int64_t const n = q.rows();
    std::int64_t const state = reduce(exec, n, n, wrong_state<T>{q, precision}, smaller{});
    if (state < n)
        throw matrix_error("column " + std::to_string(state) +
                           " is not that of a Markov chain: expected a positive diagonal entry, no positive "
                           "off-diagonal entry, and a sum of zero");
}

/// Hybrid storage with more than one block, since aggregation needs several.
template <executor Executor, class T>
block_hybrid<T> chain_storage(Executor const& exec, csr_view<T> a, std::int64_t block) {
    auto one = to_block_hybrid(exec, a, {.block = block, .max_bands = 1});
    return one.blocks() > 1 ? std::move(one) : to_block_hybrid(exec, a, {.block = 1});
}

/// Residual and scale of row i, relative to the mass of its block.
template <class T>
struct store_chain_residual {
    block_hybrid_view<T> a;
    chain_masses<T> x;
    double *residual, *scale;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const j = i / a.block;
        residual[i] = double(a.block_product(i, x.within)) -
                      inflow(a, x.within, i, bounded_exp(x.log_below(j)), bounded_exp(x.log_above(j)));
        scale[i] = double(a.bands[a.lower_bands * a.padded_rows() + i]) * double(x.within[i]);
    }
};
template <class T>
struct store_probability {
    unscaled_probability<T> of;
    double sum;
    array_view<T> x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] = T(of(i) / sum); }
};

/// Vectors and steps of an iteration.
template <executor Executor, class T>
class stationary_iteration {
public:
    stationary_iteration(Executor const& exec, block_hybrid_view<T> a, csr_view<T> transposed)
        : exec_(exec), a_(a), within_(exec, a.rows()), log_ratio_(exec, a.blocks), worst_(exec, a.blocks),
          from_below_(exec, a.blocks), from_above_(exec, a.blocks), exits_(exec, a.rows()), pivots_(exec, a.rows()),
          y_(exec, a.rows()) {
        for_each(exec_, a_.rows(), store_exit<T>{transposed, a_.block, exits_.data()});
        for_each(exec_, a_.rows(), uniform_within<T>{a_.rows(), a_.block, within_.data()});
        balance();
    }
    /// First block without transitions to other blocks; -1 if there is none. Waits for the device.
    std::int64_t closed_block() {
        for_each(exec_, a_.blocks, sum_of_block{a_.rows(), a_.block, exits_.data(), worst_.data()});
        std::int64_t const none = a_.blocks;
        std::int64_t const block = reduce(exec_, none, none, index_of_zero{worst_.data(), none}, smaller{});
        return block < none ? block : -1;
    }

    /// Evaluates the stopping test, then executes one iteration.
    void run(stationary_state* state, double tolerance, std::int64_t limit) {
        for_each(exec_, a_.rows(), store_chain_residual<T>{a_, masses(), y_.data(), pivots_.data()});
        for_each(exec_, a_.blocks, block_residual{a_.rows(), a_.block, y_.data(), pivots_.data(), worst_.data()});
        for_each(exec_, 1, decide_chain{a_.blocks, worst_.data(), tolerance, limit, state});
        for (std::int64_t const first : {0, 1})
            for_each(exec_, (a_.blocks - first + 1) / 2,
                     solve_chain_block<T>{a_, first, 2, exits_.data(), pivots_.data(), y_.data(), log_ratio_.data(),
                                          within_.data()});
        balance();
    }
    void store(array_view<T> x) {
        double* const log_mass = worst_.data();
        for_each(exec_, 1, add_ratios{a_.blocks, log_ratio_.data(), log_mass});
        double const largest =
            reduce(exec_, a_.blocks, -std::numeric_limits<double>::infinity(), log_mass_of{log_mass}, maximum{});
        unscaled_probability<T> const of{within_.data(), log_mass, a_.block, largest};
        double const sum = reduce(exec_, a_.rows(), 0.0, of, plus{});
        for_each(exec_, a_.rows(), store_probability<T>{of, sum, x});
    }

private:
    chain_masses<T> masses() const { return {within_.data(), log_ratio_.data(), a_.blocks}; }
    void balance() {
        for_each(exec_, a_.blocks, block_flows<T>{a_, within_.data(), from_below_.data(), from_above_.data()});
        for_each(exec_, a_.blocks, balance_block{from_below_.data(), from_above_.data(), log_ratio_.data()});
    }

    Executor exec_;
    block_hybrid_view<T> a_;
    buffer<T> within_;
    buffer<double> log_ratio_, worst_, from_below_, from_above_, exits_;
    buffer<double> pivots_, y_; ///< for a sweep; between sweeps they hold residuals and their scales
};

} // namespace detail

template <executor Executor, class T>
stationary_result stationary_distribution(Executor const& exec, csr_view<T> a, array_view<T> x,
                                          stationary_options const& options) {
    require_size("length of the distribution x", x, a.rows());
    if (!(options.tolerance >= 0) || std::isinf(options.tolerance))
        throw argument_error("tolerance is " + coppice::detail::number_text(options.tolerance) +
                             ", expected a number >= 0");
    if (options.max_iterations < 0)
        throw argument_error("max_iterations is " + std::to_string(options.max_iterations) + ", expected >= 0");
    stationary_result result{.converged = true, .reason = stationary_reason::converged};
    require_square(a, "a Markov chain");
    if (a.rows() == 1) fill(exec, x, T(1));
    if (a.rows() <= 1) return result;
    detail::require_finite(exec, a);
    auto const transposed = transpose(exec, a);
    detail::require_generator(exec, transposed.view());
    auto const matrix = detail::chain_storage(exec, a, options.block);
    detail::stationary_iteration<Executor, T> iteration(exec, matrix.view(), transposed.view());
    if (std::int64_t const block = iteration.closed_block(); block >= 0)
        throw matrix_error("block " + std::to_string(block) + " of " + std::to_string(matrix.block()) +
                           " states is never left: the chain is not irreducible");

    double const tolerance = std::max(options.tolerance, 16 * double(std::numeric_limits<T>::epsilon()));
    detail::stationary_state first;
    first.loop.on = 1;
    buffer<detail::stationary_state> state(exec, 1);
    exec.copy_elements(&first, state.data(), 1);
    repetition<Executor> repeat(exec);
    repeat.run(&state.data()->loop, {.replayable = true},
               [&] { iteration.run(state.data(), tolerance, options.max_iterations); }, {});
    iteration.store(x);
    auto const end = exec.load(state.data());
    constexpr stationary_reason reasons[] = {stationary_reason::max_iterations, stationary_reason::converged,
                                             stationary_reason::max_iterations, stationary_reason::stagnated,
                                             stationary_reason::not_finite};
    result.iterations = end.iterations;
    result.residual = end.residual;
    result.reason = reasons[int(end.end)];
    result.converged = result.reason == stationary_reason::converged;
    return result;
}

#define COPPICE_STATIONARY(EXECUTOR, T)                                                                                \
    template stationary_result stationary_distribution(EXECUTOR const&, csr_view<T>, array_view<T>,                    \
                                                       stationary_options const&);

} // namespace coppice::inline v0_1
