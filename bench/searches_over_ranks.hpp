// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graph algorithms over ranks, compared with a single executor.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <fmt/core.h>

#include "bench/over_ranks.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/distributed/graphs/distributed_bfs.hpp>
#include <coppice/solvers/distributed/graphs/distributed_components.hpp>
#include <coppice/solvers/distributed/graphs/distributed_pagerank.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>

namespace coppice::bench {

/// Scale of the R-MAT graphs: COPPICE_BENCH_RMAT in the environment, or `otherwise` if it is not set. Throws
/// argument_error for any other value than 4 to 26; with 27, a graph would have 2^31 edges.
inline int scale_of_graphs(int otherwise) {
    char const* const text = std::getenv("COPPICE_BENCH_RMAT");
    if (!text) return otherwise;
    std::string_view const value = text;
    int scale = 0;
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), scale);
    if (error != std::errc() || end != value.data() + value.size() || scale < 4 || scale > 26)
        throw argument_error(fmt::format("COPPICE_BENCH_RMAT is '{}', expected 4 to 26", value));
    return scale;
}

/// Searches, components and PageRank of an undirected R-MAT graph with 16 edges per vertex; with one rank by the
/// functions for a single executor. The sum of rows and entries is about equal in all blocks.
template <class Executor>
void searches_over_ranks(table& t, options const& o, Executor const& exec) {
    bool const host = std::is_same_v<Executor, host_executor>;
    int const scale = o.quick ? 8 : scale_of_graphs(host ? 18 : 22);
    auto const problem = [&](char const* algorithm) { return fmt::format("R-MAT {}: {}", scale, algorithm); };
    char const* const names[] = {"bfs", "components", "pagerank"};
    if (std::none_of(std::begin(names), std::end(names), [&](auto name) { return t.wants(problem(name)); })) return;
    auto const whole = rmat<float>(host_executor(o.threads), generator_options{.scale = scale});
    for (std::string const name : names)
        over_ranks<Executor>(
            t, exec, problem(name.c_str()), name, false, [&](int) { return std::int64_t(whole.rows()); }, 0,
            [&](Executor const& rank_exec, rank_communicator const& comm) -> measured {
                auto const begins = blocks_of_entries(whole.row_offsets(), comm.ranks());
                auto const p = std::size_t(comm.rank());
                auto const block = slice_rows(whole, begins[p], begins[p + 1]);
                distributed_rows const rows(rank_exec, comm, block.offsets, block.columns);
                bool const one = comm.ranks() == 1;
                graph_view g;
                g.vertices = vertex_id(rows.size()), g.edge_count = vertex_id(rows.nonzeros());
                g.offsets = rows.offsets().data(), g.neighbors = rows.columns().data();
                std::string found;
                auto const work = [&] {
                    if (name == "bfs") {
                        auto const r = one ? bfs(rank_exec, g, 0, {.incoming = g})
                                           : bfs_distributed(rank_exec, comm, rows, 0, 1 << 30, &rows);
                        found = fmt::format("depth {}, reached {}", r.depth, r.reached);
                    } else if (name == "components") {
                        auto const r = one ? connected_components(rank_exec, g)
                                           : connected_components_distributed(rank_exec, comm, rows);
                        found = fmt::format("{} components", r.components);
                    } else {
                        pagerank_options const options{.tolerance = 1e-4};
                        auto const r = one ? pagerank<float>(rank_exec, g, g, options)
                                           : pagerank_distributed<float>(rank_exec, comm, rows, rows, options);
                        found = fmt::format("{} iterations", r.iterations);
                    }
                    rank_exec.synchronize();
                };
                auto const time = time_over_ranks(comm, o.quick ? 1 : 7, work);
                auto const outer = comm.all_reduce(rows.halo(), plus{});
                return {time, fmt::format("{}, halo {}", found, outer)};
            });
}

} // namespace coppice::bench
