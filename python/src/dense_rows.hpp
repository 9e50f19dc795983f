// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products of a sparse matrix and rows of features, for graph networks: lane code of both executors. Matrices of
/// features are row-major. Sums are made in the order of the entries, so that results do not depend on threads or
/// devices.
#pragma once

#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::python {

enum class row_reduction { sum, mean, max, min };

/// Which entries of A take part, for each element of a row: that of number chosen[i * width + c]. `numbers`: the number
/// of each entry, or null: its position. All entries if `chosen` is null.
struct chosen_entries {
    std::int32_t const* chosen = nullptr;
    std::int32_t const* numbers = nullptr;

    COPPICE_HD bool takes(std::int64_t element, std::int32_t entry) const {
        return !chosen || chosen[element] == (numbers ? numbers[entry] : entry);
    }
};

/// y_i = reduction over the entries of row i of a_ij x_j, for x[columns, width], y[rows, width]; zero for empty rows.
/// Item k computes up to Width elements of a row. `from`: where max and min write the position of their entry, -1 for
/// an empty row; may be null. `chosen` refers to elements of x: entry (i, j) counts for element c if it was chosen for
/// (j, c).
template <class T, int Width>
struct reduce_features {
    csr_view<T> a;
    T const* x;
    std::int64_t width;
    row_reduction how;
    T* y;
    std::int32_t* from;
    chosen_entries among;

    COPPICE_HD std::int64_t items_per_row() const { return (width + Width - 1) / Width; }

    COPPICE_HD void operator()(std::int64_t item) const {
        std::int64_t const row = item / items_per_row(), first = item % items_per_row() * Width;
        int const count = static_cast<int>(width - first < Width ? width - first : Width);
        std::int32_t const begin = a.row_offsets()[row], end = a.row_offsets()[row + 1];
        if (how == row_reduction::sum || how == row_reduction::mean)
            add(row * width + first, first, count, begin, end);
        else
            select(row * width + first, first, count, begin, end);
    }

private:
    COPPICE_HD void add(std::int64_t out, std::int64_t first, int count, std::int32_t begin, std::int32_t end) const {
        T sum[Width] = {};
        for (std::int32_t k = begin; k < end; ++k) {
            std::int64_t const in = std::int64_t(a.column_indices()[k]) * width + first;
            T const value = a.values()[k];
            if (among.chosen) {
                for (int c = 0; c < count; ++c)
                    if (among.takes(in + c, k)) sum[c] += value * x[in + c];
            } else {
                for (int c = 0; c < count; ++c) sum[c] += value * x[in + c];
            }
        }
        T const divisor = how == row_reduction::mean && end > begin ? T(end - begin) : T(1);
        for (int c = 0; c < count; ++c) y[out + c] = sum[c] / divisor;
    }
    /// The first of equal products; NaN if there is one.
    COPPICE_HD void select(std::int64_t out, std::int64_t first, int count, std::int32_t begin,
                           std::int32_t end) const {
        T best[Width] = {};
        std::int32_t position[Width];
        for (int c = 0; c < count; ++c) position[c] = -1;
        T const sign = how == row_reduction::max ? T(1) : T(-1);
        for (std::int32_t k = begin; k < end; ++k) {
            std::int64_t const in = std::int64_t(a.column_indices()[k]) * width + first;
            T const value = sign * a.values()[k];
            for (int c = 0; c < count; ++c) {
                T const product = value * x[in + c];
                bool const better = position[c] < 0 || product > best[c] || (product != product && best[c] == best[c]);
                best[c] = better ? product : best[c];
                position[c] = better ? k : position[c];
            }
        }
        for (int c = 0; c < count; ++c) y[out + c] = position[c] < 0 ? T(0) : sign * best[c];
        if (from)
            for (int c = 0; c < count; ++c) from[out + c] = position[c];
    }
};

/// values[k] = sum over c of u(i, c) v(j, c), for entry k = (i, j) of A, u[rows, width], v[columns, width] (SDDMM).
/// One item per row. With `chosen`, entry k counts for element c only if it is chosen[i * width + c].
template <class T>
struct sample_products {
    csr_view<T> a;
    T const* u;
    T const* v;
    std::int64_t width;
    T* values;
    std::int32_t const* chosen; ///< may be null

    COPPICE_HD void operator()(std::int64_t row) const {
        if (chosen) return sum_chosen(row);
        std::int32_t const end = a.row_offsets()[row + 1];
        std::int32_t k = a.row_offsets()[row];
        for (; k + 4 <= end; k += 4) sum_entries<4>(row, k); // independent sums, because a sum waits for each addition
        for (; k < end; ++k) sum_entries<1>(row, k);
    }

private:
    template <int Count>
    COPPICE_HD void sum_entries(std::int64_t row, std::int32_t k) const {
        T const *left = u + row * width, *right[Count];
        T sum[Count] = {};
        for (int e = 0; e < Count; ++e) right[e] = v + std::int64_t(a.column_indices()[k + e]) * width;
        for (std::int64_t c = 0; c < width; ++c)
            for (int e = 0; e < Count; ++e) sum[e] += left[c] * right[e][c];
        for (int e = 0; e < Count; ++e) values[k + e] = sum[e];
    }
    /// One entry was chosen for each element, so one product of each element counts.
    COPPICE_HD void sum_chosen(std::int64_t row) const {
        for (std::int32_t k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k) values[k] = 0;
        for (std::int64_t c = 0; c < width; ++c) {
            std::int64_t const left = row * width + c;
            std::int32_t const k = chosen[left];
            if (k >= 0) values[k] += u[left] * v[std::int64_t(a.column_indices()[k]) * width + c];
        }
    }
};

} // namespace coppice::python
