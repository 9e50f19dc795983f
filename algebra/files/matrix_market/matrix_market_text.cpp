// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Converts the exponent of a token to C++ syntax: E for D, and E before an exponent of three digits without letter.
std::string with_plain_exponent(std::string_view token) {
    std::string plain(token);
    for (std::size_t i = 1; i < plain.size(); ++i) {
        bool const after_number = is_digit(plain[i - 1]) || plain[i - 1] == '.';
        if (!after_number) continue;
        char const c = plain[i];
        if (c == 'd' || c == 'D' || c == 'q' || c == 'Q') {
            plain[i] = 'e';
            return plain;
        }
        if (c == 'e' || c == 'E') return plain;
        if (c == '+' || c == '-') return plain.insert(i, 1, 'e');
    }
    return plain;
}

// Whether a number outside the range of long double is too small (true) or too large: the sign of the exponent that it
// has if its first digit is before the decimal point.
bool is_tiny(std::string_view number) {
    std::size_t const split = std::min(number.find_first_of("eE"), number.size());
    auto const digits = number.substr(0, split);
    auto written = number.substr(std::min(split + 1, number.size()));
    if (written.starts_with('+')) written.remove_prefix(1);
    std::int64_t exponent = 0;
    if (std::from_chars(written.data(), written.data() + written.size(), exponent).ec == std::errc::result_out_of_range)
        return written.starts_with('-');
    auto const first = digits.find_first_not_of("-0."), point = std::min(digits.find('.'), digits.size());
    return exponent < std::int64_t(first) - std::int64_t(point);
}

} // namespace

void require_content(std::string const& file, std::string_view text) {
    if (text.empty()) throw format_error(file, 0, "the file is empty");
    if (text.find_first_not_of(" \t\r\n") == text.npos)
        throw format_error(file, 0, "the file is empty except for blanks and line ends");
}

std::string quoted(std::string_view token) {
    constexpr std::size_t longest = 40;
    std::string out = "'";
    for (char const c : token.substr(0, longest)) out += c >= ' ' && c <= '~' ? c : '?';
    return out + (token.size() > longest ? "...'" : "'");
}

bool is_inexact_integer(std::string_view token) {
    if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
    if (token.empty() || !std::all_of(token.begin(), token.end(), is_digit)) return false;
    token.remove_prefix(std::min(token.find_first_not_of('0'), token.size()));
    if (token.empty()) return false; // 0
    double value = 0;
    if (std::from_chars(token.data(), token.data() + token.size(), value).ec != std::errc{}) return true;
    std::array<char, 310> digits{}; // of the largest double
    auto const last = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, 0);
    return token != std::string_view(digits.data(), std::size_t(last.ptr - digits.data()));
}

template <class R>
number_status parse_real_slowly(char const*& at, char const* end, R& value) {
    std::string_view const token = token_at(at, end);
    std::string plain = with_plain_exponent(token);
    if (plain.starts_with('+')) {
        plain.erase(0, 1);
        if (plain.starts_with('-')) return number_status::malformed;
    }
    char const* const last = plain.data() + plain.size();
    auto const [stop, status] = std::from_chars(plain.data(), last, value);
    if (stop != last || status == std::errc::invalid_argument) return number_status::malformed;
    if (status == std::errc::result_out_of_range) {
        // The standard library does not store a value here. long double decides nearly all cases; the others are far
        // out of range.
        long double wide = 0;
        bool const known = std::from_chars(plain.data(), last, wide).ec == std::errc{};
        if (known ? std::abs(wide) > 1 : !is_tiny(plain)) return number_status::out_of_range;
        value = known ? static_cast<R>(wide) : plain.starts_with('-') ? R(-0.0) : R(0);
    }
    at += token.size();
    return number_status::good;
}

template number_status parse_real_slowly(char const*&, char const*, float&);
template number_status parse_real_slowly(char const*&, char const*, double&);

} // namespace coppice::inline v0_1::detail
