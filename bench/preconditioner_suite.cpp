// SPDX-License-Identifier: BSD-3-Clause
// Suite `preconditioner`: times of the set-up with its stages, of refresh and of application, also in units of a
// product with the same matrix. Single source for both executors.
#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/problems/graph_problems.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>

namespace coppice::bench {
namespace {

std::vector<graph_problem> problems(bool quick) {
    if (quick) return {{"ANISO2 60^2", "aniso2,nx=60"}, {"R-MAT scale 8", "rmat,scale=8"}};
    return {{"ANISO1 1000^2", "aniso1,nx=1000"},
            {"5-point 1000^2", "laplace2d,nx=1000"},
            {"convection 1000^2", "convection,nx=1000"},
            {"R-MAT scale 16", "rmat,scale=16"},
            {"R-MAT scale 20", "rmat,scale=20"}};
}

/// Whether the cost of the set-up grows with the squares of the row lengths, one worker processes each row, or the
/// factors fill in; all are too slow for rows of graphs.
bool is_for_short_rows(std::string_view name) {
    return name == "ilu0" || name == "ic0" || name == "isai" || name == "mos-a" || name == "direct";
}

/// On CUDA short calls are queued up to `queued` times before the wait, so that the time of the device is measured
/// without that of the launch. Calls of more than a second are measured once.
template <class Executor, class Work>
timing measure_queued(Executor const& exec, int repetitions, int queued, Work const& work) {
    detail::stopwatch watch(exec);
    work();
    double const first = watch.lap();
    if (first > 1) return {first, first};
    if (first > 0.05) queued = 1;
    auto time = measure(repetitions, [&](int) {
        for (int k = 0; k < queued; ++k) work();
        exec.synchronize();
    });
    return {time.median / queued, time.fastest / queued};
}

template <class T, class Executor>
std::vector<row> measure_problem(table& t, options const& o, Executor const& exec, graph_problem const& p) {
    auto const a = exec.copy(make_graph_problem<T>(p));
    std::int64_t const n = a.rows();
    int const queued = std::is_same_v<Executor, host_executor> || o.quick ? 1 : 20;
    int const repetitions = o.quick ? 1 : 5;
    std::vector<row> rows;
    auto const add = [&](std::string const& method, timing const& time, std::string const& details = {}) {
        rows.push_back({"preconditioner", backend_of(exec),
                        fmt::format("{}, {}", p.name, sizeof(T) == 4 ? "float" : "double"), method, "", n, a.nonzeros(),
                        time.median, time.fastest, 0, 0, details});
    };
    auto const x = exec.copy(std::vector<T>(std::size_t(n), T(0.5)));
    buffer<T> y(exec, n);
    auto const longest_row = degrees(exec, a.view()).largest;
    auto const plan = make_srcsr_plan(exec, a.view());
    add("product: apply",
        measure_queued(exec, repetitions, queued, [&] { spmv(exec, plan, a.view(), x.view(), y.view()); }));
    auto const measure_one = [&](std::string const& name) {
        auto m = make_preconditioner(exec, name, a.view());
        add(name + ": set-up",
            measure_queued(exec, repetitions, 1, [&] { m = make_preconditioner(exec, name, a.view()); }));
        for (finding const& f : m.report().findings)
            if (f.unit == finding_unit::seconds) add(fmt::format("  {}", f.key), {f.value, f.value}, "last set-up");
        add(name + ": refresh", measure_queued(exec, repetitions, queued, [&] { m.refresh(exec, a.view()); }));
        add(name + ": apply", measure_queued(exec, repetitions, queued, [&] { m.apply(exec, x.view(), y.view()); }));
    };
    for (preconditioner_row const& known : preconditioner_catalogue) {
        std::string const name(known.name);
        if (name == "none") continue;
        if (find_unmet_need(exec, known.needs, a.view())) continue;
        if (is_for_short_rows(name) && longest_row > 1000) continue;
        if (!t.wants(p.name)) break; // the others are too late
        try {
            measure_one(name);
        } catch (error const& problem) { // a singular matrix, for example
            add(name, {}, problem.what());
        }
    }
    return rows;
}

template <class Executor>
void preconditioner_suite(table& t, options const& o, Executor const& exec) {
    for (graph_problem const& p : problems(o.quick)) {
        if (!t.wants(p.name)) continue;
        t.add(measure_problem<float>(t, o, exec, p));
        t.add(measure_problem<double>(t, o, exec, p));
    }
}

} // namespace

void preconditioner_host(table& t, options const& o) { preconditioner_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void preconditioner_cuda(table& t, options const& o) { preconditioner_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
