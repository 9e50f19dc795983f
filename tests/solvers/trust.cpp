// SPDX-License-Identifier: BSD-3-Clause
// What a report promises: no system comes back with a large backward error and status ok, and what LAPACK solves to a
// small one does so here. Judged by residuals in long double, on systems of the kinds that break solvers.
#include <coppice/banded.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/tridiagonal.hpp>

#include "algebra/block_transform.hpp"
#include "algebra/partition_gallery.hpp"
#include "algebra/pentadiagonal_gallery.hpp"
#include "solvers/band_reference.hpp"
#include "solvers/tridiagonal_reference.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

constexpr double infinity = HUGE_VAL;
double const nan_value = std::numeric_limits<double>::quiet_NaN();

/// Kinds of systems that break solvers.
enum class hard {
    plain,
    sparse,        ///< each entry is zero with probability 1/2: often singular
    integers,      ///< -1, 0, 1: exactly singular parts, equal pivots
    rows,          ///< rows of scales 1e-150 to 1e150
    columns,       ///< columns of scales 1e-100 to 1e100
    tiny,          ///< all near 1e-300
    huge,          ///< all near 1e300
    hollow,        ///< diagonal 0
    graded,        ///< entries of scales 1e-300 to 1
    nearly_parted, ///< parts of 30 rows, singular but for couplings of 1e-16
    double_root,   ///< (1, 2, 1) and its kin: solutions of the recurrence grow linearly
    cancelled,     ///< two equal rows, but for the last bits
    count
};

/// A banded matrix of one of these kinds and its right-hand side.
struct hard_system {
    banded_storage<double> a;
    std::vector<double> d;
};

hard_system make_hard(hard kind, std::int64_t n, int reach, std::uint64_t seed) {
    hard_system s{banded_storage<double>(n, reach, reach, seed), {}};
    random_values<double> random(seed * 31 + std::uint64_t(kind));
    std::vector<double> row_scale(std::size_t(n), 1.0), column_scale(std::size_t(n), 1.0);
    if (kind == hard::rows)
        for (double& scale : row_scale) scale = std::pow(10, 150 * random());
    if (kind == hard::columns)
        for (double& scale : column_scale) scale = std::pow(10, 100 * random());
    for (std::int64_t i = 0; i < n; ++i)
        for (int k = -reach; k <= reach; ++k) {
            std::int64_t const j = i + k;
            if (j < 0 || j >= n) continue;
            double& entry = s.a.at(i, k);
            switch (kind) {
            case hard::sparse:
                if (random() < 0) entry = 0;
                break;
            case hard::integers:
                entry = std::floor(1.5 * (random() + 1)) - 1;
                break;
            case hard::tiny:
                entry *= 1e-300;
                break;
            case hard::huge:
                entry *= 1e300;
                break;
            case hard::hollow:
                if (k == 0) entry = 0;
                break;
            case hard::graded:
                entry *= std::pow(10, 150 * (random() - 1));
                break;
            case hard::nearly_parted:
                entry = k == 0 ? 2 : std::abs(k) > 1 ? 0 : i / 30 == j / 30 ? -1 : 1e-16;
                if (k == 0 && (i % 30 == 0 || i % 30 == 29)) entry = 1;
                break;
            case hard::double_root:
                entry = std::abs(k) == reach ? 1 : k == 0 ? 2 * (seed % 2 == 0 ? 1 : -1) : 0;
                break;
            case hard::cancelled:
                if (i == n / 2 && i > 0 && k < reach) entry = s.a.at(i - 1, k + 1) * (1 + 1e-15 * random());
                break;
            default:
                entry *= row_scale[std::size_t(i)] * column_scale[std::size_t(j)];
            }
        }
    auto const rows = s.a.meaning();
    s.d = sides_for(rows, 1, seed);
    if (seed % 3 == 0) // not in the range of a singular matrix
        for (double& value : s.d) value = random() * (kind == hard::tiny ? 1e-300 : kind == hard::huge ? 1e300 : 1);
    return s;
}

/// What LAPACK makes of it.
struct lapack_verdict {
    bool regular;
    double backward;
    double growth; ///< |A| |x| / |d|, at most the condition number
};
lapack_verdict ask_lapack(hard_system const& s) {
    lapack_int info = 0;
    auto const a = s.a.meaning();
    auto const x = lapack_band_solution(a, s.a.below, s.d, &info);
    long double matrix = 0, solved = 0, side = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        long double row = 0;
        for (auto const& [j, value] : a.rows[i]) row += std::abs(value);
        matrix = std::max(matrix, row);
        solved = std::max(solved, std::abs((long double)(x[i])));
        side = std::max(side, std::abs((long double)(s.d[i])));
    }
    return {info == 0, backward_error_of(a, x, s.d), double(matrix * solved / side)};
}

/// Holds the report of a solution against the truth.
void check_report(hard_system const& s, std::vector<double> const& x, solve_report const& r) {
    double const bound = 50 * epsilon<double>, true_error = backward_error_of(s.a.meaning(), x, s.d);
    auto const lapack = ask_lapack(s);
    CAPTURE(r.tries);
    CAPTURE(r.backward_error);
    CAPTURE(true_error);
    CAPTURE(lapack.regular);
    CAPTURE(lapack.backward);
    if (r.status == solve_status::ok) CHECK(true_error <= bound * 1.05);
    if (std::isfinite(r.backward_error) && std::isfinite(true_error))
        CHECK(std::abs(r.backward_error - true_error) <= 4 * epsilon<double> + 0.01 * true_error);
    CAPTURE(lapack.growth);
    if (lapack.regular && lapack.backward <= bound && lapack.growth < 1e13) CHECK(r.status == solve_status::ok);
    if (!lapack.regular && r.status != solve_status::ok) CHECK(r.status != solve_status::inaccurate);
}

constexpr std::int64_t hard_sizes[] = {1, 2, 3, 5, 31, 33, 64, 100, 700};

block_storage<double> as_scalar(hard_system const& s) {
    block_storage<double> b(s.a.length, 1, 1, false);
    for (std::int64_t i = 0; i < s.a.length; ++i) {
        b.lower[std::size_t(i)] = s.a.bands[std::size_t(i)];
        b.diagonal[std::size_t(i)] = s.a.bands[std::size_t(s.a.length + i)];
        b.upper[std::size_t(i)] = s.a.bands[std::size_t(2 * s.a.length + i)];
    }
    return b;
}

} // namespace

TEST_CASE_TEMPLATE("bands: a report is true, and good where LAPACK is", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int kind = 0; kind < int(hard::count); ++kind)
        for (int reach = 1; reach <= 3; ++reach)
            for (std::int64_t const n : hard_sizes)
                for (std::uint64_t seed = 1; seed <= 6; ++seed) {
                    CAPTURE(kind);
                    CAPTURE(reach);
                    CAPTURE(n);
                    CAPTURE(seed);
                    auto const s = make_hard(hard(kind), n, reach, seed);
                    band_options const options{.pivot = seed % 2 == 0 ? pivoting::scaled_partial : pivoting::partial};
                    auto const answer = reach == 1 ? solve_blocks(exec, as_scalar(s), s.d, options)
                                                   : solve_banded_storage(exec, s.a, s.d, options);
                    check_report(s, answer.x, answer.reports[0]);
                }
}
