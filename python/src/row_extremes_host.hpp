// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Largest and smallest products of rows of features on the host (sparse_operations::reduce_features for max and min),
/// several elements in a register; and the sums of the gradients, which only contain the chosen entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/parallel.hpp>

#include "rows_in_registers.hpp"

namespace coppice::python {

template <class T>
struct row_extremes {
    csr_view<T> a;
    T const* x;
    std::int64_t width;
    T sign; ///< 1 for max, -1 for min
    T* y;
    std::int32_t* from; ///< may be null

    /// Computes the rows [first, last).
    COPPICE_ALWAYS_INLINE void of_range(std::int64_t first, std::int64_t last) const {
        if (from)
            for (std::int64_t row = first; row < last; ++row) of_row<true>(row);
        else
            for (std::int64_t row = first; row < last; ++row) of_row<false>(row);
    }

private:
    static constexpr int lanes = 32 / sizeof(T);
    using pack [[gnu::vector_size(32)]] = T;
    using integers = decltype(pack{} < pack{}); ///< masks, and positions of entries

    template <bool Positions>
    COPPICE_ALWAYS_INLINE void of_row(std::int64_t row) const {
        std::int64_t c = 0;
        for (; c + 4 * lanes <= width; c += 4 * lanes) select_packs<4, Positions>(row, c, 4 * lanes);
        for (; c + lanes <= width; c += lanes) select_packs<1, Positions>(row, c, lanes);
        if (c < width) select_packs<1, Positions>(row, c, width - c);
    }
    /// Selects the elements [c, c + count) of a row. A product replaces the present one if it is larger, or is NaN and
    /// the present one is not. So the first of equal products stays, and NaN is the result if there is one.
    template <int Packs, bool Positions>
    COPPICE_ALWAYS_INLINE void select_packs(std::int64_t row, std::int64_t c, std::int64_t count) const {
        std::int32_t const begin = a.offsets[row], end = a.offsets[row + 1];
        T const* const last = x + a.columns() * width - lanes; // the last place from which a whole pack can be read
        pack best[Packs] = {};
        integers position[Packs];
        for (auto& each : position) each = integers{} + (begin < end ? begin : -1);
        auto const multiply = [&](std::int32_t k, T const* from_x, pack& product) {
            if (count >= lanes || from_x <= last) {
                std::memcpy(&product, from_x, sizeof product);
            } else {
                product = pack{};
                for (std::int64_t l = 0; l < count; ++l) product[l] = from_x[l];
            }
            product *= sign * a.coefficients[k];
        };
        if (begin < end)
            for (int p = 0; p < Packs; ++p) multiply(begin, row_of_entry(*this, begin, c) + p * lanes, best[p]);
        for (std::int32_t k = begin + 1; k < end; ++k) {
            T const* const row_of_x = row_of_entry(*this, k, c);
#pragma GCC unroll 4
            for (int p = 0; p < Packs; ++p) {
                pack product;
                multiply(k, row_of_x + p * lanes, product);
                integers const better = ~(product <= best[p]) & (best[p] == best[p]);
                best[p] = better ? product : best[p];
                if constexpr (Positions) position[p] = better ? integers{} + k : position[p];
            }
        }
#pragma GCC unroll 4
        for (int p = 0; p < Packs; ++p) {
            pack const result = begin < end ? sign * best[p] : pack{};
            std::int64_t const at = row * width + c + p * lanes;
            std::int64_t const stored = std::min<std::int64_t>(count, lanes);
            if (stored == lanes)
                std::memcpy(y + at, &result, sizeof result);
            else
                for (int l = 0; l < stored; ++l) y[at + l] = result[l];
            if constexpr (Positions)
                for (int l = 0; l < stored; ++l) from[at + l] = static_cast<std::int32_t>(position[p][l]);
        }
    }
};

/// z_j = sum of a_ij y_i over the entries (i, j) that were chosen for an element, for y[rows, width], z[columns,
/// width], chosen[rows, width]; z is 0 on entry. Takes rows * width steps, where the transposed matrix would take width
/// for each entry. Each task adds a few columns, so that no two write to the same element, and in the order of the
/// rows.
template <class T>
void add_chosen(host_executor const& exec, csr_view<T> a, T const* y, std::int64_t width, std::int32_t const* chosen,
                T* z) {
    constexpr std::int64_t together = 64 / sizeof(T); // a cache line
    coppice::detail::for_each_block(exec, width, together, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t row = 0; row < a.rows(); ++row)
            for (std::int64_t c = first; c < last; ++c) {
                std::int32_t const k = chosen[row * width + c];
                if (k >= 0) z[a.indices[k] * width + c] += a.coefficients[k] * y[row * width + c];
            }
    });
}

} // namespace coppice::python
