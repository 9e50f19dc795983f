// SPDX-License-Identifier: BSD-3-Clause
/// \file The two hot loops of RPTS on the host, compiled for several instruction sets (core/isa.hpp).
#pragma once

#include <cstdint>

#include "core/isa.hpp"
#include "solvers/pivoting.hpp"
#include "solvers/rpts_stage.hpp"

namespace coppice {
namespace rpts {

inline constexpr int host_partition = 32; ///< M on the host: whole registers in every transposition

} // namespace rpts

// Partitions [first, last) of a stage; `first` is a multiple of 32. Partitions of different calls may run at once.
COPPICE_ISA_DECLARE(template <class T>
                    void rpts_reduce(rpts::stage<T> const& s, pivoting pivot, std::int64_t first, std::int64_t last);
                    template <class T> void rpts_substitute(rpts::stage<T> const& s, pivoting pivot, std::int64_t first,
                                                            std::int64_t last);)

} // namespace coppice
