// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks of the arguments of tridiagonal solves.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <coppice/core/memory_range.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>

namespace coppice::inline v0_1::rpts {

/// `of`: start of the messages.
inline void check_options(tridiagonal_options const& options, char const* of = "solve_tridiagonal: ") {
    if (int(options.pivot) < 0 || int(options.pivot) > int(pivoting::scaled_partial))
        throw argument_error(of + ("unknown pivoting " + std::to_string(int(options.pivot))));
    if (!(options.threshold >= 0 && std::isfinite(options.threshold)))
        throw argument_error(of + ("threshold is " + coppice::detail::number_text(options.threshold) +
                                   ", expected a finite number >= 0"));
}

/// Checks arguments in constant time; see <coppice/tridiagonal.hpp>.
template <class T>
void check_arguments(tridiagonal_view<T> a, array_view<T const> d, array_view<T> x, array_view<std::byte> workspace,
                     tridiagonal_options options) {
    std::int64_t const n = a.size();
    if (n < 0) throw argument_error("solve_tridiagonal: the matrix has " + std::to_string(n) + " rows");
    require_size("right-hand side of solve_tridiagonal", d, n);
    require_size("solution of solve_tridiagonal", x, n);
    check_options(options);
    std::int64_t const needed = tridiagonal_workspace<T>(n);
    require_space("solve_tridiagonal: ", "workspace", workspace, needed);
    if (n == 0) return;
    if (!a.lower || !a.diagonal || !a.upper || !d.data() || !x.data())
        throw argument_error("solve_tridiagonal: null pointer to " + std::to_string(n) + " rows");
    std::int64_t const bytes = n * std::int64_t(sizeof(T));
    memory_range const solution = range_of("the solution", x), rhs = range_of("the right-hand side", d);
    memory_range const space{"the workspace", workspace.data(), needed};
    auto const check = [](memory_range const& written, memory_range const& other) {
        require_no_overlap(written, other, "solve_tridiagonal: ");
    };
    std::array<memory_range, 3> const matrix{
        {{"the lower band", a.lower, bytes}, {"the diagonal", a.diagonal, bytes}, {"the upper band", a.upper, bytes}}};
    for (memory_range const& band : matrix) {
        check(solution, band);
        check(space, band);
    }
    if (x.data() != d.data()) check(solution, rhs);
    check(space, solution);
    check(space, rhs);
}

} // namespace coppice::inline v0_1::rpts
