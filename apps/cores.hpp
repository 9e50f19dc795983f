// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The cores that the program may use.
#pragma once

namespace coppice::app {

/// Gives the first thread, and with it all that are started later, the cores that the program was started with. The
/// OpenMP library of the peers in the benchmarks binds the first thread to one core when it is loaded, if the
/// environment has OMP_PROC_BIND=true. Call it before the first thread is started.
void use_all_allowed_cores();

} // namespace coppice::app
