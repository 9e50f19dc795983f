// SPDX-License-Identifier: BSD-3-Clause
// Stationary distributions compared with elimination without subtractions, the dense null vector, and a simulated
// chain.
#include <coppice/solvers/queueing/stationary.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include <lapacke.h>

#include "support/executors.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/queue_chain.hpp>
#include <coppice/algebra/random.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

std::vector<double> dense_of(csr<double> const& a) { // column-major
    std::vector<double> d(std::size_t(a.rows()) * std::size_t(a.rows()), 0.0);
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            d[std::size_t(a.column_indices()[k]) * std::size_t(a.rows()) + std::size_t(i)] += a.values()[k];
    return d;
}

/// Grassmann, Taksar and Heyman (1985): without subtractions every probability is computed to full relative accuracy.
std::vector<long double> by_elimination(csr<double> const& a) {
    auto const n = std::size_t(a.rows());
    auto const d = dense_of(a);
    std::vector<std::vector<long double>> rate(n, std::vector<long double>(n));
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to) rate[from][to] = from == to ? 0 : -(long double)(d[from * n + to]);
    std::vector<long double> out(n, 0), x(n, 0);
    for (std::size_t s = n - 1; s > 0; --s) {
        out[s] = std::accumulate(rate[s].begin(), rate[s].begin() + std::ptrdiff_t(s), 0.0L);
        for (std::size_t i = 0; i < s; ++i)
            for (std::size_t j = 0; j < s; ++j)
                if (i != j) rate[i][j] += rate[i][s] * rate[s][j] / out[s];
    }
    x[0] = 1;
    for (std::size_t s = 1; s < n; ++s) {
        for (std::size_t i = 0; i < s; ++i) x[s] += x[i] * rate[i][s];
        x[s] /= out[s];
    }
    long double const sum = std::accumulate(x.begin(), x.end(), 0.0L);
    for (auto& p : x) p /= sum;
    return x;
}

template <class Executor, class T>
std::vector<T> distribution(Executor const& exec, csr<T> const& a, stationary_options const& options,
                            stationary_result& result) {
    auto const on = exec.copy(a);
    buffer<T> x(exec, a.rows());
    result = stationary_distribution(exec, on.view(), x.view(), options);
    return to_vector(exec, x);
}

void check_distribution(std::vector<double> const& x) {
    for (double const p : x) REQUIRE(p >= 0);
    CHECK(std::abs(double(std::accumulate(x.begin(), x.end(), 0.0L)) - 1) <= 1e-14);
}

} // namespace

TEST_CASE_TEMPLATE("stationary: every digit of every probability", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    std::vector<queue_options> const queues{
        {.servers = 9, .places = 6, .arrival = 5, .upper = 3, .lower = 2},
        {.servers = 30, .places = 8, .arrival = 12, .opening = 10, .closing = 0.1},
        {.servers = 25, .places = 12, .share = 4, .arrival = 60, .service = 4, .closing = 20, .upper = 6},
        {.servers = 40, .places = 5, .arrival = 1, .service = 8}, // the last level has a very small probability
        {.servers = 5, .places = 16, .arrival = 50},              // ten times as many arrivals as can be served
        {.servers = 1, .places = 20, .arrival = 0.5},             // M/M/1 with 19 places
        {.servers = 12, .places = 1, .arrival = 3},               // all servers, no waiting: M/M/n/n
        {.servers = 2, .places = 2, .arrival = 3},
        {.servers = 2, .places = 1, .arrival = 3}};
    for (auto const& q : queues) {
        CAPTURE(q.servers);
        CAPTURE(q.places);
        auto const a = queue_matrix<double>(host, q);
        auto const expected = by_elimination(a);
        for (std::int64_t const block : {q.places, std::int64_t(0)}) {
            CAPTURE(block);
            if (block == 0 && q.places == 2) continue; // no blocks of more rows than two
            stationary_result result;
            auto const x = distribution(exec, a, {.block = block}, result);
            CHECK(result.converged);
            CHECK(result.residual <= 1e-13);
            check_distribution(x);
            for (std::size_t i = 0; i < x.size(); ++i)
                REQUIRE(std::abs(x[i] - double(expected[i])) <= 1e-10 * double(expected[i]) + 1e-300);
        }
    }
    stationary_result result;
    auto const single = distribution(exec, queue_matrix<float>(host, queues[0]), {}, result);
    CHECK(result.converged);
    auto const expected = by_elimination(queue_matrix<double>(host, queues[0]));
    for (std::size_t i = 0; i < single.size(); ++i) CHECK(std::abs(single[i] - double(expected[i])) <= 1e-6);
}

TEST_CASE_TEMPLATE("stationary: the dense null vector, and a simulated chain", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = queue_matrix<double>(host_executor{1}, {.servers = 6, .places = 5, .arrival = 3, .upper = 3});
    int const n = a.rows();
    stationary_result result;
    auto const x = distribution(exec, a, {}, result);
    CHECK(result.converged);

    auto d = dense_of(a);
    std::vector<double> s(static_cast<std::size_t>(n)), vt(d.size()), work(s.size());
    REQUIRE(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', n, n, d.data(), n, s.data(), nullptr, 1, vt.data(), n,
                           work.data()) == 0);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += vt[std::size_t(i * n + n - 1)];
    for (int i = 0; i < n; ++i)
        CHECK(x[std::size_t(i)] == doctest::Approx(vt[std::size_t(i * n + n - 1)] / sum).epsilon(1e-10));

    // Simulates the chain jump by jump and measures the fraction of time in each state.
    auto const rates = dense_of(a);
    random_stream const random(1, 1);
    std::vector<double> time(s.size(), 0.0);
    double all = 0;
    std::size_t state = 0;
    for (std::uint64_t jump = 0; jump < 400000; ++jump) {
        double const* const out = &rates[state * std::size_t(n)];
        time[state] += 1 / out[state];
        all += 1 / out[state];
        double left = random.uniform(jump, 0.0, out[state]);
        std::size_t next = 0;
        while (next + 1 < s.size() && (next == state || (left += out[next]) > 0)) ++next;
        state = next;
    }
    for (std::size_t i = 0; i < s.size(); ++i) CHECK(std::abs(time[i] / all - x[i]) <= 0.004);
}

TEST_CASE_TEMPLATE("stationary: systems as large as those of Table 2", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    std::vector<queue_options> queues{{.servers = 600, .arrival = 1000}}; // masses from 1 to e^-1000
    for (auto const& c : cloud_cases())
        if (c.queue.servers <= 500) queues.push_back(c.queue);
    for (auto queue : queues) {
        CAPTURE(queue.servers);
        CAPTURE(queue.places);
        queue.loss = 0;
        auto const a = queue_matrix<double>(host, queue);
        stationary_result result;
        auto const x = distribution(exec, a, {.block = queue.places}, result);
        CHECK(result.converged);
        check_distribution(x);
        std::vector<long double> r(x.size(), 0);
        for (std::int32_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                r[std::size_t(i)] += (long double)(a.values()[k]) * x[std::size_t(a.column_indices()[k])];
        for (long double const e : r) REQUIRE(std::abs(double(e)) <= 1e-12);
    }
}

TEST_CASE_TEMPLATE("stationary: corner cases and matrices that are not Markov chains", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    stationary_result result;
    CHECK(distribution(exec, csr<double>(0, 0, host.copy(std::vector<std::int32_t>{0}), {}, {}), {}, result).empty());
    CHECK(distribution(exec, queue_matrix<double>(host, {.servers = 1, .places = 1}), {}, result) ==
          std::vector<double>{1.0});
    auto const fails = [&](std::vector<double> const& dense, stationary_options const& options = {}) {
        auto const n = std::int32_t(std::sqrt(double(dense.size())));
        coo<double> entries{n, n};
        for (std::int32_t i = 0; i < n; ++i)
            for (std::int32_t j = 0; j < n; ++j)
                if (dense[std::size_t(i * n + j)] != 0) entries.add(i, j, dense[std::size_t(i * n + j)]);
        distribution(exec, to_csr(host, entries), options, result);
    };
    CHECK_NOTHROW(fails({1, -2, -1, 2}));
    CHECK(result.converged);
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(fails({1, -2, -1, 3}),
                         "column 1 is not that of a Markov chain: expected a positive diagonal entry, no positive "
                         "off-diagonal entry, and a sum of zero",
                         matrix_error);
    CHECK_THROWS_AS(fails({1, 2, -1, -2}), matrix_error);
    CHECK_THROWS_AS(fails({1, 0, -1, 0}), matrix_error); // no transition leaves the second state
    CHECK_THROWS_AS(fails({1, -2, -1, nan}), matrix_error);
    CHECK_THROWS_AS(fails({1, -1, 0, 0, -1, 1, 0, 0, 0, 0, 1, -1, 0, 0, -1, 1}, {.block = 2}), matrix_error);
    CHECK_THROWS_AS(fails({1, -2, -1, 2}, {.block = 3}), argument_error);
    CHECK_THROWS_AS(fails({1, -2, -1, 2}, {.tolerance = -1}), argument_error);
    CHECK_THROWS_AS(fails({1, -2, -1, 2}, {.max_iterations = -1}), argument_error);
    auto const a = exec.copy(queue_matrix<double>(host, {.servers = 9, .places = 6, .arrival = 5}));
    buffer<double> x(exec, a.rows()), y(exec, 3);
    CHECK_THROWS_AS(stationary_distribution(exec, a.view(), y.view()), dimension_error);
    auto const few = stationary_distribution(exec, a.view(), x.view(), {.max_iterations = 2});
    CHECK(few.reason == stationary_reason::max_iterations);
    CHECK(few.iterations == 2);
}

TEST_CASE("stationary distributions: names of reasons") {
    CHECK(to_string(stationary_reason::converged) == "converged");
    CHECK(to_string(stationary_reason::max_iterations) == "max_iterations");
    CHECK(to_string(stationary_reason::stagnated) == "stagnated");
    CHECK(to_string(stationary_reason::not_finite) == "not_finite");
    CHECK(to_string(stationary_reason(99)) == "unknown");
}
