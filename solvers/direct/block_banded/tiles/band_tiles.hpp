// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The finest level of the chain solver on the host for narrow bands, compiled for several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/core/host/isa.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice::inline v0_1 {

// As chain_reduce and chain_substitute, for levels for which band_tiles::takes is true.
COPPICE_ISA_DECLARE(template <class T> void band_reduce(chain::chain_level<T, chain::matrix_block_rows<T>> const& s,
                                                        std::int64_t first, std::int64_t last, std::byte*);
                    template <class T> void band_substitute(chain::chain_level<T, chain::matrix_block_rows<T>> const& s,
                                                            std::int64_t first, std::int64_t last, std::byte*);)

namespace chain::band_tiles {

/// Real matrices with 2 to 4 bands on either side, one right-hand side and partial pivoting without a threshold.
inline constexpr int min_reach = 2, max_reach = 4;
inline constexpr int max_block_rows = 32; ///< block rows of a segment

template <class Level>
inline constexpr bool possible = false;
template <>
inline constexpr bool possible<chain_level<float, matrix_block_rows<float>>> = true;
template <>
inline constexpr bool possible<chain_level<double, matrix_block_rows<double>>> = true;

/// Whether such tiles can solve systems with this matrix, for suitable options.
template <class T>
bool reaches(matrix_rows<T> const& a) {
    return possible<chain_level<T, matrix_block_rows<T>>> && a.banded() && a.n >= min_reach && a.n <= max_reach;
}

template <class T>
bool takes(chain_level<T, matrix_block_rows<T>> const& s) {
    return reaches(s.block_rows.a) && s.block_rows.rhs_count == 1 && s.shape.block_rows <= max_block_rows &&
           !s.how.flush && !s.how.equilibrate;
}

} // namespace chain::band_tiles
} // namespace coppice::inline v0_1
