// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Error computation on one core: one row in each SIMD lane. Compiled once for each instruction set.
#include <coppice/solvers/direct/error/error_tiles.hpp>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::chain;

using lanes = pack<double, register_bytes, 1>;

/// Loads the elements of consecutive rows, one for each lane.
struct load_lanes {
    COPPICE_ALWAYS_INLINE lanes operator()(double const* at) const {
        lanes result;
        __builtin_memcpy(&result.v[0], at, sizeof(result.v[0]));
        return result;
    }
    COPPICE_ALWAYS_INLINE lanes operator()(float const* at) const {
        typedef float narrow __attribute__((vector_size(register_bytes / 2)));
        narrow values;
        __builtin_memcpy(&values, at, sizeof(values));
        lanes result;
        result.v[0] = __builtin_convertvector(values, lanes::vector);
        return result;
    }
    template <class R>
    COPPICE_ALWAYS_INLINE complex_lane<lanes> operator()(complex_lane<R> const* at) const {
        auto const* const numbers = reinterpret_cast<R const*>(at);
        lanes const low = (*this)(numbers), high = (*this)(numbers + lanes::size);
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

/// Merges the maxima of lane l.
COPPICE_ALWAYS_INLINE void merge(row_extremes<double>& to, row_extremes<lanes> const& from, int l) {
    to.residual = larger_or_nan(to.residual, get_lane(from.residual, l));
    to.matrix = larger_or_nan(to.matrix, get_lane(from.matrix, l));
    to.solution = larger_or_nan(to.solution, get_lane(from.solution, l));
    to.rhs = larger_or_nan(to.rhs, get_lane(from.rhs, l));
    to.componentwise = larger_or_nan(to.componentwise, get_lane(from.componentwise, l));
    to.zero_unknown = larger_or_nan(to.zero_unknown, get_lane(from.zero_unknown, l));
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
        for (int l = 0; l < lanes::size; ++l) merge(maxima, many, l);
    }
    for (; j < end; ++j) rows.template take<Count>(load_one{}, j, maxima);
    for (; j < last; ++j) rows.take_end(load_one{}, j, maxima);
}

/// Measures rows of matrices with blocks of N rows; N = 0: of a number that is known at run time only.
template <int N, class T>
void take_block_rows(residual_rows<T> const& of, system_location const& s, std::int64_t first, std::int64_t last,
                     std::int64_t column, row_extremes<double>& maxima) {
    using wide = decltype(widened(T()));
    constexpr int max_rows = N > 0 ? N : largest_block;
    matrix_rows<T> const& a = of.a;
    int const n = N > 0 ? N : a.n;
    bool const transposed = a.op != matrix_operation::none;
    T const* const bands[3] = {transposed ? a.upper : a.lower, a.diagonal, transposed ? a.lower : a.upper};
    int const down = transposed ? n : 1, right = transposed ? 1 : n; // strides to the next row and column of a block
    for (std::int64_t j = first; j < last; ++j) {
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
}

/// Sizes of common real blocks are known to the compiler.
template <class T>
void take_blocks(residual_rows<T> const& of, system_location const& s, std::int64_t first, std::int64_t last,
                 std::int64_t column, row_extremes<double>& maxima) {
    if constexpr (std::is_floating_point_v<T>) switch (of.a.n) {
        case 2:
            return take_block_rows<2>(of, s, first, last, column, maxima);
        case 3:
            return take_block_rows<3>(of, s, first, last, column, maxima);
        case 4:
            return take_block_rows<4>(of, s, first, last, column, maxima);
        }
    take_block_rows<0>(of, s, first, last, column, maxima);
}

template <class T>
void check_sums(measure_job<T> const& job, system_location const& s, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last && job.sums.open(s.system); ++j)
        for (int r = 0; r < job.rows.a.n; ++r) job.sums.check(s, j, r);
}

/// Measures block rows [first, last) of a system.
template <class T>
void measure_rows(measure_job<T> const& job, system_location const& s, std::int64_t first, std::int64_t last) {
    matrix_rows<T> const& a = job.rows.a;
    check_sums(job, s, first, last);
    for (std::int64_t column = 0; column < job.columns; ++column) {
        row_extremes<double> maxima;
        if (a.banded()) {
            std::int64_t const end = last * a.n;
            take_rows<0>(strided_rows<T, max_diagonals>(job.rows, s, column), first * a.n,
                         end < a.scalar_rows ? end : a.scalar_rows, maxima);
        } else if (a.n > 1) {
            take_blocks(job.rows, s, first, last, column, maxima);
        } else if (s.stride == 1) {
            take_rows<3>(strided_rows<T, 3>(job.rows, s, column), first, last, maxima);
        } else {
            strided_rows<T, 3> const rows(job.rows, s, column);
            for (std::int64_t j = first; j < last; ++j) rows.take_end(load_one{}, j, maxima);
        }
        job.keep(s, column, maxima, last - first == s.rows);
    }
}

/// Measures scalar rows of interleaved systems, one system in each lane.
template <class T>
void measure_lanes(measure_job<T> const& job, std::int64_t first) {
    for (int l = 0; l < lanes::size; ++l) check_sums(job, job.rows.a.batch.system(first + l), 0, job.rows.a.batch.rows);
    for (std::int64_t column = 0; column < job.columns; ++column) {
        strided_rows<T, 3> const rows(job.rows, job.rows.a.batch.system(first), column);
        row_extremes<lanes> many;
        rows.take_end(load_lanes{}, 0, many);
        std::int64_t j = 1;
        for (; j < rows.rows - 1; ++j) rows.template take<3>(load_lanes{}, j, many);
        for (; j < rows.rows; ++j) rows.take_end(load_lanes{}, j, many);
        for (int l = 0; l < lanes::size; ++l) {
            row_extremes<double> maxima;
            merge(maxima, many, l);
            if (job.scope.covers(first + l)) job.keep(job.rows.a.batch.system(first + l), column, maxima, true);
        }
    }
}

} // namespace

template <class T>
void measure_errors(measure_job<T> const& job, std::int64_t first, std::int64_t last) {
    batch_shape const& batch = job.rows.a.batch;
    if (job.by_systems()) {
        for (std::int64_t s = first; s < last;) {
            if (job.rows.a.n == 1 && batch.rows > 0 && s + lanes::size <= last) {
                measure_lanes(job, s);
                s += lanes::size;
            } else {
                system_location const location = batch.system(s++);
                if (job.scope.covers(location.system)) measure_rows(job, location, 0, location.rows);
            }
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
