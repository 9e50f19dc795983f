// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Cyclic systems on the host. Without its last row and unknown a cyclic system A x = d is tridiagonal, with a matrix
/// B: B x' + u z = d', v x' + b z = d_n for the last unknown z. So B y = d' and B w = u are solved by RPTS, and z =
/// (d_n - v y) / (b - v w), x' = y - z w.
///
/// B may be nearly singular although A is not. Therefore all such systems count as uncertain: x is checked and, if it
/// is not accurate, replaced by that of the chain solver (solve/rpts_checked.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include <coppice/core/host/parallel_host.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_host.hpp>

namespace coppice::inline v0_1::rpts {

/// Cyclic systems of three rows and more, so that the neighbours of a row are different ones. The check of x depends on
/// the scale of rows, which scaled pivoting is independent of.
inline bool takes_cyclic(host_executor const&, std::int64_t rows, tridiagonal_options const& options) {
    return rows > 2 && options.pivot == pivoting::partial && options.threshold == 0;
}

/// A batch of cyclic systems, and vectors of the same rows: y for each right-hand side, then w.
template <class T>
struct bordered_systems {
    system_view<T> const& all;
    T* vectors;
    std::int64_t each = align_elements<T>(all.systems * all.size); ///< elements of a vector

    bordered_systems(system_view<T> const& batch, T* memory) : all(batch), vectors(memory) {}

    T* vector(std::int64_t c) const { return vectors + c * each; }
    /// Calls use(system, first row, end) for ranges of the rows of all systems, in parallel.
    template <class Use>
    void for_each_range(host_executor const& exec, Use const& use) const {
        std::int64_t const n = all.size;
        detail::for_each_block(exec, n * all.systems, 16384, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
            for (std::int64_t s = begin / n; s * n < end; ++s)
                use(s, std::max(begin - s * n, std::int64_t(0)), std::min(end - s * n, n));
        });
    }
    /// Writes the right-hand sides: d' and u.
    void begin(host_executor const& exec) const {
        std::int64_t const n = all.size;
        for_each_range(exec, [&](std::int64_t s, std::int64_t first, std::int64_t end) {
            for (std::int64_t c = 0; c < all.columns; ++c)
                std::copy_n(all.rhs + c * all.rhs_leading + s * n + first, end - first, vector(c) + s * n + first);
            T* const u = vector(all.columns) + s * n;
            std::fill(u + first, u + end, T(0));
            if (first == 0) u[0] = all.lower[s * n];
            if (first <= n - 2 && n - 2 < end) u[n - 2] = all.upper[s * n + n - 2];
        });
    }
    /// The tridiagonal systems.
    system_view<T> inner() const {
        system_view<T> b = all;
        b.cyclic = false, b.uncertain = nullptr;
        b.size = all.size - 1, b.stride = all.size;
        b.columns = all.columns + 1;
        b.rhs = b.x = vectors;
        b.rhs_leading = b.x_leading = each;
        return b;
    }
    /// Writes the last unknown z of each system to its place in y.
    void solve_last_unknowns(host_executor const& exec) const {
        std::int64_t const n = all.size, last = n - 1;
        detail::for_each_block(exec, all.systems, 256, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
            for (std::int64_t s = begin; s < end; ++s) {
                std::int64_t const at = s * n;
                T const next = all.upper[at + last], before = all.lower[at + last];
                T const* const w = vector(all.columns) + at;
                T const own = all.diagonal[at + last], first_term = next * w[0], last_term = before * w[last - 1];
                T pivot = own - first_term - last_term;
                // Only rounding errors remain of a singular matrix, a Laplacian for example.
                T const sizes = std::abs(own) + std::abs(first_term) + std::abs(last_term);
                if (std::abs(pivot) <= 4 * std::numeric_limits<T>::epsilon() * sizes) pivot = T(0);
                for (std::int64_t c = 0; c < all.columns; ++c) {
                    T* const y = vector(c) + at;
                    y[last] = (all.rhs[c * all.rhs_leading + at + last] - next * y[0] - before * y[last - 1]) / pivot;
                }
            }
        });
    }
    /// Writes x; returns whether it is finite.
    bool finish(host_executor const& exec) const {
        std::int64_t const n = all.size;
        shared_result finite;
        for_each_range(exec, [&](std::int64_t s, std::int64_t first, std::int64_t end) {
            T const* const w = vector(all.columns) + s * n;
            for (std::int64_t c = 0; c < all.columns; ++c) {
                T const* const y = vector(c) + s * n;
                T* const x = all.x + c * all.x_leading + s * n;
                T const z = y[n - 1];
                T sum(0); // NaN if an element is not finite
                std::int64_t const to = std::min(end, n - 1);
                for (std::int64_t i = first; i < to; ++i) {
                    x[i] = y[i] - z * w[i];
                    sum += x[i] * T(0);
                }
                if (end == n) x[n - 1] = z;
                finite.add(sum == T(0) && std::isfinite(z));
            }
        });
        return bool(finite);
    }
};

/// Elements of the vectors of cyclic systems, without those of the tridiagonal batch.
template <class T>
std::int64_t elements_of_bordered(std::int64_t rows, std::int64_t systems, std::int64_t columns) {
    return (columns + 1) * align_elements<T>(rows * systems);
}

/// Solves cyclic systems; solve_batch(inner systems, memory) solves the tridiagonal ones. x may be d.
template <class T, class Solve>
tridiagonal_outcome solve_bordered(host_executor const& exec, system_view<T> const& all, T* memory,
                                   std::function<void()> const& save_rhs, Solve const& solve_batch) {
    bordered_systems<T> const systems(all, memory);
    systems.begin(exec);
    solve_batch(systems.inner(), memory + elements_of_bordered<T>(all.size, all.systems, all.columns));
    systems.solve_last_unknowns(exec);
    if (save_rhs) save_rhs();
    if (all.uncertain) std::fill_n(all.uncertain, all.systems, 1);
    return {systems.finish(exec), false};
}

} // namespace coppice::inline v0_1::rpts
