// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host launcher of the chain solver: each thread of the executor processes a contiguous range of segments.
#pragma once

#include <algorithm>
#include <concepts>
#include <type_traits>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/host/parallel_host.hpp>
#include <coppice/solvers/direct/block_banded/band_ends_host.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_final_complement.hpp>
#include <coppice/solvers/direct/block_banded/tiles/chain_tiles.hpp>

namespace coppice::inline v0_1::chain {

inline constexpr std::int64_t host_group =
    16; ///< minimum number of segments of a call; a multiple of the lanes of every pack

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
