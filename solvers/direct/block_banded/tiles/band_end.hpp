// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One end of a banded system on one core: tiles of its rows, elimination steps, and back substitution. Included by
/// band_ends.cpp, which is compiled for several instruction sets, so everything is in an unnamed namespace.
#pragma once

#include <coppice/solvers/direct/block_banded/tiles/band_ends.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_front.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::chain;

constexpr int tile_rows = band_ends<float>::tile_rows;

/// Number of steps of the tile that starts at step u, with steps up to `to`.
COPPICE_ALWAYS_INLINE int steps_in_tile(std::int64_t u, std::int64_t to) {
    return to - u >= tile_rows ? tile_rows : to > u ? int(to - u) : 0;
}

/// Multiplies each row by a power of two so that the largest of its `Entries` entries is about 1. Entry or right-hand
/// side j of row t is rows[j pitch + t].
template <int Entries, class T>
void scale_rows(T* rows, int pitch, int count, int rhs_count) {
    for (int t = 0; t < count; ++t) {
        T largest(0);
        for (int j = 0; j < Entries; ++j) largest = larger(magnitude(rows[j * pitch + t]), largest);
        row_scale<T> const scale(largest);
        for (int j = 0; j < Entries + rhs_count; ++j) rows[j * pitch + t] = scale.of(rows[j * pitch + t]);
    }
}

/// Copies `count` rows of a block tridiagonal matrix, from `row` on, upwards if `down` is -1. The entry of the t-th row
/// in the k-th column after (down = -1: before) its own goes to to[k pitch + t]. Does not write entries outside of the
/// blocks. Block rows are `stride` blocks apart.
template <int N, class T>
void copy_block_rows(matrix_rows<T> const& a, std::int64_t stride, std::int64_t row, int down, T* to, int pitch,
                     int count) {
    bool const transposed = a.op != matrix_operation::none;
    std::int64_t block = row / N;
    int r = int(row - block * N);
    T const* const bands[] = {transposed ? a.upper : a.lower, a.diagonal, transposed ? a.lower : a.upper};
    int const step = down * pitch, across = transposed ? 1 : N;
    std::int64_t const square = stride * (N * N);
    for (int t = 0; t < count; ++t) {
        for (int b = -1; b <= 1; ++b) {
            std::int64_t const column = block + b;
            if (column < 0 || column >= a.batch.rows) continue;
            T const* const from = bands[b + 1] + (transposed ? column * square + r * N : block * square + r);
            T* const first = to + (b * N - r) * step + t;
            COPPICE_UNROLL_ALL
            for (int q = 0; q < N; ++q) first[q * step] = from[q * across];
        }
        r += down;
        if (r < 0 || r == N) {
            r = r < 0 ? N - 1 : 0;
            block += down;
        }
    }
}
template <class T>
void copy_block_rows(matrix_rows<T> const& a, std::int64_t stride, std::int64_t row, int down, T* to, int pitch,
                     int count) {
    [&]<int... N>(std::integer_sequence<int, N...>) {
        ((a.n == N + min_block_of_ends ? copy_block_rows<N + min_block_of_ends>(a, stride, row, down, to, pitch, count)
                                       : void()),
         ...);
    }
    (std::make_integer_sequence<int, max_block_of_ends - min_block_of_ends + 1>());
}

/// One end of a system. Rows and unknowns are counted from this end; row i has its entries in columns i - below ... i -
/// below + Width.
template <class T, int Lanes, int Width>
struct one_end {
    using column = front_column<T, Lanes>;
    using front = lane_front<column, Width>;
    static constexpr int width = Width, pitch = tile_rows, entries_pitch = Width + 1;

    band_ends<T> const& e;
    bool const last; ///< this end starts at the last row of the system and counts upwards
    int const below, rhs_count;
    std::int64_t const steps, rows;
    std::int64_t const mine; ///< rows from here on belong to the other end
    T *const memory, *const tile, *const entries, *const values, *const known_after;

    one_end(band_ends<T> const& job, int which)
        : e(job), last(which == 1), below(last ? job.upper : job.lower), rhs_count(job.rhs_count),
          steps(job.steps[which]), rows(job.a.scalar_rows), mine(steps + below),
          memory(job.memory + which * job.end_elements), tile(memory + job.tile), entries(memory + job.entries),
          values(memory + job.values), known_after(memory + job.known_after) {}

    std::int64_t row_of(std::int64_t i) const { return last ? rows - 1 - i : i; }
    column* front_at(std::int64_t block) const { return reinterpret_cast<column*>(memory + block * e.front_pitch); }

    /// Copies a row of the tile: elements [first, after) of `count` are from[0], from[1], ... or, from the last row,
    /// from[0], from[-1], ...; the other elements are zero.
    void copy_run(T* to, T const* from, int count, std::int64_t first, std::int64_t after) const {
        if (count < pitch || first > 0 || after < pitch)
            for (int t = 0; t < count; ++t) to[t] = t >= first && t < after ? from[last ? -t : t] : T(0);
        else if (last)
            for (int t = 0; t < pitch; ++t) to[t] = from[-t];
        else
            for (int t = 0; t < pitch; ++t) to[t] = from[t];
    }
    /// Copies `count` rows from row i on, with their right-hand sides.
    void load_tile(T* to, std::int64_t i, int count) const {
        e.a.banded() ? load_bands(to, i, count) : load_blocks(to, i, count);
        for (int s = 0; s < rhs_count; ++s)
            copy_run(to + (Width + 1 + s) * pitch, e.d + s * e.d_leading + row_of(i), count, -i, mine - i);
        finish_tile(to, count);
    }
    void load_blocks(T* to, std::int64_t i, int count) const {
        for (int j = 0; j <= Width; ++j)
            for (int t = 0; t < count; ++t) to[j * pitch + t] = T(0);
        copy_block_rows(e.a, e.block_stride, row_of(i), last ? -1 : 1, to + below * pitch, pitch, count);
    }
    void load_bands(T* to, std::int64_t i, int count) const {
        matrix_rows<T> const& a = e.a;
        bool const transposed = a.op != matrix_operation::none;
        for (int j = 0; j <= Width; ++j) {
            int const k = j - below, across = last ? -k : k, band = transposed ? -across : across;
            bool const stored = -a.lower_bands <= band && band <= a.upper_bands;
            std::int64_t const first = (k < 0 ? -k : 0) - i, after = (k < 0 ? rows : rows - k) - i;
            std::int64_t const at = (band + a.lower_bands) * a.scalar_rows + row_of(i) + (transposed ? across : 0);
            copy_run(to + j * pitch, a.diagonal + at, count, first, stored ? after : first);
        }
    }
    void finish_tile(T* to, int count) const {
        if (e.how.equilibrate) scale_rows<Width + 1>(to, pitch, count, rhs_count);
    }
    /// Initialises the front with the first rows.
    void start() const {
        if (e.a.lower_bands + e.a.upper_bands < Width) // columns without a band are never written again
            for (int t = 0; t < 2 * (Width + 1 + rhs_count) * pitch; ++t) tile[t] = T(0);
        load_tile(tile, 0, below);
        T* const to = reinterpret_cast<T*>(front_at(0));
        for (int c = 0; c < Width + rhs_count; ++c)
            for (int r = 0; r < Lanes; ++r) {
                int const j = c < Width ? c - r + below : c + 1; // column in the tile
                to[c * Lanes + r] = r < below && (c >= Width || j <= Width) ? tile[j * pitch + r] : T(0);
            }
    }
    void report(std::int64_t unknown) const {
        std::int64_t& first = e.met[last ? 1 : 0];
        if (unknown < first) first = unknown;
    }
    /// Back substitution through steps [first, to), whose pivot rows are saved, and storage of their unknowns. The
    /// memory before row `held` may contain right-hand sides that are read later; the unknowns of these rows are stored
    /// with the next steps.
    void substitute(std::int64_t first, std::int64_t to, std::int64_t held) const {
        for (int s = 0; s < rhs_count; ++s) {
            T* const around = known_after + s * Width;
            std::int64_t const from = held > to ? held : to;
            store(from, to + below, s, around + (from - to));
            T* const value = values + s * e.saved_rows;
            substitute_rhs(entries, to - first, value, around);
            store(held, to, s, value + (held - first));
        }
    }
    /// Replaces the right-hand sides of pivot rows in value[count) by unknowns; on entry `around` holds the unknowns
    /// after these, on return the first ones.
    static void substitute_rhs(T const* pivots, std::int64_t count, T* value, T* around) {
        T known[Width];
        for (int j = 0; j < Width; ++j) known[j] = around[j];
        for (std::int64_t u = count - 1; u >= 0; --u) {
            T const* const row = pivots + u * entries_pitch;
            T rest = value[u];
#pragma GCC unroll 32
            for (int j = Width - 1; j >= 0; --j)
                rest =
                    rest - row[j + 1] * known[j]; // the newest unknown comes last, so that fewer operations wait for it
#pragma GCC unroll 32
            for (int j = Width - 1; j > 0; --j) known[j] = known[j - 1];
            known[0] = value[u] = rest * row[0];
        }
        for (int j = 0; j < Width; ++j) around[j] = known[j];
    }
    /// Stores unknowns [from, to) of right-hand side `rhs`; x points to unknown `from`.
    void store(std::int64_t from, std::int64_t to, int rhs, T const* x) const {
        T* const at = e.x + rhs * e.x_leading;
        for (std::int64_t i = from; i < to; ++i) at[row_of(i)] = x[i - from];
    }
};

/// Copies a tile of an end column by column, one column during the elimination of each row of the previous tile, and
/// prefetches the memory of the tile after the next. So few cache lines are in use at a time that bands whose addresses
/// differ by a power of two do not evict each other.
template <class T, class End>
struct tile_copy {
    static constexpr int ahead = 3, lines = tile_rows * int(sizeof(T)) / 64, width = register_bytes / int(sizeof(T));
    typedef T vector __attribute__((vector_size(register_bytes)));

    T const *band, *rhs; ///< sources of columns 0 and Width + 1; null for a tile at a boundary of the matrix
    std::int64_t band_step, rhs_step;
    int first, after, columns; ///< columns [first, after) are stored bands
    bool last;

    /// Copies rows [i, i + count).
    COPPICE_ALWAYS_INLINE tile_copy(End const& end, std::int64_t i, int count) {
        matrix_rows<T> const& a = end.e.a;
        bool const transposed = a.op != matrix_operation::none;
        bool const inside = a.banded() && count == tile_rows && i >= end.below &&
                            i + count <= end.rows - (End::width - end.below) && i + count <= end.mine;
        int const across = end.last ? end.below : -end.below, band_number = transposed ? -across : across;
        std::int64_t const down = end.last != transposed ? -a.scalar_rows : a.scalar_rows;
        last = end.last;
        band_step = down + (transposed ? (last ? -1 : 1) : 0);
        rhs_step = end.e.d_leading;
        std::int64_t const at =
            (band_number + a.lower_bands) * a.scalar_rows + end.row_of(i) + (transposed ? across : 0);
        band = inside ? a.diagonal + at : nullptr;
        rhs = end.e.d + end.row_of(i);
        int const bands_below = transposed ? a.upper_bands : a.lower_bands,
                  bands_above = transposed ? a.lower_bands : a.upper_bands;
        first = end.below - (last ? bands_above : bands_below);
        after = end.below + (last ? bands_below : bands_above) + 1;
        columns = End::width + 1 + end.rhs_count;
    }
    COPPICE_ALWAYS_INLINE T const* from(int j) const {
        return j <= End::width ? band + j * band_step : rhs + (j - End::width - 1) * rhs_step;
    }
    COPPICE_ALWAYS_INLINE bool has(int j) const { return j > End::width ? j < columns : first <= j && j < after; }
    COPPICE_ALWAYS_INLINE void work(int j, T* tile) const {
        if (!band) return;
        if (has(j + ahead)) {
            char const* const next = reinterpret_cast<char const*>(from(j + ahead));
            for (int line = 0; line <= lines; ++line) __builtin_prefetch(next + (last ? -64 : 64) * line);
        }
        if (!has(j)) return;
        T const* const source = from(j);
        T* const to = tile + j * tile_rows;
#pragma GCC unroll 16
        for (int t = 0; t < tile_rows; t += width) { // a call would spill the registers of the front
            vector values;
            __builtin_memcpy(&values, last ? source - t - (width - 1) : source + t, sizeof(values));
            if (last) values = backwards(values, std::make_integer_sequence<int, width>());
            __builtin_memcpy(to + t, &values, sizeof(values));
        }
    }

private:
    template <int... Lane>
    COPPICE_ALWAYS_INLINE static vector backwards(vector v, std::integer_sequence<int, Lane...>) {
        return __builtin_shufflevector(v, v, (width - 1 - Lane)...);
    }
};

/// Elimination steps of an end from step `first` on, with the front in registers.
template <class End>
struct walk {
    using T = typename End::column::value_type;
    using column = typename End::column;
    using front = typename End::front;

    End const& end;
    T *const entries, *const values;
    column* const rhs;
    int const rhs_count, saved_rows;
    bool const flush;
    T const threshold;
    std::int64_t const first;

    COPPICE_ALWAYS_INLINE walk(End const& e, std::int64_t next, std::int64_t step)
        : end(e), entries(e.entries), values(e.values), rhs(e.front_at(next) + End::width), rhs_count(e.rhs_count),
          saved_rows(int(e.e.saved_rows)), flush(e.e.how.flush), threshold(e.e.how.threshold), first(step) {}
    COPPICE_ALWAYS_INLINE void begin(front& f, std::int64_t block) const {
        column const* const saved = end.front_at(block);
        f.load(saved);
        for (int s = 0; s < rhs_count; ++s) rhs[s] = saved[End::width + s];
    }
    COPPICE_ALWAYS_INLINE void save(front const& f) const { f.save(rhs - End::width); }
    COPPICE_ALWAYS_INLINE T* tile(int current) const {
        return end.tile + current * (End::width + 1 + rhs_count) * tile_rows;
    }
    COPPICE_ALWAYS_INLINE void load(T* tile, std::int64_t u, int count) const {
        if (count > 0) end.load_tile(tile, u + end.below, count);
    }
    COPPICE_ALWAYS_INLINE void step(front& f, std::int64_t u, T const* row) const {
        std::int64_t const at = u - first;
        bool const none =
            f.eliminate(entering_row<T>{row, row + (End::width + 1) * End::pitch, End::pitch}, rhs, rhs_count, flush,
                        threshold, saved_row<T>{entries + at * End::entries_pitch, values + at, saved_rows});
        if (none) end.report(u);
    }
};

/// An end while it advances: its two tiles, of which one is used while the other is filled, and its front.
template <class End>
struct advancing_end {
    using T = typename End::column::value_type;

    walk<End> const steps;
    tile_copy<T, End> copy;
    typename End::front front;
    int current = 0;

    /// From front `block` on, with the rows of its first `count` steps, which start at step `from`.
    COPPICE_ALWAYS_INLINE advancing_end(End const& end, std::int64_t block, std::int64_t next, std::int64_t first,
                                        std::int64_t from, int count)
        : steps(end, next, first), copy(end, from + end.below, count) {
        steps.begin(front, block);
        steps.load(steps.tile(0), from, count);
    }
    /// Copies the tile of `count` steps from step u on, while the present one is used.
    COPPICE_ALWAYS_INLINE void copy_from(std::int64_t u, int count) {
        copy = tile_copy<T, End>(steps.end, u + steps.end.below, count);
    }
    COPPICE_ALWAYS_INLINE void step(std::int64_t u, int t) { steps.step(front, u, steps.tile(current) + t); }
    COPPICE_ALWAYS_INLINE void copy_column(int j) const { copy.work(j, steps.tile(1 - current)); }
    /// Continues with the tile that `copy` has filled, or fills it.
    COPPICE_ALWAYS_INLINE void go_on(std::int64_t u, int count) {
        current = 1 - current;
        T* const now = steps.tile(current);
        if (copy.band)
            steps.end.finish_tile(now, count);
        else
            steps.end.load_tile(now, u + steps.end.below, count);
    }
};

/// Executes steps [from, to) of one end, or of two, interleaved: the instructions of one end fill the latencies of the
/// other. Goes from front `block` to front `next`; the pivot row of step `first` is the first one that is saved.
template <class... End>
COPPICE_ALWAYS_INLINE void advance_all(std::int64_t from, std::int64_t to, int count, advancing_end<End>... ends) {
    for (std::int64_t u = from; u < to; u += tile_rows) {
        int const next_count = steps_in_tile(u + tile_rows, to);
        (ends.copy_from(u + tile_rows, next_count), ...);
        for (int t = 0; t < count; ++t) {
            (ends.step(u + t, t), ...);
            (ends.copy_column(t), ...);
        }
        if (next_count > 0) (ends.go_on(u + tile_rows, next_count), ...);
        count = next_count;
    }
    (ends.steps.save(ends.front), ...);
}
template <class... End>
void advance(std::int64_t block, std::int64_t next, std::int64_t first, std::int64_t from, std::int64_t to,
             End const&... ends) {
    int const count = steps_in_tile(from, to);
    advance_all(from, to, count, advancing_end<End>(ends, block, next, first, from, count)...);
}

} // namespace
} // namespace coppice::inline v0_1::COPPICE_ISA
