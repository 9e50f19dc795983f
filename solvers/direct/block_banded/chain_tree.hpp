// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// All links of the chain solver in one kernel, for one right-hand side. A link is what elimination has left of
/// consecutive rows: 2 n equations in the n unknowns before and the n at the end of these rows (words.md). The kernel
/// joins neighbouring links until one is left of each system, solves the 2 n equations of that one, and goes back
/// to the unknowns at the ends of all links. Its body is a template over the Block of core/block.hpp, so that tests run
/// the body on CPU threads.
///
/// A team is a few lanes of a warp that hold the columns of two links. A team joins consecutive links one after the
/// other (chain_join.hpp); then the teams of a system join their links as a binary tree. A CUDA block works either on
/// whole systems, one or several, or on a share of one system. The blocks that share a system wait for each other once
/// in global memory; then each block joins the links of all shares by itself, in the same way. The pivot rows of a
/// join, the joint, are stored over the right one of the two links, and on the way back the unknowns over the joint.
#pragma once

#include <algorithm>
#include <bit>

#include <coppice/core/block.hpp>
#include <coppice/core/device_predicate.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/block_banded/chain_block.hpp>
#include <coppice/solvers/direct/block_banded/chain_merge.hpp>
#include <coppice/solvers/direct/merge/merge_tree.hpp>

namespace coppice::chain {

/// Most threads of a block, which have all registers of a multiprocessor.
template <class T, int W>
inline constexpr int tree_threads = W * sizeof(T) >= 32 ? 256 : 512;
/// Where there are few links: a warp for each scheduler, so that none waits for another.
inline constexpr int least_tree_threads = 128;

/// How the links of equal systems are laid over blocks and teams. Shares and teams decide the bits of a solution; they
/// follow from the size and number of the systems and from the device.
struct tree_plan {
    std::int64_t systems = 0;
    std::int64_t links = 0; ///< of a system
    int shares = 1;         ///< blocks that share a system
    int log_teams = 0;      ///< of the teams that share a system in a block
    int threads = 0;        ///< of a block, whole warps

    COPPICE_HD int teams() const { return 1 << log_teams; }
    /// `lanes` of a team.
    COPPICE_HD int teams_of_block(int lanes) const { return int(unsigned(threads) / unsigned(lanes)); }
    COPPICE_HD int systems_of_block(int lanes) const { return teams_of_block(lanes) >> log_teams; }
    std::int64_t blocks(int lanes) const {
        if (shares > 1) return systems * shares;
        return (systems + systems_of_block(lanes) - 1) / systems_of_block(lanes);
    }
};

/// Elements that a part of memory takes, so that the next begins at a multiple of 16 bytes.
COPPICE_HD constexpr std::int64_t whole_vectors(std::int64_t elements) { return (elements + 3) / 4 * 4; }

/// The shared memory of a block: links and joints of its teams, and the unknowns around each; where blocks share a
/// system, links of the shares, and of the teams that join them.
template <class T, int W>
struct tree_memory {
    using store = link_store<T, W>;
    T* start;
    int teams, shares;

    COPPICE_HD tree_memory(tree_plan const& plan, T* shared = nullptr)
        : start(shared), teams(plan.teams_of_block(join_lanes<W>)), shares(plan.shares > 1 ? plan.shares : 0) {}

    COPPICE_HD T* around() const { return start; } ///< [team][y, z][W]
    COPPICE_HD store of_teams() const { return store::in(start + teams * 2 * W, teams); }
    COPPICE_HD store of_shares() const { return store::in(start + behind_teams(), shares); }
    COPPICE_HD store joining_shares() const { return store::in(start + behind_shares(), teams); }
    COPPICE_HD std::int64_t bytes() const {
        return (shares == 0 ? behind_teams() : behind_shares() + of_links(teams)) * std::int64_t(sizeof(T));
    }

private:
    COPPICE_HD static std::int64_t of_links(int count) { return whole_vectors(std::int64_t(count) * store::elements); }
    COPPICE_HD std::int64_t behind_teams() const { return teams * 2 * W + of_links(teams); }
    COPPICE_HD std::int64_t behind_shares() const { return behind_teams() + of_links(shares); }
};

/// A share has at least two links for each team, and blocks share a system only where one would have eight: a barrier
/// of the grid costs as much as three joins. All blocks that share run at once, one a multiprocessor. `most_threads`:
/// of a block.
template <class T, int W>
tree_plan plan_tree(std::int64_t systems, std::int64_t links, int multiprocessors, std::int64_t shared_limit,
                    int most_threads = tree_threads<T, W>) {
    constexpr int lanes = join_lanes<W>, few = least_tree_threads / lanes;
    int const most = most_threads / lanes;
    constexpr std::int64_t many = 8; // links of a team, from which on there are more teams
    tree_plan plan{systems, links};
    std::int64_t const blocks = multiprocessors / systems;
    if (links > many * few && blocks > 1) {
        while (plan.teams() < few || (plan.teams() < most && links > many * plan.teams() * blocks)) ++plan.log_teams;
        plan.threads = plan.teams() * lanes;
        plan.shares = int(std::min(blocks, (links + 2 * plan.teams() - 1) / (2 * plan.teams())));
        while (plan.shares > 1 && tree_memory<T, W>(plan).bytes() > shared_limit) --plan.shares;
        if (plan.shares > 1) return plan;
    }
    // Teams enough to fill the machine, of two links at least.
    std::int64_t const room = std::int64_t(multiprocessors) * most / systems;
    plan.shares = 1;
    plan.log_teams = 0;
    while (plan.teams() < most && 2 * plan.teams() < links && 2 * plan.teams() <= room &&
           (plan.teams() < few || links > many * plan.teams()))
        ++plan.log_teams;
    plan.threads = std::max(plan.teams() * lanes, warp_lanes);
    return plan;
}

/// Most shares that a plan for so many systems may have, for memory.
inline std::int64_t most_shares(std::int64_t systems, int multiprocessors) {
    return multiprocessors / systems > 1 ? multiprocessors / systems * systems : 0;
}

/// Elements of the memory of `links` links of w unknowns and `shares` shares; the links are first.
COPPICE_HD inline std::int64_t tree_elements(int w, std::int64_t links, std::int64_t shares) {
    return whole_vectors(links * (2 * w * w + w + 1 + w * (w + 1) / 2)) + shares * ((2 * w + 1) * w + 1);
}

/// The links of one system.
struct system_links {
    std::int64_t first; ///< the first of them among those of all systems
    std::int64_t count;
    std::int64_t rows; ///< block rows that they stand for
    int shares;        ///< blocks that share them

    /// Behind the last link z is y with its halves exchanged, see matrix_rows::entry.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool exchanged() const { return rows % 2 == 1; }
    /// The first link of a share.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t first_of(int share) const {
        return shares == 1 ? share * count : count * share / shares;
    }
};

/// Everything that a launcher needs but the plan.
template <class T>
struct tree_job {
    link_units<T> links; ///< of the finest stage, one side; in memory of tree_elements, one after the other
    T *upper, *shares;   ///< behind them: triangles of a link_store, and links of shares
    levels all;
    elimination<real_lane_t<T>> how;
    int const* gate; ///< as of a stage
    tree_plan plan;

    COPPICE_HD tree_job(link_units<T> const& from, levels const& l, elimination<real_lane_t<T>> const& e,
                        int const* opened)
        : links(from), upper(from.rhs + l.total(1) * (from.width + 1)),
          shares(from.matrix + tree_elements(from.width, l.total(1), 0)), all(l), how(e),
          gate(opened), plan{l.batch.systems,
                             l.batch.offsets ? l.total(1) / l.batch.systems : l.count(l.batch.rows, 1)} {}

    COPPICE_HD COPPICE_ALWAYS_INLINE bool open() const { return is_open(gate); }
    /// Whether systems have different numbers of links; the plan is then for as many as they have on average.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool uneven() const { return all.batch.offsets != nullptr; }
    COPPICE_HD COPPICE_ALWAYS_INLINE system_links of_system(std::int64_t s) const {
        if (s >= plan.systems) return {0, 0, 0, 0};
        if (!uneven()) return {s * plan.links, plan.links, all.batch.rows, plan.shares};
        std::int64_t const rows = all.batch.system(s).rows, count = all.count(rows, 1),
                           most = (count + 2 * plan.teams() - 1) / (2 * plan.teams());
        return {all.first(s, 1), count, rows, most < plan.shares ? int(most) : plan.shares};
    }
    template <int W>
    COPPICE_HD link_store<T, W> store() const {
        return {links.matrix, links.rhs, upper, links.sizes};
    }
    template <int W>
    COPPICE_HD link_store<T, W> store_of_shares() const {
        T *const rhs = shares + plan.systems * plan.shares * 2 * W * W, *const behind =
                                                                            rhs + plan.systems * plan.shares * W;
        return {shares, rhs, nullptr, reinterpret_cast<real_lane_t<T>*>(behind)};
    }
};

/// Calls run(width of the links of a matrix with tiles), a constant.
template <class T, class Run, int... N>
void with_tree_width(matrix_rows<T> const& a, Run const& run, std::integer_sequence<int, N...>) {
    ((a.n == N + 1 ? run(std::integral_constant<int, 2 * (N + 1)>()) : void()), ...);
}
template <class T, class Run>
void with_tree_width(matrix_rows<T> const& a, Run const& run) {
    with_tree_width(a, run, std::make_integer_sequence<int, largest_tiled>());
}

/// Launchers that have no kernel for it solve links in stages: a core has no use for the depth of a tree.
template <class Executor, class T>
bool joins_links(Executor const&, matrix_rows<T> const&) {
    return false;
}
template <class Executor, class T>
std::int64_t tree_elements(Executor const&, levels const&, matrix_rows<T> const&) {
    return 0;
}
template <class Executor, class T>
void solve_links(Executor const&, tree_job<T> const&) {}

/// Links that the teams of a group of a block join: those of a system, of a share, or of all shares.
template <class T, int W, class Block>
struct link_level {
    static constexpr int lanes = join_lanes<W>;
    using team_type = join_team<Block, lanes>;
    using columns_type = link_columns<T, W, team_type>;

    Block const& block;
    tree_job<T> const& job;
    link_store<T, W> links, joining;
    T* around_;
    std::int64_t system, first; ///< of the system, the first of the links
    int count;                  ///< none where the group has no links
    int most;                   ///< the largest count of the groups of this warp
    int most_teams;             ///< that a group of the block uses: those who meet at its barriers
    bool of_shares, exchanged;

    /// Links of team t: [begin(t), begin(t + 1)).
    COPPICE_HD COPPICE_ALWAYS_INLINE int begin(int t) const {
        if (count <= job.plan.teams()) return t < count ? t : count;
        return int(std::int64_t(count) * t >> job.plan.log_teams);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE int used_teams() const {
        return count < job.plan.teams() ? count : job.plan.teams();
    }
    /// Links of a team of the warp at most.
    COPPICE_HD COPPICE_ALWAYS_INLINE int most_links() const {
        return (most + job.plan.teams() - 1) >> job.plan.log_teams;
    }
    /// The team's number in its group.
    COPPICE_HD COPPICE_ALWAYS_INLINE int number(team_type const& team) const {
        return team.number & (job.plan.teams() - 1);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T* around(team_type const& team) const { return around_ + team.number * 2 * W; }
    /// Tells of unknowns before one of the links.
    struct teller {
        link_level const& level;
        int link, step;
        COPPICE_HD COPPICE_ALWAYS_INLINE bool wanted() const { return level.job.links.singular != nullptr; }
        COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int k, int) const {
            link_units<T> const& all = level.job.links;
            std::int64_t const at =
                level.of_shares ? level.job.of_system(level.system).first_of(link) : level.first + link;
            if (std::int64_t const row = all.row_before(at, k, level.system); row >= 0)
                lower_to(all.singular + level.system,
                         met_at(step + (level.of_shares ? 32 : 0) + (link == 0 && k >= W / 2 ? 1 : 0), row));
        }
    };
    /// A barrier of teams that are `apart`.
    COPPICE_HD COPPICE_ALWAYS_INLINE void sync(int apart) const {
        if (apart < team_type::in_warp)
            block.sync_warp();
        else
            block.sync();
    }
    /// Whether a team of the warp takes the link of a team so far behind it.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool warp_takes(team_type const& team, int apart) const {
        return joins::takes(number(team) & ~(team_type::in_warp - 1), apart, most_teams);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool takes(team_type const& team, int apart) const {
        return joins::takes(number(team), apart, used_teams());
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool leads(team_type const& team) const { return count > 0 && number(team) == 0; }
};

/// The teams of a level, which join its links.
template <class T, int W, class Block>
struct joining_teams {
    using level_type = link_level<T, W, Block>;
    using columns_type = typename level_type::columns_type;

    level_type const& level;
    typename level_type::team_type const& team;
    int const t, begin, end;
    columns_type own;
    typename columns_type::right_part next; ///< of the run, loaded ahead

    COPPICE_HD COPPICE_ALWAYS_INLINE joining_teams(level_type const& l, typename level_type::team_type const& of,
                                                   elimination<real_lane_t<T>> const& how)
        : level(l), team(of), t(l.number(of)), begin(l.begin(t)), end(l.begin(t + 1)), own(of, how) {
        own.take_first(level.links, begin, begin < end);
        next = own.take_right(level.links, begin + 1, false, begin + 1 < end);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE int run() const { return level.most_links(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int workers() const { return level.most_teams; }
    /// One text for runs and tree: a join is long.
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD COPPICE_ALWAYS_INLINE void join(joins::join_step const& step) {
        auto right = next;
        bool const in_tree = step.in_tree();
        int const apart = step.apart, i = in_tree ? t + apart : begin + step.link;
        bool active = i < end;
        if (in_tree) {
            if (step.level() == 0) own.prepare_own();
            if (joins::gives(t, apart)) own.put(level.joining, team.number);
            level.sync(apart);
            if (!level.warp_takes(team, apart)) return;
            active = level.takes(team, apart);
            right = own.take_right(level.joining, team.number + apart, own.turned, active);
        } else {
            next = own.take_right(level.links, i + 1, !own.turned, i + 1 < end);
        }
        own.join(right, in_tree ? level.joining : level.links, in_tree ? team.number + apart : i, active,
                 typename level_type::teller{level, in_tree ? level.begin(i) : i, in_tree ? 2 + step.level() : 1});
    }
};

/// Joins the links of a level; the first team puts what they become to place `to` of `joined`, or closes it.
COPPICE_NO_EXEC_CHECK
template <class T, int W, class Block>
[[gnu::noinline]] COPPICE_HD void join_level(link_level<T, W, Block> const level, bool closes,
                                             link_store<T, W> const& joined, std::int64_t to) {
    using level_type = link_level<T, W, Block>;
    typename level_type::team_type const team(level.block);
    elimination<real_lane_t<T>> const how = level.job.how;
    joining_teams<T, W, Block> teams(level, team, how);
    joins::join_links(teams);
    if (!closes) {
        if (level.leads(team)) teams.own.put(joined, to);
        return;
    }
    if ((teams.t & ~(team.in_warp - 1)) != 0) return; // a warp without a first team
    T y[W];
    teams.own.close(level.exchanged, y, level.leads(team), typename level_type::teller{level, 0, 30});
    T* const around = level.around(team);
    COPPICE_UNROLL
    for (int r = 0; r < W; ++r) {
        if (!level.leads(team) || team.rank() != r) continue;
        around[r] = y[r];
        around[W + (level.exchanged ? (r + W / 2) % W : r)] = y[r];
    }
}

/// The teams of a level on the way back, from the unknowns around all links, which the first team has, to those before
/// each, which take the place of right-hand sides.
template <class T, int W, class Block>
struct parting_teams {
    using level_type = link_level<T, W, Block>;
    using rows_type = joint_rows<T, W, typename level_type::team_type>;

    level_type const& level;
    typename level_type::team_type const& team;
    rows_type const& joint;
    int const begin, last;
    T* const around;
    typename rows_type::part next; ///< of the run, loaded ahead
    T known[W], m[W];

    COPPICE_HD COPPICE_ALWAYS_INLINE parting_teams(level_type const& l, typename level_type::team_type const& of,
                                                   rows_type const& rows)
        : level(l), team(of), joint(rows), begin(l.begin(l.number(of))), last(l.begin(l.number(of) + 1) - 1),
          around(l.around(of)), next(rows.load(l.links, last, last > begin)) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE int run() const { return level.most_links(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int workers() const { return level.most_teams; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void take_known() {
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) known[c] = around[(joint.of_z() ? W : 0) + c];
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD COPPICE_ALWAYS_INLINE void part_tree(int apart) {
        if (level.warp_takes(team, apart)) {
            bool const takes = level.takes(team, apart);
            auto const part = joint.load(level.joining, team.number + apart, takes);
            take_known();
            T const z = around[W + joint.row()], own = joint.solve(part, known, m);
            level.block.sync_warp(); // all have read
            if (takes && joint.of_z()) around[apart * 2 * W + W + joint.row()] = z;
            if (takes && joint.of_y()) around[apart * 2 * W + joint.row()] = around[W + joint.row()] = own;
        }
        level.sync(apart);
    }
    /// The last link of every team comes first.
    COPPICE_HD COPPICE_ALWAYS_INLINE void part_run(int link) {
        int const i = last - (run() - 1 - link);
        bool const active = i > begin;
        auto const part = next;
        next = joint.load(level.links, i - 1, active && i - 1 > begin);
        T const own = joint.solve(part, known, m);
        if (active && joint.of_y()) level.links.side(i)[joint.row()] = own;
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) known[c] = joint.of_z() ? m[c] : known[c];
    }
};

/// The way back through a level.
COPPICE_NO_EXEC_CHECK
template <class T, int W, class Block>
[[gnu::noinline]] COPPICE_HD void part_level(link_level<T, W, Block> const level) {
    using level_type = link_level<T, W, Block>;
    typename level_type::team_type const team(level.block);
    joint_rows<T, W, typename level_type::team_type> const joint{team};
    level.sync(level.job.plan.teams() - 1);
    parting_teams<T, W, Block> teams(level, team, joint);
    joins::part_tree(teams);
    teams.take_known();
    T const y = teams.around[joint.row()];
    joins::part_runs(teams);
    if (teams.begin <= teams.last && joint.of_y()) level.links.side(teams.begin)[joint.row()] = y;
}

/// What another block wrote during this kernel: `count` elements, by all threads of a block.
template <class T, class Block>
COPPICE_HD inline void copy_fresh(Block const& block, T* to, T const* from, int count) {
    COPPICE_UNROLL_FOUR
    for (int i = block.thread(); i < count; i += block.threads()) to[i] = load_fresh(from + i);
}

/// The largest of the values of the lanes of a warp.
COPPICE_NO_EXEC_CHECK
template <class Block>
COPPICE_HD inline int most_of_warp(Block const& block, int value) {
    int const lane = block.thread() & (warp_lanes - 1);
    for (int apart = 1; apart < warp_lanes; apart *= 2) {
        int const other = block.from_lane(value, lane ^ apart);
        value = value < other ? other : value;
    }
    return value;
}

/// What block `index` does. `shared` holds what tree_memory says; `meeting.meet(block, system, shares)` is a barrier of
/// all blocks that share a system.
COPPICE_NO_EXEC_CHECK
template <int W, class T, class Block, class Meeting>
COPPICE_HD inline void solve_links(Block const& block, tree_job<T> const& job, std::int64_t index, Meeting& meeting,
                                   T* shared) {
    tree_memory<T, W> const memory(job.plan, shared);
    int const shares = job.plan.shares, group = int(unsigned(block.thread()) / join_lanes<W>) >> job.plan.log_teams;
    std::int64_t const system = shares > 1 ? index / shares : index * job.plan.systems_of_block(join_lanes<W>) + group;
    int const share = shares > 1 ? int(index - system * shares) : 0;
    system_links const of_system = job.of_system(system);
    bool const works = share < of_system.shares;
    std::int64_t const first = works ? of_system.first_of(share) : 0, end = works ? of_system.first_of(share + 1) : 0;
    int const count = int(end - first);
    int const most = job.uneven() ? most_of_warp(block, count) : shares == 1 ? int(job.plan.links) : count;
    int const teams = job.plan.teams();
    link_level<T, W, Block> const own{block,
                                      job,
                                      job.template store<W>().from(of_system.first + first),
                                      memory.of_teams(),
                                      memory.around(),
                                      system,
                                      first,
                                      count,
                                      most,
                                      job.uneven() || most > teams ? teams : most,
                                      false,
                                      of_system.exchanged()};
    auto const of_shares = job.template store_of_shares<W>();
    join_level(own, shares == 1, of_shares, index);
    if (shares > 1) {
        meeting.meet(block, system, shares);
        if (!works) return;
        int const joined_shares = of_system.shares;
        auto const all = memory.of_shares(), theirs = of_shares.from(system * shares);
        copy_fresh(block, all.matrix, theirs.matrix, joined_shares * 2 * W * W);
        copy_fresh(block, all.rhs, theirs.rhs, joined_shares * W);
        copy_fresh(block, all.sizes, theirs.sizes, joined_shares);
        block.sync();
        link_level<T, W, Block> const joined{block,
                                             job,
                                             all,
                                             memory.joining_shares(),
                                             memory.around(),
                                             system,
                                             0,
                                             joined_shares,
                                             joined_shares,
                                             joined_shares < teams ? joined_shares : teams,
                                             true,
                                             of_system.exchanged()};
        join_level(joined, true, all, 0);
        part_level(joined);
        block.sync();
        if (int const r = block.thread(); r < W) {
            bool const last = share + 1 == joined_shares;
            memory.around()[r] = all.side(share)[r];
            memory.around()[W + r] =
                last ? all.side(0)[of_system.exchanged() ? (r + W / 2) % W : r] : all.side(share + 1)[r];
        }
    }
    part_level(own);
}

} // namespace coppice::chain
