// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS where nobody looks at the result: a solution that is not finite is replaced by that of the chain solver.
///
/// RPTS reduces each partition by itself and may divide by zero although the matrix is well-conditioned. Where x is not
/// finite, the chain solver, which may choose every row of an unknown as its pivot row, solves the column of that
/// system again. Its answer is taken if it found a pivot in every column and is finite; else x stays as RPTS has left
/// it, so that a singular matrix keeps giving infinity or NaN. Here on the host, whose kernels tell; on a device the
/// later tries of solve_run do it (later_tries::replace()).
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

#include <coppice/solvers/direct/solve/by_chain.hpp>
#include <coppice/solvers/direct/solve/by_rpts.hpp>

namespace coppice::chain {

/// Rows of one system of a batch: row j is row first + j stride of all.
struct system_rows {
    std::int64_t first, count, stride;
};
/// Is every element of these rows finite?
template <class T>
bool is_all_finite(T const* x, system_rows const& rows) {
    for (std::int64_t j = 0; j < rows.count; ++j)
        if (!std::isfinite(x[rows.first + j * rows.stride])) return false;
    return true;
}
template <class T>
system_rows rows_of_system(band_matrix<T> const& a, std::int64_t s) {
    if (a.offsets) return {a.offsets[s], a.offsets[s + 1] - a.offsets[s], 1};
    std::int64_t const each = rows_of_each(a);
    return interleaves(a) ? system_rows{s, each, a.systems} : system_rows{s * each, each, 1};
}
template <class T>
void gather(T const* all, system_rows const& rows, T* to) {
    for (std::int64_t j = 0; j < rows.count; ++j) to[j] = all[rows.first + j * rows.stride];
}

/// Solves one system of a batch for the column `d` by the chain, into `x` if the answer is good.
template <class T>
void solve_system_by_chain(host_executor const& exec, band_matrix<T> const& a, system_rows const& rows, T const* d,
                           T* x, band_options const& o) {
    tridiagonal<T> matrix(exec, rows.count);
    buffer<T> side(exec, rows.count);
    gather(a.lower, rows, matrix.lower.data());
    gather(a.diagonal, rows, matrix.diagonal.data());
    gather(a.upper, rows, matrix.upper.data());
    gather(d, rows, side.data());
    band_matrix<T> const one(matrix);
    band_options how = o;
    how.method = band_method::chain;
    auto const plan = plan_workspace(exec, one, 1, how, false);
    buffer<std::byte> space(exec, plan.bytes);
    std::int64_t singular = no_row;
    row_units<T> const units{rows_of(one, how), side.data(), side.data(), rows.count, rows.count, 0, &singular};
    solve_by_chain(exec, units, 1, elimination_of<T>(how), plan.chain_in(space.data()), nullptr);
    if (singular != no_row || !is_all_finite(side.data(), {0, rows.count, 1})) return;
    for (std::int64_t j = 0; j < rows.count; ++j) x[rows.first + j * rows.stride] = side.data()[j];
}

/// After solve_by_rpts: solves the systems whose column is not finite again. `d` is the right-hand side as it was.
template <class T>
void replace_not_finite(host_executor const& exec, band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                        band_options const& o) {
    for (std::int64_t c = 0; c < x.columns; ++c) {
        T* const column = x.pointer + c * x.leading;
        for (std::int64_t s = 0; s < a.systems; ++s) {
            system_rows const rows = rows_of_system(a, s);
            if (!is_all_finite(column, rows))
                solve_system_by_chain(exec, a, rows, d.pointer + c * d.leading, column, o);
        }
    }
}

/// The right-hand sides of a solve in place as they were, if they are needed.
template <class T>
class kept_sides {
public:
    kept_sides(host_executor const& exec, columns_view<T const> d) : exec_(exec), d_(d) {}
    void keep() {
        std::int64_t const all = d_.rows * d_.columns;
        if (all > few) far_ = buffer<T>(exec_, all);
        T* const to = all > few ? far_.data() : near_;
        for (std::int64_t c = 0; c < d_.columns; ++c)
            exec_.copy_elements(d_.pointer + c * d_.leading, to + c * d_.rows, d_.rows);
        d_ = columns_view<T const>(to, d_.rows, d_.columns);
        kept_ = true;
    }
    bool kept() const { return kept_; }
    columns_view<T const> sides() const { return d_; }

private:
    static constexpr std::int64_t few = 512; ///< a small system notices an allocation
    host_executor const& exec_;
    columns_view<T const> d_;
    buffer<T> far_{};
    bool kept_ = false;
    T near_[few];
};

/// Solves a matrix that rpts_applies to, and replaces what is not finite if the choice of a method is ours. On the
/// host; takes memory from the pool for a solution that is not finite, and for a copy of d if x is d and such a
/// solution is to be expected, or there are several systems or columns.
template <class T>
void solve_by_rpts_checked(host_executor const& exec, band_matrix<T> const& a, columns_view<T const> d,
                           columns_view<T> x, band_options const& o, array_view<std::byte> workspace) {
    if constexpr (std::is_floating_point_v<T>) {
        if (o.method != band_method::automatic) return solve_by_rpts(exec, a, d, x, o, workspace);
        bool const in_place = x.pointer == d.pointer;
        kept_sides<T> sides(exec, d);
        auto const keep = [&] { sides.keep(); };
        std::function<void()> const none, keeps = std::ref(keep);
        auto const batch = batch_of(a, d, x, o.cyclic);
        bool const finite =
            solve_tridiagonal_batch(exec, batch, workspace, {o.pivot, o.threshold}, in_place ? keeps : none);
        if (!finite && (!in_place || sides.kept())) replace_not_finite(exec, a, sides.sides(), x, o);
    }
}

} // namespace coppice::chain
