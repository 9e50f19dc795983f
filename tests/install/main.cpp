// SPDX-License-Identifier: BSD-3-Clause
// A program that uses the installed package. It prints one line that begins with "solved:" if the result is correct.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/tridiagonal.hpp>

namespace {

/// max |b - A x|, from the definition.
double largest_residual(coppice::csr<double> const& a, std::vector<double> const& x, std::vector<double> const& b) {
    double worst = 0;
    for (int i = 0; i < a.rows(); ++i) {
        double sum = b[std::size_t(i)];
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            sum -= a.values()[k] * x[std::size_t(a.column_indices()[k])];
        worst = std::max(worst, std::abs(sum));
    }
    return worst;
}

template <class Executor>
double solve_on(Executor const& exec, coppice::csr<double> const& a) {
    auto const there = exec.copy(a);
    std::vector<double> const ones(std::size_t(a.rows()), 1.0);
    auto const b = exec.copy(ones);
    auto x = exec.copy(std::vector<double>(ones.size(), 0.0));
    auto const m = coppice::make_preconditioner(exec, "forest", there.view());
    coppice::csr_operator const op(exec, there.view());
    auto const result = coppice::solve(exec, "bicgstab", op, m, b.view(), x.view(), {.tolerance = 1e-9});
    if (!result.converged) return INFINITY;
    return largest_residual(a, to_vector(exec, x), ones);
}

/// -x'' = d by one direct solve: max |A x - d|.
double tridiagonal_residual(std::int64_t n) {
    coppice::host_executor const exec;
    std::vector<double> const off(std::size_t(n), -1.0), mid(std::size_t(n), 2.5), d(std::size_t(n), 1.0);
    std::vector<double> x(d.size());
    coppice::tridiagonal_view<double> const t{n, off.data(), mid.data(), off.data()};
    coppice::solve_tridiagonal(exec, t, {d.data(), n}, {x.data(), n});
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const before = i > 0 ? x[i - 1] : 0, after = i + 1 < x.size() ? x[i + 1] : 0;
        worst = std::max(worst, std::abs(2.5 * x[i] - before - after - 1));
    }
    return worst;
}

} // namespace

int main() {
    try {
        coppice::host_executor const exec{2};
        auto const a = coppice::generate(exec, "aniso2", {.nx = 60, .ny = 60});
        double worst = std::max(solve_on(exec, a), tridiagonal_residual(1000));
#if defined(COPPICE_HAS_CUDA) // set by the package; this compiler need not be nvcc
        if (coppice::cuda_device_count() > 0) worst = std::max(worst, solve_on(coppice::cuda_executor{}, a));
#endif
        std::printf("%s: %d unknowns, largest residual %.1e\n", worst < 1e-6 ? "solved" : "wrong", a.rows(), worst);
        return worst < 1e-6 ? 0 : 1;
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
