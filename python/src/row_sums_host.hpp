// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sums of rows of features on the host (sparse_operations::reduce_features for sum and mean), with as many sums as
/// registers hold. Each element is summed in the order of the entries. Run by for_rows_in_registers().
#pragma once

#include <cstdint>
#include <cstring>

#include <coppice/algebra/csr.hpp>

#include "rows_in_registers.hpp"

namespace coppice::python {

template <class T>
struct row_sums {
    csr_view<T> a;
    T const* x;
    std::int64_t width;
    bool mean;
    T* y;

    /// Computes the rows [first, last).
    COPPICE_ALWAYS_INLINE void of_range(std::int64_t first, std::int64_t last) const {
        for (std::int64_t row = first; row < last; ++row) of_row(row);
    }

private:
    static constexpr int lanes = 32 / sizeof(T);
    using pack [[gnu::vector_size(32)]] = T;

    COPPICE_ALWAYS_INLINE void of_row(std::int64_t row) const {
        std::int64_t c = 0;
        for (; c + 8 * lanes <= width; c += 8 * lanes) add_packs<8>(row, c);
        if (c + 4 * lanes <= width) c = add_packs<4>(row, c);
        if (c + 2 * lanes <= width) c = add_packs<2>(row, c);
        if (c + lanes <= width) c = add_packs<1>(row, c);
        if (lanes == 8 && c + 4 <= width) c = add_elements<4>(row, c);
        if (c + 2 <= width) c = add_elements<2>(row, c);
        if (c < width) add_elements<1>(row, c);
    }
    COPPICE_ALWAYS_INLINE T divisor_of(std::int64_t row) const {
        std::int32_t const entries = a.offsets[row + 1] - a.offsets[row];
        return mean && entries > 0 ? T(entries) : T(1);
    }
    template <int Packs>
    COPPICE_ALWAYS_INLINE std::int64_t add_packs(std::int64_t row, std::int64_t c) const {
        pack sums[Packs] = {};
        for (std::int32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
            T const factor = a.coefficients[k];
            T const* const from = row_of_entry(*this, k, c);
#pragma GCC unroll 8
            for (int p = 0; p < Packs; ++p) {
                pack in;
                std::memcpy(&in, from + p * lanes, sizeof in);
                sums[p] += factor * in;
            }
        }
        T const divisor = divisor_of(row);
#pragma GCC unroll 8
        for (int p = 0; p < Packs; ++p) {
            if (mean) sums[p] /= divisor;
            std::memcpy(y + row * width + c + p * lanes, &sums[p], sizeof(pack));
        }
        return c + Packs * lanes;
    }
    template <int Count>
    COPPICE_ALWAYS_INLINE std::int64_t add_elements(std::int64_t row, std::int64_t c) const {
        T sums[Count] = {};
        for (std::int32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
            T const* const from = row_of_entry(*this, k, c);
            for (int e = 0; e < Count; ++e) sums[e] += a.coefficients[k] * from[e];
        }
        for (int e = 0; e < Count; ++e) y[row * width + c + e] = sums[e] / divisor_of(row);
        return c + Count;
    }
};

} // namespace coppice::python
