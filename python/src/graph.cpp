// SPDX-License-Identifier: BSD-3-Clause
// Graph algorithms by their names in the catalogue.
#include <algorithm>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <coppice/graph/catalogue/catalogue.hpp>
#include <coppice/graph/catalogue/checks.hpp>
#include <coppice/graph/catalogue/options.hpp>
#include <coppice/graph/centrality/all_pairs.hpp>
#include <coppice/graph/layout/layout.hpp>
#include <coppice/graph/search/sampling.hpp>
#include <coppice/graph/structure/both_directions.hpp>

#include "components.hpp"
#include "matrix.hpp"

namespace coppice::python {
namespace {

nb::dict to_dict(graph_algorithm_row const& row) {
    nb::dict d;
    d["name"] = row.name;
    d["summary"] = row.summary;
    d["output"] = row.output;
    d["undirected"] = row.undirected;
    d["simple"] = row.simple;
    d["weighted"] = row.weighted;
    d["options"] = nb::cast(row.options).attr("split")();
    static constexpr char const* rules[] = {"sum", "min", "max", "first", "last", "count", "keep", "refuse"};
    d["parallel"] = rules[static_cast<int>(row.parallel)]; // in the order of enum duplicates
    d["parallel_weighted"] = rules[static_cast<int>(row.parallel_weighted)];
    return d;
}

/// Converts options by the names that the rows of the catalogue use, and `undirected`.
analytics_options options_of(nb::dict const& given) {
    analytics_options o;
    for (auto const& [key, value] : given) {
        auto const name = nb::cast<std::string>(key);
        auto const options = graph_options();
        auto const known =
            std::find_if(options.begin(), options.end(), [&](auto const& x) { return x.row.name == name; });
        if (name == "undirected")
            o.undirected = nb::cast<bool>(value);
        else if (name == "counted")
            o.counted = nb::cast<bool>(value);
        else if (known != options.end())
            known->set(o, nb::cast<double>(value));
        else
            throw argument_error("the option \"" + name + "\" of a graph algorithm is not known to Python");
    }
    return o;
}

nb::object to_object(answer_edges edges) {
    return nb::make_tuple(to_python(std::move(edges.from)), to_python(std::move(edges.to)),
                          to_python(std::move(edges.weights)));
}
template <class T>
nb::object to_object(std::vector<T> values) {
    return to_python(std::move(values));
}

/// The graph with one value for both directions of every edge, if the algorithm reads the values and they differ; else
/// an empty one. The graph has sorted rows.
template <executor Executor>
csr<double> with_equal_directions(Executor const& exec, std::string_view name, csr_view<double> a) {
    for (graph_algorithm_row const& row : graph_algorithm_catalogue)
        if (row.name == name && row.undirected && row.weighted && !is_symmetric(exec, a))
            return both_directions(exec, a, row.parallel);
    return {};
}

/// Returns (result, facts, failure, values per vertex, what the check of the result found). The check runs if `check`.
nb::tuple run(std::string const& name, csr_matrix const& a, nb::dict const& given, bool check) {
    auto const options = options_of(given);
    require_type<double>(a.values, "data of the graph", "float64");
    graph_answer answer;
    std::string wrong;
    {
        unlocked const released;
        with_executor(a.values, [&](auto const& exec) {
            auto const equal = with_equal_directions(exec, name, a.view<double>());
            auto const graph = equal.rows() > 0 ? equal.view() : a.view<double>();
            answer = run_graph_algorithm(exec, name, graph, options);
            if (check && answer.failure.empty())
                wrong = check_graph_answer(name, host_graph_of(exec, graph), answer, options);
        });
    }
    nb::dict facts;
    for (auto const& [fact, value] : answer.facts) facts[nb::cast(fact)] = value;
    return nb::make_tuple(std::visit([](auto& found) { return to_object(std::move(found)); }, answer.found), facts,
                          answer.failure, answer.columns, wrong);
}

bool undirected(csr_matrix const& a) {
    unlocked const released;
    return with_executor(a.values, [&](auto const& exec) { return is_undirected(exec, graph_view(a.view<double>())); });
}

/// Runs make(executor, graph, vertices). Returns (vertices, from, to, positions of the edges, numbers of vertices and
/// of edges of every hop).
template <class Make>
nb::tuple make_local(csr_matrix const& a, std::vector<vertex_id> const& vertices, Make const& make) {
    std::vector<vertex_id> all, from, to;
    std::vector<std::int32_t> edges;
    std::vector<std::int64_t> vertices_of_hops, edges_of_hops;
    {
        unlocked const released;
        with_executor(a.values, [&](auto const& exec) {
            auto const list = exec.copy(vertices);
            auto const found = make(exec, graph_view(a.view<double>()), list.view());
            all = to_vector(exec, found.vertices);
            from = to_vector(exec, found.from);
            to = to_vector(exec, found.to);
            edges = to_vector(exec, found.edges);
            vertices_of_hops = found.vertices_of_hops;
            edges_of_hops = found.edges_of_hops;
        });
    }
    return nb::make_tuple(to_python(std::move(all)), to_python(std::move(from)), to_python(std::move(to)),
                          to_python(std::move(edges)), nb::cast(vertices_of_hops), nb::cast(edges_of_hops));
}

nb::object distances(csr_matrix const& a, std::vector<vertex_id> const& sources, bool weighted) {
    std::vector<double> found;
    {
        unlocked const released;
        with_executor(a.values, [&](auto const& exec) {
            found = to_vector(exec, distances_from(exec, a.view<double>(), sources, weighted));
        });
    }
    return to_python(std::move(found));
}

/// Positions x_0, y_0, x_1, ... of a matrix in host memory.
nb::object layout(csr_matrix const& a) {
    std::vector<double> found;
    {
        unlocked const released;
        for (auto const& [x, y] : graph_layout(current_executor(), graph_view(a.view<double>()))) {
            found.push_back(x);
            found.push_back(y);
        }
    }
    return to_python(std::move(found));
}

} // namespace

void add_graph(nb::module_& m) {
    m.def("run_graph_algorithm", run);
    m.def("checked_graph_algorithms", [] {
        nb::list names;
        for (auto const name : checked_graph_algorithms()) names.append(name);
        return names;
    });
    m.def("is_undirected", undirected);
    m.def("distances_from", distances);
    m.def("graph_layout", layout);
    m.def("sample_neighbors", [](csr_matrix const& a, std::vector<vertex_id> const& seeds,
                                 std::vector<std::int64_t> const& fanouts, bool replace, std::uint64_t seed) {
        return make_local(a, seeds, [&](auto const& exec, graph_view g, array_view<vertex_id const> list) {
            return sample_neighbors(exec, g, list, {fanouts, replace, seed});
        });
    });
    m.def("induced_subgraph", [](csr_matrix const& a, std::vector<vertex_id> const& vertices) {
        return make_local(a, vertices, [](auto const& exec, graph_view g, array_view<vertex_id const> list) {
            return induced_subgraph(exec, g, list);
        });
    });
    m.def("k_hop_subgraph", [](csr_matrix const& a, std::vector<vertex_id> const& seeds, int hops) {
        return make_local(a, seeds, [hops](auto const& exec, graph_view g, array_view<vertex_id const> list) {
            return k_hop_subgraph(exec, g, list, hops);
        });
    });
    m.def("graph_algorithm_catalogue", [] {
        nb::list rows;
        for (graph_algorithm_row const& row : graph_algorithm_catalogue) rows.append(to_dict(row));
        return rows;
    });
}

} // namespace coppice::python
