// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products over the predefined semirings that graph algorithms use, compiled for their types. Each function returns
/// nothing if the semiring has no kernel; the caller then uses product.hpp.
#pragma once

#include "grid.hpp"

namespace coppice::graphblas {

/// A matrix and its values in the type of the semiring; values that the operator does not use are not read.
struct kernel_operand {
    pattern const& where;
    void const* values;
};

/// Whether the operator returns the inner index of a product, or the next number: a kernel takes it as the first
/// operand.
bool is_inner_index(GrB_BinaryOp op);
/// Whether the semiring has a kernel. `flipped`: the operator has the value of B first.
bool has_kernel(GrB_Semiring semiring, bool flipped);

/// Whether a sum of the semiring is often known before all its products.
bool has_terminal(GrB_Semiring semiring, bool flipped);

/// Whether the first product of each sum is the sum: a minimum of integers of a row u that ascend. In a search for
/// parents they are the vertices.
bool first_decides(GrB_Semiring semiring, bool flipped, stored const& u);

/// Rows by position, with values in the type of the semiring.
struct dense_operand {
    index rows, columns;
    std::uint8_t const* flags; ///< null: all positions have an entry
    void const* values;        ///< null if the operator does not use them
};
/// T = U B for few rows U: entries of U are added to columns of B. B has offsets for all rows. Only positions that the
/// mask admits are computed. `first`: the first product of each sum is the sum.
stored push_product(GrB_Semiring semiring, bool flipped, bool first, kernel_operand u, kernel_operand b,
                    position_mask const& mask);
/// As above, with a mask that is a list.
stored push_product(GrB_Semiring semiring, bool flipped, bool first, kernel_operand u, kernel_operand b,
                    mask_view const& mask);
/// T = U B' for few rows U, and B given by its rows: a sum for each position that the mask admits.
stored pull_product(GrB_Semiring semiring, bool flipped, bool first, dense_operand u, kernel_operand b,
                    position_mask const& mask);
/// As above, at the entries of a mask that is not complemented.
contents pull_product(GrB_Semiring semiring, bool flipped, bool first, dense_operand u, kernel_operand b,
                      mask_view const& mask);
/// T<mask> = A B' for a mask that is not complemented: one sum for each of its entries. No operand is hypersparse.
contents dot_product(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b, mask_view const& mask);
/// T<mask> = A B for such a mask: products are added to its entries.
contents masked_row_product(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b,
                            mask_view const& mask);
/// Values of a product on the structure `c` of A B.
std::shared_ptr<bytes const> row_products(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b,
                                          pattern const& c);

} // namespace coppice::graphblas
