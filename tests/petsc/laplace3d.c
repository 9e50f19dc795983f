/* SPDX-License-Identifier: BSD-3-Clause */
/* The Laplacian on a three-dimensional DMDA, its matrix made by a callback of KSP. Exit code 1 if the solve does not
 * converge or its true residual is not small. */
#include <petscdmda.h>
#include <petscksp.h>

static PetscErrorCode matrix(KSP ksp, Mat A, Mat P, void* context) {
    PetscFunctionBeginUser;
    (void)A;
    (void)context;
    DM grid;
    DMDALocalInfo info;
    PetscCall(KSPGetDM(ksp, &grid));
    PetscCall(DMDAGetLocalInfo(grid, &info));
    for (PetscInt k = info.zs; k < info.zs + info.zm; ++k)
        for (PetscInt j = info.ys; j < info.ys + info.ym; ++j)
            for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
                MatStencil const row = {.i = i, .j = j, .k = k};
                MatStencil at[7];
                PetscScalar values[7];
                PetscInt count = 0;
                for (int axis = 0; axis < 3; ++axis)
                    for (int step = -1; step <= 1; step += 2) {
                        MatStencil const to = {
                            .i = i + (axis == 0) * step, .j = j + (axis == 1) * step, .k = k + (axis == 2) * step};
                        if (to.i < 0 || to.j < 0 || to.k < 0 || to.i >= info.mx || to.j >= info.my || to.k >= info.mz)
                            continue;
                        at[count] = to;
                        values[count++] = -1.0;
                    }
                at[count] = row;
                values[count++] = 6.0;
                PetscCall(MatSetValuesStencil(P, 1, &row, count, at, values, INSERT_VALUES));
            }
    PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    DM grid;
    KSP ksp;
    Vec b, x, r;
    Mat A;
    PetscInt iterations;
    PetscReal residual, size;
    KSPConvergedReason reason;
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                           14, 13, 12, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, NULL, &grid));
    PetscCall(DMSetFromOptions(grid));
    PetscCall(DMSetUp(grid));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetDM(ksp, grid));
    PetscCall(KSPSetComputeOperators(ksp, matrix, NULL));
    PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(DMCreateGlobalVector(grid, &b));
    PetscCall(VecDuplicate(b, &x));
    PetscCall(VecDuplicate(b, &r));
    PetscCall(VecSet(b, 1.0));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(KSPGetOperators(ksp, &A, NULL));
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAXPY(r, -1.0, b));
    PetscCall(VecNorm(r, NORM_2, &residual));
    PetscCall(VecNorm(b, NORM_2, &size));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %" PetscInt_FMT " iterations, residual %g\n",
                          KSPConvergedReasons[reason], iterations, (double)(residual / size)));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&r));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(DMDestroy(&grid));
    PetscCall(PetscFinalize());
    return !(reason > 0 && residual <= 1e-6 * size);
}
