// SPDX-License-Identifier: BSD-3-Clause
// Runs the test cases. A program compiled for CUDA reports "skipped" (exit code 77) on a machine without a device.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <set>
#include <string>

#include <coppice/core/executor.hpp>

#include "support/executors.hpp"

namespace {

using doctest::detail::TestCase;

/// Adds a case of on_threads under the name of a number of threads.
void add_as(std::set<TestCase>& cases, char const* threads, TestCase const& original) {
    std::string name = original.m_full_name.c_str();
    name.replace(name.rfind(original.m_type.c_str()), original.m_type.size(), threads);
    TestCase copy = original;
    copy.m_type = threads;
    copy.m_full_name = name.c_str();
    copy.m_name = copy.m_full_name.c_str();
    cases.insert(copy);
}

void register_numbers_of_threads() {
    auto const on_threads = doctest::toString<coppice::test::on_threads>();
    std::set<TestCase> cases;
    for (TestCase const& c : doctest::detail::getRegisteredTests()) {
        if (c.m_type == on_threads) {
            add_as(cases, "coppice::test::one_thread", c);
            add_as(cases, "coppice::test::two_threads", c);
        } else {
            cases.insert(c);
        }
    }
    doctest::detail::getRegisteredTests().swap(cases);
}

} // namespace

int main(int argc, char** argv) {
#if defined(COPPICE_TEST_CUDA)
    if (coppice::cuda_device_count() == 0) {
        std::puts("skipped: no CUDA device on this machine");
        return 77;
    }
#endif
    register_numbers_of_threads();
    return doctest::Context(argc, argv).run();
}
