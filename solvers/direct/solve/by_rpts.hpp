// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS in solve_bands: which matrices it solves, its workspace, and the solve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/solvers/direct/solve/band_rows.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_tiles.hpp>

namespace coppice::inline v0_1::chain {

/// The systems of a tridiagonal matrix.
template <class T>
rpts::system_view<T> systems_of(band_matrix<T> const& a, std::int64_t columns, bool cyclic) {
    std::int64_t const rows = a.offsets ? largest_of(a) : rows_of_each(a);
    rpts::system_view<T> all{rows, a.lower, a.diagonal, a.upper, nullptr, nullptr, a.systems, columns};
    all.stride = a.offsets ? a.size : interleaves(a) ? 1 : rows;
    all.offsets = a.offsets;
    all.pitch = interleaves(a) ? a.systems : 1;
    all.cyclic = cyclic;
    return all;
}
template <class T>
rpts::system_view<T> systems_of(band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x, bool cyclic,
                                int* not_finite, int* uncertain) {
    rpts::system_view<T> all = systems_of(a, x.columns, cyclic);
    all.rhs = d.pointer, all.rhs_leading = d.leading;
    all.x = x.pointer, all.x_leading = x.leading;
    all.not_finite = not_finite, all.uncertain = uncertain;
    return all;
}

template <class T, class Executor>
bool rpts_applies(Executor const& exec, band_matrix<T> const& a, band_options const& o) {
    if constexpr (std::is_floating_point_v<T>)
        return a.block == 1 && a.lower_bands < 0 && o.operation == matrix_operation::none &&
               ((!o.cyclic && !a.offsets) ||
                takes_tridiagonal_batch(exec, systems_of(a, 1, o.cyclic), {o.pivot, o.threshold}));
    else
        return false;
}
/// Bytes of workspace of the batch of a matrix that rpts_applies() accepts.
template <class T, class Executor>
std::int64_t batch_bytes(Executor const& exec, band_matrix<T> const& a, std::int64_t columns, bool cyclic) {
    if constexpr (std::is_floating_point_v<T>)
        return tridiagonal_batch_workspace(exec, systems_of(a, columns, cyclic));
    else
        return 0;
}
/// Whether the systems are interleaved and solved so.
template <class T, class Executor>
bool stays_interleaved(Executor const& exec, band_matrix<T> const& a, bool cyclic) {
    if constexpr (std::is_floating_point_v<T>)
        return interleaves(a) && coppice::stays_interleaved<T>(exec, rows_of_each(a), cyclic);
    else
        return interleaves(a);
}

/// Bytes of the flags of uncertain systems of a batch on the host; 0 if none can be. CUDA has them in error_memory.
template <class T, class Executor>
std::int64_t uncertain_bytes(Executor const& exec, band_matrix<T> const& a, bool cyclic) {
    bool const is_batch =
        std::is_same_v<Executor, host_executor> && a.systems > 1 && !stays_interleaved(exec, a, cyclic);
    bool const is_reduced = cyclic || (a.offsets ? largest_of(a) : rows_of_each(a)) > rpts::host_last;
    return is_batch && is_reduced ? a.systems * std::int64_t(sizeof(int)) : 0;
}
/// Bytes of workspace for a matrix that rpts_applies() accepts: those of the batch, followed by the flags.
template <class T, class Executor>
std::int64_t rpts_bytes(Executor const& exec, band_matrix<T> const& a, std::int64_t columns, bool cyclic) {
    return batch_bytes(exec, a, columns, cyclic) + uncertain_bytes(exec, a, cyclic);
}
/// Whether the first attempt is RPTS. Cyclic systems with a report begin with the chain solver unless the method is
/// rpts: singular ones are common among them (without a boundary condition constants are in the null space), and the
/// chain solver reports the column without a pivot.
template <class T, class Executor>
bool starts_with_rpts(Executor const& exec, band_matrix<T> const& a, band_options const& o, bool reported) {
    bool const reports_singular = o.cyclic && (reported || o.refinements > 0) && o.method == band_method::automatic;
    return o.method != band_method::chain && !reports_singular && rpts_applies(exec, a, o);
}

/// Whether a device checks a solution of RPTS without a report, to replace it by that of the chain solver if it is not
/// finite or wrong.
template <class T, class Executor>
bool watches_rpts(Executor const& exec, band_matrix<T> const& a, band_options const& o, bool reported) {
    if constexpr (std::is_same_v<Executor, host_executor>)
        return false; // see solve_by_rpts_checked
    else
        return !reported && o.method == band_method::automatic && starts_with_rpts(exec, a, o, reported);
}

/// Whether its reduction may report systems as uncertain (system_view).
template <class T, class Executor>
bool may_be_uncertain(Executor const& exec, band_matrix<T> const& a, bool cyclic) {
    return !a.offsets && !stays_interleaved(exec, a, cyclic) && rows_of_each(a) > rpts::max_untiled_rows;
}

/// Whether the call is a single solve by rpts.
template <class T, class Executor>
bool only_rpts(Executor const& exec, band_matrix<T> const& a, band_options const& o, bool reported) {
    return !reported && o.refinements == 0 && starts_with_rpts(exec, a, o, reported) &&
           !watches_rpts(exec, a, o, reported);
}

/// Solves a matrix that rpts_applies() accepts. `not_finite`, `uncertain`: see system_view.
template <class T, class Executor>
void solve_by_rpts(Executor const& exec, band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                   band_options const& o, array_view<std::byte> workspace, int* not_finite = nullptr,
                   int* uncertain = nullptr) {
    if constexpr (std::is_floating_point_v<T>)
        solve_tridiagonal_batch(exec, systems_of(a, d, x, o.cyclic, not_finite, uncertain), workspace,
                                {o.pivot, o.threshold});
}

} // namespace coppice::inline v0_1::chain
