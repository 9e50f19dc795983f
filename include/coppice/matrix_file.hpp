// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reads matrices from files in the formats of matrix and graph collections. The format is detected.
///
///     #include <coppice/matrix_file.hpp>
///
///     coppice::host_executor exec;
///     auto a = coppice::read_matrix<double>(exec, "bcsstk16.tar.gz");          // csr<double, std::int32_t>
///     coppice::matrix_file file("mhd1280a.rb");                               // or inspect the file first:
///     if (file.is_complex()) auto b = std::move(file).read<std::complex<double>>(exec);
///
/// Formats
/// -------
/// - Matrix Market, detected by the ending .mtx or the banner: all variants, see <coppice/matrix_market.hpp>.
/// - Harwell-Boeing and Rutherford-Boeing, detected by a type code (RUA, psa, ...) on line 3: assembled matrices; real,
///   integer, complex or pattern; kinds u, r, s, h and z; formats of fields I, F, E, D and G with nX, kP and groups.
///   Right-hand sides are not read.
/// - Edge lists, detected by a first line that is a comment (#, %, //), begins with two numbers or is a header line, or
///   by the endings .csv, .tsv, .edges, .el and .wel. Vertices count from 0. Each line is an edge, with a weight if the
///   first edge has one, else with weight 1. Fields are separated by blanks, commas or semicolons and may be enclosed
///   in double quotes, without line breaks. A comment may follow an edge. A header line (source,target,weight) names
///   the columns in any order; a column with an unknown name is an error unless one is called weight. With the option
///   `columns` they may have any names, and other columns are skipped.
/// - Edge lists of KONECT, detected by their first line (% sym weighted): vertices count from 1; sym: each edge stands
///   for both directions; bip: rows and columns have separate numbers; a fourth column (time) is ignored.
/// - SMAT, detected by the ending .smat: a line of sizes (rows, columns, entries), then an edge list.
/// - METIS graphs, detected by the endings .graph and .metis: a line with the numbers of vertices and edges and an
///   optional format, then one line per vertex with its neighbours, counted from 1 (METIS manual, section 4.1.1).
///   Values are the weights of edges, else 1; sizes and weights of vertices are skipped. Every edge must be listed at
///   both of its vertices with the same weight; self-loops are an error.
/// - Serialized graphs of the GAP benchmark suite, detected by the endings .sg and .wsg (32-bit integer weights).
/// - Graphs of NetworkX, detected by the ending .json or a first byte {: JSON of networkx.node_link_data, with nodes
///   and edges (or links). Vertices are numbered in the order of the nodes; ids are arbitrary; 1, 1.0
///   and true are the same, as in Python; the name of the text "1" keeps its quotation marks if there is also a node 1.
///   The value of an edge is its weight (NaN and Infinity as Python writes them), else 1. Parallel edges are combined
///   by `duplicates`. An edge of an undirected graph is stored in both directions, as in
///   networkx.to_scipy_sparse_array. Other attributes are ignored.
/// - Matrices of SciPy, detected by the first bytes of a zip archive: .npz files of scipy.sparse.save_npz in
///   the formats csr, csc and coo; values are float32, float64, complex64, complex128, integers or bool; arrays are
///   stored or deflated. Rows count from 0. Other formats (bsr, dia), big-endian arrays and indices outside the shape
///   are errors.
/// - tar archives, detected by their header: the only .mtx or .rb file in it, or the one named after its folder or the
///   archive (NAME/NAME.mtx next to NAME/NAME_b.mtx, as in the SuiteSparse collection).
///
/// Options (`matrix_read_options`): how entries at the same position are combined (`duplicates`, summed by default),
/// whether integers that double does not represent exactly are errors, the default, or rounded (`inexact_integers`),
/// whether the vertices of an edge list are names (`renumber`), names of its columns (`columns`), and limits of the
/// memory for small or endless inputs (`limits`):
///
///     auto lengths = coppice::read_matrix<double>(exec, "roads.txt", {.duplicates = coppice::duplicates::min});
///     auto graph = coppice::matrix_file("people.csv", {.renumber = true}).read_numbered<double>(exec);
///     auto row = graph.vertices.find("alice", graph.matrix.rows());
///
/// Every file may be plain or compressed with gzip; "-" is standard input. An edge from i to j is the entry (i, j) of a
/// square matrix whose number of rows is given by the largest vertex. Edges are stored as listed; repeated edges are
/// combined by `duplicates`. Comments are not interpreted: a file with the word "undirected" in a comment is read as
/// listed.
///
/// Numbers of Harwell-Boeing files are in fields of fixed width, which the formats in the header describe, and are read
/// as in Fortran: fields may be adjacent, and decimal points and exponents may be implied by the format. Numbers
/// between blanks that are shorter than their fields, as scipy.io.hb_write writes them, are read too. Results and
/// errors are those of Matrix Market files: sorted full rows, format_error with file and line.
#pragma once

#include <complex>

#include <coppice/algebra/files/matrix_file.hpp>
