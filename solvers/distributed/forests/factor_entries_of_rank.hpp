// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The entries of the rows of a rank that belong to the factors of a splitting, and weights that they take.
#pragma once

#include <cstdint>

#include <coppice/graph/forest/forest_decomposition.hpp>
#include <coppice/solvers/distributed/forests/rank_factor.hpp>

namespace coppice::inline v0_1::distributed {

/// take_row_weights of mixed_splitting.hpp for the rows of a rank.
template <class T>
struct take_weights_of_rank {
    csr_view<T> first; ///< C_0; columns: own vertices, then outer vertices
    rank_ids ids;
    factor_columns const* columns;
    T omega;
    T* now; ///< C_l, replaced by C_{l+1} (Eq. 71)
    COPPICE_HD graph_detail::held_weight operator()(std::int64_t i) const {
        graph_detail::held_weight sum{0, 0};
        for (std::int32_t k = first.offsets[i]; k < first.offsets[i + 1]; ++k) {
            if (first.indices[k] == std::int32_t(i)) continue;
            double const size = double(detail::magnitude(first.coefficients[k]));
            bool const takes = now[k] != T(0) && columns[i].slot(ids(first.indices[k])) >= 0;
            if (takes) now[k] = omega * now[k];
            sum.newest += takes ? size : 0;
            sum.all += takes || now[k] != first.coefficients[k] ? size : 0;
        }
        return sum;
    }
};
/// Weights of a row, and those that a factor contains.
template <class T>
struct weights_in_factor {
    csr_view<T> weights;
    rank_ids ids;
    factor_columns const* columns;
    COPPICE_HD graph_detail::covered_weight operator()(std::int64_t i) const {
        graph_detail::covered_weight sum{0, 0};
        for (std::int32_t k = weights.offsets[i]; k < weights.offsets[i + 1]; ++k) {
            if (weights.indices[k] == std::int32_t(i)) continue;
            double const weight = double(detail::magnitude(weights.coefficients[k]));
            sum.all += weight;
            sum.covered += columns[i].slot(ids(weights.indices[k])) >= 0 ? weight : 0;
        }
        return sum;
    }
};

/// Whether factor l contains an entry: an entry belongs to the first factor with its column, or to all of them.
struct entry_owners {
    std::uint8_t* owner; ///< factor that owns an entry, counted from 1; 0: none. null: factors share entries
    std::uint8_t l;      ///< counted from 1
    COPPICE_HD bool contains(std::int64_t k) const { return !owner || owner[k] == l; }
    COPPICE_HD void claim(std::int64_t k) const {
        if (owner[k] == 0) owner[k] = l;
    }
};

template <class T>
struct claim_own_entries {
    csr_view<T> own;
    std::int32_t first; ///< first row of the rank
    factor_columns const* columns;
    entry_owners owners;
    COPPICE_HD void operator()(std::int64_t i) const {
        for (std::int32_t k = own.offsets[i]; k < own.offsets[i + 1]; ++k)
            if (columns[i].slot(first + own.indices[k]) >= 0) owners.claim(k);
    }
};
template <class T>
struct claim_couplings {
    couplings_view<T> couplings;
    factor_columns const* columns;
    entry_owners owners;
    COPPICE_HD void operator()(std::int64_t r) const {
        for (std::int32_t k = couplings.offsets[r]; k < couplings.offsets[r + 1]; ++k)
            if (columns[couplings.of[r]].slot(couplings.columns[k]) >= 0) owners.claim(k);
    }
};
/// The entries of the own block; the diagonal is in every factor.
template <class T>
struct read_own_entries {
    csr_view<T> own;
    std::int32_t first;
    factor_columns const* columns;
    entry_owners owners;
    factor_row<T>* rows;
    COPPICE_HD void operator()(std::int64_t i) const {
        factor_row<T> row{};
        for (std::int32_t k = own.offsets[i]; k < own.offsets[i + 1]; ++k) {
            int const slot = columns[i].slot(first + own.indices[k]);
            if (slot < 0 || !(own.indices[k] == std::int32_t(i) || owners.contains(k))) continue;
            row.of[slot] = row.of[slot] + own.coefficients[k];
        }
        rows[i] = row;
    }
};
template <class T>
struct add_coupling_entries {
    couplings_view<T> couplings;
    factor_columns const* columns;
    entry_owners owners;
    factor_row<T>* rows;
    COPPICE_HD void operator()(std::int64_t r) const {
        std::int32_t const i = couplings.of[r];
        for (std::int32_t k = couplings.offsets[r]; k < couplings.offsets[r + 1]; ++k)
            if (int const slot = columns[i].slot(couplings.columns[k]); slot >= 0 && owners.contains(k))
                rows[i].of[slot] = rows[i].of[slot] + couplings.values[k];
    }
};

} // namespace coppice::inline v0_1::distributed
