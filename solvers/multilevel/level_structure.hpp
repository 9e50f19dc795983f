// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A level of a multilevel method as its pattern decides it: what stays when values change.
#pragma once

#include <coppice/semiring/products/mxm.hpp>
#include <coppice/solvers/multilevel/aggregation.hpp>
#include <coppice/solvers/multilevel/level_smoother.hpp>
#include <coppice/solvers/multilevel/prolongator.hpp>
#include <coppice/solvers/precondition/forest_preconditioner.hpp>

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
};

/// New values of a level: those of P, of P^T, and of the matrix of the next level.
template <class T>
struct level_values {
    buffer<T> p{}, r{}, next{};
};
template <executor Executor, class T, class I>
level_values<T> values_below(Executor const& exec, level_structure<Executor, T, I> const& level, csr_view<T, I> a) {
    auto const& prolongator = level.prolongator;
    level_values<T> v{buffer<T>(exec, prolongator.nonzeros()), buffer<T>(exec, prolongator.nonzeros()),
                      buffer<T>(exec, level.galerkin.second.nonzeros())};
    prolongator.fill(exec, a, level.plan, level.scales, v.p.view(), v.r.view());
    triple_product_values(exec, level.galerkin, plus_times<T>{},
                          prolongator.transposed(static_cast<T const*>(v.r.data())), a,
                          prolongator.matrix(static_cast<T const*>(v.p.data())), v.next.view());
    return v;
}

/// The plan of R A P, whose columns are known to rise.
template <executor Executor, class T, class I>
triple_product_plan<I> sound_triple_product(Executor const& exec, csr_view<T, I> r, csr_view<T, I> a,
                                            csr_view<T, I> p) {
    auto first = blank_plan(a, p, all_rows(a));
    structure_of_product(exec, a, p, constant_mask{}, first);
    csr_view<T, I> const between{first.product_rows(), first.columns,        first.nonzeros(),
                                 first.offsets.data(), first.indices.data(), nullptr};
    auto second = blank_plan(r, between, all_rows(r));
    structure_of_product(exec, r, between, constant_mask{}, second);
    return {std::move(first), std::move(second)};
}

/// Decides what lies below a level and its smoother. Times of the stages are added to the report.
template <executor Executor, class T, class I>
void coarsen_level(Executor const& exec, level_structure<Executor, T, I>& level, csr_view<T, I> a, int depth,
                   bool symmetric, multilevel_options const& options, multilevel_report& report) {
    constexpr double least_reduction = 0.8;
    stopwatch watch(exec);
    std::int64_t const n = a.rows();
    level.a = a;
    level.a.coefficients = nullptr;
    level.plan = make_srcsr_plan(exec, a);
    linear_forest<I> forest{};
    auto& row = report.levels.emplace_back(multilevel_level_report{n, a.nonzeros(), 1});
    report.end = n <= options.coarsest ? coarsening_end::small : coarsening_end::levels;
    if (n > options.coarsest && depth + 1 < options.most_levels) {
        level.scales = look_at_rows(exec, a, level.plan);
        auto const couplings = couplings_of<Executor, T, I>(exec, a, level.plan, level.scales, symmetric, nullptr);
        report.coupling_seconds += watch.lap();
        auto made = aggregate_level<Executor, T, I>(exec, a, level.scales, couplings, symmetric, I(options.first_run),
                                                    I(options.second_run));
        row.coverage = made.coverage;
        report.aggregate_seconds += watch.lap();
        I const count = made.aggregates.count;
        report.end = count == 0 ? coarsening_end::nothing : coarsening_end::stalled;
        level.last = count == 0 || double(count) > least_reduction * double(n);
        if (!level.last) {
            level.prolongator = {
                exec, a, level.plan, level.scales, made.aggregates, std::ldexp(options.drop, -depth), symmetric};
            report.prolongator_seconds += watch.lap();
            auto const p = level.prolongator.matrix(static_cast<T const*>(nullptr));
            auto const r = level.prolongator.transposed(static_cast<T const*>(nullptr));
            level.galerkin = sound_triple_product(exec, r, a, p);
            level.p_plan = make_srcsr_plan(exec, p);
            level.r_plan = make_srcsr_plan(exec, r);
            report.galerkin_seconds += watch.lap();
        }
        forest = std::move(made.forest);
    }
    level.smoother = {exec, options.smoother, n, forest.vertices > 0 ? &forest : nullptr};
}

} // namespace coppice::multilevel_detail
