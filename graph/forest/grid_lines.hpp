// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The lines of a tensor product grid as a linear forest.
#pragma once

#include <limits>
#include <string>

#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::inline v0_1 {

/// Number of points of a grid in each direction; point (i, j, k) is row i + nx (j + ny k) of its matrix.
struct grid_sizes {
    std::int64_t nx = 1, ny = 1, nz = 1;
    std::int64_t points() const { return nx * ny * nz; }
    std::int64_t along(int direction) const { return direction == 0 ? nx : direction == 1 ? ny : nz; }
};

namespace graph_detail {

template <class I>
struct number_grid_point {
    std::int64_t stride, length; ///< row distance of consecutive points of a line, points per line
    I *path_ids, *positions, *permutation, *inverse, *links;
    COPPICE_HD void operator()(std::int64_t v) const {
        std::int64_t const on_line = v / stride % length, start = v - on_line * stride;
        // Lines are in the order of their first points.
        std::int64_t const line = start / (stride * length) * stride + start % stride, p = line * length + on_line;
        path_ids[v] = I(start);
        positions[v] = I(on_line);
        permutation[p] = I(v);
        inverse[v] = I(p);
        links[2 * v] = on_line > 0 ? I(v - stride) : I(-1);
        links[2 * v + 1] = on_line + 1 < length ? I(v + stride) : I(-1);
    }
};
template <class I>
struct number_grid_line {
    std::int64_t length;
    I* path_offsets;
    COPPICE_HD void operator()(std::int64_t line) const { path_offsets[line] = I(line * length); }
};

} // namespace graph_detail

/// Returns the grid lines of direction 0 (x), 1 (y) or 2 (z) as paths, without weights (coverage 1). Throws
/// argument_error for negative sizes or another direction, overflow_error if I cannot count the points.
template <class I, executor Executor>
linear_forest<I> grid_lines(Executor const& exec, grid_sizes const& grid, int direction) {
    if (grid.nx < 0 || grid.ny < 0 || grid.nz < 0)
        throw argument_error("a grid of " + std::to_string(grid.nx) + " x " + std::to_string(grid.ny) + " x " +
                             std::to_string(grid.nz) + " points, expected none or more in every direction");
    if (direction < 0 || direction > 2)
        throw argument_error("direction of grid lines is " + std::to_string(direction) + ", expected 0, 1 or 2");
    if (double(grid.nx) * double(grid.ny) * double(grid.nz) >= double(std::numeric_limits<I>::max()))
        throw overflow_error("a grid of " + std::to_string(grid.nx) + " x " + std::to_string(grid.ny) + " x " +
                             std::to_string(grid.nz) + " points has more than an index counts");
    I const n = I(grid.points());
    std::int64_t const length = grid.along(direction), lines = length > 0 ? n / length : 0;
    linear_forest<I> f;
    f.vertices = n;
    f.paths = I(lines);
    f.longest_path = lines > 0 ? I(length) : I(0);
    f.edges = n - lines;
    for (buffer<I>* const each : {&f.path_ids, &f.positions, &f.permutation, &f.inverse}) *each = buffer<I>(exec, n);
    f.path_offsets = buffer<I>(exec, lines + 1);
    f.links = buffer<I>(exec, 2 * std::int64_t(n));
    std::int64_t const stride = direction == 0 ? 1 : direction == 1 ? grid.nx : grid.nx * grid.ny;
    for_each(exec, n,
             graph_detail::number_grid_point<I>{stride, length, f.path_ids.data(), f.positions.data(),
                                                f.permutation.data(), f.inverse.data(), f.links.data()});
    for_each(exec, lines + 1, graph_detail::number_grid_line<I>{length, f.path_offsets.data()});
    return f;
}

} // namespace coppice::inline v0_1
