// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parser of the lines of a Matrix Market file.
#pragma once

#include <complex>
#include <string>
#include <type_traits>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>

namespace coppice::inline v0_1::detail {

/// Positions of the entries of an array: column by column; symmetric kinds store the lower triangle.
class array_position {
public:
    array_position(matrix_market_header const& h, std::int64_t entry) : rows_(h.rows), symmetry_(h.symmetry) {
        if (symmetry_ == matrix_market_symmetry::general) {
            column = rows_ > 0 ? entry / rows_ : 0;
        } else {
            // The last column that starts at or before `entry`.
            std::int64_t last = std::max<std::int64_t>(rows_ - 1, 0);
            while (column < last) {
                std::int64_t const middle = last - (last - column) / 2;
                if (column_start(middle) <= entry)
                    column = middle;
                else
                    last = middle - 1;
            }
        }
        row = first_row(column) + entry - column_start(column);
    }
    void advance() {
        if (++row < rows_) return;
        ++column;
        row = first_row(column);
    }

    std::int64_t row = 0;
    std::int64_t column = 0;

private:
    std::int64_t first_row(std::int64_t c) const {
        if (symmetry_ == matrix_market_symmetry::general) return 0;
        return symmetry_ == matrix_market_symmetry::skew_symmetric ? c + 1 : c;
    }
    // Number of entries before column c.
    std::int64_t column_start(std::int64_t c) const {
        if (symmetry_ == matrix_market_symmetry::general) return c * rows_;
        std::int64_t const of_triangle = c * rows_ - c * (c - 1) / 2;
        return symmetry_ == matrix_market_symmetry::skew_symmetric ? of_triangle - c : of_triangle;
    }

    std::int64_t rows_;
    matrix_market_symmetry symmetry_;
};

/// Parses the lines of a body in their order, starting with entry number `first`.
template <class T, class I>
class line_parser : public line_cursor {
public:
    line_parser(matrix_market_header const& h, std::int64_t first, inexact_integers rule)
        : header_(h), position_(h, first), rule_(rule) {}

    /// Parses a line. `at` is its first token and becomes the line's end. On failure `problem` is the reason.
    bool parse(char const*& at, char const* end, triplet<T, I>& out) {
        begin_at(at, end);
        std::int64_t row = position_.row;
        std::int64_t column = position_.column;
        if (header_.format == matrix_market_format::coordinate) {
            if (!parse_index("row", header_.rows, row) || !parse_index("column", header_.columns, column)) return false;
        } else {
            position_.advance();
        }
        out.row = static_cast<I>(row);
        out.column = static_cast<I>(column);
        if (!parse_value(out.value)) return false;
        if (!at_line_end())
            return fail("unexpected " + next_token() + " after the entry" +
                        (*at_ == '%' || *at_ == '#' ? "; a comment must be a separate line that begins with %" : ""));
        at = at_;
        return header_.symmetry == matrix_market_symmetry::general || fits_symmetry(row, column, out.value);
    }

private:
    using real = typename real_type<T>::type;

    // Parses a 1-based index and stores it 0-based in `index`.
    bool parse_index(char const* what, std::int64_t size, std::int64_t& index) {
        at_ = skip_blanks(at_, end_);
        char const* const first = at_;
        if (!parse_index_quickly(at_, end_, index)) {
            auto const status = parse_integer(at_, end_, index);
            if (status == number_status::malformed)
                return fail("expected a " + std::string(what) + " index, found " + next_token());
            if (status == number_status::out_of_range) index = -1;
        }
        if (index < 1 || index > size)
            return fail(std::string(what) + " index " + quoted(token_at(first, end_)) + " is outside 1 to " +
                        std::to_string(size));
        --index;
        return true;
    }

    bool parse_value(T& value) {
        if (header_.field == matrix_market_field::pattern) {
            value = T(1);
            return true;
        }
        real re{};
        if (!parse_number(re)) return false;
        if constexpr (is_complex<T>) {
            real im{};
            if (header_.field == matrix_market_field::complex && !parse_number(im)) return false;
            value = T(re, im);
        } else {
            value = re;
        }
        return true;
    }

    bool parse_number(real& value) {
        at_ = skip_blanks(at_, end_);
        auto status = number_status::out_of_range;
        bool const whole_number = header_.field == matrix_market_field::integer;
        std::string_view const token = whole_number ? token_at(at_, end_) : std::string_view();
        if (whole_number) {
            std::int64_t whole = 0;
            status = parse_integer(at_, end_, whole);
            value = static_cast<real>(whole);
        }
        if (status == number_status::out_of_range) status = parse_real(at_, end_, value); // also beyond 64 bits
        if (status == number_status::good)
            return rule_ == inexact_integers::round || !is_inexact_integer(value, token) ||
                   fail("value " + quoted(token) + " is " + std::string(inexact_integer_message) +
                        "; the field real in place of integer in the banner rounds it");
        std::string const kind = name_of(header_.field);
        if (status == number_status::out_of_range) return fail_range<real>();
        return fail("expected " + std::string(kind == "integer" ? "an " : "a ") + kind + " value, found " +
                    next_token());
    }

    bool fits_symmetry(std::int64_t row, std::int64_t column, T const& value) {
        std::string const kind = name_of(header_.symmetry);
        if (row < column)
            return fail(entry_name(row, column) + " is above the diagonal; a " + kind +
                        " matrix is stored as its lower triangle: exchange row and column, or write general if both "
                        "triangles are stored");
        if (row > column) return true;
        if (header_.symmetry == matrix_market_symmetry::skew_symmetric && value != T(0))
            return fail(entry_name(row, column) + " is on the diagonal, which is zero in a skew-symmetric matrix");
        if constexpr (is_complex<T>)
            if (header_.symmetry == matrix_market_symmetry::hermitian && value.imag() != real(0))
                return fail(entry_name(row, column) +
                            " has an imaginary part; the diagonal of a hermitian matrix is real");
        return true;
    }

    static std::string entry_name(std::int64_t row, std::int64_t column) {
        return "entry (" + std::to_string(row + 1) + ", " + std::to_string(column + 1) + ")";
    }

    matrix_market_header header_;
    array_position position_;
    inexact_integers rule_;
};

} // namespace coppice::inline v0_1::detail
