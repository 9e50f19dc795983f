// SPDX-License-Identifier: BSD-3-Clause
// The example of README.md, word for word.
// clang-format off
// [begin]
#include <coppice/generators.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <iostream>

int main() {
    coppice::host_executor exec;                                        // or cuda_executor, with exec.copy(matrix)
    auto a = coppice::generate(exec, "aniso2", {.nx = 500});            // or read_matrix_market<double>(exec, "a.mtx")
    auto b = exec.copy(std::vector<double>(a.rows(), 1.0));
    auto x = exec.copy(std::vector<double>(a.rows(), 0.0));
    auto forest = coppice::make_preconditioner(exec, "forest", a.view());
    auto result = coppice::solve(exec, "bicgstab", coppice::csr_operator(exec, a.view()), forest, b.view(), x.view());
    std::cout << result.iterations << " iterations, residual " << result.relative_residual << "\n";
}
// [end]
