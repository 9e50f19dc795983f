// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Components of the report, each an HTML fragment.
#pragma once

#include <string>
#include <vector>

#include "apps/report/data.hpp"

namespace coppice::app::report {

/// Relative residual over iterations on a logarithmic scale; each curve is labelled at its end.
std::string convergence_chart(std::vector<run> const& runs, double tolerance);

/// CSS class for colour and dash of a run: the chosen one is highlighted, the others have a fixed style by name.
std::string style_class(run const& r);

/// Two figures side by side: original order and forest order.
std::string pattern_figures(pattern const& p, std::string const& title);

/// Columns: fraction of the vertices on paths of a length, with the number of paths.
std::string path_histogram(forest_summary const& forest);

/// Cells coloured by aggregate, with lines between aggregates; empty if there is no grid.
std::string aggregate_picture(aggregate_grid const& grid);

/// Table of names and values with a title.
std::string entries_table(std::string const& title, entries const& rows);

/// The style sheet.
extern char const* const style_sheet;

} // namespace coppice::app::report
