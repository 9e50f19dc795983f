// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse right-hand sides, written once over the primitives; included by the sources that instantiate it.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <coppice/algebra/largest_entries.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/operators/stored_value.hpp>
#include <coppice/solvers/direct/factored/band_factor_solve.hpp>
#include <coppice/solvers/direct/sparse_rhs/sparse_activity.hpp>
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs.hpp>

namespace coppice {
namespace sparse_sides {

template <class E>
struct clear_elements {
    E* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = E(0); }
};
/// One row of all columns.
template <class T>
struct clear_columns {
    columns_view<T> x;
    COPPICE_HD void operator()(std::int64_t row) const {
        for (std::int64_t c = 0; c < x.columns; ++c) x.pointer[row + c * x.leading] = T(0);
    }
};

/// Writes column first + c of D into a column of zeros.
template <class T, class I>
struct scatter_column {
    sparse_columns_view<T, I> d;
    std::int64_t first;
    columns_view<T> x;
    activity active;

    /// In the library's own complex arithmetic: operators of std::complex are no device functions, and a kernel that
    /// calls them comes out empty.
    COPPICE_HD static void add(T& to, T const& value) {
        using number = detail::stored_value<T>;
        number::store(to, number::load(to) + number::load(value));
    }
    COPPICE_HD void operator()(std::int64_t c) const {
        T* const to = x.pointer + c * x.leading;
        std::int64_t const begin = d.offsets[first + c], end = d.offsets[first + c + 1];
        bool sound = begin >= 0 && begin <= end && end <= d.nonzeros;
        for (std::int64_t k = begin; sound && k < end; ++k) {
            std::int64_t const row = d.row_indices[k];
            sound = row >= 0 && row < x.rows;
            if (!sound) break;
            add(to[row], d.values[k]);
            active.mark(row);
        }
        if (!sound) spoil(to);
    }
    COPPICE_HD void spoil(T* to) const {
        using real = real_lane_t<chain::lane_of_t<T>>;
        for (std::int64_t row = 0; row < x.rows; ++row) {
            reinterpret_cast<real&>(to[row]) = std::numeric_limits<real>::quiet_NaN();
            active.mark(row);
        }
    }
};

/// Columns [first, first + x.columns) of D, dense.
template <class T, class I, class Executor>
void spread(Executor const& exec, sparse_columns_view<T, I> const& d, std::int64_t first, columns_view<T> x,
            activity const& active = {}) {
    if (active.flags) for_each(exec, active.bytes, clear_elements<std::uint8_t>{active.flags});
    for_each(exec, x.rows, clear_columns<T>{x});
    for_each(exec, x.columns, scatter_column<T, I>{d, first, x, active});
}

inline constexpr char message_prefix[] = "solve with sparse right-hand sides: ";
inline void refuse(std::string const& what) { throw argument_error(message_prefix + what); }

template <class T, class I>
void check_sides(band_matrix<T> const& a, sparse_columns_view<T, I> const& d) {
    require_size("rows of sparse right-hand sides", d.rows, a.size);
    if (d.columns < 0) refuse(std::to_string(d.columns) + " columns");
    if (d.nonzeros < 0) refuse(std::to_string(d.nonzeros) + " entries");
    if (d.columns > 0 && !d.offsets) refuse("null pointer to the column offsets");
}
template <class T, class I>
void check_solution(sparse_columns_view<T, I> const& d, columns_view<T> x) {
    require_size("solution rows of sparse right-hand sides", x.rows, d.rows);
    require_size("solution columns of sparse right-hand sides", x.columns, d.columns);
    if (x.columns == 0 || x.rows == 0) return;
    if (!x.pointer) refuse("null pointer to the solution");
    if (x.leading < x.rows) refuse("leading dimension " + std::to_string(x.leading));
}
inline void check_space(array_view<std::byte> workspace, std::int64_t needed) {
    require_space(message_prefix, "workspace", workspace, needed);
}

/// Columns from which on a factorisation pays.
inline constexpr std::int64_t factored_columns = 4;

/// Whether to solve with a factorisation, walking only where there is something. On a GPU not where RPTS applies to
/// open systems, which is faster than that for all rows.
template <class T, class Executor>
bool by_factor(Executor const& exec, band_matrix<T> const& a, std::int64_t columns, band_options const& o) {
    bool const faster_whole =
        !std::is_same_v<Executor, host_executor> && !o.cyclic && chain::starts_with_rpts(exec, a, o, false);
    return columns >= factored_columns && !faster_whole && o.pivot != pivoting::scaled_partial &&
           o.method != band_method::rpts && o.refinements == 0;
}

template <class T>
activity activity_of(band_matrix<T> const& a, band_options const& o) {
    auto const rows = chain::rows_of(a, o);
    return {chain::levels_of(rows.batch), rows.n};
}

/// One solve of up to most_sides columns with a factorisation, from entries of D to X.
template <class T, class I, class Executor>
void solve_group(Executor const& exec, band_matrix<T> const& a, std::byte* factor, sparse_columns_view<T, I> const& d,
                 std::int64_t first, columns_view<T> x, activity const& active, std::byte* workspace,
                 band_options const& o) {
    using lane = chain::lane_of_t<T>;
    spread(exec, d, first, x, active);
    auto const rows = chain::rows_of(a, o);
    int const sides = int(x.columns);
    auto* const values = reinterpret_cast<lane*>(x.pointer);
    chain::row_units<lane> const units{rows, values, values, x.leading, x.leading, sides, nullptr};
    auto* const rhs = reinterpret_cast<lane*>(workspace);
    std::int64_t const elements = chain::for_each_stage(active.all, rows.n, sides, [](auto...) {});
    chain::factored_stages<lane> stages(units, {}, chain::plan_factor(exec, rows), factor, rhs);
    for_each(exec, elements, clear_elements<lane>{rhs}); // what stretches that rest leave
    stages.rows.active = active.flags + active.begin[0];
    for (int k = 0; k < stages.depth; ++k) {
        for_each(exec, active.all.total(k + 2), raise_activity{active, k + 1});
        stages.links[std::size_t(k)].active = active.flags + active.begin[k + 1];
    }
    std::byte* const launch = workspace + in_workspace_units(elements * std::int64_t(sizeof(T)));
    stages.up(exec, chain::factor_step::forward, launch);
    stages.down(exec, launch);
}

/// Where a solve to sparse columns keeps what.
struct pruning_plan : workspace_layout {
    std::int64_t columns = 0, searches = 0, histogram = 0, counts = 0, solve = 0;

    largest::memory memory(std::byte* at) const {
        return {reinterpret_cast<largest::search*>(at + searches), reinterpret_cast<std::int64_t*>(at + histogram),
                reinterpret_cast<std::int64_t*>(at + counts)};
    }
};
template <class T, class Executor>
pruning_plan plan_pruning(Executor const& exec, band_matrix<T> const& a, std::int64_t columns, std::int64_t batch,
                          band_options const& o) {
    if (batch < 1) refuse("batches of " + std::to_string(batch) + " columns");
    std::int64_t const at_once = std::min(batch, columns);
    std::int64_t const solving = sparse_to_dense_workspace(exec, a, at_once, o);
    pruning_plan plan;
    plan.columns = plan.take(a.size * at_once * std::int64_t(sizeof(T)));
    plan.searches = plan.take(at_once * std::int64_t(sizeof(largest::search)));
    plan.histogram = plan.take(at_once * largest::bins * 8);
    plan.counts = plan.take(at_once * largest::counts_each(a.size) * 8);
    plan.solve = plan.take(solving);
    return plan;
}

} // namespace sparse_sides

template <class T, executor Executor>
std::int64_t factored_sparse_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                       band_options const& options) {
    std::int64_t const solving = factored_workspace(exec, a, columns, options);
    return solving == 0 ? 0 : in_workspace_units(solving) + sparse_sides::activity_of(a, options).bytes;
}

template <class T, class I, executor Executor>
void solve_factored_sparse(Executor const& exec, band_matrix<T> const& a, array_view<std::byte const> factor,
                           sparse_columns_view<std::type_identity_t<T>, I> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options) {
    using namespace sparse_sides;
    check_sides(a, d);
    check_solution(d, x);
    std::int64_t const needed = factored_sparse_workspace(exec, a, x.columns, options);
    chain::check_factor(a, options, factor, bands_factor_bytes(exec, a, options), "factorisation");
    check_space(workspace, needed);
    if (a.size == 0) return;
    activity active = activity_of(a, options);
    active.flags = reinterpret_cast<std::uint8_t*>(workspace.data() + needed - active.bytes);
    for (std::int64_t c = 0; c < x.columns; c += chain::most_sides) {
        std::int64_t const sides = std::min<std::int64_t>(chain::most_sides, x.columns - c);
        solve_group(exec, a, const_cast<std::byte*>(factor.data()), d, c,
                    columns_view<T>(x.pointer + c * x.leading, x.rows, sides, x.leading), active, workspace.data(),
                    options);
    }
}

template <class T, executor Executor>
std::int64_t sparse_to_dense_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                       band_options const& options) {
    if (!sparse_sides::by_factor(exec, a, columns, options)) return bands_workspace(exec, a, columns, options);
    return bands_factor_bytes(exec, a, options) + factored_sparse_workspace(exec, a, columns, options);
}

template <class T, class I, executor Executor>
void solve_sparse_to_dense(Executor const& exec, band_matrix<T> const& a,
                           sparse_columns_view<std::type_identity_t<T>, I> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options) {
    using namespace sparse_sides;
    check_sides(a, d);
    check_solution(d, x);
    if (!by_factor(exec, a, x.columns, options)) {
        if (x.columns > 0 && x.rows > 0) spread(exec, d, 0, x);
        solve_bands(exec, a, columns_view<T const>(x), x, workspace, options);
        return;
    }
    check_space(workspace, sparse_to_dense_workspace(exec, a, x.columns, options));
    std::int64_t const kept = bands_factor_bytes(exec, a, options);
    auto const factor = workspace.slice(0, kept);
    factorise_bands(exec, a, factor, options);
    solve_factored_sparse(exec, a, array_view<std::byte const>(factor), d, x,
                          workspace.slice(kept, workspace.size() - kept), options);
}

template <class T, executor Executor>
std::int64_t sparse_to_sparse_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                        band_options const& options, std::int64_t batch) {
    return sparse_sides::plan_pruning(exec, a, columns, batch, options).bytes;
}

template <class T, class I, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>, I> const& d,
                            array_view<std::type_identity_t<I> const> offsets,
                            array_view<std::type_identity_t<I>> row_indices, array_view<std::type_identity_t<T>> values,
                            array_view<std::byte> workspace, band_options const& options, std::int64_t batch) {
    using namespace sparse_sides;
    check_sides(a, d);
    require_size("offsets of a sparse solution", offsets, d.columns + 1);
    require_size("values of a sparse solution", values, row_indices.size());
    auto const plan = plan_pruning(exec, a, d.columns, batch, options);
    check_space(workspace, plan.bytes);
    if (d.columns == 0 || a.size == 0) return;
    batch = std::min(batch, d.columns);
    std::byte* const space = workspace.data();
    // As solve_sparse_to_dense does for one batch; but one factorisation is enough for all of them.
    bool const factored = by_factor(exec, a, batch, options);
    auto const solving = workspace.slice(plan.solve, workspace.size() - plan.solve);
    std::int64_t const kept = factored ? bands_factor_bytes(exec, a, options) : 0;
    auto const factor = solving.slice(0, kept), rest = solving.slice(kept, solving.size() - kept);
    if (factored) factorise_bands(exec, a, factor, options);
    for (std::int64_t first = 0; first < d.columns; first += batch) {
        columns_view<T> const x(reinterpret_cast<T*>(space + plan.columns), a.size, std::min(batch, d.columns - first));
        sparse_columns_view<T, I> some = d;
        some.offsets += first;
        some.columns = x.columns;
        if (factored) {
            solve_factored_sparse(exec, a, array_view<std::byte const>(factor), some, x, rest, options);
        } else {
            spread(exec, some, 0, x);
            solve_bands(exec, a, columns_view<T const>(x), x, solving, options);
        }
        largest::keep_largest(exec, x, first, offsets.data(), plan.memory(space), row_indices, values);
    }
}

template <class T, class I, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>, I> const& d,
                            array_view<std::type_identity_t<I> const> offsets,
                            array_view<std::type_identity_t<I>> row_indices, array_view<std::type_identity_t<T>> values,
                            band_options const& options, std::int64_t batch) {
    using namespace sparse_sides;
    check_sides(a, d);
    require_size("offsets of a sparse solution", offsets, d.columns + 1);
    std::vector<I> const ends = to_vector(exec, offsets);
    for (std::size_t j = 0; j + 1 < ends.size(); ++j)
        if (ends[0] != 0 || ends[j + 1] < ends[j] || ends[j + 1] - ends[j] > a.size)
            refuse("column " + std::to_string(j) + " of the result is to hold entries " + std::to_string(ends[j]) +
                   " to " + std::to_string(ends[j + 1]) + " of " + std::to_string(a.size) + " rows");
    require_size("row indices of a sparse solution", row_indices, ends.back());
    require_size("values of a sparse solution", values, ends.back());
    buffer<std::byte> workspace(exec, sparse_to_sparse_workspace(exec, a, d.columns, options, batch));
    solve_sparse_to_sparse(exec, a, d, offsets, row_indices, values, workspace.view(), options, batch);
    exec.synchronize();
}

// What the sources of the library instantiate.
#define COPPICE_SPARSE_SIDES_INDEXED(T, I, Executor)                                                                   \
    template void solve_factored_sparse(Executor const&, band_matrix<T> const&, array_view<std::byte const>,           \
                                        sparse_columns_view<T, I> const&, columns_view<T>, array_view<std::byte>,      \
                                        band_options const&);                                                          \
    template void solve_sparse_to_dense(Executor const&, band_matrix<T> const&, sparse_columns_view<T, I> const&,      \
                                        columns_view<T>, array_view<std::byte>, band_options const&);                  \
    template void solve_sparse_to_sparse(Executor const&, band_matrix<T> const&, sparse_columns_view<T, I> const&,     \
                                         array_view<I const>, array_view<I>, array_view<T>, array_view<std::byte>,     \
                                         band_options const&, std::int64_t);                                           \
    template void solve_sparse_to_sparse(Executor const&, band_matrix<T> const&, sparse_columns_view<T, I> const&,     \
                                         array_view<I const>, array_view<I>, array_view<T>, band_options const&,       \
                                         std::int64_t);
#define COPPICE_SPARSE_SIDES(T, Executor)                                                                              \
    template std::int64_t factored_sparse_workspace(Executor const&, band_matrix<T> const&, std::int64_t,              \
                                                    band_options const&);                                              \
    template std::int64_t sparse_to_dense_workspace(Executor const&, band_matrix<T> const&, std::int64_t,              \
                                                    band_options const&);                                              \
    template std::int64_t sparse_to_sparse_workspace(Executor const&, band_matrix<T> const&, std::int64_t,             \
                                                     band_options const&, std::int64_t);                               \
    COPPICE_SPARSE_SIDES_INDEXED(T, std::int32_t, Executor)                                                            \
    COPPICE_SPARSE_SIDES_INDEXED(T, std::int64_t, Executor)
#define COPPICE_SPARSE_SIDES_ALL(Executor)                                                                             \
    COPPICE_SPARSE_SIDES(float, Executor)                                                                              \
    COPPICE_SPARSE_SIDES(double, Executor)                                                                             \
    COPPICE_SPARSE_SIDES(std::complex<float>, Executor)                                                                \
    COPPICE_SPARSE_SIDES(std::complex<double>, Executor)

} // namespace coppice
