// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// ⊗ as a function of arrays with one element per nonzero: the fast form of `multiply` for reduce_rows.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <coppice/core/config.hpp>
#include <coppice/core/parameters.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Pointers to several arrays of equal length; a recursive pair, so that it is trivially copyable.
template <class... T>
struct streams {};
template <class T, class... Rest>
struct streams<T, Rest...> {
    T const* first;
    streams<Rest...> rest;
};

COPPICE_HD inline streams<> make_streams() { return {}; }
template <class T, class... Rest>
COPPICE_HD streams<T, Rest...> make_streams(T const* first, Rest const*... rest) {
    return {first, make_streams(rest...)};
}

/// Returns f(s[k]..., extra) for the arrays of `s`.
COPPICE_NO_EXEC_CHECK
template <class F, class Index, class Extra, class... Got>
COPPICE_HD COPPICE_ALWAYS_INLINE auto apply_at(F const& f, streams<> const&, Index, Extra extra, Got const&... got) {
    if constexpr (std::is_same_v<Extra, std::int64_t>)
        return f(got..., extra);
    else
        return f(got...);
}
COPPICE_NO_EXEC_CHECK
template <class F, class Index, class Extra, class T, class... Rest, class... Got>
COPPICE_HD COPPICE_ALWAYS_INLINE auto apply_at(F const& f, streams<T, Rest...> const& s, Index k, Extra extra,
                                               Got const&... got) {
    return apply_at(f, s.rest, k, extra, got..., s.first[k]);
}

struct no_row {};

/// One element of each array.
template <class... T>
struct elements {};
template <class T, class... Rest>
struct elements<T, Rest...> {
    T first;
    elements<Rest...> rest;
};
/// Returns *pointer; on a GPU the load bypasses the first-level cache, for data that is read once.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T read_once(T const* pointer) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && alignof(T) == sizeof(T)) {
        T value;
        if constexpr (sizeof(T) == 4) {
            unsigned word;
            asm("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(word) : "l"(pointer));
            memcpy(&value, &word, sizeof value);
            return value;
        } else if constexpr (sizeof(T) == 8) {
            unsigned long long word;
            asm("ld.global.nc.L1::no_allocate.b64 %0, [%1];" : "=l"(word) : "l"(pointer));
            memcpy(&value, &word, sizeof value);
            return value;
        }
    }
#endif
    return *pointer;
}

/// Loads element k of every array.
template <bool Once>
COPPICE_HD COPPICE_ALWAYS_INLINE elements<> load(streams<> const&, int) {
    return {};
}
template <bool Once, class T, class... Rest>
COPPICE_HD COPPICE_ALWAYS_INLINE elements<T, Rest...> load(streams<T, Rest...> const& s, int k) {
    T const first = Once ? read_once(s.first + k) : s.first[k];
    return {first, load<Once>(s.rest, k)};
}

/// Returns f(e..., extra) for the elements of `e`.
COPPICE_NO_EXEC_CHECK
template <class F, class Extra, class... Got>
COPPICE_HD COPPICE_ALWAYS_INLINE auto apply_to(F const& f, elements<> const&, Extra extra, Got const&... got) {
    if constexpr (std::is_same_v<Extra, std::int64_t>)
        return f(got..., extra);
    else
        return f(got...);
}
COPPICE_NO_EXEC_CHECK
template <class F, class Extra, class T, class... Rest, class... Got>
COPPICE_HD COPPICE_ALWAYS_INLINE auto apply_to(F const& f, elements<T, Rest...> const& e, Extra extra,
                                               Got const&... got) {
    return apply_to(f, e.rest, extra, got..., e.first);
}

/// Returns the same arrays from element `by` on.
COPPICE_HD inline streams<> advance(streams<> const&, std::int64_t) { return {}; }
template <class T, class... Rest>
COPPICE_HD streams<T, Rest...> advance(streams<T, Rest...> const& s, std::int64_t by) {
    return {s.first + by, advance(s.rest, by)};
}

} // namespace detail

/// ⊗ of nonzero k as f(arrays[k]...), or as f(arrays[k]..., row) if f takes the row:
///
///     along_nonzeros multiply{product{x}, a.coefficients, a.indices};   // product::operator()(float a, int column)
///
/// It can be used wherever a multiply is accepted. In addition reduce_rows can access the arrays: on CUDA it copies
/// them to shared memory asynchronously and evaluates f while it folds the row, so that neighbouring rows gather
/// through their columns simultaneously. On an H200 this takes 25 % less time than an opaque multiply for a nine-point
/// grid. The arrays have one element per nonzero and are borrowed.
template <class F, class... T>
struct along_nonzeros {
    F f;
    detail::streams<T...> arrays;

    COPPICE_HD along_nonzeros(F function, T const*... pointers)
        : f(function), arrays(detail::make_streams(pointers...)) {}

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD COPPICE_ALWAYS_INLINE auto
    operator()(std::int64_t k) const requires std::invocable<F const&, T const&...> {
        return detail::apply_at(f, arrays, k, detail::no_row{});
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD COPPICE_ALWAYS_INLINE auto operator()(std::int64_t k, std::int64_t row) const
        requires(!std::invocable<F const&, T const&...> && std::invocable<F const&, T const&..., std::int64_t>) {
        static_assert(detail::takes_index_v<F, sizeof...(T)>,
                      "the function of along_nonzeros is called with an element of every array and the row: the "
                      "parameter after the elements is an integer");
        return detail::apply_at(f, arrays, k, row);
    }
};
template <class F, class... T>
along_nonzeros(F, T*...) -> along_nonzeros<F, std::remove_const_t<T>...>;

namespace detail {

template <class Multiply>
inline constexpr bool is_along_nonzeros_v = false;
template <class F, class... T>
inline constexpr bool is_along_nonzeros_v<along_nonzeros<F, T...>> = true;

} // namespace detail

/// Returns *pointer through the read-only cache of a GPU: for data that is not written while the kernel runs.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T read_only(T const* pointer) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_arithmetic_v<T> && requires { __ldg(pointer); }) return __ldg(pointer); // no bool
#endif
    return *pointer;
}

} // namespace coppice::inline v0_1
