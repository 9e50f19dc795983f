// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definition of solve_columns(), for the sources of the library.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <coppice/solvers/solve/columns_in_step.hpp>
#include <coppice/solvers/solve/solve_columns.hpp>

namespace coppice::inline v0_1 {

namespace detail {

/// Whether solves run in lock step. Not with a preconditioner that varies from call to call, since its calls would then
/// be distributed over the solves.
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
detail::solve_compiled_columns(Executor const& exec, std::string_view method, csr_operator<Executor, T> const& a,
                               any_preconditioner<Executor, T> const& m, array_view<T const> b, array_view<T> x,
                               std::int64_t columns, krylov_options const& options) {
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

} // namespace coppice::inline v0_1
