// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// State of a PC of type "coppice", and its set-up.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <petsc/private/pcimpl.h>

#include <coppice/parts.hpp>
#include <coppice/preconditioner.hpp>

#include "mpi/mpi_transport.hpp"

namespace coppice::petsc {

using any_scalar_preconditioner = any_preconditioner<host_executor, PetscScalar>;

inline constexpr bool is_complex = is_complex_number<PetscScalar>;

/// State of a PC. The ranks on one machine share its cores, so each uses one core by default.
struct pc_state {
    named_choice choice{is_complex ? "jacobi" : "forest", {}};
    PetscInt threads = 1;
    bool changed = true; ///< whether the choice has changed since the preconditioner was made
    std::optional<host_executor> exec{};
    std::unique_ptr<mpi::transport> ranks{}; ///< of a preconditioner over all ranks, which `made` then is
    std::optional<any_scalar_preconditioner> made{};
    bool transposed = false;                     ///< whether the transpose has been applied since the last set-up
    std::vector<PetscObjectState> near_states{}; ///< of the near null space of the last set-up
};

inline pc_state& state_of(PC pc) { return *static_cast<pc_state*>(pc->data); }

/// Whether one preconditioner couples all ranks, instead of one for the block of each.
inline bool is_over_ranks(pc_state const& s, int ranks) {
    return ranks > 1 && couples_ranks<PetscScalar>(s.choice.name, s.choice.options);
}

/// Makes the preconditioner, or refreshes it if only values have changed. If that fails on one rank, all ranks return
/// the error, so that none waits for another.
PetscErrorCode set_up(PC pc);

} // namespace coppice::petsc
