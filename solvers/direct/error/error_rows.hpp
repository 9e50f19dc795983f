// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What a row of A x = d tells of the error of a solution: the lane code of reports. Everything is done in
/// double, one row a lane, and what is left of the rows are maxima, so that their order does not matter.
///
/// Sums of magnitudes are those of 64ths: no row of a matrix of finite numbers overflows, and no bit changes.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/solvers/direct/block_banded/elimination/chain_rows.hpp>

namespace coppice::chain {

COPPICE_HD COPPICE_ALWAYS_INLINE double widened(float a) { return a; }
COPPICE_HD COPPICE_ALWAYS_INLINE double widened(double a) { return a; }
template <class R>
COPPICE_HD COPPICE_ALWAYS_INLINE complex_lane<double> widened(complex_lane<R> const& a) {
    return {double(a.re), double(a.im)};
}
/// And back, to the lane type of the second argument.
template <class R>
COPPICE_HD COPPICE_ALWAYS_INLINE R narrowed(double v, R) {
    return R(v);
}
template <class R>
COPPICE_HD COPPICE_ALWAYS_INLINE complex_lane<R> narrowed(complex_lane<double> const& v, complex_lane<R>) {
    return {R(v.re), R(v.im)};
}

/// The larger of two values that are not negative; NaN where one of them is NaN. Their bits are ordered as integers,
/// and those of NaN lie beyond infinity: no branch, which small systems would pay for. A GPU makes NaN with a sign,
/// which b may have; a is 0 or came from here.
COPPICE_HD COPPICE_ALWAYS_INLINE double larger_or_nan(double a, double b) {
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
    for (int r = 0; r < int(sizeof(a.v) / sizeof(a.v[0])); ++r) a.v[r] = (bits)b.v[r] > (bits)a.v[r] ? b.v[r] : a.v[r];
    return a;
}

inline constexpr double error_unit = 64; ///< of sums of magnitudes

/// The largest values of rows; R is a real lane type, of double. |.| of a complex number is |re| + |im|.
template <class R>
struct row_extremes {
    R residual{0.0}, matrix{0.0}, solution{0.0}, side{0.0}, componentwise{0.0};
    R hollow{0.0}; ///< 1 where an unknown is zero

    /// Magnitudes of a row: its residual, the sum of its entries, its unknown, its right-hand side, and |A| |x|.
    COPPICE_HD COPPICE_ALWAYS_INLINE void add(R const& r, R const& row, R const& x, R const& d, R const& product) {
        R const whole = product + d * R(1 / error_unit);
        R const share = select(whole <= R(0.0), R(1.0), r / whole * R(1 / error_unit));
        residual = larger_or_nan(residual, r);
        matrix = larger_or_nan(matrix, row);
        solution = larger_or_nan(solution, x);
        side = larger_or_nan(side, d);
        componentwise = larger_or_nan(componentwise, select(r <= R(0.0), R(0.0), magnitude(share)));
        hollow = select(x <= R(0.0), R(1.0), hollow);
    }
};

/// The same of rows of single precision on a GPU, where a division is twenty instructions: the largest quotient is
/// found by products, which do not overflow in double, and divided at the end.
struct quotient_extremes : row_extremes<double> {
    double part = 0, whole = 1; ///< of the largest quotient

    COPPICE_HD COPPICE_ALWAYS_INLINE void add(double r, double row, double x, double d, double product) {
        double const all = product + d * (1 / error_unit);
        bool const more = r * whole > part * all; // where all is zero, so is r
        part = more ? r : part;
        whole = more ? all : whole;
        residual = larger_or_nan(residual, r);
        matrix = larger_or_nan(matrix, row);
        solution = larger_or_nan(solution, x);
        side = larger_or_nan(side, d);
        hollow = x <= 0 ? 1 : hollow;
    }
    COPPICE_HD row_extremes<double> divided() const {
        row_extremes<double> all = *this;
        double const share = part / whole * (1 / error_unit);
        all.componentwise = residual - residual == 0 ? share : residual - residual; // NaN as well where it is infinite
        return all;
    }
};

/// Joins what different rows have.
struct larger_extremes {
    using extremes = row_extremes<double>;
    COPPICE_HD extremes operator()(extremes const& a, extremes const& b) const {
        return {larger_or_nan(a.residual, b.residual),           larger_or_nan(a.matrix, b.matrix),
                larger_or_nan(a.solution, b.solution),           larger_or_nan(a.side, b.side),
                larger_or_nan(a.componentwise, b.componentwise), larger_or_nan(a.hollow, b.hollow)};
    }
};

/// A row on its way: d - A x, and the sums of |A| and |A| |x| in 64ths. L is a lane type of double, complex or not.
template <class L>
struct row_sums {
    using real = real_lane_t<L>;
    L rest;
    real row{0.0}, product{0.0};

    COPPICE_HD COPPICE_ALWAYS_INLINE explicit row_sums(L const& side) : rest(side) {}
    /// What is not in the matrix leaves the solution alone, infinite or not.
    COPPICE_HD COPPICE_ALWAYS_INLINE void add(L const& entry, L const& x) {
        real const weight = magnitude(entry) * real(1 / error_unit);
        auto const none = weight <= real(0.0);
        rest = rest - select(none, L(0), entry * x);
        row = row + weight;
        product = product + select(none, real(0.0), weight * magnitude(x));
    }
};

/// A x and d.
template <class T>
struct residual_rows {
    matrix_rows<T> a;
    T const *x, *d;
    std::int64_t x_leading, d_leading;

    /// Row r of block row j of a system, with everything that happens at borders.
    COPPICE_HD COPPICE_ALWAYS_INLINE auto sums(system_place const& s, std::int64_t j, int r, std::int64_t side) const {
        using wide = decltype(widened(T()));
        row_sums<wide> sum(widened(d[place(s, j, r) + side * d_leading]));
        for (int part = 0; part < 3; ++part) {
            std::int64_t block = j - 1 + part; // round the corner where the matrix is cyclic
            block += block < 0 ? s.rows : block >= s.rows ? -s.rows : 0;
            for (int q = 0; q < a.n; ++q) {
                wide const entry = widened(a.entry(s, j, r, part * a.n + q));
                if (magnitude(entry) == 0) continue; // perhaps there is no such unknown
                sum.add(entry, widened(x[place(s, block, q) + side * x_leading]));
            }
        }
        return sum;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void take(system_place const& s, std::int64_t j, int r, std::int64_t side,
                                               row_extremes<double>& most) const {
        auto const sum = sums(s, j, r, side);
        std::int64_t const at = place(s, j, r);
        most.add(magnitude(sum.rest), sum.row, magnitude(widened(x[at + side * x_leading])),
                 magnitude(widened(d[at + side * d_leading])), sum.product);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t place(system_place const& s, std::int64_t j, int r) const {
        return (s.base + j * s.stride) * a.n + r;
    }
};

/// Loads one element.
struct load_one {
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE auto operator()(T const* at) const {
        return widened(*at);
    }
};

inline constexpr int most_strands = 17; ///< of a banded matrix: 8 bands on either side

/// The scalar rows of one column of a system whose entries lie along strands: of scalar rows and of bands, up to `Most`
/// of them. Row j has its entries and unknowns at a[t][j step] and x[t][j step].
template <class T, int Most>
struct strand_rows {
    T const *a[Most], *x[Most], *solution, *side;
    std::int64_t step, rows;
    int count, below; ///< strands; of them below the diagonal
    bool cyclic, turned, conjugated;

    COPPICE_HD COPPICE_ALWAYS_INLINE strand_rows(residual_rows<T> const& of, system_place const& s, std::int64_t column)
        : solution(of.x + s.base + column * of.x_leading), side(of.d + s.base + column * of.d_leading), step(s.stride),
          rows(of.a.banded() ? of.a.scalar_rows : s.rows), cyclic(of.a.cyclic),
          turned(of.a.op != matrix_operation::none), conjugated(of.a.op == matrix_operation::conjugate_transposed) {
        int const lower = of.a.banded() ? of.a.lower_bands : 1, upper = of.a.banded() ? of.a.upper_bands : 1;
        below = turned ? upper : lower;
        count = lower + upper + 1;
        COPPICE_UNROLL
        for (int t = 0; t < Most; ++t) {
            if (t >= count) break;
            int const k = t - below;
            x[t] = solution + k * step;
            if (of.a.banded())
                a[t] = of.a.diagonal + ((turned ? -k : k) + lower) * rows + (turned ? k : 0);
            else
                a[t] = ((turned ? -k : k) < 0    ? of.a.lower
                        : (turned ? -k : k) == 0 ? of.a.diagonal
                                                 : of.a.upper) +
                       s.base + (turned ? k * step : 0);
        }
    }
    /// Rows [begin(), end()) have all their entries.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t begin() const { return below < rows ? below : rows; }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t end() const { return rows - (count - 1 - below); }

    /// Rows j of as many lanes as `load` loads, that have all of their `Count` entries.
    template <int Count, class Load, class Extremes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void take(Load const& load, std::int64_t j, Extremes& most) const {
        auto const d = load(side + j * step);
        row_sums<std::decay_t<decltype(d)>> sum(d);
        COPPICE_UNROLL
        for (int t = 0; t < (Count > 0 ? Count : count); ++t) add(sum, load, a[t] + j * step, x[t] + j * step);
        finish(sum, load, d, j, most);
    }
    /// The same at the ends.
    template <class Load, class Extremes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void take_end(Load const& load, std::int64_t j, Extremes& most) const {
        auto const d = load(side + j * step);
        row_sums<std::decay_t<decltype(d)>> sum(d);
        COPPICE_UNROLL
        for (int t = 0; t < Most; ++t) {
            std::int64_t const column = j + t - below;
            std::int64_t const round = (column < 0 ? rows : column >= rows ? -rows : 0) * step;
            if (t < count && (round == 0 || cyclic))
                add(sum, load, a[t] + j * step + (turned ? round : 0), x[t] + j * step + round);
        }
        finish(sum, load, d, j, most);
    }

private:
    template <class Sums, class Load>
    COPPICE_HD COPPICE_ALWAYS_INLINE void add(Sums& sum, Load const& load, T const* entry, T const* value) const {
        auto const e = load(entry);
        if constexpr (is_complex_lane<T>)
            sum.add(conjugated ? conjugate(e) : e, load(value));
        else
            sum.add(e, load(value));
    }
    template <class Sums, class Load, class L, class Extremes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void finish(Sums const& sum, Load const& load, L const& d, std::int64_t j,
                                                 Extremes& most) const {
        most.add(magnitude(sum.rest), sum.row, magnitude(load(solution + j * step)), magnitude(d), sum.product);
    }
};

} // namespace coppice::chain
