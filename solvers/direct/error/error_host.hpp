// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host launcher of the error computation, whose loops are compiled for several instruction sets (core/host/isa.hpp).
#pragma once

#include <algorithm>

#include <coppice/core/host/isa.hpp>
#include <coppice/core/host/parallel_host.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::inline v0_1 {

// Measures the errors of items [first, last) for all right-hand sides. An item is a block row, numbered over all
// systems, or one system of an interleaved batch. Calls for different items may run concurrently.
COPPICE_ISA_DECLARE(template <class T>
                    void measure_errors(chain::measure_job<T> const& job, std::int64_t first, std::int64_t last);)

namespace chain {

/// Computes the errors; returns true if it also runs `checking`.
template <class T>
bool measure(host_executor const& exec, measure_job<T> const& job, check_system const&) {
    if (!job.scope.open()) return true;
    batch_shape const& batch = job.rows.a.batch;
    std::int64_t const rows = std::max<std::int64_t>(1, detail::host_block / job.rows.a.n);
    // Interleaved systems: multiples of those that are measured together.
    std::int64_t const block = job.by_systems() ? std::max<std::int64_t>(64, rows / batch.rows / 64 * 64) : rows;
    auto const kernel = COPPICE_ISA_SELECT(measure_errors<T>);
    detail::for_each_block(exec, job.by_systems() ? batch.systems : batch.total, block,
                           [&](std::int64_t, std::int64_t first, std::int64_t last) { kernel(job, first, last); });
    return false;
}

} // namespace chain

} // namespace coppice::inline v0_1
