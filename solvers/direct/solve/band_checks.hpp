// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Argument checks of solve_bands and related functions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include <coppice/core/memory_range.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/solve/by_rpts.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_checks.hpp>

namespace coppice::inline v0_1::chain {

inline void refuse(std::string const& what) { throw argument_error("solve_bands: " + what); }
inline void check_space(char const* name, array_view<std::byte const> memory, std::int64_t needed) {
    require_space("solve_bands: ", name, memory, needed);
}

template <class T>
void check_shape(band_matrix<T> const& a, bool cyclic) {
    if (a.size < 0) refuse("the matrix has " + std::to_string(a.size) + " rows");
    if (a.block < 1 || a.block > largest_block)
        refuse("blocks of " + std::to_string(a.block) + " rows (or as many bands), expected 1 to " +
               std::to_string(largest_block));
    bool const bands = a.lower_bands >= 0 || a.upper_bands >= 0;
    if (bands && (a.lower_bands < 0 || a.upper_bands < 0)) refuse("a negative number of bands");
    if (bands && cyclic) refuse("a banded matrix cannot be cyclic; use blocks");
    if (bands && a.systems != 1) refuse("a batch of banded matrices; use blocks");
    if (a.systems < 1) refuse("a batch of " + std::to_string(a.systems) + " systems");
    if (a.offsets && a.interleaved) refuse("systems of different sizes cannot be interleaved");
    if (a.offsets && a.largest < 0) refuse("a largest system of " + std::to_string(a.largest) + " rows");
    std::int64_t const element_bytes = a.systems * a.block;
    if (!bands && !a.offsets && element_bytes > 1 && a.size % element_bytes != 0)
        refuse(std::to_string(a.size) + " rows do not make " + std::to_string(a.systems) + " systems of blocks of " +
               std::to_string(a.block));
}
inline void check_options(band_options const& o) {
    rpts::check_options({o.pivot, o.threshold}, "solve_bands: ");
    if (int(o.operation) < 0 || int(o.operation) > int(matrix_operation::conjugate_transposed))
        refuse("unknown operation " + std::to_string(int(o.operation)));
    if (int(o.method) < 0 || int(o.method) > int(band_method::chain))
        refuse("unknown method " + std::to_string(int(o.method)));
}
inline void check_bounds(band_options const& o) {
    if (!(o.error_bound >= 0 && std::isfinite(o.error_bound)))
        refuse("error bound is " + coppice::detail::number_text(o.error_bound) + ", expected a finite number >= 0");
    if (o.refinements < 0) refuse(std::to_string(o.refinements) + " refinements");
}

template <class T, class Executor>
void check_matrix(Executor const& exec, band_matrix<T> const& a, band_options const& o) {
    check_shape(a, o.cyclic);
    check_options(o);
    if (o.method == band_method::rpts && !rpts_applies(exec, a, o))
        refuse(
            "rpts requires a real tridiagonal matrix that is not transposed. Cyclic systems: of equal size, without a "
            "threshold; on the host from 3 rows on, with partial pivoting; on CUDA from 64 rows on, with pivoting. "
            "Systems of different sizes: on CUDA only if each fits into a block and is at most 8 times the mean");
    check_bounds(o);
}

template <class T>
void check_bands(band_matrix<T> const& a) {
    bool const bands = a.lower_bands >= 0;
    if (a.size > 0 && (!a.diagonal || (!bands && (!a.lower || !a.upper))))
        refuse("null pointer to " + std::to_string(a.size) + " rows");
}

template <class T>
void check_vectors(band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x) {
    require_size("right-hand side rows of solve_bands", d.rows, a.size);
    require_size("solution rows of solve_bands", x.rows, a.size);
    require_size("solution columns of solve_bands", x.columns, d.columns);
    if (x.columns < 0) refuse(std::to_string(x.columns) + " right-hand sides");
    if (d.leading < a.size || x.leading < a.size)
        refuse("leading dimensions are " + std::to_string(d.leading) + " and " + std::to_string(x.leading) +
               ", expected at least " + std::to_string(a.size));
    constexpr std::int64_t max_elements = (std::int64_t(1) << 56) / std::int64_t(sizeof(T));
    if (x.columns > 0 && std::max(d.leading, x.leading) > (x.columns == 1 ? max_elements : max_elements / x.columns))
        refuse("leading dimensions of " + std::to_string(d.leading) + " and " + std::to_string(x.leading) +
               " exceed the address space");
    if (a.size == 0 || x.columns == 0) return;
    check_bands(a);
    if (!d.pointer || !x.pointer) refuse("null pointer to " + std::to_string(a.size) + " rows");
}

template <class T>
memory_range range_of(char const* name, columns_view<T> x) {
    return {name, x.pointer, ((x.columns - 1) * x.leading + x.rows) * std::int64_t(sizeof(T))};
}
/// Checks for overlap inline before the call that throws, to save time for small systems.
COPPICE_ALWAYS_INLINE void check_separate(memory_range const& a, memory_range const& b) {
    if (overlap(a, b)) require_no_overlap(a, b, "solve_bands: ");
}
/// The solution may be the right-hand side; otherwise they must not overlap.
template <class T>
void check_rhs_separate(columns_view<T const> d, columns_view<T> x) {
    if (static_cast<void const*>(x.pointer) != d.pointer || x.leading != d.leading)
        check_separate(range_of("the solution", x), range_of("the right-hand side", d));
}

template <class T>
void check_overlaps(band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                    array_view<std::byte> workspace, array_view<solve_report> report, bool keeps_rhs) {
    std::int64_t const element_bytes = sizeof(T),
                       band_bytes = a.size * (a.lower_bands >= 0 ? 1 : a.block) * element_bytes;
    std::array<memory_range, 4> const matrix{
        {{"the lower band", a.lower, a.lower ? band_bytes : 0},
         {"the diagonal", a.diagonal,
          a.lower_bands >= 0 ? band_bytes * (a.lower_bands + a.upper_bands + 1) : band_bytes},
         {"the upper band", a.upper, a.upper ? band_bytes : 0},
         {"the offsets", a.offsets, a.offsets ? (a.systems + 1) * 8 : 0}}};
    auto const separate_from_matrix = [&](memory_range const& written) {
        for (memory_range const& read : matrix) check_separate(written, read);
    };
    memory_range const solution = range_of("the solution", x);
    separate_from_matrix(solution);
    if (!workspace.empty() || !report.empty()) {
        memory_range const rhs = range_of("the right-hand side", d);
        memory_range const space{"the workspace", workspace.data(), workspace.size()};
        memory_range const reports{"the report", report.data(), report.size() * std::int64_t(sizeof(solve_report))};
        for (memory_range const& written : {space, reports}) {
            separate_from_matrix(written);
            check_separate(written, solution);
            check_separate(written, rhs);
        }
        check_separate(reports, space);
    }
    check_rhs_separate(d, x);
    if (keeps_rhs && static_cast<void const*>(x.pointer) == d.pointer)
        refuse("a report or refinement needs the right-hand side: the solution cannot replace it");
}

} // namespace coppice::inline v0_1::chain
