// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communities of large modularity that are connected: the Leiden method.
#pragma once

#include <optional>

#include <coppice/graph/communities/louvain.hpp>
#include <coppice/graph/frontier/filtered_edges.hpp>

namespace coppice::inline v0_1 {

struct leiden_options {
    louvain_options louvain{}; ///< resolution, tolerance, largest number of levels of a pass
    int passes = 2;            ///< >= 1; each begins with the communities of the pass before
};

/// Communities of an undirected graph by the Leiden method (Traag, Waltman and van Eck 2019): as louvain(), but before
/// each contraction the communities are refined. A vertex that is the only one of its refined community joins a
/// neighbouring refined community within its community if that increases modularity. A quarter of the vertices, chosen
/// by a hash, decides simultaneously, and no vertex joins another one that may move at the same time. A refined
/// community therefore grows only by neighbours and is connected. Refined communities become the vertices of the next
/// level, whose initial communities are those that contain them. At the end, communities that edges of positive weight
/// do not connect are split, which never decreases modularity: **every community is connected**.
///
/// Weights, determinism and errors as of louvain(). Memory: 24 bytes per edge (CUDA: 48), 94 per vertex, and that of
/// the first contraction. Waits once per sweep.
template <executor Executor, class T>
louvain_result leiden(Executor const& exec, csr_view<T> a, leiden_options const& options = {});

namespace analytics {

/// Gain of modularity if v, the only vertex of its refined community, joins another refined community of the same
/// community. Other vertices stay.
struct gain_of_refinement {
    vertex_id const* communities;
    std::uint8_t const* is_attached; ///< whether v has enough edges to the rest of its community
    std::int64_t const* row_sums;
    std::int64_t* totals;
    std::int32_t* sizes; ///< numbers of vertices of this level in the refined communities
    double all, resolution;
    quarter_rule rule{};
    int quarter = 0;

    gain_of_refinement of_quarter(quarter_rule const& r, int q) const {
        auto score = *this;
        score.rule = r;
        score.quarter = q;
        return score;
    }
    COPPICE_HD std::uint64_t operator()(vertex_id v, vertex_id label, vertex_id own, std::int64_t weight) const {
        bool const stays = own != v || sizes[v] != 1 || !is_attached[v];
        if (label == own) return stays ? ~std::uint64_t(0) : ordered_bits(0.0) | 1;
        // A refined community is named after one of its vertices. That vertex may leave in this round if it is alone;
        // then v must not join it.
        bool const may_leave = sizes[label] <= 1 && rule(label) == quarter;
        if (stays || may_leave || communities[label] != communities[v]) return 0;
        double const expected = resolution * double(row_sums[v]) * double(totals[label]) / all;
        return ordered_bits(double(weight) - expected) & ~std::uint64_t(1);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void moves(Worker& worker, vertex_id v, vertex_id from, vertex_id to) const {
        worker.add(totals + from, -row_sums[v]);
        worker.add(totals + to, row_sums[v]);
        worker.add(sizes + from, std::int32_t(-1));
        worker.add(sizes + to, std::int32_t(1));
    }
};
/// Flags the vertices v that are connected well enough to the rest of their community to join others: the weight of
/// their edges to it is at least resolution k_v (K - k_v) / s with the row sums k, their sum s, and the sum K of k over
/// the community.
struct attach_to_community {
    using value = std::int64_t;
    graph_view g;
    std::int64_t const *weights, *row_sums, *totals;
    vertex_id const* communities;
    double all, resolution;
    std::uint8_t* is_attached;
    COPPICE_HD std::int64_t term(vertex_id v, std::int32_t k) const {
        vertex_id const u = g.neighbors[k];
        return u != v && communities[u] == communities[v] ? weights[k] : 0;
    }
    COPPICE_HD void store(vertex_id v, std::int64_t sum) const {
        double const mine = double(row_sums[v]), others = double(totals[communities[v]] - row_sums[v]);
        is_attached[v] = double(sum) >= resolution * mine * others / all ? 1 : 0;
    }
};
/// Selects the edges of positive weight within communities. An edge of weight zero connects nothing.
template <class T>
struct connects_within_label {
    graph_view g;
    T const* weights;
    vertex_id const* labels;
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const {
        return weights[k] > T(0) && labels[u] == labels[g.neighbors[k]];
    }
};
/// Computes, for each community, the smallest number of the refined communities (groups) of its vertices.
struct lower_to_group {
    vertex_id const *communities, *groups;
    vertex_id* smallest;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        worker.lower(smallest + communities[v], groups[v]);
    }
};
struct start_of_group {
    vertex_id const *communities, *groups, *smallest;
    vertex_id* start;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        worker.store(start + groups[v], smallest[communities[v]]); // the same for all vertices of a group
    }
};
struct compose_labels {
    vertex_id const *of_vertex, *outer;
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t v) const { to[v] = outer[of_vertex[v]]; }
};

/// Divides the communities into connected refined communities; returns a label for each vertex, which is one of the
/// vertices of its refined community.
template <executor Executor>
buffer<vertex_id> refine(Executor const& exec, integer_graph<Executor> const& w, vertex_id const* communities,
                         double resolution) {
    std::int64_t const n = w.g.vertices;
    buffer<std::uint8_t> is_attached(exec, n);
    buffer<std::int64_t> totals(exec, n);
    fill(exec, totals.view(), 0);
    worklist const* const all = w.all_vertices.data();
    vertex_map(exec, nullptr, all, nothing(), add_to_label{communities, w.row_sums.data(), totals.data()});
    edge_sum(exec, nullptr, all, w.g,
             attach_to_community{w.g, w.weights.data(), w.row_sums.data(), totals.data(), communities, w.all,
                                 resolution, is_attached.data()});
    label_rounds<Executor> rounds(exec, w.g, w.weights.data());
    exec.copy_elements(w.row_sums.data(), totals.data(), n);
    buffer<std::int32_t> sizes(exec, n);
    fill(exec, sizes.view(), 1);
    gain_of_refinement const gain{communities, is_attached.data(), w.row_sums.data(), totals.data(), sizes.data(),
                                  w.all,       resolution};
    for (std::uint64_t sweep = 1; sweep <= 5; ++sweep) {
        rounds.wake_all(); // each sweep divides the vertices into other quarters
        if (rounds.sweep(gain, 0x1ede + sweep) <= n / 1000) break;
    }
    return std::move(rounds.labels());
}

/// Runs one pass over the levels, starting from the communities `labels` of the vertices of the first level. Replaces
/// `labels`; returns the number of levels.
template <executor Executor>
int leiden_pass(Executor const& exec, integer_graph<Executor> const& first, louvain_options const& o,
                buffer<vertex_id>& labels) {
    std::int64_t const n = first.g.vertices;
    buffer<vertex_id> vertex_of(exec, n); // the vertex of the level that each vertex belongs to
    for_each(exec, n, label_itself{vertex_of.data()});
    auto start = copy_of(exec, labels.view());
    double last = first.modularity(exec, start.data(), o.resolution);
    csr<double> coarse; // owns the graph of the level, unless that is the first
    std::optional<integer_graph<Executor>> contracted;
    int levels = 0;
    for (; levels < o.max_levels && first.all > 0; ++levels) {
        integer_graph<Executor> const& level = contracted ? *contracted : first;
        auto const communities = move_vertices(exec, level, o.resolution, start.data());
        double const reached = level.modularity(exec, communities.data(), o.resolution);
        bool const gains = reached > last + o.tolerance;
        if (gains) for_each(exec, n, compose_labels{vertex_of.data(), communities.data(), labels.data()});
        if (!gains && levels > 0) break;
        last = gains ? reached : last;
        vertex_id const* const current = gains ? communities.data() : start.data();
        auto groups = refine(exec, level, current, o.resolution);
        worklist const* const all = level.all_vertices.data();
        vertex_aggregates<> refined{level.g.vertices, number_communities(exec, all, groups), std::move(groups)};
        if (refined.count == level.g.vertices) break;
        buffer<vertex_id> smallest(exec, level.g.vertices), next_start(exec, refined.count);
        fill(exec, smallest.view(), refined.count);
        vertex_map(exec, nullptr, all, nothing(), lower_to_group{current, refined.of.data(), smallest.data()});
        vertex_map(exec, nullptr, all, nothing(),
                   start_of_group{current, refined.of.data(), smallest.data(), next_start.data()});
        for_each(exec, n, follow_level{refined.of.data(), vertex_of.data()});
        auto next = contract_level(exec, level, refined);
        contracted.emplace(exec, graph_view(next.pattern), std::move(next.weights));
        coarse = std::move(next.pattern);
        start = std::move(next_start);
    }
    return levels;
}

} // namespace analytics

template <executor Executor, class T>
louvain_result leiden(Executor const& exec, csr_view<T> a, leiden_options const& options) {
    using namespace analytics;
    check_louvain("leiden", options.louvain);
    if (options.passes < 1)
        throw argument_error("leiden option passes is " + std::to_string(options.passes) + ", expected 1 or more");
    graph_view const g(a);
    louvain_result r;
    if (g.vertices == 0) return r;
    auto const integers = make_integer_graph(exec, a, "leiden");
    r.labels = buffer<vertex_id>(exec, g.vertices);
    for_each(exec, g.vertices, label_itself{r.labels.data()});
    for (int pass = 0; pass < options.passes; ++pass) {
        r.levels += leiden_pass(exec, integers, options.louvain, r.labels);
        connects_within_label<T> const connects{g, a.coefficients, r.labels.data()};
        auto found = connected_components(exec, select_edges(exec, g, connects).view());
        r.labels = std::move(found.labels);
        r.communities = found.components;
    }
    r.modularity = integers.modularity(exec, r.labels.data(), options.louvain.resolution);
    return r;
}

#define COPPICE_LEIDEN(EXTERN, EXECUTOR, T)                                                                            \
    EXTERN template louvain_result leiden(EXECUTOR const&, csr_view<T>, leiden_options const&)
COPPICE_LEIDEN(extern, host_executor, float);
COPPICE_LEIDEN(extern, host_executor, double);
COPPICE_LEIDEN(extern, cuda_executor, float);
COPPICE_LEIDEN(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
