// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The right-hand side of a linear system: read from a file, or computed from a known solution.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/files.hpp"
#include "apps/input.hpp"
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

namespace coppice::app {

struct system_arguments {
    std::string rhs{};
    std::string solution{}; ///< empty: "sine" unless --rhs is given
    std::string output{};
};

inline void add_system_options(CLI::App& cli, system_arguments& s) {
    cli.add_option("--rhs", s.rhs, "right-hand side b, a Matrix Market array")->type_name("FILE");
    cli.add_option("--solution", s.solution,
                   "compute b = A x from a known x: sine (x_i = sin(16 pi i / N), the default) or ones")
        ->type_name("NAME:sine|ones");
    cli.add_option("-o,--output", s.output, "output file of the solution x")->type_name("FILE");
}

/// Sets the default. Throws usage_error for an unknown name, or if both a file and a solution are given.
inline void check_system_arguments(system_arguments& s) {
    if (!s.rhs.empty() && !s.solution.empty())
        throw usage_error(
            "--rhs and --solution exclude each other: the solution for a given right-hand side is unknown");
    if (s.rhs.empty() && s.solution.empty()) s.solution = "sine";
    if (!s.solution.empty()) check_solution_name(s.solution);
}

/// Right-hand sides in host memory.
template <class T>
struct right_hand_side {
    buffer<T> b{};
    buffer<T> solution{};     ///< empty if it is unknown
    std::int64_t columns = 1; ///< number of right-hand sides, stored column-major
};

/// Multiplies values in host memory by 2^exponent, which is exact except for underflow.
template <class T>
void scale_by_power(host_executor const& host, array_view<T> values, int exponent) {
    using R = real_of<T>;
    for_each(host, values.size(), [&](std::int64_t k) {
        if constexpr (std::is_same_v<T, R>)
            values[k] = std::ldexp(values[k], exponent);
        else
            values[k] = T(std::ldexp(values[k].real(), exponent), std::ldexp(values[k].imag(), exponent));
    });
}

/// The largest magnitude of the entries of a matrix, and the smallest one among the largest magnitudes of its rows;
/// rows of zeros do not count.
template <class R>
struct magnitude_range {
    R largest = 0;
    R smallest_row = std::numeric_limits<R>::max();
    friend magnitude_range operator+(magnitude_range a, magnitude_range b) {
        return {std::max(a.largest, b.largest), std::min(a.smallest_row, b.smallest_row)};
    }
};

/// The range of a row.
template <class T>
magnitude_range<real_of<T>> range_of_row(T const* values, std::int64_t count) {
    magnitude_range<real_of<T>> row;
    for (std::int64_t k = 0; k < count; ++k)
        row.largest = std::max({row.largest, std::abs(std::real(values[k])), std::abs(std::imag(values[k]))});
    if (row.largest > 0) row.smallest_row = row.largest;
    return row;
}

/// Returns the power of two that scales a matrix into the range in which sums and squares of entries do not overflow;
/// mostly 0. Entries that underflow are less than an epsilon of their row: no row becomes subnormal.
template <class R>
int shift_into_range(magnitude_range<R> a) {
    using limits = std::numeric_limits<R>;
    constexpr int max_value = limits::max_exponent / 4;
    int const exponent = a.largest > 0 ? std::ilogb(a.largest) : 0;
    if (std::abs(exponent) <= max_value) return 0;
    if (exponent < 0) return -max_value - exponent;
    return std::max(max_value - exponent, std::min(0, limits::min_exponent - 1 - std::ilogb(a.smallest_row)));
}

/// Scales a matrix whose largest entry is near the limit of the exponent range, so that sums and squares of entries do
/// not overflow. Returns the power of two; the right-hand side is multiplied by it too, so the solution is unchanged.
template <class T>
int scale_into_range(host_executor const& host, csr<T>& a) {
    auto const range = [&](std::int64_t i) {
        auto const first = a.row_offsets()[i];
        return range_of_row(a.values().data() + first, a.row_offsets()[i + 1] - first);
    };
    int const shift =
        shift_into_range(reduce(host, std::int64_t(a.rows()), magnitude_range<real_of<T>>{}, range, plus{}));
    if (shift != 0) scale_by_power(host, a.values().view(), shift);
    return shift;
}

/// `scale`: the return value of scale_into_range() for A. `several`: the file may contain several right-hand sides.
template <class T>
right_hand_side<T> make_right_hand_side(host_executor const& host, system_arguments const& s, csr<T> const& a,
                                        int scale, progress& status, bool several = false) {
    if (!s.rhs.empty()) {
        right_hand_side<T> r;
        if (several) {
            auto all = load_vectors<T>(host, s.rhs, a.rows(), "--rhs", status);
            r.b = std::move(all.values);
            r.columns = all.columns;
        } else {
            r.b = load_vector<T>(host, s.rhs, a.rows(), "--rhs", status);
        }
        if (scale != 0) scale_by_power(host, r.b.view(), scale);
        return r;
    }
    right_hand_side<T> r{buffer<T>(host, a.rows()), make_solution<T>(host, s.solution, a.columns())};
    spmv(host, make_srcsr_plan(host, a.view()), a.view(), r.solution.view(), r.b.view());
    return r;
}

/// The real and imaginary parts of the elements in double.
template <class T>
std::vector<double> components(array_view<T const> values) {
    std::vector<double> all;
    for (T const& value : values) {
        all.push_back(std::real(value));
        if constexpr (!std::is_same_v<T, real_of<T>>) all.push_back(std::imag(value));
    }
    return all;
}
/// Returns |b| 2^-scale for the components of b, or of the rows of b on a rank. `scale`: the power of two in b.
/// largest_of(x) and sum_of(x) combine a number of all ranks. Squares are those of components near 1, so they are in
/// range.
template <class Largest, class Sum>
double norm_of_rhs(std::vector<double> const& components, int scale, Largest const& largest_of, Sum const& sum_of) {
    double largest = 0, sum = 0;
    for (double const v : components) largest = std::max(largest, std::abs(v));
    largest = largest_of(largest);
    int const shift = largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
    for (double const v : components) sum += std::ldexp(v, shift) * std::ldexp(v, shift);
    return std::ldexp(std::sqrt(sum_of(sum)), -shift - scale);
}

/// Returns the relative tolerance that is equivalent to both tolerances for a right-hand side of this norm.
inline double relative_tolerance(double relative, double absolute, double norm) {
    return norm > 0 ? std::max(relative, std::min(absolute / norm, std::numeric_limits<double>::max())) : relative;
}

struct sum_of_squares {
    double difference = 0;
    double reference = 0;
    friend sum_of_squares operator+(sum_of_squares a, sum_of_squares b) {
        return {a.difference + b.difference, a.reference + b.reference};
    }
};

/// Returns |x - solution| / |solution| in the Euclidean norm; NaN if the solution is unknown, the absolute error if it
/// is zero.
template <class T>
double forward_relative_error(host_executor const& host, array_view<T const> x, buffer<T> const& solution) {
    if (solution.empty()) return std::numeric_limits<double>::quiet_NaN();
    auto const squares = [&](std::int64_t i) {
        std::complex<double> const known = solution[i], difference = std::complex<double>(x[i]) - known;
        return sum_of_squares{std::norm(difference), std::norm(known)};
    };
    auto const sum = reduce(host, x.size(), sum_of_squares{}, squares, plus{});
    return std::sqrt(sum.difference) / (sum.reference > 0 ? std::sqrt(sum.reference) : 1);
}

} // namespace coppice::app
