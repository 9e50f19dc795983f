// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What preconditioners need for z = M^-T r: transposed matrices, and solves with transposed band systems.
#pragma once

#include <cstddef>
#include <cstdint>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/iterative/operators/transposed_matrix.hpp>

namespace coppice::inline v0_1::detail {

/// x[p] = r[order[p]]; 0 in a row of padding, whose entry of `order` is negative. order = null: x = r.
template <class T, class I>
struct gather_in_order {
    I const* order;
    T const* r;
    T* x;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const i = order ? std::int64_t(order[p]) : p;
        x[p] = i < 0 ? T(0) : r[i];
    }
};
template <class T, class I>
struct scatter_in_order {
    I const* order;
    T const* x;
    T* z;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const i = order ? std::int64_t(order[p]) : p;
        if (i >= 0) z[i] = x[p];
    }
};

/// z = P^T S^-T P r for a band matrix S whose row p belongs to row order[p] of r and z. z may be r. Allocates.
template <executor Executor, class T, class I>
void solve_transposed(Executor const& exec, band_matrix<T> const& system, I const* order, array_view<T const> r,
                      array_view<T> z, band_options options) {
    options.operation = matrix_operation::transposed;
    buffer<T> x(exec, system.size);
    buffer<std::byte> workspace(exec, bands_workspace<T>(exec, system, 1, options));
    for_each(exec, x.size(), gather_in_order<T, I>{order, r.data(), x.data()});
    columns_view<T> const column(x.view());
    solve_bands<T>(exec, system, column, column, workspace.view(), options);
    for_each(exec, x.size(), scatter_in_order<T, I>{order, x.data(), z.data()});
}

} // namespace coppice::inline v0_1::detail
