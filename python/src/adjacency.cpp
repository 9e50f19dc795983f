// SPDX-License-Identifier: BSD-3-Clause
// Reads the dicts of a NetworkX graph: a dict from node to a dict from neighbour to a dict of attributes.
#include <algorithm>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "components.hpp"
#include "without_collector.hpp"

namespace coppice::python {
namespace {

/// Thrown if an object has no plain dicts; the caller then reads it by its methods.
struct not_plain {};

PyObject* plain_dict(PyObject* object) {
    if (!PyDict_CheckExact(object)) throw not_plain{};
    return object;
}

/// Calls use(key, value) for all items of a dict; the references are borrowed.
template <class Use>
void for_items(PyObject* dict, Use const& use) {
    nb::ft_object_guard const guard(dict);
    Py_ssize_t position = 0;
    PyObject *key = nullptr, *value = nullptr;
    while (PyDict_Next(dict, &position, &key, &value)) use(key, value);
}

/// Calls use(node, row) for all nodes; row: the dict of its neighbours.
template <class Use>
void for_rows(nb::dict const& adjacency, Use const& use) {
    for_items(plain_dict(adjacency.ptr()), [&](PyObject* node, PyObject* row) { use(node, plain_dict(row)); });
}

/// The positions of nodes in their order.
class node_positions {
public:
    explicit node_positions(std::vector<PyObject*> const& nodes) {
        if (index_integers(nodes)) return;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            nb::object const position = nb::steal(PyLong_FromSsize_t(Py_ssize_t(k)));
            if (PyDict_SetItem(positions_.ptr(), nodes[k], position.ptr()) < 0) throw nb::python_error();
        }
    }
    /// Throws KeyError for an object that is no node.
    std::int32_t operator[](PyObject* node) const {
        if (!table_.empty() && PyLong_CheckExact(node)) {
            int beyond = 0;
            long long const number = PyLong_AsLongLongAndOverflow(node, &beyond) - first_;
            if (beyond == 0 && number >= 0 && number < (long long)table_.size() && table_[std::size_t(number)] >= 0)
                return table_[std::size_t(number)];
        }
        PyObject* const found = PyDict_GetItemWithError(positions_.ptr(), node);
        if (found) return std::int32_t(PyLong_AsLong(found));
        if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, node);
        throw nb::python_error();
    }

private:
    /// A table instead of a dict, if all nodes are integers of a range that is at most four times as large.
    bool index_integers(std::vector<PyObject*> const& nodes) {
        std::vector<long long> numbers;
        numbers.reserve(nodes.size());
        for (auto* const node : nodes) {
            int beyond = 0;
            if (!PyLong_CheckExact(node)) return false;
            numbers.push_back(PyLong_AsLongLongAndOverflow(node, &beyond));
            if (beyond != 0) return false;
        }
        if (numbers.empty()) return false;
        auto const [low, high] = std::minmax_element(numbers.begin(), numbers.end());
        constexpr long long limit = std::numeric_limits<long long>::max() / 4;
        if (*low < -limit || *high > limit || *high - *low >= 4 * (long long)numbers.size() + 64) return false;
        first_ = *low;
        table_.assign(std::size_t(*high - *low + 1), -1);
        for (std::size_t k = 0; k < numbers.size(); ++k) table_[std::size_t(numbers[k] - first_)] = std::int32_t(k);
        return true;
    }

    long long first_ = 0;
    std::vector<std::int32_t> table_{};
    nb::dict positions_{};
};

/// Returns (indptr, indices) of the rows in the order of the dict, or None if the dicts are of other classes.
nb::object adjacency_arrays(nb::dict const& adjacency) {
    try {
        std::vector<PyObject*> nodes, rows;
        std::vector<std::int32_t> offsets{0}, neighbors;
        Py_ssize_t edges = 0;
        for_rows(adjacency, [&](PyObject* node, PyObject* row) {
            nodes.push_back(node);
            rows.push_back(row);
            edges += PyDict_Size(row);
            if (edges > std::numeric_limits<std::int32_t>::max())
                throw overflow_error("the graph has more than 2^31 - 1 edges");
            offsets.push_back(std::int32_t(edges));
        });
        node_positions const position(nodes);
        neighbors.reserve(std::size_t(edges));
        for (auto* const row : rows)
            for_items(row, [&](PyObject* neighbor, PyObject*) { neighbors.push_back(position[neighbor]); });
        if (Py_ssize_t(neighbors.size()) != edges) throw argument_error("the graph was changed while it was read");
        return nb::make_tuple(to_python(std::move(offsets)), to_python(std::move(neighbors)));
    } catch (not_plain const&) {
        return nb::none();
    }
}

/// Numbers and their types.
class attribute_values {
public:
    void add(PyObject* value) {
        double x = 0;
        if (PyFloat_CheckExact(value)) {
            floats = true;
            x = PyFloat_AsDouble(value);
        } else if (PyLong_CheckExact(value) || PyBool_Check(value)) {
            integers = true;
            x = PyLong_AsDouble(value);
            if (x == -1 && PyErr_Occurred()) {
                PyErr_Clear();
                others = true;
            }
            constexpr double exact = 9007199254740992.0; // 2^53: float64 represents all integers up to this one
            rounded = rounded || PyBool_Check(value) || x >= exact || x <= -exact;
        } else {
            others = true;
        }
        numbers.push_back(x);
    }
    /// Whether the objects do not follow from the numbers and the flags.
    bool need_objects() const { return others || rounded || (integers && floats); }

    std::vector<double> numbers{};
    bool integers = false, floats = false, others = false, rounded = false;
};

/// Returns (list of the attribute of every edge in the order of the rows, or None if they are all int or all float and
/// the array has them exactly; the same as float64; whether some are int or bool, float, of other types or beyond
/// float64, whether an edge has the attribute), or None as above.
nb::object edge_values(nb::dict const& adjacency, nb::object const& attribute, nb::object const& standard) {
    try {
        attribute_values found;
        bool present = false;
        auto const for_values = [&](auto const& use) {
            for_rows(adjacency, [&](PyObject*, PyObject* row) {
                for_items(row, [&](PyObject*, PyObject* data) {
                    PyObject* const value = PyDict_GetItemWithError(plain_dict(data), attribute.ptr());
                    if (!value && PyErr_Occurred()) throw nb::python_error();
                    present = present || value;
                    use(value ? value : standard.ptr());
                });
            });
        };
        for_values([&](PyObject* value) { found.add(value); });
        nb::object objects = nb::none();
        if (found.need_objects()) {
            nb::list list;
            for_values([&](PyObject* value) { list.append(nb::borrow(value)); });
            objects = list;
        }
        return nb::make_tuple(objects, to_python(std::move(found.numbers)), found.integers, found.floats, found.others,
                              present);
    } catch (not_plain const&) {
        return nb::none();
    }
}

/// Calls is(node, row) until it is true. Returns whether it was, or None as above.
template <class Is>
nb::object any_row(nb::dict const& adjacency, Is const& is) {
    try {
        bool found = false;
        for_rows(adjacency, [&](PyObject* node, PyObject* row) { found = found || is(node, row); });
        return nb::bool_(found);
    } catch (not_plain const&) {
        return nb::none();
    }
}

/// The dict of a node in a dict of dicts.
PyObject* row_of(nb::dict const& rows, PyObject* node) {
    PyObject* const row = PyDict_GetItemWithError(rows.ptr(), node);
    if (row) return row;
    if (PyErr_Occurred()) throw nb::python_error();
    throw nb::key_error("an end of an edge is not among the nodes");
}

void set_item(PyObject* dict, PyObject* key, PyObject* value) {
    if (PyDict_SetItem(dict, key, value) < 0) throw nb::python_error();
}

/// Makes what a graph of NetworkX stores: (dict from node to the dict from neighbor to a copy of the data of the edge,
/// the same for incoming edges). Undirected graphs have one dict, in which both directions of an edge share their data.
/// data: a list of dicts, one for each edge, or None.
nb::tuple adjacency_of_edges(nb::list const& nodes, nb::list const& starts, nb::list const& ends,
                             nb::object const& data, bool directed) {
    without_collector const scope;
    nb::dict out, in;
    for (nb::handle const node : nodes) {
        set_item(out.ptr(), node.ptr(), nb::dict().ptr());
        if (directed) set_item(in.ptr(), node.ptr(), nb::dict().ptr());
    }
    if (!directed) in = out;
    if (starts.size() != ends.size() || (!data.is_none() && nb::len(data) != starts.size()))
        throw argument_error("starts, ends and data have different lengths");
    for (std::size_t k = 0; k < starts.size(); ++k) {
        nb::object const u = starts[k], v = ends[k];
        nb::object const own =
            data.is_none() ? nb::object(nb::dict()) : nb::steal(PyDict_Copy(nb::object(data[k]).ptr()));
        if (!own.is_valid()) throw nb::python_error();
        set_item(row_of(out, u.ptr()), v.ptr(), own.ptr());
        set_item(row_of(in, v.ptr()), u.ptr(), own.ptr());
    }
    return nb::make_tuple(out, in);
}

bool has_key(PyObject* dict, PyObject* key) {
    int const found = PyDict_Contains(dict, key);
    if (found < 0) throw nb::python_error();
    return found == 1;
}

} // namespace

void add_adjacency(nb::module_& m) {
    m.def("adjacency_arrays", adjacency_arrays);
    m.def("edge_values", edge_values);
    m.def("adjacency_of_edges", adjacency_of_edges, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def("adjacency_has_loops", [](nb::dict const& adjacency) {
        return any_row(adjacency, [](auto* node, auto* row) { return has_key(row, node); });
    });
    m.def("adjacency_has_attribute", [](nb::dict const& adjacency, nb::object const& attribute) {
        return any_row(adjacency, [&](auto*, auto* row) {
            bool found = false;
            for_items(row,
                      [&](PyObject*, PyObject* data) { found = found || has_key(plain_dict(data), attribute.ptr()); });
            return found;
        });
    });
    m.def("adjacency_size", [](nb::dict const& adjacency) {
        Py_ssize_t edges = 0;
        auto const done = any_row(adjacency, [&](auto*, auto* row) {
            edges += PyDict_Size(row);
            return false;
        });
        return done.is_none() ? nb::object(nb::none()) : nb::object(nb::int_(edges));
    });
}

} // namespace coppice::python
