// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Error of a solution in single rows of A x = d: the lane code of reports. The arithmetic is double, with one row in
/// each lane. Results over rows are maxima, so that their order does not matter.
///
/// Sums of magnitudes are divided by 64: with finite entries no row sum overflows, and the division is exact.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_rows.hpp>

namespace coppice::inline v0_1::chain {

COPPICE_LANE double widened(float a) { return a; }
COPPICE_LANE double widened(double a) { return a; }
template <class R>
COPPICE_LANE complex_lane<double> widened(complex_lane<R> const& a) {
    return {double(a.re), double(a.im)};
}
/// Conversion back to the lane type of the second argument.
template <class R>
COPPICE_LANE R narrowed(double v, R) {
    return R(v);
}
template <class R>
COPPICE_LANE complex_lane<R> narrowed(complex_lane<double> const& v, complex_lane<R>) {
    return {R(v.re), R(v.im)};
}

/// Maximum of two nonnegative values; NaN if either is NaN. Compares their bits as integers, in which NaN is larger
/// than infinity; this needs no branch, which saves time for small systems. A NaN from a GPU may have a sign bit, so it
/// is removed from b; a is 0 or a result of this function.
COPPICE_LANE double larger_or_nan(double a, double b) {
    constexpr std::int64_t all_but_sign = std::numeric_limits<std::int64_t>::max();
    std::int64_t first, second;
    __builtin_memcpy(&first, &a, sizeof(a));
    __builtin_memcpy(&second, &b, sizeof(b));
    second &= all_but_sign;
    first = second > first ? second : first;
    __builtin_memcpy(&a, &first, sizeof(a));
    return a;
}
template <class Pack>
requires requires { typename Pack::bits; }
COPPICE_ALWAYS_INLINE Pack larger_or_nan(Pack a, Pack const& b) {
    using bits = typename Pack::bits;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a.v is an array of registers
    for (int r = 0; r < int(sizeof(a.v) / sizeof(a.v[0])); ++r) {
        bits const first = (bits)a.v[r], second = (bits)b.v[r];
        a.v[r] = (decltype(a.v[r] + a.v[r]))(second > first ? second : first); // one instruction with AVX-512
    }
    return a;
}

inline constexpr double magnitude_unit = 64; ///< unit of sums of magnitudes

/// Maxima over rows; R is a real lane type of double. |.| of a complex number is |re| + |im|.
template <class R>
struct row_extremes {
    R residual{0.0}, matrix{0.0}, solution{0.0}, rhs{0.0}, componentwise{0.0};
    R zero_unknown{0.0}; ///< 1 if an unknown is zero

    /// Adds the magnitudes of a row: its residual, the sum of its entries, its unknown, its right-hand side, and |A|
    /// |x|.
    COPPICE_LANE void add(R const& r, R const& row, R const& x, R const& d, R const& product) {
        R const total = product + d * R(1 / magnitude_unit);
        R const quotient = select(total <= R(0.0), R(1.0), r / total * R(1 / magnitude_unit));
        residual = larger_or_nan(residual, r);
        matrix = larger_or_nan(matrix, row);
        solution = larger_or_nan(solution, x);
        rhs = larger_or_nan(rhs, d);
        componentwise = larger_or_nan(componentwise, select(r <= R(0.0), R(0.0), magnitude(quotient)));
        zero_unknown = select(x <= R(0.0), R(1.0), zero_unknown);
    }
    /// The maxima f(x), or f(x, y), of the maxima x and y of other objects.
    template <class F, class... Extremes>
    static COPPICE_LANE row_extremes each(F const& f, Extremes const&... of) {
        return {f(of.residual...), f(of.matrix...),        f(of.solution...),
                f(of.rhs...),      f(of.componentwise...), f(of.zero_unknown...)};
    }
};

/// row_extremes for rows of float on a GPU, on which a division of doubles takes twenty instructions. It compares
/// quotients by cross multiplication, which does not overflow in double, and divides once at the end.
struct quotient_extremes : row_extremes<double> {
    double numerator = 0, denominator = 1; ///< of the largest quotient

    COPPICE_LANE void add(double r, double row, double x, double d, double product) {
        double const all = product + d * (1 / magnitude_unit);
        bool const more = r * denominator > numerator * all; // if all = 0, then r = 0
        numerator = more ? r : numerator;
        denominator = more ? all : denominator;
        residual = larger_or_nan(residual, r);
        matrix = larger_or_nan(matrix, row);
        solution = larger_or_nan(solution, x);
        rhs = larger_or_nan(rhs, d);
        zero_unknown = x <= 0 ? 1 : zero_unknown;
    }
    COPPICE_HD row_extremes<double> divided() const {
        row_extremes<double> all = *this;
        double const quotient = numerator / denominator * (1 / magnitude_unit);
        all.componentwise = residual - residual == 0 ? quotient : residual - residual; // infinity also gives NaN
        return all;
    }
};

/// Merges the maxima of different rows.
struct larger_extremes {
    using extremes = row_extremes<double>;
    COPPICE_HD extremes operator()(extremes const& a, extremes const& b) const {
        return extremes::each([](double x, double y) { return larger_or_nan(x, y); }, a, b);
    }
};

/// A row in progress: d - A x, and the sums of |A| and |A| |x|, divided by 64. L is a real or complex lane type of
/// double. If `Quick` is set, the sums are divided at the end, and zero entries are not distinguished: the results are
/// the same if quick_suffices() is true.
template <class L, bool Quick = false>
struct row_sums {
    using real = real_lane_t<L>;
    L rest;
    real row{0.0}, product{0.0};

    COPPICE_LANE explicit row_sums(L const& rhs) : rest(rhs) {}
    /// A zero entry contributes nothing, even if x is infinite.
    COPPICE_LANE void add(L const& entry, L const& x) {
        if constexpr (Quick) {
            add_product(entry, x, magnitude(entry));
        } else {
            real const weight = magnitude(entry) * real(1 / magnitude_unit);
            add_product(entry, select(weight <= real(0.0), L(0), x), weight);
        }
    }
    COPPICE_LANE static real divided_by_64(real const& sum) { return Quick ? sum * real(1 / magnitude_unit) : sum; }

private:
    COPPICE_LANE void add_product(L const& entry, L const& x, real const& weight) {
        rest = rest - entry * x;
        row = row + weight;
        product = product + weight * magnitude(x);
    }
};
/// Whether quick sums of rows with these maxima neither overflowed nor met an unknown that is not finite.
COPPICE_HD inline bool quick_suffices(row_extremes<double> const& maxima) {
    return maxima.matrix * maxima.solution <= 1e300 && maxima.matrix <= 1e300 && maxima.solution <= 1e300;
}

/// A, x and d.
template <class T>
struct residual_rows {
    matrix_rows<T> a;
    T const *x, *d;
    std::int64_t x_leading, d_leading;

    /// Sums of row r of block row j of a system, boundaries and cyclic couplings included.
    COPPICE_LANE auto sums(system_location const& s, std::int64_t j, int r, std::int64_t rhs_index) const {
        using wide = decltype(widened(T()));
        row_sums<wide> sum(widened(d[offset(s, j, r) + rhs_index * d_leading]));
        for (int band = 0; band < 3; ++band) {
            std::int64_t block = j - 1 + band; // wraps around if the matrix is cyclic
            block += block < 0 ? s.rows : block >= s.rows ? -s.rows : 0;
            for (int q = 0; q < a.n; ++q) {
                wide const entry = widened(a.entry(s, j, r, band * a.n + q));
                if (magnitude(entry) == 0) continue; // the unknown may not exist
                sum.add(entry, widened(x[offset(s, block, q) + rhs_index * x_leading]));
            }
        }
        return sum;
    }
    COPPICE_LANE void take(system_location const& s, std::int64_t j, int r, std::int64_t rhs_index,
                           row_extremes<double>& maxima) const {
        auto const sum = sums(s, j, r, rhs_index);
        std::int64_t const at = offset(s, j, r);
        maxima.add(magnitude(sum.rest), sum.row, magnitude(widened(x[at + rhs_index * x_leading])),
                   magnitude(widened(d[at + rhs_index * d_leading])), sum.product);
    }
    COPPICE_LANE std::int64_t offset(system_location const& s, std::int64_t j, int r) const {
        return (s.base + j * s.stride) * a.n + r;
    }
};

/// Loads one element.
struct load_one {
    template <class T>
    COPPICE_LANE auto operator()(T const* at) const {
        return widened(*at);
    }
};

inline constexpr int max_diagonals = 17; ///< of a banded matrix: 8 bands on either side

/// The scalar rows of one column of a system with strided access to rows and diagonals, of which there are at most
/// `Most`; `Quick` as in row_sums. Entry and unknown of diagonal t in row j are a[t][j step] and x[t][j step].
template <class T, int Most, bool Quick = false>
struct strided_rows {
    T const *a[Most], *x[Most], *solution, *rhs;
    std::int64_t step, rows;
    int count, below; ///< number of diagonals, and of those below the main diagonal
    bool cyclic, transposed, conjugated;

    COPPICE_LANE strided_rows(residual_rows<T> const& of, system_location const& s, std::int64_t column)
        : solution(of.x + s.base + column * of.x_leading), rhs(of.d + s.base + column * of.d_leading), step(s.stride),
          rows(of.a.banded() ? of.a.scalar_rows : s.rows), cyclic(of.a.cyclic),
          transposed(of.a.op != matrix_operation::none), conjugated(of.a.op == matrix_operation::conjugate_transposed) {
        int const lower = of.a.banded() ? of.a.lower_bands : 1, upper = of.a.banded() ? of.a.upper_bands : 1;
        below = transposed ? upper : lower;
        count = lower + upper + 1;
        COPPICE_UNROLL
        for (int t = 0; t < Most; ++t) {
            if (t >= count) break;
            int const k = t - below;
            x[t] = solution + k * step;
            if (of.a.banded())
                a[t] = of.a.diagonal + ((transposed ? -k : k) + lower) * rows + (transposed ? k : 0);
            else
                a[t] = ((transposed ? -k : k) < 0    ? of.a.lower
                        : (transposed ? -k : k) == 0 ? of.a.diagonal
                                                     : of.a.upper) +
                       s.base + (transposed ? k * step : 0);
        }
    }
    /// Rows [begin(), end()) are complete: all their entries are inside the matrix.
    COPPICE_LANE std::int64_t begin() const { return below < rows ? below : rows; }
    COPPICE_LANE std::int64_t end() const { return rows - (count - 1 - below); }

    /// Adds complete rows from j on, as many as `load` has lanes, with `Count` entries each.
    template <int Count, class Load, class Extremes>
    COPPICE_LANE void take(Load const& load, std::int64_t j, Extremes& maxima) const {
        auto const d = load(rhs + j * step);
        row_sums<std::decay_t<decltype(d)>, Quick> sum(d);
        if constexpr (Count > 0) {
            COPPICE_UNROLL_ALL
            for (int t = 0; t < Count; ++t) add(sum, load, a[t] + j * step, x[t] + j * step);
        } else {
            COPPICE_UNROLL
            for (int t = 0; t < count; ++t) add(sum, load, a[t] + j * step, x[t] + j * step);
        }
        finish(sum, load, d, j, maxima);
    }
    /// Adds an incomplete row at an end of the matrix.
    template <class Load, class Extremes>
    COPPICE_LANE void take_end(Load const& load, std::int64_t j, Extremes& maxima) const {
        auto const d = load(rhs + j * step);
        row_sums<std::decay_t<decltype(d)>, Quick> sum(d);
        COPPICE_UNROLL
        for (int t = 0; t < Most; ++t) {
            std::int64_t const column = j + t - below;
            std::int64_t const round = (column < 0 ? rows : column >= rows ? -rows : 0) * step;
            if (t < count && (round == 0 || cyclic))
                add(sum, load, a[t] + j * step + (transposed ? round : 0), x[t] + j * step + round);
        }
        finish(sum, load, d, j, maxima);
    }

private:
    template <class Sums, class Load>
    COPPICE_LANE void add(Sums& sum, Load const& load, T const* entry, T const* value) const {
        auto const e = load(entry);
        if constexpr (is_complex_lane<T>)
            sum.add(conjugated ? conjugate(e) : e, load(value));
        else
            sum.add(e, load(value));
    }
    template <class Sums, class Load, class L, class Extremes>
    COPPICE_LANE void finish(Sums const& sum, Load const& load, L const& d, std::int64_t j, Extremes& maxima) const {
        maxima.add(magnitude(sum.rest), sum.divided_by_64(sum.row), magnitude(load(solution + j * step)), magnitude(d),
                   sum.divided_by_64(sum.product));
    }
};

// Finds matrices that are singular because all rows or all columns sum to zero: Laplacians of a path or cycle with
// Neumann conditions, rates of a Markov chain. Elimination in the order of LAPACK ends with a zero pivot for them. In
// any other order it may end with a rounding error, and if the right-hand side is in the range, the solution is not
// large either.

/// Which sums of a system are not zero. If all row sums are zero, op(A) 1 = 0; if all column sums are zero, 1^T op(A) =
/// 0. Sums are computed in double, in the order of the columns; a computed sum of zero means that the exact sum is at
/// most the rounding error of the entries.
template <class T>
struct zero_sums {
    static constexpr int directions = 2; ///< rows, columns

    matrix_rows<T> a;
    int* uneven; ///< [system][direction]: whether a nonzero sum was found

    /// Checks the first row and column sum of system s, which excludes nearly all matrices.
    COPPICE_HD void begin(std::int64_t s) const {
        system_location const location = a.batch.system(s);
        uneven[directions * s] = location.rows == 0 || !vanishes(row_sum(location, 0, 0));
        uneven[directions * s + 1] = location.rows == 0 || !vanishes(column_sum(location, 0, 0));
    }
    COPPICE_LANE bool open(std::int64_t s) const {
        return !is_raised(uneven + directions * s) || !is_raised(uneven + directions * s + 1);
    }
    /// Checks the sums of scalar row and column r of block row j, if open(s).
    COPPICE_LANE void check(system_location const& s, std::int64_t j, int r) const {
        if (!a.has_row(s, j, r)) return;
        int* const of = uneven + directions * s.system;
        if (!is_raised(of) && !vanishes(row_sum(s, j, r))) raise_flag(of);
        if (!is_raised(of + 1) && !vanishes(column_sum(s, j, r))) raise_flag(of + 1);
    }

private:
    using wide = decltype(widened(T()));

    COPPICE_LANE static bool vanishes(wide const& sum) { return magnitude(sum) == 0; }
    COPPICE_LANE wide row_sum(system_location const& s, std::int64_t j, int r) const {
        wide sum(0);
        for (int c = 0; c < 3 * a.n; ++c) sum = sum + widened(a.entry(s, j, r, c));
        return sum;
    }
    COPPICE_LANE wide column_sum(system_location const& s, std::int64_t j, int r) const {
        wide sum(0);
        for (int band = 2; band >= 0; --band) { // the entry of the row in column block j
            std::int64_t row = j + 1 - band;
            if (!a.cyclic && (row < 0 || row >= s.rows)) continue;
            row += row < 0 ? s.rows : row >= s.rows ? -s.rows : 0;
            for (int q = 0; q < a.n; ++q)
                if (a.has_row(s, row, q)) sum = sum + widened(a.entry(s, row, q, band * a.n + r));
        }
        return sum;
    }
};

} // namespace coppice::inline v0_1::chain
