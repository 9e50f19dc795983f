// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse algebra: the operations of GraphBLAS over our own types and operators, on every executor.
///
///     auto c = mxm(exec, plus_times<double>{}, a, b);                 // C = A B
///     mxm(exec, c, mask, accumulator, semiring, a, b, desc);          // C<mask> = C ⊙ (A ⊕.⊗ B)
///     update(exec, c, mask, accumulator, ewise_add(exec, op, a, b), desc);   // C<mask> = C ⊙ (A ⊕ B)
///
/// Operations return what they compute; update() is the one place where mask, accumulator and replace are applied, so
/// that every operation has them. mxm takes the mask itself, since it computes only what the mask admits.
///
/// **Matrices** are csr and csr_view; the columns of every row rise strictly (matrix_error, found by a pass over the
/// indices). **Masks** are no_mask{} or a matrix of the result's shape, read by its values or by d.structure,
/// d.complement. **Operators** and monoids are those of semiring/operators/binary_operators.hpp and
/// semiring/operators/monoids.hpp or any function object; on CUDA they are trivially copyable and callable on the
/// device.
///
/// **Hypersparse** matrices list the rows that have entries (to_hypersparse, build_hypersparse); sizes may be anything
/// that their indices count, 2^60 say, and work is that of the entries. mxm, element-wise operations, apply, select,
/// reduce, transpose, update and tuples take them.
///
/// **Plans**: make_product_plan is the symbolic phase of a product, product_values the numeric one, for any values on
/// the same patterns; make_triple_product_plan is that of R A P. **Order**: every sum of a product is folded from the
/// identity on in the order of the row of A, so the bits are the same on every run, for any number of threads, and on
/// host and CUDA where the arithmetic is.
///
/// **Memory** of a product on the host: the structure that is found is kept once more while it is put together (a third
/// of the output in double, a half in float), and each worker has an accumulator and a bit a column of B, with a mask a
/// byte.
///
/// **Aliasing**: results are new matrices, which replace C at the end; inputs and masks may be C. **Errors**:
/// dimension_error for shapes that disagree, argument_error for indices outside, overflow_error where a size does not
/// fit, before memory is asked for; C is then as it was.
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
