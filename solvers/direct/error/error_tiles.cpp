// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The measuring of solutions on one core: a row per SIMD lane. Compiled once per instruction set.
#include <coppice/solvers/direct/error/error_tiles.hpp>

#include <coppice/core/lane/pack.hpp>

namespace coppice::COPPICE_ISA {
namespace {

using namespace coppice::chain;

using lanes = pack<double, register_bytes, 1>;

/// Loads the elements of as many rows as there are lanes.
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
        auto const* const parts = reinterpret_cast<R const*>(at);
        lanes const low = (*this)(parts), high = (*this)(parts + lanes::size);
        return parted(low, high, std::make_integer_sequence<int, lanes::size>{});
    }
    template <int... I>
    COPPICE_ALWAYS_INLINE static complex_lane<lanes> parted(lanes const& low, lanes const& high,
                                                            std::integer_sequence<int, I...>) {
        complex_lane<lanes> result;
        result.re.v[0] = __builtin_shufflevector(low.v[0], high.v[0], (2 * I)...);
        result.im.v[0] = __builtin_shufflevector(low.v[0], high.v[0], (2 * I + 1)...);
        return result;
    }
};

/// What lane l has seen.
COPPICE_ALWAYS_INLINE void merge(row_extremes<double>& to, row_extremes<lanes> const& from, int l) {
    to.residual = larger_or_nan(to.residual, get_lane(from.residual, l));
    to.matrix = larger_or_nan(to.matrix, get_lane(from.matrix, l));
    to.solution = larger_or_nan(to.solution, get_lane(from.solution, l));
    to.side = larger_or_nan(to.side, get_lane(from.side, l));
    to.componentwise = larger_or_nan(to.componentwise, get_lane(from.componentwise, l));
    to.hollow = larger_or_nan(to.hollow, get_lane(from.hollow, l));
}

/// Rows [first, last) of a column of a system, which follow each other in memory.
template <int Count, class Rows>
void take_rows(Rows const& rows, std::int64_t first, std::int64_t last, row_extremes<double>& most) {
    std::int64_t const begin = first > rows.begin() ? first : rows.begin();
    std::int64_t const end = last < rows.end() ? last : rows.end();
    std::int64_t j = first;
    for (; j < begin && j < last; ++j) rows.take_end(load_one{}, j, most);
    if (j + lanes::size <= end) {
        row_extremes<lanes> many;
        for (; j + lanes::size <= end; j += lanes::size) rows.template take<Count>(load_lanes{}, j, many);
        for (int l = 0; l < lanes::size; ++l) merge(most, many, l);
    }
    for (; j < end; ++j) rows.template take<Count>(load_one{}, j, most);
    for (; j < last; ++j) rows.take_end(load_one{}, j, most);
}

/// The same of matrices with blocks of N rows.
template <int N, class T>
void take_block_rows(residual_rows<T> const& of, system_place const& s, std::int64_t first, std::int64_t last,
                     std::int64_t column, row_extremes<double>& most) {
    using wide = decltype(widened(T()));
    matrix_rows<T> const& a = of.a;
    bool const turned = a.op != matrix_operation::none;
    T const* const bands[3] = {turned ? a.upper : a.lower, a.diagonal, turned ? a.lower : a.upper};
    int const down = turned ? N : 1, right = turned ? 1 : N; // the next row of a block, the next column
    for (std::int64_t j = first; j < last; ++j) {
        T const* const d = of.d + of.place(s, j, 0) + column * of.d_leading;
        T const* const mine = of.x + of.place(s, j, 0) + column * of.x_leading;
        wide rest[N];
        double row[N] = {}, product[N] = {};
        for (int r = 0; r < N; ++r) rest[r] = widened(d[r]);
        for (int part = 0; part < 3; ++part) {
            std::int64_t block = j + part - 1;
            if (!a.cyclic && (block < 0 || block >= s.rows)) continue;
            block += block < 0 ? s.rows : block >= s.rows ? -s.rows : 0;
            T const* const entries = bands[part] + (s.base + (turned ? block : j) * s.stride) * N * N;
            T const* const x = of.x + of.place(s, block, 0) + column * of.x_leading;
            for (int q = 0; q < N; ++q) {
                wide const value = widened(x[q]);
                double const size = magnitude(value);
                for (int r = 0; r < N; ++r) {
                    wide entry = widened(entries[r * down + q * right]);
                    if (is_complex_lane<T> && a.op == matrix_operation::conjugate_transposed) entry = conjugate(entry);
                    double const weight = magnitude(entry) * (1 / error_unit);
                    bool const none = weight == 0; // what is not in the matrix leaves the solution alone
                    rest[r] = rest[r] - select(none, wide(0), entry * value);
                    row[r] += weight;
                    product[r] += select(none, 0.0, weight * size);
                }
            }
        }
        for (int r = 0; r < N; ++r)
            most.add(magnitude(rest[r]), row[r], magnitude(widened(mine[r])), magnitude(widened(d[r])), product[r]);
    }
}

template <class T, int... N>
void take_blocks(residual_rows<T> const& of, system_place const& s, std::int64_t first, std::int64_t last,
                 std::int64_t column, row_extremes<double>& most, std::integer_sequence<int, N...>) {
    ((of.a.n == N + 1 ? take_block_rows<N + 1>(of, s, first, last, column, most) : void()), ...);
}

template <class T>
void look_at_sums(measure_job<T> const& job, system_place const& s, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last && job.sums.open(s.system); ++j)
        for (int r = 0; r < job.rows.a.n; ++r) job.sums.look(s, j, r);
}

/// Block rows [first, last) of a system.
template <class T>
void measure_part(measure_job<T> const& job, system_place const& s, std::int64_t first, std::int64_t last) {
    matrix_rows<T> const& a = job.rows.a;
    look_at_sums(job, s, first, last);
    for (std::int64_t column = 0; column < job.columns; ++column) {
        row_extremes<double> most;
        if (a.banded()) {
            std::int64_t const end = last * a.n;
            take_rows<0>(strand_rows<T, most_strands>(job.rows, s, column), first * a.n,
                         end < a.scalar_rows ? end : a.scalar_rows, most);
        } else if (a.n > 1) {
            take_blocks(job.rows, s, first, last, column, most, std::make_integer_sequence<int, largest_block>());
        } else if (s.stride == 1) {
            take_rows<3>(strand_rows<T, 3>(job.rows, s, column), first, last, most);
        } else {
            strand_rows<T, 3> const rows(job.rows, s, column);
            for (std::int64_t j = first; j < last; ++j) rows.take_end(load_one{}, j, most);
        }
        job.keep(s, column, most, last - first == s.rows);
    }
}

/// Scalar rows of interleaved systems, one in each lane.
template <class T>
void measure_lanes(measure_job<T> const& job, std::int64_t first) {
    for (int l = 0; l < lanes::size; ++l)
        look_at_sums(job, job.rows.a.batch.system(first + l), 0, job.rows.a.batch.rows);
    for (std::int64_t column = 0; column < job.columns; ++column) {
        strand_rows<T, 3> const rows(job.rows, job.rows.a.batch.system(first), column);
        row_extremes<lanes> many;
        rows.take_end(load_lanes{}, 0, many);
        std::int64_t j = 1;
        for (; j < rows.rows - 1; ++j) rows.template take<3>(load_lanes{}, j, many);
        for (; j < rows.rows; ++j) rows.take_end(load_lanes{}, j, many);
        for (int l = 0; l < lanes::size; ++l) {
            row_extremes<double> most;
            merge(most, many, l);
            if (job.scope.covers(first + l)) job.keep(job.rows.a.batch.system(first + l), column, most, true);
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
                system_place const place = batch.system(s++);
                if (job.scope.covers(place.system)) measure_part(job, place, 0, place.rows);
            }
        }
        return;
    }
    for (std::int64_t i = first; i < last;) {
        system_place const s = batch.system(batch.system_of(i));
        std::int64_t const begin = batch.first_row(s.system), end = begin + s.rows < last ? begin + s.rows : last;
        if (job.scope.covers(s.system)) measure_part(job, s, i - begin, end - begin);
        i = end;
    }
}

template void measure_errors(measure_job<float> const&, std::int64_t, std::int64_t);
template void measure_errors(measure_job<double> const&, std::int64_t, std::int64_t);
template void measure_errors(measure_job<complex_lane<float>> const&, std::int64_t, std::int64_t);
template void measure_errors(measure_job<complex_lane<double>> const&, std::int64_t, std::int64_t);

} // namespace coppice::COPPICE_ISA
