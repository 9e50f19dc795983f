// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// CPU affinity of the program.
#pragma once

namespace coppice::app {

/// Resets the affinity of the first thread, which later threads inherit, to that at the start of the program. The
/// OpenMP library that the benchmarks load binds the first thread to one core if OMP_PROC_BIND=true. Call it before the
/// first thread is started.
void use_all_allowed_cores();

} // namespace coppice::app
