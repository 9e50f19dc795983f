// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/collect.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace coppice::app::report {
namespace {

constexpr int max_cells = 320;
constexpr std::int64_t closeup_span = 80;

raster blank(std::int64_t first, std::int64_t span) {
    int const cells = static_cast<int>(std::min<std::int64_t>(span, max_cells));
    auto const boxes = static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells);
    return {first, span, cells, std::vector<std::uint32_t>(boxes, 0), std::vector<std::uint32_t>(boxes, 0)};
}

void count(raster& r, std::int64_t row, std::int64_t column, bool on_forest) {
    row -= r.first;
    column -= r.first;
    if (row < 0 || column < 0 || row >= r.span || column >= r.span) return;
    auto const box = static_cast<std::size_t>(row * r.cells / r.span * r.cells + column * r.cells / r.span);
    ++r.nonzeros[box];
    r.forest[box] += on_forest ? 1 : 0;
}

} // namespace

template <class T>
std::int64_t plane_grid_width(csr_view<T> a) {
    // Neighbours in a row of the grid have distance 1; those in adjacent rows have distances nx - 1 to nx + 1.
    std::int64_t min_value = 0, max_value = 0;
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
            std::int64_t const distance = std::abs(a.indices[k] - i);
            if (distance <= 1) continue;
            min_value = min_value == 0 ? distance : std::min(min_value, distance);
            max_value = std::max(max_value, distance);
        }
    if (max_value - min_value > 2) return 0;
    std::int64_t const n = a.rows();
    for (std::int64_t const nx : {(min_value + max_value) / 2, min_value, max_value})
        if (nx >= 3 && n % nx == 0 && nx - 1 <= min_value && max_value <= nx + 1) return nx;
    return 0;
}
template std::int64_t plane_grid_width(csr_view<float>);
template std::int64_t plane_grid_width(csr_view<double>);

std::vector<path_bin> bin_paths(array_view<std::int32_t const> path_offsets) {
    std::vector<path_bin> bins;
    for (std::int64_t k = 0; k + 1 < path_offsets.size(); ++k) {
        std::int64_t const length = path_offsets[k + 1] - path_offsets[k];
        std::size_t bin = 0;
        while (std::int64_t{1} << bin < length) ++bin;
        for (std::size_t b = bins.size(); b <= bin; ++b)
            bins.push_back({b == 0 ? 1 : (std::int64_t{1} << (b - 1)) + 1, std::int64_t{1} << b, 0, 0});
        ++bins[bin].paths;
        bins[bin].vertices += length;
    }
    return bins;
}

template <class T>
void draw_patterns(csr_view<T> a, linear_forest<std::int32_t> const& forest, pattern& whole, pattern& closeup) {
    std::int64_t const n = a.rows();
    whole = {blank(0, n), blank(0, n)};
    if (n > max_cells) {
        std::int64_t const first = (n - closeup_span) / 2;
        closeup = {blank(first, closeup_span), blank(first, closeup_span)};
    }
    for (std::int64_t i = 0; i < n; ++i)
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
            std::int64_t const j = a.indices[k];
            bool const on_forest = forest.links[2 * i] == j || forest.links[2 * i + 1] == j;
            std::int64_t const row = forest.inverse[i], column = forest.inverse[j];
            count(whole.before, i, j, on_forest);
            count(whole.after, row, column, on_forest);
            if (closeup.before.cells == 0) continue;
            count(closeup.before, i, j, on_forest);
            count(closeup.after, row, column, on_forest);
        }
}

template void draw_patterns(csr_view<float>, linear_forest<std::int32_t> const&, pattern&, pattern&);
template void draw_patterns(csr_view<double>, linear_forest<std::int32_t> const&, pattern&, pattern&);

} // namespace coppice::app::report
