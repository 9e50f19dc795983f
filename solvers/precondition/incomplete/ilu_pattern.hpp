// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The symbolic phase of an incomplete factorisation: computed once for a pattern.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/lane_sort.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// The pattern of A with all diagonal entries, columns sorted; in memory of the executor.
struct ilu_pattern {
    buffer<std::int32_t> offsets{}, columns{};
    buffer<std::int32_t> sources{};  ///< the nonzero of A for each entry, -1 for a diagonal entry that A lacks
    buffer<std::int32_t> row_of{};   ///< row of each entry
    buffer<std::int32_t> diagonal{}; ///< [n] position of the diagonal entry
    std::int32_t missing = 0;        ///< number of diagonal entries that A lacks

    std::int32_t rows() const { return std::int32_t(diagonal.size()); }
};

/// Rows of a triangle: offsets[n + 1], columns sorted in each row, and the position of each entry in the whole pattern.
struct triangle_pattern {
    buffer<std::int32_t> offsets{}, columns{}, positions{};
};

/// Number of entries of row i including the diagonal.
struct ilu_row_length {
    std::int32_t const *offsets, *columns;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        std::int32_t const begin = offsets[i], end = offsets[i + 1];
        for (std::int32_t k = begin; k < end; ++k)
            if (columns[k] == i) return end - begin;
        return end - begin + 1;
    }
};

/// Stores row i with its diagonal entry, sorted.
struct store_ilu_row {
    std::int32_t const *of_matrix, *matrix_columns, *offsets;
    std::int32_t *columns, *sources, *row_of, *diagonal;

    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t to = offsets[i];
        std::int32_t const begin = to, end = offsets[i + 1], row = std::int32_t(i);
        bool sorted = true;
        auto const put = [&](std::int32_t column, std::int32_t source) {
            sorted = sorted && (to == begin || columns[to - 1] <= column);
            columns[to] = column;
            sources[to] = source;
            row_of[to++] = row;
        };
        for (std::int32_t k = of_matrix[i]; k < of_matrix[i + 1]; ++k) put(matrix_columns[k], k);
        if (to < end) put(row, -1);
        if (!sorted) lane_sort<std::int32_t, std::int32_t>{columns + begin, sources + begin}(end - begin);
        for (std::int32_t k = begin; k < end; ++k)
            if (columns[k] == row) diagonal[i] = k;
    }
};
/// Returns n - k if entry k repeats the column of the previous entry, else 0. The maximum over k gives the first such
/// entry.
struct rest_if_repeated {
    std::int32_t const *columns, *row_of;
    std::int64_t n;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        return k > 0 && row_of[k] == row_of[k - 1] && columns[k] == columns[k - 1] ? n - k : 0;
    }
};

/// Throws matrix_error if a row holds a column twice, overflow_error if the diagonal entries that A lacks exceed 32-bit
/// offsets.
template <executor Executor, class T>
ilu_pattern make_ilu_pattern(Executor const& exec, csr_view<T> a) {
    std::int64_t const n = a.rows();
    ilu_pattern p;
    std::int32_t total = 0;
    p.offsets = offsets_of_degrees<std::int32_t>(exec, n, ilu_row_length{a.offsets, a.indices}, total);
    p.missing = total - a.nonzeros();
    for (auto* all : {&p.columns, &p.sources, &p.row_of}) *all = buffer<std::int32_t>(exec, total);
    p.diagonal = buffer<std::int32_t>(exec, n);
    for_each(exec, n,
             store_ilu_row{a.offsets, a.indices, p.offsets.data(), p.columns.data(), p.sources.data(), p.row_of.data(),
                           p.diagonal.data()});
    rest_if_repeated const repeated{p.columns.data(), p.row_of.data(), total};
    std::int64_t const at = total - reduce(exec, total, std::int64_t(0), repeated, maximum{});
    if (at < total)
        throw matrix_error("row " + std::to_string(exec.load(p.row_of.data() + at)) + " holds column " +
                           std::to_string(exec.load(p.columns.data() + at)) +
                           " twice, expected every entry once; sum duplicates first");
    return p;
}

/// Entries of row i left of the diagonal, or right of it.
struct strict_row {
    std::int32_t const *offsets, *diagonal;
    bool lower;
    COPPICE_HD std::int32_t begin(std::int64_t i) const { return lower ? offsets[i] : diagonal[i] + 1; }
    COPPICE_HD std::int32_t end(std::int64_t i) const { return lower ? diagonal[i] : offsets[i + 1]; }
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return end(i) - begin(i); }
};

struct copy_strict_row {
    strict_row row;
    std::int32_t const *from, *offsets;
    std::int32_t *columns, *positions;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t to = offsets[i];
        for (std::int32_t k = row.begin(i); k < row.end(i); ++k, ++to) {
            columns[to] = from[k];
            positions[to] = k;
        }
    }
};
template <executor Executor>
triangle_pattern strict_triangle(Executor const& exec, ilu_pattern const& p, bool lower) {
    std::int64_t const n = p.rows();
    strict_row const row{p.offsets.data(), p.diagonal.data(), lower};
    triangle_pattern t;
    std::int32_t total = 0;
    t.offsets = offsets_of_degrees<std::int32_t>(exec, n, row, total);
    t.columns = buffer<std::int32_t>(exec, total);
    t.positions = buffer<std::int32_t>(exec, total);
    for_each(exec, n, copy_strict_row{row, p.columns.data(), t.offsets.data(), t.columns.data(), t.positions.data()});
    return t;
}

/// Row i of |T| with a unit diagonal for a strict triangle T: the diagonal entry is the last one in a lower triangle,
/// the first one in an upper triangle.
struct store_with_diagonal {
    std::int32_t const *strict_offsets, *strict_columns;
    std::int64_t n;
    bool lower;
    std::int32_t *offsets, *columns;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const begin = strict_offsets[i], end = strict_offsets[i + 1];
        std::int32_t to = begin + std::int32_t(i);
        offsets[i] = to;
        if (i + 1 == n) offsets[n] = end + std::int32_t(n);
        if (!lower) columns[to++] = std::int32_t(i);
        for (std::int32_t k = begin; k < end; ++k) columns[to++] = strict_columns[k];
        if (lower) columns[to] = std::int32_t(i);
    }
};

// Computed on the host only, from patterns in host memory.

/// Level schedule: the rows of level l, [offsets[l], offsets[l + 1]) of `rows`, depend on rows of earlier levels only.
struct row_levels {
    std::vector<std::int32_t> rows{}, offsets{};
};
/// Offsets and columns of a triangle in host memory.
struct host_triangle {
    std::vector<std::int32_t> offsets{}, columns{};
};

/// Level schedule of the solution with a strict triangle: ascending rows for a lower one, descending rows for an upper
/// one.
row_levels levels_of(host_triangle const& triangle, bool lower);

/// Pattern of |T|^power for a strict triangle T with a unit diagonal, including the diagonal, columns sorted. Throws
/// overflow_error if it exceeds 32-bit offsets.
host_triangle triangle_power(host_triangle const& triangle, int power);

/// Pattern of |T|^power. For power = 1 it is computed on the device, otherwise on the host.
template <executor Executor>
triangle_pattern triangle_power(Executor const& exec, array_view<std::int32_t const> offsets,
                                array_view<std::int32_t const> columns, bool lower, int power) {
    triangle_pattern p;
    if (power != 1) {
        auto const on_host = triangle_power(host_triangle{to_vector(exec, offsets), to_vector(exec, columns)}, power);
        p.offsets = exec.copy(on_host.offsets);
        p.columns = exec.copy(on_host.columns);
        return p;
    }
    std::int64_t const n = offsets.size() - 1;
    std::int64_t const total = columns.size() + n;
    checked_cast<std::int32_t>(total, "number of nonzeros of a triangle");
    p.offsets = buffer<std::int32_t>(exec, n + 1);
    p.columns = buffer<std::int32_t>(exec, total);
    if (n == 0) fill(exec, p.offsets.view(), 0);
    for_each(exec, n,
             store_with_diagonal{offsets.data(), columns.data(), n, lower, p.offsets.data(), p.columns.data()});
    return p;
}

} // namespace coppice::inline v0_1::detail
