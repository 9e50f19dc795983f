// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factor once, solve often, for every class of solve_bands; include/coppice/banded.hpp has the contract.
#pragma once

#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice {

/// Bytes of a factorisation of `a`: 3 to 4 times those of the matrix.
template <class T, executor Executor>
std::int64_t bands_factor_bytes(Executor const& exec, band_matrix<T> const& a, band_options const& options = {});

/// Factorises op(A) by the chain solver into `factor`, aligned to 64 bytes. Where `singular_rows` is given, one element
/// a system in memory of `exec`, it becomes the row of the first column without a pivot, or -1. options.method must not
/// be rpts; scaled partial pivoting counts as partial. Neither allocates nor waits. The same size and structure with
/// new values: call it again with the same memory.
template <class T, executor Executor>
void factorise_bands(Executor const& exec, band_matrix<T> const& a, array_view<std::byte> factor,
                     band_options const& options = {}, array_view<std::int64_t> singular_rows = {});

/// Bytes of workspace of solve_factored_bands.
template <class T, executor Executor>
std::int64_t factored_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                band_options const& options = {});

/// Solves op(A) X = D with the factorisation that factorise_bands made on the same executor for the same `a` and
/// options; of `a` only sizes, structure and offsets are looked at. `x` may be `d`. Neither allocates nor waits.
template <class T, executor Executor>
void solve_factored_bands(Executor const& exec, band_matrix<T> const& a, array_view<std::byte const> factor,
                          columns_view<std::type_identity_t<T> const> d, columns_view<std::type_identity_t<T>> x,
                          array_view<std::byte> workspace, band_options const& options = {});

} // namespace coppice
