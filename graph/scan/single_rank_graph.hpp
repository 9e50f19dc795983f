// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Single-rank graph: all vertices of a graph belong to one executor.
///
/// Factors and forests are written for the rows of one rank of a graph. A `Rank` provides data of other ranks and
/// reductions over all ranks: either single_rank_graph, without other ranks, or rank_graph
/// (solvers/distributed/graphs/rank_graph.hpp). A vertex has a local index among the rows of its rank, followed by the
/// outer vertices, which are ends of edges that lead to other ranks; and a global index (id) in the whole graph.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/parallel.hpp>
#include <coppice/graph/scan/bidirectional_scan.hpp>
#include <coppice/graph/scan/edge_order.hpp>

namespace coppice::inline v0_1::graph_detail {

/// Global indices equal to local indices.
template <class I>
struct identity_ids {
    COPPICE_HD I operator()(std::int64_t v) const { return static_cast<I>(v); }
    COPPICE_HD I local(I id) const {
        return id;
    } ///< local index of a vertex of this rank; -1 if it belongs to another
      ///< rank
    COPPICE_HD I local_or_outer(I id) const {
        return id;
    } ///< local index of a vertex of this rank or of an outer vertex; else -1
};

/// Neighbours as local indices, from neighbours as global indices; -1 if the neighbour is on another rank.
template <class Ids, class Neighbor>
struct local_neighbor {
    Ids ids;
    Neighbor neighbor;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto operator()(std::int64_t v, int d) const {
        auto const w = neighbor(v, d);
        return w < 0 ? w : ids.local(w);
    }
};

/// Converts the ends of paths to global indices.
template <class Value, class I, class Ids>
struct globalise_ends {
    scan_entry<Value, I>* entries;
    Ids ids;
    COPPICE_HD void operator()(std::int64_t v) const {
        for (I& link : entries[v].link)
            if (is_path_end(link)) link = path_end(ids(path_end_vertex(link)));
    }
};

/// First position of the path with the given id (its smaller end).
template <class I>
struct start_of_path {
    I const* starts;
    COPPICE_HD I operator()(I id) const { return starts[id]; }
};

template <executor Executor, class I>
class single_rank_graph {
public:
    static constexpr bool is_distributed = false;
    using ids_type = identity_ids<I>;

    explicit single_rank_graph(Executor const& exec) : exec_(exec) {}
    Executor const& exec() const { return exec_; }
    ids_type ids() const { return {}; }
    std::int64_t outer() const { return 0; } ///< number of outer vertices
    /// Edge order for vertices given as local indices.
    edge_order<I> order(edge_order<I> const& of_ids) const { return of_ids; }

    /// Combines `mine` of all ranks, in the order of the ranks.
    template <class Value, class Combine>
    Value all_reduce(Value const& mine, Combine const&) const {
        return mine;
    }
    /// Sum of the values of the ranks before this one.
    template <class Value>
    Value sum_before(Value const&) const {
        return Value(0);
    }

    /// Computes make(v) of the outer vertices on their ranks and returns it in memory of this executor.
    template <class Value>
    struct outer_values {
        explicit outer_values(single_rank_graph const&) {}
        template <class Make>
        Value const* fetch(Make const&) {
            return nullptr;
        }
    };

    /// bidirectional_scan() over vertices with global indices; neighbours and ends of paths are global indices.
    template <class Value, class Ids, class Neighbor, class Initial, class Combine>
    scan_result<Value, I> scan(std::int64_t vertices, Ids ids, Neighbor neighbor, Initial initial,
                               Combine combine) const {
        auto result = bidirectional_scan<Value, I>(exec_, vertices, local_neighbor<Ids, Neighbor>{ids, neighbor},
                                                   initial, combine);
        if constexpr (!std::is_same_v<Ids, ids_type>)
            for_each(exec_, vertices, globalise_ends<Value, I, Ids>{result.entries.data(), ids});
        return result;
    }

    /// First position of each path that has vertices on this rank, from `starts`[v] for the paths that begin at vertex
    /// v of this rank.
    template <class Neighbor>
    struct path_starts {
        path_starts(single_rank_graph const&, Neighbor const&, I const* starts, I const*) : of{starts} {}
        start_of_path<I> of;
    };
    /// Sends each vertex to the rank that owns its position in the new order.
    void complete_permutation(I const*, I*, std::int64_t) const {}

private:
    Executor const& exec_;
};

} // namespace coppice::inline v0_1::graph_detail
