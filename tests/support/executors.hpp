// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The executors that a test body runs on: one source, every executor.
///
/// TEST_CASE_TEMPLATE("name", Fixture, COPPICE_TEST_EXECUTORS) { Fixture f; auto const exec = f.exec(); ... }
#pragma once

#include <doctest/doctest.h>

#include <coppice/core/executor.hpp>

namespace coppice::test {

struct one_thread {
    static host_executor exec() { return host_executor{1}; }
};
struct two_threads {
    static host_executor exec() { return host_executor{2}; }
};
struct on_cuda {
    static cuda_executor exec() { return cuda_executor{}; }
};

} // namespace coppice::test

TYPE_TO_STRING(coppice::test::one_thread);
TYPE_TO_STRING(coppice::test::two_threads);
TYPE_TO_STRING(coppice::test::on_cuda);

#if defined(COPPICE_TEST_CUDA)
#define COPPICE_TEST_EXECUTORS coppice::test::on_cuda
#else
#define COPPICE_TEST_EXECUTORS coppice::test::one_thread, coppice::test::two_threads
#endif
