// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/eigen_peer.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

namespace coppice::bench {

using eigen_matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

struct eigen_cg::problem {
    eigen_matrix a;
    Eigen::VectorXd b, x;
    Eigen::ConjugateGradient<eigen_matrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> solver{};
};

eigen_cg::eigen_cg(csr_view<double> a, std::vector<double> const& b, int threads)
    : problem_(new problem{
          Eigen::Map<eigen_matrix const>(a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, a.coefficients),
          Eigen::Map<Eigen::VectorXd const>(b.data(), Eigen::Index(b.size())),
          {}}) {
    Eigen::setNbThreads(threads);
    problem_->solver.setTolerance(0);
    problem_->solver.compute(problem_->a);
}
eigen_cg::~eigen_cg() = default;

void eigen_cg::run(int iterations) {
    problem_->solver.setMaxIterations(iterations);
    problem_->x = problem_->solver.solve(problem_->b);
}

} // namespace coppice::bench
