// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Dot products of vectors in the memory of an executor. Several products are computed in one pass.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <type_traits>

#include <coppice/core/complex_pair.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {

/// Two vectors of the same length and type whose product left^H right is computed. Constructed from views, buffers,
/// vectors or spans.
template <class T>
struct dot_of {
    array_view<T const> left, right;

    template <class Left, class Right>
    dot_of(Left const& l, Right const& r) : left(l), right(r) {}
};
template <class Left, class Right>
dot_of(Left const& left, Right const&) -> dot_of<std::remove_const_t<detail::element_of_range<Left const>>>;

namespace detail {

/// Types for reading, summing and returning. Sums are double or complex of double. On a device std::complex is read as
/// complex_pair, which has the same layout, because the operators of std::complex are not available there.
template <class T>
struct dot_types {
    using stored = T;
    using sum = double;
    using result = double;
    static result to_result(sum s) { return s; }
};
template <class R>
struct dot_types<std::complex<R>> {
    using stored = complex_pair<R>;
    using sum = complex_pair<double>;
    using result = std::complex<double>;
    static result to_result(sum s) { return {s.re, s.im}; }
};

/// x^H y
template <class T>
COPPICE_HD double conjugated_product(T x, T y) {
    return double(x) * double(y);
}
template <class R>
COPPICE_HD complex_pair<double> conjugated_product(complex_pair<R> x, complex_pair<R> y) {
    double const a = x.re, b = x.im, c = y.re, d = y.im;
    return {a * c + b * d, a * d - b * c};
}

template <class S, std::size_t N>
struct several_sums {
    S sum[N];
};
template <class S, std::size_t N>
struct add_several {
    COPPICE_HD several_sums<S, N> operator()(several_sums<S, N> a, several_sums<S, N> const& b) const {
        for (std::size_t k = 0; k < N; ++k) a.sum[k] = a.sum[k] + b.sum[k];
        return a;
    }
};
template <class T, std::size_t N>
struct products_at {
    using stored = typename dot_types<T>::stored;
    stored const* left[N];
    stored const* right[N];

    COPPICE_HD several_sums<typename dot_types<T>::sum, N> operator()(std::int64_t i) const {
        several_sums<typename dot_types<T>::sum, N> all;
        for (std::size_t k = 0; k < N; ++k) all.sum[k] = conjugated_product(left[k][i], right[k][i]);
        return all;
    }
};

} // namespace detail

/// Computes the dot products left^H right of all pairs in one pass: `auto const [xx, xy] = dots(exec, dot_of(x, x),
/// dot_of(x, y));`. Sums are double or std::complex<double> for all element types. The bits are the same on every run
/// and for any number of threads. Waits for the result. Throws dimension_error if the lengths differ.
template <executor Executor, class T, class... More>
auto dots(Executor const& exec, dot_of<T> const& first, More const&... more) {
    constexpr std::size_t count = 1 + sizeof...(More);
    using types = detail::dot_types<T>;
    using stored = typename types::stored;
    std::array<dot_of<T>, count> const pairs{first, more...};
    detail::products_at<T, count> products;
    detail::several_sums<typename types::sum, count> zero{};
    for (std::size_t k = 0; k < count; ++k) {
        require_size("left vector of a dot product", pairs[k].left, first.left.size());
        require_size("right vector of a dot product", pairs[k].right, first.left.size());
        products.left[k] = reinterpret_cast<stored const*>(pairs[k].left.data());
        products.right[k] = reinterpret_cast<stored const*>(pairs[k].right.data());
    }
    auto const all = reduce(exec, first.left.size(), zero, products, detail::add_several<typename types::sum, count>{});
    std::array<typename types::result, count> sums;
    for (std::size_t k = 0; k < count; ++k) sums[k] = types::to_result(all.sum[k]);
    return sums;
}

/// Computes left^H right.
template <executor Executor, class Left, class Right>
auto dot(Executor const& exec, Left const& left, Right const& right) {
    return dots(exec, dot_of(left, right))[0];
}

} // namespace coppice::inline v0_1
