// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Aggregates of a level: runs (segments of consecutive vertices) of the paths of a linear forest, merged in pairs or
/// more along the paths of a second forest.
#pragma once

#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/contract.hpp>
#include <coppice/solvers/multilevel/coupling_weights.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Initialises the companions: left_out for an uncoupled vertex, else stays_alone.
template <class I>
struct set_default_companion {
    row_kind const* kinds;
    I* companions;
    COPPICE_HD void operator()(std::int64_t v) const {
        companions[v] = kinds[v] == row_kind::uncoupled ? I(left_out) : I(stays_alone);
    }
};

/// Stores, for each run, the path that contains it, the sum of its diagonal entries, and whether it is a path of one
/// vertex.
template <class I>
struct store_run {
    I const *path_ids, *positions, *of, *links, *inverse, *permutation;
    double const* diagonal;
    I vertices;
    I* path_of;
    double* diagonal_of;
    std::uint8_t* alone;
    COPPICE_HD void operator()(std::int64_t v) const {
        I const run = of[v];
        if (run < 0 || (positions[v] > 0 && of[links[2 * v]] == run)) return; // only the first vertex of a run stores
        path_of[run] = path_ids[v];
        double sum = 0;
        for (I p = inverse[v]; p < vertices && of[permutation[p]] == run; ++p) sum += diagonal[permutation[p]];
        diagonal_of[run] = sum;
        alone[run] = links[2 * v] < 0 && links[2 * v + 1] < 0;
    }
};

/// Excludes runs from the second forest that are coupled weakly to the rest of the graph: e^T A e < bound * e^T D e for
/// the indicator vector e of the run and the diagonal D of A. Smoothing hardly reduces the error e, so the next level
/// must represent it: an aggregate of two such runs could not. Coefficients exp(3 N(0, 1)) have clusters of this kind.
struct exclude_separate_run {
    double const* coupled;  ///< [runs] e^T A e, less a factor `scale`
    double const* diagonal; ///< [runs] e^T D e
    double scale;
    row_kind* kinds;
    COPPICE_HD void operator()(std::int64_t r) const {
        constexpr double bound = 0.3;
        if (coupled[r] * scale < bound * diagonal[r]) kinds[r] = row_kind::uncoupled;
    }
};

/// Offers each single run the strongest neighbour that has neighbours in one of the two forests.
template <class I>
struct offered_companion {
    float weight;
    I column;
};
template <class I>
struct is_lonely {
    I const* links; ///< of the second forest
    std::uint8_t const* alone;
    COPPICE_HD bool operator()(std::int64_t v) const { return alone[v] && links[2 * v] < 0 && links[2 * v + 1] < 0; }
};
template <class I>
struct offer_companion {
    is_lonely<I> lonely;
    COPPICE_HD offered_companion<I> operator()(float const& w, I const& column, std::int64_t row) const {
        if (std::int64_t(column) == row || !lonely(row) || lonely(column)) return {0, I(-1)};
        return {magnitude(w), column};
    }
};
template <class I>
struct better_companion {
    COPPICE_HD offered_companion<I> identity() const { return {0, I(-1)}; }
    COPPICE_HD offered_companion<I> operator()(offered_companion<I> const& a, offered_companion<I> const& b) const {
        return b.weight > a.weight ? b : a;
    }
};
template <class I>
struct store_companion {
    I* companions;
    COPPICE_HD void operator()(std::int64_t v, offered_companion<I> const& best) const {
        companions[v] = best.weight > 0 ? best.column : I(stays_alone);
    }
};

/// Aggregates of a level and the forests that they are made of.
template <class I>
struct level_aggregates {
    vertex_aggregates<I> aggregates{};
    buffer<I> runs{};          ///< [vertices] run of the first forest, numbered along its paths
    linear_forest<I> forest{}; ///< the first forest
    double coverage = 1;       ///< fraction of the weight of strong couplings in the first forest
};

template <executor Executor, class I>
linear_forest<I> strong_forest(Executor const& exec, csr_view<float, I> strong, tie_rule ties) {
    auto const edges = parallel_factor(exec, strong, {.degree = 2, .ties = ties});
    return graph_detail::forest_of_factor(exec, strong, edges);
}

/// The graph whose vertices are the runs of a forest, and the coupling weights between them. Without runs it is empty.
template <class T, class I>
struct graph_of_runs {
    vertex_aggregates<I> runs{};
    buffer<std::uint8_t> alone{}; ///< [runs] whether it is a path of one vertex
    csr<T, I> between{};          ///< sums of the entries of A between runs
    coupling_weights<I> across{}; ///< views `between`
};
template <executor Executor, class T, class I>
graph_of_runs<T, I> couple_runs(Executor const& exec, csr_view<T, I> a, row_scales const& rows,
                                linear_forest<I> const& forest, bool symmetric, I shortest) {
    graph_of_runs<T, I> g;
    buffer<I> companions(exec, a.rows());
    for_each(exec, a.rows(), set_default_companion<I>{rows.kinds.data(), companions.data()});
    g.runs = aggregate_runs(exec, forest, shortest, array_view<I const>(companions.view()));
    if (g.runs.count == 0) return g;
    buffer<I> path_of(exec, g.runs.count);
    buffer<double> diagonal_of(exec, g.runs.count);
    g.alone = buffer<std::uint8_t>(exec, g.runs.count);
    for_each(exec, a.rows(),
             store_run<I>{forest.path_ids.data(), forest.positions.data(), g.runs.of.data(), forest.links.data(),
                          forest.inverse.data(), forest.permutation.data(), rows.diagonal.data(), I(a.rows()),
                          path_of.data(), diagonal_of.data(), g.alone.data()});
    g.between = graph_detail::contract_sound(exec, plus_times<T>{}, a, g.runs, T(1));
    csr_view<T, I> const between = g.between.view();
    auto const plan = make_srcsr_plan(exec, between);
    buffer<I> mirrors;
    if (!symmetric) mirrors = graph_detail::find_mirrors(exec, plan, between);
    row_scales scales = compute_row_scales(exec, between, plan);
    for_each(exec, g.runs.count,
             exclude_separate_run{scales.diagonal.data(), diagonal_of.data(), scales.scale / rows.scale,
                                  scales.kinds.data()});
    g.across = couplings_of(exec, between, plan, scales, array_view<I const>(mirrors.view()),
                            {path_of.data(), g.runs.of.data()});
    return g;
}

/// Computes the first forest of a level, whose paths are split into aggregates.
template <executor Executor, class I>
level_aggregates<I> begin_aggregates(Executor const& exec, coupling_weights<I> const& couplings) {
    level_aggregates<I> level;
    level.forest = strong_forest(exec, couplings.strong, tie_rule::near);
    level.coverage = level.forest.weight_coverage;
    return level;
}
/// Aggregates of A: the paths of the first forest are split into runs of at least `first` vertices; the runs are
/// merged, along the paths of a second forest, into aggregates of at least `second` runs. Strongly diagonally dominant
/// unknowns belong to no aggregate. A single unknown without strong couplings is added to the aggregate of its
/// strongest neighbour.
template <executor Executor, class T, class I>
void split_into_aggregates(Executor const& exec, csr_view<T, I> a, row_scales const& rows, bool symmetric, I first,
                           I second, level_aggregates<I>& level) {
    auto g = couple_runs(exec, a, rows, level.forest, symmetric, first);
    if (g.runs.count == 0) {
        level.aggregates = std::move(g.runs);
        return;
    }
    auto const forest = strong_forest(exec, g.across.strong, tie_rule::hash);
    buffer<I> companions(exec, g.runs.count);
    csr_view<float, I> const all = g.across.all.view;
    reduce_rows(
        exec, make_srcsr_plan(exec, all),
        along_nonzeros{offer_companion<I>{{forest.links.data(), g.alone.data()}}, all.coefficients, all.indices},
        better_companion<I>{}, store_companion<I>{companions.data()});
    level.aggregates =
        compose(exec, g.runs, aggregate_runs(exec, forest, second, array_view<I const>(companions.view())));
    level.runs = std::move(g.runs.of);
}
template <executor Executor, class T, class I>
level_aggregates<I> aggregate_level(Executor const& exec, csr_view<T, I> a, row_scales const& rows,
                                    coupling_weights<I> const& couplings, bool symmetric, I first, I second) {
    auto level = begin_aggregates(exec, couplings);
    split_into_aggregates(exec, a, rows, symmetric, first, second, level);
    return level;
}

} // namespace coppice::inline v0_1::multilevel_detail
