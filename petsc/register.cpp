// SPDX-License-Identifier: BSD-3-Clause
#include "petsc/plugin.hpp"

PetscErrorCode CoppicePetscRegister(void) {
    PetscFunctionBegin;
    PetscCall(PCRegister(PCCOPPICE, coppice::petsc::create_preconditioner));
    // MatSolverTypeRegister() looks at the list of solvers before it initialises the package that fills it: called
    // first, it would lose PETSc's own.
    PetscCall(MatInitializePackage());
    PetscCall(MatSolverTypeRegister(MATSOLVERCOPPICE, MATSEQAIJ, MAT_FACTOR_LU, coppice::petsc::create_band_factor));
    PetscFunctionReturn(0);
}

/// What PETSc calls of a library that -dll_append or -dll_prepend names: its name is that of the file.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_coppice_petsc(void) {
    PetscFunctionBegin;
    PetscCall(CoppicePetscRegister());
    PetscFunctionReturn(0);
}
