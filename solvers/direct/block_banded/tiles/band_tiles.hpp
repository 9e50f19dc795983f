// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The finest stage of the chain solver on the host for narrow bands, compiled for several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/core/host/isa.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice {

// As chain_reduce and chain_substitute, for stages that band_tiles::takes.
COPPICE_ISA_DECLARE(template <class T> void band_reduce(chain::stage<T, chain::row_units<T>> const& s,
                                                        std::int64_t first, std::int64_t last, std::byte*);
                    template <class T> void band_substitute(chain::stage<T, chain::row_units<T>> const& s,
                                                            std::int64_t first, std::int64_t last, std::byte*);)

namespace chain::band_tiles {

/// Real matrices with 2 to 4 bands on either side, one right-hand side and partial pivoting without a threshold.
inline constexpr int least_reach = 2, most_reach = 4;
inline constexpr int most_units = 32; ///< block rows of a stretch

template <class Stage>
inline constexpr bool possible = false;
template <>
inline constexpr bool possible<stage<float, row_units<float>>> = true;
template <>
inline constexpr bool possible<stage<double, row_units<double>>> = true;

/// Matrices of which they may take one.
template <class T>
bool reaches(matrix_rows<T> const& a) {
    return possible<stage<T, row_units<T>>> && a.banded() && a.n >= least_reach && a.n <= most_reach;
}

template <class T>
bool takes(stage<T, row_units<T>> const& s) {
    return reaches(s.units.a) && s.units.sides == 1 && s.shape.units <= most_units && !s.how.flush &&
           !s.how.equilibrate;
}

} // namespace chain::band_tiles
} // namespace coppice
