// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Search by levels over ranks: from the vertices of level 0, along the edges that a filter admits.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/graphs/owned_graph.hpp>

namespace coppice::inline v0_1::distributed {

inline constexpr std::uint32_t no_parent = ~std::uint32_t(0);

struct every_edge {
    COPPICE_HD bool operator()(vertex_id, std::int32_t) const { return true; }
};

/// Processes edge k from vertex u of the current level to v: if v has no level, v enters level `next`. The parent of v
/// is the smallest global index of all such u. List 0 receives the new vertices of this rank (v < own), list 1 the
/// outer vertices.
template <class Filter>
struct push_to_level {
    graph_view g;
    std::int32_t* levels;
    std::uint32_t* parents;
    vertex_id own, first;
    std::int32_t next;
    Filter filter;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        std::int32_t const level = worker.load(levels + v);
        if ((level != -1 && level != next) || !filter(u, k)) return;
        worker.lower(parents + v, static_cast<std::uint32_t>(first + u));
        if (level != -1 || !worker.claim(levels + v, -1, next)) return;
        if (v < own)
            worker.template emit<0>(v);
        else
            worker.template emit<1>(v);
    }
};

/// Processes message i of another rank, a vertex of this rank and the global index of a parent, by the same rule. Emits
/// vertices that enter level `next`.
struct take_parent {
    vertex_message<std::uint32_t> const* messages;
    std::int32_t* levels;
    std::uint32_t* parents;
    std::int32_t next;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        vertex_id const v = messages[i].vertex;
        std::int32_t const level = worker.load(levels + v);
        if (level != -1 && level != next) return;
        worker.lower(parents + v, messages[i].value);
        if (level == -1 && worker.claim(levels + v, -1, next)) worker.emit(v);
    }
};

struct is_start {
    std::int32_t const* levels;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (levels[v] == 0) worker.emit(v);
    }
};

struct end_level {
    analytics::worklist* now;
    analytics::worklist* next;
    analytics::worklist* outer;
    COPPICE_HD void operator()(std::int64_t) const {
        analytics::swap_and_clear(*now, *next);
        outer->clear();
    }
};

/// State of a search. A vertex has level -1 until it is reached; the search changes no other levels. The arrays also
/// have elements for outer vertices, with the levels and parents that this rank has found. A rank sends each outer
/// vertex at most once, with the smallest parent in this rank, so that the total volume is that of one halo exchange.
template <executor Executor>
class level_search {
public:
    level_search(owned_graph<Executor> const& graph, buffer<std::int32_t> levels, buffer<std::uint32_t> parents)
        : graph_(graph), levels_(std::move(levels)), parents_(std::move(parents)),
          lists_(graph.exec(), graph.view().vertices) {}

    /// Searches from the vertices of level 0 to level `max_depth`. `filter(u, k)`: whether edge k of u is used; it must
    /// not read arrays that the search writes.
    template <class Filter = every_edge>
    void run(Filter const& filter = {}, std::int32_t max_depth = std::numeric_limits<std::int32_t>::max()) {
        using namespace analytics;
        auto const& exec = graph_.exec();
        worklist *const now = lists_[0], *const next = lists_[1], *const outer = lists_[2];
        auto const all = placed(exec, worklist{nullptr, graph_.own(), 0});
        vertex_map(exec, nullptr, all.data(), into(now), is_start{levels_.data()});
        for (std::int32_t level = 0;; ++level) {
            std::int64_t const found = graph_.comm().all_reduce(exec.load(now).count, plus{});
            if (found == 0) return;
            depth_ = level;
            reached_ += found;
            if (level == max_depth) return;
            edge_map(exec, nullptr, now, graph_.view(), into(next, outer),
                     push_to_level<Filter>{graph_.view(), levels_.data(), parents_.data(), graph_.own(), graph_.first(),
                                           level + 1, filter});
            exchange(outer, next, level + 1);
            for_each(exec, 1, end_level{now, next, outer});
        }
    }

    std::int32_t depth() const { return depth_; }     ///< largest level with a vertex, over all ranks
    std::int64_t reached() const { return reached_; } ///< number of vertices with levels from 0 on, over all ranks
    /// Levels and parents (global indices; -1: none) of the vertices of this rank.
    buffer<std::int32_t> levels() const { return own_values(levels_.data()); }
    buffer<vertex_id> parents() const { return own_values(reinterpret_cast<vertex_id const*>(parents_.data())); }

private:
    /// Sends the outer vertices of the new level to their owners, and adds the vertices that other ranks send to
    /// `next`.
    void exchange(analytics::worklist const* outer, analytics::worklist* next, std::int32_t level) {
        using namespace analytics;
        auto const& exec = graph_.exec();
        auto const found = sorted_items(exec, outer);
        auto const at = exec.copy(found);
        buffer<std::uint32_t> proposed(exec, at.size());
        for_each(exec, at.size(), gather_elements<std::uint32_t>{parents_.data(), at.data(), proposed.data()});
        auto const values = to_vector(exec, proposed);
        std::vector<vertex_message<std::uint32_t>> messages;
        for (std::size_t i = 0; i < found.size(); ++i)
            messages.push_back({graph_.outer_ids()[std::size_t(found[i] - graph_.own())], values[i]});
        auto const received = graph_.send(messages);
        auto const list = placed(exec, worklist{nullptr, received.size(), 0});
        vertex_map(exec, nullptr, list.data(), into(next),
                   take_parent{received.data(), levels_.data(), parents_.data(), level});
        exec.synchronize(); // the received messages are destroyed here
    }

    buffer<std::int32_t> own_values(std::int32_t const* all) const {
        buffer<std::int32_t> own(graph_.exec(), graph_.own());
        graph_.exec().copy_elements(all, own.data(), own.size());
        return own;
    }

    owned_graph<Executor> const& graph_;
    buffer<std::int32_t> levels_;
    buffer<std::uint32_t> parents_;
    analytics::worklists<3> lists_;
    std::int32_t depth_ = 0;
    std::int64_t reached_ = 0;
};

} // namespace coppice::inline v0_1::distributed
