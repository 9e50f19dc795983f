// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/queueing/hbisa_solve.hpp>
#include <coppice/solvers/queueing/stationary_solve.hpp>

namespace coppice::inline v0_1 {

std::string_view to_string(hbisa_reason reason) {
    switch (reason) {
    case hbisa_reason::converged:
        return "converged";
    case hbisa_reason::zero_rhs:
        return "zero_rhs";
    case hbisa_reason::max_iterations:
        return "max_iterations";
    case hbisa_reason::spectral_radius:
        return "spectral_radius";
    case hbisa_reason::stagnated:
        return "stagnated";
    case hbisa_reason::not_finite:
        return "not_finite";
    }
    return "unknown";
}

std::string_view to_string(stationary_reason reason) {
    switch (reason) {
    case stationary_reason::converged:
        return "converged";
    case stationary_reason::max_iterations:
        return "max_iterations";
    case stationary_reason::stagnated:
        return "stagnated";
    case stationary_reason::not_finite:
        return "not_finite";
    }
    return "unknown";
}

template class hbisa<host_executor, float>;
template class hbisa<host_executor, double>;
COPPICE_STATIONARY(host_executor, float)
COPPICE_STATIONARY(host_executor, double)

} // namespace coppice::inline v0_1
