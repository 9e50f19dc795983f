// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include <coppice/scan.hpp>
#include <coppice/solvers/distributed/graphs/distributed_scan.hpp>

#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Paths and cycles over shuffled vertices; the two neighbours of a vertex are in random order.
struct path_graph {
    std::vector<int> neighbors;          ///< [2n], -1: no neighbour
    std::vector<std::vector<int>> paths; ///< vertices in order
    std::vector<std::vector<int>> cycles;
};

path_graph make_path_graph(std::vector<int> const& path_lengths, std::vector<int> const& cycle_lengths, unsigned seed) {
    std::mt19937 random(seed);
    int const n = std::accumulate(path_lengths.begin(), path_lengths.end(), 0) +
                  std::accumulate(cycle_lengths.begin(), cycle_lengths.end(), 0);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    path_graph g;
    g.neighbors.assign(2 * order.size(), -1);
    auto next = order.begin();
    auto const add_neighbor = [&](int v, int w) {
        std::size_t const slot = 2 * std::size_t(v);
        std::size_t const first = random() % 2;
        g.neighbors[slot + (g.neighbors[slot + first] == -1 ? first : 1 - first)] = w;
    };
    auto const take = [&](int length, bool closed) {
        std::vector<int> const line(next, next + length);
        next += length;
        for (int k = 0; k + 1 < length; ++k) {
            add_neighbor(line[std::size_t(k)], line[std::size_t(k) + 1]);
            add_neighbor(line[std::size_t(k) + 1], line[std::size_t(k)]);
        }
        if (closed) {
            add_neighbor(line.front(), line.back());
            add_neighbor(line.back(), line.front());
        }
        (closed ? g.cycles : g.paths).push_back(line);
    };
    for (int const length : path_lengths) take(length, false);
    for (int const length : cycle_lengths) take(length, true);
    return g;
}

struct neighbor_of {
    int const* neighbors;
    COPPICE_HD int operator()(std::int64_t v, int d) const { return neighbors[2 * v + d]; }
};

/// Affine maps modulo a prime under composition: associative, not commutative.
struct affine {
    std::uint32_t scale;
    std::uint32_t shift;
    COPPICE_HD friend bool operator==(affine const& a, affine const& b) {
        return a.scale == b.scale && a.shift == b.shift;
    }
};
inline constexpr std::uint64_t prime = 1000003;
struct composition {
    COPPICE_HD affine operator()(affine const& a, affine const& b) const {
        return {std::uint32_t(std::uint64_t(a.scale) * b.scale % prime),
                std::uint32_t((std::uint64_t(a.scale) * b.shift + a.shift) % prime)};
    }
};
struct affine_of {
    COPPICE_HD affine operator()(std::int64_t v, int d) const {
        return {std::uint32_t(2 + v % 1000), std::uint32_t(3 * v % 997 + d)};
    }
};
struct bring_one {
    COPPICE_HD unsigned operator()(std::int64_t, int) const { return 1; }
};

struct smaller {
    static constexpr bool idempotent = true;
    COPPICE_HD int operator()(int a, int b) const { return b < a ? b : a; }
};
/// Value of the edge to the neighbour, equal from both ends; distinct for most edges.
struct edge_number {
    int const* neighbors;
    COPPICE_HD int operator()(std::int64_t v, int d) const {
        int const w = neighbors[2 * v + d];
        if (w < 0) return 1 << 30;
        std::int64_t const low = v < w ? v : w;
        std::int64_t const high = v < w ? w : v;
        return int((low * 7919 + high * 104729) % 1000003);
    }
};

template <class Executor>
using scan_function = scan_result<affine, int> (*)(Executor const&, std::int64_t, neighbor_of, affine_of, composition);

/// Compares a scan with a walk along every path, in both directions.
template <class Executor, class Scan>
void check_paths(Executor const& exec, path_graph const& g, Scan scan) {
    auto const neighbors = exec.copy(g.neighbors);
    auto const n = std::int64_t(g.neighbors.size()) / 2;
    auto const result = scan(exec, n, neighbor_of{neighbors.data()}, affine_of{}, composition{});
    auto const entries = to_vector(exec, result.entries);
    std::int64_t in_cycles = 0;
    for (auto const& cycle : g.cycles) {
        in_cycles += std::int64_t(cycle.size());
        for (int const v : cycle) {
            CHECK(!is_path_end(entries[std::size_t(v)].link[0]));
            CHECK(!is_path_end(entries[std::size_t(v)].link[1]));
        }
    }
    CHECK(result.open == 2 * in_cycles);
    for (auto path : g.paths)
        for (int orientation = 0; orientation < 2; ++orientation) {
            std::reverse(path.begin(), path.end());
            for (std::size_t k = 0; k < path.size(); ++k) { // direction towards path.back()
                auto const& e = entries[std::size_t(path[k])];
                auto const slot_towards_end = [&](std::size_t at) {
                    auto const v = std::size_t(path[at]);
                    if (at + 1 < path.size()) return g.neighbors[2 * v] == path[at + 1] ? 0 : 1;
                    if (path.size() == 1) return orientation;
                    return g.neighbors[2 * v] == -1 ? 0 : 1;
                };
                int const d = slot_towards_end(k);
                affine expected = affine_of{}(path[k], d);
                for (std::size_t at = k + 1; at < path.size() && at < k + 300; ++at)
                    expected = composition{}(expected, affine_of{}(path[at], slot_towards_end(at)));
                REQUIRE(path_end_vertex(e.link[d]) == path.back());
                if (path.size() <= k + 300) REQUIRE(e.value[d] == expected);
            }
        }
}

template <class Executor>
scan_result<affine, int> the_scan(Executor const& exec, std::int64_t n, neighbor_of neighbor, affine_of initial,
                                  composition combine) {
    return bidirectional_scan<affine, int>(exec, n, neighbor, initial, combine);
}
template <class Executor>
scan_result<affine, int> jumping(Executor const& exec, std::int64_t n, neighbor_of neighbor, affine_of initial,
                                 composition combine) {
    return graph_detail::scan_by_jumping<affine, int>(exec, n, neighbor, initial, combine);
}

template <class Executor>
scan_result<affine, int> over_splitters(Executor const& exec, std::int64_t n, neighbor_of neighbor, affine_of initial,
                                        composition combine) {
    return graph_detail::scan_over_splitters<affine, int>(exec, n, neighbor, initial, combine);
}
template <class Executor>
scan_result<affine, int> over_many_splitters(Executor const& exec, std::int64_t n, neighbor_of neighbor,
                                             affine_of initial, composition combine) {
    return graph_detail::scan_over_splitters<affine, int>(exec, n, neighbor, initial, combine, 0);
}

/// Functions of vertices whose indices are offset by `first`.
template <class F>
struct counted_from {
    F f;
    std::int64_t first;
    COPPICE_HD auto operator()(std::int64_t v, int d) const { return f(first + v, d); }
};

/// The distributed scan; combines the vertices of all ranks.
template <class Value, class Fixture, class Initial, class Combine>
scan_result<Value, int> scan_over_ranks(std::vector<std::int64_t> const& begins, neighbor_of neighbor, Initial initial,
                                        Combine combine) {
    using executor_type = decltype(Fixture::exec());
    std::vector<scan_entry<Value, int>> entries(std::size_t(begins.back()));
    std::vector<std::int64_t> open(begins.size() - 1);
    multi_executor<executor_type> const all(executors_of<Fixture>(begins.size() - 1));
    std::vector<int> const whole =
        to_vector(Fixture::exec(), array_view<int const>(neighbor.neighbors, 2 * begins.back()));
    all.run([&](executor_type const& exec, rank_communicator const& others) {
        auto const p = std::size_t(others.rank());
        std::int64_t const first = begins[p], vertices = begins[p + 1] - first;
        auto const here = exec.copy(whole); // on the device of the rank
        Initial own = initial;
        if constexpr (requires { own.neighbors; }) own.neighbors = here.data();
        auto const result = bidirectional_scan_distributed<Value, int>(exec, others, vertices,
                                                                       counted_from<neighbor_of>{{here.data()}, first},
                                                                       counted_from<Initial>{own, first}, combine);
        open[p] = result.open;
        auto const mine = to_vector(exec, result.entries);
        std::copy(mine.begin(), mine.end(), entries.begin() + first);
    });
    return {Fixture::exec().copy(entries), std::accumulate(open.begin(), open.end(), std::int64_t(0)), 1};
}
/// Offsets of the ranks among n vertices, and n: equal ranges, some empty ones, some of one vertex.
std::vector<std::vector<std::int64_t>> divisions_of(std::int64_t n) {
    std::vector<std::vector<std::int64_t>> all{{0, n}, {0, n / 2, n}, {0, 0, n / 3, n / 3, n}};
    all.push_back({0, std::min<std::int64_t>(1, n), std::min<std::int64_t>(2, n), n});
    all.emplace_back();
    for (int p = 0; p <= 8; ++p) all.back().push_back(n * p / 8);
    return all;
}

std::vector<int> lengths_from(int first, int last) {
    std::vector<int> lengths(static_cast<std::size_t>(last - first + 1));
    std::iota(lengths.begin(), lengths.end(), first);
    return lengths;
}

/// Every vertex of a cycle has the minimum of the cycle's edges.
void require_min_edges(path_graph const& g, std::vector<scan_entry<int, int>> const& entries) {
    edge_number const number{g.neighbors.data()};
    for (auto const& cycle : g.cycles) {
        int expected = 1 << 30;
        for (int const v : cycle) expected = std::min({expected, number(v, 0), number(v, 1)});
        for (int const v : cycle) {
            auto const& e = entries[std::size_t(v)];
            REQUIRE(std::min(e.value[0], e.value[1]) == expected);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("paths of all lengths among cycles, order preserved", Fixture, COPPICE_TEST_EXECUTORS) {
    using executor_type = decltype(Fixture::exec());
    auto const exec = Fixture::exec();
    for (auto const& g :
         {make_path_graph({}, {}, 1), make_path_graph({1}, {}, 2), make_path_graph({2, 1, 1}, {}, 3),
          make_path_graph(lengths_from(1, 70), {}, 4), make_path_graph(lengths_from(1, 35), lengths_from(3, 40), 5),
          make_path_graph({1000, 1023, 1024, 1025}, {128, 3, 256}, 6), make_path_graph({}, {5}, 7)}) {
        check_paths(exec, g, &the_scan<executor_type>);
        check_paths(exec, g, &jumping<executor_type>);
        check_paths(exec, g, &over_splitters<executor_type>);
        check_paths(exec, g, &over_many_splitters<executor_type>);
    }
}

TEST_CASE_TEMPLATE("an idempotent operator covers whole cycles", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<int> lengths = lengths_from(3, 40);
    for (int const power : {64, 128, 512, 1024, 4096}) lengths.insert(lengths.end(), {power - 1, power, power + 1});
    auto const mixed = make_path_graph({1, 2, 50, 5000}, lengths, 8);
    std::vector<path_graph> graphs;
    graphs.push_back(mixed);
    for (int const length : lengths) graphs.push_back(make_path_graph({}, {length}, unsigned(length)));
    for (auto const& g : graphs) {
        auto const neighbors = exec.copy(g.neighbors);
        auto const n = std::int64_t(g.neighbors.size()) / 2;
        neighbor_of const neighbor{neighbors.data()};
        edge_number const number{neighbors.data()};
        for (int const method : {0, 1, 2}) {
            auto const result = method == 0 ? bidirectional_scan<int, int>(exec, n, neighbor, number, smaller{})
                                : method == 1
                                    ? graph_detail::scan_by_jumping<int, int>(exec, n, neighbor, number, smaller{})
                                    : graph_detail::scan_over_splitters<int, int>(exec, n, neighbor, number, smaller{});
            CHECK(result.entries.size() == n);
            auto const entries = to_vector(exec, result.entries);
            require_min_edges(g, entries);
        }
    }
}

TEST_CASE_TEMPLATE("pointer jumping stops when all paths are finished", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const rounds = [&](path_graph const& g) {
        auto const neighbors = exec.copy(g.neighbors);
        auto const n = std::int64_t(g.neighbors.size()) / 2;
        return graph_detail::scan_by_jumping<unsigned, int>(exec, n, neighbor_of{neighbors.data()}, bring_one{}, plus{})
            .rounds;
    };
    CHECK(rounds(make_path_graph({}, {}, 1)) == 0);
    CHECK(rounds(make_path_graph(std::vector<int>(5000, 1), {}, 1)) <= 1);
    CHECK(rounds(make_path_graph(std::vector<int>(5000, 2), {}, 1)) <= 1);
    CHECK(rounds(make_path_graph(std::vector<int>(3000, 8), {}, 1)) == 3);
    CHECK(rounds(make_path_graph(std::vector<int>(3000, 9), {}, 1)) == 4);
    CHECK(rounds(make_path_graph({9}, std::vector<int>(1000, 64), 1)) ==
          5); // one more round detects that only cycles are left
}

TEST_CASE_TEMPLATE("a walk between splitters that finds no end is abandoned", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // Vertex 0 has a neighbour in a ring that does not have vertex 0 as a neighbour: a walk from it never ends.
    std::vector<int> no_splitters;
    for (int v = 1; no_splitters.size() < 3; ++v)
        if (!graph_detail::is_splitter(v)) no_splitters.push_back(v);
    int const n = no_splitters.back() + 1;
    std::vector<int> neighbors(2 * std::size_t(n), -1);
    for (std::size_t k = 0; k < 3; ++k) {
        neighbors[2 * std::size_t(no_splitters[k])] = no_splitters[(k + 1) % 3];
        neighbors[2 * std::size_t(no_splitters[k]) + 1] = no_splitters[(k + 2) % 3];
    }
    neighbors[0] = no_splitters[0];
    auto const here = exec.copy(neighbors);
    auto const result =
        graph_detail::scan_over_splitters<unsigned, int>(exec, n, neighbor_of{here.data()}, bring_one{}, plus{});
    CHECK(result.entries.size() == n);
    CHECK(result.open >= 6);
}

TEST_CASE_TEMPLATE("scan over ranks: paths and cycles across ranks, order preserved", Fixture, COPPICE_TEST_EXECUTORS) {
    using executor_type = decltype(Fixture::exec());
    auto const exec = Fixture::exec();
    for (auto const& g : {make_path_graph({}, {}, 1), make_path_graph({1}, {}, 2), make_path_graph({2, 1, 1}, {}, 3),
                          make_path_graph({9}, {}, 4), make_path_graph(lengths_from(1, 35), lengths_from(3, 40), 5),
                          make_path_graph({300, 1}, {128, 3}, 6), make_path_graph({}, {5}, 7)}) {
        auto const n = std::int64_t(g.neighbors.size()) / 2;
        auto divisions = divisions_of(n);
        if (n <= 9) { // one rank per vertex
            divisions.emplace_back();
            for (std::int64_t v = 0; v <= n; ++v) divisions.back().push_back(v);
            if (n == 0) divisions.back().push_back(0);
        }
        for (auto const& begins : divisions) {
            CAPTURE(begins.size());
            check_paths(
                exec, g,
                [&](executor_type const&, std::int64_t, neighbor_of neighbor, affine_of initial, composition combine) {
                    return scan_over_ranks<affine, Fixture>(begins, neighbor, initial, combine);
                });
            auto const neighbors = exec.copy(g.neighbors);
            auto const entries = to_vector(exec, scan_over_ranks<int, Fixture>(begins, neighbor_of{neighbors.data()},
                                                                               edge_number{nullptr}, smaller{})
                                                     .entries);
            require_min_edges(g, entries);
        }
    }
}

TEST_CASE_TEMPLATE("scan over ranks: a neighbour that is not mutual is an error on all", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using executor_type = decltype(Fixture::exec());
    multi_executor<executor_type> const all(executors_of<Fixture>(2));
    std::vector<int> const neighbors{1, -1, -1, -1};
    CHECK_THROWS_WITH_AS(all.run([&](executor_type const& exec, rank_communicator const& others) {
        auto const here = exec.copy(neighbors);
        bidirectional_scan_distributed<unsigned, int>(
            exec, others, 1, counted_from<neighbor_of>{{here.data()}, others.rank()}, bring_one{}, plus{});
    }),
                         doctest::Contains("vertex 0 has the neighbour 1 of another rank"), argument_error);
}
