// SPDX-License-Identifier: BSD-3-Clause
// Suite `spmv` on the host: Coppice, a plain loop over rows, SuiteSparse:GraphBLAS.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <tbb/parallel_for.h>

#include "bench/bench.hpp"
#include "bench/graphblas_peer.hpp"
#include "bench/spmv_problems.hpp"
#include "semiring/spmv.hpp"

namespace coppice::bench {
namespace {

/// What anybody would write: a loop over rows, cut into one part a thread with equal numbers of nonzeros.
void plain_loop(host_executor const& exec, csr_view<float> a, std::vector<std::int32_t> const& cuts, float const* x,
                float* y) {
    auto const part = [&](std::size_t t) {
        for (std::int32_t i = cuts[t]; i < cuts[t + 1]; ++i) {
            float sum = 0;
            for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) sum += a.coefficients[k] * x[a.indices[k]];
            y[i] = sum;
        }
    };
    if (cuts.size() == 2) return part(0);
    exec.run([&] { tbb::parallel_for(std::size_t(0), cuts.size() - 1, part); });
}

std::vector<std::int32_t> equal_cuts(csr_view<float> a, int parts) {
    std::vector<std::int32_t> cuts{0};
    for (int t = 1; t < parts; ++t) {
        auto const target = std::int32_t(std::int64_t(a.nonzeros()) * t / parts);
        cuts.push_back(std::int32_t(std::lower_bound(a.offsets, a.offsets + a.rows(), target) - a.offsets));
    }
    cuts.push_back(a.rows());
    return cuts;
}

void measure_problem(table& t, options const& o, spmv_problem const& p, int threads) {
    host_executor const exec(threads);
    csr_view<float> const a = p.matrix.view();
    std::vector<float> x(std::size_t(a.columns())), y(std::size_t(a.rows()));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::sin(float(j));
    array_view<float const> const xv{x.data(), std::int64_t(x.size())};
    array_view<float> const yv{y.data(), std::int64_t(y.size())};
    auto const plan = make_srcsr_plan(exec, a);
    auto const cuts = equal_cuts(a, threads);
    int const repetitions = o.quick ? 3 : 51;
    std::string const problem = fmt::format("{}, float, {} thread{}", p.name, threads, threads > 1 ? "s" : "");
    auto const line = [&](std::string const& method, timing const& time) {
        return row{"spmv",
                   "host",
                   problem,
                   method,
                   "",
                   a.rows(),
                   a.nonzeros(),
                   time.median,
                   time.fastest,
                   spmv_bytes(a, false),
                   0,
                   ""};
    };
    std::vector<row> rows;
    rows.push_back(line("coppice plus-times", measure(repetitions, [&](int) { spmv(exec, plan, a, xv, yv); })));
    for (char const* name : {"min-plus", "max-second", "arg-max"})
        rows.push_back(line(std::string("coppice ") + name,
                            measure(repetitions, [&](int) { semiring_spmv(exec, plan, name, a, xv, yv); })));
    rows.push_back(line("plain loop, plus-times",
                        measure(repetitions, [&](int) { plain_loop(exec, a, cuts, x.data(), y.data()); })));
    graphblas_spmv peer(a, xv, threads);
    for (char const* name : {"plus-times", "min-plus", "max-second"})
        rows.push_back(
            line(graphblas_spmv::version() + ", " + name, measure(repetitions, [&](int) { peer.multiply(name); })));
    rows.push_back(line(graphblas_spmv::version() + ", user-type arg-max",
                        measure(o.quick ? 3 : 15, [&](int) { peer.multiply_arg_max(); })));
    t.add(std::move(rows));
}

} // namespace

void spmv_host(table& t, options const& o) {
    int const most = host_executor(o.threads).threads();
    for (std::string const& name : spmv_problem_names(false, o.quick)) {
        if (!t.wants(name)) continue;
        auto const problem = make_spmv_problem(name, false, o.quick);
        measure_problem(t, o, problem, 1);
        if (most > 1) measure_problem(t, o, problem, most);
    }
}

} // namespace coppice::bench
