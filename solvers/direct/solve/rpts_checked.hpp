// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS without a report: a solution that is not finite is replaced by that of the chain solver.
///
/// RPTS reduces each partition separately and may divide by zero although the matrix is well-conditioned. If x is not
/// finite, the chain solver, which can choose any row of an unknown as its pivot row, solves this column of the system
/// again. Its answer is accepted if it found a pivot in every column and is finite. Otherwise x remains as RPTS
/// computed it, so that a singular matrix still gives infinity or NaN. This file is for the host, which checks x
/// itself; on a device the later attempts of solve_run do it (later_attempts::replace()).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/solve/by_chain.hpp>
#include <coppice/solvers/direct/solve/by_rpts.hpp>

namespace coppice::chain {

/// Whether every element is finite. Uses partial sums of x - x, which is 0 if x is finite, else NaN.
template <class T>
bool is_all_finite(T const* x, std::int64_t n) {
    constexpr int lanes = 16;
    T sum[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int k = 0; k < lanes; ++k) sum[k] += x[i + k] - x[i + k];
    for (; i < n; ++i) sum[0] += x[i] - x[i];
    bool finite = true;
    for (T const s : sum) finite = finite && s == T(0);
    return finite;
}
template <class T>
bool is_all_finite(host_executor const& exec, T const* x, std::int64_t n) {
    constexpr std::int64_t block = 1 << 15, alone = 1 << 13;
    if (n <= alone) return is_all_finite(x, n);
    std::atomic<bool> finite{true};
    detail::for_each_block(exec, n, block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        if (!is_all_finite(x + first, last - first)) finite.store(false, std::memory_order_relaxed);
    });
    return finite.load();
}

/// Rows of one system of a batch: row j is row first + j stride of the batch.
struct system_rows {
    std::int64_t first, count, stride;
};
template <class T>
system_rows rows_of_system(band_matrix<T> const& a, std::int64_t s) {
    if (a.offsets) return {a.offsets[s], a.offsets[s + 1] - a.offsets[s], 1};
    std::int64_t const each = rows_of_each(a);
    return interleaves(a) ? system_rows{s, each, a.systems} : system_rows{s * each, each, 1};
}
template <class T>
void gather(T const* all, system_rows const& rows, T* to) {
    for (std::int64_t j = 0; j < rows.count; ++j) to[j] = all[rows.first + j * rows.stride];
}

/// Solves one system of a batch for the column `d` by the chain solver; writes `x` if the answer is accepted.
template <class T>
void solve_system_by_chain(host_executor const& exec, band_matrix<T> const& a, system_rows const& rows, T const* d,
                           T* x, band_options const& o) {
    tridiagonal<T> matrix(exec, rows.count);
    buffer<T> rhs(exec, rows.count);
    gather(a.lower, rows, matrix.lower.data());
    gather(a.diagonal, rows, matrix.diagonal.data());
    gather(a.upper, rows, matrix.upper.data());
    gather(d, rows, rhs.data());
    band_matrix<T> const one(matrix);
    band_options how = o;
    how.method = band_method::chain;
    auto const plan = plan_workspace(exec, one, 1, how, false);
    buffer<std::byte> space(exec, plan.bytes);
    std::int64_t singular = no_row;
    matrix_block_rows<T> const block_rows{rows_of(one, how), rhs.data(), rhs.data(), rows.count,
                                          rows.count,        0,          &singular};
    solve_by_chain(exec, block_rows, 1, elimination_of<T>(how), plan.chain_in(space.data()), nullptr);
    if (singular != no_row || !is_all_finite(exec, rhs.data(), rows.count)) return;
    for (std::int64_t j = 0; j < rows.count; ++j) x[rows.first + j * rows.stride] = rhs.data()[j];
}

/// After solve_by_rpts: solves the systems whose column is not finite again. `d` is the original right-hand side.
template <class T>
void replace_not_finite(host_executor const& exec, band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                        band_options const& o) {
    for (std::int64_t c = 0; c < x.columns; ++c) {
        T* const column = x.pointer + c * x.leading;
        if (is_all_finite(exec, column, a.size)) continue;
        for (std::int64_t s = 0; s < a.systems; ++s) {
            system_rows const rows = rows_of_system(a, s);
            bool finite = true;
            for (std::int64_t j = 0; j < rows.count; ++j) {
                T const value = column[rows.first + j * rows.stride];
                finite = finite && value - value == T(0);
            }
            if (!finite) solve_system_by_chain(exec, a, rows, d.pointer + c * d.leading, column, o);
        }
    }
}

/// Solves a matrix that rpts_applies() accepts, and checks the result if the method is automatic. On the host. Takes
/// memory from the pool if a solution is not finite, and for a copy of d if x is d.
template <class T>
void solve_by_rpts_checked(host_executor const& exec, band_matrix<T> const& a, columns_view<T const> d,
                           columns_view<T> x, band_options const& o, array_view<std::byte> workspace) {
    if constexpr (std::is_floating_point_v<T>) {
        if (o.method != band_method::automatic) return solve_by_rpts(exec, a, d, x, o, workspace);
        if (x.pointer != d.pointer) {
            solve_by_rpts(exec, a, d, x, o, workspace);
            return replace_not_finite(exec, a, d, x, o);
        }
        constexpr std::int64_t few = 512; // avoids an allocation, to save time for small systems
        T near[few];
        std::int64_t const all = a.size * x.columns;
        buffer<T> far(exec, all > few ? all : 0);
        columns_view<T> const saved(all > few ? far.data() : near, a.size, x.columns);
        for (std::int64_t c = 0; c < x.columns; ++c)
            exec.copy_elements(d.pointer + c * d.leading, saved.pointer + c * a.size, a.size);
        solve_by_rpts(exec, a, d, x, o, workspace);
        replace_not_finite(exec, a, columns_view<T const>(saved), x, o);
    }
}

} // namespace coppice::chain
