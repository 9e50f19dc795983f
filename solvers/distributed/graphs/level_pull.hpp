// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pulled levels of a search over ranks.
#pragma once

#include <cstdint>

#include <coppice/graph/search/bfs.hpp>
#include <coppice/solvers/distributed/graphs/halo_bits.hpp>
#include <coppice/solvers/distributed/graphs/level_search.hpp>

namespace coppice::inline v0_1::distributed {

/// Pulls into vertex v if it has no level; returns whether it enters level `next`.
template <class O>
struct pull_into_vertex {
    graph_view g;     ///< of the outgoing edges
    O const* offsets; ///< of the incoming edges
    std::int32_t const* columns;
    analytics::bitmap own_in_level, outer_in_level; ///< whether vertices are in the current level
    vertex_id const* outer_ids;
    vertex_id own, first;
    std::int32_t next;
    bool takes_first; ///< the parent is the first one in the row, not the smallest one
    std::int32_t* levels;
    std::uint32_t* parents;
    COPPICE_HD bool operator()(auto const&, vertex_id v) const {
        if (levels[v] != -1) return false;
        std::uint32_t parent = no_parent;
        for (O k = offsets[v], end = offsets[v + 1]; k < end; ++k) {
            vertex_id const u = columns[k];
            if (!(u < own ? own_in_level(u) : outer_in_level(u - own))) continue;
            auto const found = static_cast<std::uint32_t>(u < own ? first + u : outer_ids[u - own]);
            if (found < parent) parent = found;
            if (takes_first) break;
        }
        if (parent == no_parent) return false;
        levels[v] = next;
        parents[v] = parent;
        return true;
    }
    COPPICE_HD std::int32_t work(vertex_id v) const { return g.degree(v); }
};
/// Pulled levels of a search, as one bit per vertex: lists would need an atomic operation for nearly every vertex,
/// because the lanes of a warp find their parents at different times. An outer vertex has a bit from its owner.
template <executor Executor, class O>
class level_pull {
public:
    static constexpr bool pulls = true;

    /// `incoming`: the rows of the transposed graph.
    level_pull(owned_graph<Executor> const& graph, distributed_rows<Executor, vertex_id, O> const& incoming)
        : graph_(graph), incoming_(incoming), of_outer_(graph.exec(), graph.comm(), incoming.halo_plan()),
          bitmaps_(graph.exec(), graph.own()) {}

    /// Takes the vertices of a level as the current one.
    void begin(std::int32_t const* levels, std::int32_t level) {
        store(now_, analytics::is_in_level{graph_.view(), levels, level});
    }
    /// Pulls into the vertices of this rank, which are then the current level, and returns their number. Their parents
    /// are the first ones in their rows, or the smallest ones. Collective.
    level_size run(std::int32_t* levels, std::uint32_t* parents, std::int32_t next_level, bool takes_first) {
        analytics::bitmap const level{bitmaps_.words(now_)};
        of_outer_.fetch(graph_.exec(), level);
        now_ = 1 - now_;
        store(now_, pull_into_vertex<O>{graph_.view(), incoming_.offsets().data(), incoming_.columns().data(), level,
                                        of_outer_.bits(), incoming_.outer().data(), graph_.own(), graph_.first(),
                                        next_level, takes_first, levels, parents});
        return size();
    }
    /// Number of vertices of the current level. Waits.
    level_size size() {
        auto const level = graph_.exec().load(bitmaps_[now_]);
        return {level.count, level.work};
    }
    /// Lists the vertices of the current level.
    void list(analytics::worklist* to) {
        using namespace analytics;
        for_each(graph_.exec(), 1, clear_set{to});
        vertex_map(graph_.exec(), nullptr, bitmaps_.all_words(), into(to), list_word_of{graph_.view(), bitmaps_[now_]});
    }

private:
    template <class F>
    void store(int k, F const& f) {
        for_each(graph_.exec(), 1, analytics::clear_set{bitmaps_[k]});
        bitmap_map(graph_.exec(), nullptr, bitmaps_.all_vertices(), bitmaps_[k], f);
    }

    owned_graph<Executor> const& graph_;
    distributed_rows<Executor, vertex_id, O> const& incoming_;
    halo_bits<Executor> of_outer_;
    analytics::bitmap_pair bitmaps_;
    int now_ = 0; ///< the bitmap of the current level
};

} // namespace coppice::inline v0_1::distributed
