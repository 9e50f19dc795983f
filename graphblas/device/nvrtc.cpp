// SPDX-License-Identifier: BSD-3-Clause
#include "nvrtc.hpp"

#include "system_library.hpp"

namespace coppice::graphblas::device {
namespace {

template <class Size, class Copy>
std::string text_of(void* program, Size size_of, Copy copy) {
    std::size_t size = 0;
    size_of(program, &size);
    std::string text(size, '\0');
    if (size > 0) copy(program, text.data());
    return text;
}

} // namespace

nvrtc_compiler::nvrtc_compiler() {
    system_library const nvrtc(
        {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"});
    nvrtc.find(version_, "nvrtcVersion");
    nvrtc.find(create_, "nvrtcCreateProgram");
    nvrtc.find(compile_, "nvrtcCompileProgram");
    nvrtc.find(destroy_, "nvrtcDestroyProgram");
    nvrtc.find(log_size_, "nvrtcGetProgramLogSize");
    nvrtc.find(log_, "nvrtcGetProgramLog");
    nvrtc.find(result_size_, "nvrtcGetCUBINSize");
    nvrtc.find(result_, "nvrtcGetCUBIN");
}

std::string nvrtc_compiler::version() const {
    int major = 0, minor = 0;
    version_(&major, &minor);
    return "nvrtc " + std::to_string(major) + "." + std::to_string(minor);
}

std::string nvrtc_compiler::compile(std::string const& text, std::string const& architecture) const {
    // Definitions of operators may include these headers. They are empty here, since CUDA or language.inc declares
    // their functions.
    constexpr char const* headers[] = {"math.h",   "stdint.h", "stdbool.h", "stddef.h",
                                       "stdlib.h", "string.h", "complex.h", "GraphBLAS.h"};
    constexpr char const* nothing[] = {"", "", "", "", "", "", "", ""};
    void* program = nullptr;
    if (create_(&program, text.c_str(), "graphblas.cu", 8, nothing, headers) != 0)
        throw host_reason{"NVRTC does not start"};
    std::string const target = "--gpu-architecture=" + architecture;
    // Without fused operations, so that results have the bits of the host.
    char const* const options[] = {target.c_str(), "--std=c++17", "--device-as-default-execution-space", "--fmad=false",
                                   "--disable-warnings"};
    int const code = compile_(program, 5, options);
    std::string made =
        code == 0 ? text_of(program, result_size_, result_) : text_of(program, log_size_, log_).substr(0, 600);
    destroy_(&program);
    if (code != 0) throw host_reason{"NVRTC does not accept the kernel: " + made};
    return made;
}

} // namespace coppice::graphblas::device
