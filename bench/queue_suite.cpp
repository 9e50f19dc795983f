// SPDX-License-Identifier: BSD-3-Clause
// Suite `queues`: the systems of Table 2 of Yang, Li and Li (2017) to 1e-7 by HBISA (on-chip and by passes), Krylov
// methods and elimination, with the iterations of Table 3 for comparison; single source for both executors. On the host
// also by the banded elimination of LAPACK.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/peers/lapack.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/queue_chain.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/queueing/hbisa.hpp>

namespace coppice::bench {
namespace {

std::int64_t concurrent_systems(host_executor const&) { return 20; }
[[maybe_unused]] std::int64_t concurrent_systems(cuda_executor const&) { return 1000; }

std::string printed(int iterations) {
    if (iterations == 0) return "";
    return iterations > 0 ? fmt::format(", printed {}", iterations) : ", printed: does not converge";
}

struct queue_problem {
    std::string name;
    csr<double> matrix;
    std::int64_t block;
    std::int64_t systems;
    cloud_case const* table;
};

/// `times` uncoupled copies of the same system.
csr<double> repeated(csr<double> const& a, std::int64_t times) {
    if (times == 1) return host_executor{1}.copy(a);
    auto const one = to_coo(host_executor{1}, a);
    auto const n = a.rows();
    coo<double> all{std::int32_t(n * times), std::int32_t(n * times)};
    for (std::int32_t s = 0; s < times; ++s)
        for (std::size_t k = 0; k < one.values.size(); ++k)
            all.add(s * n + one.row_indices[k], s * n + one.column_indices[k], one.values[k]);
    return to_csr(host_executor{1}, std::move(all));
}

template <class Executor>
class measured_queue {
public:
    measured_queue(options const& o, Executor const& exec, queue_problem const& p)
        : options_(o), exec_(exec), problem_(p), a_(exec.copy(p.matrix)), op_(exec, a_.view()),
          b_(exec.copy(std::vector<double>(std::size_t(a_.rows()), 1.0))),
          zero_(exec.copy(std::vector<double>(std::size_t(a_.rows()), 0.0))), x_(exec, a_.rows()) {}

    /// On-chip, with each system assigned to one worker for all sweeps, and by passes.
    void hbisa_with(block_sweep sweep, std::string const& method, int table) {
        hbisa_in(-1, sweep, method, table);
        hbisa_in(0, sweep, method + ", passes", 0);
    }
    void hbisa_in(std::int64_t bytes, block_sweep sweep, std::string const& method, int table) {
        hbisa<Executor, double> const solver(exec_, a_.view(),
                                             {.sweep = sweep,
                                              .storage = {.block = problem_.block},
                                              .systems = problem_.systems,
                                              .tolerance = 1e-7,
                                              .resident_bytes = bytes});
        std::vector<hbisa_result> r;
        auto const time = timed([&] { r = solver.solve(exec_, b_.view(), x_.view()); });
        add(method, time,
            fmt::format("{} iterations{}{}{}", r[0].iterations,
                        r[0].converged ? "" : fmt::format(", {}", to_string(r[0].reason)), printed(table),
                        bytes == 0 ? "" : fmt::format(", {} workers a system", solver.resident_members())));
    }
    void krylov_with(char const* method, std::string const& preconditioner, int table) {
        auto const m = make_preconditioner(exec_, preconditioner, a_.view());
        krylov_result r;
        auto const time = timed([&] {
            r = solve(exec_, method, op_, m, b_.view(), x_.view(), {.tolerance = 1e-7, .max_iterations = 5000});
        });
        add(fmt::format("coppice {}, {}", method, preconditioner), time,
            fmt::format("{} iterations{}{}", r.iterations, r.converged ? "" : fmt::format(", {}", to_string(r.reason)),
                        printed(table)));
    }
    void lapack() {
        auto const& a = problem_.matrix;
        int const n = a.rows();
        int reach = 0;
        for (std::int32_t i = 0; i < n; ++i)
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                reach = std::max(reach, std::abs(a.column_indices()[k] - i));
        int const leading = 3 * reach + 1;
        std::vector<double> bands(std::size_t(leading) * std::size_t(n)), work, x;
        std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
        for (std::int32_t i = 0; i < n; ++i)
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
                auto const j = a.column_indices()[k];
                bands[std::size_t(j) * std::size_t(leading) + std::size_t(2 * reach + i - j)] += a.values()[k];
            }
        lapack_int info = 0;
        auto const time = measure(
            repetitions(),
            [&](int) {
                work = bands;
                x.assign(std::size_t(n), 1.0);
            },
            [&](int) { info = gbsv(n, reach, work.data(), pivots.data(), x.data()); });
        add("LAPACK dgbsv", time, info == 0 ? "elimination with partial pivoting" : fmt::format("info {}", info));
    }
    std::vector<row> take() { return std::move(rows_); }

private:
    int repetitions() const { return options_.quick ? 1 : 5; }
    timing timed(std::function<void()> const& work) {
        return measure(
            repetitions(),
            [&](int) {
                exec_.copy_elements(zero_.data(), x_.data(), x_.size());
                exec_.synchronize();
            },
            [&](int) {
                work();
                exec_.synchronize();
            });
    }
    void add(std::string const& method, timing const& time, std::string const& details) {
        rows_.push_back({"queues", backend_of(exec_), problem_.name, method, "", a_.rows(), a_.nonzeros(), time.median,
                         time.fastest, 0, 0, details});
    }

    options const& options_;
    Executor exec_;
    queue_problem const& problem_;
    csr<double> a_;
    csr_operator<Executor, double> op_;
    buffer<double> b_, zero_, x_;
    std::vector<row> rows_{};
};

template <class Executor>
void measure_queue(table& t, options const& o, Executor const& exec, queue_problem const& p) {
    measured_queue<Executor> m(o, exec, p);
    bool const alone = p.systems == 1;
    m.hbisa_with(block_sweep::jacobi, "coppice HBISA, Eq. 6", alone ? p.table->hbisa : 0);
    m.hbisa_with(block_sweep::gauss_seidel, "coppice HBISA, Eq. 7", 0);
    if (alone) m.krylov_with("cg", "none", p.table->cg);
    m.krylov_with("bicgstab", "none", alone ? p.table->bicgstab : 0);
    m.krylov_with("bicgstab", fmt::format("hbisa,block={},order=gauss-seidel", p.block), 0);
    m.krylov_with("bicgstab", "tridiagonal", 0);
    m.krylov_with("bicgstab", std::is_same_v<Executor, host_executor> ? "ilu0" : "isai", 0);
    if (alone && std::is_same_v<Executor, host_executor>) m.lapack();
    t.add(m.take());
}

template <class Executor>
void queue_suite(table& t, options const& o, Executor const& exec) {
    for (cloud_case const& c : cloud_cases()) {
        if (o.quick && c.queue.servers > 100) continue;
        auto const one = queue_matrix<double>(host_executor{1}, c.queue);
        if (t.wants(c.name)) measure_queue(t, o, exec, {std::string(c.name), repeated(one, 1), c.queue.places, 1, &c});
        std::int64_t const systems = o.quick ? 3 : concurrent_systems(exec);
        auto const batch = fmt::format("{} x {}", systems, c.name);
        if (c.queue.servers == 100 && c.queue.places == 16 && t.wants(batch))
            measure_queue(t, o, exec, {batch, repeated(one, systems), c.queue.places, systems, &c});
    }
}

} // namespace

void queues_host(table& t, options const& o) { queue_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void queues_cuda(table& t, options const& o) { queue_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
