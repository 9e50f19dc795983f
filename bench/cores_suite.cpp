// SPDX-License-Identifier: BSD-3-Clause
// Suite `cores`: the same operation on 1, 2, 4, 8, ... threads of the host.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/problems/graph_problems.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/bfs.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/pagerank.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/solvers/multilevel/multilevel.hpp>
#include <coppice/sssp.hpp>

namespace coppice::bench {
namespace {

/// 1, 2, 4, 8, ... below the largest number, and this number.
std::vector<int> thread_numbers(options const& o) {
    int const max_threads = host_executor(o.threads).threads();
    std::vector<int> all;
    for (int threads = 1; threads < max_threads; threads *= 2) all.push_back(threads);
    all.push_back(max_threads);
    return all;
}

/// Measures work(executor) on all numbers of threads and adds the times as one problem.
class scaling {
public:
    scaling(table& t, options const& o) : table_(t), numbers_(thread_numbers(o)), repetitions_(o.quick ? 1 : 5) {}

    template <class T>
    void add(std::string const& name, csr_view<T> a, std::function<void(host_executor const&)> const& work) {
        if (!table_.wants(name)) return;
        std::vector<row> rows;
        for (int const threads : numbers_) {
            host_executor const exec(threads);
            auto const [median, fastest] = measured([&] { work(exec); });
            rows.push_back({.suite = "cores",
                            .backend = "host",
                            .problem = name,
                            .method = fmt::format("{} thread{}", threads, threads > 1 ? "s" : ""),
                            .rows = a.rows(),
                            .nonzeros = a.nonzeros(),
                            .seconds = median,
                            .fastest = fastest});
        }
        table_.add(std::move(rows));
    }

private:
    /// Median and minimum of a few runs after an untimed one; a run of more than a second is measured once.
    std::pair<double, double> measured(std::function<void()> const& work) const {
        constexpr double enough = 0.5, long_run = 1; // seconds
        host_executor const one(1);
        detail::stopwatch watch(one);
        work();
        double sum = watch.lap();
        if (sum > long_run) return {sum, sum};
        std::vector<double> seconds;
        for (sum = 0; int(seconds.size()) < repetitions_ && (seconds.empty() || sum < enough); sum += seconds.back()) {
            watch.lap();
            work();
            seconds.push_back(watch.lap());
        }
        std::sort(seconds.begin(), seconds.end());
        return {seconds[seconds.size() / 2], seconds.front()};
    }

    table& table_;
    std::vector<int> numbers_;
    int repetitions_;
};

/// An undirected graph with integer weights from 1 to 64, equal in both directions.
csr<float> weighted(host_executor const& exec, graph_problem const& p) {
    auto const request = parse_generator(p.generator);
    auto const directed = generate<float>(exec, request.kind, request.options);
    auto a = symmetrised_weights(exec, directed.view());
    auto const view = a.view();
    auto const values = a.values().view();
    for_each(exec, a.rows(), [=](std::int64_t u) {
        for (auto k = view.row_begin(u); k < view.row_end(u); ++k) {
            auto const v = std::int64_t(view.indices[k]);
            values[k] =
                float(1 + (mix_bits(std::uint64_t(std::min(u, v)) << 32 | std::uint64_t(std::max(u, v))) >> 58));
        }
    });
    return a;
}

void add_graph(scaling& all, graph_problem const& p, bool grid) {
    auto const a = weighted(host_executor{}, p);
    graph_view const g(a);
    vertex_id source = grid ? g.vertices / 2 : 0;
    while (source + 1 < g.vertices && g.degree(source) == 0) ++source;
    auto const add = [&](char const* algorithm, auto const& work) {
        all.add(fmt::format("{}: {}", p.name, algorithm), a.view(), work);
    };
    add("bfs", [&](host_executor const& exec) { bfs(exec, g, source, {.incoming = g}); });
    add("components", [&](host_executor const& exec) { connected_components(exec, g); });
    add("sssp", [&](host_executor const& exec) { sssp(exec, a.view(), source, {.parents = false}); });
    add("pagerank", [&](host_executor const& exec) { pagerank<float>(exec, g, g, {.tolerance = 1e-4}); });
    add("triangles", [&](host_executor const& exec) { count_triangles(exec, g); });
}

void add_forest(scaling& all, graph_problem const& p) {
    auto const a = make_graph_problem<float>(p);
    auto const weights = symmetrised_weights(host_executor{}, a.view());
    auto const factor = parallel_factor(host_executor{}, weights.view());
    auto const add = [&](char const* step, auto const& work) {
        all.add(fmt::format("{}: {}", p.name, step), a.view(), work);
    };
    add("weights", [&](host_executor const& exec) { symmetrised_weights(exec, a.view()); });
    add("[0,2]-factor", [&](host_executor const& exec) { parallel_factor(exec, weights.view()); });
    add("linear forest", [&](host_executor const& exec) { extract_forest(exec, weights.view(), factor); });
}

void add_products(scaling& all, graph_problem const& p) {
    auto const a = make_graph_problem<double>(p);
    all.add(fmt::format("{}: A A", p.name), a.view(),
            [&](host_executor const& exec) { mxm(exec, "plus-times", a.view(), a.view()); });
    all.add(fmt::format("{}: transpose", p.name), a.view(),
            [&](host_executor const& exec) { transpose(exec, a.view()); });
}

} // namespace

void cores_host(table& t, options const& o) {
    scaling all(t, o);
    bool const quick = o.quick;
    add_graph(all, quick ? graph_problem{"R-MAT 8", "rmat,scale=8"} : graph_problem{"R-MAT 20", "rmat,scale=20"},
              false);
    add_graph(all,
              quick ? graph_problem{"grid 40^2", "laplace2d,nx=40"} : graph_problem{"grid 4096^2", "laplace2d,nx=4096"},
              true);
    add_forest(all,
               quick ? graph_problem{"ANISO2 60^2", "aniso2,nx=60"} : graph_problem{"ANISO2 2000^2", "aniso2,nx=2000"});
    add_products(all, quick ? graph_problem{"5-point 40^2", "laplace2d,nx=40"}
                            : graph_problem{"5-point 2000^2", "laplace2d,nx=2000"});
    graph_problem const cube =
        quick ? graph_problem{"7-point 12^3", "laplace3d,nx=12"} : graph_problem{"7-point 128^3", "laplace3d,nx=128"};
    auto const a = make_graph_problem<double>(cube);
    all.add(fmt::format("{}: multilevel set-up", cube.name), a.view(), [&](host_executor const& exec) {
        multilevel_preconditioner<host_executor, double> const made(exec, a.view());
    });
}

} // namespace coppice::bench
