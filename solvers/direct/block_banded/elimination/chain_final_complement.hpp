// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The final Schur complement of the chain solver: the dense system of the last condensed segment of a system.
#pragma once

#include <cstdint>

#include <coppice/core/device_predicate.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_condensed_rows.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_observers.hpp>

namespace coppice::inline v0_1::chain {

/// The final Schur complement: solves the last condensed segment of each system, a dense system of 2 n equations in
/// which y and z are the same unknowns. Each system needs elements() of memory.
template <class T>
struct final_complement {
    using value_type = T;
    using real = real_lane_t<T>;

    condensed_rows<T> condensed;
    levels all;
    elimination<real_lane_t<T>> how;
    int const* predicate;

    COPPICE_LANE bool open() const { return is_enabled(predicate); }
    std::int64_t items() const { return all.batch.systems; }
    int columns() const { return 3 * condensed.width; }
    std::int64_t elements() const {
        return std::int64_t(condensed.width | 1) * (condensed.width + condensed.rhs_count);
    }

    struct unknown_observer : no_record {
        condensed_rows<T> const& condensed;
        std::int64_t system;
        COPPICE_LANE unknown_observer(condensed_rows<T> const& l, std::int64_t s) : condensed(l), system(s) {}
        COPPICE_LANE bool needed() const { return condensed.singular != nullptr && system >= 0; }
        COPPICE_LANE void operator()(int k, int) const {
            if (std::int64_t const row = condensed.row_before(0, k, system); row >= 0)
                lower_to(condensed.singular + system, met_at(condensed.depth + (k < condensed.a.n ? 0 : 1), row));
        }
    };

    /// Loads S + R of the last condensed segment of a system and its right-hand sides; the identity for a system
    /// without rows.
    template <class Team>
    COPPICE_HD void load(Team const& team, std::int64_t s, stack_view<T> const& m) const {
        std::int64_t const rows = s < all.batch.systems ? all.batch.system(s).rows : 0;
        int const w = condensed.width;
        std::int64_t const segment = rows == 0 ? 0 : all.first(s, condensed.depth);
        for (int i = team.rank(); i < w * m.columns; i += team.size()) {
            int const c = i / w, r = i - c * w, after = rows % 2 == 1 ? (c + w / 2) % w : c;
            m(r, c) = rows == 0 ? condensed.a.sized(c == r ? 1 : 0)
                      : c >= w  ? condensed.entry(segment, r, c + w)
                                : condensed.entry(segment, r, c) + condensed.entry(segment, r, w + after);
        }
    }
    template <class Team>
    COPPICE_HD void run(Team const& team, std::int64_t s, T* memory) const {
        std::int64_t const rows = s < all.batch.systems ? all.batch.system(s).rows : 0;
        int const w = condensed.width, columns = w + condensed.rhs_count;
        // A team without a system takes part with an identity matrix, so that its lanes reach the same barriers.
        bool const idle = rows == 0;
        std::int64_t const segment = idle ? 0 : all.first(s, condensed.depth);
        stack_view<T> const m{memory, w | 1, columns, 0};
        eliminate(team, s, m, unknown_observer{condensed, idle ? -1 : s});
        for (int rhs_index = idle ? condensed.rhs_count : team.rank(); rhs_index < condensed.rhs_count;
             rhs_index += team.size()) {
            solve_triangle(
                w, [&](int r, int c) -> T const& { return m(r, c); }, [&](int r) -> T& { return m(r, w + rhs_index); });
            for (int r = 0; r < w; ++r) condensed.rhs_at(segment, r, rhs_index) = m(r, w + rhs_index);
        }
    }
    /// Eliminates S + R in `m`; by Householder reflections if a segment of the system was eliminated by these or if
    /// rows of S + R grow.
    template <class Team, class Observer>
    COPPICE_LANE void eliminate(Team const& team, std::int64_t s, stack_view<T> const& m,
                                Observer const& observer) const {
        bool const idle = s >= all.batch.systems || all.batch.system(s).rows == 0;
        auto const size = idle ? growth_reference<real>(0, false) : condensed.size_of(all.first(s, condensed.depth));
        prepare(team, s, m);
        eliminate_columns(team, m, condensed.width, condensed.width, condensed.width, m, how, observer);
        if (bool const again =
                size.by_householder || (!idle && exceeds_growth_bound(largest_above(m), size.size, condensed.width));
            team.any(again))
            eliminate_again(team, s, m, size, again, observer);
    }

private:
    template <class Team>
    COPPICE_LANE void prepare(Team const& team, std::int64_t s, stack_view<T> const& m) const {
        load(team, s, m);
        team.sync();
        if (how.equilibrate) equilibrate_rows(team, m, 0, condensed.width, condensed.width);
    }
    /// Largest entry above the diagonal of the pivot rows. A pivot is at least as large as the entries after it, or
    /// irrelevant.
    COPPICE_LANE real largest_above(stack_view<T> const& m) const {
        largest_magnitude<T> largest;
        for (int c = 1; c < condensed.width; ++c)
            for (int r = 0; r < c; ++r) largest.include(m(r, c));
        return largest.value();
    }
    /// `again`: whether this team repeats its elimination; other teams of its warp may take part for their own.
    template <class Team, class Observer>
    [[gnu::noinline]] COPPICE_HD void eliminate_again(Team const& team, std::int64_t s, stack_view<T> const& m,
                                                      growth_reference<real> const& size, bool again,
                                                      Observer const& observer) const {
        masked_team<Team> const workers{team, again};
        real tolerance = size.tolerance();
        if (how.flush) tolerance = larger(tolerance, how.threshold);
        team.sync(); // all lanes have read
        prepare(workers, s, m);
        householder_column<T> eliminated[max_block_row_size];
        eliminate_by_householder(workers, m, condensed.width, condensed.width, condensed.width, m, eliminated);
        report_householder(workers, eliminated, condensed.width, tolerance, observer);
    }
};

} // namespace coppice::inline v0_1::chain
