// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse matrix-vector products over any semiring.
///
///     auto plan = coppice::make_srcsr_plan(exec, a.view());                  // structure only; reuse it
///     coppice::spmv(exec, plan, a.view(), x.view(), y.view(), alpha, beta);  // y = beta y + alpha A x
///     coppice::semiring_spmv(exec, plan, coppice::min_plus<float>{}, a.view(), x.view(), y.view());
///     coppice::semiring_spmv(exec, plan, "max-second", a.view(), x.view(), y.view());
///     coppice::reduce_rows(exec, plan, multiply, add, store);                // your own operators
///
/// `reduce_rows` is the primitive: store(i, ⊕_j multiply(nonzero j of row i)) for every row (SRCSR, chapter 3 of the
/// source thesis), with the user's function objects and types. docs/guide/semiring.md shows how to write them;
/// semiring/operators/operators.hpp states what they must satisfy.
///
/// **Order and bits.** ⊕ is associative but need not commute. Results have the same bits on every run and for any
/// number of threads. No value is added atomically, except under srcsr_scheme::balanced_atomic, which says so.
///
/// **On CUDA** (semiring/reduce_rows/srcsr_options.hpp): make_srcsr_plan takes a scheme and sizes; plan.reason says
/// which sizes it took and why; `coppice tune` measures them. along_nonzeros{f, arrays...} is the fast way to write
/// multiply; plan.workspace<accumulator>() is what reduce_rows needs beside the plan. A plan serves one stream at a
/// time, and its calls may be captured into a CUDA graph.
///
/// **Shapes.** x[columns], y[rows], in the memory of the executor, not overlapping. The plan borrows the row offsets.
/// Rows may be long, short or empty, columns unsorted and repeated.
///
/// **Blocking.** On CUDA a call returns when its work is queued. make_srcsr_plan(exec, csr_view) does not wait either;
/// made of bare row offsets it reads the number of nonzeros from the device.
///
/// **Value types.** Matrix, x and y may differ; float16 and bfloat16 are summed in float, std::complex runs on devices.
///
/// **Errors.** dimension_error where plan, matrix and vectors disagree; argument_error where y overlaps x or the
/// values, for an unknown name or a row range outside the matrix; matrix_error from the plan of a host for offsets that
/// fall. Columns, and on CUDA offsets, are not checked: see validate() in <coppice/csr.hpp>.
#pragma once

#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
