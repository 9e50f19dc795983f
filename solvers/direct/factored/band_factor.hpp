// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factorisation for repeated solves, for every class of solve_bands; include/coppice/banded.hpp has the contract.
#pragma once

#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::inline v0_1 {

/// Bytes of a factorisation of `a`: 3 to 4 times those of the matrix.
template <class T, executor Executor>
std::int64_t bands_factor_bytes(Executor const& exec, band_matrix<T> const& a, band_options const& options = {});

/// Factorises op(A) by the chain solver into `factor`, aligned to 64 bytes. `singular_rows`, if given, has one element
/// for each system in memory of `exec`: the row of the first column without a pivot, or -1. options.method must not be
/// rpts; scaled partial pivoting is treated as partial. Neither allocates nor waits. For new values with the same size
/// and structure, call it again with the same memory.
template <class T, executor Executor>
void factorise_bands(Executor const& exec, band_matrix<T> const& a, array_view<std::byte> factor,
                     band_options const& options = {}, array_view<std::int64_t> singular_rows = {});

/// Bytes of workspace of solve_factored_bands.
template <class T, executor Executor>
std::int64_t factored_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                band_options const& options = {});

/// Solves op(A) X = D with a factorisation by factorise_bands on the same executor for the same `a` and options. Only
/// sizes, structure and offsets of `a` are read. `x` may be `d`. Neither allocates nor waits.
template <class T, executor Executor>
void solve_factored_bands(Executor const& exec, band_matrix<T> const& a, array_view<std::byte const> factor,
                          columns_view<std::type_identity_t<T> const> d, columns_view<std::type_identity_t<T>> x,
                          array_view<std::byte> workspace, band_options const& options = {});

} // namespace coppice::inline v0_1
