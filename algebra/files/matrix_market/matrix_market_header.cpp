// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_market/matrix_market_header.hpp>

#include <algorithm>
#include <array>

#include <coppice/algebra/files/lower_case.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr std::array format_names{"coordinate", "array"};
constexpr std::array field_names{"real", "integer", "complex", "pattern"};
constexpr std::array symmetry_names{"general", "symmetric", "skew-symmetric", "hermitian"};

} // namespace

char const* name_of(matrix_market_format format) { return format_names[static_cast<std::size_t>(format)]; }
char const* name_of(matrix_market_field field) { return field_names[static_cast<std::size_t>(field)]; }
char const* name_of(matrix_market_symmetry symmetry) { return symmetry_names[static_cast<std::size_t>(symmetry)]; }

namespace detail {
namespace {

std::vector<std::string_view> tokens_of(char const* at, char const* end) {
    std::vector<std::string_view> tokens;
    for (at = skip_blanks(at, end); at != end; at = skip_blanks(at, end)) {
        tokens.push_back(token_at(at, end));
        at += tokens.back().size();
    }
    return tokens;
}

// Returns the position of the word in `names`; throws if it is not one of them.
template <class Names>
std::size_t choose(std::string const& file, char const* what, std::string_view word, Names const& names) {
    auto const found = std::find(names.begin(), names.end(), lower_case(word));
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string expected;
    for (auto const* name : names) expected += (expected.empty() ? "" : ", ") + std::string(name);
    throw format_error(file, 1, "unknown " + std::string(what) + " " + quoted(word) + "; expected one of " + expected);
}

matrix_market_header parse_banner(std::string const& file, std::string_view line) {
    auto const words = tokens_of(line.data(), line.data() + line.size());
    auto const first = words.empty() || line.data() != words[0].data() ? std::string() : lower_case(words[0]);
    if (first != "%%matrixmarket" && first != "%matrixmarket") // some programs write a single %
        throw format_error(file, 1, "not a Matrix Market file: the first line must begin with %%MatrixMarket");
    if (words.size() != 5)
        throw format_error(file, 1,
                           "the banner has " + std::to_string(words.size()) +
                               " words; expected five: %%MatrixMarket matrix FORMAT FIELD SYMMETRY");
    if (lower_case(words[1]) != "matrix")
        throw format_error(file, 1, "unknown object " + quoted(words[1]) + "; expected matrix");
    matrix_market_header h;
    h.format = static_cast<matrix_market_format>(choose(file, "format", words[2], format_names));
    h.field = lower_case(words[3]) == "unsigned-integer" // used by SciPy for unsigned types
                  ? matrix_market_field::integer
                  : static_cast<matrix_market_field>(choose(file, "field", words[3], field_names));
    h.symmetry = static_cast<matrix_market_symmetry>(choose(file, "symmetry", words[4], symmetry_names));

    if (h.field == matrix_market_field::pattern && h.format == matrix_market_format::array)
        throw format_error(file, 1, "an array cannot be a pattern: it would hold nothing");
    if (h.symmetry == matrix_market_symmetry::hermitian && h.field != matrix_market_field::complex)
        throw format_error(file, 1,
                           std::string("a hermitian matrix must be complex, not ") + name_of(h.field) +
                               "; write symmetric, which is the same without imaginary parts");
    if (h.symmetry == matrix_market_symmetry::skew_symmetric && h.field == matrix_market_field::pattern)
        throw format_error(file, 1, "a pattern cannot be skew-symmetric: it has no signs");
    return h;
}

std::int64_t array_entries(std::string const& file, std::int64_t line, matrix_market_header const& h) {
    auto a = static_cast<std::uint64_t>(h.rows);
    auto b = static_cast<std::uint64_t>(h.columns);
    if (h.symmetry != matrix_market_symmetry::general) {
        // n (n + 1) / 2 entries, or n (n - 1) / 2 below the diagonal: divide the even factor by 2.
        b = h.symmetry == matrix_market_symmetry::skew_symmetric ? a - (a > 0) : a + 1;
        (a % 2 == 0 ? a : b) /= 2;
    }
    if (b > 0 && a > static_cast<std::uint64_t>(INT64_MAX) / b)
        throw format_error(file, line,
                           "an array of " + std::to_string(h.rows) + " x " + std::to_string(h.columns) +
                               " has more entries than a 64-bit number can count");
    return static_cast<std::int64_t>(a * b);
}

void parse_sizes(std::string const& file, std::int64_t line, std::string_view text, matrix_market_header& h) {
    bool const coordinate = h.format == matrix_market_format::coordinate;
    auto const words = tokens_of(text.data(), text.data() + text.size());
    std::size_t const expected = coordinate ? 3 : 2;
    if (words.size() != expected)
        throw format_error(file, line,
                           "the size line has " + std::to_string(words.size()) + " numbers; expected " +
                               (coordinate ? "three: rows, columns, entries" : "two: rows, columns"));
    std::array<std::int64_t*, 3> const sizes{&h.rows, &h.columns, &h.stored};
    constexpr std::array what{"number of rows", "number of columns", "number of entries"};
    for (std::size_t i = 0; i < expected; ++i) {
        char const* at = words[i].data();
        auto const status = parse_integer(at, at + words[i].size(), *sizes[i]);
        if (status == number_status::out_of_range)
            throw format_error(file, line, std::string(what[i]) + " " + quoted(words[i]) + " exceeds 64 bits");
        if (status != number_status::good)
            throw format_error(file, line, std::string(what[i]) + " is not an integer: " + quoted(words[i]));
        if (*sizes[i] < 0) throw format_error(file, line, std::string(what[i]) + " is negative: " + quoted(words[i]));
    }
    if (h.symmetry != matrix_market_symmetry::general && h.rows != h.columns)
        throw format_error(file, line,
                           std::string("a ") + name_of(h.symmetry) + " matrix must be square, not " +
                               std::to_string(h.rows) + " x " + std::to_string(h.columns));
    if (!coordinate) h.stored = array_entries(file, line, h);
}

} // namespace

std::optional<parsed_header> parse_header(std::string const& file, std::string_view text, bool complete) {
    if (complete) require_content(file, text);
    char const* const begin = text.data();
    char const* const end = begin + text.size();
    parsed_header top;
    std::int64_t line = 0;
    for (char const* at = begin; at != end;) {
        char const* const stop = line_end(at, end);
        if (stop == end && !complete) return std::nullopt;
        ++line;
        char const* const first = skip_blanks(at, stop);
        if (line == 1) {
            top.header = parse_banner(file, {at, static_cast<std::size_t>(stop - at)});
        } else if (first != stop && *first != '%') {
            parse_sizes(file, line, {first, static_cast<std::size_t>(stop - first)}, top.header);
            top.size_line = line;
            top.body = static_cast<std::size_t>(stop - begin) + (stop != end ? 1 : 0);
            return top;
        }
        at = stop == end ? end : stop + 1;
    }
    if (!complete) return std::nullopt;
    throw format_error(file, line, "the file ends before its size line");
}

} // namespace detail

matrix_market_header read_matrix_market_header(std::filesystem::path const& path) {
    for (std::size_t limit = std::size_t(1) << 16;; limit *= 16) {
        file_text const text = read_text(path, limit);
        if (auto const top = detail::parse_header(path.string(), text.view, text.complete)) return top->header;
    }
}

} // namespace coppice::inline v0_1
