// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal storage: three bands of equal length.
#pragma once

#include <cstdint>
#include <utility>

#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

/// Borrowed tridiagonal matrix with `size` rows: row i is lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1].
///
/// lower[0] and upper[size - 1] are outside the matrix. They are ignored, except by operations on cyclic systems.
template <class T>
struct tridiagonal_view {
    using value_type = T;

    std::int64_t length = 0;
    T const* lower = nullptr;
    T const* diagonal = nullptr;
    T const* upper = nullptr;

    COPPICE_HD std::int64_t size() const { return length; }
};

/// Owner of the three bands, each of `size` elements, not initialised. Move-only.
template <class T>
class tridiagonal {
public:
    using value_type = T;

    tridiagonal() = default;
    template <executor Executor>
    tridiagonal(Executor const& exec, std::int64_t size) : lower(exec, size), diagonal(exec, size), upper(exec, size) {}
    tridiagonal(buffer<T> lower_band, buffer<T> diagonal_band, buffer<T> upper_band)
        : lower(std::move(lower_band)), diagonal(std::move(diagonal_band)), upper(std::move(upper_band)) {
        require_size("lower band", lower, diagonal.size());
        require_size("upper band", upper, diagonal.size());
    }

    std::int64_t size() const { return diagonal.size(); }
    tridiagonal_view<T> view() const& { return {size(), lower.data(), diagonal.data(), upper.data()}; }
    operator tridiagonal_view<T>() const& { return view(); }
    tridiagonal_view<T> view() const&& = delete; ///< the view of a temporary matrix would dangle
    operator tridiagonal_view<T>() const&& = delete;

    buffer<T> lower;
    buffer<T> diagonal;
    buffer<T> upper;
};

template <executor Executor, class T>
tridiagonal<T> copy_of(Executor const& exec, tridiagonal<T> const& a) {
    return {copy_of(exec, a.lower), copy_of(exec, a.diagonal), copy_of(exec, a.upper)};
}

} // namespace coppice::inline v0_1
