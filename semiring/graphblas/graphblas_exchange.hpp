// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion of matrices and vectors to and from SuiteSparse:GraphBLAS; include/coppice/graphblas_exchange.hpp
/// documents the contract.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/graphblas/graphblas_arrays.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>

namespace coppice::inline v0_1 {
namespace detail {

using new_graphblas_matrix = new_graphblas_object<GrB_Matrix, GrB_Matrix_free>;
using new_graphblas_vector = new_graphblas_object<GrB_Vector, GrB_Vector_free>;

template <class T, class I, class O>
struct unsorted_row {
    csr_view<T, I, O> a;
    std::int64_t operator()(std::int64_t row) const { return row_is_sorted(a, row) ? std::int64_t(a.rows()) : row; }
};

/// Returns whether the columns of every row are sorted. Throws matrix_error if a column occurs twice in a row, because
/// GraphBLAS has no duplicates.
template <class T, class I, class O>
bool require_distinct_columns(host_executor const& exec, csr_view<T, I, O> a) {
    auto const first_unsorted = [&exec](csr_view<T, I, O> m) {
        return reduce(exec, m.rows(), std::int64_t(m.rows()), unsorted_row<T, I, O>{m}, smaller{});
    };
    if (first_unsorted(a) == a.rows()) return true;
    auto const sorted = sort_columns(exec, a);
    if (std::int64_t const row = first_unsorted(sorted.view()); row < a.rows())
        throw matrix_error("row " + std::to_string(row) +
                           " holds a column more than once, and GraphBLAS has no duplicates");
    return false;
}

/// Returns a new matrix that takes over the arrays of `a`.
template <class T>
GrB_Matrix pack_matrix(csr<T, std::int64_t, std::int64_t>&& a, bool sorted, GrB_Type type) {
    std::int64_t const rows = a.rows(), columns = a.columns();
    if (rows == 0 || columns == 0)
        throw argument_error("GraphBLAS has no matrix without rows or columns: got " + std::to_string(rows) + " x " +
                             std::to_string(columns));
    require_movable(a.row_offsets());
    require_movable(a.column_indices());
    require_movable(a.values());
    new_graphblas_matrix m;
    require_graphblas(GrB_Matrix_new(m.address(), type, GrB_Index(rows), GrB_Index(columns)), "make a matrix");
    auto arrays = std::move(a).release();
    if (arrays.indices.empty()) return m.release();
    packed_array<GrB_Index, std::int64_t> offsets(std::move(arrays.offsets)), indices(std::move(arrays.indices));
    packed_array<void, T> values(std::move(arrays.values));
    require_graphblas(GxB_Matrix_pack_CSR(m, offsets.address(), indices.address(), values.address(), offsets.bytes(),
                                          indices.bytes(), values.bytes(), false, !sorted, nullptr),
                      "pack a matrix");
    return m.release();
}

/// Returns a new vector that takes over the arrays of `v`, which has `entries` entries.
template <class T>
GrB_Vector pack_vector(dense_vector<T>&& v, std::int64_t entries, GrB_Type type) {
    if (v.size() == 0) throw argument_error("GraphBLAS has no vector of length 0");
    require_movable(v.values());
    require_movable(v.present());
    new_graphblas_vector g;
    require_graphblas(GrB_Vector_new(g.address(), type, GrB_Index(v.size())), "make a vector");
    bool const full = v.is_full();
    packed_array<void, T> values(std::move(v.values()));
    packed_array<std::int8_t, std::int8_t> flags(std::move(v.present()));
    if (entries == 0) return g.release();
    require_graphblas(full ? GxB_Vector_pack_Full(g, values.address(), values.bytes(), false, nullptr)
                           : GxB_Vector_pack_Bitmap(g, flags.address(), values.address(), flags.bytes(), values.bytes(),
                                                    false, GrB_Index(entries), nullptr),
                      "pack a vector");
    return g.release();
}

} // namespace detail

/// Returns a copy of `a` as a new GrB_Matrix, owned by the caller.
template <class T, class I, class O>
GrB_Matrix to_graphblas(host_executor const& exec, csr_view<T, I, O> a, GrB_Type type = graphblas_type<T>()) {
    bool const sorted = detail::require_distinct_columns(exec, a);
    auto const memory = graphblas_memory();
    std::int64_t const rows = a.rows(), nonzeros = static_cast<std::int64_t>(a.nonzeros());
    buffer<std::int64_t> offsets(memory, rows + 1), indices(memory, nonzeros);
    buffer<T> values(memory, nonzeros);
    offsets[0] = 0;
    for_each(exec, rows, [&](std::int64_t i) { offsets[i + 1] = static_cast<std::int64_t>(a.row_end(i)); });
    for_each(exec, nonzeros, [&](std::int64_t k) {
        indices[k] = static_cast<std::int64_t>(a.indices[k]);
        values[k] = a.coefficients[k];
    });
    return detail::pack_matrix<T>({rows, a.columns(), std::move(offsets), std::move(indices), std::move(values)},
                                  sorted, type);
}

/// Returns a new GrB_Matrix, owned by the caller, that takes over the arrays of `a`, allocated by graphblas_memory().
template <class T>
GrB_Matrix move_to_graphblas(host_executor const& exec, csr<T, std::int64_t, std::int64_t>&& a,
                             GrB_Type type = graphblas_type<T>()) {
    bool const sorted = detail::require_distinct_columns(exec, a.view());
    return detail::pack_matrix(std::move(a), sorted, type);
}

/// Returns a copy of `a` in memory of `exec`. Throws overflow_error if its sizes exceed the index types.
template <class T, class I = std::int32_t, class O = I>
csr<T, I, O> from_graphblas(host_executor const& exec, GrB_Matrix a, GrB_Type type = graphblas_type<T>()) {
    detail::unpacked_matrix const m(a, type, sizeof(T), detail::unpack_for::reading);
    I const rows = checked_cast<I>(m.rows, "number of rows"), columns = checked_cast<I>(m.columns, "number of columns");
    checked_cast<O>(m.nonzeros, "number of nonzeros");
    buffer<O> offsets(exec, m.rows + 1);
    buffer<I> indices(exec, m.nonzeros);
    buffer<T> values(exec, m.nonzeros);
    T const* const from = static_cast<T const*>(m.values);
    for_each(exec, m.rows + 1, [&](std::int64_t i) { offsets[i] = m.offsets ? static_cast<O>(m.offsets[i]) : O(0); });
    for_each(exec, m.nonzeros, [&](std::int64_t k) {
        indices[k] = static_cast<I>(m.indices[k]);
        values[k] = from[m.iso ? 0 : k];
    });
    return {rows, columns, std::move(offsets), std::move(indices), std::move(values)};
}

/// Takes over the arrays of `a`, which keeps its type and sizes and has no entries afterwards.
template <class T>
csr<T, std::int64_t, std::int64_t> move_from_graphblas(GrB_Matrix a, GrB_Type type = graphblas_type<T>()) {
    using detail::adopt_from_graphblas;
    detail::unpacked_matrix m(a, type, sizeof(T), detail::unpack_for::taking);
    if (m.nonzeros == 0) {
        buffer<std::int64_t> offsets(graphblas_memory(), m.rows + 1);
        for (auto& o : offsets) o = 0;
        return {m.rows, m.columns, std::move(offsets), {}, {}};
    }
    return {m.rows, m.columns, adopt_from_graphblas<std::int64_t>(m.offsets, m.rows + 1),
            adopt_from_graphblas<std::int64_t>(m.indices, m.nonzeros), adopt_from_graphblas<T>(m.values, m.nonzeros)};
}

/// Returns a copy of `v` as a new GrB_Vector, owned by the caller.
template <class T>
GrB_Vector to_graphblas(host_executor const& exec, dense_vector_view<T> v,
                        GrB_Type type = graphblas_type<std::remove_const_t<T>>()) {
    using value = std::remove_const_t<T>;
    host_executor const to(exec.threads(), graphblas_memory());
    std::int64_t const entries = entry_count(exec, v);
    if (v.is_full()) return detail::pack_vector(dense_vector<value>(copy_of(to, v.values)), entries, type);
    return detail::pack_vector(dense_vector<value>(copy_of(to, v.values), copy_of(to, v.present)), entries, type);
}

/// Returns a new GrB_Vector, owned by the caller, that takes over the arrays of `v`, allocated by graphblas_memory().
template <class T>
GrB_Vector move_to_graphblas(host_executor const& exec, dense_vector<T>&& v, GrB_Type type = graphblas_type<T>()) {
    std::int64_t const entries = entry_count(exec, v.view());
    return detail::pack_vector(std::move(v), entries, type);
}

/// Returns a copy of `v` in memory of `exec`, which is full if every element is an entry.
template <class T>
dense_vector<T> from_graphblas(host_executor const& exec, GrB_Vector v, GrB_Type type = graphblas_type<T>()) {
    detail::unpacked_vector const from(v, type, sizeof(T), detail::unpack_for::reading);
    if (from.entries == 0) return {exec, from.size};
    buffer<T> values(exec, from.size);
    T const* const old = static_cast<T const*>(from.values);
    for_each(exec, from.size, [&](std::int64_t i) { values[i] = old[from.iso ? 0 : i]; });
    if (from.is_full()) return dense_vector<T>(std::move(values));
    return {std::move(values), copy_of(exec, array_view<std::int8_t const>{from.present, from.size})};
}

/// Takes over the arrays of `v`, which keeps its type and length and has no entries afterwards.
template <class T>
dense_vector<T> move_from_graphblas(GrB_Vector v, GrB_Type type = graphblas_type<T>()) {
    using detail::adopt_from_graphblas;
    detail::unpacked_vector from(v, type, sizeof(T), detail::unpack_for::taking);
    if (from.entries == 0) return {host_executor(1, graphblas_memory()), from.size};
    auto values = adopt_from_graphblas<T>(from.values, from.size);
    if (from.is_full()) return dense_vector<T>(std::move(values));
    return {std::move(values), adopt_from_graphblas<std::int8_t>(from.present, from.size)};
}

} // namespace coppice::inline v0_1
