// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Solves all condensed segments of the chain solver in one kernel, for one right-hand side. A condensed segment
/// consists of 2 n equations in the n unknowns before and the n unknowns at the end of a segment of rows
/// (solvers/direct/DESIGN.md). The kernel merges neighbouring condensed segments until one is left of each system,
/// solves its 2 n equations, and computes the unknowns at the ends of all condensed segments by back substitution. Its
/// body is a template over the Block of core/block.hpp, so that tests can run it on CPU threads.
///
/// A team consists of a few lanes of a warp, which hold the columns of two condensed segments. A team merges
/// consecutive condensed segments one after the other (chain_merge.hpp); then the teams of a system merge theirs as a
/// binary tree. A CUDA block works either on whole systems, one or several, or on a slice of one system. The blocks
/// that share a system synchronise once through global memory; then each block merges the condensed segments of all
/// slices redundantly, in the same way. The separator rows of a merge overwrite the right one of the two condensed
/// segments, and the unknowns overwrite the separator rows during back substitution.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/block_banded/chain_condensed_store.hpp>
#include <coppice/solvers/direct/block_banded/chain_merge.hpp>
#include <coppice/solvers/direct/block_banded/chain_tree_plan.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_observers.hpp>
#include <coppice/solvers/direct/merge/merge_tree.hpp>

namespace coppice::inline v0_1::chain {

/// Condensed segments that a group of teams of a block merges: those of a system, of a slice, or of all slices.
template <class T, int W, class Block>
struct tree_level {
    static constexpr int lanes = merge_lanes<W>;
    using team_type = merge_team<Block, lanes>;
    using columns_type = condensed_columns<T, W, team_type>;

    Block const& block;
    tree_job<T> const& job;
    condensed_store<T, W> condensed, exchange;
    T* around_;
    std::int64_t system, first; ///< the system; the index of its first condensed segment in this group
    int count;                  ///< 0 if the group has no condensed segments
    int maximum;                ///< maximum of `count` over the groups of this warp
    int max_teams;              ///< maximum number of teams of a group of this block, which take part in its barriers
    bool of_slices, exchanged;

    /// The condensed segments of team t are [begin(t), begin(t + 1)).
    COPPICE_LANE int begin(int t) const {
        if (count <= job.plan.teams()) return t < count ? t : count;
        return int(std::int64_t(count) * t >> job.plan.log_teams);
    }
    COPPICE_LANE int used_teams() const { return count < job.plan.teams() ? count : job.plan.teams(); }
    /// Maximum number of condensed segments of a team of the warp.
    COPPICE_LANE int max_segments() const { return (maximum + job.plan.teams() - 1) >> job.plan.log_teams; }
    /// Index of the team in its group.
    COPPICE_LANE int number(team_type const& team) const { return team.number & (job.plan.teams() - 1); }
    COPPICE_LANE T* around(team_type const& team) const { return around_ + team.number * 2 * W; }
    /// Reports unknowns without a pivot before a condensed segment.
    struct observer {
        tree_level const& level;
        int segment, step;
        COPPICE_LANE bool needed() const { return level.job.condensed.singular != nullptr; }
        COPPICE_LANE void operator()(int k, int) const {
            condensed_rows<T> const& all = level.job.condensed;
            std::int64_t const at =
                level.of_slices ? level.job.of_system(level.system).first_of(segment) : level.first + segment;
            if (std::int64_t const row = all.row_before(at, k, level.system); row >= 0)
                lower_to(all.singular + level.system,
                         met_at(step + (level.of_slices ? 32 : 0) + (segment == 0 && k >= W / 2 ? 1 : 0), row));
        }
    };
    /// Barrier of teams that exchange data at a distance of `distance` teams.
    COPPICE_LANE void sync(int distance) const {
        if (distance < team_type::in_warp)
            block.sync_warp();
        else
            block.sync();
    }
    /// Whether a team of the warp receives the condensed segment of the team `distance` after it.
    COPPICE_LANE bool warp_takes(team_type const& team, int distance) const {
        return merging::receives(number(team) & ~(team_type::in_warp - 1), distance, max_teams);
    }
    COPPICE_LANE bool takes(team_type const& team, int distance) const {
        return merging::receives(number(team), distance, used_teams());
    }
    COPPICE_LANE bool leads(team_type const& team) const { return count > 0 && number(team) == 0; }
};

/// The teams of a level while they merge its condensed segments.
template <class T, int W, class Block>
struct merging_teams {
    using level_type = tree_level<T, W, Block>;
    using columns_type = typename level_type::columns_type;

    level_type const& level;
    typename level_type::team_type const& team;
    int const t, begin, end;
    columns_type own;
    typename columns_type::right_columns next; ///< next condensed segment of the run, prefetched

    COPPICE_LANE merging_teams(level_type const& l, typename level_type::team_type const& of,
                               elimination<real_lane_t<T>> const& how)
        : level(l), team(of), t(l.number(of)), begin(l.begin(t)), end(l.begin(t + 1)), own(of, how) {
        own.take_first(level.condensed, begin, begin < end);
        next = own.take_right(level.condensed, begin + 1, false, begin + 1 < end);
    }
    COPPICE_LANE int run() const { return level.max_segments(); }
    COPPICE_LANE int workers() const { return level.max_teams; }
    /// A single implementation for runs and tree, since the code of a merge is long.
    COPPICE_NO_EXEC_CHECK
    COPPICE_LANE void merge(merging::merge_step const& step) {
        auto right = next;
        bool const in_tree = step.in_tree();
        int const distance = step.distance, i = in_tree ? t + distance : begin + step.number;
        bool active = i < end;
        if (in_tree) {
            if (step.level() == 0) own.prepare_own();
            if (merging::sends(t, distance)) own.put(level.exchange, team.number);
            level.sync(distance);
            if (!level.warp_takes(team, distance)) return;
            active = level.takes(team, distance);
            right = own.take_right(level.exchange, team.number + distance, own.swapped, active);
        } else {
            next = own.take_right(level.condensed, i + 1, !own.swapped, i + 1 < end);
        }
        own.merge(right, in_tree ? level.exchange : level.condensed, in_tree ? team.number + distance : i, active,
                  typename level_type::observer{level, in_tree ? level.begin(i) : i, in_tree ? 2 + step.level() : 1});
    }
};

/// Merges the condensed segments of a level. The first team stores the result in `merged` at index `to`, or solves it
/// as the final Schur complement (`last_level`).
COPPICE_NO_EXEC_CHECK
template <class T, int W, class Block>
[[gnu::noinline]] COPPICE_HD void merge_level(tree_level<T, W, Block> const level, bool last_level,
                                              condensed_store<T, W> const& merged, std::int64_t to) {
    using level_type = tree_level<T, W, Block>;
    typename level_type::team_type const team(level.block);
    elimination<real_lane_t<T>> const how = level.job.how;
    merging_teams<T, W, Block> teams(level, team, how);
    merging::merge_all(teams);
    if (!last_level) {
        if (level.leads(team)) teams.own.put(merged, to);
        return;
    }
    if ((teams.t & ~(team.in_warp - 1)) != 0) return; // a warp without the first team of a group
    T y[W];
    teams.own.solve_final(level.exchanged, y, level.leads(team), typename level_type::observer{level, 0, 30});
    T* const around = level.around(team);
    COPPICE_UNROLL
    for (int r = 0; r < W; ++r) {
        if (!level.leads(team) || team.rank() != r) continue;
        around[r] = y[r];
        around[W + (level.exchanged ? (r + W / 2) % W : r)] = y[r];
    }
}

/// The teams of a level during back substitution: from the unknowns around the merged segment, known to the first team,
/// to those before each condensed segment, which overwrite the right-hand sides.
template <class T, int W, class Block>
struct substituting_teams {
    using level_type = tree_level<T, W, Block>;
    using rows_type = separator_rows<T, W, typename level_type::team_type>;

    level_type const& level;
    typename level_type::team_type const& team;
    rows_type const& separator;
    int const begin, last;
    T* const around;
    typename rows_type::lane_values next; ///< next separator rows of the run, prefetched
    T known[W], m[W];

    COPPICE_LANE substituting_teams(level_type const& l, typename level_type::team_type const& of,
                                    rows_type const& rows)
        : level(l), team(of), separator(rows), begin(l.begin(l.number(of))), last(l.begin(l.number(of) + 1) - 1),
          around(l.around(of)), next(rows.load(l.condensed, last, last > begin)) {}
    COPPICE_LANE int run() const { return level.max_segments(); }
    COPPICE_LANE int workers() const { return level.max_teams; }
    COPPICE_LANE void take_known() {
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) known[c] = around[(separator.of_z() ? W : 0) + c];
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_LANE void substitute_tree(int distance) {
        if (level.warp_takes(team, distance)) {
            bool const takes = level.takes(team, distance);
            auto const values = separator.load(level.exchange, team.number + distance, takes);
            take_known();
            T const z = around[W + separator.row()], own = separator.solve(values, known, m);
            level.block.sync_warp(); // all lanes have read
            if (takes && separator.of_z()) around[distance * 2 * W + W + separator.row()] = z;
            if (takes && separator.of_y())
                around[distance * 2 * W + separator.row()] = around[W + separator.row()] = own;
        }
        level.sync(distance);
    }
    /// Starts with the last condensed segment of every team.
    COPPICE_LANE void substitute_run(int segment) {
        int const i = last - (run() - 1 - segment);
        bool const active = i > begin;
        auto const values = next;
        next = separator.load(level.condensed, i - 1, active && i - 1 > begin);
        T const own = separator.solve(values, known, m);
        if (active && separator.of_y()) level.condensed.rhs_of(i)[separator.row()] = own;
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) known[c] = separator.of_z() ? m[c] : known[c];
    }
};

/// Back substitution through a level.
COPPICE_NO_EXEC_CHECK
template <class T, int W, class Block>
[[gnu::noinline]] COPPICE_HD void substitute_level(tree_level<T, W, Block> const level) {
    using level_type = tree_level<T, W, Block>;
    typename level_type::team_type const team(level.block);
    separator_rows<T, W, typename level_type::team_type> const separator{team};
    level.sync(level.job.plan.teams() - 1);
    substituting_teams<T, W, Block> teams(level, team, separator);
    merging::substitute_tree(teams);
    teams.take_known();
    T const y = teams.around[separator.row()];
    merging::substitute_runs(teams);
    if (teams.begin <= teams.last && separator.of_y()) level.condensed.rhs_of(teams.begin)[separator.row()] = y;
}

/// Copies from[count] to to[count] with all threads of a block. `from` may have been written by another block during
/// this kernel: loads bypass the first-level cache. Does not synchronise.
template <class T, class Block>
COPPICE_HD inline void copy_fresh(Block const& block, T* to, T const* from, int count) {
    COPPICE_UNROLL_FOUR
    for (int i = block.thread(); i < count; i += block.threads()) to[i] = load_fresh(from + i);
}

/// Maximum over the lanes of a warp.
COPPICE_NO_EXEC_CHECK
template <class Block>
COPPICE_HD inline int max_of_warp(Block const& block, int value) {
    int const lane = block.thread() & (warp_lanes - 1);
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
        int const other = block.from_lane(value, lane ^ distance);
        value = value < other ? other : value;
    }
    return value;
}

/// Work of block `index`. `shared` has the size and layout of tree_memory; `barrier.wait(block, system, slices)` is a
/// barrier of all blocks that share a system.
COPPICE_NO_EXEC_CHECK
template <int W, class T, class Block, class Barrier>
COPPICE_HD inline void solve_condensed(Block const& block, tree_job<T> const& job, std::int64_t index, Barrier& barrier,
                                       T* shared) {
    tree_memory<T, W> const memory(job.plan, shared);
    int const slices = job.plan.slices, group = int(unsigned(block.thread()) / merge_lanes<W>) >> job.plan.log_teams;
    std::int64_t const system = slices > 1 ? index / slices : index * job.plan.systems_of_block(merge_lanes<W>) + group;
    int const slice = slices > 1 ? int(index - system * slices) : 0;
    system_segments const of_system = job.of_system(system);
    bool const works = slice < of_system.slices;
    std::int64_t const first = works ? of_system.first_of(slice) : 0, end = works ? of_system.first_of(slice + 1) : 0;
    int const count = int(end - first);
    int const maximum = job.uneven() ? max_of_warp(block, count) : slices == 1 ? int(job.plan.segments) : count;
    int const teams = job.plan.teams();
    tree_level<T, W, Block> const own{block,
                                      job,
                                      job.template store<W>().from(of_system.first + first),
                                      memory.of_teams(),
                                      memory.around(),
                                      system,
                                      first,
                                      count,
                                      maximum,
                                      job.uneven() || maximum > teams ? teams : maximum,
                                      false,
                                      of_system.exchanged()};
    auto const of_slices = job.template store_of_slices<W>();
    merge_level(own, slices == 1, of_slices, index);
    if (slices > 1) {
        barrier.wait(block, system, slices);
        if (!works) return;
        int const merged_slices = of_system.slices;
        auto const all = memory.of_slices(), theirs = of_slices.from(system * slices);
        copy_fresh(block, all.matrix, theirs.matrix, merged_slices * 2 * W * W);
        copy_fresh(block, all.rhs, theirs.rhs, merged_slices * W);
        copy_fresh(block, all.sizes, theirs.sizes, merged_slices);
        block.sync();
        tree_level<T, W, Block> merged = own;
        merged.condensed = all, merged.exchange = memory.merging_slices();
        merged.first = 0, merged.count = merged.maximum = merged_slices;
        merged.max_teams = merged_slices < teams ? merged_slices : teams;
        merged.of_slices = true;
        merge_level(merged, true, all, 0);
        substitute_level(merged);
        block.sync();
        if (int const r = block.thread(); r < W) {
            bool const last = slice + 1 == merged_slices;
            memory.around()[r] = all.rhs_of(slice)[r];
            memory.around()[W + r] =
                last ? all.rhs_of(0)[of_system.exchanged() ? (r + W / 2) % W : r] : all.rhs_of(slice + 1)[r];
        }
    }
    substitute_level(own);
}

} // namespace coppice::inline v0_1::chain
