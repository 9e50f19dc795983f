// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems whose rows lie in parts, by RPTS: each part reduces its rows as one executor would
/// (rpts_parts.hpp), the few rows that are left of all parts cross once and are solved by every part, and each
/// substitutes its unknowns. So P devices take little more than a P-th of the time of one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice {
namespace distributed {

/// Where a part stands among those that have rows.
struct part_place {
    int before = -1, behind = -1; ///< its neighbours; -1: none
    std::int64_t most_rows = 0;   ///< of any part
    part_place(std::vector<std::int64_t> const& rows, int part) {
        for (int p = 0; p < int(rows.size()); ++p) {
            if (rows[std::size_t(p)] == 0) continue;
            most_rows = std::max(most_rows, rows[std::size_t(p)]);
            if (p < part) before = p;
            if (p > part && behind < 0) behind = p;
        }
    }
};

} // namespace distributed

namespace rpts {
template <class T>
struct part_stages;
} // namespace rpts

/// The rows of one part of a tridiagonal system and the workspace for it: at most 8 % of the bands and the right-hand
/// side. All parts construct it, and call the same members, at the same time and in the same order.
///
/// a.lower[0] couples to the last row of the parts before, a.upper[n - 1] to the first one behind; where there is none
/// they are ignored. A part may have no rows. Without checks of its results: solve_tridiagonal_part has them.
template <class T, executor Executor, communicator Messages = part_messages>
class reduced_tridiagonal_part {
    static_assert(std::is_floating_point_v<T>, "RPTS is for real systems");

public:
    /// Can RPTS in parts do what the options ask for?
    static bool takes(Executor const& exec, band_options const& options);

    reduced_tridiagonal_part(Executor const& exec, Messages const& others, tridiagonal_view<T> a,
                             band_options const& options = {});

    /// x = A^-1 d; `x` must not overlap `d`. Returns whether the system of all parts was left without a pivot; waits
    /// for the reduction.
    bool solve(array_view<T const> d, array_view<T> x);
    /// Are the rows that cross those of the whole matrix, so that what solve() says of pivots is said of that?
    bool crosses_whole() const;
    /// max |d - A x| / (|A| max |x| + max |d|) of all parts, the same on each, as judge/band_error.hpp has it. Waits.
    double backward_error(array_view<T const> d, array_view<T const> x);
    /// Whether, by the last backward_error(), all rows or all columns of the whole matrix sum to zero: it is singular
    /// then, whatever elimination ends in (judge/zero_sums.hpp).
    bool sums_vanish() const { return sums_vanish_; }
    /// x = x + A^-1 (d - A x): a step of refinement. Allocates two vectors. Returns what solve() does.
    bool refine(array_view<T const> d, array_view<T> x);

private:
    /// What is left of this part, on the host: lower, diagonal, upper, right-hand side, one behind the other.
    std::vector<T> coarse_rows(rpts::part_stages<T> const& stages) const;
    /// y = the solution of the `n` coarse rows of all parts; the same bits on every part.
    bool solve_coarse(std::vector<std::vector<T>> const& parts, std::int64_t n, T* y) const;

    Executor exec_;
    Messages others_;
    tridiagonal_view<T> a_;
    tridiagonal_options options_;
    distributed::part_place place_;
    bool sums_vanish_ = false;
    buffer<std::byte> workspace_;
    buffer<T> beyond_; ///< the unknowns before and behind the part
};

} // namespace coppice
