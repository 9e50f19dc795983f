// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What register.cpp makes known to PETSc.
#pragma once

#include <coppice/petsc.h>

namespace coppice::petsc {

/// The constructor of PCType "coppice".
PetscErrorCode create_preconditioner(PC pc);
/// The constructor of factors for MatSolverType "coppice": LU of banded matrices.
PetscErrorCode create_band_factor(Mat a, MatFactorType type, Mat* factor);

} // namespace coppice::petsc
