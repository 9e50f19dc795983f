// SPDX-License-Identifier: BSD-3-Clause
// Compiled once per instruction-set level; see coppice_isa_sources() and core/host/isa.hpp.
#include <cstdint>

namespace coppice::inline v0_1 {
namespace COPPICE_ISA {
namespace {

/// <x, y> in double. Sixteen independent sums hide the latency of the addition and fill the widest vector registers.
/// Their number and the order of summation are the same on every instruction-set level; rounding differs if a level
/// fuses multiply and add.
template <class T>
double dot(T const* x, T const* y, std::int64_t n) {
    constexpr int chains = 16;
    double sum[chains] = {};
    std::int64_t i = 0;
    for (; i + chains <= n; i += chains)
        for (int c = 0; c < chains; ++c) sum[c] += double(x[i + c]) * double(y[i + c]);
    for (int c = 0; i < n; ++i, ++c) sum[c] += double(x[i]) * double(y[i]);
    for (int width = chains / 2; width > 0; width /= 2)
        for (int c = 0; c < width; ++c) sum[c] += sum[c + width];
    return sum[0];
}

/// The components of x^H y, for numbers whose components are adjacent in memory.
template <class T>
void complex_dot(T const* x, T const* y, std::int64_t n, double* result) {
    constexpr int chains = 8;
    double re[chains] = {}, im[chains] = {};
    for (std::int64_t i = 0; i < n; i += chains) {
        int const count = n - i < chains ? int(n - i) : chains;
        for (int c = 0; c < count; ++c) {
            double const a = x[2 * (i + c)], b = x[2 * (i + c) + 1], p = y[2 * (i + c)], q = y[2 * (i + c) + 1];
            re[c] += a * p + b * q;
            im[c] += a * q - b * p;
        }
    }
    for (int width = chains / 2; width > 0; width /= 2)
        for (int c = 0; c < width; ++c) re[c] += re[c + width], im[c] += im[c + width];
    result[0] = re[0];
    result[1] = im[0];
}

} // namespace

double dot_double(double const* x, double const* y, std::int64_t n) { return dot(x, y, n); }
double dot_float(float const* x, float const* y, std::int64_t n) { return dot(x, y, n); }
void dot_complex_double(double const* x, double const* y, std::int64_t n, double* result) {
    complex_dot(x, y, n, result);
}
void dot_complex_float(float const* x, float const* y, std::int64_t n, double* result) { complex_dot(x, y, n, result); }

} // namespace COPPICE_ISA
} // namespace coppice::inline v0_1
