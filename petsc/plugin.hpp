// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functions that register.cpp registers with PETSc.
#pragma once

#include <coppice/petsc.h>

namespace coppice::petsc {

/// Constructor of PCType "coppice".
PetscErrorCode create_preconditioner(PC pc);
/// Constructor of factors for MatSolverType "coppice": LU of banded matrices.
PetscErrorCode create_band_factor(Mat a, MatFactorType type, Mat* factor);

} // namespace coppice::petsc
