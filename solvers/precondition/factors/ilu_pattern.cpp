// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/factors/ilu_pattern.hpp>

#include <algorithm>
#include <string>

#include <coppice/core/error.hpp>

namespace coppice::detail {
namespace {

struct pattern_entry {
    std::int32_t column, source;
};

} // namespace

ilu_pattern make_ilu_pattern(std::span<std::int32_t const> offsets, std::span<std::int32_t const> columns) {
    ilu_pattern p;
    std::int32_t const n = offsets.empty() ? 0 : std::int32_t(offsets.size()) - 1;
    p.offsets.assign(std::size_t(n) + 1, 0);
    p.diagonal.resize(std::size_t(n));
    p.columns.reserve(columns.size());
    std::vector<pattern_entry> row;
    for (std::int32_t i = 0; i < n; ++i) {
        row.clear();
        bool has_diagonal = false;
        for (std::int32_t k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k) {
            row.push_back({columns[std::size_t(k)], k});
            has_diagonal = has_diagonal || row.back().column == i;
        }
        if (!has_diagonal) row.push_back({i, -1});
        p.missing += has_diagonal ? 0 : 1;
        auto const earlier = [](pattern_entry a, pattern_entry b) { return a.column < b.column; };
        if (!std::is_sorted(row.begin(), row.end(), earlier)) std::sort(row.begin(), row.end(), earlier);
        for (pattern_entry const& e : row) {
            if (!p.columns.empty() && std::int32_t(p.columns.size()) > p.offsets[std::size_t(i)] &&
                p.columns.back() == e.column)
                throw matrix_error("row " + std::to_string(i) + " holds column " + std::to_string(e.column) +
                                   " twice, expected every entry once; sum duplicates first");
            if (e.column == i) p.diagonal[std::size_t(i)] = std::int32_t(p.columns.size());
            p.columns.push_back(e.column);
            p.sources.push_back(e.source);
            p.row_of.push_back(i);
        }
        p.offsets[std::size_t(i) + 1] =
            checked_cast<std::int32_t>(std::int64_t(p.columns.size()), "number of nonzeros");
    }
    return p;
}

triangle_pattern strict_triangle(ilu_pattern const& p, bool lower) {
    triangle_pattern t;
    t.offsets.assign(std::size_t(p.rows()) + 1, 0);
    for (std::size_t i = 0; i < p.diagonal.size(); ++i) {
        std::int32_t const first = lower ? p.offsets[i] : p.diagonal[i] + 1;
        std::int32_t const last = lower ? p.diagonal[i] : p.offsets[i + 1];
        for (std::int32_t k = first; k < last; ++k) {
            t.columns.push_back(p.columns[std::size_t(k)]);
            t.places.push_back(k);
        }
        t.offsets[i + 1] = std::int32_t(t.columns.size());
    }
    return t;
}

row_levels levels_of(triangle_pattern const& t, bool lower) {
    std::int32_t const n = std::int32_t(t.offsets.size()) - 1;
    std::vector<std::int32_t> level(std::size_t(n), 0);
    std::int32_t levels = 0;
    for (std::int32_t step = 0; step < n; ++step) {
        auto const i = std::size_t(lower ? step : n - 1 - step);
        for (std::int32_t k = t.offsets[i]; k < t.offsets[i + 1]; ++k)
            level[i] = std::max(level[i], level[std::size_t(t.columns[std::size_t(k)])] + 1);
        levels = std::max(levels, level[i] + 1);
    }
    row_levels result;
    result.offsets.assign(std::size_t(levels) + 1, 0);
    for (std::int32_t const l : level) ++result.offsets[std::size_t(l) + 1];
    for (std::size_t l = 0; l < std::size_t(levels); ++l) result.offsets[l + 1] += result.offsets[l];
    auto place = result.offsets;
    result.rows.resize(std::size_t(n));
    for (std::int32_t i = 0; i < n; ++i) result.rows[std::size_t(place[std::size_t(level[std::size_t(i)])]++)] = i;
    return result;
}

triangle_pattern triangle_power(triangle_pattern const& t, int power) {
    std::int32_t const n = std::int32_t(t.offsets.size()) - 1;
    triangle_pattern result;
    result.offsets.assign(std::size_t(n) + 1, 0);
    std::vector<std::int32_t> seen(std::size_t(n), -1), reached;
    for (std::int32_t i = 0; i < n; ++i) {
        reached.assign(1, i);
        seen[std::size_t(i)] = i;
        std::size_t begin = 0;
        for (int step = 0; step < power; ++step) {
            std::size_t const end = reached.size();
            for (std::size_t at = begin; at < end; ++at) {
                auto const row = std::size_t(reached[at]);
                for (std::int32_t k = t.offsets[row]; k < t.offsets[row + 1]; ++k) {
                    std::int32_t const column = t.columns[std::size_t(k)];
                    if (seen[std::size_t(column)] == i) continue;
                    seen[std::size_t(column)] = i;
                    reached.push_back(column);
                }
            }
            begin = end;
        }
        std::sort(reached.begin(), reached.end());
        result.columns.insert(result.columns.end(), reached.begin(), reached.end());
        result.offsets[std::size_t(i) + 1] =
            checked_cast<std::int32_t>(std::int64_t(result.columns.size()), "number of nonzeros of a triangle's power");
    }
    return result;
}

} // namespace coppice::detail
