/* SPDX-License-Identifier: BSD-3-Clause */
/*!
 * \file
 * Coppice as a plug-in of PETSc: PCType "coppice" and MatSolverType "coppice". docs/guide/petsc.md shows how to use it.
 *
 * A program that PETSc loads the library into (-dll_append libcoppice_petsc.so) needs none of this: it has the options
 * -pc_type coppice -pc_coppice_type NAME -pc_coppice_OPTION VALUE. One that is linked to the library calls
 * CoppicePetscRegister() after PetscInitialize().
 */
#ifndef COPPICE_PETSC_H_
#define COPPICE_PETSC_H_

#include <petscksp.h>

#define PCCOPPICE "coppice"
#define MATSOLVERCOPPICE "coppice"

/*! Makes both types known to PETSc; calling it again does nothing more. To be called after PetscInitialize(). */
PETSC_EXTERN PetscErrorCode CoppicePetscRegister(void);

/*!
 * A preconditioner of Coppice's catalogue, "forest", or one with options, "forest,rounds=7". As -pc_coppice_type.
 * "multilevel" and preconditioners made of forests couple all ranks of the PC, except "mos" with first=bands; each
 * other one is made for the rows and columns of each rank. Does nothing to a PC of another type. PETSC_ERR_ARG_WRONG
 * for an unknown name, with a list of the known ones.
 */
PETSC_EXTERN PetscErrorCode PCCoppiceSetType(PC pc, char const name[]);

/*! An option of that preconditioner by its name in the catalogue: "rounds", "7". As -pc_coppice_rounds 7. */
PETSC_EXTERN PetscErrorCode PCCoppiceSetOption(PC pc, char const name[], char const value[]);

/*!
 * A figure that the set-up on this rank found: "weight_coverage". PETSC_ERR_ARG_WRONG for an unknown one, with a list
 * of the known ones; PETSC_ERR_ORDER before PCSetUp() and for a PC of another type.
 */
PETSC_EXTERN PetscErrorCode PCCoppiceGetFinding(PC pc, char const name[], double* value);

#endif
