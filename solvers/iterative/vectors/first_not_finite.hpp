// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The first element of a vector that is not finite.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/complex_pair.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// Returns n - i if element i is not finite, else 0. The maximum over i gives the first such element.
template <class E>
struct rest_if_not_finite {
    E const* x;
    std::int64_t n;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return is_finite_element(x[i]) ? 0 : n - i; }

private:
    template <class R>
    COPPICE_HD static bool is_finite_element(R value) {
        return is_finite<double>(double(value));
    }
    template <class R>
    COPPICE_HD static bool is_finite_element(complex_pair<R> const& value) {
        return is_finite<double>(double(value.re)) && is_finite<double>(double(value.im));
    }
};

/// Returns "element 17 of WHAT is not finite", counted from 0; empty if all elements are finite.
template <executor Executor, class E>
std::string first_not_finite(Executor const& exec, array_view<E const> x, char const* what) {
    std::int64_t const n = x.size();
    std::int64_t const at = n - reduce(exec, n, std::int64_t(0), rest_if_not_finite<E>{x.data(), n}, maximum{});
    return at < n ? "element " + std::to_string(at) + " of " + what + " is not finite" : std::string();
}

} // namespace coppice::inline v0_1::detail
