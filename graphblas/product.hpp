// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Numeric phase of sparse products.
#pragma once

#include "values.hpp"

namespace coppice::graphblas {

/// Values and structure of a product.
struct product_task {
    product_structure const& structure;
    pattern const& original_a; ///< for the row numbers
    GrB_Semiring semiring;
    std::byte const *x, *y; ///< values of structure.a and structure.b, in the types of the operator
    std::size_t x_size, y_size;
    bool flipped; ///< multiplies (b, a): the first operand of the operator is the value of B, and x has its second type
};

/// Returns the values of structure.c.
std::shared_ptr<bytes const> product_values(product_task const& task);

} // namespace coppice::graphblas
