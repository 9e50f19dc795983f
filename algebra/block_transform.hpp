// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Block tridiagonal test matrices, constructed from tridiagonal ones (thesis, Eqs. 16 to 18).
#pragma once

#include <cstdint>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/tridiagonal.hpp>

namespace coppice::inline v0_1 {

/// Computes O_l (A x I_2) O_r. O_l and O_r are block diagonal matrices of random rotations by angles from U(0, pi), and
/// x is the Kronecker product: each entry of `a` becomes a 2x2 block, and the condition number is that of `a`. The
/// result is in host memory; blocks outside the matrix are zero. Rotations depend on (seed, side, row) only.
/// Instantiated for float and double.
template <class T>
block_tridiagonal<T> block_transform(host_executor const& exec, tridiagonal_view<T> a, std::uint64_t seed);

} // namespace coppice::inline v0_1
