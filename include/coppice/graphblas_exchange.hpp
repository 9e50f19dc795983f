// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices and vectors to SuiteSparse:GraphBLAS and back.
///
///     coppice::csr<float> a = coppice::from_graphblas<float>(exec, matrix);     // a copy; GrB_Matrix and GrB_Vector
///     GrB_Matrix g = coppice::to_graphblas(exec, a.view());                     // a copy, freed by the caller
///     auto b = coppice::move_from_graphblas<float>(matrix);                     // no copy: `matrix` is empty then
///     GrB_Matrix h = coppice::move_to_graphblas(exec, std::move(b));            // no copy
///     auto v = coppice::move_sparse_from_graphblas<float>(vector);              // list, bitmap or full
///     auto m = coppice::move_hypersparse_from_graphblas<float>(matrix);         // rows that have entries
///     auto t = coppice::move_columns_from_graphblas<float>(matrix);             // columns as rows
///     auto d = coppice::move_dense_from_graphblas<float>(matrix);               // all elements, bitmap or full
///
/// Not part of <coppice/coppice.hpp>: it needs GraphBLAS.h of SuiteSparse:GraphBLAS 7.4 or newer, and the program links
/// that library itself and calls GrB_init (or GxB_init with malloc and free) before, and GrB_finalize after.
///
/// **What moves.** GraphBLAS has 64-bit indices, so what moves is csr<T, std::int64_t, std::int64_t>; other widths are
/// copied, with overflow_error where they are too narrow. Vectors are dense_vector, full where GraphBLAS has all
/// entries. Arrays can move to GraphBLAS where they come from graphblas_memory(): from a move in the other direction,
/// or from an executor host_executor{threads, coppice::graphblas_memory()}. argument_error otherwise; nothing is copied
/// unasked.
///
/// **Forms.** Each form of GraphBLAS moves without a copy by the function of its own: compressed rows, hypersparse,
/// by columns, bitmap and full, vectors as sparse lists, bitmaps and full ones; another becomes it inside GraphBLAS on
/// the way. move_to_graphblas takes csr, hypersparse, dense_vector and sparse_vector; move_columns_to_graphblas and
/// move_dense_to_graphblas the others; to_graphblas, sparse_from_graphblas and hypersparse_from_graphblas copy. Of
/// iso-valued objects every value is written out, and jumbled ones are sorted, but for csr, which comes with unsorted
/// columns. A copy of csr or dense_vector leaves the object of GraphBLAS with the entries that it had; its arrays are
/// outside in the meantime, so no other thread may use it.
///
/// **Types.** T is the type of the values, without conversion; argument_error where the object has another. For types
/// of your own the GrB_Type is the last argument.
///
/// **Place.** Host memory; matrices on a GPU travel by exec.copy().
///
/// **Errors.** matrix_error for a column that occurs twice in a row, argument_error for a size of 0 (GraphBLAS has
/// neither) and for what GraphBLAS refuses, memory_error. Offsets and column range are not checked: see validate() in
/// <coppice/csr.hpp>.
#pragma once

#include <coppice/semiring/graphblas/graphblas_exchange.hpp>
#include <coppice/semiring/matrix_operations/graphblas_lists.hpp>
