// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Systems in parts: a device for each, or a share of the cores.
#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "apps/app.hpp"
#include <coppice/core/multi_executor.hpp>

namespace coppice::app {

inline constexpr int most_parts = 64;

inline void add_parts_option(CLI::App& cli, int& parts) {
    add_integer(cli, "--parts", parts,
                "solve in so many parts of the rows: a device for each, or a share of the threads; 1 by default")
        ->type_name("P");
}
inline void check_parts(int parts) {
    if (parts < 1 || parts > most_parts)
        throw usage_error(fmt::format("--parts is {}, expected 1 to {}", parts, most_parts));
}

inline multi_executor<host_executor> executors_of_parts(host_executor const& exec, int parts) {
    return multi_executor<host_executor>(
        std::vector<host_executor>(std::size_t(parts), host_executor(std::max(1, exec.threads() / parts))));
}
/// Throws backend_error where there are fewer devices.
[[maybe_unused]] inline multi_executor<cuda_executor> executors_of_parts(cuda_executor const&, int parts) {
    std::vector<cuda_executor> all;
    for (int p = 0; p < parts; ++p) all.emplace_back(p);
    return multi_executor<cuda_executor>(std::move(all));
}

/// The rows of part p: [first, last) of n.
struct rows_of_part {
    std::int64_t first, last;
    rows_of_part(std::int64_t n, rank_communicator const& others)
        : first(n * others.rank() / others.ranks()), last(n * (others.rank() + 1) / others.ranks()) {}
    std::int64_t size() const { return last - first; }
};

} // namespace coppice::app
