/* SPDX-License-Identifier: BSD-3-Clause */
/* The solid fuel ignition problem -u_xx - u_yy = lambda e^u on the unit square, u = 0 on its boundary, by Newton's
 * method on a DMDA: every step has new values on the same pattern. Exit code 1 if it does not converge or u is not
 * that of the literature at the middle: 0.11 for lambda = 1.4 (Doedel and others: the lower branch). */
#include <petscdmda.h>
#include <petscsnes.h>

#define LAMBDA 1.4

static PetscErrorCode function(DMDALocalInfo* info, PetscScalar** u, PetscScalar** f, void* context) {
    PetscFunctionBeginUser;
    (void)context;
    PetscReal const h = 1.0 / (PetscReal)(info->mx - 1);
    for (PetscInt j = info->ys; j < info->ys + info->ym; ++j)
        for (PetscInt i = info->xs; i < info->xs + info->xm; ++i) {
            if (i == 0 || j == 0 || i == info->mx - 1 || j == info->my - 1)
                f[j][i] = u[j][i];
            else
                f[j][i] = 4.0 * u[j][i] - u[j][i - 1] - u[j][i + 1] - u[j - 1][i] - u[j + 1][i] -
                          h * h * LAMBDA * PetscExpScalar(u[j][i]);
        }
    PetscFunctionReturn(0);
}

static PetscErrorCode jacobian(DMDALocalInfo* info, PetscScalar** u, Mat A, Mat P, void* context) {
    PetscFunctionBeginUser;
    (void)context;
    PetscReal const h = 1.0 / (PetscReal)(info->mx - 1);
    for (PetscInt j = info->ys; j < info->ys + info->ym; ++j)
        for (PetscInt i = info->xs; i < info->xs + info->xm; ++i) {
            MatStencil const row = {.i = i, .j = j};
            MatStencil const at[5] = {
                {.i = i, .j = j - 1}, {.i = i - 1, .j = j}, row, {.i = i + 1, .j = j}, {.i = i, .j = j + 1}};
            PetscScalar const values[5] = {-1, -1, 4.0 - h * h * LAMBDA * PetscExpScalar(u[j][i]), -1, -1};
            PetscScalar const one = 1;
            if (i == 0 || j == 0 || i == info->mx - 1 || j == info->my - 1)
                PetscCall(MatSetValuesStencil(P, 1, &row, 1, &row, &one, INSERT_VALUES));
            else
                PetscCall(MatSetValuesStencil(P, 1, &row, 5, at, values, INSERT_VALUES));
        }
    PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
    if (A != P) {
        PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    }
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    DM grid;
    SNES snes;
    Vec u;
    PetscInt steps, iterations;
    PetscReal largest;
    SNESConvergedReason reason;
    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 33, 33,
                           PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &grid));
    PetscCall(DMSetFromOptions(grid));
    PetscCall(DMSetUp(grid));
    PetscCall(DMDASNESSetFunctionLocal(grid, INSERT_VALUES,
                                       (PetscErrorCode(*)(DMDALocalInfo*, void*, void*, void*))function, NULL));
    PetscCall(
        DMDASNESSetJacobianLocal(grid, (PetscErrorCode(*)(DMDALocalInfo*, void*, Mat, Mat, void*))jacobian, NULL));
    PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
    PetscCall(SNESSetDM(snes, grid));
    PetscCall(SNESSetFromOptions(snes));
    PetscCall(DMCreateGlobalVector(grid, &u));
    PetscCall(SNESSolve(snes, NULL, u));
    PetscCall(SNESGetConvergedReason(snes, &reason));
    PetscCall(SNESGetIterationNumber(snes, &steps));
    PetscCall(SNESGetLinearSolveIterations(snes, &iterations));
    PetscCall(VecNorm(u, NORM_INFINITY, &largest));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %" PetscInt_FMT " steps, %" PetscInt_FMT " iterations, largest u %g\n",
                          SNESConvergedReasons[reason], steps, iterations, (double)largest));
    PetscCall(VecDestroy(&u));
    PetscCall(SNESDestroy(&snes));
    PetscCall(DMDestroy(&grid));
    PetscCall(PetscFinalize());
    return !(reason > 0 && largest > 0.11 && largest < 0.12);
}
