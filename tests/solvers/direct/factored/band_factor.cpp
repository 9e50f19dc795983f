// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/banded.hpp>

#include "solvers/band_reference.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Factorises once and solves for each element of `rhs`; the first one in place.
template <class T, class Executor>
std::vector<std::vector<T>> solve_factored(Executor const& exec, band_matrix<T> const& a,
                                           std::vector<std::vector<T>> const& rhs, band_options const& options,
                                           std::vector<std::int64_t>* singular = nullptr) {
    buffer<std::byte> factor(exec, bands_factor_bytes(exec, a, options));
    buffer<std::int64_t> rows(exec, a.systems);
    factorise_bands(exec, a, factor.view(), options, rows.view());
    if (singular) *singular = to_vector(exec, rows);
    std::vector<std::vector<T>> solutions;
    for (auto const& columns_of_rhs : rhs) {
        std::int64_t const columns = std::int64_t(columns_of_rhs.size()) / a.size;
        auto d = exec.copy(columns_of_rhs);
        buffer<T> other(exec, a.size * columns);
        buffer<T>& x = solutions.empty() ? d : other;
        buffer<std::byte> workspace(exec, factored_workspace(exec, a, columns, options));
        solve_factored_bands(exec, a, factor.view(), columns_view<T const>(d.data(), a.size, columns),
                             columns_view<T>(x.data(), a.size, columns), workspace.view(), options);
        solutions.push_back(to_vector(exec, x));
    }
    return solutions;
}

template <class T, class Executor>
void check_factored(Executor const& exec) {
    for (int const n : sanitized ? std::vector<int>{1, 3, 8} : std::vector<int>{1, 2, 3, 4, 8})
        for (std::int64_t const length : {1, 2, 33, 64, sanitized ? 129 : 701})
            for (bool const cyclic : {false, true}) {
                CAPTURE(n);
                CAPTURE(length);
                CAPTURE(cyclic);
                block_storage<T> const s(length, n, std::uint64_t(n + length), cyclic);
                auto const a = s.meaning(cyclic);
                blocks_on<T, Executor> const m(exec, s);
                std::vector<std::vector<T>> const rhs{rhs_for(a, 1, 1), rhs_for(a, 3, 2), rhs_for(a, 10, 3)};
                auto const x = solve_factored(exec, m.matrix, rhs, {.cyclic = cyclic});
                for (std::size_t k = 0; k < rhs.size(); ++k)
                    CHECK(backward_error_of(a, x[k], rhs[k]) <= 100 * epsilon<T>);
            }
}

} // namespace

TEST_CASE_TEMPLATE("bands: factor once, solve many times", Fixture, COPPICE_TEST_EXECUTORS) {
    check_factored<float>(Fixture::exec());
    if (!sanitized) check_factored<double>(Fixture::exec());
    if (!sanitized) check_factored<std::complex<float>>(Fixture::exec());
    check_factored<std::complex<double>>(Fixture::exec());
}

TEST_CASE_TEMPLATE("bands: factorisations of transposes, bands and batches", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    banded_storage<T> const s(333, 3, 1, 4);
    auto const bands = exec.copy(s.bands);
    band_matrix<T> const m(banded_view<T>{333, 3, 1, bands.data()});
    auto const a = s.meaning(), t = a.transposed(false);
    std::vector<std::vector<T>> const rhs{rhs_for(a, 2, 1)};
    CHECK(backward_error_of(a, solve_factored(exec, m, rhs, {})[0], rhs[0]) <= 100 * epsilon<T>);
    CHECK(backward_error_of(t, solve_factored(exec, m, rhs, {.operation = matrix_operation::transposed})[0], rhs[0]) <=
          100 * epsilon<T>);

    std::vector<std::int64_t> const bounds{0, 5, 5, 70, 400};
    block_storage<T> blocks(400, 2, 3, true);
    plain_rows<T> meaning(800);
    // Column 10 of system 2 is zero; the other systems must still be solved.
    std::int64_t const zero = 5 + 10;
    for (int e = 0; e < 4; ++e)
        blocks.diagonal[std::size_t(4 * zero + e)] = blocks.upper[std::size_t(4 * (zero - 1) + e)] =
            blocks.lower[std::size_t(4 * (zero + 1) + e)] = 0;
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
        blocks.spoil(bounds[k], bounds[k + 1]);
        if (k != 2) blocks.describe(meaning, bounds[k], bounds[k + 1], false);
    }
    for (std::int64_t i = 2 * bounds[2]; i < 2 * bounds[3]; ++i) meaning.add(i, i, 1);
    blocks_on<T, decltype(exec)> const on(exec, blocks);
    auto const offsets = exec.copy(bounds);
    std::vector<std::vector<T>> const d{rhs_for(meaning, 1, 2)};
    std::vector<std::int64_t> singular;
    auto x = solve_factored(exec, band_matrix<T>::batch(on.matrix, offsets.view(), 330), d, {}, &singular)[0];
    std::copy(d[0].begin() + 2 * bounds[2], d[0].begin() + 2 * bounds[3], x.begin() + 2 * bounds[2]);
    CHECK(backward_error_of(meaning, x, d[0]) <= 100 * epsilon<T>);
    CHECK(singular == std::vector<std::int64_t>{-1, -1, 20, -1});
}

TEST_CASE_TEMPLATE("bands: invalid arguments of a factorisation throw", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = float;
    std::int64_t const n = 64;
    buffer<T> band(exec, 3 * n), d(exec, n);
    band_matrix<T> const a(tridiagonal_view<T>{n, band.data(), band.data() + n, band.data() + 2 * n});
    std::int64_t const bytes = bands_factor_bytes(exec, a), space = factored_workspace(exec, a, 1);
    buffer<std::byte> factor(exec, bytes + 64), workspace(exec, space + 64);
    CHECK_THROWS_AS(factorise_bands(exec, a, factor.view().slice(0, bytes - 1)), argument_error);
    CHECK_THROWS_AS(factorise_bands(exec, a, factor.view().slice(4, bytes)), argument_error);
    CHECK_THROWS_AS(factorise_bands(exec, a, factor.view(), {.method = band_method::rpts}), argument_error);
    buffer<std::int64_t> rows(exec, 3);
    CHECK_THROWS_AS(factorise_bands(exec, a, factor.view(), {}, rows.view()), dimension_error);
    columns_view<T const> const rhs(d.data(), n, 1);
    columns_view<T> const x(d.data(), n, 1);
    CHECK_THROWS_AS(solve_factored_bands(exec, a, factor.view(), rhs, x, workspace.view().slice(0, space - 1)),
                    argument_error);
    CHECK_THROWS_AS(
        solve_factored_bands(exec, a, factor.view(), rhs, columns_view<T>(d.data(), n - 1, 1), workspace.view()),
        dimension_error);
    // a solution that overlaps the right-hand side in part, and one that overlaps the factorisation
    buffer<T> both(exec, 2 * n);
    CHECK_THROWS_AS(solve_factored_bands(exec, a, factor.view(), columns_view<T const>(both.data(), n, 1),
                                         columns_view<T>(both.data() + n / 2, n, 1), workspace.view()),
                    argument_error);
    CHECK_THROWS_AS(solve_factored_bands(exec, a, factor.view(), rhs,
                                         columns_view<T>(reinterpret_cast<T*>(factor.data()), n, 1), workspace.view()),
                    argument_error);
}
