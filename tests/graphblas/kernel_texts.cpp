// SPDX-License-Identifier: BSD-3-Clause
// Compiles the texts of kernels that another test stored in a folder by NVRTC, without a GPU:
//
//     kernel_texts FOLDER
//
// The exit code is 77 if there is no NVRTC.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "../../graphblas/device/driver.hpp"
#include "../../graphblas/device/nvrtc.hpp"

using namespace coppice::graphblas::device;

namespace {

std::string text_of(std::filesystem::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        nvrtc_compiler const nvrtc;
        int texts = 0, failures = 0;
        if (nvrtc.version().substr(0, 7) != "nvrtc 1") ++failures; // as nvrtc 12.9 and nvrtc 13.1
        try {
            nvrtc.compile("not a kernel", "sm_90");
            ++failures;
        } catch (host_reason const& e) {
            if (e.text.find("NVRTC does not accept the kernel: graphblas.cu(1): error") != 0) ++failures;
        }
        for (auto const& file : std::filesystem::directory_iterator(argv[1])) {
            if (file.path().extension() != ".cpp") continue;
            ++texts;
            try {
                if (nvrtc.compile(text_of(file.path()), "sm_90").empty()) ++failures;
            } catch (host_reason const& e) {
                std::printf("%s: %s\n", file.path().c_str(), e.text.c_str());
                ++failures;
            }
        }
        std::printf("%d texts, %d failures\n", texts, failures);
        return texts == 0 || failures != 0 ? 1 : 0;
    } catch (host_reason const& e) {
        std::printf("skipped: %s\n", e.text.c_str());
        return 77;
    }
}
