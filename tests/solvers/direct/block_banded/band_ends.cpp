// SPDX-License-Identifier: BSD-3-Clause
// Elimination from both ends on the host: wide bands, and small systems with any bands.
#include <coppice/banded.hpp>
#include <coppice/tridiagonal.hpp>

#include <coppice/solvers/direct/block_banded/chain_host.hpp>
#include <coppice/solvers/direct/solve/band_rows.hpp>

#include <cmath>
#include <limits>

#include "solvers/band_reference.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Sizes around every limit at which the elimination changes: rows are copied 1, 4 or 8 at a time, fronts have 4, 8,
/// 10,
/// ... columns but at most one for each row, systems of up to 128 rows pass one front, tiles of ends hold 32 rows,
/// fronts may be saved every 512 steps of either end, systems with one or two bands are split into segments from 2049
/// rows on, and each end has its own thread from 4096 rows on.
constexpr std::int64_t sizes[] = {1,  2,  3,  4,  5,   7,   8,   9,   10,   11,   12,   13,   15,   16,   17,
                                  31, 33, 64, 65, 128, 129, 131, 200, 1032, 1040, 1041, 1042, 2048, 2049, 4500};

/// Random bands, with a large diagonal if one side has more bands than the other, since such recurrences grow
/// otherwise.
template <class T>
banded_storage<T> bands_of(std::int64_t n, int lower, int upper, std::uint64_t seed) {
    banded_storage<T> s(n, lower, upper, seed);
    if (lower != upper)
        for (std::int64_t i = 0; i < n; ++i) s.at(i, 0) += T(lower + upper + 1);
    return s;
}

/// Random bands in which column `zero` is empty.
banded_storage<double> without_column(std::int64_t n, int reach, std::int64_t zero) {
    banded_storage<double> s(n, reach, reach, 31);
    for (std::int64_t i = 0; i < n; ++i)
        for (int k = -reach; k <= reach; ++k)
            if (i + k == zero) s.at(i, k) = 0;
    return s;
}

template <class T, class Executor>
void check_solution(Executor const& exec, banded_storage<T> const& s, band_options const& options) {
    auto const plain = s.meaning();
    auto const rows = options.operation == matrix_operation::none ? plain : plain.transposed(false);
    auto const d = rhs_for(rows, 1, 7);
    auto const found = solve_banded_storage(exec, s, d, options);
    CHECK(found.reports[0].status == solve_status::ok);
    CHECK(found.reports[0].tries == 1);
    CHECK(backward_error_of(rows, found.x, d) < 50 * epsilon<T>);
}

template <class T>
std::vector<T> column_of(std::vector<T> const& all, std::int64_t n, std::int64_t c) {
    return {all.begin() + c * n, all.begin() + (c + 1) * n};
}

} // namespace

TEST_CASE_TEMPLATE("bands: every mix of bands, at every size where the elimination changes", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const step = races_watched ? 4 : sanitized ? 2 : 1;
    for (int lower = 0; lower <= 8; lower += step)
        for (int upper = 0; upper <= 8; upper += step)
            for (std::int64_t const n : sizes) {
                if (n > 200 && lower != upper && (n > 1032 || std::max(lower, upper) < 5)) continue;
                CAPTURE(lower);
                CAPTURE(upper);
                CAPTURE(n);
                auto const seed = std::uint64_t(n * 100 + lower * 10 + upper);
                if (!sanitized || (lower + upper) % 4 == 0)
                    check_solution(exec, bands_of<double>(n, lower, upper, seed), {});
                if (!sanitized || (lower + upper) % 4 == 2)
                    check_solution(exec, bands_of<float>(n, lower, upper, seed),
                                   {.operation = matrix_operation::transposed});
            }
}

TEST_CASE_TEMPLATE("bands: random signs, for which segments would grow, are as accurate as by gbsv", Fixture,
                   COPPICE_TEST_EXECUTORS) {
#if defined(COPPICE_TEST_CUDA)
    return; // eliminated in segments
#endif
    auto const exec = Fixture::exec();
    for (int const reach : {5, 6, 7, 8})
        for (std::int64_t const n : {129, 1000, 5000}) {
            CAPTURE(reach);
            CAPTURE(n);
            banded_storage<double> signs(n, reach, reach, std::uint64_t(n + reach));
            for (double& value : signs.bands)
                value = value < 0 ? -1 : 1; // NaN outside of the matrix becomes 1 and is not read
            check_solution(exec, signs, {});
        }
}

TEST_CASE_TEMPLATE(
    "bands: the same bits for one right-hand side and for several, on one thread and on two, in position", Fixture,
    COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const reach : ends_for_races({1, 2, 3, 4, 5, 8}))
        for (std::int64_t const n : {3, 16, 17, 33, 129, 1500, 2049, 4500}) {
            if (sanitized && n == 4500 && reach != 8) continue; // two threads: the same for every reach
            CAPTURE(reach);
            CAPTURE(n);
            auto const s = bands_of<double>(n, reach, reach, std::uint64_t(n + reach));
            auto const d = rhs_for(s.meaning(), 10, 3); // more than are solved together
            auto const x = solve_banded_storage(exec, s, d).x;
            for (std::int64_t const c : {0, 5, 9}) {
                auto const alone = solve_banded_storage(exec, s, column_of(d, n, c)).x;
                CHECK(alone == column_of(x, n, c));
            }
            auto const bands = exec.copy(s.bands);
            auto in_place = exec.copy(d);
            solve_bands(exec, band_matrix<double>(banded_view<double>{n, reach, reach, bands.data()}),
                        columns_view<double const>(in_place.data(), n, 10),
                        columns_view<double>(in_place.data(), n, 10));
            CHECK(to_vector(exec, in_place) == x);
#if !defined(COPPICE_TEST_CUDA)
            CHECK(solve_banded_storage(host_executor{1}, s, d).x == x);
#endif
        }
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("bands: pivot rows that are not saved are recomputed with the same bits") {
    for (int const threads : {1, 2})
        for (int const reach : ends_for_races({1, 3, 5, 8}))
            for (std::int64_t const n : {129, 1032, 1040, 1041, 1042, 2049, 4500}) {
                CAPTURE(threads);
                CAPTURE(reach);
                CAPTURE(n);
                host_executor const exec(threads);
                auto const s = bands_of<double>(n, reach, reach, std::uint64_t(3 * n + reach));
                auto const d = rhs_for(s.meaning(), 2, 11);
                auto const rows =
                    chain::rows_of(band_matrix<double>(banded_view<double>{n, reach, reach, s.bands.data()}), {});
                auto const solved = [&](std::int64_t max_saved) {
                    std::vector<double> x(d.size());
                    buffer<std::byte> memory(exec, chain::ends_bytes(rows, 2, max_saved));
                    chain::matrix_block_rows<double> const block_rows{rows, d.data(), x.data(), n, n, 2, nullptr};
                    chain::solve_from_ends(exec, block_rows, {}, memory.data(), nullptr, max_saved);
                    return x;
                };
                auto const saved = solved(std::int64_t(1) << 30);
                CHECK(solved(0) == saved);
                CHECK(backward_error_of(s.meaning(), column_of(saved, n, 1), column_of(d, n, 1)) <
                      50 * epsilon<double>);
            }
}

TEST_CASE("bands: fewer right-hand sides never need more memory") {
    for (std::int64_t const n : {1000, 4500})
        for (std::int64_t max_saved = 1 << 14; max_saved < std::int64_t(1) << 22; max_saved += max_saved / 16) {
            banded_storage<double> const s(n, 8, 8);
            auto const rows = chain::rows_of(band_matrix<double>(banded_view<double>{n, 8, 8, s.bands.data()}), {});
            CHECK(chain::ends_bytes(rows, 1, max_saved) <= chain::ends_bytes(rows, 8, max_saved));
        }
}
#endif

TEST_CASE_TEMPLATE("bands: a column without a pivot is reported, at any position and width", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const reach : {2, 4, 5, 8})
        for (std::int64_t const n : {1, 5, 16, 17, 33, 140, 1200})
            for (std::int64_t const at : {std::int64_t(0), n / 3, n / 2, n - 1}) {
                CAPTURE(reach);
                CAPTURE(n);
                CAPTURE(at);
                auto const s = without_column(n, reach, at);
                std::vector<double> const d(std::size_t(n), 1.0);
                lapack_int info = 0;
                lapack_band_solution(s.meaning(), reach, d, &info);
                auto const report = solve_banded_storage(exec, s, d).reports[0];
                CHECK(report.status == solve_status::singular);
                CHECK(report.row == at);
                CHECK(info == at + 1);
            }
}

TEST_CASE_TEMPLATE("bands: NaN at any position propagates in wide bands and small systems", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double const nan = std::numeric_limits<double>::quiet_NaN();
    for (int const reach : {2, 5, 8})
        for (std::int64_t const n : {9, 17, 60, 140, 1100})
            for (std::int64_t const at : {std::int64_t(0), n / 2, n - 1}) {
                CAPTURE(reach);
                CAPTURE(n);
                CAPTURE(at);
                auto s = bands_of<double>(n, reach, reach, 5);
                auto d = rhs_for(s.meaning(), 1, 3);
                s.at(at, 0) = nan;
                CHECK(solve_banded_storage(exec, s, d).reports[0].status == solve_status::not_finite);
                s.at(at, 0) = 1;
                d[std::size_t(at)] = nan;
                CHECK(solve_banded_storage(exec, s, d).reports[0].status == solve_status::not_finite);
            }
}

TEST_CASE_TEMPLATE("bands: thresholds and scaled pivoting of wide bands and small systems", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const reach : {2, 5, 8})
        for (std::int64_t const n : {12, 60, 140, 1100}) {
            CAPTURE(reach);
            CAPTURE(n);
            // Rows with different powers of two as scale: scaled pivoting gives the same bits as for rows of equal
            // scale.
            auto const alike = bands_of<double>(n, reach, reach, 9);
            auto scaled = alike;
            auto const d = rhs_for(alike.meaning(), 1, 3);
            auto scaled_rhs = d;
            for (std::int64_t i = 0; i < n; ++i) {
                double const factor = std::ldexp(1.0, int(i * 37 % 200) - 100);
                for (int k = -reach; k <= reach; ++k) scaled.at(i, k) *= factor;
                scaled_rhs[std::size_t(i)] *= factor;
            }
            band_options const o{.pivot = pivoting::scaled_partial};
            CHECK(solve_banded_storage(exec, scaled, scaled_rhs, o).x == solve_banded_storage(exec, alike, d, o).x);
            // A column of values below the threshold counts as zero, so the matrix is singular.
            auto noisy = without_column(n, reach, n / 2);
            for (std::int64_t i = 0; i < n; ++i)
                for (int k = -reach; k <= reach; ++k)
                    if (i + k == n / 2) noisy.at(i, k) = 1e-13;
            auto const flushed = solve_banded_storage(exec, noisy, d, {.threshold = 1e-9}).reports[0];
            CHECK(flushed.status == solve_status::singular);
            CHECK(flushed.row == n / 2);
        }
}
