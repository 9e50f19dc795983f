// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices from the files that collections hand out, whatever their format.
///
///     #include <coppice/matrix_file.hpp>
///
///     coppice::host_executor exec;
///     auto a = coppice::read_matrix<double>(exec, "bcsstk16.tar.gz");          // csr<double, std::int32_t>
///     coppice::matrix_file file("mhd1280a.rb");                               // or look first:
///     if (file.is_complex()) auto b = std::move(file).read<std::complex<double>>(exec);
///
/// What is read
/// ------------
/// - Matrix Market, recognised by a name in .mtx or a banner: all of it, see <coppice/matrix_market.hpp>.
/// - Harwell-Boeing and Rutherford-Boeing, recognised by a type code (RUA, psa, ...) on line 3: assembled matrices;
/// real,
///   integer, complex or pattern; u, r, s, h and z kinds; formats of fields I, F, E, D and G with nX, kP and groups.
///   Right-hand sides are not read.
/// - Edge lists, recognised by a first line that is a comment (#, %, //) or begins with two numbers, by a header line,
/// or
///   by a name in .csv, .tsv, .edges, .el or .wel: vertices counted from 0, an edge a line, with a weight if the first
///   edge has one, else 1. Fields are separated by blanks, commas or semicolons and may stand in double quotes; a
///   comment may follow an edge. A header line (source,target,weight) names columns in any order; a column whose name
///   is not known is refused unless one is called weight.
/// - Edge lists of KONECT, recognised by their first line (% sym weighted): counted from 1; sym: each edge means both
///   directions; bip: the two columns number rows and columns apart; a fourth column (time) is ignored.
/// - SMAT, recognised by a name in .smat: a line of sizes (rows, columns, entries), then as an edge list.
/// - METIS graphs, told by a name in .graph or .metis: a line of vertices, edges and perhaps a format, then a line a
///   vertex with its neighbours, counted from 1 (METIS manual, section 4.1.1). Weights of edges are the values, else 1;
///   sizes and weights of vertices are skipped. Every edge stands at both of its ends with the same weight; loops are
///   refused.
/// - Serialized graphs of the GAP benchmark suite, told by a name in .sg or .wsg (32-bit whole weights): binary rows.
/// - Graphs of NetworkX, told by a name in .json or a first byte {: JSON as networkx.node_link_data gives it, nodes and
///   edges (or links). Vertices are numbered in the order of the nodes, whatever their ids; the weight of an edge is
///   the value (NaN and Infinity as Python writes them), else 1; parallel edges are combined by `duplicates`; an edge
///   of an undirected graph stands at both of its ends, as in networkx.to_scipy_sparse_array. Other attributes are left
///   alone.
/// - tar archives, told by their header: the one .mtx or .rb file in it, or the one that is called as its folder or as
///   the archive (NAME/NAME.mtx beside NAME/NAME_b.mtx, as the SuiteSparse collection packs them).
///
/// Options (`matrix_read_options`): how entries at the same position become one (`duplicates`, summed by default),
/// whether the words of an edge list are names of vertices (`renumber`), and how much memory a small or endless input
/// may take
/// (`limits`):
///
///     auto lengths = coppice::read_matrix<double>(exec, "roads.txt", {.duplicates = coppice::duplicates::min});
///     auto graph = coppice::matrix_file("people.csv", {.renumber = true}).read_numbered<double>(exec);
///     auto row = graph.vertices.find("alice", graph.matrix.rows());
///
/// Each plain or compressed with gzip, or from standard input ("-"). An edge from i to j is the entry (i, j) of a
/// square matrix of as many rows as the largest vertex asks for; edges are taken as they stand, repeated ones are
/// combined by `duplicates`, and comments are not interpreted: a file that says "undirected" in words stores what its
/// lines say.
///
/// Harwell-Boeing numbers stand in fields of fixed width that the header's formats describe, and are read as Fortran
/// does: fields may touch, and where a format says so, points and exponents are implied. What comes out, and what is
/// refused, is as for Matrix Market: sorted full rows, and format_error with file and line.
#pragma once

#include <complex>

#include <coppice/algebra/files/matrix_file.hpp>
