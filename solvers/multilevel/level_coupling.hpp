// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What couples the levels of a multilevel method with those of other parts of the same problem.
#pragma once

#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::multilevel_detail {

/// A level whose prolongator is made; all of it in memory of the executor.
template <class T, class I>
struct smoothed_level {
    csr_view<T, I> a;         ///< [rows, rows]: the own block
    csr_view<T, I> p;         ///< [rows, rows of the next level], in columns of this part
    csr_view<T, I> turned_r;  ///< the transpose of R, likewise
    buffer<T> const& damping; ///< [rows with entries of K]: Q = -damping K_F P_0
};

/// The rows of a level are a part of those of the whole: A x there is A_own x + K x_others. A cycle reads A in
/// residuals b - A x alone, so b - K x_others in the place of b is all that it needs. The prolongator of the whole may
/// have entries Q between rows of a part and columns of others. All parts make the same calls, for levels from the
/// first one on.
template <executor Executor, class T, class I>
class level_coupling {
public:
    virtual ~level_coupling() = default;
    /// Has the whole so few rows that this level is the last one? `rows`: those of this part.
    virtual bool ends(std::int64_t rows) = 0;
    /// Of the rows of K; valid until the next call.
    virtual coupling_sums<T> row_sums(Executor const& exec) = 0;
    /// Is it the last one of any part?
    virtual bool is_last_of_any(bool of_this) = 0;
    /// What the filter of a prolongator makes of K: entries that it keeps are those that Q comes from. `kept` has the
    /// diagonals of the level in `unit` and the `count` aggregates of its rows; `symmetric`: the own block is so. Valid
    /// until the next call.
    virtual filtered_couplings<T> filter(Executor const& exec, is_kept<T, I> const& kept, double unit, I count,
                                         bool symmetric) = 0;
    /// [rows with entries of K]
    virtual array_view<std::int32_t const> rows_at_cuts() const = 0;
    /// Makes what the next level has besides R A P of the own block; join() adds it.
    virtual void coarsen(Executor const& exec, smoothed_level<T, I> const& level) = 0;
    /// `own`: R A P of the own block, columns rise. Returned: what it is in R A P of the whole, in memory of the
    /// coupling where that is more.
    virtual csr_view<T, I> join(Executor const& exec, csr_view<T, I> own) = 0;
    /// The last level, of the matrix `a`. Is it solved by solve(), for all parts together?
    virtual bool finish(Executor const& exec, csr_view<T, I> a) = 0;

    /// x_others is on its way until one of the next calls, which all parts make.
    virtual void start(Executor const& exec, int depth, T const* x) = 0;
    /// r -= K x_others, or, where there are diagonals, r -= diagonal K x_others
    virtual void subtract(Executor const& exec, int depth, T* r, T const* diagonal) = 0;
    /// b - K x_others, in memory of the coupling until the next call for that level.
    virtual T const* without_others(Executor const& exec, int depth, T const* b) = 0;
    /// Has the prolongator of the level entries between parts?
    virtual bool crosses(int depth) const = 0;
    /// b of the next level += (Q^T r)_others, after start() with r
    virtual void add_restricted(Executor const& exec, int depth, T* b) = 0;
    /// x += Q x_others of the next level, after start() with that
    virtual void add_prolonged(Executor const& exec, int depth, T* x) = 0;
    virtual void solve(Executor const& exec, T const* b, T* x) = 0;
};

} // namespace coppice::multilevel_detail
