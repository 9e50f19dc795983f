// SPDX-License-Identifier: BSD-3-Clause
// Solves a batch of a thousand cyclic block tridiagonal systems, with a report of the error of each. One of them is
// singular, which its report states; the other solutions are not affected.
#include <coppice/banded.hpp>

#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    coppice::host_executor const exec;
    std::int64_t const systems = 1000, length = 24; // number of systems, and block rows of each system
    int const n = 2;                                // rows of a block
    coppice::block_tridiagonal<double> a(exec, systems * length, n);
    for (std::int64_t row = 0; row < systems * length; ++row) {
        bool const broken = row / length == 123; // this system has only zeros
        for (int k = 0; k < n * n; ++k) {        // blocks are column-major
            bool const on_diagonal = k % (n + 1) == 0;
            a.lower[row * n * n + k] = a.upper[row * n * n + k] = broken ? 0 : -1;
            a.diagonal[row * n * n + k] = broken ? 0 : on_diagonal ? 5.0 + double(row / length) / 1000 : 0.5;
        }
    }

    std::vector<double> const d(std::size_t(a.size()), 1.0);
    std::vector<double> x(d.size());
    std::vector<coppice::solve_report> reports(static_cast<std::size_t>(systems));
    auto const all = coppice::band_matrix<double>::batch(coppice::band_matrix<double>(a), systems);
    coppice::solve_bands(exec, all, {coppice::array_view(d)}, {coppice::array_view(x)}, {.cyclic = true}, reports);

    std::int64_t solved = 0;
    double worst = 0;
    for (auto const& report : reports)
        if (report.status == coppice::solve_status::ok) {
            ++solved;
            worst = std::max(worst, report.backward_error);
        }
    bool const told = reports[123].status == coppice::solve_status::singular;
    std::cout << solved << " of " << systems << " solved, backward error at most " << worst << "; system 123 is "
              << (told ? "singular" : "not called singular") << "\n";
    return solved == systems - 1 && told ? 0 : 1;
}
