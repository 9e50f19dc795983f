// SPDX-License-Identifier: BSD-3-Clause
// Searches whose result depends on the order in which the edges of a vertex are read, as results of NetworkX do: one
// thread reads the rows from left to right. Sets, levels and lengths without an order are computed by the library.
#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "arrays.hpp"
#include "components.hpp"
#include "without_collector.hpp"

namespace coppice::python {
namespace {

using input_indices = nb::ndarray<std::int32_t const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using input_lengths = nb::ndarray<double const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using vertices = std::vector<std::int32_t>;

/// Rows of neighbours. Indices and offsets are those of a converted graph, which are valid.
struct stored_rows {
    std::int32_t const *offsets, *neighbors;
    std::int32_t size;

    stored_rows(input_indices const& indptr, input_indices const& indices)
        : offsets(indptr.data()), neighbors(indices.data()), size(std::int32_t(indptr.size()) - 1) {
        if (indptr.size() == 0 || offsets[0] != 0 || std::size_t(offsets[size]) != indices.size())
            throw argument_error("indptr does not span indices");
    }
};

void require_vertex(std::int32_t v, stored_rows const& rows) {
    if (v < 0 || v >= rows.size)
        throw argument_error("the vertex " + std::to_string(v) + " is none of the " + std::to_string(rows.size) +
                             " vertices of the graph");
}

nb::tuple arrays_of(vertices first, vertices second, vertices third) {
    return nb::make_tuple(to_python(std::move(first)), to_python(std::move(second)), to_python(std::move(third)));
}

/// Returns (vertices in the order in which a queue reaches them, parent of each vertex, level of each vertex). The
/// sources are their own parents; -1: not reached.
nb::tuple breadth_first(input_indices const& indptr, input_indices const& indices, input_indices const& sources) {
    stored_rows const rows(indptr, indices);
    vertices order, parent(std::size_t(rows.size), -1), level(std::size_t(rows.size), -1);
    {
        unlocked const released;
        auto const reach = [&](std::int32_t v, std::int32_t from, std::int32_t depth) {
            if (level[std::size_t(v)] >= 0) return;
            level[std::size_t(v)] = depth;
            parent[std::size_t(v)] = from;
            order.push_back(v);
        };
        for (std::size_t k = 0; k < sources.size(); ++k) {
            require_vertex(sources.data()[k], rows);
            reach(sources.data()[k], sources.data()[k], 0);
        }
        for (std::size_t next = 0; next < order.size(); ++next) {
            auto const v = order[next];
            for (auto e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
                reach(rows.neighbors[e], v, level[std::size_t(v)] + 1);
        }
    }
    return arrays_of(std::move(order), std::move(parent), std::move(level));
}

/// Depth-first search of all vertices, or of those that a vertex `start` >= 0 reaches. Returns (vertices in the order
/// of the search, parent of each vertex, vertices in the order in which the search leaves them). Roots are their own
/// parents; -1: not reached.
nb::tuple depth_first(input_indices const& indptr, input_indices const& indices, std::int32_t start) {
    stored_rows const rows(indptr, indices);
    if (start >= 0) require_vertex(start, rows);
    vertices order, left, stack, parent(std::size_t(rows.size), -1);
    {
        unlocked const released;
        vertices next(rows.offsets, rows.offsets + rows.size);
        auto const enter = [&](std::int32_t v, std::int32_t from) {
            if (parent[std::size_t(v)] >= 0) return;
            parent[std::size_t(v)] = from;
            order.push_back(v);
            stack.push_back(v);
        };
        auto const last_root = start >= 0 ? start + 1 : rows.size;
        for (auto root = start >= 0 ? start : 0; root < last_root; ++root) {
            enter(root, root);
            while (!stack.empty()) {
                auto const v = stack.back();
                if (auto& e = next[std::size_t(v)]; e < rows.offsets[v + 1]) {
                    enter(rows.neighbors[e++], v);
                } else {
                    left.push_back(v);
                    stack.pop_back();
                }
            }
        }
    }
    return arrays_of(std::move(order), std::move(parent), std::move(left));
}

/// Biconnected components of an undirected graph, from a depth-first search (Hopcroft and Tarjan 1973). Returns (for
/// every vertex the label of the component of the edge to its parent, -1 for roots; for every label the vertex whose
/// edge to its parent ends the component). Labels rise in the order in which the search ends with the components.
nb::tuple biconnected_labels(input_indices const& indptr, input_indices const& indices, input_indices const& order,
                             input_indices const& parents, input_indices const& left) {
    stored_rows const rows(indptr, indices);
    auto const n = std::size_t(rows.size);
    if (order.size() != n || parents.size() != n || left.size() != n)
        throw argument_error("order, parents and left are not those of a search of all vertices");
    auto const* const parent = parents.data();
    vertices turn(n), low(n), label(n, -1), tops;
    {
        unlocked const released;
        for (std::size_t k = 0; k < n; ++k) turn[std::size_t(order.data()[k])] = std::int32_t(k);
        // low(v): the first turn that an edge from the subtree of v reaches, without those to the parents
        for (std::size_t k = 0; k < n; ++k) {
            auto const v = left.data()[k];
            auto& lowest = low[std::size_t(v)];
            lowest = turn[std::size_t(v)];
            for (auto e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
                auto const u = rows.neighbors[e];
                bool const child = parent[u] == v && u != v;
                if (u != parent[v]) lowest = std::min(lowest, child ? low[std::size_t(u)] : turn[std::size_t(u)]);
            }
            if (parent[v] != v && lowest >= turn[std::size_t(parent[v])]) {
                label[std::size_t(v)] = std::int32_t(tops.size());
                tops.push_back(v);
            }
        }
        for (std::size_t k = 0; k < n; ++k) { // parents before their children
            auto const v = order.data()[k];
            if (parent[v] != v && label[std::size_t(v)] < 0) label[std::size_t(v)] = label[std::size_t(parent[v])];
        }
    }
    return nb::make_tuple(to_python(std::move(label)), to_python(std::move(tops)));
}

/// What the search of `depth_first_events` does with an edge. left: the search returns over a tree edge; cut: it
/// reaches a vertex at the largest depth, from which it does not go on.
enum class step : std::int8_t { entered, known, left, at_limit };

/// The steps of a depth-first search of all vertices, or of those that a vertex `start` >= 0 reaches, to a depth below
/// `limit`. Returns (vertex, other end, step as int8); a root is entered and left by an edge to itself.
nb::tuple depth_first_events(input_indices const& indptr, input_indices const& indices, std::int32_t start,
                             double limit) {
    stored_rows const rows(indptr, indices);
    if (start >= 0) require_vertex(start, rows);
    vertices from, to, stack;
    std::vector<std::int8_t> steps;
    {
        unlocked const released;
        vertices next(rows.offsets, rows.offsets + rows.size);
        std::vector<char> seen(std::size_t(rows.size), 0);
        auto const add = [&](std::int32_t u, std::int32_t v, step what) {
            from.push_back(u);
            to.push_back(v);
            steps.push_back(static_cast<std::int8_t>(what));
        };
        auto const enter = [&](std::int32_t v, std::int32_t parent) {
            add(parent, v, step::entered);
            seen[std::size_t(v)] = 1;
            if (stack.empty() || double(stack.size()) < limit)
                stack.push_back(v);
            else
                add(parent, v, step::at_limit);
        };
        auto const last_root = start >= 0 ? start + 1 : rows.size;
        for (auto root = start >= 0 ? start : 0; root < last_root; ++root) {
            if (seen[std::size_t(root)]) continue;
            enter(root, root);
            while (!stack.empty()) {
                auto const v = stack.back();
                auto& e = next[std::size_t(v)];
                if (e == rows.offsets[v + 1]) {
                    stack.pop_back();
                    add(stack.empty() ? v : stack.back(), v, step::left);
                } else if (auto const u = rows.neighbors[e++]; seen[std::size_t(u)]) {
                    add(v, u, step::known);
                } else {
                    enter(u, v);
                }
            }
        }
    }
    return nb::make_tuple(to_python(std::move(from)), to_python(std::move(to)), to_python(std::move(steps)));
}

/// Returns (start, end) of all edges that the vertices reach, in depth-first order: the search goes on from the end of
/// an edge also if it has been there. Both directions of an undirected edge are one edge.
nb::tuple depth_first_edges(input_indices const& indptr, input_indices const& indices, input_indices const& sources,
                            bool directed) {
    stored_rows const rows(indptr, indices);
    vertices from, to;
    {
        unlocked const released;
        vertices next(rows.offsets, rows.offsets + rows.size), stack;
        std::unordered_set<std::uint64_t> read;
        auto const is_new = [&](std::int32_t u, std::int32_t v) {
            return directed || read.insert(std::uint64_t(std::min(u, v)) << 32 | std::uint64_t(std::max(u, v))).second;
        };
        for (std::size_t k = 0; k < sources.size(); ++k) {
            require_vertex(sources.data()[k], rows);
            stack.push_back(sources.data()[k]);
            while (!stack.empty()) {
                auto const v = stack.back();
                auto& e = next[std::size_t(v)];
                if (e == rows.offsets[v + 1]) {
                    stack.pop_back();
                } else if (auto const u = rows.neighbors[e++]; is_new(v, u)) {
                    from.push_back(v);
                    to.push_back(u);
                    stack.push_back(u);
                }
            }
        }
    }
    return nb::make_tuple(to_python(std::move(from)), to_python(std::move(to)));
}

/// Returns the smallest colour that no neighbour has, vertex by vertex in an order that has each vertex once.
nb::object greedy_colors(input_indices const& indptr, input_indices const& indices, input_indices const& order) {
    stored_rows const rows(indptr, indices);
    vertices color(std::size_t(rows.size), -1), last(std::size_t(rows.size) + 1, -1); // last vertex next to a colour
    {
        unlocked const released;
        for (std::size_t k = 0; k < order.size(); ++k) {
            auto const v = order.data()[k];
            require_vertex(v, rows);
            for (auto e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
                if (auto const c = color[std::size_t(rows.neighbors[e])]; c >= 0) last[std::size_t(c)] = v;
            std::int32_t free = 0;
            while (last[std::size_t(free)] == v) ++free;
            color[std::size_t(v)] = free;
        }
    }
    return to_python(std::move(color));
}

/// Returns (vertices in the order in which Dijkstra's method with a binary heap ends with them, their parents or -1).
/// distances: the lengths of shortest paths from the sources, or infinity; lengths: of the stored edges. A vertex has
/// the first parent through which its length is reached; vertices of one length come in the order in which such a
/// parent reached them. Vertices beyond the limit are not reached.
nb::tuple shortest_path_order(input_indices const& indptr, input_indices const& indices, input_lengths const& lengths,
                              input_lengths const& distances, input_indices const& sources, double limit) {
    stored_rows const rows(indptr, indices);
    if (lengths.size() != indices.size() || distances.size() + 1 != indptr.size())
        throw argument_error("lengths or distances have not one element for each edge or vertex");
    vertices order, parent(std::size_t(rows.size), -1);
    {
        unlocked const released;
        auto const* const found = distances.data();
        using entry = std::tuple<double, std::int64_t, std::int32_t>;
        std::priority_queue<entry, std::vector<entry>, std::greater<>> fringe;
        std::int64_t turn = 0;
        auto const reach = [&](std::int32_t v, std::int32_t from) {
            parent[std::size_t(v)] = from;
            fringe.emplace(found[v], turn++, v);
        };
        for (std::size_t k = 0; k < sources.size(); ++k) {
            require_vertex(sources.data()[k], rows);
            if (parent[std::size_t(sources.data()[k])] < 0) reach(sources.data()[k], sources.data()[k]);
        }
        while (!fringe.empty()) {
            auto const v = std::get<2>(fringe.top());
            fringe.pop();
            order.push_back(v);
            for (auto e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
                auto const u = rows.neighbors[e];
                if (parent[std::size_t(u)] < 0 && found[u] <= limit && found[v] + lengths.data()[e] == found[u])
                    reach(u, v);
            }
        }
    }
    return nb::make_tuple(to_python(std::move(order)), to_python(std::move(parent)));
}

/// A list with one more element; `list` may be null.
nb::object extended(PyObject* list, PyObject* last) {
    Py_ssize_t const size = list ? PyList_Size(list) : 0;
    nb::object made = nb::steal(PyList_New(size + 1));
    if (!made.is_valid()) throw nb::python_error();
    for (Py_ssize_t k = 0; k < size; ++k) PyList_SetItem(made.ptr(), k, Py_NewRef(PyList_GetItem(list, k)));
    PyList_SetItem(made.ptr(), size, Py_NewRef(last));
    return made;
}

/// Returns the dict from nodes to the lists of the nodes of their paths. order: positions of nodes, parents before
/// their children; roots are their own parents.
nb::dict paths(nb::list const& nodes, input_indices const& order, input_indices const& parent) {
    if (parent.size() != nodes.size()) throw argument_error("parent has not one element for each node");
    without_collector const scope;
    std::vector<nb::object> of(nodes.size());
    nb::dict found;
    for (std::size_t k = 0; k < order.size(); ++k) {
        auto const v = std::size_t(order.data()[k]);
        nb::object const node = nodes[v];
        of[v] = extended(of[std::size_t(parent.data()[v])].ptr(), node.ptr()); // null: a root
        if (PyDict_SetItem(found.ptr(), node.ptr(), of[v].ptr()) < 0) throw nb::python_error();
    }
    return found;
}

} // namespace

void add_ordered_searches(nb::module_& m) {
    m.def("breadth_first", breadth_first);
    m.def("depth_first", depth_first);
    m.def("biconnected_labels", biconnected_labels);
    m.def("depth_first_events", depth_first_events);
    m.def("depth_first_edges", depth_first_edges);
    m.def("greedy_colors", greedy_colors);
    m.def("shortest_path_order", shortest_path_order);
    m.def("paths", paths);
}

} // namespace coppice::python
