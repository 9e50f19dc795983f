// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Names of the values of an option: one table per option, and one error for unknown names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace coppice::app {

template <class Value>
struct named {
    std::string_view name;
    Value value;
};

/// Returns the candidate with the smallest edit distance from `text`; empty if none is similar.
std::string nearest(std::string_view text, std::span<std::string_view const> candidates);

/// Throws usage_error: "unknown WHAT 'text'; did you mean 'x'? valid: a, b, c".
[[noreturn]] void throw_unknown_name(std::string_view what, std::string_view text,
                                     std::span<std::string_view const> valid);

/// Throws usage_error unless `text` is one of `valid`.
void require_name(std::string_view what, std::string_view text, std::span<std::string_view const> valid);

/// "a, b, c"
std::string list_of(std::span<std::string_view const> names);

/// Returns the value named `text`. Throws usage_error that lists the valid names.
template <class Value, std::size_t Count>
Value choose(std::string_view what, std::string_view text, named<Value> const (&table)[Count]) {
    std::string_view names[Count];
    for (std::size_t i = 0; i < Count; ++i) {
        if (table[i].name == text) return table[i].value;
        names[i] = table[i].name;
    }
    throw_unknown_name(what, text, names);
}

/// Returns the names of a table as "a|b|c" for the help text.
template <class Value, std::size_t Count>
std::string alternatives(named<Value> const (&table)[Count]) {
    std::string text;
    for (auto const& entry : table) text += (text.empty() ? "" : "|") + std::string(entry.name);
    return text;
}

} // namespace coppice::app
