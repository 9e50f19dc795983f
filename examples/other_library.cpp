// SPDX-License-Identifier: BSD-3-Clause
// Uses a preconditioner of another library, whose apply() has no executor argument.
#include <coppice/csr.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include <iostream>
#include <span>
#include <tuple>
#include <vector>

namespace other {

/// Replaces a preconditioner of another library, with the interface of AMGCL: it is constructed from the
/// number of rows and ranges of offsets, columns and values of the caller, and applied to ranges: `apply(rhs, x)`. One
/// sweep of Gauss-Seidel with ascending rows, then one with descending rows.
class gauss_seidel {
public:
    template <class Offsets, class Columns, class Values>
    explicit gauss_seidel(std::tuple<std::size_t, Offsets, Columns, Values> const& a)
        : rows_(std::get<0>(a)), offsets_(std::get<1>(a).begin(), std::get<1>(a).end()),
          columns_(std::get<2>(a).begin(), std::get<2>(a).end()),
          values_(std::get<3>(a).begin(), std::get<3>(a).end()) {}

    template <class Rhs, class X>
    void apply(Rhs const& rhs, X&& x) const {
        for (auto& e : x) e = 0;
        for (std::size_t i = 0; i < rows_; ++i) relax(i, rhs, x);
        for (std::size_t i = rows_; i-- > 0;) relax(i, rhs, x);
    }

private:
    template <class Rhs, class X>
    void relax(std::size_t i, Rhs const& rhs, X& x) const {
        double sum = rhs[i], diagonal = 1;
        for (auto k = std::size_t(offsets_[i]); k < std::size_t(offsets_[i + 1]); ++k) {
            auto const j = std::size_t(columns_[k]);
            if (j == i)
                diagonal = values_[k];
            else
                sum -= values_[k] * x[j];
        }
        x[i] = sum / diagonal;
    }

    std::size_t rows_;
    std::vector<std::int32_t> offsets_, columns_;
    std::vector<double> values_;
};

} // namespace other

using coppice::array_view;
using coppice::host_executor;

/// Adapts a preconditioner with apply(rhs, x). For AMGCL, `P` is amgcl::amg<...> or
/// amgcl::relaxation::as_preconditioner<...>, and the ranges are amgcl::make_iterator_range(r.begin(), r.end()).
template <class P>
struct of_other_library {
    P const& preconditioner;

    void apply(host_executor const&, array_view<double const> r, array_view<double> z) const {
        preconditioner.apply(std::span(r.begin(), r.end()), std::span(z.begin(), z.end()));
    }
};

int main() {
    host_executor const exec;
    int const n = 60;
    coppice::coo<double> grid{.rows = n * n, .columns = n * n};
    for (int i = 0; i < n * n; ++i) {
        grid.add(i, i, 4);
        if (i % n > 0) grid.add(i, i - 1, -1), grid.add(i - 1, i, -1);
        if (i >= n) grid.add(i, i - n, -1), grid.add(i - n, i, -1);
    }
    auto const a = coppice::to_csr(exec, grid);
    coppice::csr_operator<host_executor, double> const op(exec, a);

    // The other library uses the arrays of our matrix without a copy.
    auto const theirs =
        std::tuple(std::size_t(a.rows()), a.row_offsets().view(), a.column_indices().view(), a.values().view());
    other::gauss_seidel const smoother(theirs);
    of_other_library<other::gauss_seidel> const m{smoother};

    std::vector<double> const b(std::size_t(n) * n, 1.0);
    std::vector<double> x(b.size(), 0.0), y(b.size(), 0.0);
    auto const with = coppice::solve(exec, "cg", op, m, b, x, {.tolerance = 1e-10});
    auto const without = coppice::solve(exec, "cg", op, coppice::identity_preconditioner{}, b, y, {.tolerance = 1e-10});
    std::cout << with.iterations << " iterations with it, " << without.iterations << " without\n";
    return with.converged && without.converged && with.iterations < without.iterations ? 0 : 1;
}
