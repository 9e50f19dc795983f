// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Aggregates of a level: runs of the paths of a linear forest, joined by a second one.
#pragma once

#include <coppice/graph/contract.hpp>
#include <coppice/graph/factor.hpp>
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
linear_forest<I> strong_forest(Executor const& exec, csr_view<float, I> strong) {
    auto const edges = parallel_factor(exec, strong, {.degree = 2, .ties = tie_rule::near});
    return graph_detail::forest_of_factor(exec, strong, edges);
}

/// Aggregates of A: paths of the strongest couplings cut into runs of `first` vertices at least, and these again, by
/// paths across, into runs of `second` of them. Unknowns that their diagonal dominates by far belong to none; single
/// ones that no strong coupling reached join the aggregate of their strongest neighbour.
template <executor Executor, class T, class I>
level_aggregates<I> aggregate_level(Executor const& exec, csr_view<T, I> a, row_scales const& rows,
                                    coupling_weights<I> const& couplings, bool symmetric, I first, I second) {
    std::int64_t const n = a.rows();
    level_aggregates<I> level;
    level.forest = strong_forest(exec, couplings.strong);
    level.coverage = level.forest.weight_coverage;
    buffer<I> companions(exec, n);
    for_each(exec, n, leave_apart<I>{rows.kinds.data(), companions.data()});
    auto runs = aggregate_runs(exec, level.forest, first, array_view<I const>(companions.view()));
    if (runs.count == 0) {
        level.aggregates = std::move(runs);
        return level;
    }
    buffer<I> path_of(exec, runs.count);
    buffer<std::uint8_t> alone(exec, runs.count);
    for_each(exec, n,
             note_run<I>{level.forest.path_ids.data(), level.forest.positions.data(), runs.of.data(),
                         level.forest.links.data(), path_of.data(), alone.data()});
    auto const between = graph_detail::contract_sound(exec, plus_times<T>{}, a, runs, T(1));
    auto const plan = make_srcsr_plan(exec, between.view());
    buffer<I> mirrors;
    if (!symmetric) mirrors = graph_detail::find_mirrors(exec, plan, between.view());
    auto const across = couplings_of(exec, between.view(), plan, look_at_rows(exec, between.view(), plan),
                                     array_view<I const>(mirrors.view()), path_of.data());
    auto const forest = strong_forest(exec, across.strong);
    buffer<I> joins(exec, runs.count);
    csr_view<float, I> const all = across.all.view;
    reduce_rows(exec, make_srcsr_plan(exec, all),
                along_nonzeros{offer_companion<I>{{forest.links.data(), alone.data()}}, all.coefficients, all.indices},
                better_companion<I>{}, store_companion<I>{joins.data()});
    level.aggregates = compose(exec, runs, aggregate_runs(exec, forest, second, array_view<I const>(joins.view())));
    level.runs = std::move(runs.of);
    return level;
}

} // namespace coppice::multilevel_detail
