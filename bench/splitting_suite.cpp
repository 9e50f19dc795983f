// SPDX-License-Identifier: BSD-3-Clause
// Suite `splittings`: GMRES(20) to 1e-6 with preconditioners made of several forests and with others: set-up,
// application and solve, on stand-ins for the matrices of Table 17 of the source thesis (Figures 34 to 40). One body
// for both executors.
#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/graph_problems.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/solve.hpp>
#if defined(COPPICE_HAS_CUDA)
#include "bench/cusparse_ilu.hpp"
#endif

namespace coppice::bench {
namespace {

char const* backend_of(host_executor const&) { return "host"; }
[[maybe_unused]] char const* backend_of(cuda_executor const&) { return "cuda"; }

std::vector<graph_problem> problems(bool quick) {
    if (quick) return {{"ANISO2 60^2", "aniso2,nx=60"}};
    return {// Figure 36
            {"MODEL2: 27-point 100^3", "laplace27,nx=100"},
            {"ATMOSMODL: convection 114^3, weights 1 2 1", "convection,nx=114,ny=114,nz=114,wy=2"},
            {"MODEL8: 5-point 1000^2", "laplace2d,nx=1000"},
            {"ANISO1 1200^2", "aniso1,nx=1200"},
            {"ANISO2 1200^2", "aniso2,nx=1200"},
            {"G3_CIRCUIT: random resistors 1259^2", "circuit,nx=1259"},
            // Figure 37
            {"GEO_1438: elasticity 78^3", "elasticity,nx=78"},
            {"MODEL4: rotated 30 degrees, 7-point 1000^2", "rotated,nx=1000,angle=30,ratio=0.01,points=7"},
            {"MODEL3: rotated 45 degrees 1001^2", "rotated,nx=1001,angle=45,ratio=0.001"},
            {"MODEL5: regions 1001^2", "regions,nx=1001,angle=45,ratio=0.001"},
            {"MODEL7: rotated 0 degrees 1001^2", "rotated,nx=1001,angle=0,ratio=0.001"},
            // Figure 38
            {"ECOLOGY2: 5-point 999 x 1001", "laplace2d,nx=999,ny=1001"},
            {"ML_GEER: elasticity 79^3, poisson 0.49", "elasticity,nx=79,poisson=0.49"},
            {"TRANSPORT: flow in tetrahedra 117^3", "transport,nx=117"},
            {"THERMAL2: convection 1108^2", "convection,nx=1108"},
            {"HOOK_1498: beam 500 x 32 x 31", "elasticity,nx=500,ny=32,nz=31,poisson=0.4,plate=1"},
            {"AF_SHELL10: plate 500 x 500 x 2", "elasticity,nx=500,ny=500,nz=2,plate=1"},
            // The other grid of direction weights of Table 15
            {"ATMOSMODM: 7-point 110^3, weights 1 40 1", "laplace3d,nx=110,wy=40"}};
}

/// The five schemes of section 5.3.1, alternating directions (Figure 39) and incomplete factors (Figure 40) beside
/// them.
std::vector<std::string> schemes(bool quick, bool plane) {
    std::vector<std::string> all{"jacobi", "diagp_1", "diagp_2", "tridiagonal", "forest", "block-forest"};
    for (std::string const name : {"alt-i", "alt-o", "mos-d", "mos-a"})
        for (int m = quick ? 4 : 2; m <= 4; ++m) all.push_back(fmt::format("{},factors={}", name, m));
    all.emplace_back("mos");
    if (plane) all.emplace_back("adi");
    for (char const* name : {"ilu0", "isai", "isai,power=2"}) all.emplace_back(name);
    return all;
}

buffer<double> sine(std::int64_t n) {
    buffer<double> x(host_memory(), n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = std::sin(16 * 3.14159265358979323846 * double(i) / double(n));
    return x;
}

/// Eq. 80
double forward_error(std::vector<double> const& x, buffer<double> const& truth) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        difference += (x[i] - truth[std::int64_t(i)]) * (x[i] - truth[std::int64_t(i)]);
        size += truth[std::int64_t(i)] * truth[std::int64_t(i)];
    }
    return std::sqrt(difference / size);
}

/// Medians over some runs after one that warms up; a run that is long enough speaks for itself.
constexpr double long_enough = 0.5; // seconds
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

/// One problem: its system, and a row for each way to solve it.
template <class Executor>
class splitting_problem {
public:
    using preconditioner = any_preconditioner<Executor, double>;

    splitting_problem(Executor const& exec, graph_problem const& p, bool quick)
        : exec_(exec), quick_(quick), a_(exec.copy(make_graph_problem<double>(p))), op_(exec, a_.view()),
          truth_(sine(a_.rows())), b_(exec, a_.rows()), x_(exec, a_.rows()),
          zero_(exec.copy(std::vector<double>(std::size_t(a_.rows()), 0.0))) {
        auto const there = exec.copy(truth_);
        op_.apply(exec, there.view(), b_.view());
        name_ = fmt::format("{}, c_diag {:.2f}", p.name, coverages(exec, a_.view()).diagonal_coverage());
    }
    csr_view<double> matrix() const { return a_.view(); }
    std::vector<row>& rows() { return rows_; }

    void measure_scheme(std::string const& scheme, std::function<preconditioner()> const& make) {
        krylov_result result;
        double apply = 0;
        auto const times = time_runs(repetitions(), [&] {
            exec_.copy_elements(zero_.data(), x_.data(), x_.size());
            detail::stopwatch watch(exec_);
            auto const m = make();
            double const setup = watch.lap();
            result = solve(exec_, m.varies() ? "fgmres" : "gmres", op_, m, b_.view(), x_.view(),
                           {.tolerance = 1e-6, .max_iterations = 2000, .restart = 20});
            double const solved = watch.lap();
            if (apply == 0) apply = time_of_apply(m);
            return std::pair(setup, solved);
        });
        add(scheme, times, result,
            fmt::format("set-up {:.2f} ms, apply {:.3f} ms, solve {:.1f} ms", times.setup * 1e3, apply * 1e3,
                        times.solve * 1e3));
    }
    /// What someone gets who has no wishes, and which way that goes.
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
             std::string const& note) {
        double const error = forward_error(to_vector(exec_, x_), truth_);
        rows_.push_back({.suite = "splittings",
                         .backend = backend_of(exec_),
                         .problem = name_,
                         .method = scheme,
                         .rows = x_.size(),
                         .nonzeros = a_.nonzeros(),
                         .seconds = times.total,
                         .fastest = times.fastest,
                         .note = fmt::format("{} iterations, {}, {}, error {:.1e}", result.iterations,
                                             to_string(result.reason), note, error),
                         .forward = error});
    }

    Executor const& exec_;
    bool quick_;
    std::string name_{};
    csr<double> a_;
    csr_operator<Executor, double> op_;
    buffer<double> truth_, b_, x_, zero_;
    std::vector<row> rows_{};
};

template <class Executor>
void splitting_suite(table& t, options const& o, Executor const& exec) {
    for (graph_problem const& p : problems(o.quick)) {
        if (!t.wants(p.name)) continue;
        splitting_problem<Executor> problem(exec, p, o.quick);
        auto const root = std::int64_t(std::lround(std::sqrt(double(problem.matrix().rows()))));
        for (std::string const& scheme : schemes(o.quick, root * root == problem.matrix().rows()))
            problem.measure_scheme(scheme, [&] { return make_preconditioner(exec, scheme, problem.matrix()); });
#if defined(COPPICE_HAS_CUDA)
        if constexpr (std::is_same_v<Executor, cuda_executor>)
            problem.measure_scheme("cuSPARSE ILU(0)", [&] { return cusparse_ilu0(exec, problem.matrix()); });
#endif
        problem.measure_automatic();
        t.add(std::move(problem.rows()));
    }
}

} // namespace

void splittings_host(table& t, options const& o) { splitting_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void splittings_cuda(table& t, options const& o) { splitting_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
