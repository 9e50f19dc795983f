// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Mixed precision: Krylov steps in float, residuals and solution in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <coppice/core/host/interruption.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>

namespace coppice::inline v0_1 {

struct refinement_options {
    std::string solver = "gmres";          ///< method of the inner solves
    std::string preconditioner = "forest"; ///< computed from the matrix in float; with or without options
    option_values preconditioner_options{};
    /// Tolerances apply to the residual in double, iteration limits to the sum of all inner solves. An inner solve of
    /// gmres and fgmres takes at most `restart` iterations; one of another method reduces the residual by up to four
    /// digits.
    krylov_options krylov{.restart = 20};
};

struct refined_result {
    krylov_result result{};        ///< of the whole solve; restarts: number of refinements
    preconditioner_report setup{}; ///< report of the preconditioner
    double setup_seconds = 0, solve_seconds = 0;
};

/// Solves A x = b by iterative refinement (thesis section 5.3.2; Göddeke, Strzodka and Turek 2007): solves A d = b - A
/// x in float with a preconditioner in float ("isai,storage=half": in half), and adds d to x in double; b - A x is also
/// computed in double. x[n] holds the initial guess on entry; the result is never worse. The solve ends with reason
/// `stagnated` if a correction does not reduce the residual: the matrix is too ill-conditioned for float.
///
/// Inner solves take half the memory traffic of a solve in double; the values of A are copied to float. Throws the
/// exceptions of solve() and make_preconditioner(), and matrix_error if a value is outside of the range of float.
template <executor Executor>
refined_result solve_refined(Executor const& exec, csr_operator<Executor, double> const& a,
                             std::type_identity_t<array_view<double const>> b,
                             std::type_identity_t<array_view<double>> x, refinement_options const& options = {});

namespace detail {

/// to = factor from, rounded
struct scale_to_single {
    double const* from;
    double factor;
    float* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = float(factor * from[i]); }
};
/// previous = x, x = x + factor d
struct add_correction {
    float const* d;
    double factor;
    double *x, *previous;
    COPPICE_HD void operator()(std::int64_t i) const {
        previous[i] = x[i];
        x[i] += factor * double(d[i]);
    }
};

/// Options of one inner solve that starts at the relative residual `relative` after `done` iterations.
inline krylov_options inner_options(refinement_options const& o, double relative, double tolerance, std::int64_t done) {
    krylov_options inner = o.krylov;
    bool const cycles = o.solver == "gmres" || o.solver == "fgmres";
    std::int64_t const left = o.krylov.max_iterations - done;
    inner.max_iterations = cycles ? std::min<std::int64_t>(o.krylov.restart, left) : left;
    // Limited by the precision of float.
    inner.tolerance = std::clamp(0.5 * tolerance / relative, cycles ? 1e-6 : 1e-4, 0.5);
    inner.absolute_tolerance = 0;
    if (inner.progress)
        inner.progress = [&o, relative, done](std::int64_t k, double residual) {
            return o.krylov.progress(done + k, relative * residual);
        };
    return inner;
}

/// Adds the result of an inner solve to the result of the whole solve.
inline void append_inner(krylov_result& whole, krylov_result const& inner, double relative) {
    whole.iterations += inner.iterations;
    whole.on_device = inner.on_device;
    for (std::size_t k = 1; k < inner.residual_history.size(); ++k)
        whole.residual_history.push_back(relative * inner.residual_history[k]);
}

} // namespace detail

template <executor Executor>
refined_result solve_refined(Executor const& exec, csr_operator<Executor, double> const& a,
                             std::type_identity_t<array_view<double const>> b,
                             std::type_identity_t<array_view<double>> x, refinement_options const& options) {
    std::int64_t const n = a.size();
    detail::require_solve_vectors(n, b, x);
    krylov_monitor monitor(options.krylov);
    refined_result whole;
    detail::stopwatch watch(exec);
    auto const& matrix = a.matrix();
    buffer<float> values(exec, matrix.nonzeros());
    for_each(exec, matrix.nonzeros(), detail::scale_to_single{matrix.coefficients, 1, values.data()});
    csr_view<float> const single{matrix.row_count, matrix.column_count, matrix.nonzero_count,
                                 matrix.offsets,   matrix.indices,      values.data()};
    detail::require_finite(exec, single);
    csr_operator<Executor, float> const inner_a(exec, single);
    auto const m = make_preconditioner(exec, options.preconditioner, single, options.preconditioner_options);
    whole.setup = m.report();
    whole.setup_seconds = watch.lap();
    // Then only the progress callback can cancel, which preserves the best x.
    interruption::scope const by_progress_alone(nullptr);

    dot_scratch dots(exec, n);
    buffer<double> previous(exec, n), r(exec, n);
    buffer<float> right(exec, n), d(exec, n);
    krylov_result& result = monitor.result();
    bool const starts = detail::start_solve(exec, dots, b, x, r.view(), monitor);
    detail::scaled_solution<Executor, double> scaled(exec, x, monitor);
    auto const end_with = [&](krylov_reason reason) {
        result.reason = reason;
        result.converged = reason == krylov_reason::converged || reason == krylov_reason::zero_rhs;
        whole.result = scaled.template finish<double>(dots, a, b, previous.view(), r.view());
        whole.solve_seconds = watch.lap();
        return std::move(whole);
    };
    if (!starts) return end_with(result.reason);
    double const b_norm = monitor.control().b_norm, tolerance = monitor.control().tolerance;
    double rr = detail::true_residual<double>(exec, dots, a, monitor.scale(), b, x, r.view());
    if (!std::isfinite(rr)) {
        monitor.set_fault(detail::first_not_finite(exec, array_view<double const>(x), "the initial guess"));
        result.relative_residual = rr;
        return end_with(krylov_reason::not_finite);
    }
    for (;;) {
        double const norm = std::sqrt(rr), relative = result.relative_residual = norm / b_norm;
        if (options.krylov.record_history) {
            if (result.residual_history.empty()) result.residual_history.push_back(relative);
            result.residual_history.back() = relative;
        }
        if (relative <= tolerance) return end_with(krylov_reason::converged);
        if (result.reason == krylov_reason::cancelled) return end_with(krylov_reason::cancelled);
        if (result.iterations >= options.krylov.max_iterations) return end_with(krylov_reason::max_iterations);

        // d = A^-1 r / |r| in float, x = x + |r| d
        for_each(exec, n, detail::scale_to_single{r.data(), 1 / norm, right.data()});
        fill(exec, d.view(), 0.0f);
        auto const inner = solve(exec, options.solver, inner_a, m, right.view(), d.view(),
                                 detail::inner_options(options, relative, tolerance, result.iterations));
        detail::append_inner(result, inner, relative);
        for_each(exec, n, detail::add_correction{d.data(), norm, x.data(), previous.data()});
        double const next = detail::true_residual<double>(exec, dots, a, monitor.scale(), b, x, r.view());
        if (inner.reason == krylov_reason::cancelled) result.reason = krylov_reason::cancelled;
        if (!(next < rr * (1 - 1e-12))) {
            exec.copy_elements(previous.data(), x.data(), n);
            bool const told = inner.reason != krylov_reason::converged && inner.reason != krylov_reason::max_iterations;
            return end_with(told ? inner.reason : krylov_reason::stagnated);
        }
        ++result.restarts;
        rr = next;
    }
}

#define COPPICE_SOLVE_REFINED(EXTERN, EXECUTOR)                                                                        \
    EXTERN template refined_result solve_refined(EXECUTOR const&, csr_operator<EXECUTOR, double> const&,               \
                                                 array_view<double const>, array_view<double>,                         \
                                                 refinement_options const&);
COPPICE_SOLVE_REFINED(extern, host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SOLVE_REFINED(extern, cuda_executor)
#endif

} // namespace coppice::inline v0_1
