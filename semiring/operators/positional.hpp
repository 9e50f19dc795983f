// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators that look at positions and not at values (SuiteSparse: FIRSTI and its like).
///
/// A product A B meets as (a_ik, b_kj), element-wise operations as (a_ij, b_ij). A vector is a matrix of one column; as
/// left operand of vxm it is one of one row.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice {

/// Where two elements stand that meet, counted from 0.
struct meeting {
    std::int64_t first_row, first_column;
    std::int64_t second_row, second_column;
};

namespace detail {

/// Whether an operator (or a semiring of it) asks for the meeting as its third argument.
template <class Operation>
inline constexpr bool is_positional_v = requires {
    requires Operation::positional;
};

/// A member of the meeting as an operator.
template <class T, std::int64_t meeting::*Index, int First>
struct position_of {
    static constexpr bool positional = true;
    template <class A, class B>
    COPPICE_HD constexpr T operator()(A const&, B const&, meeting const& at) const {
        return static_cast<T>(at.*Index + First);
    }
};

} // namespace detail

namespace op {

/// Row and column of the first operand, of the second one; those with a 1 count from 1.
template <class T>
using firsti = detail::position_of<T, &meeting::first_row, 0>;
template <class T>
using firsti1 = detail::position_of<T, &meeting::first_row, 1>;
template <class T>
using firstj = detail::position_of<T, &meeting::first_column, 0>;
template <class T>
using firstj1 = detail::position_of<T, &meeting::first_column, 1>;
template <class T>
using secondi = detail::position_of<T, &meeting::second_row, 0>;
template <class T>
using secondi1 = detail::position_of<T, &meeting::second_row, 1>;
template <class T>
using secondj = detail::position_of<T, &meeting::second_column, 0>;
template <class T>
using secondj1 = detail::position_of<T, &meeting::second_column, 1>;

} // namespace op
} // namespace coppice
