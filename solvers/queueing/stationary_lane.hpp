// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operations on one state and one block for stationary distributions.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/core/repeat.hpp>

namespace coppice::inline v0_1::detail {

enum class stationary_end : std::int32_t { none, converged, limit, stagnated, not_finite };

struct stationary_state {
    static constexpr int patience =
        60; ///< consecutive iterations without progress before the iteration counts as stagnated

    loop_switch loop{};
    std::int64_t iterations = 0;
    double residual = 0, best = 0;
    int idle = 0;
    stationary_end end = stationary_end::none;

    COPPICE_HD void decide(double now, double tolerance, std::int64_t limit) {
        bool const gains = iterations == 0 || now < 0.9 * best;
        idle = gains ? 0 : idle + 1;
        if (gains) best = now;
        residual = now;
        if (iterations >= limit) end = stationary_end::limit;
        if (idle >= patience) end = stationary_end::stagnated;
        if (now <= tolerance) end = stationary_end::converged;
        if (now - now != 0) end = stationary_end::not_finite;
        if (end == stationary_end::none)
            ++iterations;
        else
            loop.stop();
    }
};

/// Representation of the distribution: within[i] sums to 1 over each block; log_ratio[j] is the logarithm of the ratio
/// of the masses of blocks j and j - 1. Only neighbours are compared, so no accuracy is lost if masses span thousands
/// of orders of magnitude.
template <class T>
struct chain_masses {
    T const* within;
    double const* log_ratio;
    std::int64_t blocks;

    /// Logarithms of the masses of the neighbours relative to that of block j.
    COPPICE_HD double log_below(std::int64_t j) const { return j > 0 ? -log_ratio[j] : none; }
    COPPICE_HD double log_above(std::int64_t j) const { return j + 1 < blocks ? log_ratio[j + 1] : none; }

    static constexpr double none = -1e6; ///< value for a neighbour that does not exist
};
COPPICE_HD inline double bounded_exp(double x) { return std::exp(x > 600 ? 600.0 : x); }

/// Flow into state i from other blocks, whose masses are `below` and `above`.
template <class T>
COPPICE_HD double inflow(block_hybrid_view<T> const& a, T const* within, std::int64_t i, double below, double above) {
    double sum = 0;
    for (auto k = a.couplings.offsets[i]; k < a.couplings.offsets[i + 1]; ++k) {
        auto const from = a.couplings.indices[k];
        sum -= double(a.couplings.coefficients[k]) * double(within[from]) * (from < i ? below : above);
    }
    return sum;
}

/// Rate of transitions from state i to other blocks; `q` is the transpose of A.
template <class T>
struct store_exit {
    csr_view<T> q;
    std::int64_t block;
    double* exits;
    COPPICE_HD void operator()(std::int64_t i) const {
        double sum = 0;
        for (auto k = q.offsets[i]; k < q.offsets[i + 1]; ++k)
            if (q.indices[k] / block != i / block) sum -= double(q.coefficients[k]);
        exits[i] = sum;
    }
};

/// Solves D_j y = -L_j x_{j-1} - U_j x_{j+1} (Eq. 7 with b = 0) for a tridiagonal block without subtractions
/// (Grassmann, Taksar and Heyman 1985): the pivot of a state is the rate of leaving it for the next state or for
/// another block, if the states before it are censored. So the accuracy does not depend on how rarely the block is
/// left.
template <class T>
struct solve_chain_block {
    block_hybrid_view<T> a;
    std::int64_t first, step; ///< of the blocks
    double const* exits;
    double *pivots, *y; ///< of all states
    double* log_ratio;
    T* within;

    COPPICE_HD void operator()(std::int64_t b) const {
        std::int64_t const j = first + b * step, begin = j * a.block;
        std::int64_t const end = begin + a.block < a.rows() ? begin + a.block : a.rows();
        chain_masses<T> const x{within, log_ratio, a.blocks};
        double const log_below = x.log_below(j), log_above = x.log_above(j);
        double const scale = log_below < log_above ? log_above : log_below;
        double const below = std::exp(log_below - scale), above = std::exp(log_above - scale);
        double leaving = 0; // rate of leaving the block from the previous state, possibly through states before it
        for (std::int64_t i = begin; i < end; ++i) {
            double const passed = i > begin ? 1 / pivots[i - 1] : 0.0;
            leaving = exits[i] + (i > begin ? down(i) * leaving * passed : 0.0);
            pivots[i] = leaving + (i + 1 < end ? up(i) : 0.0);
            y[i] = inflow(a, within, i, below, above) + (i > begin ? up(i - 1) * y[i - 1] * passed : 0.0);
        }
        double sum = 0;
        for (std::int64_t i = end; i-- > begin;) {
            y[i] = (y[i] + (i + 1 < end ? down(i + 1) * y[i + 1] : 0.0)) / pivots[i];
            sum += y[i];
        }
        for (std::int64_t i = begin; i < end; ++i) within[i] = T(y[i] / sum);
        double const gain = scale + std::log(sum); // neighbouring blocks are not solved simultaneously
        if (j > 0) log_ratio[j] += gain;
        if (j + 1 < a.blocks) log_ratio[j + 1] -= gain;
    }

private:
    COPPICE_HD double up(std::int64_t i) const { return -double(a.bands[i + 1]); } ///< rate from i to i + 1
    COPPICE_HD double down(std::int64_t i) const { return -double(a.bands[2 * a.padded_rows() + i - 1]); }
};

/// Flows into a block from the blocks below and above, if each of these had mass 1.
template <class T>
struct block_flows {
    block_hybrid_view<T> a;
    T const* within;
    double *from_below, *from_above;
    COPPICE_HD void operator()(std::int64_t j) const {
        double below = 0, above = 0;
        for (std::int64_t i = j * a.block; i < (j + 1) * a.block && i < a.rows(); ++i)
            for (auto k = a.couplings.offsets[i]; k < a.couplings.offsets[i + 1]; ++k) {
                auto const from = a.couplings.indices[k];
                double const flow = -double(a.couplings.coefficients[k]) * double(within[from]);
                (from < i ? below : above) += flow;
            }
        from_below[j] = below;
        from_above[j] = above;
    }
};
/// Masses of the chain of blocks by detailed balance: the flow from block j - 1 to block j equals the flow back.
struct balance_block {
    double const *from_below, *from_above;
    double* log_ratio;
    COPPICE_HD void operator()(std::int64_t j) const {
        constexpr double smallest = 1e-300;
        double const up = j > 0 ? from_below[j] : 1.0, down = j > 0 ? from_above[j - 1] : 1.0;
        log_ratio[j] =
            std::log(up > smallest || up != up ? up : smallest) - std::log(down > smallest ? down : smallest);
    }
};
/// Computes the logarithm of the probability mass of each block relative to that of the first one.
struct add_ratios {
    std::int64_t blocks;
    double const* log_ratio;
    double* log_mass;
    COPPICE_HD void operator()(std::int64_t) const {
        double sum = 0;
        for (std::int64_t j = 0; j < blocks; ++j) {
            sum += log_ratio[j];
            log_mass[j] = sum;
        }
    }
};

struct block_residual {
    std::int64_t rows, block;
    double const *residuals, *scales;
    double* worst;
    COPPICE_HD void operator()(std::int64_t j) const {
        double error = 0, scale = 0;
        for (std::int64_t i = j * block; i < (j + 1) * block && i < rows; ++i) {
            double const r = residuals[i] < 0 ? -residuals[i] : residuals[i];
            if (!(r <= error)) error = r;
            if (scales[i] > scale) scale = scales[i];
        }
        worst[j] = error / scale;
    }
};
struct decide_chain {
    std::int64_t blocks;
    double const* worst;
    double tolerance;
    std::int64_t limit;
    stationary_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        double residual = 0;
        for (std::int64_t j = 0; j < blocks; ++j)
            if (!(worst[j] <= residual)) residual = worst[j];
        state->decide(residual, tolerance, limit);
    }
};

template <class T>
struct uniform_within {
    std::int64_t rows, block;
    T* within;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const first = i - i % block, left = rows - first;
        within[i] = T(1) / T(left < block ? left : block);
    }
};
template <class T>
struct unscaled_probability {
    T const* within;
    double const* log_mass;
    std::int64_t block;
    double log_largest;
    COPPICE_HD double operator()(std::int64_t i) const {
        return double(within[i]) * std::exp(log_mass[i / block] - log_largest);
    }
};
struct log_mass_of {
    double const* log_mass;
    COPPICE_HD double operator()(std::int64_t j) const { return log_mass[j]; }
};

struct index_of_zero {
    double const* values;
    std::int64_t none;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return values[i] > 0 ? none : i; }
};

} // namespace coppice::inline v0_1::detail
