// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/tridiagonal.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "solvers/tridiagonal_reference.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"
#include <coppice/core/cuda/cuda_executor.hpp>
#if !defined(COPPICE_TEST_CUDA)
#include "support/failing_memory.hpp"
#else
#include <cuda_runtime_api.h>
#endif

using namespace coppice;
using namespace coppice::test;

namespace {

constexpr pivoting pivotings[] = {pivoting::none, pivoting::partial, pivoting::scaled_partial};

/// Solves on `exec`, in place of the right-hand side when `alias`.
template <class Executor, class T>
std::vector<T> solve_on(Executor const& exec, test::system<T> const& s, tridiagonal_options options = {},
                        bool alias = false) {
    auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    auto rhs = exec.copy(s.rhs);
    buffer<T> x(exec, s.size());
    tridiagonal_view<T> const a{s.size(), lower.data(), diagonal.data(), upper.data()};
    auto const to = alias ? rhs.view() : x.view();
    solve_tridiagonal(exec, a, rhs.view(), to, options);
    return to_vector(exec, to);
}
/// Solves by RPTS without the check that x is finite.
template <class Executor, class T>
std::vector<T> solve_by_rpts_alone(Executor const& exec, test::system<T> const& s, tridiagonal_options options) {
    auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    auto const rhs = exec.copy(s.rhs);
    buffer<T> x(exec, s.size());
    buffer<std::byte> workspace(exec, tridiagonal_workspace<T>(s.size()));
    tridiagonal_view<T> const a{s.size(), lower.data(), diagonal.data(), upper.data()};
    solve_tridiagonal_by_rpts(exec, a, rhs.view(), x.view(), workspace.view(), options);
    return to_vector(exec, x);
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
double largest(std::vector<T> const& x) {
    double result = 0;
    for (T const value : x) result = std::max(result, std::isnan(value) ? HUGE_VAL : std::abs(double(value)));
    return result;
}

template <class T>
test::system<T> constant_system(std::int64_t n, T lower, T diagonal, T upper, T rhs) {
    test::system<T> s(n);
    std::fill(s.lower.begin(), s.lower.end(), lower);
    std::fill(s.diagonal.begin(), s.diagonal.end(), diagonal);
    std::fill(s.upper.begin(), s.upper.end(), upper);
    std::fill(s.rhs.begin(), s.rhs.end(), rhs);
    s.spoil_corners();
    return s;
}

/// Sizes around the boundaries of partitions, tiles, tasks and levels of both backends.
std::vector<std::int64_t> boundary_sizes() {
    std::vector<std::int64_t> sizes;
    for (std::int64_t n = 0; n <= 200; n += races_watched ? 7 : 1) sizes.push_back(n);
    for (std::int64_t const boundary :
         {8 * 32, 16 * 32, 32 * 31, 32 * 32, 2 * 992, 8192, 5120, 10240, 10912, 16384, 20000})
        for (std::int64_t n = boundary - 2; n <= boundary + 2; n += races_watched ? 2 : 1) sizes.push_back(n);
    sizes.push_back(70001);
    return sizes;
}

} // namespace

TEST_CASE_TEMPLATE("tridiagonal: as accurate as LAPACK on the twenty matrices of Table 4", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial}) {
            CAPTURE(id);
            CAPTURE(int(pivot));
            int const seeds = id >= 8 && id <= 11 ? 5 : 20; // randsvd matrices are expensive to generate
            accuracy const result = compare_accuracy(
                id, 512, seeds, [&](test::system<double> const& s) { return solve_on(exec, s, {pivot}); });
            if (!ill_conditioned(id)) CHECK(result.median_ratio <= 10);
            CHECK(result.worst_backward_error <= 100 * epsilon);
        }
}

TEST_CASE_TEMPLATE("tridiagonal: matrices that need pivoting are inaccurate without it", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const id : {14, 15, 16}) {
        CAPTURE(id);
        accuracy const result = compare_accuracy(
            id, 512, 5, [&](test::system<double> const& s) { return solve_by_rpts_alone(exec, s, {pivoting::none}); });
        CHECK(result.worst_backward_error > 1e-10);
    }
    // diagonally dominant matrices do not need pivoting
    for (int const id : {2, 6, 7, 17, 18, 19, 20}) {
        CAPTURE(id);
        accuracy const result = compare_accuracy(
            id, 512, 5, [&](test::system<double> const& s) { return solve_on(exec, s, {pivoting::none}); });
        CHECK(result.median_ratio <= 10);
    }
}

TEST_CASE_TEMPLATE("tridiagonal: every size, with any values in the corner entries", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : boundary_sizes()) {
        CAPTURE(n);
        auto const s = random_system<double>(n, std::uint64_t(n) + 5);
        auto const f = random_system<float>(n, std::uint64_t(n) + 6);
        for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial}) {
            double const worse = test::expected<std::remove_const_t<decltype(exec)>>::partition_growth;
            CHECK(backward_error(s, solve_on(exec, s, {pivot})) <= worse * 1e-13);
            CHECK(backward_error(f, solve_on(exec, f, {pivot})) <= worse * 1e-4);
        }
        // With a small diagonal, partitions of odd length have a nearly singular inner matrix.
        if (n % 2 == 0) {
            auto const zero_diagonal = constant_system<double>(n, 1, 1e-8, 1, 3);
            CHECK(backward_error(zero_diagonal, solve_on(exec, zero_diagonal)) <= 1e-14);
        }
        auto const dominant = constant_system<double>(n, -1, 4, 1, 3);
        CHECK(backward_error(dominant, solve_on(exec, dominant, {pivoting::none})) <= 1e-15);
    }
}

TEST_CASE_TEMPLATE("tridiagonal: batches with many right-hand sides, in place, with and without NaN", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    struct shape {
        std::int64_t rows, systems, columns;
    };
    auto const check = [&]<class T>(shape const s, double bound, std::int64_t poisoned) {
        CAPTURE(s.rows);
        CAPTURE(s.systems);
        CAPTURE(s.columns);
        std::int64_t const all = s.rows * s.systems, leading = all + 5;
        std::vector<T> lower, diagonal, upper, rhs(std::size_t(leading * s.columns), T(7));
        std::vector<test::system<T>> pairs; // [system][column]
        for (std::int64_t k = 0; k < s.systems; ++k) {
            auto one = random_system<T>(s.rows, std::uint64_t(50 + k));
            one.spoil_corners();
            for (auto& value : one.lower)
                if (k == poisoned) value = std::numeric_limits<T>::quiet_NaN();
            lower.insert(lower.end(), one.lower.begin(), one.lower.end());
            diagonal.insert(diagonal.end(), one.diagonal.begin(), one.diagonal.end());
            upper.insert(upper.end(), one.upper.begin(), one.upper.end());
            for (std::int64_t c = 0; c < s.columns; ++c) {
                for (std::size_t i = 0; i < one.rhs.size(); ++i) one.rhs[i] = T(std::sin(double(i) + 3.0 * double(c)));
                std::copy(one.rhs.begin(), one.rhs.end(), rhs.begin() + c * leading + k * s.rows);
                pairs.push_back(one);
            }
        }
        auto const low = exec.copy(lower), mid = exec.copy(diagonal), up = exec.copy(upper);
        auto x = exec.copy(rhs);
        rpts::system_view<T> batch{s.rows,    low.data(), mid.data(), up.data(), x.data(), x.data(),
                                   s.systems, s.columns,  s.rows,     leading,   leading};
        buffer<std::byte> memory(exec, tridiagonal_batch_workspace(exec, batch));
        auto flag = exec.copy(std::vector<int>{0});
        batch.not_finite = flag.data();
        solve_tridiagonal_batch(exec, batch, memory.view());
        auto const result = to_vector(exec, x.view());
        CHECK((exec.load(flag.data()) != 0) ==
              std::any_of(result.begin(), result.end(), [](T value) { return !std::isfinite(value); }));
        for (std::int64_t k = 0; k < s.systems; ++k)
            for (std::int64_t c = 0; c < s.columns; ++c) {
                auto const first = result.begin() + c * leading + k * s.rows;
                std::vector<T> const mine(first, first + s.rows);
                CAPTURE(k);
                CAPTURE(c);
                if (k == poisoned && s.rows > 1)
                    CHECK(std::any_of(mine.begin(), mine.end(), [](T value) { return std::isnan(value); }));
                else
                    CHECK(backward_error(pairs[std::size_t(k * s.columns + c)], mine) <= bound);
            }
        for (std::int64_t c = 0; c < s.columns; ++c) // the memory between columns is unchanged
            for (std::int64_t i = all; i < leading; ++i) CHECK(result[std::size_t(c * leading + i)] == T(7));
    };
    for (shape const s : {shape{1, 3, 2}, shape{2, 1, 5}, shape{17, 40, 1}, shape{100, 7, 3}, shape{513, 5, 4},
                          shape{5000, 3, 1}, shape{9001, 2, 3}})
        for (std::int64_t const poisoned : {std::int64_t(-1), s.systems / 2}) {
            if (s.systems == 1 && poisoned >= 0) continue;
            check.template operator()<double>(s, 1e-13, poisoned);
            check.template operator()<float>(s, 1e-4, poisoned);
        }
}

TEST_CASE_TEMPLATE("tridiagonal: the solution may replace the right-hand side", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {1, 50, 700, 33333}) {
        auto const s = random_system<double>(n, 3);
        for (pivoting const pivot : pivotings)
            CHECK(same_bits(solve_on(exec, s, {pivot}), solve_on(exec, s, {pivot}, true)));
    }
}

TEST_CASE_TEMPLATE("tridiagonal: permuted vectors, in place or not", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const check = [&](auto const& s) {
        using T = std::remove_cvref_t<decltype(s.rhs[0])>;
        std::vector<std::int32_t> order(std::size_t(s.size()));
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::int32_t(i);
        std::shuffle(order.begin(), order.end(), std::mt19937(unsigned(s.size())));
        std::vector<T> permuted(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) permuted[std::size_t(order[i])] = s.rhs[i];
        auto const expected = solve_on(exec, s);
        auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
        auto const positions = exec.copy(order);
        tridiagonal_view<T> const a{s.size(), lower.data(), diagonal.data(), upper.data()};
        buffer<std::byte> workspace(exec, tridiagonal_workspace<T>(s.size()));
        exec.synchronize();
        for (int const variant : {0, 1, 2, 3}) {
            auto rhs = exec.copy(permuted);
            buffer<T> x(exec, s.size());
            auto const to = variant % 2 ? rhs.view() : x.view();
            solve_tridiagonal_in_order(exec, a, {positions.data(), positions.data(), variant > 1}, rhs.view(), to,
                                       workspace.view());
            auto const got = to_vector(exec, to);
            std::vector<T> in_rows(order.size());
            for (std::size_t i = 0; i < order.size(); ++i) in_rows[i] = got[std::size_t(order[i])];
            CHECK(same_bits(in_rows, expected));
        }
        auto const rhs = exec.copy(permuted), as_rows = exec.copy(s.rhs);
        buffer<T> x(exec, s.size());
        solve_tridiagonal_in_order(exec, a, {positions.data(), nullptr}, rhs.view(), x.view(), workspace.view());
        CHECK(same_bits(to_vector(exec, x), expected));
        solve_tridiagonal_in_order(exec, a, {nullptr, positions.data()}, as_rows.view(), x.view(), workspace.view());
        auto const got = to_vector(exec, x);
        std::vector<T> in_rows(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) in_rows[i] = got[std::size_t(order[i])];
        CHECK(same_bits(in_rows, expected));
        if (s.size() > 0)
            CHECK_THROWS_AS(solve_tridiagonal_in_order(exec, a, {positions.data(), nullptr},
                                                       array_view<T const>(x.view()), x.view(), workspace.view()),
                            argument_error);
    };
    for (std::int64_t const n : {0, 1, 2, 3, 64, 65, 512, 513, 1000, 1024, 8192, 8193, 70001}) {
        CAPTURE(n);
        check(random_system<float>(n, std::uint64_t(n)));
        check(random_system<double>(n, std::uint64_t(n)));
    }
    if (std::is_same_v<Fixture, on_cuda>) check(random_system<double>(2'500'000, 1)); // large enough for tiles
}

TEST_CASE_TEMPLATE("tridiagonal: bitwise equal on every run", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int64_t const n = sanitized ? 100003 : 300007;
    auto const s = random_system<double>(n, 11);
    auto const f = random_system<float>(n, 12);
    for (pivoting const pivot : pivotings) {
        auto const x = solve_on(exec, s, {pivot});
        auto const y = solve_on(exec, f, {pivot});
        for (int run = 0; run < (sanitized ? 1 : 3); ++run) {
            CHECK(same_bits(x, solve_on(exec, s, {pivot})));
            CHECK(same_bits(y, solve_on(exec, f, {pivot})));
        }
#if !defined(COPPICE_TEST_CUDA)
        CHECK(same_bits(x, solve_on(host_executor{1}, s, {pivot})));
        CHECK(same_bits(y, solve_on(host_executor{1}, f, {pivot})));
#endif
    }
}

TEST_CASE_TEMPLATE("tridiagonal: no loss of accuracy for scales near overflow and underflow", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {40, 500, 12345}) {
        auto const s = random_system<double>(n, 21);
        auto const f = random_system<float>(n, 22);
        for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial}) {
            // 2^997 > 1e300, 2^120 > 1e36. Powers of two are exact, so every bit must agree.
            for (int const sign : {-1, 1}) {
                auto const far = [sign](std::size_t) { return 997 * sign; };
                CHECK(same_bits(solve_on(exec, s, {pivot}), solve_on(exec, scaled_rows(s, far), {pivot})));
            }
            auto const up = [](std::size_t) { return 120; };
            CHECK(same_bits(solve_on(exec, f, {pivot}), solve_on(exec, scaled_rows(f, up), {pivot})));
        }
        // Scaled pivoting is invariant under scaling of rows by powers of two; partial pivoting is not.
        auto const mixed = [](std::size_t i) { return int(i * 7919 % 401) - 200; };
        auto const x = solve_on(exec, s, {pivoting::scaled_partial});
        CHECK(same_bits(x, solve_on(exec, scaled_rows(s, mixed), {pivoting::scaled_partial})));
        CHECK(!same_bits(solve_on(exec, s), solve_on(exec, scaled_rows(s, mixed))));
    }
}

TEST_CASE_TEMPLATE("tridiagonal: entries below the threshold count as zero", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto noisy = constant_system<double>(16, 1e-9, 1, 0.5, 1);
    auto const clean = constant_system<double>(16, 0, 1, 0.5, 1);
    for (pivoting const pivot : pivotings) {
#if !defined(COPPICE_TEST_CUDA) // on CUDA an upward sweep of a partition adds noise to entries that it keeps
        CHECK(same_bits(solve_on(exec, noisy, {pivot, 1e-8}), solve_on(exec, clean, {pivot})));
#endif
        CHECK(!same_bits(solve_on(exec, noisy, {pivot}), solve_on(exec, clean, {pivot})));
    }
    // A pivot below the threshold makes the system singular; the solution is huge.
    noisy.diagonal[9] = 1e-9;

    CHECK(largest(solve_on(exec, noisy, {pivoting::partial, 1e-8})) > 1e100);
    // In large systems partitions and coarse systems apply the threshold as well.
    auto const wide = constant_system<double>(30000, 1e-9, 1, 0.5, 1);
    auto const x = solve_on(exec, wide, {pivoting::partial, 1e-8});
    CHECK(std::abs(x[15000] - 2.0 / 3) < 1e-8);
}

TEST_CASE_TEMPLATE("tridiagonal: a threshold costs no digits if partitions are singular inside", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {128, 2085, 30000})
        for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial}) {
            CAPTURE(n);
            auto const s = constant_system<double>(n, 1, 2 * std::cos(5 * 3.14159265358979323846 / 31), 1, 3);
            CHECK(backward_error(s, solve_on(exec, s, {pivot, 1e-30})) <= 100 * std::numeric_limits<double>::epsilon());
            auto const f = constant_system<float>(n, 1, float(2 * std::cos(5 * 3.14159265358979323846 / 31)), 1, 3);
            CHECK(backward_error(f, solve_on(exec, f, {pivot, 1e-30})) <= 100 * std::numeric_limits<float>::epsilon());
        }
}

TEST_CASE_TEMPLATE("tridiagonal: running equations keep the size of the rows", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // In these systems each row or each second row becomes the pivot row. Each step then multiplies the running
    // equation by 0.75 to 1.5. If it is not scaled back, the errors reach 1e10 epsilon and more.
    struct rows_of_two {
        double even[3], odd[3]; ///< lower, diagonal, upper of row 0, 2, ... and of row 1, 3, ...
    };
    rows_of_two const all[] = {{{1.5, -0.5, -2}, {1.5, -0.5, -2}},
                               {{-0.796, 0.4577, 0.5477}, {0.796, -0.4577, -0.5477}},
                               {{-1.5, 0.5, -1.5}, {-0.5, 1, 1}},
                               {{-0.5, 1, 1}, {-1.5, 0.5, -1.5}}};
    auto const check = [&](auto epsilon, rows_of_two const& rows, std::int64_t n, pivoting pivot) {
        using T = decltype(epsilon);
        CAPTURE(rows.even[0]);
        CAPTURE(n);
        CAPTURE(sizeof(T));
        test::system<T> s(n);
        for (std::int64_t i = 0; i < n; ++i) {
            auto const& row = i % 2 == 0 ? rows.even : rows.odd;
            s.lower[std::size_t(i)] = T(row[0]), s.diagonal[std::size_t(i)] = T(row[1]),
            s.upper[std::size_t(i)] = T(row[2]);
        }
        give_solution(s, 7);
        s.spoil_corners();
        CHECK(backward_error(s, solve_on(exec, s, {pivot})) <= 100 * double(epsilon));
        CHECK(backward_error(s, solve_on(exec, s, {pivot, 1e-30})) <= 100 * double(epsilon));
    };
    for (auto const& rows : all)
        for (std::int64_t const n : {20, 65, 130, 256, 387, 512, 513, 2000, 30000})
            for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial}) {
                check(std::numeric_limits<double>::epsilon(), rows, n, pivot);
                check(std::numeric_limits<float>::epsilon(), rows, n, pivot);
            }
}

TEST_CASE_TEMPLATE("tridiagonal: solutions that vanish at partition boundaries", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const check = [&]<class T>(T, test::alternating_rows const& rows) {
        CAPTURE(sizeof(T));
        CAPTURE(rows.size);
        CAPTURE(rows.entries[0]);
        auto const s = test::system_of<T>(rows);
        double const bound = 100 * double(std::numeric_limits<T>::epsilon());
        for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial})
            for (double const threshold : {0.0, 1e-30})
                CHECK(backward_error(s, solve_on(exec, s, {pivot, threshold})) <= bound);
    };
    for (auto const& rows : test::vanishing_at_ends()) check(1.0, rows), check(1.0f, rows);
}

#if !defined(COPPICE_TEST_CUDA) // a GPU splits partitions below a multiplier of 1/128 only
TEST_CASE("tridiagonal: repeating rows whose partitions have small multipliers") {
    host_executor const exec(2);
    // With a bound of 1/128 for the multipliers: errors of 88 to 490 epsilon.
    struct repeating_rows {
        std::int64_t size;
        std::vector<std::array<double, 3>> rows;
        int sign; ///< of x[i + 1] / x[i]
    };
    repeating_rows const all[] = {{5000, {{-1, -0.01, -1}, {-2, -0.01, 0.01}}, 1},
                                  {2049, {{1, -0.01, 1}, {-1, 0.01, 0.01}}, -1},
                                  {514, {{1e-4, -2, 2}, {-2, -2, 1}, {-1e-4, 1e-4, 2}, {-1, 2, -2}}, -1},
                                  {3001, {{0.5, -0.01, 0.5}, {0.5, -0.01, 0.01}}, -1},
                                  {1056, {{0.01, 0.01, -1}, {-1, 0.01, -1}}, 1},
                                  {2050, {{0.7, -0.5, -0.7}, {-2, -0.01, -1}}, 1},
                                  {704, {{-0.01, 0.01, 0.7}, {0.7, 0.01, 0.7}}, 1},
                                  {640, {{-0.001, -0.5, 1}, {1, 0.5, -0.5}, {0.001, 0.001, -1}, {0.5, -0.5, 1}}, -1}};
    auto const check = [&]<class T>(T, repeating_rows const& of) {
        CAPTURE(sizeof(T));
        CAPTURE(of.size);
        auto const n = std::size_t(of.size);
        test::system<T> s(of.size);
        for (std::size_t i = 0; i < n; ++i) {
            auto const& row = of.rows[i % of.rows.size()];
            s.lower[i] = T(i > 0 ? row[0] : 0), s.diagonal[i] = T(row[1]), s.upper[i] = T(i + 1 < n ? row[2] : 0);
            T const x(i % 2 == 0 ? 1 : T(of.sign));
            s.rhs[i] = s.diagonal[i] * x + (s.lower[i] + s.upper[i]) * T(of.sign) * x;
        }
        s.spoil_corners();
        for (bool const in_place : {false, true})
            CHECK(backward_error(s, solve_on(exec, s, {}, in_place)) <= 50 * double(std::numeric_limits<T>::epsilon()));
    };
    for (auto const& of : all) check(1.0, of), check(1.0f, of);
}
#endif

TEST_CASE_TEMPLATE("tridiagonal: NaN and infinity propagate, singular systems give huge solutions", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double const nan = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t const n : {1, 2, 33, 64, 65, 900, 20011})
        for (pivoting const pivot : pivotings) {
            CAPTURE(n);
            auto const good = constant_system<double>(n, -1, 4, 1, 3);
            for (std::size_t const at : {std::size_t(0), std::size_t(n / 2), std::size_t(n - 1)}) {
                auto bad = good;
                bad.rhs[at] = nan;
                CHECK(std::isnan(solve_on(exec, bad, {pivot})[at]));
                bad = good;
                bad.diagonal[at] = nan;
                CHECK(std::isnan(solve_on(exec, bad, {pivot})[at]));
                bad = good;
                bad.rhs[at] = HUGE_VAL;
                CHECK(!std::isfinite(solve_on(exec, bad, {pivot})[at]));
            }
            // A zero matrix, a row of zeros, and rank n - 1 with a right-hand side outside the range.
            auto const zero = constant_system<double>(n, 0, 0, 0, 1);
            CHECK(largest(solve_on(exec, zero, {pivot})) > 1e300);
            CHECK(largest(solve_on(exec, constant_system<double>(n, 0, 0, 0, 0), {pivot})) == 0);
            auto row = good;
            row.lower[std::size_t(n / 2)] = row.diagonal[std::size_t(n / 2)] = row.upper[std::size_t(n / 2)] = 0;
            CHECK(largest(solve_on(exec, row, {pivot})) > 1e100);
            auto neumann = constant_system<double>(n, -1, 2, -1, 1);
            neumann.diagonal.front() -= 1;
            neumann.diagonal.back() -= 1;
            CHECK(largest(solve_on(exec, neumann, {pivot})) > 1e9);
        }
}

TEST_CASE_TEMPLATE("tridiagonal: the backward error agrees with its definition", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const error_of = [&](test::system<double> const& s, std::vector<double> const& x) {
        auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
        auto const rhs = exec.copy(s.rhs), solution = exec.copy(x);
        tridiagonal_view<double> const a{s.size(), lower.data(), diagonal.data(), upper.data()};
        return tridiagonal_backward_error(exec, a, solution.view(), rhs.view());
    };
    for (std::int64_t const n : {1, 2, 77, 20000}) {
        auto s = random_system<double>(n, 31);
        auto x = s.exact;
        x[std::size_t(n / 2)] += 1e-3;
        CHECK(error_of(s, x) == doctest::Approx(backward_error(s, x)).epsilon(1e-9));
        // No overflow in |A| |x|: A x = d with A near 1e300 and x near 1e200 has d beyond double; the error is 1.
        auto const large = constant_system<double>(n, 0, 1e300, 0, 0);
        CHECK(error_of(large, std::vector<double>(std::size_t(n), 1e7)) == doctest::Approx(1));
        x[0] = std::numeric_limits<double>::quiet_NaN();
        CHECK(std::isnan(error_of(s, x)));
    }
    CHECK(error_of(test::system<double>(0), {}) == 0);
    CHECK(error_of(constant_system<double>(5, 0, 0, 0, 0), std::vector<double>(5, 0.0)) == 0);
}

TEST_CASE_TEMPLATE("tridiagonal: the workspace is small and sufficient, and nothing is allocated", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    for (std::int64_t n = 1; n < (std::int64_t(1) << 40); n = n * 3 + 1) {
        CHECK(tridiagonal_workspace<float>(n) <= 16 * n * 8 / 100 + 4096);
        CHECK(tridiagonal_workspace<double>(n) <= 32 * n * 8 / 100 + 4096);
    }
    CHECK(tridiagonal_workspace<double>(64) == 0);
    CHECK_THROWS_AS(tridiagonal_workspace<double>(-1), argument_error);
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {65, 992, 11000, 50000}) {
        auto const s = random_system<double>(n, 41);
        auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
        auto const rhs = exec.copy(s.rhs);
        buffer<double> x(exec, n);
        tridiagonal_view<double> const a{n, lower.data(), diagonal.data(), upper.data()};
        std::int64_t const bytes = tridiagonal_workspace<double>(n), guard = 256;
        auto workspace = exec.copy(std::vector<std::byte>(std::size_t(bytes + guard), std::byte{0x5a}));
#if defined(COPPICE_TEST_CUDA)
        cuda_executor const& silent = exec; // a capture forbids allocation and waiting
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t instance = nullptr;
        REQUIRE(cudaStreamBeginCapture(exec.stream(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
        solve_tridiagonal(silent, a, rhs.view(), x.view(), workspace.view().slice(0, bytes));
        REQUIRE(cudaStreamEndCapture(exec.stream(), &graph) == cudaSuccess);
        REQUIRE(cudaGraphInstantiate(&instance, graph, 0) == cudaSuccess);
        REQUIRE(cudaGraphLaunch(instance, exec.stream()) == cudaSuccess);
        exec.synchronize();
        cudaGraphExecDestroy(instance);
        cudaGraphDestroy(graph);
#else
        auto const memory = std::make_shared<failing_memory>(0);
        host_executor const silent(exec.threads(), memory);
        solve_tridiagonal(silent, a, rhs.view(), x.view(), workspace.view().slice(0, bytes));
        CHECK(memory->allocations() == 0);
#endif
        CHECK(same_bits(to_vector(exec, x), solve_on(exec, s)));
        auto const after = to_vector(exec, workspace);
        for (std::int64_t i = bytes; i < bytes + guard; ++i) REQUIRE(after[std::size_t(i)] == std::byte{0x5a});
    }
}

TEST_CASE_TEMPLATE("tridiagonal: invalid arguments throw with a message", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int64_t const n = 1000;
    auto const s = random_system<double>(n, 51);
    auto lower = exec.copy(s.lower);
    auto const diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    auto rhs = exec.copy(s.rhs);
    buffer<double> x(exec, n);
    buffer<std::byte> memory(exec, tridiagonal_workspace<double>(n) + 64);
    auto const workspace = memory.view();
    tridiagonal_view<double> const a{n, lower.data(), diagonal.data(), upper.data()};
    auto const d = array_view<double const>(rhs.view());
    auto const call = [&](tridiagonal_view<double> matrix, array_view<double const> rhs_view,
                          array_view<double> solution, array_view<std::byte> space, tridiagonal_options options = {}) {
        solve_tridiagonal(exec, matrix, rhs_view, solution, space, options);
    };
    std::int64_t const bytes = tridiagonal_workspace<double>(n);
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(call(a, d.slice(0, n - 1), x.view(), workspace), dimension_error);
    CHECK_THROWS_AS(call(a, d, x.view().slice(0, n - 1), workspace), dimension_error);
    CHECK_THROWS_AS(call({-1, lower.data(), diagonal.data(), upper.data()}, d, x.view(), workspace), argument_error);
    CHECK_THROWS_AS(call({n, nullptr, diagonal.data(), upper.data()}, d, x.view(), workspace), argument_error);
    CHECK_THROWS_AS(call(a, {nullptr, n}, x.view(), workspace), argument_error);
    CHECK_THROWS_AS(call(a, d, {nullptr, n}, workspace), argument_error);
    CHECK_THROWS_AS(call(a, d, x.view(), {nullptr, bytes}), argument_error);
    CHECK_THROWS_AS(call(a, d, x.view(), workspace.slice(0, bytes - 1)), argument_error);
    CHECK_THROWS_AS(call(a, d, x.view(), workspace.slice(8, bytes)), argument_error);
    CHECK_THROWS_AS(call(a, d, lower.view(), workspace), argument_error);
    CHECK_THROWS_AS(call(a, d.slice(0, n - 1), rhs.view().slice(1, n - 1), workspace), dimension_error);
    tridiagonal_view<double> const shorter{n - 1, lower.data(), diagonal.data(), upper.data()};
    CHECK_THROWS_AS(call(shorter, d.slice(0, n - 1), rhs.view().slice(1, n - 1), workspace), argument_error);
    array_view<std::byte> const over{reinterpret_cast<std::byte*>(x.data()), bytes};
    CHECK_THROWS_AS(call(a, d, x.view(), over), argument_error);
    CHECK_THROWS_AS(call(a, d, x.view(), workspace, {pivoting(7)}), argument_error);
    CHECK_THROWS_AS(call(a, d, x.view(), workspace, {pivoting::partial, -1}), argument_error);
    CHECK_THROWS_AS(call(a, d, x.view(), workspace, {pivoting::partial, nan}), argument_error);
    try {
        call(a, d, x.view(), workspace.slice(0, 3));
    } catch (argument_error const& e) {
        CHECK(std::string(e.what()).find(std::to_string(bytes)) != std::string::npos);
    }
    call({0, nullptr, nullptr, nullptr}, {}, {}, {}); // an empty system
}
