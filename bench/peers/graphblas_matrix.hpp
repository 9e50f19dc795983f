// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SuiteSparse:GraphBLAS as a peer of the sparse algebra on the host, behind a small C++ face.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::bench {

/// A square matrix held by SuiteSparse:GraphBLAS by rows, and what is measured of it. Every operation makes its result
/// anew and is finished when it returns.
class graphblas_matrix {
public:
    graphblas_matrix(csr_view<double> a, int threads);
    ~graphblas_matrix();
    graphblas_matrix(graphblas_matrix const&) = delete;
    graphblas_matrix& operator=(graphblas_matrix const&) = delete;

    /// A A over "plus-times" or "min-plus"; `masked`: where A has entries.
    void square(std::string const& semiring, bool masked = false);
    /// A A over a user-defined semiring: pairs of the largest product and how many products there were.
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
    /// Makes what assign() needs: a copy of A to write to, and A(list, list) to write.
    void prepare_assign(std::vector<std::int64_t> const& list);
    /// C(list, list) = B, for the matrices that prepare_assign() has made.
    void assign(std::vector<std::int64_t> const& list);
    std::int64_t entries() const; ///< of the last result

private:
    struct state;
    state* state_;
};

} // namespace coppice::bench
