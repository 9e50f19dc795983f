// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion of sparse vectors, hypersparse matrices, matrices by columns and dense matrices to and from
/// SuiteSparse:GraphBLAS; include/coppice/graphblas_exchange.hpp documents the contract.
#pragma once

#include <cstdint>
#include <utility>

#include <coppice/semiring/graphblas/graphblas_exchange.hpp>
#include <coppice/semiring/matrix_operations/hypersparse.hpp>

namespace coppice::inline v0_1 {
namespace detail {

inline graphblas_shape shape_of(GrB_Vector v, GrB_Type type, std::size_t value_bytes) {
    GrB_Type held = nullptr;
    require_graphblas(GxB_Vector_type(&held, v), "read the type of a vector");
    require_type(held, type, value_bytes);
    GrB_Index sizes[2]{};
    require_graphblas(GrB_Vector_size(&sizes[0], v), "read the length of a vector");
    require_graphblas(GrB_Vector_nvals(&sizes[1], v), "count entries");
    graphblas_shape s{std::int64_t(sizes[0]), 1, std::int64_t(sizes[1])};
    require_graphblas(GxB_Vector_Option_get(v, GxB_SPARSITY_STATUS, &s.format), "read the form of a vector");
    return s;
}

/// Arrays unpacked from a GraphBLAS object; the destructor frees those that were not taken over.
struct unpacked_arrays {
    GrB_Index *starts = nullptr, *list = nullptr, *indices = nullptr;
    void* values = nullptr;
    std::int8_t* flags = nullptr;
    GrB_Index bytes[4]{};

    unpacked_arrays() = default;
    unpacked_arrays(unpacked_arrays const&) = delete;
    unpacked_arrays& operator=(unpacked_arrays const&) = delete;
    ~unpacked_arrays() {
        std::free(starts);
        std::free(list);
        std::free(indices);
        std::free(values);
        std::free(flags);
    }
};

inline buffer<std::int64_t> no_starts(std::int64_t rows) {
    buffer<std::int64_t> offsets(graphblas_memory(), rows + 1);
    std::fill(offsets.begin(), offsets.end(), std::int64_t{0});
    return offsets;
}

/// Converts elements to an index type. Throws overflow_error before it allocates memory if `bound` does not fit.
template <class To>
buffer<To> narrowed(host_executor const& exec, buffer<std::int64_t> const& from, std::int64_t bound, char const* what) {
    checked_cast<To>(bound, what);
    buffer<To> to(exec, from.size());
    for_each(exec, from.size(), [&](std::int64_t k) { to[k] = static_cast<To>(from[k]); });
    return to;
}
template <class T>
buffer<std::int64_t> widened(buffer<T> const& from) {
    buffer<std::int64_t> to(graphblas_memory(), from.size());
    std::copy(from.begin(), from.end(), to.begin());
    return to;
}

/// Makes a new GraphBLAS matrix. Throws argument_error if it has no rows or no columns.
inline void new_matrix(new_graphblas_matrix& m, GrB_Type type, std::int64_t rows, std::int64_t columns) {
    if (rows == 0 || columns == 0)
        throw argument_error("GraphBLAS has no matrix without rows or columns: got " + std::to_string(rows) + " x " +
                             std::to_string(columns));
    require_graphblas(GrB_Matrix_new(m.address(), type, GrB_Index(rows), GrB_Index(columns)), "make a matrix");
}

} // namespace detail

/// Takes over the entries of `v`, which keeps its type and length and has none afterwards. The arrays are not copied if
/// their GraphBLAS format is that of the conversion rule of sparse_vector.
template <class T>
sparse_vector<T, std::int64_t> move_sparse_from_graphblas(GrB_Vector v, GrB_Type type = graphblas_type<T>()) {
    host_executor const exec(1, graphblas_memory());
    auto const s = detail::shape_of(v, type, sizeof(T));
    if (s.entries == 0) return {exec, s.rows};
    if (s.format == GxB_BITMAP || s.format == GxB_FULL) return {exec, move_from_graphblas<T>(v, type)};
    detail::unpacked_arrays a;
    GrB_Index entries = 0;
    // Without pointers for `iso` and `jumbled`, GraphBLAS expands iso values and sorts.
    detail::require_graphblas(
        GxB_Vector_unpack_CSC(v, &a.indices, &a.values, &a.bytes[0], &a.bytes[1], nullptr, &entries, nullptr, nullptr),
        "unpack a vector");
    return {exec, s.rows, detail::adopt_from_graphblas<std::int64_t>(a.indices, s.entries),
            detail::adopt_from_graphblas<T>(a.values, s.entries)};
}

/// Returns a copy of `v` in memory of `exec`. Throws overflow_error if its length exceeds the index type.
template <class T, class I = std::int32_t>
sparse_vector<T, I> sparse_from_graphblas(host_executor const& exec, GrB_Vector v,
                                          GrB_Type type = graphblas_type<T>()) {
    checked_cast<I>(detail::shape_of(v, type, sizeof(T)).rows, "length of a vector");
    detail::new_graphblas_vector copy;
    detail::require_graphblas(GrB_Vector_dup(copy.address(), v), "copy a vector");
    auto const unpacked = move_sparse_from_graphblas<T>(copy, type);
    if (unpacked.format() != vector_format::list) return {exec, exec.copy(unpacked.to_dense(exec))};
    auto const list = unpacked.list();
    buffer<I> indices(exec, list.entries());
    for_each(exec, list.entries(), [&](std::int64_t k) { indices[k] = static_cast<I>(list.indices[k]); });
    return {exec, unpacked.size(), std::move(indices), copy_of(exec, list.values)};
}

/// Returns a new GrB_Vector, owned by the caller, that takes over the arrays of `v`, allocated by graphblas_memory().
template <class T>
GrB_Vector move_to_graphblas(host_executor const& exec, sparse_vector<T, std::int64_t>&& v,
                             GrB_Type type = graphblas_type<T>()) {
    if (v.size() == 0) throw argument_error("GraphBLAS has no vector of length 0");
    detail::require_movable(v.is_in(graphblas_memory()));
    std::int64_t const n = v.size();
    bool const is_list = v.format() == vector_format::list, full = v.format() == vector_format::full;
    auto arrays = std::move(v).release();
    if (full) return move_to_graphblas(exec, dense_vector<T>(std::move(arrays.values)), type);
    if (!is_list)
        return move_to_graphblas(exec, dense_vector<T>(std::move(arrays.values), std::move(arrays.present)), type);
    detail::new_graphblas_vector g;
    detail::require_graphblas(GrB_Vector_new(g.address(), type, GrB_Index(n)), "make a vector");
    auto const entries = GrB_Index(arrays.indices.size());
    if (entries == 0) return g.release();
    detail::packed_array<GrB_Index, std::int64_t> indices(std::move(arrays.indices));
    detail::packed_array<void, T> values(std::move(arrays.values));
    detail::require_graphblas(GxB_Vector_pack_CSC(g, indices.address(), values.address(), indices.bytes(),
                                                  values.bytes(), false, entries, false, nullptr),
                              "pack a vector");
    return g.release();
}

/// Returns a copy of `v` as a new GrB_Vector, owned by the caller.
template <class T, class I>
GrB_Vector to_graphblas(host_executor const& exec, sparse_vector<T, I> const& v, GrB_Type type = graphblas_type<T>()) {
    host_executor const to(exec.threads(), graphblas_memory());
    if (v.format() != vector_format::list) return move_to_graphblas(exec, v.to_dense(to), type);
    return move_to_graphblas(exec,
                             sparse_vector<T, std::int64_t>(to, v.size(),
                                                            detail::widened(copy_of(exec, v.list().indices)),
                                                            copy_of(to, v.list().values)),
                             type);
}

/// Takes over the entries of `a` as a list of nonempty rows; `a` keeps its type and sizes and has none afterwards.
/// Nothing is copied if GraphBLAS stores it hypersparse by rows.
template <class T>
hypersparse<T, std::int64_t> move_hypersparse_from_graphblas(GrB_Matrix a, GrB_Type type = graphblas_type<T>()) {
    host_executor const exec(1, graphblas_memory());
    auto const s = detail::shape_of(a, type, sizeof(T));
    if (s.entries == 0) return {exec, s.rows, s.columns};
    detail::unpacked_arrays m;
    GrB_Index row_count = 0;
    detail::require_graphblas(GxB_Matrix_unpack_HyperCSR(a, &m.starts, &m.list, &m.indices, &m.values, &m.bytes[0],
                                                         &m.bytes[1], &m.bytes[2], &m.bytes[3], nullptr, &row_count,
                                                         nullptr, nullptr),
                              "unpack a hypersparse matrix");
    auto const n = std::int64_t(row_count);
    using detail::adopt_from_graphblas;
    csr<T, std::int64_t> entries(n, s.columns, adopt_from_graphblas<std::int64_t>(m.starts, n + 1),
                                 adopt_from_graphblas<std::int64_t>(m.indices, s.entries),
                                 adopt_from_graphblas<T>(m.values, s.entries));
    return {exec, s.rows, adopt_from_graphblas<std::int64_t>(m.list, n), std::move(entries)};
}

/// Returns a copy of `a` in memory of `exec`. Throws overflow_error if its sizes exceed the index type.
template <class T, class I = std::int64_t>
hypersparse<T, I> hypersparse_from_graphblas(host_executor const& exec, GrB_Matrix a,
                                             GrB_Type type = graphblas_type<T>()) {
    detail::new_graphblas_matrix copy;
    detail::require_graphblas(GrB_Matrix_dup(copy.address(), a), "copy a matrix");
    auto const m = move_hypersparse_from_graphblas<T>(copy, type);
    auto const& e = m.entries();
    I const rows = checked_cast<I>(m.rows(), "number of rows"), columns = checked_cast<I>(m.columns(), "columns");
    csr<T, I> entries(static_cast<I>(e.rows()), columns,
                      detail::narrowed<I>(exec, e.row_offsets(), e.nonzeros(), "number of nonzeros"),
                      detail::narrowed<I>(exec, e.column_indices(), m.columns(), "number of columns"),
                      exec.copy(e.values()));
    return {exec, rows, detail::narrowed<I>(exec, m.list(), m.rows(), "number of rows"), std::move(entries)};
}

/// Returns a new GrB_Matrix, owned by the caller, that takes over the arrays of `a`, allocated by graphblas_memory().
template <class T>
GrB_Matrix move_to_graphblas(host_executor const&, hypersparse<T, std::int64_t>&& a,
                             GrB_Type type = graphblas_type<T>()) {
    std::int64_t const rows = a.rows(), columns = a.columns();
    detail::require_movable(a.list());
    detail::require_movable(a.entries().row_offsets());
    detail::require_movable(a.entries().column_indices());
    detail::require_movable(a.entries().values());
    detail::new_graphblas_matrix m;
    detail::new_matrix(m, type, rows, columns);
    auto [list, entries] = std::move(a).release();
    if (entries.nonzeros() == 0) return m.release();
    auto arrays = std::move(entries).release();
    auto const row_count = GrB_Index(list.size());
    detail::packed_array<GrB_Index, std::int64_t> offsets(std::move(arrays.offsets)), row_list(std::move(list)),
        indices(std::move(arrays.indices));
    detail::packed_array<void, T> values(std::move(arrays.values));
    detail::require_graphblas(GxB_Matrix_pack_HyperCSR(m, offsets.address(), row_list.address(), indices.address(),
                                                       values.address(), offsets.bytes(), row_list.bytes(),
                                                       indices.bytes(), values.bytes(), false, row_count, false,
                                                       nullptr),
                              "pack a hypersparse matrix");
    return m.release();
}

/// Returns a copy of `a` as a new GrB_Matrix, owned by the caller.
template <class T, class I>
GrB_Matrix to_graphblas(host_executor const& exec, hypersparse<T, I> const& a, GrB_Type type = graphblas_type<T>()) {
    host_executor const to(exec.threads(), graphblas_memory());
    auto const& e = a.entries();
    csr<T, std::int64_t> entries(e.rows(), e.columns(), detail::widened(e.row_offsets()),
                                 detail::widened(e.column_indices()), copy_of(to, e.values()));
    return move_to_graphblas(
        exec, hypersparse<T, std::int64_t>(to, a.rows(), detail::widened(a.list()), std::move(entries)), type);
}

/// Returns the transpose of `a` in CSR, [columns of a] x [rows of a], and takes over the arrays of `a`, which has no
/// entries afterwards. Nothing is copied if GraphBLAS stores `a` by columns.
template <class T>
csr<T, std::int64_t> move_columns_from_graphblas(GrB_Matrix a, GrB_Type type = graphblas_type<T>()) {
    auto const s = detail::shape_of(a, type, sizeof(T));
    if (s.entries == 0) return {s.columns, s.rows, detail::no_starts(s.columns), {}, {}};
    detail::unpacked_arrays m;
    detail::require_graphblas(GxB_Matrix_unpack_CSC(a, &m.starts, &m.indices, &m.values, &m.bytes[0], &m.bytes[1],
                                                    &m.bytes[2], nullptr, nullptr, nullptr),
                              "unpack a matrix by columns");
    return {s.columns, s.rows, detail::adopt_from_graphblas<std::int64_t>(m.starts, s.columns + 1),
            detail::adopt_from_graphblas<std::int64_t>(m.indices, s.entries),
            detail::adopt_from_graphblas<T>(m.values, s.entries)};
}

/// Returns the transpose of `a` as a new GrB_Matrix, stored by columns and owned by the caller. Takes over the arrays
/// of `a`, which must be allocated by graphblas_memory().
template <class T>
GrB_Matrix move_columns_to_graphblas(host_executor const& exec, csr<T, std::int64_t>&& a,
                                     GrB_Type type = graphblas_type<T>()) {
    bool const sorted = detail::require_distinct_columns(exec, a.view());
    std::int64_t const rows = a.columns(), columns = a.rows();
    detail::require_movable(a.row_offsets());
    detail::require_movable(a.column_indices());
    detail::require_movable(a.values());
    detail::new_graphblas_matrix m;
    detail::new_matrix(m, type, rows, columns);
    auto arrays = std::move(a).release();
    if (arrays.indices.empty()) return m.release();
    detail::packed_array<GrB_Index, std::int64_t> offsets(std::move(arrays.offsets)),
        indices(std::move(arrays.indices));
    detail::packed_array<void, T> values(std::move(arrays.values));
    detail::require_graphblas(GxB_Matrix_pack_CSC(m, offsets.address(), indices.address(), values.address(),
                                                  offsets.bytes(), indices.bytes(), values.bytes(), false, !sorted,
                                                  nullptr),
                              "pack a matrix by columns");
    return m.release();
}

/// Takes over all elements of `a` in row-major order, with one flag each unless all are entries. Nothing is copied if
/// GraphBLAS stores `a` as a bitmap or full by rows; `a` has no entries afterwards.
template <class T>
dense_vector<T> move_dense_from_graphblas(GrB_Matrix a, GrB_Type type = graphblas_type<T>()) {
    auto const s = detail::shape_of(a, type, sizeof(T));
    std::int64_t const elements = checked_product(s.rows, s.columns, "elements of a dense matrix");
    if (s.entries == 0) return {host_executor(1, graphblas_memory()), elements};
    detail::unpacked_arrays m;
    using detail::adopt_from_graphblas;
    if (s.entries == elements) {
        detail::require_graphblas(GxB_Matrix_unpack_FullR(a, &m.values, &m.bytes[0], nullptr, nullptr),
                                  "unpack a full matrix");
        return dense_vector<T>(adopt_from_graphblas<T>(m.values, elements));
    }
    GrB_Index entries = 0;
    detail::require_graphblas(
        GxB_Matrix_unpack_BitmapR(a, &m.flags, &m.values, &m.bytes[0], &m.bytes[1], nullptr, &entries, nullptr),
        "unpack a bitmap");
    return {adopt_from_graphblas<T>(m.values, elements), adopt_from_graphblas<std::int8_t>(m.flags, elements)};
}

/// Returns a new GrB_Matrix with `columns` columns from its elements in row-major order; takes over the arrays,
/// allocated by graphblas_memory().
template <class T>
GrB_Matrix move_dense_to_graphblas(host_executor const& exec, dense_vector<T>&& elements, std::int64_t columns,
                                   GrB_Type type = graphblas_type<T>()) {
    if (columns <= 0 || elements.size() % columns != 0)
        throw argument_error(std::to_string(elements.size()) + " elements do not fill rows of " +
                             std::to_string(columns));
    detail::require_movable(elements.values());
    detail::require_movable(elements.present());
    auto const entries = GrB_Index(entry_count(exec, std::as_const(elements).view()));
    detail::new_graphblas_matrix m;
    detail::new_matrix(m, type, elements.size() / columns, columns);
    bool const full = elements.is_full();
    if (entries == 0) return m.release();
    detail::packed_array<void, T> values(std::move(elements.values()));
    detail::packed_array<std::int8_t, std::int8_t> flags(std::move(elements.present()));
    detail::require_graphblas(full ? GxB_Matrix_pack_FullR(m, values.address(), values.bytes(), false, nullptr)
                                   : GxB_Matrix_pack_BitmapR(m, flags.address(), values.address(), flags.bytes(),
                                                             values.bytes(), false, entries, nullptr),
                              "pack a dense matrix");
    return m.release();
}

} // namespace coppice::inline v0_1
