// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Union-find trees within tiles of consecutive vertex indices: the first phase of connected components on CUDA if rows
/// are short.
///
/// Close indices are often close in the graph (grids, meshes, roads). Then most edges connect vertices of one tile,
/// whose trees a warp builds in shared memory, and few trees are left, each linked to a smaller vertex of another tile.
#pragma once

#include <coppice/core/warp_work.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

/// Unites the trees of two vertices: links the larger root to the smaller (Shiloach and Vishkin), so that the root of a
/// finished tree is its smallest vertex for any order of the edges.
COPPICE_NO_EXEC_CHECK
template <class Worker>
COPPICE_HD void unite_trees(Worker& worker, vertex_id* up, vertex_id u, vertex_id v) {
    vertex_id a = worker.load(up + u), b = worker.load(up + v);
    while (a != b) {
        vertex_id const high = a > b ? a : b, low = a > b ? b : a;
        vertex_id const above = worker.load(up + high);
        if (above == low || (above == high && worker.claim(up + high, high, low))) return;
        a = worker.load(up + worker.load(up + high));
        b = worker.load(up + low);
    }
}

inline constexpr int tile_vertices = 512;
inline constexpr std::int32_t tile_row = 64; ///< longer rows are left to edge maps, which distribute them

COPPICE_HD inline bool in_same_tile(vertex_id u, vertex_id v) { return u / tile_vertices == v / tile_vertices; }

/// Calls f(v) for groups of `width` neighbours of u, whose loads overlap; some neighbours may occur twice. u has at
/// most tile_row neighbours.
template <int width, class F>
COPPICE_HD void for_few_neighbors(graph_view const& g, vertex_id u, F const& f) {
    for (std::int64_t k = g.offsets[u], end = g.offsets[u + 1]; k < end; k += width) {
        vertex_id v[width];
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) v[j] = g.neighbors[k + j < end ? k + j : k];
        f(v);
    }
}

/// Builds the trees of a tile, for for_each_warp. Every vertex is linked to its root, the smallest vertex of its tree.
/// A root is linked to the smallest neighbour of its tree in earlier tiles, if there is one, and is then emitted to
/// list 0. Vertices with long rows are emitted to list 1; of their edges, only those are united that the other ends
/// process.
template <class Worker>
struct unite_within_tile {
    static constexpr int warp_bytes = 2 * tile_vertices * int(sizeof(vertex_id));
    static constexpr int width = 4; ///< edges of a lane whose loads overlap
    static constexpr vertex_id none = 0x7fffffff;
    graph_view g;
    vertex_id* up;
    outputs<2> outs;

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t tile, std::byte* memory) const {
        Worker worker(outs);
        auto* const trees = reinterpret_cast<vertex_id*>(memory); // parents, relative to the first vertex of the tile
        vertex_id* const before = trees + tile_vertices;          // smallest neighbour in an earlier tile
        auto const first = static_cast<vertex_id>(tile * tile_vertices);
        int const count = g.vertices - first < tile_vertices ? g.vertices - first : tile_vertices;
        int const lane = block.thread() % warp_lanes;
        for (int i = lane; i < count; i += warp_lanes) {
            worker.store(trees + i, vertex_id(i));
            worker.store(before + i, none);
        }
        block.sync_warp();
        for (int i = lane; i < count; i += warp_lanes) unite_neighbors(worker, trees, before, first, i);
        block.sync_warp();
        while (block.ballot(halve_paths(worker, trees, lane, count)) != 0) block.sync_warp();
        block.sync_warp();
        for (int i = lane; i < count; i += warp_lanes) {
            vertex_id const root = worker.load(trees + i), min_neighbor = worker.load(before + i);
            if (root != i && min_neighbor != none) worker.lower(before + root, min_neighbor);
        }
        block.sync_warp();
        for (int i = lane; i < count; i += warp_lanes) {
            vertex_id const root = worker.load(trees + i), min_neighbor = worker.load(before + i);
            bool const leaves = root == i && min_neighbor != none;
            worker.store(up + first + i, leaves ? min_neighbor : first + root);
            if (leaves) worker.template emit<0>(first + i);
        }
        block.sync_warp(); // before the next tile reuses the memory
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void unite_neighbors(Worker& worker, vertex_id* trees, vertex_id* before, vertex_id first, int i) const {
        vertex_id const u = first + i;
        if (g.degree(u) > tile_row) return worker.template emit<1>(u);
        vertex_id min_neighbor = none;
        for_few_neighbors<width>(g, u, [&](vertex_id const(&v)[width]) {
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j) {
                if (v[j] >= u) continue;
                if (v[j] >= first)
                    unite_trees(worker, trees, vertex_id(i), v[j] - first);
                else if (v[j] < min_neighbor)
                    min_neighbor = v[j];
            }
        });
        if (min_neighbor != none) worker.store(before + i, min_neighbor);
    }
    /// Halves the paths; returns whether any was longer than one step.
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD static bool halve_paths(Worker& worker, vertex_id* trees, int lane, int count) {
        bool halves = false;
        for (int i = lane; i < count; i += warp_lanes) {
            vertex_id const next = worker.load(trees + i), above = worker.load(trees + next);
            if (above == next) continue;
            worker.store(trees + i, above);
            halves = true;
        }
        return halves;
    }
};

/// Unites the edges of u to some neighbours, if these are smaller and in other tiles.
template <class Worker>
struct unite_with_neighbors {
    static constexpr int width = edges_at_once<Worker>;
    Worker& worker;
    vertex_id* up;
    vertex_id u, own, root; ///< parent of u and its parent
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(vertex_id const (&v)[width]) const {
        vertex_id other[width];
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j)
            other[j] = v[j] < u && !in_same_tile(u, v[j]) ? worker.load_cached(up + v[j]) : own;
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) // most are in one tree already, at most two steps below its root
            other[j] = other[j] != own ? worker.load_cached(up + other[j]) : root;
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j)
            if (other[j] != root) unite_trees(worker, up, u, v[j]);
    }
};
/// Unites the remaining edges: those to smaller vertices of other tiles, in rows that are not long.
struct unite_tiles {
    graph_view g;
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u) const {
        if (g.degree(u) > tile_row) return;
        vertex_id const own = worker.load_cached(up + u), root = worker.load_cached(up + own);
        for_few_neighbors<edges_at_once<Worker>>(g, u, unite_with_neighbors<Worker>{worker, up, u, own, root});
    }
};
/// Unites all edges of a vertex to smaller ones.
struct unite_smaller {
    graph_view g;
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        if (g.neighbors[k] < u) unite_trees(worker, up, u, g.neighbors[k]);
    }
};

} // namespace coppice::inline v0_1::analytics
