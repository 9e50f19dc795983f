// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Names that a user types for the values of an option: one table per option, one error for unknown names.
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

/// The candidate nearest to `text` by edit distance; empty when none is near.
std::string nearest(std::string_view text, std::span<std::string_view const> candidates);

/// Throws usage_error: "unknown WHAT 'text'; did you mean 'x'? valid: a, b, c".
[[noreturn]] void throw_unknown_name(std::string_view what, std::string_view text,
                                     std::span<std::string_view const> valid);

/// Throws usage_error unless `text` is one of `valid`.
void require_name(std::string_view what, std::string_view text, std::span<std::string_view const> valid);

/// "a, b, c"
std::string listed(std::span<std::string_view const> names);

/// The value named `text`; throws usage_error that lists the valid names.
template <class Value, std::size_t Count>
Value choose(std::string_view what, std::string_view text, named<Value> const (&table)[Count]) {
    std::string_view names[Count];
    for (std::size_t i = 0; i < Count; ++i) {
        if (table[i].name == text) return table[i].value;
        names[i] = table[i].name;
    }
    throw_unknown_name(what, text, names);
}

/// The names of a table as "a|b|c", for the help text.
template <class Value, std::size_t Count>
std::string alternatives(named<Value> const (&table)[Count]) {
    std::string text;
    for (auto const& entry : table) text += (text.empty() ? "" : "|") + std::string(entry.name);
    return text;
}

} // namespace coppice::app
