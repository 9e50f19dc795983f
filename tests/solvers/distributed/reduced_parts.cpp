// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "solvers/distributed/cut_systems.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

template <class T>
struct answer {
    std::vector<T> x;
    double backward_error = 0;
    bool singular = false;
};

/// Rows [cuts[p], cuts[p + 1]) on part p; what sticks out of the whole system is NaN.
template <class Fixture, class T>
answer<T> solve_in_parts(test::system<T> s, std::vector<std::int64_t> const& cuts, band_options const& options = {},
                         int refinements = 0) {
    using exec_type = decltype(Fixture::exec());
    multi_executor<exec_type> const all(executors_of<Fixture>(cuts.size() - 1));
    answer<T> out{std::vector<T>(s.rhs.size())};
    if (!s.lower.empty()) s.lower.front() = s.upper.back() = std::numeric_limits<T>::quiet_NaN();
    std::vector<double> errors(cuts.size() - 1);
    all.run([&](exec_type const& exec, part_messages const& others) {
        auto const p = std::size_t(others.part());
        std::int64_t const n = cuts[p + 1] - cuts[p];
        auto const rows = [&](std::vector<T> const& of) {
            return exec.copy(std::vector<T>(of.begin() + cuts[p], of.begin() + cuts[p + 1]));
        };
        auto const lower = rows(s.lower), diagonal = rows(s.diagonal), upper = rows(s.upper), d = rows(s.rhs);
        buffer<T> x(exec, n);
        reduced_tridiagonal_part<T, exec_type, part_messages> part(
            exec, others, {n, lower.data(), diagonal.data(), upper.data()}, options);
        bool singular = part.solve(d.view(), x.view());
        for (int k = 0; k < refinements; ++k) singular = part.refine(d.view(), x.view());
        errors[p] = part.backward_error(d.view(), x.view());
        if (p == 0) out.singular = singular;
        auto const values = to_vector(exec, x);
        std::copy(values.begin(), values.end(), out.x.begin() + cuts[p]);
    });
    for (double const e : errors) CHECK((e == errors[0] || (std::isnan(e) && std::isnan(errors[0]))));
    out.backward_error = errors[0];
    return out;
}

template <class Fixture, class T>
void check_random(std::int64_t n, std::vector<std::int64_t> const& cuts, std::uint64_t seed) {
    CAPTURE(n);
    CAPTURE(cuts.size());
    auto const s = random_system<T>(n, seed);
    auto const r = solve_in_parts<Fixture>(s, cuts);
    double const error = true_error(s, r.x), epsilon = std::numeric_limits<T>::epsilon();
    CHECK(error <= 100 * epsilon);
    CHECK(std::abs(error - r.backward_error) <= 4 * std::numeric_limits<double>::epsilon()); // in double, whatever T
    CHECK_FALSE(r.singular);
    CHECK(solve_in_parts<Fixture>(s, cuts).x == r.x);
}

} // namespace

TEST_CASE_TEMPLATE("reduced parts: any number and size of them", Fixture, COPPICE_TEST_EXECUTORS) {
    for (std::int64_t const n : {1, 2, 7, 512, 513, 600, 5000, 40'001})
        for (int const parts : {1, 2, 3, 8}) {
            check_random<Fixture, double>(n, equal_cuts(n, parts), std::uint64_t(n + parts));
            check_random<Fixture, float>(n, equal_cuts(n, parts), std::uint64_t(n + parts));
        }
    // Every remainder of partitions of 32 rows and of pairs of them, on both sides of a cut.
    for (std::int64_t k = 0; k < 66; k += 3) check_random<Fixture, double>(3000, {0, 1000 + k, 3000}, 7);
    for (std::vector<std::int64_t> const& cuts : {std::vector<std::int64_t>{0, 0, 3000},
                                                  {0, 3000, 3000},
                                                  {0, 1, 1, 1500, 1501, 3000},
                                                  {0, 513, 513, 1026, 3000},
                                                  {0, 2999, 3000},
                                                  {0, 0, 0, 0}})
        check_random<Fixture, double>(cuts.back(), cuts, 11);
    check_random<Fixture, float>(300'007, equal_cuts(300'007, 2), 3);
    check_random<Fixture, double>(300'007, equal_cuts(300'007, 3), 4);
}

TEST_CASE_TEMPLATE("reduced parts: a power of two changes no bit", Fixture, COPPICE_TEST_EXECUTORS) {
    for (std::int64_t const n : {900, 4321}) {
        auto const s = random_system<double>(n, 5);
        for (auto const& cuts : {equal_cuts(n, 2), equal_cuts(n, 3)}) {
            auto const r = solve_in_parts<Fixture>(s, cuts);
            for (int const exponent : {-300, -1, 40, 500}) {
                auto scaled = s;
                for (auto* const band : {&scaled.lower, &scaled.diagonal, &scaled.upper, &scaled.rhs})
                    for (double& value : *band) value = std::ldexp(value, exponent);
                CAPTURE(exponent);
                CHECK(solve_in_parts<Fixture>(scaled, cuts).x == r.x);
            }
        }
    }
}

TEST_CASE_TEMPLATE("reduced parts: partitions that are singular inside", Fixture, COPPICE_TEST_EXECUTORS) {
    double const epsilon = std::numeric_limits<double>::epsilon();
    for (double const diagonal : {0.0, 2 * std::cos(5 * std::acos(-1.0) / 31), 1.0, -1e-9})
        for (int const parts : {2, 3}) {
            std::int64_t const n = 4096;
            auto s = random_system<double>(n, 3);
            for (std::size_t i = 0; i < std::size_t(n); ++i) {
                s.diagonal[i] = diagonal;
                s.lower[i] = s.upper[i] = 1;
            }
            s.make_rhs();
            CAPTURE(diagonal);
            // A border between partitions that has no partner stays: then a step of refinement has to do.
            auto const r = solve_in_parts<Fixture>(s, equal_cuts(n, parts));
            if (true_error(s, r.x) > 100 * epsilon)
                CHECK(true_error(s, solve_in_parts<Fixture>(s, equal_cuts(n, parts), {}, 1).x) <= 100 * epsilon);
        }
}

TEST_CASE_TEMPLATE("reduced parts: pivoting, refinement, singular systems and NaN", Fixture, COPPICE_TEST_EXECUTORS) {
    std::int64_t const n = 6000;
    auto s = random_system<double>(n, 17);
    auto const cuts = equal_cuts(n, 3);
    double const epsilon = std::numeric_limits<double>::epsilon();
    CHECK(true_error(s, solve_in_parts<Fixture>(s, cuts, {.pivot = pivoting::scaled_partial}).x) <= 100 * epsilon);
    CHECK(true_error(s, solve_in_parts<Fixture>(s, cuts, {}, 1).x) <= 3 * epsilon);
    auto exec = Fixture::exec();
    using part = reduced_tridiagonal_part<double, decltype(exec), part_messages>;
    CHECK(part::takes(exec, {}));
    CHECK_FALSE(part::takes(exec, {.threshold = 1e-3}));
    CHECK_FALSE(part::takes(exec, {.method = band_method::chain}));

    for (std::size_t const row : {std::size_t(0), std::size_t(2500), std::size_t(5999)}) {
        auto broken = s;
        broken.diagonal[row] = std::nan("");
        CHECK(std::isnan(solve_in_parts<Fixture>(broken, cuts).backward_error));
    }
    for (auto* const band : {&s.lower, &s.diagonal, &s.upper}) (*band)[2500] = 0;
    auto const r = solve_in_parts<Fixture>(s, cuts);
    CHECK((r.singular || !(r.backward_error <= 50 * epsilon)));
}
