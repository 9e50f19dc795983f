// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/output.hpp"
#include "apps/report/components.hpp"
#include "apps/report/svg.hpp"
#include "apps/version.hpp"

namespace coppice::app::report {
namespace {

std::string scientific_or_dash(double value) { return std::isnan(value) ? "–" : show_scientific(value); }

run const& chosen_of(page const& data) {
    return *std::find_if(data.runs.begin(), data.runs.end(), [](run const& r) { return r.chosen; });
}

// "Jacobi needs 333." for every other converged run, best first.
std::string comparison(page const& data) {
    std::vector<run const*> others;
    for (auto const& r : data.runs)
        if (!r.chosen && !r.residuals.empty()) others.push_back(&r);
    std::stable_sort(others.begin(), others.end(), [](run const* a, run const* b) {
        return std::pair(!a->converged, a->iterations) < std::pair(!b->converged, b->iterations);
    });
    std::string text;
    for (auto const* r : others) {
        text += text.empty() ? " To compare: " : ", ";
        text += r->converged ? fmt::format("{} {}", escaped(r->preconditioner), r->iterations)
                             : fmt::format("{} not in {}", escaped(r->preconditioner), r->iterations);
    }
    return text.empty() ? text : text + ".";
}

std::string conclusion(page const& data) {
    auto const& r = chosen_of(data);
    auto const with = r.preconditioner == "none"
                          ? std::string("without a preconditioner")
                          : fmt::format("with the <b>{}</b> preconditioner", escaped(r.preconditioner));
    auto const how = r.converged ? fmt::format("<b class=good>reached</b> a relative residual of {} in <b>{} "
                                               "iterations</b>.",
                                               show_scientific(r.relative_residual), r.iterations)
                                 : fmt::format("<b class=bad>did not converge</b> ({}): relative residual {} after {} "
                                               "iterations.",
                                               escaped(r.ending), show_scientific(r.relative_residual), r.iterations);
    return fmt::format("<p class=conclusion>{} {} {}{}</p>", escaped(data.solver), with, how, comparison(data));
}

std::string key_figures(run const& r) {
    std::string html = "<dl class=figures>";
    auto const add = [&](char const* name, std::string const& value) {
        html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
    };
    add("iterations", std::to_string(r.iterations));
    add("relative residual", show_scientific(r.relative_residual));
    add("forward relative error", scientific_or_dash(r.forward_error));
    add("set-up", show_seconds(r.setup_seconds));
    add("solve", show_seconds(r.solve_seconds));
    return html + "</dl>";
}

std::string runs_table(std::vector<run> const& runs) {
    std::string html =
        "<div class=scroll><table class=sortable><thead><tr><th>preconditioner<th>ended<th class=number>iterations"
        "<th class=number>relative residual<th class=number>forward error<th class=number>set-up"
        "<th class=number>solve<th class=number>per iteration</tr></thead><tbody>";
    for (auto const& r : runs) {
        html += fmt::format("<tr class={}><td><span class='swatch {}'></span>{}<td>{}", r.chosen ? "chosen" : "other",
                            style_class(r), escaped(r.preconditioner), escaped(r.ending));
        if (r.residuals.empty()) {
            html += "<td class=number>–<td class=number>–<td class=number>–<td class=number>–<td class=number>–<td "
                    "class=number>–</tr>";
            continue;
        }
        auto const each = r.iterations > 0 ? show_seconds(r.solve_seconds / static_cast<double>(r.iterations)) : "–";
        for (auto const& value :
             {std::to_string(r.iterations), show_scientific(r.relative_residual), scientific_or_dash(r.forward_error),
              show_seconds(r.setup_seconds), show_seconds(r.solve_seconds), std::string(each)})
            html += "<td class=number>" + value;
        html += "</tr>";
    }
    return html + "</tbody></table></div>";
}

std::string coverage_table(std::vector<coverage> const& coverages) {
    std::string html = "<div class=scroll><table><thead><tr><th>coverage<th>fraction of the weight<th class=number><th>"
                       "</tr></thead><tbody>";
    for (auto const& c : coverages)
        html += fmt::format("<tr><td>{}<td class=faint>{}<td class=number>{}<td><span class=meter><i "
                            "style='width:{:.1f}%'></i></span></tr>",
                            escaped(c.name), escaped(c.meaning), escaped(percent(c.value)),
                            std::isnan(c.value) ? 0 : 100 * std::clamp(c.value, 0.0, 1.0));
    return html + "</tbody></table></div>";
}

std::string convergence_section(page const& data) {
    return "<section id=convergence><h2>Convergence</h2><p>Norm of the residual b − Ax relative to that of b, after "
           "each iteration; the last value of every run is recomputed from x. All runs start from the same x.</p>" +
           convergence_chart(data.runs, data.tolerance) + runs_table(data.runs) + "</section>";
}

std::string pattern_section(page const& data) {
    return "<section id=pattern><h2>Sparsity pattern</h2>" + forest_patterns(data.whole, data.closeup) + "</section>";
}

std::string forest_section(forest_summary const& f) {
    return "<section id=forest><h2>Linear forest</h2>" + forest_figures(f) + "</section>";
}

std::string levels_section(level_summary const& s) {
    if (s.levels.empty()) return {};
    std::string html = fmt::format(
        "<section id=levels><h2>Levels</h2><p>{} Grid complexity {:.2f}, operator complexity {:.2f}{}.</p>"
        "<div class=scroll><table><thead><tr><th class=number>level<th class=number>rows<th class=number>nonzeros"
        "<th class=number>a row<th class=number>strong couplings on the forest<th>prolongator</tr></thead><tbody>",
        escaped(s.ending), s.grid_complexity, s.operator_complexity,
        std::isnan(s.convergence_factor)
            ? ""
            : fmt::format("; a single cycle multiplies the error by <b>{:.2f}</b>", s.convergence_factor));
    for (std::size_t k = 0; k < s.levels.size(); ++k) {
        auto const& level = s.levels[k];
        bool const last = k + 1 == s.levels.size();
        html += fmt::format("<tr><td class=number>{}<td class=number>{}<td class=number>{}<td class=number>{:.1f}"
                            "<td class=number>{}<td>{}</tr>",
                            k + 1, show_count(level.rows), show_count(level.nonzeros),
                            level.rows > 0 ? double(level.nonzeros) / double(level.rows) : 0.0,
                            last ? "–" : escaped(percent(level.coverage)),
                            last             ? "–"
                            : level.smoothed ? "smoothed"
                                             : "constant on aggregates");
    }
    html += "</tbody></table></div>" + entries_table("Set-up", s.seconds);
    if (auto const picture = aggregate_picture(s.aggregates); !picture.empty())
        html += "<h3>Aggregates of the first level</h3><p>Every cell is an unknown; those within a line are one "
                "unknown of the next level. Cells without aggregate are white.</p>" +
                picture;
    return html + "</section>";
}

} // namespace

std::string forest_patterns(pattern const& whole, pattern const& closeup) {
    return "<p><span class=key></span> entries on edges of the linear forest, <span class='key other'></span> all "
           "others; darker if more entries fall into a box. The forest order puts the vertices of a path next to each "
           "other, so that its edges are on the sub- and superdiagonal.</p>" +
           pattern_figures(whole, "The whole matrix") +
           pattern_figures(closeup, fmt::format("{} rows in its middle", closeup.before.span));
}

std::string forest_figures(forest_summary const& f) {
    return fmt::format("<p>{} over {}; the longest has {}. {} broken at the weakest edge.</p>{}<h3>Path lengths</h3>{}",
                       counted(f.paths, "path"), counted(f.vertices, "row"), counted(f.longest, "row"),
                       counted(f.cycles_broken, "cycle"), coverage_table(f.coverages), path_histogram(f));
}

std::string entries_table(std::string const& title, entries const& rows) {
    if (rows.empty()) return {};
    std::string html = fmt::format("<section><h3>{}</h3><table><tbody>", title);
    for (auto const& [name, value] : rows) html += fmt::format("<tr><td>{}<td>{}</tr>", escaped(name), escaped(value));
    return html + "</tbody></table></section>";
}

std::string render(page const& data) {
    auto const& chosen = chosen_of(data);
    std::string html = "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
                       "<meta name=viewport content='width=device-width, initial-scale=1'>";
    html += fmt::format("<title>coppice solve · {}</title><style>{}</style></head><body><main>", escaped(data.matrix),
                        style_sheet);
    html += fmt::format("<header><p class=overline>coppice solve</p><h1>{}</h1><p class=size>{}</p>{}{}</header>",
                        escaped(data.matrix), escaped(data.size), conclusion(data), key_figures(chosen));
    html +=
        convergence_section(data) + pattern_section(data) + forest_section(data.forest) + levels_section(data.levels);
    html += "<section id=settings><h2>Settings and environment</h2><div class=columns>" +
            entries_table("Settings", data.settings) + entries_table("Environment", data.environment) +
            "</div></section>";
    return html +
           fmt::format("<footer>Written by coppice {}.</footer></main>{}</body></html>\n", version, table_script);
}

} // namespace coppice::app::report
