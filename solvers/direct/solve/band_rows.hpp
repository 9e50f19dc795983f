// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion of a band_matrix to the matrix_rows of the solvers.
#pragma once

#include <complex>
#include <cstdint>

#include <coppice/solvers/direct/block_banded/elimination/chain_rows.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::inline v0_1::chain {

/// The lane type of a value type; both have the same layout.
template <class T>
struct lane_of {
    using type = T;
};
template <class R>
struct lane_of<std::complex<R>> {
    using type = complex_lane<R>;
};
template <class T>
using lane_of_t = typename lane_of<T>::type;

template <class T>
matrix_rows<lane_of_t<T>> rows_of(band_matrix<T> const& a, band_options const& o) {
    using lane = lane_of_t<T>;
    matrix_rows<lane> rows;
    std::int64_t const count = (a.size + a.block - 1) / a.block;
    rows.batch = {a.systems, a.offsets ? (a.largest > 0 ? a.largest : count) : count / a.systems, a.offsets,
                  a.interleaved, count};
    rows.scalar_rows = a.size;
    rows.n = a.block;
    rows.lower_bands = a.lower_bands;
    rows.upper_bands = a.upper_bands;
    rows.lower = reinterpret_cast<lane const*>(a.lower);
    rows.diagonal = reinterpret_cast<lane const*>(a.diagonal);
    rows.upper = reinterpret_cast<lane const*>(a.upper);
    rows.cyclic = o.cyclic;
    rows.in_segments = o.method == band_method::chain;
    rows.op = o.operation;
    return rows;
}

template <class T>
std::int64_t largest_of(band_matrix<T> const& a) {
    return a.largest > 0 ? a.largest : a.size;
}
template <class T>
bool interleaves(band_matrix<T> const& a) {
    return a.interleaved && a.systems > 1;
}
/// Rows of a system if all have the same size. Avoids the division for a single system, to save time for small systems.
template <class T>
std::int64_t rows_of_each(band_matrix<T> const& a) {
    return a.systems == 1 ? a.size : a.size / a.systems;
}

} // namespace coppice::inline v0_1::chain
