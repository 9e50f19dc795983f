// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Error computation on the host, compiled for several instruction sets (core/host/isa.hpp).
#pragma once

#include <coppice/core/host/isa.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::inline v0_1 {

// Measures the errors of items [first, last) for all right-hand sides. An item is a block row, numbered over all
// systems, or one system of an interleaved batch. Calls for different items may run concurrently.
COPPICE_ISA_DECLARE(template <class T>
                    void measure_errors(chain::measure_job<T> const& job, std::int64_t first, std::int64_t last);)

} // namespace coppice::inline v0_1
