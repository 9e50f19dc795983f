// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adaptor for Eigen: its matrices and vectors as views, and the reverse. Needs the headers of Eigen 3.4 or newer.
///
///     Eigen::SparseMatrix<double, Eigen::RowMajor> m = ...;                     // compressed
///     auto a = coppice::view_of_eigen(m);                                       // csr_view, no copy
///     coppice::csr_operator op(exec, a);
///     auto result = coppice::solve(exec, op, view_of_eigen(b), view_of_eigen(x)); // b, x: Eigen::VectorXd
///
///     auto b = coppice::csr_of_eigen(exec, column_major);                       // a copy as rows
///     auto c = coppice::to_eigen(exec, b);                                      // a copy; to_eigen<Eigen::ColMajor>
///     auto y = eigen_map(b) * x;                                                // no copy: Eigen::Map
///
/// Not part of <coppice/coppice.hpp>. Views borrow: they are valid until the owner is destroyed or its pattern changes;
/// temporary objects have no view. All memory is on the host; exec.copy(csr_of_eigen(host, m)) is on a device.
///
/// **Order.** A row major SparseMatrix has the arrays of CSR. The default of Eigen is column major: its arrays are
/// those of the transpose (transposed_view_of_eigen), which is the same matrix if it is symmetric; csr_of_eigen
/// converts. Sparse matrices must be compressed (makeCompressed(); setFromTriplets leaves them so): otherwise
/// argument_error.
///
/// **Types.** The scalar and the StorageIndex (int by default) are those of the view.
#pragma once

#include <coppice/algebra/adaptors/eigen.hpp>
