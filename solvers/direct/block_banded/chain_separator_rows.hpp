// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Back substitution from the separator rows of a merge (chain_merge.hpp) to its unknowns.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/block_banded/chain_condensed_store.hpp>

namespace coppice::inline v0_1::chain {

/// Back substitution through separator rows. Lane r < W of a team has row r of the columns of y and of the triangle,
/// lane W + r has row r of the columns of z.
template <class T, int W, class Team>
struct separator_rows {
    Team const& team;

    /// The values of separator rows in this lane.
    struct lane_values {
        T entry[W], upper[W], rhs;
    };
    COPPICE_LANE lane_values load(condensed_store<T, W> const& separators, std::int64_t i, bool active) const {
        lane_values p{};
        if (!active || team.rank() >= 2 * W) return p;
        T const* const from = separators.column(i, of_z() ? W : 0) + row();
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) p.entry[c] = from[c * W];
        if (of_z()) return p;
        // For c < row() this reads another entry of the triangle; the value computed from it is not used.
        T const* const triangle = separators.upper + i * separators.triangle + row();
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) p.upper[c] = triangle[c * (c + 1) / 2];
        p.rhs = separators.rhs_of(i)[row()];
        return p;
    }
    /// Computes m; `known` is y in the lanes of y and z in the lanes of z. Every lane gets all of m; in the lanes of y
    /// the return value is the unknown of the row of the lane.
    COPPICE_LANE T solve(lane_values const& p, T const (&known)[W], T (&m)[W]) const {
        T sum(0), own(0);
        COPPICE_UNROLL
        for (int c = W - 1; c >= 0; --c) sum = sum + p.entry[c] * known[c];
        T value = p.rhs - sum - team.from(sum, W + row());
        COPPICE_UNROLL
        for (int k = W - 1; k >= 0; --k) {
            T const solved = value * p.upper[k];
            own = select(row() == k, solved, own);
            m[k] = team.from(solved, k);
            value = value - p.upper[k] * m[k];
        }
        return own;
    }
    COPPICE_LANE int row() const { return int(unsigned(team.rank()) % W); }
    COPPICE_LANE bool of_y() const { return team.rank() < W; }
    COPPICE_LANE bool of_z() const { return !of_y() && team.rank() < 2 * W; }
};

} // namespace coppice::inline v0_1::chain
