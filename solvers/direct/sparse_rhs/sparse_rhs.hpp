// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Systems with sparse right-hand sides (thesis section 2.6.12); include/coppice/banded.hpp has the contract.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/solvers/direct/factored/band_factor.hpp>

namespace coppice::inline v0_1 {

/// View of a sparse matrix by columns (CSC): entries offsets[j] ... offsets[j + 1] - 1 belong to column j; row indices
/// start at 0. The entries of a column may have any order; entries with equal indices are added. A column with a row
/// index outside the matrix, or with offsets outside [0, nonzeros], is treated as NaN.
template <class T, class I = std::int32_t>
struct sparse_columns_view {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    I const* offsets = nullptr;
    I const* row_indices = nullptr;
    T const* values = nullptr;
    std::int64_t nonzeros = std::numeric_limits<std::int64_t>::max(); ///< number of entries, if known
};

/// Bytes of workspace of solve_factored_sparse.
template <class T, executor Executor>
std::int64_t factored_sparse_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                       band_options const& options = {});

/// Solves op(A) X = D for sparse D with a factorisation; the values are equal to those of solve_factored_bands.
/// Segments are skipped if their right-hand sides are zero and, in the back substitution, if also the solution on both
/// sides is zero. This is common, since the entries of inverses of banded matrices decay. Neither allocates nor waits.
template <class T, class I, executor Executor>
void solve_factored_sparse(Executor const& exec, band_matrix<T> const& a, array_view<std::byte const> factor,
                           sparse_columns_view<std::type_identity_t<T>, I> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options = {});

/// Bytes of workspace of solve_sparse_to_dense.
template <class T, executor Executor>
std::int64_t sparse_to_dense_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                       band_options const& options = {});

/// Solves A X = D for sparse D and dense X; otherwise as solve_bands. From 4 columns on it uses a factorisation and
/// skips zero segments. Fewer columns, scaled pivoting, method rpts and refinement use solve_bands, and so do systems
/// that RPTS can solve on a GPU, where it is faster. Neither allocates nor waits.
template <class T, class I, executor Executor>
void solve_sparse_to_dense(Executor const& exec, band_matrix<T> const& a,
                           sparse_columns_view<std::type_identity_t<T>, I> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options = {});

/// Bytes of workspace of solve_sparse_to_sparse.
template <class T, executor Executor>
std::int64_t sparse_to_sparse_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                        band_options const& options = {}, std::int64_t batch = 64);

/// Solves A X = D for sparse D and selects from column j of X the offsets[j + 1] - offsets[j] entries with the largest
/// |re|^2 + |im|^2, among equal ones those of smaller row index, sorted by row (Eq. 81). `row_indices` and `values`
/// have room for all of them. Solves `batch` columns at a time. Neither allocates nor waits, so the offsets cannot be
/// checked: if they are invalid, entries are omitted and nothing is written outside the arrays.
template <class T, class I, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>, I> const& d,
                            array_view<std::type_identity_t<I> const> offsets,
                            array_view<std::type_identity_t<I>> row_indices, array_view<std::type_identity_t<T>> values,
                            array_view<std::byte> workspace, band_options const& options = {}, std::int64_t batch = 64);

/// Overload that allocates its workspace, returns after the result is complete, and throws argument_error for invalid
/// offsets.
template <class T, class I, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>, I> const& d,
                            array_view<std::type_identity_t<I> const> offsets,
                            array_view<std::type_identity_t<I>> row_indices, array_view<std::type_identity_t<T>> values,
                            band_options const& options = {}, std::int64_t batch = 64);

} // namespace coppice::inline v0_1
