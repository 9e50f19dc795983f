// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of graph algorithms by name: their ranges, defaults and meaning.
#pragma once

#include <span>
#include <vector>

#include <coppice/core/named_options.hpp>
#include <coppice/graph/frontier/answer.hpp>

namespace coppice::inline v0_1 {

/// An option of graph algorithms, and the element of analytics_options that has its value.
struct graph_option {
    option_row row;
    double (*value)(analytics_options const&);
    void (*set)(analytics_options&, double value);
};

/// All options, by the names that graph_algorithm_row::options lists.
std::span<graph_option const> graph_options();

/// Rows of the options that an algorithm reads.
std::vector<option_row> option_rows(graph_algorithm_row const& row);

/// The options that an algorithm reads; the others have their defaults.
analytics_options read_graph_options(graph_algorithm_row const& row, chosen_options const& chosen);

/// Throws argument_error if an option that the algorithm reads is out of range. In the message, `prefix` precedes its
/// name. Whether source and sink are vertices of a graph is not checked.
void check_graph_options(graph_algorithm_row const& row, analytics_options const& options, char const* prefix);

} // namespace coppice::inline v0_1
