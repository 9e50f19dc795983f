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
#include <coppice/solvers/solve/columns_in_step.hpp>

namespace coppice::inline v0_1 {

/// Solves A X = B for `columns` right-hand sides with the named method: b[n * columns] and x[n * columns], column by
/// column; x holds the initial guesses on entry. Each column stops separately and has a separate result. Results are
/// the same on every run.
///
/// Active columns share passes over the matrix, up to eight (four on CUDA) per pass; the preconditioner is applied
/// column by column. Memory: that of one solve per active column. Results of a column do not depend on the others,
/// except for the order of calls of options.progress. On CUDA this requires a method whose iterations have no effect
/// after the end of a solve (CG, BiCGStab), a preconditioner that may be captured, and no progress callback; then four
/// columns are one CUDA graph. Otherwise columns are solved one after the other, each as one graph.
///
/// Throws the errors of solve(), and argument_error for a negative number of columns.
template <executor Executor, class T>
std::vector<krylov_result>
solve_columns(Executor const& exec, std::string_view method, csr_operator<Executor, T> const& a,
              any_preconditioner<Executor, T> const& m, std::type_identity_t<array_view<T const>> b,
              std::type_identity_t<array_view<T>> x, std::int64_t columns, krylov_options const& options = {});

namespace detail {

/// False for a preconditioner that changes between calls, because each solve must use the same sequence.
template <class M>
bool go_in_step(host_executor const&, std::string_view, M const& m, krylov_options const&) {
    return !m.varies();
}
template <class M>
bool go_in_step(cuda_executor const&, std::string_view method, M const& m, krylov_options const& options) {
    return iterations_rest(method) && is_replayable(m) && !options.progress;
}

} // namespace detail

template <executor Executor, class T>
std::vector<krylov_result>
solve_columns(Executor const& exec, std::string_view method, csr_operator<Executor, T> const& a,
              any_preconditioner<Executor, T> const& m, std::type_identity_t<array_view<T const>> b,
              std::type_identity_t<array_view<T>> x, std::int64_t columns, krylov_options const& options) {
    if (columns < 0) throw argument_error("number of right-hand sides is " + std::to_string(columns));
    std::int64_t const n = a.size();
    require_size("elements of the right-hand sides b", b,
                 checked_product(n, columns, "elements of the right-hand sides"));
    require_size("elements of the solutions x", x, n * columns);
    require_no_overlap(range_of("right-hand sides b", b), range_of("solutions x", x));
    std::vector<krylov_result> results(static_cast<std::size_t>(columns));
    auto const solve_one = [&](auto const& op, std::int64_t k) {
        results[static_cast<std::size_t>(k)] =
            solve(exec, method, op, m, b.slice(k * n, n), x.slice(k * n, n), options);
    };
    if (columns > 1 && detail::go_in_step(exec, method, m, options)) {
        using in_step = detail::columns_in_step<Executor, T>;
        in_step together(exec, a, int(std::min<std::int64_t>(columns, in_step::max_columns)));
        together.run(columns, [&](int member, std::int64_t k) {
            solve_one(any_operator<Executor, T>(detail::operator_in_step<Executor, T>{&together, member, n}), k);
        });
        return results;
    }
    for (std::int64_t k = 0; k < columns; ++k) solve_one(a, k);
    return results;
}

#define COPPICE_SOLVE_COLUMNS(EXTERN, EXECUTOR, T)                                                                     \
    EXTERN template std::vector<krylov_result> solve_columns(                                                          \
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
