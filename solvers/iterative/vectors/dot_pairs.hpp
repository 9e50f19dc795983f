// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The dot products of one pass over vectors; used by both launchers of
/// solvers/iterative/vectors/vector_operations.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/memory.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1 {

/// Operands of a dot product left^H right; both vectors have the same length.
template <class T>
struct dot_pair {
    T const* left = nullptr;
    T const* right = nullptr;

    dot_pair() = default;
    template <class X, class Y>
    COPPICE_HD dot_pair(array_view<X> x, array_view<Y> y) : left(x.data()), right(y.data()) {}
};
template <class X, class Y>
dot_pair(array_view<X>, array_view<Y>) -> dot_pair<std::remove_const_t<X>>;

namespace detail {

/// Maximum number of dot products in one pass, in doubles.
inline constexpr int max_dots = 8;
/// Number of elements of a partial sum; a constant, so results do not depend on the width of the machine.
inline constexpr std::int64_t dot_block = 2048;
constexpr std::int64_t dot_blocks(std::int64_t n) { return (n + dot_block - 1) / dot_block; }

/// The dot products of one pass, passed by value into a kernel.
template <class T>
struct dot_pairs {
    dot_pair<T> pair[max_dots];
    int count = 0;
};

} // namespace detail
} // namespace coppice::inline v0_1
