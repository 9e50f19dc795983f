// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel primitives with the same interface on every executor, on which the algorithms of Coppice are based.
///
///     for_each(exec, n, f);                                    // f(i) for i in [0, n), in any order
///     auto s = reduce(exec, n, init, map, combine);            // init and map(i), combined
///     auto total = exclusive_scan(exec, n, in, out, init);     // out(i, init + in(0) + ... + in(i - 1))
///     look_back_scan(exec, n, in, combine, out);               // out(i, s_i), s_i = combine(in(i), s_{i-1})
///     auto count = select(exec, n, keep, emit);                // emit(position, i) for the i with keep(i), in order
///     sort_by_key(exec, keys, values);                         // both by key, stable
///     fill(exec, view, value);
///     double xy = dot(exec, x, y);                             // and dots(), several in one pass
///
/// Function objects are called with std::int64_t indices by any thread. For CUDA they are trivially copyable, have
/// COPPICE_HD call operators (or are device lambdas), and are compiled by nvcc. Results have the same bits on every run
/// and for any number of threads: the decomposition into blocks and the order of combination are fixed.
///
/// On CUDA all work is queued on the stream of the executor; a call that returns a value waits for it.
///
/// reduce: `combine` is associative and commutative up to rounding; `init` is its identity. exclusive_scan: returns the
/// total; `in(i)` may read what `out(i, .)` overwrites. look_back_scan: the state has any trivially copyable type;
/// `combine(later, earlier)` is associative up to rounding, need not commute and needs no identity; a single pass.
/// select: `keep` must not depend on what `emit` writes; returns the number of selected items. sort_by_key: integer
/// keys, or floating-point keys without NaN. dots: left^H right in double or complex of double. Throws dimension_error
/// if lengths differ, memory_error if temporary memory cannot be allocated.
///
/// Scans along the paths of a graph are in <coppice/scan.hpp>, reductions over the rows of a matrix in
/// <coppice/spmv.hpp>.
#pragma once

#include <coppice/core/dots.hpp>
#include <coppice/core/look_back_scan.hpp>
#include <coppice/core/parallel.hpp>
