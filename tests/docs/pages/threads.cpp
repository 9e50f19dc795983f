// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/threads.md; regions between the markers are in the page word for word.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <coppice/bfs.hpp>
#include <coppice/generators.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

namespace {

/// One of many independent problems.
std::vector<double> rhs_of(int problem, std::size_t n) {
    std::vector<double> b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = double((i * 7 + std::size_t(problem) * 13) % 11) - 5;
    return b;
}

// [begin]
/// Many independent problems: one thread each. The matrix is shared; each thread makes the objects that have memory.
std::vector<double> solve_one(coppice::csr_view<double> a, std::vector<double> const& b) {
    coppice::host_executor const exec(1); // works on the calling thread
    coppice::csr_operator const op(exec, a);
    auto const m = coppice::make_preconditioner(exec, "forest", a);
    std::vector<double> x(b.size(), 0.0);
    coppice::solve(exec, "cg", op, m, b, x, {.tolerance = 1e-9});
    return x;
}
// [end]

} // namespace

TEST_CASE("threads: OpenMP and TBB hosts get the results of one thread") {
    coppice::host_executor const exec(2);
    auto const a = coppice::laplace2d<double>(exec, 40, 30);
    int const problems = 8;
    std::vector<std::vector<double>> b, x(8), y(8), expected;
    for (int p = 0; p < problems; ++p) {
        b.push_back(rhs_of(p, 1200));
        expected.push_back(solve_one(a.view(), b.back()));
    }
#if defined(_OPENMP)
    // clang-format off
// [begin]
#pragma omp parallel for schedule(dynamic)
for (int p = 0; p < problems; ++p) x[std::size_t(p)] = solve_one(a.view(), b[std::size_t(p)]);
// [end]
    // clang-format on
    CHECK(x == expected);
#endif
    // clang-format off
// [begin]
tbb::parallel_for(0, problems, [&](int p) { y[std::size_t(p)] = solve_one(a.view(), b[std::size_t(p)]); });
// [end]
    // clang-format on
    CHECK(y == expected);
}

TEST_CASE("threads: one large problem inside of a parallel program, and the same bits for any number of threads") {
    // clang-format off
// [begin]
tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4); // all of oneTBB in this process
coppice::host_executor const two(2), all;                                         // 2 threads; all cores
// [end]
    // clang-format on
    auto const a = coppice::laplace2d<double>(all, 60, 50);
    auto const b = rhs_of(3, 3000);
    auto const one = solve_one(a.view(), b);
    for (auto const& exec : {two, all}) {
        std::vector<double> x(b.size(), 0.0);
        auto const m = coppice::make_preconditioner(exec, "forest", a.view());
        coppice::solve(exec, "cg", coppice::csr_operator(exec, a.view()), m, b, x, {.tolerance = 1e-9});
        CHECK(x == one);
    }
    // Inside of a task of the host program, too.
    std::vector<std::int32_t> levels[4];
    tbb::parallel_for(0, 4, [&](int i) { levels[i] = coppice::to_vector(two, coppice::bfs(two, a, 0).levels); });
    for (auto const& l : levels) CHECK(l == coppice::to_vector(all, coppice::bfs(all, a, 0).levels));
}

TEST_CASE("threads: a shared preconditioner reports concurrent use, unless it is shareable") {
    coppice::host_executor const exec(1);
    auto const a = coppice::laplace2d<double>(exec, 40, 30);
    auto const jacobi = coppice::make_preconditioner(exec, "jacobi", a.view());
    auto const b = rhs_of(1, 1200);
    std::vector<std::vector<double>> z(8, std::vector<double>(1200));
    tbb::parallel_for(0, 8, [&](int i) { jacobi.apply(exec, b, z[std::size_t(i)]); });
    for (auto const& one : z)
        for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == doctest::Approx(b[i] / 4));

    // A solver object has memory for one solve: a second solve with it while one runs is refused.
    auto const forest = coppice::make_preconditioner(exec, "forest", a.view());
    coppice::csr_operator const op(exec, a.view());
    coppice::cg<coppice::host_executor, double>* running = nullptr;
    std::vector<double> x(b.size(), 0.0), other(b.size(), 0.0);
    int refused = 0;
    coppice::krylov_options options{.tolerance = 1e-9};
    options.progress = [&](std::int64_t iteration, double) {
        if (iteration != 1) return true;
        std::thread([&] {
            try {
                running->solve(op, forest, b, other);
            } catch (coppice::argument_error const&) {
                ++refused;
            }
        }).join();
        return true;
    };
    coppice::cg<coppice::host_executor, double> solver(exec, a.rows(), options);
    running = &solver;
    CHECK(solver.solve(op, forest, b, x).converged);
    CHECK(refused == 1);
    CHECK(x == solve_one(a.view(), b));
}
