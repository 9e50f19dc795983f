// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/bench_page.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "apps/report/components.hpp"
#include "apps/report/svg.hpp"
#include "apps/version.hpp"

namespace coppice::app::report {
namespace {

constexpr double width = 1040, left = 64, right = 690, top = 16, bottom = 352;
constexpr double label_height = 18;

// Every method has a colour; those of the library are solid and broad, those of other libraries dashed.
char const* const curves = R"css(
.sweep path { fill: none; stroke: var(--run); stroke-width: 1.8; stroke-dasharray: 6 4; }
.sweep .ours path { stroke-width: 2.6; stroke-dasharray: none; }
.sweep circle { fill: var(--paper); stroke: var(--run); stroke-width: 1.8; } .sweep .ours circle { fill: var(--run); }
.bars .peer { fill: var(--k2); } .sweep .lead { stroke: var(--line); stroke-width: 1; }
.sweep .name { font-size: 13px; fill: var(--run); }
)css";

double rate(measured const& m) { return m.seconds > 0 ? m.rows / m.seconds * 1e-6 : 0; }
bool ours(std::string const& method) { return method.rfind("coppice", 0) == 0; }

/// Formats with three digits.
std::string show_rate(double value) {
    return value >= 100  ? fmt::format("{:.0f}", value)
           : value >= 10 ? fmt::format("{:.1f}", value)
                         : fmt::format("{:.2f}", value);
}
/// Formats powers of two as 2²⁰; other or small numbers in decimal.
std::string show_abscissa(double at) {
    double const power = std::log2(at);
    if (at < 128 || power != std::floor(power)) return coordinate(at);
    return "2" + power_of_ten(int(power)).substr(2);
}

/// Returns the distinct values of a member in order of first appearance.
template <class Value>
std::vector<Value> different(std::vector<measured> const& figures, Value measured::*member) {
    std::vector<Value> values;
    for (auto const& f : figures)
        if (std::find(values.begin(), values.end(), f.*member) == values.end()) values.push_back(f.*member);
    return values;
}
template <class Value>
std::vector<measured> those_with(std::vector<measured> const& figures, Value measured::*member, Value const& value) {
    std::vector<measured> some;
    std::copy_if(figures.begin(), figures.end(), std::back_inserter(some),
                 [&](measured const& f) { return f.*member == value; });
    return some;
}

/// Logarithmic axes.
struct sweep_axes {
    double first, last, lowest, highest; // exponents: base 2 on the horizontal axis, base 10 on the vertical axis

    explicit sweep_axes(std::vector<measured> const& figures) : first(1e9), last(-1e9), lowest(1e9), highest(-1e9) {
        for (auto const& f : figures) {
            first = std::min(first, std::log2(f.at));
            last = std::max(last, std::log2(f.at));
            if (rate(f) <= 0) continue;
            lowest = std::min(lowest, std::floor(std::log10(rate(f))));
            highest = std::max(highest, std::ceil(std::log10(rate(f))));
        }
        if (highest <= lowest) highest = lowest + 1;
    }
    double across(double at) const {
        return left + 24 + (right - left - 48) * (std::log2(at) - first) / (last - first);
    }
    double up(double value) const {
        return bottom - (bottom - top) * (std::log10(value) - lowest) / (highest - lowest);
    }
};

std::string sweep_frame(sweep_axes const& axes, std::vector<measured> const& figures) {
    std::string svg;
    for (int e = int(axes.lowest); e <= int(axes.highest); ++e)
        for (int const digit : {1, 2, 5}) {
            if (digit > 1 && (bottom - top) / (axes.highest - axes.lowest) < 75) break; // labels would overlap
            double const value = digit * std::pow(10, e);
            if (value > std::pow(10, axes.highest) * 1.001) break;
            std::string const y = coordinate(axes.up(value));
            svg += fmt::format("<line class=grid x1={} x2={} y1={y} y2={y} /><text class=tick x={} y={y} dy=4 "
                               "text-anchor=end>{}</text>",
                               left, right, left - 8, coordinate(value), fmt::arg("y", y));
        }
    label_row abscissas;
    for (double const at : different(figures, &measured::at))
        if (!abscissas.fits(axes.across(at), show_abscissa(at)))
            continue;
        else
            svg += fmt::format("<text class=tick x={} y={} text-anchor=middle>{}</text>", coordinate(axes.across(at)),
                               bottom + 20, show_abscissa(at));
    return svg + fmt::format("<text class='tick faint' x={} y={} text-anchor=middle>{}</text>", (left + right) / 2,
                             bottom + 42, escaped(figures.front().axis));
}

/// Returns heights of labels that do not overlap and are as close to `targets` as possible.
std::vector<double> separated_heights(std::vector<double> const& targets) {
    std::vector<std::size_t> order(targets.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return targets[a] < targets[b]; });
    std::vector<double> heights(targets.size());
    double lowest = top;
    for (std::size_t const i : order) {
        heights[i] = std::max(targets[i], lowest);
        lowest = heights[i] + label_height;
    }
    double highest = std::max(bottom, lowest - label_height - 24);
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
        heights[*i] = std::min(heights[*i], highest);
        highest = heights[*i] - label_height;
    }
    return heights;
}

std::string sweep_chart(std::vector<measured> figures) {
    std::stable_sort(figures.begin(), figures.end(), [](auto const& a, auto const& b) { return a.at < b.at; });
    sweep_axes const axes(figures);
    auto const methods = different(figures, &measured::method);
    std::vector<double> ends;
    for (auto const& method : methods)
        ends.push_back(axes.up(rate(those_with(figures, &measured::method, method).back())));
    auto const labels = separated_heights(ends);
    std::string svg = sweep_frame(axes, figures);
    bool is_first = true;
    int style = 0;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        auto const mine = those_with(figures, &measured::method, methods[i]);
        bool const own = ours(methods[i]);
        std::string path, markers;
        for (auto const& f : mine) {
            auto const x = coordinate(axes.across(f.at)), y = coordinate(axes.up(rate(f)));
            path += fmt::format("{}{} {}", path.empty() ? "M" : "L", x, y);
            markers += fmt::format("<circle cx={} cy={} r=3.6><title>{}: {} MRows/s</title></circle>", x, y,
                                   escaped(mine.front().method), show_rate(rate(f)));
        }
        double const x = axes.across(mine.back().at);
        auto const colour = own && std::exchange(is_first, false) ? "chosen" : fmt::format("k{}", style++ % 12);
        svg += fmt::format("<g class='{} {}'><line class=lead x1={} y1={} x2={} y2={} /><path d='{}' />{}"
                           "<text class=name x={} y={} dy=4>{}, {}</text></g>",
                           own ? "ours" : "peer", colour, coordinate(x + 5), coordinate(ends[i]), right + 14,
                           coordinate(labels[i]), path, markers, right + 18, coordinate(labels[i]), escaped(methods[i]),
                           show_rate(rate(mine.back())));
    }
    return fmt::format(
        "<div class=scroll><svg class='chart sweep' viewBox='0 0 {} {}' role=img aria-label='{}'>{}</svg></div>", width,
        coordinate(std::max(bottom + 56, labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 12)),
        escaped(figures.front().chart), svg);
}

std::string bar_chart(std::vector<measured> const& figures) {
    constexpr double from = 330, to = 930, each = 26;
    double max_value = 0;
    for (auto const& f : figures) max_value = std::max(max_value, rate(f));
    std::string svg;
    double y = 4;
    for (auto const& f : figures) {
        double const length = max_value > 0 ? (to - from) * rate(f) / max_value : 0;
        svg += fmt::format("<text class=value x={} y={} text-anchor=end>{}</text><rect class='bar {}' x={} y={} "
                           "width={} height={} rx=2 /><text class=value x={} y={}>{}</text>",
                           from - 10, coordinate(y + 15), escaped(f.method), ours(f.method) ? "own" : "peer", from,
                           coordinate(y + 2), coordinate(std::max(length, 1.0)), each - 8,
                           coordinate(from + length + 8), coordinate(y + 15), show_rate(rate(f)));
        y += each;
    }
    return fmt::format(
        "<div class=scroll><svg class='chart bars' viewBox='0 0 {} {}' role=img aria-label='{}'>{}</svg></div>", width,
        coordinate(y + 4), escaped(figures.front().problem), svg);
}

/// Draws a sweep with several abscissas as curves, all others as bars for each problem.
std::string charts_of(std::vector<measured> const& figures) {
    std::string html;
    for (auto const& chart : different(figures, &measured::chart)) {
        auto const some = those_with(figures, &measured::chart, chart);
        if (!chart.empty() && different(some, &measured::at).size() > 1) {
            html += fmt::format("<h3>{}</h3>{}", escaped(chart), sweep_chart(some));
            continue;
        }
        for (auto const& problem : different(some, &measured::problem))
            html += fmt::format("<h3>{}</h3>{}", escaped(problem),
                                bar_chart(those_with(some, &measured::problem, problem)));
    }
    return html;
}

} // namespace

std::string bench_page(std::string const& title, std::string const& machine, std::vector<measured> const& figures) {
    std::string html = "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
                       "<meta name=viewport content='width=device-width, initial-scale=1'>";
    html += fmt::format("<title>{0}</title><style>{1}{2}</style></head><body><main><header><p class=overline>million "
                        "rows per second, medians</p><h1>{0}</h1><p class=size>{3}</p></header>",
                        escaped(title), style_sheet, curves, escaped(machine));
    for (auto const& suite : different(figures, &measured::suite))
        html += fmt::format("<section><h2>{}</h2>{}</section>", escaped(suite),
                            charts_of(those_with(figures, &measured::suite, suite)));
    return html + fmt::format("<footer>Written by coppice {}.</footer></main></body></html>\n", version);
}

} // namespace coppice::app::report
