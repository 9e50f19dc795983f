// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the report shows, free of matrices and executors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coppice::app::report {

using entries = std::vector<std::pair<std::string, std::string>>;

/// One Krylov run: relative residual after each iteration, first entry at iteration 0.
struct run {
    std::string preconditioner{};
    bool chosen = false; ///< what the user asked for; the others are there to compare
    bool converged = false;
    std::string ending{}; ///< why it stopped, or why it was not run (then `residuals` is empty)
    std::int64_t iterations = 0;
    double relative_residual = 0;
    double forward_error = 0; ///< NaN where the solution is not known
    double setup_seconds = 0;
    double solve_seconds = 0;
    std::vector<double> residuals{};
};

/// Nonzeros of the square block that starts at row and column `first` and spans `span`, counted in cells x cells boxes.
struct raster {
    std::int64_t first = 0;
    std::int64_t span = 0;
    int cells = 0;
    std::vector<std::uint32_t> nonzeros{}; ///< all, row-major
    std::vector<std::uint32_t> forest{};   ///< those on edges of the linear forest
};

/// The pattern in the original order and in the order of the forest.
struct pattern {
    raster before{};
    raster after{};
};

/// Paths with at least `shortest` and at most `longest` vertices.
struct path_bin {
    std::int64_t shortest = 0;
    std::int64_t longest = 0;
    std::int64_t paths = 0;
    std::int64_t vertices = 0;
};

struct coverage {
    std::string name{};
    std::string meaning{};
    double value = 0; ///< in [0, 1]; NaN where the matrix has no weight to cover
};

/// The linear forest of the matrix.
struct forest_summary {
    std::int64_t vertices = 0;
    std::int64_t paths = 0;
    std::int64_t longest = 0;
    std::int64_t cycles_broken = 0;
    std::vector<path_bin> bins{};
    std::vector<coverage> coverages{};
};

/// Aggregates of the points of a plane grid, row by row; -1 for none.
struct aggregate_grid {
    std::int64_t nx = 0; ///< points of a row; 0: the matrix is not that of a plane grid, or of a large one
    std::vector<std::int32_t> of{};
};

/// The levels of a multilevel method.
struct level_summary {
    struct level {
        std::int64_t rows = 0, nonzeros = 0;
        double coverage = 0;   ///< in [0, 1]
        bool smoothed = false; ///< the prolongator to it from the level below
    };
    std::vector<level> levels{}; ///< empty: the preconditioner has none
    std::string ending{};        ///< why there are no more
    double grid_complexity = 1, operator_complexity = 1;
    double convergence_factor = 0; ///< of an iteration of the method by itself; NaN where it was not measured
    entries seconds{};             ///< of the stages of the set-up
    aggregate_grid aggregates{};
};

struct page {
    std::string matrix{}; ///< as the user named it
    std::string size{};   ///< "1 440 000 x 1 440 000, 12 950 404 nonzeros"
    std::string solver{};
    double tolerance = 0;
    std::vector<run> runs{}; ///< exactly one is chosen
    pattern whole{};
    pattern closeup{}; ///< cells == 0 where the whole picture already shows every entry
    forest_summary forest{};
    level_summary levels{};
    entries settings{};
    entries environment{};
};

/// One self-contained HTML page: no script, no reference to anything outside.
std::string render(page const& data);

} // namespace coppice::app::report
