// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definition of solve_bands and solve_tridiagonal, written once over the launchers (solve/launchers.hpp). Included by
/// the sources that instantiate it.
#pragma once

#include <string>
#include <type_traits>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>
#include <coppice/solvers/direct/interface/tridiagonal_solver.hpp>
#include <coppice/solvers/direct/solve/band_checks.hpp>
#include <coppice/solvers/direct/solve/band_plan.hpp>
#include <coppice/solvers/direct/solve/band_run.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_checks.hpp>

namespace coppice::inline v0_1 {

template <class T, executor Executor>
std::int64_t bands_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                             band_options const& options, bool reported) {
    chain::check_matrix(exec, a, options);
    if (columns < 0) chain::refuse(std::to_string(columns) + " right-hand sides");
    if (a.size == 0 || columns == 0) return 0;
    return chain::plan_workspace(exec, a, columns, options, reported).bytes;
}

template <class T, executor Executor>
void solve_bands(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> d,
                 columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace, band_options const& options,
                 array_view<solve_report> report) {
    chain::check_matrix(exec, a, options);
    chain::check_vectors(a, d, x);
    if (!report.empty()) require_size("reports of solve_bands", report, a.systems);
    if (a.size == 0 || x.columns == 0) {
        for_each(exec, report.size(), chain::report_empty{report.data(), options.condition && a.size == 0 ? 1.0 : 0.0});
        return;
    }
    // avoids the planning below, to save time for small systems
    if (chain::only_rpts(exec, a, options, !report.empty())) {
        std::int64_t const bytes = chain::rpts_bytes(exec, a, x.columns, options.cyclic);
        chain::check_space("workspace", workspace, bytes);
        chain::check_overlaps(a, d, x, workspace.slice(0, bytes), report, false);
        if constexpr (std::is_same_v<Executor, host_executor>)
            return chain::solve_by_rpts_checked(exec, a, d, x, options, workspace);
        else
            return chain::solve_by_rpts(exec, a, d, x, options, workspace);
    }
    if (chain::only_one_front(exec, a, options, !report.empty())) {
        chain::check_overlaps(a, d, x, {}, {}, false);
        return chain::solve_by_one_front(exec, a, d, x, options);
    }
    auto const plan = chain::plan_workspace(exec, a, x.columns, options, !report.empty());
    chain::check_space("workspace", workspace, plan.bytes);
    chain::check_overlaps(a, d, x, workspace.slice(0, plan.bytes), report, !report.empty() || options.refinements > 0);
    chain::solve_run<T, Executor>{exec, a, d, x, options, workspace.data(), plan, report}.run();
}

template <class T, executor Executor>
void estimate_condition(Executor const& exec, band_matrix<T> const& a, array_view<double> condition,
                        band_options const& options) {
    chain::check_matrix(exec, a, options);
    chain::check_bands(a);
    require_size("conditions of estimate_condition", condition, a.systems);
    if (a.size == 0) return fill(exec, condition, 1.0);
    band_options estimating = options;
    estimating.condition = true;
    auto const plan = chain::plan_workspace(exec, a, chain::condition_starts, estimating, true);
    buffer<std::byte> workspace(exec, plan.bytes);
    auto const* const found = chain::condition_of(exec, chain::rows_of(a, options), options, workspace.data(), plan);
    exec.copy_elements(found, condition.data(), a.systems);
}

template <class T, executor Executor>
solve_report bands_report(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> x,
                          columns_view<std::type_identity_t<T> const> d, band_options const& options) {
    using lane = chain::lane_of_t<T>;
    chain::check_matrix(exec, a, options);
    chain::check_vectors(a, d, columns_view<T>(const_cast<T*>(x.pointer), x.rows, x.columns, x.leading));
    if (a.size == 0 || x.columns == 0) return {0, 0, -1, solve_status::ok, 0, 0};
    // One report for all systems: the worst of each value.
    chain::workspace_plan plan;
    plan.take_errors(a.systems, x.columns);
    buffer<std::byte> workspace(exec, plan.bytes);
    buffer<solve_report> reports(exec, a.systems);
    auto const memory = plan.errors_in(workspace.data(), a.systems, x.columns);
    chain::residual_rows<lane> const rows{chain::rows_of(a, options), reinterpret_cast<lane const*>(x.pointer),
                                          reinterpret_cast<lane const*>(d.pointer), x.leading, d.leading};
    chain::clear_errors<lane> const clear{memory, {rows.a, memory.uneven}};
    for_each(exec, clear.items(), clear);
    chain::check_accuracy(exec, rows, memory, reports.data(), {}, {.bound = chain::error_bound<T>(options)});
    solve_report worst{0, 0, -1, solve_status::ok, 0, 0};
    for (solve_report const& r : to_vector(exec, reports)) {
        chain::column_error::larger_of(worst.backward_error, r.backward_error);
        chain::column_error::larger_of(worst.componentwise_error, r.componentwise_error);
        if (worst.status != solve_status::ok && r.status != solve_status::not_finite) continue;
        worst.status = r.status;
        worst.row = r.row;
    }
    return worst;
}

template <class T, executor Executor>
void solve_tridiagonal(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                       array_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                       tridiagonal_options options) {
    if constexpr (std::is_same_v<Executor, host_executor>) {
        rpts::check_arguments<T>(a, d, x, workspace, options);
        if (a.size() > 0)
            chain::solve_by_rpts_checked<T>(exec, band_matrix<T>(a), {d}, {x},
                                            {.pivot = options.pivot, .threshold = options.threshold}, workspace);
    } else {
        solve_tridiagonal_by_rpts(exec, a, d, x, workspace, options);
    }
}

template <class T, executor Executor>
void solve_tridiagonal(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                       array_view<std::type_identity_t<T>> x, tridiagonal_options options) {
    std::int64_t const n = std::max<std::int64_t>(a.size(), 0);
    if constexpr (std::is_same_v<Executor, host_executor>) {
        buffer<std::byte> workspace(exec, tridiagonal_workspace<T>(n));
        solve_tridiagonal(exec, a, d, x, workspace.view(), options);
    } else {
        rpts::check_options(options);
        band_options const how{.pivot = options.pivot, .threshold = options.threshold};
        buffer<std::byte> workspace(exec, n > 0 ? bands_workspace(exec, band_matrix<T>(a), 1, how) : 0);
        rpts::check_arguments<T>(a, d, x, workspace.view(), options);
        solve_bands(exec, band_matrix<T>(a), {d}, {x}, workspace.view(), how);
    }
}

// The instantiations in the sources of the library.
#define COPPICE_TRIDIAGONAL(T, prefix, Executor)                                                                       \
    prefix void solve_tridiagonal(Executor const&, tridiagonal_view<T>, array_view<T const>, array_view<T>,            \
                                  array_view<std::byte>, tridiagonal_options);                                         \
    prefix void solve_tridiagonal(Executor const&, tridiagonal_view<T>, array_view<T const>, array_view<T>,            \
                                  tridiagonal_options);
#define COPPICE_BANDS(T, prefix, Executor)                                                                             \
    prefix std::int64_t bands_workspace(Executor const&, band_matrix<T> const&, std::int64_t, band_options const&,     \
                                        bool);                                                                         \
    prefix void solve_bands(Executor const&, band_matrix<T> const&, columns_view<T const>, columns_view<T>,            \
                            array_view<std::byte>, band_options const&, array_view<solve_report>);                     \
    prefix void estimate_condition(Executor const&, band_matrix<T> const&, array_view<double>, band_options const&);   \
    prefix solve_report bands_report(Executor const&, band_matrix<T> const&, columns_view<T const>,                    \
                                     columns_view<T const>, band_options const&);
COPPICE_EXTERN_TEMPLATES(COPPICE_ALL_TYPES, COPPICE_BANDS)

} // namespace coppice::inline v0_1
