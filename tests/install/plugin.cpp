// SPDX-License-Identifier: BSD-3-Clause
// A plug-in compiled with hidden visibility: it exports its function and no symbol of the library.
#include <coppice/krylov.hpp>
#include <coppice/matrix_market.hpp>
#include <coppice/preconditioner.hpp>

extern "C" __attribute__((visibility("default"))) int plugin_solve(char const* path, double* x) {
    using namespace coppice;
    host_executor const exec;
    auto const a = read_matrix_market<double>(exec, path);
    csr_operator const op(exec, a);
    auto const m = make_preconditioner(exec, "jacobi", a.view());
    buffer<double> b(exec, a.rows());
    fill(exec, b.view(), 1.0);
    auto const result = solve(exec, "cg", op, m, b.view(), array_view<double>{x, a.rows()}, {.tolerance = 1e-9});
    return int(result.iterations);
}
