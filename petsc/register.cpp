// SPDX-License-Identifier: BSD-3-Clause
#include "petsc/plugin.hpp"

PetscErrorCode CoppicePetscRegister(void) {
    PetscFunctionBegin;
    PetscCall(PCRegister(PCCOPPICE, coppice::petsc::create_preconditioner));
    // MatSolverTypeRegister() reads the list of solvers before it initialises the package that fills the list. Without
    // this call the solvers of PETSc would be lost.
    PetscCall(MatInitializePackage());
    PetscCall(MatSolverTypeRegister(MATSOLVERCOPPICE, MATSEQAIJ, MAT_FACTOR_LU, coppice::petsc::create_band_factor));
    PetscFunctionReturn(0);
}

/// Entry point that PETSc calls if -dll_append or -dll_prepend names this library; PETSc derives its name from the file
/// name.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_coppice_petsc(void) {
    PetscFunctionBegin;
    PetscCall(CoppicePetscRegister());
    PetscFunctionReturn(0);
}
