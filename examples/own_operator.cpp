// SPDX-License-Identifier: BSD-3-Clause
// Solves a system whose matrix is not stored: the operator is a function, the method is selected by name.
#include <coppice/krylov.hpp>
#include <coppice/parallel.hpp>

#include <cmath>
#include <iostream>
#include <vector>

using coppice::array_view;
using coppice::host_executor;

/// Element of y = x - x'' on an interval with equidistant points.
struct line {
    array_view<double const> x;
    array_view<double> y;

    void operator()(std::int64_t i) const {
        double const before = i > 0 ? x[i - 1] : 0, after = i + 1 < x.size() ? x[i + 1] : 0;
        y[i] = 3 * x[i] - before - after;
    }
};

/// The diagonal of this operator as a preconditioner: any object with apply(exec, r, z) can be one.
struct divide_by_diagonal {
    void apply(host_executor const& exec, array_view<double const> r, array_view<double> z) const {
        coppice::for_each(exec, r.size(), [=](std::int64_t i) { z[i] = r[i] / 3; });
    }
};

int main() {
    host_executor const exec;
    std::int64_t const n = 100000;
    coppice::any_operator<host_executor, double> const a(
        n, [](host_executor const& e, array_view<double const> x, array_view<double> y) {
            coppice::for_each(e, x.size(), line{x, y});
        });

    std::vector<double> const exact(std::size_t(n), 1.0); // the exact solution, to compute the error
    std::vector<double> b(exact.size()), x(exact.size(), 0.0);
    a.apply(exec, exact, b);
    auto const result = coppice::solve(exec, "cg", a, divide_by_diagonal{}, b, x, {.tolerance = 1e-12});

    coppice::for_each(exec, n, [&](std::int64_t i) { x[std::size_t(i)] -= 1; });
    double const error = std::sqrt(coppice::dot(exec, x, x) / double(n));
    std::cout << result.iterations << " iterations, error " << error << "\n";
    return result.converged && error < 1e-10 ? 0 : 1;
}
