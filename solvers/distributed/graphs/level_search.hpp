// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Search by levels over ranks: from the vertices of level 0, along the edges that a filter admits.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/graph/search/bfs.hpp>
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
            worker.template emit<0>(v, g.degree(v));
        else
            worker.template emit<1>(v);
    }
};

/// Processes parent i that another rank has found for a vertex of this rank, by the same rule. Emits vertices that
/// enter level `next`.
template <class Received>
struct take_parent {
    Received received;
    graph_view g;
    std::int32_t* levels;
    std::uint32_t* parents;
    std::int32_t next;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        std::uint32_t const parent = received.parent(i);
        if (parent == no_parent) return;
        vertex_id const v = received.vertex(i);
        std::int32_t const level = worker.load(levels + v);
        if (level != -1 && level != next) return;
        worker.lower(parents + v, parent);
        if (level == -1 && worker.claim(levels + v, -1, next)) worker.emit(v, g.degree(v));
    }
};
struct parents_in_messages {
    vertex_message<std::uint32_t> const* messages;
    COPPICE_HD vertex_id vertex(std::int64_t i) const { return messages[i].vertex; }
    COPPICE_HD std::uint32_t parent(std::int64_t i) const { return messages[i].value; }
};
struct parents_in_halo {
    std::int32_t const* rows;
    std::uint32_t const* values;
    COPPICE_HD vertex_id vertex(std::int64_t i) const { return rows[i]; }
    COPPICE_HD std::uint32_t parent(std::int64_t i) const { return values[i]; }
};

struct is_start {
    graph_view g;
    std::int32_t const* levels;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (levels[v] == 0) worker.emit(v, g.degree(v));
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

/// Keys and values of a list of outer vertices, to be sorted.
struct copy_found {
    vertex_id const* found;
    std::uint32_t const* parents;
    vertex_id* keys;
    std::uint32_t* values;
    COPPICE_HD void operator()(std::int64_t i) const {
        keys[i] = found[i];
        values[i] = parents[found[i]];
    }
};
struct make_message {
    vertex_id const* keys;
    std::uint32_t const* values;
    vertex_id const* outer_ids;
    vertex_id own;
    vertex_message<std::uint32_t>* messages;
    COPPICE_HD void operator()(std::int64_t i) const { messages[i] = {outer_ids[keys[i] - own], values[i]}; }
};

/// No level is pulled.
struct push_only {
    static constexpr bool pulls = false;
};

/// State of a search. A vertex has level -1 until it is reached; the search changes no other levels. The arrays also
/// have elements for outer vertices, with the levels and parents that this rank has found. A pushed level sends the
/// outer vertices that it reached as messages, at most once each; if these would be more bytes, it sends the parents of
/// all outer vertices. Their owners ignore the parents of vertices that have an earlier level.
template <executor Executor>
class level_search {
public:
    /// Not collective.
    level_search(owned_graph<Executor> const& graph, buffer<std::int32_t> levels, buffer<std::uint32_t> parents)
        : graph_(graph), levels_(std::move(levels)), parents_(std::move(parents)),
          lists_(graph.exec(), graph.view().vertices), to_owners_(graph.exec(), graph.comm(), graph.halo_plan()) {}

    /// Searches from the vertices of level 0 to level `max_depth`. `filter(u, k)`: whether edge k of u is used; it must
    /// not read arrays that the search writes. `pull`: push_only or a level_pull, for a search along all edges.
    template <class Filter = every_edge, class Pull = push_only>
    void run(Filter const& filter = {}, std::int32_t max_depth = std::numeric_limits<std::int32_t>::max(),
             Pull&& pull = {}) {
        using namespace analytics;
        auto const& exec = graph_.exec();
        worklist *const now = lists_[0], *const next = lists_[1], *const outer = lists_[2];
        auto const all = placed(exec, worklist{nullptr, graph_.own(), 0});
        vertex_map(exec, nullptr, all.data(), into(now), is_start{graph_.view(), levels_.data()});
        auto const whole = over_ranks({graph_.outer_ids().size(), graph_.view().edge_count});
        std::int64_t before = 0, edges_left = whole.work;
        [[maybe_unused]] bool pulls = false;
        for (std::int32_t level = 0;; ++level) {
            auto const list = exec.load(now);
            auto const found = over_ranks({list.count, list.work});
            if (found.count == 0) return;
            depth_ = level;
            reached_ += found.count;
            edges_left -= found.work;
            if (level == max_depth) return;
            if constexpr (std::remove_reference_t<Pull>::pulls)
                pulls =
                    level > 0 && is_pulled(pulls, before, found.count, found.work, edges_left, graph_.all_vertices());
            before = found.count;
            if constexpr (std::remove_reference_t<Pull>::pulls)
                if (pulls) pull.run(all.data(), next, levels_.data(), parents_.data(), level + 1);
            if (!pulls) {
                edge_map(exec, nullptr, now, graph_.view(), into(next, outer),
                         push_to_level<Filter>{graph_.view(), levels_.data(), parents_.data(), graph_.own(),
                                               graph_.first(), level + 1, filter});
                send_to_owners_of(outer, whole.count, next, level + 1);
            }
            for_each(exec, 1, end_level{now, next, outer});
        }
    }

    std::int32_t depth() const { return depth_; }     ///< largest level with a vertex, over all ranks
    std::int64_t reached() const { return reached_; } ///< number of vertices with levels from 0 on, over all ranks
    /// Levels and parents (global indices; -1: none) of the vertices of this rank.
    buffer<std::int32_t> levels() const { return own_values(levels_.data()); }
    buffer<vertex_id> parents() const { return own_values(reinterpret_cast<vertex_id const*>(parents_.data())); }

private:
    /// Numbers of vertices and of their edges.
    struct sums {
        std::int64_t count, work;
    };
    sums over_ranks(sums const& mine) const {
        return graph_.comm().all_reduce(mine, [](sums const& a, sums const& b) {
            return sums{a.count + b.count, a.work + b.work};
        });
    }

    /// Sends the outer vertices of the new level to their owners; `next` receives the vertices that are new there.
    /// `all_outer`: number of outer vertices of all ranks.
    void send_to_owners_of(analytics::worklist const* outer, std::int64_t all_outer, analytics::worklist* next,
                           std::int32_t level) {
        using namespace analytics;
        if (all_outer == 0) return;
        auto const& exec = graph_.exec();
        auto const found = exec.load(outer);
        std::int64_t const all_found = graph_.comm().all_reduce(found.count, plus{});
        if (all_found == 0) return;
        std::int64_t const message_bytes = sizeof(vertex_message<std::uint32_t>), value_bytes = sizeof(std::uint32_t);
        if (all_found * message_bytes >= all_outer * value_bytes) {
            to_owners_.run(exec, static_cast<std::uint32_t const*>(parents_.data()) + graph_.own());
            return take(parents_in_halo{to_owners_.rows(), to_owners_.values()}, to_owners_.all(), next, level);
        }
        buffer<vertex_id> keys(exec, found.count);
        buffer<std::uint32_t> values(exec, found.count);
        for_each(exec, found.count, copy_found{found.items, parents_.data(), keys.data(), values.data()});
        sort_by_key(exec, keys.view(), values.view());
        buffer<vertex_message<std::uint32_t>> messages(exec, found.count);
        for_each(exec, found.count,
                 make_message{keys.data(), values.data(), graph_.outer_ids().data(), graph_.own(), messages.data()});
        auto const received =
            graph_.send(array_view<vertex_message<std::uint32_t> const>(messages.data(), messages.size()));
        auto const list = placed(exec, worklist{nullptr, received.size(), 0});
        take(parents_in_messages{received.data()}, list.data(), next, level);
        exec.synchronize(); // the received messages are destroyed here
    }
    template <class Received>
    void take(Received const& received, analytics::worklist const* list, analytics::worklist* next,
              std::int32_t level) {
        analytics::vertex_map(graph_.exec(), nullptr, list, analytics::into(next),
                              take_parent<Received>{received, graph_.view(), levels_.data(), parents_.data(), level});
    }

    template <class Value>
    buffer<Value> own_values(Value const* all) const {
        buffer<Value> own(graph_.exec(), graph_.own());
        graph_.exec().copy_elements(all, own.data(), own.size());
        return own;
    }

    owned_graph<Executor> const& graph_;
    buffer<std::int32_t> levels_;
    buffer<std::uint32_t> parents_;
    analytics::worklists<3> lists_;
    reverse_halo<Executor, std::uint32_t> to_owners_;
    std::int32_t depth_ = 0;
    std::int64_t reached_ = 0;
};

struct flag_level {
    std::int32_t const* levels;
    std::int32_t level;
    std::uint8_t* flags;
    COPPICE_HD void operator()(std::int64_t v) const { flags[v] = levels[v] == level ? 1 : 0; }
};
/// The incoming edges of a rank, for analytics::pull_level.
template <class O>
struct pulled_edges_of_rank {
    O const* offsets;
    std::int32_t const* columns; ///< vertices of the rank, then outer vertices
    std::uint8_t const* flags;   ///< of the same: whether they are in the current level
    vertex_id const* outer_ids;
    vertex_id own, first;
    std::int32_t next;
    COPPICE_HD O begin(vertex_id v) const { return offsets[v]; }
    COPPICE_HD O end(vertex_id v) const { return offsets[v + 1]; }
    COPPICE_HD vertex_id neighbor(O k) const { return columns[k]; }
    COPPICE_HD bool in_level(auto const&, vertex_id u) const { return flags[u] != 0; }
    COPPICE_HD vertex_id parent(vertex_id u) const { return u < own ? first + u : outer_ids[u - own]; }
    COPPICE_HD std::int32_t next_level() const { return next; }
};
/// Pulled levels of a search. An outer vertex has one byte, whether it is in the current level, from its owner.
template <executor Executor, class O>
class level_pull {
public:
    static constexpr bool pulls = true;

    /// `incoming`: the rows of the transposed graph.
    level_pull(owned_graph<Executor> const& graph, distributed_rows<Executor, vertex_id, O> const& incoming)
        : graph_(graph), incoming_(incoming), of_outer_(graph.exec(), graph.comm(), incoming.halo_plan()),
          in_level_(graph.exec(), incoming.size() + incoming.halo()) {}

    /// `next` receives the vertices of level `next_level`. Collective.
    void run(analytics::worklist const* all, analytics::worklist* next, std::int32_t* levels, std::uint32_t* parents,
             std::int32_t next_level) {
        using namespace analytics;
        auto const& exec = graph_.exec();
        for_each(exec, incoming_.size(), flag_level{levels, next_level - 1, in_level_.data()});
        of_outer_.start(exec, in_level_.data());
        of_outer_.finish(exec);
        exec.copy_elements(of_outer_.values(), in_level_.data() + incoming_.size(), incoming_.halo());
        pulled_edges_of_rank<O> const edges{incoming_.offsets().data(),
                                            incoming_.columns().data(),
                                            in_level_.data(),
                                            incoming_.outer().data(),
                                            graph_.own(),
                                            graph_.first(),
                                            next_level};
        vertex_map(exec, nullptr, all, into(next),
                   pull_level<pulled_edges_of_rank<O>>{graph_.view(), levels, parents, edges});
    }

private:
    owned_graph<Executor> const& graph_;
    distributed_rows<Executor, vertex_id, O> const& incoming_;
    halo<Executor, std::uint8_t> of_outer_;
    buffer<std::uint8_t> in_level_;
};

} // namespace coppice::inline v0_1::distributed
