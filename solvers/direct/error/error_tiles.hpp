// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The measuring of solutions on the host, compiled for several instruction sets (core/host/isa.hpp).
#pragma once

#include <coppice/core/host/isa.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice {

// Items [first, last) of all columns: block rows counted through all systems, or systems that are interleaved. Items of
// different calls may be measured at once.
COPPICE_ISA_DECLARE(template <class T>
                    void measure_errors(chain::measure_job<T> const& job, std::int64_t first, std::int64_t last);)

} // namespace coppice
