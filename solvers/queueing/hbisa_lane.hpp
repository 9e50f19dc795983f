// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operations of HBISA sweeps on one row, one block and one system.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/core/repeat.hpp>
#include <coppice/solvers/queueing/block_range.hpp>

namespace coppice::inline v0_1::detail {

/// Why the sweeps over a system ended.
enum class hbisa_end : std::int32_t { none, converged, zero_rhs, limit, stuck, not_finite };

struct hbisa_state {
    static constexpr std::int64_t window = 64; ///< sweeps between two tests for progress
    static constexpr int patience = 2;         ///< consecutive windows without progress before a system counts as stuck

    double b_norm = 0;
    double residual = 0;    ///< relative residual of the current x
    double best = 0;        ///< smallest residual so far, that of the saved x
    double began = 0;       ///< residual of the initial guess
    double reference = 0;   ///< residual one window ago
    double contraction = 0; ///< reduction factor in one sweep, over the last complete window
    std::int64_t iterations = 0;
    int idle = 0;     ///< consecutive windows without progress
    int improved = 0; ///< whether the current x is the best one
    hbisa_end end = hbisa_end::none;
    std::int32_t unused = 0; ///< instead of padding, which a device would copy uninitialised

    COPPICE_HD bool active() const { return end == hbisa_end::none; }

    /// Processes the residual norm of the current x and decides whether another sweep follows.
    COPPICE_HD void decide(double norm, double tolerance, std::int64_t limit) {
        improved = 0;
        residual = norm / b_norm;
        if (residual - residual != 0) {
            end = hbisa_end::not_finite;
            return;
        }
        if (iterations == 0) began = reference = residual;
        improved = iterations == 0 || residual < best;
        if (improved) best = residual;
        if (iterations > 0 && iterations % window == 0) look_back();
        if (iterations >= limit) end = hbisa_end::limit;
        if (idle >= patience || residual > 1e20 * (began > 1 ? began : 1)) end = hbisa_end::stuck;
        if (residual <= tolerance) end = hbisa_end::converged;
        if (active()) ++iterations;
    }

private:
    COPPICE_HD void look_back() {
        contraction = std::pow(residual / reference, 1.0 / window);
        idle = residual < reference * (1 - 1e-10) ? 0 : idle + 1;
        reference = residual;
    }
};

/// r = b - N x over the rows of a range; 0 in padding rows and in systems that have ended, since a NaN of one system
/// would reach the others if their blocks are solved as one system. If `b` or `x` is null, it counts as zero.
template <class T, class I>
struct range_rhs {
    block_hybrid_view<T, I> a;
    block_rows range;
    T const *b, *x;
    T* r;
    std::int64_t in_system = 1;
    hbisa_state const* states = nullptr; ///< null: all systems
    COPPICE_HD void operator()(std::int64_t q) const {
        std::int64_t const i = range.row(q);
        bool const ended = i >= a.rows() || (states && !states[i / in_system].active());
        r[q] = ended ? T(0) : (b ? b[i] : T(0)) - (x ? a.coupling_product(i, x) : T(0));
    }
};

/// x = y over the rows of a range, in the active systems; in all systems if there are no states.
template <class T>
struct take_range {
    block_rows range;
    std::int64_t rows, in_system;
    hbisa_state const* states;
    T const* y;
    T* x;
    COPPICE_HD void operator()(std::int64_t q) const {
        std::int64_t const i = range.row(q);
        if (i < rows && (!states || states[i / in_system].active())) x[i] = y[q];
    }
};

/// The square of row i of b - A x.
template <class T, class I>
struct residual_square {
    block_hybrid_view<T, I> a;
    T const *b, *x;
    double* squares;
    COPPICE_HD void operator()(std::int64_t i) const {
        double const r = b[i] - (a.block_product(i, x) + a.coupling_product(i, x));
        squares[i] = r * r;
    }
};
template <class T>
struct element_square {
    T const* x;
    double* squares;
    COPPICE_HD void operator()(std::int64_t i) const { squares[i] = double(x[i]) * double(x[i]); }
};
/// First step of the residual sum of Algorithm 2: over the rows of a block.
struct sum_of_block {
    std::int64_t rows, block;
    double const* squares;
    double* sums;
    COPPICE_HD void operator()(std::int64_t j) const {
        double sum = 0;
        for (std::int64_t i = j * block; i < (j + 1) * block && i < rows; ++i) sum += squares[i];
        sums[j] = sum;
    }
};
/// Second step: over the blocks of a system.
struct sum_of_system {
    std::int64_t blocks; ///< of a system
    double const* sums;
    COPPICE_HD double operator()(std::int64_t s) const {
        double sum = 0;
        for (std::int64_t j = s * blocks; j < (s + 1) * blocks; ++j) sum += sums[j];
        return sum;
    }
};
/// Initial state, from the sum of the squares of b.
COPPICE_HD inline hbisa_state begun(double squares) {
    hbisa_state state;
    state.b_norm = std::sqrt(squares);
    if (state.b_norm == 0) state.end = hbisa_end::zero_rhs;
    if (state.b_norm - state.b_norm != 0) {
        state.end = hbisa_end::not_finite;
        state.residual = state.b_norm - state.b_norm; // NaN
    }
    return state;
}
struct begin_system {
    sum_of_system sum;
    hbisa_state* states;
    COPPICE_HD void operator()(std::int64_t s) const { states[s] = begun(sum(s)); }
};
struct decide_system {
    sum_of_system sum;
    double tolerance;
    std::int64_t limit;
    hbisa_state* states;
    COPPICE_HD void operator()(std::int64_t s) const {
        if (states[s].active())
            states[s].decide(std::sqrt(sum(s)), tolerance, limit);
        else
            states[s].improved = 0;
    }
};
/// Ends the loop if no system is active.
struct end_loop {
    std::int64_t systems;
    hbisa_state const* states;
    loop_switch* loop;
    COPPICE_HD void operator()(std::int64_t) const {
        for (std::int64_t s = 0; s < systems; ++s)
            if (states[s].active()) return;
        loop->stop();
    }
};
template <class T>
struct save_best {
    std::int64_t in_system;
    hbisa_state const* states;
    T const* x;
    T* best;
    COPPICE_HD void operator()(std::int64_t i) const {
        if (states[i / in_system].improved) best[i] = x[i];
    }
};
template <class T>
struct return_best {
    std::int64_t in_system;
    hbisa_state const* states;
    T const* best;
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const {
        hbisa_state const& s = states[i / in_system];
        if (s.end == hbisa_end::zero_rhs)
            x[i] = T(0);
        else if (s.iterations > 0 && s.residual != s.best)
            x[i] = best[i];
    }
};

} // namespace coppice::inline v0_1::detail
