// SPDX-License-Identifier: BSD-3-Clause
// Compressed sparse columns with numbers in fields of fixed width, in the format of Fortran: fields may be adjacent, so
// they are not separated at blanks.
#include <coppice/algebra/files/harwell_boeing.hpp>

#include <algorithm>
#include <vector>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>

namespace coppice::inline v0_1::detail {
namespace {

/// Reads the fields of a body, one group of numbers after another. Each group starts on a new line.
class card_reader {
public:
    /// `exact`: integers among the values must be exact in double.
    card_reader(std::string const& file, std::string_view text, harwell_boeing_header const& h, bool exact)
        : exact_(exact), file_(file), at_(text.data() + h.body), end_(text.data() + text.size()), line_(h.lines) {}

    /// Starts a group of `count` numbers with this format on the next line.
    void begin(card_format const& format, char const* what, std::int64_t count) {
        left_ = count;
        fields_ = nullptr;
        format_ = &format;
        what_ = what;
        field_ = 0;
    }

    /// Returns the next field without surrounding blanks; never empty.
    std::string_view next() {
        if (!fields_ || field_ == fields_->size()) next_line();
        now_ = (*fields_)[field_];
        auto field = numbers_.empty() ? card_.substr(std::min(static_cast<std::size_t>(now_.offset), card_.size()),
                                                     static_cast<std::size_t>(now_.width))
                                      : numbers_[field_];
        ++field_;
        --left_;
        while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
        while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
        if (field.empty()) fail(std::string("a number is missing among the ") + what_);
        return field;
    }

    std::int64_t integer(std::int64_t low, std::int64_t high) {
        auto const field = next();
        char const* at = field.data();
        char const* const end = at + field.size();
        std::int64_t value = 0;
        auto const status = parse_integer(at, end, value);
        if (status == number_status::malformed || (status == number_status::good && at != end))
            fail(std::string("expected an integer among the ") + what_ + ", found " + quoted(field));
        if (status == number_status::out_of_range || value < low || value > high)
            fail(quoted(field) + " among the " + what_ + " is outside " + std::to_string(low) + " to " +
                 std::to_string(high));
        return value;
    }

    template <class R>
    R real() {
        auto const field = next();
        std::string rewritten; // if the decimal point or the exponent is implied
        std::string_view token = field;
        if (is_abbreviated(field)) token = rewritten = with_explicit_exponent(field);
        char const* at = token.data();
        R value{};
        auto const status = parse_real(at, at + token.size(), value);
        if (status == number_status::out_of_range)
            fail("value " + quoted(field) + " is beyond the range of a " + std::to_string(8 * sizeof(R)) +
                 "-bit floating-point number");
        if (status != number_status::good || at != token.data() + token.size())
            fail("expected a real value, found " + quoted(field));
        if (exact_ && is_inexact_integer(value, token))
            fail("value " + quoted(field) + " is " + inexact_integer_message);
        return value;
    }

    std::int64_t line() const { return line_; }
    [[noreturn]] void fail(std::string const& message) const { throw format_error(file_, line_, message); }

private:
    void next_line() {
        if (at_ == end_) fail(std::string("the file ends among the ") + what_);
        char const* const stop = line_end(at_, end_);
        card_ = {at_, static_cast<std::size_t>(stop - at_)};
        at_ = stop == end_ ? end_ : stop + 1;
        fields_ = fields_ ? &format_->next_lines : &format_->first_line;
        field_ = 0;
        ++line_;
        separate_numbers();
    }

    /// scipy.io.hb_write writes numbers that are shorter than the fields of its header. If a number crosses the
    /// boundary of two fields, and these have no gaps and as many numbers as fields, one of them holds parts of two
    /// numbers and cannot be read: numbers_ become the numbers between blanks. Otherwise they are empty.
    void separate_numbers() {
        numbers_.clear();
        auto const count = static_cast<std::size_t>(std::min(static_cast<std::int64_t>(fields_->size()), left_));
        std::size_t boundary = 0;
        bool crosses = false;
        for (std::size_t k = 0; k < count; ++k) {
            card_field const& field = (*fields_)[k];
            if (static_cast<std::size_t>(field.offset) != boundary) return;
            crosses = crosses || (boundary > 0 && boundary < card_.size() && !is_blank(card_[boundary - 1]) &&
                                  !is_blank(card_[boundary]));
            boundary += static_cast<std::size_t>(field.width);
        }
        if (!crosses) return;
        char const* const end = card_.data() + std::min(boundary, card_.size());
        for (char const* at = skip_blanks(card_.data(), end); at != end; at = skip_blanks(at, end)) {
            numbers_.push_back(token_at(at, end));
            at += numbers_.back().size();
        }
        if (numbers_.size() != count) numbers_.clear();
    }

    static std::size_t exponent_of(std::string_view field) {
        return std::min(field.find_first_of("eEdDqQ+-", 1), field.size());
    }
    static bool is_number(std::string_view field) {
        return field.find_first_of("0123456789") != field.npos && field.find_first_of("nN") == field.npos;
    }
    bool is_abbreviated(std::string_view field) const {
        if (!is_number(field)) return false;
        bool const no_point = field.find('.') == field.npos, no_exponent = exponent_of(field) == field.size();
        return (now_.decimals > 0 && no_point) || (now_.scale != 0 && no_exponent);
    }
    // In a field without decimal point, the last `decimals` digits are the fraction; a field without exponent is
    // scaled.
    std::string with_explicit_exponent(std::string_view field) const {
        auto const split = exponent_of(field);
        bool const letter = split < field.size() && field[split] != '+' && field[split] != '-';
        auto const tail = field.substr(split + (letter ? 1 : 0));
        char const* at = tail.data();
        std::int64_t exponent = 0;
        if (split < field.size() && (parse_integer(at, tail.data() + tail.size(), exponent) != number_status::good ||
                                     at != tail.data() + tail.size() || std::abs(exponent) > 99999))
            return std::string(field); // malformed; the caller reports it
        if (split == field.size()) exponent -= now_.scale;
        if (field.find('.') == field.npos) exponent -= now_.decimals;
        return std::string(field.substr(0, split)) + "e" + std::to_string(exponent);
    }

    bool exact_;
    std::string const& file_;
    char const* at_;
    char const* end_;
    std::int64_t line_;
    card_format const* format_ = nullptr;
    std::vector<card_field> const* fields_ =
        nullptr;            ///< fields of the current line; null before the first line of a group
    std::size_t field_ = 0; ///< index of the next field
    std::int64_t left_ = 0; ///< numbers of the group that are not yet read
    std::vector<std::string_view> numbers_{};
    card_field now_{};
    char const* what_ = "";
    std::string_view card_{};
};

template <class T>
T read_value(card_reader& cards, harwell_boeing_header const& h, bool on_diagonal) {
    using real = typename real_type<T>::type;
    auto const re = cards.template real<real>();
    if constexpr (is_complex<T>)
        if (h.field == matrix_market_field::complex) {
            T const value(re, cards.template real<real>());
            if (h.symmetry == matrix_market_symmetry::hermitian && on_diagonal && value.imag() != real(0))
                cards.fail("an entry on the diagonal of a hermitian matrix has an imaginary part");
            return value;
        }
    return T(re);
}

/// Reads the offsets of columns, counted from 0. They are non-decreasing from 0 to the number of entries, which is 0 if
/// there are no columns (the header was checked).
std::vector<std::int64_t> read_pointers(card_reader& cards, harwell_boeing_header const& h) {
    std::vector<std::int64_t> pointers;
    cards.begin(h.pointers, "pointers", h.columns + 1);
    pointers.push_back(cards.integer(1, 1) - 1);
    for (std::int64_t j = 1; j <= h.columns; ++j) {
        auto const low = j == h.columns ? h.stored : pointers.back();
        pointers.push_back(cards.integer(low + 1, h.stored + 1) - 1);
    }
    return pointers;
}

/// Checks that symmetric kinds store their lower triangle only, and skew-symmetric ones no diagonal.
template <class T, class I>
void require_triangle(card_reader const& cards, matrix_market_symmetry symmetry, triplet<T, I> const& e) {
    if (symmetry == matrix_market_symmetry::general || e.row > e.column) return;
    if (e.row == e.column && symmetry != matrix_market_symmetry::skew_symmetric) return;
    cards.fail("entry (" + std::to_string(e.row + 1) + ", " + std::to_string(e.column + 1) + ") is " +
               (e.row == e.column ? "on" : "above") + " the diagonal of a " + name_of(symmetry) + " matrix");
}

} // namespace

template <class T, class I>
matrix_entries<T, I> parse_harwell_boeing(host_executor const& exec, std::string const& file, std::string_view text,
                                          matrix_read_options const& options) {
    auto const& tell = options.progress;
    auto const h = parse_harwell_boeing_header(file, text);
    require_value_type<T>(file, 3, h.field == matrix_market_field::complex);
    require_index_type<I>(file, 3, h.rows, h.columns);
    bool const exact = h.field == matrix_market_field::integer && options.inexact_integers == inexact_integers::refuse;
    card_reader cards(file, text, h, exact);
    auto const pointers = read_pointers(cards, h);
    if (h.stored > static_cast<std::int64_t>(text.size())) cards.fail("the file ends among the indices");

    buffer<triplet<T, I>> entries(exec, h.stored);
    constexpr std::int64_t step = std::int64_t(1) << 16; // entries between two progress reports
    cards.begin(h.indices, "indices", h.stored);
    for (std::int64_t j = 0; j < h.columns; ++j)
        for (std::int64_t k = pointers[static_cast<std::size_t>(j)]; k < pointers[static_cast<std::size_t>(j) + 1];
             ++k) {
            entries[k] = {static_cast<I>(cards.integer(1, h.rows) - 1), static_cast<I>(j), T(1)};
            require_triangle(cards, h.symmetry, entries[k]);
            if (tell && k % step == 0) tell("parsing", k / 2, h.stored);
        }
    cards.begin(h.values, "values", h.field == matrix_market_field::complex ? 2 * h.stored : h.stored);
    if (h.field != matrix_market_field::pattern)
        for (std::int64_t k = 0; k < h.stored; ++k) {
            entries[k].value = read_value<T>(cards, h, entries[k].row == entries[k].column);
            if (tell && k % step == 0) tell("parsing", (h.stored + k) / 2, h.stored);
        }
    return {h.rows, h.columns, h.symmetry, std::move(entries), {}, 1};
}

#define COPPICE_PARSE(T, I)                                                                                            \
    template matrix_entries<T, I> parse_harwell_boeing(host_executor const&, std::string const&, std::string_view,     \
                                                       matrix_read_options const&)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice::inline v0_1::detail
