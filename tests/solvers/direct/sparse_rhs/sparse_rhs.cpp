// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/banded.hpp>

#include <limits>

#include "solvers/band_reference.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"
#if !defined(COPPICE_TEST_CUDA)
#include <coppice/algebra/largest_entries.hpp>
#include <coppice/solvers/direct/block_banded/chain_host.hpp>
#include <coppice/solvers/direct/factored/band_factor_solve.hpp>
#endif

using namespace coppice;
using namespace coppice::test;

namespace {

/// Sparse right-hand sides with unsorted and repeated row indices, and the same columns in dense form.
template <class T, class I = std::int32_t>
struct sparse_storage {
    std::vector<I> offsets{0}, rows;
    std::vector<T> values, dense;

    sparse_storage(std::int64_t n, std::int64_t columns, std::uint64_t seed) : dense(std::size_t(n * columns)) {
        random_values<T> random(seed);
        std::mt19937 engine(static_cast<unsigned>(seed));
        for (std::int64_t j = 0; j < columns; ++j) {
            for (auto k = engine() % 6; k > 0; --k) {
                auto const row = I(engine() % std::uint64_t(n));
                rows.push_back(row);
                values.push_back(random());
                dense[std::size_t(row + j * n)] += values.back();
            }
            offsets.push_back(I(rows.size()));
        }
    }
};

/// The same columns in the memory of an executor.
template <class T, class I, class Executor>
struct sparse_on {
    buffer<I> offsets, rows;
    buffer<T> values;
    sparse_columns_view<T, I> view;

    sparse_on(Executor const& exec, sparse_storage<T, I> const& s, std::int64_t n)
        : offsets(exec.copy(s.offsets)), rows(exec.copy(s.rows)), values(exec.copy(s.values)),
          view{n, std::int64_t(s.offsets.size()) - 1, offsets.data(), rows.data(), values.data(), rows.size()} {}
};

/// X by one factorisation, from sparse columns and from the same columns in dense form.
template <class T, class I, class Executor>
std::pair<std::vector<T>, std::vector<T>> sparse_and_dense(Executor const& exec, band_matrix<T> const& a,
                                                           sparse_columns_view<T, I> const& sparse,
                                                           std::vector<T> const& dense, band_options const& options) {
    buffer<std::byte> factor(exec, bands_factor_bytes(exec, a, options));
    factorise_bands(exec, a, factor.view(), options);
    auto const solve = [&](std::int64_t bytes, auto call) {
        buffer<std::byte> workspace(exec, bytes);
        auto x = exec.copy(dense);
        call(columns_view<T>(x.data(), a.size, sparse.columns), workspace.view());
        return to_vector(exec, x);
    };
    auto const d = exec.copy(dense);
    array_view<std::byte const> const factor_view(factor.view());
    return {solve(factored_sparse_workspace(exec, a, sparse.columns, options),
                  [&](auto x, auto space) { solve_factored_sparse(exec, a, factor_view, sparse, x, space, options); }),
            solve(factored_workspace(exec, a, sparse.columns, options), [&](auto x, auto space) {
                columns_view<T const> const rhs(d.data(), a.size, sparse.columns);
                solve_factored_bands(exec, a, factor_view, rhs, x, space, options);
            })};
}

/// Both solutions must be bitwise equal, zeros included.
template <class T, class I, class Executor>
void check_same(Executor const& exec, band_matrix<T> const& a, std::int64_t columns, band_options const& options) {
    sparse_storage<T, I> const s(a.size, columns, std::uint64_t(a.size + columns + 1));
    sparse_on<T, I, Executor> const d(exec, s, a.size);
    auto const [sparse, dense] = sparse_and_dense(exec, a, d.view, s.dense, options);
    REQUIRE(sparse.size() == dense.size());
    std::size_t differ = 0, zero = 0;
    for (std::size_t i = 0; i < sparse.size(); ++i) {
        differ += sparse[i] == dense[i] ? 0 : 1;
        zero += dense[i] == T(0) ? 1 : 0;
    }
    CHECK(differ == 0);
    CHECK(zero < dense.size());
}

template <class T, class Executor>
void check_sparse(Executor const& exec) {
    std::int64_t const n = 150, columns = 37;
    block_storage<T> const s(n, 1, 3, false);
    blocks_on<T, Executor> const a(exec, s);
    auto const meaning = s.meaning(false);
    sparse_storage<T> const d(n, columns, 5);
    auto const offsets = exec.copy(d.offsets), rows = exec.copy(d.rows);
    auto const values = exec.copy(d.values);
    sparse_columns_view<T> const rhs{n, columns, offsets.data(), rows.data(), values.data()};
    buffer<T> x(exec, n * columns);
    buffer<std::byte> workspace(exec, sparse_to_dense_workspace(exec, a.matrix, columns));
    solve_sparse_to_dense(exec, a.matrix, rhs, columns_view<T>(x.data(), n, columns), workspace.view());
    auto const dense = to_vector(exec, x);
    CHECK(backward_error_of(meaning, dense, d.dense) <= 100 * epsilon<T>);

    // Pruned solutions: the entries that a stable sort by magnitude selects; some columns are empty, some complete.
    std::vector<std::int32_t> ends{0};
    for (std::int64_t j = 0; j < columns; ++j)
        ends.push_back(ends.back() + std::int32_t(j % 5 == 0 ? 0 : j % 7 == 0 ? n : 3 * j % n));
    auto const result_ends = exec.copy(ends);
    buffer<std::int32_t> result_rows(exec, ends.back());
    buffer<T> result_values(exec, ends.back());
    solve_sparse_to_sparse(exec, a.matrix, rhs, array_view<std::int32_t const>(result_ends.view()), result_rows.view(),
                           result_values.view(), {}, 8);
    auto const got_rows = to_vector(exec, result_rows);
    auto const got_values = to_vector(exec, result_values);
    for (std::int64_t j = 0; j < columns; ++j) {
        std::vector<std::int32_t> order(static_cast<std::size_t>(n));
        for (std::int32_t i = 0; i < n; ++i) order[std::size_t(i)] = i;
        auto const size = [&](std::int32_t i) {
            auto const value = dense[std::size_t(i + j * n)];
            double const re = double(std::real(value)), im = double(std::imag(value));
            return is_complex<T> ? re * re + im * im : std::abs(re);
        };
        std::stable_sort(order.begin(), order.end(), [&](auto p, auto q) { return size(p) > size(q); });
        std::int32_t const count = ends[std::size_t(j + 1)] - ends[std::size_t(j)];
        std::sort(order.begin(), order.begin() + count);
        for (std::int32_t k = 0; k < count; ++k) {
            auto const at = std::size_t(ends[std::size_t(j)] + k);
            REQUIRE(got_rows[at] == order[std::size_t(k)]);
            REQUIRE(got_values[at] == dense[std::size_t(order[std::size_t(k)] + j * n)]);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("bands: sparse right-hand sides, dense and pruned solutions", Fixture, COPPICE_TEST_EXECUTORS) {
    check_sparse<float>(Fixture::exec());
    check_sparse<double>(Fixture::exec());
    check_sparse<std::complex<float>>(Fixture::exec());
    check_sparse<std::complex<double>>(Fixture::exec());
}

TEST_CASE_TEMPLATE("bands: sparse right-hand sides are bitwise equal to dense ones", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    for (int const n : {1, 2, 4})
        for (bool const cyclic : {false, true}) {
            CAPTURE(n);
            CAPTURE(cyclic);
            block_storage<T> s(sanitized ? 1000 : 5000, n, std::uint64_t(n), cyclic);
            // Large diagonal entries, so that solutions decay until they underflow.
            for (std::int64_t i = 0; i < s.length; ++i)
                for (int r = 0; r < n; ++r) s.diagonal[std::size_t((i * n + r) * n + r)] += 40;
            blocks_on<T, decltype(exec)> const a(exec, s);
            check_same<T, std::int64_t>(exec, a.matrix, 1, {.cyclic = cyclic});
            check_same<T, std::int32_t>(exec, a.matrix, 13, {.cyclic = cyclic});
            check_same<T, std::int32_t>(exec, a.matrix, 5,
                                        {.cyclic = cyclic, .operation = matrix_operation::transposed});
            check_same<T, std::int32_t>(exec, band_matrix<T>::batch(a.matrix, 20), 5, {.cyclic = cyclic});
            check_same<T, std::int32_t>(exec, band_matrix<T>::interleaved_batch(a.matrix, 20), 5, {.cyclic = cyclic});
        }
    banded_storage<T> const s(3000, 3, 2, 7);
    auto const bands = exec.copy(s.bands);
    check_same<T, std::int32_t>(exec, band_matrix<T>(banded_view<T>{3000, 3, 2, bands.data()}), 9, {});
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("bands: the largest entries of columns, in the memory for them") {
    host_executor const exec(1);
    std::int64_t const columns = 3, count = 10;
    for (std::int64_t const n : {1, 31, 32, 33, 64, 2048}) {
        CAPTURE(n);
        std::vector<double> x(std::size_t(n * columns));
        random_values<double>(7).fill(x);
        std::vector<std::int64_t> offsets{0, count, 2 * count, 3 * count};
        std::vector<largest::search> searches(static_cast<std::size_t>(columns));
        std::vector<std::int64_t> histogram(std::size_t(columns * largest::bins));
        std::vector<std::int64_t> counts(std::size_t(columns * largest::counts_each(n)) + 64, -7);
        std::vector<std::int64_t> rows(std::size_t(columns * count), -7);
        std::vector<double> values(rows.size());
        largest::keep_largest(exec, columns_view<double>(x.data(), n, columns), 0, offsets.data(),
                              {searches.data(), histogram.data(), counts.data()}, array_view<std::int64_t>(rows),
                              array_view<double>(values));
        CHECK(std::count(counts.end() - 64, counts.end(), -7) == 64); // nothing is written after the counts
        for (std::int64_t c = 0; c < columns; ++c) {
            auto const* const column = x.data() + c * n;
            std::vector<std::int64_t> order(static_cast<std::size_t>(n));
            for (std::int64_t i = 0; i < n; ++i) order[std::size_t(i)] = i;
            std::sort(order.begin(), order.end(),
                      [&](auto p, auto q) { return std::abs(column[p]) > std::abs(column[q]); });
            auto const selected = std::min(n, count);
            std::sort(order.begin(), order.begin() + selected);
            CHECK(std::equal(order.begin(), order.begin() + selected, rows.begin() + c * count));
        }
    }
    for (int byte = 0; byte < largest::key_bytes(1); ++byte) { // keys that differ in one byte
        largest::order_key const key{0, 0};
        largest::order_key const other{byte < 8 ? std::uint64_t(1) << (56 - 8 * byte) : 0,
                                       byte < 8 ? 0 : std::uint64_t(1) << (120 - 8 * byte)};
        CHECK(other.byte(byte) == 1);
        for (int equal = 0; equal <= largest::key_bytes(1); ++equal) CHECK(key.agrees(other, equal) == (equal <= byte));
    }
}

TEST_CASE("bands: segments without entries of right-hand sides are skipped") {
    host_executor const exec(2);
    using T = double;
    using factored = chain::factored_level<T, chain::matrix_block_rows<T>>;
    std::int64_t const n = 32 * 16 * 12;
    block_storage<T> s(n, 1, 3, false);
    // a solution is zero 300 rows away from the entries of the right-hand side
    for (auto& value : s.diagonal) value += 40;
    band_matrix<T> const a(s.view());
    buffer<std::byte> factor(exec, bands_factor_bytes(exec, a));
    factorise_bands(exec, a, factor.view());
    buffer<std::byte> workspace(exec, factored_sparse_workspace(exec, a, 2));
    auto const solve = [&](std::int32_t row) {
        std::vector<std::int32_t> const offsets{0, 1, 2}, rows{5, row};
        std::vector<T> const values{1, 2};
        std::vector<T> x(std::size_t(2 * n));
        solve_factored_sparse(exec, a, array_view<std::byte const>(factor.view()),
                              sparse_columns_view<T>{n, 2, offsets.data(), rows.data(), values.data(), 2},
                              columns_view<T>(x.data(), n, 2), workspace.view());
        return x;
    };
    auto const expected = solve(20);
    CHECK(expected[5] != 0);
    // Overwrites the saved pivot rows between the second pack of segments and the last one by NaN. (The last one is
    // next to the first in a cyclic matrix.)
    auto const rows = chain::rows_of(a, {});
    auto const levels = chain::levels_of(rows.batch);
    auto const shape = chain::rows_shape(levels, 1, 0);
    auto* const memory = reinterpret_cast<T*>(factor.data() + chain::plan_factor(exec, rows).saved[0]);
    std::int64_t const pack = chain::max_lanes * factored::saved_each(shape), all = levels.count(n, 1);
    for (std::int64_t i = 2 * pack; i < factored::saved_total(shape, all) - pack; ++i) memory[i] = std::nan("");
    CHECK(solve(20) == expected);
    CHECK(std::isnan(solve(n / 2)[std::size_t(n + n / 2)])); // a solve that reads these rows gives NaN
}
#endif

TEST_CASE_TEMPLATE("bands: sparse right-hand sides with entries outside the matrix", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = float;
    std::int64_t const n = 90, columns = 6;
    block_storage<T> const s(n, 1, 3, false);
    blocks_on<T, decltype(exec)> const a(exec, s);
    // Columns 1, 3, 4: a row index n, a negative one, decreasing offsets.
    auto const offsets = exec.copy(std::vector<std::int32_t>{0, 1, 2, 3, 4, 3, 5});
    auto const rows = exec.copy(std::vector<std::int32_t>{5, 90, 6, -1, 7, 8});
    auto const values = exec.copy(std::vector<T>{1, 1, 1, 1, 1, 1});
    sparse_columns_view<T> const d{n, columns, offsets.data(), rows.data(), values.data(), 6};
    buffer<T> x(exec, n * columns);
    buffer<std::byte> workspace(exec, sparse_to_dense_workspace(exec, a.matrix, columns));
    solve_sparse_to_dense(exec, a.matrix, d, columns_view<T>(x.data(), n, columns), workspace.view());
    auto const got = to_vector(exec, x);
    for (std::int64_t j : {1, 3, 4})
        for (std::int64_t i = 0; i < n; ++i) REQUIRE(std::isnan(got[std::size_t(i + j * n)]));
    for (std::int64_t j : {0, 2})
        for (std::int64_t i = 0; i < n; ++i) REQUIRE(std::isfinite(got[std::size_t(i + j * n)]));
    CHECK_THROWS_AS(solve_sparse_to_dense(exec, a.matrix, d, columns_view<T>(x.data(), n, columns),
                                          workspace.view().slice(0, workspace.size() - 64)),
                    argument_error);
}

TEST_CASE_TEMPLATE("bands: pruned solutions in a workspace stay inside their arrays", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    using I = std::int64_t;
    std::int64_t const n = 300, columns = 10;
    block_storage<T> const s(n, 1, 5, false);
    blocks_on<T, decltype(exec)> const a(exec, s);
    sparse_storage<T, I> const d(n, columns, 2);
    sparse_on<T, I, decltype(exec)> const on(exec, d, n);
    std::int64_t const room = 40;
    buffer<std::byte> workspace(exec, sparse_to_sparse_workspace(exec, a.matrix, columns, {}, 4));
    auto const prune = [&](std::vector<I> const& ends) {
        auto const e = exec.copy(ends);
        auto rows = exec.copy(std::vector<I>(std::size_t(room + 2), I(-7)));
        auto values = exec.copy(std::vector<T>(std::size_t(room + 2), T(-7)));
        solve_sparse_to_sparse(exec, a.matrix, on.view, array_view<I const>(e.view()), rows.view().slice(1, room),
                               values.view().slice(1, room), workspace.view(), {}, 4);
        return std::make_pair(to_vector(exec, rows), to_vector(exec, values));
    };
    std::vector<I> ends{0};
    for (std::int64_t j = 0; j < columns; ++j) ends.push_back(4 * (j + 1));
    auto const [rows, values] = prune(ends);
    buffer<I> same_rows(exec, room);
    buffer<T> same(exec, room);
    auto const e = exec.copy(ends);
    solve_sparse_to_sparse(exec, a.matrix, on.view, array_view<I const>(e.view()), same_rows.view(), same.view(), {},
                           4);
    CHECK(std::equal(rows.begin() + 1, rows.end() - 1, to_vector(exec, same_rows).begin()));
    CHECK(std::equal(values.begin() + 1, values.end() - 1, to_vector(exec, same).begin()));
    // Offsets after the end of the arrays, before their begin, decreasing ones, and differences that overflow.
    I const lowest = std::numeric_limits<I>::min(), highest = std::numeric_limits<I>::max();
    for (auto const& wild :
         {std::vector<I>{0, 30, 60, 90, 90, 90, 90, 90, 90, 90, 90}, std::vector<I>{-20, 0, 4, 8, 8, 8, 8, 8, 8, 8, 8},
          std::vector<I>{40, 3, 50, 2, 0, 0, 1000, -1000, 5, 6, 7},
          std::vector<I>{lowest, highest, lowest, 7, lowest, 0, highest - 1, highest, -1, highest, highest}}) {
        auto const [r, v] = prune(wild);
        CHECK(r.front() == -7);
        CHECK(r.back() == -7);
        CHECK(v.front() == -7);
        CHECK(v.back() == -7);
    }
}

TEST_CASE_TEMPLATE("bands: of equal magnitudes the lowest rows are selected", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int64_t const n = 1000; // the identity matrix: the solution is the right-hand side
    auto const zero = exec.copy(std::vector<double>(std::size_t(n), 0.0));
    auto const one = exec.copy(std::vector<double>(std::size_t(n), 1.0));
    band_matrix<double> const a(tridiagonal_view<double>{n, zero.data(), one.data(), zero.data()});
    std::vector<std::int32_t> rows{999, 7, 500, 3, 600, 8}, offsets{0, 6}, ends{0, 4};
    std::vector<double> values{-2, 1, 1, -1, 1, 0.5};
    auto const r = exec.copy(rows), o = exec.copy(offsets), e = exec.copy(ends);
    auto const v = exec.copy(values);
    buffer<std::int32_t> result_rows(exec, 4);
    buffer<double> result(exec, 4);
    sparse_columns_view<double> const d{n, 1, o.data(), r.data(), v.data()};
    solve_sparse_to_sparse(exec, a, d, array_view<std::int32_t const>(e.view()), result_rows.view(), result.view());
    CHECK(to_vector(exec, result_rows) == std::vector<std::int32_t>{3, 7, 500, 999});
    CHECK(to_vector(exec, result) == std::vector<double>{-1, 1, 1, -2});
    auto const wrong = exec.copy(std::vector<std::int32_t>{0, 1001});
    CHECK_THROWS_AS(solve_sparse_to_sparse(exec, a, d, array_view<std::int32_t const>(wrong.view()), result_rows.view(),
                                           result.view()),
                    argument_error);
    buffer<std::int32_t> few(exec, 3);
    CHECK_THROWS_AS(
        solve_sparse_to_sparse(exec, a, d, array_view<std::int32_t const>(e.view()), few.view(), result.view()),
        dimension_error);
}
