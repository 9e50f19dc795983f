// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/graph_page.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "apps/output.hpp"
#include "apps/report/collect.hpp"
#include "apps/report/components.hpp"
#include "apps/report/svg.hpp"
#include "apps/version.hpp"

namespace coppice::app::report {
namespace {

constexpr std::size_t max_table_rows = 1000; // rows of a table

/// One bar per integer if there are few, else bins of equal width. Non-finite values are omitted.
bar_chart chart_values(std::string const& axis, std::vector<double> const& values) {
    constexpr int max_bars = 40, bins = 24;
    bar_chart chart{"Values", axis, {}};
    std::vector<double> finite;
    std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double x) { return std::isfinite(x); });
    if (finite.empty()) return chart;
    auto const [min_value, max_value] = std::minmax_element(finite.begin(), finite.end());
    bool const whole = std::all_of(finite.begin(), finite.end(), [](double x) { return x == std::floor(x); });
    double const first = *min_value, width = whole && *max_value - first < max_bars ? 1 : (*max_value - first) / bins;
    std::vector<std::int64_t> counts(width == 1 ? std::size_t(*max_value - first) + 1 : std::size_t(bins), 0);
    for (double const x : finite)
        ++counts[width > 0 ? std::min(counts.size() - 1, std::size_t((x - first) / width)) : 0];
    if (width == 0) counts.resize(1);
    for (std::size_t k = 0; k < counts.size(); ++k)
        chart.bars.emplace_back(fmt::format("{:.3g}", first + double(k) * width), counts[k]);
    return chart;
}

/// Returns the largest values; among equal values, smaller numbers are first.
ranking rank(std::string const& title, std::string const& item, std::string const& figure,
             std::vector<std::pair<std::int64_t, double>> rows, std::size_t max_rows = max_table_rows) {
    auto const before = [](auto const& a, auto const& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    };
    auto const count = std::min(rows.size(), max_rows);
    std::partial_sort(rows.begin(), rows.begin() + std::ptrdiff_t(count), rows.end(), before);
    rows.resize(count);
    return {title, item, figure, std::move(rows)};
}

void show_values(graph_answer::values const& values, std::string const& meaning, graph_page& page) {
    page.found = chart_values(meaning, values);
    page.top = largest_values(values, max_table_rows);
    double min_value = INFINITY, max_value = -INFINITY;
    for (std::size_t v = 0; v < values.size(); ++v) {
        if (!std::isfinite(values[v])) continue;
        min_value = std::min(min_value, values[v]);
        max_value = std::max(max_value, values[v]);
    }
    if (page.drawing.positions.empty()) return;
    for (std::size_t v = 0; v < values.size(); ++v) {
        page.drawing.fills.push_back(
            shade(max_value > min_value ? (values[v] - min_value) / (max_value - min_value) : values[v] - min_value));
        page.drawing.words.push_back(fmt::format("{}: {:.6g}", page.drawing.vertices.name(std::int64_t(v)), values[v]));
    }
}
/// Labels are vertices of the component.
void show_components(graph_answer::vertex_numbers const& labels, graph_page& page) {
    std::vector<std::int64_t> size(labels.size(), 0), sizes, component(labels.size(), 0);
    for (auto const label : labels) ++size[std::size_t(label)];
    std::vector<std::pair<std::int64_t, double>> rows;
    for (std::size_t v = 0; v < size.size(); ++v) {
        if (size[v] == 0) continue;
        component[v] = std::int64_t(sizes.size());
        sizes.push_back(size[v]);
        rows.emplace_back(std::int64_t(v), double(size[v]));
    }
    page.found = chart_sizes("Components by size", "vertices of a component", sizes);
    page.top = rank("The largest components", "component of vertex", "vertices", std::move(rows));
    if (page.drawing.positions.empty()) return;
    for (std::size_t v = 0; v < labels.size(); ++v) {
        page.drawing.fills.push_back(component_colour(component[std::size_t(labels[v])]));
        page.drawing.words.push_back(fmt::format("{}: component of {}", page.drawing.vertices.name(std::int64_t(v)),
                                                 page.drawing.vertices.name(labels[v])));
    }
}
void show_mates(graph_answer::vertex_numbers const& mates, graph_page& page) {
    std::int64_t alone = 0;
    for (std::size_t v = 0; v < mates.size(); ++v) {
        alone += mates[v] < 0;
        if (mates[v] > std::int64_t(v)) page.drawing.taken.emplace_back(std::int32_t(v), std::int32_t(mates[v]));
    }
    page.found = {"Vertices", "", {{"matched", std::int64_t(mates.size()) - alone}, {"alone", alone}}};
}
void show_edges(answer_edges const& edges, graph_page& page) {
    page.found = chart_values("value of an edge", edges.weights);
    for (std::size_t e = 0; e < edges.from.size(); ++e)
        page.drawing.taken.push_back(std::minmax(edges.from[e], edges.to[e]));
}

std::string draw(bar_chart const& chart) {
    if (chart.bars.empty()) return {};
    constexpr double left = 70, right = 1000, top = 26, bottom = 200;
    double max_value = 1;
    for (auto const& [name, count] : chart.bars) max_value = std::max(max_value, double(count));
    double const each = (right - left) / double(chart.bars.size()), broad = std::min(each - 2, 70.0);
    auto const up = [&](double count) { return coordinate(bottom - (bottom - top) * count / max_value); };
    std::string svg;
    for (double const tick : round_ticks(max_value, 4))
        svg += fmt::format("<line class=grid x1={0} x2={1} y1={2} y2={2} />"
                           "<text class=tick x={3} y={2} dy=4 text-anchor=end>{4}</text>",
                           left, right, up(tick), left - 10, show_count(std::int64_t(tick)));
    label_row values, names;
    for (std::size_t k = 0; k < chart.bars.size(); ++k) {
        auto const& [name, count] = chart.bars[k];
        double const middle = left + (double(k) + 0.5) * each;
        svg += fmt::format("<rect class=bar x={} y={} width={} height={}><title>{}: {}</title></rect>",
                           coordinate(middle - broad / 2), up(double(count)), coordinate(broad),
                           coordinate((bottom - top) * double(count) / max_value), name, show_count(count));
        if (values.fits(middle, show_count(count)))
            svg += fmt::format("<text class=value x={} y={} dy=-5 text-anchor=middle>{}</text>", coordinate(middle),
                               up(double(count)), show_count(count));
        if (names.fits(middle, name))
            svg += fmt::format("<text class=tick x={} y={} text-anchor=middle>{}</text>", coordinate(middle),
                               bottom + 20, name);
    }
    svg += fmt::format("<line class=axis x1={0} x2={1} y1={2} y2={2} />"
                       "<text class='tick faint' x={1} y={3} text-anchor=end>{4}</text>",
                       left, right, bottom, bottom + 40, escaped(chart.axis));
    return fmt::format("<h3>{0}</h3><div class=scroll><svg class=chart viewBox='0 0 1040 246' role=img "
                       "aria-label='{0}'>{1}</svg></div>",
                       escaped(chart.title), svg);
}

std::string show_vertex(vertex_numbering const& vertices, std::int64_t v) {
    return vertices.names.empty() ? show_count(v + vertices.base) : escaped(vertices.name(v));
}

std::string table(ranking const& top, vertex_numbering const& vertices) {
    if (top.rows.empty()) return {};
    std::string html = fmt::format("<h3>{}</h3><div class='scroll long'><table class=sortable><thead><tr><th "
                                   "class=number>rank<th class=number>{}<th class=number>{}</tr></thead><tbody>",
                                   top.title, top.item, top.figure);
    for (std::size_t k = 0; k < top.rows.size(); ++k) {
        auto const [v, value] = top.rows[k];
        html += fmt::format("<tr><td class=number>{}<td class=number data-value='{}'>{}<td class=number "
                            "data-value={}>{:.6g}</tr>",
                            k + 1, escaped(vertices.name(v)), show_vertex(vertices, v), value, value);
    }
    return html + "</tbody></table></div>";
}
std::string section(std::string const& id, std::string const& title, std::string const& content) {
    if (content.empty()) return {};
    return fmt::format("<section id={}><h2>{}</h2>{}</section>", id, title, content);
}

} // namespace

bar_chart chart_sizes(std::string const& title, std::string const& axis, std::vector<std::int64_t> const& sizes) {
    bar_chart chart{title, axis, {}};
    std::vector<std::int64_t> bins;
    for (auto const size : sizes) {
        auto const bin = size == 0 ? std::size_t(0) : std::size_t(1 + std::bit_width(std::uint64_t(size - 1)));
        if (bins.size() <= bin) bins.resize(bin + 1, 0);
        ++bins[bin];
    }
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
        auto const last = bin == 0 ? 0 : std::int64_t(1) << (bin - 1), first = bin < 2 ? last : last / 2 + 1;
        if (bin == 0 && bins[0] == 0) continue;
        chart.bars.emplace_back(first == last ? std::to_string(last) : fmt::format("{}–{}", first, last), bins[bin]);
    }
    return chart;
}

ranking largest_values(std::vector<double> const& values, std::size_t max_rows) {
    std::vector<std::pair<std::int64_t, double>> rows;
    for (std::size_t v = 0; v < values.size(); ++v)
        if (std::isfinite(values[v])) rows.emplace_back(std::int64_t(v), values[v]);
    return rank("The largest values", "vertex", "value", std::move(rows), max_rows);
}

namespace {

/// Numbers of entries of the rows that are not on the diagonal.
template <class T>
std::vector<std::int64_t> degrees_of(csr_view<T> a) {
    std::vector<std::int64_t> degrees(static_cast<std::size_t>(a.rows()), 0);
    for (std::int64_t row = 0; row < a.rows(); ++row)
        for (auto k = a.row_begin(row); k < a.row_end(row); ++k) degrees[std::size_t(row)] += a.indices[k] != row;
    return degrees;
}

} // namespace

template <class T>
bar_chart chart_degrees(csr_view<T> a) {
    return chart_sizes("Vertices by degree", "degree of a vertex", degrees_of(a));
}

template <class T>
void show_matrix(csr_view<T> a, graph_page& page) {
    page.size = show_size(a.rows(), a.columns(), a.nonzeros());
    page.degrees =
        chart_sizes("Rows by number of entries", "entries of a row that are not on the diagonal", degrees_of(a));
    pattern whole, closeup;
    draw_pattern(a, whole, closeup);
    page.more.push_back({"pattern", "Sparsity pattern",
                         pattern_figures(whole, "The whole matrix") +
                             pattern_figures(closeup, fmt::format("{} rows in its middle", closeup.before.span))});
    if (a.rows() == a.columns()) page.drawing = draw_graph(a);
}

template bar_chart chart_degrees(csr_view<float>);
template bar_chart chart_degrees(csr_view<double>);
template void show_matrix(csr_view<float>, graph_page&);
template void show_matrix(csr_view<double>, graph_page&);

void show_answer(graph_answer const& answer, graph_algorithm_row const& row, graph_page& page) {
    if (auto const* edges = std::get_if<answer_edges>(&answer.found)) return show_edges(*edges, page);
    if (auto const* values = std::get_if<graph_answer::values>(&answer.found))
        return show_values(*values, std::string(row.output), page);
    // No vertex is its own mate, and every component contains the vertex that labels it.
    auto const& numbers = std::get<graph_answer::vertex_numbers>(answer.found);
    if (answer.columns > 1) {
        std::vector<double> counts(numbers.size() / std::size_t(answer.columns), 0);
        for (auto const v : numbers)
            if (v >= 0) ++counts[std::size_t(v)];
        return show_values(counts, "number of steps at every vertex", page);
    }
    bool are_labels = false;
    for (std::size_t v = 0; v < numbers.size(); ++v) are_labels = are_labels || numbers[v] == std::int64_t(v);
    if (are_labels)
        show_components(numbers, page);
    else
        show_mates(numbers, page);
}

void show_environment(any_executor const& chosen, graph_page& page) {
    page.environment = describe_build();
    page.environment.insert(page.environment.begin(), {"backend", describe_executor(chosen)});
}

std::string render(graph_page const& page) {
    std::string figures = "<dl class=figures>";
    for (auto const& [name, value] : page.facts)
        figures += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(value));
    std::string html = fmt::format(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width, "
        "initial-scale=1'><title>coppice {0} · {1}</title><style>{2}</style></head><body><main><header><p "
        "class=overline>coppice {0}</p><h1>{1}</h1><p class=size>{3}</p><p class=conclusion>{4}.</p>{5}</dl></header>",
        page.command, escaped(page.graph), style_sheet, escaped(page.size), escaped(page.summary), figures);
    html += section("graph", "The graph", draw(page.degrees));
    html += section("found", "Results", draw(page.found) + table(page.top, page.drawing.vertices));
    for (auto const& [id, title, content] : page.more) html += section(id, title, content);
    html += section("drawing", "Drawing", graph_picture(page.drawing));
    html += "<section id=settings><h2>Settings and environment</h2><div class=columns>" +
            entries_table("Settings", page.settings) + entries_table("Environment", page.environment) +
            "</div></section>";
    return html +
           fmt::format("<footer>Written by coppice {}.</footer></main>{}</body></html>\n", version, table_script);
}

} // namespace coppice::app::report
