// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Packing of block-tridiagonal matrices by positions for teams.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/solvers/queueing/resident_offsets.hpp>

namespace coppice::inline v0_1::detail {

/// Copies the bands of the row at position q.
template <class T, class I>
struct pack_bands {
    block_hybrid_view<T, I> a;
    resident_layout layout;
    T *lower, *diagonal, *upper;
    COPPICE_HD void operator()(std::int64_t q) const {
        std::int64_t const i = layout.row(q), padded = a.padded_rows();
        lower[q] = a.bands[i];
        diagonal[q] = a.bands[padded + i];
        upper[q] = a.bands[2 * padded + i];
    }
};

/// Eliminates a block without row exchanges and saves the inverse pivots; returns 0 if partial pivoting would exchange
/// no rows either, else 1.
template <class T>
struct eliminate_resident {
    resident_layout layout;
    T const *lower, *diagonal, *upper;
    T* inverse;
    COPPICE_HD int operator()(std::int64_t block) const {
        std::int64_t const s = block / layout.in_system, j = block - s * layout.in_system;
        int const m = layout.member_of(j), stride = layout.count(m, int(j % layout.halves));
        std::int64_t q = layout.position(block * layout.block);
        T pivot = diagonal[q], largest = pivot < T(0) ? -pivot : pivot;
        bool stays = true;
        for (std::int64_t i = 0; i < layout.block; ++i, q += stride) {
            if (i > 0) {
                T const below = lower[q] < T(0) ? -lower[q] : lower[q];
                stays = stays && below <= largest;
                pivot = diagonal[q] - lower[q] * inverse[q - stride] * upper[q - stride];
                largest = pivot < T(0) ? -pivot : pivot;
            }
            inverse[q] = T(1) / pivot;
            stays = stays && inverse[q] - inverse[q] == T(0);
        }
        return stays ? 0 : 1;
    }
};

/// Number of couplings of the row at position q; 0 for padding rows.
template <class T, class I>
struct couplings_of_position {
    block_hybrid_view<T, I> a;
    resident_layout layout;
    COPPICE_HD std::int64_t operator()(std::int64_t q) const {
        std::int64_t const i = q < layout.rows() ? layout.row(q) : a.rows();
        return i < a.rows() ? std::int64_t(a.couplings.offsets[i + 1] - a.couplings.offsets[i]) : 0;
    }
};
template <class T, class I>
struct pack_couplings {
    block_hybrid_view<T, I> a;
    resident_layout layout;
    std::int32_t const* offsets;
    resident_column* columns;
    T* values;
    COPPICE_HD void operator()(std::int64_t q) const {
        std::int64_t const i = layout.row(q);
        if (i >= a.rows()) return;
        std::int64_t const system = i / layout.rows_of_system() * layout.rows_of_system();
        I const first = a.couplings.offsets[i];
        for (I k = first; k < a.couplings.offsets[i + 1]; ++k) {
            columns[offsets[q] + (k - first)] = resident_column::at(layout, a.couplings.indices[k] - system);
            values[offsets[q] + (k - first)] = a.couplings.coefficients[k];
        }
    }
};

/// Number of couplings of member t % members of system t / members.
template <class T, class I>
struct couplings_of_member {
    block_hybrid_view<T, I> a;
    resident_layout layout;
    COPPICE_HD std::int64_t operator()(std::int64_t t) const {
        std::int64_t const s = t / layout.members;
        int const m = int(t - s * layout.members);
        return offset(s, layout.begin(m + 1)) - offset(s, layout.begin(m));
    }

private:
    COPPICE_HD std::int64_t offset(std::int64_t s, std::int64_t block) const {
        std::int64_t const i = (s * layout.in_system + block) * layout.block;
        return std::int64_t(a.couplings.offsets[i < a.rows() ? i : a.rows()]);
    }
};
/// Returns 1 for a row with a coupling to another system, else 0.
template <class T, class I>
struct leaves_system {
    block_hybrid_view<T, I> a;
    std::int64_t rows_of_system;
    COPPICE_HD int operator()(std::int64_t i) const {
        for (I k = a.couplings.offsets[i]; k < a.couplings.offsets[i + 1]; ++k)
            if (a.couplings.indices[k] / rows_of_system != i / rows_of_system) return 1;
        return 0;
    }
};

} // namespace coppice::inline v0_1::detail
