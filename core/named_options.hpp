// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options by name: the rows that describe them, the values that a user gives, and their validation.
///
/// Each method of a registry lists its options as option_row. Interfaces that select a method by name (C++, the
/// command, bindings) pass option_values; chosen_options validates them against the rows and supplies defaults.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::inline v0_1 {

enum class option_kind { integer, real, choice };

using choice_names = std::array<std::string_view, 8>; ///< unused ones are empty

/// An option of a method. Names are those of the command line without leading dashes: "charge-period".
struct option_row {
    std::string_view name{};
    option_kind kind = option_kind::integer;
    std::string_view standard{}; ///< the default value as text
    std::string_view meaning{};
    double min = 0; ///< inclusive range of a number
    double max = std::numeric_limits<double>::infinity();
    bool above_min = false; ///< min itself is not allowed
    bool below_max = false; ///< max itself is not allowed
    choice_names choices{}; ///< allowed values of a choice

    friend bool operator==(option_row const&, option_row const&) = default;
};

/// Describes the allowed values: "an integer of at least 0", "a number above 0", "one of: hash, near".
std::string expected_of(option_row const& row);
/// Whether a number is in the range of an option. NaN is not; infinity is, if there is no maximum.
bool is_in_range(option_row const& row, double value);

/// An option value as text; a number is converted to the shortest text that reads back as the same number.
struct option_value {
    std::string text;

    option_value(std::string_view t) : text(t) {}
    option_value(std::string t) : text(std::move(t)) {}
    option_value(char const* t) : text(t) {}
    option_value(std::integral auto number) : text(std::to_string(number)) {}
    option_value(std::floating_point auto number) : text(shortest(double(number))) {}

private:
    static std::string shortest(double number);
};

/// Options as given by a user: names and values, unchecked, in the given order.
class option_values {
public:
    option_values() = default;
    option_values(std::initializer_list<std::pair<std::string_view, option_value>> entries);

    /// Appends an option; if the name exists, replaces its value.
    void set(std::string_view name, option_value value);
    option_value const* find(std::string_view name) const;
    std::vector<std::pair<std::string, option_value>> const& entries() const { return entries_; }

private:
    std::vector<std::pair<std::string, option_value>> entries_{};
};

/// A method name with options, parsed from one string: "NAME" or "NAME,key=value,...".
struct named_choice {
    std::string name;
    option_values options;
};
/// Throws argument_error if an item after the name is not key=value, or a key is given twice.
named_choice parse_choice(std::string_view text);

/// The options of a method: the given values, validated against the rows.
class chosen_options {
public:
    /// `method` is used in messages: `preconditioner "forest"`. Throws argument_error for an unknown name (with the
    /// known ones) and for a value of the wrong kind or out of range.
    chosen_options(std::string method, std::span<option_row const> rows, option_values const& values);

    std::int64_t integer(std::string_view name) const;
    double real(std::string_view name) const;
    /// Index of the value among the choices of the option.
    int choice(std::string_view name) const;
    /// The given value or the default, as text.
    std::string_view text(std::string_view name) const;
    /// All options with their values, including defaults.
    option_values all() const;

private:
    option_row const& row_of(std::string_view name) const;

    std::string method_;
    std::span<option_row const> rows_;
    option_values values_;
};

/// Returns the elements of `values` whose names have a row.
option_values known_options(std::span<option_row const> rows, option_values const& values);

} // namespace coppice::inline v0_1
