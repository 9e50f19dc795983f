// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adaptor for Boost.Graph: runs its algorithms on csr_view and converts its graphs to matrices. Needs the headers of
/// Boost; no other header of Coppice includes this one.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>

#include <coppice/core/executor.hpp>
#include <coppice/graph/frontier/graph_view.hpp>

namespace coppice::inline v0_1 {

/// Stored edge: its end points and its index in the matrix.
struct boost_edge {
    vertex_id from = 0, index = 0, to = 0;
    bool operator==(boost_edge const& b) const { return index == b.index && from == b.from; }
    bool operator!=(boost_edge const& b) const { return !(*this == b); }
    bool operator<(boost_edge const& b) const { return index < b.index; }
};

/// Iterates over the stored edges, row after row.
class boost_edge_iterator
    : public boost::iterator_facade<boost_edge_iterator, boost_edge, boost::forward_traversal_tag, boost_edge> {
public:
    boost_edge_iterator() = default;
    boost_edge_iterator(std::int32_t const* offsets, vertex_id const* neighbors, vertex_id rows, vertex_id from,
                        vertex_id index)
        : offsets_(offsets), neighbors_(neighbors), rows_(rows), from_(from), index_(index) {
        skip_ended_rows();
    }

private:
    friend class boost::iterator_core_access;
    boost_edge dereference() const { return {from_, index_, neighbors_[index_]}; }
    bool equal(boost_edge_iterator const& b) const { return index_ == b.index_; }
    void increment() {
        ++index_;
        skip_ended_rows();
    }
    void skip_ended_rows() {
        while (from_ < rows_ && index_ == offsets_[from_ + 1] && index_ < offsets_[rows_]) ++from_;
    }

    std::int32_t const* offsets_ = nullptr;
    vertex_id const* neighbors_ = nullptr;
    vertex_id rows_ = 0, from_ = 0, index_ = 0;
};

/// Property map: index of a stored edge.
struct boost_edge_index {
    using value_type = vertex_id;
    using reference = vertex_id;
    using key_type = boost_edge;
    using category = boost::readable_property_map_tag;
};
inline vertex_id get(boost_edge_index, boost_edge const& e) { return e.index; }

/// Property map: value of a stored edge.
template <class T>
struct boost_edge_value {
    using value_type = T;
    using reference = T;
    using key_type = boost_edge;
    using category = boost::readable_property_map_tag;
    T const* values = nullptr;
};
template <class T>
T get(boost_edge_value<T> const& map, boost_edge const& e) {
    return map.values[e.index];
}

} // namespace coppice::inline v0_1

namespace boost {

/// A square matrix in host memory as a directed graph: row u holds the edges that leave vertex u. Models
/// IncidenceGraph, AdjacencyGraph, VertexListGraph and EdgeListGraph, with vertex_index, edge_index and edge_weight
/// (the stored values).
template <class T>
struct graph_traits<coppice::csr_view<T>> {
    using vertex_descriptor = coppice::vertex_id;
    using edge_descriptor = coppice::boost_edge;
    using directed_category = directed_tag;
    using edge_parallel_category = allow_parallel_edge_tag;
    struct traversal_category : incidence_graph_tag, adjacency_graph_tag, vertex_list_graph_tag, edge_list_graph_tag {};
    using vertex_iterator = counting_iterator<coppice::vertex_id>;
    using adjacency_iterator = coppice::vertex_id const*;
    using out_edge_iterator = coppice::boost_edge_iterator;
    using edge_iterator = coppice::boost_edge_iterator;
    using in_edge_iterator = void;
    using vertices_size_type = std::size_t;
    using edges_size_type = std::size_t;
    using degree_size_type = std::size_t;
    static vertex_descriptor null_vertex() { return -1; }
};
template <class T>
struct graph_traits<coppice::csr_view<T> const> : graph_traits<coppice::csr_view<T>> {};
template <class T>
struct property_map<coppice::csr_view<T>, vertex_index_t> {
    using type = typed_identity_property_map<coppice::vertex_id>;
    using const_type = type;
};
template <class T>
struct property_map<coppice::csr_view<T>, edge_index_t> {
    using type = coppice::boost_edge_index;
    using const_type = type;
};
template <class T>
struct property_map<coppice::csr_view<T>, edge_weight_t> {
    using type = coppice::boost_edge_value<T>;
    using const_type = type;
};

} // namespace boost

namespace coppice::inline v0_1 {

template <class T>
using boost_traits = boost::graph_traits<csr_view<T>>;

template <class T>
auto vertices(csr_view<T> const& g) {
    using iterator = typename boost_traits<T>::vertex_iterator;
    return std::pair{iterator(0), iterator(g.rows())};
}
template <class T>
std::size_t num_vertices(csr_view<T> const& g) {
    return std::size_t(g.rows());
}
template <class T>
std::size_t num_edges(csr_view<T> const& g) {
    return std::size_t(g.nonzeros());
}
template <class T>
std::size_t out_degree(vertex_id u, csr_view<T> const& g) {
    return std::size_t(g.row_end(u) - g.row_begin(u));
}
template <class T>
auto adjacent_vertices(vertex_id u, csr_view<T> const& g) {
    return std::pair{g.indices + g.row_begin(u), g.indices + g.row_end(u)};
}
template <class T>
auto out_edges(vertex_id u, csr_view<T> const& g) {
    // The iterator stays in this row, because it is constructed with u as the last row.
    auto const at = [&](vertex_id index) { return boost_edge_iterator(g.offsets, g.indices, u, u, index); };
    return std::pair{at(g.row_begin(u)), at(g.row_end(u))};
}
template <class T>
auto edges(csr_view<T> const& g) {
    auto const at = [&](vertex_id index) { return boost_edge_iterator(g.offsets, g.indices, g.rows(), 0, index); };
    return std::pair{at(0), at(g.nonzeros())};
}
template <class T>
vertex_id source(boost_edge const& e, csr_view<T> const&) {
    return e.from;
}
template <class T>
vertex_id target(boost_edge const& e, csr_view<T> const&) {
    return e.to;
}

template <class T>
boost::typed_identity_property_map<vertex_id> get(boost::vertex_index_t, csr_view<T> const&) {
    return {};
}
template <class T>
boost_edge_index get(boost::edge_index_t, csr_view<T> const&) {
    return {};
}
template <class T>
boost_edge_value<T> get(boost::edge_weight_t, csr_view<T> const& g) {
    return {g.coefficients};
}
template <class T>
T get(boost::edge_weight_t, csr_view<T> const& g, boost_edge const& e) {
    return g.coefficients[e.index];
}
template <class T>
vertex_id get(boost::vertex_index_t, csr_view<T> const&, vertex_id v) {
    return v;
}

/// Matrix of a Boost graph in host memory, with sorted rows: a_uv = get(weight, e) for an edge e from u to v. Edges of
/// undirected graphs are stored in both directions; parallel edges are stored separately. `Graph` models
/// VertexListGraph and EdgeListGraph with a vertex_index. Throws dimension_error for more vertices or edges than 32-bit
/// indices allow.
template <class T, class Graph, class Weight>
csr<T> csr_of_boost(host_executor const& exec, Graph const& g, Weight const& weight) {
    auto const index = get(boost::vertex_index, g);
    bool const undirected = boost::is_undirected(g);
    checked_cast<vertex_id>(2 * std::int64_t(num_edges(g)), "number of edges");
    auto const n = checked_cast<vertex_id>(std::int64_t(num_vertices(g)), "number of vertices");
    struct entry {
        vertex_id from, to;
        T value;
    };
    std::vector<entry> entries;
    for (auto [at, end] = edges(g); at != end; ++at) {
        auto const u = vertex_id(get(index, source(*at, g))), v = vertex_id(get(index, target(*at, g)));
        entries.push_back({u, v, T(get(weight, *at))});
        if (undirected && u != v) entries.push_back({v, u, T(get(weight, *at))});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](entry const& a, entry const& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    buffer<std::int32_t> offsets(exec, std::int64_t(n) + 1), indices(exec, std::int64_t(entries.size()));
    buffer<T> values(exec, std::int64_t(entries.size()));
    std::size_t k = 0;
    for (vertex_id u = 0; u <= n; ++u) {
        offsets.data()[u] = vertex_id(k);
        for (; u < n && k < entries.size() && entries[k].from == u; ++k) {
            indices.data()[k] = entries[k].to;
            values.data()[k] = entries[k].value;
        }
    }
    return {n, n, std::move(offsets), std::move(indices), std::move(values)};
}

} // namespace coppice::inline v0_1
