// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communities of large modularity: the method of Louvain, in whole numbers.
#pragma once

#include <bit>
#include <cmath>

#include <coppice/core/number_text.hpp>
#include <coppice/graph/communities/label_rounds.hpp>
#include <coppice/graph/forest/contract.hpp>
#include <coppice/graph/structure/spanning_forest.hpp>

namespace coppice {

struct louvain_options {
    double resolution = 1;   ///< > 0; the larger, the smaller communities are
    double tolerance = 1e-6; ///< of modularity, >= 0: a level that gains no more is the last
    int max_levels = 20;     ///< >= 1
};
struct louvain_result {
    buffer<vertex_id> labels{}; ///< the smallest vertex of the community; in the memory of the executor
    std::int64_t communities = 0;
    double modularity = 0;
    int levels = 0;
};

/// Communities of an undirected graph by the method of Louvain (Blondel, Guillaume, Lambiotte and Lefebvre 2008):
/// vertices move to the community of their neighbours that gains most modularity until few move; communities become
/// vertices (contract()), and so on. A quarter of the vertices moves at a time, by a hash that is another one each
/// sweep. Modularity is that of the matrix A: sum over u, v of one community of (a_uv - resolution k_u k_v / s) / s,
/// with row sums k and the sum s of all.
///
/// Weights are rounded to whole numbers of 2^-52 of their sum or less (whole ones stay as they are), so that sums are
/// exact: the same communities for any number of threads, on host and CUDA. Memory: 40 bytes an edge, 60 a vertex, and
/// what the first contraction takes. Waits once a sweep.
///
/// Throws matrix_error for weights that are negative or not finite, argument_error for options out of range.
template <executor Executor, class T>
louvain_result louvain(Executor const& exec, csr_view<T> a, louvain_options const& options = {});

/// Modularity of communities: equal labels from 0 to the number of vertices, `labels[vertices]`. As above; waits.
template <executor Executor, class T>
double modularity(Executor const& exec, csr_view<T> a, array_view<vertex_id const> labels, double resolution = 1);

namespace analytics {

struct weight_look {
    double largest;
    std::int64_t bad;
};
template <class T>
struct weight_of_edge {
    T const* weights;
    COPPICE_HD weight_look operator()(std::int64_t k) const {
        T const x = weights[k];
        bool const good = x >= T(0) && x - x == T(0);
        return {good ? double(x) : 0.0, good ? 0 : 1};
    }
};
struct join_weight_looks {
    COPPICE_HD weight_look operator()(weight_look const& a, weight_look const& b) const {
        return {a.largest > b.largest ? a.largest : b.largest, a.bad + b.bad};
    }
};
/// Weights in units of a power of two, to the nearest. The power in two parts, since it may be beyond a double.
template <class T>
struct whole_weight {
    T const* from;
    double first, second;
    whole_weight(T const* weights, int power)
        : from(weights), first(std::ldexp(1.0, power / 2)), second(std::ldexp(1.0, power - power / 2)) {}
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        // NOLINTNEXTLINE(bugprone-incorrect-roundings): weights are not negative
        return static_cast<std::int64_t>(double(from[k]) * first * second + 0.5);
    }
};
template <class T>
struct store_whole_weight {
    whole_weight<T> weight;
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
/// The sum of the squares of whole numbers below 2^53 whose sum is, too: exact, so that its order does not matter. A
/// number is 2^26 a + b; what is summed are a^2, a b, and b^2 in two halves of 26 bits.
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

/// A graph of whole weights in the memory of an executor, its row sums and their sum.
template <executor Executor>
struct whole_graph {
    graph_view g;
    buffer<std::int64_t> weights, row_sums;
    buffer<worklist> everyone;
    double all = 0;

    whole_graph(Executor const& exec, graph_view graph, buffer<std::int64_t> edge_weights)
        : g(graph), weights(std::move(edge_weights)), row_sums(exec, g.vertices),
          everyone(placed(exec, worklist{nullptr, g.vertices, 0})) {
        visit_sums(exec, nullptr, everyone.data(), g, row_weight{weights.data(), row_sums.data()});
        all = double(reduce(exec, g.vertices, std::int64_t{0}, value_at<std::int64_t>{row_sums.data()}, plus{}));
    }
    double modularity(Executor const& exec, vertex_id const* labels, double resolution) const {
        if (all == 0) return 0;
        buffer<std::int64_t> inner(exec, g.vertices), totals(exec, g.vertices);
        fill(exec, totals.view(), 0);
        visit_sums(exec, nullptr, everyone.data(), g, inner_weight{g, weights.data(), labels, inner.data()});
        visit_items(exec, nullptr, everyone.data(), nothing(), add_to_label{labels, row_sums.data(), totals.data()});
        auto const within = reduce(exec, g.vertices, std::int64_t{0}, value_at<std::int64_t>{inner.data()}, plus{});
        double const squares =
            reduce(exec, g.vertices, exact_squares{}, square_of_total{totals.data()}, plus{}).value();
        return double(within) / all - resolution * (squares / all / all);
    }
};
template <executor Executor, class T>
whole_graph<Executor> make_whole(Executor const& exec, csr_view<T> a, char const* algorithm) {
    graph_view const g(a);
    auto const look =
        reduce(exec, g.edge_count, weight_look{0, 0}, weight_of_edge<T>{a.coefficients}, join_weight_looks{});
    if (look.bad > 0)
        throw matrix_error(std::string(algorithm) + ": " + std::to_string(look.bad) +
                           " edge weights are negative or not finite");
    // Twice: in units in which the sum is below 2^51 whatever the weights, and again in such that it is not far below.
    // Sums of whole numbers have no order, so that the units are the same everywhere.
    int power = 0;
    if (look.largest > 0) {
        power = 50 - std::ilogb(look.largest) - int(std::bit_width(static_cast<std::uint64_t>(g.edge_count)));
        auto const sum = reduce(exec, g.edge_count, std::int64_t{0}, whole_weight<T>(a.coefficients, power), plus{});
        power += 51 - std::ilogb(double(sum) + double(g.edge_count));
    }
    buffer<std::int64_t> weights(exec, g.edge_count);
    for_each(exec, g.edge_count, store_whole_weight<T>{{a.coefficients, power}, weights.data()});
    return whole_graph<Executor>(exec, g, std::move(weights));
}

/// What modularity gains, without what does not depend on the label. Equal gains differ in whether a vertex stays.
struct gain_of_label {
    std::int64_t const* row_sums;
    std::int64_t* totals; ///< of communities
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
struct mark_label {
    vertex_id const* labels;
    std::int32_t* used;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        worker.store(used + labels[v], 1);
    }
};
struct store_number {
    std::int32_t* numbers;
    COPPICE_HD void operator()(std::int64_t c, std::int32_t number) const { numbers[c] = number; }
};
struct number_labels {
    std::int32_t const* numbers;
    vertex_id* labels;
    COPPICE_HD void operator()(std::int64_t v) const { labels[v] = numbers[labels[v]]; }
};
/// The community of a vertex of the first graph, by that of its vertex of this level.
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
struct as_whole {
    double const* from;
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = static_cast<std::int64_t>(from[k]); }
};

/// Moves vertices until few of them do.
template <executor Executor>
buffer<vertex_id> move_vertices(Executor const& exec, whole_graph<Executor> const& w, double resolution) {
    label_rounds<Executor> rounds(exec, w.g, w.weights.data());
    auto totals = copy_of(exec, w.row_sums.view());
    gain_of_label const gain{w.row_sums.data(), totals.data(), w.all, resolution};
    for (std::uint64_t sweep = 1; sweep <= 20; ++sweep)
        if (rounds.sweep(gain, sweep) <= w.g.vertices / 1000) break;
    return std::move(rounds.labels());
}
/// Labels become 0, 1, ...; how many there are.
template <executor Executor>
std::int32_t number_communities(Executor const& exec, worklist const* everyone, buffer<vertex_id>& labels) {
    buffer<std::int32_t> used(exec, labels.size());
    fill(exec, used.view(), 0);
    visit_items(exec, nullptr, everyone, nothing(), mark_label{labels.data(), used.data()});
    std::int32_t const count =
        exclusive_scan(exec, labels.size(), value_at<std::int32_t>{used.data()}, store_number{used.data()}, 0);
    for_each(exec, labels.size(), number_labels{used.data(), labels.data()});
    return count;
}

template <executor Executor>
louvain_result louvain_levels(Executor const& exec, whole_graph<Executor> level, louvain_options const& o) {
    std::int64_t const n = level.g.vertices;
    louvain_result r{buffer<vertex_id>(exec, n)};
    for_each(exec, n, name_itself{r.labels.data()});
    r.modularity = level.modularity(exec, r.labels.data(), o.resolution);
    csr<double> coarse; // what the level looks at
    while (r.levels < o.max_levels && level.all > 0) {
        auto labels = move_vertices(exec, level, o.resolution);
        double const reached = level.modularity(exec, labels.data(), o.resolution);
        if (!(reached > r.modularity + o.tolerance)) break;
        r.modularity = reached;
        ++r.levels;
        vertex_aggregates<> groups{level.g.vertices, number_communities(exec, level.everyone.data(), labels),
                                   std::move(labels)};
        for_each(exec, n, follow_level{groups.of.data(), r.labels.data()});
        if (groups.count == level.g.vertices) break;
        buffer<double> values(exec, level.g.edge_count);
        for_each(exec, values.size(), as_double{level.weights.data(), values.data()});
        csr_view<double> fine;
        fine.row_count = fine.column_count = level.g.vertices;
        fine.nonzero_count = level.g.edge_count;
        fine.offsets = level.g.offsets;
        fine.indices = level.g.neighbors;
        fine.coefficients = values.data();
        csr<double> next = contract(exec, fine, groups);
        buffer<std::int64_t> weights(exec, next.nonzeros());
        for_each(exec, weights.size(), as_whole{next.values().data(), weights.data()});
        level = whole_graph<Executor>(exec, graph_view(next), std::move(weights));
        coarse = std::move(next);
    }
    name_by_least_member(exec, r.labels);
    r.communities = reduce(exec, n, std::int64_t{0}, is_root{r.labels.data()}, plus{});
    return r;
}

} // namespace analytics

template <executor Executor, class T>
louvain_result louvain(Executor const& exec, csr_view<T> a, louvain_options const& options) {
    using namespace analytics;
    auto const refuse = [](char const* name, double value, char const* expected) {
        throw argument_error(std::string("louvain option ") + name + " is " + coppice::detail::number_text(value) +
                             ", expected " + expected);
    };
    if (!(options.resolution > 0)) refuse("resolution", options.resolution, "more than 0");
    if (!(options.tolerance >= 0)) refuse("tolerance", options.tolerance, "0 or more");
    if (options.max_levels < 1) refuse("max_levels", options.max_levels, "1 or more");
    auto whole = make_whole(exec, a, "louvain");
    if (whole.g.vertices == 0) return {};
    return louvain_levels(exec, std::move(whole), options);
}

template <executor Executor, class T>
double modularity(Executor const& exec, csr_view<T> a, array_view<vertex_id const> labels, double resolution) {
    auto const whole = analytics::make_whole(exec, a, "modularity");
    require_size("labels of modularity", labels, whole.g.vertices);
    return whole.modularity(exec, labels.data(), resolution);
}

#define COPPICE_LOUVAIN(EXTERN, EXECUTOR, T)                                                                           \
    EXTERN template louvain_result louvain(EXECUTOR const&, csr_view<T>, louvain_options const&);                      \
    EXTERN template double modularity(EXECUTOR const&, csr_view<T>, array_view<vertex_id const>, double)
COPPICE_LOUVAIN(extern, host_executor, float);
COPPICE_LOUVAIN(extern, host_executor, double);
COPPICE_LOUVAIN(extern, cuda_executor, float);
COPPICE_LOUVAIN(extern, cuda_executor, double);

} // namespace coppice
