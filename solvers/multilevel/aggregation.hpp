// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Aggregates of a level: runs of the paths of a linear forest, joined by a second one.
#pragma once

#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/contract.hpp>
#include <coppice/solvers/multilevel/coupling_weights.hpp>

namespace coppice::multilevel_detail {

/// left_out for a vertex that nothing couples, else stays_alone.
template <class I>
struct leave_apart {
    row_kind const* kinds;
    I* companions;
    COPPICE_HD void operator()(std::int64_t v) const {
        companions[v] = kinds[v] == row_kind::apart ? I(left_out) : I(stays_alone);
    }
};

/// What a run is: the path that it was cut from, and whether it is one vertex.
template <class I>
struct note_run {
    I const *path_ids, *positions, *of, *links;
    I* path_of;
    std::uint8_t* alone;
    COPPICE_HD void operator()(std::int64_t v) const {
        I const run = of[v];
        if (run < 0 || (positions[v] > 0 && of[links[2 * v]] == run)) return; // the first vertex speaks
        path_of[run] = path_ids[v];
        alone[run] = links[2 * v] < 0 && links[2 * v + 1] < 0;
    }
};

/// The strongest neighbour that is not itself alone in both forests.
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

/// How a level was coarsened.
template <class I>
struct level_aggregates {
    vertex_aggregates<I> aggregates{};
    buffer<I> runs{};          ///< [vertices] run of the first forest, numbered along its paths
    linear_forest<I> forest{}; ///< the first one
    double coverage = 1;       ///< share of the weight of strong couplings that the first forest has
};

template <executor Executor, class I>
linear_forest<I> strong_forest(Executor const& exec, csr_view<float, I> strong, tie_rule ties) {
    auto const edges = parallel_factor(exec, strong, {.degree = 2, .ties = ties});
    return graph_detail::forest_of_factor(exec, strong, edges);
}

/// The runs of a forest's paths as vertices of a graph, and how strongly they are coupled. No runs, no couplings.
template <class T, class I>
struct graph_of_runs {
    vertex_aggregates<I> runs{};
    buffer<std::uint8_t> alone{}; ///< [runs] is it a path of one vertex?
    csr<T, I> between{};          ///< sums of the entries of A between runs
    coupling_weights<I> across{}; ///< looks at `between`
};
template <executor Executor, class T, class I>
graph_of_runs<T, I> couple_runs(Executor const& exec, csr_view<T, I> a, row_scales const& rows,
                                linear_forest<I> const& forest, bool symmetric, I shortest) {
    graph_of_runs<T, I> g;
    buffer<I> companions(exec, a.rows());
    for_each(exec, a.rows(), leave_apart<I>{rows.kinds.data(), companions.data()});
    g.runs = aggregate_runs(exec, forest, shortest, array_view<I const>(companions.view()));
    if (g.runs.count == 0) return g;
    buffer<I> path_of(exec, g.runs.count);
    g.alone = buffer<std::uint8_t>(exec, g.runs.count);
    for_each(exec, a.rows(),
             note_run<I>{forest.path_ids.data(), forest.positions.data(), g.runs.of.data(), forest.links.data(),
                         path_of.data(), g.alone.data()});
    g.between = graph_detail::contract_sound(exec, plus_times<T>{}, a, g.runs, T(1));
    csr_view<T, I> const between = g.between.view();
    auto const plan = make_srcsr_plan(exec, between);
    buffer<I> mirrors;
    if (!symmetric) mirrors = graph_detail::find_mirrors(exec, plan, between);
    g.across = couplings_of(exec, between, plan, look_at_rows(exec, between, plan), array_view<I const>(mirrors.view()),
                            {path_of.data(), g.runs.of.data()});
    return g;
}

/// The forest of a level, from which its aggregates are cut.
template <executor Executor, class I>
level_aggregates<I> begin_aggregates(Executor const& exec, coupling_weights<I> const& couplings) {
    level_aggregates<I> level;
    level.forest = strong_forest(exec, couplings.strong, tie_rule::near);
    level.coverage = level.forest.weight_coverage;
    return level;
}
/// Aggregates of A: paths of the strongest couplings cut into runs of `first` vertices at least, and these again, by
/// paths across, into runs of `second` of them. Unknowns that their diagonal dominates by far belong to none; single
/// ones that no strong coupling reached join the aggregate of their strongest neighbour.
template <executor Executor, class T, class I>
void cut_aggregates(Executor const& exec, csr_view<T, I> a, row_scales const& rows, bool symmetric, I first, I second,
                    level_aggregates<I>& level) {
    auto g = couple_runs(exec, a, rows, level.forest, symmetric, first);
    if (g.runs.count == 0) {
        level.aggregates = std::move(g.runs);
        return;
    }
    auto const forest = strong_forest(exec, g.across.strong, tie_rule::hash);
    buffer<I> joins(exec, g.runs.count);
    csr_view<float, I> const all = g.across.all.view;
    reduce_rows(
        exec, make_srcsr_plan(exec, all),
        along_nonzeros{offer_companion<I>{{forest.links.data(), g.alone.data()}}, all.coefficients, all.indices},
        better_companion<I>{}, store_companion<I>{joins.data()});
    level.aggregates = compose(exec, g.runs, aggregate_runs(exec, forest, second, array_view<I const>(joins.view())));
    level.runs = std::move(g.runs.of);
}
template <executor Executor, class T, class I>
level_aggregates<I> aggregate_level(Executor const& exec, csr_view<T, I> a, row_scales const& rows,
                                    coupling_weights<I> const& couplings, bool symmetric, I first, I second) {
    auto level = begin_aggregates(exec, couplings);
    cut_aggregates(exec, a, rows, symmetric, first, second, level);
    return level;
}

} // namespace coppice::multilevel_detail
