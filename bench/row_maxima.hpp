// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The four applications of section 3.6.2 of the source thesis, for the suites `spmv` of both backends.
#pragma once

#include <coppice/semiring/spmv/arg_max.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

namespace coppice::bench {

/// ⊗ of max1-with-column: j a_ij.
template <class T, class I>
struct column_times_coefficient {
    COPPICE_HD T operator()(T const& value, I const& column) const { return T(column) * value; }
};
/// ⊗ of max1: a_ij.
template <class T>
struct coefficient {
    COPPICE_HD T operator()(T const& value) const { return value; }
};
template <class T>
struct store_value {
    T* y;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { y[row] = sum; }
};
/// Writes the columns of the N largest, y[rows * N].
template <int N, class T, class I>
struct store_columns {
    I* y;
    COPPICE_HD void operator()(std::int64_t row, largest_n<N, T, I> const& sum) const {
        COPPICE_UNROLL
        for (int i = 0; i < N; ++i) y[row * N + i] = sum.best[i].column;
    }
};

/// max_j a_ij.
template <executor Executor, class T, class I, class O>
void max1(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a, array_view<T> y) {
    reduce_rows(exec, plan, along_nonzeros{coefficient<T>{}, a.coefficients}, add_max<T>{}, store_value<T>{y.data()});
}
/// max_j j a_ij.
template <executor Executor, class T, class I, class O>
void max1_with_column(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a, array_view<T> y) {
    reduce_rows(exec, plan, along_nonzeros{column_times_coefficient<T, I>{}, a.coefficients, a.indices}, add_max<T>{},
                store_value<T>{y.data()});
}
/// Columns of the N largest coefficients: arg_max1 (N = 1) and arg_max2 (N = 2); y[rows * N].
template <int N, executor Executor, class T, class I, class O>
void arg_max(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a, array_view<I> y) {
    reduce_rows(exec, plan, along_nonzeros{coppice::detail::coefficient_and_column<T, I>{}, a.coefficients, a.indices},
                add_arg_max_n<N, T, I>{}, store_columns<N, T, I>{y.data()});
}

} // namespace coppice::bench
