// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/eigen/lobpcg_solve.hpp>

namespace coppice::inline v0_1 {

std::string_view to_string(eigen_reason reason) {
    switch (reason) {
    case eigen_reason::converged:
        return "converged";
    case eigen_reason::max_iterations:
        return "max_iterations";
    case eigen_reason::stagnated:
        return "stagnated";
    case eigen_reason::not_finite:
        return "not_finite";
    case eigen_reason::cancelled:
        return "cancelled";
    }
    return "unknown";
}

COPPICE_LOBPCG(, host_executor, double)

} // namespace coppice::inline v0_1
