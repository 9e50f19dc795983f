// SPDX-License-Identifier: BSD-3-Clause
// BoomerAMG on the matrices of the suite `multilevel`, for comparison; built by hand, as it needs hypre and MPI:
//
//     mpicxx -std=c++20 -O2 -I. -Iinclude -I<build>/include -I/usr/include/hypre bench/peers/multilevel_peer.cpp
//         <build>/libcoppice.a -lHYPRE -ltbb -lz -o multilevel_peer
//     mpirun -np 2 ./multilevel_peer 500 60 24 1e-6
//     ./multilevel_peer NAME...
//
// CG (BiCGStab for unsymmetric matrices) with one V cycle, with two settings: the defaults (HMIS, extended+i), and
// those for GPUs (PMIS, extended+i, l1-Jacobi). Times of the slowest rank: set-up, solve.
//
// For systems NAME.mtx with right-hand sides NAME.b.mtx, to 1e-8, one rank and one thread of Coppice: processor time of
// set-up and solve by Coppice, by BoomerAMG's defaults and by the settings of PETSc (Falgout, classical interpolation),
// alternately, each the least of five. Names that begin with elasticity_2d or elasticity_3d have 2 or 3 functions.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include "bench/problems/multilevel_problems.hpp"
#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

namespace {

using namespace coppice;

enum class settings { standard, gpu, petsc };

HYPRE_Solver make_boomer(settings chosen, int functions = 1) {
    HYPRE_Solver amg = nullptr;
    HYPRE_BoomerAMGCreate(&amg);
    bool const petsc = chosen == settings::petsc;
    HYPRE_BoomerAMGSetCoarsenType(amg, petsc ? 6 : chosen == settings::gpu ? 8 : 10);
    HYPRE_BoomerAMGSetInterpType(amg, petsc ? 0 : 6);
    HYPRE_BoomerAMGSetPMaxElmts(amg, petsc ? 0 : 4);
    if (petsc) HYPRE_BoomerAMGSetRelaxType(amg, 6); // symmetric Gauss-Seidel
    if (chosen == settings::gpu) HYPRE_BoomerAMGSetRelaxType(amg, 18);
    if (functions > 1) HYPRE_BoomerAMGSetNumFunctions(amg, functions);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetTol(amg, 0);
    return amg;
}

struct hypre_solve {
    HYPRE_Int iterations = 0;
    double residual = 0;
    std::array<double, 2> seconds{}; ///< set-up, solve
};

/// Solves A x = b on all ranks and destroys `amg`; `clock()` returns seconds.
template <class Clock>
hypre_solve solve_by_hypre(csr<double> const& a, std::vector<double> const& rhs, bool symmetric, double tolerance,
                           HYPRE_Solver amg, int rank, int ranks, Clock const& clock) {
    HYPRE_Int const n = a.rows(), first = HYPRE_Int(std::int64_t(n) * rank / ranks),
                    last = HYPRE_Int(std::int64_t(n) * (rank + 1) / ranks) - 1;
    HYPRE_IJMatrix ij = nullptr;
    HYPRE_IJVector right = nullptr, left = nullptr;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &ij);
    HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(ij);
    for (auto* v : {&right, &left}) {
        HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, v);
        HYPRE_IJVectorSetObjectType(*v, HYPRE_PARCSR);
        HYPRE_IJVectorInitialize(*v);
    }
    for (HYPRE_Int i = first; i <= last; ++i) {
        HYPRE_Int count = a.row_offsets()[i + 1] - a.row_offsets()[i];
        HYPRE_IJMatrixSetValues(ij, 1, &count, &i, a.column_indices().data() + a.row_offsets()[i],
                                a.values().data() + a.row_offsets()[i]);
        double const zero = 0;
        HYPRE_IJVectorSetValues(right, 1, &i, &rhs[std::size_t(i)]);
        HYPRE_IJVectorSetValues(left, 1, &i, &zero);
    }
    HYPRE_IJMatrixAssemble(ij);
    HYPRE_IJVectorAssemble(right);
    HYPRE_IJVectorAssemble(left);
    HYPRE_ParCSRMatrix matrix = nullptr;
    HYPRE_ParVector b = nullptr, u = nullptr;
    HYPRE_IJMatrixGetObject(ij, reinterpret_cast<void**>(&matrix));
    HYPRE_IJVectorGetObject(right, reinterpret_cast<void**>(&b));
    HYPRE_IJVectorGetObject(left, reinterpret_cast<void**>(&u));

    HYPRE_Solver krylov = nullptr;
    auto const apply = reinterpret_cast<HYPRE_PtrToParSolverFcn>(HYPRE_BoomerAMGSolve);
    auto const setup = reinterpret_cast<HYPRE_PtrToParSolverFcn>(HYPRE_BoomerAMGSetup);
    HYPRE_Int iterations = 0;
    double residual = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double const start = clock();
    double middle = 0;
    if (symmetric) {
        HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &krylov);
        HYPRE_ParCSRPCGSetMaxIter(krylov, 500);
        HYPRE_ParCSRPCGSetTol(krylov, tolerance);
        HYPRE_PCGSetTwoNorm(krylov, 1);
        HYPRE_ParCSRPCGSetPrecond(krylov, apply, setup, amg);
        HYPRE_ParCSRPCGSetup(krylov, matrix, b, u);
        middle = clock();
        HYPRE_ParCSRPCGSolve(krylov, matrix, b, u);
        HYPRE_ParCSRPCGGetNumIterations(krylov, &iterations);
        HYPRE_ParCSRPCGGetFinalRelativeResidualNorm(krylov, &residual);
        HYPRE_ParCSRPCGDestroy(krylov);
    } else {
        HYPRE_ParCSRBiCGSTABCreate(MPI_COMM_WORLD, &krylov);
        HYPRE_ParCSRBiCGSTABSetMaxIter(krylov, 500);
        HYPRE_ParCSRBiCGSTABSetTol(krylov, tolerance);
        HYPRE_ParCSRBiCGSTABSetPrecond(krylov, apply, setup, amg);
        HYPRE_ParCSRBiCGSTABSetup(krylov, matrix, b, u);
        middle = clock();
        HYPRE_ParCSRBiCGSTABSolve(krylov, matrix, b, u);
        HYPRE_ParCSRBiCGSTABGetNumIterations(krylov, &iterations);
        HYPRE_ParCSRBiCGSTABGetFinalRelativeResidualNorm(krylov, &residual);
        HYPRE_ParCSRBiCGSTABDestroy(krylov);
    }
    double times[2] = {middle - start, clock() - middle};
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    HYPRE_BoomerAMGDestroy(amg);
    HYPRE_IJMatrixDestroy(ij);
    HYPRE_IJVectorDestroy(right);
    HYPRE_IJVectorDestroy(left);
    return {iterations, residual, {times[0], times[1]}};
}

void measure(bench::multilevel_problem const& p, double tolerance, bool for_gpu, int rank, int ranks) {
    auto const a = bench::make_multilevel_problem(p);
    auto const x = bench::sine_of(a.rows());
    std::vector<double> b(std::size_t(a.rows()));
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            b[std::size_t(i)] += a.values()[k] * x[std::size_t(a.column_indices()[k])];
    auto const [iterations, residual, times] =
        solve_by_hypre(a, b, p.symmetric, tolerance, make_boomer(for_gpu ? settings::gpu : settings::standard), rank,
                       ranks, [] { return MPI_Wtime(); });
    if (rank == 0)
        std::printf("%-20s %-8s %3d iterations %.1e  set-up %7.1f  solve %7.1f  together %7.1f ms\n", p.name.c_str(),
                    for_gpu ? "GPU" : "default", int(iterations), residual, times[0] * 1e3, times[1] * 1e3,
                    (times[0] + times[1]) * 1e3);
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

hypre_solve solve_by_coppice(csr<double> const& a, std::vector<double> const& b, bool symmetric) {
    host_executor const exec{1};
    std::vector<double> x(b.size());
    double const start = processor_seconds();
    csr_operator<host_executor, double> const op(exec, a.view());
    auto const m = make_preconditioner(exec, "multilevel", a.view());
    double const middle = processor_seconds();
    auto const r = solve(exec, symmetric ? "cg" : "bicgstab", op, m, b, x, {.tolerance = 1e-8});
    return {HYPRE_Int(r.iterations), r.relative_residual, {middle - start, processor_seconds() - middle}};
}

/// A row of a table: milliseconds of set-up and solve, iterations, and times relative to those of BoomerAMG.
void compare(std::string const& path) {
    constexpr int repetitions = 5;
    host_executor const exec{1};
    auto const a = read_matrix_market<double>(exec, path + ".mtx");
    auto const b = read_vector<double>(exec, path + ".b.mtx");
    std::string const name = std::filesystem::path(path).filename().string();
    bool const symmetric = asymmetry_of(exec, a.view(), 1e-12) <= 1e-12;
    int const functions = name.starts_with("elasticity_2d") ? 2 : name.starts_with("elasticity_3d") ? 3 : 1;
    std::array<hypre_solve, 3> best{};
    for (int k = 0; k < repetitions; ++k)
        for (std::size_t method = 0; method < best.size(); ++method) {
            auto const boomer = method == 1 ? settings::standard : settings::petsc;
            auto const now = method == 0 ? solve_by_coppice(a, b, symmetric)
                                         : solve_by_hypre(a, b, symmetric, 1e-8, make_boomer(boomer, functions), 0, 1,
                                                          processor_seconds);
            auto const whole = [](hypre_solve const& s) { return s.seconds[0] + s.seconds[1]; };
            if (k == 0 || whole(now) < whole(best[method])) best[method] = now;
        }
    std::printf("| %s | %d | %d |", name.c_str(), int(a.rows()), int(a.nonzeros()));
    for (auto const& s : best)
        std::printf(" %.1f + %.1f (%d) |", s.seconds[0] * 1e3, s.seconds[1] * 1e3, int(s.iterations));
    double const own = best[0].seconds[0] + best[0].seconds[1];
    std::printf(" %.2f | %.2f |\n", own / (best[1].seconds[0] + best[1].seconds[1]),
                own / (best[2].seconds[0] + best[2].seconds[1]));
    std::fflush(stdout);
}

} // namespace

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    HYPRE_Init();
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count > 1 && !std::isdigit(static_cast<unsigned char>(*arguments[1]))) {
        for (int k = 1; k < count; ++k) compare(arguments[k]);
        HYPRE_Finalize();
        MPI_Finalize();
        return 0;
    }
    auto const number = [&](int k, int standard) { return count > k ? std::atoi(arguments[k]) : standard; };
    double const tolerance = count > 4 ? std::atof(arguments[4]) : 1e-6;
    for (auto const& p : coppice::bench::multilevel_problems(number(1, 500), number(2, 60), number(3, 24)))
        for (bool const for_gpu : {false, true}) measure(p, tolerance, for_gpu, rank, ranks);
    HYPRE_Finalize();
    MPI_Finalize();
}
