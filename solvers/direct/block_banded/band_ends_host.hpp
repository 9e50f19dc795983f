// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host launcher of the elimination from both ends, for complex systems from one end (tiles/band_ends.hpp): which
/// systems it solves, and their batches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/host/parallel_host.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_ends.hpp>

namespace coppice::inline v0_1::chain {

/// Real banded systems are eliminated from both ends, instead of in segments, if they have three or more bands on a
/// side or few rows. With fewer bands, segments are as fast. With more than some six threads, segments would be faster,
/// since the ends use two threads only; but the condensed segments of wide bands have more element growth. Matrices
/// with more than three times as many bands on one side as on the other are eliminated in segments unless the system is
/// small: the recurrence from an end may overflow if it grows in one direction, while a segment orders its unknowns by
/// pivots.
inline constexpr int min_wide_reach = 3;
inline constexpr std::int64_t max_rows_of_ends = 2048, max_rows_of_uneven_ends = 64;
/// Systems with blocks of 2 to 8 rows are eliminated like their bands, unless they are cyclic, band_method::chain is
/// asked for, or they are so large that many threads gain much in segments. Complex systems up to this size are
/// eliminated likewise, and tridiagonal ones of up to max_rows_of_ends.
inline constexpr std::int64_t max_rows_of_block_ends = 1 << 18;
inline constexpr std::int64_t rows_of_two_threads = 4096; ///< minimum for which each end has its own thread

/// Whether the rule for systems with blocks applies, to each system of a batch alone.
template <class T>
bool takes_blocks(matrix_rows<T> const& a) {
    return !a.banded() && !a.cyclic && !a.in_segments && a.n >= (is_complex_lane<T> ? 1 : min_block_of_ends) &&
           a.n <= max_block_of_ends;
}
/// Rows of the largest system. batch.rows is an upper bound of them if there are offsets.
template <class T>
std::int64_t largest_system(matrix_rows<T> const& a) {
    if (!a.batch.offsets) return a.batch.rows * a.n;
    std::int64_t largest = 0;
    for (std::int64_t s = 0; s < a.batch.systems; ++s) largest = std::max(largest, a.batch.system(s).rows);
    return largest * a.n;
}
/// Whether all systems are eliminated from both ends, or complex ones from one.
template <class T>
bool from_both_ends(host_executor const&, matrix_rows<T> const& a) {
    if (!a.banded())
        return takes_blocks(a) && largest_system(a) <= (a.n > 1 ? max_rows_of_block_ends : max_rows_of_ends);
    if (a.scalar_rows <= max_rows_of_uneven_ends) return true;
    bool const even = std::max(a.lower_bands, a.upper_bands) <= 3 * std::min(a.lower_bands, a.upper_bands);
    if (is_complex_lane<T>) return even && a.scalar_rows <= max_rows_of_block_ends;
    return even && (a.n >= min_wide_reach || a.scalar_rows <= max_rows_of_ends);
}
/// Whether some systems of a batch may be eliminated from both ends and others are not: then each is solved alone,
/// so that a system has the same bits alone and in any batch.
template <class T>
bool solves_separately(host_executor const& exec, matrix_rows<T> const& a) {
    return takes_blocks(a) && a.batch.offsets && a.batch.systems > 1 && !from_both_ends(exec, a);
}

/// Bytes of memory that one system needs.
template <class T>
std::int64_t ends_bytes(matrix_rows<T> const& a, int rhs_count, std::int64_t max_saved = max_saved_bytes) {
    if constexpr (is_complex_lane<T>)
        return band_rows_of(a, rhs_count).elements * std::int64_t(sizeof(real_lane_t<T>));
    else
        return 2 * ends_of(a, rhs_count, max_saved).end_elements * std::int64_t(sizeof(T));
}

/// Sets the pointers of a layout.
template <class T>
void set_pointers(band_system<T>& e, matrix_block_rows<T> const& block_rows, elimination<real_lane_t<T>> const& how,
                  std::byte* memory, std::int64_t block_stride) {
    e.d = block_rows.d, e.d_leading = block_rows.d_leading;
    e.x = block_rows.x, e.x_leading = block_rows.x_leading;
    e.singular = block_rows.singular;
    e.block_stride = block_stride;
    e.how = how;
    e.memory = reinterpret_cast<real_lane_t<T>*>(memory);
}
template <class R>
void solve_system_from_ends(host_executor const&, matrix_block_rows<complex_lane<R>> const& block_rows,
                            elimination<R> const& how, std::byte* memory, std::int64_t, std::int64_t block_stride = 1) {
    band_rows<R> e = band_rows_of(block_rows.a, block_rows.rhs_count);
    set_pointers(e, block_rows, how, memory, block_stride);
    COPPICE_ISA_SELECT(solve_band_rows<R>)(e);
}
/// Solves one system from both ends; `max_saved` limits the bytes of the pivot rows that are saved for back
/// substitution.
template <class T>
void solve_system_from_ends(host_executor const& exec, matrix_block_rows<T> const& block_rows,
                            elimination<T> const& how, std::byte* memory, std::int64_t max_saved,
                            std::int64_t block_stride = 1) {
    band_ends<T> e = ends_of(block_rows.a, block_rows.rhs_count, max_saved);
    set_pointers(e, block_rows, how, memory, block_stride);
    if (e.small) return COPPICE_ISA_SELECT(band_ends_small<T>)(e);
    std::int64_t met[] = {no_row, no_row};
    e.met = met;
    bool const parallel = exec.threads() > 1 && block_rows.a.scalar_rows >= rows_of_two_threads;
    auto const run = [&](auto* work) {
        if (!parallel) return work(e, 2);
        detail::for_each_block(exec, 2, 1, [&](std::int64_t end, std::int64_t, std::int64_t) { work(e, int(end)); });
    };
    run(COPPICE_ISA_SELECT(band_ends_pass<true, T>));
    COPPICE_ISA_SELECT(band_ends_middle<T>)(e);
    run(COPPICE_ISA_SELECT(band_ends_pass<false, T>));
}

/// System s of a batch, as a single system. Block rows of an interleaved batch keep their distances.
template <class T>
matrix_block_rows<T> system_of(matrix_block_rows<T> const& all, std::int64_t s) {
    system_location const at = all.a.batch.system(s);
    matrix_block_rows<T> one = all;
    std::int64_t const square = std::int64_t(all.a.n) * all.a.n;
    one.a.lower += at.base * square;
    one.a.diagonal += at.base * square;
    one.a.upper += at.base * square;
    one.a.batch = {.rows = at.rows, .total = at.rows};
    one.a.scalar_rows = at.rows * all.a.n;
    one.d += at.base * all.a.n;
    one.x += at.base * all.a.n;
    if (all.singular) one.singular += s;
    return one;
}

/// Copies `rows` block rows of n rows each between vectors whose block rows are `from_stride` and `to_stride` apart.
template <class T>
void copy_block_rows_of_vector(T const* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
                               std::int64_t rows, int n) {
    for (std::int64_t j = 0; j < rows; ++j)
        for (int r = 0; r < n; ++r) to[j * to_stride * n + r] = from[j * from_stride * n + r];
}

/// Memory of the workers that solve the systems of a batch.
template <class T>
struct ends_workers {
    std::int64_t count, bytes; ///< bytes of each
    std::int64_t max_saved;    ///< bytes of saved pivot rows of each

    ends_workers(host_executor const& exec, matrix_rows<T> const& a, int rhs_count)
        : count(std::min<std::int64_t>(exec.threads(), a.batch.systems)), max_saved(max_saved_bytes / count) {
        matrix_rows<T> of = a;
        of.scalar_rows = std::min(largest_system(a), max_rows_of_block_ends);
        std::int64_t const vectors = a.batch.interleaved ? align_elements<T>(rhs_count * of.scalar_rows) : 0;
        std::int64_t needed = ends_bytes(of, rhs_count, max_saved);
        if constexpr (!is_complex_lane<T>) {
            // The largest system whose pivot rows are all saved may need more than a larger one.
            std::int64_t const row_bytes = (ends_of(of, rhs_count).width + 1 + max_rhs) * std::int64_t(sizeof(T));
            of.scalar_rows = std::min(of.scalar_rows, max_saved / row_bytes);
            needed = std::max(needed, ends_bytes(of, rhs_count, max_saved));
        }
        bytes = vectors * std::int64_t(sizeof(T)) + needed;
    }

    /// Solves system s of `all` with the memory of one worker.
    void solve(matrix_block_rows<T> const& all, std::int64_t s, elimination<real_lane_t<T>> const& how,
               std::byte* memory) const {
        host_executor const alone{1};
        matrix_block_rows<T> one = system_of(all, s);
        std::int64_t const rows = one.a.batch.rows, stride = all.a.batch.system(s).stride, size = one.a.scalar_rows;
        if (rows == 0) return;
        if (stride == 1) return solve_system_from_ends(alone, one, how, memory, max_saved);
        T* const vectors = reinterpret_cast<T*>(memory);
        for (int c = 0; c < one.rhs_count; ++c)
            copy_block_rows_of_vector(one.d + c * one.d_leading, stride, vectors + c * size, 1, rows, one.a.n);
        T* const x = one.x;
        one.d = one.x = vectors;
        one.d_leading = one.x_leading = size;
        std::int64_t const after = align_elements<T>(one.rhs_count * size) * std::int64_t(sizeof(T));
        solve_system_from_ends(alone, one, how, memory + after, max_saved, stride);
        for (int c = 0; c < one.rhs_count; ++c)
            copy_block_rows_of_vector(vectors + c * size, 1, x + c * all.x_leading, stride, rows, one.a.n);
    }
};

/// Bytes of memory that solve_from_ends() needs.
template <class T>
std::int64_t ends_bytes(host_executor const& exec, matrix_rows<T> const& a, int rhs_count) {
    if (a.batch.systems == 1) return ends_bytes(a, rhs_count);
    ends_workers<T> const workers(exec, a, rhs_count);
    return workers.count * workers.bytes;
}

/// Solves all systems of `block_rows` from both ends; the systems of a batch in parallel.
template <class T>
void solve_from_ends(host_executor const& exec, matrix_block_rows<T> const& block_rows,
                     elimination<real_lane_t<T>> const& how, std::byte* memory, int const* predicate,
                     std::int64_t max_saved = max_saved_bytes) {
    if (!is_enabled(predicate)) return;
    std::int64_t const systems = block_rows.a.batch.systems;
    if (systems == 1) return solve_system_from_ends(exec, block_rows, how, memory, max_saved);
    ends_workers<T> const workers(exec, block_rows.a, block_rows.rhs_count);
    std::int64_t const group = std::max<std::int64_t>(1, systems / (workers.count * 16));
    std::atomic<std::int64_t> next = 0; // of the systems that no worker has taken
    detail::for_each_block(exec, workers.count, 1, [&](std::int64_t w, std::int64_t, std::int64_t) {
        for (std::int64_t first = next.fetch_add(group); first < systems; first = next.fetch_add(group))
            for (std::int64_t s = first; s < std::min(systems, first + group); ++s)
                workers.solve(block_rows, s, how, memory + w * workers.bytes);
    });
}

} // namespace coppice::inline v0_1::chain
