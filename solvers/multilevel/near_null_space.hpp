// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Near-null-space vectors, which the coarse levels represent: rigid body modes of elasticity, or the constants of each
/// component of a system. Aggregates then consist of points, with all unknowns of a point.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <coppice/core/memory.hpp>

namespace coppice::inline v0_1 {

/// Vectors that the tentative prolongator of a multilevel method reproduces exactly on each aggregate.
template <class T>
struct near_null_space {
    /// Unknowns per point; those of point p are block p + 0, 1, ... 0: 1 with vectors; without them, the block size
    /// that the pattern shows if A is symmetric and each component has small row sums in the others; else 1.
    int block = 0;
    int count = 0;                 ///< number of vectors; 0: the constants of each component
    array_view<T const> vectors{}; ///< [n count], one vector after the other, in memory of the executor
};

/// Returns the 3 rigid body modes of points in the plane, or the 6 in space: translations, then rotations about the
/// centre, one vector of length dimension * points after the other. coordinates[dimension points], point by point.
/// Throws argument_error for other dimensions, dimension_error if the number of coordinates is not a multiple of the
/// dimension.
inline std::vector<double> rigid_body_modes(int dimension, array_view<double const> coordinates) {
    if (dimension != 2 && dimension != 3)
        throw argument_error("rigid bodies are of 2 or 3 dimensions, got " + std::to_string(dimension));
    std::int64_t const points = coordinates.size() / dimension, n = points * dimension;
    require_size("coordinates of points", coordinates, n);
    std::vector<double> centre(std::size_t(dimension), 0.0);
    for (std::int64_t k = 0; k < n; ++k) centre[std::size_t(k % dimension)] += coordinates[k] / double(points);
    int const rotations = dimension == 2 ? 1 : 3;
    std::vector<double> modes(std::size_t(n * (dimension + rotations)), 0.0);
    auto const at = [&](int mode, std::int64_t unknown) -> double& { return modes[std::size_t(mode * n + unknown)]; };
    for (std::int64_t p = 0; p < points; ++p) {
        for (int c = 0; c < dimension; ++c) at(c, p * dimension + c) = 1;
        for (int r = 0; r < rotations; ++r) { // in the plane of axes r and r + 1
            int const one = r, other = (r + 1) % dimension;
            at(dimension + r, p * dimension + one) = centre[std::size_t(other)] - coordinates[p * dimension + other];
            at(dimension + r, p * dimension + other) = coordinates[p * dimension + one] - centre[std::size_t(one)];
        }
    }
    return modes;
}

} // namespace coppice::inline v0_1
