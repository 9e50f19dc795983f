// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of the multilevel forest method, and what it reports of its levels.
#pragma once

#include <cstdint>
#include <vector>

namespace coppice {

enum class multilevel_smoother {
    automatic, ///< gauss_seidel on the host, jacobi on a device
    jacobi,    ///< diagonal, damped by 4/3 over Gershgorin's bound row by row
    l1,        ///< diagonal plus the magnitudes beside it
    forest, ///< tridiagonal along the forest of the level, with half of the other magnitudes on the diagonal, and more
            ///< in rows that their diagonal does not dominate along the forest
    chebyshev, ///< polynomial of degree 2 in the matrix with the l1 diagonal
    /// Forwards and backwards within ranges of rows, which do not wait for each other; half of the magnitudes between
    /// ranges on the diagonal. One worker takes a range row by row: for the host.
    gauss_seidel,
};
enum class multilevel_cycle { v, w };
enum class multilevel_storage {
    single, ///< matrices of the levels in float, whatever the vectors are
    full,   ///< as the matrix
    half,   ///< in float16: entries below 6e-8 of the largest one of their level become 0
};

struct multilevel_options {
    multilevel_smoother smoother = multilevel_smoother::automatic;
    multilevel_cycle cycle = multilevel_cycle::v;
    multilevel_storage storage = multilevel_storage::single;
    int first_run = 3;  ///< vertices of a run of the first forest, at least; one more on a triangulated plane
    int second_run = 2; ///< runs that the second forest joins, at least
    double drop = 0.12; ///< of entries in the prolongator of the first level, halved from level to level
    /// Products in P^T A P of a level, over the nonzeros of the first one. Where there were more, P is not smoothed on
    /// the first level, with runs of 2 unknowns and of 2 runs there, and below it is along the paths of the aggregates
    /// alone. 7 points of equal weights in space come to 20, grids in the plane to 9 at most.
    double products = 15;
    /// Rows that are solved directly. 0: usual_coarsest, and below the first level up to 1024 that a device can invert
    /// by elimination without pivoting.
    int coarsest = 0;
    static constexpr int usual_coarsest = 128;
    int most_levels = 30;
};

/// Why there is no further level.
enum class coarsening_end {
    small,   ///< few enough rows to solve directly
    nothing, ///< every row is dominated by its diagonal
    stalled, ///< aggregates are nearly as many as unknowns
    levels   ///< as many levels as were asked for
};

struct multilevel_level_report {
    std::int64_t rows = 0, nonzeros = 0;
    double coverage = 1;   ///< share of the strong couplings that the first forest of the level has
    bool smoothed = false; ///< the prolongator to this level from the one below, if there is one
};
struct multilevel_report {
    std::vector<multilevel_level_report> levels{};
    double grid_complexity = 1;     ///< rows of all levels, over those of the first
    double operator_complexity = 1; ///< nonzeros of all levels, over those of the first
    coarsening_end end = coarsening_end::small;
    bool direct = true; ///< the last level is solved directly
    /// The aggregate of every unknown of the first level, -1 for none, where it has no more than most_shown.
    std::vector<std::int32_t> aggregates{};
    static constexpr std::int64_t most_shown = 10000;
    double coupling_seconds = 0, aggregate_seconds = 0, prolongator_seconds = 0, galerkin_seconds = 0,
           smoother_seconds = 0;
};

} // namespace coppice
