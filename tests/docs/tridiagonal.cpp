// SPDX-License-Identifier: BSD-3-Clause
// The example of docs/guide/tridiagonal.md; the page contains the regions between the markers word for word.
#include <cmath>
#include <coppice/banded.hpp>
#include <iostream>

using namespace coppice;

int main() {
    host_executor exec;
    std::int64_t const length = 100;
    // clang-format off
// [begin]
block_tridiagonal<double> a(exec, length, 3); // blocks of 3 x 3, column-major
// [end]
    // clang-format on
    for (auto* band : {&a.lower, &a.diagonal, &a.upper})
        for (std::int64_t i = 0; i < band->size(); ++i)
            (*band)[i] = std::sin(double(i)) + (band == &a.diagonal && i % 9 % 4 == 0 ? 9 : 0);
    buffer<double> d(exec, 3 * length), x(exec, 3 * length);
    for (std::int64_t i = 0; i < d.size(); ++i) d[i] = 1;
    // clang-format off
// [begin]
buffer<solve_report> report(exec, 1);
solve_bands(exec, band_matrix<double>(a), columns_view<double const>(d.view()), columns_view<double>(x.view()),
            {.cyclic = true, .refinements = 1}, report.view());
// [end]
    // clang-format on
    if (report[0].status != solve_status::ok || !(report[0].componentwise_error < 1e-15)) {
        std::cerr << "backward error " << report[0].backward_error << '\n';
        return 1;
    }
    return 0;
}
