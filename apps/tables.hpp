// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Results of graph algorithms as tables with a header line and the names of the vertices.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/algebra/files/matrix_file.hpp>
#include <coppice/graph/frontier/answer.hpp>

namespace coppice::app {

/// Returns the separator for an output file: a comma for the endings .csv and .csv.gz, a tab for .tsv and .tsv.gz, 0
/// for others, which are no tables.
char table_separator(std::string const& path);

/// Returns the lines of a table: "vertex,value" of all vertices in their order, "source,target,value" of the edges,
/// each once if they are undirected, or "vertex,step_0,step_1,..." of walks. Vertices have their name in the file of
/// the graph, or their number; no vertex is an empty field. Names are quoted if they contain the separator, a quote or
/// a blank at an end. Numbers have as many digits as a double needs.
std::string answer_table(graph_answer const& answer, std::int64_t vertices, vertex_numbering const& numbering,
                         char separator);

} // namespace coppice::app
