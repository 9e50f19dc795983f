// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products of matrix and vector as GraphBLAS has them: mask, accumulator, semiring, descriptor.
///
///     coppice::matrix_operand a(exec, matrix);                  // borrows the matrix, makes its plan
///     a.prepare_transpose(exec);                                // once, for products from the other side
///     mxv(exec, w, mask, accumulator, semiring, a, u, desc);    // w<mask, replace> = w ⊙ (A ⊕.⊗ u)     GrB_mxv
///     vxm(exec, w, mask, accumulator, semiring, u, a, desc);    // w<mask, replace> = w ⊙ (u ⊕.⊗ A)     GrB_vxm
///
/// Semantics are those of the GraphBLAS C API 2.0. Operation by operation:
///
/// **Vectors** are dense_vector (owner) and dense_vector_view (borrower): a value for every index, and flags that say
/// which are entries; without flags a vector is full. A product exists where the matrix and u have an entry; a row
/// without products has *no entry* in the result, where semiring_spmv (<coppice/spmv.hpp>) would write the identity.
///
/// **Mask**: `no_mask{}`, or a vector of any type that compares with 0. It admits an element where it has an entry
/// whose value is not 0; with `structure` whatever its value; with `complement` the other way round. Elements that it
/// leaves out keep what they had, or lose their entry with `replace`. Rows that the mask leaves out cost a look at the
/// mask: one a row on the host, one a nonzero on CUDA, where neither columns nor values nor u are read for them.
///
/// **Accumulator**: `no_accumulator{}`, or a function object of (element of w, result). Where only one of the two is
/// there, it is taken as it is.
///
/// **Semiring**: semiring_of<monoid, multiplication> of any adder (semiring/operators/monoids.hpp names the usual ones)
/// and any function object of (matrix element, vector element), in vxm of (vector element, matrix element), as in
/// GraphBLAS: mxv computes w_i = ⊕_k a_ik ⊗ u_k, vxm computes w_j = ⊕_k u_k ⊗ a_kj. So vxm over op::first takes values
/// of u, and vxm over op::minus gives u_k - a_kj. ⊕ need not commute: products meet in the order in which the nonzeros
/// of a row are stored. Results are converted to the type of w. A semiring or accumulator of a type that cannot hold
/// its operands does not compile; allow_rounding(semiring) has them converted. Min and max of a number and NaN are the
/// number. Product types are default constructible; on CUDA they are, as semirings and accumulators, trivially
/// copyable.
///
/// **Transposition**: mxv along A and vxm with the transpose run on the rows of the matrix, the other two on those of
/// its transpose, which the matrix_operand must have.
///
/// **Aliasing**: w may share memory with u, with the mask or with both; what they share is copied first. w must not
/// share memory with the matrix.
///
/// **w without flags** can hold no missing entry, so it needs an accumulator, and no `replace` that could delete.
///
/// **Bits and blocking**: the same bits on every run and for any number of threads. On CUDA a call returns when its
/// work is queued, and is compiled by nvcc.
///
/// **Errors**: dimension_error where matrix, vectors and mask disagree; argument_error for a transpose that is not
/// there, a full w that may lose entries, w inside the matrix, and null pointers. Nothing is written then. The contents
/// of matrix and flags are not checked.
///
/// <coppice/graphblas_exchange.hpp> moves matrices and vectors to SuiteSparse:GraphBLAS and back.
#pragma once

#include <coppice/semiring/operators/descriptor.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>
#include <coppice/semiring/spmv/matrix_operand.hpp>
#include <coppice/semiring/spmv/mxv.hpp>
