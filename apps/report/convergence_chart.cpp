// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/report/components.hpp"
#include "apps/report/svg.hpp"

namespace coppice::app::report {
namespace {

constexpr double chart_width = 1040, chart_height = 470;
constexpr double left = 64, right = 1010, top = 16, bottom = 412;
constexpr double smallest = 1e-17; // a residual of exactly 0 is drawn at this value

struct point {
    double x;
    double y;
};

struct box {
    double x0, y0, x1, y1;
    bool contains(point p) const { return p.x >= x0 && p.x <= x1 && p.y >= y0 && p.y <= y1; }
    bool meets(box const& b) const { return x0 < b.x1 && b.x0 < x1 && y0 < b.y1 && b.y0 < y1; }
};

// Maps iterations and residuals to coordinates.
struct axes {
    double last_iteration = 1;
    int lowest = -6;
    int highest = 0;

    point at(double iteration, double residual) const {
        double const decade = std::log10(std::clamp(residual, smallest, 1e300));
        double const clipped = std::clamp(decade, double(lowest), double(highest));
        return {left + (right - left) * iteration / last_iteration,
                bottom - (bottom - top) * (clipped - lowest) / (highest - lowest)};
    }
};

axes fit_axes(std::vector<run> const& runs, double tolerance) {
    double low = tolerance > 0 ? tolerance : 1, high = 1, last = 1;
    for (auto const& r : runs) {
        for (double const residual : r.residuals)
            if (std::isfinite(residual)) {
                low = std::min(low, std::max(residual, smallest));
                high = std::max(high, residual);
            }
        last = std::max(last, static_cast<double>(r.residuals.size()) - 1);
    }
    axes a;
    // Space for labels below the lowest point. Diverging runs are truncated at 10^4.
    a.lowest = static_cast<int>(std::floor(std::log10(low) - 0.05));
    a.highest = std::clamp(static_cast<int>(std::ceil(std::log10(high))), a.lowest + 1, 4);
    a.lowest -= std::max(1, (a.highest - a.lowest) / 5);
    a.last_iteration = last * 1.02;
    return a;
}

// At most two points, minimum and maximum, per pixel column: keeps long histories small and preserves spikes.
std::vector<point> polyline(axes const& a, std::vector<double> const& residuals) {
    std::vector<point> points;
    std::size_t const n = residuals.size();
    std::size_t const stride = std::max<std::size_t>(1, n / 900);
    for (std::size_t i = 0; i < n; i += stride) {
        std::size_t const end = std::min(n, i + stride);
        std::size_t low = i, high = i;
        for (std::size_t k = i; k < end; ++k) {
            if (residuals[k] < residuals[low]) low = k;
            if (residuals[k] > residuals[high]) high = k;
        }
        for (std::size_t const k : {std::min(low, high), std::max(low, high)})
            if (std::isfinite(residuals[k]) && (points.empty() || low != high || k == i))
                if (auto const p = a.at(static_cast<double>(k), residuals[k]);
                    points.empty() || p.x != points.back().x || p.y != points.back().y)
                    points.push_back(p);
    }
    if (n > 0 && std::isfinite(residuals.back())) {
        auto const p = a.at(static_cast<double>(n - 1), residuals.back());
        if (points.empty() || p.x != points.back().x || p.y != points.back().y) points.push_back(p);
    }
    return points;
}

std::string draw_grid(axes const& a, double tolerance) {
    std::string svg;
    int const step = std::max(1, (a.highest - a.lowest + 7) / 8);
    for (int decade = a.highest; decade >= a.lowest; --decade) {
        auto const y = coordinate(a.at(0, std::pow(10.0, decade)).y);
        bool const labelled = decade % step == 0;
        if (labelled)
            svg += fmt::format("<line class=grid x1={} x2={} y1={} y2={} />"
                               "<text class=tick x={} y={} dy=4 text-anchor=end>{}</text>",
                               left, right, y, y, left - 10, y, power_of_ten(decade));
    }
    for (double const tick : round_ticks(a.last_iteration, 8)) {
        auto const x = coordinate(a.at(tick, 1).x);
        svg += fmt::format("<line class=axis x1={0} x2={0} y1={1} y2={2} />"
                           "<text class=tick x={0} y={3} text-anchor=middle>{4:.0f}</text>",
                           x, bottom, bottom + 5, bottom + 22, tick);
    }
    svg += fmt::format("<line class=axis x1={} x2={} y1={} y2={} />", left, right, bottom, bottom);
    svg += fmt::format("<text class=tick x={} y={} text-anchor=end>iterations</text>", right, bottom + 42);
    if (tolerance > 0) {
        auto const y = a.at(0, tolerance).y;
        svg += fmt::format("<line class=tolerance x1={} x2={} y1={} y2={} />"
                           "<text class=tick x={} y={} text-anchor=start>tolerance {:.3g}</text>",
                           left, right, coordinate(y), coordinate(y), left + 8, coordinate(y + 16), tolerance);
    }
    return svg;
}

box box_of_tolerance(axes const& a, double tolerance) {
    double const y = a.at(0, tolerance).y;
    return {left, y, left + 8 + text_width(fmt::format("tolerance {:.3g}", tolerance), 13), y + 22};
}

// Places labels one after the other, each near the end of its curve, so that it overlaps no other label and few points
// of curves.
class label_layout {
public:
    explicit label_layout(std::vector<std::vector<point>> const& curves) : curves_(curves) {}

    /// Keeps the ends of all curves free, for labels of other curves.
    void keep_free(box const& b) { taken_.push_back(b); }
    void keep_free(point end) { taken_.push_back({end.x - 5, end.y - 5, end.x + 5, end.y + 5}); }

    /// Returns the middle of the first line of a label of width `w` and height 34 for the curve end `end`.
    point position_of(point end, double w) {
        point best{};
        double min_value = 1e300;
        for (double y = top + 4; y < bottom - 22; y += 10) // near the end first, but any place that is free
            for (double const dx : {0.0, w / 2 + 12, -w / 2 - 12, w + 24, -w - 24, 2 * w + 36, -2 * w - 36}) {
                point const middle{std::clamp(end.x + dx, left + w / 2 + 4, right - w / 2 + 20), y};
                box const b = around(middle, w);
                double const dy = y - end.y;
                if (std::fabs(dy) < 20 && std::fabs(middle.x - end.x) < w / 2 + 8) continue; // would cover the end
                box const leader{end.x - 1, std::min(end.y + 6, middle.y), end.x + 1, std::max(end.y - 6, middle.y)};
                if (1000 * meetings(b) >= min_value) continue;
                double const cost =
                    hidden(b) + 100 * meetings(leader) + 0.02 * std::fabs(dy) + 0.01 * std::fabs(middle.x - end.x);
                if (cost < min_value) {
                    min_value = cost;
                    best = middle;
                }
            }
        if (min_value == 1e300) best = {std::clamp(end.x, left + w / 2, right - w / 2), end.y - 30};
        taken_.push_back(around(best, w));
        return best;
    }

private:
    static box around(point middle, double w) {
        return {middle.x - w / 2 - 4, middle.y - 14, middle.x + w / 2 + 4, middle.y + 21};
    }
    double meetings(box const& b) const {
        return static_cast<double>(
            std::count_if(taken_.begin(), taken_.end(), [&](box const& o) { return b.meets(o); }));
    }
    double hidden(box const& b) const {
        double cost = 1000 * meetings(b);
        for (auto const& curve : curves_)
            for (auto const& p : curve) cost += b.contains(p) ? 1 : 0;
        return cost;
    }
    std::vector<std::vector<point>> const& curves_;
    std::vector<box> taken_{};
};

std::string count_of(run const& r) {
    return r.converged ? fmt::format("{} iteration{}", r.iterations, r.iterations == 1 ? "" : "s")
                       : fmt::format("not in {}", r.iterations);
}

std::string draw_label(run const& r, point end, point at, double w) {
    double const to_y = at.y > end.y ? at.y - 12 : at.y + 20;
    double const to_x = std::clamp(end.x, at.x - w / 2, at.x + w / 2);
    return fmt::format("<line class='leader {0}' x1={1} y1={2} x2={3} y2={4} />"
                       "<text class=label x={5} y={6} text-anchor=middle><tspan class='name {0}'>{7}</tspan>"
                       "<tspan class=count x={5} dy=15>{8}</tspan></text>",
                       style_class(r), coordinate(end.x), coordinate(end.y), coordinate(to_x), coordinate(to_y),
                       coordinate(at.x), coordinate(at.y), escaped(r.preconditioner), count_of(r));
}

std::string draw_curve(run const& r, std::vector<point> const& points) {
    std::string path;
    for (auto const& p : points)
        path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(p.x), coordinate(p.y));
    return fmt::format("<path class='curve {0}' d='{1}'><title>{2}: {3}</title></path>"
                       "<circle class='end {0}' cx={4} cy={5} r=4.5 />",
                       style_class(r), path, escaped(r.preconditioner), escaped(r.ending), coordinate(points.back().x),
                       coordinate(points.back().y));
}

} // namespace

std::string style_class(run const& r) { return r.chosen ? "chosen" : curve_style(r.style); }

std::string convergence_chart(std::vector<run> const& runs, double tolerance) {
    auto const a = fit_axes(runs, tolerance);
    std::vector<std::vector<point>> curves;
    for (auto const& r : runs) curves.push_back(polyline(a, r.residuals));

    std::string markers, labels;
    label_layout layout(curves);
    for (auto const& curve : curves)
        if (!curve.empty()) layout.keep_free(curve.back());
    if (tolerance > 0) layout.keep_free(box_of_tolerance(a, tolerance));
    // The chosen run is drawn last, on top, and its label is placed first.
    for (bool const chosen : {false, true})
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i].chosen == chosen && !curves[i].empty()) markers += draw_curve(runs[i], curves[i]);
    for (bool const chosen : {true, false})
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i].chosen == chosen && !curves[i].empty()) {
                auto const w = std::max(text_width(runs[i].preconditioner, 15), text_width(count_of(runs[i]), 12.5));
                auto const end = curves[i].back();
                labels += draw_label(runs[i], end, layout.position_of(end, w), w);
            }
    return fmt::format("<div class=scroll><svg class=chart viewBox='0 0 {} {}' role=img aria-label='Relative residual "
                       "over iterations'>"
                       "{}{}{}</svg></div>",
                       chart_width, chart_height, draw_grid(a, tolerance), markers, labels);
}

} // namespace coppice::app::report
