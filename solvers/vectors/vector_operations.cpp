// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/vectors/vector_operations.hpp>

#include <coppice/core/isa.hpp>

namespace coppice {

COPPICE_ISA_DECLARE(double dot_double(double const*, double const*, std::int64_t);
                    double dot_float(float const*, float const*, std::int64_t);)

namespace detail {

double dot_of_stretch(double const* x, double const* y, std::int64_t n) {
    static auto const kernel = COPPICE_ISA_SELECT(dot_double);
    return kernel(x, y, n);
}
double dot_of_stretch(float const* x, float const* y, std::int64_t n) {
    static auto const kernel = COPPICE_ISA_SELECT(dot_float);
    return kernel(x, y, n);
}

} // namespace detail
} // namespace coppice
