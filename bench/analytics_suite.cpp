// SPDX-License-Identifier: BSD-3-Clause
// Suite `graph`: graph algorithms; on the host also plain sequential loops and Boost.Graph.
#include <cmath>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/graph_loops.hpp"
#include "bench/peers/boost_peer.hpp"
#include "bench/problems/graph_problems.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/bfs.hpp>
#include <coppice/centrality.hpp>
#include <coppice/communities.hpp>
#include <coppice/factor.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/pagerank.hpp>
#include <coppice/sssp.hpp>

namespace coppice::bench {
namespace {

struct analytics_problem {
    graph_problem graph;
    int source; ///< the first vertex with an edge, from this one on
};

std::vector<analytics_problem> problems(bool quick, bool cuda) {
    if (quick) return {{{"R-MAT 8", "rmat,scale=8"}, 0}, {{"grid 40^2", "laplace2d,nx=40"}, 820}};
    if (cuda) return {{{"R-MAT 22", "rmat,scale=22"}, 0}, {{"grid 4096^2", "laplace2d,nx=4096"}, 4096 * 2048 + 2048}};
    return {{{"R-MAT 18", "rmat,scale=18"}, 0}, {{"grid 1500^2", "laplace2d,nx=1500"}, 1500 * 750 + 750}};
}

/// Removes self-loops and sets integer weights from 1 to 64 by a hash of the pair, equal in both directions.
csr<float> weighted(host_executor const& exec, graph_problem const& p) {
    auto const directed = make_graph_problem<float>(p);
    auto a = symmetrised_weights(exec, directed.view());
    auto const view = a.view();
    for (std::int32_t u = 0; u < a.rows(); ++u)
        for (auto k = view.row_begin(u); k < view.row_end(u); ++k) {
            auto const v = view.indices[k];
            std::uint64_t const pair = std::uint64_t(std::min(u, v)) << 32 | std::uint64_t(std::max(u, v));
            a.values()[k] = float(1 + (mix_bits(pair) >> 58));
        }
    return a;
}

/// Adds the algorithms on one graph to a table, ours first.
class cases {
public:
    cases(table& t, std::string graph, csr_view<float> a, std::string backend, bool quick)
        : table_(t), graph_(std::move(graph)), a_(a), backend_(std::move(backend)), repetitions_(quick ? 1 : 7) {}

    struct peer {
        std::string method;
        std::function<void()> work;
    };
    template <class Work>
    void add(std::string const& algorithm, Work const& work, std::vector<peer> const& peers) {
        std::string const name = graph_ + ": " + algorithm;
        if (!table_.wants(name)) return;
        std::string details;
        std::vector<row> rows{measured(name, "coppice", [&] { details = work(); })};
        rows[0].details = details;
        for (auto const& p : peers) rows.push_back(measured(name, p.method, p.work));
        table_.add(std::move(rows));
    }

private:
    row measured(std::string const& name, std::string const& method, std::function<void()> const& work) const {
        timing const t = measure(repetitions_, [&](int) { work(); });
        return {"graph", backend_, name, method, "", a_.rows(), a_.nonzeros(), t.median, t.fastest, 0, 0, {}};
    }

    table& table_;
    std::string graph_;
    csr_view<float> a_;
    std::string backend_;
    int repetitions_;
};

/// Measures every algorithm on a graph in the memory of `exec`; `peers(name)` returns the other implementations to
/// measure.
template <class Executor, class Peers>
void add_algorithms(cases& all, Executor const& exec, csr_view<float> a, int source, Peers const& peers) {
    graph_view const g(a);
    auto const add = [&](char const* algorithm, auto const& work) { all.add(algorithm, work, peers(algorithm)); };
    add("bfs", [&] { return fmt::format("depth {}", bfs(exec, g, source, {.incoming = g}).depth); });
    add("sssp", [&] {
        auto const r = sssp(exec, a, source, {.parents = false});
        return fmt::format("delta {:.3g}, {} rounds", r.delta, r.rounds);
    });
    add("pagerank",
        [&] { return fmt::format("{} iterations", pagerank<float>(exec, g, g, {.tolerance = 1e-4}).iterations); });
    add("components", [&] { return fmt::format("{} components", connected_components(exec, g).components); });
    add("triangles", [&] { return fmt::format("{} triangles", count_triangles(exec, g)); });
    add("independent set", [&] { return fmt::format("{} members", maximal_independent_set(exec, g).size); });
    add("maximal matching", [&] { return fmt::format("{} pairs", maximal_matching(exec, g).pairs); });
    add("heavy matching", [&] {
        auto const f = parallel_factor(exec, a, {.degree = 1, .rounds = 0, .charge_below = 0});
        return fmt::format("weight {}, {} rounds", f.weight, f.rounds);
    });
    add("spanning forest", [&] {
        auto const f = minimum_spanning_forest(exec, a);
        return fmt::format("weight {}, {} rounds", f.weight, f.rounds);
    });
    add("colouring", [&] { return fmt::format("{} colours", colour_graph(exec, g).count); });
    add("core numbers", [&] { return fmt::format("at most {}", core_numbers(exec, g).largest); });
    std::vector<vertex_id> four;
    for (vertex_id v = source; v < g.vertices && four.size() < 4; ++v) four.push_back(v);
    add("betweenness, 4 sources", [&] {
        auto const r = betweenness(exec, g, g, {.from = {.vertices = four}});
        return fmt::format("{} sources", r.sources);
    });
    add("communities", [&] {
        auto const r = louvain(exec, a);
        return fmt::format("{} communities, modularity {:.3f}", r.communities, r.modularity);
    });
    add("label propagation", [&] { return fmt::format("{} communities", label_propagation(exec, g).communities); });
}
/// Algorithms for directed graphs.
template <class Executor>
void add_directed(cases& all, Executor const& exec, csr_view<float> a) {
    auto const incoming = transpose(exec, a);
    all.add("strong components",
            [&] {
                auto const r = strongly_connected_components(exec, graph_view(a), graph_view(incoming));
                return fmt::format("{} components", r.components);
            },
            {});
}
/// R-MAT with edges in one direction.
graph_problem directed_problem(bool quick, bool cuda) {
    if (quick) return {"R-MAT 8, directed", "rmat,scale=8,undirected=0"};
    if (cuda) return {"R-MAT 22, directed", "rmat,scale=22,undirected=0"};
    return {"R-MAT 18, directed", "rmat,scale=18,undirected=0"};
}

double volatile sink; ///< stores results of loops, so that compilers do not remove the loops

std::vector<cases::peer> host_peers(std::string const& name, csr_view<float> a, int source, boost_graph const& boost) {
    std::string const loop = "sequential loop", library = boost_graph::version();
    if (name == "bfs")
        return {{loop, [=] { sink = double(loops::bfs(a, source)[0]); }},
                {library, [&, source] { boost.bfs(source); }}};
    if (name == "sssp")
        return {{"sequential loop, binary heap", [=] { sink = double(loops::dijkstra(a, source)[0]); }},
                {library, [&, source] { boost.sssp(source); }}};
    if (name == "pagerank") return {{loop, [=] { sink = double(loops::pagerank(a, 1e-4f)[0]); }}};
    if (name == "components")
        return {{loop, [=] { sink = double(loops::components(a)[0]); }}, {library, [&] { boost.components(); }}};
    if (name == "triangles") return {{loop, [=] { sink = double(loops::triangles(a)); }}};
    if (name == "independent set") return {{loop, [=] { sink = double(loops::independent_set(a)[0]); }}};
    if (name == "maximal matching") return {{loop, [=] { sink = double(loops::maximal_matching(a)[0]); }}};
    if (name == "heavy matching") return {{"sequential loop, sorted edges", [=] { sink = loops::greedy_matching(a); }}};
    if (name == "spanning forest") return {{"sequential loop, sorted edges", [=] { sink = loops::kruskal(a); }}};
    if (name == "colouring")
        return {{loop, [=] { sink = double(loops::colouring(a)[0]); }}, {library, [&] { boost.colouring(); }}};
    if (name == "core numbers") return {{loop, [=] { sink = double(loops::cores(a)[0]); }}};
    return {};
}

int first_with_edge(csr_view<float> a, int from) {
    while (from + 1 < a.rows() && a.row_begin(from) == a.row_end(from)) ++from;
    return from;
}

} // namespace

void graph_host(table& t, options const& o) {
    host_executor const exec(o.threads);
    for (auto const& p : problems(o.quick, false)) {
        if (!t.wants_some_of(p.graph.name)) continue;
        auto const a = weighted(exec, p.graph);
        boost_graph const boost(a.view());
        int const source = first_with_edge(a.view(), p.source);
        cases all(t, p.graph.name, a.view(), "host", o.quick);
        add_algorithms(all, exec, a.view(), source,
                       [&](std::string const& name) { return host_peers(name, a.view(), source, boost); });
    }
    if (auto const p = directed_problem(o.quick, false); t.wants_some_of(p.name)) {
        auto const a = make_graph_problem<float>(p);
        cases all(t, p.name, a.view(), "host", o.quick);
        add_directed(all, exec, a.view());
    }
}
#if defined(COPPICE_HAS_CUDA)
void graph_cuda(table& t, options const& o) {
    cuda_executor const exec;
    for (auto const& p : problems(o.quick, true)) {
        if (!t.wants_some_of(p.graph.name)) continue;
        auto const on_host = weighted(host_executor{}, p.graph);
        auto const a = exec.copy(on_host);
        cases all(t, p.graph.name, on_host.view(), "cuda", o.quick);
        add_algorithms(all, exec, a.view(), first_with_edge(on_host.view(), p.source),
                       [](std::string const&) { return std::vector<cases::peer>{}; });
    }
    if (auto const p = directed_problem(o.quick, true); t.wants_some_of(p.name)) {
        auto const on_host = make_graph_problem<float>(p);
        auto const a = exec.copy(on_host);
        cases all(t, p.name, on_host.view(), "cuda", o.quick);
        add_directed(all, exec, a.view());
    }
}
#endif

} // namespace coppice::bench
