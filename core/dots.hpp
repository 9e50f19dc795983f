// SPDX-License-Identifier: BSD-3-Clause
/// \file Dot products of vectors in the memory of an executor, several in one pass.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <type_traits>

#include <coppice/core/parallel.hpp>

namespace coppice {

/// Two vectors of the same length and type, left^H right wanted; made of views, buffers, vectors, spans.
template <class T>
struct dot_of {
    array_view<T const> left, right;

    template <class Left, class Right>
    dot_of(Left const& l, Right const& r) : left(l), right(r) {}
};
template <class Left, class Right>
dot_of(Left const& left, Right const&) -> dot_of<std::remove_const_t<detail::element_of_range<Left const>>>;

namespace detail {

/// Sums are double, or complex of double.
template <class T>
struct dot_sum {
    using type = double;
};
template <class R>
struct dot_sum<std::complex<R>> {
    using type = std::complex<double>;
};

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
    using S = typename dot_sum<T>::type;
    T const* left[N];
    T const* right[N];

    COPPICE_HD several_sums<S, N> operator()(std::int64_t i) const {
        several_sums<S, N> all;
        for (std::size_t k = 0; k < N; ++k) {
            S const x(left[k][i]), y(right[k][i]);
            if constexpr (std::is_same_v<S, double>)
                all.sum[k] = x * y;
            else
                all.sum[k] = {x.real() * y.real() + x.imag() * y.imag(), x.real() * y.imag() - x.imag() * y.real()};
        }
        return all;
    }
};

} // namespace detail

/// The dot products left^H right of the pairs, read in one pass: `auto const [xx, xy] = dots(exec, dot_of(x, x),
/// dot_of(x, y));`. Sums are of double or std::complex<double>, whatever the type of the elements, with the same bits
/// on every run and for any number of threads. Waits. Throws dimension_error where lengths differ.
template <executor Executor, class T, class... More>
auto dots(Executor const& exec, dot_of<T> const& first, More const&... more) {
    constexpr std::size_t count = 1 + sizeof...(More);
    using S = typename detail::dot_sum<T>::type;
    std::array<dot_of<T>, count> const pairs{first, more...};
    detail::products_at<T, count> products;
    detail::several_sums<S, count> zero{};
    for (std::size_t k = 0; k < count; ++k) {
        require_size("left vector of a dot product", pairs[k].left.size(), first.left.size());
        require_size("right vector of a dot product", pairs[k].right.size(), first.left.size());
        products.left[k] = pairs[k].left.data();
        products.right[k] = pairs[k].right.data();
    }
    auto const all = reduce(exec, first.left.size(), zero, products, detail::add_several<S, count>{});
    std::array<S, count> sums;
    for (std::size_t k = 0; k < count; ++k) sums[k] = all.sum[k];
    return sums;
}

/// left^H right.
template <executor Executor, class Left, class Right>
auto dot(Executor const& exec, Left const& left, Right const& right) {
    return dots(exec, dot_of(left, right))[0];
}

} // namespace coppice
