// SPDX-License-Identifier: BSD-3-Clause
/// \file Recursive-matrix random graphs.
#include <algorithm>
#include <cmath>

#include <tbb/parallel_sort.h>

#include "algebra/assemble.hpp"
#include "algebra/generators.hpp"
#include "algebra/random.hpp"

namespace coppice {
namespace {

/// An edge as one sortable word.
constexpr std::uint64_t edge_key(std::uint64_t from, std::uint64_t to) { return from << 32 | to; }
constexpr std::int32_t source(std::uint64_t key) { return static_cast<std::int32_t>(key >> 32); }
constexpr std::int32_t target(std::uint64_t key) { return static_cast<std::int32_t>(key & 0xffffffffu); }

/// Draws edge e: one quadrant a level, the highest bit first.
std::uint64_t draw_edge(random_stream const& random, generator_options const& o, std::uint64_t e) {
    std::uint64_t from = 0, to = 0;
    for (int level = 0; level < o.scale; ++level) {
        double const u = random.uniform(e * static_cast<std::uint64_t>(o.scale) + static_cast<std::uint64_t>(level));
        int const quadrant = u < o.a ? 0 : u < o.a + o.b ? 1 : u < o.a + o.b + o.c ? 2 : 3;
        from = from << 1 | static_cast<std::uint64_t>(quadrant >> 1);
        to = to << 1 | static_cast<std::uint64_t>(quadrant & 1);
    }
    return edge_key(from, to);
}

/// Every different edge once, sorted by (from, to).
buffer<std::uint64_t> draw_edges(host_executor const& exec, generator_options const& o, std::int64_t draws) {
    random_stream const random(o.seed, 0);
    std::int64_t const copies = o.undirected ? 2 : 1;
    buffer<std::uint64_t> drawn(exec, draws * copies);
    for_each(exec, draws, [&](std::int64_t e) {
        std::uint64_t const key = draw_edge(random, o, static_cast<std::uint64_t>(e));
        drawn[e * copies] = key;
        if (o.undirected) drawn[e * copies + 1] = key << 32 | key >> 32;
    });
    exec.run([&] { tbb::parallel_sort(drawn.begin(), drawn.end()); });

    auto const keep = [&](std::int64_t k) {
        return source(drawn[k]) != target(drawn[k]) && (k == 0 || drawn[k] != drawn[k - 1]);
    };
    buffer<std::uint64_t> edges(exec, select(exec, drawn.size(), keep, [](std::int64_t, std::int64_t) {}));
    select(exec, drawn.size(), keep, [&](std::int64_t position, std::int64_t k) { edges[position] = drawn[k]; });
    return edges;
}

void check(generator_options const& o) {
    if (o.scale < 0 || o.scale > 30) throw argument_error("scale is " + std::to_string(o.scale) + ", expected 0 to 30");
    if (!(o.edge_factor >= 0 && o.edge_factor <= 1e6))
        throw argument_error("edge_factor is " + std::to_string(o.edge_factor) + ", expected 0 to 1e6");
    double const sum = o.a + o.b + o.c + o.d;
    if (!(o.a >= 0 && o.b >= 0 && o.c >= 0 && o.d >= 0 && std::abs(sum - 1) <= 1e-6))
        throw argument_error("probabilities a, b, c, d are " + std::to_string(o.a) + ", " + std::to_string(o.b) + ", " +
                             std::to_string(o.c) + ", " + std::to_string(o.d) + ", expected not negative with sum 1");
    if (std::ldexp(o.edge_factor, o.scale) > INT32_MAX)
        throw overflow_error("edge_factor 2^scale is beyond 32-bit indices");
}

} // namespace

template <class T>
csr<T> rmat(host_executor const& exec, generator_options const& o) {
    check(o);
    std::int64_t const n = std::int64_t{1} << o.scale;
    auto const edges = draw_edges(exec, o, std::llround(std::ldexp(o.edge_factor, o.scale)));

    // The edges of row i are edges[start[i]] to edges[start[i + 1]].
    buffer<std::int64_t> start(exec, n + 1);
    for_each(exec, n + 1, [&](std::int64_t i) {
        start[i] =
            std::lower_bound(edges.begin(), edges.end(), edge_key(static_cast<std::uint64_t>(i), 0)) - edges.begin();
    });
    random_stream const weights(o.seed, 1);
    struct {
        buffer<std::int64_t> const& start;
        buffer<std::uint64_t> const& edges;
        random_stream const& weights;
        std::int64_t count(std::int64_t i) const { return start[i + 1] - start[i]; }
        void fill(std::int64_t i, std::int32_t* columns, T* values) const {
            for (std::int64_t k = start[i]; k < start[i + 1]; ++k) {
                std::uint64_t const key = edges[k], reverse = key << 32 | key >> 32;
                *columns++ = target(key);
                *values++ = static_cast<T>(weights.uniform(std::min(key, reverse), 0, 1));
            }
        }
    } const rows{start, edges, weights};
    return detail::assemble_rows<T>(exec, n, n, rows);
}

template csr<float> rmat<float>(host_executor const&, generator_options const&);
template csr<double> rmat<double>(host_executor const&, generator_options const&);

} // namespace coppice
