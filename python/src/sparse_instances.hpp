// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions for the one source per executor that instantiates the operations of the sparse algebra.
#pragma once

#include <coppice/semiring/matrix_operations/mxm.hpp>
#include <coppice/semiring/matrix_operations/submatrix.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

#if defined(__CUDACC__)
#include "feature_warps.hpp"
#else
#include "row_extremes_host.hpp"
#include "row_sums_host.hpp"
#endif
#include "sparse_operations.hpp"

namespace coppice::python {
namespace detail {

/// Calls body(list) with all_indices{} or the indices of a list.
template <class Body>
auto with_list(index_list const& list, Body const& body) {
    return list ? body(*list) : body(all_indices{});
}

/// Calls body(mask, accumulator).
template <executor Executor, class T, class Body>
void with_writing(Executor const& exec, writing<T> const& w, Body const& body) {
    auto const with_accumulator = [&](auto const& mask) {
        if (w.accumulator)
            body(mask, binary_of<T>(exec, *w.accumulator));
        else
            body(mask, no_accumulator{});
    };
    if (w.mask)
        with_accumulator(*w.mask);
    else
        with_accumulator(no_mask{});
}

template <executor Executor, class T>
csr<T> copy(Executor const& exec, csr_view<T> c) {
    return {c.rows(), c.columns(), copy_of(exec, c.row_offsets()), copy_of(exec, c.column_indices()),
            copy_of(exec, c.values())};
}

/// The sum of a row, or its mean over the entries of the row.
template <class T>
struct store_feature {
    std::int32_t const* offsets;
    bool mean;
    T* y;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const {
        std::int32_t const entries = offsets[row + 1] - offsets[row];
        y[row] = mean && entries > 0 ? sum / T(entries) : sum;
    }
};

} // namespace detail

template <executor E, class T>
csr<T> sparse_operations<E, T>::ewise_add(E const& exec, view a, view b, chosen_operator const& op) {
    return coppice::ewise_add(exec, binary_of<T>(exec, op), a, b);
}
template <executor E, class T>
csr<T> sparse_operations<E, T>::ewise_mult(E const& exec, view a, view b, chosen_operator const& op) {
    return coppice::ewise_mult(exec, binary_of<T>(exec, op), a, b);
}
template <executor E, class T>
csr<T> sparse_operations<E, T>::ewise_union(E const& exec, view a, view b, chosen_operator const& op, T missing_a,
                                            T missing_b) {
    return coppice::ewise_union(exec, binary_of<T>(exec, op), a, missing_a, b, missing_b);
}

template <executor E, class T>
csr<T> sparse_operations<E, T>::apply(E const& exec, view a, chosen_operator const& f, double scalar) {
    return coppice::apply(exec, function_of<detail::map_table<T>, T>(exec, f, scalar), a);
}
template <executor E, class T>
csr<T> sparse_operations<E, T>::apply_bound(E const& exec, view a, chosen_operator const& op, T operand, bool first) {
    return coppice::apply(exec, bound_operator<T>{binary_of<T>(exec, op), operand, first}, a);
}
template <executor E, class T>
csr<T> sparse_operations<E, T>::select(E const& exec, view a, chosen_operator const& keep, double scalar) {
    return select_entries(exec, function_of<detail::selection_table<T>, T>(exec, keep, scalar), a);
}

template <executor E, class T>
T sparse_operations<E, T>::reduce(E const& exec, view a, chosen_monoid const& add) {
    return reduce_to_scalar(exec, monoid_of<T>(exec, add), a);
}
template <executor E, class T>
buffer<T> sparse_operations<E, T>::reduce_rows(E const& exec, view a, chosen_monoid const& add) {
    return std::move(reduce_to_vector(exec, monoid_of<T>(exec, add), a).values());
}

template <executor E, class T>
csr<T> sparse_operations<E, T>::extract(E const& exec, view a, index_list const& rows, index_list const& columns) {
    return detail::with_list(rows, [&](auto const& r) {
        return detail::with_list(columns, [&](auto const& c) { return coppice::extract(exec, a, r, c); });
    });
}
template <executor E, class T>
csr<T> sparse_operations<E, T>::kronecker(E const& exec, view a, view b, chosen_operator const& op) {
    return coppice::kronecker(exec, binary_of<T>(exec, op), a, b);
}

template <executor E, class T>
csr<T> sparse_operations<E, T>::update(E const& exec, view c, view t, writing<T> const& w) {
    auto made = detail::copy(exec, c);
    auto const from = detail::copy(exec, t);
    detail::with_writing(exec, w, [&](auto const& mask, auto const& accumulator) {
        coppice::update(exec, made, mask, accumulator, from, w.how);
    });
    return made;
}
template <executor E, class T>
csr<T> sparse_operations<E, T>::assign(E const& exec, view c, view a, index_list const& rows, index_list const& columns,
                                       writing<T> const& w) {
    auto made = detail::copy(exec, c);
    detail::with_writing(exec, w, [&](auto const& mask, auto const& accumulator) {
        detail::with_list(rows, [&](auto const& r) {
            detail::with_list(columns,
                              [&](auto const& k) { coppice::assign(exec, made, mask, accumulator, a, r, k, w.how); });
        });
    });
    return made;
}
template <executor E, class T>
csr<T> sparse_operations<E, T>::assign_scalar(E const& exec, view c, T value, index_list const& rows,
                                              index_list const& columns, writing<T> const& w) {
    auto made = detail::copy(exec, c);
    detail::with_writing(exec, w, [&](auto const& mask, auto const& accumulator) {
        detail::with_list(rows, [&](auto const& r) {
            detail::with_list(columns, [&](auto const& k) {
                coppice::assign_scalar(exec, made, mask, accumulator, value, r, k, w.how);
            });
        });
    });
    return made;
}

template <executor E, class T>
csr<T> sparse_operations<E, T>::multiply(E const& exec, view a, view b, chosen_monoid const& add,
                                         chosen_operator const& op, std::optional<view> const& mask, bool complement) {
    semiring_of<monoid<T>, binary_operator<T>> const s{monoid_of<T>(exec, add), binary_of<T>(exec, op)};
    auto plan =
        mask ? make_masked_product_plan(exec, a, b, *mask, descriptor{.structure = true, .complement = complement})
             : make_product_plan(exec, a, b);
    return mxm(exec, std::move(plan), s, a, b);
}

template <executor E, class T>
void sparse_operations<E, T>::reduce_features(E const& exec, view a, T const* x, std::int64_t width, row_reduction how,
                                              T* y, std::int32_t* from, chosen_entries among) {
#if defined(__CUDACC__)
    reduce_by_warps(exec, a, x, width, how, y, from, among);
#else
    if (how == row_reduction::max || how == row_reduction::min)
        return for_rows_in_registers(exec,
                                     row_extremes<T>{a, x, width, how == row_reduction::max ? T(1) : T(-1), y, from});
    if (among.chosen) throw argument_error("chosen entries are for arrays in device memory, see add_chosen");
    for_rows_in_registers(exec, row_sums<T>{a, x, width, how == row_reduction::mean, y});
#endif
}
template <executor E, class T>
void sparse_operations<E, T>::sum_single_features(E const& exec, srcsr_plan<std::int32_t> const& plan, view a,
                                                  T const* x, bool mean, T* y) {
    using multiply = coppice::detail::multiply_stored<T, std::int32_t, T>;
    coppice::reduce_rows(exec, plan, along_nonzeros{multiply{x}, a.coefficients, a.indices}, add_plus<T>{},
                         detail::store_feature<T>{a.offsets, mean, y});
}
template <executor E, class T>
void sparse_operations<E, T>::add_chosen([[maybe_unused]] E const& exec, [[maybe_unused]] view a,
                                         [[maybe_unused]] T const* y, [[maybe_unused]] std::int64_t width,
                                         [[maybe_unused]] std::int32_t const* chosen, [[maybe_unused]] T* z) {
#if defined(__CUDACC__)
    throw argument_error("add_chosen is for arrays in host memory");
#else
    python::add_chosen(exec, a, y, width, chosen, z);
#endif
}
template <executor E, class T>
void sparse_operations<E, T>::sample_products(E const& exec, view a, T const* u, T const* v, std::int64_t width,
                                              T* values, std::int32_t const* chosen) {
#if defined(__CUDACC__)
    sample_in_warps(exec, a, u, v, width, values, chosen);
#else
    for_each(exec, a.rows(), python::sample_products<T>{a, u, v, width, values, chosen});
#endif
}

} // namespace coppice::python
