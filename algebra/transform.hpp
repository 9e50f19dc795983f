// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Transformations of a matrix: transpose, sort, permute, extract bands. Included by algebra/operations.hpp.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/core/parallel.hpp>

#include <coppice/algebra/rows/reorder_host.hpp>
#include <coppice/algebra/rows/transpose_host.hpp>
#if defined(__CUDACC__)
#include <coppice/algebra/rows/reorder_cuda.cuh>
#endif

namespace coppice::inline v0_1 {
namespace detail {

/// inverse[permutation[p]] = p if the index is in range.
template <class I>
struct invert_index {
    array_view<I const> permutation;
    array_view<I> inverse;
    COPPICE_HD void operator()(std::int64_t p) const {
        I const vertex = permutation[p];
        if (vertex >= 0 && std::int64_t(vertex) < inverse.size()) inverse[vertex] = I(p);
    }
};
/// Returns i if no position contains index i, else `none`.
template <class I>
struct missing_index {
    I const* inverse;
    std::int64_t none;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return inverse[i] < 0 ? i : none; }
};

template <class T, class I, class O>
struct permuted_degree {
    csr_view<T, I, O> a;
    I const* permutation;
    COPPICE_HD O operator()(std::int64_t p) const { return a.row_end(permutation[p]) - a.row_begin(permutation[p]); }
};
template <class O, class Degree>
struct store_degree {
    O* degrees;
    Degree degree;
    COPPICE_HD void operator()(std::int64_t i) const { degrees[i] = O(degree(i)); }
};
template <class O>
struct stored_degree {
    O const* degrees;
    COPPICE_HD O operator()(std::int64_t i) const { return degrees[i]; }
};
/// to[k] = from[at[k]]
template <class T, class Index, class To = T>
struct gather_at {
    T const* from;
    Index const* at;
    To* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = To(from[at[k]]); }
};
template <class O>
struct store_offset {
    O* offsets;
    COPPICE_HD void operator()(std::int64_t i, std::int64_t start) const { offsets[i] = O(start); }
};
/// offsets[count] = total, written in the memory of the offsets.
template <class O>
struct store_last_offset {
    O* offsets;
    std::int64_t count;
    O total;
    COPPICE_HD void operator()(std::int64_t) const { offsets[count] = total; }
};
template <class T, class I, class O>
struct permute_row {
    csr_view<T, I, O> a;
    I const* permutation;
    I const* inverse;
    O const* offsets;
    I* indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t p) const {
        O to = offsets[p];
        for (O k = a.row_begin(permutation[p]); k < a.row_end(permutation[p]); ++k, ++to) {
            indices[to] = inverse[a.indices[k]];
            values[to] = a.coefficients[k];
        }
    }
};

template <class From, class To>
struct convert_value {
    From const* from;
    To* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = static_cast<To>(from[k]); }
};

template <class T, class I, class O>
struct diagonal_entry {
    csr_view<T, I, O> a;
    T* diagonal;
    COPPICE_HD void operator()(std::int64_t i) const { diagonal[i] = sum_in_row(a, i, i); }
};
template <class T, class I, class O>
struct tridiagonal_row {
    csr_view<T, I, O> a;
    T *lower, *diagonal, *upper;
    COPPICE_HD void operator()(std::int64_t i) const {
        T band[3] = {};
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            std::int64_t const distance = std::int64_t(a.indices[k]) - i;
            if (distance >= -1 && distance <= 1) band[distance + 1] = band[distance + 1] + a.coefficients[k];
        }
        lower[i] = band[0];
        diagonal[i] = band[1];
        upper[i] = band[2];
    }
};

/// Computes row offsets from the number of nonzeros degree(i) of each row. Throws overflow_error if their sum does not
/// fit.
template <class O, executor Executor, class Degree>
buffer<O> offsets_of_degrees(Executor const& exec, std::int64_t rows, Degree degree, O& nonzeros) {
    buffer<O> offsets(exec, rows + 1);
    // Stored first, because a scan may read its input twice.
    for_each(exec, rows, store_degree<O, Degree>{offsets.data(), degree});
    std::int64_t const total =
        exclusive_scan(exec, rows, stored_degree<O>{offsets.data()}, store_offset<O>{offsets.data()}, std::int64_t{0});
    nonzeros = checked_cast<O>(total, "number of nonzeros");
    for_each(exec, 1, store_last_offset<O>{offsets.data(), rows, nonzeros});
    return offsets;
}

} // namespace detail

/// Computes A^T. Each row of the result lists the rows of A in their order, so its columns are sorted for any order of
/// columns in A. Duplicates are not combined and keep their order. Temporary memory: about one index per nonzero
/// (host), three (CUDA).
template <executor Executor, class T, class I, class O>
csr<T, I, O> transpose(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    return detail::transpose_nonzeros(exec, a);
}

/// Copies A and sorts the columns of each row. Duplicates are not combined and keep their order.
template <executor Executor, class T, class I, class O>
csr<T, I, O> sort_columns(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    if (!a.offsets) return {};
    return detail::sort_rows(exec, a.rows(), a.columns(), copy_of(exec, a.row_offsets()),
                             copy_of(exec, a.column_indices()), copy_of(exec, a.values()));
}

/// Computes the inverse of a permutation: inverse[permutation[p]] = p. Throws argument_error with the first index that
/// does not occur. (If an index is out of range or occurs twice, another one is missing.)
template <executor Executor, class I>
buffer<I> invert_permutation(Executor const& exec, array_view<I const> permutation) {
    std::int64_t const n = permutation.size();
    buffer<I> inverse(exec, n);
    fill(exec, inverse.view(), I(-1));
    for_each(exec, n, detail::invert_index<I>{permutation, inverse.view()});
    std::int64_t const missing = reduce(exec, n, n, detail::missing_index<I>{inverse.data(), n}, detail::smaller{});
    if (missing < n)
        throw argument_error("not a permutation of " + std::to_string(n) + " indices: " + std::to_string(missing) +
                             " does not occur, so another index is out of range or occurs twice");
    return inverse;
}

/// Computes P A P^T for a permutation position -> vertex: B(p, q) = A(permutation[p], permutation[q]), with sorted
/// columns. Throws dimension_error unless A is square, and argument_error as invert_permutation() does.
template <executor Executor, class T, class I, class O>
csr<T, I, O> permute(Executor const& exec, csr_view<T, I, O> a, array_view<std::type_identity_t<I> const> permutation) {
    require_square(a, "permute");
    require_size("permutation", permutation, a.rows());
    if (!a.offsets) return {};
    buffer<I> const inverse = invert_permutation<Executor, I>(exec, permutation);
    O nonzeros = 0;
    auto offsets = detail::offsets_of_degrees<O>(exec, a.rows(),
                                                 detail::permuted_degree<T, I, O>{a, permutation.data()}, nonzeros);
    buffer<I> indices(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    for_each(exec, a.rows(),
             detail::permute_row<T, I, O>{a, permutation.data(), inverse.data(), offsets.data(), indices.data(),
                                          values.data()});
    return detail::sort_rows(exec, a.rows(), a.columns(), std::move(offsets), std::move(indices), std::move(values));
}

/// Copies A and converts the values to another type by static_cast, for example to float16.
template <class To, executor Executor, class T, class I, class O>
csr<To, I, O> convert_values(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    if (!a.offsets) return {};
    buffer<To> values(exec, a.nonzeros());
    for_each(exec, a.nonzeros(), detail::convert_value<T, To>{a.coefficients, values.data()});
    return {a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
            std::move(values)};
}

/// Returns the min(rows, columns) diagonal entries. Missing entries are 0; duplicates are summed.
template <executor Executor, class T, class I, class O>
buffer<T> extract_diagonal(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    buffer<T> diagonal(exec, a.rows() < a.columns() ? a.rows() : a.columns());
    for_each(exec, diagonal.size(), detail::diagonal_entry<T, I, O>{a, diagonal.data()});
    return diagonal;
}

/// Returns the three middle bands of a square matrix (otherwise throws dimension_error). Missing entries and the two
/// elements outside the matrix are 0; duplicates are summed.
template <executor Executor, class T, class I, class O>
tridiagonal<T> extract_tridiagonal(Executor const& exec, csr_view<T, I, O> a) {
    require_square(a, "extract_tridiagonal");
    tridiagonal<T> bands(exec, a.rows());
    for_each(exec, a.rows(),
             detail::tridiagonal_row<T, I, O>{a, bands.lower.data(), bands.diagonal.data(), bands.upper.data()});
    return bands;
}

COPPICE_ACCEPT_OWNERS(transpose)
COPPICE_ACCEPT_OWNERS(sort_columns)
COPPICE_ACCEPT_OWNERS(permute)
COPPICE_ACCEPT_OWNERS(extract_diagonal)
COPPICE_ACCEPT_OWNERS(extract_tridiagonal)

} // namespace coppice::inline v0_1
