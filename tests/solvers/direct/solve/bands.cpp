// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/banded.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/band_reference.hpp"
#include "solvers/tridiagonal_reference.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Solves systems of all classes of one type and checks the residual.
template <class T, class Executor>
void check_classes(Executor const& exec) {
    for (int n = 1; n <= largest_block; n += races_watched ? largest_block - 1 : 1)
        for (std::int64_t const length : {1, 2, 3, 31, 32, 33, 64, 67, 550, 2200})
            for (bool const cyclic : {false, true}) {
                if (length > 1000 && n > 4) continue; // sizes that are copied in tiles on a GPU
                if (sanitized && length > 100 && n != 1 && n != 4 && n != 8) continue;
                CAPTURE(n);
                CAPTURE(length);
                CAPTURE(cyclic);
                block_storage<T> const s(length, n, std::uint64_t(n * 1000 + length), cyclic);
                auto const a = s.meaning(cyclic);
                auto const d = rhs_for(a, 1, 7);
                auto const result = solve_blocks(exec, s, d, {.cyclic = cyclic, .method = band_method::chain});
                CHECK(backward_error_of(a, result.x, d) <= 100 * epsilon<T>);
                CHECK(result.reports[0].status == solve_status::ok);
                CHECK(result.reports[0].row == -1);
            }
    for (int below = 0; below <= 8; below += races_watched ? 8 : 2)
        for (int above = 1; above <= 8; above += races_watched ? 6 : 3)
            for (std::int64_t const length : {1, 5, 8, 63, 300, 1111}) {
                CAPTURE(below);
                CAPTURE(above);
                CAPTURE(length);
                banded_storage<T> const s(length, below, above, std::uint64_t(below * 10 + above));
                auto const a = s.meaning();
                auto const d = rhs_for(a, 1, 3);
                CHECK(backward_error_of(a, solve_banded_storage(exec, s, d).x, d) <= 100 * epsilon<T>);
            }
}

} // namespace

TEST_CASE_TEMPLATE("bands: every class, block size and boundary, float", Fixture, COPPICE_TEST_EXECUTORS) {
    check_classes<float>(Fixture::exec());
}
TEST_CASE_TEMPLATE("bands: every class, block size and boundary, double", Fixture, COPPICE_TEST_EXECUTORS) {
    check_classes<double>(Fixture::exec());
}
TEST_CASE_TEMPLATE("bands: every class, block size and boundary, complex float", Fixture, COPPICE_TEST_EXECUTORS) {
    check_classes<std::complex<float>>(Fixture::exec());
}
TEST_CASE_TEMPLATE("bands: every class, block size and boundary, complex double", Fixture, COPPICE_TEST_EXECUTORS) {
    check_classes<std::complex<double>>(Fixture::exec());
}

namespace {

/// Cyclic shifts by a block row plus small random entries. In the last segment, the columns of the last and of the
/// first unknowns may have small entries only, while those in the first rows are large: with n = 1 and the large
/// entries in `lower`, every digit of x was lost for small = epsilon in 3, 34, 35, 66, ... rows.
template <class T, class Executor>
void check_shifts(Executor const& exec) {
    for (double const small : {std::sqrt(epsilon<T>), 8 * epsilon<T>})
        for (int const n : {1, 2, 5})
            for (std::int64_t const length : {3, 4, 5, 6, 31, 33, 34, 35, 36, 63, 65, 66, 600})
                for (auto const large :
                     {&block_storage<T>::lower, &block_storage<T>::diagonal, &block_storage<T>::upper})
                    for (auto const op : {matrix_operation::none, matrix_operation::transposed}) {
                        CAPTURE(small);
                        CAPTURE(n);
                        CAPTURE(length);
                        CAPTURE(int(op));
                        block_storage<T> s(length, n, std::uint64_t(length), true);
                        for (auto* const band : {&s.lower, &s.diagonal, &s.upper})
                            for (T& value : *band) value *= real_of<T>(small);
                        for (std::int64_t i = 0; i < length * n; ++i)
                            (s.*large)[std::size_t(i / n * n * n + i % n * (n + 1))] += T(1);
                        bool const plain = op == matrix_operation::none;
                        auto const a = plain ? s.meaning(true) : s.meaning(true).transposed(false);
                        auto const d = rhs_for(a, 1, 7);
                        auto const result =
                            solve_blocks(exec, s, d, {.cyclic = true, .operation = op, .method = band_method::chain});
                        CHECK(backward_error_of(a, result.x, d) <= 50 * epsilon<T>);
                        CHECK(result.reports[0].status == solve_status::ok);
                    }
}

} // namespace

TEST_CASE_TEMPLATE("bands: cyclic systems with small entries in the last segment", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_shifts<double>(exec);
    check_shifts<float>(exec);
    check_shifts<std::complex<double>>(exec);
}

TEST_CASE_TEMPLATE("bands: transposed and conjugate-transposed", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = std::complex<double>;
    for (auto const op : {matrix_operation::transposed, matrix_operation::conjugate_transposed}) {
        bool const conjugated = op == matrix_operation::conjugate_transposed;
        for (int n : {1, 2, 3, 8})
            for (bool const cyclic : {false, true})
                for (std::int64_t const length : {1, 2, 33, 70}) {
                    if (races_watched && n % 2 == 0) continue;
                    CAPTURE(n);
                    CAPTURE(cyclic);
                    CAPTURE(length);
                    block_storage<T> const s(length, n, std::uint64_t(n + length), cyclic);
                    auto const a = s.meaning(cyclic).transposed(conjugated);
                    auto const d = rhs_for(a, 2, 5);
                    auto const result = solve_blocks(exec, s, d, {.cyclic = cyclic, .operation = op});
                    CHECK(backward_error_of(a, result.x, d) <= 100 * epsilon<T>);
                }
        for (auto const& [below, above] : {std::pair(0, 2), std::pair(3, 1), std::pair(2, 8)}) {
            banded_storage<T> const s(211, below, above, 17);
            auto const a = s.meaning().transposed(conjugated);
            auto const d = rhs_for(a, 1, 5);
            CHECK(backward_error_of(a, solve_banded_storage(exec, s, d, {.operation = op}).x, d) <= 100 * epsilon<T>);
        }
    }
}

namespace {

/// Pentadiagonal matrices have a separate elimination: row by row, in many segments simultaneously.
template <class T, class Executor>
void check_pentadiagonal(Executor const& exec) {
    for (auto const& [below, above] : {std::pair(2, 2), std::pair(1, 2), std::pair(2, 1), std::pair(0, 2)})
        for (std::int64_t const length : ends_for_races({1023, 1024, 1025, 2999, 4096, 4321}))
            for (auto const operation : {matrix_operation::none, matrix_operation::transposed})
                for (bool const zero_diagonal : {false, below > 0}) {
                    auto const& case_below = below;
                    CAPTURE(case_below);
                    auto const& case_above = above;
                    CAPTURE(case_above);
                    CAPTURE(length);
                    CAPTURE(zero_diagonal);
                    banded_storage<T> s(length, below, above, std::uint64_t(length));
                    if (zero_diagonal) // requires row exchanges
                        for (std::int64_t i = 0; i < length; ++i) s.at(i, 0) *= T(1e-30);
                    auto a = s.meaning();
                    if (operation != matrix_operation::none) a = a.transposed(false);
                    auto const d = rhs_for(a, 1, 3);
                    auto const result = solve_banded_storage(exec, s, d, {.operation = operation});
                    CHECK(backward_error_of(a, result.x, d) <= 100 * epsilon<T>);
                }
}

} // namespace

TEST_CASE_TEMPLATE("bands: pentadiagonal matrices", Fixture, COPPICE_TEST_EXECUTORS) {
    check_pentadiagonal<float>(Fixture::exec());
    check_pentadiagonal<double>(Fixture::exec());
}

TEST_CASE_TEMPLATE("bands: many right-hand sides with leading dimensions, in place", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    for (int const n : {1, 2, 5}) {
        std::int64_t const length = 130, size = length * n, columns = 19, leading = size + 3;
        block_storage<T> const s(length, n, 4, false);
        blocks_on<T, decltype(exec)> const a(exec, s);
        auto const meaning = s.meaning(false);
        auto const d = rhs_for(meaning, columns, 1);
        // Columns with guard values in between.
        std::vector<T> strided(std::size_t(leading * columns), -77.0);
        for (std::int64_t c = 0; c < columns; ++c)
            std::copy_n(d.begin() + c * size, size, strided.begin() + c * leading);
        for (auto const method : {band_method::automatic, band_method::chain}) {
            auto memory = exec.copy(strided);
            columns_view<T> const x(memory.data(), size, columns, leading);
            solve_bands(exec, a.matrix, columns_view<T const>(x), x, {.method = method});
            auto const after = to_vector(exec, memory);
            std::vector<T> solved;
            for (std::int64_t c = 0; c < columns; ++c) {
                solved.insert(solved.end(), after.begin() + c * leading, after.begin() + c * leading + size);
                for (std::int64_t i = size; i < leading; ++i) REQUIRE(after[std::size_t(c * leading + i)] == -77.0);
            }
            CHECK(backward_error_of(meaning, solved, d) <= 100 * epsilon<T>);
            // A column solved alone has the same bits.
            std::vector<T> const last(d.end() - size, d.end());
            auto const single = solve_matrix(exec, a.matrix, last, {.method = method}).x;
            CHECK(std::equal(single.begin(), single.end(), solved.end() - size));
        }
    }
}

// In the matrix (1, 2 cos(k pi / (inner + 1)), 1) every `inner` consecutive rows are singular, as the inner rows of
// partitions may be, although the matrix is well-conditioned. Among many random rows some are nearly singular too.
TEST_CASE_TEMPLATE("bands: rpts on matrices that are singular inside partitions, without a report", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const error_of = [&]<class T>(block_storage<T> const& s, pivoting pivot) {
        blocks_on<T, decltype(exec)> const a(exec, s);
        auto const meaning = s.meaning(false);
        auto const d = rhs_for(meaning, 2, 1);
        auto x = exec.copy(d);
        columns_view<T> const both(x.data(), s.size(), 2, s.size());
        solve_bands(exec, a.matrix, columns_view<T const>(both), both, {.pivot = pivot, .method = band_method::rpts});
        return double(backward_error_of(meaning, to_vector(exec, x), d)) / double(epsilon<T>);
    };
    auto const check = [&]<class T>(T, std::int64_t n, int inner, int k) {
        if ((n + 1) % (inner + 1) == 0) return;
        CAPTURE(sizeof(T));
        CAPTURE(n);
        CAPTURE(inner);
        CAPTURE(k);
        block_storage<T> s(n, 1, 1, true);
        std::fill(s.lower.begin(), s.lower.end(), T(1));
        std::fill(s.upper.begin(), s.upper.end(), T(1));
        std::fill(s.diagonal.begin(), s.diagonal.end(), T(2 * std::cos(k * 3.14159265358979323846 / (inner + 1))));
        s.spoil(0, n);
        for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial}) CHECK(error_of(s, pivot) <= 100);
    };
    for (int const inner : {2, 6, 14, 30})
        for (int const k : {1, 2, 5, 13})
            for (std::int64_t const n : {100, 1024, 8191, 40001})
                if (k <= inner) check(1.0, n, inner, k), check(1.0f, n, inner, k);
    std::int64_t const many = sanitized ? 75001 : 1200007;
    for (std::int64_t const n : {sanitized ? 1 << 16 : 1 << 20, int(many)})
        check(1.0, n, 30, 13), check(1.0f, n, 30, 13);
    for (std::uint64_t const seed : {10, 12, 1200007}) {
        CAPTURE(seed);
        CHECK(error_of(block_storage<double>(many, 1, seed, false), pivoting::partial) <= 100);
    }
}

// On the host only without scaled pivoting; rpts_block.cpp also tests the bodies of the CUDA kernels.
TEST_CASE_TEMPLATE("bands: rpts solves cyclic systems", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const check = [&]<class T>(T, std::int64_t n) {
        CAPTURE(n);
        block_storage<T> const s(n, 1, std::uint64_t(n), true);
        auto const a = s.meaning(true);
        auto const d = rhs_for(a, 2, 1);
        for (pivoting const pivot : {pivoting::partial, pivoting::scaled_partial}) {
            band_options by_rpts{.pivot = pivot, .cyclic = true, .method = band_method::rpts};
            if (std::is_same_v<Fixture, on_cuda> || pivot == pivoting::partial) {
                auto const cyclic_answer = solve_blocks(exec, s, d, by_rpts);
                by_rpts.cyclic = false;
                auto const b = s.meaning(false);
                auto const e = rhs_for(b, 2, 1);
                double const bound = 100 * double(epsilon<T>);
                CHECK(double(backward_error_of(b, solve_blocks(exec, s, e, by_rpts).x, e)) <= bound);
                CHECK(double(backward_error_of(a, cyclic_answer.x, d)) <= bound);
                bool const within = cyclic_answer.reports[0].backward_error <= 50 * double(epsilon<T>);
                CHECK((within || n > 20001));
                CHECK(cyclic_answer.reports[0].status == (within ? solve_status::ok : solve_status::inaccurate));
            } else {
                CHECK_THROWS_WITH_AS(solve_blocks(exec, s, d, by_rpts),
                                     doctest::Contains("on the host from 3 rows on, with partial pivoting"),
                                     argument_error);
            }
        }
    };
    for (std::int64_t const n : {64, 65, 511, 512, 4095, 4097, 20001}) check(1.0, n), check(1.0f, n);
    if constexpr (std::is_same_v<Fixture, on_cuda>) // through tiles
        for (std::int64_t const n : {1 << 20, 1200007, (1 << 21) + 2}) check(1.0, n), check(1.0f, n);
}

TEST_CASE_TEMPLATE("bands: rpts on systems of different sizes equals separate solves", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    constexpr bool cuda = std::is_same_v<Fixture, on_cuda>;
    std::vector<std::vector<std::int64_t>> batches{{1}, {5, 0, 64, 65, 300, 1000, 1, 513, 2, 1000, 33}, {700, 700, 3}};
    if (!cuda) { // each of the longer systems is solved by all threads
        batches.push_back({17000, 5, 0, 64, 40000, 16384, 300, 16385, 1});
        batches.push_back(std::vector<std::int64_t>(300, 90));
    }
    for (auto const& sizes : batches) {
        CAPTURE(sizes.size());
        std::int64_t const columns = 3;
        std::vector<std::int64_t> bounds{0};
        for (std::int64_t const n : sizes) bounds.push_back(bounds.back() + n);
        std::int64_t const size = bounds.back(), largest = *std::max_element(sizes.begin(), sizes.end());
        test::system<double> all(size);
        std::vector<double> d(std::size_t(size * columns));
        std::vector<test::system<double>> alone; // [system][column]
        for (std::size_t k = 0; k < sizes.size(); ++k)
            for (std::int64_t c = 0; c < columns; ++c) {
                auto s = random_system<double>(sizes[k], 100 + k); // the corners outside the matrix hold NaN
                give_solution(s, 1000 * k + std::uint64_t(c));
                std::copy(s.lower.begin(), s.lower.end(), all.lower.begin() + bounds[k]);
                std::copy(s.diagonal.begin(), s.diagonal.end(), all.diagonal.begin() + bounds[k]);
                std::copy(s.upper.begin(), s.upper.end(), all.upper.begin() + bounds[k]);
                std::copy(s.rhs.begin(), s.rhs.end(), d.begin() + c * size + bounds[k]);
                alone.push_back(std::move(s));
            }
        auto const lower = exec.copy(all.lower), diagonal = exec.copy(all.diagonal), upper = exec.copy(all.upper);
        auto const offsets = exec.copy(bounds);
        auto const a =
            band_matrix<double>::batch(tridiagonal_view<double>{size, lower.data(), diagonal.data(), upper.data()},
                                       array_view<std::int64_t const>(offsets.view()), largest);
        auto const x = solve_matrix(exec, a, d, {.method = band_method::rpts}).x;
        for (std::size_t k = 0; k < sizes.size(); ++k)
            for (std::int64_t c = 0; c < columns; ++c) {
                CAPTURE(k);
                auto const& s = alone[k * std::size_t(columns) + std::size_t(c)];
                std::vector<double> const mine(x.begin() + c * size + bounds[k], x.begin() + c * size + bounds[k + 1]);
                CHECK(backward_error(s, mine) <= 1e-13);
                if (!cuda) CHECK(mine == solve_scalar(exec, s, {.method = band_method::rpts}).x);
            }
        if (!cuda && sizes.size() > 1) {
            auto const wrong =
                band_matrix<double>::batch(tridiagonal_view<double>{size, lower.data(), diagonal.data(), upper.data()},
                                           array_view<std::int64_t const>(offsets.view()), largest - 1);
            CHECK_THROWS_AS(solve_matrix(exec, wrong, d, {.method = band_method::rpts}), argument_error);
        }
    }
}

namespace {

template <class T, class Executor>
void check_interleaved(Executor const& exec) {
    constexpr bool partitioned = test::expected<Executor>::short_partitions;
    for (std::int64_t const n : {1, 2, 3, 40, 512, 2048, 4096})
        for (std::int64_t const systems : {2, 3, 16, 33, 70, 3000}) {
            if (n * systems > (sanitized ? 20000 : 120000)) continue;
            CAPTURE(n);
            CAPTURE(systems);
            std::int64_t const size = n * systems, columns = 2;
            test::system<T> all(size);
            std::vector<T> d(std::size_t(size * columns));
            std::vector<test::system<T>> alone;    // [system][column]
            std::int64_t const lost = systems / 2; // one of them holds NaN
            for (std::int64_t k = 0; k < systems; ++k)
                for (std::int64_t c = 0; c < columns; ++c) {
                    auto s = random_system<T>(n, std::uint64_t(100 + k)); // the corners outside the matrix hold NaN
                    give_solution(s, std::uint64_t(1000 * k + c));
                    for (std::int64_t i = 0; i < n; ++i) {
                        auto const at = std::size_t(i * systems + k), own = std::size_t(i);
                        all.lower[at] = s.lower[own], all.upper[at] = s.upper[own];
                        all.diagonal[at] = k == lost ? std::numeric_limits<T>::quiet_NaN() : s.diagonal[own];
                        d[std::size_t(c * size) + at] = s.rhs[own];
                    }
                    alone.push_back(std::move(s));
                }
            auto const lower = exec.copy(all.lower), diagonal = exec.copy(all.diagonal), upper = exec.copy(all.upper);
            auto const a = band_matrix<T>::interleaved_batch(
                tridiagonal_view<T>{size, lower.data(), diagonal.data(), upper.data()}, systems);
            for (auto const pivot : {pivoting::partial, pivoting::scaled_partial}) {
                band_options const options{.pivot = pivot,
                                           .method = partitioned ? band_method::automatic : band_method::rpts};
                auto const answer = solve_matrix(exec, a, d, options);
                for (std::int64_t k = 0; k < systems; ++k) {
                    auto const status = answer.reports[std::size_t(k)].status;
                    CHECK(status == (k == lost ? solve_status::not_finite : solve_status::ok));
                    for (std::int64_t c = 0; c < columns && k != lost; ++c) {
                        std::vector<T> mine;
                        for (std::int64_t i = 0; i < n; ++i)
                            mine.push_back(answer.x[std::size_t(c * size + i * systems + k)]);
                        double const bound = (partitioned ? 50 : 20) * epsilon<T>;
                        CHECK(backward_error(alone[std::size_t(k * columns + c)], mine) <= bound);
                    }
                }
                auto const again = [&] {
                    if constexpr (partitioned)
                        return solve_matrix(exec, a, d, options).x;
                    else
                        return solve_matrix(host_executor{1}, a, d, options).x;
                }();
                CHECK(std::memcmp(answer.x.data(), again.data(), answer.x.size() * sizeof(T)) == 0);
            }
        }
}

} // namespace

TEST_CASE_TEMPLATE("bands: interleaved systems by RPTS", Fixture, COPPICE_TEST_EXECUTORS) {
    check_interleaved<float>(Fixture::exec());
    if (!sanitized) check_interleaved<double>(Fixture::exec());
}

TEST_CASE_TEMPLATE("bands: long interleaved systems have the bits of separate ones", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    constexpr T hard_rows[4][3] = {{2, 1, 1}, {1, 1, 1}, {-1e-6, -1e-6, 0}, {-1, 2, -1e-6}};
    for (auto const& [n, systems] : {std::pair{4097, 2}, {4100, 33}, {5000, 3}}) {
        if (sanitized && systems > 3) continue;
        CAPTURE(n);
        std::int64_t const size = std::int64_t(n) * systems, columns = 2;
        std::vector<T> lower(std::size_t(size), nan), diagonal = lower, upper = lower, d(std::size_t(size * columns));
        std::vector<std::size_t> interleaved(lower.size()); // index of each row
        for (std::int64_t k = 0; k < systems; ++k) {
            auto const s = random_system<T>(n, std::uint64_t(7 + k));
            for (std::int64_t i = 0; i < n; ++i) {
                auto const at = std::size_t(k * n + i), own = std::size_t(i);
                lower[at] = s.lower[own], upper[at] = s.upper[own], diagonal[at] = s.diagonal[own];
                // one system holds NaN, another one is solved again because RPTS alone is wrong on the host
                if (k == 1 && i == n / 2) diagonal[at] = nan;
                auto const& hard = hard_rows[i % 4];
                if (k == 0) lower[at] = hard[0], diagonal[at] = hard[1], upper[at] = hard[2];
                for (std::int64_t c = 0; c < columns; ++c) d[std::size_t(c * size) + at] = std::sin(double(i + c + k));
                interleaved[at] = std::size_t(i * systems + k);
            }
        }
        auto const placed = [&](std::vector<T> const& separate) {
            std::vector<T> all(separate.size());
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i / interleaved.size() * interleaved.size() + interleaved[i % interleaved.size()]] = separate[i];
            return all;
        };
        auto const solve = [&](bool mixed, band_options const& options, bool reported) {
            auto const of = [&](std::vector<T> const& v) { return exec.copy(mixed ? placed(v) : v); };
            auto const l = of(lower), m = of(diagonal), u = of(upper);
            tridiagonal_view<T> const all{size, l.data(), m.data(), u.data()};
            auto const a =
                mixed ? band_matrix<T>::interleaved_batch(all, systems) : band_matrix<T>::batch(all, systems);
            auto const rhs = of(d);
            auto x = of(d); // in place without a report
            buffer<solve_report> reports(exec, reported ? systems : 0);
            solve_bands(exec, a, columns_view<T const>(reported ? rhs.data() : x.data(), size, columns),
                        columns_view<T>(x.data(), size, columns), options, reports.view());
            auto const found = to_vector(exec, x);
            return mixed ? found : placed(found);
        };
        for (auto const method : {band_method::automatic, band_method::rpts})
            for (bool const reported : {false, true})
                for (auto const pivot : {pivoting::partial, pivoting::scaled_partial}) {
                    band_options const options{.pivot = pivot, .method = method};
                    auto const mixed = solve(true, options, reported), separate = solve(false, options, reported);
                    CHECK(std::memcmp(mixed.data(), separate.data(), mixed.size() * sizeof(T)) == 0);
                }
    }
}

TEST_CASE_TEMPLATE("bands: batches of equal, interleaved and different systems", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = float;
    for (int const n : {1, 3}) {
        std::vector<std::int64_t> const bounds{0, 1, 3, 35, 36, 100, 100, 700, 723};
        std::int64_t const length = bounds.back(), size = length * n;
        block_storage<T> s(length, n, 8, true);
        plain_rows<T> meaning(size);
        for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
            s.spoil(bounds[k], bounds[k + 1]);
            s.describe(meaning, bounds[k], bounds[k + 1], false);
        }
        auto const d = rhs_for(meaning, 2, 3);
        auto const offsets = exec.copy(bounds);
        blocks_on<T, decltype(exec)> const a(exec, s);
        auto const result = solve_matrix(exec, band_matrix<T>::batch(a.matrix, offsets.view()), d);
        CHECK(backward_error_of(meaning, result.x, d) <= 100 * epsilon<T>);
        // If the size of the largest system is given (600), fewer levels are planned. The bits of x must be the same,
        // except for RPTS on a GPU, which then distributes the systems differently over blocks.
        auto const hinted = solve_matrix(exec, band_matrix<T>::batch(a.matrix, offsets.view(), 600), d).x;
        if (n == 1 && std::is_same_v<Fixture, on_cuda>)
            CHECK(backward_error_of(meaning, hinted, d) <= 100 * epsilon<T>);
        else
            CHECK(result.x == hinted);
        REQUIRE(result.reports.size() == bounds.size() - 1);
        for (auto const& r : result.reports) CHECK(r.status == solve_status::ok);
    }
    for (int const n : {1, 2, 4})
        for (bool const interleaved : {false, true}) {
            bool const cyclic = n == 4;
            std::int64_t const systems = 13, each = 41, length = systems * each;
            block_storage<T> s(length, n, 9, true);
            // Interleaved: (block) row j of system s has index j * systems + s.
            auto const row_of = [&](std::int64_t system, std::int64_t j) {
                return interleaved ? j * systems + system : system * each + j;
            };
            T const nan = std::numeric_limits<T>::quiet_NaN();
            plain_rows<T> meaning(length * n);
            for (std::int64_t k = 0; k < systems; ++k) {
                for (int e = 0; e < n * n && !cyclic; ++e)
                    s.lower[std::size_t(row_of(k, 0) * n * n + e)] =
                        s.upper[std::size_t(row_of(k, each - 1) * n * n + e)] = nan;
                for (std::int64_t j = 0; j < each; ++j)
                    for (int offset = -1; offset <= 1; ++offset) {
                        std::int64_t const other = (j + offset + each) % each;
                        if (other != j + offset && !cyclic) continue;
                        auto const& band = offset < 0 ? s.lower : offset == 0 ? s.diagonal : s.upper;
                        for (int r = 0; r < n; ++r)
                            for (int c = 0; c < n; ++c)
                                meaning.add(row_of(k, j) * n + r, row_of(k, other) * n + c,
                                            band[std::size_t(row_of(k, j) * n * n + r + c * n)]);
                    }
            }
            auto const d = rhs_for(meaning, 1, 3);
            blocks_on<T, decltype(exec)> const a(exec, s);
            auto const batch = interleaved ? band_matrix<T>::interleaved_batch(a.matrix, systems)
                                           : band_matrix<T>::batch(a.matrix, systems);
            auto const result = solve_matrix(exec, batch, d, {.cyclic = cyclic});
            CHECK(backward_error_of(meaning, result.x, d) <= 100 * epsilon<T>);
        }
}

TEST_CASE_TEMPLATE("bands: a singular system or NaN in a batch does not affect the others", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    for (int const n : {1, 2}) {
        std::int64_t const systems = 30, each = 11, length = systems * each, rows = each * n;
        block_storage<T> s(length, n, 12, true);
        for (std::int64_t k = 0; k < systems; ++k) s.spoil(k * each, (k + 1) * each);
        plain_rows<T> all_rows(length * n);
        for (std::int64_t k = 0; k < systems; ++k) s.describe(all_rows, k * each, (k + 1) * each, false);
        auto d = rhs_for(all_rows, 1, 2);
        // System 7: column 4 is zero. System 8: NaN in the matrix. System 20: infinity in the right-hand side.
        std::int64_t const zero = 7 * each + 4;
        for (int e = 0; e < n * n; ++e) {
            s.diagonal[std::size_t(zero * n * n + e)] = 0;
            s.upper[std::size_t((zero - 1) * n * n + e)] = 0;
            s.lower[std::size_t((zero + 1) * n * n + e)] = 0;
        }
        s.diagonal[std::size_t((8 * each + 2) * n * n)] = std::numeric_limits<T>::quiet_NaN();
        d[std::size_t(20 * rows)] = HUGE_VAL;
        blocks_on<T, decltype(exec)> const a(exec, s);
        auto const result = solve_matrix(exec, band_matrix<T>::batch(a.matrix, systems), d);
        for (std::int64_t k = 0; k < systems; ++k) {
            CAPTURE(k);
            auto const& r = result.reports[std::size_t(k)];
            if (k == 7) {
                CHECK(r.status == solve_status::singular);
                CHECK(r.row == 4 * n);
            } else if (k == 8 || k == 20) {
                CHECK(r.status == solve_status::not_finite);
            } else {
                CHECK(r.status == solve_status::ok);
                CHECK(r.backward_error <= 100 * epsilon<T>);
            }
        }
    }
}

TEST_CASE_TEMPLATE("bands: the report agrees with its definition", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    banded_storage<T> const s(400, 2, 1, 5);
    auto const a = s.meaning();
    auto const d = rhs_for(a, 3, 4);
    auto const bands = exec.copy(s.bands);
    auto x = solve_banded_storage(exec, s, d).x;
    x[500] += 1e-4; // in the second column
    auto const solved = exec.copy(x), rhs = exec.copy(d);
    band_matrix<T> const matrix(banded_view<T>{400, 2, 1, bands.data()});
    auto const r = bands_report(exec, matrix, columns_view<T const>(solved.data(), 400, 3),
                                columns_view<T const>(rhs.data(), 400, 3));
    CHECK(r.backward_error == doctest::Approx(backward_error_of(a, x, d)).epsilon(1e-9));
    CHECK(r.status == solve_status::inaccurate);
    double componentwise = 0;
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < 400; ++i) {
            long double sum = -d[c * 400 + i], scale = std::abs(d[c * 400 + i]);
            for (auto const& [j, value] : a.rows[i]) {
                sum += (long double)(value)*x[c * 400 + std::size_t(j)];
                scale += std::abs((long double)(value)*x[c * 400 + std::size_t(j)]);
            }
            componentwise = std::max(componentwise, double(std::abs(sum) / scale));
        }
    CHECK(r.componentwise_error == doctest::Approx(componentwise).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("bands: a singular partition costs no accuracy", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // Matrix 13 of Table 4: LAPACK reaches 1e-16, and so does RPTS without another attempt.
    auto const& s = gallery_system(13, 20000, 1);
    auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    band_matrix<double> const a(tridiagonal_view<double>{s.size(), lower.data(), diagonal.data(), upper.data()});
    CHECK(backward_error(s, lapack_solution(s)) < 1e-14);
    auto const by = [&](band_method method) { return solve_matrix(exec, a, s.rhs, {.method = method}); };
    auto const first = by(band_method::rpts);
    CHECK(first.reports[0].status == solve_status::ok);
    auto const second = by(band_method::automatic);
    CHECK(second.reports[0].status == solve_status::ok);
    CHECK(second.reports[0].tries == 1);
    CHECK(backward_error(s, second.x) < 1e-14);
    CHECK(backward_error(s, by(band_method::chain).x) < 1e-14);
    // If RPTS is accurate enough, there is no further attempt.
    auto const easy = gallery_system(17, 5000, 1); // diagonally dominant
    block_storage<double> plain(5000, 1, 1, false);
    plain.lower = easy.lower, plain.diagonal = easy.diagonal, plain.upper = easy.upper;
    CHECK(solve_blocks(exec, plain, easy.rhs).reports[0].tries == 1);
}

TEST_CASE_TEMPLATE("bands: as accurate as LAPACK on the 2x2 transforms of Table 4", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int id = 1; id <= tridiagonal_case_count; ++id) {
        CAPTURE(id);
        std::vector<double> ratios;
        for (std::uint64_t seed = 1; seed <= (id >= 8 && id <= 11 ? 3 : 8); ++seed) {
            // Eqs. 16-18: each entry times a 2x2 unit matrix, between random rotations.
            auto const& scalar = gallery_system(id, 256, seed);
            std::int64_t const length = scalar.size();
            block_storage<double> s(length, 2, seed, true);
            random_values<double> random(seed + 1000);
            std::vector<double> left(static_cast<std::size_t>(length)), right(left);
            for (auto* angles : {&left, &right})
                for (double& angle : *angles) angle = (random() + 1) * 1.5707963267948966;
            for (std::int64_t i = 0; i < length; ++i)
                for (int offset = -1; offset <= 1; ++offset) {
                    auto& band = offset < 0 ? s.lower : offset == 0 ? s.diagonal : s.upper;
                    auto const& from = offset < 0 ? scalar.lower : offset == 0 ? scalar.diagonal : scalar.upper;
                    std::int64_t const j = i + offset;
                    if (j < 0 || j >= length) continue;
                    double const angle = left[std::size_t(i)] + right[std::size_t(j)], value = from[std::size_t(i)];
                    double* const block = band.data() + 4 * i;
                    block[0] = block[3] = value * std::cos(angle);
                    block[1] = value * std::sin(angle);
                    block[2] = -value * std::sin(angle);
                }
            s.spoil(0, length);
            auto const a = s.meaning(false);
            std::vector<double> exact(std::size_t(2 * length));
            std::mt19937_64 engine(seed);
            std::normal_distribution<double> normal(3, 1);
            for (double& value : exact) value = normal(engine);
            auto const d = times(a, exact, 1);
            auto const result = solve_blocks(exec, s, d);
            auto const lapack = lapack_band_solution(a, 3, d);
            ratios.push_back(forward_error_of(result.x, exact) / forward_error_of(lapack, exact));
            CHECK(backward_error_of(a, result.x, d) <= 100 * epsilon<double>);
        }
        // Includes matrix 9, for which the determinant criterion loses digits.
        CHECK(median(ratios) <= (ill_conditioned(id) ? 100 : 10));
    }
}

TEST_CASE_TEMPLATE("bands: the row of a singular system is that of LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const length : {1, 2, 5, 33, 100, 700})
        for (std::int64_t const at : {std::int64_t(0), length / 2, length - 1}) {
            CAPTURE(length);
            CAPTURE(at);
            banded_storage<double> s(length, 2, 2, 31);
            for (std::int64_t i = 0; i < length; ++i)
                for (int k = -2; k <= 2; ++k)
                    if (i + k == at) s.at(i, k) = 0;
            auto const a = s.meaning();
            std::vector<double> const d(std::size_t(length), 1.0);
            lapack_int info = 0;
            lapack_band_solution(a, 2, d, &info);
            CHECK(info == at + 1);
            auto const r = solve_banded_storage(exec, s, d).reports[0];
            CHECK(r.status == solve_status::singular);
            CHECK(r.row == at);
        }
    // For scalar systems the first attempt is RPTS, which does not find the row without a pivot; the second one does.
    block_storage<double> scalar(1000, 1, 2, false);
    scalar.diagonal[500] = scalar.upper[499] = scalar.lower[501] = 0;
    auto const r = solve_blocks(exec, scalar, std::vector<double>(1000, 1.0)).reports[0];
    CHECK(r.status == solve_status::singular);
    CHECK(r.row == 500);
    // NaN is distinguished from singular.
    scalar = block_storage<double>(1000, 1, 2, false);
    scalar.diagonal[3] = std::numeric_limits<double>::quiet_NaN();
    CHECK(solve_blocks(exec, scalar, std::vector<double>(1000, 1.0)).reports[0].status == solve_status::not_finite);
}

TEST_CASE_TEMPLATE("bands: refinement, thresholds and scales", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // Refinement reduces the componentwise error of a badly scaled system to a few epsilon.
    block_storage<double> s(600, 2, 3, false);
    auto const scale = [&](std::int64_t i) { return std::ldexp(1.0, int(i * 7919 % 61) - 30); };
    for (std::int64_t i = 0; i < 600; ++i)
        for (auto* band : {&s.lower, &s.diagonal, &s.upper})
            for (int e = 0; e < 4; ++e) (*band)[std::size_t(4 * i + e)] *= scale(2 * i + e % 2);
    auto const a = s.meaning(false);
    auto const d = rhs_for(a, 1, 3);
    double const plain = solve_blocks(exec, s, d).reports[0].componentwise_error;
    auto const refined = solve_blocks(exec, s, d, {.refinements = 2}).reports[0];
    auto const scaled = solve_blocks(exec, s, d, {.pivot = pivoting::scaled_partial}).reports[0];
    CHECK(plain > 1e-13);
    CHECK(refined.componentwise_error < 1e-15);
    CHECK(scaled.componentwise_error < plain / 10);
    CHECK(refined.status == solve_status::ok);
    // Scaled pivoting is invariant under powers of two on rows.
    block_storage<double> twice(s);
    auto e = d;
    for (std::int64_t i = 0; i < 600; ++i) {
        for (auto* band : {&twice.lower, &twice.diagonal, &twice.upper})
            for (int k = 0; k < 4; ++k) (*band)[std::size_t(4 * i + k)] *= k % 2 == 0 ? 1024.0 : 0.25;
        e[std::size_t(2 * i)] *= 1024.0;
        e[std::size_t(2 * i + 1)] *= 0.25;
    }
    CHECK(solve_blocks(exec, s, d, {.pivot = pivoting::scaled_partial}).x ==
          solve_blocks(exec, twice, e, {.pivot = pivoting::scaled_partial}).x);
    // Magnitudes near the ends of the range, real and complex.
    for (double const size : {1e-300, 1e300}) {
        CAPTURE(size);
        block_storage<std::complex<double>> c(100, 2, 6, false);
        for (auto* band : {&c.lower, &c.diagonal, &c.upper})
            for (auto& value : *band) value *= size;
        auto const right = [&] {
            std::vector<std::complex<double>> v(200);
            random_values<std::complex<double>>(3).fill(v);
            for (auto& value : v) value *= size;
            return v;
        }();
        auto const x = solve_blocks(exec, c, right).x;
        CHECK(backward_error_of(c.meaning(false), x, right) <= 1e-13);
    }
    // Entries up to the threshold count as zero.
    block_storage<double> noisy(40, 1, 1, false);
    for (std::size_t i = 0; i < 40; ++i) noisy.lower[i] = 1e-9, noisy.diagonal[i] = 1, noisy.upper[i] = 0.95;
    auto clean = noisy;
    std::fill(clean.lower.begin(), clean.lower.end(), 0.0);
    std::vector<double> const ones(40, 1.0);
    CHECK(solve_blocks(exec, noisy, ones, {.threshold = 1e-8, .method = band_method::chain}).x ==
          solve_blocks(exec, clean, ones, {.method = band_method::chain}).x);
}

TEST_CASE_TEMPLATE("bands: bitwise equal on every run and number of threads", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    block_storage<std::complex<float>> const s(3001, 2, 3, true);
    auto const d = rhs_for(s.meaning(true), 2, 3);
    band_options const options{.cyclic = true};
    auto const x = solve_blocks(exec, s, d, options).x;
    for (int run = 0; run < 2; ++run) CHECK(x == solve_blocks(exec, s, d, options).x);
#if !defined(COPPICE_TEST_CUDA)
    CHECK(x == solve_blocks(host_executor{1}, s, d, options).x);
#endif
}

TEST_CASE_TEMPLATE("bands: invalid arguments throw with a message", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    std::int64_t const n = 192; // small systems need no workspace on the host
    buffer<T> a(exec, n * 4), b(exec, n * 4), c(exec, n * 4), d(exec, n), x(exec, n);
    band_matrix<T> const good(block_tridiagonal_view<T>{n / 2, 2, a.data(), b.data(), c.data()});
    auto const call = [&](band_matrix<T> const& m, columns_view<T const> rhs, columns_view<T> solution,
                          band_options const& options = {}, std::int64_t reports = 0) {
        buffer<solve_report> memory(exec, reports);
        solve_bands(exec, m, rhs, solution, options, memory.view());
    };
    columns_view<T const> const rhs(d.view());
    columns_view<T> const solution(x.view());
    auto const with = [&](auto change) {
        band_matrix<T> m = good;
        change(m);
        return m;
    };
    CHECK_THROWS_AS(call(with([](auto& m) { m.size = -2; }), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(with([](auto& m) { m.block = 0; }), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(with([](auto& m) { m.block = 9; }), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(with([](auto& m) { m.size = 191; }), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(with([](auto& m) { m.lower = nullptr; }), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(with([](auto& m) { m.systems = 0; }), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(with([](auto& m) { m.systems = 7; }), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(with([&](auto& m) {
                             m = band_matrix<T>::batch(m, array_view<std::int64_t const>{nullptr, 0});
                         }),
                         rhs, solution),
                    argument_error);
    CHECK_THROWS_AS(call(band_matrix<T>(banded_view<T>{n, 9, 0, a.data()}), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(band_matrix<T>(banded_view<T>{n, -1, 0, a.data()}), rhs, solution), argument_error);
    CHECK_THROWS_AS(call(band_matrix<T>(banded_view<T>{n, 1, 1, a.data()}), rhs, solution, {.cyclic = true}),
                    argument_error);
    CHECK_THROWS_AS(call(good, columns_view<T const>(d.data(), n - 1, 1), solution), dimension_error);
    CHECK_THROWS_AS(call(good, rhs, columns_view<T>(x.data(), n, 2)), dimension_error);
    CHECK_THROWS_AS(call(good, columns_view<T const>(d.data(), n, 1, n - 1), solution), argument_error);
    CHECK_THROWS_AS(call(good, columns_view<T const>(nullptr, n, 1), solution), argument_error);
    CHECK_THROWS_AS(call(good, rhs, columns_view<T>(a.data(), n, 1)), argument_error);
    CHECK_THROWS_AS(call(good, columns_view<T const>(columns_view<T>(x.data(), n, 1)), solution, {}, 1),
                    argument_error);
    CHECK_THROWS_AS(call(good, rhs, solution, {}, 2), dimension_error);
    CHECK_THROWS_AS(call(good, rhs, solution, {.pivot = pivoting(5)}), argument_error);
    CHECK_THROWS_AS(call(good, rhs, solution, {.operation = matrix_operation(5)}), argument_error);
    CHECK_THROWS_AS(call(good, rhs, solution, {.method = band_method(5)}), argument_error);
    CHECK_THROWS_AS(call(good, rhs, solution, {.method = band_method::rpts}), argument_error);
    CHECK_THROWS_AS(call(good, rhs, solution, {.threshold = -1}), argument_error);
    CHECK_THROWS_AS(call(good, rhs, solution, {.refinements = -1}), argument_error);
    CHECK_THROWS_AS(bands_workspace(exec, good, -1), argument_error);
    buffer<std::byte> memory(exec, bands_workspace(exec, good, 1) + 64);
    std::int64_t const bytes = bands_workspace(exec, good, 1);
    CHECK_THROWS_AS(solve_bands(exec, good, rhs, solution, memory.view().slice(0, bytes - 1), band_options{}),
                    argument_error);
    CHECK_THROWS_AS(solve_bands(exec, good, rhs, solution, memory.view().slice(8, bytes), band_options{}),
                    argument_error);
    // Leading dimensions beyond any memory, and overlapping output.
    for (std::int64_t const leading : {INT64_MAX, INT64_MAX / 8}) {
        CHECK_THROWS_AS(call(good, columns_view<T const>(d.data(), n, 3, leading), columns_view<T>(x.data(), n, 3)),
                        argument_error);
        CHECK_THROWS_AS(call(good, columns_view<T const>(d.data(), n, 3), columns_view<T>(x.data(), n, 3, leading)),
                        argument_error);
    }
    buffer<std::byte> all(exec, bands_workspace(exec, good, 1, {}, true));
    auto const report_at = [&](void* where) {
        solve_bands(exec, good, rhs, solution, all.view(), {}, {static_cast<solve_report*>(where), 1});
    };
    for (void* const where : {static_cast<void*>(x.data() + 8), static_cast<void*>(d.data()),
                              static_cast<void*>(all.data()), static_cast<void*>(a.data())})
        CHECK_THROWS_AS(report_at(where), argument_error);
    // Empty systems.
    call(with([](auto& m) { m.size = 0; }), columns_view<T const>(nullptr, 0, 1), columns_view<T>(nullptr, 0, 1), {},
         1);
    call(good, columns_view<T const>(d.data(), n, 0), columns_view<T>(x.data(), n, 0));
    // For a large system, the workspace (the condensed rows) has at most 11 % of the size of the system.
    band_matrix<T> large(block_tridiagonal_view<T>{1 << 20, 4, a.data(), b.data(), c.data()});
    std::int64_t const system = (std::int64_t(1) << 20) * (3 * 16 + 4) * 8;
    CHECK(bands_workspace(exec, large, 1) <= system * 11 / 100);
}
