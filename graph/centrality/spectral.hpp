// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Centralities that are fixed points of sums over neighbours: Katz, eigenvector, hubs and authorities.
#pragma once

#include <cmath>

#include <coppice/core/number_text.hpp>
#include <coppice/graph/structure/pagerank.hpp>

namespace coppice::inline v0_1 {

struct spectral_options {
    double tolerance = 1e-6;   ///< stops if the sum of |change| is below it, > 0
    int max_iterations = 1000; ///< >= 1
};
struct katz_options {
    /// Factor of an edge; 0: 0.85 / min(largest out-degree, largest in-degree), or with weights 0.85 / (largest sum of
    /// |weights| of incoming edges), for which the iteration converges.
    double alpha = 0;
    double beta = 1;           ///< constant term of every vertex
    double tolerance = 1e-6;   ///< as above
    int max_iterations = 1000; ///< >= 1
};

/// Result of a spectral centrality, in the memory of the executor.
struct spectral_result {
    buffer<double> scores{};
    int iterations = 0;
    double residual = 0; ///< sum over the vertices of |change| in the last iteration
    bool converged = false;
};
struct hits_result {
    buffer<double> hubs{}, authorities{}; ///< each sums to 1
    int iterations = 0;
    double residual = 0; ///< sum of |change| of the hubs in the last iteration
    bool converged = false;
};

// `incoming` is the transposed graph, or g itself if it is undirected. Every edge has weight 1 unless weights are
// given, in the order of g and of `incoming`; a function reads those that it names. Sums are folded in the order of the
// rows and of the vertices: the result has the same bits for any number of threads on one kind of executor. Memory:
// four values per vertex and the plans. All functions wait once per iteration, throw argument_error for options out of
// range, matrix_error for weights that are not finite, dimension_error if sizes differ, and report in the result
// whether they converged.

/// Katz centrality x = alpha (sum of x over incoming edges) + beta (Katz 1953). `g` is used only if options.alpha is 0:
/// its out-degrees are needed to choose alpha. The iteration diverges unless alpha < 1 / (largest eigenvalue).
template <executor Executor>
spectral_result katz_centrality(Executor const& exec, graph_view g, graph_view incoming,
                                katz_options const& options = {}, array_view<double const> incoming_weights = {});

/// Dominant eigenvector of the transpose, of length 1 and non-negative (Bonacich 1972), by power iteration with I +
/// A^T. If the graph has several components, the result belongs to the one with the largest eigenvalue and may converge
/// slowly.
template <executor Executor>
spectral_result eigenvector_centrality(Executor const& exec, graph_view incoming, spectral_options const& options = {},
                                       array_view<double const> incoming_weights = {});

/// Hubs h = A a and authorities a = A^T h (Kleinberg 1999).
template <executor Executor>
hits_result hubs_and_authorities(Executor const& exec, graph_view g, graph_view incoming,
                                 spectral_options const& options = {}, directed_weights<double> const& weights = {});

namespace analytics {

inline constexpr double max_attenuation = 1e300; ///< of katz_centrality
inline void check_iteration(char const* algorithm, double tolerance, int max_iterations) {
    if (!(tolerance > 0))
        throw argument_error(std::string(algorithm) + " option tolerance is " +
                             coppice::detail::number_text(tolerance) + ", expected more than 0");
    if (max_iterations < 1)
        throw argument_error(std::string(algorithm) + " option max_iterations is " + std::to_string(max_iterations) +
                             ", expected 1 or more");
}

struct store_sum {
    double* to;
    COPPICE_HD void operator()(std::int64_t v, double const& sum) const { to[v] = sum; }
};
/// Sums over the neighbours of every vertex, with a plan.
template <executor Executor>
class neighbor_sums {
public:
    neighbor_sums(Executor const& exec, graph_view g, double const* weights)
        : exec_(exec), g_(g), weights_(weights),
          plan_(make_srcsr_plan(exec, array_view<std::int32_t const>(g.offsets, g.vertices + 1),
                                std::int64_t(g.edge_count), {.nonzero_bytes = int(sizeof(vertex_id))})) {}
    void operator()(buffer<double> const& x, buffer<double>& y) const {
        sum_over_neighbors(exec_, plan_, g_, weights_, x.data(), store_sum{y.data()});
    }

private:
    Executor exec_;
    graph_view g_;
    double const* weights_; ///< null: 1
    srcsr_plan<std::int32_t> plan_;
};

struct step_element {
    double const *old, *add;
    double* to;
    double scale, own, constant;
    COPPICE_HD double operator()(std::int64_t v) const {
        to[v] = scale * (add[v] + own * old[v]) + constant;
        double const change = to[v] - old[v];
        return change < 0 ? -change : change;
    }
};
/// Replaces x by scale (y + own x) + constant; returns the sum of |change|. `next` is workspace.
template <executor Executor>
double take_step(Executor const& exec, buffer<double>& x, buffer<double> const& y, buffer<double>& next, double scale,
                 double own, double constant) {
    double const change =
        reduce(exec, x.size(), 0.0, step_element{x.data(), y.data(), next.data(), scale, own, constant}, plus{});
    x.swap(next);
    return change;
}
struct score_size {
    double const* x;
    double const* y;
    double own;
    bool squared;
    COPPICE_HD double operator()(std::int64_t v) const {
        double const s = y[v] + own * x[v];
        return squared ? s * s : s;
    }
};
struct magnitude_of_row {
    using value = double;
    double const* weights;
    double* sums;
    COPPICE_HD double term(vertex_id, std::int32_t k) const { return weights[k] < 0 ? -weights[k] : weights[k]; }
    COPPICE_HD void store(vertex_id v, double sum) const { sums[v] = sum; }
};
struct degree_of {
    graph_view g;
    COPPICE_HD std::int32_t operator()(std::int64_t v) const { return g.degree(v); }
};

/// Returns false if the sum is not finite.
template <executor Executor>
bool scale_to_sum(Executor const& exec, buffer<double>& x) {
    double const sum = reduce(exec, x.size(), 0.0, value_at<double>{x.data()}, plus{}), factor = 1 / sum;
    if (sum > 0) for_each(exec, x.size(), scale_value{x.data(), factor});
    return std::isfinite(sum);
}

} // namespace analytics

template <executor Executor>
spectral_result katz_centrality(Executor const& exec, graph_view g, graph_view incoming, katz_options const& options,
                                array_view<double const> incoming_weights) {
    using namespace analytics;
    check_iteration("katz_centrality", options.tolerance, options.max_iterations);
    require_size("vertices of the incoming edges of katz_centrality", incoming.vertices, g.vertices);
    check_weights<is_not_finite>(exec, "weights of katz_centrality", incoming_weights, incoming.edge_count,
                                 "finite weights");
    if (!(options.alpha >= 0 && options.alpha <= max_attenuation))
        throw argument_error("katz_centrality option alpha is " + coppice::detail::number_text(options.alpha) +
                             ", expected a number from 0 to 1e300; 0: automatic");
    std::int64_t const n = g.vertices;
    spectral_result result{buffer<double>(exec, n)};
    if (n == 0) return {std::move(result.scores), 0, 0, true};
    double alpha = options.alpha;
    buffer<double> y(exec, n), next(exec, n);
    if (alpha == 0 && !incoming_weights.empty()) {
        auto const all_vertices = every_vertex(exec, incoming);
        edge_sum(exec, nullptr, all_vertices.data(), incoming, magnitude_of_row{incoming_weights.data(), y.data()});
        double const largest = reduce(exec, n, 0.0, value_at<double>{y.data()}, maximum{});
        alpha = largest > 0 ? 0.85 / largest : 1.0;
    } else if (alpha == 0) {
        auto const out = reduce(exec, n, std::int32_t{1}, degree_of{g}, maximum{});
        auto const in = reduce(exec, n, std::int32_t{1}, degree_of{incoming}, maximum{});
        alpha = 0.85 / std::min(out, in);
    }
    neighbor_sums<Executor> const sums(exec, incoming, incoming_weights.data());
    fill(exec, result.scores.view(), options.beta);
    while (result.iterations < options.max_iterations && !result.converged) {
        sums(result.scores, y);
        result.residual = take_step(exec, result.scores, y, next, alpha, 0, options.beta);
        ++result.iterations;
        result.converged = result.residual < options.tolerance;
        if (!(result.residual < 1e300)) break;
    }
    return result;
}

template <executor Executor>
spectral_result eigenvector_centrality(Executor const& exec, graph_view incoming, spectral_options const& options,
                                       array_view<double const> incoming_weights) {
    using namespace analytics;
    check_iteration("eigenvector_centrality", options.tolerance, options.max_iterations);
    check_weights<is_not_finite>(exec, "weights of eigenvector_centrality", incoming_weights, incoming.edge_count,
                                 "finite weights");
    std::int64_t const n = incoming.vertices;
    spectral_result result{buffer<double>(exec, n)};
    if (n == 0) return {std::move(result.scores), 0, 0, true};
    neighbor_sums<Executor> const sums(exec, incoming, incoming_weights.data());
    buffer<double> y(exec, n), next(exec, n);
    fill(exec, result.scores.view(), 1 / std::sqrt(double(n)));
    while (result.iterations < options.max_iterations && !result.converged) {
        sums(result.scores, y);
        double const length =
            std::sqrt(reduce(exec, n, 0.0, score_size{result.scores.data(), y.data(), 1, true}, plus{}));
        result.residual = take_step(exec, result.scores, y, next, 1 / length, 1, 0);
        ++result.iterations;
        result.converged = result.residual < options.tolerance;
    }
    return result;
}

template <executor Executor>
hits_result hubs_and_authorities(Executor const& exec, graph_view g, graph_view incoming,
                                 spectral_options const& options, directed_weights<double> const& weights) {
    using namespace analytics;
    check_iteration("hubs_and_authorities", options.tolerance, options.max_iterations);
    require_size("vertices of the incoming edges of hubs_and_authorities", incoming.vertices, g.vertices);
    require_size("weights of the incoming edges of hubs_and_authorities", weights.incoming.size(),
                 weights.outgoing.size());
    for (auto const& w : {weights.outgoing, weights.incoming})
        check_weights<is_not_finite>(exec, "weights of hubs_and_authorities", w, g.edge_count, "finite weights");
    std::int64_t const n = g.vertices;
    hits_result result{buffer<double>(exec, n), buffer<double>(exec, n)};
    if (n == 0) return {std::move(result.hubs), std::move(result.authorities), 0, 0, true};
    neighbor_sums<Executor> const out(exec, g, weights.outgoing.data()), in(exec, incoming, weights.incoming.data());
    buffer<double> y(exec, n), next(exec, n);
    fill(exec, result.hubs.view(), 1 / double(n));
    while (result.iterations < options.max_iterations && !result.converged) {
        in(result.hubs, result.authorities);
        if (!scale_to_sum(exec, result.authorities)) return result;
        out(result.authorities, y);
        double const size = reduce(exec, n, 0.0, score_size{result.hubs.data(), y.data(), 0, false}, plus{});
        if (!std::isfinite(size)) return result; // scaled to the sum, the scores would be 0
        double const scale = size > 0 ? 1 / size : 0;
        result.residual = take_step(exec, result.hubs, y, next, scale, 0, 0);
        ++result.iterations;
        result.converged = result.residual < options.tolerance;
    }
    in(result.hubs, result.authorities);
    scale_to_sum(exec, result.authorities);
    return result;
}

#define COPPICE_SPECTRAL(EXTERN, EXECUTOR)                                                                             \
    EXTERN template spectral_result katz_centrality(EXECUTOR const&, graph_view, graph_view, katz_options const&,      \
                                                    array_view<double const>);                                         \
    EXTERN template spectral_result eigenvector_centrality(EXECUTOR const&, graph_view, spectral_options const&,       \
                                                           array_view<double const>);                                  \
    EXTERN template hits_result hubs_and_authorities(EXECUTOR const&, graph_view, graph_view, spectral_options const&, \
                                                     directed_weights<double> const&)
COPPICE_SPECTRAL(extern, host_executor);
COPPICE_SPECTRAL(extern, cuda_executor);

} // namespace coppice::inline v0_1
