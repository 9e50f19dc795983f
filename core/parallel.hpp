// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel primitives with the same interface on every executor.
///
/// Algorithms call them unqualified, with an executor as first argument. The implementations are in
/// core/host/parallel_host.hpp and core/cuda/parallel_cuda.cuh. Function objects are called with std::int64_t indices.
/// For CUDA they are trivially copyable and have COPPICE_HD call operators (or are device lambdas). On CUDA all work is
/// queued on the stream of the executor; a call that returns a value waits for it. Results do not depend on the number
/// of threads and are the same on every run.
///
///   - `for_each(exec, n, f)`: f(i) for i in [0, n), in any order.
///   - `reduce(exec, n, init, map, combine) -> R`: combines init and map(i) for all i; waits. `combine` is associative
///     and commutative up to rounding; `init` is its identity.
///   - `reduce_to(exec, n, init, map, combine, to)`: writes the same result to *to, in memory of the executor; does not
///     wait.
///   - `exclusive_scan(exec, n, in, out, init) -> T`: out(i, init + in(0) + … + in(i-1)); returns the total; waits.
///     `in(i)` may read what `out(i, ·)` overwrites.
///   - `select(exec, n, keep, emit) -> count`: emit(position, i) for the i with keep(i), positions in increasing i;
///     waits. `keep` must not depend on what `emit` writes.
///   - `queue_exclusive_scan`, `queue_select`: as exclusive_scan and select, without the returned value; do not wait.
///   - `sort_by_key(exec, keys, values)`: sorts both by key, stable; keys are integers, or floating without NaN.
///   - `fill(exec, view, value)`: every element = value.
#pragma once

#include <coppice/core/executor.hpp>
#include <coppice/core/host/parallel_host.hpp>
#if defined(__CUDACC__)
#include <coppice/core/cuda/parallel_cuda.cuh>
#endif

namespace coppice::inline v0_1 {
namespace detail {

template <class T>
struct fill_element {
    array_view<T> view;
    T value;
    COPPICE_HD void operator()(std::int64_t i) const { view[i] = value; }
};

} // namespace detail

template <executor Executor, class T>
void fill(Executor const& exec, array_view<T> view, std::type_identity_t<T> value) {
    for_each(exec, view.size(), detail::fill_element<T>{view, value});
}

/// a + b, a function object for reduce.
struct plus {
    template <class T>
    COPPICE_HD T operator()(T const& a, T const& b) const {
        return a + b;
    }
};
/// The larger of two values. NaN if either value is NaN.
struct maximum {
    template <class T>
    COPPICE_HD T operator()(T const& a, T const& b) const {
        return (b > a || b != b) ? b : a;
    }
};

} // namespace coppice::inline v0_1
