// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graph algorithms over ranks, compared with a single executor.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/over_ranks.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/distributed/graphs/distributed_bfs.hpp>
#include <coppice/solvers/distributed/graphs/distributed_components.hpp>
#include <coppice/solvers/distributed/graphs/distributed_louvain.hpp>
#include <coppice/solvers/distributed/graphs/distributed_pagerank.hpp>
#include <coppice/solvers/distributed/graphs/distributed_sssp.hpp>
#include <coppice/solvers/distributed/graphs/distributed_triangles.hpp>
#include <coppice/solvers/distributed/rows/distributed_product.hpp>
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

/// The rows of a graph that belong to a rank: about equally many rows and entries together on each.
template <class Executor>
struct graph_of_rank {
    Executor exec;
    rank_communicator const& comm;
    csr<float> own; ///< the rows, with global columns
    distributed_rows<Executor> rows;

    graph_of_rank(Executor const& e, rank_communicator const& c, csr<float> const& whole, row_block<float> const& block)
        : exec(e), comm(c), own{vertex_id(block.offsets.size() - 1), whole.columns(), e.copy(block.offsets),
                                e.copy(block.columns), e.copy(block.values)},
          rows(e, c, block.offsets, block.columns) {}
    bool alone() const { return comm.ranks() == 1; }
    graph_view view() const { return graph_view(own.view()); }
};

/// Algorithms over ranks, with one rank those for a single executor; each returns a summary of its result.
template <class Executor>
struct algorithms_over_ranks {
    using graph = graph_of_rank<Executor>;
    struct algorithm {
        char const* name;
        int less; ///< by how much the scale of its graph is smaller
        std::string (*run)(graph const&);
    };
    static std::string search(graph const& g) {
        auto const r = g.alone() ? bfs(g.exec, g.view(), 0, {.incoming = g.view()})
                                 : bfs_distributed(g.exec, g.comm, g.rows, 0, 1 << 30, &g.rows);
        return fmt::format("depth {}, reached {}", r.depth, r.reached);
    }
    static std::string paths(graph const& g) {
        array_view<float const> const lengths = g.own.view().values();
        auto const r = g.alone() ? sssp(g.exec, g.own.view(), 0) : sssp_distributed(g.exec, g.comm, g.rows, lengths, 0);
        return fmt::format("{} rounds", r.rounds);
    }
    static std::string components(graph const& g) {
        auto const r = g.alone() ? connected_components(g.exec, g.view())
                                 : connected_components_distributed(g.exec, g.comm, g.rows);
        return fmt::format("{} components", r.components);
    }
    static std::string ranks_of_pages(graph const& g) {
        pagerank_options const options{.tolerance = 1e-4};
        auto const r = g.alone() ? pagerank<float>(g.exec, g.view(), g.view(), options)
                                 : pagerank_distributed<float>(g.exec, g.comm, g.rows, g.rows, options);
        return fmt::format("{} iterations", r.iterations);
    }
    static std::string triangles(graph const& g) {
        auto const r = g.alone() ? clustering(g.exec, g.view()) : clustering_distributed(g.exec, g.comm, g.rows);
        return fmt::format("{} triangles", r.total);
    }
    static std::string communities(graph const& g) {
        array_view<float const> const weights = g.own.view().values();
        auto const r = g.alone() ? louvain(g.exec, g.own.view()) : louvain_distributed(g.exec, g.comm, g.rows, weights);
        return fmt::format("modularity {:.4f}", r.modularity);
    }
    static std::string square(graph const& g) {
        auto const a = g.own.view();
        auto plan = make_product_plan_distributed(g.exec, g.comm, a, a);
        auto const c = mxm_distributed(g.exec, g.comm, std::move(plan), "plus-times", a, a);
        return fmt::format("{} entries", g.comm.all_reduce(std::int64_t(c.nonzeros()), plus{}));
    }
    static constexpr algorithm all[] = {{"bfs", 0, search},
                                        {"sssp", 0, paths},
                                        {"components", 0, components},
                                        {"pagerank", 0, ranks_of_pages},
                                        {"triangles", 2, triangles},
                                        {"communities", 2, communities},
                                        {"A A, plus-times", 6, square}};
};

/// Graph algorithms and a product of an undirected R-MAT graph with 16 edges per vertex. The algorithms of one graph
/// are measured together, since distributing a large graph takes longer than they do.
template <class Executor>
void analytics_over_ranks(table& t, options const& o, Executor const& exec) {
    using algorithms = algorithms_over_ranks<Executor>;
    bool const host = std::is_same_v<Executor, host_executor>;
    int const largest = o.quick ? 10 : scale_of_graphs(host ? 18 : 22);
    for (int const less : {0, 2, 6}) {
        int const scale = std::max(4, largest - less);
        std::vector<problem_over_ranks> problems;
        std::vector<typename algorithms::algorithm> chosen;
        for (auto const& a : algorithms::all) {
            std::string const problem = fmt::format("R-MAT {}: {}", scale, a.name);
            if (a.less != less || !t.wants(problem)) continue;
            problems.push_back({problem, a.name, false, [scale](int) { return std::int64_t(1) << scale; }, 0});
            chosen.push_back(a);
        }
        if (chosen.empty()) continue;
        auto const whole = rmat<float>(host_executor(o.threads), generator_options{.scale = scale});
        over_ranks<Executor>(t, exec, problems, [&](Executor const& rank_exec, rank_communicator const& comm) {
            auto const begins = blocks_of_entries(whole.row_offsets(), comm.ranks());
            auto const p = std::size_t(comm.rank());
            graph_of_rank<Executor> const g(rank_exec, comm, whole, slice_rows(whole, begins[p], begins[p + 1]));
            std::vector<measured> all;
            for (auto const& algorithm : chosen) {
                std::string found;
                auto const time = time_over_ranks(comm, o.quick ? 1 : 7, [&] {
                    found = algorithm.run(g);
                    rank_exec.synchronize();
                });
                all.push_back({time, fmt::format("{}, halo {}", found, comm.all_reduce(g.rows.halo(), plus{}))});
            }
            return all;
        });
    }
}

} // namespace coppice::bench
