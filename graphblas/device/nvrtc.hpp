// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The run-time compiler of CUDA, which is loaded at run time.
#pragma once

#include <cstddef>
#include <string>

namespace coppice::graphblas::device {

class nvrtc_compiler {
public:
    /// Throws host_reason if there is no libnvrtc.so.
    nvrtc_compiler();
    std::string version() const;
    /// Returns the machine code of a text for an architecture, such as sm_90. Throws host_reason with the messages of
    /// the compiler.
    std::string compile(std::string const& text, std::string const& architecture) const;

private:
    int (*version_)(int*, int*);
    int (*create_)(void**, char const*, char const*, int, char const* const*, char const* const*);
    int (*compile_)(void*, int, char const* const*);
    int (*destroy_)(void**);
    int (*log_size_)(void*, std::size_t*);
    int (*log_)(void*, char*);
    int (*result_size_)(void*, std::size_t*);
    int (*result_)(void*, char*);
};

} // namespace coppice::graphblas::device
