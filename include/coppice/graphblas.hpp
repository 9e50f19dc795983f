// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrix-vector products with GraphBLAS semantics: mask, accumulator, semiring, descriptor.
///
///     coppice::matrix_operand a(exec, matrix);                  // borrows the matrix, makes its plan
///     a.prepare_transpose(exec);                                // once, for products with the transpose
///     mxv(exec, w, mask, accumulator, semiring, a, u, desc);    // w<mask, replace> = w ⊙ (A ⊕.⊗ u)     GrB_mxv
///     vxm(exec, w, mask, accumulator, semiring, u, a, desc);    // w<mask, replace> = w ⊙ (u ⊕.⊗ A)     GrB_vxm
///
/// Semantics are those of the GraphBLAS C API 2.0:
///
/// **Vectors** are dense_vector (owner) and dense_vector_view (borrower): a value for every index, and flags that mark
/// the entries; without flags a vector is full. A product exists if both the matrix and u have an entry. A row without
/// products has *no entry* in the result, whereas semiring_spmv (<coppice/spmv.hpp>) writes the identity.
///
/// **Mask**: `no_mask{}`, or a vector of any type that compares with 0. It admits an element if it has an entry with a
/// nonzero value; with `structure`, an entry of any value; with `complement`, the opposite. Masked-out elements are
/// unchanged; with `replace` their entries are deleted. A masked-out row costs one read of the mask per row on the host
/// and per nonzero on CUDA; its columns, its values and u are not read.
///
/// **Accumulator**: `no_accumulator{}`, or a function object of (element of w, result). If only one of the two exists,
/// it is copied.
///
/// **Semiring**: semiring_of<monoid, multiplication> with any adder (see semiring/operators/monoids.hpp) and any
/// function object of (matrix element, vector element), in vxm of (vector element, matrix element), as in GraphBLAS:
/// mxv computes w_i = ⊕_k a_ik ⊗ u_k, vxm computes w_j = ⊕_k u_k ⊗ a_kj. For example, vxm over op::first selects values
/// of u, and vxm over op::minus computes u_k - a_kj. ⊕ need not commute: products are added in the storage order of the
/// nonzeros of a row. Results are converted to the type of w. A semiring or accumulator whose type cannot represent its
/// operands does not compile; allow_rounding(semiring) permits the conversion. Min and max ignore NaN operands. Product
/// types are default constructible. On CUDA products, semirings and accumulators are trivially copyable.
///
/// **Transposition**: mxv with A and vxm with the transpose run on the rows of the matrix; vxm with A and mxv with the
/// transpose run on the rows of its transpose, which the matrix_operand must hold.
///
/// **Aliasing**: w may share memory with u, with the mask or with both; the shared inputs are copied first. w must not
/// share memory with the matrix.
///
/// **w without flags** cannot represent a missing entry. It therefore needs an accumulator, and no `replace` that could
/// delete entries.
///
/// **Determinism and synchronisation**: results are bitwise equal on every run and for any number of threads. On CUDA a
/// call returns when its work is queued; the calling code must be compiled by nvcc.
///
/// **Errors**: dimension_error if matrix, vectors and mask disagree; argument_error for a transpose that was not
/// prepared, a full w that may lose entries, w inside the matrix, and null pointers. Nothing is written then. The
/// contents of matrix and flags are not checked.
///
/// <coppice/graphblas_exchange.hpp> converts matrices and vectors to and from SuiteSparse:GraphBLAS.
#pragma once

#include <coppice/semiring/operators/descriptor.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>
#include <coppice/semiring/spmv/matrix_operand.hpp>
#include <coppice/semiring/spmv/mxv.hpp>
