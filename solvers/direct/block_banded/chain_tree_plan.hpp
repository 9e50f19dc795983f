// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Plan and arguments of the kernel that solves all condensed segments of the chain solver (chain_tree.hpp): the
/// distribution of the condensed segments over blocks and teams, and the memory of a block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <coppice/core/block.hpp>
#include <coppice/core/device_predicate.hpp>
#include <coppice/solvers/direct/block_banded/chain_block.hpp>
#include <coppice/solvers/direct/block_banded/chain_condensed_store.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_condensed_rows.hpp>

namespace coppice::inline v0_1::chain {

/// Maximum number of threads of a block, which uses all registers of a multiprocessor.
template <class T, int W>
inline constexpr int tree_threads = W * sizeof(T) >= 32 ? 256 : 512;
/// Minimum, for few condensed segments: one warp for each scheduler, so that no warp waits for another.
inline constexpr int min_tree_threads = 128;

/// Distribution of the condensed segments of equal systems over blocks and teams. The result depends in its last bits
/// on the slices and teams; these depend on the size and number of the systems and on the device only.
struct tree_plan {
    std::int64_t systems = 0;
    std::int64_t segments = 0; ///< of each system
    int slices = 1;            ///< blocks that share a system
    int log_teams = 0;         ///< log2 of the number of teams that share a system in a block
    int threads = 0;           ///< of a block; a multiple of the warp size

    COPPICE_HD int teams() const { return 1 << log_teams; }
    /// `lanes`: of each team.
    COPPICE_HD int teams_of_block(int lanes) const { return int(unsigned(threads) / unsigned(lanes)); }
    COPPICE_HD int systems_of_block(int lanes) const { return teams_of_block(lanes) >> log_teams; }
    std::int64_t blocks(int lanes) const {
        if (slices > 1) return systems * slices;
        return (systems + systems_of_block(lanes) - 1) / systems_of_block(lanes);
    }
};

/// Number of elements rounded up so that the next array starts at a multiple of 16 bytes.
COPPICE_HD constexpr std::int64_t whole_vectors(std::int64_t elements) { return (elements + 3) / 4 * 4; }

/// Shared memory of a block: condensed segments and separator rows of its teams, and the unknowns around each. If
/// blocks share a system, also the condensed segments of the slices and of the teams that merge these.
template <class T, int W>
struct tree_memory {
    using store = condensed_store<T, W>;
    T* start;
    int teams, slices;

    COPPICE_HD tree_memory(tree_plan const& plan, T* shared = nullptr)
        : start(shared), teams(plan.teams_of_block(merge_lanes<W>)), slices(plan.slices > 1 ? plan.slices : 0) {}

    COPPICE_HD T* around() const { return start; } ///< [team][y, z][W]
    COPPICE_HD store of_teams() const { return store::in(start + teams * 2 * W, teams); }
    COPPICE_HD store of_slices() const { return store::in(start + after_teams(), slices); }
    COPPICE_HD store merging_slices() const { return store::in(start + after_slices(), teams); }
    COPPICE_HD std::int64_t bytes() const {
        return (slices == 0 ? after_teams() : after_slices() + of_segments(teams)) * std::int64_t(sizeof(T));
    }

private:
    COPPICE_HD static std::int64_t of_segments(int count) {
        return whole_vectors(std::int64_t(count) * store::elements);
    }
    COPPICE_HD std::int64_t after_teams() const { return teams * 2 * W + of_segments(teams); }
    COPPICE_HD std::int64_t after_slices() const { return after_teams() + of_segments(slices); }
};

/// Plans the tree. A slice has at least two condensed segments for each team. Blocks share a system only if a team
/// would otherwise have more than eight: a barrier of the grid costs as much as three merges. All blocks that share a
/// system run simultaneously, one for each multiprocessor. `max_threads`: of a block.
template <class T, int W>
tree_plan plan_tree(std::int64_t systems, std::int64_t segments, int multiprocessors, std::int64_t shared_limit,
                    int max_threads = tree_threads<T, W>) {
    constexpr int lanes = merge_lanes<W>, few = min_tree_threads / lanes;
    int const maximum = max_threads / lanes;
    constexpr std::int64_t many = 8; // if a team had more condensed segments, more teams are used
    tree_plan plan{systems, segments};
    std::int64_t const blocks = multiprocessors / systems;
    if (segments > many * few && blocks > 1) {
        while (plan.teams() < few || (plan.teams() < maximum && segments > many * plan.teams() * blocks))
            ++plan.log_teams;
        plan.threads = plan.teams() * lanes;
        plan.slices = int(std::min(blocks, (segments + 2 * plan.teams() - 1) / (2 * plan.teams())));
        while (plan.slices > 1 && tree_memory<T, W>(plan).bytes() > shared_limit) --plan.slices;
        if (plan.slices > 1) return plan;
    }
    // Enough teams to fill the device, with at least two condensed segments each.
    std::int64_t const room = std::int64_t(multiprocessors) * maximum / systems;
    plan.slices = 1;
    plan.log_teams = 0;
    while (plan.teams() < maximum && 2 * plan.teams() < segments && 2 * plan.teams() <= room &&
           (plan.teams() < few || segments > many * plan.teams()))
        ++plan.log_teams;
    plan.threads = std::max(plan.teams() * lanes, warp_lanes);
    return plan;
}

/// Maximum number of slices in a plan for `systems` systems, to size memory.
inline std::int64_t max_slices(std::int64_t systems, int multiprocessors) {
    return multiprocessors / systems > 1 ? multiprocessors / systems * systems : 0;
}

/// Elements of the memory of `segments` condensed segments of w unknowns, which come first, and of `slices` slices.
COPPICE_HD inline std::int64_t tree_elements(int w, std::int64_t segments, std::int64_t slices) {
    return whole_vectors(segments * (2 * w * w + w + 1 + w * (w + 1) / 2)) + slices * ((2 * w + 1) * w + 1);
}

/// The condensed segments of one system.
struct system_segments {
    std::int64_t first; ///< index of the first one, counted over all systems
    std::int64_t count;
    std::int64_t rows; ///< block rows of the system
    int slices;        ///< blocks that share them

    /// After the last condensed segment, z is y with its halves exchanged; see matrix_rows::entry.
    COPPICE_LANE bool exchanged() const { return rows % 2 == 1; }
    /// Index of the first condensed segment of a slice.
    COPPICE_LANE std::int64_t first_of(int slice) const { return slices == 1 ? slice * count : count * slice / slices; }
};

/// Arguments of a launch except for the plan.
template <class T>
struct tree_job {
    condensed_rows<T> condensed; ///< of the finest level, for one right-hand side; in memory of tree_elements
    T *upper, *slices; ///< stored after them: triangles of a condensed_store, and condensed segments of slices
    levels all;
    elimination<real_lane_t<T>> how;
    int const* predicate; ///< device predicate, as in chain_level
    tree_plan plan;

    COPPICE_HD tree_job(condensed_rows<T> const& from, levels const& l, elimination<real_lane_t<T>> const& e,
                        int const* opened)
        : condensed(from), upper(from.rhs + l.total(1) * (from.width + 1)),
          slices(from.matrix + tree_elements(from.width, l.total(1), 0)), all(l), how(e),
          predicate(opened), plan{l.batch.systems,
                                  l.batch.offsets ? l.total(1) / l.batch.systems : l.count(l.batch.rows, 1)} {}

    COPPICE_LANE bool open() const { return is_enabled(predicate); }
    /// Whether systems have different numbers of condensed segments; the plan then uses the average.
    COPPICE_LANE bool uneven() const { return all.batch.offsets != nullptr; }
    COPPICE_LANE system_segments of_system(std::int64_t s) const {
        if (s >= plan.systems) return {0, 0, 0, 0};
        if (!uneven()) return {s * plan.segments, plan.segments, all.batch.rows, plan.slices};
        std::int64_t const rows = all.batch.system(s).rows, count = all.count(rows, 1),
                           maximum = (count + 2 * plan.teams() - 1) / (2 * plan.teams());
        return {all.first(s, 1), count, rows, maximum < plan.slices ? int(maximum) : plan.slices};
    }
    template <int W>
    COPPICE_HD condensed_store<T, W> store() const {
        return {condensed.matrix, condensed.rhs, upper, condensed.sizes};
    }
    template <int W>
    COPPICE_HD condensed_store<T, W> store_of_slices() const {
        T *const rhs = slices + plan.systems * plan.slices * 2 * W * W, *const after =
                                                                            rhs + plan.systems * plan.slices * W;
        return {slices, rhs, nullptr, reinterpret_cast<real_lane_t<T>*>(after)};
    }
};

/// Calls run(W), with W of the condensed segments of a matrix with tiles as a compile-time constant.
template <class T, class Run, int... N>
void with_tree_width(matrix_rows<T> const& a, Run const& run, std::integer_sequence<int, N...>) {
    ((a.n == N + 1 ? run(std::integral_constant<int, 2 * (N + 1)>()) : void()), ...);
}
template <class T, class Run>
void with_tree_width(matrix_rows<T> const& a, Run const& run) {
    with_tree_width(a, run, std::make_integer_sequence<int, largest_tiled>());
}

/// Default for launchers without such a kernel: they solve condensed segments level by level. A CPU core does not
/// benefit from a tree.
template <class Executor, class T>
bool merges_in_one_kernel(Executor const&, matrix_rows<T> const&) {
    return false;
}
template <class Executor, class T>
std::int64_t tree_elements(Executor const&, levels const&, matrix_rows<T> const&) {
    return 0;
}
template <class Executor, class T>
void solve_condensed(Executor const&, tree_job<T> const&) {} // not covered: devices only

} // namespace coppice::inline v0_1::chain
