// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Arrays in files of NumPy (.npy): NumPy Enhancement Proposal 1, versions 1 to 3.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>

namespace coppice::inline v0_1::detail {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::string_view numpy_magic = "\x93NUMPY";

struct numpy_array {
    char kind = 'f'; ///< f, c, i, u, b; S and U are texts of `width` bytes or code points of four bytes
    int width = 8;   ///< bytes of an element
    bool by_columns = false;
    std::vector<std::int64_t> shape{}; ///< up to three dimensions
    std::int64_t count = 1;            ///< product of the shape
    std::string_view body{};           ///< [count * width]

    char const* at(std::int64_t k) const { return body.data() + std::size_t(k) * std::size_t(width); }
};

/// Parses the header of an array. `complete`: the body must have the declared length; otherwise it may be truncated.
/// Throws format_error (line 0) for an unknown version or type, big-endian values, or a malformed header.
numpy_array parse_numpy(std::string const& file, std::string_view bytes, bool complete = true);

/// Header of a file with values of this type, such as "<f8", and this shape, column-major.
std::string numpy_header(std::string_view type, std::vector<std::int64_t> const& shape);

template <class N>
N load_number(char const* at) {
    N value;
    std::memcpy(&value, at, sizeof(N));
    return value;
}

/// Calls use(number) with an integer or a bool in its own type.
template <class Use>
auto with_integer(numpy_array const& a, char const* at, Use const& use) {
    bool const is_signed = a.kind == 'i';
    switch (a.width) {
    case 1:
        return is_signed ? use(load_number<std::int8_t>(at)) : use(load_number<std::uint8_t>(at));
    case 2:
        return is_signed ? use(load_number<std::int16_t>(at)) : use(load_number<std::uint16_t>(at));
    case 4:
        return is_signed ? use(load_number<std::int32_t>(at)) : use(load_number<std::uint32_t>(at));
    default:
        return is_signed ? use(load_number<std::int64_t>(at)) : use(load_number<std::uint64_t>(at));
    }
}

/// Returns a number of the array, at this address, as T; nothing if a finite value is out of the range of T. A complex
/// array needs a complex T.
template <class T>
std::optional<T> number_of(numpy_array const& a, char const* at) {
    using real = typename real_type<T>::type;
    auto const component = [](char const* from, int width) -> std::optional<real> {
        double const x = width == 4 ? double(load_number<float>(from)) : load_number<double>(from);
        auto const y = static_cast<real>(x);
        return std::isinf(y) && !std::isinf(x) ? std::nullopt : std::optional(y);
    };
    if (a.kind == 'f') {
        auto const x = component(at, a.width);
        return x ? std::optional<T>(T(*x)) : std::nullopt;
    }
    if constexpr (is_complex<T>)
        if (a.kind == 'c') {
            auto const re = component(at, a.width / 2), im = component(at + a.width / 2, a.width / 2);
            return re && im ? std::optional<T>(T(*re, *im)) : std::nullopt;
        }
    return with_integer(a, at, [](auto number) { return T(static_cast<real>(number)); });
}

/// Text of an integer of the array that double does not represent exactly; else empty.
std::string inexact_integer_of(numpy_array const& a, char const* at);

/// Element k of the array as T, number `shown` in messages. Throws format_error if T does not represent it, or if it is
/// an inexact integer that `rule` refuses.
template <class T>
T checked_number(std::string const& file, numpy_array const& a, std::int64_t k, std::int64_t shown,
                 inexact_integers rule) {
    auto const refuse = [&](std::string const& why) {
        throw format_error(file, 0, "element " + std::to_string(shown) + " is " + why);
    };
    if (rule == inexact_integers::refuse)
        if (auto const digits = inexact_integer_of(a, a.at(k)); !digits.empty())
            refuse(digits + ", " + inexact_integer_message + "; x.astype('float64') rounds it");
    auto const value = number_of<T>(a, a.at(k));
    if (!value)
        refuse("beyond the range of a " + std::to_string(8 * sizeof(typename real_type<T>::type)) +
               "-bit floating-point number");
    return *value;
}

} // namespace coppice::inline v0_1::detail
