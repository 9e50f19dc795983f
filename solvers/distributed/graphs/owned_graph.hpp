// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The edges that leave the vertices of one rank, as a graph for the vertex and edge maps of frontier.hpp, and messages
/// to the ranks that own the ends of edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <coppice/graph/frontier/frontier.hpp>
#include <coppice/solvers/distributed/graphs/reverse_halo.hpp>
#include <coppice/solvers/distributed/rows/distributed_rows.hpp>

namespace coppice::inline v0_1::distributed {

/// A value for a vertex, with its global index.
template <class Value>
struct vertex_message {
    vertex_id vertex;
    Value value;
};

/// Sends messages, in ascending order of their vertices, to the ranks that own these. Returns the messages that this
/// rank receives, with local vertices. Collective.
template <class Value>
std::vector<vertex_message<Value>> send_to_owners(rank_communicator const& comm,
                                                  std::vector<std::int64_t> const& begins,
                                                  std::vector<vertex_message<Value>> const& messages) {
    rank_offsets send_begin;
    for (std::int64_t const begin : begins)
        send_begin.push_back(std::lower_bound(messages.begin(), messages.end(), begin,
                                              [](auto const& m, std::int64_t v) { return m.vertex < v; }) -
                             messages.begin());
    rank_offsets const receive_begin = begins_of_received(comm, send_begin);
    std::vector<vertex_message<Value>> received(static_cast<std::size_t>(receive_begin.back()));
    send_and_receive(comm, send_begin, messages.data(), receive_begin, received.data())->finish();
    for (auto& m : received) m.vertex -= vertex_id(begins[std::size_t(comm.rank())]);
    return received;
}

/// Position of the first of the messages, in ascending order of their vertices, for a vertex of rank p or later.
template <class Value>
struct first_message_of_rank {
    vertex_message<Value> const* messages;
    std::int64_t count;
    std::int64_t const* begins;
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t p) const {
        to[p] =
            coppice::detail::first_not_below(0, count, [&](std::int64_t i) { return messages[i].vertex < begins[p]; });
    }
};
template <class Value>
struct make_vertex_local {
    vertex_message<Value>* messages;
    vertex_id first;
    COPPICE_HD void operator()(std::int64_t i) const { messages[i].vertex -= first; }
};

/// Global index of each local vertex.
struct global_of_local {
    vertex_id const* outer_ids;
    vertex_id own, first;
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t v) const {
        to[v] = v < own ? first + static_cast<vertex_id>(v) : outer_ids[v - own];
    }
};

/// Converts offsets to 32 bits; vertices after the last row (outer vertices) have no edges.
template <class O>
struct narrow_offset {
    O const* from;
    std::int32_t* to;
    std::int64_t rows;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = static_cast<std::int32_t>(from[i < rows ? i : rows]); }
};

/// The graph of one rank. Local vertices: those of the rank, in [0, own), then its outer vertices, which have no edges
/// here. The graph refers to arrays of `rows`, which must outlive it. The whole graph may have more than 2^31
/// edges, but each rank must have fewer.
template <executor Executor>
class owned_graph {
public:
    /// Throws overflow_error, on this rank, if it has 2^31 edges or more.
    template <class O>
    owned_graph(Executor const& exec, rank_communicator const& comm,
                distributed_rows<Executor, vertex_id, O> const& rows)
        : exec_(exec), comm_(comm), begins_(rows.begins()), first_(vertex_id(rows.first())),
          own_(vertex_id(rows.size())), outer_ids_(rows.outer().data(), rows.halo()), halo_plan_(rows.halo_plan()),
          offsets_(exec, rows.size() + rows.halo() + 1) {
        view_.vertices = vertex_id(rows.size() + rows.halo());
        view_.edge_count = checked_cast<vertex_id>(rows.nonzeros(), "number of edges of a rank");
        for_each(exec, offsets_.size(), narrow_offset<O>{rows.offsets().data(), offsets_.data(), rows.size()});
        view_.offsets = offsets_.data();
        view_.neighbors = rows.columns().data();
    }

    Executor const& exec() const { return exec_; }
    rank_communicator const& comm() const { return comm_; }
    graph_view view() const { return view_; }
    vertex_id own() const { return own_; }     ///< number of vertices of this rank
    vertex_id first() const { return first_; } ///< global index of the first one
    std::int64_t all_vertices() const { return begins_.back(); }
    /// Global indices of the outer vertices, ascending, in memory of the executor.
    array_view<vertex_id const> outer_ids() const { return outer_ids_; }
    shared_halo_plan<Executor> const& halo_plan() const { return halo_plan_; } ///< of values at outer vertices
    std::vector<std::int64_t> const& begins() const { return begins_; } ///< first vertex of each rank, [ranks + 1]
    /// Global index of a local vertex; on the host.
    vertex_id global(vertex_id v) const { return v < own_ ? first_ + v : outer_ids_[v - own_]; }
    /// Local vertex of a global index; -1: neither one of this rank nor an outer one; on the host.
    vertex_id local(vertex_id global) const {
        if (owns(global)) return global - first_;
        auto const at = std::lower_bound(outer_ids_.begin(), outer_ids_.end(), global);
        return at == outer_ids_.end() || *at != global ? -1 : own_ + vertex_id(at - outer_ids_.begin());
    }
    bool owns(std::int64_t v) const { return v >= first_ && v < first_ + own_; }

    /// Throws argument_error unless `v` is a vertex of the whole graph; on all ranks, which pass the same v.
    void require_vertex(std::int64_t v, char const* what) const {
        if (v < 0 || v >= all_vertices())
            throw argument_error(std::string(what) + " is vertex " + std::to_string(v) + " of a graph of " +
                                 std::to_string(all_vertices()) + " vertices, which are counted from 0");
    }

    /// send_to_owners() of messages in memory of the executor, where the received ones are, too.
    template <class Value>
    buffer<vertex_message<Value>> send(array_view<vertex_message<Value> const> messages) const {
        auto const begins = exec_.copy(begins_);
        buffer<std::int64_t> first(exec_, begins.size());
        for_each(exec_, begins.size(),
                 first_message_of_rank<Value>{messages.data(), messages.size(), begins.data(), first.data()});
        rank_offsets const send_begin = to_vector(exec_, first), receive_begin = begins_of_received(comm_, send_begin);
        buffer<vertex_message<Value>> received(exec_, receive_begin.back());
        exchange(exec_, comm_, send_begin, messages.data(), receive_begin, received.data());
        for_each(exec_, received.size(), make_vertex_local<Value>{received.data(), first_});
        return received;
    }

private:
    Executor exec_;
    rank_communicator comm_;
    std::vector<std::int64_t> begins_;
    vertex_id first_, own_;
    array_view<vertex_id const> outer_ids_;
    shared_halo_plan<Executor> halo_plan_;
    buffer<std::int32_t> offsets_;
    graph_view view_{};
};

} // namespace coppice::inline v0_1::distributed
