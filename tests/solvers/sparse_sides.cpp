// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/banded.hpp>

#include "solvers/band_reference.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Sparse right-hand sides with unsorted rows and repeated places, and what they mean.
template <class T>
struct sparse_storage {
    std::vector<std::int32_t> offsets{0}, rows;
    std::vector<T> values, dense;

    sparse_storage(std::int64_t n, std::int64_t columns, std::uint64_t seed) : dense(std::size_t(n * columns)) {
        random_values<T> random(seed);
        std::mt19937 engine(static_cast<unsigned>(seed));
        for (std::int64_t j = 0; j < columns; ++j) {
            for (auto k = engine() % 6; k > 0; --k) {
                auto const row = std::int32_t(engine() % std::uint64_t(n));
                rows.push_back(row);
                values.push_back(random());
                dense[std::size_t(row + j * n)] += values.back();
            }
            offsets.push_back(std::int32_t(rows.size()));
        }
    }
};

template <class T, class Executor>
void check_sparse(Executor const& exec) {
    std::int64_t const n = 150, columns = 37;
    block_storage<T> const s(n, 1, 3, false);
    blocks_on<T, Executor> const a(exec, s);
    auto const meaning = s.meaning(false);
    sparse_storage<T> const d(n, columns, 5);
    auto const offsets = exec.copy(d.offsets), rows = exec.copy(d.rows);
    auto const values = exec.copy(d.values);
    sparse_columns_view<T> const sides{n, columns, offsets.data(), rows.data(), values.data()};
    buffer<T> x(exec, n * columns);
    buffer<std::byte> workspace(exec, bands_workspace(exec, a.matrix, columns));
    solve_sparse_to_dense(exec, a.matrix, sides, columns_view<T>(x.data(), n, columns), workspace.view());
    auto const dense = to_vector(exec, x);
    CHECK(backward_error_of(meaning, dense, d.dense) <= 100 * epsilon<T>);

    // Pruned: as many entries as a sort by magnitude would keep, columns empty and full among them.
    std::vector<std::int32_t> ends{0};
    for (std::int64_t j = 0; j < columns; ++j)
        ends.push_back(ends.back() + std::int32_t(j % 5 == 0 ? 0 : j % 7 == 0 ? n : 3 * j % n));
    auto const kept = exec.copy(ends);
    buffer<std::int32_t> kept_rows(exec, ends.back());
    buffer<T> kept_values(exec, ends.back());
    solve_sparse_to_sparse(exec, a.matrix, sides, array_view<std::int32_t const>(kept.view()), kept_rows.view(),
                           kept_values.view(), {}, 8);
    auto const got_rows = to_vector(exec, kept_rows);
    auto const got_values = to_vector(exec, kept_values);
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

TEST_CASE_TEMPLATE("bands: equal magnitudes are kept from the lowest row on", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int64_t const n = 1000; // the identity: the solution is the right-hand side
    auto const zero = exec.copy(std::vector<double>(std::size_t(n), 0.0));
    auto const one = exec.copy(std::vector<double>(std::size_t(n), 1.0));
    band_matrix<double> const a(tridiagonal_view<double>{n, zero.data(), one.data(), zero.data()});
    std::vector<std::int32_t> rows{999, 7, 500, 3, 600, 8}, offsets{0, 6}, ends{0, 4};
    std::vector<double> values{-2, 1, 1, -1, 1, 0.5};
    auto const r = exec.copy(rows), o = exec.copy(offsets), e = exec.copy(ends);
    auto const v = exec.copy(values);
    buffer<std::int32_t> kept_rows(exec, 4);
    buffer<double> kept(exec, 4);
    sparse_columns_view<double> const d{n, 1, o.data(), r.data(), v.data()};
    solve_sparse_to_sparse(exec, a, d, array_view<std::int32_t const>(e.view()), kept_rows.view(), kept.view());
    CHECK(to_vector(exec, kept_rows) == std::vector<std::int32_t>{3, 7, 500, 999});
    CHECK(to_vector(exec, kept) == std::vector<double>{-1, 1, 1, -2});
    auto const wrong = exec.copy(std::vector<std::int32_t>{0, 1001});
    CHECK_THROWS_AS(
        solve_sparse_to_sparse(exec, a, d, array_view<std::int32_t const>(wrong.view()), kept_rows.view(), kept.view()),
        argument_error);
    buffer<std::int32_t> few(exec, 3);
    CHECK_THROWS_AS(
        solve_sparse_to_sparse(exec, a, d, array_view<std::int32_t const>(e.view()), few.view(), kept.view()),
        dimension_error);
}
