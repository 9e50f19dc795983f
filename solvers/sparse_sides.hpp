// SPDX-License-Identifier: BSD-3-Clause
/// \file Systems with sparse right-hand sides (thesis section 2.6.12); include/coppice/banded.hpp has the contract.
#pragma once

#include <cstdint>

#include "solvers/band_solver.hpp"

namespace coppice {

/// Borrowed sparse matrix by columns: entries offsets[j] ... offsets[j + 1] - 1 of column j, row indices from 0 on.
/// Entries of a column may come in any order; those of the same place add up.
template <class T, class I = std::int32_t>
struct sparse_columns_view {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    I const* offsets = nullptr;
    I const* row_indices = nullptr;
    T const* values = nullptr;
};

/// Solves A X = D for sparse D, X dense; otherwise as solve_bands, whose workspace it takes.
template <class T, executor Executor>
void solve_sparse_to_dense(Executor const& exec, band_matrix<T> const& a,
                           sparse_columns_view<std::type_identity_t<T>> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options = {});

/// Solves A X = D for sparse D and keeps of column j of X the result.offsets[j + 1] - result.offsets[j] entries of the
/// largest |re|^2 + |im|^2, of equal ones those of lower rows, sorted by row (Eq. 81). `row_indices` and `values` have
/// room for all of them. `batch` columns are solved at a time. Allocates, and returns when the result is there. Throws
/// argument_error where the offsets are not those of such a result.
template <class T, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>> const& d,
                            array_view<std::int32_t const> offsets, array_view<std::int32_t> row_indices,
                            array_view<std::type_identity_t<T>> values, band_options const& options = {},
                            std::int64_t batch = 64);

#define COPPICE_SPARSE_SIDES_DECLARE(prefix, T, Executor)                                                              \
    prefix void solve_sparse_to_dense(Executor const&, band_matrix<T> const&, sparse_columns_view<T> const&,           \
                                      columns_view<T>, array_view<std::byte>, band_options const&);                    \
    prefix void solve_sparse_to_sparse(Executor const&, band_matrix<T> const&, sparse_columns_view<T> const&,          \
                                       array_view<std::int32_t const>, array_view<std::int32_t>, array_view<T>,        \
                                       band_options const&, std::int64_t);
#define COPPICE_SPARSE_SIDES_DECLARE_ALL(prefix, Executor)                                                             \
    COPPICE_SPARSE_SIDES_DECLARE(prefix, float, Executor)                                                              \
    COPPICE_SPARSE_SIDES_DECLARE(prefix, double, Executor)                                                             \
    COPPICE_SPARSE_SIDES_DECLARE(prefix, std::complex<float>, Executor)                                                \
    COPPICE_SPARSE_SIDES_DECLARE(prefix, std::complex<double>, Executor)

COPPICE_SPARSE_SIDES_DECLARE_ALL(extern template, host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SPARSE_SIDES_DECLARE_ALL(extern template, cuda_executor)
#endif

} // namespace coppice
