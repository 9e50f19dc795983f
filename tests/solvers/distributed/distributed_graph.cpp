// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <coppice/factor.hpp>
#include <coppice/linear_forest.hpp>

#include "support/executors.hpp"
#include "support/graphs.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using int_offsets = std::vector<int>;

/// Divisions into equal ranges, with empty ranks, with ranks of one row; for small n also one rank per row. With the
/// thread sanitizer only one with empty ranks and one into four ranges.
std::vector<int_offsets> divisions_of(int n) {
    std::vector<int_offsets> all{{0, n}, {0, n / 2, n}, {0, 0, n / 3, n / 3, n}};
    if (races_watched) return {all.back(), {0, n / 4, n / 2, n - n / 4, n}};
    all.push_back({0, std::min(1, n), std::min(2, n), n, n});
    for (int const ranks : {4, 8}) {
        all.emplace_back();
        for (int p = 0; p <= ranks; ++p) all.back().push_back(int(std::int64_t(n) * p / ranks));
    }
    if (n > 0 && n <= 8) {
        all.emplace_back();
        for (int v = 0; v <= n; ++v) all.back().push_back(v);
    }
    return all;
}

/// Calls work(exec, comm, graph) for the ranks of a graph.
template <class Fixture, class Work>
void over_ranks(plain_csr<double> const& a, int_offsets const& first_rows, Work const& work) {
    using exec_type = decltype(Fixture::exec());
    multi_executor<exec_type> const all(executors_of<Fixture>(first_rows.size() - 1));
    all.run([&](exec_type const& exec, rank_communicator const& comm) {
        auto const p = std::size_t(comm.rank());
        auto const begin = a.offsets[std::size_t(first_rows[p])], end = a.offsets[std::size_t(first_rows[p + 1])];
        std::vector<int> offsets(a.offsets.begin() + first_rows[p], a.offsets.begin() + first_rows[p + 1] + 1);
        for (int& offset : offsets) offset -= begin;
        distributed_csr<exec_type, double> const rows(exec, comm, offsets,
                                                      {a.indices.begin() + begin, a.indices.begin() + end},
                                                      {a.values.begin() + begin, a.values.begin() + end});
        distributed_graph<exec_type, double> const graph(exec, comm, rows);
        CHECK(graph.first() == first_rows[p]);
        CHECK(graph.size() == first_rows[p + 1] - first_rows[p]);
        work(exec, comm, graph);
    });
}

/// Copies the arrays of the ranks to consecutive positions.
template <class Executor, class T>
void put(Executor const& exec, buffer<T> const& rank, std::vector<T>& whole, std::int64_t first) {
    auto const values = to_vector(exec, rank);
    std::copy(values.begin(), values.end(), whole.begin() + first);
}

template <class Fixture>
void check_factor(plain_csr<double> const& a, factor_options const& options, int_offsets const& first_rows) {
    auto const whole = Fixture::exec();
    auto const expected = parallel_factor(whole, view_of(a.on(whole)), options);
    std::vector<int> neighbors(std::size_t(options.degree) * std::size_t(a.rows));
    over_ranks<Fixture>(a, first_rows, [&](auto const& exec, rank_communicator const&, auto const& graph) {
        auto const f = parallel_factor(exec, graph, options);
        CHECK(f.degree == options.degree);
        CHECK(f.vertices == graph.size());
        CHECK(f.rounds == expected.rounds);
        CHECK(f.maximal == expected.maximal);
        CHECK(f.edges == expected.edges);
        CHECK(f.weight == doctest::Approx(expected.weight).epsilon(1e-13));
        CHECK(f.total_weight == doctest::Approx(expected.total_weight).epsilon(1e-13));
        CHECK(f.weight_coverage == doctest::Approx(expected.weight_coverage).epsilon(1e-13));
        put(exec, f.neighbors, neighbors, options.degree * graph.first());
    });
    CHECK(neighbors == to_vector(whole, expected.neighbors));
}

template <class Fixture>
void check_forest(plain_csr<double> const& a, factor_options const& options, int_offsets const& first_rows) {
    auto const whole = Fixture::exec();
    auto const weights = a.on(whole);
    auto const expected = extract_forest(whole, weights.view(), parallel_factor(whole, weights.view(), options));
    auto const n = std::size_t(a.rows);
    std::vector<int> path_ids(n), positions(n), permutation(n), inverse(n), links(2 * n);
    std::vector<std::vector<int>> offsets(first_rows.size() - 1);
    over_ranks<Fixture>(a, first_rows, [&](auto const& exec, rank_communicator const& comm, auto const& graph) {
        auto const f = extract_forest(exec, graph, parallel_factor(exec, graph, options));
        CHECK(f.vertices == graph.size());
        CHECK(f.paths == expected.paths);
        CHECK(f.longest_path == expected.longest_path);
        CHECK(f.cycles_broken == expected.cycles_broken);
        CHECK(f.edges == expected.edges);
        CHECK(f.weight == doctest::Approx(expected.weight).epsilon(1e-13));
        CHECK(f.weight_coverage == doctest::Approx(expected.weight_coverage).epsilon(1e-13));
        put(exec, f.path_ids, path_ids, graph.first());
        put(exec, f.positions, positions, graph.first());
        put(exec, f.permutation, permutation, graph.first());
        put(exec, f.inverse, inverse, graph.first());
        put(exec, f.links, links, 2 * graph.first());
        offsets[std::size_t(comm.rank())] = to_vector(exec, f.path_offsets);
    });
    CHECK(path_ids == to_vector(whole, expected.path_ids));
    CHECK(positions == to_vector(whole, expected.positions));
    CHECK(permutation == to_vector(whole, expected.permutation));
    CHECK(inverse == to_vector(whole, expected.inverse));
    CHECK(links == to_vector(whole, expected.links));
    std::vector<int> merged{0}; // each rank ends where the next one begins
    for (auto const& rank : offsets) {
        REQUIRE(!rank.empty());
        CHECK(rank.front() == merged.back());
        merged.insert(merged.end(), rank.begin() + 1, rank.end());
    }
    CHECK(merged == to_vector(whole, expected.path_offsets));
}

/// Whether a choice of options is tested: on the host every one; under sanitizers, and on devices, whose ranks run one
/// after the other, every third one.
template <class Fixture>
bool is_tried(std::size_t choice, std::size_t turn) {
    return (!sanitized && std::is_same_v<decltype(Fixture::exec()), host_executor>) || choice % 3 == turn % 3;
}

/// A graph of one cycle, which goes through its vertices in a random order.
plain_csr<double> shuffled_cycle(int n, unsigned seed, bool equal) {
    std::mt19937 random(seed);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    graph_builder g(n);
    for (std::size_t k = 0; k < order.size(); ++k)
        g.edge(order[k], order[(k + 1) % order.size()], equal ? 1 : double(1 + random() % 1000));
    return g.plain();
}
/// Graphs with cycles within ranks and across rank boundaries, and similar ones.
std::vector<named_graph> split_graphs() {
    std::vector<named_graph> all = hard_graphs();
    for (int const n : ends_for_races({3, 6, 7, 100}))
        for (bool const equal : {true, false})
            all.push_back({"shuffled cycle of " + std::to_string(n), shuffled_cycle(n, unsigned(n), equal)});
    {
        graph_builder g(200); // v, v + 50, v + 100, v + 150
        for (int v = 0; v < 200; ++v) g.edge(v, (v + 50) % 200, v < 100 ? 1 : 1 + v % 3);
        all.push_back({"cycles through four ranks", g.plain()});
    }
    {
        graph_builder g(240);
        for (int v = 0; v < 240; ++v) g.edge(v, v % 6 == 5 ? v - 5 : v + 1, 2);
        all.push_back({"short cycles, equal weights", g.plain()});
    }
    {
        graph_builder g(120); // unsymmetric weights
        std::mt19937 random(3);
        for (int v = 0; v < 120; ++v)
            for (int const by : {1, 31}) {
                g.entry(v, (v + by) % 120, double(1 + random() % 20));
                g.entry((v + by) % 120, v, double(1 + random() % 20));
            }
        all.push_back({"unequal directions", g.plain()});
    }
    {
        graph_builder g(100);
        for (int v = 0; v + 1 < 100; ++v) g.edge(v, v + 1, 1);
        all.push_back({"path across every cut", g.plain()});
    }
    return all;
}

/// Calls check(weights, options, first_rows) for all tested graphs, divisions and choices.
template <class Fixture, class Check>
void for_each_choice(std::vector<factor_options> const& choices, Check const& check) {
    for (auto const& graph : split_graphs())
        for (auto const& first_rows : divisions_of(graph.weights.rows))
            for (std::size_t k = 0; k < choices.size(); ++k) {
                if (!is_tried<Fixture>(k, graph.name.size() + first_rows.size())) continue;
                CAPTURE(graph.name);
                CAPTURE(first_rows.size());
                CAPTURE(k);
                check(graph.weights, choices[k], first_rows);
            }
}

} // namespace

TEST_CASE_TEMPLATE("distributed graph: the factor is that of one executor", Fixture, COPPICE_TEST_EXECUTORS) {
    std::vector<factor_options> const choices{{},
                                              {.degree = 1},
                                              {.rounds = 0, .charge_below = 0, .ties = tie_rule::near},
                                              {.rounds = 5, .charge_below = 2, .seed = 3},
                                              {.degree = 3, .rounds = 4},
                                              {.degree = 4, .ties = tie_rule::near},
                                              {.degree = 1, .rounds = 7, .charge_period = 3, .charge_below = 2}};
    for_each_choice<Fixture>(choices, &check_factor<Fixture>);
}

TEST_CASE_TEMPLATE("distributed graph: the forest is that of one executor", Fixture, COPPICE_TEST_EXECUTORS) {
    std::vector<factor_options> const choices{{.ties = tie_rule::near}, {}, {.degree = 1}, {.rounds = 3}};
    for_each_choice<Fixture>(choices, &check_forest<Fixture>);
}

TEST_CASE_TEMPLATE("distributed graph: an invalid graph or option is an error", Fixture, COPPICE_TEST_EXECUTORS) {
    auto a = stencil_graph(6, 5, stencil_five_point);
    auto const factor = [&](factor_options const& options) {
        over_ranks<Fixture>(a, {0, 10, 30}, [&](auto const& exec, rank_communicator const&, auto const& graph) {
            parallel_factor(exec, graph, options);
        });
    };
    CHECK_THROWS_WITH_AS(factor({.degree = 5}), doctest::Contains("degree is 5"), argument_error);
    CHECK_THROWS_WITH_AS(over_ranks<Fixture>(a, {0, 10, 30},
                                             [&](auto const& exec, rank_communicator const&, auto const& graph) {
                                                 auto f = parallel_factor(exec, graph, {});
                                                 fill(exec, f.neighbors.view(), graph.first() == 0 ? 29 : -1);
                                                 extract_forest(exec, graph, f);
                                             }),
                         doctest::Contains("out of range, repeated or not mutual"), argument_error);
    CHECK_THROWS_AS(over_ranks<Fixture>(a, {0, 10, 30},
                                        [&](auto const& exec, rank_communicator const&, auto const& graph) {
                                            extract_forest(exec, graph, parallel_factor(exec, graph, {.degree = 3}));
                                        }),
                    argument_error);
    a.values[3] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(factor({}), matrix_error);
}
