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

/// CSS classes for colour and dashes of a run: the chosen one is highlighted, the others differ by their number.
std::string style_class(run const& r);

/// Two figures side by side: original order and forest order.
std::string pattern_figures(pattern const& p, std::string const& title);

/// Columns: fraction of the vertices on paths of a length, with the number of paths.
std::string path_histogram(forest_summary const& forest);

/// Cells coloured by aggregate, with lines between aggregates; empty if there is no grid.
std::string aggregate_picture(aggregate_grid const& grid);

/// Legend and patterns of a matrix in the original order and in the order of its forest.
std::string forest_patterns(pattern const& whole, pattern const& closeup);

/// Counts, coverages and path lengths of a forest.
std::string forest_figures(forest_summary const& forest);

/// Table of names and values with a title.
std::string entries_table(std::string const& title, entries const& rows);

/// CSS classes of curve number k: one of 12 colours, and one of 4 kinds of dashes, so that 12 curves have colours of
/// their own and 24 differ.
std::string curve_style(int k);

/// The style sheet.
extern char const* const style_sheet;

/// A script element that lets the reader sort tables of the class `sortable` by a click on a head, and search their
/// rows. Values to sort by are attributes data-value, else the texts. Without scripts a page is complete, too.
extern char const* const table_script;

} // namespace coppice::app::report
