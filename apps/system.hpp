// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The right-hand side of a linear system: from a file, or from a solution known in advance.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "apps/files.hpp"
#include "apps/input.hpp"
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/spmv.hpp>

namespace coppice::app {

struct system_arguments {
    std::string rhs{};
    std::string solution{}; ///< empty: "sine" unless there is a rhs
    std::string output{};
};

inline void add_system_options(CLI::App& cli, system_arguments& s) {
    cli.add_option("--rhs", s.rhs, "right-hand side b, a Matrix Market array")->type_name("FILE");
    cli.add_option("--solution", s.solution,
                   "make b = A x from a known x: sine (x_i = sin(16 pi i / N), the default) or ones")
        ->type_name("NAME");
    cli.add_option("-o,--output", s.output, "where to write the solution x")->type_name("FILE");
}

/// Fills in the default. Throws usage_error for a bad name, or where both a file and a solution are given.
inline void check_system_arguments(system_arguments& s) {
    if (!s.rhs.empty() && !s.solution.empty())
        throw usage_error(
            "--rhs and --solution exclude each other: the solution for a given right-hand side is not known");
    if (s.rhs.empty() && s.solution.empty()) s.solution = "sine";
    if (!s.solution.empty()) check_solution_name(s.solution);
}

/// In host memory.
template <class T>
struct right_hand_side {
    buffer<T> b{};
    buffer<T> solution{}; ///< empty where it is not known
};

template <class T>
right_hand_side<T> make_right_hand_side(host_executor const& host, system_arguments const& s, csr<T> const& a) {
    if (!s.rhs.empty()) return {load_vector<T>(host, s.rhs, a.rows(), "--rhs"), {}};
    right_hand_side<T> r{buffer<T>(host, a.rows()), make_solution<T>(host, s.solution, a.columns())};
    spmv(host, make_srcsr_plan(host, a.view()), a.view(), r.solution.view(), r.b.view());
    return r;
}

struct sum_of_squares {
    double difference = 0;
    double reference = 0;
    friend sum_of_squares operator+(sum_of_squares a, sum_of_squares b) {
        return {a.difference + b.difference, a.reference + b.reference};
    }
};

/// |x - solution| / |solution| in the Euclidean norm; NaN where the solution is not known, the absolute error where it
/// is zero.
template <class T>
double forward_relative_error(host_executor const& host, array_view<T const> x, buffer<T> const& solution) {
    if (solution.empty()) return std::numeric_limits<double>::quiet_NaN();
    auto const squares = [&](std::int64_t i) {
        double const known = solution[i], difference = double(x[i]) - known;
        return sum_of_squares{difference * difference, known * known};
    };
    auto const sum = reduce(host, x.size(), sum_of_squares{}, squares, plus{});
    return std::sqrt(sum.difference) / (sum.reference > 0 ? std::sqrt(sum.reference) : 1);
}

} // namespace coppice::app
