// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Systems that are distributed by rows over ranks: one device, or a fraction of the cores, per rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/app.hpp"
#include "apps/input.hpp"
#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/rows/rank_messages.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>

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

/// Throws input_error for a value of these rows that `rule` refuses.
template <class T>
void check_finite_rows(std::string const& matrix, row_block<T> const& rows, finite_rule rule = finite_rule::finite) {
    auto const bad = std::find_if(rows.values.begin(), rows.values.end(), [rule](T v) {
        return rule == finite_rule::finite ? !std::isfinite(v) : std::isnan(v);
    });
    if (bad == rows.values.end()) return;
    auto const k = bad - rows.values.begin();
    auto const row = std::upper_bound(rows.offsets.begin(), rows.offsets.end(), k) - rows.offsets.begin() - 1;
    throw input_error(fmt::format("{}: the entry in row {}, column {} is not finite", matrix, rows.first + row + 1,
                                  rows.columns[std::size_t(k)] + 1));
}

/// The blocks of all ranks, in their order, on rank 0; empty on others. Collective.
template <class Value>
std::vector<Value> gather_blocks(rank_communicator const& comm, std::vector<Value> const& own) {
    distributed::rank_offsets sent(std::size_t(comm.ranks()) + 1, std::int64_t(own.size()));
    sent[0] = 0; // all to rank 0
    auto const received = distributed::begins_of_received(comm, sent);
    std::vector<Value> whole(static_cast<std::size_t>(received.back()));
    distributed::send_and_receive(comm, sent, own.data(), received, whole.data())->finish();
    return whole;
}

} // namespace coppice::app
