// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executors and memory: where work runs, who owns what, how it moves.
///
///     coppice::host_executor exec;                          // all cores; host_executor{4} for four
///     coppice::cuda_executor gpu;                           // device 0, a stream of its own
///     coppice::buffer<double> x(gpu, n);                    // owns n elements, uninitialised, in memory of the GPU
///     auto v = gpu.copy(std::vector<double>(n, 1.0));       // a buffer there with these elements
///     std::vector<double> host = to_vector(gpu, v);         // and back; waits
///     coppice::array_view<double const> seen(host);         // borrows; also of std::span, std::array, buffers
///
/// Operations take an executor first and work in its memory and order. buffer owns and is move-only, array_view borrows
/// and is a plain pair of pointer and length. Parameters that are views take contiguous ranges of the same elements as
/// they are; function templates that deduce the element type want array_view(range), or .view() of a buffer.
///
/// A memory_resource of the caller's own serves all buffers of an executor: host_executor(threads, memory). pmr_memory
/// makes one of a std::pmr::memory_resource, executor_memory_resource is one for std::pmr containers.
#pragma once

#include <coppice/core/executor.hpp>
#include <coppice/core/pmr.hpp>
