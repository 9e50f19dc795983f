// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factorisation for repeated solves: a level of the chain solver, and a final Schur complement, that save their pivot
/// rows and factors.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_factor_lane.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_final_complement.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice::inline v0_1::chain {

enum class factor_step : int { factorise, forward, backward };

inline constexpr int max_lanes = 16; ///< segments that share one block of saved memory: the lanes of the widest pack

template <class T, class BlockRows>
struct factored_level {
    using value_type = T;

    chain_level<T, BlockRows> base; ///< without right-hand sides during the factorisation
    T* saved;
    factor_step step;
    std::uint8_t const* active =
        nullptr; ///< null, or a flag for each segment: whether it has a nonzero right-hand side

    COPPICE_LANE bool open() const { return base.open(); }
    /// Number of saved elements of one segment.
    COPPICE_LANE static std::int64_t saved_each(block_row_shape<any_size> const& g) {
        return std::int64_t(g.inner()) * saved_elements(g);
    }
    /// Number of saved elements of `segments` segments.
    static std::int64_t saved_total(block_row_shape<any_size> const& g, std::int64_t segments) {
        return (segments + max_lanes - 1) / max_lanes * max_lanes * saved_each(g);
    }
    /// Elements of memory that a team needs for any step.
    static std::int64_t elements(block_row_shape<any_size> const& g) {
        std::int64_t const walking = g.reduce_elements(), going = backward_elements(g);
        return walking > going ? walking : going;
    }
    std::int64_t elements() const { return elements(base.shape); }
    std::int64_t items() const { return base.segments; }
    int columns() const { return base.shape.reduce_columns(); }

    /// Whether the step can be skipped, since its input and output are zero.
    template <int Lanes>
    COPPICE_HD bool rests(segment_locations<Lanes> const& at) const {
        if (!active || step == factor_step::factorise) return false;
        for (int l = 0; l < Lanes; ++l)
            if (at.lane[l].segment >= 0 && active[at.lane[l].segment]) return false;
        if (step == factor_step::forward) return true;
        condensed_rows<T> const& around = base.condensed;
        int const size = around.width * around.rhs_count;
        for (int l = 0; l < Lanes; ++l)
            for (int i = 0; i < size && at.lane[l].segment >= 0; ++i)
                if (!is_zero(around.rhs[at.lane[l].segment * size + i]) ||
                    !is_zero(around.rhs[at.lane[l].next * size + i]))
                    return false;
        return true;
    }
    COPPICE_LANE static bool is_zero(T const& value) { return magnitude(value) == 0; }

    /// Executes `step` for the segments in the lanes from p on.
    template <class Lane, class Team>
    COPPICE_HD void run(Team const& team, std::int64_t p, Lane* memory) const {
        constexpr int lanes = lane_count<Lane>;
        if (p >= base.segments) return; // a team without a segment saves nothing
        auto const& g = base.shape;
        // Later steps use the factorisation only, not the matrix.
        auto const at = step == factor_step::factorise
                            ? segments_of<Lane>(base.all, base.block_rows, p)
                            : segments_from<real_lane_t<Lane>>(base.all, base.block_rows.depth, p);
        if (rests(at)) return;
        Lane* const mine = reinterpret_cast<Lane*>(saved) + p / lanes * saved_each(g);
        if (step == factor_step::factorise) {
            auto const how = broadcast<Lane>(base.how);
            memory_stacks stacks(team, base.block_rows, g, at, memory, g.width(), static_cast<Lane const*>(nullptr),
                                 how);
            save_segment(team, stacks, at, mine, save_all{});
            auto const observed = base.growth_in(team, at, largest_of_team(team, stacks.size),
                                                 largest_of_team(team, stacks.largest_left()));
            if (team.any(observed.some)) save_again(team, at, observed, mine, memory);
            team.sync();
        } else if (step == factor_step::forward) {
            forward_segment(team, base.block_rows, g, at, memory, mine, base.condensed);
        } else {
            backward_segment(team, base.block_rows, g, at, memory, mine, base.condensed);
        }
    }

private:
    /// Eliminates the segments and saves their factors and pivot rows.
    template <class Lane, class Team, class Stacks, int Lanes, class Save>
    COPPICE_LANE void save_segment(Team const& team, Stacks& stacks, padded_locations<Lanes> const& at, Lane* mine,
                                   Save const& save) const {
        auto const& g = base.shape;
        using shape = block_row_shape<any_size>;
        using plain = pivot_observer<BlockRows, Lanes>;
        recording_observer<Lane, plain, Save> const observer{save, {{}, base.block_rows, at}, saved_at(mine, g, 0),
                                                             mine, saved_elements(g),         g.width() / g.rows()};
        walk(stacks, g, save_group<Lane, Team, shape, Save>{team, g, mine, save}, observer);
        stacks.for_each(g.width(),
                        store_condensed<shape, segment_locations<Lanes>, condensed_rows<T>>{g, at, base.condensed});
    }
    /// Eliminates by Householder reflections the segments for which chain_level::again requires it, and saves them.
    template <class Lane, class Team, int Lanes>
    [[gnu::noinline]] COPPICE_HD void
    save_again(Team const& team, padded_locations<Lanes> at,
               typename chain_level<T, BlockRows>::template growth<real_lane_t<Lane>> const& seen, Lane* mine,
               Lane* memory) const {
        real_lane_t<Lane> tolerance;
        if (!base.again(team, at, seen, tolerance)) return;
        at.divide_padding(base.block_rows.a.padding_margin());
        auto const how = broadcast<Lane>(base.how);
        householder_stacks stacks(memory_stacks(team, base.block_rows, base.shape, at, memory, base.shape.width(),
                                                static_cast<Lane const*>(nullptr), how),
                                  tolerance);
        save_segment(team, stacks, at, mine, save_some<segment_locations<Lanes>>{at});
    }
};

/// Final Schur complement of every system: factorises the last condensed segment, or solves with the factors.
template <class T>
struct factored_final_complement {
    using value_type = T;

    final_complement<T> base;
    T* saved;
    factor_step step; ///< factorise or forward

    COPPICE_LANE bool open() const { return base.open(); }
    std::int64_t items() const { return base.items(); }
    static int columns() { return 1; }
    std::int64_t elements() const { return base.elements(); }
    COPPICE_LANE static std::int64_t saved_each(int width) { return std::int64_t(width) * (width + 1); }

    template <class Lane, class Team>
    COPPICE_HD void run(Team const& team, std::int64_t s, Lane* memory) const {
        static_assert(lane_count<Lane> == 1);
        if (team.rank() != 0 || s >= base.all.batch.systems || base.all.batch.system(s).rows == 0) return;
        int const w = base.condensed.width;
        saved_group<T> const group{saved + s * saved_each(w), w, w, 0};
        if (step == factor_step::factorise) {
            stack_view<T> const m{memory, w, w, 0};
            typename final_complement<T>::unknown_observer const observer(base.condensed, s);
            base.eliminate(alone{}, s, m, // without right-hand sides
                           recording_observer<T, typename final_complement<T>::unknown_observer>{
                               {}, observer, group, group.at, 0, 0});
            for (int i = 0; i < w * w; ++i) group.at[i] = memory[i];
            return;
        }
        std::int64_t const segment = base.all.first(s, base.condensed.depth);
        for (int rhs_index = 0; rhs_index < base.condensed.rhs_count; ++rhs_index) {
            for (int r = 0; r < w; ++r) memory[r] = base.condensed.rhs_at(segment, r, rhs_index);
            repeat_operations(group, true, memory);
            solve_triangle(
                w, [&](int r, int c) -> T const& { return group.factor(r, c); },
                [&](int r) -> T& { return memory[r]; });
            for (int r = 0; r < w; ++r) base.condensed.rhs_at(segment, r, rhs_index) = memory[r];
        }
    }
};

} // namespace coppice::inline v0_1::chain
