// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Levels of the chain solver. The input of a level is block rows: those of the matrix or the condensed segments of the
/// previous level. A level splits them into segments, eliminates the inner unknowns of every segment and produces one
/// condensed segment for each (solvers/direct/DESIGN.md).
#pragma once

#include <concepts>
#include <cstdint>

#include <coppice/core/device_predicate.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_condensed_rows.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_matrix_block_rows.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_observers.hpp>

namespace coppice::inline v0_1::chain {

/// Converts the options of an elimination to a lane type.
template <class Lane, class Real>
COPPICE_LANE auto broadcast(elimination<Real> const& how) {
    using real = real_lane_t<Lane>;
    return elimination<real>{real(how.threshold), how.flush, how.equilibrate};
}

/// The segments of the lanes of a pack from p on, without padding. `Real` also distinguishes the copies for several
/// instruction sets.
template <class Real>
COPPICE_HD COPPICE_ONE_COPY padded_locations<lane_count<Real>> segments_from(levels const& l, int depth,
                                                                             std::int64_t p) {
    return {l, depth, p};
}
/// The same, with padding.
template <class Lane, class BlockRows>
COPPICE_HD COPPICE_ONE_COPY padded_locations<lane_count<Lane>> segments_of(levels const& l, BlockRows const& block_rows,
                                                                           std::int64_t p) {
    auto at = segments_from<real_lane_t<Lane>>(l, block_rows.depth, p);
    at.pad(l, block_rows);
    return at;
}

/// The reduction of a level (`Left`), or its substitution, as a job of a launcher: `items()` pieces of work, each done
/// by a team in elements() of memory.
template <bool Left, class Level>
struct level_pass {
    using value_type = typename Level::value_type;

    Level level;

    COPPICE_LANE bool open() const { return level.open(); }
    std::int64_t items() const { return level.segments; }
    int columns() const { return Left ? level.shape.reduce_columns() : level.shape.substitute_columns(); }
    std::int64_t elements() const { return Left ? level.shape.reduce_elements() : level.shape.substitute_elements(); }
    template <class Lane, class Team>
    COPPICE_LANE void run(Team const& team, std::int64_t p, Lane* memory) const {
        run(team, level.shape, p, memory);
    }
    /// For the segments in the lanes from p on.
    template <class Lane, class Team, class Shape>
    COPPICE_LANE void run(Team const& team, Shape const& g, std::int64_t p, Lane* memory) const {
        if constexpr (Left)
            level.reduce(team, g, p, memory);
        else
            level.substitute(team, g, p, memory);
    }
};

/// Arguments of one level: block rows as input, condensed segments as output.
template <class T, class BlockRows>
struct chain_level {
    using value_type = T;
    using real = real_lane_t<T>;

    BlockRows block_rows;
    condensed_rows<T> condensed;
    levels all;
    block_row_shape<any_size> shape;
    elimination<real_lane_t<T>> how;
    std::int64_t segments;
    int const* predicate; ///< device predicate: if not null and *predicate is 0, the level does nothing

    COPPICE_LANE bool open() const { return is_enabled(predicate); }
    level_pass<true, chain_level> reduction() const { return {*this}; }
    level_pass<false, chain_level> substitution() const { return {*this}; }

    template <class Lane, class Team, class Shape>
    COPPICE_HD void reduce(Team const& team, Shape const& g, std::int64_t p, Lane* memory) const {
        auto const at = segments_of<Lane>(all, block_rows, p);
        pivot_observer<BlockRows, lane_count<Lane>> const observer{{}, block_rows, at};
        auto const lane_how = broadcast<Lane>(how);
        memory_stacks stacks(team, block_rows, g, at, memory, g.width(), static_cast<Lane const*>(nullptr), lane_how);
        reduce_segment(stacks, g, at, condensed, observer);
        auto const observed =
            growth_in(team, at, largest_of_team(team, stacks.size), largest_of_team(team, stacks.largest_left()));
        if (team.any(observed.some)) reduce_again(team, at, observed, memory);
        team.sync();
    }
    template <class Lane, class Team, class Shape>
    COPPICE_HD void substitute(Team const& team, Shape const& g, std::int64_t p, Lane* memory) const {
        auto const at = segments_of<Lane>(all, block_rows, p);
        auto flags = condensed.by_householder(at);
        if (team.any(flags.leaves_some(at))) {
            auto const lane_how = broadcast<Lane>(how);
            slot_rows<Lane, Shape> const slots = slots_in(g, memory);
            take_left(team, g, at, slots, condensed);
            memory_stacks stacks(team, block_rows, g, at, memory, 0, static_cast<Lane const*>(slots.known()), lane_how);
            substitute_segment(team, stacks, g, at, slots, condensed, silent_observer{});
            if (team.any(some_violated(team, at, stacks.now, slots))) flag_violated(team, at, stacks.now, slots, flags);
            store(team, at, slots, flags, true);
        }
        if (team.any(flags.any())) substitute_again(team, at, flags, memory);
    }

    /// Data of the growth test for the segments of a pack, after their reduction.
    template <class Real>
    struct growth {
        /// Largest entries: of the first block rows, if these are rows of the matrix; of the condensed segments.
        Real size, largest;
        bool some; ///< whether any segment must be tested again
    };
    /// Stores the growth references of the condensed segments.
    template <class Team, int Lanes, class Real>
    COPPICE_HD COPPICE_ONE_COPY growth<Real> growth_in(Team const& team, segment_locations<Lanes> const& at,
                                                       Real const& first, Real const& largest) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) {
            if (0 > at.lane[l].segment) continue;
            auto const size = size_before(at.lane[l], get_lane(first, l));
            some =
                some || size.by_householder || exceeds_growth_bound(get_lane(largest, l), size.size, condensed.width);
            if (team.rank() == 0) condensed.sizes[at.lane[l].segment] = size.encoded();
        }
        return {first, largest, some};
    }
    /// Growth reference of a segment before the test, from its condensed segments or from the size of its rows.
    COPPICE_LANE growth_reference<real> size_before(segment_location const& at, real const& of_matrix) const {
        growth_reference<real> known = block_rows.known(at, shape.block_rows);
        if (how.equilibrate)
            known.size = 1;
        else if (BlockRows::of_matrix)
            known.size = of_matrix;
        return known;
    }

    /// Keeps in `at` only the segments that must be eliminated again by Householder reflections: those whose condensed
    /// rows have grown, and those with a condensed segment beneath them that came from reflections (only then does the
    /// size of a pivot decide whether it counts as zero). Returns whether any segment is left in this team or in the
    /// teams that run in lockstep with it.
    template <class Team, int Lanes, class Real>
    COPPICE_HD bool again(Team const& team, segment_locations<Lanes>& at, growth<Real> const& seen,
                          Real& tolerance) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) {
            segment_location& location = at.lane[l];
            real const largest = get_lane(seen.largest, l);
            auto size = size_before(location, get_lane(seen.size, l));
            bool const due = location.segment >= 0 &&
                             (size.by_householder || exceeds_growth_bound(largest, size.size, condensed.width));
            if (BlockRows::of_matrix && !how.equilibrate &&
                (due || Lanes == 1)) // a team takes part in the reductions of others
                size.size = larger(
                    size.size, largest_of_team(team, block_rows.largest_rows(team, location, shape.block_rows).entry));
            size.by_householder =
                due && (size.by_householder || exceeds_growth_bound(largest, size.size, condensed.width));
            set_lane(tolerance, l, size.tolerance());
            if (due && team.rank() == 0) condensed.sizes[location.segment] = size.encoded();
            if (!size.by_householder) location.segment = -1;
            some = some || size.by_householder;
        }
        if (how.flush) tolerance = larger(tolerance, Real(how.threshold));
        return team.any(some);
    }
    template <class Lane, class Team, int Lanes>
    [[gnu::noinline]] COPPICE_HD void reduce_again(Team const& team, padded_locations<Lanes> at,
                                                   growth<real_lane_t<Lane>> const& seen, Lane* memory) const {
        real_lane_t<Lane> tolerance;
        if (!again(team, at, seen, tolerance)) return;
        at.divide_padding(block_rows.a.padding_margin());
        auto const lane_how = broadcast<Lane>(how);
        householder_stacks stacks(memory_stacks(team, block_rows, shape, at, memory, shape.width(),
                                                static_cast<Lane const*>(nullptr), lane_how),
                                  tolerance);
        reduce_segment(stacks, shape, at, condensed, pivot_observer<BlockRows, Lanes>{{}, block_rows, at});
    }
    /// Whether the residual of unused rows is too large in a segment that was condensed by pivoting.
    template <int Lanes, class Real>
    COPPICE_LANE bool violates(segment_locations<Lanes> const& at, Real const& residual, Real const& solution) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) {
            if (0 > at.lane[l].segment) continue;
            real const size = condensed.sizes[at.lane[l].segment];
            some = some || (size >= 0 && exceeds_residual_bound(get_lane(residual, l), size, get_lane(solution, l)));
        }
        return some;
    }
    /// Flags column s of the segments for which this holds. In contrast to violates(), which compares with the largest
    /// entry, `solution` is the largest of all unknowns of a segment, and the norm of its rows is computed.
    template <class Team, int Lanes, class Real>
    COPPICE_HD void flag(Team const& team, segment_locations<Lanes> const& at, int s, Real const& residual,
                         Real const& solution, flagged_columns<Lanes>& flags) const {
        for (int l = 0; l < Lanes; ++l) {
            segment_location const& location = at.lane[l];
            real norm = location.segment < 0 ? real(0) : magnitude(condensed.sizes[location.segment]);
            if (!how.equilibrate)
                norm =
                    larger(norm, largest_of_team(team, block_rows.largest_rows(team, location, shape.block_rows).sum));
            if (location.segment >= 0 && exceeds_residual_bound(get_lane(residual, l), norm, get_lane(solution, l)))
                flags.of_lane[l] |= 1u << s;
        }
    }
    /// Substitutes by Householder reflections; only for the flagged columns of segments.
    template <class Lane, class Team, int Lanes>
    [[gnu::noinline]] COPPICE_HD void substitute_again(Team const& team, padded_locations<Lanes> at,
                                                       flagged_columns<Lanes> const flags, Lane* memory) const {
        at.divide_padding(block_rows.a.padding_margin());
        auto const lane_how = broadcast<Lane>(how);
        slot_rows<Lane, block_row_shape<any_size>> const slots = slots_in(shape, memory);
        take_left(team, shape, at, slots, condensed);
        householder_stacks stacks(
            memory_stacks(team, block_rows, shape, at, memory, 0, static_cast<Lane const*>(slots.known()), lane_how),
            real_lane_t<Lane>(0));
        substitute_segment(team, stacks, shape, at, slots, condensed, silent_observer{});
        store(team, at, slots, flags, false);
    }

private:
    /// The slots after the two stacks of a substitution.
    template <class Lane, class Shape>
    COPPICE_LANE static slot_rows<Lane, Shape> slots_in(Shape const& g, Lane* memory) {
        return {memory + 2ll * g.pitch() * g.substitute_columns(), g};
    }
    /// Residual of unused row r for column s, after a walk with known y.
    template <class Lane, class Shape>
    COPPICE_LANE static Lane residual_of(stack_view<Lane> const& rows, slot_rows<Lane, Shape> const& slots, int r,
                                         int s) {
        Lane value = rows(r, slots.g.active() + s);
        for (int j = 0; j < slots.g.width(); ++j) value = value - rows(r, j) * slots.z(j, s);
        return value;
    }
    /// Largest of y and z in column s.
    template <class Lane, class Shape>
    COPPICE_LANE static real_lane_t<Lane> largest_around(slot_rows<Lane, Shape> const& slots, int s) {
        real_lane_t<Lane> largest(0);
        for (int j = 0; j < slots.g.width(); ++j)
            largest = larger(larger(magnitude(slots.y(j, s)), magnitude(slots.z(j, s))), largest);
        return largest;
    }
    /// Whether the residual of an unused row may be too large: compares with the first rows, y and z only.
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_LANE bool some_violated(Team const& team, segment_locations<Lanes> const& at, stack_view<Lane> const& rows,
                                    slot_rows<Lane, Shape> const& slots) const {
        bool some = false;
        for (int s = 0; s < slots.g.rhs_count; ++s) {
            real_lane_t<Lane> residual(0);
            for (int r = team.rank(); r < slots.g.width(); r += team.size())
                residual = larger(magnitude(residual_of(rows, slots, r, s)), residual);
            some = violates(at, residual, largest_around(slots, s)) || some;
        }
        return some;
    }
    /// Flags the columns in which the residual of an unused row is too large.
    template <class Lane, class Team, class Shape, int Lanes>
    [[gnu::noinline]] COPPICE_HD void flag_violated(Team const& team, segment_locations<Lanes> const& at,
                                                    stack_view<Lane> const& rows, slot_rows<Lane, Shape> const& slots,
                                                    flagged_columns<Lanes>& flags) const {
        Shape const& g = slots.g;
        for (int s = 0; s < g.rhs_count; ++s) {
            real_lane_t<Lane> residual(0), solution = largest_around(slots, s);
            for (int r = 0; r < g.width(); ++r) residual = larger(magnitude(residual_of(rows, slots, r, s)), residual);
            for (int k = 0; k < g.block_rows * g.rows(); ++k)
                solution = larger(magnitude(slots.rhs(k / g.rows(), k % g.rows(), s)), solution);
            flag(team, at, s, residual, solution, flags);
        }
    }
    /// Stores the solution of the columns that are not flagged (or of those that are, if not `flagged`): of all
    /// columns, or of none, if this team has no flag and only takes part in the reflections of teams in lockstep with
    /// it.
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_LANE void store(Team const& team, segment_locations<Lanes> const& at, slot_rows<Lane, Shape> const& slots,
                            flagged_columns<Lanes> const& flags, bool flagged) const {
        bool const some = flags.any();
        for (int s = 0; s < slots.g.rhs_count; ++s) {
            if (!some) {
                if (flagged) store_column(team, at, slots, s);
                continue;
            }
            auto here = at;
            if (flags.remove(here, s, flagged)) store_column(team, here, slots, s);
        }
        team.sync();
    }
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_LANE void store_column(Team const& team, segment_locations<Lanes> const& at,
                                   slot_rows<Lane, Shape> const& slots, int s) const {
        int const k = slots.g.rows();
        for (int i = team.rank(); i < slots.g.block_rows * k; i += team.size())
            block_rows.store(at, i / k, i % k, s, slots.rhs(i / k, i % k, s));
    }
};

/// Whether a pass is over the rows of a real matrix.
template <class Job>
inline constexpr bool is_real_pass = false;
template <bool Left, std::floating_point T>
inline constexpr bool is_real_pass<level_pass<Left, chain_level<T, matrix_block_rows<T>>>> = true;

} // namespace coppice::inline v0_1::chain
