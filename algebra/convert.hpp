// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion between coordinate storage and compressed sparse rows (CSR), on the host.
#pragma once

#include <complex>
#include <string>
#include <type_traits>
#include <utility>

#include <coppice/algebra/coo.hpp>
#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/compress.hpp>

namespace coppice::inline v0_1 {

/// Converts `a` to compressed rows in host memory. Columns of each row are sorted without duplicates: duplicates are
/// summed in the order of `a`. Stored zeros are kept.
///
/// Time O(entries + rows); memory for one more copy of the triplets. The bits are the same for any number of threads.
/// Throws dimension_error if the three arrays differ in length, matrix_error if a size is negative or an index is
/// outside the matrix (the message names the first such entry), overflow_error if the number of nonzeros does not fit
/// an I.
template <class T, class I>
csr<T, I> to_csr(host_executor const& exec, coo<T, I> const& a);

/// Converts `a` as the overload above and frees its arrays as soon as they have been read; `a` has no entries
/// afterwards.
template <class T, class I>
csr<T, I> to_csr(host_executor const& exec, coo<T, I>&& a);

/// The same with an operator for duplicates: values of one position are folded by `duplicates(value, next)` in the
/// order of `a`. For example, op::min<double>{} keeps the smallest, op::second<double>{} the last one. With
/// no_duplicates{} a repeated position is a matrix_error.
template <class T, class I, class Op>
csr<T, I> to_csr(host_executor const& exec, coo<T, I> const& a, Op const& duplicates);
template <class T, class I, class Op>
csr<T, I> to_csr(host_executor const& exec, coo<T, I>&& a, Op const& duplicates);

/// Converts `a` in host memory to triplets, row by row in storage order. Nothing is checked.
template <class T, class I, class O>
coo<T, I> to_coo(host_executor const& exec, csr_view<T, I, O> a);

template <class T, class I, class O>
coo<T, I> to_coo(host_executor const& exec, csr<T, I, O> const& a) {
    return to_coo(exec, a.view());
}

namespace detail {

template <class T, class I>
void check_triplets(host_executor const& exec, coo<T, I> const& a) {
    if (a.rows < 0 || a.columns < 0)
        throw matrix_error("coordinate matrix of negative size: " + std::to_string(a.rows) + " x " +
                           std::to_string(a.columns));
    std::int64_t const entries = a.entries();
    require_size("row indices of a coordinate matrix", a.row_indices, entries);
    require_size("column indices of a coordinate matrix", a.column_indices, entries);

    auto const wrong = [&a](std::int64_t k) {
        auto const at = static_cast<std::size_t>(k);
        return a.row_indices[at] < 0 || a.row_indices[at] >= a.rows || a.column_indices[at] < 0 ||
               a.column_indices[at] >= a.columns;
    };
    auto const smaller = [](std::int64_t x, std::int64_t y) { return std::min(x, y); };
    auto const first = reduce(
        exec, entries, entries, [&](std::int64_t k) { return wrong(k) ? k : entries; }, smaller);
    if (first < entries)
        throw matrix_error("entry " + std::to_string(first) + " of a coordinate matrix is at row " +
                           std::to_string(a.row_indices[static_cast<std::size_t>(first)]) + ", column " +
                           std::to_string(a.column_indices[static_cast<std::size_t>(first)]) + "; the matrix is " +
                           std::to_string(a.rows) + " x " + std::to_string(a.columns));
}

template <class T, class I>
struct coo_source {
    coo<T, I> const& from;
    coo<T, I>* disposable; // the same matrix if its arrays may be freed, or null

    template <class Emit>
    void emit_items(std::int64_t first, std::int64_t last, Emit&& emit) const {
        for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k)
            emit(from.row_indices[k], from.column_indices[k], from.values[k]);
    }
    void release() {
        if (disposable) *disposable = coo<T, I>{from.rows, from.columns};
    }
};

template <class T, class I, class Combine = sum_duplicates>
csr<T, I> coo_to_csr(host_executor const& exec, coo<T, I> const& a, coo<T, I>* disposable, Combine combine = {}) {
    check_triplets(exec, a);
    coo_source<T, I> source{a, disposable};
    return compressor<T, I, coo_source<T, I>, Combine>(exec, a.rows, a.columns, a.entries(), source, combine).run();
}

/// Folds duplicates by an operator.
template <class Op>
struct fold_duplicates {
    Op op;
    template <class T>
    bool operator()(T& value, T const& next) const {
        value = static_cast<T>(op(value, next));
        return true;
    }
};
/// Keeps the first of several.
struct drop_duplicates {
    template <class T>
    bool operator()(T&, T const&) const {
        return true;
    }
};

template <class T, class I, class Op>
csr<T, I> coo_to_csr_by(host_executor const& exec, coo<T, I> const& a, coo<T, I>* disposable, Op const& duplicates) {
    if constexpr (std::is_same_v<Op, no_duplicates>) {
        std::int64_t const entries = a.entries();
        auto made = coo_to_csr(exec, a, disposable, drop_duplicates{});
        if (made.nonzeros() < entries)
            throw matrix_error("to_csr: " + std::to_string(entries - made.nonzeros()) + " of " +
                               std::to_string(entries) +
                               " entries repeat a position; pass an operator that combines their values");
        return made;
    } else {
        static_assert(std::is_invocable_r_v<T, Op const&, T const&, T const&>,
                      "to_csr: the operator for duplicates takes (value, next) and returns a value of the matrix");
        return coo_to_csr(exec, a, disposable, fold_duplicates<Op>{duplicates});
    }
}

} // namespace detail

template <class T, class I>
csr<T, I> to_csr(host_executor const& exec, coo<T, I> const& a) {
    return detail::coo_to_csr<T, I>(exec, a, nullptr);
}

template <class T, class I>
csr<T, I> to_csr(host_executor const& exec, coo<T, I>&& a) {
    return detail::coo_to_csr<T, I>(exec, a, &a);
}

template <class T, class I, class Op>
csr<T, I> to_csr(host_executor const& exec, coo<T, I> const& a, Op const& duplicates) {
    return detail::coo_to_csr_by<T, I>(exec, a, nullptr, duplicates);
}

template <class T, class I, class Op>
csr<T, I> to_csr(host_executor const& exec, coo<T, I>&& a, Op const& duplicates) {
    return detail::coo_to_csr_by<T, I>(exec, a, &a, duplicates);
}

template <class T, class I, class O>
coo<T, I> to_coo(host_executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    auto const n = static_cast<std::size_t>(a.nonzeros());
    coo<T, I> out{a.rows(), a.columns(), std::vector<I>(n), std::vector<I>(n), std::vector<T>(n)};
    for_each(exec, a.rows(), [&](std::int64_t row) {
        for (O k = a.row_begin(row); k < a.row_end(row); ++k) {
            auto const at = static_cast<std::size_t>(k);
            out.row_indices[at] = static_cast<I>(row);
            out.column_indices[at] = a.indices[k];
            out.values[at] = a.coefficients[k];
        }
    });
    return out;
}

#define COPPICE_CONVERT(EXTERN, T, I)                                                                                  \
    EXTERN template csr<T, I> to_csr(host_executor const&, coo<T, I> const&);                                          \
    EXTERN template csr<T, I> to_csr(host_executor const&, coo<T, I>&&);                                               \
    EXTERN template coo<T, I> to_coo(host_executor const&, csr_view<T, I>)
COPPICE_CONVERT(extern, float, std::int32_t);
COPPICE_CONVERT(extern, double, std::int32_t);
COPPICE_CONVERT(extern, std::complex<float>, std::int32_t);
COPPICE_CONVERT(extern, std::complex<double>, std::int32_t);
COPPICE_CONVERT(extern, float, std::int64_t);
COPPICE_CONVERT(extern, double, std::int64_t);
COPPICE_CONVERT(extern, std::complex<float>, std::int64_t);
COPPICE_CONVERT(extern, std::complex<double>, std::int64_t);

} // namespace coppice::inline v0_1
