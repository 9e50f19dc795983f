// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SuiteSparse:GraphBLAS for comparison with the sparse algebra on the host, behind a small C++ interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::bench {

/// A square matrix of SuiteSparse:GraphBLAS stored by rows, and the measured operations. Every operation creates a new
/// result and has completed when it returns.
class graphblas_matrix {
public:
    graphblas_matrix(csr_view<double> a, int threads);
    ~graphblas_matrix();
    graphblas_matrix(graphblas_matrix const&) = delete;
    graphblas_matrix& operator=(graphblas_matrix const&) = delete;

    /// A A over "plus-times" or "min-plus"; `masked`: only at the entries of A.
    void square(std::string const& semiring, bool masked = false);
    /// A A over a user-defined semiring: pairs of the largest product and the number of products.
    void square_of_pairs();
    void add_transposed(); ///< A + A^T, element by element
    void multiply_transposed();
    void select_above(double threshold);
    void reduce_rows();
    void reduce_all(); ///< the sum of all entries
    void apply_scaled(double factor);
    void transpose();
    /// A(list, list).
    void extract(std::vector<std::int64_t> const& list);
    /// Prepares assign(): a copy of A as the output, and A(list, list) as the input.
    void prepare_assign(std::vector<std::int64_t> const& list);
    /// C(list, list) = B, for the matrices of prepare_assign().
    void assign(std::vector<std::int64_t> const& list);
    std::int64_t entries() const; ///< of the last result

private:
    struct state;
    state* state_;
};

} // namespace coppice::bench
