// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Systems that are distributed by rows over ranks: one device, or a fraction of the cores, per rank.
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "apps/app.hpp"
#include "apps/backend.hpp"
#include "apps/input.hpp"
#include <coppice/algebra/rows/row_access.hpp>
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

/// Whether the ranks are devices: by request, or if there is one for each of them. `of_mpi`: the ranks, on which the
/// result is the same (collective); null: `ranks` of this process.
inline bool takes_devices(common_options const& options, int ranks, process_ranks* of_mpi) {
    if (options.backend != "auto") return options.backend == "cuda";
    if (!of_mpi) return cuda_device_count() >= ranks;
    int const enough = cuda_device_count() >= of_mpi->local_ranks() ? 1 : 0;
    return rank_communicator(*of_mpi).all_reduce(enough, [](int a, int b) { return a * b; }) != 0;
}
/// The executor of this process, which is a rank: its part of the cores, or its device, which takes part in exchanges.
/// Throws backend_error if a device is requested and there is none.
inline any_executor executor_of_process(common_options const& options, process_ranks& ranks) {
    auto chosen = make_executor(options, ranks.local_rank());
#if defined(COPPICE_HAS_CUDA)
    if (auto const* const device = std::get_if<cuda_executor>(&chosen)) ranks.use_device(*device);
#endif
    return chosen;
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
        return rule == finite_rule::finite ? !coppice::detail::is_finite(v) : is_nan(v);
    });
    if (bad == rows.values.end()) return;
    auto const k = bad - rows.values.begin();
    auto const row = std::upper_bound(rows.offsets.begin(), rows.offsets.end(), k) - rows.offsets.begin() - 1;
    throw input_error(fmt::format("{}: the entry in row {}, column {} {}", matrix, rows.first + row + 1,
                                  rows.columns[std::size_t(k)] + 1, why_refused(*bad)));
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
