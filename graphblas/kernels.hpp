// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products over the predefined semirings that graph algorithms use, compiled for their types. Each function returns
/// nothing if the semiring has no kernel; the caller then uses product.hpp.
#pragma once

#include <optional>

#include "values.hpp"

namespace coppice::graphblas {

/// A matrix and its values in the type of the semiring; values that the operator does not use are not read.
struct kernel_operand {
    pattern const& where;
    void const* values;
};

/// Whether the semiring has a kernel. `flipped`: the operator has the value of B first.
bool has_kernel(GrB_Semiring semiring, bool flipped);

/// T = u B for a row u: entries of u are added to columns of B. B has offsets for all rows. Only columns that the mask
/// admits are computed.
contents push_product(GrB_Semiring semiring, bool flipped, kernel_operand u, kernel_operand b, mask_view const& mask);
/// T = u B' for a row u with many entries and B' given by its rows: one sum for each row.
contents pull_product(GrB_Semiring semiring, bool flipped, kernel_operand u, kernel_operand b, mask_view const& mask);
/// T<mask> = A B' for a mask that is not complemented: one sum for each of its entries. No operand is hypersparse.
contents dot_product(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b, mask_view const& mask);
/// T<mask> = A B for such a mask: products are added to its entries.
contents masked_row_product(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b,
                            mask_view const& mask);
/// Values of a product on the structure `c` of A B.
std::shared_ptr<bytes const> row_products(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b,
                                          pattern const& c);

} // namespace coppice::graphblas
