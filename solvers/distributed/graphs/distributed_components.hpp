// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Connected components over ranks: union-find trees of each rank, which are united where they share vertices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <coppice/graph/structure/components.hpp>
#include <coppice/semiring/matrix_operations/hypersparse.hpp>
#include <coppice/solvers/distributed/graphs/contracted_trees.hpp>
#include <coppice/solvers/distributed/graphs/halo_bits.hpp>
#include <coppice/solvers/distributed/graphs/merged_order.hpp>
#include <coppice/solvers/distributed/rows/compact_indices.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Denotes the trees of the presumed largest component, which the ranks know to be one; larger than all vertices.
inline constexpr vertex_id shared_tree = std::numeric_limits<vertex_id>::max();

/// The rows of a rank as a graph of its vertices and outer vertices, numbered in the order of global indices. The root
/// of a tree then has the smallest global index, also if another rank owns it. If the vertices of high degree
/// have the smallest indices, they become roots.
struct ordered_rows {
    merged_order order;
    graph_view rows; ///< of local vertices

    COPPICE_HD std::int32_t begin(vertex_id v) const { return order.is_own(v) ? rows.begin(v - order.before) : 0; }
    COPPICE_HD std::int32_t degree(vertex_id v) const { return order.is_own(v) ? rows.degree(v - order.before) : 0; }
    COPPICE_HD vertex_id neighbor(std::int64_t k) const { return order.of_local(rows.neighbor(k)); }
};
/// Unites the first edges of one of 64 vertices of the rank.
struct unite_first_of_sample {
    static constexpr std::int64_t stride = 64;
    analytics::unite_first_edges<ordered_rows> first;
    static std::int64_t size_of(std::int64_t own) { return (own + stride - 1) / stride; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        first(worker, vertex_id(first.g.order.before + stride * i));
    }
};
/// analytics::unite_other_edges for local vertices u.
struct unite_other_edges_of_rank {
    analytics::unite_other_edges<ordered_rows> other;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool enters(Worker const& worker, vertex_id u) const {
        return other.enters(worker, other.g.order.before + u);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        other(worker, other.g.order.before + u, k);
    }
};

/// Whether a vertex of the rank is in the presumed largest tree.
struct is_in_tree {
    vertex_id const* up; ///< of vertices of the rank
    vertex_id tree;      ///< -1: none
    COPPICE_HD bool operator()(std::int64_t v) const { return up[v] == tree; }
};
/// Sets the flag of a rank if one of 32 outer vertices is in the presumed largest tree of its rank and of this one.
struct find_shared_tree {
    vertex_id const* up;
    merged_order order;
    vertex_id tree;
    analytics::bitmap of_owners;
    bits_of_ranks outer;
    std::int64_t* is_shared;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id word) const {
        std::uint32_t bits = of_owners.words[word];
        if (bits == 0) return;
        std::int64_t k = 32 * std::int64_t(word);
        for (int p = outer.rank_of_element(k); bits != 0; bits >>= 1, ++k) {
            while (k >= outer.begin[p + 1]) ++p;
            if ((bits & 1) == 0 || worker.load_cached(is_shared + p) != 0) continue;
            if (up[order.of_outer(vertex_id(k))] == tree) worker.store(is_shared + p, std::int64_t(1));
        }
    }
};
/// Number of a tree on all ranks: the global index of its root, or shared_tree.
struct number_of_tree {
    vertex_id* up; ///< paths of at most two steps
    merged_order order;
    vertex_id tree; ///< a vertex of the tree that is part of shared_tree, with a path of one step; -1: none
    COPPICE_HD vertex_id root_of(vertex_id v) const { return up[up[v]]; }
    COPPICE_HD bool is_shared(vertex_id root) const { return tree >= 0 && up[tree] == root; }
    COPPICE_HD vertex_id operator()(vertex_id root) const { return is_shared(root) ? shared_tree : order.global(root); }
};
struct number_sent_tree {
    number_of_tree number;
    std::int32_t const* rows;
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = number(number.root_of(number.order.before + rows[i])); }
};
/// The smallest vertex of the tree that is part of shared_tree.
struct store_smallest_shared {
    number_of_tree number;
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t) const {
        *to = number.tree >= 0 ? number.order.global(number.up[number.tree]) : shared_tree;
    }
};
/// Adds the tree of an outer vertex to the shared tree if that on the rank of its owner is part of it.
struct add_to_shared_tree {
    number_of_tree number;
    vertex_id const* of_owners;
    vertex_id* smallest;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id k) const {
        if (number.tree < 0 || of_owners[k] != shared_tree) return;
        vertex_id const shared = worker.load(number.up + number.tree);
        vertex_id const root = worker.load(number.up + number.order.of_outer(k));
        if (root == shared || worker.load(number.up + root) == shared) return;
        worker.lower(smallest, number.order.global(root));
        worker.store(number.up + root, shared);
    }
};
struct is_row_in_shared_tree {
    number_of_tree number;
    COPPICE_HD bool operator()(std::int64_t row) const {
        return number.is_shared(number.root_of(number.order.before + vertex_id(row)));
    }
};
/// Flags outer vertices that are roots of vertices of the rank.
struct flag_outer_root {
    number_of_tree number;
    std::uint8_t* flags;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id const root = number.root_of(number.order.before + v);
        if (number.order.is_own(root) || number.is_shared(root)) return;
        std::uint8_t* const flag = flags + number.order.outer_position(root);
        if (worker.load_cached(flag) == 0) worker.store(flag, std::uint8_t(1));
    }
};
/// Two trees in one component.
COPPICE_HD inline std::uint64_t pair_of_trees(vertex_id mine, vertex_id other) {
    return std::uint64_t(std::uint32_t(mine)) << 32 | std::uint32_t(other);
}
/// Pair k: the trees of outer vertex k on this rank and on that of its owner.
struct pairs_of_trees {
    number_of_tree number;
    std::uint8_t const* is_root; ///< flags of outer vertices
    vertex_id const* of_owners;
    analytics::bitmap is_shared_on_owner;
    /// Whether there is a pair: not if the trees are one, or the outer vertex is alone here.
    COPPICE_HD bool operator()(std::int64_t k) const {
        vertex_id const v = number.order.of_outer(vertex_id(k)), root = number.root_of(v);
        bool const is_alone = root == v && is_root[k] == 0 && !number.is_shared(root);
        return !is_alone && number(root) != of_owner(k);
    }
    COPPICE_HD std::uint64_t pair(std::int64_t k) const {
        return pair_of_trees(number(number.root_of(number.order.of_outer(vertex_id(k)))), of_owner(k));
    }
    COPPICE_HD vertex_id of_owner(std::int64_t k) const { return is_shared_on_owner(k) ? shared_tree : of_owners[k]; }
};
struct store_pair {
    pairs_of_trees from;
    std::uint64_t* to;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const { to[position] = from.pair(k); }
};
/// The smallest vertex of the tree that is part of shared_tree, as a pair.
struct store_shared_pair {
    vertex_id const* smallest;
    std::uint64_t* to;
    COPPICE_HD void operator()(std::int64_t) const { *to = pair_of_trees(*smallest, shared_tree); }
};
struct is_flagged {
    std::uint8_t const* flags;
    COPPICE_HD bool operator()(std::int64_t k) const { return flags[k] != 0; }
};
/// Stores the label of a root, as a negative number, if the tree is one of this rank.
struct store_label_of_root {
    labelled_root const* changed;
    number_of_tree number;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        auto const [vertex, label] = changed[i];
        vertex_id root = -1;
        if (vertex != shared_tree)
            root = number.order.of_global(vertex);
        else if (number.tree >= 0)
            root = worker.load(number.up + number.tree);
        if (root >= 0 && worker.load(number.up + root) == root) worker.store(number.up + root, -1 - label);
    }
};
struct label_by_root {
    vertex_id const* up; ///< of roots with another label than themselves, -1 - label
    merged_order order;
    vertex_id* labels;
    COPPICE_HD void operator()(std::int64_t v) const {
        vertex_id at = order.before + vertex_id(v), above = up[at];
        for (; above >= 0 && above != at; above = up[at]) at = above;
        labels[v] = above < 0 ? -1 - above : order.global(at);
    }
};
struct is_smallest {
    vertex_id const* labels;
    vertex_id first;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return labels[v] == first + v ? 1 : 0; }
};

/// Union-find trees of the vertices and outer vertices of a rank. The root of a tree is its smallest vertex, maybe an
/// outer one. A component consists of trees of all ranks: two trees that have a vertex in common are in one.
///
/// Each rank presumes that its largest tree is in the largest component. Two of these are in one component if a vertex
/// is in both. If ranks know this of their trees, they need not unite an edge between them (shared_tree). Any other
/// edge is united by the rank of an end outside of them.
template <executor Executor>
class rank_trees {
public:
    /// At most this number of pairs of trees of all ranks are gathered on every rank.
    static constexpr std::int64_t few_pairs = std::int64_t(1) << 16;

    /// Not collective.
    explicit rank_trees(owned_graph<Executor> const& graph, std::int64_t max_gathered = few_pairs)
        : graph_(graph), order_(order_of(graph)), max_gathered_(max_gathered), up_(graph.exec(), graph.view().vertices),
          own_(analytics::placed(graph.exec(), analytics::worklist{nullptr, graph.own(), 0})),
          of_owners_(graph.exec(), graph.comm(), graph.halo_plan()) {}

    /// Stores the smallest vertex of the component of each vertex of this rank. Collective; called once.
    void label(vertex_id* labels) {
        using namespace analytics;
        auto const& exec = graph_.exec();
        ordered_rows const rows{order_, graph_.view()};
        auto const all_vertices = every_vertex(exec, graph_.view());
        begin_trees(exec, rows, up_, all_vertices.data());
        unite_sample(rows, all_vertices.data());
        unite_first(exec, rows, up_, all_vertices.data());
        vertex_id const largest = presumed_largest_tree();
        edge_map(exec, nullptr, own_.data(), graph_.view(), nothing(),
                 unite_other_edges_of_rank{{rows, up_.data(), largest}});
        flatten(exec, up_);
        if (graph_.halo_plan()->plan.any) unite_ranks({up_.data(), order_, largest});
        for_each(exec, graph_.own(), label_by_root{up_.data(), order_, labels});
    }

private:
    /// Unites the first edges of a sample of the vertices. The vertices of high degree are often roots that other ranks
    /// own, without edges here: otherwise all threads of a device would unite them simultaneously, and wait for each
    /// other.
    void unite_sample(ordered_rows const& rows, analytics::worklist const* all_vertices) {
        using namespace analytics;
        if (order_.before == 0) return;
        auto const& exec = graph_.exec();
        auto const sample = placed(exec, worklist{nullptr, unite_first_of_sample::size_of(graph_.own()), 0});
        vertex_map(exec, nullptr, sample.data(), nothing(), unite_first_of_sample{{rows, up_.data()}});
        vertex_map(exec, nullptr, all_vertices, nothing(), shorten_paths{up_.data()});
    }
    /// A vertex of the tree of this rank that is part of shared_tree; -1: all edges of the rank have to be united.
    vertex_id presumed_largest_tree() {
        using namespace analytics;
        auto const& exec = graph_.exec();
        auto const& comm = graph_.comm();
        vertex_id const* const up_of_own = up_.data() + order_.before;
        vertex_id const tree =
            graph_.own() > 0 ? frequent_label(exec, array_view<vertex_id const>(up_of_own, graph_.own())) : -1;
        if (!graph_.halo_plan()->plan.any) return tree;
        of_owners_.fetch(exec, is_in_tree{up_of_own, tree});
        buffer<std::int64_t> is_shared(exec, comm.ranks());
        fill(exec, is_shared.view(), 0);
        auto const words = placed(exec, worklist{nullptr, of_owners_.words(), 0});
        vertex_map(
            exec, nullptr, words.data(), nothing(),
            find_shared_tree{up_.data(), order_, tree, of_owners_.bits(), of_owners_.received(), is_shared.data()});
        auto mine = to_vector(exec, is_shared);
        mine.push_back(graph_.own());
        return ranks_of_largest_tree(comm.gather(mine))[std::size_t(comm.rank())] ? tree : -1;
    }
    /// Of the sets of ranks that are joined, the one with the most vertices. `all`[p][q]: whether rank p knows that it
    /// is joined to rank q; `all`[p][ranks]: its number of vertices.
    static std::vector<bool> ranks_of_largest_tree(std::vector<std::vector<std::int64_t>> const& all) {
        std::size_t const ranks = all.size();
        std::vector<bool> best, seen(ranks, false);
        std::int64_t max_vertices = 0;
        for (std::size_t start = 0; start < ranks; ++start) {
            if (seen[start]) continue;
            std::vector<bool> in_set(ranks, false);
            std::vector<std::size_t> found{start};
            seen[start] = true;
            std::int64_t vertices = 0;
            for (std::size_t i = 0; i < found.size(); ++i) {
                std::size_t const p = found[i];
                in_set[p] = true;
                vertices += all[p][ranks];
                for (std::size_t q = 0; q < ranks; ++q)
                    if (!seen[q] && (all[p][q] != 0 || all[q][p] != 0)) seen[q] = true, found.push_back(q);
            }
            if (best.empty() || vertices > max_vertices) best = in_set, max_vertices = vertices;
        }
        return best;
    }

    /// Finds the labels of trees that have vertices in common with trees of other ranks.
    void unite_ranks(number_of_tree const& number) {
        using namespace analytics;
        auto const& exec = graph_.exec();
        auto const& comm = graph_.comm();
        auto const& plan = *graph_.halo_plan();
        std::int64_t const outer = graph_.outer_ids().size();
        buffer<vertex_id> sent(exec, plan.sent_rows.size()), of_owners(exec, outer);
        for_each(exec, sent.size(), number_sent_tree{number, plan.sent_rows.data(), sent.data()});
        exchange(exec, comm, plan.plan.send_begin, static_cast<vertex_id const*>(sent.data()), plan.plan.receive_begin,
                 of_owners.data());
        // Most trees of other components are found to be parts of the shared tree without further messages.
        buffer<vertex_id> smallest_shared(exec, 1);
        for_each(exec, 1, store_smallest_shared{number, smallest_shared.data()});
        auto const all_outer = placed(exec, worklist{nullptr, outer, 0});
        vertex_map(exec, nullptr, all_outer.data(), nothing(),
                   add_to_shared_tree{number, of_owners.data(), smallest_shared.data()});
        of_owners_.fetch(exec, is_row_in_shared_tree{number});
        buffer<std::uint8_t> is_root(exec, outer);
        fill(exec, is_root.view(), 0);
        vertex_map(exec, nullptr, own_.data(), nothing(), flag_outer_root{number, is_root.data()});
        buffer<std::uint64_t> pairs(exec, outer + 1);
        pairs_of_trees const all_pairs{number, is_root.data(), of_owners.data(), of_owners_.bits()};
        std::int64_t count = select(exec, outer, all_pairs, store_pair{all_pairs, pairs.data()});
        if (number.tree >= 0) for_each(exec, 1, store_shared_pair{smallest_shared.data(), pairs.data() + count++});

        std::vector<std::uint64_t> mine{too_many};
        if (count <= max_gathered_ / comm.ranks())
            mine = sorted(to_vector(exec, array_view<std::uint64_t const>(pairs.data(), count)));
        auto const all = comm.gather(mine);
        bool const few = std::none_of(
            all.begin(), all.end(), [](auto const& of_rank) { return !of_rank.empty() && of_rank.back() == too_many; });
        auto const changed =
            exec.copy(few ? labels_of_gathered(all) : labels_by_contraction(number, pairs, count, is_root));
        auto const all_changed = placed(exec, worklist{nullptr, changed.size(), 0});
        vertex_map(exec, nullptr, all_changed.data(), nothing(), store_label_of_root{changed.data(), number});
    }
    using labelled_roots = std::vector<labelled_root>;
    static constexpr std::uint64_t too_many = ~std::uint64_t(0); ///< instead of pairs; no pair

    static std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> pairs) {
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        return pairs;
    }
    /// Labels of the roots that are larger than their labels, from the pairs of all ranks.
    static labelled_roots labels_of_gathered(std::vector<std::vector<std::uint64_t>> const& pairs) {
        std::vector<vertex_id> trees;
        for (auto const& of_rank : pairs)
            for (std::uint64_t const pair : of_rank)
                trees.push_back(vertex_id(pair >> 32)), trees.push_back(vertex_id(pair & 0xffffffffu));
        std::sort(trees.begin(), trees.end());
        trees.erase(std::unique(trees.begin(), trees.end()), trees.end());
        auto const position = [&](std::uint64_t tree) {
            return std::size_t(std::lower_bound(trees.begin(), trees.end(), vertex_id(tree)) - trees.begin());
        };
        std::vector<std::size_t> up(trees.size());
        for (std::size_t i = 0; i < up.size(); ++i) up[i] = i;
        auto const root = [&](std::size_t i) {
            while (up[i] != i) i = up[i] = up[up[i]];
            return i;
        };
        for (auto const& of_rank : pairs)
            for (std::uint64_t const pair : of_rank) {
                std::size_t const a = root(position(pair >> 32)), b = root(position(pair & 0xffffffffu));
                up[std::max(a, b)] = std::min(a, b);
            }
        labelled_roots changed;
        for (std::size_t i = 0; i < up.size(); ++i)
            if (root(i) != i) changed.push_back({trees[i], trees[root(i)]});
        return changed;
    }
    /// The same for the roots of the trees of this rank, if there are many pairs: the trees form a graph that is
    /// distributed like the vertices.
    labelled_roots labels_by_contraction(number_of_tree const& number, buffer<std::uint64_t> const& pairs,
                                         std::int64_t count, buffer<std::uint8_t> const& is_root) const {
        auto const& exec = graph_.exec();
        auto const& comm = graph_.comm();
        auto const ids = graph_.outer_ids();
        buffer<vertex_id> outer_roots(exec, ids.size());
        std::int64_t const outer_count =
            select(exec, ids.size(), is_flagged{is_root.data()}, list_index{ids.data(), outer_roots.data()});
        auto roots = to_vector(exec, array_view<vertex_id const>(outer_roots.data(), outer_count));
        vertex_id const own_shared =
            number.tree >= 0 ? vertex_id(exec.load(pairs.data() + count - 1) >> 32) : shared_tree;
        auto const distinct = coppice::detail::distinct_of(exec, copy_of(exec, pairs.view().slice(0, count)));
        std::vector<tree_pair> edges;
        for (std::uint64_t const pair : to_vector(exec, distinct))
            edges.emplace_back(vertex_id(pair >> 32), vertex_id(pair & 0xffffffffu));
        vertex_id const shared = comm.all_reduce(own_shared, [](vertex_id a, vertex_id b) { return std::min(a, b); });
        for (auto& [mine, other] : edges) {
            if (mine == shared_tree) mine = shared;
            if (other == shared_tree) other = shared;
        }
        if (shared != shared_tree && !graph_.owns(shared)) roots.push_back(shared);
        auto labels = smallest_in_components(set_up_executor(exec), comm, graph_.begins(), edges, roots);
        vertex_id of_shared = shared;
        for (auto const& [root, label] : labels)
            if (root == shared) of_shared = label;
        labels.push_back({shared_tree, of_shared});
        return labels;
    }

    owned_graph<Executor> const& graph_;
    merged_order order_;
    std::int64_t max_gathered_;
    buffer<vertex_id> up_;
    buffer<analytics::worklist> own_;
    halo_bits<Executor> of_owners_;
};

} // namespace distributed

/// connected_components() of an undirected graph whose edges, in both directions, are distributed by the vertices that
/// they leave: the same labels for any number of ranks, threads, devices and processes. `labels` belong to the vertices
/// of this rank, in memory of the executor, and are global indices; `components` is the number of all. Loops and
/// parallel edges are allowed. If an edge is stored in one direction only, components may be missed.
///
/// Every rank unites two edges of each vertex, then the other edges of vertices outside of the presumed largest
/// component (Afforest: Sutton, Ben-Nun and Barak, 2018), with outer vertices as vertices without edges. Then the trees
/// of different ranks that have a vertex in common are united.
///
/// Communication: 2 bits and 4 bytes for each outer vertex, from their owners; three gathers, one of which has 8 bytes
/// for each pair of different trees with a common vertex, except those of the largest component. If these are more than
/// 65536, divided evenly among the ranks, they are sent to the owners of the trees and form a contracted graph on the
/// host, which is labelled in about log2(n) rounds, n its number of trees.
///
/// Memory, in words of 4 bytes: 3 words for each vertex of the rank; 5 words and some bytes for each outer vertex; one
/// word and a bit for each vertex and rank that has it as an outer vertex. The contraction adds up to 6 words for each
/// pair of trees and one for each outer vertex; on the host, one word for each vertex and some for each pair.
///
/// Host and CUDA (O of 32 or 64 bits). Collective. Throws overflow_error, on this rank, if the rank has 2^31 outgoing
/// edges or more.
template <executor Executor, class O>
components_result connected_components_distributed(Executor const& exec, rank_communicator const& comm,
                                                   distributed_rows<Executor, vertex_id, O> const& rows) {
    distributed::owned_graph<Executor> const graph(exec, comm, rows);
    components_result result{buffer<vertex_id>(exec, graph.own())};
    vertex_id* const labels = result.labels.data();
    distributed::rank_trees<Executor>(graph).label(labels);
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
