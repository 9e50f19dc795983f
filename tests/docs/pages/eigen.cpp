// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/eigen_scipy.md; regions between the markers are in the page word for word.
#if defined(COPPICE_TEST_EIGEN)
#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

// [begin]
#include <Eigen/Sparse>
#include <coppice/eigen.hpp>
#include <coppice/solve.hpp>

/// Solves A x = b for objects of Eigen; nothing is copied.
Eigen::VectorXd solve_with_coppice(Eigen::SparseMatrix<double, Eigen::RowMajor> const& a, Eigen::VectorXd const& b) {
    coppice::host_executor const exec;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size());
    coppice::csr_operator const op(exec, coppice::view_of_eigen(a));
    auto const result =
        coppice::solve(exec, op, coppice::view_of_eigen(b), coppice::view_of_eigen(x), {.tolerance = 1e-10});
    if (!result.converged) throw std::runtime_error(std::string(to_string(result.reason)));
    return x;
}
// [end]

// [begin]
/// A preconditioner of Coppice for the solvers of Eigen: Eigen::BiCGSTAB<row_major, coppice_preconditioner>.
class coppice_preconditioner {
public:
    using matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    using StorageIndex = int;
    enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic };

    coppice_preconditioner() = default;
    template <class A>
    explicit coppice_preconditioner(A const& a) {
        compute(a);
    }
    template <class A>
    coppice_preconditioner& analyzePattern(A const&) {
        return *this;
    }
    template <class A>
    coppice_preconditioner& factorize(A const& a) {
        return compute(a);
    }
    template <class A>
    coppice_preconditioner& compute(A const& a) {
        matrix const rows = a;
        m_.emplace(coppice::make_preconditioner(exec_, "forest", coppice::view_of_eigen(rows)));
        return *this;
    }
    template <class B>
    Eigen::VectorXd solve(Eigen::MatrixBase<B> const& b) const {
        Eigen::VectorXd const r = b;
        Eigen::VectorXd z(r.size());
        m_->apply(exec_, coppice::view_of_eigen(r), coppice::view_of_eigen(z));
        return z;
    }
    Eigen::ComputationInfo info() const { return Eigen::Success; }

private:
    coppice::host_executor exec_;
    std::optional<coppice::any_preconditioner<coppice::host_executor, double>> m_;
};
// [end]

namespace {
namespace eigen_page {

template <int Options>
Eigen::SparseMatrix<double, Options> convection(int n) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i) {
        entries.emplace_back(i, i, 4);
        if (i > 0) entries.emplace_back(i, i - 1, -2);
        if (i + 1 < n) entries.emplace_back(i, i + 1, -1);
        if (i + 9 < n) entries.emplace_back(i, i + 9, -0.5);
    }
    Eigen::SparseMatrix<double, Options> a(n, n);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
}

template <class Call>
std::string message_of(Call const& call) {
    try {
        call();
    } catch (coppice::error const& e) {
        return e.what();
    }
    return "";
}

} // namespace eigen_page
} // namespace

TEST_CASE("eigen: solve without a copy, and with a preconditioner of Coppice in Eigen") {
    auto const a = eigen_page::convection<Eigen::RowMajor>(500);
    Eigen::VectorXd const exact = Eigen::VectorXd::LinSpaced(500, -1, 1);
    Eigen::VectorXd const b = a * exact;
    CHECK((solve_with_coppice(a, b) - exact).norm() < 1e-8 * exact.norm());

    Eigen::BiCGSTAB<Eigen::SparseMatrix<double, Eigen::RowMajor>, coppice_preconditioner> solver(a);
    solver.setTolerance(1e-10);
    Eigen::VectorXd const x = solver.solve(b);
    CHECK(solver.info() == Eigen::Success);
    CHECK((x - exact).norm() < 1e-8 * exact.norm());
}

TEST_CASE("eigen: conversions in both directions keep the matrix") {
    coppice::host_executor const exec(2);
    auto const rows = eigen_page::convection<Eigen::RowMajor>(40);
    auto const by_columns = eigen_page::convection<Eigen::ColMajor>(40);
    Eigen::MatrixXd const dense(rows);
    // clang-format off
// [begin]
auto const a = coppice::csr_of_eigen(exec, by_columns);                 // csr<double>: rows, from either order
auto const t = coppice::transposed_view_of_eigen(by_columns);           // no copy: the rows of the transpose
Eigen::SparseMatrix<double> const c = coppice::to_eigen<Eigen::ColMajor>(exec, a);
Eigen::VectorXd const y = coppice::eigen_map(a) * Eigen::VectorXd::Ones(a.columns());  // no copy of a
// [end]
    // clang-format on
    CHECK(Eigen::MatrixXd(c) == dense);
    CHECK(Eigen::MatrixXd(coppice::eigen_map(t)) == dense.transpose());
    CHECK(Eigen::MatrixXd(coppice::eigen_map(a)) == dense);
    CHECK(y == dense * Eigen::VectorXd::Ones(40));
    auto const from_rows = coppice::csr_of_eigen(exec, rows);
    CHECK(Eigen::MatrixXd(coppice::eigen_map(from_rows)) == dense);
    CHECK(coppice::has_sorted_columns(exec, a.view()));
    CHECK(coppice::view_of_eigen(rows).coefficients == rows.valuePtr());

    Eigen::Map<Eigen::SparseMatrix<double, Eigen::RowMajor> const> const map = coppice::eigen_map(a);
    CHECK(coppice::view_of_eigen(map).indices == a.column_indices().data());

    std::vector<double> numbers{1, 2, 3};
    coppice::eigen_map(coppice::array_view(numbers)) *= 2;
    CHECK(numbers == std::vector<double>{2, 4, 6});
    Eigen::MatrixXd two(3, 2);
    two << 1, 4, 2, 5, 3, 6;
    auto const view = coppice::view_of_eigen(two);
    CHECK(coppice::to_vector(exec, view) == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(coppice::view_of_eigen(two.col(1)).size() == 3);
    Eigen::Map<Eigen::VectorXd const> const borrowed(numbers.data(), 3);
    Eigen::Map<Eigen::VectorXd const> also_borrowed(numbers.data(), 3);
    CHECK(coppice::view_of_eigen(borrowed).data() == numbers.data());
    static_assert(std::is_same_v<decltype(coppice::view_of_eigen(also_borrowed)), coppice::array_view<double const>>);
    static_assert(std::is_same_v<decltype(coppice::view_of_eigen(two)), coppice::array_view<double>>);
}

TEST_CASE("eigen: what has no view is refused, unsorted rows are sorted") {
    using eigen_page::message_of;
    coppice::host_executor const exec(2);
    auto a = eigen_page::convection<Eigen::RowMajor>(40);
    auto const block = a.middleRows(2, 3);
    CHECK(message_of([&] { coppice::view_of_eigen(block); }).find("is a block whose first offset is 7") !=
          std::string::npos);
    Eigen::MatrixXd two(3, 2);
    CHECK(message_of([&] { coppice::view_of_eigen(two.row(0)); }).find("gaps") != std::string::npos);
    a.uncompress();
    CHECK(message_of([&] { coppice::view_of_eigen(a); }).find("makeCompressed()") != std::string::npos);

    std::vector<int> const offsets{0, 2, 3};
    std::vector<int> columns{1, 0, 1};
    std::vector<double> const values{5, 4, 6};
    coppice::csr_view<double> const loose{2, 2, 3, offsets.data(), columns.data(), values.data()};
    Eigen::MatrixXd expected(2, 2);
    expected << 4, 5, 0, 6;
    CHECK(Eigen::MatrixXd(coppice::to_eigen(exec, loose)) == expected);
    columns = {1, 1, 1};
    CHECK(message_of([&] { coppice::to_eigen(exec, loose); }).find("a column twice") != std::string::npos);
}
#endif
