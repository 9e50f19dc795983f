// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel primitives, the same on every executor: what the algorithms of Coppice are written with.
///
///     for_each(exec, n, f);                                    // f(i) for i in [0, n), in any order
///     auto s = reduce(exec, n, init, map, combine);            // init and map(i), combined
///     auto total = exclusive_scan(exec, n, in, out, init);     // out(i, init + in(0) + ... + in(i - 1))
///     look_back_scan(exec, n, in, joined, out);                // out(i, s_i), s_i = joined(in(i), s_{i-1})
///     auto count = select(exec, n, keep, emit);                // emit(position, i) for the i with keep(i), in order
///     sort_by_key(exec, keys, values);                         // both by key, stable
///     fill(exec, view, value);
///     double xy = dot(exec, x, y);                             // and dots(), several in one pass
///
/// Function objects are called with std::int64_t indices, from any thread; for CUDA they are trivially copyable, with
/// COPPICE_HD call operators (or device lambdas), and compiled by nvcc. Results have the same bits on every run and for
/// any number of threads: blocks are cut and folded in a fixed order, not by thread.
///
/// On CUDA everything is queued on the executor's stream, and a call that returns a value waits for it.
///
/// reduce: `combine` is associative and commutative up to rounding, `init` its identity. exclusive_scan: returns the
/// total; `in(i)` may read what `out(i, .)` overwrites. look_back_scan: the state is of any trivially copyable type,
/// `joined(later, earlier)` associative up to rounding, it need not commute and has no identity; one pass. select:
/// `keep` does not depend on what `emit` writes; returns the number kept. sort_by_key: integer or floating keys without
/// NaN. dots: left^H right in double, or in complex of double. Throws dimension_error where lengths differ,
/// memory_error where temporary memory cannot be had.
///
/// Scans along the paths of a graph are in <coppice/scan.hpp>, reductions over the rows of a matrix in
/// <coppice/spmv.hpp>.
#pragma once

#include <coppice/core/dots.hpp>
#include <coppice/core/look_back_scan.hpp>
#include <coppice/core/parallel.hpp>
