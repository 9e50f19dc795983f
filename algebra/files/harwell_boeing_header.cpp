// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <optional>

#include <coppice/algebra/files/harwell_boeing.hpp>
#include <coppice/algebra/files/lower_case.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>
#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {
namespace {

/// Reads the lines of a text in their order, without line ends.
class line_source {
public:
    explicit line_source(std::string_view text) : text_(text) {}

    /// Returns the next line; empty optional after the last line.
    std::optional<std::string_view> next() {
        if (offset == text_.size()) return std::nullopt;
        auto const stop = std::min(text_.find('\n', offset), text_.size());
        auto line = text_.substr(offset, stop - offset);
        offset = std::min(stop + 1, text_.size());
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }

    std::size_t offset = 0;
    std::int64_t number = 0;

private:
    std::string_view text_;
};

bool is_type_code(std::string_view line) {
    if (line.size() < 3 || (line.size() > 3 && !is_blank(line[3]))) return false;
    auto const one_of = [](char c, std::string_view all) { return all.find(lower_case(c)) != all.npos; };
    return one_of(line[0], "rcpiq") && one_of(line[1], "suhzr") && one_of(line[2], "ae");
}

/// Reads the integers at the beginning of a line, at most Count. Returns them and their number.
template <std::size_t Count>
std::size_t leading_integers(std::string_view line, std::array<std::int64_t, Count>& numbers) {
    char const* at = line.data();
    char const* const end = at + line.size();
    for (std::size_t i = 0; i < Count; ++i) {
        at = skip_blanks(at, end);
        if (parse_integer(at, end, numbers[i]) != number_status::good || numbers[i] < 0) return i;
    }
    return Count;
}

void read_type(std::string const& file, std::string_view code, harwell_boeing_header& h) {
    switch (lower_case(code[0])) {
    case 'r':
        h.field = matrix_market_field::real;
        break;
    case 'i':
        h.field = matrix_market_field::integer;
        break;
    case 'c':
        h.field = matrix_market_field::complex;
        break;
    case 'p':
        h.field = matrix_market_field::pattern;
        break;
    default:
        throw format_error(file, 3, "type " + quoted(code) + " keeps its values in another file, which is not read");
    }
    switch (lower_case(code[1])) {
    case 's':
        h.symmetry = matrix_market_symmetry::symmetric;
        break;
    case 'z':
        h.symmetry = matrix_market_symmetry::skew_symmetric;
        break;
    case 'h':
        h.symmetry = matrix_market_symmetry::hermitian;
        break;
    default:
        h.symmetry = matrix_market_symmetry::general;
    }
    if (lower_case(code[2]) == 'e')
        throw format_error(file, 3,
                           "type " + quoted(code) + " is a sum of finite elements; assembled matrices are read");
    if (h.symmetry == matrix_market_symmetry::hermitian && h.field != matrix_market_field::complex)
        throw format_error(file, 3, std::string("a hermitian matrix must be complex, not ") + name_of(h.field));
    if (h.symmetry == matrix_market_symmetry::skew_symmetric && h.field == matrix_market_field::pattern)
        throw format_error(file, 3, "a pattern cannot be skew-symmetric: it has no signs");
}

/// Returns the n-th text in parentheses of a line, including the parentheses. (The fixed columns of formats are not
/// respected by all writers.)
std::string_view parenthesised(std::string_view line, int n) {
    for (;; --n) {
        auto const open = line.find('(');
        if (open == line.npos) return {};
        std::size_t close = open;
        for (int depth = 0; close < line.size(); ++close) {
            depth += line[close] == '(' ? 1 : line[close] == ')' ? -1 : 0;
            if (depth == 0) break;
        }
        if (close == line.size()) return {};
        if (n == 0) return line.substr(open, close - open + 1);
        line.remove_prefix(close + 1);
    }
}

/// Reads the small integers and letters of a format.
class format_scanner {
public:
    explicit format_scanner(std::string_view text) {
        for (char const c : text)
            if (!is_blank(c)) text_ += lower_case(c);
    }
    bool take(char c) {
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool take_one_of(std::string_view letters) {
        return at_ < text_.size() && letters.find(text_[at_]) != letters.npos && (++at_, true);
    }
    /// Reads an integer of at most six digits.
    std::optional<int> number() {
        int value = 0;
        auto const first = at_;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - first < 6; ++at_)
            value = 10 * value + (text_[at_] - '0');
        return at_ == first ? std::nullopt : std::optional(value);
    }
    bool done() const { return at_ == text_.size(); }

private:
    std::string text_{};
    std::size_t at_ = 0;
};

/// Collects the fields of a format, with repetitions of groups in parentheses.
class format_parser {
public:
    explicit format_parser(std::string_view text) : scan_(text) {}

    /// Parses the text. Returns whether it is a format.
    bool parse(card_format& out) {
        if (!scan_.take('(') || !group(0) || !scan_.done() || fields_.empty()) return false;
        out.first_line = fields_;
        auto const again = fields_.begin() + static_cast<std::ptrdiff_t>(first_again_);
        out.next_lines.assign(again, fields_.end());
        for (auto& field : out.next_lines) field.offset -= column_again_;
        return !out.next_lines.empty();
    }

private:
    static constexpr int deepest = 8;
    static constexpr int max_items = 1 << 16; ///< including repetitions; no line is that long

    /// Parses a group from after its opening parenthesis to the closing one.
    bool group(int depth) {
        if (depth > deepest) return false;
        for (bool first = true;; first = false) {
            if (!first) scan_.take(',');
            if (scan_.take(')')) return !first;
            if (!item(depth) || ++items_ > max_items) return false;
        }
    }
    bool item(int depth) {
        bool const negative = scan_.take('-');
        auto const number = scan_.number();
        if (number && scan_.take('p')) return scale_ = negative ? -*number : *number, true;
        int const count = number.value_or(1);
        if (negative || count < 1) return false;
        if (scan_.take('x')) return column_ += count, true;
        return scan_.take('(') ? repeat(count, depth) : field(count);
    }
    bool repeat(int count, int depth) {
        if (depth == 0) {
            first_again_ = fields_.size();
            column_again_ = column_;
        }
        auto const inside = scan_;
        for (int k = 0; k < count; ++k) {
            scan_ = inside;
            if (!group(depth + 1)) return false;
        }
        return true;
    }
    bool field(int count) {
        if (!scan_.take_one_of("iefdg")) return false;
        card_field f;
        f.width = scan_.number().value_or(0);
        f.scale = scale_;
        if (scan_.take('.')) f.decimals = scan_.number().value_or(0);
        if (scan_.take('e') && !scan_.number())
            return false; // digits of the exponent, not needed: the width of the field is known
        if (f.width < 1 || count > max_items - items_) return false;
        items_ += count;
        for (int k = 0; k < count; ++k, column_ += f.width) {
            f.offset = column_;
            fields_.push_back(f);
        }
        return true;
    }

    format_scanner scan_;
    std::vector<card_field> fields_{};
    std::int64_t column_ = 0;
    int scale_ = 0;
    int items_ = 0;
    std::size_t first_again_ = 0; ///< index of the field at which lines after the first start
    std::int64_t column_again_ = 0;
};

/// Throws unless the declared number of lines is the number that the format needs.
void require_lines(std::string const& file, char const* what, std::int64_t promised, std::int64_t numbers,
                   card_format const& format) {
    std::int64_t const needed = format.lines(numbers);
    if (promised != needed)
        throw format_error(file, 2,
                           "the header declares " + std::to_string(promised) + " lines of " + what + "; " +
                               std::to_string(numbers) + " of them, " + std::to_string(format.first_line.size()) +
                               " a line, take " + std::to_string(needed));
}

} // namespace

bool is_harwell_boeing(std::string_view text) {
    line_source lines(text.substr(0, 1000)); // three lines of 80 characters, with a margin
    std::optional<std::string_view> line;
    for (int i = 0; i < 3; ++i) line = lines.next();
    return line && is_type_code(*line);
}

std::int64_t card_format::lines(std::int64_t numbers) const {
    auto const first = static_cast<std::int64_t>(first_line.size()),
               next = static_cast<std::int64_t>(next_lines.size());
    if (numbers <= first) return numbers > 0 ? 1 : 0;
    return 1 + (numbers - first) / next + ((numbers - first) % next != 0 ? 1 : 0);
}

card_format parse_card_format(std::string const& file, std::int64_t line, std::string_view text) {
    card_format f;
    constexpr std::size_t longest = 256; // a line of the format has 80 characters
    if (text.size() > longest || !format_parser(text).parse(f))
        throw format_error(file, line,
                           "unknown format " + quoted(text) +
                               "; expected fields I, F, E, D or G, nX, kP and groups, as in (16I5), (1X,8I9) or "
                               "(3(1P,E24.16))");
    return f;
}

harwell_boeing_header parse_harwell_boeing_header(std::string const& file, std::string_view text) {
    line_source lines(text);
    auto const next = [&] {
        auto const line = lines.next();
        if (!line) throw format_error(file, lines.number, "the file ends inside its header");
        return *line;
    };
    next();                               // title and key
    std::array<std::int64_t, 5> counts{}; // numbers of lines: total, pointers, indices, values, right-hand sides
    if (leading_integers(next(), counts) < 3)
        throw format_error(file, 2, "expected numbers of lines: all, pointers, indices, values");
    auto const type_line = next();
    harwell_boeing_header h;
    read_type(file, type_line.substr(0, 3), h);
    std::array<std::int64_t, 3> sizes{};
    if (leading_integers(type_line.substr(3), sizes) < 3)
        throw format_error(file, 3, "expected numbers of rows, columns and entries after the type");
    h.rows = sizes[0];
    h.columns = sizes[1];
    h.stored = sizes[2];
    if (h.symmetry != matrix_market_symmetry::general && h.rows != h.columns)
        throw format_error(file, 3,
                           std::string("a ") + name_of(h.symmetry) + " matrix must be square, not " +
                               std::to_string(h.rows) + " x " + std::to_string(h.columns));
    auto const formats = next();
    h.pointers = parse_card_format(file, 4, parenthesised(formats, 0));
    h.indices = parse_card_format(file, 4, parenthesised(formats, 1));
    if (h.field != matrix_market_field::pattern) h.values = parse_card_format(file, 4, parenthesised(formats, 2));
    if (counts[4] > 0) next(); // types of right-hand sides, which follow the matrix

    // A limit that no file exceeds; sums of sizes below stay within 64 bits.
    constexpr std::int64_t max_size = std::int64_t(1) << 60;
    if (h.rows > max_size || h.columns > max_size || h.stored > max_size)
        throw format_error(file, 3, "sizes beyond what a file can hold");
    if (h.stored > 0 && (h.rows == 0 || h.columns == 0))
        throw format_error(file, 3,
                           "a matrix of " + std::to_string(h.rows) + " x " + std::to_string(h.columns) +
                               " cannot hold the " + std::to_string(h.stored) + " entries that the line declares");
    require_lines(file, "pointers", counts[1], h.columns + 1, h.pointers);
    require_lines(file, "indices", counts[2], h.stored, h.indices);
    if (h.field != matrix_market_field::pattern)
        require_lines(file, "values", counts[3], h.stored * (h.field == matrix_market_field::complex ? 2 : 1),
                      h.values);
    h.body = lines.offset;
    h.lines = lines.number;
    return h;
}

} // namespace coppice::inline v0_1::detail
