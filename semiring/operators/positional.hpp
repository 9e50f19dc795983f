// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators on positions instead of values (SuiteSparse: FIRSTI and related).
///
/// A product A B combines (a_ik, b_kj); element-wise operations combine (a_ij, b_ij). A vector is a matrix with one
/// column; as the left operand of vxm it is a matrix with one row.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// Row and column of the two elements that an operator combines, counted from 0.
struct element_positions {
    std::int64_t first_row, first_column;
    std::int64_t second_row, second_column;
};
using meeting [[deprecated("renamed to element_positions")]] = element_positions;

namespace detail {

/// Whether an operator (or a semiring with it) takes the element positions as its third argument.
template <class Operation>
inline constexpr bool is_positional_v = requires {
    requires Operation::positional;
};

/// Operator that returns one member of element_positions.
template <class T, std::int64_t element_positions::*Index, int First>
struct position_of {
    static constexpr bool positional = true;
    template <class A, class B>
    COPPICE_HD constexpr T operator()(A const&, B const&, element_positions const& at) const {
        return static_cast<T>(at.*Index + First);
    }
};

} // namespace detail

namespace op {

/// Row (i) and column (j) of the first and the second operand; names that end in 1 count from 1.
template <class T>
using firsti = detail::position_of<T, &element_positions::first_row, 0>;
template <class T>
using firsti1 = detail::position_of<T, &element_positions::first_row, 1>;
template <class T>
using firstj = detail::position_of<T, &element_positions::first_column, 0>;
template <class T>
using firstj1 = detail::position_of<T, &element_positions::first_column, 1>;
template <class T>
using secondi = detail::position_of<T, &element_positions::second_row, 0>;
template <class T>
using secondi1 = detail::position_of<T, &element_positions::second_row, 1>;
template <class T>
using secondj = detail::position_of<T, &element_positions::second_column, 0>;
template <class T>
using secondj1 = detail::position_of<T, &element_positions::second_column, 1>;

} // namespace op
} // namespace coppice::inline v0_1
