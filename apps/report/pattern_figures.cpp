// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/output.hpp"
#include "apps/report/components.hpp"
#include "apps/report/png.hpp"
#include "apps/report/svg.hpp"

namespace coppice::app::report {
namespace {

constexpr std::uint32_t ink = 0x1b1f24, accent = 0x0b6fd4;

// Opacity is logarithmic in the count, so that single entries are visible next to full boxes.
std::vector<std::uint8_t> opacity(std::vector<std::uint32_t> const& counts) {
    std::uint32_t const max_value = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    std::vector<std::uint8_t> alpha(counts.size(), 0);
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > 0)
            alpha[i] = static_cast<std::uint8_t>(
                max_value == 1 ? 235 : 90 + 165 * std::log1p(double(counts[i])) / std::log1p(double(max_value)));
    return alpha;
}

// A box with an edge of the forest is drawn in the layer of the forest only; overlaid colours would mix.
struct layers {
    std::vector<std::uint32_t> others;
    std::vector<std::uint32_t> forest;
};

layers separated(raster const& r) {
    layers l{r.nonzeros, r.nonzeros};
    for (std::size_t i = 0; i < r.nonzeros.size(); ++i) (r.forest[i] > 0 ? l.others : l.forest)[i] = 0;
    return l;
}

std::string figure(raster const& r, std::string const& title, std::string const& order) {
    if (r.cells == 0) return {};
    auto const [others, forest] = separated(r);
    return fmt::format("<figure><div class=matrix><img class=ink alt='{0}, {1}: other nonzeros' src='{2}'>"
                       "<img alt='{0}, {1}: nonzeros on the forest' src='{3}'></div>"
                       "<figcaption><b>{1}</b> rows {4} to {5}</figcaption></figure>",
                       escaped(title), order, png_data_uri(r.cells, r.cells, ink, opacity(others)),
                       png_data_uri(r.cells, r.cells, accent, opacity(forest)), show_count(r.first + 1),
                       show_count(r.first + r.span));
}

} // namespace

std::string pattern_figures(pattern const& p, std::string const& title) {
    if (p.before.cells == 0) return {};
    return fmt::format("<h3>{}</h3><div class=pair>{}{}</div>", escaped(title),
                       figure(p.before, title, "Original order"), figure(p.after, title, "Forest order"));
}

} // namespace coppice::app::report
