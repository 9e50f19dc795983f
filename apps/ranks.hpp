// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Systems that are distributed by rows over ranks: one device, or a fraction of the cores, per rank.
#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "apps/app.hpp"
#include <coppice/core/multi_executor.hpp>

namespace coppice::app {

inline constexpr int max_ranks = 64;

inline void add_ranks_option(CLI::App& cli, int& ranks) {
    add_integer(cli, "--parts", ranks,
                "number of ranks among which the rows are distributed: one device, or a fraction of the threads, per "
                "rank; 1 by default")
        ->type_name("P");
}
inline void check_ranks(int ranks) {
    if (ranks < 1 || ranks > max_ranks)
        throw usage_error(fmt::format("--parts is {}, expected 1 to {}", ranks, max_ranks));
}

inline multi_executor<host_executor> executors_of_ranks(host_executor const& exec, int ranks) {
    return multi_executor<host_executor>(
        std::vector<host_executor>(std::size_t(ranks), host_executor(std::max(1, exec.threads() / ranks))));
}
/// Throws backend_error if there are fewer devices.
[[maybe_unused]] inline multi_executor<cuda_executor> executors_of_ranks(cuda_executor const&, int ranks) {
    std::vector<cuda_executor> all;
    for (int p = 0; p < ranks; ++p) all.emplace_back(p);
    return multi_executor<cuda_executor>(std::move(all));
}

/// Rows [first, last) of n that belong to this rank.
struct rows_of_rank {
    std::int64_t first, last;
    rows_of_rank(std::int64_t n, rank_communicator const& others)
        : first(n * others.rank() / others.ranks()), last(n * (others.rank() + 1) / others.ranks()) {}
    std::int64_t size() const { return last - first; }
};

} // namespace coppice::app
