/* SPDX-License-Identifier: BSD-3-Clause */
/* -u_xx - r u_yy on an m x n grid in an AIJ matrix distributed over the ranks; solved, set to other values on the same
 * pattern, and solved again. Options choose everything else; exit code 1 if a solution differs from that from which b
 * was computed, or if -expect names another number of iterations. */
#include <petscksp.h>

static PetscErrorCode fill(Mat A, PetscInt m, PetscInt n, PetscReal ratio) {
    PetscFunctionBeginUser;
    PetscInt first, last;
    PetscCall(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
        PetscInt const x = i % m, y = i / m;
        if (x > 0) PetscCall(MatSetValue(A, i, i - 1, -1.0, INSERT_VALUES));
        if (x < m - 1) PetscCall(MatSetValue(A, i, i + 1, -1.0, INSERT_VALUES));
        if (y > 0) PetscCall(MatSetValue(A, i, i - m, -ratio, INSERT_VALUES));
        if (y < n - 1) PetscCall(MatSetValue(A, i, i + m, -ratio, INSERT_VALUES));
        PetscCall(MatSetValue(A, i, i, 2.0 + 2.0 * ratio, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* Solves for b = A u and compares; *wrong counts the differences. */
static PetscErrorCode solve_once(KSP ksp, Mat A, PetscInt expected, int* wrong) {
    PetscFunctionBeginUser;
    Vec u, b, x;
    PetscReal error, size;
    PetscInt iterations;
    KSPConvergedReason reason;
    PetscCall(MatCreateVecs(A, &u, &b));
    PetscCall(VecDuplicate(u, &x));
    PetscInt first, last;
    PetscCall(VecGetOwnershipRange(u, &first, &last));
    for (PetscInt i = first; i < last; ++i) PetscCall(VecSetValue(u, i, 1.0 + (PetscReal)(i % 7), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(u));
    PetscCall(VecAssemblyEnd(u));
    PetscCall(MatMult(A, u, b));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(VecNorm(u, NORM_2, &size));
    PetscCall(VecAXPY(x, -1.0, u));
    PetscCall(VecNorm(x, NORM_2, &error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %" PetscInt_FMT " iterations, error %g\n", KSPConvergedReasons[reason],
                          iterations, (double)(error / size)));
    if (reason <= 0 || !(error <= 1e-5 * size) || (expected >= 0 && iterations != expected)) ++*wrong;
    PetscCall(VecDestroy(&u));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscInt m = 40, n = 30, expected = -1;
    PetscReal ratio = 0.1;
    int wrong = 0;
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-m", &m, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-ratio", &ratio, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-expect", &expected, NULL));
    Mat A;
    KSP ksp;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, m * n, m * n, 5, NULL, 5, NULL, &A));
    PetscCall(MatSetFromOptions(A));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(fill(A, m, n, ratio));
    PetscCall(solve_once(ksp, A, expected, &wrong));
    PetscCall(fill(A, m, n, 1.5 * ratio));
    PetscCall(solve_once(ksp, A, -1, &wrong));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));
    PetscCall(PetscFinalize());
    return wrong != 0;
}
