// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/collect.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

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

namespace {

/// Whether no entry leads from the end of a row of the grid to the start of another one.
template <class T>
bool couples_neighbours(csr_view<T> a, std::int64_t nx) {
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
            if (std::abs(a.indices[k] % nx - i % nx) > 1) return false;
    return true;
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
        if (nx >= 3 && n % nx == 0 && nx - 1 <= min_value && max_value <= nx + 1 && couples_neighbours(a, nx))
            return nx;
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

template <class T>
void draw_pattern(csr_view<T> a, pattern& whole, pattern& closeup) {
    std::int64_t const n = std::max(a.rows(), a.columns());
    if (n == 0) return;
    whole.before = blank(0, n);
    if (n > max_cells) closeup.before = blank((n - closeup_span) / 2, closeup_span);
    for (std::int64_t row = 0; row < a.rows(); ++row)
        for (auto k = a.row_begin(row); k < a.row_end(row); ++k) {
            count(whole.before, row, a.indices[k], false);
            if (closeup.before.cells > 0) count(closeup.before, row, a.indices[k], false);
        }
}

template void draw_pattern(csr_view<float>, pattern&, pattern&);
template void draw_pattern(csr_view<double>, pattern&, pattern&);
template void draw_patterns(csr_view<float>, linear_forest<std::int32_t> const&, pattern&, pattern&);
template void draw_patterns(csr_view<double>, linear_forest<std::int32_t> const&, pattern&, pattern&);

forest_summary summary_of(linear_forest<std::int32_t> const& forest, graph_factor<std::int32_t> const& factor,
                          std::string const& ties, weight_summary const& original) {
    forest_summary summary{forest.vertices, forest.paths, forest.longest_path, forest.cycles_broken, {}, {}};
    summary.bins = bin_paths(forest.path_offsets.view());
    summary.coverages = {
        {"diagonal", "of the whole matrix, on its diagonal", original.diagonal_coverage()},
        {"original order", "of the off-diagonal weight, on sub- and superdiagonal", original.identity_coverage()},
        {"[0,2]-factor", fmt::format("of the edges, after {} rounds of proposals, ties {}", factor.rounds, ties),
         factor.weight_coverage},
        {"linear forest", "of the edges, after cycles are broken", forest.weight_coverage}};
    return summary;
}

} // namespace coppice::app::report
