// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executors, and how owners travel between them.
///
/// Every operation takes an executor first and works in its memory and order. `exec.copy(thing)` finds the overload
/// copy_of(exec, thing) that stands beside the type of `thing`; nothing else copies between places.
#pragma once

#include <vector>

#include <coppice/core/cuda/cuda_executor.hpp>
#include <coppice/core/host/host_executor.hpp>

namespace coppice {

template <class Executor>
concept executor = requires(Executor const& e) {
    e.memory();
    e.synchronize();
};

/// Copy of a view's elements in the memory of `exec`; the view must be reachable from `exec`.
template <executor Executor, class T>
buffer<std::remove_const_t<T>> copy_of(Executor const& exec, array_view<T> from) {
    buffer<std::remove_const_t<T>> to(exec, from.size());
    exec.copy_elements(from.data(), to.data(), from.size());
    return to;
}

/// Copy of a buffer that may live anywhere.
template <executor Executor, class T>
buffer<T> copy_of(Executor const& exec, buffer<T> const& from) {
    if (from.on_host() || exec.memory()->space() == memory_space::device) return copy_of(exec, from.view());
    buffer<T> to(exec, from.size());
    if (from.size() > 0) from.memory()->read(from.data(), to.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
    return to;
}

/// Copy of a vector, span, array: a contiguous range that is no owner of ours.
template <executor Executor, detail::range_of_elements Range>
auto copy_of(Executor const& exec, Range const& from) {
    return copy_of(exec, array_view(from));
}

/// The elements of a view in memory of `exec`, as a vector on the host; waits for the stream.
template <executor Executor, class T>
std::vector<std::remove_const_t<T>> to_vector(Executor const& exec, array_view<T> from) {
    std::vector<std::remove_const_t<T>> to(static_cast<std::size_t>(from.size()));
    exec.copy_elements(from.data(), to.data(), from.size());
    return to;
}
template <executor Executor, class T>
std::vector<T> to_vector(Executor const& exec, buffer<T> const& from) {
    return to_vector(exec, from.view());
}

} // namespace coppice
