// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sums of rows of features on the host (reduce_features for sum and mean), with as many sums as registers hold. Each
/// element is summed in the order of the entries, so that the bits are those of reduce_features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/parallel.hpp>

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
    /// The factor and the row of x of entry k; fetches the row of a later entry.
    COPPICE_ALWAYS_INLINE T const* row_of_entry(std::int32_t k, std::int64_t c) const {
        std::int32_t const* const columns = a.indices;
        if (k + 8 < a.nonzeros()) __builtin_prefetch(x + columns[k + 8] * width + c);
        return x + columns[k] * width + c;
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
            T const* const from = row_of_entry(k, c);
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
            T const* const from = row_of_entry(k, c);
            for (int e = 0; e < Count; ++e) sums[e] += a.coefficients[k] * from[e];
        }
        for (int e = 0; e < Count; ++e) y[row * width + c + e] = sums[e] / divisor_of(row);
        return c + Count;
    }
};

template <class T>
void sum_range(row_sums<T> const& sums, std::int64_t first, std::int64_t last) {
    sums.of_range(first, last);
}
#if defined(__x86_64__)
/// The same with registers of 32 bytes; without fused operations, so that the bits are the same on every processor.
template <class T>
[[gnu::target("avx2")]] void sum_range_avx2(row_sums<T> const& sums, std::int64_t first, std::int64_t last) {
    sums.of_range(first, last);
}
#endif

template <class T>
void sum_rows(host_executor const& exec, row_sums<T> const& sums) {
    auto run = sum_range<T>;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) run = sum_range_avx2<T>;
#endif
    // Rows have very different lengths in graphs: many small blocks balance the threads.
    std::int64_t const block = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, sums.width));
    coppice::detail::for_each_block(
        exec, sums.a.rows(), block,
        [&](std::int64_t, std::int64_t first, std::int64_t last) { run(sums, first, last); });
}

} // namespace coppice::python
