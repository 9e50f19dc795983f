// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solves of every class of solve_bands whose rows lie in parts on several executors: SPIKE (L.-W. Chang, thesis
/// of 2014, section 3.3.1) over the solver of one executor.
///
/// The n rows of a part read w unknowns before them and v behind them, w and v bands (or a block) wide. With a border
/// of w and v rows (band_part_rows.hpp) they are a system of their own,
///
///     | b_0  b_1            |  x_before      g
///     |  B    A    C        |  x          =  d
///     |      c_0  c_1       |  x_behind      h,
///
/// which a part solves for d with g = h = 0, and for the unit vectors of g and h: the spikes. The values of these at
/// the two ends cross, once. On both sides of a cut they are values of the same w + v unknowns; that they are equal is
/// a system for all g and h (end_system.hpp), which every part solves for itself. Then x is a sum of its columns.
///
/// A part may be singular by itself, and may have any number of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <coppice/core/memory_range.hpp>
#include <coppice/solvers/distributed/bands/band_rank.hpp>

namespace coppice {
namespace distributed {

/// Throws, on all parts, where they do not fit together; on this one, where it is not as it should be.
template <class T, executor Executor, communicator Messages>
std::vector<part_shape> agree(Executor const& exec, Messages const& others, band_matrix<T> const& a,
                              columns_view<T const> d, columns_view<T> x, band_options const& options) {
    std::string const name = "solve_bands_part: ";
    static_cast<void>(bands_workspace(exec, a, d.columns, options, true)); // throws for matrices and options
    if (a.systems != 1 || a.offsets) throw argument_error(name + "a batch, expected one system in parts");
    require_size("right-hand side rows of solve_bands_part", d.rows, a.size);
    require_size("solution rows of solve_bands_part", x.rows, a.size);
    require_size("solution columns of solve_bands_part", x.columns, d.columns);
    if (d.leading < a.size || x.leading < a.size)
        throw argument_error(name + "leading dimensions are " + std::to_string(d.leading) + " and " +
                             std::to_string(x.leading) + ", expected at least " + std::to_string(a.size));
    if (a.size > 0 && d.columns > 0) {
        if (!a.diagonal || (a.lower_bands < 0 && (!a.lower || !a.upper)) || !d.pointer || !x.pointer)
            throw argument_error(name + "null pointer to " + std::to_string(a.size) + " rows");
        std::int64_t const unit = sizeof(T), last = d.columns - 1;
        require_apart({"the solution", x.pointer, (last * x.leading + x.rows) * unit},
                      {"the right-hand side", d.pointer, (last * d.leading + d.rows) * unit}, name);
    }
    std::vector<part_shape> shapes =
        others.gather(part_shape{a.size, d.columns, shape_of(a), int(options.cyclic), int(options.operation),
                                 options.refinements, options.error_bound});
    for (std::size_t p = 1; p < shapes.size(); ++p)
        if (!shapes[p].fits(shapes[0]))
            throw argument_error(name + "part " + std::to_string(p) + " has " + shapes[p].words() + ", part 0 has " +
                                 shapes[0].words() + ", expected the same");
    return shapes;
}

/// All rows lie in one part, or there are none.
template <class T, executor Executor, communicator Messages>
solve_report solve_on_one(Executor const& exec, Messages const& others, band_matrix<T> const& a,
                          columns_view<T const> d, columns_view<T> x, band_options const& options,
                          std::vector<part_shape> const& shapes) {
    solve_report mine{0, 0, -1, solve_status::ok, 0, 0};
    if (a.size > 0) {
        buffer<solve_report> report(exec, 1);
        solve_bands(exec, a, d, x, options, report.view());
        mine = exec.load(report.data());
    }
    std::vector<solve_report> const all = others.gather(mine);
    for (std::size_t p = 0; p < all.size(); ++p)
        if (shapes[p].rows > 0) return all[p];
    return mine;
}

} // namespace distributed

/// Solves op(A) X = D whose rows lie in parts, one behind the other: called by every part with its own rows, of any
/// class of solve_bands but batches, for float, double and complex of both. What sticks out of the rows of a part
/// couples them with the parts before and behind: of a tridiagonal or block tridiagonal matrix a.lower[0] and
/// a.upper[last], of a banded one the elements of its first and last rows that a matrix of these rows alone would
/// ignore. Where nothing is before or behind they are ignored, unless options.cyclic couples the first and the last
/// (block) row of the whole. `d` and `x` are a.size x k and do not overlap.
///
/// A part may have any number of (block) rows, also none. All must have the same class, block size or numbers of bands,
/// right-hand sides, and options.cyclic, operation, refinements and error_bound.
///
/// Every part returns the same report: status and backward errors of the whole system as solve_bands has them. A step
/// of refinement where the backward error is beyond the bound counts as a second try; options.refinements are steps for
/// the whole. No row of a column without a pivot and no condition number, unless all rows lie in one part: that is
/// solved as solve_bands does. Other options are those of the solves that parts do by themselves. A matrix may be
/// called singular where it is so to working precision and the backward error is beyond the bound, or the solution as
/// large as condition numbers from 1 / (4 epsilon) on make it.
///
/// Waits. Exchanges a few values five times, the most 2 w (k + w) + 3 elements of a part where w = kl + ku, or 2 b with
/// blocks of b rows; three times more for each step of refinement. The bits depend on the parts, not on timing. A part
/// is solved for k + w right-hand sides; memory beside the system: that of the matrix once more, 3 k + 2 w elements a
/// row, and the workspace of solve_bands. A part is solved as accurately as solve_bands does, but closed by the border
/// it may be of worse condition than the whole, and so steps of refinement are more frequent (docs/guide/parts.md).
///
/// Throws dimension_error and what solve_bands throws, on a part; the others then throw what `others` throws. Throws
/// argument_error on all parts where they do not fit together.
template <class T, executor Executor, communicator Messages>
solve_report solve_bands_part(Executor const& exec, Messages const& others, band_matrix<T> const& a,
                              columns_view<std::type_identity_t<T> const> d, columns_view<std::type_identity_t<T>> x,
                              band_options const& options = {}) {
    auto const shapes = distributed::agree<T>(exec, others, a, d, x, options);
    if (d.columns == 0) return {0, 0, -1, solve_status::ok, 0, 0};
    if (std::count_if(shapes.begin(), shapes.end(), [](auto const& s) { return s.rows > 0; }) < 2)
        return distributed::solve_on_one<T>(exec, others, a, d, x, options, shapes);
    using real = decltype(std::abs(T()));
    double const bound =
        options.error_bound > 0 ? options.error_bound : 50 * double(std::numeric_limits<real>::epsilon());
    distributed::band_part<T, Executor, Messages> part(exec, others, a, options, shapes, d);
    part.solve(d, x);
    part.measure(d, x);
    for (int step = 0; step < options.refinements; ++step) {
        part.refine(x, std::vector<bool>(std::size_t(d.columns), true));
        part.measure(d, x);
    }
    solve_report report = part.report(bound);
    if (options.refinements == 0 && part.refinable(report)) {
        part.refine(x, part.inaccurate(bound));
        part.measure(d, x);
        report = part.report(bound);
        report.tries = 2;
    }
    return report;
}

} // namespace coppice
