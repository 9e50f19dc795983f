// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// All preconditioners, and the front that takes one by name.
#pragma once

#include <array>
#include <string_view>

#include <coppice/solvers/any_preconditioner.hpp>
#include <coppice/solvers/forest_preconditioner.hpp>
#include <coppice/solvers/names.hpp>
#include <coppice/solvers/preconditioners.hpp>

namespace coppice {

/// The names that make_preconditioner() takes.
inline constexpr std::array<std::string_view, 4> preconditioner_names{"none", "jacobi", "tridiagonal", "forest"};

/// The preconditioner of that name for `a`, with its report. Throws argument_error for an unknown name, listing the
/// known ones, and what the constructor of the preconditioner throws. `options.tridiagonal` is also read by
/// "tridiagonal". The matrix is not needed afterwards.
template <executor Executor, class T, class I>
any_preconditioner<Executor, T, I> make_preconditioner(Executor const& exec, std::string_view name, csr_view<T, I> a,
                                                       forest_options const& options = {});

template <executor Executor, class T, class I>
any_preconditioner<Executor, T, I> make_preconditioner(Executor const& exec, std::string_view name, csr_view<T, I> a,
                                                       forest_options const& options) {
    using result = any_preconditioner<Executor, T, I>;
    detail::require_preconditioner_matrix(a);
    preconditioner_report report;
    report.name = name;
    detail::stopwatch watch(exec);
    if (name == preconditioner_names[0]) return result(identity_preconditioner{}, report);
    if (name == preconditioner_names[1]) {
        jacobi_preconditioner<Executor, T, I> m(exec, a);
        report.setup_seconds = watch.lap();
        return result(std::move(m), report);
    }
    if (name == preconditioner_names[2]) {
        tridiagonal_preconditioner<Executor, T, I> m(exec, a, options.tridiagonal);
        report.setup_seconds = watch.lap();
        report.weight_coverage = coverages(exec, a).identity_coverage();
        return result(std::move(m), report);
    }
    if (name == preconditioner_names[3]) {
        forest_preconditioner<Executor, T, I> m(exec, a, options);
        report = m.report();
        return result(std::move(m), report);
    }
    detail::throw_unknown_name("preconditioner", name, preconditioner_names);
}

#define COPPICE_MAKE_PRECONDITIONER(EXTERN, EXECUTOR, T)                                                               \
    EXTERN template class any_preconditioner<EXECUTOR, T>;                                                             \
    EXTERN template any_preconditioner<EXECUTOR, T> make_preconditioner(EXECUTOR const&, std::string_view,             \
                                                                        csr_view<T>, forest_options const&);
COPPICE_MAKE_PRECONDITIONER(extern, host_executor, float)
COPPICE_MAKE_PRECONDITIONER(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_MAKE_PRECONDITIONER(extern, cuda_executor, float)
COPPICE_MAKE_PRECONDITIONER(extern, cuda_executor, double)
#endif

} // namespace coppice
