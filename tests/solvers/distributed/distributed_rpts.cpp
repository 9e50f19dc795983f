// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "solvers/distributed/split_systems.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

template <class T>
struct answer {
    std::vector<T> x, on_executor; ///< of solve() with its refinements, and of solve_on_executor()
    double backward_error = 0;
    bool singular = false;
};

/// Rows [first_rows[p], first_rows[p + 1]) on rank p; corner entries outside of the whole system are NaN.
template <class Fixture, class T>
answer<T> solve_distributed(test::system<T> s, std::vector<std::int64_t> const& first_rows,
                            band_options const& options = {}, int refinements = 0) {
    using exec_type = decltype(Fixture::exec());
    multi_executor<exec_type> const all(executors_of<Fixture>(first_rows.size() - 1));
    answer<T> out{std::vector<T>(s.rhs.size()), std::vector<T>(s.rhs.size())};
    if (!s.lower.empty()) s.lower.front() = s.upper.back() = std::numeric_limits<T>::quiet_NaN();
    std::vector<double> errors(first_rows.size() - 1);
    all.run([&](exec_type const& exec, rank_communicator const& comm) {
        auto const p = std::size_t(comm.rank());
        std::int64_t const n = first_rows[p + 1] - first_rows[p];
        auto const rows = [&](std::vector<T> const& of) {
            return exec.copy(std::vector<T>(of.begin() + first_rows[p], of.begin() + first_rows[p + 1]));
        };
        auto const lower = rows(s.lower), diagonal = rows(s.diagonal), upper = rows(s.upper), d = rows(s.rhs);
        buffer<T> x(exec, n), y(exec, n);
        distributed_rpts<T, exec_type, rank_communicator> solver(
            exec, comm, {n, lower.data(), diagonal.data(), upper.data()}, options);
        for (int again = 0; again < 2; ++again) solver.solve_on_executor(d.view(), y.view());
        auto const on_executor = to_vector(exec, y);
        std::copy(on_executor.begin(), on_executor.end(), out.on_executor.begin() + first_rows[p]);
        bool singular = solver.solve(d.view(), x.view());
        for (int k = 0; k < refinements; ++k) singular = solver.refine(d.view(), x.view());
        errors[p] = solver.backward_error(d.view(), x.view());
        if (p == 0) out.singular = singular;
        auto const values = to_vector(exec, x);
        std::copy(values.begin(), values.end(), out.x.begin() + first_rows[p]);
    });
    for (double const e : errors) CHECK((e == errors[0] || (std::isnan(e) && std::isnan(errors[0]))));
    out.backward_error = errors[0];
    return out;
}

template <class Fixture, class T>
void check_random(std::int64_t n, std::vector<std::int64_t> const& first_rows, std::uint64_t seed) {
    CAPTURE(n);
    CAPTURE(first_rows.size());
    auto const s = random_system<T>(n, seed);
    auto const r = solve_distributed<Fixture>(s, first_rows);
    double const error = true_error(s, r.x), epsilon = std::numeric_limits<T>::epsilon();
    CHECK(error <= 100 * epsilon);
    CHECK(std::abs(error - r.backward_error) <= 4 * std::numeric_limits<double>::epsilon()); // in double, whatever T
    CHECK_FALSE(r.singular);
    CHECK(true_error(s, r.on_executor) <= 100 * epsilon);
    auto const again = solve_distributed<Fixture>(s, first_rows);
    CHECK(again.x == r.x);
    CHECK(again.on_executor == r.on_executor);
}

} // namespace

TEST_CASE_TEMPLATE("distributed rpts: any number and size of ranks", Fixture, COPPICE_TEST_EXECUTORS) {
    for (std::int64_t const n : races_watched ? std::vector<std::int64_t>{2, 513, 5000}
                                              : std::vector<std::int64_t>{1, 2, 7, 512, 513, 600, 5000, 40'001})
        for (int const ranks : {1, 2, 3, 8}) {
            check_random<Fixture, double>(n, equal_rank_offsets(n, ranks), std::uint64_t(n + ranks));
            check_random<Fixture, float>(n, equal_rank_offsets(n, ranks), std::uint64_t(n + ranks));
        }
    // All remainders modulo 32 and 64 rows (partitions and pairs of them), on both sides of a rank boundary.
    for (std::int64_t k = 0; k < 66; k += races_watched ? 22 : 3)
        check_random<Fixture, double>(3000, {0, 1000 + k, 3000}, 7);
    for (std::vector<std::int64_t> const& first_rows : {std::vector<std::int64_t>{0, 0, 3000},
                                                        {0, 3000, 3000},
                                                        {0, 1, 1, 1500, 1501, 3000},
                                                        {0, 513, 513, 1026, 3000},
                                                        {0, 2999, 3000},
                                                        {0, 0, 0, 0}})
        check_random<Fixture, double>(first_rows.back(), first_rows, 11);
    check_random<Fixture, float>(300'007, equal_rank_offsets(300'007, 2), 3);
    check_random<Fixture, double>(300'007, equal_rank_offsets(300'007, 3), 4);
}

TEST_CASE_TEMPLATE("distributed rpts: a power of two changes no bit", Fixture, COPPICE_TEST_EXECUTORS) {
    for (std::int64_t const n : {900, 4321}) {
        auto const s = random_system<double>(n, 5);
        for (auto const& first_rows : {equal_rank_offsets(n, 2), equal_rank_offsets(n, 3)}) {
            auto const r = solve_distributed<Fixture>(s, first_rows);
            for (int const exponent : {-300, -1, 40, 500}) {
                auto scaled = s;
                for (auto* const band : {&scaled.lower, &scaled.diagonal, &scaled.upper, &scaled.rhs})
                    for (double& value : *band) value = std::ldexp(value, exponent);
                CAPTURE(exponent);
                CHECK(solve_distributed<Fixture>(scaled, first_rows).x == r.x);
            }
        }
    }
}

TEST_CASE_TEMPLATE("distributed rpts: partitions that are singular inside", Fixture, COPPICE_TEST_EXECUTORS) {
    double const epsilon = std::numeric_limits<double>::epsilon();
    for (double const diagonal : {0.0, 2 * std::cos(5 * std::acos(-1.0) / 31), 1.0, -1e-9})
        for (int const ranks : {2, 3}) {
            std::int64_t const n = 4096;
            auto s = random_system<double>(n, 3);
            for (std::size_t i = 0; i < std::size_t(n); ++i) {
                s.diagonal[i] = diagonal;
                s.lower[i] = s.upper[i] = 1;
            }
            s.make_rhs();
            CAPTURE(diagonal);
            // The boundary of a partition that has no pair cannot be shifted. Digits may then be lost, and one step of
            // refinement must restore them.
            auto const r = solve_distributed<Fixture>(s, equal_rank_offsets(n, ranks));
            CHECK(true_error(s, r.on_executor) <= 10 * true_error(s, r.x) + 100 * epsilon);
            if (true_error(s, r.x) > 100 * epsilon)
                CHECK(true_error(s, solve_distributed<Fixture>(s, equal_rank_offsets(n, ranks), {}, 1).x) <=
                      100 * epsilon);
        }
}

TEST_CASE_TEMPLATE("distributed rpts: pivoting, refinement, singular systems and NaN", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    std::int64_t const n = 6000;
    auto s = random_system<double>(n, 17);
    auto const first_rows = equal_rank_offsets(n, 3);
    double const epsilon = std::numeric_limits<double>::epsilon();
    auto const scaled = solve_distributed<Fixture>(s, first_rows, {.pivot = pivoting::scaled_partial});
    CHECK(true_error(s, scaled.x) <= 100 * epsilon);
    CHECK(true_error(s, scaled.on_executor) <= 100 * epsilon);
    CHECK(true_error(s, solve_distributed<Fixture>(s, first_rows, {}, 1).x) <= 3 * epsilon);
    auto exec = Fixture::exec();
    using solver = distributed_rpts<double, decltype(exec), rank_communicator>;
    CHECK(solver::takes(exec, {}));
    CHECK_FALSE(solver::takes(exec, {.threshold = 1e-3}));
    CHECK_FALSE(solver::takes(exec, {.method = band_method::chain}));

    for (std::size_t const row : {std::size_t(0), std::size_t(2500), std::size_t(5999)}) {
        auto broken = s;
        broken.diagonal[row] = std::nan("");
        CHECK(std::isnan(solve_distributed<Fixture>(broken, first_rows).backward_error));
    }
    for (auto* const band : {&s.lower, &s.diagonal, &s.upper}) (*band)[2500] = 0;
    auto const r = solve_distributed<Fixture>(s, first_rows);
    CHECK((r.singular || !(r.backward_error <= 50 * epsilon)));
}
