// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/named_options.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1 {
namespace {

std::string short_number(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(std::int64_t(value));
    char text[32];
    auto const end = std::to_chars(text, text + sizeof text, value);
    return {text, end.ptr};
}

std::string option_names(std::span<option_row const> rows) {
    std::string text;
    for (option_row const& row : rows) text += (text.empty() ? "" : ", ") + std::string(row.name);
    return text;
}

/// Reads a number; empty if `text` contains anything else.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
    Number value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

bool accepts(option_row const& row, std::string_view text) {
    if (row.kind == option_kind::choice)
        return !text.empty() && std::find(row.choices.begin(), row.choices.end(), text) != row.choices.end();
    if (row.kind == option_kind::integer && !read_number<std::int64_t>(text)) return false;
    auto const value = read_number<double>(text);
    return value && std::isfinite(*value) && is_in_range(row, *value);
}

option_row const* find_row(std::span<option_row const> rows, std::string_view name) {
    auto const at = std::find_if(rows.begin(), rows.end(), [&](option_row const& row) { return row.name == name; });
    return at == rows.end() ? nullptr : &*at;
}

} // namespace

std::string expected_of(option_row const& row) {
    if (row.kind == option_kind::choice) {
        std::string text = "one of: ";
        for (std::string_view const choice : row.choices)
            if (!choice.empty()) text += (choice == row.choices[0] ? "" : ", ") + std::string(choice);
        return text;
    }
    std::string const what = row.kind == option_kind::integer ? "an integer" : "a number";
    std::string const low = short_number(row.min), high = short_number(row.max);
    std::string from = what + (row.above_min ? " above " : " of at least ") + low;
    if (std::isinf(row.max)) return from;
    if (!row.above_min && !row.below_max) return what + " from " + low + " to " + high;
    return from + (row.below_max ? " and below " : " and at most ") + high;
}

bool is_in_range(option_row const& row, double value) {
    return (row.above_min ? value > row.min : value >= row.min) && (row.below_max ? value < row.max : value <= row.max);
}

std::string option_value::shortest(double number) { return short_number(number); }

option_values::option_values(std::initializer_list<std::pair<std::string_view, option_value>> entries) {
    for (auto const& [name, value] : entries) set(name, value);
}

void option_values::set(std::string_view name, option_value value) {
    for (auto& entry : entries_)
        if (entry.first == name) {
            entry.second = std::move(value);
            return;
        }
    entries_.emplace_back(name, std::move(value));
}

option_value const* option_values::find(std::string_view name) const {
    for (auto const& entry : entries_)
        if (entry.first == name) return &entry.second;
    return nullptr;
}

named_choice parse_choice(std::string_view text) {
    auto const take = [&] {
        auto const comma = std::min(text.find(','), text.size());
        std::string_view const item = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        return item;
    };
    std::string_view const whole = text;
    named_choice choice{std::string(take()), {}};
    while (!text.empty()) {
        std::string_view const pair = take();
        auto const equals = pair.find('=');
        if (equals == 0 || equals >= pair.size() - 1)
            throw argument_error("\"" + std::string(pair) + "\" in \"" +
                                 std::string(choice.name.empty() ? whole.substr(1) : whole) +
                                 "\" is not an option, expected key=value");
        auto const key = pair.substr(0, equals);
        if (choice.options.find(key))
            throw argument_error("option " + std::string(key) + " is given twice in \"" +
                                 std::string(choice.name.empty() ? whole.substr(1) : whole) + "\"");
        choice.options.set(key, pair.substr(equals + 1));
    }
    return choice;
}

chosen_options::chosen_options(std::string method, std::span<option_row const> rows, option_values const& values)
    : method_(std::move(method)), rows_(rows), values_(values) {
    for (auto const& [name, value] : values_.entries()) {
        option_row const& row = row_of(name);
        if (!accepts(row, value.text))
            throw argument_error("option " + name + " of " + method_ + " is \"" + value.text + "\", expected " +
                                 expected_of(row));
    }
}

option_row const& chosen_options::row_of(std::string_view name) const {
    if (auto const* row = find_row(rows_, name)) return *row;
    throw argument_error(method_ + " has no option \"" + std::string(name) + "\"" +
                         (rows_.empty() ? "; it takes none" : ", expected one of: " + option_names(rows_)));
}

std::string_view chosen_options::text(std::string_view name) const {
    option_row const& row = row_of(name);
    auto const* given = values_.find(name);
    return given ? std::string_view(given->text) : row.standard;
}

std::int64_t chosen_options::integer(std::string_view name) const { return *read_number<std::int64_t>(text(name)); }
double chosen_options::real(std::string_view name) const { return *read_number<double>(text(name)); }
int chosen_options::choice(std::string_view name) const {
    auto const& choices = row_of(name).choices;
    return int(std::find(choices.begin(), choices.end(), text(name)) - choices.begin());
}

option_values chosen_options::all() const {
    option_values result;
    for (option_row const& row : rows_) result.set(row.name, text(row.name));
    return result;
}

option_values known_options(std::span<option_row const> rows, option_values const& values) {
    option_values result;
    for (auto const& [name, value] : values.entries())
        if (find_row(rows, name)) result.set(name, value);
    return result;
}

} // namespace coppice::inline v0_1
