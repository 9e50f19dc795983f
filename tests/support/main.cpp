// SPDX-License-Identifier: BSD-3-Clause
// Runs the test cases. A program compiled for CUDA reports "skipped" (exit code 77) on a machine without a device.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include <coppice/core/executor.hpp>

int main(int argc, char** argv) {
#if defined(COPPICE_TEST_CUDA)
    if (coppice::cuda_device_count() == 0) {
        std::puts("skipped: no CUDA device on this machine");
        return 77;
    }
#endif
    return doctest::Context(argc, argv).run();
}
