// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PageRank over reduce_rows.
#pragma once

#include <coppice/core/number_text.hpp>
#include <coppice/graph/frontier/graph_view.hpp>
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

/// Computes ranks r = d (P^T r + (sum of r over vertices without edges) t) + (1 - d) t (Page, Brin, Motwani and
/// Winograd 1999). Row u of P is 1 / degree(u) at its neighbours, and t is the restart distribution:
/// `restart[vertices]` divided by its sum, or uniform if `restart` is empty. Edge values are ignored.
///
/// `incoming` is the transposed graph, or g itself if it is undirected. Every iteration is one pass over it. Sums are
/// folded in its order, so that the bits do not depend on the number of threads. Memory: three values per vertex and
/// the plan. Waits once per iteration.
///
/// `start[vertices]`, divided by its sum, is the initial vector (default: t). The ranks of a slightly different graph
/// are a good start.
///
/// Throws argument_error for options out of range and for a restart or start that has negative or non-finite values or
/// is zero, dimension_error if sizes differ.
template <class T, executor Executor>
pagerank_result<T> pagerank(Executor const& exec, graph_view g, graph_view incoming,
                            pagerank_options const& options = {}, array_view<T const> restart = {},
                            array_view<T const> start = {});

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
struct contribution_of {
    T const* contributions;
    COPPICE_HD T operator()(vertex_id const& u) const { return contributions[u]; }
};
template <class T>
struct store_rank {
    graph_view g;
    T* ranks;
    T* changes;
    T* contributions; ///< contributions of the next pass
    T const* restart;
    T damping;
    T everywhere; ///< restart term of a vertex, or the factor of restart[v]
    COPPICE_HD void operator()(std::int64_t v, T const& sum) const {
        T const rank = damping * sum + (restart ? everywhere * restart[v] : everywhere);
        changes[v] = rank - ranks[v];
        ranks[v] = rank;
        std::int32_t const degree = g.degree(v);
        contributions[v] = degree > 0 ? rank / T(degree) : T(0);
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

/// Returns 1 / sum of the restart or start vector; throws if it is invalid.
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
    buffer<T> changes(exec, n), contributions(exec, n), next_contributions(exec, n);
    auto const plan = make_srcsr_plan(exec, array_view<std::int32_t const>(incoming.offsets, n + 1),
                                      std::int64_t(incoming.edge_count), {.nonzero_bytes = int(sizeof(vertex_id))});
    store_rank<T> store{g,
                        result.ranks.data(),
                        changes.data(),
                        contributions.data(),
                        restart.empty() ? nullptr : restart.data(),
                        T(options.damping),
                        T(0)};
    store_rank<T> first = store;
    if (!start.empty()) first.restart = start.data();
    for_each(exec, n, first_rank<T>{first, T(start.empty() ? scale : restart_scale<T>(exec, start, n, "start"))});
    rank_sums_of<T> const sums_of{changes.data(), result.ranks.data(), g};
    double dangling = reduce(exec, n, rank_sums{0, 0}, sums_of, add_rank_sums{}).dangling;
    while (result.iterations < options.max_iterations && !result.converged) {
        contribution_of<T> const contribution{contributions.data()};
        store.contributions = next_contributions.data();
        store.everywhere = T((options.damping * dangling + (1 - options.damping)) * scale);
        reduce_rows(exec, plan, along_nonzeros{contribution, incoming.neighbors}, add_values<T>{}, store);
        contributions.swap(next_contributions);
        auto const sums = reduce(exec, n, rank_sums{0, 0}, sums_of, add_rank_sums{});
        ++result.iterations;
        result.residual = sums.change;
        dangling = sums.dangling;
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

} // namespace coppice::inline v0_1
