// SPDX-License-Identifier: BSD-3-Clause
// Tests of graph algorithms against their definitions; single-source for all executors.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <type_traits>

#include <coppice/graph_algorithms.hpp>

#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/graphs.hpp"
#include "support/sanitized.hpp"
#include "support/warps.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Directed graphs: a cycle, a path, random edges in one direction, with loops and parallel edges.
std::vector<named_graph> directed_graphs() {
    std::vector<named_graph> all;
    graph_builder cycle(50);
    for (int v = 0; v < 50; ++v) cycle.entry(v, (v + 1) % 50, 1 + v % 3);
    all.push_back({"directed cycle", cycle.plain()});
    std::mt19937_64 random(3);
    plain_csr<double> a = random_matrix<double>(std::vector<std::int64_t>(400, 3), 400, 5);
    for (double& x : a.values) x = double(random() % 4); // includes lengths of 0
    all.push_back({"random, directed, repeated edges", a});
    return all;
}

/// Too large for one chunk of a list, so that two threads work.
named_graph large_grid() { return {"large grid", stencil_graph(150, 90, stencil_aniso1)}; }

/// Rows of 1499 edges among rows of 10: all blocks of a GPU share the long ones.
named_graph hubs() {
    graph_builder g(1500);
    for (int hub = 0; hub < 10; ++hub)
        for (int v = 0; v < 1500; ++v)
            if (v != 150 * hub) g.edge(150 * hub, v, 1 + (31 * hub + 17 * v) % 101);
    return {"hubs", g.plain()};
}

template <class T>
std::vector<double> as_doubles(std::vector<T> const& v) {
    return {v.begin(), v.end()};
}

void check_bits(std::vector<double> const& a, std::vector<double> const& b) {
    REQUIRE(a.size() == b.size());
    CHECK((a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0));
}

std::vector<named_graph> undirected_graphs() {
    auto all = hard_graphs();
    all.push_back(large_grid());
    all.push_back(hubs());
    return all;
}
std::vector<named_graph> all_graphs() {
    auto all = undirected_graphs();
    for (auto& g : directed_graphs()) all.push_back(std::move(g));
    return all;
}

/// Appends two of three consecutive vertices, with work values that may be 0, negative, small or near 2^31.
struct list_with_work {
    COPPICE_HD static bool appends(vertex_id v) { return v % 3 != 0; }
    COPPICE_HD static std::int32_t work_of(vertex_id v) {
        return v % 5 == 0 ? 0 : v % 2 == 0 ? 0x7fffffff - v : v % 7 == 0 ? -v : 65535 + v;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (appends(v)) worker.emit(v, work_of(v));
    }
};

/// Counts its calls for every edge.
struct count_calls {
    std::int32_t* calls;
    COPPICE_HD static bool takes(vertex_id u) { return u % 5 != 0; }
    template <class Worker>
    COPPICE_HD bool enters(Worker const&, vertex_id u) const {
        return takes(u);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id, std::int32_t k) const {
        worker.add(calls + k, 1);
    }
};

struct is_last_of_period {
    graph_view g;
    vertex_id period;
    COPPICE_HD bool operator()(auto const&, vertex_id v) const { return v % period == period - 1; }
    COPPICE_HD std::int32_t work(vertex_id v) const { return g.degree(v); }
};

} // namespace

TEST_CASE_TEMPLATE("edge maps process every edge once, in rows of any length", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 40000;
    graph_builder builder(n);
    for (int u = 0; u < n; ++u) {
        int const degree = u == 7 || u == n - 1 ? n : u >= 100 && u < 104 ? 5000 : u % 4;
        for (int k = 0; k < degree; ++k) builder.entry(u, (u + k) % n, 1);
    }
    auto const weights = builder.plain();
    auto const a = weights.on(exec);
    graph_view const g(a);
    std::vector<std::vector<vertex_id>> lists{{}, {7}, {5}, {3, 7, n - 1, 102}};
    lists.emplace_back();
    for (vertex_id v = n; v-- > 0;)
        if (v % 3 == 1) lists.back().push_back(v);
    lists.emplace_back(); // all vertices
    for (vertex_id v = 0; v < n; ++v) lists.back().push_back(v);
    for (auto const& list : lists) {
        std::vector<std::int32_t> expected(weights.values.size(), 0);
        std::int64_t work = 0;
        for (vertex_id const u : list)
            for (auto k = weights.offsets[std::size_t(u)]; k < weights.offsets[std::size_t(u) + 1]; ++k, ++work)
                expected[std::size_t(k)] = count_calls::takes(u) ? 1 : 0;
        bool const all = std::int64_t(list.size()) == n;
        auto items = exec.copy(list);
        for (std::int64_t const known : {std::int64_t(0), work}) {
            auto const in = analytics::placed(
                exec, analytics::worklist{all ? nullptr : items.data(), std::int64_t(list.size()), known});
            auto calls = exec.copy(std::vector<std::int32_t>(expected.size(), 0));
            analytics::edge_map(exec, nullptr, in.data(), g, analytics::nothing(), count_calls{calls.data()});
            CHECK((to_vector(exec, calls) == expected));
        }
    }
}

TEST_CASE_TEMPLATE("lists hold what maps append, and the sum of its work", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (vertex_id n : {1, 31, 32, 33, 1000, 100000}) {
        std::vector<vertex_id> expected;
        std::int64_t work = 0;
        for (vertex_id v = 0; v < n; ++v)
            if (list_with_work::appends(v)) {
                expected.push_back(v);
                work += list_with_work::work_of(v);
            }
        analytics::worklists<1> lists(exec, n);
        auto const all_vertices = analytics::placed(exec, analytics::worklist{nullptr, n, 0});
        analytics::vertex_map(exec, nullptr, all_vertices.data(), analytics::into(lists[0]), list_with_work{});
        analytics::worklist const list = exec.load(lists[0]);
        CHECK(list.count == std::int64_t(expected.size()));
        CHECK(list.work == work);
        auto items = to_vector(exec, array_view<vertex_id const>(list.items, list.count));
        std::sort(items.begin(), items.end());
        CHECK(items == expected);
    }
}

TEST_CASE_TEMPLATE("bitmaps hold the vertices for which a map is true", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (vertex_id n : {1, 31, 32, 33, 1000, 12345, 100000}) {
        graph_builder builder(n);
        for (int u = 0; u < n; ++u)
            for (int k = 0; k < u % 4; ++k) builder.entry(u, k % n, 1);
        auto const a = builder.plain().on(exec);
        graph_view const g(a);
        for (vertex_id const period : {1, 3, 97, 200000}) {
            std::vector<std::uint32_t> words(std::size_t(analytics::words_of_bits(n)), 0);
            std::vector<vertex_id> members;
            std::int64_t work = 0;
            for (vertex_id v = 0; v < n; ++v) {
                if (v % period != period - 1) continue;
                words[std::size_t(v) / 32] |= std::uint32_t(1) << v % 32;
                work += v % 4;
                members.push_back(v);
            }
            analytics::bitmap_pair bitmaps(exec, n);
            fill(exec, array_view<std::uint32_t>(bitmaps.words(1), std::int64_t(words.size())), ~std::uint32_t(0));
            analytics::bitmap_map(exec, nullptr, bitmaps.all_vertices(), bitmaps[1], is_last_of_period{g, period});
            analytics::bitmap const found = exec.load(bitmaps[1]);
            CHECK(found.count == std::int64_t(members.size()));
            CHECK(found.work == work);
            CHECK(to_vector(exec, array_view<std::uint32_t const>(bitmaps.words(1), std::int64_t(words.size()))) ==
                  words);
            analytics::worklists<1> lists(exec, n);
            analytics::vertex_map(exec, nullptr, bitmaps.all_words(), analytics::into(lists[0]),
                                  analytics::list_word_of{g, bitmaps[1]});
            analytics::worklist const list = exec.load(lists[0]);
            CHECK(list.work == work);
            auto items = to_vector(exec, array_view<vertex_id const>(list.items, list.count));
            std::sort(items.begin(), items.end());
            CHECK(items == members);
        }
    }
}

TEST_CASE_TEMPLATE("bfs: levels are shortest, parents are one level up", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : all_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        if (weights.rows == 0) continue;
        auto const a = weights.on(exec);
        bool const undirected = is_undirected(exec, a);
        CHECK(undirected == (name.find("directed") == std::string::npos));
        for (int const source : {0, weights.rows / 2}) {
            auto const expected = plain_distances(weights, source, true);
            std::vector<int> first;
            for (bool const pulls : {false, true}) {
                bfs_options options;
                if (pulls && undirected) options.incoming = a;
                for (int const limit : {0, 1, 3}) {
                    auto limited = options;
                    limited.max_depth = limit;
                    auto const near = to_vector(exec, bfs(exec, graph_view(a), source, limited).levels);
                    for (std::size_t v = 0; v < near.size(); ++v)
                        CHECK(near[v] == (expected[v] <= limit ? int(expected[v]) : -1));
                }
                auto const r = bfs(exec, graph_view(a), source, options);
                auto const levels = to_vector(exec, r.levels), parents = to_vector(exec, r.parents);
                std::int64_t reached = 0;
                int depth = 0;
                for (std::size_t v = 0; v < levels.size(); ++v) {
                    bool const there = expected[v] < std::numeric_limits<double>::infinity();
                    CHECK(levels[v] == (there ? int(expected[v]) : -1));
                    reached += there;
                    depth = std::max(depth, levels[v]);
                }
                CHECK(r.reached == reached);
                CHECK(r.depth == depth);
                CHECK(check_parents(weights, source, expected, parents, [](double) { return 1.0; }) == "");
                if (pulls) CHECK(parents == first);
                first = parents;
            }
        }
    }
}

TEST_CASE("graph algorithms refuse wrong arguments with their names") {
    host_executor const exec{1};
    graph_builder edges(3);
    edges.edge(0, 1, 1);
    auto const a = edges.plain().on(exec);
    CHECK_THROWS_WITH_AS(bfs(exec, graph_view(a), 0, {.max_depth = -1}),
                         "bfs option max_depth is -1, expected 0 or more", argument_error);
    CHECK_THROWS_AS(bfs(exec, graph_view(a), 3), argument_error);
    auto const larger = graph_builder(4).plain().on(exec);
    CHECK_THROWS_AS(bfs(exec, graph_view(a), 0, {.incoming = graph_view(larger)}), dimension_error);
}

TEST_CASE_TEMPLATE("sssp: distances are tight on every edge, for every delta", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : all_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        if (weights.rows == 0) continue;
        auto const a = weights.on(exec);
        int const source = weights.rows / 3;
        auto const expected = plain_distances(weights, source, false);
        for (double const delta : {0.0, 0.01, 1.0, 1e9}) {
            auto const r = sssp(exec, a.view(), source, {.delta = delta});
            check_bits(to_vector(exec, r.distances), expected);
            CHECK(!r.negative_cycle);
            CHECK(check_parents(weights, source, expected, to_vector(exec, r.parents), [](double x) { return x; }) ==
                  "");
        }
    }
}

TEST_CASE_TEMPLATE("sssp: an edge of infinite length is ignored, also for parents", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double const none = std::numeric_limits<double>::infinity();
    for (double const length : {0.0, 2.0}) { // for length 0, parents are found by levels
        graph_builder edges(5);
        edges.entry(0, 1, length);
        edges.entry(0, 2, none);
        edges.entry(1, 3, none);
        edges.entry(3, 4, 1);
        auto const a = edges.plain().on(exec);
        auto const r = sssp(exec, a.view(), 0);
        CHECK(to_vector(exec, r.distances) == std::vector<double>{0, length, none, none, none});
        CHECK(to_vector(exec, r.parents) == std::vector<vertex_id>{0, 0, -1, -1, -1});
    }
}

TEST_CASE_TEMPLATE("sssp: lengths below 0, cycles that have no shortest path, lengths of very different size", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    graph_builder g(300);
    for (int v = 0; v + 1 < 300; ++v) {
        g.entry(v, v + 1, v % 2 ? -3 : 2);
        if (v % 10 == 0) g.entry(v + 1, v, -1); // with the opposite edge a cycle of length 1
    }
    auto const falling = g.plain();
    auto const r = sssp(exec, view_of(falling.on(exec)), 0);
    auto const expected = plain_distances(falling, 0, false);
    CHECK(!r.negative_cycle);
    check_bits(to_vector(exec, r.distances), expected);
    CHECK(check_parents(falling, 0, expected, to_vector(exec, r.parents), [](double x) { return x; }) == "");

    g.entry(299, 290, 1.5); // the cycle 290 ... 299 has length -2
    CHECK(sssp(exec, view_of(g.plain().on(exec)), 0).negative_cycle);
    CHECK(sssp(exec, view_of(g.plain<float>().on(exec)), 0).negative_cycle);
    CHECK(!sssp(exec, view_of(falling.on(exec)), 299).negative_cycle);

    graph_builder wide(6); // bounds that advance by delta alone would never reach the far vertices
    for (int v = 0; v < 5; ++v) wide.edge(v, v + 1, std::pow(1e6, v));
    wide.edge(0, 5, std::numeric_limits<double>::infinity()); // ignored: infinite length
    auto const far = sssp(exec, view_of(wide.plain().on(exec)), 0, {.delta = 1e-3});
    CHECK(to_vector(exec, far.distances)[5] == plain_distances(wide.plain(), 0, false)[5]);
    CHECK(far.rounds < 100);
}

TEST_CASE_TEMPLATE("components, cores, sets, colours, triangles: agree with their definitions", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : undirected_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        CHECK(is_undirected(exec, a));
        auto const c = connected_components(exec, graph_view(a));
        CHECK(check_components(weights, to_vector(exec, c.labels)) == "");
        auto const set = maximal_independent_set(exec, graph_view(a));
        auto const members = to_vector(exec, set.members);
        CHECK(check_independent(weights, members) == "");
        CHECK(set.size == std::count(members.begin(), members.end(), 1));
        auto const painted = colour_graph(exec, graph_view(a));
        CHECK(check_colours(weights, to_vector(exec, painted.colours)) == "");
        auto const matching = maximal_matching(exec, graph_view(a));
        auto const mates = to_vector(exec, matching.mates);
        CHECK(check_matching(weights, mates) == "");
        CHECK(2 * matching.pairs == weights.rows - std::count(mates.begin(), mates.end(), -1));
        host_executor const host(1);
        auto const on_host = weights.on(host); // the same sets and colours on every executor
        CHECK(to_vector(host, maximal_independent_set(host, graph_view(on_host)).members) == members);
        CHECK(to_vector(host, colour_graph(host, graph_view(on_host)).colours) == to_vector(exec, painted.colours));
        CHECK(to_vector(host, maximal_matching(host, graph_view(on_host)).mates) == mates);
        if (weights.rows > 5000) continue; // the following checks take n^2 steps
        auto const k = core_numbers(exec, graph_view(a));
        CHECK(to_vector(exec, k.cores) == plain_cores(weights));
        if (weights.rows > 2500) continue;
        auto const at = clustering(exec, graph_view(a));
        auto const expected = plain_triangles(weights);
        CHECK(to_vector(exec, at.triangles) == expected);
        std::int64_t sum = 0;
        for (auto const t : expected) sum += t;
        CHECK(at.total == sum / 3);
        CHECK(count_triangles(exec, graph_view(a)) == sum / 3);
    }
    graph_builder kite(4); // triangle 0 1 2 and an edge 2 - 3
    for (auto const& [u, v] : {std::pair{0, 1}, {0, 2}, {1, 2}, {2, 3}}) kite.edge(u, v, 1);
    auto const r = clustering(exec, graph_view(kite.plain().on(exec)));
    CHECK(to_vector(exec, r.coefficients) == std::vector<double>{1, 1, 1.0 / 3, 0});
    CHECK(r.mean == doctest::Approx(7.0 / 12));
    CHECK(r.transitivity == doctest::Approx(0.6));
}

TEST_CASE_TEMPLATE("triangles: hubs, and more vertices than 16-bit numbers", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // Cliques with long and short rows, and three hubs that are neighbours of all their vertices.
    constexpr bool many = expected<std::remove_const_t<decltype(exec)>>::numbers_hubs;
    constexpr int large = many ? 950 : 20, small = many ? 2000 : 100;
    constexpr int large_size = 70, small_size = 6, hubs = 3;
    int const members = large * large_size + small * small_size;
    plain_csr<double> a;
    a.rows = a.columns = hubs + members;
    auto const end_row = [&] { a.offsets.push_back(int(a.indices.size())); };
    for (int h = 0; h < hubs; ++h) {
        for (int v = 0; v < members; ++v) a.indices.push_back(hubs + v);
        end_row();
    }
    auto const size_at = [&](int v) { return v < large * large_size ? large_size : small_size; };
    for (int v = 0; v < members; ++v) {
        int const begin = v < large * large_size ? 0 : large * large_size, size = size_at(v);
        int const first = begin + (v - begin) / size * size;
        for (int h = 0; h < hubs; ++h) a.indices.push_back(h);
        for (int u = first; u < first + size; ++u)
            if (u != v) a.indices.push_back(hubs + u);
        end_row();
    }
    a.values.assign(a.indices.size(), 1);
    auto const pairs = [](std::int64_t n) { return n * (n - 1) / 2; };
    std::vector<std::int64_t> at_vertices(hubs, large * pairs(large_size) + small * pairs(small_size));
    for (int v = 0; v < members; ++v) at_vertices.push_back(pairs(size_at(v) - 1) + hubs * (size_at(v) - 1));
    std::int64_t sum = 0;
    for (auto const t : at_vertices) sum += t;
    auto const g = a.on(exec);
    auto const r = clustering(exec, graph_view(g));
    CHECK(to_vector(exec, r.triangles) == at_vertices);
    CHECK(r.total == sum / 3);
    CHECK(count_triangles(exec, graph_view(g)) == sum / 3);
}

TEST_CASE_TEMPLATE("triangles: of short and long rows, and of bitmaps", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const check = [&](plain_csr<double> const& a) {
        auto const expected = plain_triangles(a);
        std::int64_t sum = 0;
        for (auto const t : expected) sum += t;
        auto const g = a.on(exec);
        auto const r = clustering(exec, graph_view(g));
        CHECK(to_vector(exec, r.triangles) == expected);
        CHECK(r.total == sum / 3);
        CHECK(count_triangles(exec, graph_view(g)) == sum / 3);
    };
    check(stencil_graph(50, 40, stencil_aniso1)); // at most 8 edges per vertex
    std::mt19937_64 random(5);
    for (int const core :
         ends_for_races({13, 14, 65, 500, 130})) { // nearly complete core, followed by vertices of low degree
        graph_builder g(2000);
        for (int u = 0; u < core; ++u)
            for (int v = 0; v < u; ++v)
                if (random() % 8 > 0) g.edge((u * 3) % 2000, (v * 3) % 2000, 1);
        for (int k = 0; k < 6000; ++k) {
            int const u = int(random() % 2000), v = int(random() % 2000);
            g.edge(u, v, 1); // includes loops
        }
        CAPTURE(core);
        check(g.plain());
    }
}

TEST_CASE_TEMPLATE("an edge in one direction only is found at any position", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int p = 0; p < 150; ++p)
        for (int const q : {2 * p + 1, p + 1, 4 * p + 3, 299 - p}) {
            if (p == q) continue;
            graph_builder g(700);
            g.edge(0, 1, 1);
            auto a = g.plain();
            CHECK(is_undirected(exec, a.on(exec)));
            g.entry(p, q, 1);
            if (p + q == 1) continue; // the opposite edge exists
            a = g.plain();
            CAPTURE(p);
            CAPTURE(q);
            CHECK(!is_undirected(exec, a.on(exec)));
        }
}

TEST_CASE_TEMPLATE("independent sets: self-loops change nothing, in repeated runs", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const plain = stencil_graph(250, 200, stencil_five_point);
    plain_csr<double> loops;
    loops.rows = loops.columns = plain.rows;
    for (int v = 0; v < plain.rows; ++v) {
        auto const begin = std::size_t(plain.offsets[std::size_t(v)]),
                   end = std::size_t(plain.offsets[std::size_t(v) + 1]);
        loops.indices.insert(loops.indices.end(), plain.indices.begin() + std::ptrdiff_t(begin),
                             plain.indices.begin() + std::ptrdiff_t(end));
        loops.indices.push_back(v);
        loops.offsets.push_back(int(loops.indices.size()));
    }
    loops.values.assign(loops.indices.size(), 1);
    auto const a = plain.on(exec), b = loops.on(exec);
    auto const expected = to_vector(exec, maximal_independent_set(exec, graph_view(a)).members);
    for (int run = 0; run < 10; ++run)
        CHECK(to_vector(exec, maximal_independent_set(exec, graph_view(b)).members) == expected);
}

namespace {

/// Large enough that several threads process chunks of the vertices, or of their list.
std::vector<named_graph> ordered_graphs() {
    std::vector<named_graph> all;
    int const nx = 260, ny = 250, n = nx * ny;
    auto const grid = stencil_graph(nx, ny, stencil_five_point);
    all.push_back({"grid", grid});
    std::mt19937_64 random(11);
    std::vector<int> number(static_cast<std::size_t>(n));
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), random);
    graph_builder shuffled(n), stars(n), hubs(n);
    for (int v = 0; v < n; ++v)
        for (int k = grid.offsets[std::size_t(v)]; k < grid.offsets[std::size_t(v) + 1]; ++k) {
            int const u = grid.indices[std::size_t(k)];
            shuffled.entry(number[std::size_t(v)], number[std::size_t(u)], 1);
            stars.entry(v, u, 1);
            hubs.entry(v, u, 1);
        }
    all.push_back({"grid, numbers shuffled", shuffled.plain()});
    for (int v = 30; v + 30 < n; v += 37) // vertices of both classes, and rows of 44 edges
        for (int k = 2; k < (v % 1000 == 20 ? 22 : 8); ++k) {
            stars.edge(v, v - k, 1);
            stars.edge(v, v + k, 1);
        }
    all.push_back({"grid of stars", stars.plain()});
    for (int hub : {5, 1234, n / 2, n - 1})
        for (int v = hub % 90; v < n; v += 90)
            if (v != hub) hubs.edge(hub, v, 1);
    all.push_back({"grid and hubs", hubs.plain()});
    graph_builder power(20000);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int k = 0; k < 200000; ++k) {
        int const u = int(20000 * std::pow(uniform(random), 4)), v = int(20000 * std::pow(uniform(random), 2));
        power.edge(u, v, 1); // some are loops
    }
    all.push_back({"power law", power.plain()});
    return all;
}

/// Sort key: class, key of the run, position in the run.
std::vector<int> greedy_order(plain_csr<double> const& a, bool many_first) {
    int const few = 2 * (int(a.indices.size()) / a.rows);
    std::vector<std::array<std::uint32_t, 3>> key;
    for (int v = 0; v < a.rows; ++v) {
        bool const many = a.offsets[std::size_t(v) + 1] - a.offsets[std::size_t(v)] > few;
        key.push_back({many == many_first ? 0u : 1u, analytics::vertex_order::key_of_run(v),
                       analytics::vertex_order::position_in_run(v)});
    }
    std::vector<int> order(key.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int u, int v) { return key[std::size_t(u)] < key[std::size_t(v)]; });
    return order;
}
std::vector<int> greedy_colours(plain_csr<double> const& a) {
    std::vector<int> colours(std::size_t(a.rows), -1);
    for (int const v : greedy_order(a, true)) {
        std::set<int> taken;
        for (int k = a.offsets[std::size_t(v)]; k < a.offsets[std::size_t(v) + 1]; ++k)
            taken.insert(colours[std::size_t(a.indices[std::size_t(k)])]);
        int c = 0;
        while (taken.count(c) > 0) ++c;
        colours[std::size_t(v)] = c;
    }
    return colours;
}
std::vector<std::uint8_t> greedy_set(plain_csr<double> const& a) {
    std::vector<std::uint8_t> members(std::size_t(a.rows), 0);
    for (int const v : greedy_order(a, false)) {
        bool alone = true;
        for (int k = a.offsets[std::size_t(v)]; k < a.offsets[std::size_t(v) + 1]; ++k)
            alone = alone && members[std::size_t(a.indices[std::size_t(k)])] == 0;
        members[std::size_t(v)] = alone ? 1 : 0;
    }
    return members;
}

/// Greedy matching within blocks of indices that are equal except for the last bits: a free vertex takes the last free
/// neighbour.
void match_greedily(plain_csr<double> const& a, std::vector<int> const& order, int bits, std::vector<int>& mates) {
    for (int const u : order)
        for (int k = a.offsets[std::size_t(u) + 1]; mates[std::size_t(u)] < 0 && k-- > a.offsets[std::size_t(u)];) {
            int const v = a.indices[std::size_t(k)];
            if (v == u || u >> bits != v >> bits || mates[std::size_t(v)] >= 0) continue;
            mates[std::size_t(u)] = v;
            mates[std::size_t(v)] = u;
        }
}
/// Returns the matching; `phases` gets 1 if runs, and 2 if blocks, came before the whole graph.
std::vector<int> greedy_mates(plain_csr<double> const& a, int& phases) {
    host_executor const host(1);
    auto const on_host = a.on(host);
    analytics::sampled_rows near{0, 0, 0, 0};
    for (int i = 0; i < 1024; ++i) near = analytics::add_sampled{}(near, analytics::sample_row{graph_view(on_host)}(i));
    std::vector<int> mates(std::size_t(a.rows), -1);
    if (near.use_runs()) {
        phases |= 1;
        for (int u = 0; u < a.rows; ++u) { // the first free neighbour after u, for any order of the row
            int mate = a.rows;
            for (int k = a.offsets[std::size_t(u)]; k < a.offsets[std::size_t(u) + 1]; ++k)
                if (int const v = a.indices[std::size_t(k)]; v != u && v / 16 == u / 16 && mates[std::size_t(v)] < 0)
                    mate = std::min(mate, v);
            if (mates[std::size_t(u)] >= 0 || mate == a.rows) continue;
            mates[std::size_t(u)] = mate;
            mates[std::size_t(mate)] = u;
        }
    }
    auto const order = greedy_order(a, false);
    int left = 0;
    for (int v = 0; v < a.rows; ++v)
        left += mates[std::size_t(v)] < 0 && a.offsets[std::size_t(v) + 1] > a.offsets[std::size_t(v)];
    if (near.use_blocks() && 16 * (near.use_runs() ? left : a.rows) > a.rows) {
        phases |= 2;
        match_greedily(a, order, 16, mates);
    }
    match_greedily(a, order, 31, mates);
    return mates;
}

/// Graphs with more vertices than a block.
std::vector<named_graph> stretched_graphs() {
    int const nx = 301, ny = 299, n = nx * ny;
    auto const grid = stencil_graph(nx, ny, stencil_five_point);
    std::vector<int> order(static_cast<std::size_t>(n)), diagonal(order.size());
    std::iota(order.begin(), order.end(), 0);
    auto random = order;
    std::shuffle(random.begin(), random.end(), std::mt19937_64(17));
    std::stable_sort(order.begin(), order.end(), [=](int u, int v) { return u % nx + u / nx < v % nx + v / nx; });
    for (int i = 0; i < n; ++i) diagonal[std::size_t(order[std::size_t(i)])] = i;
    graph_builder by_diagonals(n), shuffled(n), stars(n);
    for_entries(grid, [&](int u, int v, double) {
        by_diagonals.entry(diagonal[std::size_t(u)], diagonal[std::size_t(v)], 1);
        shuffled.entry(random[std::size_t(u)], random[std::size_t(v)], 1);
    });
    for (int v = 0; v < n; ++v) { // edges within runs, which leave most vertices to the next phases
        if (v % 16 > 0) stars.edge(v, v - v % 16, 1);
        if (v >= 300 && v % 7 > 0) stars.edge(v, v - 300, 1);
    }
    std::vector<named_graph> all;
    all.push_back({"grid of odd width", grid});
    all.push_back({"grid, numbered by diagonals", by_diagonals.plain()});
    all.push_back({"grid, numbers shuffled", shuffled.plain()});
    all.push_back({"stars in runs", stars.plain()});
    return all;
}

} // namespace

TEST_CASE_TEMPLATE("maximal matchings: greedy along the order, within runs and blocks first", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto graphs = ordered_graphs();
    for (auto& g : stretched_graphs())
        if (!sanitized || g.name == "stars in runs") graphs.push_back(std::move(g));
    std::set<int> seen;
    for (auto const& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        int phases = 0;
        auto const mates = greedy_mates(weights, phases);
        seen.insert(phases);
        auto const a = weights.on(exec);
        for (int run = 0; run < (sanitized ? 1 : 3); ++run)
            CHECK(to_vector(exec, maximal_matching(exec, graph_view(a)).mates) == mates);
        for (int const threads : {1, 5, 40}) {
            if (races_watched && threads != 5) continue;
            host_executor const host(threads);
            auto const on_host = weights.on(host);
            CHECK(to_vector(host, maximal_matching(host, graph_view(on_host)).mates) == mates);
        }
        // The rounds of CUDA and the sequential order give the same result.
        std::vector<int> expected(mates.size(), -1);
        match_greedily(weights, greedy_order(weights, false), 31, expected);
        buffer<vertex_id> found(exec, weights.rows);
        fill(exec, found.view(), -1);
        analytics::worklists<2> lists(exec, weights.rows);
        analytics::match_in_rounds(exec, graph_view(a), 31, found.data(), lists);
        CHECK(to_vector(exec, found) == expected);
    }
    if (!sanitized) CHECK(seen == std::set<int>{0, 1, 2, 3});
    // Edges in one direction only: the algorithm terminates, and mates are mutual.
    for (auto const& [name, weights] : directed_graphs()) {
        auto const a = weights.on(exec);
        CHECK(maximal_matching(exec, graph_view(a)).pairs >= 0);
    }
}

TEST_CASE_TEMPLATE("sets and colours: greedy along the order", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : ordered_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const members = greedy_set(weights);
        auto const colours = greedy_colours(weights);
        auto const a = weights.on(exec);
        for (int run = 0; run < (sanitized ? 1 : 5); ++run) {
            CHECK(to_vector(exec, maximal_independent_set(exec, graph_view(a)).members) == members);
            auto const painted = colour_graph(exec, graph_view(a));
            CHECK(to_vector(exec, painted.colours) == colours);
            CHECK(painted.count == 1 + *std::max_element(colours.begin(), colours.end()));
        }
        for (int const threads : {5, 40}) { // more workers than cores, and more than chunks have slots
            if (races_watched && threads > 5) continue;
            host_executor const host(threads);
            auto const on_host = weights.on(host);
            CHECK(to_vector(host, maximal_independent_set(host, graph_view(on_host)).members) == members);
            CHECK(to_vector(host, colour_graph(host, graph_view(on_host)).colours) == colours);
        }
    }
}

TEST_CASE("colours by data flow: greedy along the order, by warps that wait for each other") {
    auto graphs = races_watched ? std::vector<named_graph>{} : undirected_graphs();
    graph_builder wide(700); // rows of several pieces, of exactly one and two pieces, and vertices without edges
    for (int hub : {3, 64, 350})
        for (int v = 0; v < 600; v += 1 + hub % 3)
            if (v != hub) wide.edge(hub, v, 1);
    for (int v = 100; v < 228; ++v) wide.edge(698, v, 1);
    for (int v = 100; v < 356; ++v) wide.edge(699, v, 1);
    graphs.push_back({"rows of several pieces", wide.plain()});
    graph_builder clique(90); // more colours than bits of a word
    for (int v = 0; v < 90; ++v)
        for (int u = 0; u < v; ++u) clique.edge(u, v, 1);
    graphs.push_back({"clique", clique.plain()});
    if (!races_watched)
        for (auto& g : directed_graphs()) graphs.push_back(std::move(g)); // no valid colouring, but it terminates
    for (auto const& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        if (weights.rows == 0) continue;
        for (int const threads : {1, 5}) {
            if (races_watched && threads == 1) continue;
            host_executor const exec(threads);
            auto const a = weights.on(exec);
            graph_view const g(a);
            buffer<std::int32_t> colours(exec, g.vertices);
            auto all_vertices = placed(exec, analytics::worklist{});
            for_each(exec, g.vertices,
                     analytics::no_colour{g, analytics::vertex_order(g, true), colours.data(), all_vertices.data()});
            analytics::colour_by_data_flow(exec, g, colours.data(), all_vertices.data());
            auto const found = to_vector(exec, colours);
            CHECK(std::all_of(found.begin(), found.end(), [](int c) { return c >= 0; }));
            if (name.find("directed") == std::string::npos) CHECK(found == greedy_colours(weights));
        }
    }
}

/// Renumbers the vertices so that indices have no locality.
graph_builder shuffled_path(int n) {
    graph_builder g(n);
    auto const number = [n](int i) { return int(i * 787LL % n); }; // a bijection if n is no multiple of 787
    for (int i = 1; i < n; ++i)
        if (i % 900 != 0) g.edge(number(i - 1), number(i), 1);
    return g;
}
TEST_CASE("components by tiles: labels of warps, for any numbering of the vertices") {
    constexpr int tile = analytics::tile_vertices;
    auto graphs = undirected_graphs();
    graphs.push_back({"path, many trees a tile", shuffled_path(5 * tile + 3).plain()});
    // Paths within and across tiles, connected by vertices whose rows are too long for a warp. In two of the graphs the
    // last vertex has such a row: all its neighbours have smaller indices.
    for (auto const& hubs : {std::vector<int>{1, 2 * tile, 3 * tile - 1, 6 * tile - 1}, {6 * tile - 1}, {0}}) {
        graph_builder rows(6 * tile);
        for (int v = 1; v < 6 * tile; ++v)
            if (v % 70 != 0) rows.edge(v - 1, v, 1);
        for (int const hub : hubs)
            for (int v = hub % 5; v < 6 * tile; v += 40)
                if (v != hub) rows.edge(hub, v, 1);
        graphs.push_back({"long rows", rows.plain()});
    }
    for (int const n : {tile - 1, tile, tile + 1, 2 * tile}) {
        graph_builder ends(n); // a matching of distant vertices, and a path of the even ones in descending order
        for (int v = 0; v < n / 2; v += 2) ends.edge(v, n - 1 - v, 1);
        for (int v = n - 1; v >= 4; v -= 4) ends.edge(v, v - 4, 1);
        graphs.push_back({"ends of tiles", ends.plain()});
    }
    for (auto const& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        int const rows = int(weights.rows);
        CAPTURE(rows);
        if (weights.rows == 0) continue;
        for (int const threads : {1, 5}) {
            host_executor const exec(threads);
            auto const a = weights.on(exec);
            graph_view const g(a);
            buffer<vertex_id> labels(exec, g.vertices);
            auto const all_vertices = analytics::every_vertex(exec, g);
            analytics::unite_by_tiles(exec, g, labels, all_vertices.data());
            std::int64_t const found = analytics::flatten_and_count(exec, labels);
            CHECK(check_components(weights, to_vector(exec, labels)) == "");
            CHECK(found == connected_components(exec, g).components);
        }
    }
}

TEST_CASE_TEMPLATE("spanning forest: Kruskal's weight, no cycle", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : undirected_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        auto const f = minimum_spanning_forest(exec, a.view());
        auto const [weight, edges] = kruskal(weights);
        CHECK(f.weight == doctest::Approx(weight));
        CHECK(f.from.size() == edges);
        CHECK(f.trees == weights.rows - edges);
        auto const from = to_vector(exec, f.from), to = to_vector(exec, f.to);
        auto const w = to_vector(exec, f.weights);
        union_find sets(weights.rows);
        std::vector<std::tuple<int, int, double>> stored;
        for_entries(weights, [&](int u, int v, double x) { stored.emplace_back(u, v, x); });
        for (std::size_t e = 0; e < from.size(); ++e) {
            CHECK(sets.unite(from[e], to[e]));
            CHECK(std::binary_search(stored.begin(), stored.end(), std::tuple{from[e], to[e], w[e]}));
        }
    }
    graph_builder equal(30); // negative and equal weights, in single precision
    for (int v = 0; v < 30; ++v)
        for (int w = 0; w < v; ++w) equal.edge(v, w, (v * 7 + w) % 3 - 1);
    auto const f = minimum_spanning_forest(exec, view_of(equal.plain<float>().on(exec)));
    CHECK(f.weight == kruskal(equal.plain()).first);
    CHECK(f.trees == 1);
}

TEST_CASE_TEMPLATE("pagerank: the ranks solve their equation", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : all_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        if (weights.rows == 0) continue;
        auto const a = weights.on(exec);
        auto const transposed = transpose(exec, a.view());
        auto const n = std::size_t(weights.rows);
        for (bool const personal : {false, true}) {
            std::vector<double> start(n, 1.0);
            if (personal)
                for (std::size_t v = 0; v < n; ++v) start[v] = double(v % 3);
            if (personal && n == 1) continue;
            auto const restart = exec.copy(start);
            auto const r = pagerank<double>(exec, graph_view(a), graph_view(transposed), {.tolerance = 1e-12},
                                            personal ? restart.view() : array_view<double const>());
            CHECK(r.converged);
            auto const rank = to_vector(exec, r.ranks);
            double all = 0, dangling = 0, sum = 0, wrong = 0;
            for (double const s : start) all += s;
            std::vector<double> next(n, 0);
            auto const& offsets = weights.offsets;
            auto const degree = [&](int u) { return offsets[std::size_t(u) + 1] - offsets[std::size_t(u)]; };
            for_entries(weights,
                        [&](int u, int v, double) { next[std::size_t(v)] += 0.85 * rank[std::size_t(u)] / degree(u); });
            for (int u = 0; u < weights.rows; ++u) dangling += degree(u) == 0 ? rank[std::size_t(u)] : 0;
            for (std::size_t v = 0; v < n; ++v) {
                wrong += std::abs(next[v] + (0.85 * dangling + 0.15) * start[v] / all - rank[v]);
                sum += rank[v];
            }
            CHECK(wrong < 2e-12);
            CHECK(sum == doctest::Approx(1));
        }
    }
}

TEST_CASE_TEMPLATE("pagerank: a star converges in float", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int32_t const leaves : {100, 2104, 30000}) {
        graph_builder star(leaves + 1);
        for (std::int32_t v = 1; v <= leaves; ++v) star.edge(0, v, 1);
        auto const a = star.plain().on(exec);
        auto const r = pagerank<float>(exec, graph_view(a), graph_view(a));
        CAPTURE(leaves);
        CHECK(r.converged);
        // r = d x + (1 - d) / n with x = 1 - r, the rank of all leaves together
        double const expected = (0.85 + 0.15 / (leaves + 1)) / 1.85;
        CHECK(to_vector(exec, r.ranks)[0] == doctest::Approx(expected).epsilon(3e-6));
    }
}

TEST_CASE_TEMPLATE("the registry runs every algorithm, and a matching has the weight of the greedy one", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        if (weights.rows == 0 || (races_watched && weights.rows < 40)) continue;
        auto const a = weights.on(exec);
        for (auto const& row : graph_algorithm_catalogue) {
            CAPTURE(row.name);
            if (row.reads("sink") && weights.rows == 1) continue; // source and sink are two vertices
            auto const answer = run_graph_algorithm(exec, row.name, a.view(),
                                                    {.undirected = true, .max_iterations = 100000, .samples = 40});
            bool const needs_order = row.name == "longest-paths"; // an undirected edge is a cycle
            CHECK(answer.failure.empty() == !(needs_order && !weights.values.empty()));
            CHECK(!answer.facts.empty());
            if (row.name != "matching") continue;
            auto const g = graph_of(weights.on(host));
            auto const& mates = std::get<graph_answer::vertex_numbers>(answer.found);
            CHECK(check_factor(g, 1, {mates.begin(), mates.end()}, true) == "");
            auto const greedy = greedy_factor(host, view_of(weights.on(host)), {.degree = 1});
            CHECK(answer.facts[1].second == doctest::Approx(greedy.weight));
        }
    }
    CHECK_THROWS_AS(run_graph_algorithm(exec, "bsf", csr_view<double>{}), argument_error);
}

TEST_CASE_TEMPLATE("graph algorithms reject invalid input with a message", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    graph_builder g(3);
    g.edge(0, 1, 1);
    g.entry(1, 2, std::nan(""));
    auto const a = g.plain().on(exec);
    CHECK_THROWS_WITH_AS(bfs(exec, graph_view(a), 3),
                         "the source of bfs is vertex 3 of a graph of 3 vertices, which are counted from 0",
                         argument_error);
    CHECK_THROWS_AS(sssp(exec, a.view(), -1), argument_error);
    CHECK_THROWS_AS(sssp(exec, a.view(), 0, {.delta = -1}), argument_error);
    CHECK_THROWS_WITH_AS(sssp(exec, a.view(), 0), "sssp: 1 edge lengths are NaN or minus infinity", matrix_error);
    CHECK_THROWS_AS(minimum_spanning_forest(exec, a.view()), matrix_error);
    CHECK_THROWS_AS(require_undirected(exec, a, "test"), matrix_error);
    CHECK_THROWS_AS(pagerank<double>(exec, a, a, {.damping = 1}), argument_error);
    CHECK_THROWS_AS(pagerank<double>(exec, a, a, {.tolerance = 0}), argument_error);
    auto const none = exec.copy(std::vector<double>(3, 0.0)), two = exec.copy(std::vector<double>(2, 1.0));
    CHECK_THROWS_AS(pagerank<double>(exec, a, a, {}, none.view()), argument_error);
    CHECK_THROWS_AS(pagerank<double>(exec, a, a, {}, two.view()), dimension_error);
    auto const wide = plain_csr<double>{1, 2, {0, 0}, {}, {}}.on(exec);
    CHECK_THROWS_AS(graph_view{wide}, dimension_error);
}
