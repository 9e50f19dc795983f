// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host launcher of the chain solver: each thread of the executor takes a run of stretches.
#pragma once

#include <algorithm>

#include <coppice/core/parallel_host.hpp>
#include <coppice/solvers/tiles/band_tiles.hpp>
#include <coppice/solvers/tiles/chain_tiles.hpp>

namespace coppice::chain {

inline constexpr std::int64_t host_group = 16; ///< stretches that one call takes at least: a multiple of every pack

/// Bytes that a launch needs beside the links.
template <class T>
std::int64_t launch_bytes(host_executor const& exec, unit_shape<any_size> const& rows,
                          unit_shape<any_size> const& links) {
    return exec.threads() * std::max(tile_bytes<T>(rows), tile_bytes<T>(links));
}

/// Right-hand sides that are solved at once: one where that is what tiles of bands take, so that a side gets the same
/// bits alone and among others.
template <class T>
int sides_at_once(host_executor const&, matrix_rows<T> const& a) {
    return band_tiles::reaches(a) ? 1 : most_sides;
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

/// A step of a factorisation: all stretches of a stage.
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
