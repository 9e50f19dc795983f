// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vectors and matrices times powers of two, so that squares and products of their elements stay in range.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/solvers/iterative/vectors/largest_part.hpp>

namespace coppice::inline v0_1::detail {

/// x = factor x
template <class T>
struct scale_column {
    T factor;
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] *= factor; }
};

/// x = 2^exponent x for `n` elements, in two steps, since 2^exponent may leave the range.
template <executor Executor, class T>
void scale_by_power(Executor const& exec, T* x, std::int64_t n, int exponent) {
    for (int const half : {exponent / 2, exponent - exponent / 2})
        if (half != 0) for_each(exec, n, scale_column<T>{T(std::ldexp(1.0, half)), x});
}

/// The even exponent of a largest magnitude; 0 if it is 0, not finite, or in (1 / limit, limit).
inline int even_exponent(double largest, double limit) {
    if (!(largest > 0) || !std::isfinite(largest) || (largest > 1 / limit && largest < limit)) return 0;
    return std::ilogb(largest) / 2 * 2;
}

/// An array times 2^-exponent: the given one if exponent is 0, otherwise a copy.
template <executor Executor, class T>
class scaled_array {
public:
    scaled_array(Executor const& exec, array_view<T const> x, int exponent) : view_(x) {
        if (exponent == 0) return;
        copy_ = copy_of(exec, x);
        scale_by_power(exec, copy_.data(), copy_.size(), -exponent);
        view_ = copy_.view();
    }
    array_view<T const> view() const { return view_; }

private:
    buffer<T> copy_{};
    array_view<T const> view_;
};

} // namespace coppice::inline v0_1::detail
