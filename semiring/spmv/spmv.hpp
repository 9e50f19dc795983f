// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse matrix-vector products over a semiring.
#pragma once

#include <string>
#include <string_view>

#include <coppice/core/memory_range.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/operators/stored_value.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice {
namespace detail {

/// ⊗ of a semiring at one nonzero.
template <class Semiring, class T, class I, class X = T>
struct multiply_element {
    Semiring s;
    X const* x;
    COPPICE_HD COPPICE_ALWAYS_INLINE auto operator()(T const& value, I const& column) const {
        return s.multiply(value, read_only(x + column), std::int64_t(column));
    }
};

template <class Semiring, class Y>
struct store_result {
    Semiring s;
    Y* y;
    template <class Sum>
    COPPICE_HD void operator()(std::int64_t row, Sum const& sum) const {
        require_wide_result<Semiring, std::remove_cvref_t<decltype(s.result(sum))>, Y>();
        y[row] = static_cast<Y>(s.result(sum));
    }
};

/// a_ij x_j in the arithmetic of both.
template <class T, class I, class X>
struct multiply_stored {
    X const* x;
    COPPICE_HD COPPICE_ALWAYS_INLINE product_sum_t<T, X> operator()(T const& value, I const& column) const {
        return stored_value<T>::load(value) * stored_value<X>::load(read_only(x + column));
    }
};

/// y = beta y + alpha sum; beta = 0 does not read y, so that what it holds, NaN included, does not matter.
template <class Y, class Sum>
struct store_scaled {
    Y* y;
    Sum alpha;
    Sum beta;
    COPPICE_HD Sum fetch(std::int64_t row) const {
        return beta == Sum(0) ? Sum(0) : static_cast<Sum>(stored_value<Y>::load(y[row]));
    }
    COPPICE_HD void operator()(std::int64_t row, Sum const& sum, Sum const& old) const {
        stored_value<Y>::store(y[row], beta == Sum(0) ? alpha * sum : beta * old + alpha * sum);
    }
    COPPICE_HD void operator()(std::int64_t row, Sum const& sum) const { (*this)(row, sum, fetch(row)); }
#if defined(__CUDACC__)
    static constexpr bool adds_atomically =
        std::is_same_v<Y, Sum> && (std::is_same_v<Y, float> || std::is_same_v<Y, double>);
    __device__ void open(std::int64_t row) const requires adds_atomically {
        y[row] = beta == Y(0) ? Y(0) : beta * y[row];
    }
    __device__ void join(std::int64_t row, Sum const& part) const requires adds_atomically {
        atomicAdd(y + row, alpha * part);
    }
#endif
};

template <class T, class I, class O, class P, class X, class Y>
void require_spmv_sizes(srcsr_plan<P> const& plan, csr_view<T, I, O> const& a, array_view<X> x, array_view<Y> y) {
    require_size("rows of the plan", plan.rows(), a.rows());
    require_size("nonzeros of the plan", plan.nonzeros, static_cast<std::int64_t>(a.nonzeros()));
    require_arrays(a);
    require_size("length of x", x, a.columns());
    require_size("length of y", y, a.rows());
    require_apart(range_of("x", x), range_of("y", y), "matrix-vector product: ");
    require_apart(range_of("the array of values", a.values()), range_of("y", y), "matrix-vector product: ");
}

} // namespace detail

/// What `alpha`, `beta` and the sums of spmv are: float for two-byte floats, std::complex for complex types, else what
/// a product of a coefficient and an element of x is.
template <class T, class X>
using spmv_scalar_t = typename detail::scalar_of<detail::product_sum_t<T, X>>::type;

/// y = result(⊕_j multiply(a_ij, x_j)) over `s`, row by row. Shapes x[columns], y[rows]; y overlaps neither x nor the
/// values. Matrix and vectors may be of different types, as far as `s` takes them; a semiring narrower than one of them
/// does not compile, except by allow_rounding(s). Throws dimension_error where sizes disagree, argument_error for an
/// overlap or a null pointer. On CUDA returns when the work is queued.
template <executor Executor, semiring Semiring, class T, class I, class O, class X, class Y>
void semiring_spmv(Executor const& exec, srcsr_plan<O> const& plan, Semiring const& s, csr_view<T, I, O> a,
                   array_view<X const> x, array_view<Y> y) {
    static_assert(!std::is_const_v<Y>, "y of semiring_spmv is written");
    detail::require_spmv_sizes(plan, a, x, y);
    using multiply = detail::multiply_element<Semiring, T, I, X>;
    reduce_rows(exec, plan, along_nonzeros{multiply{s, x.data()}, a.coefficients, a.indices}, s.add,
                detail::store_result<Semiring, Y>{s, y.data()});
}

/// y = beta y + alpha A x (Eq. 19). Shapes x[columns], y[rows]; y overlaps neither x nor the values; beta = 0 does not
/// read y.
///
/// Values, x and y may be of different types: float, double, integers, std::complex of float or double, and for storage
/// float16 and bfloat16. Sums, alpha and beta are of spmv_scalar_t and are rounded once, to the type of y. Complex
/// products follow the plain formula, without the second look at infinities that std::complex takes. Throws
/// dimension_error where sizes disagree, argument_error for an overlap or a null pointer. On CUDA returns when the work
/// is queued.
template <executor Executor, class T, class I, class O, class X, class Y>
void spmv(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a, array_view<X const> x, array_view<Y> y,
          std::type_identity_t<spmv_scalar_t<T, X>> alpha = spmv_scalar_t<T, X>(1),
          std::type_identity_t<spmv_scalar_t<T, X>> beta = spmv_scalar_t<T, X>(0)) {
    static_assert(!std::is_const_v<Y>, "y of spmv is written");
    detail::require_spmv_sizes(plan, a, x, y);
    using sum = detail::product_sum_t<T, X>;
    using scalar = detail::stored_value<spmv_scalar_t<T, X>>;
    using multiply = detail::multiply_stored<T, I, X>;
    along_nonzeros const along{multiply{x.data()}, a.coefficients, a.indices};
    detail::store_scaled<Y, sum> const store{y.data(), scalar::load(alpha), scalar::load(beta)};
    if constexpr (std::is_same_v<T, X> && std::is_same_v<X, Y> && std::is_floating_point_v<T>)
        detail::reduce_rows_as_tuned(exec, plan, along, add_plus<sum>{}, store);
    else
        reduce_rows(exec, plan, along, add_plus<sum>{}, store);
}

// The same where x could be written to, too.
template <executor Executor, semiring Semiring, class T, class I, class O, class X, class Y>
requires(!std::is_const_v<X>) void semiring_spmv(Executor const& exec, srcsr_plan<O> const& plan, Semiring const& s,
                                                 csr_view<T, I, O> a, array_view<X> x, array_view<Y> y) {
    semiring_spmv(exec, plan, s, a, array_view<X const>(x), y);
}
template <executor Executor, class T, class I, class O, class X, class Y, class... Scalars>
requires(!std::is_const_v<X>) void spmv(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a,
                                        array_view<X> x, array_view<Y> y, Scalars... alpha_beta) {
    spmv(exec, plan, a, array_view<X const>(x), y, alpha_beta...);
}

/// semiring_spmv over the semiring of that name (semiring_names); the one place where a name becomes a type.
template <executor Executor, class T>
void semiring_spmv(Executor const& exec, srcsr_plan<std::int32_t> const& plan, std::string_view name, csr_view<T> a,
                   std::type_identity_t<array_view<T const>> x, std::type_identity_t<array_view<T>> y);

/// What a product by name leaves in y[rows] where there is more to it: y_i = w_i ⊕ y_i where the mask admits i, else
/// w_i. Without w (empty), y_i stays, and where the mask leaves it out it becomes the result of a row without nonzeros.
/// An empty mask admits all. dimension_error where lengths disagree, argument_error for w with a semiring whose results
/// are indices. y may be w or the mask.
template <executor Executor, class T>
void join_result(Executor const& exec, std::string_view name, std::type_identity_t<array_view<T const>> mask,
                 bool complement, std::type_identity_t<array_view<T const>> w, array_view<T> y);

#define COPPICE_SPMV_OF(EXTERN, EXECUTOR, T, X)                                                                        \
    EXTERN template void spmv(EXECUTOR const&, srcsr_plan<std::int32_t> const&, csr_view<T>, array_view<X const>,      \
                              array_view<X>, spmv_scalar_t<T, X>, spmv_scalar_t<T, X>)
#define COPPICE_SPMV_INSTANCES(EXTERN, EXECUTOR, T)                                                                    \
    COPPICE_SPMV_OF(EXTERN, EXECUTOR, T, T);                                                                           \
    EXTERN template srcsr_plan<std::int32_t> make_srcsr_plan(EXECUTOR const&, csr_view<T>, srcsr_options const&)
#define COPPICE_SPMV_ALL(EXTERN, EXECUTOR)                                                                             \
    COPPICE_SPMV_INSTANCES(EXTERN, EXECUTOR, float);                                                                   \
    COPPICE_SPMV_INSTANCES(EXTERN, EXECUTOR, double);                                                                  \
    COPPICE_SPMV_OF(EXTERN, EXECUTOR, std::complex<float>, std::complex<float>);                                       \
    COPPICE_SPMV_OF(EXTERN, EXECUTOR, std::complex<double>, std::complex<double>);                                     \
    COPPICE_SPMV_OF(EXTERN, EXECUTOR, float16, float);                                                                 \
    COPPICE_SPMV_OF(EXTERN, EXECUTOR, bfloat16, float)

COPPICE_SPMV_ALL(extern, host_executor);
#if defined(COPPICE_HAS_CUDA)
COPPICE_SPMV_ALL(extern, cuda_executor);
#endif

} // namespace coppice
