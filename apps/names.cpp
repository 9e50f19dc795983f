// SPDX-License-Identifier: BSD-3-Clause
#include "apps/names.hpp"

#include <algorithm>
#include <vector>

#include "apps/app.hpp"

namespace coppice::app {
namespace {

// Levenshtein distance (insertions, deletions, replacements), with one row of the table in memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearest(std::string_view text, std::span<std::string_view const> candidates) {
    std::string_view best;
    std::size_t distance = std::max<std::size_t>(2, text.size() / 3) + 1;
    for (auto const candidate : candidates)
        if (auto const d = edit_distance(text, candidate); d < distance) {
            best = candidate;
            distance = d;
        }
    return std::string(best);
}

std::string list_of(std::span<std::string_view const> names) {
    std::string text;
    for (auto const name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

void throw_unknown_name(std::string_view what, std::string_view text, std::span<std::string_view const> valid) {
    std::string message = "unknown " + std::string(what) + " '" + std::string(text) + "'";
    if (auto const guess = nearest(text, valid); !guess.empty())
        message += "; did you mean '" + guess + "'?";
    else
        message += ";";
    throw usage_error(message + " valid: " + list_of(valid));
}

void require_name(std::string_view what, std::string_view text, std::span<std::string_view const> valid) {
    if (std::find(valid.begin(), valid.end(), text) == valid.end()) throw_unknown_name(what, text, valid);
}

} // namespace coppice::app
