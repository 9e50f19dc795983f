// SPDX-License-Identifier: BSD-3-Clause
// Direct solves are invariant under scaling by powers of two, in all bits of solution and report. If A x = d, then
// (2^k A) x = 2^k d and (2^k A) (2^-k x) = d.
#include <cstring>

#include <coppice/banded.hpp>
#include <coppice/tridiagonal.hpp>

#include "solvers/band_reference.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Exponents for which intermediate results of numbers around 1 stay in range.
template <class T>
std::vector<int> exponents() {
    return sizeof(real_of<T>) == 4 ? std::vector<int>{-50, 33, 60} : std::vector<int>{-400, 33, 500};
}
template <class T>
std::vector<T> times_power(std::vector<T> values, int k) {
    auto const factor = std::ldexp(real_of<T>(1), k);
    for (T& value : values) value *= factor;
    return values;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

void check_same_report(solve_report const& a, solve_report const& b) {
    CHECK(int(a.status) == int(b.status));
    CHECK(a.row == b.row);
    CHECK(a.tries == b.tries);
    CHECK(same_bits(std::vector{a.backward_error, a.componentwise_error, a.condition},
                    std::vector{b.backward_error, b.componentwise_error, b.condition}));
}

/// `solve(exponent of A, d)` returns a solution and its reports.
template <class T, class Solve>
void check_scaling(std::vector<T> const& d, Solve const& solve, std::vector<int> const& powers = exponents<T>()) {
    solution<T> const plain = solve(0, d);
    for (int const k : powers) {
        CAPTURE(k);
        auto const both = solve(k, times_power(d, k)), matrix = solve(k, d);
        CHECK(same_bits(both.x, plain.x));
        CHECK(same_bits(times_power(matrix.x, k), plain.x));
        for (std::size_t s = 0; s < plain.reports.size(); ++s) {
            check_same_report(both.reports[s], plain.reports[s]);
            check_same_report(matrix.reports[s], plain.reports[s]);
        }
    }
}

template <class T, class Executor>
solution<T> solve_unreported(Executor const& exec, band_matrix<T> const& a, std::vector<T> const& d,
                             band_options const& options) {
    auto const rhs = exec.copy(d);
    std::int64_t const columns = std::int64_t(d.size()) / a.size;
    buffer<T> x(exec, std::int64_t(d.size()));
    solve_bands(exec, a, columns_view<T const>(rhs.data(), a.size, columns), columns_view<T>(x.data(), a.size, columns),
                options);
    return {to_vector(exec, x), {}};
}

template <class T>
block_storage<T> scaled_blocks(block_storage<T> s, int k) {
    for (auto* const band : {&s.lower, &s.diagonal, &s.upper}) *band = times_power(*band, k);
    return s;
}

/// Tests with a report, with refinement and a condition number, and without. `shape` makes a batch of a matrix or
/// returns it.
template <class T, class Executor, class Shape>
void check_blocks(Executor const& exec, block_storage<T> const& s, std::vector<T> const& d, band_options const& options,
                  Shape const& shape) {
    check_scaling<T>(d, [&](int k, std::vector<T> const& rhs) {
        blocks_on<T, Executor> const a(exec, scaled_blocks(s, k));
        return solve_matrix(exec, shape(a.matrix), rhs, options);
    });
    check_scaling<T>(d, [&](int k, std::vector<T> const& rhs) {
        blocks_on<T, Executor> const a(exec, scaled_blocks(s, k));
        return solve_unreported(exec, shape(a.matrix), rhs, options);
    });
}

template <class T, class Executor>
void check_classes(Executor const& exec) {
    auto const one = [](auto const& a) { return a; };
    for (int const n : {1, 2, 5})
        for (std::int64_t const length : {1, 2, 3, 33, 129, 700})
            for (bool const cyclic : {false, true})
                for (auto const pivot : {pivoting::none, pivoting::partial, pivoting::scaled_partial})
                    for (auto const operation : {matrix_operation::none, matrix_operation::transposed,
                                                 matrix_operation::conjugate_transposed}) {
                        if (operation != matrix_operation::none && pivot == pivoting::none) continue;
                        if (n == 5 && length > 100) continue;
                        CAPTURE(n);
                        CAPTURE(length);
                        CAPTURE(cyclic);
                        CAPTURE(int(pivot));
                        CAPTURE(int(operation));
                        block_storage<T> const s(length, n, std::uint64_t(n + length), cyclic);
                        auto const a = s.meaning(cyclic);
                        band_options options{
                            .pivot = pivot, .cyclic = cyclic, .operation = operation, .refinements = length == 33};
                        options.condition = length == 129;
                        check_blocks(exec, s, rhs_for(a, length == 3 ? 3 : 1, 7), options, one);
                    }
}

template <class T, class Executor>
void check_batches(Executor const& exec) {
    auto const bounds = exec.copy(std::vector<std::int64_t>{0, 3, 3, 40, 105, 165});
    for (int const n : {1, 2})
        for (bool const cyclic : {false, true}) {
            CAPTURE(n);
            CAPTURE(cyclic);
            block_storage<T> s(165, n, 3, true);
            auto const d = rhs_for(s.meaning(true), 2, 5);
            band_options const options{.cyclic = cyclic};
            check_blocks(exec, s, d, options, [](auto const& a) { return band_matrix<T>::batch(a, 5); });
            check_blocks(exec, s, d, options, [](auto const& a) { return band_matrix<T>::interleaved_batch(a, 5); });
            check_blocks(exec, s, d, options,
                         [&](auto const& a) { return band_matrix<T>::batch(a, bounds.view(), 65); });
        }
}

template <class T, class Executor>
void check_bands(Executor const& exec) {
    for (auto const& [below, above] : {std::pair{2, 2}, {1, 3}, {0, 1}, {6, 2}})
        for (std::int64_t const n : {1, 7, 67, 130, 801})
            for (auto const operation : {matrix_operation::none, matrix_operation::transposed}) {
                auto const& case_below = below;
                CAPTURE(case_below);
                auto const& case_above = above;
                CAPTURE(case_above);
                CAPTURE(n);
                CAPTURE(int(operation));
                banded_storage<T> s(n, below, above, std::uint64_t(n));
                if (n > 200) // otherwise nearly singular
                    for (std::int64_t i = 0; i < n; ++i) s.at(i, 0) += T(4);
                check_scaling<T>(rhs_for(s.meaning(), 1, 2), [&](int k, std::vector<T> const& d) {
                    auto scaled = s;
                    scaled.bands = times_power(s.bands, k);
                    return solve_banded_storage(exec, scaled, d, {.operation = operation});
                });
            }
}

/// Repeated solves with a factorisation, also with sparse right-hand sides.
template <class T, class Executor>
void check_factored(Executor const& exec) {
    for (int const n : {1, 2})
        for (std::int64_t const length : {3, 33, 129})
            for (bool const cyclic : {false, true}) {
                CAPTURE(n);
                CAPTURE(length);
                CAPTURE(cyclic);
                block_storage<T> const s(length, n, 11, cyclic);
                band_options const options{.cyclic = cyclic};
                check_scaling<T>(rhs_for(s.meaning(cyclic), 2, 5), [&](int k, std::vector<T> const& rhs) {
                    blocks_on<T, Executor> const a(exec, scaled_blocks(s, k));
                    std::int64_t const size = a.matrix.size;
                    buffer<std::byte> factor(exec, bands_factor_bytes(exec, a.matrix, options));
                    factorise_bands(exec, a.matrix, factor.view(), options);
                    buffer<std::byte> workspace(exec, factored_workspace(exec, a.matrix, 2, options));
                    auto d = exec.copy(rhs);
                    columns_view<T> const x(d.data(), size, 2);
                    solve_factored_bands(exec, a.matrix, array_view<std::byte const>(factor.view()),
                                         columns_view<T const>(x), x, workspace.view(), options);
                    return solution<T>{to_vector(exec, d), {}};
                });
                std::vector<std::int32_t> offsets{0}, rows;
                for (std::int32_t j = 1; j <= 4; ++j) {
                    offsets.push_back(j);
                    rows.push_back(std::int32_t(length * n - 1) * j / 4);
                }
                std::vector<T> entries(4);
                random_values<T>(3).fill(entries);
                check_scaling<T>(
                    entries,
                    [&](int k, std::vector<T> const& rhs) {
                        blocks_on<T, Executor> const a(exec, scaled_blocks(s, k));
                        std::int64_t const size = a.matrix.size;
                        auto const starts = exec.copy(offsets), row_indices = exec.copy(rows);
                        auto const values = exec.copy(rhs);
                        sparse_columns_view<T> const d{size, 4, starts.data(), row_indices.data(), values.data(), 4};
                        buffer<std::byte> workspace(exec, sparse_to_dense_workspace(exec, a.matrix, 4, options));
                        buffer<T> x(exec, size * 4);
                        solve_sparse_to_dense(exec, a.matrix, d, columns_view<T>(x.data(), size, 4), workspace.view(),
                                              options);
                        return solution<T>{to_vector(exec, x), {}};
                    },
                    {-20, 13, 20}); // solutions decay with the distance from the entries
            }
}

/// Small integers, which rows of the smallest subnormal powers of two can represent.
template <class T>
void round_values(std::vector<T>& values) {
    using real = real_of<T>;
    for (T& value : values)
        if constexpr (std::is_same_v<T, real>)
            value = std::round(8 * value);
        else
            value = {std::round(8 * value.real()), std::round(8 * value.imag())};
}
/// The exponent by which row i is scaled: a third of the rows becomes subnormal.
template <class T>
int exponent_of_row(std::int64_t i) {
    constexpr bool single = sizeof(real_of<T>) == 4;
    int const of_third[] = {single ? -148 : -1073, 0, single ? 100 : 800};
    return of_third[(i + i / 5) % 3];
}
template <class T>
T times_power_of_row(T value, std::int64_t i) {
    real_of<T> const half = std::ldexp(real_of<T>(1), exponent_of_row<T>(i) / 2);
    return value * half * std::ldexp(real_of<T>(1), exponent_of_row<T>(i) - exponent_of_row<T>(i) / 2);
}
/// Rows of blocks, and their right-hand sides, times powers of two.
template <class T, class Executor>
void check_scaled_rows(Executor const& exec, int n, std::int64_t length, bool cyclic, band_method method) {
    block_storage<T> s(length, n, std::uint64_t(length), cyclic);
    for (auto* const band : {&s.lower, &s.diagonal, &s.upper}) round_values(*band);
    for (T& value : s.diagonal)
        if (value == T(0)) value = T(1); // otherwise a row of zeros may occur
    std::vector<T> d(std::size_t(s.size()));
    random_values<T>(3).fill(d);
    round_values(d);
    auto scaled = s;
    for (auto* const band : {&scaled.lower, &scaled.diagonal, &scaled.upper})
        for (std::size_t k = 0; k < band->size(); ++k) {
            std::int64_t const block = std::int64_t(k) / (n * n), r = std::int64_t(k) % n;
            (*band)[k] = times_power_of_row((*band)[k], block * n + r);
        }
    auto scaled_d = d;
    for (std::size_t i = 0; i < d.size(); ++i) scaled_d[i] = times_power_of_row(d[i], std::int64_t(i));
    band_options const options{.pivot = pivoting::scaled_partial, .cyclic = cyclic, .method = method};
    blocks_on<T, Executor> const a(exec, s), b(exec, scaled);
    auto const plain = solve_unreported(exec, a.matrix, d, options).x;
    CHECK(same_bits(solve_unreported(exec, b.matrix, scaled_d, options).x, plain));
    auto const reported = solve_matrix(exec, b.matrix, scaled_d, options);
    auto const of_plain = solve_matrix(exec, a.matrix, d, options);
    CHECK(same_bits(reported.x, of_plain.x));
    CHECK(int(reported.reports[0].status) == int(of_plain.reports[0].status)); // few are singular
}
template <class T, class Executor>
void check_scaled_rows_of_bands(Executor const& exec) {
    for (std::int64_t const n : {7, 67, 130, 801}) {
        CAPTURE(n);
        banded_storage<T> s(n, 2, 1, std::uint64_t(n));
        round_values(s.bands);
        for (std::int64_t i = 0; i < n; ++i) s.at(i, 0) += T(16); // otherwise nearly singular
        auto scaled = s;
        std::vector<T> d(std::size_t(n), T(3)), scaled_d = d;
        for (std::int64_t i = 0; i < n; ++i) {
            scaled_d[std::size_t(i)] = times_power_of_row(T(3), i);
            for (int band = -2; band <= 1; ++band) scaled.at(i, band) = times_power_of_row(scaled.at(i, band), i);
        }
        band_options const options{.pivot = pivoting::scaled_partial};
        CHECK(same_bits(solve_banded_storage(exec, scaled, scaled_d, options).x,
                        solve_banded_storage(exec, s, d, options).x));
    }
}

} // namespace

TEST_CASE_TEMPLATE("bands: powers of two on rows change no bit with scaled pivoting", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const check = [&]<class T>(T) {
        for (int const n : {1, 2, 3})
            for (std::int64_t const length : {3, 33, 129, 700, 3000})
                for (bool const cyclic : {false, true})
                    for (auto const method : {band_method::automatic, band_method::chain}) {
                        CAPTURE(n);
                        CAPTURE(length);
                        CAPTURE(cyclic);
                        check_scaled_rows<T>(exec, n, length, cyclic, method);
                    }
    };
    check(1.0f);
    check(1.0);
    check(std::complex<float>());
    check(std::complex<double>());
    check_scaled_rows_of_bands<float>(exec);
    check_scaled_rows_of_bands<double>(exec);
}

TEST_CASE_TEMPLATE("bands: a power of two changes no bit, single systems", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_classes<float>(exec);
    check_classes<double>(exec);
    check_classes<std::complex<float>>(exec);
    check_classes<std::complex<double>>(exec);
}

TEST_CASE_TEMPLATE("bands: a power of two changes no bit, batches and bands", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_batches<float>(exec);
    check_batches<double>(exec);
    check_batches<std::complex<float>>(exec);
    check_bands<float>(exec);
    check_bands<double>(exec);
    check_bands<std::complex<double>>(exec);
}

TEST_CASE_TEMPLATE("bands: a power of two changes no bit, factorisations and sparse right-hand sides", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_factored<float>(exec);
    check_factored<double>(exec);
    check_factored<std::complex<double>>(exec);
}

// Regression test: padding rows of a segment lost digits next to large entries.
TEST_CASE_TEMPLATE("bands: cyclic systems with large entries lose no digits", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (float const coupling : {1.0f, 1e3f, 1e6f, 1e9f})
        for (int const n : {1, 2})
            for (std::int64_t const length : {1, 2, 33, 129, 500}) {
                CAPTURE(coupling);
                CAPTURE(n);
                CAPTURE(length);
                block_storage<float> s(length, n, 1, true);
                for (std::size_t i = 0; i < s.lower.size(); ++i) {
                    bool const diagonal = n == 1 || i % 4 == 0 || i % 4 == 3;
                    s.lower[i] = s.upper[i] = diagonal ? -coupling : 0;
                    s.diagonal[i] = diagonal ? 1 + 2 * coupling : 0;
                }
                auto const a = s.meaning(true);
                auto const d = rhs_for(a, 1, 3);
                for (auto const operation : {matrix_operation::none, matrix_operation::transposed}) {
                    auto const of = operation == matrix_operation::none ? a : a.transposed(false);
                    blocks_on<float, std::remove_const_t<decltype(exec)>> const m(exec, s);
                    auto const x = solve_unreported(exec, m.matrix, d, {.cyclic = true, .operation = operation}).x;
                    CHECK(backward_error_of(of, x, d) <= 20 * epsilon<float>);
                }
            }
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        block_storage<double> s(129, 1, seed, true);
        for (auto* const band : {&s.lower, &s.diagonal, &s.upper})
            for (double& value : *band) value *= 1e100;
        auto const a = s.meaning(true);
        auto const d = rhs_for(a, 1, seed);
        auto const answer = solve_blocks(exec, s, d, {.cyclic = true});
        CHECK(answer.reports[0].status == solve_status::ok);
        CHECK(backward_error_of(a, answer.x, d) <= 50 * epsilon<double>);
    }
}
