// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The pictures of the report, each a piece of HTML.
#pragma once

#include <string>
#include <vector>

#include "apps/report/data.hpp"

namespace coppice::app::report {

/// Relative residual over iterations on a logarithmic scale, each curve labelled where it ends.
std::string convergence_chart(std::vector<run> const& runs, double tolerance);

/// The class that gives a run its colour and dash: the chosen one stands out, the others keep theirs by name.
std::string style_class(run const& r);

/// Two figures side by side: original order and forest order.
std::string pattern_figures(pattern const& p, std::string const& title);

/// Columns: share of the vertices that lie on paths of a length, with the number of paths.
std::string path_histogram(forest_summary const& forest);

/// Cells in the colours of their aggregates, with a line where two aggregates meet; nothing where there is no grid.
std::string aggregate_picture(aggregate_grid const& grid);

/// A table of names and values under a title.
std::string entries_table(std::string const& title, entries const& rows);

/// The style sheet.
extern char const* const style_sheet;

} // namespace coppice::app::report
