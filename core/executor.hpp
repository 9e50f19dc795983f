// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executors and copies between their memory spaces.
///
/// Every operation takes an executor as its first argument; it works in the memory and in the order of that executor.
/// `exec.copy(thing)` calls the overload copy_of(exec, thing) that is defined next to the type of `thing`. There are no
/// implicit copies between memory spaces.
#pragma once

#include <vector>

#include <coppice/core/cuda/cuda_executor.hpp>
#include <coppice/core/host/host_executor.hpp>

namespace coppice::inline v0_1 {

template <class Executor>
concept executor = requires(Executor const& e) {
    e.memory();
    e.synchronize();
};

/// Copies the elements of a view into new memory of `exec`. The elements must be accessible from `exec`.
template <executor Executor, class T>
buffer<std::remove_const_t<T>> copy_of(Executor const& exec, array_view<T> from) {
    buffer<std::remove_const_t<T>> to(exec, from.size());
    exec.copy_elements(from.data(), to.data(), from.size());
    return to;
}

/// Copies a buffer from any memory space into new memory of `exec`.
template <executor Executor, class T>
buffer<T> copy_of(Executor const& exec, buffer<T> const& from) {
    if (from.on_host() || exec.memory()->space() == memory_space::device) return copy_of(exec, from.view());
    buffer<T> to(exec, from.size());
    if (from.size() > 0) from.memory()->read(from.data(), to.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
    return to;
}

/// Copies a contiguous range (std::vector, std::span, std::array) into new memory of `exec`.
template <executor Executor, detail::range_of_elements Range>
auto copy_of(Executor const& exec, Range const& from) {
    return copy_of(exec, array_view(from));
}

/// Copies the elements of a view in memory of `exec` into a vector on the host. Waits for the stream.
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

} // namespace coppice::inline v0_1
