// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Error computation on one core: one row in each SIMD lane. Compiled once for each instruction set.
#include <coppice/solvers/direct/error/error_host.hpp>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::chain;

using lanes = pack<double, register_bytes, 1>;

/// Loads the elements of consecutive rows, one for each lane, from `offset` elements after the address on.
struct load_lanes {
    std::int64_t offset = 0;

    template <class T>
    COPPICE_ALWAYS_INLINE auto operator()(T const* at) const {
        return load(at + offset);
    }

private:
    COPPICE_ALWAYS_INLINE static lanes load(double const* at) {
        lanes result;
        __builtin_memcpy(&result.v[0], at, sizeof(result.v[0]));
        return result;
    }
    COPPICE_ALWAYS_INLINE static lanes load(float const* at) {
        typedef float narrow __attribute__((vector_size(register_bytes / 2)));
        narrow values;
        __builtin_memcpy(&values, at, sizeof(values));
        lanes result;
#if defined(__AVX512F__) // one instruction; GCC converts the halves
        result.v[0] = (lanes::vector)_mm512_maskz_cvtps_pd(__mmask8(-1), (__m256)values);
#elif defined(__AVX__)
        result.v[0] = (lanes::vector)_mm256_cvtps_pd((__m128)values);
#else
        result.v[0] = __builtin_convertvector(values, lanes::vector);
#endif
        return result;
    }
    template <class R>
    COPPICE_ALWAYS_INLINE static complex_lane<lanes> load(complex_lane<R> const* at) {
        auto const* const numbers = reinterpret_cast<R const*>(at);
        lanes const low = load(numbers), high = load(numbers + lanes::size);
        return deinterleaved(low, high, std::make_integer_sequence<int, lanes::size>{});
    }
    template <int... I>
    COPPICE_ALWAYS_INLINE static complex_lane<lanes> deinterleaved(lanes const& low, lanes const& high,
                                                                   std::integer_sequence<int, I...>) {
        complex_lane<lanes> result;
        result.re.v[0] = __builtin_shufflevector(low.v[0], high.v[0], (2 * I)...);
        result.im.v[0] = __builtin_shufflevector(low.v[0], high.v[0], (2 * I + 1)...);
        return result;
    }
};

/// The maxima of lane l.
COPPICE_ALWAYS_INLINE row_extremes<double> of_lane(row_extremes<lanes> const& all, int l) {
    return row_extremes<double>::each([l](lanes const& of) COPPICE_INLINE_LAMBDA { return get_lane(of, l); }, all);
}
/// The largest value of all lanes, in the first one.
template <int Half = lanes::size / 2, int... Lane>
COPPICE_ALWAYS_INLINE lanes over_lanes(lanes const& a, std::integer_sequence<int, Lane...> all) {
    if constexpr (Half > 0) {
        lanes other;
        other.v[0] = __builtin_shufflevector(a.v[0], a.v[0], (Lane ^ Half)...);
        return over_lanes<Half / 2>(larger_or_nan(a, other), all);
    } else {
        return a;
    }
}
/// The maxima of all lanes.
COPPICE_ALWAYS_INLINE row_extremes<double> of_lanes(row_extremes<lanes> const& all) {
    constexpr std::make_integer_sequence<int, lanes::size> each;
    return row_extremes<double>::each(
        [&](lanes const& of) COPPICE_INLINE_LAMBDA { return get_lane(over_lanes(of, each), 0); }, all);
}

/// Rows [first, last) of a column of a system, contiguous in memory.
template <int Count, class Rows>
void take_rows(Rows const& rows, std::int64_t first, std::int64_t last, row_extremes<double>& maxima) {
    std::int64_t const begin = first > rows.begin() ? first : rows.begin();
    std::int64_t const end = last < rows.end() ? last : rows.end();
    std::int64_t j = first;
    for (; j < begin && j < last; ++j) rows.take_end(load_one{}, j, maxima);
    if (j + lanes::size <= end) {
        row_extremes<lanes> many;
        for (; j + lanes::size <= end; j += lanes::size) rows.template take<Count>(load_lanes{}, j, many);
        if (j < end) { // some rows twice, which does not change a maximum
            rows.template take<Count>(load_lanes{}, end - lanes::size, many);
            j = end;
        }
        maxima = larger_extremes()(maxima, of_lanes(many));
    }
    for (; j < end; ++j) rows.template take<Count>(load_one{}, j, maxima);
    for (; j < last; ++j) rows.take_end(load_one{}, j, maxima);
}

/// Measures block row j of a matrix with blocks of N rows; N = 0: of a number that is known at run time only.
template <int N, class T>
COPPICE_ALWAYS_INLINE void take_block_row(residual_rows<T> const& of, system_location const& s, std::int64_t j,
                                          std::int64_t column, row_extremes<double>& maxima) {
    using wide = decltype(widened(T()));
    constexpr int max_rows = N > 0 ? N : largest_block;
    matrix_rows<T> const& a = of.a;
    int const n = N > 0 ? N : a.n;
    bool const transposed = a.op != matrix_operation::none;
    T const* const bands[3] = {transposed ? a.upper : a.lower, a.diagonal, transposed ? a.lower : a.upper};
    int const down = transposed ? n : 1, right = transposed ? 1 : n; // strides to the next row and column of a block
    T const* const d = of.d + of.offset(s, j, 0) + column * of.d_leading;
    T const* const mine = of.x + of.offset(s, j, 0) + column * of.x_leading;
    wide rest[max_rows];
    double row[max_rows] = {}, product[max_rows] = {};
    for (int r = 0; r < n; ++r) rest[r] = widened(d[r]);
    for (int band = 0; band < 3; ++band) {
        std::int64_t block = j + band - 1;
        if (!a.cyclic && (block < 0 || block >= s.rows)) continue;
        block += block < 0 ? s.rows : block >= s.rows ? -s.rows : 0;
        T const* const entries = bands[band] + (s.base + (transposed ? block : j) * s.stride) * n * n;
        T const* const x = of.x + of.offset(s, block, 0) + column * of.x_leading;
#pragma GCC unroll 4
        for (int q = 0; q < n; ++q) {
            wide const value = widened(x[q]);
            double const size = magnitude(value);
#pragma GCC unroll 4
            for (int r = 0; r < n; ++r) {
                wide entry = widened(entries[r * down + q * right]);
                if (is_complex_lane<T> && a.op == matrix_operation::conjugate_transposed) entry = conjugate(entry);
                double const weight = magnitude(entry) * (1 / magnitude_unit);
                bool const none = weight == 0; // a zero entry contributes nothing, even if x is infinite
                rest[r] = rest[r] - select(none, wide(0), entry * value);
                row[r] += weight;
                product[r] += select(none, 0.0, weight * size);
            }
        }
    }
    for (int r = 0; r < n; ++r)
        maxima.add(magnitude(rest[r]), row[r], magnitude(widened(mine[r])), magnitude(widened(d[r])), product[r]);
}

/// Measures block rows [first, last) of `count` consecutive systems from s on, row by row: systems that are interleaved
/// share cache lines.
template <int N, class T>
void take_block_rows(residual_rows<T> const& of, system_location s, int count, std::int64_t first, std::int64_t last,
                     std::int64_t column, row_extremes<double>* maxima) {
    for (std::int64_t j = first; j < last; ++j)
        for (int k = 0; k < count; ++k) {
            system_location const mine{s.system + k, s.base + k, s.stride, s.rows};
            take_block_row<N>(of, mine, j, column, maxima[k]);
        }
}

/// Sizes of common real blocks are known to the compiler.
template <class T>
void take_blocks(residual_rows<T> const& of, system_location const& s, int count, std::int64_t first, std::int64_t last,
                 std::int64_t column, row_extremes<double>* maxima) {
    if constexpr (std::is_floating_point_v<T>) switch (of.a.n) {
        case 2:
            return take_block_rows<2>(of, s, count, first, last, column, maxima);
        case 3:
            return take_block_rows<3>(of, s, count, first, last, column, maxima);
        case 4:
            return take_block_rows<4>(of, s, count, first, last, column, maxima);
        }
    take_block_rows<0>(of, s, count, first, last, column, maxima);
}

template <class T>
void check_sums(measure_job<T> const& job, system_location const& s, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last && job.sums.open(s.system); ++j)
        for (int r = 0; r < job.rows.a.n; ++r) job.sums.check(s, j, r);
}

/// Maxima over block rows [first, last) of a column of a system.
template <bool Quick, class T>
row_extremes<double> maxima_of_rows(residual_rows<T> const& of, system_location const& s, std::int64_t column,
                                    std::int64_t first, std::int64_t last) {
    matrix_rows<T> const& a = of.a;
    row_extremes<double> maxima;
    if (a.banded()) {
        std::int64_t const end = last * a.n;
        take_rows<0>(strided_rows<T, max_diagonals, Quick>(of, s, column), first * a.n,
                     end < a.scalar_rows ? end : a.scalar_rows, maxima);
    } else if (a.n > 1) {
        take_blocks(of, s, 1, first, last, column, &maxima);
    } else if (s.stride == 1) {
        take_rows<3>(strided_rows<T, 3, Quick>(of, s, column), first, last, maxima);
    } else {
        strided_rows<T, 3, Quick> const rows(of, s, column);
        for (std::int64_t j = first; j < last; ++j) rows.take_end(load_one{}, j, maxima);
    }
    return maxima;
}

/// Measures block rows [first, last) of a system.
template <class T>
void measure_rows(measure_job<T> const& job, system_location const& s, std::int64_t first, std::int64_t last) {
    check_sums(job, s, first, last);
    bool const blocks = !job.rows.a.banded() && job.rows.a.n > 1;
    for (std::int64_t column = 0; column < job.columns; ++column) {
        auto maxima = maxima_of_rows<true>(job.rows, s, column, first, last);
        if (!blocks && !quick_suffices(maxima)) maxima = maxima_of_rows<false>(job.rows, s, column, first, last);
        job.keep(s, column, maxima, last - first == s.rows);
    }
}

constexpr int systems_together = 64; ///< interleaved systems that are measured row by row

/// Maxima over all rows of a column of `count` interleaved systems from s on; of scalar rows, a multiple of the lanes.
template <bool Quick, class T>
void maxima_of_systems(residual_rows<T> const& of, system_location const& s, int count, std::int64_t column,
                       row_extremes<double>* maxima) {
    if (of.a.n > 1) return take_blocks(of, s, count, 0, s.rows, column, maxima);
    strided_rows<T, 3, Quick> const rows(of, s, column);
    row_extremes<lanes> many[systems_together / lanes::size];
    constexpr int together = 2; // rows, for which the maxima stay in registers
    auto const take = [&](std::int64_t j, auto const& rows_of) COPPICE_INLINE_LAMBDA {
        for (int k = 0; k < count; k += lanes::size) {
            row_extremes<lanes> maxima_of_row = many[k / lanes::size];
            rows_of(load_lanes{k}, j, maxima_of_row);
            many[k / lanes::size] = maxima_of_row;
        }
    };
    auto const end_row = [&](load_lanes const& load, std::int64_t j, auto& to)
                             COPPICE_INLINE_LAMBDA { rows.take_end(load, j, to); };
    auto const inner_rows = [&](load_lanes const& load, std::int64_t j, auto& to) COPPICE_INLINE_LAMBDA {
#pragma GCC unroll 4
        for (int i = 0; i < together; ++i) rows.template take<3>(load, j + i, to);
    };
    std::int64_t j = 0;
    for (; j < rows.rows;)
        if (j > 0 && j + together < rows.rows)
            take(j, inner_rows), j += together;
        else
            take(j++, end_row);
    for (int k = 0; k < count; ++k) maxima[k] = of_lane(many[k / lanes::size], k % lanes::size);
}

/// Measures `count` interleaved systems, at most systems_together; of scalar rows, a multiple of the lanes. The first
/// `done` of them have been measured already.
template <class T>
void measure_interleaved(measure_job<T> const& job, std::int64_t first, int count, int done) {
    batch_shape const& batch = job.rows.a.batch;
    for (int k = done; k < count; ++k) check_sums(job, batch.system(first + k), 0, batch.rows);
    for (std::int64_t column = 0; column < job.columns; ++column) {
        row_extremes<double> maxima[systems_together];
        maxima_of_systems<true>(job.rows, batch.system(first), count, column, maxima);
        bool suffices = true;
        for (int k = 0; k < count; ++k) suffices = suffices && quick_suffices(maxima[k]);
        if (!suffices && job.rows.a.n == 1)
            maxima_of_systems<false>(job.rows, batch.system(first), count, column, maxima);
        for (int k = done; k < count; ++k)
            if (job.scope.covers(first + k)) job.keep(batch.system(first + k), column, maxima[k], true);
    }
}

} // namespace

template <class T>
void measure_errors(measure_job<T> const& job, std::int64_t first, std::int64_t last) {
    batch_shape const& batch = job.rows.a.batch;
    if (job.by_systems()) {
        int const group = job.rows.a.n == 1 ? lanes::size : 1;
        for (std::int64_t s = first; s < last;) {
            std::int64_t const left = last - s < systems_together ? last - s : systems_together;
            int const count = batch.rows > 0 ? int(left) / group * group : 0;
            // The last ones, with some before them: lanes and scalars round differently (fused multiplications), and
            // the report of a system does not depend on its position.
            bool const overlaps = count == 0 && batch.rows > 0 && last >= group;
            if (overlaps) measure_interleaved(job, last - group, group, int(group - left));
            if (count > 0) measure_interleaved(job, s, count, 0);
            s += overlaps ? left : count;
            if (overlaps || count > 0) continue;
            system_location const location = batch.system(s++);
            if (job.scope.covers(location.system)) measure_rows(job, location, 0, location.rows);
        }
        return;
    }
    for (std::int64_t i = first; i < last;) {
        system_location const s = batch.system(batch.system_of(i));
        std::int64_t const begin = batch.first_row(s.system), end = begin + s.rows < last ? begin + s.rows : last;
        if (job.scope.covers(s.system)) measure_rows(job, s, i - begin, end - begin);
        i = end;
    }
}

#define COPPICE_ERROR_TILES(T) template void measure_errors(measure_job<T> const&, std::int64_t, std::int64_t);
COPPICE_ALL_LANES(COPPICE_ERROR_TILES)

} // namespace coppice::inline v0_1::COPPICE_ISA
