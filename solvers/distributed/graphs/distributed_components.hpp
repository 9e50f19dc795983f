// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Connected components over ranks: union-find trees of each rank, whose labels are exchanged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/structure/components.hpp>
#include <coppice/solvers/distributed/graphs/contracted_trees.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Lowers the label of a root to that of vertex v of its tree.
struct lower_root {
    vertex_id const* up;
    vertex_id* labels;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (up[v] == v) return;
        vertex_id const label = worker.load(labels + v); // many vertices read the label of one root
        if (label < worker.load_cached(labels + up[v])) worker.lower(labels + up[v], label);
    }
};
struct take_label_of_root {
    vertex_id const* up;
    vertex_id* labels;
    COPPICE_HD void operator()(std::int64_t v) const {
        if (up[v] != v) labels[v] = labels[up[v]];
    }
};
struct number_tree {
    vertex_id* roots;
    vertex_id* trees;
    vertex_id first, first_tree;
    COPPICE_HD void operator()(std::int64_t tree, std::int64_t v) const {
        roots[tree] = first + static_cast<vertex_id>(v);
        trees[v] = first_tree + static_cast<vertex_id>(tree);
    }
};
struct is_own_root {
    vertex_id const* up;
    COPPICE_HD bool operator()(std::int64_t v) const { return up[v] == v; }
};
/// Whether an outer vertex is in a tree of this rank.
struct is_united {
    vertex_id const* up; ///< of outer vertices
    vertex_id own;
    COPPICE_HD bool operator()(std::int64_t k) const { return up[k] != own + k; }
};
struct make_tree_pair {
    vertex_id const* up; ///< of outer vertices
    vertex_id const* trees;
    vertex_id const* of_others; ///< trees of outer vertices on their ranks
    vertex_id first_tree;
    std::uint64_t* pairs;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const {
        auto const tree = static_cast<std::uint32_t>(trees[up[k]] - first_tree);
        pairs[position] = std::uint64_t(tree) << 32 | static_cast<std::uint32_t>(of_others[k]);
    }
};
struct differs_from_last {
    std::uint64_t const* pairs;
    COPPICE_HD bool operator()(std::int64_t i) const { return i == 0 || pairs[i] != pairs[i - 1]; }
};
struct copy_pair {
    std::uint64_t const* from;
    std::uint64_t* to;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t i) const { to[position] = from[i]; }
};
struct label_of_tree {
    vertex_id const* up;
    vertex_id const* trees;
    vertex_id const* labels_of_trees;
    vertex_id first_tree;
    vertex_id* labels;
    COPPICE_HD void operator()(std::int64_t v) const { labels[v] = labels_of_trees[trees[up[v]] - first_tree]; }
};
struct is_smallest {
    vertex_id const* labels;
    vertex_id first;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return labels[v] == first + v ? 1 : 0; }
};

/// Trees of the vertices and outer vertices of a rank. The root of a tree is its smallest local vertex, which is one of
/// this rank, since outer vertices have larger local indices and no edges; or the tree is an outer vertex alone. A
/// label is the smallest global index of the component that is known.
///
/// An edge within the largest component need not be united, and any other edge is united by the rank of an end outside
/// of it. Therefore an edge between ranks may be in the trees of one rank only, and labels go in both directions: from
/// outer vertices to their owners, and back.
template <executor Executor>
class rank_trees {
public:
    explicit rank_trees(owned_graph<Executor> const& graph)
        : graph_(graph), up_(graph.exec(), graph.view().vertices), labels_(graph.exec(), graph.view().vertices),
          all_(analytics::every_vertex(graph.exec(), graph.view())),
          outer_(analytics::placed(graph.exec(), analytics::worklist{nullptr, graph.outer_ids().size(), 0})),
          changed_(graph.exec(), 1), to_owners_(graph.exec(), graph.comm(), graph.halo_plan()),
          from_owners_(graph.exec(), graph.comm(), graph.halo_plan()) {}

    /// Labels of the vertices of this rank, and of outer vertices. Collective.
    buffer<vertex_id> const& labels() {
        using namespace analytics;
        auto const& exec = graph_.exec();
        graph_view const g = graph_.view();
        unite_first(exec, g, up_, all_.data());
        for_each(exec, g.vertices,
                 global_of_local{graph_.outer_ids().data(), graph_.own(), graph_.first(), labels_.data()});
        exchange_labels(rounds_of_samples);
        vertex_id const largest = frequent_label_of_ranks();
        edge_map(exec, nullptr, all_.data(), g, nothing(),
                 unite_other_edges{g, up_.data(), labels_.data(), largest, unite_first_edges::count});
        if (!exchange_labels(max_rounds)) label_by_contraction();
        return labels_;
    }

private:
    static constexpr int rounds_of_samples = 1;
    /// Labels of few trees per rank take few rounds. If a component is a long chain of trees, contraction takes fewer.
    static constexpr int max_rounds = 8;

    /// Exchanges the labels of trees until they do not change, but at most `rounds` times; returns whether they are
    /// final.
    bool exchange_labels(int rounds) {
        using namespace analytics;
        auto const& exec = graph_.exec();
        std::int64_t const n = up_.size();
        vertex_id* const of_outer = labels_.data() + graph_.own();
        flatten(exec, up_);
        for (int round = 0;; ++round) {
            vertex_map(exec, nullptr, all_.data(), nothing(), lower_root{up_.data(), labels_.data()});
            for_each(exec, n, take_label_of_root{up_.data(), labels_.data()});
            if (!to_owners_.any()) return true;
            if (round == rounds) return false;
            fill(exec, changed_.view(), 0);
            to_owners_.lower(exec, of_outer, labels_.data(), changed_.data());
            from_owners_.start(exec, labels_.data());
            from_owners_.finish(exec);
            vertex_map(exec, nullptr, outer_.data(), nothing(),
                       lower_received<vertex_id>{nullptr, from_owners_.values(), of_outer, changed_.data()});
            if (graph_.comm().all_reduce(exec.load(changed_.data()), maximum{}) == 0) return true;
        }
    }

    /// The label that is frequent on the ranks with the most vertices; the choice affects the time only.
    vertex_id frequent_label_of_ranks() const {
        struct vote {
            vertex_id label;
            vertex_id vertices;
        };
        vote mine{-1, graph_.own()};
        if (mine.vertices > 0)
            mine.label = analytics::frequent_label(
                graph_.exec(), array_view<vertex_id const>(labels_.data(), std::int64_t(mine.vertices)));
        auto const votes = graph_.comm().gather(mine);
        vertex_id best = -1;
        std::int64_t max_vertices = 0;
        for (vote const& v : votes) {
            std::int64_t vertices = 0;
            for (vote const& other : votes) vertices += other.label == v.label ? other.vertices : 0;
            if (vertices > max_vertices) best = v.label, max_vertices = vertices;
        }
        return best;
    }

    /// Labels the trees of all ranks by the contracted graph.
    void label_by_contraction() {
        auto const& exec = graph_.exec();
        auto const& comm = graph_.comm();
        std::int64_t const own = graph_.own(), outer = graph_.outer_ids().size();
        vertex_id const* const up = up_.data();
        // Trees are numbered by rank, and by their roots in a rank, so that the smallest tree has the smallest vertex.
        auto const begins = offsets_of_ranks(comm, reduce(exec, own, std::int64_t{0}, analytics::is_root{up}, plus{}));
        auto const first_tree = vertex_id(begins[std::size_t(comm.rank())]);
        buffer<vertex_id> roots(exec, begins[std::size_t(comm.rank()) + 1] - first_tree), trees(exec, own);
        select(exec, own, is_own_root{up}, number_tree{roots.data(), trees.data(), graph_.first(), first_tree});

        buffer<vertex_id> tree_of(exec, own);
        for_each(exec, own, coppice::detail::gather_at<vertex_id, std::int32_t>{trees.data(), up, tree_of.data()});
        from_owners_.start(exec, tree_of.data());
        from_owners_.finish(exec);
        buffer<std::uint64_t> pairs(exec, outer), distinct(exec, outer);
        std::int64_t const united =
            select(exec, outer, is_united{up + own, graph_.own()},
                   make_tree_pair{up + own, trees.data(), from_owners_.values(), first_tree, pairs.data()});
        buffer<std::uint8_t> no_values(exec, united);
        fill(exec, no_values.view(), 0);
        sort_by_key(exec, array_view<std::uint64_t>(pairs.data(), united), no_values.view());
        std::int64_t const count =
            select(exec, united, differs_from_last{pairs.data()}, copy_pair{pairs.data(), distinct.data()});
        std::vector<tree_pair> edges;
        for (std::uint64_t const pair : to_vector(exec, array_view<std::uint64_t const>(distinct.data(), count)))
            edges.emplace_back(vertex_id(pair >> 32), vertex_id(pair & 0xffffffffu));

        auto const smallest =
            exec.copy(smallest_in_components(set_up_executor(exec), comm, to_vector(exec, roots), begins, edges));
        for_each(exec, own, label_of_tree{up, trees.data(), smallest.data(), first_tree, labels_.data()});
        exec.synchronize(); // the arrays of the trees are destroyed here
    }

    owned_graph<Executor> const& graph_;
    buffer<vertex_id> up_, labels_;
    buffer<analytics::worklist> all_, outer_;
    buffer<int> changed_;
    reverse_halo<Executor, vertex_id> to_owners_;
    halo<Executor, vertex_id> from_owners_;
};

} // namespace distributed

/// connected_components() of an undirected graph whose edges, in both directions, are distributed by the vertices that
/// they leave: the same labels for any number of ranks, threads, devices and processes. `labels` belong to the vertices
/// of this rank, in memory of the executor, and are global indices; `components` is the number of all. Loops and
/// parallel edges are allowed. If an edge is stored in one direction only, components may be missed.
///
/// Every rank unites two edges of each vertex, then the other edges of vertices outside of the presumed largest
/// component (Afforest: Sutton, Ben-Nun and Barak, 2018). Labels of outer vertices are exchanged with their owners, in
/// both directions, until they do not change. If 8 exchanges do not suffice, the trees of all ranks form a contracted
/// graph, whose edges are on the host; it is labelled in about log2(n) rounds, n its number of trees.
///
/// Memory, in words of 4 bytes: 4 words for each vertex and outer vertex of the rank, and one for each vertex and rank
/// that has it as an outer vertex. The contraction adds 2 words for each vertex and each tree and up to 7 for each
/// outer vertex; on the host, some words for each pair of trees with an edge between them.
///
/// Host and CUDA (O of 32 or 64 bits). Collective. Throws overflow_error, on this rank, if the rank has 2^31 outgoing
/// edges or more.
template <executor Executor, class O>
components_result connected_components_distributed(Executor const& exec, rank_communicator const& comm,
                                                   distributed_rows<Executor, vertex_id, O> const& rows) {
    distributed::owned_graph<Executor> const graph(exec, comm, rows);
    distributed::rank_trees<Executor> trees(graph);
    vertex_id const* const labels = trees.labels().data();
    components_result result{buffer<vertex_id>(exec, graph.own())};
    exec.copy_elements(labels, result.labels.data(), graph.own());
    result.components = comm.all_reduce(
        reduce(exec, graph.own(), std::int64_t{0}, distributed::is_smallest{labels, graph.first()}, plus{}), plus{});
    return result;
}

#define COPPICE_COMPONENTS_DISTRIBUTED(EXTERN, EXECUTOR, O)                                                            \
    EXTERN template components_result connected_components_distributed(                                                \
        EXECUTOR const&, rank_communicator const&, distributed_rows<EXECUTOR, vertex_id, O> const&)
COPPICE_COMPONENTS_DISTRIBUTED(extern, cuda_executor, std::int32_t);
COPPICE_COMPONENTS_DISTRIBUTED(extern, cuda_executor, std::int64_t);

} // namespace coppice::inline v0_1
