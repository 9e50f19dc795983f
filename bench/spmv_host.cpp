// SPDX-License-Identifier: BSD-3-Clause
// Suite `spmv` on the host: Coppice, a plain loop over rows, SuiteSparse:GraphBLAS.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/core.h>
#include <tbb/parallel_for.h>

#include "bench/bench.hpp"
#include "bench/peers/graphblas_peer.hpp"
#include "bench/problems/spmv_problems.hpp"
#include "bench/row_maxima.hpp"
#include <coppice/semiring/spmv/spmv.hpp>

namespace coppice::bench {
namespace {

/// A plain loop over rows, divided into one range per thread with equal numbers of nonzeros.
void plain_loop(host_executor const& exec, csr_view<float> a, std::vector<std::int32_t> const& range_begins,
                float const* x, float* y) {
    auto const multiply_range = [&](std::size_t t) {
        for (std::int32_t i = range_begins[t]; i < range_begins[t + 1]; ++i) {
            float sum = 0;
            for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) sum += a.coefficients[k] * x[a.indices[k]];
            y[i] = sum;
        }
    };
    if (range_begins.size() == 2) return multiply_range(0);
    exec.run([&] { tbb::parallel_for(std::size_t(0), range_begins.size() - 1, multiply_range); });
}

std::vector<std::int32_t> equal_ranges(csr_view<float> a, int ranges) {
    std::vector<std::int32_t> range_begins{0};
    for (int t = 1; t < ranges; ++t) {
        auto const target = std::int32_t(std::int64_t(a.nonzeros()) * t / ranges);
        range_begins.push_back(std::int32_t(std::lower_bound(a.offsets, a.offsets + a.rows(), target) - a.offsets));
    }
    range_begins.push_back(a.rows());
    return range_begins;
}

// The user-defined semiring of the peer (graphblas_peer.cpp), written with Coppice.
struct user_pair {
    float value;
    std::int32_t column;
};
struct times_with_column {
    float const* COPPICE_RESTRICT values;
    std::int32_t const* COPPICE_RESTRICT columns;
    float const* COPPICE_RESTRICT x;
    user_pair operator()(std::int64_t k) const { return {values[k] * x[columns[k]], columns[k]}; }
};
struct larger {
    user_pair identity() const { return {-3e38f, -1}; }
    user_pair operator()(user_pair const& a, user_pair const& b) const { return b.value > a.value ? b : a; }
};
struct store_pair {
    user_pair* y;
    void operator()(std::int64_t row, user_pair const& sum) const { y[row] = sum; }
};

struct method {
    std::string name;
    std::function<void()> run;
};

/// Medians of methods that are measured alternately, so that a change of load on the machine affects all of them
/// equally.
std::vector<timing> measure_in_turns(std::vector<method> const& methods, int repetitions) {
    std::vector<std::vector<double>> seconds(methods.size());
    for (int r = 0; r < repetitions; ++r)
        for (std::size_t m = 0; m < methods.size(); ++m)
            // The first of three calls restores the data that previous methods have evicted from the cache.
            seconds[m].push_back(measure(3, [&](int) { methods[m].run(); }).median);
    std::vector<timing> result;
    for (auto& s : seconds) {
        std::sort(s.begin(), s.end());
        result.push_back({s[s.size() / 2], s.front()});
    }
    return result;
}

void measure_problem(table& t, options const& o, spmv_problem const& p, int threads) {
    host_executor const exec(threads);
    csr_view<float> const a = p.matrix.view();
    std::vector<float> x(std::size_t(a.columns())), y(std::size_t(a.rows()));
    std::vector<std::int32_t> columns(std::size_t(a.rows()) * 2);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::sin(float(j));
    array_view<float const> const xv{x.data(), std::int64_t(x.size())};
    array_view<float> const yv{y.data(), std::int64_t(y.size())};
    array_view<std::int32_t> const one{columns.data(), a.rows()}, two{columns.data(), std::int64_t(columns.size())};
    auto const plan = make_srcsr_plan(exec, a);
    auto const range_begins = equal_ranges(a, threads);
    graphblas_spmv peer(a, xv, threads);

    std::vector<method> methods{{"coppice plus-times", [&] { spmv(exec, plan, a, xv, yv); }}};
    for (char const* name : {"min-plus", "max-second", "arg-max"})
        methods.push_back({std::string("coppice ") + name, [&, name] { semiring_spmv(exec, plan, name, a, xv, yv); }});
    std::vector<user_pair> pairs(std::size_t(a.rows()));
    methods.push_back({"coppice user-type arg-max", [&] {
                           reduce_rows(exec, plan, times_with_column{a.coefficients, a.indices, x.data()}, larger{},
                                       store_pair{pairs.data()});
                       }});
    methods.push_back({"plain loop, plus-times", [&] { plain_loop(exec, a, range_begins, x.data(), y.data()); }});
    for (char const* name : {"plus-times", "min-plus", "max-second"})
        methods.push_back({graphblas_spmv::version() + ", " + name, [&, name] { peer.multiply(name); }});
    methods.push_back({graphblas_spmv::version() + ", user-type arg-max", [&] { peer.multiply_arg_max(); }});
    methods.push_back({"coppice max1", [&] { max1(exec, plan, a, yv); }});
    methods.push_back({"coppice max1-with-column", [&] { max1_with_column(exec, plan, a, yv); }});
    methods.push_back({"coppice arg-max1", [&] { arg_max<1>(exec, plan, a, one); }});
    methods.push_back({"coppice arg-max2", [&] { arg_max<2>(exec, plan, a, two); }});
    methods.push_back({"coppice plan", [&] { make_srcsr_plan(exec, a); }});

    auto const times = measure_in_turns(methods, o.quick ? 1 : 9);
    std::string const problem = fmt::format("{}, float, {} thread{}", p.name, threads, threads > 1 ? "s" : "");
    std::vector<row> rows;
    for (std::size_t m = 0; m < methods.size(); ++m)
        rows.push_back({"spmv", "host", problem, methods[m].name, "", a.rows(), a.nonzeros(), times[m].median,
                        times[m].fastest, spmv_bytes(a, false), 0, ""});
    t.add(std::move(rows));
}

} // namespace

void spmv_host(table& t, options const& o) {
    int const max_threads = host_executor(o.threads).threads();
    for (std::string const& name : spmv_problem_names(false, o.quick)) {
        if (!t.wants(name)) continue;
        auto const problem = make_spmv_problem(name, false, o.quick);
        measure_problem(t, o, problem, 1);
        if (max_threads > 1) measure_problem(t, o, problem, max_threads);
    }
}

} // namespace coppice::bench
