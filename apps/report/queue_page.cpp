// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/queue_page.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/output.hpp"
#include "apps/report/components.hpp"
#include "apps/report/svg.hpp"
#include "apps/version.hpp"

namespace coppice::app::report {
namespace {

constexpr double width = 1040, left = 70, right = 1000, top = 14;

/// Frame with ticks on both axes, each from 0 to its maximum.
class frame {
public:
    frame(double first_x, double last_x, double last_y, double bottom)
        : x0_(first_x), x1_(std::max(last_x, first_x + 1)), y1_(last_y > 0 ? last_y : 1), bottom_(bottom) {}

    double across(double x) const { return left + (right - left) * (x - x0_) / (x1_ - x0_); }
    double up(double y) const { return bottom_ - (bottom_ - top) * std::clamp(y / y1_, 0.0, 1.0); }
    double bottom() const { return bottom_; }

    std::string draw(std::string const& x_name) const {
        std::string svg;
        for (double const y : round_ticks(y1_, 4))
            svg += fmt::format("<line class=grid x1={0} x2={1} y1={2} y2={2} />"
                               "<text class=tick x={3} y={2} dy=4 text-anchor=end>{4:.3g}</text>",
                               left, right, coordinate(up(y)), left - 10, y);
        for (double const x : round_ticks(x1_, 10))
            if (x >= x0_)
                svg += fmt::format("<text class=tick x={} y={} text-anchor=middle>{:.6g}</text>", coordinate(across(x)),
                                   bottom_ + 20, x);
        return svg + fmt::format("<line class=axis x1={0} x2={1} y1={2} y2={2} />"
                                 "<text class='tick faint' x={1} y={3} text-anchor=end>{4}</text>",
                                 left, right, bottom_, bottom_ + 40, x_name);
    }

private:
    double x0_, x1_, y1_, bottom_;
};

std::string wrap(std::string const& label, double height, std::string const& svg) {
    return fmt::format("<div class=scroll><svg class=chart viewBox='0 0 {} {}' role=img aria-label='{}'>{}</svg></div>",
                       width, height, label, svg);
}

/// Draws a quantity over the number of servers, with a marker at `chosen`.
template <class Figure>
std::string curve(std::vector<queue_figures> const& all, std::string const& label, Figure const& figure,
                  std::int64_t chosen, double limit) {
    double max_value = limit;
    for (auto const& q : all) max_value = std::max(max_value, figure(q));
    frame const f(0, double(all.back().servers), max_value * 1.04, 200);
    std::string path, markers;
    for (auto const& q : all) {
        auto const x = coordinate(f.across(double(q.servers))), y = coordinate(f.up(figure(q)));
        path += fmt::format("{}{} {}", path.empty() ? "M" : "L", x, y);
        if (q.servers == chosen)
            markers = fmt::format("<circle class='end chosen' cx={0} cy={1} r=5><title>{2} servers: {3:.4g}</title>"
                                  "</circle><text class=value x={0} y={1} dy=-10 text-anchor=middle>{3:.3g}</text>",
                                  x, y, q.servers, figure(q));
    }
    return fmt::format("<h3>{}</h3>", label) +
           wrap(label, 246, f.draw("servers") + fmt::format("<path class='curve chosen' d='{}' />", path) + markers);
}

/// Histogram of probabilities, from the first to the last visible one.
std::string histogram(std::vector<double> const& p, std::int64_t begin, std::string const& label,
                      std::string const& x_name) {
    double max_value = 0;
    for (double const v : p) max_value = std::max(max_value, v);
    auto const seen = [&](double v) { return v >= max_value * 1e-3; };
    auto const first = std::find_if(p.begin(), p.end(), seen) - p.begin();
    auto const last = p.rend() - std::find_if(p.rbegin(), p.rend(), seen);
    frame const f(double(begin + first) - 0.5, double(begin + last) - 0.5, max_value * 1.04, 200);
    double const each = f.across(1) - f.across(0), gap = each > 4 ? 1 : 0;
    std::string svg = f.draw(x_name);
    for (auto i = first; i < last; ++i) {
        double const v = p[std::size_t(i)];
        svg += fmt::format("<rect class=bar x={} y={} width={} height={}><title>{}: {:.3g}</title></rect>",
                           coordinate(f.across(double(begin + i)) - each / 2 + gap / 2), coordinate(f.up(v)),
                           coordinate(each - gap), coordinate(f.bottom() - f.up(v)), begin + i, v);
    }
    return fmt::format("<h3>{}</h3>", label) + wrap(label, 246, svg);
}

std::string key_figures(queue_page const& data) {
    std::string html = "<dl class=figures>";
    auto const add = [&](char const* name, std::string const& value) {
        html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
    };
    auto const& q = data.chosen;
    add("load of open servers", percent(q.load()));
    add("open servers", fmt::format("{:.3g}", q.open));
    add("a task waits", percent(q.waits));
    add("a task is rejected", fmt::format("{:.2g}", q.lost));
    add("cost per unit of time", fmt::format("{:.4g}", q.cost));
    return html + "</dl>";
}

std::string servers_table(std::vector<queue_figures> const& all, std::int64_t chosen) {
    std::string html = "<div class=scroll><table><thead><tr><th class=number>servers<th class=number>open"
                       "<th class=number>load<th class=number>a task waits<th class=number>rejected"
                       "<th class=number>waiting tasks<th class=number>cost</tr></thead><tbody>";
    for (auto const& q : all)
        html += fmt::format("<tr class={}><td class=number>{}<td class=number>{:.4g}<td class=number>{}<td "
                            "class=number>{}<td class=number>{:.2e}<td class=number>{:.4g}<td class=number>{:.5g}</tr>",
                            q.servers == chosen ? "chosen" : "other", q.servers, q.open, escaped(percent(q.load())),
                            escaped(percent(q.waits)), q.lost, q.waiting, q.cost);
    return html + "</tbody></table></div>";
}

std::string servers_section(queue_page const& data) {
    auto const best = cheapest(data.by_servers).servers;
    return "<section id=servers><h2>Number of servers</h2><p>The same arrivals and rates with fewer servers; the "
           "marker shows the minimum cost.</p>" +
           curve(
               data.by_servers, "Load of the open servers", [](auto const& q) { return q.load(); }, best, 1) +
           curve(
               data.by_servers, "Probability that a task waits", [](auto const& q) { return q.waits; }, best, 0) +
           curve(
               data.by_servers, "Cost per unit of time", [](auto const& q) { return q.cost; }, best, 0) +
           servers_table(data.by_servers, best) + "</section>";
}

} // namespace

queue_figures const& cheapest(std::vector<queue_figures> const& all) {
    return *std::min_element(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.cost < b.cost; });
}

std::string render(queue_page const& data) {
    std::string html = "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
                       "<meta name=viewport content='width=device-width, initial-scale=1'>";
    html += fmt::format("<title>coppice queue · {0}</title><style>{1}</style></head><body><main><header>"
                        "<p class=overline>coppice queue</p><h1>{0}</h1><p class=size>{2}</p>"
                        "<p class=conclusion>For the most likely number of tasks <b>{3}</b> should be open; "
                        "the cost is minimal for <b>{4}</b>.</p>{5}</header>",
                        escaped(data.title), style_sheet, escaped(data.size), counted(data.in_advance, "server"),
                        counted(cheapest(data.by_servers).servers, "server"), key_figures(data));
    html += servers_section(data);
    html +=
        "<section id=distribution><h2>Stationary distribution</h2><p>Stationary probabilities with the given number "
        "of servers; probabilities below 1/1000 of the largest are not shown.</p>" +
        histogram(data.open_servers, 1, "Open servers", "open servers") +
        histogram(data.tasks, 0, "Tasks in the system", "tasks") + "</section>";
    html += "<section id=settings><h2>Settings and environment</h2><div class=columns>" +
            entries_table("Settings", data.settings) + entries_table("Environment", data.environment) +
            "</div></section>";
    return html + fmt::format("<footer>Written by coppice {}.</footer></main></body></html>\n", version);
}

} // namespace coppice::app::report
