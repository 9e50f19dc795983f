// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communities of large modularity: the Louvain method in integer arithmetic.
#pragma once

#include <bit>
#include <cmath>

#include <coppice/core/number_text.hpp>
#include <coppice/graph/communities/label_rounds.hpp>
#include <coppice/graph/forest/contract.hpp>
#include <coppice/graph/structure/spanning_forest.hpp>

namespace coppice::inline v0_1 {

struct louvain_options {
    double resolution = 1;   ///< > 0; larger values give smaller communities
    double tolerance = 1e-6; ///< minimum gain of modularity of a level, >= 0; a smaller gain ends the method
    int max_levels = 20;     ///< >= 1
};
struct louvain_result {
    buffer<vertex_id> labels{}; ///< smallest vertex of the community; in the memory of the executor
    std::int64_t communities = 0;
    double modularity = 0;
    int levels = 0;
};

/// Communities of an undirected graph by the Louvain method (Blondel, Guillaume, Lambiotte and Lefebvre 2008). Vertices
/// move to the neighbouring community of largest modularity gain until few move; then communities become vertices
/// (contract()), and the next level begins. A quarter of the vertices, chosen by a hash that changes with every sweep,
/// moves at a time. After the first sweep, a vertex decides again only if a neighbour has moved to another community.
/// Modularity is the sum over pairs u, v of one community of (a_uv - resolution k_u k_v / s) / s, with the row sums k
/// of A and their sum s.
///
/// Weights are rounded to multiples of a power of two, some 2^-51 of their sum, so that sums are exact and the result
/// is the same for any number of threads, on host and CUDA; integers stay exact if the largest times the number of
/// edges is below 2^49. Memory: 16 bytes per edge (CUDA: 40), 64 per vertex, and that of the first contraction. Waits
/// once per sweep.
///
/// The rows of `a` are sorted and have no parallel edges; otherwise the first contraction throws matrix_error. Throws
/// matrix_error for weights that are negative or not finite, argument_error for options out of range.
template <executor Executor, class T>
louvain_result louvain(Executor const& exec, csr_view<T> a, louvain_options const& options = {});

/// Modularity of given communities: `labels[vertices]` in [0, vertices), equal within a community. Rows need not be
/// sorted, parallel edges count with the sum of their weights. Weights, determinism and errors as of louvain(). Waits.
template <executor Executor, class T>
double modularity(Executor const& exec, csr_view<T> a, array_view<vertex_id const> labels, double resolution = 1);

namespace analytics {

struct weight_check {
    double largest;
    std::int64_t bad;
};
template <class T>
struct weight_of_edge {
    T const* weights;
    COPPICE_HD weight_check operator()(std::int64_t k) const {
        T const x = weights[k];
        bool const good = x >= T(0) && x - x == T(0);
        return {good ? double(x) : 0.0, good ? 0 : 1};
    }
};
struct merge_weight_checks {
    COPPICE_HD weight_check operator()(weight_check const& a, weight_check const& b) const {
        return {a.largest > b.largest ? a.largest : b.largest, a.bad + b.bad};
    }
};
/// Weights times 2^power, rounded to the nearest integer. The scale is a product of two factors, since it may exceed
/// the range of double.
template <class T>
struct integer_weight {
    T const* from;
    double first, second;
    integer_weight(T const* weights, int power)
        : from(weights), first(std::ldexp(1.0, power / 2)), second(std::ldexp(1.0, power - power / 2)) {}
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        // NOLINTNEXTLINE(bugprone-incorrect-roundings): weights are not negative
        return static_cast<std::int64_t>(double(from[k]) * first * second + 0.5);
    }
};
template <class T>
struct store_integer_weight {
    integer_weight<T> weight;
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = weight(k); }
};
struct row_weight {
    using value = std::int64_t;
    std::int64_t const* weights;
    std::int64_t* sums;
    COPPICE_HD std::int64_t term(vertex_id, std::int32_t k) const { return weights[k]; }
    COPPICE_HD void store(vertex_id v, std::int64_t sum) const { sums[v] = sum; }
};
struct inner_weight {
    using value = std::int64_t;
    graph_view g;
    std::int64_t const* weights;
    vertex_id const* labels;
    std::int64_t* sums;
    COPPICE_HD std::int64_t term(vertex_id v, std::int32_t k) const {
        return labels[v] == labels[g.neighbors[k]] ? weights[k] : 0;
    }
    COPPICE_HD void store(vertex_id v, std::int64_t sum) const { sums[v] = sum; }
};
struct add_to_label {
    vertex_id const* labels;
    std::int64_t const* weights;
    std::int64_t* totals;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        worker.add(totals + labels[v], weights[v]);
    }
};
/// Exact sum of squares of integers below 2^53 whose sum is below 2^53 too, so that the order does not matter. With x =
/// 2^26 a + b, the sums of a^2, of a b, and of b^2 in two halves of 26 bits are accumulated.
struct exact_squares {
    std::uint64_t aa = 0, ab = 0, bb_high = 0, bb_low = 0;
    COPPICE_HD exact_squares operator+(exact_squares const& o) const {
        return {aa + o.aa, ab + o.ab, bb_high + o.bb_high, bb_low + o.bb_low};
    }
    double value() const {
        return std::ldexp(double(aa), 52) + std::ldexp(double(ab), 27) + std::ldexp(double(bb_high), 26) +
               double(bb_low);
    }
};
struct square_of_total {
    std::int64_t const* totals;
    COPPICE_HD exact_squares operator()(std::int64_t c) const {
        constexpr std::uint64_t low = (1 << 26) - 1;
        auto const t = static_cast<std::uint64_t>(totals[c]);
        std::uint64_t const a = t >> 26, b = t & low;
        return {a * a, a * b, b * b >> 26, b * b & low};
    }
};

/// Graph with integer weights in the memory of an executor, its row sums and their sum.
template <executor Executor>
struct integer_graph {
    graph_view g;
    buffer<std::int64_t> weights, row_sums;
    buffer<worklist> all_vertices;
    double all = 0;

    integer_graph(Executor const& exec, graph_view graph, buffer<std::int64_t> edge_weights)
        : g(graph), weights(std::move(edge_weights)), row_sums(exec, g.vertices), all_vertices(every_vertex(exec, g)) {
        edge_sum(exec, nullptr, all_vertices.data(), g, row_weight{weights.data(), row_sums.data()});
        all = double(reduce(exec, g.vertices, std::int64_t{0}, value_at<std::int64_t>{row_sums.data()}, plus{}));
    }
    double modularity(Executor const& exec, vertex_id const* labels, double resolution) const {
        if (all == 0) return 0;
        buffer<std::int64_t> inner(exec, g.vertices), totals(exec, g.vertices);
        fill(exec, totals.view(), 0);
        edge_sum(exec, nullptr, all_vertices.data(), g, inner_weight{g, weights.data(), labels, inner.data()});
        vertex_map(exec, nullptr, all_vertices.data(), nothing(), add_to_label{labels, row_sums.data(), totals.data()});
        auto const within = reduce(exec, g.vertices, std::int64_t{0}, value_at<std::int64_t>{inner.data()}, plus{});
        double const squares =
            reduce(exec, g.vertices, exact_squares{}, square_of_total{totals.data()}, plus{}).value();
        return double(within) / all - resolution * (squares / all / all);
    }
};
/// Returns the exponent p: weights are multiplied by 2^p and then rounded to integers. `check` is the weight_check of
/// all `edges` weights; sum_of(p) returns the sum of the integers. Throws matrix_error for weights that are negative or
/// not finite.
///
/// The exponent is chosen in two steps: first such that the sum of the integers is below 2^51 for any weights, then,
/// given that sum, such that it is between about 2^51 and 2^52. Integer sums do not depend on the order of addition, so
/// the exponent is the same on every executor.
template <class SumOf>
int power_for_weights(weight_check const& check, std::int64_t edges, char const* algorithm, SumOf const& sum_of) {
    if (check.bad > 0)
        throw matrix_error(std::string(algorithm) + ": " + std::to_string(check.bad) +
                           " edge weights are negative or not finite");
    if (!(check.largest > 0)) return 0;
    int const power = 50 - std::ilogb(check.largest) - int(std::bit_width(static_cast<std::uint64_t>(edges)));
    return power + 51 - std::ilogb(double(sum_of(power)) + double(edges));
}
template <executor Executor, class T>
integer_graph<Executor> make_integer_graph(Executor const& exec, csr_view<T> a, char const* algorithm) {
    graph_view const g(a);
    auto const check =
        reduce(exec, g.edge_count, weight_check{0, 0}, weight_of_edge<T>{a.coefficients}, merge_weight_checks{});
    int const power = power_for_weights(check, g.edge_count, algorithm, [&](int first) {
        return reduce(exec, g.edge_count, std::int64_t{0}, integer_weight<T>(a.coefficients, first), plus{});
    });
    buffer<std::int64_t> weights(exec, g.edge_count);
    for_each(exec, g.edge_count, store_integer_weight<T>{{a.coefficients, power}, weights.data()});
    return integer_graph<Executor>(exec, g, std::move(weights));
}

/// Gain of modularity without the terms that do not depend on the label. The lowest bit breaks ties: of equal gains
/// that of the present label is larger.
struct gain_of_label {
    std::int64_t const* row_sums;
    std::int64_t* totals; ///< total weight of each community
    double all;
    double resolution;
    COPPICE_HD std::uint64_t operator()(vertex_id v, vertex_id label, vertex_id own, std::int64_t weight) const {
        double const mine = double(row_sums[v]), others = double(totals[label] - (label == own ? row_sums[v] : 0));
        double const expected = resolution * mine * others / all;
        return (ordered_bits(double(weight) - expected) & ~std::uint64_t(1)) | (label == own ? 1 : 0);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void moves(Worker& worker, vertex_id v, vertex_id from, vertex_id to) const {
        worker.add(totals + from, -row_sums[v]);
        worker.add(totals + to, row_sums[v]);
    }
};
/// For each vertex of the first graph, replaces the vertex of this level that contains it by the community of that
/// vertex.
struct follow_level {
    vertex_id const* level;
    vertex_id* labels;
    COPPICE_HD void operator()(std::int64_t v) const { labels[v] = level[labels[v]]; }
};
struct as_double {
    std::int64_t const* from;
    double* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = double(from[k]); }
};
struct as_integer {
    double const* from;
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = static_cast<std::int64_t>(from[k]); }
};

/// Moves vertices between communities until few of them move in a sweep. The initial labels are `start`; null: each
/// vertex is a community.
template <executor Executor>
buffer<vertex_id> move_vertices(Executor const& exec, integer_graph<Executor> const& w, double resolution,
                                vertex_id const* start = nullptr) {
    label_rounds<Executor> rounds(exec, w.g, w.weights.data());
    if (start) exec.copy_elements(start, rounds.labels().data(), w.g.vertices);
    buffer<std::int64_t> totals(exec, w.g.vertices);
    fill(exec, totals.view(), 0);
    vertex_map(exec, nullptr, w.all_vertices.data(), nothing(),
               add_to_label{rounds.labels().data(), w.row_sums.data(), totals.data()});
    gain_of_label const gain{w.row_sums.data(), totals.data(), w.all, resolution};
    for (std::uint64_t sweep = 1; sweep <= 20; ++sweep)
        if (rounds.sweep(gain, sweep) <= w.g.vertices / 1000) break;
    return std::move(rounds.labels());
}
/// Renumbers labels to 0, 1, ...; returns the number of different labels.
template <executor Executor>
std::int32_t number_communities(Executor const& exec, worklist const* all_vertices, buffer<vertex_id>& labels) {
    buffer<std::int32_t> used(exec, labels.size());
    fill(exec, used.view(), 0);
    vertex_map(exec, nullptr, all_vertices, nothing(), set_flag_at{labels.data(), used.data()});
    std::int32_t const count = exclusive_scan(exec, labels.size(), value_at<std::int32_t>{used.data()},
                                              coppice::detail::store_offset<std::int32_t>{used.data()}, 0);
    for_each(exec, labels.size(), follow_level{used.data(), labels.data()});
    return count;
}

/// The graph whose vertices are groups of vertices.
struct contracted_graph {
    csr<double> pattern;
    buffer<std::int64_t> weights;
};
template <executor Executor>
contracted_graph contract_level(Executor const& exec, integer_graph<Executor> const& level,
                                vertex_aggregates<> const& groups) {
    buffer<double> values(exec, level.g.edge_count);
    for_each(exec, values.size(), as_double{level.weights.data(), values.data()});
    csr_view<double> fine;
    fine.row_count = fine.column_count = level.g.vertices;
    fine.nonzero_count = level.g.edge_count;
    fine.offsets = level.g.offsets;
    fine.indices = level.g.neighbors;
    fine.coefficients = values.data();
    contracted_graph next{contract(exec, fine, groups), {}};
    next.weights = buffer<std::int64_t>(exec, next.pattern.nonzeros());
    for_each(exec, next.weights.size(), as_integer{next.pattern.values().data(), next.weights.data()});
    return next;
}

inline void check_louvain(char const* algorithm, louvain_options const& o) {
    auto const refuse = [&](char const* name, double value, char const* expected) {
        throw argument_error(std::string(algorithm) + " option " + name + " is " + coppice::detail::number_text(value) +
                             ", expected " + expected);
    };
    if (!(o.resolution > 0)) refuse("resolution", o.resolution, "more than 0");
    if (!(o.tolerance >= 0)) refuse("tolerance", o.tolerance, "0 or more");
    if (o.max_levels < 1) refuse("max_levels", o.max_levels, "1 or more");
}

template <executor Executor>
louvain_result louvain_levels(Executor const& exec, integer_graph<Executor> level, louvain_options const& o) {
    std::int64_t const n = level.g.vertices;
    louvain_result r{buffer<vertex_id>(exec, n)};
    for_each(exec, n, label_itself{r.labels.data()});
    r.modularity = level.modularity(exec, r.labels.data(), o.resolution);
    csr<double> coarse; // owns the graph of the level
    while (r.levels < o.max_levels && level.all > 0) {
        auto labels = move_vertices(exec, level, o.resolution);
        double const reached = level.modularity(exec, labels.data(), o.resolution);
        if (!(reached > r.modularity + o.tolerance)) break;
        r.modularity = reached;
        ++r.levels;
        vertex_aggregates<> groups{level.g.vertices, number_communities(exec, level.all_vertices.data(), labels),
                                   std::move(labels)};
        for_each(exec, n, follow_level{groups.of.data(), r.labels.data()});
        if (groups.count == level.g.vertices) break;
        auto next = contract_level(exec, level, groups);
        level = integer_graph<Executor>(exec, graph_view(next.pattern), std::move(next.weights));
        coarse = std::move(next.pattern);
    }
    label_by_min_member(exec, r.labels);
    r.communities = reduce(exec, n, std::int64_t{0}, is_root{r.labels.data()}, plus{});
    return r;
}

} // namespace analytics

template <executor Executor, class T>
louvain_result louvain(Executor const& exec, csr_view<T> a, louvain_options const& options) {
    using namespace analytics;
    check_louvain("louvain", options);
    auto integers = make_integer_graph(exec, a, "louvain");
    if (integers.g.vertices == 0) return {};
    return louvain_levels(exec, std::move(integers), options);
}

template <executor Executor, class T>
double modularity(Executor const& exec, csr_view<T> a, array_view<vertex_id const> labels, double resolution) {
    auto const integers = analytics::make_integer_graph(exec, a, "modularity");
    require_size("labels of modularity", labels, integers.g.vertices);
    return integers.modularity(exec, labels.data(), resolution);
}

#define COPPICE_LOUVAIN(EXTERN, EXECUTOR, T)                                                                           \
    EXTERN template louvain_result louvain(EXECUTOR const&, csr_view<T>, louvain_options const&);                      \
    EXTERN template double modularity(EXECUTOR const&, csr_view<T>, array_view<vertex_id const>, double)
COPPICE_LOUVAIN(extern, host_executor, float);
COPPICE_LOUVAIN(extern, host_executor, double);
COPPICE_LOUVAIN(extern, cuda_executor, float);
COPPICE_LOUVAIN(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
