// SPDX-License-Identifier: BSD-3-Clause
// A program that is linked to the plug-in: PETSc's methods with its preconditioners compared with those of the library,
// factors of bands, and errors for bad input. Runs on any number of ranks; the compared objects are on one rank.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <coppice/petsc.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/krylov.hpp>
#include <coppice/multilevel.hpp>
#include <coppice/preconditioner.hpp>

#include "../../petsc/petsc_error.hpp"
#include "bilinear_element.hpp"

using namespace coppice;

namespace {

constexpr bool is_real = std::is_floating_point_v<PetscScalar>;

std::string first_error; ///< message of the last call that failed

PetscErrorCode remember(MPI_Comm, int, char const*, char const*, PetscErrorCode code, PetscErrorType type,
                        char const* message, void*) {
    if (type == PETSC_ERROR_INITIAL) first_error = message ? message : "";
    return code;
}

/// Returns the message of a call that must fail.
template <class Call>
std::string error_of(Call call) {
    first_error = "no error";
    PetscPushErrorHandler(remember, nullptr);
    PetscErrorCode const code = call();
    PetscPopErrorHandler();
    return code ? first_error : "no error";
}

void require(PetscErrorCode code) { REQUIRE(code == 0); }

struct rows {
    std::vector<PetscInt> offsets{0}, columns{};
    std::vector<PetscScalar> values{};
    PetscInt size() const { return PetscInt(offsets.size()) - 1; }
    void put(PetscInt column, PetscScalar value) {
        if (column < 0) return;
        columns.push_back(column);
        values.push_back(value);
    }
    void end_row() { offsets.push_back(PetscInt(columns.size())); }
    Mat matrix() {
        Mat a = nullptr;
        require(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, size(), size(), offsets.data(), columns.data(),
                                          values.data(), &a));
        return a;
    }
    csr_view<PetscScalar> view() const {
        return {size(), size(), PetscInt(columns.size()), offsets.data(), columns.data(), values.data()};
    }
};

/// 5-point grid with strong couplings in one direction, another one in each half.
rows grid(PetscInt m, PetscInt n, PetscReal strong) {
    rows a;
    for (PetscInt y = 0; y < n; ++y)
        for (PetscInt x = 0; x < m; ++x) {
            PetscReal const along = 2 * x < m ? strong : 1, across = 2 * x < m ? 1 : strong;
            PetscInt const i = y * m + x;
            if (y > 0) a.put(i - m, -across);
            if (x > 0) a.put(i - 1, -1.0);
            a.put(i, 2 + 2 * strong + along / 10);
            if (x < m - 1) a.put(i + 1, -1.0);
            if (y < n - 1) a.put(i + m, -across);
            a.end_row();
        }
    return a;
}

rows band(PetscInt n, PetscInt below, PetscInt above) {
    rows a;
    for (PetscInt i = 0; i < n; ++i) {
        for (PetscInt j = std::max<PetscInt>(0, i - below); j <= std::min<PetscInt>(n - 1, i + above); ++j)
            a.put(j, PetscReal(i == j ? 45 : 1 + (i * 7 + j * 3) % 5) * PetscReal((i + j) % 2 ? 1 : -1));
        a.end_row();
    }
    return a;
}

struct outcome {
    PetscInt iterations;
    KSPConvergedReason reason;
};

outcome solve_by_petsc(KSP ksp, Mat a) {
    Vec x, b;
    require(MatCreateVecs(a, &x, &b));
    require(VecSet(b, 1));
    require(KSPSetOperators(ksp, a, a));
    require(KSPSolve(ksp, b, x));
    outcome o{};
    require(KSPGetIterationNumber(ksp, &o.iterations));
    require(KSPGetConvergedReason(ksp, &o.reason));
    require(VecDestroy(&x));
    require(VecDestroy(&b));
    return o;
}

KSP make_ksp(char const* method, std::string const& name, double tolerance) {
    KSP ksp;
    PC pc;
    require(KSPCreate(PETSC_COMM_SELF, &ksp));
    require(KSPSetType(ksp, method));
    require(KSPSetPCSide(ksp, std::string(method) == KSPCG ? PC_LEFT : PC_RIGHT));
    require(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    require(KSPSetTolerances(ksp, tolerance, 0, PETSC_DEFAULT, 1000));
    require(KSPGetPC(ksp, &pc));
    require(PCSetType(pc, PCCOPPICE));
    require(PCCoppiceSetType(pc, name.c_str()));
    return ksp;
}

std::int64_t iterations_of_library(char const* method, rows const& a,
                                   any_preconditioner<host_executor, PetscScalar> const& m, double tolerance) {
    host_executor const exec{1};
    std::vector<PetscScalar> const b(std::size_t(a.size()), 1);
    std::vector<PetscScalar> x(b.size(), 0);
    krylov_options options;
    options.tolerance = tolerance;
    options.max_iterations = 1000;
    options.restart = 30;
    csr_operator<host_executor, PetscScalar> const op(exec, a.view());
    krylov_result const r =
        solve(exec, method, op, m, array_view<PetscScalar const>(b), array_view<PetscScalar>(x), options);
    CHECK(r.converged);
    return r.iterations;
}

} // namespace

TEST_CASE("one rank needs the iterations of the library, with new values too") {
    host_executor const exec{1};
    double const tolerance = sizeof(PetscReal) == 8 ? 1e-9 : 1e-4;
    rows const old_rows = grid(37, 29, 20);
    rows const new_rows = grid(37, 29, 3);
    std::vector<std::string> names{"none", "jacobi"};
    if (is_real)
        for (char const* const name : {"tridiagonal", "forest,ties=hash", "alt-i", "alt-o", "mos-a", "multilevel"})
            names.emplace_back(name);
    for (std::string const& name : names) {
        CAPTURE(name);
        bool const symmetric = preconditioner_row_of(parse_choice(name).name).keeps_symmetry;
        bool const varies = preconditioner_row_of(parse_choice(name).name).varies;
        rows a = old_rows;
        Mat matrix = a.matrix();
        KSP ksp = make_ksp(symmetric ? KSPCG : varies ? KSPFGMRES : KSPGMRES, name, tolerance);
        char const* const method = symmetric ? "cg" : varies ? "fgmres" : "gmres";
        auto m = make_preconditioner(exec, name, a.view());
        outcome o = solve_by_petsc(ksp, matrix);
        CHECK(o.reason > 0);
        CHECK(o.iterations == iterations_of_library(method, a, m, tolerance));
        // Values change in place: the analysis of the pattern is reused.
        std::copy(new_rows.values.begin(), new_rows.values.end(), a.values.begin());
        require(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
        require(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
        o = solve_by_petsc(ksp, matrix);
        m.refresh(exec, a.view());
        CHECK(o.iterations == iterations_of_library(method, a, m, tolerance));
        require(KSPDestroy(&ksp));
        require(MatDestroy(&matrix));
    }
}

TEST_CASE("bands are factored once and solved with, transposed too") {
    for (auto const& [below, above] : {std::pair<PetscInt, PetscInt>{1, 1}, {0, 1}, {2, 3}, {8, 0}, {0, 0}})
        for (PetscInt const n : {0, 1, 2, 500}) {
            CAPTURE(n);
            rows r = band(n, below, above);
            Mat a = r.matrix(), f = nullptr;
            MatFactorInfo info;
            Vec u, b, x;
            require(MatFactorInfoInitialize(&info));
            require(MatGetFactor(a, MATSOLVERCOPPICE, MAT_FACTOR_LU, &f));
            require(MatLUFactorSymbolic(f, a, nullptr, nullptr, &info));
            require(MatLUFactorNumeric(f, a, &info));
            require(MatCreateVecs(a, &u, &b));
            require(VecDuplicate(u, &x));
            for (bool const transposed : {false, true}) {
                PetscReal norm = 0, size = 0;
                require(VecSet(u, 1));
                require(transposed ? MatMultTranspose(a, u, b) : MatMult(a, u, b));
                require(transposed ? MatSolveTranspose(f, b, x) : MatSolve(f, b, x));
                require(transposed ? MatMultTranspose(a, x, u) : MatMult(a, x, u));
                require(VecNorm(x, NORM_INFINITY, &size));
                require(VecAXPY(u, -1, b));
                require(VecNorm(u, NORM_INFINITY, &norm));
                CHECK(norm <= 100 * PETSC_MACHINE_EPSILON * (1 + 90 * size));
            }
            require(VecDestroy(&u));
            require(VecDestroy(&b));
            require(VecDestroy(&x));
            require(MatDestroy(&f));
            require(MatDestroy(&a));
        }
}

/// Linear elasticity of a plate of bilinear elements, clamped on the left; two unknowns per point.
rows plate(PetscInt m, std::vector<PetscReal>& coordinates) {
    auto const k = stiffness_of_square();
    PetscInt const points = m * (m + 1);
    std::vector<std::map<PetscInt, PetscReal>> sums(std::size_t(2 * points));
    for (PetscInt y = 0; y < m; ++y)
        for (PetscInt x = 0; x < m; ++x) {
            auto const row_of = [&](int i) { return unknown_of_corner(m, x, y, i); };
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j)
                    if (row_of(i) >= 0 && row_of(j) >= 0)
                        sums[std::size_t(row_of(i))][row_of(j)] += k[std::size_t(i)][std::size_t(j)];
        }
    rows a;
    for (auto const& row : sums) {
        for (auto const& [column, value] : row) a.put(column, value);
        a.end_row();
    }
    for (PetscInt p = 0; p < points; ++p) {
        coordinates.push_back(PetscReal(p % m + 1));
        coordinates.push_back(PetscReal(p / m));
    }
    return a;
}

TEST_CASE("multilevel takes the block size of the matrix and its near null space") {
    if (!is_real || sizeof(PetscReal) != 8) return;
    std::vector<PetscReal> coordinates;
    rows r = plate(40, coordinates);
    std::vector<PetscInt> iterations;
    for (MatType const type : {MATSEQAIJ, MATSEQAIJ, MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ}) {
        std::size_t const kind = iterations.size(); // without and with a block size, then with rigid body modes
        Mat plain = r.matrix(), a = nullptr;
        if (kind > 0) require(MatSetBlockSize(plain, 2));
        require(MatSetOption(plain, MAT_SYMMETRIC, PETSC_TRUE));
        require(MatConvert(plain, type, MAT_INITIAL_MATRIX, &a));
        if (kind > 1) {
            Vec points;
            MatNullSpace modes;
            require(MatCreateVecs(a, &points, nullptr));
            PetscScalar* elements = nullptr;
            require(VecGetArray(points, &elements));
            std::copy(coordinates.begin(), coordinates.end(), elements);
            require(VecRestoreArray(points, &elements));
            require(VecSetBlockSize(points, 2));
            require(MatNullSpaceCreateRigidBody(points, &modes));
            require(MatSetNearNullSpace(a, modes));
            require(MatNullSpaceDestroy(&modes));
            require(VecDestroy(&points));
        }
        KSP ksp = make_ksp(KSPCG, "multilevel", 1e-8);
        outcome const o = solve_by_petsc(ksp, a);
        CHECK(o.reason > 0);
        iterations.push_back(o.iterations);
        PC pc;
        require(KSPGetPC(ksp, &pc));
        if (kind == 2) { // without the modes again: the preconditioner is made anew
            require(MatSetNearNullSpace(a, nullptr));
            require(MatScale(a, 2));
            CHECK(solve_by_petsc(ksp, a).iterations == iterations[1]);
        }
        require(KSPDestroy(&ksp));
        require(MatDestroy(&a));
        require(MatDestroy(&plain));
    }
    CHECK(iterations[2] < iterations[0]);
    CHECK(iterations[2] < iterations[1]);
    CHECK(iterations[2] <= 25);
    CHECK(iterations[3] == iterations[2]);
    CHECK(iterations[4] == iterations[2]);

    // The iterations are those of the library with the same modes.
    host_executor const exec{1};
    auto const modes =
        rigid_body_modes(2, array_view<double const>(coordinates.data(), std::int64_t(coordinates.size())));
    std::vector<PetscScalar> const near(modes.begin(), modes.end());
    if constexpr (is_real) {
        auto const m = make_preconditioner(
            exec, "multilevel", r.view(), option_values{},
            near_null_space<PetscScalar>{2, 3, array_view<PetscScalar const>(near.data(), std::int64_t(near.size()))});
        CHECK(std::abs(iterations_of_library("cg", r, m, 1e-8) - iterations[2]) <= 1);
    }
}

TEST_CASE("PCApplyTranspose applies the transpose of unsymmetric preconditioners") {
    std::vector<std::string> names{"none", "jacobi", "ilu0", "ilut"};
    if (is_real)
        for (char const* const name : {"tridiagonal", "forest", "alt-i", "mos-d", "multilevel"})
            names.emplace_back(name);
    for (std::string const& name : names) {
        CAPTURE(name);
        rows r = grid(17, 13, 20);
        for (std::size_t k = 0; k < r.values.size(); k += 3) r.values[k] *= PetscReal(1.25); // unsymmetric
        Mat a = r.matrix();
        PC pc;
        Vec u, v, z, w;
        require(PCCreate(PETSC_COMM_SELF, &pc));
        require(PCSetType(pc, PCCOPPICE));
        require(PCCoppiceSetType(pc, name.c_str()));
        require(PCSetOperators(pc, a, a));
        require(PCSetUp(pc));
        require(MatCreateVecs(a, &u, &v));
        require(VecDuplicate(u, &z));
        require(VecDuplicate(u, &w));
        PetscRandom random;
        require(PetscRandomCreate(PETSC_COMM_SELF, &random));
        require(VecSetRandom(u, random));
        require(VecSetRandom(v, random));
        require(PetscRandomDestroy(&random));
        PetscScalar left = 0, right = 0;
        require(PCApply(pc, u, z)); // v^T M^-1 u = u^T M^-T v
        require(VecTDot(z, v, &left));
        require(PCApplyTranspose(pc, v, w));
        require(VecTDot(w, u, &right));
        CHECK(PetscAbsScalar(left - right) <= (sizeof(PetscReal) == 8 ? 1e-6 : 1e-3) * PetscAbsScalar(left));
        for (Vec* vector : {&u, &v, &z, &w}) require(VecDestroy(vector));
        require(PCDestroy(&pc));
        require(MatDestroy(&a));
    }
}

TEST_CASE("bad input is an error of PETSc with the library's message") {
    KSP ksp = make_ksp(KSPCG, "jacobi", 1e-6);
    PC pc;
    double value = 0;
    require(KSPGetPC(ksp, &pc));
    CHECK(error_of([&] { return PCCoppiceSetType(pc, "forrest"); }).find("unknown preconditioner \"forrest\"") !=
          std::string::npos);
    CHECK(error_of([&] { return PCCoppiceSetType(pc, "forest,rounds=many"); }).find("rounds") != std::string::npos);
    CHECK(error_of([&] { return PCCoppiceSetOption(pc, "rounds", "3"); }).find("rounds") != std::string::npos);
    CHECK(error_of([&] { return PCCoppiceGetFinding(pc, "paths", &value); }).find("PCSetUp()") != std::string::npos);

    rows r = grid(5, 4, 2);
    r.values[std::size_t(r.offsets[7])] = 0; // an entry in another column instead of the diagonal
    for (PetscInt k = r.offsets[7]; k < r.offsets[8]; ++k)
        if (r.columns[std::size_t(k)] == 7) r.values[std::size_t(k)] = 0;
    Mat a = r.matrix(), blocks = nullptr;
    require(KSPSetOperators(ksp, a, a));
    CHECK(error_of([&] { return KSPSetUp(ksp); }).find("row 7 has a zero diagonal entry") != std::string::npos);
    require(MatConvert(a, MATSEQDENSE, MAT_INITIAL_MATRIX, &blocks));
    require(KSPSetOperators(ksp, blocks, blocks));
    CHECK(error_of([&] { return KSPSetUp(ksp); }).find("of type seqdense") != std::string::npos);
    require(KSPDestroy(&ksp));
    require(MatDestroy(&blocks));
    require(MatDestroy(&a));
}

TEST_CASE("matrices that have no band factorisation") {
    KSP ksp = make_ksp(KSPPREONLY, "none", 1e-6);
    PC pc;
    require(KSPSetNormType(ksp, KSP_NORM_NONE));
    require(KSPSetPCSide(ksp, PC_LEFT));
    require(KSPGetPC(ksp, &pc));
    require(PCSetType(pc, PCLU));
    require(PCFactorSetMatSolverType(pc, MATSOLVERCOPPICE));
    rows singular = band(30, 1, 1), wide = band(30, 9, 1);
    for (PetscInt k = singular.offsets[11]; k < singular.offsets[12]; ++k) singular.values[std::size_t(k)] = 0;
    Mat a = singular.matrix(), b = wide.matrix();
    CHECK(solve_by_petsc(ksp, a).reason == KSP_DIVERGED_PC_FAILED);
    require(KSPReset(ksp));
    require(KSPSetOperators(ksp, b, b));
    CHECK(error_of([&] { return KSPSetUp(ksp); }).find("9 below and 1 above") != std::string::npos);
    require(KSPDestroy(&ksp));
    require(MatDestroy(&a));
    require(MatDestroy(&b));
}

TEST_CASE("a matrix with more bands than that of the symbolic factorisation is an error") {
    rows r = band(30, 1, 1);
    Mat a = r.matrix(), f = nullptr;
    MatFactorInfo info;
    require(MatFactorInfoInitialize(&info));
    require(MatGetFactor(a, MATSOLVERCOPPICE, MAT_FACTOR_LU, &f));
    require(MatLUFactorSymbolic(f, a, nullptr, nullptr, &info));
    for (auto const& [below, above] : {std::pair<PetscInt, PetscInt>{3, 1}, {1, 3}}) {
        rows wider = band(30, below, above);
        Mat b = wider.matrix();
        CHECK(error_of([&] { return MatLUFactorNumeric(f, b, &info); }).find("for at most 1 and 1") !=
              std::string::npos);
        require(MatDestroy(&b));
    }
    require(MatLUFactorNumeric(f, a, &info));
    require(MatDestroy(&f));
    require(MatDestroy(&a));
}

TEST_CASE("figures of the set-up are those of the library") {
    if (!is_real) return; // no forest of complex matrices
    rows r = grid(12, 9, 10);
    Mat a = r.matrix();
    KSP ksp = make_ksp(KSPCG, "forest", 1e-6);
    PC pc;
    double value = -1;
    require(KSPGetPC(ksp, &pc));
    require(KSPSetOperators(ksp, a, a));
    require(KSPSetUp(ksp));
    require(PCCoppiceGetFinding(pc, "weight_coverage", &value));
    auto const m = make_preconditioner(host_executor{1}, "forest", r.view());
    CHECK(value == m.report().number("weight_coverage"));
    CHECK(value > 0);
    require(KSPDestroy(&ksp));
    require(MatDestroy(&a));
}

TEST_CASE("exceptions become errors of PETSc with their messages") {
    std::pair<error_code, PetscErrorCode> const codes[] = {{error_code::dimension_mismatch, PETSC_ERR_ARG_SIZ},
                                                           {error_code::invalid_matrix, PETSC_ERR_ARG_INCOMP},
                                                           {error_code::overflow, PETSC_ERR_ARG_OUTOFRANGE},
                                                           {error_code::out_of_memory, PETSC_ERR_MEM},
                                                           {error_code::device, PETSC_ERR_GPU},
                                                           {error_code::backend_unavailable, PETSC_ERR_SUP},
                                                           {error_code::invalid_argument, PETSC_ERR_ARG_WRONG}};
    for (auto const& [code, expected] : codes) {
        PetscErrorCode found = 0;
        std::string const message = error_of(
            [&] { return found = petsc::guarded([&]() -> PetscErrorCode { throw error(code, "no 100 % success"); }); });
        CHECK(found == expected);
        CHECK(message == "coppice: no 100 % success");
    }
    CHECK(error_of([] { return petsc::guarded([]() -> PetscErrorCode { throw std::bad_alloc(); }); }) ==
          "coppice: out of memory");
    CHECK(error_of([] {
              return petsc::guarded([]() -> PetscErrorCode { throw std::runtime_error("another one"); });
          }) == "coppice: another one");
    CHECK(error_of([] { return petsc::guarded([]() -> PetscErrorCode { return 0; }); }) == "no error");
}

TEST_CASE("a rank whose set-up fails is an error on all of them") {
    PetscMPIInt rank = 0, ranks = 1;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    Mat a;
    PC pc;
    require(MatCreateAIJ(PETSC_COMM_WORLD, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 0, nullptr, &a));
    for (PetscInt i = 3 * rank; i < 3 * rank + 3; ++i)
        require(MatSetValue(a, i, i, i == 3 * (ranks - 1) + 2 ? 0 : 1, INSERT_VALUES));
    require(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    require(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    require(PCCreate(PETSC_COMM_WORLD, &pc));
    require(PCSetType(pc, PCCOPPICE));
    require(PCCoppiceSetType(pc, "jacobi"));
    require(PCSetOperators(pc, a, a));
    std::string const expected =
        rank == ranks - 1 ? "row 2 has a zero diagonal entry" : "failed on rank " + std::to_string(ranks - 1);
    CHECK(error_of([&] { return PCSetUp(pc); }).find(expected) != std::string::npos);
    require(PCDestroy(&pc));
    require(MatDestroy(&a));
}

int main(int argc, char** argv) {
    PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
    PetscCall(CoppicePetscRegister());
    PetscCall(CoppicePetscRegister());
    int const failed = doctest::Context().run();
    PetscCall(PetscFinalize());
    return failed;
}
