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

/// z = P^T S^-T P r for a band matrix S whose row p belongs to row order[p] of r and z; order = null: to row p. A row
/// of padding has a negative entry in `order`. z may be r. Allocates.
template <executor Executor, class T, class I>
void solve_transposed(Executor const& exec, band_matrix<T> const& system, I const* order, array_view<T const> r,
                      array_view<T> z, band_options options) {
    options.operation = matrix_operation::transposed;
    buffer<T> x(exec, system.size);
    buffer<std::byte> workspace(exec, bands_workspace<T>(exec, system, 1, options));
    T* const in_order = x.data();
    for_each(exec, x.size(), [=] COPPICE_HD(std::int64_t p) {
        std::int64_t const i = order ? std::int64_t(order[p]) : p;
        in_order[p] = i < 0 ? T(0) : r[i];
    });
    columns_view<T> const column(x.view());
    solve_bands<T>(exec, system, column, column, workspace.view(), options);
    for_each(exec, x.size(), [=] COPPICE_HD(std::int64_t p) {
        std::int64_t const i = order ? std::int64_t(order[p]) : p;
        if (i >= 0) z[i] = in_order[p];
    });
}

} // namespace coppice::inline v0_1::detail
