// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse matrix-vector products (SpMV) over any semiring.
///
///     auto plan = coppice::make_srcsr_plan(exec, a.view());                  // structure only; reusable
///     coppice::spmv(exec, plan, a.view(), x.view(), y.view(), alpha, beta);  // y = beta y + alpha A x
///     coppice::semiring_spmv(exec, plan, coppice::min_plus<float>{}, a.view(), x.view(), y.view());
///     coppice::semiring_spmv(exec, plan, "max-second", a.view(), x.view(), y.view());
///     coppice::reduce_rows(exec, plan, multiply, add, store);                // user-defined operators
///
/// `reduce_rows` is the primitive: a segmented reduction over compressed sparse rows (SRCSR, chapter 3 of the source
/// thesis) that computes store(i, ⊕_j multiply(nonzero j of row i)) for every row, with user-defined function objects
/// and types. docs/guide/semiring.md shows how to write them; semiring/operators/operators.hpp documents their
/// requirements.
///
/// **Determinism.** ⊕ is associative but need not commute. Results are bitwise equal on every run and for any number of
/// threads. Values are never added atomically, except under srcsr_scheme::balanced_atomic.
///
/// **On CUDA** (semiring/reduce_rows/srcsr_options.hpp), make_srcsr_plan takes a scheme and sizes. plan.reason reports
/// which sizes were chosen and why; `coppice tune` measures them. along_nonzeros{f, arrays...} is the fast form of
/// multiply. reduce_rows needs plan.workspace<accumulator>() bytes in addition to the plan. A plan serves one stream at
/// a time, and its calls may be captured into a CUDA graph.
///
/// **Shapes.** x[columns], y[rows], in the memory space of the executor, without overlap. The plan borrows the row
/// offsets. Rows may be long, short or empty; columns may be unsorted and repeated.
///
/// **Synchronisation.** On CUDA a call returns when its work is queued. make_srcsr_plan(exec, csr_view) does not wait
/// either; make_srcsr_plan(exec, row offsets) reads the number of nonzeros from the device.
///
/// **Value types.** Matrix, x and y may have different types. float16 and bfloat16 are summed in float. std::complex is
/// supported on devices.
///
/// **Errors.** dimension_error if plan, matrix and vectors disagree; argument_error if y overlaps x or the values, for
/// an unknown name, or for a row range outside the matrix; matrix_error by make_srcsr_plan on the host if the offsets
/// decrease. Columns, and on CUDA offsets, are not checked: see validate() in <coppice/csr.hpp>.
#pragma once

#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
