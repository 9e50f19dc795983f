// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What couples the levels of a multilevel method with those of other parts of the same problem.
#pragma once

#include <cstdint>

#include <coppice/core/executor.hpp>
#include <coppice/csr.hpp>

namespace coppice::multilevel_detail {

/// Of the entries of every row in columns of other parts: their sum and that of their magnitudes, [rows] each; null
/// where there are no other parts.
template <class T>
struct coupling_sums {
    T const *values = nullptr, *magnitudes = nullptr;
    COPPICE_HD T value(std::int64_t row) const { return values ? values[row] : T(0); }
    COPPICE_HD T magnitude(std::int64_t row) const { return magnitudes ? magnitudes[row] : T(0); }
};

/// The rows of a level are a part of those of the whole: A x there is A_own x + K x_others. A cycle reads A in
/// residuals b - A x alone, so b - K x_others in the place of b is all that it needs. All parts make the same calls,
/// for levels from the first one on.
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
    /// The next level has R K P between parts: P[rows, rows of the next level], and the transpose of R.
    virtual void coarsen(Executor const& exec, csr_view<T, I> p, csr_view<T, I> turned_r) = 0;
    /// The last level, of the matrix `a`. Is it solved by solve(), for all parts together?
    virtual bool finish(Executor const& exec, csr_view<T, I> a) = 0;
    /// x_others is on its way until one of the next two calls, which all parts make.
    virtual void start(Executor const& exec, int depth, T const* x) = 0;
    /// r -= K x_others, or, where there are diagonals, r -= diagonal K x_others
    virtual void subtract(Executor const& exec, int depth, T* r, T const* diagonal) = 0;
    /// b - K x_others, in memory of the coupling until the next call for that level.
    virtual T const* without_others(Executor const& exec, int depth, T const* b) = 0;
    virtual void solve(Executor const& exec, T const* b, T* x) = 0;
};

} // namespace coppice::multilevel_detail
