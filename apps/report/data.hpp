// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Data of the report, independent of matrices and executors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coppice::app::report {

using entries = std::vector<std::pair<std::string, std::string>>;

/// One Krylov run: relative residual after each iteration; the first element is that of iteration 0.
struct run {
    std::string preconditioner{};
    bool chosen = false; ///< the run of the user; the others are comparisons
    int style = 0;       ///< number of the colour and the dashes of a comparison
    bool converged = false;
    std::string ending{}; ///< why it stopped or was not run (then `residuals` is empty)
    std::int64_t iterations = 0;
    double relative_residual = 0;
    double forward_error = 0; ///< NaN if the solution is unknown
    double setup_seconds = 0;
    double solve_seconds = 0;
    std::vector<double> residuals{};
};

/// Numbers of nonzeros of the square block that starts at row and column `first` with `span` rows, in cells x cells
/// boxes.
struct raster {
    std::int64_t first = 0;
    std::int64_t span = 0;
    int cells = 0;
    std::vector<std::uint32_t> nonzeros{}; ///< all, row-major
    std::vector<std::uint32_t> forest{};   ///< nonzeros on edges of the linear forest
};

/// Pattern in the original order and in the order of the forest.
struct pattern {
    raster before{};
    raster after{};
};

/// Number of paths with `shortest` to `longest` vertices.
struct path_bin {
    std::int64_t shortest = 0;
    std::int64_t longest = 0;
    std::int64_t paths = 0;
    std::int64_t vertices = 0;
};

struct coverage {
    std::string name{};
    std::string meaning{};
    double value = 0; ///< in [0, 1]; NaN if the total weight is zero
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

/// Aggregates of the points of a plane grid, row by row; -1: none.
struct aggregate_grid {
    std::int64_t nx = 0; ///< points of a row; 0: not a plane grid, or too large
    std::vector<std::int32_t> of{};
};

/// Levels of a multilevel method.
struct level_summary {
    struct level {
        std::int64_t rows = 0, nonzeros = 0;
        double coverage = 0;   ///< in [0, 1]
        bool smoothed = false; ///< whether the prolongator from this level is smoothed
    };
    std::vector<level> levels{}; ///< empty: the preconditioner has no levels
    std::string ending{};        ///< why there are no further levels
    double grid_complexity = 1, operator_complexity = 1;
    double convergence_factor = 0; ///< error reduction of one cycle; NaN if not measured
    entries seconds{};             ///< times of the stages of the set-up
    aggregate_grid aggregates{};
};

struct page {
    std::string matrix{}; ///< as given by the user
    std::string size{};   ///< "1 440 000 x 1 440 000, 12 950 404 nonzeros"
    std::string solver{};
    double tolerance = 0;
    std::vector<run> runs{}; ///< exactly one is chosen
    pattern whole{};
    pattern closeup{}; ///< cells == 0 if the whole picture already shows every entry
    forest_summary forest{};
    level_summary levels{};
    entries settings{};
    entries environment{};
};

/// Returns a self-contained HTML page without scripts and external references.
std::string render(page const& data);

} // namespace coppice::app::report
