// SPDX-License-Identifier: BSD-3-Clause
// Multicolour Gauss-Seidel of docs/guide/semiring.md; the page contains the regions between the markers word for word.
#include <coppice/csr.hpp>
#include <coppice/generators.hpp>

#include <cmath>
#include <iostream>
// [begin]
#include <coppice/spmv.hpp>

struct off_diagonal { // ⊗: a_ij x_j for j != i; takes the row
    double const* values;
    std::int32_t const* columns;
    double const* x;
    COPPICE_HD double operator()(std::int64_t k, std::int64_t row) const {
        return columns[k] == row ? 0.0 : values[k] * x[columns[k]];
    }
};
struct relax { // x_i = (b_i - sum) / a_ii
    double const* b;
    double const* diagonal;
    double* x;
    COPPICE_HD void operator()(std::int64_t row, double sum) const { x[row] = (b[row] - sum) / diagonal[row]; }
};
// [end]

int main() {
    coppice::host_executor exec;
    int const n = 20; // a 5-point grid in red-black order: first the points with even x + y
    auto const grid = coppice::laplace2d<double>(exec, n, n);
    std::vector<std::int32_t> red_black;
    std::vector<std::int64_t> first{0};
    for (int colour : {0, 1}) {
        for (int i = 0; i < n * n; ++i)
            if ((i % n + i / n) % 2 == colour) red_black.push_back(i);
        first.push_back(std::int64_t(red_black.size()));
    }
    auto const order = exec.copy(red_black);
    auto const a = coppice::permute(exec, grid.view(), order.view());
    auto const diagonal = coppice::extract_diagonal(exec, a.view());
    auto const b = exec.copy(std::vector<double>(std::size_t(n * n), 1.0));
    auto x = exec.copy(std::vector<double>(std::size_t(n * n), 0.0));
    int const colours = 2, sweeps = 600;
    // clang-format off
// [begin]
auto plan = coppice::make_srcsr_plan(exec, a.view());
for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int c = 0; c < colours; ++c)  // rows [first[c], first[c + 1]) have colour c
        coppice::reduce_rows(exec, plan, coppice::row_range{first[c], first[c + 1]},
                             off_diagonal{a.values().data(), a.column_indices().data(), x.data()},
                             coppice::add_plus<double>{}, relax{b.data(), diagonal.data(), x.data()});
// [end]
coppice::buffer<double> product(exec, n * n); // indented like the loop, to show that it follows it
    // clang-format on
    coppice::spmv(exec, plan, a.view(), x.view(), product.view());
    double residual = 0;
    for (int i = 0; i < n * n; ++i) residual = std::fmax(residual, std::abs(b[i] - product[i]));
    if (residual > 1e-4) std::cerr << "residual " << residual << "\n";
    return residual <= 1e-4 ? 0 : 1;
}
