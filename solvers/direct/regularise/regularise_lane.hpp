// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of tridiagonal_regulariser: finds singular pieces of a system and regularises them.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/algebra/random.hpp>
#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/core/memory.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// Diagnostics of the rows of a system. Two whole words without padding bytes, which a device would copy uninitialised.
struct system_diagnostics {
    double largest; ///< largest magnitude of an entry; NaN if there is a NaN
    /// 1: every diagonal entry exceeds the sum of the others in its row by more than rounding errors
    std::int64_t dominant;
};
struct worse_diagnostics {
    COPPICE_HD system_diagnostics operator()(system_diagnostics const& a, system_diagnostics const& b) const {
        return {maximum{}(a.largest, b.largest), a.dominant & b.dominant};
    }
};
template <class T>
struct row_diagnostics {
    static constexpr double margin = 1 + 0x1p-20;

    tridiagonal_view<T> a;
    COPPICE_HD system_diagnostics operator()(std::int64_t i) const {
        double const lower = i > 0 ? double(magnitude(a.lower[i])) : 0.0;
        double const upper = i + 1 < a.size() ? double(magnitude(a.upper[i])) : 0.0;
        double const middle = magnitude(a.diagonal[i]);
        maximum const larger_or_nan;
        return {larger_or_nan(larger_or_nan(lower, upper), middle), middle > 0 && middle >= margin * (lower + upper)};
    }
};
/// A test solve that detects singular pieces: the matrix, scaled to about 1, and a random right-hand side in proportion
/// to the size of the rows. It is so small that a zero pivot gives a large result, not an infinite one, which would
/// affect other pieces.
template <class T>
struct tridiagonal_probe {
    static constexpr int exponents = std::numeric_limits<T>::max_exponent;
    static constexpr double shrink = exponents > 128 ? 0x1p-500 : 0x1p-60; ///< factor of the right-hand side

    tridiagonal_view<T> a;
    double scale; ///< a power of two
    /// Bound of |d_i| / sum of |a_ij x_j|, below which the terms of a row cancel; 0 disables this test.
    double cancellation;
    T *lower, *diagonal, *upper, *rhs, *solution;

    /// Fills row i. Corner entries are zero, so that rows outside do not matter.
    COPPICE_HD void operator()(std::int64_t i) const {
        lower[i] = i > 0 ? T(scale * double(a.lower[i])) : T(0);
        diagonal[i] = T(scale * double(a.diagonal[i]));
        upper[i] = i + 1 < a.size() ? T(scale * double(a.upper[i])) : T(0);
        random_stream const random(0, 7);
        rhs[i] = rhs_of(i, random.bits(std::uint64_t(i)) & 1);
    }
    /// The right-hand side of row i.
    COPPICE_HD T rhs_of(std::int64_t i, bool negative) const {
        return draw_rhs(i, scale * row_diagnostics<T>{a}(i).largest, negative);
    }
    /// The right-hand side of row i, whose largest scaled entry has magnitude `size`.
    COPPICE_HD static T draw_rhs(std::int64_t i, double size, bool negative) {
        double const draw = random_stream(0, 7).uniform(std::uint64_t(i), 0.5, 1.0);
        return T(shrink * (size > shrink ? size : shrink) * (negative ? -draw : draw));
    }
    /// Whether row i breaks, i.e. indicates a nearly singular matrix: its terms cancel to working precision, for any
    /// scale of rows and unknowns, or its unknown is larger than 1, as without a pivot.
    COPPICE_HD bool breaks(std::int64_t i) const {
        if (i < 0 || i >= a.size()) return false;
        double const here = magnitude(solution[i]);
        double terms = double(magnitude(diagonal[i])) * here;
        if (i > 0) terms += term(lower[i], solution[i - 1]);
        if (i + 1 < a.size()) terms += term(upper[i], solution[i + 1]);
        double const right = magnitude(rhs[i]);
        return !(cancellation * terms <= right && here <= 1);
    }
    /// Zero for a zero coefficient, even if x is not finite in another piece.
    COPPICE_HD static double term(T coefficient, T x) {
        return coefficient == T(0) ? 0.0 : double(magnitude(coefficient)) * double(magnitude(x));
    }
};

/// The pieces of a system: maximal ranges of rows without a coupling to other rows. A piece is regularised as a whole
/// if any of its rows breaks (see tridiagonal_probe::breaks): rounding errors affect which rows break, but not whether
/// any row does.
template <class T>
struct begins_piece {
    tridiagonal_view<T> a;
    COPPICE_HD bool operator()(std::int64_t i) const {
        return i == 0 || (a.lower[i] == T(0) && a.upper[i - 1] == T(0));
    }
};
template <class Begins>
struct store_piece {
    Begins begins;
    std::int32_t* piece;
    COPPICE_HD void operator()(std::int64_t i, std::int64_t before) const {
        piece[i] = std::int32_t(before + (begins(i) ? 1 : 0) - 1);
    }
};
/// Flags the rows that break (Probe::breaks), in addition to those already flagged, and counts both. `Probe`:
/// tridiagonal_probe, or another test solve with its elements.
template <class Probe>
struct flag_broken {
    Probe probe;
    bool first;
    std::uint8_t* broken;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        broken[i] = probe.breaks(i) || (!first && broken[i]) ? 1 : 0;
        return broken[i];
    }
};
/// The next right-hand side has the signs of the last solution. A random right-hand side can be nearly orthogonal to
/// the vectors that a singular piece amplifies. This one is not if the piece is nearly symmetric (the step of Hager's
/// condition estimate, 1984).
template <class Probe>
struct next_rhs {
    Probe probe;
    COPPICE_HD void operator()(std::int64_t i) const { probe.rhs[i] = probe.rhs_of(i, probe.solution[i] < 0); }
};
/// Executes a test solve by `solve`, which computes probe.solution for probe.rhs, twice; flags the rows that break and
/// returns their number.
template <executor Executor, class Probe, class Solve>
std::int64_t flag_broken_rows(Executor const& exec, std::int64_t n, Probe const& probe, std::uint8_t* broken,
                              Solve const& solve) {
    for_each(exec, n, probe);
    solve();
    reduce(exec, n, std::int64_t(0), flag_broken<Probe>{probe, true, broken}, plus{});
    for_each(exec, n, next_rhs<Probe>{probe});
    solve();
    return reduce(exec, n, std::int64_t(0), flag_broken<Probe>{probe, false, broken}, plus{});
}
/// Whether piece p has at most `longest` rows, and one of them indicates a nearly singular matrix.
COPPICE_HD inline bool piece_breaks(std::int32_t const* starts, std::int32_t const* broken_before, std::int64_t p,
                                    std::int32_t longest) {
    std::int32_t const first = starts[p], end = starts[p + 1];
    return end - first <= longest && broken_before[end] > broken_before[first];
}

/// Repeats the test for a single piece, separately from the other ones: if the solver takes its pivots from all rows of
/// a system, rows of regular pieces next to a singular piece may break too. One worker eliminates the piece with
/// partial pivoting; only for pieces of at most `longest` rows.
template <class T>
struct examine_piece {
    static constexpr std::int32_t longest = 1024; ///< rows

    tridiagonal_probe<T> probe;
    std::int32_t const *starts, *broken_before;
    std::uint8_t* broken;

    /// Whether piece p must be tested again.
    COPPICE_HD bool suspected(std::int64_t p) const { return piece_breaks(starts, broken_before, p, longest); }
    COPPICE_HD void operator()(std::int64_t p) const {
        if (!suspected(p)) return;
        std::int64_t const first = starts[p], end = starts[p + 1];
        bool breaks = false;
        for (int pass = 0; pass < 2; ++pass) {
            for (std::int64_t i = first; i < end; ++i) {
                bool const negative = probe.solution[i] < T(0);
                probe(i);
                if (pass > 0) probe.rhs[i] = probe.rhs_of(i, negative);
            }
            solve(first, end);
            for (std::int64_t i = first; i < end; ++i) {
                T const right = probe.rhs[i];
                probe(i); // the solve overwrites the bands
                probe.rhs[i] = right;
            }
            for (std::int64_t i = first; i < end; ++i) breaks = breaks || probe.breaks(i);
        }
        for (std::int64_t i = first; i < end; ++i) broken[i] = breaks ? 1 : 0;
    }

private:
    /// Solves as LAPACK's gtsv and overwrites the bands. A zero pivot is replaced by the smallest normal number.
    COPPICE_HD void solve(std::int64_t first, std::int64_t end) const {
        T *const lower = probe.lower, *const diagonal = probe.diagonal, *const upper = probe.upper,
                 *const x = probe.solution;
        for (std::int64_t i = first; i < end; ++i) x[i] = probe.rhs[i];
        for (std::int64_t i = first; i + 1 < end; ++i) { // lower[i] becomes the second entry above the diagonal
            T const below = lower[i + 1];
            lower[i] = T(0);
            if (magnitude(below) > magnitude(diagonal[i])) {
                T const factor = diagonal[i] / below, middle = diagonal[i + 1], old = x[i];
                lower[i] = upper[i + 1];
                diagonal[i] = below;
                diagonal[i + 1] = upper[i] - factor * middle;
                upper[i + 1] = -factor * lower[i];
                upper[i] = middle;
                x[i] = x[i + 1];
                x[i + 1] = old - factor * x[i];
            } else {
                T const factor = below * safe_reciprocal(diagonal[i]);
                diagonal[i + 1] -= factor * upper[i];
                x[i + 1] -= factor * x[i];
            }
        }
        for (std::int64_t i = end - 1; i >= first; --i) {
            T value = x[i];
            if (i + 1 < end) value -= upper[i] * x[i + 1];
            if (i + 2 < end) value -= lower[i] * x[i + 2];
            x[i] = value * safe_reciprocal(diagonal[i]);
        }
    }
};
/// Whether piece p is nearly singular according to its separate test.
template <class T>
struct breaks_alone {
    examine_piece<T> pieces;
    COPPICE_HD std::int64_t operator()(std::int64_t p) const { return pieces.suspected(p) ? 1 : 0; }
};
/// Whether the piece of row i is to be regularised.
struct regularised_pieces {
    std::int32_t const *piece, *starts, *broken_before;
    std::int32_t longest; ///< rows of a piece that may be regularised
    COPPICE_HD bool operator()(std::int64_t i) const { return piece_breaks(starts, broken_before, piece[i], longest); }
};
struct count_regularised {
    regularised_pieces selected;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return selected(i) ? 1 : 0; }
};

/// The sum of the entries of a row or column.
struct entry_sum {
    double sum = 0, size = 0; ///< size: of the magnitudes
    int count = 0;
    COPPICE_HD void add(double value) {
        sum += value;
        size += value < 0 ? -value : value;
        ++count;
    }
    /// Whether it is zero up to rounding in T. If all rows or all columns of a piece sum to zero, as those of a
    /// Laplacian, the piece is singular, whether or not an elimination meets a zero pivot.
    template <class T>
    COPPICE_HD bool vanishes() const {
        return magnitude(sum) <= double(count) * double(std::numeric_limits<T>::epsilon()) * size;
    }
};
template <class T>
struct vanishing_sum {
    tridiagonal_view<T> a;
    bool of_columns = false;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        entry_sum all;
        all.add(a.diagonal[i]);
        if (i > 0) all.add(of_columns ? a.upper[i - 1] : a.lower[i]);
        if (i + 1 < a.size()) all.add(of_columns ? a.lower[i + 1] : a.upper[i]);
        return all.template vanishes<T>() ? 1 : 0;
    }
    COPPICE_HD static bool is_coupled(std::int64_t) { return true; } // a row alone is a piece
};
/// Flags the rows whose sum does not vanish, except those without a coupling, such as padding in a piece.
template <class Sum>
struct store_uneven {
    Sum vanishes;
    std::uint8_t* uneven;
    COPPICE_HD void operator()(std::int64_t i) const { uneven[i] = vanishes(i) == 0 && vanishes.is_coupled(i) ? 1 : 0; }
};
/// Flags the rows with a vanishing sum in pieces without an uneven row, in addition to those already flagged.
template <class Sum>
struct flag_singular {
    Sum vanishes;
    std::int32_t const *piece, *starts, *uneven_before;
    std::uint8_t* broken;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const p = piece[i];
        if (uneven_before[starts[p + 1]] == uneven_before[starts[p]] && vanishes(i) != 0) broken[i] = 1;
    }
};

/// Raises the diagonal entry of a selected row slightly above the sum of the other entries of the row.
template <class T>
struct strengthen_pivot {
    tridiagonal_probe<T> probe;
    regularised_pieces selected;
    double typical; ///< about the largest entry; the pivot of a row without entries
    T* diagonal;    ///< of the original system
    COPPICE_HD void operator()(std::int64_t i) const {
        if (!selected(i)) return;
        double const old = diagonal[i];
        double const neighbours = (i > 0 ? double(magnitude(probe.a.lower[i])) : 0.0) +
                                  (i + 1 < probe.a.size() ? double(magnitude(probe.a.upper[i])) : 0.0);
        double size = old < 0 ? -old : old;
        size = size > neighbours ? size : neighbours;
        size = size > typical * probe.shrink ? (1 + 0x1p-6) * size : typical;
        diagonal[i] = T(old < 0 ? -size : size);
    }
};

/// Number of rows or, if no row is, of columns whose entries sum to zero. Sum: vanishing_sum, or another functor with
/// its element of_columns.
template <executor Executor, class Sum>
std::int64_t count_vanishing(Executor const& exec, std::int64_t n, Sum sum) {
    std::int64_t count = 0;
    for (bool const of_columns : {false, true}) {
        sum.of_columns = of_columns;
        if (count == 0) count = reduce(exec, n, std::int64_t(0), sum, plus{});
    }
    return count;
}

/// A flag of each row, and the pieces that the rows belong to. Owns its memory, which only grows.
template <executor Executor>
class flagged_pieces {
public:
    void resize(Executor const& exec, std::int64_t rows) {
        rows_ = rows;
        if (flags_.size() >= rows) return;
        flags_ = buffer<std::uint8_t>(exec, rows);
        uneven_ = buffer<std::uint8_t>(exec, rows);
        piece_ = buffer<std::int32_t>(exec, rows);
        starts_ = buffer<std::int32_t>(exec, rows + 1);
        flags_before_ = buffer<std::int32_t>(exec, rows + 1);
    }
    std::uint8_t* flags() { return flags_.data(); }
    std::int32_t const* starts() const { return starts_.data(); }
    std::int32_t const* flags_before() const { return flags_before_.data(); }

    /// Finds the pieces, which start at the rows where `begins` is true. Returns their number.
    template <class Begins>
    std::int64_t find(Executor const& exec, Begins const& begins) {
        exclusive_scan(exec, rows_, begins, store_piece<Begins>{begins, piece_.data()}, std::int64_t(0));
        std::int64_t const pieces = select(exec, rows_, begins, store_offset<std::int32_t>{starts_.data()});
        fill(exec, starts_.view().slice(pieces, 1), std::int32_t(rows_));
        return pieces;
    }
    /// Updates flags_before().
    void count(Executor const& exec) { count_before(exec, flags_); }
    /// Flags, in addition, the rows of pieces in which all rows or all columns sum to zero; Sum as in
    /// count_vanishing(). Overwrites flags_before().
    template <class Sum>
    void flag_vanishing(Executor const& exec, Sum sum) {
        for (bool const of_columns : {false, true}) {
            sum.of_columns = of_columns;
            for_each(exec, rows_, store_uneven<Sum>{sum, uneven_.data()});
            count_before(exec, uneven_);
            for_each(exec, rows_,
                     flag_singular<Sum>{sum, piece_.data(), starts_.data(), flags_before_.data(), flags_.data()});
        }
    }
    /// The pieces of up to `longest` rows with a flag, as counted.
    regularised_pieces flagged(std::int32_t longest = std::numeric_limits<std::int32_t>::max()) const {
        return {piece_.data(), starts_.data(), flags_before_.data(), longest};
    }

private:
    void count_before(Executor const& exec, buffer<std::uint8_t> const& flags) {
        std::int64_t const all = exclusive_scan(exec, rows_, flag_at{flags.data()},
                                                store_offset<std::int32_t>{flags_before_.data()}, std::int64_t(0));
        fill(exec, flags_before_.view().slice(rows_, 1), std::int32_t(all));
    }

    std::int64_t rows_ = 0;
    buffer<std::uint8_t> flags_{}, uneven_{};
    buffer<std::int32_t> piece_{}, starts_{}, flags_before_{};
};

} // namespace coppice::inline v0_1::detail
