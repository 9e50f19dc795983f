// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>

#include <coppice/core/host/isa.hpp>

namespace coppice::inline v0_1 {

COPPICE_ISA_DECLARE(double dot_double(double const*, double const*, std::int64_t);
                    double dot_float(float const*, float const*, std::int64_t);
                    void dot_complex_double(double const*, double const*, std::int64_t, double*);
                    void dot_complex_float(float const*, float const*, std::int64_t, double*);)

namespace detail {

double dot_of_chunk(double const* x, double const* y, std::int64_t n) {
    static auto const kernel = COPPICE_ISA_SELECT(dot_double);
    return kernel(x, y, n);
}
double dot_of_chunk(float const* x, float const* y, std::int64_t n) {
    static auto const kernel = COPPICE_ISA_SELECT(dot_float);
    return kernel(x, y, n);
}
complex_pair<double> dot_of_chunk(complex_pair<double> const* x, complex_pair<double> const* y, std::int64_t n) {
    static auto const kernel = COPPICE_ISA_SELECT(dot_complex_double);
    double result[2];
    kernel(reinterpret_cast<double const*>(x), reinterpret_cast<double const*>(y), n, result);
    return {result[0], result[1]};
}
complex_pair<double> dot_of_chunk(complex_pair<float> const* x, complex_pair<float> const* y, std::int64_t n) {
    static auto const kernel = COPPICE_ISA_SELECT(dot_complex_float);
    double result[2];
    kernel(reinterpret_cast<float const*>(x), reinterpret_cast<float const*>(y), n, result);
    return {result[0], result[1]};
}

} // namespace detail
} // namespace coppice::inline v0_1
