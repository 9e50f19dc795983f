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

/// x = P r with zeros in padding; order = null: P = I.
template <class T, class I>
struct put_in_order {
    I const* order;
    array_view<T const> r;
    T* x;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const i = order ? std::int64_t(order[p]) : p;
        x[p] = i < 0 ? T(0) : r[i];
    }
};
/// z = P^T x
template <class T, class I>
struct put_back {
    I const* order;
    T const* x;
    array_view<T> z;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const i = order ? std::int64_t(order[p]) : p;
        if (i >= 0) z[i] = x[p];
    }
};
/// z = P^T S^-T P r for a band matrix S whose row p belongs to row order[p] of r and z; order = null: to row p. A row
/// of padding has a negative entry in `order`. z may be r. Allocates.
template <executor Executor, class T, class I>
void solve_transposed(Executor const& exec, band_matrix<T> const& system, I const* order, array_view<T const> r,
                      array_view<T> z, band_options options) {
    options.operation = matrix_operation::transposed;
    buffer<T> x(exec, system.size);
    buffer<std::byte> workspace(exec, bands_workspace<T>(exec, system, 1, options));
    for_each(exec, x.size(), put_in_order<T, I>{order, r, x.data()});
    columns_view<T> const column(x.view());
    solve_bands<T>(exec, system, column, column, workspace.view(), options);
    for_each(exec, x.size(), put_back<T, I>{order, x.data(), z});
}

} // namespace coppice::inline v0_1::detail
