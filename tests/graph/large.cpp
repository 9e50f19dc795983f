// SPDX-License-Identifier: BSD-3-Clause
// Tests of graph algorithms on graphs with many vertices and edges: index overflow, deep recursion, many rounds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <coppice/b_matching.hpp>
#include <coppice/bfs.hpp>
#include <coppice/generators.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/sssp.hpp>

#include "support/executors.hpp"
#include "support/graph_validator.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// A path 0 - 1 - ... - n - 1 with values 1, in host memory.
csr<float> long_path(host_executor const& host, int n) {
    buffer<std::int32_t> offsets(host, n + 1), columns(host, 2 * std::int64_t(n) - 2);
    buffer<float> values(host, columns.size());
    std::int32_t at = 0;
    for (int v = 0; v < n; ++v) {
        offsets[v] = at;
        if (v > 0) columns[at++] = v - 1;
        if (v + 1 < n) columns[at++] = v + 1;
    }
    offsets[n] = at;
    fill(host, values.view(), 1.f);
    return {n, n, std::move(offsets), std::move(columns), std::move(values)};
}
template <class T, class F>
bool all_of(std::vector<T> const& values, F const& f) {
    for (std::size_t v = 0; v < values.size(); ++v)
        if (!f(v, values[v])) return false;
    return true;
}

} // namespace

TEST_CASE_TEMPLATE("a path of ten million vertices", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    int const n = sanitized ? 20000 : 10'000'000;
    auto const a = exec.copy(long_path(host, n));
    graph_view const g(a);
    auto const connected = connected_components(exec, g);
    CHECK(connected.components == 1);
    CHECK(all_of(to_vector(exec, connected.labels), [](std::size_t, int label) { return label == 0; }));
    auto const colours = to_vector(exec, colour_graph(exec, g).colours);
    CHECK(all_of(colours, [&](std::size_t v, int c) { return c >= 0 && c <= 2 && (v == 0 || c != colours[v - 1]); }));
    auto const members = to_vector(exec, maximal_independent_set(exec, g).members);
    CHECK(all_of(members, [&](std::size_t v, int m) {
        bool const before = v > 0 && members[v - 1] != 0, after = v + 1 < members.size() && members[v + 1] != 0;
        return m != 0 ? !before && !after : before || after;
    }));
    CHECK(count_triangles(exec, g) == 0);
    auto const mates = to_vector(exec, maximal_matching(exec, g).mates);
    CHECK(all_of(mates, [&](std::size_t v, int m) {
        return m >= 0 ? mates[std::size_t(m)] == int(v) : v == 0 || mates[v - 1] >= 0;
    }));
    CHECK(b_matching(exec, a.view(), 2).from.size() == n - 1);
    auto const forest = minimum_spanning_forest(exec, a.view());
    CHECK(forest.trees == 1);
    CHECK(forest.weight == n - 1);
}

TEST_CASE_TEMPLATE("a star of a million vertices, whose centre has a number in the middle", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    int const n = sanitized ? 6000 : 1'000'000, hub = n / 2;
    buffer<std::int32_t> offsets(host, n + 1), columns(host, 2 * std::int64_t(n) - 2);
    buffer<float> values(host, columns.size());
    std::int32_t at = 0;
    for (int v = 0; v < n; ++v) {
        offsets[v] = at;
        if (v != hub) columns[at++] = hub;
        for (int u = 0; v == hub && u < n; ++u)
            if (u != hub) columns[at++] = u;
    }
    offsets[n] = at;
    fill(host, values.view(), 1.f);
    auto const a = exec.copy(csr<float>(n, n, std::move(offsets), std::move(columns), std::move(values)));
    graph_view const g(a);
    CHECK(connected_components(exec, g).components == 1);
    auto const colours = to_vector(exec, colour_graph(exec, g).colours);
    CHECK(all_of(colours, [&](std::size_t v, int c) { return c == (int(v) == hub ? 0 : 1); }));
    CHECK(maximal_independent_set(exec, g).size == n - 1);
    CHECK(maximal_matching(exec, g).pairs == 1);
    CHECK(all_of(to_vector(exec, core_numbers(exec, g).cores), [](std::size_t, int core) { return core == 1; }));
    CHECK(count_triangles(exec, g) == 0);
    CHECK(bfs(exec, g, 0, {.incoming = g}).depth == 2);
    CHECK(sssp(exec, a.view(), 0).rounds > 0);
    CHECK(minimum_spanning_forest(exec, a.view()).trees == 1);
    CHECK(b_matching(exec, a.view(), 7).from.size() == 7);
}

TEST_CASE_TEMPLATE("searches along a path: a round for every vertex", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    constexpr bool on_host = std::is_same_v<decltype(Fixture::exec()), host_executor>;
    int const n = sanitized ? 20000 : on_host ? 10'000'000 : 200'000; // a round takes some microseconds on a device
    auto const a = exec.copy(long_path(host, n));
    graph_view const g(a);
    int const source = n / 5;
    auto const walk = bfs(exec, g, source, {.incoming = g});
    CHECK(walk.depth == n - 1 - source);
    CHECK(walk.reached == n);
    auto const away = [&](std::size_t v) { return std::abs(int(v) - source); };
    CHECK(all_of(to_vector(exec, walk.levels), [&](std::size_t v, int level) { return level == away(v); }));
    auto const paths = sssp(exec, a.view(), source);
    CHECK(all_of(to_vector(exec, paths.distances), [&](std::size_t v, float d) { return d == float(away(v)); }));
    CHECK(all_of(to_vector(exec, paths.parents), [&](std::size_t v, int parent) {
        return parent == (int(v) > source ? int(v) - 1 : int(v) < source ? int(v) + 1 : source);
    }));
    CHECK(all_of(to_vector(exec, core_numbers(exec, g).cores), [](std::size_t, int core) { return core == 1; }));
}

TEST_CASE_TEMPLATE("R-MAT: components, levels, sets and colours of many edges", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host;
    constexpr bool on_host = std::is_same_v<decltype(Fixture::exec()), host_executor>;
    auto const on_host_a = generate<float>(host, "rmat", {.scale = sanitized ? 10 : on_host ? 16 : 22});
    auto const a = exec.copy(on_host_a);
    graph_view const g(a);
    auto const offsets = on_host_a.view().offsets;
    auto const neighbors = on_host_a.view().indices;
    int const n = on_host_a.rows();
    union_find sets(n);
    auto const labels = to_vector(exec, connected_components(exec, g).labels);
    auto const levels = to_vector(exec, bfs(exec, g, 0, {.incoming = g}).levels);
    auto const members = to_vector(exec, maximal_independent_set(exec, g).members);
    auto const colours = to_vector(exec, colour_graph(exec, g).colours);
    std::int64_t wrong_levels = levels[0] == 0 ? 0 : 1, wrong_members = 0, wrong_colours = 0, wrong_labels = 0;
    for (int u = 0; u < n; ++u) {
        bool near_member = false, is_explained = levels[std::size_t(u)] <= 0;
        int const level = levels[std::size_t(u)];
        for (int k = offsets[u]; k < offsets[u + 1]; ++k) {
            auto const v = std::size_t(neighbors[k]);
            if (v < std::size_t(u)) sets.unite(u, int(v));
            near_member = near_member || members[v] != 0;
            is_explained = is_explained || levels[v] == level - 1;
            wrong_levels += (levels[v] < 0) != (level < 0) || std::abs(levels[v] - level) > 1;
            wrong_colours += int(v) != u && colours[v] == colours[std::size_t(u)];
        }
        wrong_levels += !is_explained;
        wrong_members += near_member == (members[std::size_t(u)] != 0);
    }
    std::vector<int> smallest(std::size_t(n), -1);
    for (int v = 0; v < n; ++v) {
        int& first = smallest[std::size_t(sets.root(v))];
        if (first < 0) first = v;
        wrong_labels += labels[std::size_t(v)] != first;
    }
    CHECK(wrong_labels == 0);
    CHECK(wrong_levels == 0);
    CHECK(wrong_members == 0);
    CHECK(wrong_colours == 0);
}
