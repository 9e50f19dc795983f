// SPDX-License-Identifier: BSD-3-Clause
// coppice._core: the native functions of the Python package. They check few arguments; the package in python/coppice
// checks the others.
#include <coppice/version.h>

#include "components.hpp"

NB_MODULE(_core, m) {
    using namespace coppice::python;
    m.attr("version") = COPPICE_VERSION_STRING;
    add_errors(m);
    add_executors(m);
    add_interrupts(m);
    add_quick_tridiagonal(m);
    add_direct(m);
    add_factorisation(m);
    add_matrix(m);
    add_preconditioner(m);
    add_krylov(m);
    add_automatic(m);
    add_systems(m);
    add_more_systems(m);
    add_forest(m);
    add_adjacency(m);
    add_ordered_searches(m);
    add_graph(m);
    add_semiring(m);
    add_sparse(m);
    add_features(m);
    add_entries(m);
    add_expressions(m);
}
