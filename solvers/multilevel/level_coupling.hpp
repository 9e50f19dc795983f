// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Interface of the couplings of a level with other ranks of a distributed multilevel method.
#pragma once

#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/solvers/multilevel/level_modes.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// A level whose prolongator is complete; all data in memory of the executor.
template <class T, class I>
struct smoothed_level {
    csr_view<T, I> a;            ///< [rows, rows]: the own block
    csr_view<T, I> p;            ///< [rows, coarse rows], columns of this rank
    csr_view<T, I> r_transposed; ///< the transpose of R, likewise
    buffer<T> const& damping;    ///< [rows with entries of K]: Q = -damping K_F P_0
};

/// P_0 of a level; its columns are those of this rank.
template <class T, class I>
struct tentative_prolongator {
    csr_view<T, I> p;      ///< [rows, coarse rows]
    int per_aggregate = 0; ///< number of columns of an aggregate; 0: one, and all entries are 1
};

/// Whether a level has nearly as many rows as the next one, or the next one none.
inline bool stalls(std::int64_t rows, std::int64_t coarse) {
    constexpr double min_reduction = 0.8;
    return coarse == 0 || double(coarse) > min_reduction * double(rows);
}

/// What a hierarchy inherits from the levels above it, which belong to another hierarchy.
struct levels_above {
    int count = 0;
    int smoothed = 0;       ///< those whose prolongators are smoothed
    bool symmetric = false; ///< whether the matrix is known to be symmetric up to rounding
};

/// The rows of a level are some of the rows of the whole matrix: there (A x) = A_own x + K x_outer. A cycle reads A
/// only in residuals b - A x, so it needs only b - K x_outer instead of b. The global prolongator may have entries Q in
/// columns of other ranks. Collective: all ranks make the same calls, for the levels in order. A set-up calls filter()
/// and finish(); a refresh calls refilter() and refresh_last() instead.
template <executor Executor, class T, class I>
class level_coupling {
public:
    virtual ~level_coupling() = default;
    /// The number of unknowns per point for all ranks, from the one that this rank has found: 1 if ranks differ.
    virtual int agreed_block(std::int64_t rows, int found) = 0;
    /// Whether the matrix of all ranks is symmetric up to rounding. `a`: the own block; `symmetric`: whether it is.
    virtual bool agreed_symmetry(Executor const& exec, csr_view<T, I> a, bool symmetric) = 0;
    /// Whether this level is the last one: its rows are too few for the ranks that have them.
    virtual bool ends() = 0;
    virtual std::int64_t entries() const = 0; ///< of K on this rank, until the next level is made
    /// Sums of the rows of K; valid until the next call.
    virtual coupling_sums<T> row_sums(Executor const& exec) = 0;
    /// Whether this level is the last one because the next one would have nearly as many rows, or none. `coarse`: rows
    /// of the next level on this rank.
    virtual bool stalls(std::int64_t coarse) = 0;
    /// Applies the filter of the prolongator to K: the remaining entries give Q. `rule` has the diagonals of the level
    /// divided by `scale` and the aggregates of its rows. Valid until the next call.
    virtual filtered_couplings<T> filter(Executor const& exec, filter_rule<T, I> const& rule, double scale,
                                         tentative_prolongator<T, I> const& tentative) = 0;
    /// filter() for new values, by the decisions of the set-up.
    virtual filtered_couplings<T> refilter(Executor const& exec) = 0;
    /// [rows with entries of K]
    virtual array_view<std::int32_t const> boundary_rows() const = 0;
    /// Computes the terms of the next matrix in addition to R A P of the own block; add_coupling_terms() adds them.
    virtual void coarsen(Executor const& exec, smoothed_level<T, I> const& level) = 0;
    /// Adds the coupling terms to `own`, which is R A P of the own block with sorted columns. Returns the own block of
    /// the next matrix, in memory of the coupling if there are terms to add.
    virtual csr_view<T, I> add_coupling_terms(Executor const& exec, csr_view<T, I> own) = 0;
    /// Prepares the last level with the matrix `a` and its near-null-space vectors. Returns whether solve() solves it
    /// for all ranks together. `smoothed`: number of levels above it whose prolongators are smoothed on this rank.
    virtual bool finish(Executor const& exec, csr_view<T, I> a, level_modes<T> const& modes, int smoothed) = 0;
    /// New values of the last level, if finish() has returned true.
    virtual void refresh_last(Executor const& exec, csr_view<T, I> a) = 0;

    /// Makes K^T of all levels for their current values, before calls with `transposed`.
    virtual void transpose(Executor const& exec) = 0;
    /// Starts to exchange x_outer, for one of the following calls, which all ranks make. `transposed`, of this call and
    /// the next one: with K^T instead of K.
    virtual void start(Executor const& exec, int depth, T const* x, bool transposed) = 0;
    /// r -= K x_outer or, if `diagonal` is not null, r -= diagonal K x_outer.
    virtual void subtract(Executor const& exec, int depth, T* r, T const* diagonal, bool transposed) = 0;
    /// Returns b - K x_outer, in memory of the coupling, valid until the next call for that level.
    virtual T const* without_couplings(Executor const& exec, int depth, T const* b, bool transposed) = 0;
    /// Whether the prolongator of the level has entries between ranks. Then R = P^T, so that the two following terms
    /// are also those of the transposed cycle.
    virtual bool crosses(int depth) const = 0;
    /// b of the next level += (Q^T r) of other ranks, after start() with r, not transposed.
    virtual void add_restricted(Executor const& exec, int depth, T* b) = 0;
    /// x += Q x_outer of the next level, after start() with its x, not transposed.
    virtual void add_prolonged(Executor const& exec, int depth, T* x) = 0;
    /// x = M^-1 b, or M^-T b, of the last level.
    virtual void solve(Executor const& exec, T const* b, T* x, bool transposed) = 0;
};

} // namespace coppice::inline v0_1::multilevel_detail
