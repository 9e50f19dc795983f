// SPDX-License-Identifier: BSD-3-Clause
// Suite `parts`: distributed systems, products, factors, forests and graph algorithms, with one rank per device or per
// fraction of the cores, compared with a single executor. Single source for both kinds of executors.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/analytics_over_ranks.hpp"
#include "bench/bench.hpp"
#include "bench/over_ranks.hpp"
#include <coppice/algebra/random.hpp>
#include <coppice/core/cuda/device_group.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/solvers/direct/interface/tridiagonal_solver.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
#include <coppice/solvers/distributed/bands/distributed_tridiagonal.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>

namespace coppice::bench {
namespace {

double random_element(std::int64_t i, std::uint64_t stream) {
    return random_stream(stream, 3).uniform(std::uint64_t(i), -1.0, 1.0);
}

/// `n` random elements with period 2^22, which does not affect the time of a solver.
template <class Executor>
buffer<double> random_buffer(Executor const& exec, std::int64_t n, std::uint64_t stream) {
    constexpr std::int64_t chunk = std::int64_t(1) << 22;
    std::vector<double> some(std::size_t(std::min(n, chunk)));
    for (std::size_t i = 0; i < some.size(); ++i) some[i] = random_element(std::int64_t(i), stream);
    buffer<double> all(exec, n);
    for (std::int64_t at = 0; at < n; at += chunk)
        exec.copy_elements(some.data(), all.data() + at, std::min(chunk, n - at));
    return all;
}

struct random_bands {
    buffer<double> lower, diagonal, upper, d, x;
    template <class Executor>
    random_bands(Executor const& exec, std::int64_t n)
        : lower(random_buffer(exec, n, 1)), diagonal(random_buffer(exec, n, 2)), upper(random_buffer(exec, n, 3)),
          d(random_buffer(exec, n, 4)), x(exec, n) {}
    tridiagonal_view<double> view() const { return {d.size(), lower.data(), diagonal.data(), upper.data()}; }
};

/// A stencil of 5, 7 or 27 points on a grid of nx x ny x nz points; fill() makes the rows [first, last).
struct stencil {
    int points;
    std::int64_t nx, ny, nz;

    std::int64_t rows() const { return nx * ny * nz; }
    void fill(std::int64_t first, std::int64_t last, std::vector<std::int32_t>& offsets,
              std::vector<std::int32_t>& columns, std::vector<double>& values) const {
        offsets = {0};
        offsets.reserve(std::size_t(last - first) + 1);
        columns.reserve(std::size_t((last - first) * points));
        values.reserve(columns.capacity());
        for (std::int64_t i = first; i < last; ++i) {
            std::int64_t const x = i % nx, y = i / nx % ny, z = i / (nx * ny);
            for (std::int64_t dz = -1; dz <= 1; ++dz)
                for (std::int64_t dy = -1; dy <= 1; ++dy)
                    for (std::int64_t dx = -1; dx <= 1; ++dx) {
                        if (points != 27 && dx * dx + dy * dy + dz * dz > 1) continue;
                        if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny || z + dz < 0 || z + dz >= nz)
                            continue;
                        columns.push_back(std::int32_t(i + dx + nx * (dy + ny * dz)));
                        values.push_back(dx == 0 && dy == 0 && dz == 0 ? points - 1.0 : -1.0);
                    }
            offsets.push_back(std::int32_t(columns.size()));
        }
    }
};

template <class Executor>
distributed_csr<Executor, double> rows_of_stencil(Executor const& exec, rank_communicator const& comm,
                                                  stencil const& s) {
    std::int64_t const p = comm.rank(), ranks = comm.ranks();
    std::vector<std::int32_t> offsets, columns;
    std::vector<double> values;
    s.fill(s.rows() * p / ranks, s.rows() * (p + 1) / ranks, offsets, columns, values);
    return distributed_csr<Executor, double>(exec, comm, offsets, columns, values);
}

template <class Executor>
void tridiagonal_over_ranks(table& t, options const& o, Executor const& exec) {
    bool const host = std::is_same_v<Executor, host_executor>;
    int const strong = o.quick ? 14 : host ? 22 : 27;
    for (bool const weak : {false, true})
        for (bool const checked : {false, true}) {
            auto const rows = [=](int ranks) {
                return weak ? (std::int64_t(1) << (strong - 1)) * ranks : std::int64_t(1) << strong;
            };
            over_ranks<Executor>(t, exec,
                                 weak ? fmt::format("tridiagonal double 2^{} rows each", strong - 1)
                                      : fmt::format("tridiagonal double 2^{} rows", strong),
                                 checked ? "RPTS in parts with report" : "RPTS in parts", weak, rows,
                                 5 * sizeof(double),
                                 [=](Executor const& rank_exec, rank_communicator const& comm) -> measured {
                                     std::int64_t const n = rows(comm.ranks()) / comm.ranks();
                                     random_bands bands(rank_exec, n);
                                     solve_report report{};
                                     if (checked) {
                                         auto const time = time_over_ranks(comm, o.quick ? 3 : 15, [&] {
                                             report = solve_tridiagonal_distributed(rank_exec, comm, bands.view(),
                                                                                    bands.d.view(), bands.x.view());
                                         });
                                         return {time, fmt::format("backward error {:.0e}, {} tries",
                                                                   report.backward_error, report.tries)};
                                     }
                                     if (comm.ranks() == 1) { // the solver of one executor
                                         buffer<std::byte> workspace(rank_exec, tridiagonal_workspace<double>(n));
                                         return {time_over_ranks(comm, o.quick ? 3 : 15, [&] {
                                             solve_tridiagonal(rank_exec, bands.view(), bands.d.view(), bands.x.view(),
                                                               workspace.view());
                                             rank_exec.synchronize();
                                         })};
                                     }
                                     distributed_rpts<double, Executor> solver(rank_exec, comm, bands.view());
                                     return {time_over_ranks(comm, o.quick ? 3 : 15, [&] {
                                         solver.solve(bands.d.view(), bands.x.view());
                                         rank_exec.synchronize();
                                     })};
                                 });
        }
}

#if defined(COPPICE_HAS_CUDA)
/// A system that is larger than the memory of one device.
void large_tridiagonal(table& t, options const& o, cuda_executor const& exec) {
    int const ranks = cuda_device_count();
    std::string const problem = "tridiagonal double, 1.5 devices' memory";
    if (ranks < 2 || o.quick || !t.wants(problem)) return;
    std::int64_t const bytes = std::int64_t(1.5 * double(device_memory(exec)));
    std::int64_t const n = bytes / std::int64_t(5 * sizeof(double)) / ranks;
    row r;
    multi_executor<cuda_executor>(executors(exec, ranks))
        .run([&](cuda_executor const& rank_exec, rank_communicator const& comm) {
            random_bands bands(rank_exec, n);
            solve_report report{};
            auto const time = time_over_ranks(comm, 3, [&] {
                report = solve_tridiagonal_distributed(rank_exec, comm, bands.view(), bands.d.view(), bands.x.view());
            });
            if (comm.rank() != 0) return;
            r.seconds = time.median;
            r.fastest = time.fastest;
            r.details = fmt::format("status {}, backward error {:.0e}, {} tries", int(report.status),
                                    report.backward_error, report.tries);
        });
    r.suite = "parts", r.backend = "cuda", r.problem = problem;
    r.method = fmt::format("coppice RPTS in parts with report, {} parts", ranks);
    r.rows = n * ranks;
    r.bytes = double(r.rows) * 5 * sizeof(double);
    t.add({r});
}
#endif

template <class Executor>
void products_over_ranks(table& t, options const& o, Executor const& exec) {
    bool const host = std::is_same_v<Executor, host_executor>;
    std::int64_t const plane = o.quick ? 60 : host ? 1000 : 4000, cube = o.quick ? 12 : host ? 60 : 160;
    auto const measure = [&](std::function<stencil(int)> const& of, std::string const& problem, bool weak,
                             double bytes_of_row) {
        over_ranks<Executor>(
            t, exec, problem, "product", weak, [=](int ranks) { return of(ranks).rows(); }, bytes_of_row,
            [=](Executor const& rank_exec, rank_communicator const& comm) -> measured {
                auto const a = rows_of_stencil(rank_exec, comm, of(comm.ranks()));
                auto const x = random_buffer(rank_exec, a.size(), 5);
                buffer<double> y(rank_exec, a.size());
                constexpr int together = 10;
                auto time = time_over_ranks(comm, o.quick ? 3 : 25, [&] {
                    for (int k = 0; k < together; ++k) a.apply(rank_exec, x.view(), y.view());
                    rank_exec.synchronize();
                });
                return {{time.median / together, time.fastest / together}, fmt::format("halo {}", a.halo())};
            });
    };
    measure(
        [=](int) {
            return stencil{5, plane, plane, 1};
        },
        fmt::format("5-point {0}^2", plane), false, 5 * 12.0 + 4 + 16);
    measure(
        [=](int ranks) {
            return stencil{27, cube, cube, cube * ranks};
        },
        fmt::format("27-point {0}^3 each", cube), true, 27 * 12.0 + 4 + 16);
}

/// Factors and forests; with one rank by the functions for a single executor.
template <class Executor>
void graphs_over_ranks(table& t, options const& o, Executor const& exec) {
    bool const host = std::is_same_v<Executor, host_executor>;
    std::int64_t const plane = o.quick ? 60 : host ? 1000 : 4000, cube = o.quick ? 12 : host ? 60 : 160;
    factor_options const choice{.degree = 2, .ties = tie_rule::near};
    auto const measure = [&](std::function<stencil(int)> const& of, std::string const& problem, bool weak,
                             std::string const& what) {
        over_ranks<Executor>(
            t, exec, problem, what, weak, [=](int ranks) { return of(ranks).rows(); }, 0,
            [=](Executor const& rank_exec, rank_communicator const& comm) -> measured {
                auto const a = rows_of_stencil(rank_exec, comm, of(comm.ranks()));
                int const repetitions = o.quick ? 1 : 7;
                auto const times = [&](auto const& make_factor, auto const& make_forest) -> measured {
                    auto f = make_factor();
                    if (what == "factor") {
                        auto const time = time_over_ranks(comm, repetitions, [&] { f = make_factor(); });
                        return {time, fmt::format("{} rounds, coverage {:.6f}", f.rounds, f.weight_coverage)};
                    }
                    auto forest = make_forest(f);
                    auto const time = time_over_ranks(comm, repetitions, [&] {
                        forest = make_forest(f);
                        rank_exec.synchronize();
                    });
                    return {time, fmt::format("{} paths, coverage {:.6f}", forest.paths, forest.weight_coverage)};
                };
                if (comm.ranks() == 1) { // the functions for a single executor
                    auto const whole = a.own_block().view();
                    return times([&] { return parallel_factor(rank_exec, whole, choice); },
                                 [&](auto const& f) { return extract_forest(rank_exec, whole, f); });
                }
                distributed_graph<Executor, double> const graph(rank_exec, comm, a);
                return times([&] { return parallel_factor(rank_exec, graph, choice); },
                             [&](auto const& f) { return extract_forest(rank_exec, graph, f); });
            });
    };
    for (std::string const what : {"factor", "forest"}) {
        measure(
            [=](int) {
                return stencil{5, plane, plane, 1};
            },
            fmt::format("graph of 5-point {0}^2", plane), false, what);
        measure(
            [=](int ranks) {
                return stencil{27, cube, cube, cube * ranks};
            },
            fmt::format("graph of 27-point {0}^3 each", cube), true, what);
    }
}

/// The time of a set-up and of its steps, in ms.
std::string show_steps(preconditioner_report const& report) {
    std::string text = fmt::format("set-up {:.1f} ms:", report.setup_seconds * 1e3);
    for (finding const& found : report.findings)
        if (found.unit == finding_unit::seconds)
            text += fmt::format(" {} {:.1f}", found.key.substr(0, found.key.rfind("_seconds")), found.value * 1e3);
    return text;
}

template <class Executor>
void krylov_over_ranks(table& t, options const& o, Executor const& exec) {
    bool const host = std::is_same_v<Executor, host_executor>;
    std::int64_t const cube = o.quick ? 12 : host ? 48 : 200, plane = o.quick ? 40 : host ? 500 : 2000;
    struct distributed_problem {
        std::string name;
        std::function<stencil(int)> of;
        bool weak;
    };
    std::vector<distributed_problem> const problems{{fmt::format("7-point {}^3 each, 1e-8", cube),
                                                     [=](int ranks) {
                                                         return stencil{7, cube, cube, cube * ranks};
                                                     },
                                                     true},
                                                    {fmt::format("5-point {}^2, 1e-8", plane),
                                                     [=](int) {
                                                         return stencil{5, plane, plane, 1};
                                                     },
                                                     false}};
    for (auto const& p : problems)
        for (std::string const preconditioner : {"multilevel", "forest"}) {
            if (preconditioner == "forest" && p.weak) continue;
            over_ranks<Executor>(
                t, exec, p.name, "cg, " + preconditioner, p.weak, [&](int ranks) { return p.of(ranks).rows(); }, 0,
                [&](Executor const& rank_exec, rank_communicator const& comm) -> measured {
                    auto const a = rows_of_stencil(rank_exec, comm, p.of(comm.ranks()));
                    auto const b = random_buffer(rank_exec, a.size(), 6);
                    auto const zero = rank_exec.copy(std::vector<double>(std::size_t(a.size()), 0.0));
                    buffer<double> x(rank_exec, a.size());
                    krylov_result result;
                    double solve_seconds = 0;
                    preconditioner_report report;
                    auto const time = time_over_ranks(comm, o.quick ? 1 : 3, [&] {
                        auto const m = make_distributed_preconditioner(rank_exec, comm, preconditioner, a);
                        report = m.report();
                        rank_exec.copy_elements(zero.data(), x.data(), a.size());
                        rank_exec.synchronize();
                        auto const begin = std::chrono::steady_clock::now();
                        if (comm.ranks() == 1) // the solver of one executor
                            result = solve(rank_exec, "cg", csr_operator(rank_exec, a.own_block().view()), m, b.view(),
                                           x.view(), {.tolerance = 1e-8, .max_iterations = 3000});
                        else
                            result = solve_distributed(rank_exec, comm, "cg", a, m, b.view(), x.view(),
                                                       {.tolerance = 1e-8, .max_iterations = 3000});
                        rank_exec.synchronize();
                        solve_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
                    });
                    return {time, fmt::format("{} iterations{}, solve {:.1f} ms, {}", result.iterations,
                                              result.converged ? "" : " (not converged)", solve_seconds * 1e3,
                                              show_steps(report))};
                });
        }
}

template <class Executor>
void distributed_suite(table& t, options const& o, Executor const& exec) {
    tridiagonal_over_ranks(t, o, exec);
    products_over_ranks(t, o, exec);
    graphs_over_ranks(t, o, exec);
    analytics_over_ranks(t, o, exec);
    krylov_over_ranks(t, o, exec);
}

} // namespace

void distributed_host(table& t, options const& o) { distributed_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void distributed_cuda(table& t, options const& o) {
    cuda_executor const exec;
    distributed_suite(t, o, exec);
    large_tridiagonal(t, o, exec);
}
#endif

} // namespace coppice::bench
