// SPDX-License-Identifier: BSD-3-Clause
// Suite `automatic`: time of the automatic choice to a residual of 1e-6, compared with the methods it chooses from.
// Single source for both executors.
#include <type_traits>

#include "bench/problems/solve_problem.hpp"

namespace coppice::bench {
namespace {

std::vector<graph_problem> problems(bool quick) {
    if (quick) return {{"5-point 110^2", "laplace2d,nx=110"}};
    return {{"5-point 100^2", "laplace2d,nx=100"},
            {"5-point 200^2", "laplace2d,nx=200"},
            {"5-point 400^2", "laplace2d,nx=400"},
            {"5-point 1000^2", "laplace2d,nx=1000"},
            {"ANISO1 1200^2", "aniso1,nx=1200"},
            {"rotated 0 degrees 1001^2", "rotated,nx=1001,angle=0,ratio=0.001"},
            {"rotated 30 degrees, 7-point 1000^2", "rotated,nx=1000,angle=30,ratio=0.01,points=7"},
            {"regions 1001^2", "regions,nx=1001,angle=45,ratio=0.001"},
            {"random resistors 1259^2", "circuit,nx=1259"},
            {"convection 300^2", "convection,nx=300"},
            {"convection 1108^2", "convection,nx=1108"},
            {"7-point 30^3", "laplace3d,nx=30"},
            {"7-point 60^3", "laplace3d,nx=60"},
            {"7-point 100^3", "laplace3d,nx=100"},
            {"7-point 110^3, weights 1 40 1", "laplace3d,nx=110,wy=40"},
            {"27-point 100^3", "laplace27,nx=100"},
            {"convection 114^3, weights 1 2 1", "convection,nx=114,ny=114,nz=114,wy=2"},
            {"flow in tetrahedra 117^3", "transport,nx=117"},
            {"elasticity 25^3", "elasticity,nx=25"},
            {"elasticity 78^3", "elasticity,nx=78"},
            {"elasticity 79^3, poisson 0.49", "elasticity,nx=79,poisson=0.49"},
            {"beam 500 x 32 x 31", "elasticity,nx=500,ny=32,nz=31,poisson=0.4,plate=1"}};
}

template <class Executor>
void automatic_suite(table& t, options const& o, Executor const& exec) {
    for (graph_problem const& p : problems(o.quick)) {
        if (!t.wants(p.name)) continue;
        solve_problem<Executor> problem(exec, "automatic", p, o.quick);
        problem.measure_automatic();
        bool const symmetric = is_symmetric(exec, problem.matrix());
        std::string const method = symmetric ? "cg" : "bicgstab";
        std::vector<std::string> schemes{"jacobi", "forest", "multilevel"};
        if (std::is_same_v<Executor, host_executor>) schemes.emplace_back(symmetric ? "ic0" : "ilu0");
        if (!std::is_same_v<Executor, host_executor> && !symmetric) schemes.emplace_back("isai");
        for (std::string const& scheme : schemes)
            problem.measure_scheme(
                method + ", " + scheme, [&] { return make_preconditioner(exec, scheme, problem.matrix()); }, method);
        t.add(std::move(problem.rows()));
    }
}

} // namespace

void automatic_host(table& t, options const& o) { automatic_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void automatic_cuda(table& t, options const& o) { automatic_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
