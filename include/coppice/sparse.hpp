// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse algebra: the operations of GraphBLAS over user-defined types and operators, on every executor.
///
///     auto c = mxm(exec, plus_times<double>{}, a, b);                 // C = A B
///     mxm(exec, c, mask, accumulator, semiring, a, b, desc);          // C<mask> = C ⊙ (A ⊕.⊗ B)
///     update(exec, c, mask, accumulator, ewise_add(exec, op, a, b), desc);   // C<mask> = C ⊙ (A ⊕ B)
///
/// Operations return a new object; update() applies mask, accumulator and replace to the result of any operation. mxm
/// also takes the mask directly, since it computes only the entries that the mask admits.
///
/// **Matrices** are csr and csr_view with column indices sorted without duplicates in every row (matrix_error, checked
/// in one pass over the indices). **Masks** are no_mask{} or a matrix with the shape of the result, interpreted by its
/// values or by d.structure, d.complement. **Operators** and monoids are those of
/// semiring/operators/binary_operators.hpp and semiring/operators/monoids.hpp or any function object; on CUDA they are
/// trivially copyable and callable on the device.
///
/// **Hypersparse** matrices list the rows that have entries (to_hypersparse, build_hypersparse). Their size is limited
/// only by the index type, for example 2^60, and the work depends on the entries only. mxm, element-wise operations,
/// apply, select, reduce, transpose, update and tuples accept them.
///
/// **Plans**: make_product_plan is the symbolic phase of a sparse product (SpGEMM), product_values the numeric phase,
/// for any values on the same patterns; make_triple_product_plan is the symbolic phase of R A P. **Determinism**: every
/// sum of a product is folded from the identity in the order of the row of A. Results are bitwise equal on every run
/// and for any number of threads, and equal on host and CUDA if the arithmetic is.
///
/// **Memory** of a product on the host: the symbolic phase needs a second copy of the output pattern (a third of the
/// output in double, half of it in float). Each worker has one accumulator and one bit per column of B, with a mask one
/// byte.
///
/// **Aliasing**: results are new matrices, which replace C at the end; inputs and masks may be C. **Errors**:
/// dimension_error if shapes disagree, argument_error for indices outside the matrix, overflow_error if a size exceeds
/// its type, before memory is allocated. After an error C is unchanged.
#pragma once

#include <coppice/semiring/matrix_operations/elementwise.hpp>
#include <coppice/semiring/matrix_operations/hypersparse.hpp>
#include <coppice/semiring/matrix_operations/mxm.hpp>
#include <coppice/semiring/matrix_operations/push_pull.hpp>
#include <coppice/semiring/matrix_operations/sparse_vector.hpp>
#include <coppice/semiring/matrix_operations/submatrix.hpp>
#include <coppice/semiring/matrix_operations/tuples.hpp>
#include <coppice/semiring/matrix_operations/vector_operations.hpp>
#include <coppice/semiring/spgemm/thin_dense.hpp>
