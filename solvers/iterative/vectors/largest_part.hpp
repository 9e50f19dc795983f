// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The largest magnitude in a real or complex vector.
#pragma once

#include <cstdint>

#include <coppice/core/complex_pair.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// Magnitude of an element: |x| or, for complex x, max(|re x|, |im x|).
template <class E>
struct magnitude_of_element {
    E const* x;
    COPPICE_HD double operator()(std::int64_t i) const { return larger_part(x[i]); }

private:
    template <class R>
    COPPICE_HD static double larger_part(R value) {
        return double(value < 0 ? -value : value);
    }
    template <class R>
    COPPICE_HD static double larger_part(complex_pair<R> const& value) {
        return maximum{}(larger_part(value.re), larger_part(value.im));
    }
};

/// Largest magnitude of the real and imaginary parts of the elements; ignores NaN.
template <executor Executor, class E>
double largest_part(Executor const& exec, array_view<E const> x) {
    return reduce(exec, x.size(), 0.0, magnitude_of_element<E>{x.data()}, maximum{});
}

} // namespace coppice::inline v0_1::detail
