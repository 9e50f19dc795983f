// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Systems with sparse right-hand sides (thesis section 2.6.12); include/coppice/banded.hpp has the contract.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/solvers/direct/factored/band_factor.hpp>

namespace coppice {

/// Borrowed sparse matrix by columns: entries offsets[j] ... offsets[j + 1] - 1 of column j, row indices from 0 on.
/// Entries of a column may come in any order; those of the same place add up. A column with an entry outside of the
/// matrix, or with offsets outside of [0, nonzeros], counts as NaN.
template <class T, class I = std::int32_t>
struct sparse_columns_view {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    I const* offsets = nullptr;
    I const* row_indices = nullptr;
    T const* values = nullptr;
    std::int64_t nonzeros = std::numeric_limits<std::int64_t>::max(); ///< entries that there are, where that is known
};

/// Bytes of workspace of solve_factored_sparse.
template <class T, executor Executor>
std::int64_t factored_sparse_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                       band_options const& options = {});

/// Solves op(A) X = D for sparse D with a factorisation, as solve_factored_bands, to the same values. Stretches of rows
/// are not walked where the right-hand sides are zero and, on the way back, so is the solution on either side: it often
/// is, since the entries of inverses of banded matrices decay. Neither allocates nor waits.
template <class T, class I, executor Executor>
void solve_factored_sparse(Executor const& exec, band_matrix<T> const& a, array_view<std::byte const> factor,
                           sparse_columns_view<std::type_identity_t<T>, I> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options = {});

/// Bytes of workspace of solve_sparse_to_dense.
template <class T, executor Executor>
std::int64_t sparse_to_dense_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                       band_options const& options = {});

/// Solves A X = D for sparse D, X dense; otherwise as solve_bands. Many columns are solved with a factorisation, which
/// walks only where they are not zero; few columns, scaled pivoting and rpts as solve_bands does, and so what RPTS can
/// solve on a GPU, where that is faster. Neither allocates nor waits.
template <class T, class I, executor Executor>
void solve_sparse_to_dense(Executor const& exec, band_matrix<T> const& a,
                           sparse_columns_view<std::type_identity_t<T>, I> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options = {});

/// Bytes of workspace of solve_sparse_to_sparse.
template <class T, executor Executor>
std::int64_t sparse_to_sparse_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                        band_options const& options = {}, std::int64_t batch = 64);

/// Solves A X = D for sparse D and keeps of column j of X the result.offsets[j + 1] - result.offsets[j] entries of the
/// largest |re|^2 + |im|^2, of equal ones those of lower rows, sorted by row (Eq. 81). `row_indices` and `values` have
/// room for all of them. `batch` columns are solved at a time. Neither allocates nor waits, so it cannot look at the
/// offsets: where they are not those of such a result, entries are left out.
template <class T, class I, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>, I> const& d,
                            array_view<std::type_identity_t<I> const> offsets,
                            array_view<std::type_identity_t<I>> row_indices, array_view<std::type_identity_t<T>> values,
                            array_view<std::byte> workspace, band_options const& options = {}, std::int64_t batch = 64);

/// The same, but it allocates, returns when the result is there, and throws argument_error where the offsets are not
/// those of such a result.
template <class T, class I, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>, I> const& d,
                            array_view<std::type_identity_t<I> const> offsets,
                            array_view<std::type_identity_t<I>> row_indices, array_view<std::type_identity_t<T>> values,
                            band_options const& options = {}, std::int64_t batch = 64);

} // namespace coppice
