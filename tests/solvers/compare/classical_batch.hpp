// SPDX-License-Identifier: BSD-3-Clause
// A batch of systems of the tests by a classical method.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/tridiagonal_reference.hpp"
#include <coppice/solvers/compare/classical.hpp>

namespace coppice::test {

/// `systems` systems of equal size, solved in place on `exec`.
template <class T, class Executor>
std::vector<T> solve_batch(Executor const& exec, system<T> const& s, std::int64_t systems,
                           classical_options const& options) {
    auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    auto x = exec.copy(s.rhs);
    tridiagonal_view<T> const a{s.size(), lower.data(), diagonal.data(), upper.data()};
    solve_classical(exec, a, systems, array_view<T const>(x.view()), x.view(), options);
    return to_vector(exec, x);
}

} // namespace coppice::test
