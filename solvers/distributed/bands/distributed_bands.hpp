// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solves of distributed banded and block tridiagonal systems, every class of solve_bands: the SPIKE algorithm
/// (L.-W. Chang, thesis, 2014, section 3.3.1) with the solver of one executor on each rank.
///
/// The n rows of a rank read w unknowns before them and v unknowns after them, where w and v are the bandwidths (or the
/// block size). With w and v artificial interface rows (band_rank_rows.hpp) they form a square system,
///
///     | b_0  b_1            |  x_before      g
///     |  B    A    C        |  x          =  d
///     |      c_0  c_1       |  x_after       h,
///
/// which each rank solves for d with g = h = 0, and for the unit vectors of g and h; these solutions are the spikes.
/// The ranks exchange, once, the values of all solutions at both ends. The w + v unknowns at a rank boundary have
/// values on both sides; that these are equal gives a linear system for all g and h (interface_system.hpp), which every
/// rank solves. Then x is a linear combination of the solutions.
///
/// The rows of a rank may be singular on their own, and a rank may have any number of rows.
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

namespace coppice::inline v0_1 {
namespace distributed {

/// Exchanges the shapes. Throws on all ranks if they do not match, and on this rank if an argument is invalid.
template <class T, executor Executor, communicator Messages>
std::vector<rank_shape> agree(Executor const& exec, Messages const& comm, band_matrix<T> const& a,
                              columns_view<T const> d, columns_view<T> x, band_options const& options) {
    std::string const name = "solve_bands_distributed: ";
    static_cast<void>(bands_workspace(exec, a, d.columns, options, true)); // throws for invalid matrices and options
    if (a.systems != 1 || a.offsets) throw argument_error(name + "a batch, expected one system in ranks");
    require_size("right-hand side rows of solve_bands_distributed", d.rows, a.size);
    require_size("solution rows of solve_bands_distributed", x.rows, a.size);
    require_size("solution columns of solve_bands_distributed", x.columns, d.columns);
    if (d.leading < a.size || x.leading < a.size)
        throw argument_error(name + "leading dimensions are " + std::to_string(d.leading) + " and " +
                             std::to_string(x.leading) + ", expected at least " + std::to_string(a.size));
    if (a.size > 0 && d.columns > 0) {
        if (!a.diagonal || (a.lower_bands < 0 && (!a.lower || !a.upper)) || !d.pointer || !x.pointer)
            throw argument_error(name + "null pointer to " + std::to_string(a.size) + " rows");
        std::int64_t const bytes = sizeof(T), last = d.columns - 1;
        require_no_overlap({"the solution", x.pointer, (last * x.leading + x.rows) * bytes},
                           {"the right-hand side", d.pointer, (last * d.leading + d.rows) * bytes}, name);
    }
    std::vector<rank_shape> shapes =
        comm.gather(rank_shape{a.size, d.columns, shape_of(a), int(options.cyclic), int(options.operation),
                               options.refinements, options.error_bound});
    for (std::size_t p = 1; p < shapes.size(); ++p)
        if (!shapes[p].fits(shapes[0]))
            throw argument_error(name + "rank " + std::to_string(p) + " has " + shapes[p].description() +
                                 ", rank 0 has " + shapes[0].description() + ", expected the same");
    return shapes;
}

/// The case that all rows belong to one rank, or that there are none.
template <class T, executor Executor, communicator Messages>
solve_report solve_on_one(Executor const& exec, Messages const& comm, band_matrix<T> const& a, columns_view<T const> d,
                          columns_view<T> x, band_options const& options, std::vector<rank_shape> const& shapes) {
    solve_report mine{0, 0, -1, solve_status::ok, 0, 0};
    if (a.size > 0) {
        buffer<solve_report> report(exec, 1);
        solve_bands(exec, a, d, x, options, report.view());
        mine = exec.load(report.data());
    }
    std::vector<solve_report> const all = comm.gather(mine);
    for (std::size_t p = 0; p < all.size(); ++p)
        if (shapes[p].rows > 0) return all[p];
    return mine;
}

} // namespace distributed

/// Solves op(A) X = D for a matrix that is distributed by contiguous blocks of rows, of any class of solve_bands except
/// batches; T is float, double or complex of both. Collective: every rank passes its own rows. Entries of these rows
/// outside of the square block of the rank couple it with the ranks before and after: for tridiagonal and block
/// tridiagonal matrices a.lower[0] and a.upper[last], for banded matrices the elements of the first and last rows that
/// a matrix of these rows alone ignores. At the ends of the whole matrix they are ignored, unless options.cyclic
/// couples the first and the last (block) row. `d` and `x` are a.size x k and do not overlap.
///
/// A rank may have any number of (block) rows, including none. All ranks must pass the same class, block size or
/// bandwidths, number of right-hand sides, and options.cyclic, operation, refinements and error_bound.
///
/// Every rank returns the same report: status and backward errors of the whole system, defined as for solve_bands. If
/// the backward error exceeds the bound, steps of refinement follow as long as each halves it, at most eight; together
/// they count as a second attempt. options.refinements are steps for the whole system instead. The report has no row of
/// a missing pivot and no condition number, unless all rows belong to one rank, which then calls solve_bands. Other
/// options apply to the local solves. A matrix may be reported as singular if it is singular to working precision and
/// either the backward error exceeds the bound or the solution is so large that the condition number is at least 1 / (4
/// epsilon).
///
/// Synchronises. Communication: five exchanges of a few values per rank, at most 2 w (k + w) + 3 elements with w = kl +
/// ku, or w = 2 b for blocks of b rows; three more for each step of refinement. The bits of the result depend on the
/// distribution of the rows, not on timing. Cost: each rank solves for k + w right-hand sides. Additional memory: a
/// copy of the matrix, 3 k + 2 w elements per row, and the workspace of solve_bands. Accuracy: that of solve_bands on
/// each rank; but the closed system may be worse conditioned than the whole matrix, so refinement is more frequent
/// (docs/guide/parts.md).
///
/// Throws, on a rank, dimension_error and the errors of solve_bands; the other ranks then throw the error of the
/// communicator. Throws argument_error on all ranks if their arguments do not match.
template <class T, executor Executor, communicator Messages>
solve_report solve_bands_distributed(Executor const& exec, Messages const& comm, band_matrix<T> const& a,
                                     columns_view<std::type_identity_t<T> const> d,
                                     columns_view<std::type_identity_t<T>> x, band_options const& options = {}) {
    auto const shapes = distributed::agree<T>(exec, comm, a, d, x, options);
    if (d.columns == 0) return {0, 0, -1, solve_status::ok, 0, 0};
    if (std::count_if(shapes.begin(), shapes.end(), [](auto const& s) { return s.rows > 0; }) < 2)
        return distributed::solve_on_one<T>(exec, comm, a, d, x, options, shapes);
    using real = decltype(std::abs(T()));
    double const bound =
        options.error_bound > 0 ? options.error_bound : 50 * double(std::numeric_limits<real>::epsilon());
    distributed::band_rank<T, Executor, Messages> own(exec, comm, a, options, shapes, d);
    own.solve(d, x);
    own.measure(d, x);
    for (int step = 0; step < options.refinements; ++step) {
        own.refine(x, std::vector<bool>(std::size_t(d.columns), true));
        own.measure(d, x);
    }
    solve_report report = own.report(bound);
    if (options.refinements > 0) return report;
    constexpr int max_steps = 8;
    for (int step = 0; step < max_steps && own.can_refine(report); ++step) {
        double const before = report.backward_error;
        own.refine(x, own.inaccurate(bound));
        own.measure(d, x);
        report = own.report(bound);
        report.tries = 2;
        if (!(report.backward_error <= before / 2)) break;
    }
    return report;
}

} // namespace coppice::inline v0_1
