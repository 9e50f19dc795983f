// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functions that add the components of the extension module; each is defined in the source file of its name.
#pragma once

#include <nanobind/nanobind.h>

namespace coppice::python {

void add_errors(nanobind::module_& m);
void add_executors(nanobind::module_& m);
void add_interrupts(nanobind::module_& m);
void add_quick_tridiagonal(nanobind::module_& m);
void add_direct(nanobind::module_& m);
void add_factorisation(nanobind::module_& m);
void add_matrix(nanobind::module_& m);
void add_preconditioner(nanobind::module_& m);
void add_krylov(nanobind::module_& m);
void add_automatic(nanobind::module_& m);
void add_systems(nanobind::module_& m);
void add_more_systems(nanobind::module_& m);
void add_forest(nanobind::module_& m);
void add_adjacency(nanobind::module_& m);
void add_ordered_searches(nanobind::module_& m);
void add_graph(nanobind::module_& m);
void add_semiring(nanobind::module_& m);
void add_sparse(nanobind::module_& m);
void add_features(nanobind::module_& m);
void add_entries(nanobind::module_& m);
void add_expressions(nanobind::module_& m);

} // namespace coppice::python
