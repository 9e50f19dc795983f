// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host launcher of the chain solver: each thread of the executor takes a run of stretches.
#pragma once

#include <algorithm>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/host/parallel_host.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_ends.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_tiles.hpp>
#include <coppice/solvers/direct/block_banded/tiles/chain_tiles.hpp>

namespace coppice::chain {

inline constexpr std::int64_t host_group = 16; ///< stretches that one call takes at least: a multiple of every pack

/// Real banded systems that are eliminated from both ends instead of in stretches: those with three bands or more on a
/// side, and all with few rows. Narrower bands are solved as fast in stretches. Stretches would be faster on more than
/// some six threads, of which the ends keep two busy; but links of wide bands grow more. Bands that reach more than
/// three times as far on one side as on the other are eliminated in stretches unless the system is small: a recurrence
/// that grows in one direction may overflow when it is followed from an end, and a stretch orders its unknowns by
/// pivots.
inline constexpr int least_wide_reach = 3;
inline constexpr std::int64_t most_rows_of_ends = 2048, most_rows_of_uneven_ends = 64;
inline constexpr std::int64_t rows_of_two_threads = 4096; ///< at least: each end gets a thread
template <class T>
bool from_both_ends(host_executor const&, matrix_rows<T> const& a) {
    if constexpr (std::is_floating_point_v<T>) {
        if (!a.banded()) return false;
        if (a.scalar_rows <= most_rows_of_uneven_ends) return true;
        bool const even = std::max(a.lower_bands, a.upper_bands) <= 3 * std::min(a.lower_bands, a.upper_bands);
        return even && (a.n >= least_wide_reach || a.scalar_rows <= most_rows_of_ends);
    } else {
        return false;
    }
}

/// Right-hand sides that are solved at once: one where tiles of bands, which take one, do the solve; a right-hand side
/// then gets the same bits alone and among others.
template <class T>
int sides_at_once(host_executor const& exec, matrix_rows<T> const& a) {
    return band_tiles::reaches(a) && !from_both_ends(exec, a) ? 1 : most_sides;
}

/// Solves all of `units` from both ends; `most_kept` bounds the bytes of pivot rows that are kept for the way back.
template <class T>
void solve_from_ends(host_executor const& exec, row_units<T> const& units, elimination<real_lane_t<T>> const& how,
                     std::byte* memory, int const* gate, std::int64_t most_kept = most_kept_bytes) {
    if constexpr (std::is_floating_point_v<T>) {
        if (!is_open(gate)) return;
        band_ends<T> e = ends_of(units.a, units.sides, most_kept);
        e.d = units.d, e.d_leading = units.d_leading;
        e.x = units.x, e.x_leading = units.x_leading;
        e.singular = units.singular;
        e.how = how;
        e.memory = reinterpret_cast<T*>(memory);
        if (e.small) return COPPICE_ISA_SELECT(band_ends_small<T>)(e);
        std::int64_t met[] = {no_row, no_row};
        e.met = met;
        bool const apart = exec.threads() > 1 && units.a.scalar_rows >= rows_of_two_threads;
        auto const run = [&](auto* work) {
            if (!apart) return work(e, 2);
            detail::for_each_block(exec, 2, 1,
                                   [&](std::int64_t end, std::int64_t, std::int64_t) { work(e, int(end)); });
        };
        run(COPPICE_ISA_SELECT(band_ends_reduce<T>));
        COPPICE_ISA_SELECT(band_ends_close<T>)(e);
        run(COPPICE_ISA_SELECT(band_ends_substitute<T>));
    }
}

/// Bytes of workspace that a launch needs besides the links.
template <class T>
std::int64_t launch_bytes(host_executor const& exec, unit_shape<any_size> const& rows,
                          unit_shape<any_size> const& links) {
    return exec.threads() * std::max(tile_bytes<T>(rows), tile_bytes<T>(links));
}

/// Deals stretches out to the threads, each with `bytes` of memory.
template <class Job, class Kernel>
void run_stretches(host_executor const& exec, Job const& job, std::int64_t stretches, std::int64_t bytes,
                   std::byte* memory, Kernel kernel) {
    if (!job.open()) return;
    std::int64_t const groups = (stretches + host_group - 1) / host_group;
    std::int64_t const workers = std::min<std::int64_t>(exec.threads(), groups);
    detail::for_each_block(exec, workers, 1, [&](std::int64_t w, std::int64_t, std::int64_t) {
        std::int64_t const first = groups * w / workers * host_group;
        std::int64_t const last = std::min(stretches, groups * (w + 1) / workers * host_group);
        kernel(job, first, last, memory + w * bytes);
    });
}

template <class T, class Units>
void reduce(host_executor const& exec, stage<T, Units> const& s, std::byte* memory) {
    using this_stage = stage<T, Units>;
    if constexpr (band_tiles::possible<this_stage>)
        if (band_tiles::takes(s))
            return run_stretches(exec, s, s.stretches, tile_bytes<T>(s.shape), memory,
                                 COPPICE_ISA_SELECT(band_reduce<T>));
    run_stretches(exec, s, s.stretches, tile_bytes<T>(s.shape), memory, COPPICE_ISA_SELECT(chain_reduce<this_stage>));
}

template <class T, class Units>
void substitute(host_executor const& exec, stage<T, Units> const& s, std::byte* memory) {
    using this_stage = stage<T, Units>;
    if constexpr (band_tiles::possible<this_stage>)
        if (band_tiles::takes(s))
            return run_stretches(exec, s, s.stretches, tile_bytes<T>(s.shape), memory,
                                 COPPICE_ISA_SELECT(band_substitute<T>));
    run_stretches(exec, s, s.stretches, tile_bytes<T>(s.shape), memory,
                  COPPICE_ISA_SELECT(chain_substitute<this_stage>));
}

template <class T>
void close(host_executor const& exec, closing<T> const& c, std::byte* memory) {
    if (!c.open()) return;
    std::int64_t const systems = c.all.batch.systems, workers = std::min<std::int64_t>(exec.threads(), systems);
    detail::for_each_block(exec, workers, 1, [&](std::int64_t w, std::int64_t, std::int64_t) {
        T* const mine = reinterpret_cast<T*>(memory) + w * c.elements();
        for (std::int64_t s = systems * w / workers; s < systems * (w + 1) / workers; ++s) c.solve(alone{}, s, mine);
    });
}

/// Does the step of a stage that keeps its factors, for all stretches.
template <class T, class Units>
void run_step(host_executor const& exec, factored_stage<T, Units> const& s, std::byte* memory) {
    using this_stage = factored_stage<T, Units>;
    run_stretches(exec, s, s.base.stretches, factor_tile_bytes<T>(s.base.shape), memory,
                  COPPICE_ISA_SELECT(chain_factor<this_stage>));
}

/// The closing of all systems.
template <class T>
void run_step(host_executor const&, factored_closing<T> const& c, std::byte* memory) {
    for (std::int64_t s = 0; s < c.base.all.batch.systems; ++s) c.run(alone{}, s, reinterpret_cast<T*>(memory));
}

template <class T>
std::int64_t factor_launch_bytes(host_executor const& exec, unit_shape<any_size> const& rows,
                                 unit_shape<any_size> const& links) {
    return exec.threads() * std::max(factor_tile_bytes<T>(rows), factor_tile_bytes<T>(links));
}

} // namespace coppice::chain
