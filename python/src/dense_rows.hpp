// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products of a sparse matrix and rows of features, for graph networks; matrices of features are row-major. On the
/// host (this file, row_sums_host.hpp, row_extremes_host.hpp) sums are made in the order of the entries, on CUDA
/// (feature_warps.hpp) in an order that depends on the matrix and the width alone.
#pragma once

#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::python {

enum class row_reduction { sum, mean, max, min };

/// Which entries of A take part in a sum, for each element of a row of features: that of number chosen[i * width + c].
/// `numbers`: the number of each entry, or null: its position. All entries if `chosen` is null.
struct chosen_entries {
    std::int32_t const* chosen = nullptr;
    std::int32_t const* numbers = nullptr;
};

/// values[k] = sum over c of u(i, c) v(j, c), for entry k = (i, j) of A, u[rows, width], v[columns, width] (SDDMM).
/// One item per row, on the host. With `chosen`, entry k counts for element c only if it is chosen[i * width + c].
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
