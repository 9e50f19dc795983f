// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Random walks of first and second order (node2vec).
#pragma once

#include <cmath>

#include <coppice/algebra/random.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1 {

struct random_walk_options {
    int length = 10; ///< number of steps of a walk, >= 1
    /// p of node2vec, 1e-100 to 1e100: the weight of the step back is divided by it
    double return_bias = 1;
    /// q of node2vec, 1e-100 to 1e100: that of a step to no neighbour of the previous vertex
    double outward_bias = 1;
    bool weighted = false; ///< whether values are weights of the choice; otherwise each edge has the same
    std::uint64_t seed = 1;
};

/// Walks along outgoing edges from each of the given vertices; starts may be repeated, for several walks. Returns
/// walks[i (length + 1) + t], the vertex of walk i after t steps, in the memory of the executor; after a vertex without
/// edges (of positive weight) the rest is -1.
///
/// With biases the walk is that of node2vec (Grover and Leskovec 2016): by rejection of steps of first order (Yang et
/// al., KnightKing 2019), and after 64 rejections by a scan of the row, which has the same distribution. Biases need
/// sorted rows. Numbers are hashes of seed, walk and step: the same walks for any number of threads, on host and CUDA.
/// Memory: the walks, and 8 bytes per edge if weighted. Queued; waits for the checks.
///
/// Throws argument_error for options out of range and for a start that is no vertex, matrix_error for weights that are
/// negative or not finite.
template <executor Executor, class T>
buffer<vertex_id> random_walks(Executor const& exec, csr_view<T> a, array_view<vertex_id const> starts,
                               random_walk_options const& options = {});

namespace analytics {

/// One walk: the lane code of host and CUDA.
struct walker {
    graph_view g;
    double const* sums; ///< of the weights of a row up to and including each edge; null: equal weights
    vertex_id const* starts;
    int length;
    double return_factor, outward_factor; ///< 1 / p, 1 / q
    bool biased;
    std::uint64_t seed;
    vertex_id* walks;

    COPPICE_HD void operator()(std::int64_t walk) const {
        random_sequence numbers(seed, walk);
        vertex_id* const to = walks + walk * (length + 1);
        vertex_id previous = -1, at = starts[walk];
        to[0] = at;
        for (int t = 1; t <= length; ++t) {
            vertex_id const next = at < 0                    ? -1
                                   : !biased || previous < 0 ? draw(at, numbers)
                                                             : step(previous, at, numbers);
            previous = at;
            to[t] = at = next;
        }
    }
    COPPICE_HD double weight(vertex_id u, std::int32_t k) const {
        return !sums ? 1.0 : sums[k] - (k > g.offsets[u] ? sums[k - 1] : 0.0);
    }
    /// Draws a neighbour by the weights; -1: there is none.
    COPPICE_HD vertex_id draw(vertex_id u, random_sequence& numbers) const {
        std::int32_t const begin = g.offsets[u], end = g.offsets[u + 1];
        double const total = begin == end ? 0.0 : sums ? sums[end - 1] : double(end - begin);
        if (!(total > 0)) return -1;
        double const x = numbers.uniform() * total;
        if (!sums) return g.neighbors[begin + (x < total - 1 ? std::int32_t(x) : end - begin - 1)];
        auto first = static_cast<std::int32_t>( // the first edge whose sum is above x
            detail::first_not_below(begin, end - 1, [&](std::int64_t k) { return !(sums[k] > x); }));
        while (first > begin && !(weight(u, first) > 0)) --first; // rounding may lead to an edge of weight 0
        return g.neighbors[first];
    }
    COPPICE_HD double bias(vertex_id previous, vertex_id v) const {
        return v == previous ? return_factor : position_of_edge(g, previous, v) >= 0 ? 1.0 : outward_factor;
    }
    COPPICE_HD vertex_id step(vertex_id previous, vertex_id u, random_sequence& numbers) const {
        constexpr int max_attempts = 64;
        double const back_or_on = return_factor > outward_factor ? return_factor : outward_factor;
        double const largest = back_or_on > 1 ? back_or_on : 1.0;
        for (int i = 0; i < max_attempts; ++i) {
            vertex_id const v = draw(u, numbers);
            if (v < 0 || numbers.uniform() * largest < bias(previous, v)) return v;
        }
        return scan(previous, u, numbers);
    }
    COPPICE_HD vertex_id scan(vertex_id previous, vertex_id u, random_sequence& numbers) const {
        double total = 0;
        for (auto k = g.offsets[u]; k < g.offsets[u + 1]; ++k) total += weight(u, k) * bias(previous, g.neighbors[k]);
        double left = numbers.uniform() * total;
        vertex_id chosen = -1;
        for (auto k = g.offsets[u]; k < g.offsets[u + 1]; ++k) {
            double const x = weight(u, k) * bias(previous, g.neighbors[k]);
            if (!(x > 0)) continue;
            chosen = g.neighbors[k];
            if (left < x) break;
            left -= x;
        }
        return chosen;
    }
};
template <class T>
struct sum_weights_of_row {
    csr_view<T> a;
    double* sums;
    COPPICE_HD std::int64_t operator()(std::int64_t u) const {
        double sum = 0;
        std::int64_t bad = 0;
        for (auto k = a.offsets[u]; k < a.offsets[u + 1]; ++k) {
            double const x = double(a.coefficients[k]);
            sums[k] = sum += x;
            bad += x >= 0 && sum - sum == 0 ? 0 : 1;
        }
        return bad;
    }
};

inline constexpr double min_walk_bias = 1e-100, max_walk_bias = 1e100;
inline void check_walks(random_walk_options const& o) {
    if (o.length < 1)
        throw argument_error("random_walks option length is " + std::to_string(o.length) + ", expected 1 or more");
    for (auto const& [name, bias] : {std::pair{"return_bias", o.return_bias}, {"outward_bias", o.outward_bias}})
        if (!(bias >= min_walk_bias && bias <= max_walk_bias))
            throw argument_error(std::string("random_walks option ") + name + " is " +
                                 coppice::detail::number_text(bias) + ", expected 1e-100 to 1e100");
}

} // namespace analytics

template <executor Executor, class T>
buffer<vertex_id> random_walks(Executor const& exec, csr_view<T> a, array_view<vertex_id const> starts,
                               random_walk_options const& options) {
    using namespace analytics;
    graph_view const g(a);
    check_walks(options);
    std::int64_t const count = starts.size();
    if (reduce(exec, count, std::int64_t{0}, is_no_vertex{starts.data(), g.vertices}, plus{}) > 0)
        throw argument_error("random_walks: a start is no vertex, expected 0 to " + std::to_string(g.vertices - 1));
    buffer<double> sums(exec, options.weighted ? g.edge_count : 0);
    if (options.weighted &&
        reduce(exec, g.vertices, std::int64_t{0}, sum_weights_of_row<T>{a, sums.data()}, plus{}) > 0)
        throw matrix_error("random_walks: a weight is negative, or the weights of a vertex have no finite sum");
    buffer<vertex_id> walks(exec, count * (options.length + std::int64_t(1)));
    bool const biased = options.return_bias != 1 || options.outward_bias != 1;
    for_each(exec, count,
             walker{g, options.weighted ? sums.data() : nullptr, starts.data(), options.length, 1 / options.return_bias,
                    1 / options.outward_bias, biased, options.seed, walks.data()});
    if (options.weighted) exec.synchronize(); // the sums are destroyed here
    return walks;
}

#define COPPICE_RANDOM_WALKS(EXTERN, EXECUTOR, T)                                                                      \
    EXTERN template buffer<vertex_id> random_walks(EXECUTOR const&, csr_view<T>, array_view<vertex_id const>,          \
                                                   random_walk_options const&)
COPPICE_RANDOM_WALKS(extern, host_executor, float);
COPPICE_RANDOM_WALKS(extern, host_executor, double);
COPPICE_RANDOM_WALKS(extern, cuda_executor, float);
COPPICE_RANDOM_WALKS(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
