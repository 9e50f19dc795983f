// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse right-hand sides, written once over the primitives. Included by the sources that instantiate it.
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
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs.hpp>

namespace coppice::inline v0_1 {
namespace sparse_rhs {

// Segments of the chain solver without entries of the right-hand sides are skipped (thesis section 2.7.2).

/// A flag for each segment of every depth: whether it contains an entry of the current columns.
struct activity {
    chain::levels all{};
    int n = 1;                               ///< rows of a block
    std::uint8_t* flags = nullptr;           ///< null: activity is not tracked
    std::int64_t begin[chain::max_levels]{}; ///< of the flags of depth k + 1
    std::int64_t bytes = 0;

    activity() = default;
    activity(chain::levels const& l, int block) : all(l), n(block) {
        chain::for_each_level(l, block, 0, [&](int depth, std::int64_t condensed, std::int64_t, std::int64_t) {
            begin[depth - 1] = bytes;
            bytes += align_workspace(condensed);
        });
    }
    /// Flags the segment of scalar row `row` of the storage.
    COPPICE_HD void flag(std::int64_t row) const {
        if (!flags) return;
        std::int64_t const i = row / n;
        bool const interleaved = all.batch.interleaved;
        std::int64_t const s = interleaved ? i % all.batch.systems : all.batch.system_of(i);
        std::int64_t const j = interleaved ? i / all.batch.systems : i - all.batch.first_row(s);
        raise_flag(flags + begin[0] + all.first(s, 1) + j / all.segment_length(0));
    }
};

/// Sets the flag of a segment of condensed rows if any of these is active.
struct raise_activity {
    activity at;
    int depth; ///< of the condensed rows
    COPPICE_HD void operator()(std::int64_t p) const {
        chain::segment_location const location = chain::locate_segment(at.all, depth, p);
        if (location.segment < 0) return;
        std::uint8_t const* const below = at.flags + at.begin[depth - 1] + location.block_rows.base;
        std::uint8_t any = 0;
        for (std::int64_t j = location.begin;
             j < location.begin + at.all.segment_length(depth) && j < location.block_rows.rows; ++j)
            any = std::uint8_t(any | below[j]);
        at.flags[at.begin[depth] + p] = any;
    }
};

/// Clears one row of all columns.
template <class T>
struct clear_columns {
    columns_view<T> x;
    COPPICE_HD void operator()(std::int64_t row) const {
        for (std::int64_t c = 0; c < x.columns; ++c) x.pointer[row + c * x.leading] = T(0);
    }
};

/// Adds column first + c of D to a column of zeros.
template <class T, class I>
struct scatter_column {
    sparse_columns_view<T, I> d;
    std::int64_t first;
    columns_view<T> x;
    activity active;

    /// Uses the complex arithmetic of this library: operators of std::complex are not device functions, and a kernel
    /// that calls them would be empty.
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
            active.flag(row);
        }
        if (!sound) spoil(to);
    }
    COPPICE_HD void spoil(T* to) const {
        using real = real_lane_t<chain::lane_of_t<T>>;
        for (std::int64_t row = 0; row < x.rows; ++row) {
            reinterpret_cast<real&>(to[row]) = std::numeric_limits<real>::quiet_NaN();
            active.flag(row);
        }
    }
};

/// Writes columns [first, first + x.columns) of D to the dense x.
template <class T, class I, class Executor>
void scatter(Executor const& exec, sparse_columns_view<T, I> const& d, std::int64_t first, columns_view<T> x,
             activity const& active = {}) {
    if (active.flags) fill(exec, array_view<std::uint8_t>(active.flags, active.bytes), std::uint8_t(0));
    for_each(exec, x.rows, clear_columns<T>{x});
    for_each(exec, x.columns, scatter_column<T, I>{d, first, x, active});
}

inline constexpr char message_prefix[] = "solve with sparse right-hand sides: ";
inline void refuse(std::string const& what) { throw argument_error(message_prefix + what); }

template <class T, class I>
void check_rhs(band_matrix<T> const& a, sparse_columns_view<T, I> const& d) {
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

/// Smallest number of columns for which a factorisation is used.
inline constexpr std::int64_t factored_columns = 4;

/// Whether to solve with a factorisation and skip zero segments. Not on a GPU if RPTS applies, which is faster even for
/// all rows.
template <class T, class Executor>
bool by_factor(Executor const& exec, band_matrix<T> const& a, std::int64_t columns, band_options const& o) {
    bool const rpts_is_faster =
        !std::is_same_v<Executor, host_executor> && !o.cyclic && chain::starts_with_rpts(exec, a, o, false);
    return columns >= factored_columns && !rpts_is_faster && o.pivot != pivoting::scaled_partial &&
           o.method != band_method::rpts && o.refinements == 0;
}

template <class T>
activity activity_of(band_matrix<T> const& a, band_options const& o) {
    auto const rows = chain::rows_of(a, o);
    return {chain::levels_of(rows.batch), rows.n};
}

/// Solves up to max_rhs columns with a factorisation.
template <class T, class I, class Executor>
void solve_group(Executor const& exec, band_matrix<T> const& a, std::byte* factor, sparse_columns_view<T, I> const& d,
                 std::int64_t first, columns_view<T> x, activity const& active, std::byte* workspace,
                 band_options const& o) {
    using lane = chain::lane_of_t<T>;
    scatter(exec, d, first, x, active);
    auto const rows = chain::rows_of(a, o);
    int const rhs_count = int(x.columns);
    auto* const values = reinterpret_cast<lane*>(x.pointer);
    chain::matrix_block_rows<lane> const block_rows{rows, values, values, x.leading, x.leading, rhs_count, nullptr};
    auto* const rhs = reinterpret_cast<lane*>(workspace);
    std::int64_t const condensed = chain::condensed_bytes<T>(active.all, rows.n, rhs_count);
    chain::factored_levels<lane> factors(block_rows, {}, chain::plan_factor(exec, rows), factor, rhs);
    fill(exec, array_view<lane>(rhs, condensed / std::int64_t(sizeof(lane))),
         lane(0)); // skipped segments do not write theirs
    for (int k = 0; k <= factors.all.depth; ++k) {
        if (k > 0) for_each(exec, active.all.total(k + 1), raise_activity{active, k});
        factors.active[std::size_t(k)] = active.flags + active.begin[k];
    }
    std::byte* const launch = workspace + condensed;
    factors.up(exec, chain::factor_step::forward, launch);
    factors.down(exec, launch);
}

/// Layout of the workspace of a solve with sparse columns of X.
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

} // namespace sparse_rhs

template <class T, executor Executor>
std::int64_t factored_sparse_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                       band_options const& options) {
    std::int64_t const solving = factored_workspace(exec, a, columns, options);
    return solving == 0 ? 0 : align_workspace(solving) + sparse_rhs::activity_of(a, options).bytes;
}

template <class T, class I, executor Executor>
void solve_factored_sparse(Executor const& exec, band_matrix<T> const& a, array_view<std::byte const> factor,
                           sparse_columns_view<std::type_identity_t<T>, I> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options) {
    using namespace sparse_rhs;
    check_rhs(a, d);
    check_solution(d, x);
    std::int64_t const needed = factored_sparse_workspace(exec, a, x.columns, options);
    chain::check_factor(a, options, factor, bands_factor_bytes(exec, a, options), "factorisation");
    check_space(workspace, needed);
    if (a.size == 0) return;
    activity active = activity_of(a, options);
    active.flags = reinterpret_cast<std::uint8_t*>(workspace.data() + needed - active.bytes);
    for (std::int64_t c = 0; c < x.columns; c += chain::max_rhs) {
        std::int64_t const rhs_count = std::min<std::int64_t>(chain::max_rhs, x.columns - c);
        solve_group(exec, a, const_cast<std::byte*>(factor.data()), d, c,
                    columns_view<T>(x.pointer + c * x.leading, x.rows, rhs_count, x.leading), active, workspace.data(),
                    options);
    }
}

template <class T, executor Executor>
std::int64_t sparse_to_dense_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                       band_options const& options) {
    if (!sparse_rhs::by_factor(exec, a, columns, options)) return bands_workspace(exec, a, columns, options);
    return bands_factor_bytes(exec, a, options) + factored_sparse_workspace(exec, a, columns, options);
}

template <class T, class I, executor Executor>
void solve_sparse_to_dense(Executor const& exec, band_matrix<T> const& a,
                           sparse_columns_view<std::type_identity_t<T>, I> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options) {
    using namespace sparse_rhs;
    check_rhs(a, d);
    check_solution(d, x);
    if (!by_factor(exec, a, x.columns, options)) {
        if (x.columns > 0 && x.rows > 0) scatter(exec, d, 0, x);
        solve_bands(exec, a, columns_view<T const>(x), x, workspace, options);
        return;
    }
    check_space(workspace, sparse_to_dense_workspace(exec, a, x.columns, options));
    std::int64_t const factor_bytes = bands_factor_bytes(exec, a, options);
    auto const factor = workspace.slice(0, factor_bytes);
    factorise_bands(exec, a, factor, options);
    solve_factored_sparse(exec, a, array_view<std::byte const>(factor), d, x,
                          workspace.slice(factor_bytes, workspace.size() - factor_bytes), options);
}

template <class T, executor Executor>
std::int64_t sparse_to_sparse_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                        band_options const& options, std::int64_t batch) {
    return sparse_rhs::plan_pruning(exec, a, columns, batch, options).bytes;
}

template <class T, class I, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>, I> const& d,
                            array_view<std::type_identity_t<I> const> offsets,
                            array_view<std::type_identity_t<I>> row_indices, array_view<std::type_identity_t<T>> values,
                            array_view<std::byte> workspace, band_options const& options, std::int64_t batch) {
    using namespace sparse_rhs;
    check_rhs(a, d);
    require_size("offsets of a sparse solution", offsets, d.columns + 1);
    require_size("values of a sparse solution", values, row_indices.size());
    auto const plan = plan_pruning(exec, a, d.columns, batch, options);
    check_space(workspace, plan.bytes);
    if (d.columns == 0 || a.size == 0) return;
    batch = std::min(batch, d.columns);
    std::byte* const space = workspace.data();
    // As solve_sparse_to_dense for one batch, but with a single factorisation for all of them.
    bool const factored = by_factor(exec, a, batch, options);
    auto const solving = workspace.slice(plan.solve, workspace.size() - plan.solve);
    std::int64_t const factor_bytes = factored ? bands_factor_bytes(exec, a, options) : 0;
    auto const factor = solving.slice(0, factor_bytes),
               rest = solving.slice(factor_bytes, solving.size() - factor_bytes);
    if (factored) factorise_bands(exec, a, factor, options);
    for (std::int64_t first = 0; first < d.columns; first += batch) {
        columns_view<T> const x(reinterpret_cast<T*>(space + plan.columns), a.size, std::min(batch, d.columns - first));
        sparse_columns_view<T, I> some = d;
        some.offsets += first;
        some.columns = x.columns;
        if (factored) {
            solve_factored_sparse(exec, a, array_view<std::byte const>(factor), some, x, rest, options);
        } else {
            scatter(exec, some, 0, x);
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
    using namespace sparse_rhs;
    check_rhs(a, d);
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

// The instantiations in the sources of the library.
#define COPPICE_SPARSE_RHS_INDEXED(T, I, prefix, Executor)                                                             \
    prefix void solve_factored_sparse(Executor const&, band_matrix<T> const&, array_view<std::byte const>,             \
                                      sparse_columns_view<T, I> const&, columns_view<T>, array_view<std::byte>,        \
                                      band_options const&);                                                            \
    prefix void solve_sparse_to_dense(Executor const&, band_matrix<T> const&, sparse_columns_view<T, I> const&,        \
                                      columns_view<T>, array_view<std::byte>, band_options const&);                    \
    prefix void solve_sparse_to_sparse(Executor const&, band_matrix<T> const&, sparse_columns_view<T, I> const&,       \
                                       array_view<I const>, array_view<I>, array_view<T>, array_view<std::byte>,       \
                                       band_options const&, std::int64_t);                                             \
    prefix void solve_sparse_to_sparse(Executor const&, band_matrix<T> const&, sparse_columns_view<T, I> const&,       \
                                       array_view<I const>, array_view<I>, array_view<T>, band_options const&,         \
                                       std::int64_t);
#define COPPICE_SPARSE_RHS(T, prefix, Executor)                                                                        \
    prefix std::int64_t factored_sparse_workspace(Executor const&, band_matrix<T> const&, std::int64_t,                \
                                                  band_options const&);                                                \
    prefix std::int64_t sparse_to_dense_workspace(Executor const&, band_matrix<T> const&, std::int64_t,                \
                                                  band_options const&);                                                \
    prefix std::int64_t sparse_to_sparse_workspace(Executor const&, band_matrix<T> const&, std::int64_t,               \
                                                   band_options const&, std::int64_t);                                 \
    COPPICE_SPARSE_RHS_INDEXED(T, std::int32_t, prefix, Executor)                                                      \
    COPPICE_SPARSE_RHS_INDEXED(T, std::int64_t, prefix, Executor)

} // namespace coppice::inline v0_1
