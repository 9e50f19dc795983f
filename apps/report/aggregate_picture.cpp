// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "apps/report/components.hpp"

namespace coppice::app::report {
namespace {

constexpr std::array<char const*, 6> tints{"#dbe9fb", "#fde7cf", "#dff2e1", "#f6dfe8", "#ece4f7", "#f4f1cf"};

/// Adjacent numbers usually have different tints.
std::size_t tint_of(std::int32_t aggregate) {
    return std::size_t((std::uint32_t(aggregate) * 0x9e3779b1u >> 16) % tints.size());
}

} // namespace

std::string aggregate_picture(aggregate_grid const& grid) {
    if (grid.nx == 0) return {};
    std::int64_t const nx = grid.nx, ny = std::int64_t(grid.of.size()) / nx;
    auto const at = [&](std::int64_t x, std::int64_t y) { return grid.of[std::size_t(y * nx + x)]; };
    std::array<std::string, tints.size()> cells;
    std::string edges, alone;
    for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0, last; x < nx; x = last) { // runs of one aggregate
            std::int32_t const own = at(x, y);
            for (last = x + 1; last < nx && at(last, y) == own; ++last) {
            }
            if (own >= 0)
                cells[tint_of(own)] += fmt::format("M{} {}h{}v1h{}z", x, y, last - x, x - last);
            else
                alone += fmt::format("M{} {}h{}v1h{}z", x, y, last - x, x - last);
            if (last < nx) edges += fmt::format("M{} {}v1", last, y);
        }
    for (std::int64_t y = 1; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x)
            if (at(x, y) != at(x, y - 1)) edges += fmt::format("M{} {}h1", x, y);
    std::string svg = fmt::format("<svg class=aggregates role=img aria-label='aggregates of the first level' "
                                  "viewBox='-0.1 -0.1 {}.2 {}.2' style='width:min(100%,{}px)'>",
                                  nx, ny, std::min<std::int64_t>(900, 14 * nx));
    for (std::size_t k = 0; k < tints.size(); ++k)
        if (!cells[k].empty()) svg += fmt::format("<path fill='{}' d='{}'/>", tints[k], cells[k]);
    if (!alone.empty()) svg += fmt::format("<path fill='#fff' d='{}'/>", alone);
    return svg + fmt::format("<path fill=none stroke='#1b1f24' stroke-width='0.08' stroke-linecap=round "
                             "d='{}M0 0h{}v{}h-{}z'/></svg>",
                             edges, nx, ny, nx);
}

} // namespace coppice::app::report
