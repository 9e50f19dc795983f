// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The positions of a forest that a rank needs for its rows of B M^-1 (row_windows.hpp): those of the columns of its
/// rows, and a window around each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/forests/forest_rows.hpp>
#include <coppice/solvers/precondition/splitting/row_windows.hpp>

namespace coppice::inline v0_1::distributed {

/// Runs of consecutive positions, numbered one after the other. After each run there is one number without a position,
/// so that consecutive numbers are consecutive positions.
class position_runs {
public:
    position_runs() = default;
    /// `positions`: of the columns; n positions in total.
    position_runs(std::vector<std::int32_t> positions, int window, std::int64_t n) {
        std::sort(positions.begin(), positions.end());
        for (std::int64_t const p : positions) {
            std::int64_t const from = std::max<std::int64_t>(0, p - window),
                               end = std::min<std::int64_t>(n, p + window + 1);
            if (begins_.empty() || from > ends_.back()) {
                numbers_.push_back(begins_.empty() ? 0 : numbers_.back() + ends_.back() - begins_.back() + 1);
                begins_.push_back(from);
                ends_.push_back(end);
            }
            ends_.back() = std::max(ends_.back(), end);
        }
    }
    /// Number of a position in one of the runs.
    std::int32_t operator()(std::int64_t position) const {
        auto const run = std::size_t(std::upper_bound(begins_.begin(), begins_.end(), position) - begins_.begin() - 1);
        return std::int32_t(numbers_[run] + position - begins_[run]);
    }
    /// Position of each number; -1: none.
    std::vector<std::int32_t> positions() const {
        std::vector<std::int32_t> list;
        for (std::size_t run = 0; run < begins_.size(); ++run) {
            for (std::int64_t p = begins_[run]; p < ends_[run]; ++p) list.push_back(std::int32_t(p));
            list.push_back(-1);
        }
        return list;
    }

private:
    std::vector<std::int64_t> begins_{}, ends_{}, numbers_{}; ///< of each run: positions, first number
};

/// The ratios of path_inverse.hpp and the diagonal of M at a position.
template <class T>
struct path_values {
    T right, left, middle, reach_right, reach_left, diagonal;
};
template <class T>
struct pack_path_values {
    detail::path_ratios<T> ratios;
    T const* diagonal;
    path_values<T>* to;
    COPPICE_HD void operator()(std::int64_t p) const {
        to[p] = {ratios.right[p],       ratios.left[p],       ratios.middle[p],
                 ratios.reach_right[p], ratios.reach_left[p], diagonal[p]};
    }
};
/// Zeros at numbers without a position.
template <class T>
struct unpack_path_values {
    path_values<T> const* from;
    std::int32_t const* vertices;
    T *right, *left, *middle, *reach_right, *reach_left, *diagonal;
    COPPICE_HD void operator()(std::int64_t p) const {
        path_values<T> const v = vertices[p] < 0 ? path_values<T>{} : from[p];
        right[p] = v.right;
        left[p] = v.left;
        middle[p] = v.middle;
        reach_right[p] = v.reach_right;
        reach_left[p] = v.reach_left;
        diagonal[p] = v.diagonal;
    }
};
struct mask_vertices {
    std::int32_t const* positions;
    std::int32_t* vertices;
    COPPICE_HD void operator()(std::int64_t p) const { vertices[p] = positions[p] < 0 ? -1 : vertices[p]; }
};

/// The windows of the rows of a rank along one forest.
template <executor Executor, class T>
class rank_windows {
public:
    /// `offsets`, `columns`: rows of B, global, on the host. `forest`: over the ranks, which have the vertices from
    /// `begins`; positions from `path_begins` are on the rank of their paths. Collective.
    rank_windows(Executor const& exec, rank_communicator const& comm, rank_offsets const& begins,
                 rank_offsets const& path_begins, linear_forest<std::int32_t> const& forest,
                 std::vector<std::int32_t> const& offsets, std::vector<std::int32_t> const& columns, int window)
        : comm_(comm), window_(window), first_(std::int32_t(begins[std::size_t(comm.rank())])),
          path_neighbours_(copy_of(exec, forest.links)) {
        auto of_columns = to_vector(exec, elements_at(exec, begins, forest.inverse, exec.copy(columns)));
        auto const of_rows = to_vector(exec, forest.inverse);
        auto all = of_columns;
        all.insert(all.end(), of_rows.begin(), of_rows.end());
        runs_ = position_runs(std::move(all), window, begins.back());
        sort_rows(exec, offsets, of_columns);
        own_ = exec.copy(numbers_of(of_rows));
        auto positions = runs_.positions();
        auto const given = exec.copy(positions);
        for (std::size_t k = 1; k < positions.size(); ++k)
            if (positions[k] < 0) positions[k] = positions[k - 1];
        auto const list = exec.copy(positions);
        vertices_ = elements_at(exec, begins, forest.permutation, list);
        for_each(exec, vertices_.size(), mask_vertices{given.data(), vertices_.data()});
        values_plan_.emplace(exec, comm, path_begins, list.view());
        std::int64_t const n = vertices_.size();
        for (buffer<T>* const each : {&right_, &left_, &middle_, &reach_right_, &reach_left_, &diagonal_})
            *each = buffer<T>(exec, n);
        matrix_ = csr<T>(std::int32_t(of_rows.size()), std::int32_t(n), exec.copy(offsets), std::move(sorted_),
                         buffer<T>(exec, std::int64_t(columns.size())));
    }

    /// Reads the values of B, in the order of the constructor.
    void read_rows(Executor const& exec, buffer<T> const& values) {
        for_each(exec, source_.size(),
                 detail::gather_at<T, std::int32_t>{values.data(), source_.data(), matrix_.values().data()});
    }
    /// Computes the inverse of M, whose rows begin on this rank with path_begins[rank], and fetches the windows.
    /// Collective.
    void read_inverse(Executor const& exec, tridiagonal<T> const& m, std::int64_t first) {
        detail::path_inverse<T> inverse(exec, m.size());
        inverse.read(exec, m.view(), window_, first);
        buffer<path_values<T>> packed(exec, m.size()), fetched(exec, vertices_.size());
        for_each(exec, m.size(), pack_path_values<T>{inverse.view(), m.diagonal.data(), packed.data()});
        elements_in_order<Executor, path_values<T>>(exec, comm_, *values_plan_)
            .fetch(exec, packed.data(), fetched.data());
        for_each(exec, vertices_.size(),
                 unpack_path_values<T>{fetched.data(), vertices_.data(), right_.data(), left_.data(), middle_.data(),
                                       reach_right_.data(), reach_left_.data(), diagonal_.data()});
    }
    detail::path_ordered_rows<T, std::int32_t> rows() const {
        return {
            matrix_.view(),   {right_.data(), left_.data(), middle_.data(), reach_right_.data(), reach_left_.data()},
            diagonal_.data(), path_neighbours_.data(),
            vertices_.data(), own_.data(),
            window_,          first_};
    }
    csr_view<T> matrix() const { return matrix_.view(); }
    /// Numbers of vertices in the windows; on the host.
    std::vector<std::int32_t> numbers_of_vertices(Executor const& exec, std::vector<std::int32_t> vertices) const {
        auto const known = to_vector(exec, vertices_);
        std::vector<std::int32_t> by_vertex(known.size());
        std::iota(by_vertex.begin(), by_vertex.end(), 0);
        auto const before = [&](std::int32_t p, std::int32_t q) {
            return known[std::size_t(p)] < known[std::size_t(q)];
        };
        std::sort(by_vertex.begin(), by_vertex.end(), before);
        for (std::int32_t& v : vertices)
            v = *std::lower_bound(by_vertex.begin(), by_vertex.end(), v,
                                  [&](std::int32_t p, std::int32_t vertex) { return known[std::size_t(p)] < vertex; });
        return vertices;
    }

private:
    buffer<std::int32_t> elements_at(Executor const& exec, rank_offsets const& begins, buffer<std::int32_t> const& x,
                                     buffer<std::int32_t> const& at) const {
        order_plan<Executor> const plan(exec, comm_, begins, at.view());
        buffer<std::int32_t> elements(exec, at.size());
        elements_in_order<Executor, std::int32_t>(exec, comm_, plan).fetch(exec, x.data(), elements.data());
        return elements;
    }
    std::vector<std::int32_t> numbers_of(std::vector<std::int32_t> positions) const {
        for (std::int32_t& p : positions) p = runs_(p);
        return positions;
    }
    /// Sorts each row by its positions.
    void sort_rows(Executor const& exec, std::vector<std::int32_t> const& offsets,
                   std::vector<std::int32_t> const& positions) {
        std::vector<std::int32_t> source(positions.size());
        std::iota(source.begin(), source.end(), 0);
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
            std::sort(
                source.begin() + offsets[i], source.begin() + offsets[i + 1],
                [&](std::int32_t j, std::int32_t k) { return positions[std::size_t(j)] < positions[std::size_t(k)]; });
        std::vector<std::int32_t> sorted(positions.size());
        for (std::size_t k = 0; k < sorted.size(); ++k) sorted[k] = positions[std::size_t(source[k])];
        sorted_ = exec.copy(numbers_of(std::move(sorted)));
        source_ = exec.copy(source);
    }

    rank_communicator comm_;
    int window_;
    std::int32_t first_;
    position_runs runs_{};
    buffer<std::int32_t> path_neighbours_, own_{}, vertices_{}; ///< vertices_: at each number, -1: none
    buffer<std::int32_t> sorted_{}, source_{}; ///< columns of matrix_; its entries in the order of the constructor
    std::optional<order_plan<Executor>> values_plan_{};
    buffer<T> right_{}, left_{}, middle_{}, reach_right_{}, reach_left_{}, diagonal_{};
    csr<T> matrix_{}; ///< B, columns: numbers
};

} // namespace coppice::inline v0_1::distributed
