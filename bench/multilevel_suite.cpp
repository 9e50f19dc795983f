// SPDX-License-Identifier: BSD-3-Clause
// Suite `multilevel`: CG or BiCGStab with the multilevel forest method to 1e-8, set-up included, comparing its
// smoothers and cycles with each other and with the forest of one level; refresh. bench/peers/multilevel_peer.cpp
// measures BoomerAMG.
#include <algorithm>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/problems/multilevel_problems.hpp"
#include <coppice/core/stopwatch.hpp>
#include <coppice/multilevel.hpp>
#include <coppice/solve.hpp>

namespace coppice::bench {
namespace {

double median_of(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

template <class Executor>
void measure(table& t, Executor const& exec, multilevel_problem const& p, int repetitions) {
    auto const a = exec.copy(make_multilevel_problem(p));
    csr_operator<Executor, double> const op(exec, a.view());
    std::int64_t const n = a.rows();
    buffer<double> b(exec, n), x(exec, n);
    auto const sine = exec.copy(sine_of(n));
    op.apply(exec, sine.view(), b.view());
    auto const zero = exec.copy(std::vector<double>(std::size_t(n)));
    std::vector<row> rows;
    auto const name = fmt::format("{}, {} rows", p.name, n);
    auto const add = [&](std::string const& method, std::vector<double> const& seconds, std::string const& details) {
        rows.push_back({.suite = "multilevel",
                        .backend = backend_of(exec),
                        .problem = name,
                        .method = method,
                        .rows = n,
                        .nonzeros = a.nonzeros(),
                        .seconds = median_of(seconds),
                        .fastest = *std::min_element(seconds.begin(), seconds.end()),
                        .details = details});
    };
    for (char const* method : {"multilevel", "multilevel,smoother=forest", "multilevel,smoother=chebyshev",
                               "multilevel,cycle=w", "multilevel,storage=full", "multilevel,storage=half", "forest"}) {
        std::vector<double> all, setups, solves, refreshed;
        krylov_result result;
        std::string levels;
        for (int r = 0; r < repetitions + (repetitions > 1); ++r) {
            exec.copy_elements(zero.data(), x.data(), n);
            detail::stopwatch watch(exec);
            auto m = make_preconditioner(exec, method, a.view());
            double const setup = watch.lap();
            auto const run = [&] {
                return solve(exec, p.symmetric ? "cg" : "bicgstab", op, m, b.view(), x.view(),
                             {.tolerance = 1e-8, .max_iterations = 2000});
            };
            result = run();
            double const solved = watch.lap();
            auto const report = m.report();
            if (report.has("levels"))
                levels = fmt::format(", {:.0f} levels, complexity {:.2f}", report.number("levels"),
                                     report.number("operator_complexity"));
            exec.copy_elements(zero.data(), x.data(), n);
            watch.lap();
            m.refresh(exec, a.view());
            run();
            double const again = watch.lap();
            if (r == 0 && repetitions > 1) continue; // warm-up run
            setups.push_back(setup);
            solves.push_back(solved);
            all.push_back(setup + solved);
            refreshed.push_back(again);
        }
        add(method, all,
            fmt::format("{} iterations, {}, set-up {:.1f} ms, solve {:.1f} ms, refresh and solve {:.1f} ms{}",
                        result.iterations, to_string(result.reason), median_of(setups) * 1e3, median_of(solves) * 1e3,
                        median_of(refreshed) * 1e3, levels));
    }
    t.add(std::move(rows));
}

template <class Executor>
void multilevel_suite(table& t, options const& o, Executor const& exec, std::vector<multilevel_problem> const& all,
                      int repetitions) {
    for (multilevel_problem const& p : all)
        if (t.wants(p.name)) measure(t, exec, p, o.quick ? 1 : repetitions);
}

} // namespace

void multilevel_host(table& t, options const& o) {
    auto const all =
        o.quick ? std::vector<multilevel_problem>{{"5-point", "laplace2d,nx=40"}} : multilevel_problems(500, 60, 24);
    multilevel_suite(t, o, host_executor(o.threads), all, 3);
}
#if defined(COPPICE_HAS_CUDA)
void multilevel_cuda(table& t, options const& o) {
    auto all = multilevel_problems(2000, 160, 60);
    for (auto& p : multilevel_problems(1500, 100, 40))
        if (p.name.starts_with("rotated") || p.name == "convection") all.push_back(p);
    if (o.quick) all = {{"5-point", "laplace2d,nx=40"}};
    multilevel_suite(t, o, cuda_executor{}, all, 5);
}
#endif

} // namespace coppice::bench
