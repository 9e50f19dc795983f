// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/incomplete/ilu_pattern.hpp>

#include <algorithm>
#include <string>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {

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
