// SPDX-License-Identifier: BSD-3-Clause
// Suite `splittings`: GMRES(20) to 1e-6 with preconditioners of several forests and others: times of set-up,
// application and solve, on generated matrices similar to those of Table 17 of the source thesis (Figures 34 to 40).
// Single source for both executors.
#include <cmath>
#include <type_traits>

#include "bench/problems/solve_problem.hpp"
#if defined(COPPICE_HAS_CUDA)
#include "bench/peers/cusparse_ilu.hpp"
#endif

namespace coppice::bench {
namespace {

std::vector<graph_problem> problems(bool quick) {
    if (quick) return {{"ANISO2 60^2", "aniso2,nx=60"}};
    return {// Figure 36
            {"MODEL2: 27-point 100^3", "laplace27,nx=100"},
            {"ATMOSMODL: convection 114^3, weights 1 2 1", "convection,nx=114,ny=114,nz=114,wy=2"},
            {"MODEL8: 5-point 1000^2", "laplace2d,nx=1000"},
            {"ANISO1 1200^2", "aniso1,nx=1200"},
            {"ANISO2 1200^2", "aniso2,nx=1200"},
            {"G3_CIRCUIT: random resistors 1259^2", "circuit,nx=1259"},
            // Figure 37
            {"GEO_1438: elasticity 78^3", "elasticity,nx=78"},
            {"MODEL4: rotated 30 degrees, 7-point 1000^2", "rotated,nx=1000,angle=30,ratio=0.01,points=7"},
            {"MODEL3: rotated 45 degrees 1001^2", "rotated,nx=1001,angle=45,ratio=0.001"},
            {"MODEL5: regions 1001^2", "regions,nx=1001,angle=45,ratio=0.001"},
            {"MODEL7: rotated 0 degrees 1001^2", "rotated,nx=1001,angle=0,ratio=0.001"},
            // Figure 38
            {"ECOLOGY2: 5-point 999 x 1001", "laplace2d,nx=999,ny=1001"},
            {"ML_GEER: elasticity 79^3, poisson 0.49", "elasticity,nx=79,poisson=0.49"},
            {"TRANSPORT: flow in tetrahedra 117^3", "transport,nx=117"},
            {"THERMAL2: convection 1108^2", "convection,nx=1108"},
            {"HOOK_1498: beam 500 x 32 x 31", "elasticity,nx=500,ny=32,nz=31,poisson=0.4,plate=1"},
            {"AF_SHELL10: plate 500 x 500 x 2", "elasticity,nx=500,ny=500,nz=2,plate=1"},
            // The other grid of direction weights of Table 15
            {"ATMOSMODM: 7-point 110^3, weights 1 40 1", "laplace3d,nx=110,wy=40"}};
}

/// The five schemes of section 5.3.1, alternating directions (Figure 39) and incomplete factors (Figure 40) for
/// comparison.
std::vector<std::string> schemes(bool quick, bool plane) {
    std::vector<std::string> all{"jacobi", "diagp_1", "diagp_2", "tridiagonal", "forest", "block-forest"};
    for (std::string const name : {"alt-i", "alt-o", "mos-d", "mos-a"})
        for (int m = quick ? 4 : 2; m <= 4; ++m) all.push_back(fmt::format("{},factors={}", name, m));
    all.emplace_back("mos");
    if (plane) all.emplace_back("adi");
    for (char const* name : {"ilu0", "isai", "isai,power=2"}) all.emplace_back(name);
    return all;
}

template <class Executor>
void splitting_suite(table& t, options const& o, Executor const& exec) {
    for (graph_problem const& p : problems(o.quick)) {
        if (!t.wants(p.name)) continue;
        solve_problem<Executor> problem(exec, "splittings", p, o.quick);
        auto const root = std::int64_t(std::lround(std::sqrt(double(problem.matrix().rows()))));
        for (std::string const& scheme : schemes(o.quick, root * root == problem.matrix().rows()))
            problem.measure_scheme(scheme, [&] { return make_preconditioner(exec, scheme, problem.matrix()); });
#if defined(COPPICE_HAS_CUDA)
        if constexpr (std::is_same_v<Executor, cuda_executor>)
            problem.measure_scheme("cuSPARSE ILU(0)", [&] { return cusparse_ilu0(exec, problem.matrix()); });
#endif
        problem.measure_automatic();
        t.add(std::move(problem.rows()));
    }
}

} // namespace

void splittings_host(table& t, options const& o) { splitting_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void splittings_cuda(table& t, options const& o) { splitting_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
