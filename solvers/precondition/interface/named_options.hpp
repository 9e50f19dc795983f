// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options that are chosen by name: the rows that describe them, the values that a user gives, and their check.
///
/// A method of a catalogue lists its options as option_row. Whoever takes a method by name (C++, the command, bindings)
/// hands option_values on; chosen_options holds them against the rows and answers with defaults where nothing is given.
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

namespace coppice {

enum class option_kind { integer, real, choice };

using choice_names = std::array<std::string_view, 6>; ///< empty ones are none

/// An option of a method. Names are those of the command line without its dashes: "charge-period".
struct option_row {
    std::string_view name{};
    option_kind kind = option_kind::integer;
    std::string_view standard{}; ///< the default, as a user would write it
    std::string_view meaning{};
    double least = 0; ///< range of numbers, both ends included
    double most = std::numeric_limits<double>::infinity();
    choice_names choices{}; ///< of a choice

    friend bool operator==(option_row const&, option_row const&) = default;
};

/// "an integer of at least 0", "one of: hash, near"
std::string expected_of(option_row const& row);

/// A value as text; from a number the shortest text that reads back as that number.
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

/// Options as a user gives them: names and values, unchecked, in the order given.
class option_values {
public:
    option_values() = default;
    option_values(std::initializer_list<std::pair<std::string_view, option_value>> entries);

    /// A later value for a name takes the place of an earlier one.
    void set(std::string_view name, option_value value);
    option_value const* find(std::string_view name) const;
    std::vector<std::pair<std::string, option_value>> const& entries() const { return entries_; }

private:
    std::vector<std::pair<std::string, option_value>> entries_{};
};

/// A method and its options in one text: "NAME" or "NAME,key=value,...".
struct named_choice {
    std::string name;
    option_values options;
};
/// Throws argument_error where a part behind the name is not key=value.
named_choice parse_choice(std::string_view text);

/// The options of a method: what a user gave, held against the rows.
class chosen_options {
public:
    /// `method` is for messages: `preconditioner "forest"`. Throws argument_error for a name that no row has (listing
    /// those there are) and for a value of another kind or outside its range.
    chosen_options(std::string method, std::span<option_row const> rows, option_values const& values);

    std::int64_t integer(std::string_view name) const;
    double real(std::string_view name) const;
    /// Position in the row's choices.
    int choice(std::string_view name) const;
    /// As text: what was given, or the default.
    std::string_view text(std::string_view name) const;
    /// All of them with their values, defaults included.
    option_values all() const;

private:
    option_row const& row_of(std::string_view name) const;

    std::string method_;
    std::span<option_row const> rows_;
    option_values values_;
};

/// Those of `values` that one of the rows knows.
option_values known_options(std::span<option_row const> rows, option_values const& values);

} // namespace coppice
