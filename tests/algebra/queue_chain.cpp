// SPDX-License-Identifier: BSD-3-Clause
// The Markov chain of the queue: states from the definition, Table 2, and options out of range.
#include <coppice/algebra/generate/queue_chain.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "support/same_bits.hpp"
#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using coppice::test::same_bits;

namespace {

using state = std::pair<long, long>; ///< open servers (from 1), tasks

/// Transitions as defined in the header, for servers and tasks.
std::map<std::pair<state, state>, double> transitions(long servers, long positions, long tasks_per_server, long upper,
                                                      long lower) {
    std::map<std::pair<state, state>, double> rates;
    auto const exists = [&](long j, long i) {
        return j >= 1 && j <= servers && i >= tasks_per_server * (j - 1) && i < tasks_per_server * (j - 1) + positions;
    };
    for (long j = 1; j <= servers; ++j)
        for (long p = 0; p < positions; ++p) {
            long const i = tasks_per_server * (j - 1) + p;
            auto const go = [&](long to_j, long to_i, double rate) { rates[{{j, i}, {to_j, to_i}}] += rate; };
            if (exists(j, i + 1)) go(j, i + 1, 7);
            if (!exists(j, i + 1) && j < servers) go(j + 1, i + 1, 7);
            double const busy = std::min<double>(double(j), std::ceil(double(i) / double(tasks_per_server)));
            if (exists(j, i - 1)) go(j, i - 1, 2 * busy);
            if (!exists(j, i - 1) && j > 1) go(j - 1, i - 1, 2 * busy);
            if (p >= upper && exists(j + 1, i))
                go(j + 1, i, 3 * std::ceil(double(p - upper + 1) / double(tasks_per_server)));
            if (p <= lower && exists(j - 1, i))
                go(j - 1, i, 5 * std::ceil(double(lower - p + 1) / double(tasks_per_server)));
        }
    return rates;
}

} // namespace

TEST_CASE("queue: every transition, by the definition") {
    for (long const servers : {1, 2, 5})
        for (auto const& [positions, tasks_per_server] :
             {std::pair<long, long>{1, 1}, {2, 1}, {6, 1}, {6, 2}, {7, 3}, {4, 3}})
            for (auto const& [upper, lower] :
                 {std::pair<long, long>{tasks_per_server + 1, tasks_per_server - 1}, {2, 3}}) {
                if (upper > positions || lower > positions) continue;
                CAPTURE(servers);
                auto const& case_positions = positions;
                CAPTURE(case_positions);
                auto const& case_tasks_per_server = tasks_per_server;
                CAPTURE(case_tasks_per_server);
                auto const a = queue_matrix<double>(host_executor{2}, {.servers = servers,
                                                                       .places = positions,
                                                                       .share = tasks_per_server,
                                                                       .arrival = 7,
                                                                       .service = 2,
                                                                       .opening = 3,
                                                                       .closing = 5,
                                                                       .upper = upper,
                                                                       .lower = lower,
                                                                       .loss = 0.25});
                auto expected = transitions(servers, positions, tasks_per_server, upper, lower);
                std::map<state, double> out;
                for (auto const& [from_to, rate] : expected) out[from_to.first] += rate;
                auto const of_row = [&](long row) {
                    return state{row / case_positions + 1,
                                 row / case_positions * case_tasks_per_server + row % case_positions};
                };
                std::size_t off_diagonal = 0;
                for (std::int32_t row = 0; row < a.rows(); ++row)
                    for (auto k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k) {
                        auto const column = a.column_indices()[k];
                        if (row == column) {
                            CHECK(a.values()[k] == doctest::Approx(0.25 + out[of_row(column)]));
                            continue;
                        }
                        ++off_diagonal;
                        CHECK(-a.values()[k] == doctest::Approx(expected[{of_row(column), of_row(row)}]));
                    }
                for (auto& [from_to, rate] : expected) off_diagonal -= rate > 0;
                CHECK(off_diagonal == 0);
            }
}

TEST_CASE("queue: the ten systems of Table 2") {
    host_executor const exec{1};
    for (auto const& c : cloud_cases()) {
        CAPTURE(c.name);
        auto const a = queue_matrix<double>(exec, c.queue);
        CHECK(a.nonzeros() == c.queue.nonzeros);
        CHECK(a.rows() == c.queue.servers * c.queue.places);
        if (c.name != "Cloud16-800") CHECK(a.rows() == c.printed_rows);
        CHECK(to_block_hybrid(exec, a.view(), {.block = c.queue.places, .max_bands = 1}).block() == c.queue.places);
    }
}

TEST_CASE("queue: by name") {
    host_executor const exec{1};
    auto const made = [&](std::string_view text) {
        auto const request = parse_generator(text);
        return generate<double>(exec, request.kind, request.options);
    };
    CHECK(same_bits(made("generate:queue,servers=5,places=6,share=2,arrival=7,service=2,opening=3,closing=5,upper=4,"
                         "lower=3,loss=0.25"),
                    queue_matrix<double>(exec, {5, 6, 2, 7, 2, 3, 5, 4, 3, 0.25})));
    CHECK(same_bits(made("generate:cloud,case=7"), queue_matrix<double>(exec, cloud_cases()[6].queue)));
    CHECK_THROWS_AS(made("generate:cloud,case=11"), argument_error);
    CHECK_THROWS_AS(made("generate:queue,arrival=0"), argument_error);
    CHECK_THROWS_AS(made("generate:queue,service=nan"), argument_error);
}

TEST_CASE("queue: options outside their range") {
    host_executor const exec{1};
    double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (double const bad : {0.0, -1.0, nan, infinity}) {
        CHECK_THROWS_AS(queue_matrix<double>(exec, {.arrival = bad}), argument_error);
        CHECK_THROWS_AS(queue_matrix<double>(exec, {.service = bad}), argument_error);
        CHECK_THROWS_AS(queue_matrix<double>(exec, {.opening = bad}), argument_error);
        CHECK_THROWS_AS(queue_matrix<double>(exec, {.closing = bad}), argument_error);
        if (bad != 0) CHECK_THROWS_AS(queue_matrix<double>(exec, {.loss = bad}), argument_error);
    }
    CHECK_THROWS_WITH_AS(queue_matrix<double>(exec, {.servers = 0}),
                         "number of servers of a queue is 0, expected 1 to 429496729", argument_error);
    CHECK_THROWS_AS(queue_matrix<double>(exec, {.places = 0}), argument_error);
    CHECK_THROWS_AS(queue_matrix<double>(exec, {.places = 4, .share = 4}), argument_error);
    CHECK_THROWS_AS(queue_matrix<double>(exec, {.places = 4, .upper = 5}), argument_error);
    CHECK_THROWS_AS(queue_matrix<double>(exec, {.places = 4, .lower = -2}), argument_error);
    CHECK_THROWS_WITH_AS(queue_matrix<double>(exec, {.servers = 10, .places = 4, .nonzeros = 173}),
                         "nonzeros of a queue is 173, expected 118 to 172", argument_error);
    CHECK_THROWS_AS(queue_matrix<double>(exec, {.servers = 1 << 20, .places = 1 << 20}), overflow_error);
    CHECK(queue_matrix<double>(exec, {.servers = 1, .places = 1}).rows() == 1);
}
