// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Trees of what is connected within tiles, stretches of vertices of neighbouring numbers: what connected components
/// begin with on CUDA where rows are short.
///
/// Near numbers are often near in the graph (grids, meshes, roads). Then most edges join what lies in one tile, whose
/// trees a warp has in shared memory, and few trees are left, each below a smaller vertex of another tile.
#pragma once

#include <coppice/core/warp_work.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::analytics {

/// Joins the trees of two vertices: the larger root goes below the smaller (Shiloach and Vishkin), so that the root of
/// a finished tree is its smallest vertex, in whatever order edges come.
template <class Worker>
COPPICE_HD void join_trees(Worker& worker, vertex_id* up, vertex_id u, vertex_id v) {
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
inline constexpr std::int32_t tile_row = 64; ///< longer rows are left to visits, which share them

COPPICE_HD inline bool in_one_tile(vertex_id u, vertex_id v) { return u / tile_vertices == v / tile_vertices; }

/// f(v) for the neighbours of u, which has no more than tile_row, some of them twice; `width` are read at once.
template <int width, class F>
COPPICE_HD void for_few_neighbors(graph_view const& g, vertex_id u, F const& f) {
    for (std::int64_t k = g.offsets[u], end = g.offsets[u + 1]; k < end; k += width) {
        vertex_id v[width];
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) v[j] = g.neighbors[k + j < end ? k + j : k];
        f(v);
    }
}

/// The trees of a tile, for for_each_warp. Everyone is right below the root, which is the smallest vertex of the tree;
/// a root is below the smallest neighbour that its tree has in tiles before, if any, and in list 0 then. Vertices of
/// long rows are in list 1, and no edge of theirs is joined but those that others have to them.
template <class Worker>
struct join_within_tile {
    static constexpr int warp_bytes = 2 * tile_vertices * int(sizeof(vertex_id));
    static constexpr int width = 4; ///< edges of a lane that are under way at once
    static constexpr vertex_id none = 0x7fffffff;
    graph_view g;
    vertex_id* up;
    outputs<2> outs;

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t tile, std::byte* memory) const {
        Worker worker(outs);
        auto* const trees = reinterpret_cast<vertex_id*>(memory); // up, counted from the first vertex of the tile
        vertex_id* const before = trees + tile_vertices;          // the smallest neighbour in another tile
        auto const first = static_cast<vertex_id>(tile * tile_vertices);
        int const count = g.vertices - first < tile_vertices ? g.vertices - first : tile_vertices;
        int const lane = block.thread() % warp_lanes;
        for (int i = lane; i < count; i += warp_lanes) {
            worker.store(trees + i, vertex_id(i));
            worker.store(before + i, none);
        }
        block.sync_warp();
        for (int i = lane; i < count; i += warp_lanes) join_neighbors(worker, trees, before, first, i);
        block.sync_warp();
        while (block.ballot(halve_ways(worker, trees, lane, count)) != 0) block.sync_warp();
        block.sync_warp();
        for (int i = lane; i < count; i += warp_lanes) {
            vertex_id const root = worker.load(trees + i), least = worker.load(before + i);
            if (root != i && least != none) worker.lower(before + root, least);
        }
        block.sync_warp();
        for (int i = lane; i < count; i += warp_lanes) {
            vertex_id const root = worker.load(trees + i), least = worker.load(before + i);
            bool const leaves = root == i && least != none;
            worker.store(up + first + i, leaves ? least : first + root);
            if (leaves) worker.template emit<0>(first + i);
        }
        block.sync_warp(); // before the memory is that of the next tile
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void join_neighbors(Worker& worker, vertex_id* trees, vertex_id* before, vertex_id first, int i) const {
        vertex_id const u = first + i;
        if (g.degree(u) > tile_row) return worker.template emit<1>(u);
        vertex_id least = none;
        for_few_neighbors<width>(g, u, [&](vertex_id const(&v)[width]) {
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j) {
                if (v[j] >= u) continue;
                if (v[j] >= first)
                    join_trees(worker, trees, vertex_id(i), v[j] - first);
                else if (v[j] < least)
                    least = v[j];
            }
        });
        if (least != none) worker.store(before + i, least);
    }
    /// Whether one was longer than a step.
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD static bool halve_ways(Worker& worker, vertex_id* trees, int lane, int count) {
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

/// What join_within_tile left: edges to smaller vertices of other tiles, of a row that is not long.
struct join_tiles {
    graph_view g;
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u) const {
        constexpr int width = edges_at_once<Worker>;
        if (g.degree(u) > tile_row) return;
        vertex_id const own = worker.glance(up + u), root = worker.glance(up + own);
        for_few_neighbors<width>(g, u, [&](vertex_id const(&v)[width]) {
            vertex_id other[width];
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j)
                other[j] = v[j] < u && !in_one_tile(u, v[j]) ? worker.glance(up + v[j]) : own;
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j) // most are in one tree already, two steps below its root at most
                other[j] = other[j] != own ? worker.glance(up + other[j]) : root;
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j)
                if (other[j] != root) join_trees(worker, up, u, v[j]);
        });
    }
};
/// All edges of a vertex to smaller ones.
struct join_smaller {
    graph_view g;
    vertex_id* up;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        if (g.neighbors[k] < u) join_trees(worker, up, u, g.neighbors[k]);
    }
};

} // namespace coppice::analytics
