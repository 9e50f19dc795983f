// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solution of sparse systems in host memory: bands, Cholesky, LU (Eigen), SuiteSparse by name.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/error.hpp>

namespace coppice::inline v0_1 {

/// klu, umfpack and cholmod need a build with SuiteSparse (COPPICE_SUITESPARSE), cudss a CUDA executor and the library
/// cuDSS at run time.
enum class sparse_direct_method { automatic, cholesky, lu, klu, umfpack, cholmod, cudss };
/// Order of rows and columns for LU.
enum class sparse_direct_order {
    automatic, ///< the one with the smallest estimate of operations
    symmetric, ///< minimum degree of A + A^T; the pivot is the diagonal if it is at least a tenth of the column
    matched,   ///< the same after a permutation of the rows that maximises the product of the diagonal
    columns    ///< minimum degree of A^T A, with partial pivoting
};

namespace detail {
struct known_orders;
} // namespace detail

struct sparse_direct_options {
    sparse_direct_method method = sparse_direct_method::automatic;
    sparse_direct_order order = sparse_direct_order::automatic;
    double max_gigabytes = 0;  ///< of the factors; 0: half of the memory that is available, on a device 9/10
    double max_operations = 0; ///< of the factorisation on one core; 0: any number. Of automatic solves on a device
                               ///< sixty times as many
    /// Orders that attempts with other limits found for the same matrix: each is computed once. See
    /// make_known_orders().
    std::shared_ptr<detail::known_orders> orders{};
};

/// Thrown if a factorisation is estimated to take more than sparse_direct_options::max_operations.
class operations_error : public matrix_error {
public:
    using matrix_error::matrix_error;
};

/// Whether this build has the sparse direct solver (Eigen was found when it was configured).
bool has_sparse_direct();
/// Whether this build has KLU, UMFPACK and CHOLMOD.
bool has_suitesparse();
/// Whether the library cuDSS is found on this machine: libcudss.so.1 of the system, or the file that the environment
/// variable COPPICE_CUDSS names ("off": none). Solvers on CUDA then factorise on the device. Loads it at the first
/// call.
bool has_cudss();

namespace detail {

/// Properties of a factorisation, for the report.
struct factor_report {
    bool bands = false;              ///< a band matrix, perhaps after a permutation
    bool cholesky = false;           ///< L D L^H instead of L U
    bool matched = false;            ///< LU after a permutation of the rows that maximises the diagonal
    double nonzeros = 0;             ///< of the factors
    double estimated_nonzeros = 0;   ///< before the factorisation
    double estimated_operations = 0; ///< multiplications and additions, as above
};

std::shared_ptr<known_orders> make_known_orders();
/// Operations that cuDSS has estimated for this matrix; 0: none yet.
double& operations_of_cudss(known_orders& known);

/// Factorisation P (R A C) Q = L U, or P A P^T = L D L^H, in double precision. R and C are powers of two that make the
/// largest magnitude of each row and column about 1.
template <class S>
class sparse_factors {
public:
    /// Most bands on either side for which the band solver is used.
    static constexpr int max_bands = 8;

    /// Factorises `a`, in host memory, with sorted rows without duplicates; reads its arrays only during the call.
    /// `automatic`: the band solver if there are at most max_bands bands on either side, as they are or in a reverse
    /// Cuthill-McKee order. Otherwise Cholesky of the lower half if the matrix is symmetric up to rounding with a
    /// positive diagonal and all pivots are positive, else LU in the order for which the estimate of the fill is
    /// smallest. Checks interruption::current().
    ///
    /// Throws argument_error if the build lacks Eigen or the named library; matrix_error if an estimate exceeds its
    /// limit, for a matrix that is singular to working precision (a zero pivot, or all rows or columns of a connected
    /// component sum to zero up to rounding), for a structurally singular matrix, and, if a method is requested, for a
    /// matrix that is not suited.
    sparse_factors(csr_view<S> a, sparse_direct_options const& options);
    ~sparse_factors();
    sparse_factors(sparse_factors&&) noexcept;
    sparse_factors& operator=(sparse_factors&&) noexcept;

    /// Factorises new values on the same pattern; reuses the orders. If it throws, the object cannot solve until a
    /// refactorisation succeeds.
    void refactor(csr_view<S> a);
    /// x = A^-1 b, in place: n elements.
    void solve(S* x);
    /// x = A^-T b, in place: n elements. Complex values are not conjugated.
    void solve_transposed(S* x);
    factor_report report() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

extern template class sparse_factors<double>;
extern template class sparse_factors<std::complex<double>>;

} // namespace detail
} // namespace coppice::inline v0_1
