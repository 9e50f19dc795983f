// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The executors that a test body runs on: one source, every executor.
///
/// TEST_CASE_TEMPLATE("name", Fixture, COPPICE_TEST_EXECUTORS) { Fixture f; auto const exec = f.exec(); ... }
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

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

/// The view of an owner that may be a temporary: for the expression that it is made in, and no longer.
template <class Owner>
auto view_of(Owner const& owner) {
    return owner.view();
}

/// Executors for parts of a problem, a stream each, on as many devices as there are.
template <class Fixture>
auto executors_of(std::size_t parts) {
    std::vector<decltype(Fixture::exec())> all;
    for (std::size_t p = 0; p < parts; ++p) {
        if constexpr (std::is_same_v<decltype(Fixture::exec()), cuda_executor>)
            all.emplace_back(int(p % std::size_t(cuda_device_count())));
        else
            all.push_back(Fixture::exec());
    }
    return all;
}

/// What tests expect differently of the executors, and why; nothing else depends on which one runs.
template <class Executor>
struct expected {
    static constexpr bool loops_without_host = false; ///< a Krylov solve is one piece of work of the device
    static constexpr bool short_partitions = false;   ///< RPTS divides systems of any size: one more try may be needed
    static constexpr bool numbers_hubs = false;       ///< triangles: more than 65 536 vertices have another way
    static constexpr double partition_growth = 1;     ///< errors where, of thousands of inner matrices, some are nearly
                                                      ///< singular: the more, the shorter partitions are
};
template <>
struct expected<cuda_executor> {
    static constexpr bool loops_without_host = true;
    static constexpr bool short_partitions = true;
    static constexpr bool numbers_hubs = true;
    static constexpr double partition_growth = 10;
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
