// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PageRank over reduce_rows.
#pragma once

#include <coppice/core/number_text.hpp>
#include <coppice/graph/frontier/frontier.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1 {

struct pagerank_options {
    double damping = 0.85;    ///< probability of following an edge, in [0, 1)
    double tolerance = 1e-6;  ///< stops if the sum of |change| is below it, > 0
    int max_iterations = 200; ///< >= 1
};

template <class T>
struct pagerank_result {
    buffer<T> ranks{}; ///< their sum is 1; in the memory of the executor
    int iterations = 0;
    double residual = 0; ///< sum over the vertices of |change| in the last iteration
    bool converged = false;
};

/// Weights of the edges of a graph and of the transposed graph, each in its order; empty: every edge has weight 1. In
/// the memory of the executor.
template <class T>
struct directed_weights {
    array_view<T const> outgoing{};
    array_view<T const> incoming{};
};

/// Computes ranks r = d (P^T r + (sum of r over vertices without edges) t) + (1 - d) t (Page, Brin, Motwani and
/// Winograd 1999). Row u of P is 1 / degree(u) at its neighbours, and t is the restart distribution:
/// `restart[vertices]` divided by its sum, or uniform if `restart` is empty. With `weights`, row u of P contains the
/// weights of the edges of u divided by their sum; a vertex with sum 0 counts as a vertex without edges.
///
/// `incoming` is the transposed graph, or g itself if it is undirected. Every iteration is one pass over it. Sums are
/// folded in its order, in double, so that the bits do not depend on the number of threads. Memory: three values per
/// vertex and the plan. On CUDA the host waits once per iteration.
///
/// `start[vertices]`, divided by its sum, is the initial vector (default: t). If the ranks of a slightly different
/// graph are known, starting with them usually takes fewer iterations.
///
/// Throws argument_error for options out of range, and if `restart` or `start` has a negative or non-finite value or
/// the sum 0; matrix_error if a weight is negative or not finite; dimension_error if sizes differ.
template <class T, executor Executor>
pagerank_result<T> pagerank(Executor const& exec, graph_view g, graph_view incoming,
                            pagerank_options const& options = {}, array_view<T const> restart = {},
                            array_view<T const> start = {}, directed_weights<T> const& weights = {});

namespace analytics {

/// Sums of one pass over the vertices.
struct rank_sums {
    double change;
    double dangling; ///< rank of the vertices without edges (dangling vertices)
};
struct add_rank_sums {
    COPPICE_HD rank_sums operator()(rank_sums const& a, rank_sums const& b) const {
        return {a.change + b.change, a.dangling + b.dangling};
    }
};
/// Divisor of the rank of a vertex: the number of its edges, or the sum of their weights.
template <class T>
struct out_weight {
    graph_view g;
    T const* sums; ///< null: numbers of edges
    COPPICE_HD T operator()(std::int64_t v) const { return sums ? sums[v] : T(g.degree(v)); }
};
template <class T>
struct rank_sums_of {
    T const* before; ///< ranks before the last pass
    T const* ranks;
    out_weight<T> out;
    COPPICE_HD rank_sums operator()(std::int64_t v) const {
        double const change = double(ranks[v] - before[v]);
        return {change < 0 ? -change : change, out(v) > T(0) ? 0.0 : double(ranks[v])};
    }
};
/// Adds in double: in float, the rounding errors of the sum of a hub would change from pass to pass, and the ranks of a
/// star would not converge.
struct add_in_double {
    COPPICE_HD double identity() const { return 0; }
    COPPICE_HD double operator()(double a, double b) const { return a + b; }
};
template <class T>
struct contribution_of {
    T const* contributions;
    COPPICE_HD T operator()(vertex_id const& u) const { return contributions[u]; }
};
/// The contribution of a neighbour over an edge with a weight.
template <class T>
struct weighted_contribution {
    T const* contributions;
    COPPICE_HD T operator()(T const& weight, vertex_id const& u) const { return weight * contributions[u]; }
};
template <class T>
struct weights_of_row {
    using value = double;
    T const* weights;
    T* sums;
    COPPICE_HD double term(vertex_id, std::int32_t k) const { return weights[k]; }
    COPPICE_HD void store(vertex_id v, double sum) const { sums[v] = static_cast<T>(sum); }
};
/// Calls store(v, sum over the edges of v of x at the neighbour, times the weight if there are weights).
template <class T, executor Executor, class Store>
void sum_over_neighbors(Executor const& exec, srcsr_plan<std::int32_t> const& plan, graph_view g, T const* weights,
                        T const* x, Store const& store) {
    if (weights)
        reduce_rows(exec, plan, along_nonzeros{weighted_contribution<T>{x}, weights, g.neighbors}, add_in_double{},
                    store);
    else
        reduce_rows(exec, plan, along_nonzeros{contribution_of<T>{x}, g.neighbors}, add_in_double{}, store);
}
template <class T>
struct store_rank {
    out_weight<T> out;
    T* ranks;         ///< of this pass
    T* contributions; ///< of the next pass
    T const* restart;
    T damping;
    T everywhere; ///< restart term of a vertex, or the factor of restart[v]
    COPPICE_HD void operator()(std::int64_t v, double sum) const {
        T const rank = static_cast<T>(damping * sum + (restart ? everywhere * restart[v] : everywhere));
        ranks[v] = rank;
        T const divisor = out(v);
        contributions[v] = divisor > T(0) ? rank / divisor : T(0);
    }
};
template <class T>
struct first_rank {
    store_rank<T> store;
    T value;
    COPPICE_HD void operator()(std::int64_t v) const {
        store_rank<T> first = store;
        first.damping = T(0);
        first.everywhere = value;
        first(v, 0);
    }
};
struct restart_sums {
    double all;
    std::int64_t bad;
};

template <class T>
struct restart_as_sums {
    T const* restart;
    COPPICE_HD restart_sums operator()(std::int64_t v) const {
        T const x = restart[v];
        return {double(x), x >= T(0) && x - x == T(0) ? 0 : 1};
    }
};
struct add_restart_sums {
    COPPICE_HD restart_sums operator()(restart_sums const& a, restart_sums const& b) const {
        return {a.all + b.all, a.bad + b.bad};
    }
};

inline void check_pagerank(graph_view g, graph_view incoming, pagerank_options const& o, std::int64_t restarts) {
    require_size("vertices of the incoming edges of pagerank", incoming.vertices, g.vertices);
    require_size("edges that come in, for pagerank", incoming.edge_count, g.edge_count);
    if (restarts > 0) require_size("restart of pagerank", restarts, g.vertices);
    auto const refuse = [](char const* name, double value, char const* expected) {
        throw argument_error(std::string("pagerank option ") + name + " is " + coppice::detail::number_text(value) +
                             ", expected " + expected);
    };
    if (!(o.damping >= 0 && o.damping < 1)) refuse("damping", o.damping, "at least 0 and below 1");
    if (!(o.tolerance > 0)) refuse("tolerance", o.tolerance, "more than 0");
    if (o.max_iterations < 1) refuse("max_iterations", o.max_iterations, "1 or more");
}

/// Returns 1 / sum of the restart or start vector; throws if it is invalid.
template <class T, executor Executor>
double restart_scale(Executor const& exec, array_view<T const> restart, std::int64_t vertices,
                     char const* what = "restart") {
    if (restart.empty()) return 1.0 / double(vertices);
    auto const sums =
        reduce(exec, vertices, restart_sums{0, 0}, restart_as_sums<T>{restart.data()}, add_restart_sums{});
    if (sums.bad > 0 || !(sums.all > 0) || sums.all - sums.all != 0)
        throw argument_error(std::string("the ") + what + " of pagerank has " + std::to_string(sums.bad) +
                             " values that are negative or not finite, and sum " + std::to_string(sums.all) +
                             "; expected values of at least 0, some more");
    return 1.0 / sums.all;
}

struct is_not_finite {
    double const* weights;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return weights[k] - weights[k] == 0 ? 0 : 1; }
};
/// Throws dimension_error or matrix_error. `Bad` is 1 for a weight that is not allowed.
template <class Bad, executor Executor, class T>
void check_weights(Executor const& exec, char const* algorithm, array_view<T const> weights, std::int64_t edges,
                   char const* expected) {
    if (weights.empty()) return;
    require_size(algorithm, weights, edges);
    std::int64_t const bad = reduce(exec, edges, std::int64_t{0}, Bad{weights.data()}, plus{});
    if (bad > 0)
        throw matrix_error(std::string(algorithm) + ": " + std::to_string(bad) + " of " + std::to_string(edges) +
                           " are invalid, expected " + expected);
}

} // namespace analytics

template <class T, executor Executor>
pagerank_result<T> pagerank(Executor const& exec, graph_view g, graph_view incoming, pagerank_options const& options,
                            array_view<T const> restart, array_view<T const> start,
                            directed_weights<T> const& weights) {
    using namespace analytics;
    check_pagerank(g, incoming, options, restart.size());
    require_size("weights of the edges that come in, for pagerank", weights.incoming.size(), weights.outgoing.size());
    auto const check = [&](array_view<T const> w) {
        check_weights<is_no_weight<T>>(exec, "weights of pagerank", w, g.edge_count, "finite weights of at least 0");
    };
    check(weights.outgoing), check(weights.incoming);
    if (!start.empty()) require_size("start of pagerank", start, g.vertices);
    std::int64_t const n = g.vertices;
    pagerank_result<T> result{buffer<T>(exec, n)};
    if (n == 0) return {std::move(result.ranks), 0, 0, true};
    double const scale = restart_scale<T>(exec, restart, n);
    buffer<T> next_ranks(exec, n), contributions(exec, n), next_contributions(exec, n);
    auto const plan = make_srcsr_plan(exec, array_view<std::int32_t const>(incoming.offsets, n + 1),
                                      std::int64_t(incoming.edge_count), {.nonzero_bytes = int(sizeof(vertex_id))});
    bool const weighted = !weights.outgoing.empty();
    buffer<T> out_sums(exec, weighted ? n : 0);
    if (weighted) {
        auto const all_vertices = every_vertex(exec, g);
        edge_sum(exec, nullptr, all_vertices.data(), g, weights_of_row<T>{weights.outgoing.data(), out_sums.data()});
        check_weights<is_no_weight<T>>(exec, "sums of the weights of vertices, for pagerank",
                                       std::as_const(out_sums).view(), n, "finite sums");
    }
    out_weight<T> const out{g, weighted ? out_sums.data() : nullptr};
    store_rank<T> store{
        out, result.ranks.data(), contributions.data(), restart.empty() ? nullptr : restart.data(), T(options.damping),
        T(0)};
    store_rank<T> first = store;
    if (!start.empty()) first.restart = start.data();
    for_each(exec, n, first_rank<T>{first, T(start.empty() ? scale : restart_scale<T>(exec, start, n, "start"))});
    auto const sums_of = [&](buffer<T> const& before, buffer<T> const& ranks) {
        return reduce(exec, n, rank_sums{0, 0}, rank_sums_of<T>{before.data(), ranks.data(), out}, add_rank_sums{});
    };
    double dangling = sums_of(result.ranks, result.ranks).dangling;
    while (result.iterations < options.max_iterations && !result.converged) {
        store.ranks = next_ranks.data();
        store.contributions = next_contributions.data();
        store.everywhere = T((options.damping * dangling + (1 - options.damping)) * scale);
        sum_over_neighbors(exec, plan, incoming, weights.incoming.data(), std::as_const(contributions).data(), store);
        contributions.swap(next_contributions);
        result.ranks.swap(next_ranks);
        auto const sums = sums_of(next_ranks, result.ranks);
        ++result.iterations;
        result.residual = sums.change;
        dangling = sums.dangling;
        result.converged = sums.change < options.tolerance;
    }
    return result;
}

#define COPPICE_PAGERANK(EXTERN, EXECUTOR, T)                                                                          \
    EXTERN template pagerank_result<T> pagerank<T>(EXECUTOR const&, graph_view, graph_view, pagerank_options const&,   \
                                                   array_view<T const>, array_view<T const>,                           \
                                                   directed_weights<T> const&)
COPPICE_PAGERANK(extern, host_executor, float);
COPPICE_PAGERANK(extern, host_executor, double);
COPPICE_PAGERANK(extern, cuda_executor, float);
COPPICE_PAGERANK(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
