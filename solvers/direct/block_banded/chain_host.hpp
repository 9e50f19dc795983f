// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host launcher of the chain solver: each thread of the executor processes a contiguous range of segments.
#pragma once

#include <algorithm>
#include <concepts>
#include <type_traits>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/host/parallel_host.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_final_complement.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_ends.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_tiles.hpp>
#include <coppice/solvers/direct/block_banded/tiles/chain_tiles.hpp>

namespace coppice::inline v0_1::chain {

inline constexpr std::int64_t host_group =
    16; ///< minimum number of segments of a call; a multiple of the lanes of every pack

/// Real banded systems are eliminated from both ends, instead of in segments, if they have three or more bands on a
/// side or few rows. With fewer bands, segments are as fast. With more than some six threads, segments would be faster,
/// since the ends use two threads only; but the condensed segments of wide bands have more element growth. Matrices
/// with more than three times as many bands on one side as on the other are eliminated in segments unless the system is
/// small: the recurrence from an end may overflow if it grows in one direction, while a segment orders its unknowns by
/// pivots.
inline constexpr int min_wide_reach = 3;
inline constexpr std::int64_t max_rows_of_ends = 2048, max_rows_of_uneven_ends = 64;
inline constexpr std::int64_t rows_of_two_threads = 4096; ///< minimum for which each end has its own thread
template <class T>
bool from_both_ends(host_executor const&, matrix_rows<T> const& a) {
    if constexpr (std::is_floating_point_v<T>) {
        if (!a.banded()) return false;
        if (a.scalar_rows <= max_rows_of_uneven_ends) return true;
        bool const even = std::max(a.lower_bands, a.upper_bands) <= 3 * std::min(a.lower_bands, a.upper_bands);
        return even && (a.n >= min_wide_reach || a.scalar_rows <= max_rows_of_ends);
    } else {
        return false;
    }
}

/// The kernel of a job whose items are segments, for the instructions of this processor.
template <class Job>
auto kernel_of(Job const&) {
    return COPPICE_ISA_SELECT(chain_pass<Job>);
}
template <bool Left, std::floating_point T>
auto kernel_of(level_pass<Left, chain_level<T, matrix_block_rows<T>>> const& job) {
    using this_job = std::remove_cvref_t<decltype(job)>;
    return band_tiles::takes(job.level) ? COPPICE_ISA_SELECT(band_pass<Left, T>)
                                        : COPPICE_ISA_SELECT(chain_pass<this_job>);
}

/// Number of right-hand sides that are solved together: one if tiles of bands, which take one, solve the system. So a
/// right-hand side gets the same bits alone and together with others.
template <class T>
int rhs_at_once(host_executor const& exec, matrix_rows<T> const& a) {
    return band_tiles::reaches(a) && !from_both_ends(exec, a) ? 1 : max_rhs;
}

/// Solves all of `block_rows` from both ends; `max_saved` limits the bytes of the pivot rows that are saved for back
/// substitution.
template <class T>
void solve_from_ends(host_executor const& exec, matrix_block_rows<T> const& block_rows,
                     elimination<real_lane_t<T>> const& how, std::byte* memory, int const* predicate,
                     std::int64_t max_saved = max_saved_bytes) {
    if constexpr (std::is_floating_point_v<T>) {
        if (!is_enabled(predicate)) return;
        band_ends<T> e = ends_of(block_rows.a, block_rows.rhs_count, max_saved);
        e.d = block_rows.d, e.d_leading = block_rows.d_leading;
        e.x = block_rows.x, e.x_leading = block_rows.x_leading;
        e.singular = block_rows.singular;
        e.how = how;
        e.memory = reinterpret_cast<T*>(memory);
        if (e.small) return COPPICE_ISA_SELECT(band_ends_small<T>)(e);
        std::int64_t met[] = {no_row, no_row};
        e.met = met;
        bool const parallel = exec.threads() > 1 && block_rows.a.scalar_rows >= rows_of_two_threads;
        auto const run = [&](auto* work) {
            if (!parallel) return work(e, 2);
            detail::for_each_block(exec, 2, 1,
                                   [&](std::int64_t end, std::int64_t, std::int64_t) { work(e, int(end)); });
        };
        run(COPPICE_ISA_SELECT(band_ends_pass<true, T>));
        COPPICE_ISA_SELECT(band_ends_middle<T>)(e);
        run(COPPICE_ISA_SELECT(band_ends_pass<false, T>));
    }
}

/// Bytes of workspace for jobs of so many elements, in addition to the condensed segments: for each thread a register
/// of at most 64 bytes for each real number of every element.
template <class T>
std::int64_t launch_bytes(host_executor const& exec, std::int64_t elements) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T and value_type are equal if T is a real number
    std::int64_t const reals = sizeof(T) / sizeof(typename lane_traits<real_lane_t<T>>::value_type);
    return exec.threads() * elements * 64 * reals;
}

/// Runs a job: distributes its segments over the threads in groups, one segment in each lane of a pack, or its systems.
template <class Job>
void run_job(host_executor const& exec, Job const& job, std::byte* memory) {
    using T = typename Job::value_type;
    if (!job.open()) return;
    constexpr std::int64_t group = in_packs<Job> ? host_group : 1;
    std::int64_t const items = job.items(), groups = (items + group - 1) / group;
    std::int64_t const workers = std::min<std::int64_t>(exec.threads(), groups);
    std::int64_t const bytes = launch_bytes<T>(host_executor{1}, job.elements());
    detail::for_each_block(exec, workers, 1, [&](std::int64_t w, std::int64_t, std::int64_t) {
        std::int64_t const first = groups * w / workers * group;
        std::int64_t const last = std::min(items, groups * (w + 1) / workers * group);
        if constexpr (in_packs<Job>)
            kernel_of(job)(job, first, last, memory + w * bytes);
        else
            for (std::int64_t s = first; s < last; ++s) job.run(alone{}, s, reinterpret_cast<T*>(memory + w * bytes));
    });
}

} // namespace coppice::inline v0_1::chain
