// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks of the parameters of matrices on grids.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/core/error.hpp>
#include <coppice/core/number_text.hpp>

namespace coppice::inline v0_1::detail {

/// Returns nx ny nz. Throws argument_error for sizes below 1, overflow_error if the number of points does not fit a
/// 32-bit index.
inline std::int64_t checked_points(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    constexpr std::int64_t max = INT32_MAX;
    auto const check = [](char const* name, std::int64_t size) {
        if (size < 1) throw argument_error(std::string(name) + " is " + std::to_string(size) + ", expected at least 1");
    };
    check("nx", nx);
    check("ny", ny);
    check("nz", nz);
    if (nx > max || ny > max || nz > max || nx * ny > max || nx * ny * nz > max)
        throw overflow_error("grid of " + std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz) +
                             " points does not fit 32-bit indices");
    return nx * ny * nz;
}

inline void check_coefficient(char const* name, double value, double low, double high) {
    if (!(value >= low && value <= high))
        throw argument_error(std::string(name) + " is " + coppice::detail::number_text(value) +
                             ", expected a number in [" + coppice::detail::number_text(low) + ", " +
                             coppice::detail::number_text(high) + "]");
}

} // namespace coppice::inline v0_1::detail
