// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Compressed sparse rows, and what can be done with a whole matrix.
///
///     coppice::host_executor exec;
///     coppice::coo<double> entries{.rows = 3, .columns = 3};
///     entries.add(0, 2, 1.5);                                    // in any order; duplicates are summed
///     auto a = coppice::to_csr(exec, entries);                   // csr<double>; or generate(), read_matrix_market()
///     auto t = coppice::transpose(exec, a.view());
///     auto w = coppice::symmetrised_weights(exec, a.view());     // |A| without diagonal, as an undirected graph
///     auto i = coppice::describe(exec, a.view());                // i.symmetric_values, i.diagonal_coverage, ...
///     coppice::validate(exec, a.view());                         // throws matrix_error that names the row
///
/// coo holds triplets as they come, csr owns compressed rows, csr_view borrows and can be used in device code.
/// Operations take an executor and views in its memory and return owners in its memory; `gpu.copy(a)` moves a matrix.
/// Results are the same to the bit for any number of threads and on every run. Sizes that do not fit together throw
/// dimension_error, broken input matrix_error or argument_error, results beyond the index type overflow_error. Nothing
/// checks the storage of a view on the way (offsets, column range): what comes from outside goes through validate()
/// once.
///
/// to_csr, to_coo: triplets to compressed rows and back, on the host.
/// transpose, sort_columns, permute, extract_diagonal, extract_tridiagonal: new matrices and parts.
/// has_sorted_columns, symmetry_of, is_symmetric, symmetrised_weights: symmetry and the graph of a matrix.
/// bandwidths, degrees, coverages, describe: figures.
/// validate: one pass over offsets, columns and, on request, order, duplicates and values.
#pragma once

#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/coo.hpp>
#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/validate.hpp>
