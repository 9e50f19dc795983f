// SPDX-License-Identifier: BSD-3-Clause
// Accuracy on the galleries and collections of section 2.7.1, compared with LAPACK for each system.
// tridiagonal/rpts.cpp tests Table 4, bands.cpp its 2x2 transforms.
#include <coppice/banded.hpp>

#include <cstdlib>

#include "solvers/band_reference.hpp"
#include "solvers/tridiagonal_reference.hpp"
#include "support/datasets.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/generate/partition_gallery.hpp>
#include <coppice/algebra/generate/pentadiagonal_gallery.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// Solution x ~ N(3, 1) and its right-hand side.
struct posed {
    std::vector<double> exact, rhs;
    posed(plain_rows<double> const& a, std::uint64_t seed) : exact(std::size_t(a.size())) {
        std::mt19937_64 engine(seed);
        std::normal_distribution<double> normal(3, 1);
        for (double& value : exact) value = normal(engine);
        rhs = times(a, exact, 1);
    }
};

/// Errors of one system, compared with those of LAPACK.
struct comparison {
    double ratio = 1; ///< of forward errors; 1 if neither is finite
    double backward = 0, lapack_backward = 0;
    solve_report report{};
};

template <class Executor>
comparison compare_banded(Executor const& exec, banded_storage<double> const& s, std::uint64_t seed,
                          band_options const& options) {
    auto const a = s.meaning();
    posed const p(a, seed);
    auto const ours = solve_banded_storage(exec, s, p.rhs, options);
    auto const lapack = lapack_band_solution(a, s.below, p.rhs);
    double const theirs = forward_error_of(lapack, p.exact), mine = forward_error_of(ours.x, p.exact);
    return {std::isinf(theirs) && std::isinf(mine) ? 1 : mine / theirs, backward_error_of(a, ours.x, p.rhs),
            backward_error_of(a, lapack, p.rhs), ours.reports[0]};
}

banded_storage<double> stored(banded<double> const& a) {
    banded_storage<double> s(a.size(), a.lower_bands(), a.upper_bands());
    for (int k = -s.below; k <= s.above; ++k)
        for (std::int64_t i = 0; i < s.length; ++i)
            if (i + k >= 0 && i + k < s.length) s.at(i, k) = a.bands[(k + s.below) * s.length + i];
    return s;
}

/// A matrix of L.-W. Chang's Table 6.1 with a known solution.
test::system<double> partition_system(int type, std::int64_t n, std::uint64_t seed) {
    auto const a = partition_case<double>(host_executor{1}, type, n, seed);
    test::system<double> s(n);
    std::copy(a.lower.begin(), a.lower.end(), s.lower.begin());
    std::copy(a.diagonal.begin(), a.diagonal.end(), s.diagonal.begin());
    std::copy(a.upper.begin(), a.upper.end(), s.upper.begin());
    give_solution(s, seed);
    return s;
}

} // namespace

TEST_CASE_TEMPLATE("bands: the pentadiagonal matrices of Table 6 compared with LAPACK", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    for (int id = 1; id <= pentadiagonal_case_count; ++id) {
        CAPTURE(id);
        bool const randsvd = id >= 8 && id <= 11;
        std::vector<double> ratios, refined_ratios;
        for (std::uint64_t seed = 1; seed <= (randsvd ? 3 : 5); ++seed) {
            CAPTURE(seed);
            auto const s = stored(pentadiagonal_case(host, id, randsvd ? 128 : 512, seed));
            auto const c = compare_banded(exec, s, seed, {});
            if (id == 17) refined_ratios.push_back(compare_banded(exec, s, seed, {.refinements = 1}).ratio);
            CHECK(c.report.status == solve_status::ok);
            CHECK(c.backward <= 50 * epsilon<double>);
            CHECK(c.report.tries <= (id == 17 ? 2 : 1));
            ratios.push_back(c.ratio);
        }
        // If partitions consist of whole blocks, digits are lost for matrices 12 and 17; on CUDA for 17 only. There the
        // error is 25.4 times that of LAPACK in OpenBLAS (less than 20 times that of the reference LAPACK), and after
        // refinement 4.2 times (less than 2 times).
        bool const loses_one = id == 17 && std::is_same_v<Fixture, on_cuda>;
        CHECK(median(ratios) <= (randsvd || id == 13 ? 100 : loses_one ? 30 : 10));
        if (id == 17) CHECK(median(refined_ratios) <= (loses_one ? 5 : 2));
    }
}

TEST_CASE_TEMPLATE("bands: matrices that are difficult for partitions compared with LAPACK", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const type : {2, 6, 14, 15, 16, 17, 18}) { // the others are in Table 4
        CAPTURE(type);
        // Condition numbers of 1e58 and more: the solution may overflow; then the report is not ok.
        bool const hopeless = type >= 14 && type <= 16;
        std::vector<double> ratios, scaled_ratios;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            CAPTURE(seed);
            auto const s = partition_system(type, 512, seed);
            auto const lapack = lapack_solution(s);
            auto const ours = solve_scalar(exec, s),
                       scaled = solve_scalar(exec, s, {.pivot = pivoting::scaled_partial});
            for (auto const* const answer : {&ours, &scaled}) {
                if (answer->reports[0].status == solve_status::ok)
                    CHECK(backward_error(s, answer->x) <= 50 * epsilon<double>);
                else
                    CHECK(hopeless);
                if (!hopeless) CHECK(answer->reports[0].tries <= (std::is_same_v<Fixture, on_cuda> ? 2 : 1));
            }
            ratios.push_back(forward_error(s, ours.x) / forward_error(s, lapack));
            scaled_ratios.push_back(forward_error(s, scaled.x) / forward_error(s, lapack));
        }
        if (!hopeless) {
            CHECK(median(ratios) <= 10);
            CHECK(median(scaled_ratios) <= 10);
        }
        // A row 1e15 times as large as its neighbours: LAPACK chooses wrong pivots, scaled pivoting does not.
        if (type == 18) CHECK(median(scaled_ratios) <= 1e-6);
    }
}

TEST_CASE_TEMPLATE("bands: the banded matrices of Table 9 compared with LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const folder = datasets_folder();
    if (!folder || !std::filesystem::is_directory(*folder / "banded"))
        return print_skipped("banded matrices of Table 9 (set COPPICE_DATASETS to a folder that holds banded/)");
    int files = 0;
    for (auto const& entry : std::filesystem::directory_iterator(*folder / "banded")) {
        CAPTURE(entry.path().string());
        auto const a = read_matrix_market<double>(host_executor{1}, entry.path());
        std::int64_t reach = 0;
        for (std::int64_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                reach = std::max<std::int64_t>(reach, std::abs(a.column_indices()[k] - i));
        if (reach > largest_block) continue;
        ++files;
        banded_storage<double> s(a.rows(), int(reach), int(reach));
        for (int k = -s.below; k <= s.above; ++k)
            for (std::int64_t i = 0; i < s.length; ++i)
                if (i + k >= 0 && i + k < s.length) s.at(i, k) = 0;
        for (std::int64_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                s.at(i, int(a.column_indices()[k] - i)) += a.values()[k];
        std::vector<double> ratios;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            auto const c = compare_banded(exec, s, seed, {});
            CHECK(c.report.status == solve_status::ok);
            CHECK(c.backward <= 50 * epsilon<double>);
            ratios.push_back(c.ratio);
        }
        CHECK(median(ratios) <= 10);
    }
    CHECK(files > 0);
}

TEST_CASE_TEMPLATE("bands: random bands in float are as accurate as with LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double ours = 0, plain = 0, theirs = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        auto const s = random_system<float>(1 << 15, seed);
        auto lapack = s;
        auto const n = lapack_int(s.size());
        LAPACKE_sgtsv(LAPACK_COL_MAJOR, n, 1, lapack.lower.data() + 1, lapack.diagonal.data(), lapack.upper.data(),
                      lapack.rhs.data(), n);
        theirs = std::max(theirs, forward_error(s, lapack.rhs));
        ours = std::max(ours, forward_error(s, solve_scalar(exec, s, {.method = band_method::chain}).x));
        plain = std::max(plain, forward_error(s, solve_scalar(exec, s, {.method = band_method::rpts}).x));
    }
    CHECK(ours <= 10 * theirs);
    CHECK(plain <= 10 * theirs);
}
