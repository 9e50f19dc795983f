// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Block tridiagonal test matrices made of tridiagonal ones (thesis, Eqs. 16 to 18).
#pragma once

#include <cstdint>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/tridiagonal.hpp>

namespace coppice {

/// O_l (A x I_2) O_r with block diagonal O_l, O_r of random rotations by angles from U(0, pi): `a` with each entry in
/// the place of a 2x2 block, as well conditioned as `a`. In host memory; the blocks outside the matrix are zero.
/// Rotations depend on (seed, side, row) alone. Instantiated for float and double.
template <class T>
block_tridiagonal<T> block_transform(host_executor const& exec, tridiagonal_view<T> a, std::uint64_t seed);

} // namespace coppice
