// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executors and memory: where work runs, which object owns memory, how it is copied.
///
///     coppice::host_executor exec;                          // all cores; host_executor{4} for four
///     coppice::cuda_executor gpu;                           // device 0, a new stream
///     coppice::buffer<double> x(gpu, n);                    // owns n elements in memory of the GPU, not initialised
///     auto v = gpu.copy(std::vector<double>(n, 1.0));       // a buffer on the GPU with these elements
///     std::vector<double> host = to_vector(gpu, v);         // a copy on the host; waits
///     coppice::array_view<double const> seen(host);         // borrows; also from std::span, std::array, buffers
///
/// Operations take an executor as first argument and work in its memory and order. buffer is a move-only owner;
/// array_view is a borrower that consists of a pointer and a length. Parameters of view type accept contiguous ranges
/// of the same element type. Function templates that deduce the element type require array_view(range), or .view() of a
/// buffer.
///
/// All buffers of an executor can use a memory_resource of the caller, whose blocks are aligned to 64 bytes:
/// host_executor(threads, memory). pmr_memory adapts a std::pmr::memory_resource; executor_memory_resource adapts the
/// memory of an executor for std::pmr containers.
#pragma once

#include <coppice/core/executor.hpp>
#include <coppice/core/pmr.hpp>
