// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse LU and Cholesky factorisations of a matrix in host memory, by Eigen (SparseLU, SimplicialLDLT).
#pragma once

#include <complex>
#include <cstdint>
#include <memory>

#include <coppice/algebra/csr.hpp>

namespace coppice::inline v0_1 {

enum class sparse_direct_method { automatic, cholesky, lu };

struct sparse_direct_options {
    sparse_direct_method method = sparse_direct_method::automatic;
    double max_gigabytes = 0;  ///< of the factors; 0: half of the memory that is available
    double max_operations = 0; ///< of the factorisation; 0: any number
};

/// Whether this build has the sparse direct solver (Eigen was found when it was configured).
bool has_sparse_direct();

namespace detail {

/// What a factorisation found.
struct factor_report {
    bool cholesky = false;           ///< L D L^H instead of L U
    double nonzeros = 0;             ///< of the factors
    double estimated_nonzeros = 0;   ///< before the factorisation, from the pattern of A + A^T, or of A^T A
    double estimated_operations = 0; ///< multiplications and additions, as above
};

/// Factorisation P (R A C) Q = L U, or P A P^T = L D L^H, in double precision. R and C are powers of two that make the
/// largest magnitude of each row and column about 1.
template <class S>
class sparse_factors {
public:
    /// Factorises `a`, in host memory, with sorted rows without duplicates; reads its arrays only during the call.
    /// `automatic`: Cholesky if the matrix is symmetric with a positive diagonal and all pivots are
    /// positive, else LU with partial pivoting. Throws argument_error if the build lacks Eigen, matrix_error if an
    /// estimate exceeds its limit, matrix_error for a zero pivot (the matrix is singular to working precision) or, if
    /// Cholesky is requested, for a matrix that is not positive definite.
    sparse_factors(csr_view<S> a, sparse_direct_options const& options);
    ~sparse_factors();
    sparse_factors(sparse_factors&&) noexcept;
    sparse_factors& operator=(sparse_factors&&) noexcept;

    /// Factorises new values on the same pattern; reuses the ordering. If it throws, the object cannot solve until a
    /// refactorisation succeeds.
    void refactor(csr_view<S> a);
    /// x = A^-1 b, in place: n elements.
    void solve(S* x);
    factor_report report() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

extern template class sparse_factors<double>;
extern template class sparse_factors<std::complex<double>>;

} // namespace detail
} // namespace coppice::inline v0_1
