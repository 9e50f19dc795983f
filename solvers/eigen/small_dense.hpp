// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Eigenvalues of small symmetric matrices on the host.
#pragma once

#include <vector>

namespace coppice::inline v0_1::eigen_detail {

/// Dense matrix, column-major.
struct small_matrix {
    int rows = 0, columns = 0;
    std::vector<double> elements{};

    small_matrix() = default;
    small_matrix(int r, int c) : rows(r), columns(c), elements(std::size_t(r) * std::size_t(c), 0.0) {}
    double& operator()(int i, int j) { return elements[std::size_t(j) * std::size_t(rows) + std::size_t(i)]; }
    double operator()(int i, int j) const { return elements[std::size_t(j) * std::size_t(rows) + std::size_t(i)]; }
};
small_matrix product(small_matrix const& a, small_matrix const& b);
small_matrix transposed_product(small_matrix const& a, small_matrix const& b); ///< A^T B

/// Eigenvalues, increasing, and orthonormal eigenvectors of a symmetric matrix.
struct small_eigenpairs {
    std::vector<double> values;
    small_matrix vectors;
};
/// By cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, section 8.5): accurate, O(n^3) for some ten
/// sweeps.
small_eigenpairs symmetric_eigenpairs(small_matrix a);

/// The pairs of H y = lambda G y for symmetric H and a positive semidefinite G, in the range of G: directions in which
/// the scaled G is below `dependent` are left out. Vectors are G-orthonormal; increasing eigenvalues.
small_eigenpairs projected_eigenpairs(small_matrix const& h, small_matrix const& g, double dependent);

} // namespace coppice::inline v0_1::eigen_detail
