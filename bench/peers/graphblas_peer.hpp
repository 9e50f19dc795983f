// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SuiteSparse:GraphBLAS for comparison with the host SpMV, behind a small C++ interface.
#pragma once

#include <string>

#include <coppice/algebra/csr.hpp>

namespace coppice::bench {

/// A matrix and vectors of float in SuiteSparse:GraphBLAS.
class graphblas_spmv {
public:
    graphblas_spmv(csr_view<float> a, array_view<float const> x, int threads);
    ~graphblas_spmv();
    graphblas_spmv(graphblas_spmv const&) = delete;
    graphblas_spmv& operator=(graphblas_spmv const&) = delete;

    /// w = A u over "plus-times", "min-plus" or "max-second"; completed when it returns.
    void multiply(std::string const& semiring);
    /// w = A u over a user-defined pair type: value and column of the largest a_ij u_j.
    void multiply_arg_max();
    static std::string version();

private:
    struct state;
    state* state_;
};

} // namespace coppice::bench
