// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h: graph algorithms.
#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/validate.hpp>
#include <coppice/graph/catalogue/catalogue.hpp>
#include <coppice/graph/catalogue/options.hpp>
#include <coppice/solvers/c/c_handles.hpp>

namespace coppice::inline v0_1::c_interface {
namespace {

constexpr option_row symmetrise_row{
    .name = "symmetrise", .standard = "0", .meaning = "1: adds the other direction of every edge", .max = 1};

/// The options of an algorithm, and of how its graph is made.
std::vector<option_row> all_option_rows(graph_algorithm_row const& row) {
    auto rows = option_rows(row);
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
        if (row.reads(name) && v >= a.rows())
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
    auto const rows = all_option_rows(row);
    chosen_options const chosen("graph algorithm \"" + named.name + "\"", rows, named.options);
    analytics_options const options = read_graph_options(row, chosen);
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
        if (what == row.name) return describe_options(all_option_rows(row));
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
