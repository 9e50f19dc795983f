// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Minimum spanning forest by Borůvka's rounds.
#pragma once

#include <limits>
#include <utility>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/graph/structure/components.hpp>
#include <coppice/graph/structure/triangles.hpp>

namespace coppice::inline v0_1 {

/// Edges of the forest sorted by their smaller ends, in the memory of the executor.
template <class T>
struct spanning_forest_result {
    buffer<vertex_id> from{}; ///< the smaller end
    buffer<vertex_id> to{};
    buffer<T> weights{};
    double weight = 0; ///< sum of the weights
    std::int64_t trees = 0;
    int rounds = 0;
};

/// Computes the minimum spanning forest of an undirected graph (the weight of Kruskal's algorithm). Among edges of
/// equal weight the one that comes first in the upper triangle is the lighter one, so that the forest is unique. Loops
/// are ignored.
///
/// Borůvka's rounds on the edges between different trees, light edges first if there are many edges: at most m log n
/// steps. Memory: six words and a value per edge, seven words per vertex. The result is the same for any number of
/// threads, on host and CUDA (`weight` on one kind of executor). Waits once per round. Only the upper triangle is read.
/// Throws matrix_error for a weight that is NaN.
template <executor Executor, class T>
spanning_forest_result<T> minimum_spanning_forest(Executor const& exec, csr_view<T> a);

namespace analytics {

/// Bits whose unsigned order is that of the values; +0 and -0 are equal.
COPPICE_HD inline std::uint64_t ordered_bits(float x) {
    float const y = x + 0.0f;
    std::uint32_t b;
    __builtin_memcpy(&b, &y, sizeof(b));
    return b & 0x80000000u ? static_cast<std::uint32_t>(~b) : b | 0x80000000u;
}
COPPICE_HD inline std::uint64_t ordered_bits(double x) {
    double const y = x + 0.0;
    std::uint64_t b;
    __builtin_memcpy(&b, &y, sizeof(b));
    return b >> 63 ? ~b : b | 0x8000000000000000ull;
}

/// Edges by the trees or vertices that they connect.
struct edge_trees {
    vertex_id* from;
    vertex_id* to;
};
/// Selects the entries above the diagonal.
template <class T>
struct upper_edges {
    csr_view<T> a;
    edge_trees ends{};
    edge_trees trees{};
    T* weights = nullptr;
    int* bad = nullptr;
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const { return a.indices[k] > u; }
    COPPICE_HD void store(vertex_id u, std::int32_t k, std::int32_t at) const {
        ends.from[at] = trees.from[at] = u;
        ends.to[at] = trees.to[at] = a.indices[k];
        weights[at] = a.coefficients[k];
        if (weights[at] != weights[at]) raise_flag(bad);
    }
};

struct forest_state {
    vertex_id* up; ///< at the root of a tree: the tree that it is united with, or itself
    /// Bits of the weight of the lightest edge that leaves a tree; for 32-bit weights followed by the edge index.
    std::uint64_t* lightest;
    std::uint32_t* edge; ///< index of this edge
    static constexpr std::uint64_t none = ~std::uint64_t(0);
};
struct begin_forest {
    forest_state s;
    worklist* roots;
    std::int64_t vertices;
    COPPICE_HD void operator()(std::int64_t v) const {
        s.up[v] = static_cast<vertex_id>(v);
        s.lightest[v] = forest_state::none;
        s.edge[v] = ~0u;
        list_all{roots, vertices}(v);
    }
};
/// Offers the weight of an edge between two trees to both; drops an edge inside a tree.
template <class T>
struct offer_edge {
    forest_state s;
    edge_trees trees;
    T const* weights;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id e) const {
        vertex_id const a = s.up[trees.from[e]], b = s.up[trees.to[e]];
        if (a == b) return;
        trees.from[e] = a;
        trees.to[e] = b;
        std::uint64_t bits = ordered_bits(weights[e]);
        if constexpr (sizeof(T) == 4) bits = bits << 32 | static_cast<std::uint32_t>(e);
        worker.lower(s.lightest + a, bits);
        worker.lower(s.lightest + b, bits);
        worker.emit(e);
    }
};
/// Selects the smallest index among the edges of the smallest weight, if index and weight do not fit in one word.
template <class T>
struct number_edge {
    forest_state s;
    edge_trees trees;
    T const* weights;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id e) const {
        std::uint64_t const bits = ordered_bits(weights[e]);
        for (vertex_id const tree : {trees.from[e], trees.to[e]})
            if (s.lightest[tree] == bits) worker.lower(s.edge + tree, static_cast<std::uint32_t>(e));
    }
};
/// Takes the lightest edge of a tree. If two trees take the same edge, the smaller one stays the root.
template <class T>
struct take_lightest {
    forest_state s;
    edge_trees trees;
    std::uint8_t* taken;
    COPPICE_HD static std::uint32_t edge_of(forest_state const& s, vertex_id tree) {
        return sizeof(T) == 4 ? static_cast<std::uint32_t>(s.lightest[tree]) : s.edge[tree];
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id tree) const {
        if (s.lightest[tree] == forest_state::none) return;
        std::uint32_t const e = edge_of(s, tree);
        vertex_id const other = trees.from[e] == tree ? trees.to[e] : trees.from[e];
        if (edge_of(s, other) == e && tree < other) return;
        worker.store(s.up + tree, other);
        worker.store(taken + e, std::uint8_t(1));
    }
};
/// Emits the edges up to a weight, which are processed before all others.
template <class T>
struct list_light {
    T const* weights;
    T max_light;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id e) const {
        if (weights[e] <= max_light) worker.emit(e);
    }
};
/// Emits the other edges, without those whose ends are in one tree.
template <class T>
struct list_heavy {
    forest_state s;
    edge_trees trees;
    T const* weights;
    T max_light;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id e) const {
        if (weights[e] <= max_light) return;
        vertex_id const a = s.up[trees.from[e]], b = s.up[trees.to[e]];
        if (a == b) return;
        trees.from[e] = a;
        trees.to[e] = b;
        worker.emit(e);
    }
};
struct list_trees {
    vertex_id const* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (up[v] == v) worker.emit(v);
    }
};

/// Emits the remaining roots for the next round.
struct keep_root {
    forest_state s;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id tree) const {
        flatten_tree{s.up}(worker, tree);
        bool const united = s.lightest[tree] != forest_state::none;
        s.lightest[tree] = forest_state::none;
        s.edge[tree] = ~0u;
        if (united && worker.load(s.up + tree) == tree) worker.emit(tree);
    }
};
struct swap_both {
    worklist* lists;
    COPPICE_HD void operator()(std::int64_t k) const { swap_and_clear(lists[2 * k], lists[2 * k + 1]); }
};

struct is_taken {
    std::uint8_t const* taken;
    COPPICE_HD bool operator()(std::int64_t e) const { return taken[e] != 0; }
};
template <class T>
struct emit_edge {
    edge_trees all;
    T const* weights;
    edge_trees forest;
    T* forest_weights;
    COPPICE_HD void operator()(std::int64_t at, std::int64_t e) const {
        forest.from[at] = all.from[e];
        forest.to[at] = all.to[e];
        forest_weights[at] = weights[e];
    }
};
template <class T>
struct weight_at {
    T const* weights;
    COPPICE_HD double operator()(std::int64_t e) const { return double(weights[e]); }
};

/// Arrays and rounds of one search.
template <executor Executor, class T>
class boruvka {
public:
    boruvka(Executor const& exec, csr_view<T> a)
        : exec_(exec), vertices_(a.rows()), first_(count_upper_edges(a)), ends_(exec, 2 * count_),
          trees_(exec, 2 * count_), weights_(exec, count_), taken_(exec, count_), up_(exec, vertices_),
          lightest_(exec, vertices_), edge_(exec, vertices_), edges_(exec, count_), roots_(exec, vertices_) {
        auto bad = placed(exec, 0);
        fill(exec, taken_.view(), std::uint8_t(0));
        for_each(exec, vertices_, begin_forest{state(), roots_[0], vertices_});
        filter_edges(exec, a, first_.data(),
                     upper_edges<T>{a, halves(ends_), halves(trees_), weights_.data(), bad.data()});
        if (exec.load(bad.data()) != 0) throw matrix_error("minimum_spanning_forest: edge weights are NaN");
    }

    /// Executes all rounds; returns their number. If there are many edges, the light ones create most of the trees;
    /// most other edges then have both ends in one tree and are inspected only once (Osipov, Sanders and Singler,
    /// Filter-Kruskal, 2009).
    int search() {
        T const max_light = light_weight();
        auto every_edge = placed(exec_, worklist{nullptr, count_, 0});
        auto all_vertices = placed(exec_, worklist{nullptr, vertices_, 0});
        vertex_map(exec_, nullptr, every_edge.data(), into(edges_[0]), list_light<T>{weights_.data(), max_light});
        int rounds = 0;
        while (round()) ++rounds;
        if (max_light == std::numeric_limits<T>::infinity()) return rounds;
        vertex_map(exec_, nullptr, all_vertices.data(), nothing(), flatten_tree{up_.data()});
        for_each(exec_, 1, clear_set{roots_[0]});
        vertex_map(exec_, nullptr, all_vertices.data(), into(roots_[0]), list_trees{up_.data()});
        vertex_map(exec_, nullptr, every_edge.data(), into(edges_[0]),
                   list_heavy<T>{state(), halves(trees_), weights_.data(), max_light});
        while (round()) ++rounds;
        return rounds;
    }

    /// Executes a round; returns whether any edge connected two trees.
    bool round() {
        T const* const weights = weights_.data();
        edge_trees const trees = halves(trees_);
        vertex_map(exec_, nullptr, edges_[0], into(edges_[1]), offer_edge<T>{state(), trees, weights});
        for_each(exec_, 1, swap_both{edges_[0]});
        if (exec_.load(edges_[0]).count == 0) return false;
        if (sizeof(T) > 4) vertex_map(exec_, nullptr, edges_[0], nothing(), number_edge<T>{state(), trees, weights});
        vertex_map(exec_, nullptr, roots_[0], nothing(), take_lightest<T>{state(), trees, taken_.data()});
        vertex_map(exec_, nullptr, roots_[0], into(roots_[1]), keep_root{state()});
        for_each(exec_, 1, swap_both{roots_[0]});
        return true;
    }

    spanning_forest_result<T> forest(int rounds) {
        spanning_forest_result<T> f{buffer<vertex_id>(exec_, vertices_), buffer<vertex_id>(exec_, vertices_),
                                    buffer<T>(exec_, vertices_)};
        edge_trees const forest{f.from.data(), f.to.data()};
        std::int64_t const count = select(exec_, count_, is_taken{taken_.data()},
                                          emit_edge<T>{halves(ends_), weights_.data(), forest, f.weights.data()});
        f.weight = reduce(exec_, count, 0.0, weight_at<T>{f.weights.data()}, plus{});
        f.from = copy_of(exec_, f.from.view().slice(0, count));
        f.to = copy_of(exec_, f.to.view().slice(0, count));
        f.weights = copy_of(exec_, f.weights.view().slice(0, count));
        f.trees = vertices_ - count;
        f.rounds = rounds;
        return f;
    }

private:
    buffer<std::int32_t> count_upper_edges(csr_view<T> a) {
        std::int32_t count = 0;
        auto first = offsets_of_selected(exec_, a, upper_edges<T>{a}, count);
        count_ = count;
        return first;
    }
    /// Estimates a weight below which there are about two edges per vertex; infinity if there are not many more edges.
    T light_weight() {
        if (count_ <= 6 * vertices_) return std::numeric_limits<T>::infinity();
        return sorted_sample(exec_, std::as_const(weights_).view())[std::size_t(2 * vertices_ * 1024 / count_)];
    }
    forest_state state() { return {up_.data(), lightest_.data(), edge_.data()}; }
    edge_trees halves(buffer<vertex_id>& both) { return {both.data(), both.data() + count_}; }

    Executor exec_;
    std::int64_t vertices_;
    std::int64_t count_ = 0; ///< number of edges
    buffer<std::int32_t> first_;
    buffer<vertex_id> ends_, trees_;
    buffer<T> weights_;
    buffer<std::uint8_t> taken_;
    buffer<vertex_id> up_;
    buffer<std::uint64_t> lightest_;
    buffer<std::uint32_t> edge_;
    worklists<2> edges_, roots_;
};

} // namespace analytics

template <executor Executor, class T>
spanning_forest_result<T> minimum_spanning_forest(Executor const& exec, csr_view<T> a) {
    require_square(a, "minimum_spanning_forest");
    analytics::boruvka<Executor, T> search(exec, a);
    int const rounds = search.search();
    return search.forest(rounds);
}

#define COPPICE_SPANNING_FOREST(EXTERN, EXECUTOR, T)                                                                   \
    EXTERN template spanning_forest_result<T> minimum_spanning_forest(EXECUTOR const&, csr_view<T>)
COPPICE_SPANNING_FOREST(extern, host_executor, float);
COPPICE_SPANNING_FOREST(extern, host_executor, double);
COPPICE_SPANNING_FOREST(extern, cuda_executor, float);
COPPICE_SPANNING_FOREST(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
