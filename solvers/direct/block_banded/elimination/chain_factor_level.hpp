// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factor once, solve often: a stage of the chain solver that keeps its pivot rows and factors, and a closing that
/// does.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_factor_lane.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice::chain {

enum class factor_step : int { factorise, forward, backward };

inline constexpr int most_lanes = 16; ///< stretches that share one piece of kept memory: those of the widest pack

template <class T, class Units>
struct factored_stage {
    using value_type = T;

    stage<T, Units> base; ///< without right-hand sides while it factorises
    T* kept;
    factor_step step;
    std::uint8_t const* active = nullptr; ///< null, or a flag for each stretch: its right-hand sides are not all zero

    COPPICE_HD COPPICE_ALWAYS_INLINE bool open() const { return base.open(); }
    /// Kept elements of one stretch.
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int64_t kept_each(unit_shape<any_size> const& g) {
        return std::int64_t(g.inner()) * kept_elements(g);
    }
    /// Kept elements of `stretches` stretches.
    static std::int64_t kept_total(unit_shape<any_size> const& g, std::int64_t stretches) {
        return (stretches + most_lanes - 1) / most_lanes * most_lanes * kept_each(g);
    }
    /// Elements of memory that a worker needs for any step.
    static std::int64_t elements(unit_shape<any_size> const& g) {
        std::int64_t const walking = g.reduce_elements(), going = backward_elements(g), coming = forward_elements(g);
        return walking > going ? (walking > coming ? walking : coming) : going > coming ? going : coming;
    }

    /// Whether the step would only write zeros where zeros stand already.
    template <int Lanes>
    COPPICE_HD bool rests(stretch_places<Lanes> const& at) const {
        if (!active || step == factor_step::factorise) return false;
        for (int l = 0; l < Lanes; ++l)
            if (at.lane[l].link >= 0 && active[at.lane[l].link]) return false;
        if (step == factor_step::forward) return true;
        link_units<T> const& around = base.links;
        int const size = around.width * around.sides;
        for (int l = 0; l < Lanes; ++l)
            for (int i = 0; i < size && at.lane[l].link >= 0; ++i)
                if (!is_zero(around.rhs[at.lane[l].link * size + i]) ||
                    !is_zero(around.rhs[at.lane[l].next * size + i]))
                    return false;
        return true;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE static bool is_zero(T const& value) { return magnitude(value) == 0; }

    /// Does `step` for the stretches in the lanes from p on.
    template <class Lane, class Team>
    COPPICE_HD void run(Team const& team, std::int64_t p, Lane* memory) const {
        constexpr int lanes = lane_count<Lane>;
        if (p >= base.stretches) return; // a team without a stretch, which keeps nothing
        auto const& g = base.shape;
        using places = filled_places<lanes>; // later steps know the factorisation alone, not the matrix
        places const at =
            step == factor_step::factorise ? places(base.all, base.units, p) : places(base.all, base.units.depth, p);
        if (rests(at)) return;
        Lane* const mine = reinterpret_cast<Lane*>(kept) + p / lanes * kept_each(g);
        if (step == factor_step::factorise) {
            auto const how = spread<Lane>(base.how);
            memory_stacks stacks(team, base.units, g, at, memory, g.width(), static_cast<Lane const*>(nullptr), how);
            keep_stretch(team, stacks, at, mine, keep_all{});
            auto const grown = base.growth_of(team, at, largest_of_team(team, stacks.size, stacks.next.at),
                                              largest_of_team(team, stacks.largest_left(), stacks.next.at));
            if (team.any(grown.some)) keep_again(team, at, grown, mine, memory);
            team.sync();
        } else if (step == factor_step::forward) {
            forward_stretch(team, base.units, g, at, memory, mine, base.links);
        } else {
            backward_stretch(team, base.units, g, at, memory, mine, link_boundary<T>{base.links});
        }
    }

private:
    /// Eliminates the stretches and keeps their factors and pivot rows.
    template <class Lane, class Team, class Stacks, int Lanes, class Keep>
    COPPICE_HD COPPICE_ALWAYS_INLINE void keep_stretch(Team const& team, Stacks& stacks, filled_places<Lanes> const& at,
                                                       Lane* mine, Keep const& keep) const {
        auto const& g = base.shape;
        using shape = unit_shape<any_size>;
        using plain = pivot_teller<Units, Lanes>;
        recording_teller<Lane, plain, Keep> const teller{keep, {{}, base.units, at}, kept_at(mine, g, 0),
                                                         mine, kept_elements(g),     g.width() / g.rows()};
        walk(stacks, g, keep_group<Lane, Team, shape, Keep>{team, g, mine, keep}, teller);
        stacks.for_each(g.width(), take_link<shape, stretch_places<Lanes>, link_units<T>>{g, at, base.links});
    }
    /// Eliminates by reflections, and keeps, the stretches for which stage::again asks for that.
    template <class Lane, class Team, int Lanes>
    [[gnu::noinline]] COPPICE_HD void
    keep_again(Team const& team, filled_places<Lanes> at,
               typename stage<T, Units>::template growth<real_lane_t<Lane>> const& seen, Lane* mine,
               Lane* memory) const {
        real_lane_t<Lane> tolerance;
        if (!base.again(team, at, seen, tolerance, memory)) return;
        auto const how = spread<Lane>(base.how);
        reflecting_stacks stacks(memory_stacks(team, base.units, base.shape, at, memory, base.shape.width(),
                                               static_cast<Lane const*>(nullptr), how),
                                 tolerance);
        keep_stretch(team, stacks, at, mine, keep_some<stretch_places<Lanes>>{at});
    }
};

/// The closing of every system: factorises the last link, or solves with the factors.
template <class T>
struct factored_closing {
    using value_type = T;

    closing<T> base;
    T* kept;
    factor_step step; ///< factorise or forward

    COPPICE_HD COPPICE_ALWAYS_INLINE bool open() const { return base.open(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int64_t kept_each(int width) {
        return std::int64_t(width) * (width + 1);
    }

    template <class Lane, class Team>
    COPPICE_HD void run(Team const& team, std::int64_t s, Lane* memory) const {
        static_assert(lane_count<Lane> == 1);
        if (team.rank() != 0 || s >= base.all.batch.systems || base.all.batch.system(s).rows == 0) return;
        int const w = base.links.width;
        kept_group<T> const group{kept + s * kept_each(w), w, w, 0};
        if (step == factor_step::factorise) {
            stack_view<T> const m{memory, w, w, 0};
            typename closing<T>::teller const teller(base.links, s);
            base.eliminate(alone{}, s, m, // there are no right-hand sides yet
                           recording_teller<T, typename closing<T>::teller>{{}, teller, group, group.at, 0, 0});
            for (int i = 0; i < w * w; ++i) group.at[i] = memory[i];
            return;
        }
        std::int64_t const link = base.all.first(s, base.links.depth);
        for (int side = 0; side < base.links.sides; ++side) {
            for (int r = 0; r < w; ++r) memory[r] = base.links.side_at(link, r, side);
            repeat_operations(group, true, memory);
            solve_triangle(
                w, [&](int r, int c) -> T const& { return group.factor(r, c); },
                [&](int r) -> T& { return memory[r]; });
            for (int r = 0; r < w; ++r) base.links.side_at(link, r, side) = memory[r];
        }
    }
};

} // namespace coppice::chain
