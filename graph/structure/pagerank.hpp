// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PageRank over reduce_rows.
#pragma once

#include <coppice/core/number_text.hpp>
#include <coppice/graph/frontier/graph_view.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice {

struct pagerank_options {
    double damping = 0.85;    ///< probability of following an edge, in [0, 1)
    double tolerance = 1e-6;  ///< stops where the sum of |change| is below it, > 0
    int max_iterations = 200; ///< >= 1
};

template <class T>
struct pagerank_result {
    buffer<T> ranks{}; ///< their sum is 1; in the memory of the executor
    int iterations = 0;
    double residual = 0; ///< sum over the vertices of |change| in the last iteration
    bool converged = false;
};

/// Ranks r = d (P^T r + (sum of r over vertices without edges) t) + (1 - d) t, where row u of P is 1 / degree(u) at its
/// neighbours and t says where the surfer starts again: `restart[vertices]` divided by its sum, or everywhere alike
/// where it is empty (Page, Brin, Motwani and Winograd 1999). Edges count, not their values.
///
/// `incoming` is the graph with its edges turned round: g itself where it is undirected, else its transpose. Every
/// iteration is one pass over it; sums are folded in its order, so that the bits do not depend on the number of
/// threads. Memory: three values a vertex and the plan. Waits once an iteration.
///
/// `start[vertices]`, divided by its sum, is where the iterations begin instead of t: ranks of a graph that was a
/// little different are nearly right.
///
/// Throws argument_error for options out of range and a restart or start that is negative, not finite or zero all over,
/// dimension_error where sizes disagree.
template <class T, executor Executor>
pagerank_result<T> pagerank(Executor const& exec, graph_view g, graph_view incoming,
                            pagerank_options const& options = {}, array_view<T const> restart = {},
                            array_view<T const> start = {});

namespace analytics {

/// What one pass adds up over the vertices.
struct rank_sums {
    double change;
    double stuck; ///< rank of the vertices without edges
};
struct add_rank_sums {
    COPPICE_HD rank_sums operator()(rank_sums const& a, rank_sums const& b) const {
        return {a.change + b.change, a.stuck + b.stuck};
    }
};
template <class T>
struct rank_sums_of {
    T const* changes;
    T const* ranks;
    graph_view g;
    COPPICE_HD rank_sums operator()(std::int64_t v) const {
        double const change = double(changes[v]);
        return {change < 0 ? -change : change, g.degree(v) == 0 ? double(ranks[v]) : 0.0};
    }
};
template <class T>
struct add_values {
    COPPICE_HD T identity() const { return T(0); }
    COPPICE_HD T operator()(T const& a, T const& b) const { return a + b; }
};
template <class T>
struct share_of {
    T const* shares;
    COPPICE_HD T operator()(vertex_id const& u) const { return shares[u]; }
};
template <class T>
struct store_rank {
    graph_view g;
    T* ranks;
    T* changes;
    T* shares; ///< of the next pass
    T const* restart;
    T damping;
    T everywhere; ///< what restarts at a vertex, or is multiplied by restart[v]
    COPPICE_HD void operator()(std::int64_t v, T const& sum) const {
        T const rank = damping * sum + (restart ? everywhere * restart[v] : everywhere);
        changes[v] = rank - ranks[v];
        ranks[v] = rank;
        std::int32_t const degree = g.degree(v);
        shares[v] = degree > 0 ? rank / T(degree) : T(0);
    }
};
template <class T>
struct first_rank {
    store_rank<T> store;
    T value;
    COPPICE_HD void operator()(std::int64_t v) const {
        store.ranks[v] = T(0);
        store_rank<T> first = store;
        first.damping = T(0);
        first.everywhere = value;
        first(v, T(0));
    }
};
struct restart_sums {
    double all;
    std::int64_t bad;
};
template <class T>
struct restart_of {
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

/// 1 / sum of the restart, or of the start; throws where it is none.
template <class T, executor Executor>
double restart_scale(Executor const& exec, array_view<T const> restart, std::int64_t vertices,
                     char const* what = "restart") {
    if (restart.empty()) return 1.0 / double(vertices);
    auto const sums = reduce(exec, vertices, restart_sums{0, 0}, restart_of<T>{restart.data()}, add_restart_sums{});
    if (sums.bad > 0 || !(sums.all > 0) || sums.all - sums.all != 0)
        throw argument_error(std::string("the ") + what + " of pagerank has " + std::to_string(sums.bad) +
                             " values that are negative or not finite, and sum " + std::to_string(sums.all) +
                             "; expected values of at least 0, some more");
    return 1.0 / sums.all;
}

} // namespace analytics

template <class T, executor Executor>
pagerank_result<T> pagerank(Executor const& exec, graph_view g, graph_view incoming, pagerank_options const& options,
                            array_view<T const> restart, array_view<T const> start) {
    using namespace analytics;
    check_pagerank(g, incoming, options, restart.size());
    if (!start.empty()) require_size("start of pagerank", start, g.vertices);
    std::int64_t const n = g.vertices;
    pagerank_result<T> result{buffer<T>(exec, n)};
    if (n == 0) return {std::move(result.ranks), 0, 0, true};
    double const scale = restart_scale<T>(exec, restart, n);
    buffer<T> changes(exec, n), shares(exec, n), next_shares(exec, n);
    auto const plan = make_srcsr_plan(exec, array_view<std::int32_t const>(incoming.offsets, n + 1),
                                      std::int64_t(incoming.edge_count), {.nonzero_bytes = int(sizeof(vertex_id))});
    store_rank<T> store{g,
                        result.ranks.data(),
                        changes.data(),
                        shares.data(),
                        restart.empty() ? nullptr : restart.data(),
                        T(options.damping),
                        T(0)};
    store_rank<T> first = store;
    if (!start.empty()) first.restart = start.data();
    for_each(exec, n, first_rank<T>{first, T(start.empty() ? scale : restart_scale<T>(exec, start, n, "start"))});
    rank_sums_of<T> const sums_of{changes.data(), result.ranks.data(), g};
    double stuck = reduce(exec, n, rank_sums{0, 0}, sums_of, add_rank_sums{}).stuck;
    while (result.iterations < options.max_iterations && !result.converged) {
        share_of<T> const share{shares.data()};
        store.shares = next_shares.data();
        store.everywhere = T((options.damping * stuck + (1 - options.damping)) * scale);
        reduce_rows(exec, plan, along_nonzeros{share, incoming.neighbors}, add_values<T>{}, store);
        shares.swap(next_shares);
        auto const sums = reduce(exec, n, rank_sums{0, 0}, sums_of, add_rank_sums{});
        ++result.iterations;
        result.residual = sums.change;
        stuck = sums.stuck;
        result.converged = sums.change < options.tolerance;
    }
    return result;
}

#define COPPICE_PAGERANK(EXTERN, EXECUTOR, T)                                                                          \
    EXTERN template pagerank_result<T> pagerank<T>(EXECUTOR const&, graph_view, graph_view, pagerank_options const&,   \
                                                   array_view<T const>, array_view<T const>)
COPPICE_PAGERANK(extern, host_executor, float);
COPPICE_PAGERANK(extern, host_executor, double);
COPPICE_PAGERANK(extern, cuda_executor, float);
COPPICE_PAGERANK(extern, cuda_executor, double);

} // namespace coppice
