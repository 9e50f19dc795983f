// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "apps/output.hpp"
#include "apps/report/components.hpp"
#include "apps/report/svg.hpp"

namespace coppice::app::report {

namespace {

// Label of a bin of path lengths: "5–8" up to 1024, then "1–2k" in units of k = 1024 or M = 1024^2, so that the label
// is no wider than its column.
std::string range_of(path_bin const& bin) {
    if (bin.shortest == bin.longest) return std::to_string(bin.shortest);
    if (bin.longest <= 1024) return fmt::format("{}–{}", bin.shortest, bin.longest);
    if (bin.longest <= 1024 * 1024) return fmt::format("{}–{}k", bin.longest >> 11, bin.longest >> 10);
    return fmt::format("{}–{}M", bin.longest >> 21, bin.longest >> 20);
}

} // namespace

std::string path_histogram(forest_summary const& forest) {
    if (forest.bins.empty() || forest.vertices == 0) return {};
    constexpr double height = 226, base = 184, top_edge = 34;
    double const slot = std::min(96.0, 1000.0 / static_cast<double>(forest.bins.size()));
    double const width = slot * static_cast<double>(forest.bins.size()) + 8;
    std::int64_t max_value = 1;
    for (auto const& bin : forest.bins) max_value = std::max(max_value, bin.vertices);

    std::string svg;
    label_row fractions, ranges, counts;
    double x = 4;
    for (auto const& bin : forest.bins) {
        double const fraction = static_cast<double>(bin.vertices) / static_cast<double>(forest.vertices);
        double const tall = (base - top_edge) * static_cast<double>(bin.vertices) / static_cast<double>(max_value);
        auto const range = range_of(bin);
        double const centre = x + slot / 2;
        auto const middle = coordinate(centre);
        svg += fmt::format("<rect class=bar x={} y={} width={} height={} rx=2 />", coordinate(x + 6),
                           coordinate(base - tall), coordinate(slot - 12), coordinate(tall));
        if (bin.paths > 0 && fractions.fits(centre, percent(fraction)))
            svg += fmt::format("<text class=value x={0} y={1} text-anchor=middle>{2}</text>", middle,
                               coordinate(base - tall - 7), escaped(percent(fraction)));
        if (ranges.fits(centre, range))
            svg += fmt::format("<text class=tick x={} y={} text-anchor=middle>{}</text>", middle, base + 19, range);
        if (counts.fits(centre, show_count(bin.paths)))
            svg += fmt::format("<text class='tick faint' x={} y={} text-anchor=middle>{}</text>", middle, base + 36,
                               show_count(bin.paths));
        x += slot;
    }
    svg += fmt::format("<line class=axis x1=4 x2={0} y1={1} y2={1} />", coordinate(width - 4), base);
    return fmt::format("<div class=scroll><svg class=histogram style='max-width:{0}px' viewBox='0 0 {0} {1}' role=img "
                       "aria-label='Path lengths'>{2}</svg></div><p class=faint>Below the columns: rows on a path "
                       "(k = 1024), number of paths. Above: fraction of all rows.</p>",
                       coordinate(std::max(width, 420.0)), height, svg);
}

} // namespace coppice::app::report
