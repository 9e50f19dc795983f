// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/least_squares/least_squares_solve.hpp>

namespace coppice::inline v0_1 {

std::string_view to_string(least_squares_reason reason) {
    switch (reason) {
    case least_squares_reason::residual:
        return "residual";
    case least_squares_reason::normal:
        return "normal";
    case least_squares_reason::max_iterations:
        return "max_iterations";
    case least_squares_reason::stagnated:
        return "stagnated";
    case least_squares_reason::not_finite:
        return "not_finite";
    case least_squares_reason::cancelled:
        return "cancelled";
    }
    return "unknown";
}

COPPICE_LEAST_SQUARES(, host_executor, float)
COPPICE_LEAST_SQUARES(, host_executor, double)

} // namespace coppice::inline v0_1
