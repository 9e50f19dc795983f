// SPDX-License-Identifier: BSD-3-Clause
// Suite `tridiagonal` on the host: Coppice, LAPACK gtsv, a plain Thomas loop; fresh data in every repetition, since a
// repeated system lets the branch predictor learn LAPACK's pivots.
#include <cmath>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/peers/lapack.hpp"
#include "bench/problems/random_bands.hpp"
#include <coppice/algebra/generate/tridiagonal_gallery.hpp>
#include <coppice/solvers/direct/interface/tridiagonal_solver.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>

namespace coppice::bench {
namespace {

/// The plain Thomas algorithm: no pivoting, one division per row.
template <class T>
void thomas(tridiagonal_view<T> a, T const* d, T* x, T* scratch) {
    std::int64_t const n = a.size();
    T pivot = T(1) / a.diagonal[0];
    scratch[0] = a.upper[0] * pivot;
    x[0] = d[0] * pivot;
    for (std::int64_t i = 1; i < n; ++i) {
        pivot = T(1) / (a.diagonal[i] - a.lower[i] * scratch[i - 1]);
        scratch[i] = a.upper[i] * pivot;
        x[i] = (d[i] - a.lower[i] * x[i - 1]) * pivot;
    }
    for (std::int64_t i = n - 2; i >= 0; --i) x[i] -= scratch[i] * x[i + 1];
}

template <class T>
struct system {
    buffer<T> lower, diagonal, upper, rhs;
    system(host_executor const& exec, std::int64_t n)
        : lower(exec, n), diagonal(exec, n), upper(exec, n), rhs(exec, n) {}
    tridiagonal_view<T> view() const { return {lower.size(), lower.data(), diagonal.data(), upper.data()}; }

    /// Matrix 1 of Table 4 (all bands uniform in (-1, 1)) and a random right-hand side, new for every seed.
    void draw(host_executor const& exec, std::uint64_t seed) {
        bench::draw(exec, lower, 4 * seed);
        bench::draw(exec, diagonal, 4 * seed + 1);
        bench::draw(exec, upper, 4 * seed + 2);
        bench::draw(exec, rhs, 4 * seed + 3);
    }
};

template <class T>
void measure_size(table& t, options const& o, std::int64_t n, int max_threads) {
    host_executor const all(o.threads);
    char const* const type = sizeof(T) == 8 ? "double" : "float";
    std::string const problem = fmt::format("matrix 1, 2^{}, {}", int(std::log2(double(n)) + 0.5), type);
    if (!t.wants(problem)) return;
    system<T> s(all, n);
    buffer<T> x(all, n), scratch(all, n);
    buffer<std::byte> workspace(all, tridiagonal_workspace<T>(n));
    auto const fresh = [&](int repetition) { s.draw(all, std::uint64_t(repetition) + 1); };
    int const repetitions = o.quick ? 3 : 25;
    std::vector<row> rows;
    auto const add = [&](std::string const& method, timing const& time, double elements) {
        rows.push_back({"tridiagonal", "host", problem, method, "", n, 0, time.median, time.fastest,
                        elements * double(n) * sizeof(T), 0,
                        fmt::format("{:.1f} MRows/s", double(n) / time.median * 1e-6),
                        fmt::format("one system, matrix 1, {}", type), "rows", double(n)});
    };
    for (int threads = 1; threads <= max_threads; threads = threads < max_threads ? max_threads : threads + 1) {
        host_executor const exec(threads);
        for (auto const& [pivot, name] :
             {std::pair{pivoting::partial, "partial"}, std::pair{pivoting::scaled_partial, "scaled partial"},
              std::pair{pivoting::none, "no"}}) {
            add(fmt::format("coppice RPTS, {} pivoting, {} thread{}", name, threads, threads > 1 ? "s" : ""),
                measure(repetitions, fresh,
                        [&, kind = pivot](int) {
                            solve_tridiagonal(exec, s.view(), s.rhs.view(), x.view(), workspace.view(),
                                              {.pivot = kind});
                        }),
                9);
        }
    }
    add("LAPACK gtsv, 1 thread",
        measure(repetitions, fresh,
                [&](int) { // overwrites its input, which is therefore drawn before each call
                    gtsv(lapack_int(n), 1, s.lower.data() + 1, s.diagonal.data(), s.upper.data(), s.rhs.data(),
                         lapack_int(n));
                }),
        0);
    add("Thomas loop without pivoting, 1 thread",
        measure(repetitions, fresh, [&](int) { thomas(s.view(), s.rhs.data(), x.data(), scratch.data()); }), 0);
    t.add(std::move(rows));
}

} // namespace

void tridiagonal_host(table& t, options const& o) {
    int const max_threads = host_executor(o.threads).threads();
    for (int const power : o.quick ? std::vector<int>{12} : std::vector<int>{12, 16, 20, 23}) {
        measure_size<double>(t, o, std::int64_t(1) << power, max_threads);
        measure_size<float>(t, o, std::int64_t(1) << power, max_threads);
    }
    tridiagonal_small_host(t, o);
    tridiagonal_classes_host(t, o);
}

} // namespace coppice::bench
