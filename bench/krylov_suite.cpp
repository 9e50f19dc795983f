// SPDX-License-Identifier: BSD-3-Clause
// Suite `krylov`: time of an iteration compared with the time of its memory traffic, single source for both executors;
// on the host also conjugate gradients written as plain loops and those of Eigen.
#include <algorithm>
#include <chrono>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <tbb/parallel_for.h>

#include "bench/bench.hpp"
#if defined(COPPICE_HAS_EIGEN)
#include "bench/peers/eigen_peer.hpp"
#endif
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>

namespace coppice::bench {
namespace {

struct krylov_case {
    char const* method;
    char const* preconditioner;
    double products; ///< products of an iteration
    double vectors;  ///< vectors that an iteration reads and writes at least, apart from the matrix; 0: not counted
};
// Vectors that an iteration reads and writes. CG: 2 for the product, 3 for the residual, 5 for the step. BiCGStab: 3 +
// 2 and 2 for the products, 3 for the half step, 4 for the residual, 7 for the step.
constexpr krylov_case krylov_cases[] = {
    {"cg", "none", 1, 10}, {"bicgstab", "none", 2, 20}, {"gmres", "none", 1, 0}, {"cg", "forest", 1, 0}};

/// Seconds per iteration, from the difference of two runs of different length that alternate, so that the set-up
/// cancels.
timing time_of_iteration(int repetitions, int few, int many, std::function<double(int)> const& run) {
    std::vector<double> seconds;
    run(few);
    for (int r = 0; r < repetitions; ++r) {
        double const shorter = run(few);
        seconds.push_back((run(many) - shorter) / (many - few));
    }
    std::sort(seconds.begin(), seconds.end());
    return {seconds[seconds.size() / 2], seconds.front()};
}

template <class Work>
double seconds_of(Work const& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double random_element(std::int64_t i) { return random_stream(0, 3).uniform(std::uint64_t(i), -1.0, 1.0); }

double matrix_bytes(csr_view<double> a) { return 12.0 * double(a.nonzeros()) + 4.0 * double(a.rows() + 1); }

template <class Executor>
row row_of(Executor const& exec, krylov_case const& c, std::string const& problem, csr_view<double> a,
           csr_operator<Executor, double> const& op, bool quick) {
    std::int64_t const n = a.rows();
    auto const m = make_preconditioner(exec, c.preconditioner, a);
    std::vector<double> right(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = random_element(std::int64_t(i));
    auto const b = exec.copy(right), start = exec.copy(std::vector<double>(right.size(), 0.0));
    buffer<double> x(exec, n);
    krylov_result result;
    auto const run = [&](int iterations) {
        exec.copy_elements(start.data(), x.data(), n);
        exec.synchronize();
        return seconds_of([&] {
            result = solve(exec, c.method, op, m, b.view(), x.view(), {.tolerance = 0, .max_iterations = iterations});
            exec.synchronize();
        });
    };
    int const cycle = 30, few = quick                                                   ? cycle
                                : n > 500000 && std::is_same_v<Executor, host_executor> ? cycle
                                                                                        : 2 * cycle;
    auto const time = time_of_iteration(quick ? 3 : 7, few, 3 * few, run);
    double const bytes = c.vectors > 0 ? c.products * matrix_bytes(a) + 8.0 * c.vectors * double(n) : 0;
    return {"krylov",
            backend_of(exec),
            problem,
            fmt::format("coppice {}, {}", c.method, c.preconditioner),
            "",
            n,
            a.nonzeros(),
            time.median,
            time.fastest,
            bytes,
            0,
            fmt::format("{:.1f} us an iteration{}{}", time.median * 1e6, result.on_device ? ", one CUDA graph" : "",
                        result.iterations == 3 * few ? "" : ", ended early")};
}

template <class Executor>
void krylov_suite(table& t, options const& o, Executor const& exec,
                  std::function<void(std::vector<row>&, csr_view<double>)> const& peers) {
    std::vector<int> const sizes = o.quick ? std::vector<int>{40} : std::vector<int>{100, 300, 1000, 2000};
    for (int const nx : sizes) {
        std::string const problem = fmt::format("5-point {}^2, double", nx);
        if (!t.wants(problem)) continue;
        auto const host_matrix = generate<double>(host_executor{}, "laplace2d", {.nx = nx});
        auto const a = exec.copy(host_matrix);
        csr_operator<Executor, double> const op(exec, a.view());
        std::vector<row> rows;
        for (auto const& c : krylov_cases) rows.push_back(row_of(exec, c, problem, a.view(), op, o.quick));
        if (peers) peers(rows, host_matrix.view());
        t.add(std::move(rows));
    }
}

// --------------------------------------------------------------------------------------------------------- plain loops

/// Textbook CG; each thread has a range of rows.
class plain_cg {
public:
    plain_cg(host_executor const& exec, csr_view<double> a) : exec_(exec), a_(a), n_(a.rows()) {
        for (auto* v : {&x_, &r_, &p_, &q_}) v->resize(std::size_t(n_));
    }
    /// Separate loops for product, dot products and updates, as in libraries of vector expressions.
    void separate(int iterations) {
        start();
        for (int k = 0; k < iterations; ++k) {
            multiply();
            double const alpha = rr_ / sum([&](std::int64_t i) { return p_[at(i)] * q_[at(i)]; });
            each([&](std::int64_t i) { x_[at(i)] += alpha * p_[at(i)]; });
            each([&](std::int64_t i) { r_[at(i)] -= alpha * q_[at(i)]; });
            double const next = sum([&](std::int64_t i) { return r_[at(i)] * r_[at(i)]; });
            double const beta = next / std::exchange(rr_, next);
            each([&](std::int64_t i) { p_[at(i)] = r_[at(i)] + beta * p_[at(i)]; });
        }
    }
    /// The same with the minimum number of loops.
    void fused(int iterations) {
        start();
        for (int k = 0; k < iterations; ++k) {
            double const alpha = rr_ / sum([&](std::int64_t i) {
                                     double y = 0;
                                     for (auto j = a_.offsets[i]; j < a_.offsets[i + 1]; ++j)
                                         y += a_.coefficients[j] * p_[at(a_.indices[j])];
                                     q_[at(i)] = y;
                                     return p_[at(i)] * y;
                                 });
            double const next = sum([&](std::int64_t i) {
                double const r = r_[at(i)] -= alpha * q_[at(i)];
                return r * r;
            });
            double const beta = next / std::exchange(rr_, next);
            each([&](std::int64_t i) {
                x_[at(i)] += alpha * p_[at(i)];
                p_[at(i)] = r_[at(i)] + beta * p_[at(i)];
            });
        }
    }
    /// Bytes per second of x = y + alpha z, the STREAM triad, over vectors larger than all caches.
    double triad(std::int64_t n) {
        std::vector<double> x(at(n)), y(at(n), 0.5), z(at(n), 0.25);
        auto const run = [&](int) {
            over_ranges(n, [&](int, std::int64_t first, std::int64_t last) {
                for (std::int64_t i = first; i < last; ++i) x[at(i)] = y[at(i)] + 0.5 * z[at(i)];
            });
        };
        return 24.0 * double(n) / measure(9, run).median;
    }

private:
    static std::size_t at(std::int64_t i) { return std::size_t(i); }
    void start() {
        rr_ = 0;
        for (std::int64_t i = 0; i < n_; ++i) {
            r_[at(i)] = p_[at(i)] = random_element(i);
            x_[at(i)] = 0;
            rr_ += r_[at(i)] * r_[at(i)];
        }
    }
    template <class Body>
    void over_ranges(std::int64_t n, Body const& body) {
        int const count = exec_.threads();
        auto const one = [&](int t) { body(t, n * t / count, n * (t + 1) / count); };
        if (count == 1) return one(0);
        exec_.run([&] { tbb::parallel_for(0, count, one); });
    }
    template <class F>
    void each(F const& f) {
        over_ranges(n_, [&](int, std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) f(i);
        });
    }
    template <class F>
    double sum(F const& f) {
        std::vector<double> sums(std::size_t(exec_.threads()) * 8);
        over_ranges(n_, [&](int t, std::int64_t first, std::int64_t last) {
            double s = 0;
            for (std::int64_t i = first; i < last; ++i) s += f(i);
            sums[at(t) * 8] = s;
        });
        double all = 0;
        for (double const s : sums) all += s;
        return all;
    }
    void multiply() {
        each([&](std::int64_t i) {
            double y = 0;
            for (auto j = a_.offsets[i]; j < a_.offsets[i + 1]; ++j) y += a_.coefficients[j] * p_[at(a_.indices[j])];
            q_[at(i)] = y;
        });
    }

    host_executor exec_;
    csr_view<double> a_;
    std::int64_t n_;
    std::vector<double> x_{}, r_{}, p_{}, q_{};
    double rr_ = 0;
};

} // namespace

void krylov_host(table& t, options const& o) {
    host_executor const exec(o.threads);
    krylov_suite(t, o, exec, [&](std::vector<row>& rows, csr_view<double> a) {
        plain_cg plain(exec, a);
        auto const add = [&](char const* name, auto const& run) {
            int const few = o.quick ? 10 : 30;
            auto const time =
                time_of_iteration(o.quick ? 3 : 7, few, 3 * few, [&](int k) { return seconds_of([&] { run(k); }); });
            rows.push_back({"krylov", "host", rows.front().problem, name, "coppice cg, none", a.rows(), a.nonzeros(),
                            time.median, time.fastest, matrix_bytes(a) + 80.0 * double(a.rows()), 0,
                            fmt::format("{:.1f} us an iteration", time.median * 1e6)});
        };
        add("plain cg, fused loops", [&](int k) { plain.fused(k); });
        add("plain cg, separate loops", [&](int k) { plain.separate(k); });
#if defined(COPPICE_HAS_EIGEN)
        std::vector<double> right(std::size_t(a.rows()));
        for (std::size_t i = 0; i < right.size(); ++i) right[i] = random_element(std::int64_t(i));
        eigen_cg eigen(a, right, exec.threads());
        add("Eigen cg", [&](int k) { eigen.run(k); });
#endif
        double const triad = plain.triad(o.quick ? a.rows() : std::int64_t(1) << 24);
        rows.front().details += fmt::format("; least traffic at the triad's {:.1f} GB/s: {:.1f} us", triad * 1e-9,
                                            rows.front().bytes / triad * 1e6);
    });
}
#if defined(COPPICE_HAS_CUDA)
void krylov_cuda(table& t, options const& o) { krylov_suite(t, o, cuda_executor{}, {}); }
#endif

} // namespace coppice::bench
