// SPDX-License-Identifier: BSD-3-Clause
// Well-conditioned systems for which the elimination of segments with partial pivoting has element growth. The backward
// error must be of the order of rounding errors for every matrix class, number of right-hand sides and solution method.
#include <coppice/banded.hpp>

#include "solvers/direct/block_banded/growth_families.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

// Other tests check that results do not depend on the number of threads, so one executor is enough here.
#if defined(COPPICE_TEST_CUDA)
#define COPPICE_TEST_EXECUTOR on_cuda
#else
#define COPPICE_TEST_EXECUTOR two_threads
#endif

namespace {

/// Largest condition number for which the backward error is checked.
template <class T>
constexpr double max_condition = std::is_same_v<real_of<T>, float> ? 1e3 : 1e8;

/// Checks the solutions of systems one after the other, and counts them.
template <class T, class Executor>
struct growth_checks {
    Executor const& exec;
    int checked = 0, skipped = 0;

    /// Checks every solution method for op(A) X = D if the condition number by LAPACK is moderate.
    void all(growth_case<T> const& c, matrix_operation op = matrix_operation::none) {
        auto const meaning = op == matrix_operation::none
                                 ? c.meaning
                                 : c.meaning.transposed(op == matrix_operation::conjugate_transposed);
        if (lapack_condition(meaning) > max_condition<T>) {
            ++skipped;
            return;
        }
        for (int const columns : {1, 2}) one(c, meaning, columns, op);
    }
    /// Solution of a single attempt, in the memory of the right-hand sides.
    std::vector<T> without_report(band_matrix<T> const& a, std::vector<T> const& d, int columns,
                                  band_options const& o) {
        buffer<T> x = exec.copy(d);
        columns_view<T> const view(x.data(), a.size, columns);
        solve_bands(exec, a, columns_view<T const>(x.data(), a.size, columns), view, o);
        return to_vector(exec, x);
    }
    void one(growth_case<T> const& c, plain_rows<T> const& meaning, int columns,
             matrix_operation op = matrix_operation::none) {
        CAPTURE(c.name);
        CAPTURE(columns);
        CAPTURE(int(op));
        ++checked;
        auto const lower = exec.copy(c.lower), diagonal = exec.copy(c.diagonal), upper = exec.copy(c.upper);
        band_matrix<T> a = c.matrix;
        a.lower = lower.data();
        a.diagonal = diagonal.data();
        a.upper = upper.data();
        auto const d = rhs_for(meaning, columns, std::uint64_t(columns));
        band_options const o{.cyclic = c.cyclic, .operation = op, .method = band_method::chain};
        auto const once = without_report(a, d, columns, o);
        CHECK(backward_error_of(meaning, once, d) <= 50 * epsilon<T>);
        std::vector<T> const first(d.begin(), d.begin() + a.size);
        CHECK(without_report(a, first, 1, o) == std::vector<T>(once.begin(), once.begin() + a.size));
        auto const solved = solve_matrix(exec, a, d, o);
        CHECK(backward_error_of(meaning, solved.x, d) <= 100 * epsilon<T>);
        CHECK(solved.reports[0].status != solve_status::singular);
        if (columns > 2) return;

        auto const rhs_count = exec.copy(d);
        buffer<T> x(exec, std::int64_t(d.size()));
        buffer<std::int64_t> singular(exec, 1);
        buffer<std::byte> factor(exec, bands_factor_bytes(exec, a, o));
        factorise_bands(exec, a, factor.view(), o, singular.view());
        buffer<std::byte> workspace(exec, factored_workspace(exec, a, columns, o));
        solve_factored_bands(exec, a, factor.view(), columns_view<T const>(rhs_count.data(), a.size, columns),
                             columns_view<T>(x.data(), a.size, columns), workspace.view(), o);
        CHECK(backward_error_of(meaning, to_vector(exec, x), d) <= 100 * epsilon<T>);
        CHECK(to_vector(exec, singular)[0] == -1);
    }
};

template <class T, class Executor>
void check_ones(Executor const& exec) {
    growth_checks<T, Executor> of{exec};
    for (int k = 1; k <= 8; ++k) {
        for (std::int64_t const n : {9, 129, 400})
            for (bool const transposed : {false, true}) of.all(grcar<T>(n, k, transposed));
        of.all(grcar<T>(300, k, false), matrix_operation::transposed);
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            int const above = 1 + int(7 * seed + std::uint64_t(k)) % 8;
            of.all(toeplitz_of_ones<T>(129, k, above, seed));
            of.all(bands_of_ones<T>(129, k, above, seed));
            of.all(bands_of_ones<T>(300, k, k, seed));
            of.all(blocks_of_ones<T>(160 / k, k, seed, seed == 2));
        }
    }
    CHECK(of.checked > 60);
}

template <class T, class Executor>
void check_boundary_values(Executor const& exec) {
    growth_checks<T, Executor> of{exec};
    constexpr auto transposed = is_complex<T> ? matrix_operation::conjugate_transposed : matrix_operation::transposed;
    for (int n = 1; n <= 8; ++n)
        for (double const h : {0.1, 0.3, 1.0}) {
            bool const shooting = h == 1.0 || n % 2 == 0;
            auto const c = boundary_value_problem<T>(120 / n + 33, n, h, shooting, std::uint64_t(n));
            if (n <= 2)
                CHECK(lapack_condition(c.meaning) <
                      500); // implies the same for the larger ones, whose condition number takes long to compute
            for (int const columns : {1, 2}) of.one(c, c.meaning, columns);
            of.one(c, c.meaning.transposed(is_complex<T>), 1, transposed);
        }
    for (std::int64_t const n : {10, 300}) {
        for (double const lambda : {10.0, 1000.0}) of.all(collocation<T>(n, lambda));
        for (int const reach : {1, 2}) of.all(compact_scheme<T>(n, 1.0 / 3, 2, reach));
        of.all(compact_scheme<T>(n, 0.25, 5, 1));
    }
    CHECK(of.checked > 40);
}

template <class T, class Executor>
void check_shrinking(Executor const& exec) {
    growth_checks<T, Executor> of{exec};
    for (int const first : {0, 1})
        for (double const t : {1e-2, 1e-4, 1e-6}) {
            for (int const reach : {1, 2, 3})
                for (std::int64_t const n : {33, 400}) of.all(shrinking_bands<T>(n, reach, t, first));
            for (int n = 1; n <= 5; ++n)
                for (bool const cyclic : {false, true}) of.all(shrinking_blocks<T>(400 / n, n, t, first, cyclic));
        }
    // Real bands with fewer rows are not eliminated in segments on the host.
    for (int const reach : {1, 2}) of.all(shrinking_bands<T>(3000, reach, 1e-6, reach - 1));
    CHECK(of.checked > 40);
}

} // namespace

TEST_CASE_TEMPLATE("bands: accurate if rows shrink and grow again", Fixture, COPPICE_TEST_EXECUTOR) {
    auto const exec = Fixture::exec();
    check_shrinking<double>(exec);
    check_shrinking<float>(exec);
    check_shrinking<std::complex<double>>(exec);
    check_shrinking<std::complex<float>>(exec);
}

// Reflections mix rows: padding rows must not be larger than those of the matrix.
TEST_CASE_TEMPLATE("bands: reflected segments of cyclic systems with padding rows are accurate", Fixture,
                   COPPICE_TEST_EXECUTOR) {
    auto const check = [&]<class T>(T) {
        auto const exec = Fixture::exec();
        for (std::int64_t const n : {33, 40, 97, 385, 3001}) {
            CAPTURE(n);
            auto const s = growing_cycle<T>(n);
            auto const meaning = s.meaning(true);
            auto const d = times(meaning, std::vector<T>(std::size_t(n), T(1)), 1);
            blocks_on<T, decltype(exec)> const a(exec, s);
            auto const x = growth_checks<T, decltype(exec)>{exec}.without_report(
                a.matrix, d, 1, {.cyclic = true, .method = band_method::chain});
            CHECK(backward_error_of(meaning, x, d) <= 20 * epsilon<T>);
        }
    };
    check(double());
    check(float());
    check(std::complex<double>());
}

TEST_CASE_TEMPLATE("bands: no growth in matrices of ones", Fixture, COPPICE_TEST_EXECUTOR) {
    auto const exec = Fixture::exec();
    check_ones<double>(exec);
    check_ones<float>(exec);
    check_ones<std::complex<double>>(exec);
    check_ones<std::complex<float>>(exec);
}

TEST_CASE_TEMPLATE("bands: no growth in boundary value problems", Fixture, COPPICE_TEST_EXECUTOR) {
    auto const exec = Fixture::exec();
    check_boundary_values<double>(exec);
    check_boundary_values<float>(exec);
    check_boundary_values<std::complex<double>>(exec);
    check_boundary_values<std::complex<float>>(exec);
}

TEST_CASE_TEMPLATE("bands: no growth in long systems and with many right-hand sides", Fixture, COPPICE_TEST_EXECUTOR) {
    auto const exec = Fixture::exec();
    growth_checks<double, decltype(exec)> of{exec};
    for (int const k : {2, 4, 5, 8}) {
        auto const c = grcar<double>(5000, k, true); // condition below 40 for all sizes
        of.one(c, c.meaning, 1);
        of.one(c, c.meaning, 33);
    }
    auto const longest = grcar<float>(1000000, 3, true);
    growth_checks<float, decltype(exec)>{exec}.one(longest, longest.meaning, 1);
}

namespace {

/// A boundary value problem with growing modes, decaying modes and a constant mode, whose periodic boundary conditions
/// make it singular. Its unknowns are transformed, so that the stored matrix is singular up to rounding errors only.
template <class T>
growth_case<T> singular_problem(std::int64_t rows, int n) {
    auto const modes = dichotomic(n - 1, 1);
    std::vector<double> m(std::size_t(n * n), 0.0), other(m);
    for (int c = 0; c < n - 1; ++c)
        for (int r = 0; r < n - 1; ++r) m[std::size_t(c * n + r)] = modes[std::size_t(c * (n - 1) + r)];
    for (int c = 0; c < n; ++c)
        for (int r = c; r < n; ++r) other[std::size_t(c * n + r)] = r == c ? 1 : 0.5;
    auto const step = exponential(m, n, 1.0);
    block_storage<T> s(rows, n, 1, true);
    for (std::int64_t i = 0; i < rows; ++i)
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < n; ++r) {
                double sum = 0;
                for (int l = 0; l < n; ++l) sum += step[std::size_t(l * n + r)] * other[std::size_t(c * n + l)];
                std::size_t const at = std::size_t(i * n * n + c * n + r);
                double const here = other[std::size_t(c * n + r)];
                s.upper[at] = T(0);
                s.diagonal[at] = T(real_of<T>(here));
                s.lower[at] = T(real_of<T>(i == 0 ? -here : -sum));
            }
    return {"singular", s, true};
}

template <class T, class Executor>
void check_singular(Executor const& exec) {
    for (int const n : {3, 5, 7}) {
        CAPTURE(n);
        auto const c = singular_problem<T>(100, n);
        auto const lower = exec.copy(c.lower), diagonal = exec.copy(c.diagonal), upper = exec.copy(c.upper);
        band_matrix<T> const a(block_tridiagonal_view<T>{100, n, lower.data(), diagonal.data(), upper.data()});
        std::vector<T> const d(std::size_t(a.size), T(1));
        band_options const o{.cyclic = true, .method = band_method::chain};
        auto const solved = solve_matrix(exec, a, d, o);
        CHECK(solved.reports[0].status == solve_status::singular);
        buffer<std::byte> factor(exec, bands_factor_bytes(exec, a, o));
        buffer<std::int64_t> singular(exec, 1);
        factorise_bands(exec, a, factor.view(), o, singular.view());
        CHECK(to_vector(exec, singular)[0] >= 0);
    }
}

} // namespace

TEST_CASE_TEMPLATE("bands: singular systems with element growth are reported as singular", Fixture,
                   COPPICE_TEST_EXECUTOR) {
    auto const exec = Fixture::exec();
    check_singular<double>(exec);
    check_singular<float>(exec);
    check_singular<std::complex<double>>(exec);
}

TEST_CASE_TEMPLATE("bands: powers of two change no bit of a system with element growth", Fixture,
                   COPPICE_TEST_EXECUTOR) {
    auto const exec = Fixture::exec();
    using T = std::complex<double>;
    for (int const n : {1, 3}) {
        auto c = boundary_value_problem<T>(512, n, 1.0, true, 1);
        auto const d = rhs_for(c.meaning, 1, 1);
        auto const solve = [&] {
            auto const lower = exec.copy(c.lower), diagonal = exec.copy(c.diagonal), upper = exec.copy(c.upper);
            block_tridiagonal_view<T> const a{512, n, lower.data(), diagonal.data(), upper.data()};
            return solve_matrix(exec, band_matrix<T>(a), d, {.cyclic = true, .operation = matrix_operation::transposed})
                .x;
        };
        auto const x = solve();
        for (int const power : {-600, -3, 700}) {
            CAPTURE(power);
            for (auto* const band : {&c.lower, &c.diagonal, &c.upper})
                for (T& value : *band) value *= std::ldexp(1.0, power);
            auto scaled = solve();
            for (T& value : scaled) value *= std::ldexp(1.0, power);
            CHECK(scaled == x);
            for (auto* const band : {&c.lower, &c.diagonal, &c.upper})
                for (T& value : *band) value *= std::ldexp(1.0, -power);
        }
    }
}
