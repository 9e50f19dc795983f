// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices of the suites `factor`, `forest` and `solve`.
#pragma once

#include <string>
#include <vector>

#include "bench/bench.hpp"
#include <coppice/algebra/generate/generators.hpp>

namespace coppice::bench {

struct graph_problem {
    char const* name;
    char const* generator; ///< as parse_generator() reads it
};

/// The grids of Tables 15 and 16 of the source thesis, or similar generated matrices, at full size; small ones for
/// quick runs.
inline std::vector<graph_problem> graph_problems(bool quick) {
    if (quick) return {{"ANISO2 60^2", "aniso2,nx=60"}, {"5-point 50^2", "laplace2d,nx=50"}};
    return {{"ANISO1 2500^2", "aniso1,nx=2500"},
            {"ANISO2 2500^2", "aniso2,nx=2500"},
            {"5-point 1000^2", "laplace2d,nx=1000"},
            {"7-point 110^3, weights 1 40 1", "laplace3d,nx=110,wy=40"},
            {"R-MAT scale 18", "rmat,scale=18"}};
}

template <class T>
csr<T> make_graph_problem(graph_problem const& p) {
    auto const request = parse_generator(p.generator);
    return generate<T>(host_executor{}, request.kind, request.options);
}

} // namespace coppice::bench
