// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The options of the solve command.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/system.hpp"
#include <coppice/solvers/solve/solve_automatically.hpp>

namespace coppice::app {

struct solve_options {
    common_options common{};
    std::string matrix{};
    std::string solver{automatic_name};
    std::string preconditioner{automatic_name};
    option_values preconditioner_options{}; ///< as given: --rounds 7, or after the name
    system_arguments system{};
    std::string start{};                  ///< file of the starting guess; empty: zeros
    std::string coordinates{};            ///< file of the coordinates of the points
    std::string near_null_space{};        ///< file of near-null-space vectors
    std::vector<double> near_vectors{};   ///< from either file
    std::vector<double> near_imaginary{}; ///< their imaginary parts if the file is complex
    std::string null_space{};             ///< file of vectors that span the null space of the matrix
    std::vector<double> null_vectors{};   ///< from this file
    int unknowns_per_point = 1;           ///< of near_vectors
    double tolerance = 1e-6;
    double absolute_tolerance = 0; ///< tolerance of |b - Ax|; the solve ends if either tolerance is met
    std::int64_t max_iterations = 10000;
    int restart = 30;
    int shadow_space = 4;
    bool restart_given = false;      ///< whether the command line has --restart
    bool shadow_space_given = false; ///< and --shadow-space
    std::string report{};
    bool compare = false;
    int ranks = 1;
    std::string mpi = "auto";                                     ///< whether processes of mpiexec work together
    bool mixed = false;                                           ///< inner solves in single precision
    double max_seconds = std::numeric_limits<double>::infinity(); ///< time limit of a solve

    /// Returns the given options that the preconditioner `name` has.
    option_values options_of(std::string_view name) const {
        return known_options(preconditioner_row_of(name).options, preconditioner_options);
    }
    bool is_automatic() const { return solver == automatic_name || preconditioner == automatic_name; }
};

/// Names of an option, with the automatic choice first.
std::vector<std::string_view> with_automatic(std::span<std::string_view const> names);
/// Names of --solver: automatic choice, Krylov methods, and gmres with the preconditioner "direct".
std::vector<std::string_view> solver_names();

/// An option of several preconditioners is listed once, with all its meanings.
void add_preconditioner_options(CLI::App& cli, option_values& values);

/// Checks the values of all options, and which of them are given together. Splits the options from the name of the
/// preconditioner, and replaces the solver "direct".
void check_solve_options(solve_options& o);
/// Throws if there are several right-hand sides and an option that takes one.
void check_rhs_columns(solve_options const& o, std::int64_t columns);
/// Throws if an option is not available for complex systems.
void check_complex(solve_options const& o);

} // namespace coppice::app
