// SPDX-License-Identifier: BSD-3-Clause
// BoomerAMG on the matrices of the suite `multilevel`, for comparison; built by hand, as it needs hypre and MPI:
//
//     mpicxx -std=c++20 -O2 -I. -Iinclude -I<build>/include -I/usr/include/hypre bench/peers/multilevel_peer.cpp
//         <build>/libcoppice.a -lHYPRE -ltbb -lz -o multilevel_peer
//     mpirun -np 2 ./multilevel_peer 500 60 24 1e-6
//
// CG (BiCGStab for unsymmetric matrices) with one V cycle, with two settings: the defaults (HMIS, extended+i), and
// those for GPUs (PMIS, extended+i, l1-Jacobi). Times of the slowest rank: set-up, solve.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include "bench/problems/multilevel_problems.hpp"

namespace {

using namespace coppice;

HYPRE_Solver make_boomer(bool for_gpu) {
    HYPRE_Solver amg = nullptr;
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetCoarsenType(amg, for_gpu ? 8 : 10);
    HYPRE_BoomerAMGSetInterpType(amg, 6);
    HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
    if (for_gpu) HYPRE_BoomerAMGSetRelaxType(amg, 18);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetTol(amg, 0);
    return amg;
}

void measure(bench::multilevel_problem const& p, double tolerance, bool for_gpu, int rank, int ranks) {
    auto const a = bench::make_multilevel_problem(p);
    HYPRE_Int const n = a.rows(), first = HYPRE_Int(std::int64_t(n) * rank / ranks),
                    last = HYPRE_Int(std::int64_t(n) * (rank + 1) / ranks) - 1;
    auto const x = bench::sine_of(n);
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
        double sum = 0;
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            sum += a.values()[k] * x[std::size_t(a.column_indices()[k])];
        double const zero = 0;
        HYPRE_IJVectorSetValues(right, 1, &i, &sum);
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

    HYPRE_Solver const amg = make_boomer(for_gpu);
    HYPRE_Solver krylov = nullptr;
    auto const apply = reinterpret_cast<HYPRE_PtrToParSolverFcn>(HYPRE_BoomerAMGSolve);
    auto const setup = reinterpret_cast<HYPRE_PtrToParSolverFcn>(HYPRE_BoomerAMGSetup);
    HYPRE_Int iterations = 0;
    double residual = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double const start = MPI_Wtime();
    double middle = 0;
    if (p.symmetric) {
        HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &krylov);
        HYPRE_ParCSRPCGSetMaxIter(krylov, 500);
        HYPRE_ParCSRPCGSetTol(krylov, tolerance);
        HYPRE_PCGSetTwoNorm(krylov, 1);
        HYPRE_ParCSRPCGSetPrecond(krylov, apply, setup, amg);
        HYPRE_ParCSRPCGSetup(krylov, matrix, b, u);
        middle = MPI_Wtime();
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
        middle = MPI_Wtime();
        HYPRE_ParCSRBiCGSTABSolve(krylov, matrix, b, u);
        HYPRE_ParCSRBiCGSTABGetNumIterations(krylov, &iterations);
        HYPRE_ParCSRBiCGSTABGetFinalRelativeResidualNorm(krylov, &residual);
        HYPRE_ParCSRBiCGSTABDestroy(krylov);
    }
    double times[2] = {middle - start, MPI_Wtime() - middle};
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%-20s %-8s %3d iterations %.1e  set-up %7.1f  solve %7.1f  together %7.1f ms\n", p.name.c_str(),
                    for_gpu ? "GPU" : "default", int(iterations), residual, times[0] * 1e3, times[1] * 1e3,
                    (times[0] + times[1]) * 1e3);
    HYPRE_BoomerAMGDestroy(amg);
    HYPRE_IJMatrixDestroy(ij);
    HYPRE_IJVectorDestroy(right);
    HYPRE_IJVectorDestroy(left);
}

} // namespace

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    HYPRE_Init();
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    auto const number = [&](int k, int standard) { return count > k ? std::atoi(arguments[k]) : standard; };
    double const tolerance = count > 4 ? std::atof(arguments[4]) : 1e-6;
    for (auto const& p : coppice::bench::multilevel_problems(number(1, 500), number(2, 60), number(3, 24)))
        for (bool const for_gpu : {false, true}) measure(p, tolerance, for_gpu, rank, ranks);
    HYPRE_Finalize();
    MPI_Finalize();
}
