// SPDX-License-Identifier: BSD-3-Clause
// Solves A x = b for a sparse matrix built from triplets, with the forest preconditioner, on a GPU if there is one.
#include <coppice/csr.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include <iostream>
#include <vector>

/// Diffusion on a grid of n x n points, with a coefficient 100 times larger in one direction.
coppice::csr<double> diffusion(coppice::host_executor const& exec, int n) {
    double const along = 100, across = 1;
    coppice::coo<double> entries{.rows = n * n, .columns = n * n};
    for (int i = 0; i < n * n; ++i) {
        entries.add(i, i, 2 * along + 2 * across);
        if (i % n > 0) entries.add(i, i - 1, -along);
        if (i % n < n - 1) entries.add(i, i + 1, -along);
        if (i >= n) entries.add(i, i - n, -across);
        if (i < n * n - n) entries.add(i, i + n, -across);
    }
    return coppice::to_csr(exec, entries);
}

/// Single implementation for all executors: matrix and vectors are copied to the memory of the executor.
template <class Executor>
coppice::krylov_result solve_on(Executor const& exec, coppice::csr<double> const& matrix, std::vector<double> const& b,
                                std::vector<double>& x) {
    auto const a = exec.copy(matrix);
    auto const rhs = exec.copy(b);
    auto solution = exec.copy(x);
    auto const forest = coppice::make_preconditioner(exec, "forest", a.view());
    auto const result = coppice::solve(exec, "bicgstab", coppice::csr_operator(exec, a), forest, rhs.view(),
                                       solution.view(), {.tolerance = 1e-8});
    x = to_vector(exec, solution);
    return result;
}

int main() {
    coppice::host_executor const host;
    auto const a = diffusion(host, 200);
    std::vector<double> const b(std::size_t(a.rows()), 1.0);
    std::vector<double> x(b.size(), 0.0);
#if defined(COPPICE_HAS_CUDA)
    auto const result =
        coppice::cuda_device_count() > 0 ? solve_on(coppice::cuda_executor{}, a, b, x) : solve_on(host, a, b, x);
#else
    auto const result = solve_on(host, a, b, x);
#endif
    std::cout << a.rows() << " unknowns, " << result.iterations << " iterations, relative residual "
              << result.relative_residual << " (" << coppice::to_string(result.reason) << ")\n";
    return result.converged ? 0 : 1;
}
