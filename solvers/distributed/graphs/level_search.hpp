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
/// outer vertices, if `lists`.
template <class Filter, bool lists>
struct push_to_level {
    graph_view g;
    std::int32_t* levels;
    std::uint32_t* parents;
    vertex_id own, first;
    std::int32_t next;
    Filter filter;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        std::int32_t const level = worker.load(levels + v);
        if ((level != -1 && level != next) || !filter(u, k)) return;
        worker.lower(parents + v, static_cast<std::uint32_t>(first + u));
        if (level != -1 || !worker.claim(levels + v, -1, next)) return;
        if constexpr (lists) {
            if (v < own)
                worker.template emit<0>(v, g.degree(v));
            else
                worker.template emit<1>(v);
        }
    }
};

/// Processes parent i that another rank has found for a vertex of this rank, by the same rule. Emits vertices that
/// enter level `next`, if `lists`.
template <class Received, bool lists>
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
        if constexpr (lists) {
            if (level == -1 && worker.claim(levels + v, -1, next)) worker.emit(v, g.degree(v));
        } else {
            if (level == -1) worker.store(levels + v, next);
        }
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

/// Makes the found vertices the current level.
struct begin_level {
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

/// Numbers of vertices, and of their edges.
struct level_size {
    std::int64_t count = 0, work = 0;
    friend COPPICE_HD level_size operator+(level_size const& a, level_size const& b) {
        return {a.count + b.count, a.work + b.work};
    }
};

/// No level is pulled.
struct push_only {
    static constexpr bool pulls = false;
};

/// What the exchanges of a pushed level cost in comparison with passes over the memory of a rank.
struct search_costs {
    /// Bytes that a rank sends in the time of the additional steps of messages: devices sort them, exchange and load
    /// their numbers, and allocate memory, some 0.2 ms.
    std::int64_t messages = 0;
    /// Bytes that a pass reads in the time in which a rank sends one.
    std::int64_t sent_byte = 0;

    template <executor Executor>
    static constexpr search_costs of() {
        if constexpr (std::is_base_of_v<host_executor, Executor>)
            return {};
        else
            return {std::int64_t(32) << 20, 10};
    }
};

/// What was done before level_search::run().
struct begun_search {
    /// 1 on all ranks if the vertices of level 1, adjacent to the only one of level 0, have their levels and parents.
    std::int32_t level = 0;
    std::int64_t edges = 0; ///< of the vertex of level 0, on its rank
};

/// State of a search. A vertex has level -1 until it is reached; the search changes no other levels. The arrays also
/// have elements for outer vertices, with the levels and parents that this rank has found.
///
/// A pushed level sends the parents of all outer vertices; their owners ignore those of vertices that have an earlier
/// level. If outer vertices are many and few of them were reached, it sends these as messages. If few edges of vertices
/// without a level are left, a pass over these costs less than either: the level is pulled, with the parents of a
/// pushed level. These choices, and whether a level is in a list, affect the time only.
template <executor Executor>
class level_search {
public:
    /// Not collective.
    level_search(owned_graph<Executor> const& graph, buffer<std::int32_t> levels, buffer<std::uint32_t> parents,
                 search_costs const& costs = search_costs::of<Executor>())
        : graph_(graph), levels_(std::move(levels)), parents_(std::move(parents)),
          lists_(graph.exec(), graph.view().vertices), to_owners_(graph.exec(), graph.comm(), graph.halo_plan()),
          costs_(costs) {}

    /// Searches from the vertices of level 0 to level `max_depth`. `filter(u, k)`: whether edge k of u is used; it must
    /// not read arrays that the search writes. `pull`: push_only or a level_pull, for a search along all edges.
    /// `begun`: what was done before, with a level_pull.
    template <class Filter = every_edge, class Pull = push_only>
    void run(Filter const& filter = {}, std::int32_t max_depth = std::numeric_limits<std::int32_t>::max(),
             Pull&& pull = {}, begun_search const& begun = {}) {
        using namespace analytics;
        constexpr bool may_pull = std::remove_reference_t<Pull>::pulls;
        auto const& exec = graph_.exec();
        worklist *const now = lists_[0], *const next = lists_[1], *const outer = lists_[2];
        auto const whole = over_ranks({graph_.outer_ids().size(), graph_.view().edge_count - begun.edges});
        std::int64_t const all_outer = whole.count;
        std::int64_t before = begun.level, edges_left = whole.work;
        [[maybe_unused]] bool pulls = false, in_list = true; // the level is a list; otherwise `pull` has its bits
        reached_ = begun.level;
        level_size found;
        if constexpr (may_pull) {
            if (begun.level > 0) {
                pull.begin(levels_.data(), begun.level);
                in_list = false;
                found = over_ranks(pull.size());
            }
        }
        if (in_list) {
            auto const all = placed(exec, worklist{nullptr, graph_.own(), 0});
            vertex_map(exec, nullptr, all.data(), into(next), is_start{graph_.view(), levels_.data()});
            found = over_ranks(size_of_list());
        }
        for (std::int32_t level = begun.level; found.count > 0; ++level) {
            depth_ = level;
            reached_ += found.count;
            edges_left -= found.work;
            if (level == max_depth) return;
            if constexpr (may_pull) {
                pulls =
                    level > 0 && is_pulled(pulls, before, found.count, found.work, edges_left, graph_.all_vertices());
                before = found.count;
                if (pulls || pull_costs_less(edges_left, all_outer)) {
                    if (in_list) pull.begin(levels_.data(), level);
                    in_list = false;
                    found = over_ranks(pull.run(levels_.data(), parents_.data(), level + 1, pulls));
                    continue;
                }
                if (!in_list) pull.list(next);
                in_list = true;
            }
            for_each(exec, 1, begin_level{now, next, outer});
            if constexpr (may_pull) {
                if (bytes_over_messages(all_outer) <= 0 && found.work > graph_.all_vertices() / 64) {
                    push<false>(nothing(), filter, level + 1);
                    send_all_outer<false>(nothing(), level + 1);
                    pull.begin(levels_.data(), level + 1);
                    in_list = false;
                    found = over_ranks(pull.size());
                    continue;
                }
            }
            push<true>(into(next, outer), filter, level + 1);
            send_to_owners_of(outer, all_outer, next, level + 1);
            found = over_ranks(size_of_list());
        }
    }

    std::int32_t depth() const { return depth_; }     ///< largest level with a vertex, over all ranks
    std::int64_t reached() const { return reached_; } ///< number of vertices with levels from 0 on, over all ranks
    /// Levels and parents (global indices; -1: none) of the vertices of this rank.
    buffer<std::int32_t> levels() const { return own_values(levels_.data()); }
    buffer<vertex_id> parents() const { return own_values(reinterpret_cast<vertex_id const*>(parents_.data())); }

private:
    static constexpr std::int64_t value_bytes = sizeof(std::uint32_t);

    level_size over_ranks(level_size const& mine) const { return graph_.comm().all_reduce(mine, plus{}); }
    /// Size of the list of the next level.
    level_size size_of_list() const {
        auto const next = lists_.load(graph_.exec()).list[1];
        return {next.count, next.work};
    }
    /// Whether a level is pulled instead of pushed: if a pass over the levels of all vertices, and random accesses for
    /// the edges that are left, cost less than the parents of all outer vertices.
    bool pull_costs_less(std::int64_t edges_left, std::int64_t all_outer) const {
        constexpr std::int64_t random_access = 32;
        return graph_.all_vertices() * value_bytes + edges_left * random_access <
               all_outer * value_bytes * costs_.sent_byte;
    }

    /// By how much the values of all outer vertices are more bytes than the overhead of messages.
    std::int64_t bytes_over_messages(std::int64_t all_outer) const {
        return all_outer * value_bytes - graph_.comm().ranks() * costs_.messages;
    }

    /// Pushes from list 0.
    template <bool lists, int N, class Filter>
    void push(analytics::outputs<N> const& outs, Filter const& filter, std::int32_t level) {
        edge_map(graph_.exec(), nullptr, lists_[0], graph_.view(), outs,
                 push_to_level<Filter, lists>{graph_.view(), levels_.data(), parents_.data(), graph_.own(),
                                              graph_.first(), level, filter});
    }
    /// Sends the outer vertices of the new level to their owners; `next` receives the vertices that are new there.
    /// `all_outer`: number of outer vertices of all ranks.
    void send_to_owners_of(analytics::worklist const* outer, std::int64_t all_outer, analytics::worklist* next,
                           std::int32_t level) {
        if (all_outer == 0) return;
        std::int64_t const more_bytes = bytes_over_messages(all_outer);
        if (more_bytes > 0) {
            auto const found = graph_.exec().load(outer);
            std::int64_t const all_found = graph_.comm().all_reduce(found.count, plus{});
            if (all_found == 0) return;
            if (all_found * std::int64_t(sizeof(vertex_message<std::uint32_t>)) < more_bytes)
                return send_messages(found, next, level);
        }
        send_all_outer<true>(analytics::into(next), level);
    }
    template <bool lists>
    void send_all_outer(analytics::outputs<1> const& outs, std::int32_t level) {
        to_owners_.run(graph_.exec(), static_cast<std::uint32_t const*>(parents_.data()) + graph_.own());
        take<lists>(parents_in_halo{to_owners_.rows(), to_owners_.values()}, to_owners_.all(), outs, level);
    }
    void send_messages(analytics::worklist const& found, analytics::worklist* next, std::int32_t level) {
        using namespace analytics;
        auto const& exec = graph_.exec();
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
        take<true>(parents_in_messages{received.data()}, list.data(), into(next), level);
        exec.synchronize(); // the received messages are destroyed here
    }
    template <bool lists, class Received>
    void take(Received const& received, analytics::worklist const* list, analytics::outputs<1> const& outs,
              std::int32_t level) {
        vertex_map(graph_.exec(), nullptr, list, outs,
                   take_parent<Received, lists>{received, graph_.view(), levels_.data(), parents_.data(), level});
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
    search_costs costs_;
    std::int32_t depth_ = 0;
    std::int64_t reached_ = 0;
};

} // namespace coppice::inline v0_1::distributed
