// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The lines of a tensor product grid as linear forests over ranks (grid_lines.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/forest/forest_decomposition.hpp>
#include <coppice/graph/forest/grid_lines.hpp>
#include <coppice/solvers/distributed/forests/rank_diagonal.hpp>

namespace coppice::inline v0_1::distributed {

/// Vertex i of a rank in the forest of lines, and the vertex at position i of the rank.
struct number_point_of_rank {
    std::int64_t first;          ///< first vertex and first position of the rank
    std::int64_t stride, length; ///< row distance of consecutive points of a line, points per line
    std::int32_t *permutation, *inverse, *links;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const v = first + i, on_line = v / stride % length, start = v - on_line * stride;
        std::int64_t const line = start / (stride * length) * stride + start % stride;
        inverse[i] = std::int32_t(line * length + on_line);
        links[2 * i] = on_line > 0 ? std::int32_t(v - stride) : -1;
        links[2 * i + 1] = on_line + 1 < length ? std::int32_t(v + stride) : -1;
        std::int64_t const at = v / length, from = at / stride * stride * length + at % stride; // position v
        permutation[i] = std::int32_t(from + v % length * stride);
    }
};
/// Weights of a row, and those that the paths of a forest contain. `links`: local, or global for couplings.
template <class T>
struct covered_in_block {
    csr_view<T> own;
    std::int32_t const* links;
    COPPICE_HD graph_detail::covered_weight operator()(std::int64_t i) const {
        graph_detail::weigh_nonzero<T, std::int32_t> const weigh{links, 2};
        graph_detail::covered_weight sum{0, 0};
        for (std::int32_t k = own.offsets[i]; k < own.offsets[i + 1]; ++k)
            sum = graph_detail::add_covered_weight{}(sum, weigh(own.coefficients[k], own.indices[k], i));
        return sum;
    }
};
template <class T>
struct covered_couplings {
    couplings_view<T> couplings;
    std::int32_t const* links; ///< global
    COPPICE_HD graph_detail::covered_weight operator()(std::int64_t r) const {
        std::int32_t const* const next = links + 2 * std::int64_t(couplings.of[r]);
        graph_detail::covered_weight sum{0, 0};
        for (std::int32_t k = couplings.offsets[r]; k < couplings.offsets[r + 1]; ++k) {
            double const weight = double(detail::magnitude(couplings.values[k]));
            bool const covered = couplings.columns[k] == next[0] || couplings.columns[k] == next[1];
            sum = graph_detail::add_covered_weight{}(sum, {weight, covered ? weight : 0.0});
        }
        return sum;
    }
};

/// The fraction of the weights |w_ij| + |w_ji| that the paths contain; 1 without weights. Collective.
template <executor Executor, class T>
double weight_coverage(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                       normalised_rows<Executor, T> const& weights, buffer<std::int32_t> const& links) {
    using namespace graph_detail;
    buffer<std::int32_t> local(exec, links.size());
    for_each(exec, links.size(), make_local{links.data(), ids_of_rank(a.begins(), comm.rank()), local.data()});
    auto const& others = weights.couplings;
    auto const of = exec.copy(others.rows), offsets = exec.copy(others.offsets), columns = exec.copy(others.columns);
    auto const values = exec.copy(others.values);
    auto const own = reduce(exec, a.size(), covered_weight{0, 0}, covered_in_block<T>{weights.view(a), local.data()},
                            add_covered_weight{});
    auto const between =
        reduce(exec, of.size(), covered_weight{0, 0},
               covered_couplings<T>{{of.data(), offsets.data(), columns.data(), values.data()}, links.data()},
               add_covered_weight{});
    auto const sum = comm.all_reduce(add_covered_weight{}(own, between), add_covered_weight{});
    return sum.all > 0 ? sum.covered / sum.all : 1;
}

/// The part of a rank of grid_lines(); path_offsets contains the starts of paths among its positions, and the end.
template <executor Executor>
linear_forest<std::int32_t> grid_lines_of_rank(Executor const& exec, grid_sizes const& grid, int direction,
                                               std::int64_t first, std::int64_t rows) {
    std::int64_t const n = grid.points(), length = grid.along(direction), lines = length > 0 ? n / length : 0;
    linear_forest<std::int32_t> f;
    f.vertices = std::int32_t(rows);
    f.paths = std::int32_t(lines);
    f.longest_path = lines > 0 ? std::int32_t(length) : 0;
    f.edges = n - lines;
    f.permutation = buffer<std::int32_t>(exec, rows);
    f.inverse = buffer<std::int32_t>(exec, rows);
    f.links = buffer<std::int32_t>(exec, 2 * rows);
    std::int64_t const stride = direction == 0 ? 1 : direction == 1 ? grid.nx : grid.nx * grid.ny;
    for_each(exec, rows,
             number_point_of_rank{first, stride, length, f.permutation.data(), f.inverse.data(), f.links.data()});
    std::vector<std::int32_t> starts;
    if (length > 0)
        for (std::int64_t line = (first + length - 1) / length; line * length < first + rows; ++line)
            starts.push_back(std::int32_t(line * length));
    starts.push_back(std::int32_t(n));
    f.path_offsets = exec.copy(starts);
    return f;
}

/// find_grid_lines of the rows of all ranks. Collective.
template <executor Executor, class T>
forest_decomposition<std::int32_t>
rank_grid_lines(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                normalised_rows<Executor, T> const& weights, grid_sizes const& grid) {
    forest_decomposition<std::int32_t> found;
    double covered = 0;
    for (int direction = 0; direction < 3; ++direction) {
        bool const no_line = grid.along(direction) == 1;
        if (no_line && !(direction == 2 && found.forests.empty())) continue;
        auto lines = grid_lines_of_rank(exec, grid, direction, a.begins()[std::size_t(comm.rank())], a.size());
        lines.weight_coverage = weight_coverage(exec, comm, a, weights, lines.links);
        covered += lines.weight_coverage;
        found.forests.push_back(std::move(lines));
        found.covered.push_back(covered);
    }
    return found;
}

} // namespace coppice::inline v0_1::distributed
