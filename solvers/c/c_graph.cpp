// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h: graph algorithms.
#include <limits>

#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/validate.hpp>
#include <coppice/graph/catalogue/catalogue.hpp>
#include <coppice/solvers/c/c_handles.hpp>

namespace coppice::inline v0_1::c_interface {
namespace {

constexpr double max_int = std::numeric_limits<int>::max();

/// An option of graph algorithms: its row, and where its value goes.
struct graph_option {
    option_row row;
    void (*set)(analytics_options&, chosen_options const&);
};
using set_from = chosen_options const&;
constexpr graph_option graph_options[] = {
    {{.name = "source", .standard = "0", .meaning = "vertex, counted from 0", .max = max_int},
     [](analytics_options& o, set_from c) { o.source = vertex_id(c.integer("source")); }},
    {{.name = "delta",
      .kind = option_kind::real,
      .standard = "0",
      .meaning = "width of a bucket of distances; 0: chosen"},
     [](analytics_options& o, set_from c) { o.delta = c.real("delta"); }},
    {{.name = "damping",
      .kind = option_kind::real,
      .standard = "0.85",
      .meaning = "fraction of a rank that follows edges",
      .max = 1},
     [](analytics_options& o, set_from c) { o.damping = c.real("damping"); }},
    {{.name = "tolerance",
      .kind = option_kind::real,
      .standard = "1e-6",
      .meaning = "stops if the sum of the changes is smaller"},
     [](analytics_options& o, set_from c) { o.tolerance = c.real("tolerance"); }},
    {{.name = "max-iterations", .standard = "200", .meaning = "maximum number of iterations", .max = max_int},
     [](analytics_options& o, set_from c) { o.max_iterations = int(c.integer("max-iterations")); }},
    {{.name = "samples", .standard = "0", .meaning = "number of sources; 0: all vertices", .max = max_int},
     [](analytics_options& o, set_from c) { o.samples = c.integer("samples"); }},
    {{.name = "alpha",
      .kind = option_kind::real,
      .standard = "0",
      .meaning = "weight of an edge; 0: chosen such that the sum converges"},
     [](analytics_options& o, set_from c) { o.alpha = c.real("alpha"); }},
    {{.name = "resolution",
      .kind = option_kind::real,
      .standard = "1",
      .meaning = "larger values give smaller communities"},
     [](analytics_options& o, set_from c) { o.resolution = c.real("resolution"); }},
    {{.name = "capacity", .standard = "2", .meaning = "maximum number of edges per vertex", .min = 1, .max = max_int},
     [](analytics_options& o, set_from c) { o.capacity = int(c.integer("capacity")); }},
    {{.name = "by-value",
      .standard = "0",
      .meaning = "1: maximises the sum of the values; 0: that of their magnitudes",
      .max = 1},
     [](analytics_options& o, set_from c) { o.by_value = c.integer("by-value") == 1; }},
    {{.name = "weighted",
      .standard = "0",
      .meaning = "1: the values are weights or lengths; 0: every edge has 1",
      .max = 1},
     [](analytics_options& o, set_from c) { o.weighted = c.integer("weighted") == 1; }},
    {{.name = "sink", .standard = "-1", .meaning = "vertex, counted from 0; -1: the last", .min = -1, .max = max_int},
     [](analytics_options& o, set_from c) { o.sink = c.integer("sink"); }},
    {{.name = "hops",
      .standard = "0",
      .meaning = "maximum number of edges from the source; 0: no limit",
      .max = max_int},
     [](analytics_options& o, set_from c) { o.hops = int(c.integer("hops")); }},
    {{.name = "length", .standard = "10", .meaning = "number of steps of a walk", .min = 1, .max = max_int - 1},
     [](analytics_options& o, set_from c) { o.length = int(c.integer("length")); }},
    {{.name = "return-bias",
      .kind = option_kind::real,
      .standard = "1",
      .meaning = "p of node2vec: a step back has its weight divided by this"},
     [](analytics_options& o, set_from c) { o.return_bias = c.real("return-bias"); }},
    {{.name = "outward-bias",
      .kind = option_kind::real,
      .standard = "1",
      .meaning = "q of node2vec: a step away from the previous vertex, divided by this"},
     [](analytics_options& o, set_from c) { o.outward_bias = c.real("outward-bias"); }},
    {{.name = "seed", .standard = "1", .meaning = "seed of the random numbers", .max = max_int},
     [](analytics_options& o, set_from c) { o.seed = c.integer("seed"); }}};
constexpr option_row symmetrise_row{
    .name = "symmetrise", .standard = "0", .meaning = "1: adds the other direction of every edge", .max = 1};

bool reads(graph_algorithm_row const& row, std::string_view option) { return row.reads(option); }

std::vector<option_row> option_rows(graph_algorithm_row const& row) {
    std::vector<option_row> rows;
    for (graph_option const& option : graph_options)
        if (reads(row, option.row.name)) rows.push_back(option.row);
    rows.push_back(symmetrise_row);
    return rows;
}

graph_algorithm_row const& row_of(std::string_view name) {
    for (graph_algorithm_row const& row : graph_algorithm_catalogue)
        if (row.name == name) return row;
    coppice::detail::throw_unknown_name("graph algorithm", name, analytics::algorithm_entries::names);
}

/// Whether the algorithm needs sorted rows without parallel edges: to compare rows, or because the values of parallel
/// edges would have to be combined.
bool needs_simple(graph_algorithm_row const& row, bool symmetrise) {
    return row.simple || symmetrise || row.parallel != duplicates::first;
}

/// The graph with sorted rows; empty if they are sorted. Throws matrix_error for parallel edges.
template <class Executor, class T>
csr<T> sorted_if_needed(Executor const& exec, held_matrix& m, csr_view<T> a) {
    if (!m.simple) m.simple = has_sorted_columns(exec, a);
    if (m.simple) return {};
    auto sorted = sort_columns(exec, a);
    validate(exec, sorted.view(), {.duplicates = false});
    return sorted;
}

/// The graph as the algorithm needs it: both directions of every edge, with one value.
template <class Executor, class T>
csr<T> both_directions_if_needed(Executor const& exec, graph_algorithm_row const& row, csr_view<T> a, bool symmetrise) {
    bool const one_value = !row.undirected || !row.weighted || is_symmetric(exec, a);
    if (symmetrise || (!one_value && is_undirected(exec, graph_view(a)))) return both_directions(exec, a, row.parallel);
    return {};
}

template <class Executor, class T>
graph_answer run_on(Executor const& exec, graph_algorithm_row const& row, held_matrix& m, csr_view<T> a,
                    analytics_options options, bool symmetrise) {
    require_square(a, std::string(row.name).c_str());
    for (auto const& [name, v] : {std::pair{"source", std::int64_t(options.source)}, {"sink", options.sink}})
        if (reads(row, name) && v >= a.rows())
            refuse(name, std::to_string(v) + ", expected a vertex below " + std::to_string(a.rows()));
    auto const sorted = needs_simple(row, symmetrise) ? sorted_if_needed(exec, m, a) : csr<T>();
    if (sorted.rows() > 0) a = sorted.view();
    auto const both = both_directions_if_needed(exec, row, a, symmetrise);
    auto const used = both.rows() > 0 ? both.view() : a;
    options.undirected = is_undirected(exec, graph_view(used));
    if (row.undirected && !options.undirected)
        throw argument_error(std::string(row.name) + " needs an undirected graph, but some edges are stored in one " +
                             "direction only; the option symmetrise=1 adds the other");
    return run_graph_algorithm(exec, row.name, used, options);
}

void add_found(held_result& to, graph_answer::values& values) { to.add("values", std::move(values)); }
void add_found(held_result& to, graph_answer::vertex_numbers& vertices) { to.add("vertices", std::move(vertices)); }
void add_found(held_result& to, answer_edges& edges) {
    to.add("from", std::move(edges.from));
    to.add("to", std::move(edges.to));
    to.add("weights", std::move(edges.weights));
}

std::shared_ptr<held_result> run_graph(held_matrix& m, char const* algorithm) {
    require_pointer("algorithm", algorithm);
    auto const named = parse_choice(algorithm);
    auto const& row = row_of(named.name);
    auto const rows = option_rows(row);
    chosen_options const chosen("graph algorithm \"" + named.name + "\"", rows, named.options);
    analytics_options options;
    for (graph_option const& option : graph_options)
        if (reads(row, option.row.name)) option.set(options, chosen);
    bool const symmetrise = chosen.integer("symmetrise") == 1;
    auto result = std::make_shared<held_result>();
    with_real_matrix("coppice_graph", m, [&]<class T>(auto const& exec, csr_view<T> a) {
        auto answer = run_on(exec, row, m, a, options, symmetrise);
        result->numbers.assign(answer.facts.begin(), answer.facts.end());
        if (answer.columns > 1) result->numbers.emplace_back("columns", double(answer.columns));
        result->numbers.emplace_back("valid", answer.failure.empty() ? 1 : 0);
        if (answer.failure.empty()) std::visit([&](auto& found) { add_found(*result, found); }, answer.found);
        result->texts = {{"failure", std::move(answer.failure)}};
    });
    return result;
}

} // namespace

std::string describe_graphs(std::string_view what) {
    std::string text;
    for (graph_algorithm_row const& row : graph_algorithm_catalogue) {
        if (what == "graph algorithms") text.append(row.name).append(": ").append(row.summary).append("\n");
        if (what == row.name) return describe_options(option_rows(row));
    }
    return text;
}

} // namespace coppice::inline v0_1::c_interface

using namespace coppice::c_interface;

coppice_status_t coppice_graph(coppice_matrix_t matrix, char const* algorithm, coppice_result_t* result) {
    return guarded("coppice_graph", [&] {
        require_pointer("result", result);
        give_handle(result, run_graph(*find_handle<held_matrix>("matrix", matrix), algorithm));
    });
}
