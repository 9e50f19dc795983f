// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Quasi-minimal residual smoothing of a sequence of iterates.
#pragma once

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::detail {

/// Smooths iterates y with residuals w: x = x + lambda (y - x), r = r + lambda (w - r), lambda = tau^2 / |w|^2,
/// 1 / tau^2 = 1 / tau_before^2 + 1 / |w|^2; tau_0 = |r_0| (Zhou and Walker, SIAM J. Sci. Comput. 15, 1994, section 3).
/// The iterates of BiCG become those of QMR, those of CGS with its half steps those of TFQMR.
struct residual_smoothing {
    double tau_squared = 0;

    /// Returns lambda for a residual with the square `ww` of its norm.
    COPPICE_HD double weight(double ww) {
        double const sum = tau_squared + ww, lambda = sum > 0 ? tau_squared / sum : 0;
        tau_squared = lambda * ww;
        return lambda;
    }
};

} // namespace coppice::inline v0_1::detail
