// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A level of a multilevel method as its pattern decides it: what stays when values change.
#pragma once

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <coppice/semiring/matrix_operations/mxm.hpp>
#include <coppice/solvers/multilevel/aggregation.hpp>
#include <coppice/solvers/multilevel/level_coupling.hpp>
#include <coppice/solvers/multilevel/level_smoother.hpp>
#include <coppice/solvers/multilevel/near_null_space.hpp>
#include <coppice/solvers/multilevel/prolongator.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>

namespace coppice::multilevel_detail {

/// Aggregates, prolongator and Galerkin product of a level, by its pattern; there is none below the last one.
template <executor Executor, class T, class I>
struct level_structure {
    csr_view<T, I> a{}; ///< pattern alone
    srcsr_plan<I> plan{};
    level_smoother<Executor, T, I> smoother{};
    bool last = true;
    smoothed_prolongator<Executor, T, I> prolongator{};
    triple_product_plan<I> galerkin{};
    srcsr_plan<I> p_plan{}, r_plan{};
    row_scales scales{}; ///< of the values that were read last
    I longest_row = -1;  ///< of A, P and the restriction, once somebody has asked
};

/// New values of a level: those of its prolongator and of the matrix of the next level.
template <class T>
struct level_values {
    prolongator_values<T> of_prolongator{};
    buffer<T> next{};
};
/// `crossing`: of entries that are not in `a`, which `coupling` has.
template <executor Executor, class T, class I>
level_values<T> values_below(Executor const& exec, level_structure<Executor, T, I>& level, csr_view<T, I> a,
                             filtered_couplings<T> const& crossing, level_coupling<Executor, T, I>* coupling) {
    auto& prolongator = level.prolongator;
    level_values<T> v{prolongator.values(exec, a, level.plan, {level.scales, crossing})};
    auto const& sides = v.of_prolongator.sides;
    auto const p = prolongator.matrix(sides.p.data());
    if (coupling) {
        auto const& turned_r = sides.turned_r.empty() ? sides.p : sides.turned_r;
        auto const damping = prolongator.damping_of(exec, a, {level.scales, crossing}, coupling->rows_at_cuts());
        coupling->coarsen(exec, {a, p, prolongator.matrix(turned_r.data()), damping});
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
    bool smooths = true; ///< else P is P_0
};

/// How the unknowns of the first level lie, as far as a sample tells.
enum class neighbourhood {
    sparse, ///< few entries in the prolongator's filter: grids along their axes, anisotropic ones
    plane,  ///< six and more, every coupling in some two triangles
    crowded ///< six and more otherwise, as in space
};
template <executor Executor, class T, class I>
neighbourhood look_around(Executor const& exec, kept_of_row<T, I> const& kept) {
    constexpr double few = 5, least = 1, most = 3; // triangles with a coupling
    std::int64_t const rows = kept.a.rows();
    if (!has_short_rows(kept.a)) return neighbourhood::sparse;
    double const mean = sampled_mean(exec, rows, kept);
    if (mean < few) return neighbourhood::sparse;
    double const triangles = 2 * sampled_mean(exec, rows, triangles_of_row<T, I>{kept}) / mean;
    return least <= triangles && triangles <= most ? neighbourhood::plane : neighbourhood::crowded;
}

/// Aggregates of the first level, which everything below it hangs on; whether its prolongator is smoothed. Where rows
/// keep many entries:
/// - in space a smoothed prolongator fills the levels in, and P_0 on small aggregates converges as well: 7 points of
///   equal weights take 22 iterations either way at 160^3, with .68 instead of 1.05 of the nonzeros on other levels. In
///   the plane, where rows of P are shorter, P_0 takes one and a half times as many iterations;
/// - in the plane longer runs do with as many iterations: rotated 45 degrees .27 instead of .38 of the nonzeros.
template <executor Executor, class T, class I>
bool aggregate_first_level(Executor const& exec, csr_view<T, I> a, row_scales const& rows, bool symmetric,
                           prolongator_limits const& limits, I first, I second, level_aggregates<I>& made) {
    constexpr I small = 2;
    is_kept<T, I> kept{1 / rows.unit, limits.share, rows.diagonal.data(), rows.kinds.data(), false, {}};
    neighbourhood const around = look_around(exec, kept_of_row<T, I>{a, kept});
    if (around == neighbourhood::crowded) {
        cut_aggregates(exec, a, rows, symmetric, std::min(first, small), std::min(second, small), made);
        kept.along.of = made.aggregates.of.data();
        if (made.aggregates.count > 0 && takes_more_products(exec, length_of_row<T, I>{a, kept, {}}, limits.products))
            return false;
    }
    cut_aggregates(exec, a, rows, symmetric, around == neighbourhood::plane ? first + 1 : first, second, made);
    return true;
}

/// By the couplings of the unknowns themselves: P_0 is constant on the aggregates. `mirrors` of A, none where it is
/// symmetric.
template <executor Executor, class T, class I>
level_coarsening<T, I> coarsen_unknowns(Executor const& exec, level_structure<Executor, T, I> const& level,
                                        csr_view<T, I> a, bool is_first, array_view<I const> mirrors,
                                        prolongator_limits const& limits, multilevel_options const& options,
                                        stopwatch<Executor>& watch, multilevel_report& report) {
    auto const couplings = couplings_of<Executor, T, I>(exec, a, level.plan, level.scales, mirrors);
    report.coupling_seconds += watch.lap();
    bool const symmetric = mirrors.size() == 0;
    level_coarsening<T, I> c;
    c.made = begin_aggregates(exec, couplings);
    if (is_first)
        c.smooths = aggregate_first_level(exec, a, level.scales, symmetric, limits, I(options.first_run),
                                          I(options.second_run), c.made);
    else
        cut_aggregates(exec, a, level.scales, symmetric, I(options.first_run), I(options.second_run), c.made);
    c.tentative = membership_matrix<T>(exec, c.made.aggregates);
    return c;
}
/// By the couplings of points: P_0 has the vectors of `modes`, which become those of the next level.
template <executor Executor, class T, class I>
level_coarsening<T, I> coarsen_points(Executor const& exec, csr_view<T, I> a, bool symmetric,
                                      multilevel_options const& options, level_modes<T>& modes,
                                      stopwatch<Executor>& watch, multilevel_report& report) {
    auto const between = matrix_of_points(exec, a, modes.block);
    csr_view<T, I> const points = between.view();
    auto const plan = make_srcsr_plan(exec, points);
    auto const scales = look_at_rows(exec, points, plan);
    buffer<I> mirrors;
    if (!symmetric) mirrors = graph_detail::find_mirrors(exec, plan, points);
    auto const couplings =
        couplings_of<Executor, T, I>(exec, points, plan, scales, array_view<I const>(mirrors.view()));
    report.coupling_seconds += watch.lap();
    level_coarsening<T, I> c;
    c.made = aggregate_level<Executor, T, I>(exec, points, scales, couplings, symmetric, I(options.first_run),
                                             I(options.second_run));
    c.made.forest = {}; // of points: no system of unknowns lies along it
    vertex_aggregates<I> of_unknowns{a.rows(), c.made.aggregates.count, buffer<I>(exec, a.rows())};
    for_each(exec, of_unknowns.of.size(),
             aggregate_of_unknown<I>{I(modes.block), c.made.aggregates.of.data(), of_unknowns.of.data()});
    c.made.aggregates = std::move(of_unknowns);
    std::tie(c.tentative, modes) = tentative_of_modes(exec, c.made.aggregates, modes);
    return c;
}

/// Decides what lies below a level and its smoother. Times of the stages are added to the report; `modes`, if there are
/// any, become those of the next level. `others`: of entries that are not in `a`, which `coupling` has. Returned: what
/// the filter makes of these.
template <executor Executor, class T, class I>
filtered_couplings<T> coarsen_level(Executor const& exec, level_structure<Executor, T, I>& level, csr_view<T, I> a,
                                    int depth, bool symmetric, multilevel_options const& options, level_modes<T>& modes,
                                    multilevel_report& report, coupling_sums<T> const& others,
                                    level_coupling<Executor, T, I>* coupling) {
    constexpr double least_reduction = 0.8;
    stopwatch watch(exec);
    std::int64_t const n = a.rows();
    level.a = a;
    level.a.coefficients = nullptr;
    level.plan = make_srcsr_plan(exec, a);
    level_coarsening<T, I> c;
    buffer<I> mirrors;
    filtered_couplings<T> crossing{};
    // What is dropped is lumped to the diagonal, which keeps constants alone.
    // Entries with the sign of the diagonal, which lower levels have from the prolongators above, are kept there:
    // without them jumps of coefficients take a fifth more iterations.
    auto const smoothed_above =
        int(std::count_if(report.levels.begin(), report.levels.end(), [](auto const& l) { return l.smoothed; }));
    double const least = modes ? 0 : std::ldexp(options.drop, -smoothed_above);
    auto& row = report.levels.emplace_back(multilevel_level_report{n, a.nonzeros(), 1});
    prolongator_limits limits{{least, least > 0 && smoothed_above == 0},
                              options.products * double(report.levels.front().nonzeros)};
    report.end = n <= options.coarsest ? coarsening_end::small : coarsening_end::levels;
    if (n > options.coarsest && depth + 1 < options.most_levels) {
        level.scales = look_at_rows(exec, a, level.plan, others);
        if (!symmetric) mirrors = graph_detail::find_mirrors(exec, level.plan, a);
        c = modes ? coarsen_points<Executor, T, I>(exec, a, symmetric, options, modes, watch, report)
                  : coarsen_unknowns(exec, level, a, depth == 0, array_view<I const>(mirrors.view()), limits, options,
                                     watch, report);
        row.coverage = c.made.coverage;
        if (depth == 0 && n <= multilevel_report::most_shown) {
            auto const of = to_vector(exec, c.made.aggregates.of);
            report.aggregates.assign(of.begin(), of.end());
        }
        report.aggregate_seconds += watch.lap();
        I const count = c.tentative.columns();
        report.end = count == 0 ? coarsening_end::nothing : coarsening_end::stalled;
        level.last = count == 0 || double(count) > least_reduction * double(n);
    }
    if (coupling) level.last = coupling->is_last_of_any(level.last);
    if (!level.last) {
        row.smoothed = c.smooths;
        if (!c.smooths) limits.share.least = std::numeric_limits<double>::infinity(); // nothing is kept
        if (coupling)
            crossing = coupling->filter(exec,
                                        {1 / level.scales.unit,
                                         limits.share,
                                         level.scales.diagonal.data(),
                                         level.scales.kinds.data(),
                                         false,
                                         {c.made.aggregates.of.data(), {}}},
                                        level.scales.unit, c.tentative.columns(), symmetric);
        using prolongator = smoothed_prolongator<Executor, T, I>;
        if (c.smooths)
            level.prolongator = prolongator(exec, a, level.plan, {level.scales, crossing}, c.made.aggregates,
                                            c.made.runs, std::move(c.tentative), !modes, limits, std::move(mirrors));
        else
            level.prolongator = prolongator(exec, std::move(c.tentative));
        auto const p = level.prolongator.matrix(static_cast<T const*>(nullptr));
        auto const r = level.prolongator.transposed(static_cast<T const*>(nullptr));
        level.p_plan = make_srcsr_plan(exec, p);
        level.r_plan = make_srcsr_plan(exec, r);
        report.prolongator_seconds += watch.lap();
    }
    linear_forest<I> const& forest = c.made.forest;
    level.smoother = {exec, options.smoother, n, forest.vertices > 0 ? &forest : nullptr};
    return crossing;
}

} // namespace coppice::multilevel_detail
