// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lexical elements of Matrix Market files: blanks, lines, numbers. No function reads at or after
/// `end`, and none throws except require_content().
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

namespace coppice::inline v0_1::detail {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline char const* skip_blanks(char const* at, char const* end) {
    while (at != end && is_blank(*at)) ++at;
    return at;
}

/// Returns the end of the line that contains `at`: its '\n', or `end`.
inline char const* line_end(char const* at, char const* end) {
    void const* const found = at == end ? nullptr : std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    return found ? static_cast<char const*>(found) : end;
}

/// Whether `at` is a blank, the end of the line or the end of the text.
inline bool at_token_end(char const* at, char const* end) { return at == end || is_blank(*at) || *at == '\n'; }

/// Returns the token at `at`, which is not a blank.
inline std::string_view token_at(char const* at, char const* end) {
    char const* stop = at;
    while (!at_token_end(stop, end)) ++stop;
    return {at, static_cast<std::size_t>(stop - at)};
}

/// Throws format_error if the text of a file has no character other than blanks and line ends.
void require_content(std::string const& file, std::string_view text);

/// Returns a token for use in messages: quoted, shortened, with '?' for unprintable characters.
std::string quoted(std::string_view token);

enum class number_status { good, malformed, out_of_range };

/// Parses a decimal integer with optional sign and moves `at` after it. Otherwise `at` is unchanged.
inline number_status parse_integer(char const*& at, char const* end, std::int64_t& value) {
    bool const plus = at != end && *at == '+' && end - at > 1 && at[1] != '-';
    auto const [stop, status] = std::from_chars(at + (plus ? 1 : 0), end, value);
    if (status == std::errc::result_out_of_range && at_token_end(stop, end)) return number_status::out_of_range;
    if (status != std::errc{} || !at_token_end(stop, end)) return number_status::malformed;
    at = stop;
    return number_status::good;
}

/// Fast path for a non-negative index in plain digits, the most frequent token. Moves `at` after it.
inline bool parse_index_quickly(char const*& at, char const* end, std::int64_t& value) {
    char const* p = at;
    std::uint64_t sum = 0; // overflows for longer tokens, which are rejected below
    for (; p != end; ++p) {
        auto const digit = static_cast<unsigned>(static_cast<unsigned char>(*p)) - unsigned('0');
        if (digit > 9) break;
        sum = sum * 10 + digit;
    }
    // Up to 18 digits cannot overflow; parse_integer handles the others.
    if (p == at || p - at > 18 || !at_token_end(p, end)) return false;
    at = p;
    value = static_cast<std::int64_t>(sum);
    return true;
}

/// Handles what std::from_chars does not accept: Fortran exponents (1.0D+00, 1.0-101) and values that round to zero.
template <class R>
number_status parse_real_slowly(char const*& at, char const* end, R& value);

/// Parses a decimal real number, `inf` or `nan`, and moves `at` after it. Values too small for R become (signed) zero
/// or subnormal; values too large are out_of_range.
template <class R>
number_status parse_real(char const*& at, char const* end, R& value) {
    auto const [stop, status] = std::from_chars(at, end, value);
    if (status != std::errc{} || !at_token_end(stop, end)) return parse_real_slowly(at, end, value);
    at = stop;
    return number_status::good;
}

/// Whether a token is a decimal integer that double does not represent exactly.
bool is_inexact_integer(std::string_view token);

/// The same for a token with this value, which decides most cases: all integers up to 2^53 are exact.
template <class R>
bool is_inexact_integer(R value, std::string_view token) {
    return !(value < R(0x1p53) && value > R(-0x1p53)) && is_inexact_integer(token);
}

inline constexpr char const* inexact_integer_message = "an integer that double does not represent exactly";

/// Position of a parser on a line, and the message of an error there.
class line_cursor {
public:
    std::string problem{};

protected:
    void begin_at(char const* at, char const* end) {
        at_ = at;
        end_ = end;
    }
    /// Skips blanks. Returns whether the rest of the line is empty.
    bool at_line_end() {
        at_ = skip_blanks(at_, end_);
        return at_ == end_ || *at_ == '\n';
    }
    std::string next_token() const {
        auto const token = token_at(at_, end_);
        return token.empty() ? "the end of the line" : quoted(token);
    }
    [[gnu::cold, gnu::noinline]] bool fail(std::string message) {
        problem = std::move(message);
        return false;
    }
    template <class R>
    bool fail_range() {
        return fail("value " + next_token() + " is beyond the range of a " + std::to_string(8 * sizeof(R)) +
                    "-bit floating-point number");
    }

    char const* at_ = nullptr;
    char const* end_ = nullptr;
};

} // namespace coppice::inline v0_1::detail
