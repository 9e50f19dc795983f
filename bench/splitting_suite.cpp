// SPDX-License-Identifier: BSD-3-Clause
// Suite `splittings`: GMRES(20) to 1e-6 with preconditioners made of several forests and with others, set-up included,
// on stand-ins for the matrices of Table 17 of the source thesis. One body for both executors.
#include <cmath>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/graph_problems.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

namespace coppice::bench {
namespace {

char const* backend_of(host_executor const&) { return "host"; }
[[maybe_unused]] char const* backend_of(cuda_executor const&) { return "cuda"; }

std::vector<graph_problem> problems(bool quick) {
    if (quick) return {{"ANISO2 60^2", "aniso2,nx=60"}};
    return {{"MODEL2: 27-point 100^3", "laplace27,nx=100"},
            {"MODEL8, ECOLOGY2: 5-point 1000^2", "laplace2d,nx=1000"},
            {"ATMOSMODL: convection 114^3", "convection,nx=114,ny=114,nz=114"},
            {"ATMOSMODM: 7-point 110^3, weights 1 40 1", "laplace3d,nx=110,wy=40"},
            {"ANISO1 1200^2", "aniso1,nx=1200"},
            {"ANISO2 1200^2", "aniso2,nx=1200"},
            {"MODEL3: rotated 45 degrees 1001^2", "rotated,nx=1001,angle=45,ratio=0.001"},
            {"MODEL4: rotated 30 degrees, 7-point 1000^2", "rotated,nx=1000,angle=30,ratio=0.01,points=7"},
            {"MODEL7: rotated 0 degrees 1001^2", "rotated,nx=1001,angle=0,ratio=0.001"}};
}

/// The five schemes of section 5.3.1, and incomplete factors beside them.
std::vector<std::string> schemes(bool quick) {
    std::vector<std::string> all{"jacobi", "diagp_1", "diagp_2", "forest"};
    for (std::string const name : {"alt-i", "alt-o", "mos-d", "mos-a"})
        for (int m = quick ? 4 : 2; m <= 4; ++m) all.push_back(fmt::format("{},factors={}", name, m));
    for (char const* name : {"ilu0", "isai", "isai,power=2"}) all.emplace_back(name);
    return all;
}

buffer<double> sine(std::int64_t n) {
    buffer<double> x(host_memory(), n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = std::sin(16 * 3.14159265358979323846 * double(i) / double(n));
    return x;
}

template <class Executor>
void splitting_suite(table& t, options const& o, Executor const& exec) {
    for (graph_problem const& p : problems(o.quick)) {
        if (!t.wants(p.name)) continue;
        auto const a = exec.copy(make_graph_problem<double>(p));
        std::int64_t const n = a.rows();
        csr_operator<Executor, double> const op(exec, a.view());
        auto const truth = exec.copy(sine(n));
        auto const zero = exec.copy(std::vector<double>(std::size_t(n), 0.0));
        buffer<double> b(exec, n), x(exec, n);
        op.apply(exec, truth.view(), b.view());
        double const share = coverages(exec, a.view()).diagonal_coverage();
        std::vector<row> rows;
        for (std::string const& scheme : schemes(o.quick)) {
            krylov_result result;
            double setup = 0;
            auto const solve_once = [&] {
                exec.copy_elements(zero.data(), x.data(), n);
                auto const m = make_preconditioner(exec, scheme, a.view());
                setup = m.report().setup_seconds;
                result = solve(exec, preconditioner_row_of(m.name()).varies ? "fgmres" : "gmres", op, m, b.view(),
                               x.view(), {.tolerance = 1e-6, .max_iterations = 2000, .restart = 20});
                exec.synchronize();
            };
            timing const time = measure(1, [&](int) { solve_once(); });
            rows.push_back({"splittings", backend_of(exec), fmt::format("{}, c_diag {:.2f}", p.name, share), scheme, "",
                            n, a.nonzeros(), time.median, time.fastest, 0, 0,
                            fmt::format("{} iterations, {}, setup {:.1f} ms", result.iterations,
                                        to_string(result.reason), setup * 1e3)});
        }
        t.add(std::move(rows));
    }
}

} // namespace

void splittings_host(table& t, options const& o) { splitting_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void splittings_cuda(table& t, options const& o) { splitting_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
