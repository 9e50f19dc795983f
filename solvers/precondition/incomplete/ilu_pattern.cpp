// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/incomplete/ilu_pattern.hpp>

#include <algorithm>
#include <string>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {

row_levels levels_of(host_triangle const& t, bool lower) { // not covered: only devices order rows by levels
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
    auto next = result.offsets;
    result.rows.resize(std::size_t(n));
    for (std::int32_t i = 0; i < n; ++i) result.rows[std::size_t(next[std::size_t(level[std::size_t(i)])]++)] = i;
    return result;
}

host_triangle triangle_power(host_triangle const& t, int power) {
    std::int32_t const n = std::int32_t(t.offsets.size()) - 1;
    host_triangle result;
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

} // namespace coppice::inline v0_1::detail
