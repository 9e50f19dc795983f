// SPDX-License-Identifier: BSD-3-Clause
/// \file Sparse matrix-vector products over a semiring.
#pragma once

#include <string_view>

#include "semiring/semirings.hpp"
#include "semiring/srcsr.hpp"

namespace coppice {
namespace detail {

/// ⊗ of a semiring at one nonzero.
template <class Semiring, class T, class I>
struct multiply_element {
    Semiring s;
    T const* x;
    COPPICE_HD COPPICE_ALWAYS_INLINE auto operator()(T const& value, I const& column) const {
        return s.multiply(value, read_only(x + column), std::int64_t(column));
    }
};

/// ⊗ of a semiring along a matrix.
template <class Semiring, class T, class I, class O>
auto multiply_along(Semiring const& s, csr_view<T, I, O> const& a, T const* x) {
    return along_nonzeros{multiply_element<Semiring, T, I>{s, x}, a.coefficients, a.indices};
}

template <class Semiring, class T>
struct store_result {
    Semiring s;
    T* y;
    template <class Sum>
    COPPICE_HD void operator()(std::int64_t row, Sum const& sum) const {
        y[row] = s.result(sum);
    }
};

/// y = beta y + alpha sum; beta = 0 does not read y, so that what it holds, NaN included, does not matter.
template <class T>
struct store_scaled {
    T* y;
    T alpha;
    T beta;
    COPPICE_HD T fetch(std::int64_t row) const { return beta == T(0) ? T(0) : y[row]; }
    COPPICE_HD void operator()(std::int64_t row, T const& sum, T const& old) const {
        y[row] = beta == T(0) ? alpha * sum : beta * old + alpha * sum;
    }
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { (*this)(row, sum, fetch(row)); }
#if defined(__CUDACC__)
    __device__ void open(std::int64_t row) const requires std::is_floating_point_v<T> {
        y[row] = beta == T(0) ? T(0) : beta * y[row];
    }
    __device__ void join(std::int64_t row, T const& part) const requires std::is_floating_point_v<T> {
        atomicAdd(y + row, alpha * part);
    }
#endif
};

template <class T, class I, class O, class P>
void require_spmv_sizes(srcsr_plan<P> const& plan, csr_view<T, I, O> const& a, array_view<T const> x, array_view<T> y) {
    require_size("rows of the plan", plan.rows(), a.rows());
    require_size("nonzeros of the plan", plan.nonzeros, static_cast<std::int64_t>(a.nonzeros()));
    require_size("length of x", x.size(), a.columns());
    require_size("length of y", y.size(), a.rows());
    if (x.size() > 0 && y.size() > 0 && x.data() < y.data() + y.size() && y.data() < x.data() + x.size())
        throw argument_error("x and y of a matrix-vector product overlap");
}

} // namespace detail

/// y = result(⊕_j multiply(a_ij, x_j)) over `s`, row by row. Shapes x[columns], y[rows]; x and y must not overlap.
/// Throws dimension_error where sizes disagree. On CUDA returns when the work is queued.
template <executor Executor, semiring Semiring, class T, class I, class O>
void semiring_spmv(Executor const& exec, srcsr_plan<O> const& plan, Semiring const& s, csr_view<T, I, O> a,
                   std::type_identity_t<array_view<T const>> x, std::type_identity_t<array_view<T>> y) {
    detail::require_spmv_sizes(plan, a, x, y);
    reduce_rows(exec, plan, detail::multiply_along(s, a, x.data()), s.add,
                detail::store_result<Semiring, T>{s, y.data()});
}

/// y = beta y + alpha A x (Eq. 19). Shapes x[columns], y[rows]; x and y must not overlap; beta = 0 does not read y.
/// Throws dimension_error where sizes disagree. On CUDA returns when the work is queued.
template <executor Executor, class T, class I, class O>
void spmv(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a,
          std::type_identity_t<array_view<T const>> x, std::type_identity_t<array_view<T>> y,
          std::type_identity_t<T> alpha = T(1), std::type_identity_t<T> beta = T(0)) {
    detail::require_spmv_sizes(plan, a, x, y);
    reduce_rows(exec, plan, detail::multiply_along(plus_times<T>{}, a, x.data()), add_plus<T>{},
                detail::store_scaled<T>{y.data(), alpha, beta});
}

/// semiring_spmv over the semiring of that name (semiring_names); the one place where a name becomes a type.
template <executor Executor, class T>
void semiring_spmv(Executor const& exec, srcsr_plan<std::int32_t> const& plan, std::string_view name, csr_view<T> a,
                   std::type_identity_t<array_view<T const>> x, std::type_identity_t<array_view<T>> y);

#define COPPICE_SPMV_INSTANCES(EXTERN, EXECUTOR, T)                                                                    \
    EXTERN template void spmv(EXECUTOR const&, srcsr_plan<std::int32_t> const&, csr_view<T>, array_view<T const>,      \
                              array_view<T>, T, T);                                                                    \
    EXTERN template void semiring_spmv(EXECUTOR const&, srcsr_plan<std::int32_t> const&, std::string_view,             \
                                       csr_view<T>, array_view<T const>, array_view<T>);                               \
    EXTERN template srcsr_plan<std::int32_t> make_srcsr_plan(EXECUTOR const&, csr_view<T>, srcsr_options const&);

COPPICE_SPMV_INSTANCES(extern, host_executor, float)
COPPICE_SPMV_INSTANCES(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SPMV_INSTANCES(extern, cuda_executor, float)
COPPICE_SPMV_INSTANCES(extern, cuda_executor, double)
#endif

} // namespace coppice
