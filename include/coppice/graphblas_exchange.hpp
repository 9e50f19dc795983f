// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion of matrices and vectors to and from SuiteSparse:GraphBLAS.
///
///     coppice::csr<float> a = coppice::from_graphblas<float>(exec, matrix);     // a copy; GrB_Matrix and GrB_Vector
///     GrB_Matrix g = coppice::to_graphblas(exec, a.view());                     // a copy, freed by the caller
///     auto b = coppice::move_from_graphblas<float>(matrix);                     // no copy; leaves `matrix` empty
///     GrB_Matrix h = coppice::move_to_graphblas(exec, std::move(b));            // no copy
///     auto v = coppice::move_sparse_from_graphblas<float>(vector);              // list, bitmap or full
///     auto m = coppice::move_hypersparse_from_graphblas<float>(matrix);         // rows that have entries
///     auto t = coppice::move_columns_from_graphblas<float>(matrix);             // columns as rows
///     auto d = coppice::move_dense_from_graphblas<float>(matrix);               // all elements, bitmap or full
///
/// Not part of <coppice/coppice.hpp>: it needs GraphBLAS.h of SuiteSparse:GraphBLAS 7.4 or newer. The program links
/// that library itself, calls GrB_init (or GxB_init with malloc and free) before the first use and GrB_finalize after
/// the last.
///
/// **Move and copy.** GraphBLAS has 64-bit indices, so only csr<T, std::int64_t, std::int64_t> can be moved; other
/// index widths are copied, with overflow_error if they are too narrow. Vectors are dense_vector, which is full if all
/// elements are entries. Arrays can be moved to GraphBLAS only if they were allocated by graphblas_memory(): by a move
/// in the other direction, or by an executor host_executor{threads, coppice::graphblas_memory()}. Otherwise
/// argument_error; there are no implicit copies.
///
/// **Formats.** There is one function per GraphBLAS format that moves it without a copy: compressed rows, hypersparse,
/// by columns, bitmap and full; vectors as sparse lists, bitmaps and full vectors. An object in another format is first
/// converted by GraphBLAS. move_to_graphblas takes csr, hypersparse, dense_vector and sparse_vector;
/// move_columns_to_graphblas and move_dense_to_graphblas take the others; to_graphblas, sparse_from_graphblas and
/// hypersparse_from_graphblas copy. Iso-valued objects are expanded to one value per entry, and jumbled ones are
/// sorted, except for csr, whose columns may be unsorted. A copy to csr or dense_vector leaves the GraphBLAS object
/// with its entries; its arrays are unpacked during the call, so no other thread may use the object.
///
/// **Types.** T is the type of the values, without conversion; argument_error if the object has another type. For
/// user-defined types, pass the GrB_Type as the last argument.
///
/// **Memory space.** Host memory; copy matrices on a GPU with exec.copy().
///
/// **Errors.** matrix_error for a column that occurs twice in a row (GraphBLAS has no duplicates), argument_error for a
/// size of 0 (not possible in GraphBLAS) and for errors that GraphBLAS returns, memory_error. Offsets and column range
/// are not checked: see validate() in <coppice/csr.hpp>.
#pragma once

#include <coppice/semiring/graphblas/graphblas_exchange.hpp>
#include <coppice/semiring/matrix_operations/graphblas_lists.hpp>
