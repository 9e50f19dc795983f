// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method: algebraic multigrid whose aggregates are runs of linear forests.
///
///     auto m = coppice::make_preconditioner(exec, "multilevel", a.view());         // or by its class:
///     coppice::multilevel_preconditioner<coppice::host_executor, double> m(exec, a.view(), {.cycle = w});
///     m.apply(exec, r.view(), z.view());       // one cycle
///     m.refresh(exec, a_new.view());           // new values on the same pattern; reuses all structures
///     m.report().levels                        // rows, nonzeros and coverage, level by level
///     coppice::convergence_factor(exec, a.view(), m)  // of the cycle without a Krylov method
///
/// For diffusion-like problems the number of iterations hardly grows with their size. For symmetric positive definite
/// matrices the cycles are symmetric positive definite, as cg requires; use bicgstab or gmres for others.
/// docs/guide/multilevel.md documents for which matrices the method is suited.
#pragma once

#include <coppice/solvers/multilevel/multilevel.hpp>
#include <coppice/solvers/precondition/one_level/convergence_factor.hpp>
