// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conjugate gradients of Eigen, for comparison if CMake finds that library.
#pragma once

#include <memory>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::bench {

/// Eigen's ConjugateGradient without a preconditioner on a symmetric matrix, on `threads` threads by OpenMP.
class eigen_cg {
public:
    eigen_cg(csr_view<double> a, std::vector<double> const& b, int threads);
    ~eigen_cg();
    eigen_cg(eigen_cg const&) = delete;
    eigen_cg& operator=(eigen_cg const&) = delete;

    /// Solves from x = 0 with the given number of iterations.
    void run(int iterations);

private:
    struct problem;
    std::unique_ptr<problem> problem_;
};

} // namespace coppice::bench
