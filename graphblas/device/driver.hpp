// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A device that runs kernels from their texts: CUDA, by the driver and NVRTC, which are loaded at run time; or the
/// host with the compiler of the system, to test the kernels without a GPU.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "arguments.hpp"

namespace coppice::graphblas::device {

/// Why an operation runs on the host.
struct host_reason {
    std::string text;
};

/// Entries coppice_run_0, coppice_run_1, ... of a kernel that was compiled and loaded; null: it has fewer.
struct kernel {
    std::array<void*, 8> entries = {};
};

/// Work of all threads of the program is done in the order of the calls. Functions that fail throw host_reason and
/// change nothing.
class driver {
public:
    driver() = default;
    virtual ~driver() = default;
    driver(driver const&) = delete;
    virtual std::string name() const = 0;
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* memory) noexcept = 0;
    virtual void clear(void* to, std::size_t bytes) = 0;
    virtual void upload(void* to, void const* from, std::size_t bytes) = 0;
    /// Waits until everything before is complete.
    virtual void download(void* to, void const* from, std::size_t bytes) = 0;
    /// Compiles and loads a text, or loads the stored result of an earlier compilation.
    virtual kernel compile(std::string const& text, bool has_definitions) = 0;
    /// Runs an entry with blocks of 256 threads.
    virtual void run(void* entry, long blocks, arguments const& a) = 0;
};

/// Each returns a driver, or throws host_reason if there is no device or library.
std::unique_ptr<driver> cuda_driver();
std::unique_ptr<driver> emulated_driver();

} // namespace coppice::graphblas::device
