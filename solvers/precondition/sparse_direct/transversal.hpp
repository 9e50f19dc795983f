// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Maximum product transversal: the perfect matching of rows and columns that maximises the product of its elements.
#pragma once

#include <cstdint>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::inline v0_1::detail {

/// A matching of the rows and columns of a square matrix, and scalings that belong to it.
struct transversal {
    std::vector<std::int32_t> column_of; ///< of each row; -1 if it has none
    std::int32_t matched = 0; ///< number of matched rows; fewer than all: the matrix is structurally singular
    /// If all rows are matched: |2^-row_power[i] a_ij 2^-column_power[j]| is at most 2, and at least 1/2 for matched
    /// elements.
    std::vector<int> row_power, column_power;

    /// The first row without a column; -1 if there is none.
    std::int32_t first_unmatched() const;
};

/// Shortest augmenting paths for the costs log2 of (largest element of the row / element), with dual variables as
/// scalings (Duff and Koster, SIAM J. Matrix Anal. Appl. 22, 2001: job 5 of MC64). Zeros are not edges. Sequential, on
/// the host; O(n nonzeros log n) operations at most, in practice a few passes over the matrix. `magnitudes`: values at
/// least 0 and finite, without duplicates. Checks interruption::current().
transversal maximum_product_transversal(csr_view<double> magnitudes);

} // namespace coppice::inline v0_1::detail
