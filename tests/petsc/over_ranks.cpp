// SPDX-License-Identifier: BSD-3-Clause
// PCType "coppice" with multilevel, which couples all ranks: about as many iterations as on one rank, also with null
// spaces, near null spaces, blocked matrices, reused set-ups and new values; and transposes of preconditioners.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <coppice/petsc.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "bilinear_element.hpp"

namespace {

constexpr bool is_complex = !std::is_floating_point_v<PetscScalar>;

void require(PetscErrorCode code) { REQUIRE(code == 0); }

/// 5-point matrix of an m x n grid, distributed over `comm`. `open`: no flow through the boundary, so the matrix is
/// singular. Couplings across are `ratio`.
Mat grid(MPI_Comm comm, PetscInt m, PetscInt n, PetscReal ratio, bool open) {
    Mat a = nullptr;
    PetscInt first = 0, last = 0;
    require(MatCreateAIJ(comm, PETSC_DECIDE, PETSC_DECIDE, m * n, m * n, 5, nullptr, 5, nullptr, &a));
    require(MatGetOwnershipRange(a, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
        PetscReal diagonal = 0;
        auto const couple = [&](bool inside, PetscInt j, PetscReal weight) {
            if (inside || !open) diagonal += weight;
            if (inside) require(MatSetValue(a, i, j, -weight, INSERT_VALUES));
        };
        couple(i % m > 0, i - 1, 1);
        couple(i % m < m - 1, i + 1, 1);
        couple(i >= m, i - m, ratio);
        couple(i + m < m * n, i + m, ratio);
        require(MatSetValue(a, i, i, diagonal, INSERT_VALUES));
    }
    require(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    require(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    return a;
}

/// Linear elasticity of m x m unit squares of bilinear elements, clamped on the left, with Poisson's ratio 0.3; two
/// unknowns per point.
Mat beam(MPI_Comm comm, PetscInt m) {
    auto const k = stiffness_of_square();
    Mat a = nullptr;
    PetscInt const n = 2 * m * (m + 1);
    PetscInt first = 0, last = 0;
    require(MatCreate(comm, &a));
    require(MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, n, n));
    require(MatSetBlockSize(a, 2));
    require(MatSetType(a, MATAIJ));
    require(MatMPIAIJSetPreallocation(a, 18, nullptr, 18, nullptr));
    require(MatSeqAIJSetPreallocation(a, 18, nullptr));
    require(MatGetOwnershipRange(a, &first, &last));
    for (PetscInt e = 0; e < m * m; ++e) {
        auto const row_of = [&](int i) { return unknown_of_corner(m, e % m, e / m, i); };
        for (int i = 0; i < 64; ++i)
            if (row_of(i / 8) >= first && row_of(i / 8) < last && row_of(i % 8) >= 0)
                require(MatSetValue(a, row_of(i / 8), row_of(i % 8), k[std::size_t(i / 8)][std::size_t(i % 8)],
                                    ADD_VALUES));
    }
    require(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    require(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    return a;
}

struct solver {
    KSP ksp = nullptr;

    solver(MPI_Comm comm, char const* preconditioner) {
        PC pc = nullptr;
        require(KSPCreate(comm, &ksp));
        require(KSPSetType(ksp, KSPCG));
        require(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
        require(KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, 500));
        require(KSPGetPC(ksp, &pc));
        require(PCSetType(pc, PCCOPPICE));
        require(PCCoppiceSetType(pc, preconditioner));
    }
    solver(solver const&) = delete;
    ~solver() { KSPDestroy(&ksp); }

    /// Returns the number of iterations. The solution is b_i = sin(i), minus its mean if the matrix is singular.
    PetscInt solve(Mat a, bool singular = false) const {
        Vec u = nullptr, b = nullptr, x = nullptr;
        PetscInt first = 0, last = 0, n = 0, iterations = 0;
        PetscReal error = 0, size = 0;
        PetscScalar sum = 0;
        KSPConvergedReason reason{};
        require(MatCreateVecs(a, &u, &b));
        require(VecDuplicate(u, &x));
        require(VecGetOwnershipRange(u, &first, &last));
        for (PetscInt i = first; i < last; ++i) require(VecSetValue(u, i, std::sin(PetscReal(i)), INSERT_VALUES));
        require(VecAssemblyBegin(u));
        require(VecAssemblyEnd(u));
        require(VecGetSize(u, &n));
        require(VecSum(u, &sum));
        if (singular) require(VecShift(u, -sum / PetscReal(n)));
        require(MatMult(a, u, b));
        require(KSPSetOperators(ksp, a, a));
        require(KSPSolve(ksp, b, x));
        require(KSPGetConvergedReason(ksp, &reason));
        require(KSPGetIterationNumber(ksp, &iterations));
        CHECK(reason > 0);
        require(VecSum(x, &sum));
        if (singular) require(VecShift(x, -sum / PetscReal(n)));
        require(VecNorm(u, NORM_2, &size));
        require(VecAXPY(x, -1, u));
        require(VecNorm(x, NORM_2, &error));
        CHECK(error <= 1e-4 * size);
        require(VecDestroy(&u));
        require(VecDestroy(&b));
        require(VecDestroy(&x));
        return iterations;
    }
};

void add_constants(Mat a) {
    MatNullSpace constants = nullptr;
    require(MatNullSpaceCreate(PetscObjectComm(reinterpret_cast<PetscObject>(a)), PETSC_TRUE, 0, nullptr, &constants));
    require(MatSetNullSpace(a, constants));
    require(MatNullSpaceDestroy(&constants));
}

/// At most 1.15 times the iterations of one rank, which every rank counts for itself.
void compare(PetscInt m, PetscInt n, PetscReal ratio, bool open) {
    CAPTURE(m);
    CAPTURE(ratio);
    Mat all = grid(PETSC_COMM_WORLD, m, n, ratio, open), alone = grid(PETSC_COMM_SELF, m, n, ratio, open);
    if (open) {
        add_constants(all);
        add_constants(alone);
    }
    solver const over_ranks(PETSC_COMM_WORLD, "multilevel"), on_one(PETSC_COMM_SELF, "multilevel");
    PetscInt const one = on_one.solve(alone, open), several = over_ranks.solve(all, open);
    CAPTURE(one);
    CAPTURE(several);
    CHECK(PetscReal(several) <= 1.15 * PetscReal(one));
    require(MatDestroy(&all));
    require(MatDestroy(&alone));
}

std::string error_of(std::function<PetscErrorCode()> const& call) {
    static std::string message;
    message = "no error";
    auto const remember = [](MPI_Comm, int, char const*, char const*, PetscErrorCode code, PetscErrorType type,
                             char const* text, void*) {
        if (type == PETSC_ERROR_INITIAL) message = text ? text : "";
        return code;
    };
    PetscPushErrorHandler(remember, nullptr);
    call();
    PetscPopErrorHandler();
    return message;
}

} // namespace

TEST_CASE("multilevel over all ranks needs about the iterations of one rank") {
    compare(150, 150, 1, false);
    compare(150, 100, 0.05, false);
}

TEST_CASE("multilevel over all ranks with a null space") { compare(120, 100, 1, true); }

TEST_CASE("blocked matrices, new values, and a set-up that is reused") {
    PetscInt const m = 60;
    Mat a = grid(PETSC_COMM_WORLD, m, m, 1, false), other = grid(PETSC_COMM_WORLD, m, m, 0.2, false);
    PetscInt const of_aij = solver(PETSC_COMM_WORLD, "multilevel").solve(a);
    for (MatType const type : {MATBAIJ, MATSBAIJ}) {
        Mat blocked = nullptr;
        require(MatSetOption(a, MAT_SYMMETRIC, PETSC_TRUE)); // sbaij stores one triangle
        require(MatConvert(a, type, MAT_INITIAL_MATRIX, &blocked));
        CHECK(solver(PETSC_COMM_WORLD, "multilevel").solve(blocked) == of_aij);
        require(MatDestroy(&blocked));
    }
    PetscInt const of_other = solver(PETSC_COMM_WORLD, "multilevel").solve(other);
    solver const again(PETSC_COMM_WORLD, "multilevel");
    CHECK(again.solve(a) == of_aij);
    require(MatCopy(other, a, SAME_NONZERO_PATTERN));
    CHECK(std::abs(again.solve(a) - of_other) <= 2); // on one rank the aggregates stay
    // The preconditioner of `other` stays for the first matrix: more iterations than with its own.
    Mat first = grid(PETSC_COMM_WORLD, m, m, 1, false);
    require(MatCopy(first, a, SAME_NONZERO_PATTERN));
    require(KSPSetReusePreconditioner(again.ksp, PETSC_TRUE));
    CHECK(again.solve(a) > of_aij);
    require(KSPSetReusePreconditioner(again.ksp, PETSC_FALSE));
    CHECK(std::abs(again.solve(a) - of_aij) <= 2);
    require(MatDestroy(&a));
    require(MatDestroy(&other));
    require(MatDestroy(&first));
}

TEST_CASE("forests over all ranks take the iterations of one rank, also with new values") {
    for (char const* const name : {"forest", "block-forest"}) {
        if (is_complex) continue; // for real matrices
        CAPTURE(name);
        Mat all = grid(PETSC_COMM_WORLD, 60, 50, 20, false), alone = grid(PETSC_COMM_SELF, 60, 50, 20, false);
        Mat const other = grid(PETSC_COMM_WORLD, 60, 50, 0.5, false),
                  other_alone = grid(PETSC_COMM_SELF, 60, 50, 0.5, false);
        solver const over_ranks(PETSC_COMM_WORLD, name), on_one(PETSC_COMM_SELF, name);
        CHECK(std::abs(over_ranks.solve(all) - on_one.solve(alone)) <= 1);
        require(MatCopy(other, all, SAME_NONZERO_PATTERN));
        require(MatCopy(other_alone, alone, SAME_NONZERO_PATTERN));
        CHECK(std::abs(over_ranks.solve(all) - on_one.solve(alone)) <= 1); // with the forests of the first values
        for (Mat each : {all, alone, other, other_alone}) require(MatDestroy(&each));
    }
}

TEST_CASE("new values refresh the preconditioner, another pattern makes it anew") {
    Mat a = grid(PETSC_COMM_WORLD, 80, 80, 1, false), other = grid(PETSC_COMM_WORLD, 80, 80, 0.9, false);
    auto const aggregate_seconds = [](solver const& of) {
        PC pc = nullptr;
        double seconds = 0;
        require(KSPGetPC(of.ksp, &pc));
        require(PCCoppiceGetFinding(pc, "aggregate_seconds", &seconds));
        return seconds;
    };
    solver const again(PETSC_COMM_WORLD, "multilevel");
    PetscInt const of_a = again.solve(a);
    double const before = aggregate_seconds(again); // a refresh keeps the aggregates
    require(MatCopy(other, a, SAME_NONZERO_PATTERN));
    CHECK(std::abs(again.solve(a) - of_a) <= 1);
    CHECK(aggregate_seconds(again) == before);
    Mat more = grid(PETSC_COMM_WORLD, 80, 80, 1, false);
    require(MatSetOption(more, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscInt first = 0, last = 0;
    require(MatGetOwnershipRange(more, &first, &last));
    if (first == 0) require(MatSetValue(more, 0, 2, -0.1, INSERT_VALUES));
    if (first <= 2 && 2 < last) require(MatSetValue(more, 2, 0, -0.1, INSERT_VALUES));
    require(MatAssemblyBegin(more, MAT_FINAL_ASSEMBLY));
    require(MatAssemblyEnd(more, MAT_FINAL_ASSEMBLY));
    CHECK(std::abs(again.solve(more) - of_a) <= 1);
    require(MatDestroy(&a));
    require(MatDestroy(&other));
    require(MatDestroy(&more));
}

TEST_CASE("multilevel over all ranks takes block sizes and near null spaces") {
    PetscInt const m = 30;
    PetscInt iterations[3] = {};
    for (int kind = 0; kind < 3; ++kind) { // one rank, all ranks, all ranks with the constants of both only
        Mat a = beam(kind == 0 ? PETSC_COMM_SELF : PETSC_COMM_WORLD, m);
        Vec points = nullptr;
        MatNullSpace modes = nullptr;
        require(MatCreateVecs(a, &points, nullptr));
        PetscInt first = 0, last = 0;
        require(VecGetOwnershipRange(points, &first, &last));
        for (PetscInt i = first; i < last; ++i)
            require(VecSetValue(points, i, i % 2 == 0 ? i / 2 % m + 1 : i / 2 / m, INSERT_VALUES));
        require(VecAssemblyBegin(points));
        require(VecAssemblyEnd(points));
        require(VecSetBlockSize(points, 2));
        require(MatNullSpaceCreateRigidBody(points, &modes));
        if (kind < 2) require(MatSetNearNullSpace(a, modes));
        solver const of(kind == 0 ? PETSC_COMM_SELF : PETSC_COMM_WORLD, "multilevel,smoother=chebyshev");
        iterations[kind] = of.solve(a);
        CHECK(of.solve(a) == iterations[kind]);
        require(MatNullSpaceDestroy(&modes));
        require(VecDestroy(&points));
        require(MatDestroy(&a));
    }
    CHECK(PetscReal(iterations[1]) <= 1.15 * PetscReal(iterations[0]) + 1);
    CHECK(iterations[1] < iterations[2]);
}

TEST_CASE("the transpose of a preconditioner") {
    Mat a = grid(PETSC_COMM_WORLD, 30, 20, 0.5, false);
    Vec r = nullptr, s = nullptr, z = nullptr;
    require(MatCreateVecs(a, &r, &s));
    require(VecDuplicate(r, &z));
    PetscInt first = 0, last = 0;
    require(VecGetOwnershipRange(r, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
        require(VecSetValue(r, i, std::cos(PetscReal(3 * i)), INSERT_VALUES));
        require(VecSetValue(s, i, std::sin(PetscReal(i * i)), INSERT_VALUES));
    }
    for (Vec const v : {r, s}) {
        require(VecAssemblyBegin(v));
        require(VecAssemblyEnd(v));
    }
    auto const check = [&](char const* name, Mat matrix) { // s^T M^-1 r = r^T M^-T s
        CAPTURE(name);
        PC pc = nullptr;
        PetscScalar forward = 0, transposed = 0;
        solver const of(PETSC_COMM_WORLD, name);
        require(KSPGetPC(of.ksp, &pc));
        require(PCSetOperators(pc, matrix, matrix));
        require(PCApply(pc, r, z));
        require(VecTDot(z, s, &forward));
        require(PCApplyTranspose(pc, s, z));
        require(VecTDot(r, z, &transposed));
        CHECK(std::abs(forward - transposed) <= 1e-10 * std::abs(forward));
    };
    Mat blocked = nullptr, lower = nullptr;
    require(MatConvert(a, MATBAIJ, MAT_INITIAL_MATRIX, &blocked));
    require(MatSetOption(a, MAT_SYMMETRIC, PETSC_TRUE));
    require(MatConvert(a, MATSBAIJ, MAT_INITIAL_MATRIX, &lower));
    std::vector<char const*> const names = is_complex ? std::vector{"multilevel", "ilu0", "jacobi"}
                                                      : std::vector{"multilevel", "forest", "alt-i", "mos", "jacobi"};
    for (char const* const name : names)
        for (Mat const matrix : {a, blocked, lower}) check(name, matrix);
    require(MatDestroy(&blocked));
    require(MatDestroy(&lower));
    // One more entry, and one between the first two ranks: not symmetric.
    if (last == 600) require(MatSetValue(a, 599, 598, -0.5, INSERT_VALUES));
    if (first == 0 && last < 600) require(MatSetValue(a, last - 1, last + 29, -0.25, INSERT_VALUES));
    require(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    require(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    for (char const* const name : {is_complex ? "ilu0" : "forest", is_complex ? "isai" : "mos-d", "multilevel"})
        check(name, a);
    require(VecDestroy(&r));
    require(VecDestroy(&s));
    require(VecDestroy(&z));
    require(MatDestroy(&a));
}

#if defined(PETSC_USE_COMPLEX)
TEST_CASE("complex matrices: in every gauge, with absorption, and transposes") {
    PetscScalar const powers_of_i[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}; // without rounding errors
    for (bool const absorbs : {false, true}) {
        CAPTURE(absorbs);
        PetscInt iterations[2] = {};
        for (bool const alone : {true, false}) {
            Mat a = grid(alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD, 70, 60, 0.5, false);
            Vec phases = nullptr, conjugates = nullptr, z = nullptr, image = nullptr;
            require(MatCreateVecs(a, &phases, &conjugates));
            PetscInt first = 0, last = 0;
            require(VecGetOwnershipRange(phases, &first, &last));
            for (PetscInt i = first; i < last; ++i)
                require(VecSetValue(phases, i, powers_of_i[i * i % 101 % 4], INSERT_VALUES));
            require(VecAssemblyBegin(phases));
            require(VecAssemblyEnd(phases));
            require(VecCopy(phases, conjugates));
            require(VecConjugate(conjugates));
            require(MatDiagonalScale(a, conjugates, phases)); // Hermitian
            if (absorbs) require(MatShift(a, PetscScalar(0, 0.05)));
            solver const of(alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD, "multilevel");
            if (absorbs) require(KSPSetType(of.ksp, KSPGMRES));
            iterations[alone] = of.solve(a);
            CHECK(std::abs(of.solve(a) - iterations[alone]) <= 1); // refreshed
            PC pc = nullptr;
            PetscScalar forward = 0, transposed = 0;
            require(KSPGetPC(of.ksp, &pc));
            require(VecDuplicate(phases, &z));
            require(VecDuplicate(phases, &image));
            require(PCApply(pc, phases, z));
            require(VecShift(conjugates, 1));
            require(VecTDot(z, conjugates, &forward));
            require(PCApplyTranspose(pc, conjugates, image));
            require(VecTDot(phases, image, &transposed));
            CHECK(std::abs(forward - transposed) <= 1e-10 * std::abs(forward));
            for (Vec v : {phases, conjugates, z, image}) require(VecDestroy(&v));
            require(MatDestroy(&a));
        }
        CHECK(iterations[0] <= iterations[1] + iterations[1] / 3 + 1);
    }
}
#endif

TEST_CASE("KSPBICG with multilevel takes about as many iterations as on one rank") {
    PetscInt const m = 70;
    PetscInt iterations[2] = {};
    for (bool const alone : {true, false}) {
        MPI_Comm const comm = alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD;
        Mat a = grid(comm, m, m, 1, false);
        PetscInt first = 0, last = 0;
        require(MatGetOwnershipRange(a, &first, &last));
        for (PetscInt i = first; i < last; ++i) { // convection from the rows of a grid before
            require(MatSetValue(a, i, i, 4.5, INSERT_VALUES));
            if (i >= m) require(MatSetValue(a, i, i - m, -1.5, INSERT_VALUES));
        }
        require(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
        require(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
        solver const of(comm, "multilevel");
        require(KSPSetType(of.ksp, KSPBICG));
        iterations[alone] = of.solve(a);
        require(MatScale(a, 2));
        CHECK(of.solve(a) == iterations[alone]); // with the transposes of the new values
        require(MatDestroy(&a));
    }
    CHECK(iterations[0] <= iterations[1] + iterations[1] / 3 + 1);
}

TEST_CASE("a transpose that is not available is an error on all ranks") {
    Mat a = grid(PETSC_COMM_WORLD, 30, 20, 1, false);
    auto const transpose = [](Mat matrix, char const* name) {
        PC pc = nullptr;
        Vec r = nullptr, z = nullptr;
        solver const of(PETSC_COMM_WORLD, name);
        require(KSPGetPC(of.ksp, &pc));
        require(PCSetOperators(pc, matrix, matrix));
        require(PCSetUp(pc));
        require(MatCreateVecs(matrix, &r, &z));
        require(VecSet(r, 1));
        auto const message = error_of([&] { return PCApplyTranspose(pc, r, z); });
        require(VecDestroy(&r));
        require(VecDestroy(&z));
        return message;
    };
    // A block of one row has one forest, which does not vary; ranks may have no row.
    Mat small = grid(PETSC_COMM_WORLD, 2, 2, 1, false);
    for (Mat const matrix : {a, small})
        if (!is_complex) CHECK(transpose(matrix, "alt-o").find("no transpose") != std::string::npos);
    require(MatDestroy(&a));
    require(MatDestroy(&small));
}

TEST_CASE("a matrix that multilevel does not take is an error on all ranks") {
    PetscMPIInt rank = 0, ranks = 1;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    Mat a = grid(PETSC_COMM_WORLD, 30, 20, 1, false);
    if (rank == ranks - 1) require(MatSetValue(a, 599, 599, std::nan(""), INSERT_VALUES));
    require(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    require(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    PC pc = nullptr;
    solver const of(PETSC_COMM_WORLD, "multilevel");
    require(KSPGetPC(of.ksp, &pc));
    require(PCSetOperators(pc, a, a));
    std::string const message = error_of([&] { return PCSetUp(pc); });
    CAPTURE(message);
    CHECK(message.find("coppice: ") == 0);
    CHECK(message.find("finite") != std::string::npos);
    require(MatDestroy(&a));
}

TEST_CASE("a failed refresh is an error until the values change") {
    PetscMPIInt rank = 0, ranks = 1;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    PetscInt const m = 60, last = m * m - 1;
    Mat a = grid(PETSC_COMM_WORLD, m, m, 1, false);
    solver const of(PETSC_COMM_WORLD, "multilevel");
    PetscInt const iterations = of.solve(a);
    PC pc = nullptr;
    Vec r = nullptr, z = nullptr;
    require(KSPGetPC(of.ksp, &pc));
    require(MatCreateVecs(a, &r, &z));
    require(VecSet(r, 1));
    auto const set_last = [&](PetscReal value) {
        if (rank == ranks - 1) require(MatSetValue(a, last, last, value, INSERT_VALUES));
        require(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
        require(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    };
    set_last(std::nan(""));
    CHECK(error_of([&] { return PCSetUp(pc); }).find("finite") != std::string::npos);
    for (int again = 0; again < 2; ++again) {
        CHECK(error_of([&] { return PCApply(pc, r, z); }).find("no preconditioner") != std::string::npos);
        CHECK(error_of([&] { return PCApplyTranspose(pc, r, z); }).find("no preconditioner") != std::string::npos);
    }
    set_last(4);
    CHECK(of.solve(a) == iterations);
    require(VecDestroy(&r));
    require(VecDestroy(&z));
    require(MatDestroy(&a));
}

TEST_CASE("values that are no longer symmetric make the preconditioner anew") {
    PetscInt const m = 80;
    Mat a = grid(PETSC_COMM_WORLD, m, m, 1, false);
    solver const of(PETSC_COMM_WORLD, "multilevel"), fresh(PETSC_COMM_WORLD, "multilevel");
    of.solve(a);
    PetscInt first = 0, last = 0;
    require(MatGetOwnershipRange(a, &first, &last));
    for (PetscInt i = first; i < last; ++i)
        if (i % m > 0) {
            require(MatSetValue(a, i, i - 1, -1.5, INSERT_VALUES));
            require(MatSetValue(a, i, i, 4.5, INSERT_VALUES));
        }
    require(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    require(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    for (KSP const ksp : {of.ksp, fresh.ksp}) require(KSPSetType(ksp, KSPBCGS));
    PetscMPIInt ranks = 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    PetscInt const refreshed = of.solve(a), anew = fresh.solve(a);
    CHECK((ranks > 1 ? refreshed == anew : refreshed <= 2 * anew)); // on one rank the aggregates stay
    require(MatDestroy(&a));
}

TEST_CASE("other values of the near null space make the preconditioner anew") {
    Mat a = beam(PETSC_COMM_WORLD, 60);
    Vec constants[2] = {};
    PetscInt first = 0, last = 0;
    require(MatGetOwnershipRange(a, &first, &last));
    auto const set = [&](int c, PetscScalar even, PetscScalar odd) {
        for (PetscInt i = first; i < last; ++i)
            require(VecSetValue(constants[c], i, i % 2 == 0 ? even : odd, INSERT_VALUES));
        require(VecAssemblyBegin(constants[c]));
        require(VecAssemblyEnd(constants[c]));
    };
    for (int c = 0; c < 2; ++c) {
        require(MatCreateVecs(a, &constants[c], nullptr));
        PetscReal const one = 1 / std::sqrt(PetscReal(60 * 61)); // of norm 1
        set(c, c == 0 ? one : 0, c == 0 ? 0 : one);
    }
    MatNullSpace modes = nullptr;
    require(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 2, constants, &modes));
    require(MatSetNearNullSpace(a, modes));
    solver const of(PETSC_COMM_WORLD, "multilevel");
    auto const aggregate_seconds = [&] {
        PC pc = nullptr;
        double seconds = 0;
        require(KSPGetPC(of.ksp, &pc));
        require(PCCoppiceGetFinding(pc, "aggregate_seconds", &seconds));
        return seconds;
    };
    auto const change_values = [&] { require(MatScale(a, 2)); };
    of.solve(a);
    double const before = aggregate_seconds();
    change_values();
    of.solve(a);
    CHECK(aggregate_seconds() == before);
    require(VecScale(constants[0], -1));
    change_values();
    of.solve(a);
    CHECK(aggregate_seconds() != before);
    for (Vec& v : constants) require(VecDestroy(&v));
    require(MatNullSpaceDestroy(&modes));
    require(MatDestroy(&a));
}

int main(int argc, char** argv) {
    PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
    PetscCall(CoppicePetscRegister());
    int const failed = doctest::Context().run();
    PetscCall(PetscFinalize());
    return failed;
}
