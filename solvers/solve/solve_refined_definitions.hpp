// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definition of solve_refined(), for the sources of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <coppice/core/host/interruption.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/iterative/vectors/largest_part.hpp>
#include <coppice/solvers/iterative/vectors/power_scaling.hpp>
#include <coppice/solvers/precondition/interface/matrix_checks.hpp>
#include <coppice/solvers/solve/solve_refined.hpp>

namespace coppice::inline v0_1 {

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

/// Row i if it has nonzero values and all of them are 0 in float, else the number of rows.
struct vanishing_row {
    csr_view<double> a;
    float const* single;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        bool any = false;
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
            if (single[k] != 0) return a.rows();
            any = any || a.coefficients[k] != 0;
        }
        return any ? i : a.rows();
    }
};
/// Throws matrix_error unless the values in float are finite, and no row of A has become zero.
template <executor Executor>
void require_range_of_single(Executor const& exec, csr_view<double> a, csr_view<float> single) {
    require_finite(exec, single);
    std::int64_t const n = a.rows();
    std::int64_t const row = reduce(exec, n, n, vanishing_row{a, single.coefficients}, smaller{});
    if (row < n)
        throw matrix_error("row " + std::to_string(row) +
                           " is so much smaller than the largest value of the matrix that it is zero in float");
}
/// The power of two by which a matrix is multiplied in float: 1 unless its largest element is outside of 2^-64 to 2^64.
template <executor Executor>
double scale_into_single(Executor const& exec, array_view<double const> values) {
    int const exponent = even_exponent(largest_part(exec, values), 0x1p64);
    return std::ldexp(1.0, std::clamp(-exponent, -1022, 1022));
}

/// Options of one inner solve. `relative`: relative residual before it; `done`: number of iterations so far.
inline krylov_options inner_options(refinement_options const& o, double relative, double tolerance, std::int64_t done) {
    krylov_options inner = o.krylov;
    bool const cycles = o.solver == "gmres" || o.solver == "fgmres";
    std::int64_t const left = o.krylov.max_iterations - done;
    inner.max_iterations = cycles ? std::min<std::int64_t>(o.krylov.restart, left) : left;
    inner.tolerance = std::clamp(0.5 * tolerance / relative, cycles ? 1e-6 : 1e-4, 0.5); // no finer than float
    inner.absolute_tolerance = 0;
    if (inner.progress)
        inner.progress = [&o, relative, done](std::int64_t k, double residual) {
            return o.krylov.progress(done + k, relative * residual);
        };
    return inner;
}

/// Adds the iterations and the history of an inner solve to the result of the refinement.
inline void append_inner(krylov_result& whole, krylov_result const& inner, double relative) {
    whole.iterations += inner.iterations;
    whole.on_device = inner.on_device;
    for (std::size_t k = 1; k < inner.residual_history.size(); ++k)
        whole.residual_history.push_back(relative * inner.residual_history[k]);
}

} // namespace detail

template <executor Executor>
requires detail::is_compiled_executor<Executor>
    refined_result solve_refined(Executor const& exec, csr_operator<Executor, double> const& a,
                                 std::type_identity_t<array_view<double const>> b,
                                 std::type_identity_t<array_view<double>> x, refinement_options const& options) {
    std::int64_t const n = a.size();
    detail::require_solve_vectors(n, b, x);
    krylov_monitor monitor(options.krylov);
    refined_result whole;
    detail::stopwatch watch(exec);
    auto const& matrix = a.matrix();
    double const scale_of_single = detail::scale_into_single(exec, matrix.values());
    buffer<float> values(exec, matrix.nonzeros());
    for_each(exec, matrix.nonzeros(), detail::scale_to_single{matrix.coefficients, scale_of_single, values.data()});
    csr_view<float> const single{matrix.row_count, matrix.column_count, matrix.nonzero_count,
                                 matrix.offsets,   matrix.indices,      values.data()};
    detail::require_range_of_single(exec, matrix, single);
    csr_operator<Executor, float> const inner_a(exec, single);
    auto const m = make_preconditioner(exec, options.preconditioner, single, options.preconditioner_options);
    whole.setup = m.report();
    whole.setup_seconds = watch.lap();
    interruption::scope const by_progress_alone(nullptr); // which keeps the best x

    dot_scratch dots(exec, n);
    buffer<double> previous(exec, n), r(exec, n);
    buffer<float> right(exec, n), d(exec, n);
    krylov_result& result = monitor.result();
    detail::scaled_solve<Executor, double> scaled(exec, dots, b, x, monitor);
    bool const starts = scaled.start(r.view());
    auto const end_with = [&](krylov_reason reason) {
        result.reason = reason;
        result.converged = reason == krylov_reason::converged || reason == krylov_reason::zero_rhs;
        whole.result = scaled.finish(a, previous.view(), r.view());
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

        // d = (s A)^-1 r / |r| in float, x = x + s |r| d, with s = scale_of_single
        for_each(exec, n, detail::scale_to_single{r.data(), 1 / norm, right.data()});
        fill(exec, d.view(), 0.0f);
        auto const inner = solve(exec, options.solver, inner_a, m, right.view(), d.view(),
                                 detail::inner_options(options, relative, tolerance, result.iterations));
        detail::append_inner(result, inner, relative);
        for_each(exec, n, detail::add_correction{d.data(), norm * scale_of_single, x.data(), previous.data()});
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

} // namespace coppice::inline v0_1
