// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The classes behind the names of <coppice/preconditioner.hpp>.
///
///     coppice::forest_preconditioner const m(exec, a.view(), {.factor = {.rounds = 7}});
///     m.apply(exec, r.view(), z.view());                                           // z = M^-1 r
///
/// identity_preconditioner, jacobi_preconditioner, tridiagonal_preconditioner, forest_preconditioner,
/// ilu_preconditioner, multilevel_preconditioner, ...: each has apply() and, if it keeps values of the matrix,
/// refresh(). solve() of <coppice/krylov.hpp> takes them as they are, any_preconditioner holds one of them.
/// <coppice/preconditioner.hpp> does not include this header: make_preconditioner() is compiled into the library.
#pragma once

#include <coppice/preconditioner.hpp>
#include <coppice/solvers/catalogue/preconditioner_definitions.hpp>
