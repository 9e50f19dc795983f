// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Several systems (A + sigma_j I) x_j = b with symmetric positive definite matrices, for little more than the work of
/// one of them:
///
///     coppice::csr_operator op(exec, a.view());
///     auto result = coppice::solve_shifted(exec, op, {0.0, 0.1, 1.0}, b.view(), x.view(), {.tolerance = 1e-8});
///
/// solve_shifted() documents arguments, results and errors. Compiled for double.
#pragma once

#include <coppice/solvers/iterative/krylov/shifted_cg.hpp>
