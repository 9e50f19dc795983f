// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One problem of the suite `tridiagonal` on the host: its rows in the table, and LAPACK's band storage.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/peers/lapack.hpp"
#include "bench/problems/random_bands.hpp"
#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::bench {

/// Title of a sweep, its axis, and the value of a problem on that axis; empty for a single problem.
struct sweep {
    std::string chart{}, axis{};
    double at = 0;
};

/// Measures several methods on one problem; collects a row of the result table for each.
class host_problem {
public:
    host_problem(table& t, options const& o, std::string name, std::int64_t rows, sweep s = {})
        : table_(t), name_(std::move(name)), rows_(rows), sweep_(std::move(s)), repetitions_(o.quick ? 3 : 25),
          max_threads_(host_executor(o.threads).threads()) {}
    ~host_problem() { table_.add(std::move(results_)); }
    host_problem(host_problem const&) = delete;

    /// Measures the function that `make(executor)` returns, on one thread and on all threads.
    template <class Prepare, class Make>
    void coppice(std::string const& method, Prepare const& prepare, Make const& make) {
        for (int threads = 1; threads <= max_threads_; threads = threads < max_threads_ ? max_threads_ : threads + 1) {
            host_executor const exec(threads);
            peer(fmt::format("coppice {}, {} thread{}", method, threads, threads > 1 ? "s" : ""), prepare, make(exec));
        }
    }
    template <class Prepare, class Work>
    void peer(std::string const& method, Prepare const& prepare, Work&& work) {
        timing const time = measure(
            repetitions_, [&](int r) { prepare(std::uint64_t(r) + 1); }, [&](int) { work(); });
        results_.push_back({"tridiagonal", "host", name_, method, "", rows_, 0, time.median, time.fastest, 0, 0,
                            fmt::format("{:.1f} MRows/s", double(rows_) / time.median * 1e-6), sweep_.chart,
                            sweep_.axis, sweep_.at});
    }

private:
    table& table_;
    std::string name_;
    std::int64_t rows_;
    sweep sweep_;
    int repetitions_, max_threads_;
    std::vector<row> results_;
};

/// Storage of LAPACK's gbsv with random entries; only its shape affects the time.
template <class T>
struct lapack_bands {
    std::int64_t n;
    int reach;
    buffer<T> ab, b;
    std::vector<lapack_int> pivots;

    lapack_bands(host_executor const& exec, std::int64_t rows, int r)
        : n(rows), reach(r), ab(exec, rows * (3 * r + 1)), b(exec, rows), pivots(std::size_t(rows)) {}
    void draw(host_executor const& exec, std::uint64_t seed) {
        bench::draw(exec, ab, seed);
        bench::draw(exec, b, seed + 1000);
    }
    void solve() { gbsv(lapack_int(n), reach, ab.data(), pivots.data(), b.data()); }
};

template <class T>
char const* type_name() {
    return sizeof(T) == 8 ? "double" : "float";
}

/// A solve with a workspace and, if `reported` is set, reports that it owns.
template <class T>
auto solver(host_executor const& exec, band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
            band_options const& o = {}, bool reported = false) {
    return [=, &exec, space = buffer<std::byte>(exec, bands_workspace(exec, a, x.columns, o, reported)),
            reports = buffer<solve_report>(exec, reported ? a.systems : 0)]() mutable {
        solve_bands(exec, a, d, x, space.view(), o, reports.view());
    };
}
template <class T>
auto solver(host_executor const& exec, band_matrix<T> const& a, buffer<T> const& d, buffer<T>& x,
            band_options const& o = {}, bool reported = false) {
    return solver<T>(exec, a, columns_view<T const>(d.view()), columns_view<T>(x.view()), o, reported);
}

} // namespace coppice::bench
