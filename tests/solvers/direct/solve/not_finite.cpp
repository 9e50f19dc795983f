// SPDX-License-Identifier: BSD-3-Clause
// Tridiagonal solves without a report: well-conditioned matrices for which RPTS divides by zero.
#include <coppice/banded.hpp>
#include <coppice/coppice.h>
#include <coppice/tridiagonal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/solve/fallback_attempts.hpp>
#if !defined(COPPICE_TEST_CUDA)
#include <coppice/solvers/direct/solve/band_run.hpp>
#endif

#include "solvers/band_reference.hpp"
#include "solvers/mixed_system.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

TEST_CASE_TEMPLATE("bands: mixed scales without a report", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const check = [&]<class T>(T) {
        for (std::int64_t const n : {7, 33, 63, 65, 500, 513, 600, 777, 1000, 1024, 1777, 2049, 3001, 4097, 5000})
            for (bool const in_place : {false, true})
                for (int const refinements : {0, 1}) {
                    if (in_place && refinements > 0) continue;
                    CAPTURE(n);
                    CAPTURE(in_place);
                    mixed_system<T> const s(n);
                    auto const x = solve_quietly(exec, s, s.d, {.refinements = refinements}, in_place, alone);
                    CHECK(error_of(s, x.data(), s.d.data()) < 100 * std::numeric_limits<T>::epsilon());
                }
    };
    check(double{});
    check(float{});
}

TEST_CASE_TEMPLATE("bands: rows of random scales without a report", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937 random(11);
    constexpr std::array values{0.0, 1.0, -1.0, 1000.0, -1000.0};
    for (int k = 0; k < 60; ++k) {
        CAPTURE(k);
        std::int64_t const n = 513 + std::int64_t(random() % 1500), period = 2 + std::int64_t(random() % 7);
        mixed_system<double> s(n);
        for (std::int64_t i = 0; i < n; ++i)
            for (auto* band : {&s.lower, &s.diagonal, &s.upper}) {
                double& entry = (*band)[std::size_t(i)];
                entry = i < period ? values[random() % 5] : (*band)[std::size_t(i - period)];
            }
        auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
        band_matrix<double> const a(tridiagonal_view<double>{n, lower.data(), diagonal.data(), upper.data()});
        auto const d = exec.copy(s.d);
        buffer<double> x(exec, n);
        buffer<solve_report> report(exec, 1);
        solve_bands(exec, a, {d.view()}, {x.view()}, {}, report.view());
        auto const reported = to_vector(exec, report)[0];
        auto const quiet = solve_quietly(exec, s, s.d, {}, false, alone);
        // If a report is ok, the solution without a report is finite, too.
        if (reported.status == solve_status::ok)
            for (double const e : quiet) CHECK(std::isfinite(e));
        auto const in_place = solve_quietly(exec, s, s.d, {}, true, alone);
        CHECK(std::memcmp(in_place.data(), quiet.data(), quiet.size() * sizeof(double)) == 0);
    }
}

TEST_CASE_TEMPLATE("tridiagonal: mixed scales", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const check = [&]<class T>(T) {
        for (std::int64_t const n :
             {7, 65, 500, 513, 600, 777, 1000, 1024, 1777, 2000, 2049, 2505, 3001, 3500, 4097, 5000})
            for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial}) {
                CAPTURE(n);
                mixed_system<T> const s(n);
                auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
                tridiagonal_view<T> const a{n, lower.data(), diagonal.data(), upper.data()};
                auto const d = exec.copy(s.d);
                auto in_place = exec.copy(s.d);
                buffer<T> x(exec, n);
                solve_tridiagonal(exec, a, d.view(), x.view(), {.pivot = pivot});
                solve_tridiagonal(exec, a, in_place.view(), in_place.view(), {.pivot = pivot});
                auto const separate = to_vector(exec, x);
                CHECK(error_of(s, separate.data(), s.d.data()) < 100 * std::numeric_limits<T>::epsilon());
                CHECK(to_vector(exec, in_place) == separate);
                if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, host_executor>) {
                    buffer<std::byte> space(exec, tridiagonal_workspace<T>(n));
                    solve_tridiagonal(exec, a, d.view(), x.view(), space.view(), {.pivot = pivot});
                    CHECK(to_vector(exec, x) == separate);
                }
            }
    };
    check(double{});
    check(float{});
}

TEST_CASE_TEMPLATE("bands: batches and right-hand sides of mixed scales without a report", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int64_t const n = 1200;
    mixed_system<double> const bad(n), good = easy_system<double>(n);
    auto const expected = solve_quietly(exec, good, good.d, {}, false, alone);
    for (bool const in_place : {false, true}) {
        CAPTURE(in_place);
        { // several right-hand sides, one of which is not finite
            std::vector<double> d = bad.d;
            for (std::int64_t i = 0; i < 2 * n; ++i) d.push_back(std::cos(double(i)));
            d[std::size_t(n) + 5] = std::numeric_limits<double>::quiet_NaN();
            auto const x = solve_quietly(exec, bad, d, {}, in_place, alone);
            CHECK(error_of(bad, x.data() + 2 * n, d.data() + 2 * n) < 1e-13);
            CHECK(error_of(bad, x.data(), d.data()) < 1e-13);
            CHECK(!std::isfinite(error_of(bad, x.data() + n, d.data() + n)));
        }
        mixed_system<double> all = good;
        all.append(bad);
        all.append(good);
        auto const batch = [](auto a) { return decltype(a)::batch(a, 3); };
        auto const x = solve_quietly(exec, all, all.d, {}, in_place, batch);
        CHECK(error_of(bad, x.data() + n, bad.d.data()) < 1e-13);
        auto const by_rpts = solve_quietly(exec, all, all.d, {.method = band_method::rpts}, in_place, batch);
        for (std::int64_t const s : {0, 2})
            CHECK(std::equal(by_rpts.begin() + s * n, by_rpts.begin() + (s + 1) * n, x.begin() + s * n));

        mixed_system<double> varied = easy_system<double>(900);
        varied.append(bad);
        auto const offsets = exec.copy(std::vector<std::int64_t>{0, 900, 900 + n});
        auto const y = solve_quietly(exec, varied, varied.d, {}, in_place,
                                     [&](auto a) { return decltype(a)::batch(a, offsets.view(), n); });
        CHECK(error_of(bad, y.data() + 900, bad.d.data()) < 1e-13);

        mixed_system<double> alternating = good; // interleaved rows of two systems
        alternating.append(bad);
        for (std::int64_t i = 0; i < n; ++i)
            for (auto [to, first, second] : {std::tuple{&alternating.lower, &good.lower, &bad.lower},
                                             std::tuple{&alternating.diagonal, &good.diagonal, &bad.diagonal},
                                             std::tuple{&alternating.upper, &good.upper, &bad.upper},
                                             std::tuple{&alternating.d, &good.d, &bad.d}}) {
                (*to)[std::size_t(2 * i)] = (*first)[std::size_t(i)];
                (*to)[std::size_t(2 * i + 1)] = (*second)[std::size_t(i)];
            }
        auto const z = solve_quietly(exec, alternating, alternating.d, {}, in_place,
                                     [](auto a) { return decltype(a)::interleaved_batch(a, 2); });
        CHECK(error_of(bad, z.data() + 1, bad.d.data(), 2) < 1e-13);
        CHECK(error_of(good, z.data(), good.d.data(), 2) < 1e-13);
    }
}

/// Rows that repeat, from row `first` of a system on.
struct repeated_rows {
    std::vector<std::array<double, 3>> rows;
    std::int64_t size, first, count; ///< size of the system, number of these rows
};
/// Three systems, the second one with these rows; A and d are scaled by powers of two.
mixed_system<double> between_easy_systems(repeated_rows const& some, int of_a = 0, int of_d = 0) {
    std::int64_t const n = some.size;
    mixed_system<double> all = easy_system<double>(n), s = all;
    mixed_system<double> const last = all;
    for (auto i = std::size_t(some.first); i < std::size_t(some.first + some.count); ++i) {
        auto const& row = some.rows[(i - std::size_t(some.first)) % some.rows.size()];
        s.diagonal[i] = row[1];
        if (i > 0) s.lower[i] = row[0];
        if (i + 1 < std::size_t(n)) s.upper[i] = row[2];
    }
    all.append(s), all.append(last);
    for (auto* const band : {&all.lower, &all.diagonal, &all.upper})
        for (double& value : *band) value = std::ldexp(value, of_a);
    for (double& value : all.d) value = std::ldexp(value, of_d);
    return all;
}
template <class T>
mixed_system<T> system_at(mixed_system<T> const& batch, std::int64_t first, std::int64_t n) {
    mixed_system<T> one(0);
    for (auto const member :
         {&mixed_system<T>::lower, &mixed_system<T>::diagonal, &mixed_system<T>::upper, &mixed_system<T>::d})
        (one.*member).assign((batch.*member).begin() + first, (batch.*member).begin() + first + n);
    return one;
}

TEST_CASE_TEMPLATE("bands: a finite solution of partitions without a good split is solved again if it is wrong",
                   Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // A device solves systems of up to some 500 000 rows on chip, without such partitions, unless they are many.
    constexpr bool on_host = std::is_same_v<std::decay_t<decltype(exec)>, host_executor>;
    constexpr std::int64_t m = on_host ? 5000 : 600000, q = on_host ? 3001 : 600001;
    // Condition numbers of 8e6, 4e6 and 3e8. RPTS alone: on the host backward errors of 1e9 and 1e15 epsilon, the
    // latter with x of 1e302; with the partitioning of a device x is infinite, and 1e8 epsilon in the last case.
    repeated_rows const of_second[] = {{{{2, 1, 1}, {1, 1, 1}, {-1e-6, -1e-6, 0}, {-1, 2, -1e-6}}, m, 0, m},
                                       {{{1, 1, 1}, {0, -1e-6, -1e-6}, {1, 1, 1}}, q, 0, q},
                                       {{{-1, -1, 0.7}, {0.7, -0.7, -0.7}, {1e-4, 1e-4, 0}}, m, 640, 65}};
    auto const describe = [](auto a) { return decltype(a)::batch(a, 3); };
    for (repeated_rows const& some : of_second) {
        std::int64_t const n = some.size;
        auto const batch = between_easy_systems(some);
        for (bool const in_place : {false, true}) {
            CAPTURE(n);
            CAPTURE(in_place);
            auto const x = solve_quietly(exec, batch, batch.d, {}, in_place, describe);
            for (std::int64_t at = 0; at < 3; ++at) {
                auto const one = system_at(batch, at * n, n);
                CHECK(error_of(one, x.data() + at * n, one.d.data()) <= 50 * epsilon<double>);
                auto const x_of_one = solve_quietly(exec, one, one.d, {}, in_place, alone);
                CHECK(error_of(one, x_of_one.data(), one.d.data()) <= 50 * epsilon<double>);
                if (on_host) CHECK(std::equal(x_of_one.begin(), x_of_one.end(), x.begin() + at * n));
            }
            for (int const of_a : {-900, 0, 900})
                for (int const of_d : {-60, 60}) { // |A| |x| must not overflow
                    auto const scaled = between_easy_systems(some, of_a, of_d + of_a);
                    auto y = solve_quietly(exec, scaled, scaled.d, {}, in_place, describe);
                    for (double& value : y) value = std::ldexp(value, -of_d);
                    if (on_host) CHECK(y == x);
                    for (std::int64_t at = 0; at < 3; ++at) {
                        auto const one = system_at(batch, at * n, n);
                        CHECK(error_of(one, y.data() + at * n, one.d.data()) <= 50 * epsilon<double>);
                    }
                }
        }
    }
}

/// RPTS solves these rows with a backward error of 35 epsilon (43 in float), without an uncertain partition.
template <class T>
mixed_system<T> growing_system(std::int64_t n) {
    constexpr double rows[2][3] = {{0.172262, -0.045599, -0.701258}, {0.905379, 0.0175641, 0.898729}};
    mixed_system<T> s(n);
    for (std::int64_t i = 0; i < n; ++i) {
        auto const at = std::size_t(i);
        s.lower[at] = T(rows[i % 2][0]), s.diagonal[at] = T(rows[i % 2][1]), s.upper[at] = T(rows[i % 2][2]);
    }
    return s;
}

TEST_CASE_TEMPLATE("bands: a system does not get other bits because another one of its batch is uncertain", T, float,
                   double) {
    std::int64_t const n = 5000, systems = 3;
    mixed_system<T> const growing = growing_system<T>(n), uncertain(n);
    mixed_system<T> all = growing;
    all.append(uncertain), all.append(growing);
    auto d = all.d;
    for (T const value : all.d) d.push_back(value * T(0.5) + T(1)); // a second right-hand side
    std::vector<std::int64_t> const offsets{0, n, 2 * n, 3 * n};
    auto const batch = [](auto a) { return decltype(a)::batch(a, systems); };
    auto const varied = [&](auto a) { return decltype(a)::batch(a, {offsets.data(), systems + 1}, n); };
    for (int const threads : {1, 2})
        for (bool const in_place : {false, true}) {
            CAPTURE(threads);
            CAPTURE(in_place);
            host_executor const exec(threads);
            auto const x = solve_quietly(exec, all, d, {}, in_place, batch);
            auto const y = solve_quietly(exec, all, d, {}, in_place, varied);
            for (std::int64_t at = 0; at < 2 * systems; ++at) {
                auto const one = system_at(all, at % systems * n, n);
                std::vector<T> const rhs(d.begin() + at * n, d.begin() + (at + 1) * n);
                auto const z = solve_quietly(exec, one, rhs, {}, in_place, alone);
                CHECK(std::equal(z.begin(), z.end(), x.begin() + at * n));
                CHECK(std::equal(z.begin(), z.end(), y.begin() + at * n));
            }
        }
}

#if !defined(COPPICE_TEST_CUDA)
// The later attempt of a device, on the host.
TEST_CASE_TEMPLATE("bands: without a report a device replaces columns that are wrong in uncertain systems", T, float,
                   double) {
    host_executor const exec(2);
    std::int64_t const n = 1200, systems = 4, columns = 2, rows = systems * n;
    mixed_system<T> all = easy_system<T>(n);
    for (int k = 1; k < systems; ++k) all.append(easy_system<T>(n));
    auto d = all.d;
    for (std::int64_t i = 0; i < rows; ++i) d.push_back(T(std::cos(double(i))));
    auto const batch = [](auto a) { return decltype(a)::batch(a, systems); };
    auto const solved = solve_quietly(exec, all, d, {}, false, batch);
    band_matrix<T> const a =
        batch(band_matrix<T>(tridiagonal_view<T>{rows, all.lower.data(), all.diagonal.data(), all.upper.data()}));
    chain::workspace_plan plan;
    chain::plan_solvers(plan, exec, a, columns, columns, {}, false);
    plan.take_errors(systems, columns);
    plan.residual = plan.take(rows * columns * std::int64_t(sizeof(T)));
    auto const replaced = [&](std::vector<T> x, std::vector<int> const& uncertain, bool in_place, bool& solved_again) {
        buffer<std::byte> const space(exec, plan.bytes);
        auto* const memory = const_cast<std::byte*>(space.data());
        columns_view<T> const solution(x.data(), rows, columns);
        columns_view<T const> const rhs(in_place ? x.data() : d.data(), rows, columns);
        band_options const options;
        chain::solve_run<T, host_executor> const run{exec, a, rhs, solution, options, memory, plan, {}};
        auto later = run.later;
        later.chain = {true, run.memory.waiting_for(2), {}};
        later.checks = true;
        chain::clear_errors<T> const clear{run.memory, {run.a, run.memory.uneven}, false};
        for_each(exec, clear.items(), clear);
        auto const before = in_place ? d : std::vector<T>(d.size(), T(7)); // a copy of d if x is d
        std::copy(before.begin(), before.end(), later.correction);
        std::copy(uncertain.begin(), uncertain.end(), run.memory.next);
        *later.not_finite() = 1;
        chain::queue_attempts(exec, later);
        solved_again = !std::equal(before.begin(), before.end(), later.correction);
        return x;
    };
    auto const column = [&](std::int64_t s, std::int64_t c) { return std::size_t(c * rows + s * n); };
    for (bool const in_place : {false, true}) {
        CAPTURE(in_place);
        bool again = false;
        CHECK(replaced(solved, {1, 1, 1, 1}, in_place, again) == solved);
        CHECK(!again); // all are accurate
        auto x = solved;
        for (std::int64_t const s : {0, 1, 3}) x[column(s, 1) + 70] *= T(1 + 400 * epsilon<T>);
        x[column(1, 0) + 5] = std::numeric_limits<T>::infinity();
        auto const y = replaced(x, {1, 0, 1, 1}, in_place, again);
        CHECK(again);
        for (std::int64_t s = 0; s < systems; ++s)
            for (std::int64_t c = 0; c < columns; ++c) {
                CAPTURE(s);
                CAPTURE(c);
                auto const one = system_at(all, s * n, n);
                auto const at = column(s, c);
                bool const is_replaced = c == 1 ? s == 0 || s == 3 : s == 1;
                CHECK(std::equal(x.begin() + std::ptrdiff_t(at), x.begin() + std::ptrdiff_t(at) + n,
                                 y.begin() + std::ptrdiff_t(at)) != is_replaced);
                if (is_replaced) CHECK(error_of(one, y.data() + at, d.data() + at) <= 8 * epsilon<T>);
            }
    }
}
#endif

// A device checks x by this code; see the cases above.
TEST_CASE_TEMPLATE("bands: columns that are not finite are flagged", T, float, double) {
    host_executor const exec(2);
    std::mt19937 random(5);
    auto const below = [&](std::int64_t n) { return std::int64_t(random() % unsigned(n)); };
    for (int k = 0; k < 60; ++k) {
        CAPTURE(k);
        std::int64_t const systems = 1 + below(9), columns = 1 + below(5), each = 1 + below(400);
        std::vector<std::int64_t> offsets{0};
        for (std::int64_t s = 0; s < systems; ++s) offsets.push_back(offsets.back() + (k % 3 == 2 ? below(400) : each));
        std::int64_t const rows = offsets.back(), leading = rows + below(3);
        if (rows == 0) continue;
        chain::matrix_rows<T> a;
        a.batch = {systems, each, k % 3 == 2 ? offsets.data() : nullptr, k % 3 == 1, rows};
        a.scalar_rows = rows;
        std::vector<T> x(std::size_t(leading * columns), std::numeric_limits<T>::max());
        std::vector<std::uint8_t> expected(std::size_t(systems * columns)), found(expected.size());
        std::vector<int> next(offsets.size() - 1), requested(chain::attempt_flags);
        for (std::int64_t wrong = below(4); wrong > 0; --wrong) {
            std::int64_t const row = below(rows), column = below(columns);
            x[std::size_t(row + column * leading)] =
                wrong == 1 ? std::numeric_limits<T>::quiet_NaN() : -std::numeric_limits<T>::infinity();
            auto const after = std::upper_bound(offsets.begin(), offsets.end(), row);
            std::int64_t const system = k % 3 == 1 ? row % systems : std::int64_t(after - offsets.begin()) - 1;
            expected[std::size_t(system * columns + column)] = 1;
        }
        chain::error_memory memory{};
        memory.inaccurate = reinterpret_cast<bool*>(found.data());
        memory.next = next.data(), memory.requested = requested.data();
        memory.systems = systems, memory.columns = columns;
        chain::flag_not_finite<T> const flag{a, x.data(), leading, memory, {.number = 2}};
        for_each(exec, a.scalar_rows * columns, flag);
        CHECK(found == expected);
        CHECK((requested[2] != 0) == (std::count(expected.begin(), expected.end(), 1) > 0));
        for (std::int64_t s = 0; s < systems; ++s) {
            auto const of_system = expected.begin() + s * columns;
            CHECK(next[std::size_t(s)] == (std::count(of_system, of_system + columns, 1) > 0 ? 2 : 0));
        }
    }
}

TEST_CASE_TEMPLATE("bands: a solution of a singular system remains not finite", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const same = [&](mixed_system<double> const& s) {
        for (bool const in_place : {false, true}) {
            auto const x = solve_quietly(exec, s, s.d, {}, in_place, alone);
            auto const plain = solve_quietly(exec, s, s.d, {.method = band_method::rpts}, in_place, alone);
            CHECK(std::memcmp(x.data(), plain.data(), x.size() * sizeof(double)) == 0);
        }
    };
    for (std::int64_t const n : {100, 700, 3000}) {
        CAPTURE(n);
        auto s = easy_system<double>(n);
        s.d[std::size_t(n / 2)] = std::numeric_limits<double>::infinity();
        same(s);
        s = easy_system<double>(n); // rows n/2 and n/2 + 1 have only one and the same nonzero column
        for (std::int64_t const i : {n / 2, n / 2 + 1}) {
            s.lower[std::size_t(i)] = i == n / 2 ? 0 : 1;
            s.diagonal[std::size_t(i)] = i == n / 2 ? 1 : 0;
            s.upper[std::size_t(i)] = 0;
        }
        same(s);
    }
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("bands: mixed scales through the C interface") {
    for (std::int64_t const n : {513, 2000}) {
        mixed_system<double> const s(n);
        mixed_system<float> const single(n);
        std::size_t bytes = 0;
        REQUIRE(coppiceDgtsv_bufferSizeExt(COPPICE_DEFAULT_PIVOTING, n, 1, &bytes) == COPPICE_STATUS_SUCCESS);
        buffer<std::byte> const workspace(host_executor{1}, std::int64_t(bytes));
        std::vector<double> x(s.d.size());
        auto in_place = s.d;
        CHECK(coppiceDgtsv(COPPICE_DEFAULT_PIVOTING, n, 1, s.lower.data(), s.diagonal.data(), s.upper.data(), x.data(),
                           s.d.data(), const_cast<std::byte*>(workspace.data())) == COPPICE_STATUS_SUCCESS);
        CHECK(error_of(s, x.data(), s.d.data()) < 1e-13);
        CHECK(coppiceDgtsv(COPPICE_DEFAULT_PIVOTING, n, 1, s.lower.data(), s.diagonal.data(), s.upper.data(),
                           in_place.data(), in_place.data(),
                           const_cast<std::byte*>(workspace.data())) == COPPICE_STATUS_SUCCESS);
        CHECK(in_place == x);
        std::vector<float> y(single.d.size());
        CHECK(coppiceSgtsv(COPPICE_DEFAULT_PIVOTING, n, 1, single.lower.data(), single.diagonal.data(),
                           single.upper.data(), y.data(), single.d.data(),
                           const_cast<std::byte*>(workspace.data())) == COPPICE_STATUS_SUCCESS);
        CHECK(error_of(single, y.data(), single.d.data()) < 1e-5);
    }
}
#endif
