// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One matrix with several right-hand sides.
#pragma once

#include <complex>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <coppice/core/memory_range.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/precondition/interface/compiled_types.hpp>

namespace coppice::inline v0_1 {

namespace detail {
template <executor Executor, class T>
std::vector<krylov_result> solve_compiled_columns(Executor const& exec, std::string_view method,
                                                  csr_operator<Executor, T> const& a,
                                                  any_preconditioner<Executor, T> const& m, array_view<T const> b,
                                                  array_view<T> x, std::int64_t columns, krylov_options const& options);
} // namespace detail

/// Solves A X = B for `columns` right-hand sides with the named method: b[n * columns] and x[n * columns], column by
/// column; x holds the initial guesses on entry. Each column stops separately and has a separate result. Results are
/// the same on every run.
///
/// Active columns share passes over the matrix, up to eight (four on CUDA) per pass; the preconditioner is applied
/// column by column. Memory: that of one solve per active column. Results of a column do not depend on the others,
/// except for the order of calls of options.progress; a single column is solved by solve(), whose last bits may differ.
/// On CUDA this requires a method whose iterations have no effect after the end of a solve (CG, BiCGStab), a
/// preconditioner that may be captured, and no progress callback; then four columns are one CUDA graph. Otherwise
/// columns are solved one after the other, each as one graph.
///
/// Throws the errors of solve(), and argument_error for a negative number of columns.
template <executor Executor, class T, class I, class O>
std::vector<krylov_result>
solve_columns(Executor const& exec, std::string_view method, csr_operator<Executor, T, I, O> const& a,
              any_preconditioner<Executor, T, I> const& m, std::type_identity_t<array_view<T const>> b,
              std::type_identity_t<array_view<T>> x, std::int64_t columns, krylov_options const& options = {}) {
    if constexpr (detail::require_compiled_solvers<Executor, T, I, O>())
        return detail::solve_compiled_columns(exec, method, a, m, b, x, columns, options);
    else
        return {};
}

#define COPPICE_SOLVE_COLUMNS(EXTERN, EXECUTOR, T)                                                                     \
    EXTERN template std::vector<krylov_result> detail::solve_compiled_columns(                                         \
        EXECUTOR const&, std::string_view, csr_operator<EXECUTOR, T> const&, any_preconditioner<EXECUTOR, T> const&,   \
        array_view<T const>, array_view<T>, std::int64_t, krylov_options const&);
#define COPPICE_SOLVE_COLUMNS_ALL(EXTERN, EXECUTOR)                                                                    \
    COPPICE_SOLVE_COLUMNS(EXTERN, EXECUTOR, float)                                                                     \
    COPPICE_SOLVE_COLUMNS(EXTERN, EXECUTOR, double)                                                                    \
    COPPICE_SOLVE_COLUMNS(EXTERN, EXECUTOR, std::complex<float>)                                                       \
    COPPICE_SOLVE_COLUMNS(EXTERN, EXECUTOR, std::complex<double>)
COPPICE_SOLVE_COLUMNS_ALL(extern, host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SOLVE_COLUMNS_ALL(extern, cuda_executor)
#endif

} // namespace coppice::inline v0_1
