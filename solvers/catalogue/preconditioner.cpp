// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/catalogue/preconditioner_definitions.hpp>

#include <coppice/core/names.hpp>

namespace coppice::inline v0_1 {

constinit std::span<preconditioner_row const> const preconditioner_catalogue = detail::preconditioner_entries::rows;
constinit std::span<std::string_view const> const preconditioner_names = detail::preconditioner_entries::names;
constinit std::span<std::string_view const> const complex_preconditioner_names = detail::complex_entries::names;

preconditioner_row const& preconditioner_row_of(std::string_view name) {
    for (preconditioner_row const& row : preconditioner_catalogue)
        if (row.name == name) return row;
    detail::throw_unknown_name("preconditioner", name, detail::preconditioner_entries::names);
}

option_values detail::values_of_forest_options(forest_options const& options) { return forest_entry::values(options); }

COPPICE_REAL_TYPES(COPPICE_TRIDIAGONAL_REGULARISER, template, host_executor)
COPPICE_PRECONDITIONERS(, host_executor, float)
COPPICE_PRECONDITIONERS(, host_executor, double)
COPPICE_FOREST_PRECONDITIONER(, host_executor, float)
COPPICE_FOREST_PRECONDITIONER(, host_executor, double)
COPPICE_MAKE_PRECONDITIONER(, host_executor, float)
COPPICE_MAKE_PRECONDITIONER(, host_executor, double)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(, host_executor, float)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(, host_executor, double)

} // namespace coppice::inline v0_1
