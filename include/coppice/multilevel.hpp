// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method: algebraic multigrid whose aggregates are runs of linear forests.
///
///     auto m = coppice::make_preconditioner(exec, "multilevel", a.view());         // or by its class:
///     coppice::multilevel_preconditioner<coppice::host_executor, double> m(exec, a.view(), {.cycle = w});
///     m.apply(exec, r.view(), z.view());       // one cycle
///     m.refresh(exec, a_new.view());           // new values on the same pattern: no search, no structure
///     m.report().levels                        // rows, nonzeros and coverage, level by level
///     coppice::convergence_factor(exec, a.view(), m)  // of the cycle by itself
///
/// For diffusion-like problems the number of iterations hardly grows with their size. Symmetric positive definite
/// matrices give symmetric positive definite cycles, for cg; others go with bicgstab or gmres. docs/guide/multilevel.md
/// says when it is worth it.
#pragma once

#include <coppice/solvers/multilevel/multilevel.hpp>
#include <coppice/solvers/precondition/one_level/convergence_factor.hpp>
