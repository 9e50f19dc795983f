// SPDX-License-Identifier: BSD-3-Clause
// Block tridiagonal systems that the host eliminates like bands: real ones from both ends, complex ones row by row. On
// other executors the same cases test the chain solver.
#include <coppice/banded.hpp>

#include <cmath>
#include <complex>
#include <limits>

#include "solvers/band_reference.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Blocks of one front for each shape of the fronts, and the largest ones.
std::vector<int> const blocks = ends_for_races({2, 3, 4, 5, 8});

template <class T, class Executor>
void check_blocks(Executor const& exec, std::int64_t length, int n, band_options const& options) {
    CAPTURE(length);
    CAPTURE(n);
    CAPTURE(int(options.operation));
    CAPTURE(options.cyclic);
    block_storage<T> const s(length, n, std::uint64_t(100 * n + length), options.cyclic);
    auto const plain = s.meaning(options.cyclic);
    bool const conjugated = options.operation == matrix_operation::conjugate_transposed;
    auto const a = options.operation == matrix_operation::none ? plain : plain.transposed(conjugated);
    auto const d = rhs_for(a, 1, 7);
    auto const found = solve_blocks(exec, s, d, options);
    CHECK(found.reports[0].status == solve_status::ok);
    CHECK(found.reports[0].row == -1);
    CHECK(backward_error_of(a, found.x, d) < 50 * epsilon<T>);
}

/// A batch of block rows [bounds[k], bounds[k + 1]), with their right-hand sides.
template <class T>
struct block_batch {
    std::vector<std::int64_t> bounds;
    block_storage<T> all;
    plain_rows<T> meaning;

    block_batch(std::vector<std::int64_t> const& lengths, int n, std::uint64_t seed, bool cyclic = false)
        : bounds(1, 0), all(sum_of(lengths), n, seed, true), meaning(all.size()) {
        for (std::int64_t const size : lengths) {
            bounds.push_back(bounds.back() + size);
            if (!cyclic) all.spoil(bounds[bounds.size() - 2], bounds.back());
            all.describe(meaning, bounds[bounds.size() - 2], bounds.back(), cyclic);
        }
    }
    static std::int64_t sum_of(std::vector<std::int64_t> const& lengths) {
        std::int64_t sum = 0;
        for (std::int64_t const size : lengths) sum += size;
        return sum;
    }
    std::size_t systems() const { return bounds.size() - 1; }
    /// System k alone, and the elements of a vector that belongs to it.
    block_storage<T> system(std::size_t k) const {
        block_storage<T> one(bounds[k + 1] - bounds[k], all.n, 1, false);
        auto const square = std::int64_t(all.n) * all.n;
        for (auto const band : {&block_storage<T>::lower, &block_storage<T>::diagonal, &block_storage<T>::upper})
            (one.*band).assign((all.*band).begin() + bounds[k] * square, (all.*band).begin() + bounds[k + 1] * square);
        return one;
    }
    std::vector<T> rows_of(std::vector<T> const& v, std::size_t k, std::int64_t columns) const {
        std::vector<T> mine;
        for (std::int64_t c = 0; c < columns; ++c)
            mine.insert(mine.end(), v.begin() + c * all.size() + bounds[k] * all.n,
                        v.begin() + c * all.size() + bounds[k + 1] * all.n);
        return mine;
    }
    /// The same block rows in the order of an interleaved batch of systems of equal size, and back.
    template <class Vector>
    Vector interleaved(Vector const& v, std::int64_t each_row, bool back) const {
        auto const count = std::int64_t(systems()), rows = all.length / count;
        Vector to(v.size());
        for (std::int64_t c = 0; c < std::int64_t(v.size()) / (all.length * each_row); ++c)
            for (std::int64_t k = 0; k < count; ++k)
                for (std::int64_t j = 0; j < rows; ++j)
                    for (std::int64_t e = 0; e < each_row; ++e) {
                        std::int64_t const first = c * all.length * each_row + e;
                        auto const separate = std::size_t(first + (k * rows + j) * each_row),
                                   mixed = std::size_t(first + (j * count + k) * each_row);
                        if (back)
                            to[separate] = v[mixed];
                        else
                            to[mixed] = v[separate];
                    }
        return to;
    }
};

template <class T, class Executor>
void check_mixed_scale(Executor const& exec) {
    for (int const n : blocks)
        for (std::int64_t const length : {3, 40, 200})
            for (double const scale : {1.0, 0x1p600, 0x1p-600}) {
                CAPTURE(n);
                CAPTURE(length);
                CAPTURE(scale);
                block_storage<T> s(length, n, 5, false), t = s;
                for (std::int64_t i = 0; i < length * n * n; ++i) {
                    std::int64_t const row = i / (n * n) * n + i % n;
                    double const factor = row % 3 == 0 ? 0x1p40 : row % 3 == 1 ? 0x1p-20 : 1;
                    for (auto const band :
                         {&block_storage<T>::lower, &block_storage<T>::diagonal, &block_storage<T>::upper}) {
                        (s.*band)[std::size_t(i)] *= factor;
                        (t.*band)[std::size_t(i)] = (s.*band)[std::size_t(i)] * scale;
                    }
                }
                auto const d = rhs_for(s.meaning(false), 1, 7);
                auto scaled = d;
                for (T& value : scaled) value *= scale;
                auto const found = solve_blocks(exec, s, d);
                CHECK(found.reports[0].status == solve_status::ok);
                CHECK(backward_error_of(s.meaning(false), found.x, d) < 50 * epsilon<double>);
                CHECK(solve_blocks(exec, t, scaled).x == found.x); // powers of two change no bit
            }
}

template <class T, class Executor>
void check_bits_of_batches(Executor const& exec) {
    bool const host = std::is_same_v<Executor, host_executor>;
    std::int64_t const columns = 2;
    std::vector<std::pair<int, bool>> cases{{1, true}, {2, true}, {4, true}};
    for (int const n : blocks) cases.emplace_back(n, false);
    for (auto const& [n, cyclic] : cases) {
        CAPTURE(n);
        CAPTURE(cyclic);
        band_options const options{.cyclic = cyclic};
        block_batch<T> const uneven({1, 3, 0, 40, 7, 1, 120, 64, 17}, n, 3, cyclic),
            even(std::vector<std::int64_t>(11, 23), n, 4, cyclic);
        auto const solved_alone = [&](block_batch<T> const& b, std::vector<T> const& d, std::size_t k) {
            return solve_blocks(exec, b.system(k), b.rows_of(d, k, columns), options).x;
        };
        auto const check = [&](block_batch<T> const& b, std::vector<T> const& d, std::vector<T> const& x) {
            CHECK(backward_error_of(b.meaning, x, d) < 50 * epsilon<double>);
            for (std::size_t k = 0; k < b.systems() && host; ++k)
                if (b.bounds[k] < b.bounds[k + 1]) CHECK(b.rows_of(x, k, columns) == solved_alone(b, d, k));
        };
        auto const d = rhs_for(uneven.meaning, columns, 8);
        blocks_on<T, Executor> const a(exec, uneven.all);
        auto const offsets = exec.copy(uneven.bounds);
        check(uneven, d, solve_matrix(exec, band_matrix<T>::batch(a.matrix, offsets.view()), d, options).x);

        auto const e = rhs_for(even.meaning, columns, 9);
        blocks_on<T, Executor> const b(exec, even.all);
        auto const count = std::int64_t(even.systems());
        check(even, e, solve_matrix(exec, band_matrix<T>::batch(b.matrix, count), e, options).x);

        auto mixed = even.all;
        for (auto const band : {&block_storage<T>::lower, &block_storage<T>::diagonal, &block_storage<T>::upper})
            mixed.*band = even.interleaved(even.all.*band, n * n, false);
        blocks_on<T, Executor> const c(exec, mixed);
        auto const x = solve_matrix(exec, band_matrix<T>::interleaved_batch(c.matrix, count),
                                    even.interleaved(e, n, false), options)
                           .x;
        check(even, e, even.interleaved(x, n, true));
    }
}

template <class T, class Executor>
void check_missing_pivots(Executor const& exec) {
    std::vector<std::pair<int, bool>> cases{{1, true}, {2, true}, {4, true}};
    for (int const n : blocks) cases.emplace_back(n, false);
    for (auto const& [n, cyclic] : cases)
        for (std::int64_t const length : {3, 9, 100})
            for (std::int64_t const at : {std::int64_t(0), length * n / 2, length * n - 1}) {
                CAPTURE(n);
                CAPTURE(cyclic);
                CAPTURE(length);
                CAPTURE(at);
                block_storage<T> s(length, n, 6, cyclic);
                std::int64_t const block = at / n, square = n * n;
                for (int r = 0; r < n; ++r) {
                    auto const entry = std::size_t(r + at % n * n);
                    s.diagonal[std::size_t(block * square) + entry] = 0;
                    if (cyclic || block > 0) s.upper[std::size_t((block + length - 1) % length * square) + entry] = 0;
                    if (cyclic || block + 1 < length) s.lower[std::size_t((block + 1) % length * square) + entry] = 0;
                }
                auto const report =
                    solve_blocks(exec, s, std::vector<T>(std::size_t(s.size()), T(1)), {.cyclic = cyclic}).reports[0];
                CHECK(report.status == solve_status::singular);
                CHECK(report.row == at);
            }
}

} // namespace

TEST_CASE_TEMPLATE("blocks: every size at which the elimination changes", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : blocks)
        for (std::int64_t const rows : {1, 7, 8, 16, 17, 33, 64, 128, 129, 136, 300, 1040, 4500}) {
            std::int64_t const length = (rows + n - 1) / n;
            if (sanitized && rows > 300 && n != 4) continue;
            check_blocks<double>(exec, length, n, {});
            check_blocks<float>(exec, length, n, {.operation = matrix_operation::transposed});
            check_blocks<double>(exec, length, n, {.pivot = pivoting::scaled_partial});
            check_blocks<std::complex<double>>(exec, length, n, {});
            check_blocks<std::complex<float>>(exec, length, n, {.operation = matrix_operation::transposed});
            check_blocks<std::complex<double>>(
                exec, length, n,
                {.pivot = pivoting::scaled_partial, .operation = matrix_operation::conjugate_transposed});
        }
}

TEST_CASE_TEMPLATE("blocks: rows of mixed scale, and entries at the ends of the range", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    check_mixed_scale<double>(Fixture::exec());
    check_mixed_scale<std::complex<double>>(Fixture::exec());
}

TEST_CASE_TEMPLATE("blocks: cyclic systems of every size at which the elimination changes", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 3, 4})
        for (std::int64_t const length : {1, 2, 3, 4, 5, 8, 9, 31, 64, 65, 128, 513}) {
            if (sanitized && length > 128 && n != 2) continue;
            check_blocks<double>(exec, length, n, {.cyclic = true});
            check_blocks<float>(exec, length, n, {.cyclic = true, .operation = matrix_operation::transposed});
            check_blocks<double>(exec, length, n, {.pivot = pivoting::scaled_partial, .cyclic = true});
            check_blocks<double>(exec, length, n, {.threshold = 1e-9, .cyclic = true});
        }
}

TEST_CASE_TEMPLATE("blocks: a system has the same bits alone and in every batch", Fixture, COPPICE_TEST_EXECUTORS) {
    check_bits_of_batches<double>(Fixture::exec());
    check_bits_of_batches<std::complex<double>>(Fixture::exec());
}

TEST_CASE_TEMPLATE("blocks: a batch with a system that is too large for the ends", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    bool const host = std::is_same_v<std::remove_const_t<decltype(exec)>, host_executor>;
    if (races_watched) return; // a large system
    block_batch<float> const b({20, (std::int64_t(1) << 17) + 1, 33}, 2, 3);
    auto const d = rhs_for(b.meaning, 1, 8);
    blocks_on<float, decltype(exec)> const a(exec, b.all);
    auto const offsets = exec.copy(b.bounds);
    auto const found = solve_matrix(exec, band_matrix<float>::batch(a.matrix, offsets.view()), d);
    CHECK(backward_error_of(b.meaning, found.x, d) < 50 * epsilon<float>);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(found.reports[k].status == solve_status::ok);
        if (host) CHECK(b.rows_of(found.x, k, 1) == solve_blocks(exec, b.system(k), b.rows_of(d, k, 1)).x);
    }
}

TEST_CASE_TEMPLATE("blocks: a column without a pivot is reported", Fixture, COPPICE_TEST_EXECUTORS) {
    check_missing_pivots<double>(Fixture::exec());
    check_missing_pivots<std::complex<double>>(Fixture::exec());
}

TEST_CASE_TEMPLATE("bands: complex systems at every size at which the elimination changes", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = std::complex<double>;
    for (auto const& [lower, upper] : {std::pair{1, 1}, {2, 3}, {4, 4}, {0, 3}, {3, 0}, {8, 8}, {0, 0}})
        for (std::int64_t const size : {1, 2, 7, 15, 16, 17, 31, 33, 65, 200, 3000}) {
            bool const triangular = (lower == 0) != (upper == 0); // its condition number grows exponentially
            if (size > (triangular ? 33 : sanitized ? 200 : 3000)) continue;
            CAPTURE(lower);
            CAPTURE(upper);
            CAPTURE(size);
            banded_storage<T> const s(size, lower, upper, 5);
            for (auto const operation : {matrix_operation::none, matrix_operation::conjugate_transposed})
                for (auto const pivot : {pivoting::partial, pivoting::scaled_partial}) {
                    auto const a = operation == matrix_operation::none ? s.meaning() : s.meaning().transposed(true);
                    auto const d = rhs_for(a, 3, 7);
                    auto const found = solve_banded_storage(exec, s, d, {.pivot = pivot, .operation = operation});
                    CHECK(found.reports[0].status == solve_status::ok);
                    CHECK(backward_error_of(a, found.x, d) < 50 * epsilon<T>);
                }
        }
}
