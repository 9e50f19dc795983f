// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Complex conjugates of elements.
#pragma once

#include <coppice/core/complex_pair.hpp>

namespace coppice::inline v0_1 {

/// conj(x): x itself for a real number.
template <class T>
requires std::is_arithmetic_v<T> COPPICE_HD T conjugate_of(T x) { return x; }
template <class R>
COPPICE_HD complex_pair<R> conjugate_of(complex_pair<R> const& x) {
    return {x.re, -x.im};
}

} // namespace coppice::inline v0_1
