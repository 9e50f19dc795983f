// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse matrix-vector products (SpMV) over a semiring.
#pragma once

#include <string>
#include <string_view>

#include <coppice/core/memory_range.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/operators/stored_value.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1 {
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

/// a_ij x_j in the arithmetic type of both.
template <class T, class I, class X>
struct multiply_stored {
    X const* x;
    COPPICE_HD COPPICE_ALWAYS_INLINE product_sum_t<T, X> operator()(T const& value, I const& column) const {
        return product_of(stored_value<T>::load(value), stored_value<X>::load(read_only(x + column)));
    }
};

/// Type of beta y + alpha sum: that of the sum, or complex if y is and the sum is real.
template <class Y, class Sum>
using scaled_sum_t = std::conditional_t<is_complex_pair_v<arithmetic_t<Y>> && !is_complex_pair_v<Sum>,
                                        decltype(product_of(arithmetic_t<Y>{}, Sum{})), Sum>;

/// y = beta y + alpha sum. If beta = 0, y is not read, so that NaN in the old y is not propagated.
template <class Y, class Sum>
struct store_scaled {
    using total = scaled_sum_t<Y, Sum>;
    Y* y;
    Sum alpha;
    Sum beta;
    COPPICE_HD total fetch(std::int64_t row) const {
        return beta == Sum(0) ? total(0) : static_cast<total>(stored_value<Y>::load(y[row]));
    }
    COPPICE_HD void operator()(std::int64_t row, Sum const& sum, total const& old) const {
        if constexpr (std::is_same_v<total, Sum>) {
            stored_value<Y>::store(y[row], beta == Sum(0) ? alpha * sum : beta * old + alpha * sum);
        } else { // both components of y are scaled, the imaginary part of the sum is 0
            using real = typename real_of<total>::type;
            auto const added = static_cast<total>(alpha * sum);
            stored_value<Y>::store(y[row], beta == Sum(0) ? added : static_cast<real>(beta) * old + added);
        }
    }
    COPPICE_HD void operator()(std::int64_t row, Sum const& sum) const { (*this)(row, sum, fetch(row)); }
#if defined(__CUDACC__)
    static constexpr bool adds_atomically =
        std::is_same_v<Y, Sum> && (std::is_same_v<Y, float> || std::is_same_v<Y, double>);
    __device__ void open(std::int64_t row) const requires adds_atomically {
        y[row] = beta == Y(0) ? Y(0) : beta * y[row];
    }
    __device__ void merge(std::int64_t row, Sum const& sum) const requires adds_atomically {
        atomicAdd(y + row, alpha * sum);
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
    require_no_overlap(range_of("x", x), range_of("y", y), "matrix-vector product: ");
    require_no_overlap(range_of("the array of values", a.values()), range_of("y", y), "matrix-vector product: ");
}

} // namespace detail

/// Type of `alpha`, `beta` and the sums of spmv: float for two-byte floats, std::complex for complex types, otherwise
/// the type of the product of a coefficient and an element of x.
template <class T, class X>
using spmv_scalar_t = typename detail::scalar_of<detail::product_sum_t<T, X>>::type;

/// Computes y = result(⊕_j multiply(a_ij, x_j)) over `s` for every row. Shapes x[columns], y[rows]; y overlaps neither
/// x nor the values. Matrix and vectors may have different types that `s` accepts; a semiring narrower than one of them
/// does not compile, except by allow_rounding(s). Throws dimension_error if sizes disagree, argument_error for an
/// overlap or a null pointer. On CUDA the call returns when the work is queued.
template <executor Executor, semiring Semiring, class T, class I, class O, class X, class Y>
void semiring_spmv(Executor const& exec, srcsr_plan<O> const& plan, Semiring const& s, csr_view<T, I, O> a,
                   array_view<X const> x, array_view<Y> y) {
    static_assert(!std::is_const_v<Y>, "y of semiring_spmv is written");
    detail::require_spmv_sizes(plan, a, x, y);
    using multiply = detail::multiply_element<Semiring, T, I, X>;
    reduce_rows(exec, plan, along_nonzeros{multiply{s, x.data()}, a.coefficients, a.indices}, s.add,
                detail::store_result<Semiring, Y>{s, y.data()});
}

/// Computes y = beta y + alpha A x (Eq. 19). Shapes x[columns], y[rows]; y overlaps neither x nor the values. If beta =
/// 0, y is not read.
///
/// Values, x and y may have different types: float, double, integers, std::complex of float or double, and for storage
/// float16 and bfloat16. y is complex if the product is; a real product may be stored in a complex y. Sums, alpha and
/// beta are of type spmv_scalar_t; the result is rounded once, to the type of y. Complex products use the textbook
/// formula, without the correction for infinities of std::complex. Throws dimension_error if sizes disagree,
/// argument_error for an overlap or a null pointer. On CUDA the call returns when the work is queued. `workspace` as
/// for reduce_rows: without it complex products on CUDA allocate and cannot be captured into a graph.
template <executor Executor, class T, class I, class O, class X, class Y>
void spmv(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a, array_view<X const> x, array_view<Y> y,
          std::type_identity_t<spmv_scalar_t<T, X>> alpha = spmv_scalar_t<T, X>(1),
          std::type_identity_t<spmv_scalar_t<T, X>> beta = spmv_scalar_t<T, X>(0),
          array_view<std::byte> workspace = {}) {
    static_assert(!std::is_const_v<Y>, "y of spmv is written");
    static_assert(detail::is_complex_pair_v<detail::arithmetic_t<Y>> ||
                      !detail::is_complex_pair_v<detail::product_sum_t<T, X>>,
                  "the product is complex, and y of spmv is real");
    detail::require_spmv_sizes(plan, a, x, y);
    using sum = detail::product_sum_t<T, X>;
    using scalar = detail::stored_value<spmv_scalar_t<T, X>>;
    using multiply = detail::multiply_stored<T, I, X>;
    along_nonzeros const along{multiply{x.data()}, a.coefficients, a.indices};
    detail::store_scaled<Y, sum> const store{y.data(), scalar::load(alpha), scalar::load(beta)};
    if constexpr (std::is_same_v<T, X> && std::is_same_v<X, Y> && std::is_floating_point_v<T>)
        detail::reduce_rows_as_tuned(exec, plan, along, add_plus<sum>{}, store);
    else
        reduce_rows(exec, plan, along, add_plus<sum>{}, store, workspace);
}

// Overloads for a mutable x.
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

/// semiring_spmv over the semiring with that name (see semiring_names); the only place where a name is mapped to a
/// type.
template <executor Executor, class T>
void semiring_spmv(Executor const& exec, srcsr_plan<std::int32_t> const& plan, std::string_view name, csr_view<T> a,
                   std::type_identity_t<array_view<T const>> x, std::type_identity_t<array_view<T>> y);

/// Applies accumulation and mask to y[rows], the output of a product by name: y_i = w_i ⊕ y_i if the mask admits i,
/// otherwise y_i = w_i. Without w (empty), y_i is unchanged if admitted, otherwise it becomes the result of an empty
/// row. An empty mask admits all rows. Throws dimension_error if lengths disagree, argument_error for w with a semiring
/// whose results are indices. y may be w or the mask.
template <executor Executor, class T>
void merge_result(Executor const& exec, std::string_view name, std::type_identity_t<array_view<T const>> mask,
                  bool complement, std::type_identity_t<array_view<T const>> w, array_view<T> y);

template <executor Executor, class T>
[[deprecated("renamed to merge_result")]] void
join_result(Executor const& exec, std::string_view name, std::type_identity_t<array_view<T const>> mask,
            bool complement, std::type_identity_t<array_view<T const>> w, array_view<T> y) {
    merge_result<Executor, T>(exec, name, mask, complement, w, y);
}

#define COPPICE_SPMV_OF(EXTERN, EXECUTOR, T, X)                                                                        \
    EXTERN template void spmv(EXECUTOR const&, srcsr_plan<std::int32_t> const&, csr_view<T>, array_view<X const>,      \
                              array_view<X>, spmv_scalar_t<T, X>, spmv_scalar_t<T, X>, array_view<std::byte>)
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

COPPICE_ACCEPT_OWNERS(spmv)
COPPICE_ACCEPT_OWNERS(semiring_spmv)

} // namespace coppice::inline v0_1
