// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The structure of a level, which depends on the pattern of the matrix and is reused by refresh().
#pragma once

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <coppice/semiring/matrix_operations/masked_update.hpp>
#include <coppice/semiring/matrix_operations/mxm.hpp>
#include <coppice/solvers/multilevel/aggregation.hpp>
#include <coppice/solvers/multilevel/level_coupling.hpp>
#include <coppice/solvers/multilevel/level_modes.hpp>
#include <coppice/solvers/multilevel/level_smoother.hpp>
#include <coppice/solvers/multilevel/prolongator.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Structure of a level; below the last level there is no prolongator.
template <executor Executor, class T, class I>
struct level_structure {
    csr_view<T, I> a{}; ///< pattern only
    srcsr_plan<I> plan{};
    level_smoother<Executor, T, I> smoother{};
    bool last = true;
    smoothed_prolongator<Executor, T, I> prolongator{};
    triple_product_plan<I> galerkin{};
    srcsr_plan<I> p_plan{}, r_plan{};
    row_scales scales{}; ///< of the values of the last read
    I longest_row = -1;  ///< of A, P and the restriction; -1 until it is computed
};

/// Values of a level: those of its prolongator and of the matrix of the next level.
template <class T>
struct level_values {
    prolongator_values<T> of_prolongator{};
    buffer<T> next{};
};
/// `crossing`: filter sums of entries that are not in `a` but in `coupling`.
template <executor Executor, class T, class I>
level_values<T> values_below(Executor const& exec, level_structure<Executor, T, I>& level, csr_view<T, I> a,
                             filtered_couplings<T> const& crossing, level_coupling<Executor, T, I>* coupling) {
    auto& prolongator = level.prolongator;
    level_values<T> v{prolongator.values(exec, a, level.plan, {level.scales, crossing})};
    auto const& transfer = v.of_prolongator.transfer;
    auto const p = prolongator.matrix(transfer.p.data());
    if (coupling) {
        auto const& r_transposed = transfer.r_transposed.empty() ? transfer.p : transfer.r_transposed;
        auto const damping = prolongator.damping_of(exec, a, {level.scales, crossing}, coupling->boundary_rows());
        coupling->coarsen(exec, {a, p, prolongator.matrix(r_transposed.data()), damping});
    }
    auto const r = prolongator.transposed(std::as_const(v.of_prolongator.r).data());
    if (level.galerkin.first.offsets.empty()) {
        auto made = detail::plan_and_multiply(exec, plus_times<T>{}, r, a, p);
        level.galerkin = std::move(made.plan);
        v.next = std::move(made.values);
    } else {
        v.next = buffer<T>(exec, level.galerkin.second.nonzeros());
        triple_product_values(exec, level.galerkin, plus_times<T>{}, r, a, p, v.next.view());
    }
    return v;
}

/// Aggregates of the unknowns of a level, and P_0.
template <class T, class I>
struct level_coarsening {
    level_aggregates<I> made{};
    csr<T, I> tentative{};
    level_modes<T> below{};      ///< near-null-space vectors of the next level
    bool smooths = true;         ///< false: P = P_0
    bool follows_forest = false; ///< suits_forest_smoother()
};

/// Classification of the graph of the first level, by a sample of its rows. `outside`: entries per row in columns of
/// other ranks: without them, the rows of a rank that has few planes of a grid in space would be too short.
enum class neighbourhood {
    sparse, ///< few entries pass the filter of the prolongator: axis-parallel grids, anisotropic grids
    plane,  ///< six or more entries, each in about two triangles: triangulated planes
    crowded ///< six or more entries otherwise, as in three dimensions
};
template <executor Executor, class T, class I>
neighbourhood classify_neighbourhood(Executor const& exec, filtered_degree<T, I> const& degree, double outside) {
    constexpr double few = 5, min_triangles = 1, max_triangles = 3; // triangles per coupling
    std::int64_t const rows = degree.a.rows();
    if (!has_short_rows(degree.a)) return neighbourhood::sparse;
    double const mean = sampled_mean(exec, rows, degree) + outside;
    if (mean < few) return neighbourhood::sparse;
    double const triangles = 2 * sampled_mean(exec, rows, triangles_of_row<T, I>{degree}) / mean;
    return min_triangles <= triangles && triangles <= max_triangles ? neighbourhood::plane : neighbourhood::crowded;
}

/// Aggregates of the first level, on which all other levels depend; returns whether its prolongator is smoothed. If
/// many entries per row pass the filter:
/// - In three dimensions a smoothed prolongator causes fill-in on the coarse levels, and P_0 with small aggregates
///   converges as fast: a 7-point stencil with equal weights takes 22 iterations with both at 160^3, and the coarse
///   levels have 0.68 instead of 1.05 times the nonzeros of the first level. In the plane, where rows of P are shorter,
///   P_0 takes 1.5 times as many iterations.
/// - In the plane longer runs need no more iterations: for a stencil rotated by 45 degrees the coarse levels have 0.27
///   instead of 0.38 times the nonzeros of the first level.
template <executor Executor, class T, class I>
bool aggregate_first_level(Executor const& exec, csr_view<T, I> a, row_scales const& rows, bool symmetric,
                           prolongator_limits const& limits, I first, I second, double outside,
                           level_aggregates<I>& made) {
    constexpr I small = 2;
    filter_rule<T, I> rule{1 / rows.scale, limits.threshold, rows.diagonal.data(), rows.kinds.data(), false, {}};
    neighbourhood const around = classify_neighbourhood(exec, filtered_degree<T, I>{a, rule}, outside);
    if (around == neighbourhood::crowded) {
        split_into_aggregates(exec, a, rows, symmetric, std::min(first, small), std::min(second, small), made);
        rule.along.of = made.aggregates.of.data();
        if (made.aggregates.count > 0 &&
            exceeds_products(exec, length_of_row<T, I>{a, rule, {}}, limits.products, outside))
            return false;
    }
    split_into_aggregates(exec, a, rows, symmetric, around == neighbourhood::plane ? first + 1 : first, second, made);
    return true;
}

/// 1 if the diagonal entry of a row differs much from that of a neighbour.
template <class T, class I>
struct has_jump {
    csr_view<T, I> a;
    double const* diagonal;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        double const jump = 8; // smallest ratio of the diagonals of two neighbours
        for (I k = a.row_begin(i); k < a.row_end(i); ++k) {
            double const here = diagonal[i], there = diagonal[a.indices[k]];
            if (here > jump * there || there > jump * here) return 1;
        }
        return 0;
    }
};
/// Whether smoothing along the forest of a level is worth its cost: coefficients jump from point to point, and the
/// strongly coupled clusters, which point smoothers reduce slowly, are on paths of the forest. Iterations of CG for
/// exp(3 N(0, 1)) on triangles (coverage 0.86, jumps in nearly all rows): 17, 18, 24 instead of 18, 24, 33. Without
/// jumps the aggregates follow the strong couplings: as many iterations for a coverage of 1, and a sweep along the
/// forest takes 1.1 to 2 times as long. If A is not symmetric, the paths follow the flow: iterations of BiCGStab for
/// convection with SUPG on triangles (coverage 0.71) 14, 17, 17 instead of 19, 25, 27; upwind convection on a grid
/// (coverage 0.55) 10 instead of 7.
template <executor Executor, class T, class I>
bool suits_forest_smoother(Executor const& exec, csr_view<T, I> a, row_scales const& rows, double coverage,
                           bool symmetric) {
    constexpr double min_coverage = 0.75, min_jumps = 0.5, min_coverage_of_flow = 0.7;
    std::int64_t const n = a.rows();
    if (!symmetric) return coverage >= min_coverage_of_flow;
    if (coverage < min_coverage || rows.diagonal.size() != n) return false;
    auto const jumps = reduce(exec, n, std::int64_t(0), has_jump<T, I>{a, rows.diagonal.data()}, plus{});
    return double(jumps) >= min_jumps * double(n);
}

/// Coarsens by the couplings between unknowns: P_0 is constant on the aggregates. `mirrors` of A; empty if A is
/// symmetric. `coupling`, if not null: with other ranks.
template <executor Executor, class T, class I>
level_coarsening<T, I> coarsen_unknowns(Executor const& exec, level_structure<Executor, T, I> const& level,
                                        csr_view<T, I> a, bool is_first, array_view<I const> mirrors,
                                        prolongator_limits const& limits, multilevel_options const& options,
                                        level_coupling<Executor, T, I> const* coupling, stopwatch<Executor>& watch,
                                        multilevel_report& report) {
    auto const couplings = couplings_of<Executor, T, I>(exec, a, level.plan, level.scales, mirrors);
    report.coupling_seconds += watch.lap();
    bool const symmetric = mirrors.size() == 0;
    level_coarsening<T, I> c;
    c.made = begin_aggregates(exec, couplings);
    I const first = I(options.first_run), second = I(options.second_run);
    c.follows_forest = !coupling && suits_forest_smoother(exec, a, level.scales, c.made.coverage, symmetric);
    // Where coefficients jump from point to point, an aggregate of two runs joins clusters that differ. Runs of five
    // that are not merged: exp(3 N(0, 1)) 15, 17, 20 instead of 17, 18, 24 iterations, complexity 1.6 instead of 1.5,
    // about the same time.
    if (c.follows_forest && symmetric)
        split_into_aggregates(exec, a, level.scales, symmetric, first + 2, I(1), c.made);
    else if (is_first)
        c.smooths = aggregate_first_level(exec, a, level.scales, symmetric, limits, first, second,
                                          coupling ? double(coupling->entries()) / double(a.rows()) : 0, c.made);
    else
        split_into_aggregates(exec, a, level.scales, symmetric, first, second, c.made);
    c.tentative = membership_matrix<T>(exec, c.made.aggregates);
    return c;
}
/// Aggregates of points with `block` unknowns each, by the couplings between points.
template <executor Executor, class T, class I>
level_aggregates<I> aggregate_points(Executor const& exec, csr_view<T, I> a, int block, bool symmetric,
                                     multilevel_options const& options, stopwatch<Executor>& watch,
                                     multilevel_report& report) {
    auto const between = matrix_of_points(exec, a, block);
    csr_view<T, I> const points = between.view();
    auto const plan = make_srcsr_plan(exec, points);
    auto const scales = compute_row_scales(exec, points, plan);
    buffer<I> mirrors;
    if (!symmetric) mirrors = graph_detail::find_mirrors(exec, plan, points);
    auto const couplings =
        couplings_of<Executor, T, I>(exec, points, plan, scales, array_view<I const>(mirrors.view()));
    report.coupling_seconds += watch.lap();
    auto made = aggregate_level<Executor, T, I>(exec, points, scales, couplings, symmetric, I(options.first_run),
                                                I(options.second_run));
    made.forest = {}; // paths of points, not of unknowns
    return made;
}
/// Coarsens by the couplings between points, each component alone: P_0 is constant on the unknowns of one component in
/// an aggregate of points.
template <executor Executor, class T, class I>
level_coarsening<T, I> coarsen_components(Executor const& exec, csr_view<T, I> a, int block, bool symmetric,
                                          multilevel_options const& options, stopwatch<Executor>& watch,
                                          multilevel_report& report) {
    level_coarsening<T, I> c;
    c.made = aggregate_points(exec, a, block, symmetric, options, watch, report);
    auto const& of_points = c.made.aggregates;
    buffer<I> runs(exec, of_points.count > 0 ? std::int64_t(a.rows()) : 0);
    vertex_aggregates<I> of{a.rows(), I(of_points.count * block), buffer<I>(exec, a.rows())};
    if (of_points.count > 0)
        for_each(
            exec, of.of.size(),
            aggregate_of_component<I>{I(block), of_points.of.data(), c.made.runs.data(), of.of.data(), runs.data()});
    else
        coppice::fill(exec, of.of.view(), I(-1));
    c.made.aggregates = std::move(of);
    c.made.runs = std::move(runs);
    c.tentative = membership_matrix<T>(exec, c.made.aggregates);
    return c;
}
/// Coarsens by the couplings between points: the range of P_0 contains the vectors of `modes`.
template <executor Executor, class T, class I>
level_coarsening<T, I> coarsen_points(Executor const& exec, csr_view<T, I> a, bool symmetric,
                                      multilevel_options const& options, level_modes<T> const& modes,
                                      stopwatch<Executor>& watch, multilevel_report& report) {
    level_coarsening<T, I> c;
    c.made = aggregate_points(exec, a, modes.block, symmetric, options, watch, report);
    vertex_aggregates<I> of_unknowns{a.rows(), c.made.aggregates.count, buffer<I>(exec, a.rows())};
    for_each(exec, of_unknowns.of.size(),
             aggregate_of_unknown<I>{I(modes.block), c.made.aggregates.of.data(), of_unknowns.of.data()});
    c.made.aggregates = std::move(of_unknowns);
    std::tie(c.tentative, c.below) = tentative_of_modes(exec, c.made.aggregates, modes);
    return c;
}

/// Of a rank without rows, while other ranks coarsen theirs.
template <executor Executor, class T, class I>
level_coarsening<T, I> coarsen_nothing(Executor const& exec, level_modes<T> const& modes) {
    level_coarsening<T, I> c;
    c.tentative = no_entries<T, I, I>(exec, I(0), I(0));
    c.below = {modes.count, modes.count, {}};
    return c;
}

inline int smoothed_levels(multilevel_report const& report, levels_above const& above) {
    return above.smoothed +
           int(std::count_if(report.levels.begin(), report.levels.end(), [](auto const& l) { return l.smoothed; }));
}

/// Builds the structure below a level, and its smoother. Adds the times of the steps to the report; replaces `modes`,
/// if any, by those of the next level. `others`: sums of entries that are not in `a` but in `coupling`, which decides
/// for all ranks together whether the level is the last one. Returns the sums of these entries after filtering.
template <executor Executor, class T, class I>
filtered_couplings<T> coarsen_level(Executor const& exec, level_structure<Executor, T, I>& level, csr_view<T, I> a,
                                    int depth, bool symmetric, multilevel_options const& options,
                                    levels_above const& above, level_modes<T>& modes, multilevel_report& report,
                                    coupling_sums<T> const& others, level_coupling<Executor, T, I>* coupling) {
    stopwatch watch(exec);
    std::int64_t const n = a.rows();
    level.a = a;
    level.a.coefficients = nullptr;
    level.plan = make_srcsr_plan(exec, a);
    level_coarsening<T, I> c;
    buffer<I> mirrors;
    filtered_couplings<T> crossing{};
    // Dropped entries are lumped to the diagonal, which preserves only constants. Entries with the sign of the
    // diagonal, which smoothed prolongators cause on lower levels, are kept there: without them problems with jumping
    // coefficients take 20 % more iterations.
    int const smoothed_above = smoothed_levels(report, above);
    double const threshold = modes ? 0 : std::ldexp(options.drop, -smoothed_above);
    // The limit of products grows with the components: each entry of A meets rows of P with the columns of one
    // component. Elasticity in the plane with 65 thousand unknowns takes 26 iterations and the same time instead of 36.
    auto& row = report.levels.emplace_back(multilevel_level_report{n, a.nonzeros(), 1});
    prolongator_limits limits{{threshold, threshold > 0 && smoothed_above == 0},
                              options.products * double((modes ? 1 : modes.block) * report.levels.front().nonzeros)};
    report.end = n <= options.coarsest ? coarsening_end::small : coarsening_end::levels;
    if ((coupling || n > options.coarsest) && depth + 1 < options.max_levels) {
        level.scales = compute_row_scales(exec, a, level.plan, others);
        if (!symmetric) mirrors = graph_detail::find_mirrors(exec, level.plan, a);
        if (n == 0)
            c = coarsen_nothing<Executor, T, I>(exec, modes);
        else if (modes)
            c = coarsen_points<Executor, T, I>(exec, a, symmetric, options, modes, watch, report);
        else if (modes.block > 1)
            c = coarsen_components<Executor, T, I>(exec, a, modes.block, symmetric, options, watch, report);
        else
            c = coarsen_unknowns(exec, level, a, depth + above.count == 0, array_view<I const>(mirrors.view()), limits,
                                 options, coupling, watch, report);
        row.coverage = c.made.coverage;
        if (depth == 0 && n <= multilevel_report::max_shown) {
            auto const of = to_vector(exec, c.made.aggregates.of);
            report.aggregates.assign(of.begin(), of.end());
        }
        report.aggregate_seconds += watch.lap();
        I const count = c.tentative.columns();
        report.end = count == 0 ? coarsening_end::nothing : coarsening_end::stalled;
        level.last = coupling ? coupling->stalls(count) : stalls(n, count);
        if (count == 0) c.smooths = false;
    }
    if (!level.last) {
        if (modes) modes = std::move(c.below);
        row.smoothed = c.smooths;
        if (!c.smooths)
            limits.threshold.min_ratio = std::numeric_limits<double>::infinity(); // no entry passes the filter
        if (coupling)
            crossing = coupling->filter(exec,
                                        {1 / level.scales.scale,
                                         limits.threshold,
                                         level.scales.diagonal.data(),
                                         level.scales.kinds.data(),
                                         false,
                                         {c.made.aggregates.of.data(), {}, modes ? 1 : modes.block}},
                                        level.scales.scale, {c.tentative.view(), modes.count});
        using prolongator = smoothed_prolongator<Executor, T, I>;
        if (c.smooths)
            level.prolongator =
                prolongator(exec, a, level.plan, {level.scales, crossing}, c.made, modes ? 1 : modes.block,
                            std::move(c.tentative), !modes, limits, std::move(mirrors));
        else
            level.prolongator = prolongator(exec, std::move(c.tentative));
        auto const p = level.prolongator.matrix(static_cast<T const*>(nullptr));
        auto const r = level.prolongator.transposed(static_cast<T const*>(nullptr));
        level.p_plan = make_srcsr_plan(exec, p);
        level.r_plan = make_srcsr_plan(exec, r);
        report.prolongator_seconds += watch.lap();
    }
    linear_forest<I> const& forest = c.made.forest;
    multilevel_smoother kind = options.smoother;
    // On a level with couplings to other ranks, all ranks need the same smoother. The choice below depends on rows of
    // this rank only, so it is not made there.
    if (kind == multilevel_smoother::automatic && c.follows_forest && !level.last) kind = multilevel_smoother::forest;
    level.smoother = {exec, kind, n, forest.vertices > 0 ? &forest : nullptr};
    return crossing;
}

} // namespace coppice::inline v0_1::multilevel_detail
