// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executors of test bodies: single-source tests run on every executor.
///
/// TEST_CASE_TEMPLATE("name", Fixture, COPPICE_TEST_EXECUTORS) { Fixture f; auto const exec = f.exec(); ... }
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <coppice/core/executor.hpp>
#include <coppice/core/multi_executor.hpp>

namespace coppice::test {

/// One thread or two, by the name of the case: support/main.cpp registers each case of on_threads for both numbers. One
/// type instead of two, so that bodies are compiled once.
struct on_threads {
    static host_executor exec() {
        auto const* const current = doctest::getContextOptions()->currentTest;
        return host_executor{current && std::strstr(current->m_name, "<coppice::test::one_thread>") ? 1 : 2};
    }
};
struct two_threads {
    static host_executor exec() { return host_executor{2}; }
};
struct on_cuda {
    static cuda_executor exec() { return cuda_executor{}; }
};

/// View of an owner that may be a temporary; valid in the full expression that creates the owner.
template <class Owner>
auto view_of(Owner const& owner) {
    return owner.view();
}

/// Executors for the ranks of a distributed problem, one stream per rank, on all devices.
template <class Fixture>
auto executors_of(std::size_t ranks) {
    std::vector<decltype(Fixture::exec())> all;
    for (std::size_t p = 0; p < ranks; ++p) {
        if constexpr (std::is_same_v<decltype(Fixture::exec()), cuda_executor>)
            all.emplace_back(int(p % std::size_t(cuda_device_count())));
        else
            all.push_back(Fixture::exec());
    }
    return all;
}

/// Calls work(exec, comm) on ranks. The executors of each number of ranks are made once, because NCCL takes long to
/// connect devices.
template <class Fixture>
class rank_pool {
public:
    using exec_type = decltype(Fixture::exec());
    template <class Work>
    void run(std::size_t ranks, Work const& work) {
        auto found = pools_.find(ranks);
        if (found == pools_.end()) found = pools_.emplace(ranks, executors_of<Fixture>(ranks)).first;
        found->second.run([&](exec_type const& exec, rank_communicator const& comm) { work(exec, comm); });
    }

private:
    std::map<std::size_t, multi_executor<exec_type>> pools_{};
};

/// Expected differences between executors, and their reasons; nothing else depends on the executor.
template <class Executor>
struct expected {
    static constexpr bool loops_without_host = false; ///< a Krylov solve is one unit of work on the device
    static constexpr bool short_partitions = false;   ///< RPTS splits systems of any size: one more attempt may be
                                                      ///< needed
    static constexpr bool numbers_hubs = false;       ///< triangles: a separate code path for more than 65 536 vertices
    static constexpr double partition_growth = 1;     ///< growth of errors if some of thousands of inner matrices are
                                                      ///< nearly singular; it increases with the number of partitions
};
template <>
struct expected<cuda_executor> {
    static constexpr bool loops_without_host = true;
    static constexpr bool short_partitions = true;
    static constexpr bool numbers_hubs = true;
    static constexpr double partition_growth = 10;
};

} // namespace coppice::test

TYPE_TO_STRING(coppice::test::on_threads);
TYPE_TO_STRING(coppice::test::two_threads);
TYPE_TO_STRING(coppice::test::on_cuda);

#if defined(COPPICE_TEST_CUDA)
#define COPPICE_TEST_EXECUTORS coppice::test::on_cuda
#else
#define COPPICE_TEST_EXECUTORS coppice::test::on_threads
#endif
