// SPDX-License-Identifier: BSD-3-Clause
// Suites `factor`, `forest` and `solve`: single source for both executors.
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/problems/graph_problems.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/solve/solve_automatically.hpp>

namespace coppice::bench {
namespace {

/// Wall-clock time of work that may be queued.
template <class Executor, class Work>
timing measure_finished(Executor const& exec, int repetitions, Work const& work) {
    return measure(repetitions, [&](int) {
        work();
        exec.synchronize();
    });
}

char const* name_of(tie_rule ties) { return ties == tie_rule::hash ? "hash" : "near"; }

template <class Executor>
void factor_suite(table& t, options const& o, Executor const& exec) {
    for (graph_problem const& p : graph_problems(o.quick)) {
        if (!t.wants(p.name)) continue;
        auto const host_matrix = make_graph_problem<float>(p);
        auto const a = exec.copy(host_matrix);
        auto const weights = symmetrised_weights(exec, a.view());
        std::vector<row> rows;
        auto const add = [&](std::string const& method, timing const& time, std::string const& details) {
            rows.push_back({"factor", backend_of(exec), std::string(p.name) + ", float", method, "", a.rows(),
                            weights.nonzeros(), time.median, time.fastest, 0, 0, details});
        };
        auto const describe_factor = [](graph_factor<std::int32_t> const& f) {
            return fmt::format("coverage {:.3f}, {} rounds{}", f.weight_coverage, f.rounds,
                               f.maximal ? ", maximal" : "");
        };
        for (int degree = 1; degree <= 4; ++degree) {
            graph_factor<std::int32_t> f;
            for (auto const rounds : {std::optional<int>{5}, std::optional<int>{}}) {
                auto const time = measure_finished(exec, o.quick ? 1 : 3, [&] {
                    f = parallel_factor(exec, weights.view(), {.degree = degree, .rounds = rounds});
                });
                add(fmt::format("coppice parallel, n = {}, {}", degree, rounds ? "5 rounds" : "as needed"), time,
                    describe_factor(f));
            }
        }
        for (tie_rule const ties : {tie_rule::hash, tie_rule::near}) {
            graph_factor<std::int32_t> f;
            auto const time = measure_finished(exec, o.quick ? 1 : 3, [&] {
                f = parallel_factor(exec, weights.view(), {.degree = 2, .rounds = 0, .ties = ties});
            });
            add(fmt::format("coppice parallel, n = 2, maximal, {}", name_of(ties)), time, describe_factor(f));
        }
        // The cost of the traversal of the rows alone.
        auto const x = exec.copy(std::vector<float>(std::size_t(weights.columns()), 0.5f));
        buffer<float> y(exec, weights.rows());
        auto const plan = make_srcsr_plan(exec, weights.view());
        add("one SpMV of the same matrix",
            measure_finished(exec, o.quick ? 1 : 9, [&] { spmv(exec, plan, weights.view(), x.view(), y.view()); }), "");
        if constexpr (std::is_same_v<Executor, host_executor>) {
            graph_factor<std::int32_t> f;
            auto const time =
                measure_finished(exec, 1, [&] { f = greedy_factor(exec, weights.view(), {.degree = 2}); });
            add("greedy (Algorithm 6), n = 2", time, describe_factor(f));
        }
        t.add(std::move(rows));
    }
}

template <class Executor>
void forest_suite(table& t, options const& o, Executor const& exec) {
    for (graph_problem const& p : graph_problems(o.quick)) {
        if (!t.wants(p.name)) continue;
        auto const host_matrix = make_graph_problem<float>(p);
        auto const a = exec.copy(host_matrix);
        std::vector<row> rows;
        for (tie_rule const ties : {tie_rule::hash, tie_rule::near}) {
            auto const add = [&](std::string const& method, timing const& time, std::string const& details) {
                rows.push_back({"forest", backend_of(exec), std::string(p.name) + ", float",
                                method + ", ties " + name_of(ties), "", a.rows(), a.nonzeros(), time.median,
                                time.fastest, 0, 0, details});
            };
            int const repetitions = o.quick ? 1 : 3;
            csr<float> weights;
            add("symmetrised weights",
                measure_finished(exec, repetitions, [&] { weights = symmetrised_weights(exec, a.view()); }), "");
            graph_factor<std::int32_t> f;
            auto const factor_time =
                measure_finished(exec, repetitions, [&] { f = parallel_factor(exec, weights.view(), {.ties = ties}); });
            add("[0,2]-factor", factor_time, fmt::format("coverage {:.3f}", f.weight_coverage));
            linear_forest<std::int32_t> forest;
            auto const forest_time =
                measure_finished(exec, repetitions, [&] { forest = extract_forest(exec, weights.view(), f); });
            add("cycles, paths, permutation", forest_time,
                fmt::format("coverage {:.3f}, {} paths, longest {}, {} cycles", forest.weight_coverage, forest.paths,
                            forest.longest_path, forest.cycles_broken));
            tridiagonal<float> system;
            add("tridiagonal system",
                measure_finished(exec, repetitions, [&] { system = extract_forest_system(exec, a.view(), forest); }),
                "");
        }
        t.add(std::move(rows));
    }
}

struct solve_case {
    graph_problem problem;
    std::vector<char const*> methods;
};

std::vector<solve_case> solve_cases(bool quick) {
    if (quick) return {{{"ANISO2 60^2", "aniso2,nx=60"}, {"bicgstab"}}};
    return {{{"ANISO1 1200^2", "aniso1,nx=1200"}, {"bicgstab"}},
            {{"ANISO2 1200^2", "aniso2,nx=1200"}, {"bicgstab", "cg"}},
            {{"ANISO3 1200^2", "aniso3,nx=1200"}, {"bicgstab"}},
            {{"7-point 110^3, weights 1 40 1", "laplace3d,nx=110,wy=40"}, {"bicgstab"}},
            {{"5-point 1000^2", "laplace2d,nx=1000"}, {"bicgstab", "cg"}}};
}

struct sine {
    double* x;
    std::int64_t n;
    COPPICE_HD void operator()(std::int64_t i) const {
        x[i] = std::sin(16 * 3.14159265358979323846 * double(i) / double(n));
    }
};

template <class Executor>
void solve_suite(table& t, options const& o, Executor const& exec) {
    for (solve_case const& c : solve_cases(o.quick)) {
        if (!t.wants(c.problem.name)) continue;
        auto const host_matrix = make_graph_problem<double>(c.problem);
        std::int64_t const n = host_matrix.rows();
        buffer<double> host_x(host_memory(), n);
        for (std::int64_t i = 0; i < n; ++i) sine{host_x.data(), n}(i);
        auto const a = exec.copy(host_matrix);
        auto const truth = exec.copy(host_x);
        csr_operator<Executor, double> const op(exec, a.view());
        auto const zero = exec.copy(std::vector<double>(std::size_t(n), 0.0));
        buffer<double> b(exec, n), x(exec, n);
        op.apply(exec, truth.view(), b.view());
        for (char const* method : c.methods) {
            std::vector<row> rows;
            for (preconditioner_row const& known : preconditioner_catalogue) {
                std::string_view const name = known.name;
                if (!known.compared || find_unmet_need(exec, known.needs, a.view())) continue;
                auto const m = make_preconditioner(exec, name, a.view());
                krylov_result result;
                timing const time = measure_finished(exec, 1, [&] {
                    exec.copy_elements(zero.data(), x.data(), n);
                    result = solve(exec, method, op, m, b.view(), x.view(), {.tolerance = 1e-6});
                });
                rows.push_back({"solve", backend_of(exec), std::string(c.problem.name) + ", double",
                                fmt::format("coppice {}, {}", method, name), "", n, a.nonzeros(), time.median,
                                time.fastest, 0, 0,
                                fmt::format("{} iterations, {}, setup {:.1f} ms", result.iterations,
                                            to_string(result.reason), m.report().setup_seconds * 1e3)});
            }
            t.add(std::move(rows));
        }
        automatic_result found;
        timing const time = measure_finished(exec, 1, [&] {
            exec.copy_elements(zero.data(), x.data(), n);
            found = solve_automatically(exec, op, b.view(), x.view(), {.krylov = {.tolerance = 1e-6}});
        });
        t.add({{"solve", backend_of(exec), std::string(c.problem.name) + ", double", "coppice auto, set-up included",
                "", n, a.nonzeros(), time.median, time.fastest, 0, 0,
                fmt::format("{}, {}: {} iterations, {}, setup {:.1f} ms", found.last().choice.solver,
                            found.last().choice.preconditioner, found.result.iterations, to_string(found.result.reason),
                            found.setup_seconds() * 1e3)}});
    }
}

} // namespace

void factor_host(table& t, options const& o) { factor_suite(t, o, host_executor(o.threads)); }
void forest_host(table& t, options const& o) { forest_suite(t, o, host_executor(o.threads)); }
void solve_host(table& t, options const& o) { solve_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void factor_cuda(table& t, options const& o) { factor_suite(t, o, cuda_executor{}); }
void forest_cuda(table& t, options const& o) { forest_suite(t, o, cuda_executor{}); }
void solve_cuda(table& t, options const& o) { solve_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
