// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of the multilevel forest method, and the report of its levels.
#pragma once

#include <cstdint>
#include <vector>

namespace coppice::inline v0_1 {

enum class multilevel_smoother {
    automatic, ///< forest on levels whose coefficients jump from point to point and whose forest has three quarters of
               ///< the weight; else gauss_seidel on the host, jacobi on a device
    jacobi,    ///< diagonal, damped by 4/3 over the Gershgorin bound of each row
    l1,        ///< diagonal plus the off-diagonal magnitudes of the row
    /// Tridiagonal along the forest of the level; half of the other off-diagonal magnitudes is added to the diagonal,
    /// and more in rows that are not diagonally dominant along the forest.
    forest,
    chebyshev, ///< Chebyshev polynomial of degree 2 in the matrix with the l1 diagonal
    /// Symmetric Gauss-Seidel within ranges of rows, which are independent of each other; half of the magnitudes
    /// between ranges is added to the diagonal. One worker sweeps a range row by row: for the host.
    gauss_seidel,
};
enum class multilevel_cycle { v, w };
enum class multilevel_storage {
    single, ///< matrices of the levels in float, for any type of the vectors
    full,   ///< in the type of the matrix
    half,   ///< in float16: entries below 6e-8 of the largest entry of their level become 0
};

struct multilevel_options {
    multilevel_smoother smoother = multilevel_smoother::automatic;
    multilevel_cycle cycle = multilevel_cycle::v;
    multilevel_storage storage = multilevel_storage::single;
    int first_run = 3;  ///< minimum number of vertices of a run of the first forest; one more on a triangulated plane
    int second_run = 2; ///< minimum number of runs that the second forest merges
    double drop = 0.12; ///< drop tolerance of the prolongator on the first level; halved from level to level
    /// Maximum number of products in P^T A P of a level, divided by the nonzeros of the first level. If it is exceeded
    /// on the first level, P is not smoothed there, runs have 2 unknowns, and aggregates 2 runs. If it is exceeded on a
    /// lower level, P is smoothed only along the paths of the aggregates. A 7-point stencil in three dimensions with
    /// equal weights has 20, grids in the plane at most 9.
    double products = 15;
    /// Maximum number of rows of the level that is solved directly. 0: usual_coarsest on the first level, and below it
    /// up to 1024 rows if a device can invert the matrix by elimination without pivoting.
    int coarsest = 0;
    static constexpr int usual_coarsest = 128;
    int max_levels = 30;
};

/// Why coarsening ended.
enum class coarsening_end {
    small,   ///< few enough rows to solve directly
    nothing, ///< every row is strongly diagonally dominant
    stalled, ///< nearly as many aggregates as unknowns
    levels   ///< maximum number of levels
};

struct multilevel_level_report {
    std::int64_t rows = 0, nonzeros = 0;
    double coverage = 1;   ///< fraction of the weight of strong couplings in the first forest of the level
    bool smoothed = false; ///< whether the prolongator from the next level is smoothed
};
struct multilevel_report {
    std::vector<multilevel_level_report> levels{};
    double grid_complexity = 1;     ///< rows of all levels, over those of the first
    double operator_complexity = 1; ///< nonzeros of all levels, divided by those of the first
    coarsening_end end = coarsening_end::small;
    bool direct = true; ///< the last level is solved directly
    int block = 1;      ///< unknowns per point, given or detected
    /// Aggregate of each unknown of the first level, -1 for none; empty if there are more than max_shown unknowns.
    std::vector<std::int32_t> aggregates{};
    static constexpr std::int64_t max_shown = 10000;
    double coupling_seconds = 0, aggregate_seconds = 0, prolongator_seconds = 0, galerkin_seconds = 0,
           smoother_seconds = 0;
};

} // namespace coppice::inline v0_1
