// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Measurements of one problem on 1, 2, ... ranks: one per device, or per fraction of the cores.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include <coppice/core/multi_executor.hpp>

namespace coppice::bench {

/// Median over `repetitions` of the time until all ranks have ended; equal on all ranks.
inline timing time_over_ranks(rank_communicator const& comm, int repetitions, std::function<void()> const& work) {
    std::vector<double> seconds;
    for (int r = 0; r <= repetitions; ++r) {
        comm.gather(0);
        auto const begin = std::chrono::steady_clock::now();
        work();
        comm.gather(0);
        auto const end = std::chrono::steady_clock::now();
        if (r > 0) seconds.push_back(std::chrono::duration<double>(end - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return {seconds[seconds.size() / 2], seconds.front()};
}

/// Executors for the ranks: one device each, or equal fractions of the cores of the host.
inline std::vector<host_executor> executors(host_executor const& exec, int ranks) {
    return std::vector<host_executor>(std::size_t(ranks), host_executor(std::max(1, exec.threads() / ranks)));
}
[[maybe_unused]] inline std::vector<cuda_executor> executors(cuda_executor const&, int ranks) {
    std::vector<cuda_executor> all;
    for (int p = 0; p < ranks; ++p) all.emplace_back(p);
    return all;
}
inline std::vector<int> rank_counts(host_executor const& exec) {
    std::vector<int> all{1};
    if (exec.threads() > 1) all.push_back(2);
    return all;
}
[[maybe_unused]] inline std::vector<int> rank_counts(cuda_executor const&) {
    std::vector<int> all;
    for (int ranks = 1; ranks <= cuda_device_count(); ranks *= 2) all.push_back(ranks);
    return all;
}

struct measured {
    timing time;
    std::string details{};
};
/// A problem to be measured on 1, 2, ... ranks.
struct problem_over_ranks {
    std::string problem, method;
    bool weak;                             ///< of equal size on each rank
    std::function<std::int64_t(int)> rows; ///< of all ranks
    double bytes_of_row;
};
/// Runs problems on 1, 2, ... ranks: measure(executor, communicator) returns a timing and a text for each on every
/// rank.
template <class Executor>
void over_ranks(table& t, Executor const& exec, std::vector<problem_over_ranks> const& problems,
                std::function<std::vector<measured>(Executor const&, rank_communicator const&)> const& measure) {
    std::vector<std::vector<row>> results(problems.size());
    for (int const ranks : rank_counts(exec)) {
        std::vector<measured> all; // of rank 0
        std::string crossing;
        multi_executor<Executor>(executors(exec, ranks))
            .run([&](Executor const& rank_exec, rank_communicator const& comm) {
                auto found = measure(rank_exec, comm);
                if (comm.rank() != 0) return;
                all = std::move(found);
                if (ranks > 1 && std::is_same_v<Executor, cuda_executor>)
                    crossing = comm.devices() ? "NCCL" : "by the host: " + comm.why_no_devices();
            });
        for (std::size_t i = 0; i < problems.size(); ++i) {
            auto const& p = problems[i];
            row r;
            r.suite = "parts";
            r.backend = std::is_same_v<Executor, host_executor> ? "host" : "cuda";
            r.problem = p.problem;
            r.method = fmt::format("coppice {}, {} part{}", p.method, ranks, ranks > 1 ? "s" : "");
            r.rows = p.rows(ranks);
            r.seconds = all[i].time.median;
            r.fastest = all[i].time.fastest;
            r.bytes = p.bytes_of_row * double(r.rows);
            double const base = results[i].empty() ? r.seconds : results[i].front().seconds;
            r.details = ranks == 1 ? all[i].details
                        : p.weak   ? fmt::format("{:.0f} % {} {}", 100 * base / r.seconds, all[i].details, crossing)
                                   : fmt::format("{:.2f} times {} {}", base / r.seconds, all[i].details, crossing);
            results[i].push_back(r);
        }
    }
    for (auto& of_problem : results) t.add(std::move(of_problem));
}
/// One problem: measure(executor, communicator) returns a timing and a text on every rank.
template <class Executor>
void over_ranks(table& t, Executor const& exec, std::string const& problem, std::string const& method, bool weak,
                std::function<std::int64_t(int)> const& rows, double bytes_of_row,
                std::function<measured(Executor const&, rank_communicator const&)> const& measure) {
    if (!t.wants(problem)) return;
    over_ranks<Executor>(t, exec, {{problem, method, weak, rows, bytes_of_row}},
                         [&](Executor const& rank_exec, rank_communicator const& comm) {
                             return std::vector{measure(rank_exec, comm)};
                         });
}

} // namespace coppice::bench
