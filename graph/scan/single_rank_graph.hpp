// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Where the vertices of a graph lie: here all of them with one executor.
///
/// Factors and forests are written over rows that may be some of those of a graph. What these need to know of other
/// rows, and what is summed up over all, is asked of a `Place`: this one, for which there are no others, or
/// part_of_graph (solvers/distributed/graphs/rank_graph.hpp). A vertex has a number among the rows of its place and,
/// behind these, outer vertices, which are ends of edges that lead to other places; and a name, its number in the whole
/// graph.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/parallel.hpp>
#include <coppice/graph/scan/bidirectional_scan.hpp>
#include <coppice/graph/scan/edge_order.hpp>

namespace coppice::graph_detail {

/// Vertices that are called by their number.
template <class I>
struct same_names {
    COPPICE_HD I operator()(std::int64_t v) const { return static_cast<I>(v); }
    COPPICE_HD I own(I name) const { return name; }   ///< number of a vertex of this place; -1 where it is another's
    COPPICE_HD I place(I name) const { return name; } ///< the same, or that of an outer vertex; -1 where it is neither
};

/// Neighbours by their numbers from neighbours by their names; none where one is of another place.
template <class Names, class Neighbor>
struct own_neighbor {
    Names names;
    Neighbor neighbor;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto operator()(std::int64_t v, int d) const {
        auto const w = neighbor(v, d);
        return w < 0 ? w : names.own(w);
    }
};

/// Ends of paths by their names.
template <class Value, class I, class Names>
struct name_ends {
    scan_entry<Value, I>* entries;
    Names names;
    COPPICE_HD void operator()(std::int64_t v) const {
        for (I& link : entries[v].link)
            if (is_path_end(link)) link = path_end(names(path_end_vertex(link)));
    }
};

/// Where the path begins whose smaller end has that name.
template <class I>
struct start_of_path {
    I const* starts;
    COPPICE_HD I operator()(I name) const { return starts[name]; }
};

template <executor Executor, class I>
class whole_graph {
public:
    static constexpr bool in_parts = false;
    using names_type = same_names<I>;

    explicit whole_graph(Executor const& exec) : exec_(exec) {}
    Executor const& exec() const { return exec_; }
    names_type names() const { return {}; }
    std::int64_t outer() const { return 0; } ///< number of outer vertices
    /// The order of edges between vertices that are given by number.
    edge_order<I> order(edge_order<I> const& of_names) const { return of_names; }

    /// `mine` of all places, combined in their order.
    template <class Value, class Combine>
    Value join(Value const& mine, Combine const&) const {
        return mine;
    }
    /// The sum of those of the places before this one.
    template <class Value>
    Value sum_before(Value const&) const {
        return Value(0);
    }

    /// make(v) of the outer vertices, done by their places, in memory of the executor.
    template <class Value>
    struct outer_values {
        explicit outer_values(whole_graph const&) {}
        template <class Make>
        Value const* fetch(Make const&) {
            return nullptr;
        }
    };

    /// bidirectional_scan() over vertices that have names, neighbours and ends of paths given by name.
    template <class Value, class Names, class Neighbor, class Initial, class Combine>
    scan_result<Value, I> scan(std::int64_t vertices, Names names, Neighbor neighbor, Initial initial,
                               Combine combine) const {
        auto result = bidirectional_scan<Value, I>(exec_, vertices, own_neighbor<Names, Neighbor>{names, neighbor},
                                                   initial, combine);
        if constexpr (!std::is_same_v<Names, names_type>)
            for_each(exec_, vertices, name_ends<Value, I, Names>{result.entries.data(), names});
        return result;
    }

    /// What tells the first place of each path that has vertices here, from `starts`[v] where the path begins here at
    /// v.
    template <class Neighbor>
    struct path_starts {
        path_starts(whole_graph const&, Neighbor const&, I const* starts, I const*) : of{starts} {}
        start_of_path<I> of;
    };
    /// Sends vertices to the places that have their positions in the new order.
    void complete_permutation(I const*, I*, std::int64_t) const {}

private:
    Executor const& exec_;
};

} // namespace coppice::graph_detail
