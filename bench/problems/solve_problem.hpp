// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Solves one problem by several methods, including their set-up: one row of the table each. For both executors.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/problems/graph_problems.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/solve.hpp>

namespace coppice::bench {

inline buffer<double> sine(std::int64_t n) {
    buffer<double> x(host_memory(), n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = std::sin(16 * 3.14159265358979323846 * double(i) / double(n));
    return x;
}

/// Eq. 80
inline double forward_error(std::vector<double> const& x, buffer<double> const& truth) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        difference += (x[i] - truth[std::int64_t(i)]) * (x[i] - truth[std::int64_t(i)]);
        size += truth[std::int64_t(i)] * truth[std::int64_t(i)];
    }
    return std::sqrt(difference / size);
}

/// Medians over several runs after an untimed one; a long run is measured once.
inline constexpr double long_enough = 0.5; // seconds
struct solve_times {
    double setup = 0, solve = 0, total = 0, fastest = 0;
};
template <class Run>
solve_times time_runs(int repetitions, Run const& run) {
    std::vector<double> setup, solve, total;
    auto const keep = [&](std::pair<double, double> const& times) {
        setup.push_back(times.first);
        solve.push_back(times.second);
        total.push_back(times.first + times.second);
    };
    if (std::pair<double, double> const first = run(); repetitions == 1 || first.first + first.second > long_enough)
        keep(first);
    else
        for (int r = 0; r < repetitions; ++r) keep(run());
    auto const median = [](std::vector<double>& all) {
        std::sort(all.begin(), all.end());
        return all[all.size() / 2];
    };
    double const whole = median(total);
    return {median(setup), median(solve), whole, total.front()};
}

/// One problem: its system, and a row for each method.
template <class Executor>
class solve_problem {
public:
    using preconditioner = any_preconditioner<Executor, double>;

    solve_problem(Executor const& exec, char const* suite, graph_problem const& p, bool quick)
        : exec_(exec), suite_(suite), quick_(quick), a_(exec.copy(make_graph_problem<double>(p))), op_(exec, a_.view()),
          truth_(sine(a_.rows())), b_(exec, a_.rows()), x_(exec, a_.rows()),
          zero_(exec.copy(std::vector<double>(std::size_t(a_.rows()), 0.0))) {
        auto const there = exec.copy(truth_);
        op_.apply(exec, there.view(), b_.view());
        name_ = fmt::format("{}, c_diag {:.2f}", p.name, coverages(exec, a_.view()).diagonal_coverage());
    }
    csr_view<double> matrix() const { return a_.view(); }
    std::vector<row>& rows() { return rows_; }

    /// Adds a row with the given name; GMRES(20) if no method is named.
    void measure_scheme(std::string const& scheme, std::function<preconditioner()> const& make,
                        std::string const& method = {}) {
        krylov_result result;
        double apply = 0;
        auto const times = time_runs(repetitions(), [&] {
            exec_.copy_elements(zero_.data(), x_.data(), x_.size());
            detail::stopwatch watch(exec_);
            auto const m = make();
            double const setup = watch.lap();
            std::string_view const usual = m.varies() ? "fgmres" : "gmres";
            result = solve(exec_, method.empty() ? usual : method, op_, m, b_.view(), x_.view(),
                           {.tolerance = 1e-6, .max_iterations = 2000, .restart = 20});
            double const solved = watch.lap();
            if (apply == 0) apply = time_of_apply(m);
            return std::pair(setup, solved);
        });
        add(scheme, times, result,
            fmt::format("set-up {:.2f} ms, apply {:.3f} ms, solve {:.1f} ms", times.setup * 1e3, apply * 1e3,
                        times.solve * 1e3));
    }
    /// Adds a row for the automatic choice, with the names of the chosen methods.
    void measure_automatic() {
        automatic_result result;
        auto const times = time_runs(repetitions(), [&] {
            exec_.copy_elements(zero_.data(), x_.data(), x_.size());
            detail::stopwatch watch(exec_);
            result = solve_automatically(exec_, op_, b_.view(), x_.view(), {.krylov = {.tolerance = 1e-6}});
            double const both = watch.lap(), setup = result.setup_seconds();
            return std::pair(setup, both - setup);
        });
        auto const& last = result.last().choice;
        add("auto", times, result.result, fmt::format("{} with {}", last.solver, last.preconditioner));
    }

private:
    int repetitions() const { return quick_ || std::is_same_v<Executor, host_executor> ? 1 : 3; }
    double time_of_apply(preconditioner const& m) {
        int const calls = quick_ ? 1 : 10;
        buffer<double> z(exec_, x_.size());
        m.apply(exec_, b_.view(), z.view());
        detail::stopwatch watch(exec_);
        for (int k = 0; k < calls; ++k) m.apply(exec_, b_.view(), z.view());
        return watch.lap() / calls;
    }
    void add(std::string const& scheme, solve_times const& times, krylov_result const& result,
             std::string const& details) {
        double const error = forward_error(to_vector(exec_, x_), truth_);
        rows_.push_back({.suite = suite_,
                         .backend = backend_of(exec_),
                         .problem = name_,
                         .method = scheme,
                         .rows = x_.size(),
                         .nonzeros = a_.nonzeros(),
                         .seconds = times.total,
                         .fastest = times.fastest,
                         .details = fmt::format("{} iterations, {}, {}, error {:.1e}", result.iterations,
                                                to_string(result.reason), details, error),
                         .forward = error});
    }

    Executor const& exec_;
    char const* suite_;
    bool quick_;
    std::string name_{};
    csr<double> a_;
    csr_operator<Executor, double> op_;
    buffer<double> truth_, b_, x_, zero_;
    std::vector<row> rows_{};
};

} // namespace coppice::bench
