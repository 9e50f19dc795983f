// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Compressed sparse row (CSR) matrices, and operations on whole matrices.
///
///     coppice::host_executor exec;
///     coppice::coo<double> entries{.rows = 3, .columns = 3};
///     entries.add(0, 2, 1.5);                                    // in any order
///     auto a = coppice::to_csr(exec, entries);                   // csr<double>; or generate(), read_matrix_market()
///     auto t = coppice::transpose(exec, a.view());
///     auto w = coppice::symmetrised_weights(exec, a.view());     // |A| without diagonal, as an undirected graph
///     auto i = coppice::describe(exec, a.view());                // i.symmetric_values, i.diagonal_coverage, ...
///     coppice::validate(exec, a.view());                         // throws matrix_error that names the row
///
/// coo stores triplets in any order, csr owns compressed rows, csr_view borrows them and can be used in device code.
/// Operations take an executor and views in its memory and return owners in its memory; `gpu.copy(a)` copies a matrix
/// to another memory space. The bits of results are the same on every run and for any number of threads. Inconsistent
/// sizes throw dimension_error, invalid input throws matrix_error or argument_error, results that exceed the index type
/// throw overflow_error. Operations do not check the storage of a view (offsets, column range): call validate() once
/// for matrices from outside.
///
/// to_csr, to_coo: conversion of triplets to compressed rows and back, on the host. Values of one position are summed,
/// or combined by an operator: to_csr(exec, entries, op::min<double>{}); with no_duplicates{} they are a matrix_error.
/// csr_from_arrays: checked copy of three arrays of the caller, of any integer types, numbered from 0 or from 1.
/// transpose, sort_columns, permute, extract_diagonal, extract_tridiagonal: new matrices and bands.
/// has_sorted_columns, symmetry_of, is_symmetric, symmetrised_weights: symmetry and the undirected graph of a matrix.
/// bandwidths, degrees, coverages, describe: statistics.
/// validate: one pass over offsets, columns and, on request, order, duplicates and values.
#pragma once

#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/coo.hpp>
#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/from_arrays.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/validate.hpp>
