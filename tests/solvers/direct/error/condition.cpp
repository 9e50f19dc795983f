// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/banded.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "solvers/band_reference.hpp"
#include "solvers/tridiagonal_reference.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// The largest absolute column sum over rows.size() columns from `first` on.
template <class Wide>
long double one_norm(std::vector<std::vector<Wide>> const& rows, std::size_t first) {
    long double largest = 0;
    for (std::size_t j = first; j < first + rows.size(); ++j) {
        long double sum = 0;
        for (auto const& row : rows) sum += std::abs(row[j]);
        largest = std::max(largest, sum);
    }
    return largest;
}

/// |A|_1 |A^-1|_1 by Gauss-Jordan elimination with row exchanges of the dense matrix, in long double.
template <class T>
double dense_condition(plain_rows<T> const& a) {
    auto const n = std::size_t(a.size());
    std::vector<std::vector<wide_of<T>>> rows(n, std::vector<wide_of<T>>(2 * n, wide_of<T>(0)));
    for (std::size_t i = 0; i < n; ++i) {
        for (auto const& [j, value] : a.rows[i]) rows[i][std::size_t(j)] += widen(value);
        rows[i][n + i] = wide_of<T>(1);
    }
    long double const norm = one_norm(rows, 0);
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
        std::swap(rows[k], rows[pivot]);
        for (std::size_t j = k + 1; j < 2 * n; ++j) rows[k][j] /= rows[k][k];
        for (std::size_t i = 0; i < n; ++i)
            if (i != k && rows[i][k] != wide_of<T>(0))
                for (std::size_t j = k + 1; j < 2 * n; ++j) rows[i][j] -= rows[i][k] * rows[k][j];
    }
    return double(norm * one_norm(rows, n));
}

/// Checks truth / 3 <= estimate <= truth, except for rounding errors.
#define CHECK_ESTIMATE(estimate, truth, rounding)                                                                      \
    do {                                                                                                               \
        double const found_ = (estimate), true_ = (truth);                                                             \
        CAPTURE(found_);                                                                                               \
        CAPTURE(true_);                                                                                                \
        CHECK(found_ >= true_ / 3);                                                                                    \
        CHECK(found_ <= true_ * (1 + 100 * (rounding)*true_));                                                         \
    } while (false)

template <class T, class Executor>
std::vector<double> conditions_of(Executor const& exec, band_matrix<T> const& a, band_options const& options = {}) {
    buffer<double> condition(exec, a.systems);
    estimate_condition(exec, a, condition.view(), options);
    return to_vector(exec, condition);
}

/// The report of a solve with options.condition; the right-hand side is ones.
template <class T, class Executor>
solve_report report_of(Executor const& exec, band_matrix<T> const& a, band_options options = {},
                       std::int64_t columns = 1) {
    options.condition = true;
    auto const d = exec.copy(std::vector<T>(std::size_t(a.size * columns), T(1)));
    buffer<T> x(exec, a.size * columns);
    buffer<solve_report> report(exec, 1);
    solve_bands(exec, a, columns_view<T const>(d.data(), a.size, columns), columns_view<T>(x.data(), a.size, columns),
                options, report.view());
    return to_vector(exec, report)[0];
}

template <class T, class Executor>
void check_random_systems(Executor const& exec) {
    for (int const n : {1, 2, 3})
        for (std::int64_t const length : {1, 2, 3, 33, 60})
            for (bool const cyclic : {false, true})
                for (auto const op :
                     {matrix_operation::none, matrix_operation::transposed, matrix_operation::conjugate_transposed}) {
                    CAPTURE(n);
                    CAPTURE(length);
                    CAPTURE(cyclic);
                    CAPTURE(int(op));
                    block_storage<T> const s(length, n, std::uint64_t(100 * n + length), cyclic);
                    blocks_on<T, Executor> const m(exec, s);
                    auto const a = s.meaning(cyclic);
                    double const truth = dense_condition(op == matrix_operation::none ? a : a.transposed(false));
                    CHECK_ESTIMATE(conditions_of(exec, m.matrix, {.cyclic = cyclic, .operation = op})[0], truth,
                                   epsilon<T>);
                }
}

} // namespace

TEST_CASE_TEMPLATE("bands: condition estimates of random systems, float", Fixture, COPPICE_TEST_EXECUTORS) {
    check_random_systems<float>(Fixture::exec());
}
TEST_CASE_TEMPLATE("bands: condition estimates of random systems, double", Fixture, COPPICE_TEST_EXECUTORS) {
    check_random_systems<double>(Fixture::exec());
}
TEST_CASE_TEMPLATE("bands: condition estimates of random systems, complex", Fixture, COPPICE_TEST_EXECUTORS) {
    check_random_systems<std::complex<float>>(Fixture::exec());
    check_random_systems<std::complex<double>>(Fixture::exec());
}

TEST_CASE_TEMPLATE("bands: condition estimates of the twenty matrices of Table 4", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int64_t const n = 150;
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            CAPTURE(id);
            CAPTURE(seed);
            auto const& s = gallery_system(id, n, seed);
            block_storage<double> blocks(n, 1, 1, false);
            blocks.lower = s.lower, blocks.diagonal = s.diagonal, blocks.upper = s.upper;
            blocks_on<double, decltype(exec)> const m(exec, blocks);
            double const truth = dense_condition(blocks.meaning(false));
            double const found = conditions_of(exec, m.matrix)[0];
            if (truth < 1e12)
                CHECK_ESTIMATE(found, truth, epsilon<double>);
            else // the inverse itself is dominated by rounding errors
                CHECK(found > 1e11);
        }
}

TEST_CASE_TEMPLATE("bands: the second round of a condition estimate starts at the largest entry", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    // The first row is separate. The others are S L S with a diagonal S of signs and an M-matrix L, whose inverse is
    // positive. The signs of a column of the inverse are those of all its columns: the round after it gives the norm.
    auto const exec = Fixture::exec();
    block_storage<double> s(100, 1, 1, false);
    std::mt19937 random(5);
    double sign = 1;
    for (std::size_t i = 0; i < 100; ++i) {
        double const before = sign;
        sign = random() % 2 ? 1 : -1;
        s.diagonal[i] = 3;
        s.lower[i] = i < 2 ? 0 : -before * sign;
        if (i > 0) s.upper[i - 1] = s.lower[i];
    }
    s.spoil(0, 100);
    blocks_on<double, decltype(exec)> const m(exec, s);
    CHECK(conditions_of(exec, m.matrix)[0] == doctest::Approx(dense_condition(s.meaning(false))).epsilon(1e-9));
}

TEST_CASE_TEMPLATE("bands: the condition of a transposed matrix is that of its transpose", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    // Long enough that an estimate for the matrix needs more workspace than one for its transpose.
    auto const exec = Fixture::exec();
    using T = double;
    std::int64_t const length = 1200;
    for (int const n : {1, 2, 4})
        for (bool const cyclic : {false, true}) {
            if (sanitized && n == 4) continue; // most of the time of this case
            CAPTURE(n);
            CAPTURE(cyclic);
            block_storage<T> const s(length, n, 17, true);
            auto t = s;
            for (std::int64_t i = 0; i < length; ++i)
                for (int r = 0; r < n; ++r)
                    for (int c = 0; c < n; ++c) {
                        auto const at = [&](std::int64_t row, int r_, int c_) {
                            return std::size_t((row + length) % length * n * n + c_ * n + r_);
                        };
                        t.diagonal[at(i, r, c)] = s.diagonal[at(i, c, r)];
                        t.lower[at(i, r, c)] = s.upper[at(i - 1, c, r)];
                        t.upper[at(i, r, c)] = s.lower[at(i + 1, c, r)];
                    }
            blocks_on<T, decltype(exec)> const plain(exec, s), explicitly(exec, t);
            for (auto const method : {band_method::automatic, band_method::chain}) {
                band_options const o{.cyclic = cyclic, .method = method};
                band_options transposed = o;
                transposed.operation = matrix_operation::transposed;
                auto const one = report_of<T>(exec, explicitly.matrix, o);
                auto const other = report_of<T>(exec, plain.matrix, transposed);
                CHECK(one.status == other.status);
                CHECK(other.condition == doctest::Approx(one.condition).epsilon(1e-6));
                CHECK(conditions_of(exec, plain.matrix, transposed)[0] == doctest::Approx(one.condition).epsilon(1e-6));
            }
        }
}

TEST_CASE_TEMPLATE("bands: the workspace suffices for both systems of a condition estimate", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    // The transposed matrix has the bands of the other side.
    auto const exec = Fixture::exec();
    auto const check = [&]<class T>(T, int lower, int upper, matrix_operation operation) {
        std::int64_t const n = 40, unused = 1 << 16;
        CAPTURE(lower);
        CAPTURE(upper);
        CAPTURE(int(operation));
        banded_storage<T> const s(n, lower, upper, 3);
        auto const bands = exec.copy(s.bands), d = exec.copy(std::vector<T>(std::size_t(n), T(1)));
        band_matrix<T> const a(banded_view<T>{n, lower, upper, bands.data()});
        buffer<T> x(exec, n);
        buffer<solve_report> report(exec, 1);
        band_options const options{.operation = operation, .method = band_method::chain, .condition = true};
        std::int64_t const bytes = bands_workspace(exec, a, 1, options, true);
        auto memory = exec.copy(std::vector<std::byte>(std::size_t(bytes + unused), std::byte(0x5a)));
        solve_bands(exec, a, columns_view<T const>(d.view()), columns_view<T>(x.view()), memory.view().slice(0, bytes),
                    options, report.view());
        auto const after = to_vector(exec, memory);
        CHECK(std::count(after.begin() + bytes, after.end(), std::byte(0x5a)) == unused);
    };
    for (auto const operation : {matrix_operation::none, matrix_operation::transposed})
        for (auto const& [lower, upper] : {std::pair{0, 2}, {2, 0}, {0, 8}, {8, 0}, {3, 1}, {1, 3}}) {
            check(0.0, lower, upper, operation);
            check(std::complex<float>(), lower, upper, operation);
            check(std::complex<double>(), lower, upper, operation);
        }
}

TEST_CASE_TEMPLATE("bands: every system of a batch has its own condition", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    std::vector<std::int64_t> const bounds{0, 1, 3, 3, 36, 100, 140};
    std::int64_t const systems = std::int64_t(bounds.size()) - 1, length = bounds.back(), each = length / 4;
    for (int const n : {1, 2}) {
        CAPTURE(n);
        block_storage<T> s(length, n, 8, true);
        // Scaling of systems by powers of two does not change their condition numbers.
        for (std::int64_t i = 0; i < length; ++i)
            for (auto* band : {&s.lower, &s.diagonal, &s.upper})
                for (int e = 0; e < n * n; ++e) (*band)[std::size_t(i * n * n + e)] *= i < 36 ? 0x1p-900 : 0x1p+900;
        auto const of_single = [&](std::int64_t begin, std::int64_t end) {
            plain_rows<T> whole(length * n), rows((end - begin) * n);
            s.describe(whole, begin, end, false);
            for (std::int64_t i = begin * n; i < end * n; ++i)
                for (auto const& [j, value] : whole.rows[std::size_t(i)]) rows.add(i - begin * n, j - begin * n, value);
            return dense_condition(rows);
        };
        blocks_on<T, decltype(exec)> const m(exec, s);
        auto const offsets = exec.copy(bounds);
        auto const different = conditions_of(exec, band_matrix<T>::batch(m.matrix, offsets.view(), 64));
        for (std::int64_t k = 0; k < systems; ++k) {
            CAPTURE(k);
            auto const begin = bounds[std::size_t(k)], end = bounds[std::size_t(k + 1)];
            if (begin == end)
                CHECK(different[std::size_t(k)] == 1);
            else
                CHECK_ESTIMATE(different[std::size_t(k)], of_single(begin, end), epsilon<T>);
        }
        auto const equal = conditions_of(exec, band_matrix<T>::batch(m.matrix, 4));
        // The same systems with interleaved rows.
        block_storage<T> mixed(length, n, 8, true);
        for (std::int64_t i = 0; i < length; ++i)
            for (int e = 0; e < n * n; ++e) {
                std::int64_t const from = i * n * n + e, to = (i % each * 4 + i / each) * n * n + e;
                mixed.lower[std::size_t(to)] = s.lower[std::size_t(from)];
                mixed.diagonal[std::size_t(to)] = s.diagonal[std::size_t(from)];
                mixed.upper[std::size_t(to)] = s.upper[std::size_t(from)];
            }
        blocks_on<T, decltype(exec)> const interleaved(exec, mixed);
        auto const from_interleaved = conditions_of(exec, band_matrix<T>::interleaved_batch(interleaved.matrix, 4));
        for (std::int64_t k = 0; k < 4; ++k) {
            // The second system has rows of both scales, 2^-900 and 2^900; the dense reference is not computed for it.
            if (k != 1) CHECK_ESTIMATE(equal[std::size_t(k)], of_single(k * each, (k + 1) * each), epsilon<T>);
            CHECK(from_interleaved[std::size_t(k)] == equal[std::size_t(k)]);
        }
    }
}

TEST_CASE_TEMPLATE("bands: a solve reports the condition on request", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    for (int const n : {1, 2}) // by rpts and by the chain solver
        for (std::int64_t const columns : {1, 11}) {
            block_storage<T> const s(77, n, 5, false);
            blocks_on<T, decltype(exec)> const m(exec, s);
            auto const asked = report_of(exec, m.matrix, {.refinements = 1}, columns);
            CHECK(asked.status == solve_status::ok);
            CHECK(asked.backward_error <= 50 * epsilon<T>);
            CHECK_ESTIMATE(asked.condition, dense_condition(s.meaning(false)), epsilon<T>);
            CHECK(asked.condition == conditions_of(exec, m.matrix)[0]);
        }
    banded_storage<T> const s(90, 3, 1, 4);
    auto const bands = exec.copy(s.bands);
    band_matrix<T> const a(banded_view<T>{90, 3, 1, bands.data()});
    CHECK_ESTIMATE(report_of(exec, a).condition, dense_condition(s.meaning()), epsilon<T>);

    auto const d = exec.copy(std::vector<T>(90, 1.0));
    buffer<T> x(exec, 90);
    buffer<solve_report> report(exec, 1);
    solve_bands(exec, a, columns_view<T const>(d.view()), columns_view<T>(x.view()), {}, report.view());
    CHECK(to_vector(exec, report)[0].condition == 0);
    buffer<double> two(exec, 2);
    CHECK_THROWS_AS(estimate_condition(exec, a, two.view()), dimension_error);
}

TEST_CASE_TEMPLATE("bands: conditions that are infinite or NaN", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using T = double;
    T const nan = std::numeric_limits<T>::quiet_NaN();
    auto const condition = [&](auto change) {
        block_storage<T> s(300, 1, 2, false);
        change(s);
        blocks_on<T, decltype(exec)> const m(exec, s);
        return conditions_of(exec, m.matrix)[0];
    };
    double const plain = condition([](auto&) {});
    CHECK(plain < 1e8);
    for (double const scale : {0x1p-1000, 0x1p+1010}) // 1e-301, 1e304
        CHECK(condition([&](auto& s) {
                  for (auto* band : {&s.lower, &s.diagonal, &s.upper})
                      for (T& value : *band) value *= scale;
              }) == plain);
    CHECK(condition([](auto& s) { s.diagonal[150] = s.upper[149] = s.lower[151] = 0; }) == HUGE_VAL); // a column
    CHECK(condition([](auto& s) { s.lower[80] = s.diagonal[80] = s.upper[80] = 0; }) > 1e15);         // a row
    for (std::size_t const at : {0, 150, 299})
        for (T const bad : {nan, HUGE_VAL}) {
            CHECK(std::isnan(condition([&](auto& s) { s.diagonal[at] = bad; })));
            if (at > 0) CHECK(std::isnan(condition([&](auto& s) { s.lower[at] = bad; })));
        }
    // Rows whose scales differ by 1e400: the condition number overflows.
    CHECK(condition([](auto& s) {
              for (auto* band : {&s.lower, &s.diagonal, &s.upper}) {
                  for (std::size_t i = 0; i < 150; ++i) (*band)[i] *= 1e-200;
                  for (std::size_t i = 150; i < 300; ++i) (*band)[i] *= 1e200;
              }
          }) == HUGE_VAL);
    CHECK(report_of(exec, band_matrix<T>(tridiagonal_view<T>{})).condition == 1);
}

TEST_CASE_TEMPLATE("bands: the condition of a matrix with two rows that have one entry each, in the same column",
                   Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const reach : {1, 2, 4, 8})
        for (int const n : {3, 8, 30})
            for (std::uint64_t seed = 0; seed < 20; ++seed) {
                CAPTURE(reach);
                CAPTURE(n);
                CAPTURE(seed);
                banded_storage<double> s(n, reach, reach, seed);
                std::int64_t const column = std::int64_t(seed) % (n - 1);
                for (std::int64_t const i : {column, column + 1})
                    for (int k = -reach; k <= reach; ++k)
                        if (i + k >= 0 && i + k < n && i + k != column) s.at(i, k) = 0;
                auto const bands = exec.copy(s.bands);
                CHECK(conditions_of(exec, band_matrix<double>(banded_view<double>{n, reach, reach, bands.data()}))[0] >
                      1e12);
            }
}

TEST_CASE_TEMPLATE("bands: the condition of a matrix with large entries and one small pivot", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const condition = [&]<class T>(T large, T small) {
        block_storage<T> s(40, 1, 2, false);
        std::fill(s.lower.begin() + 1, s.lower.end(), large);
        std::fill(s.diagonal.begin(), s.diagonal.end(), large);
        std::fill(s.upper.begin(), s.upper.end() - 1, T(0));
        s.diagonal[7] = small;
        blocks_on<T, std::remove_const_t<decltype(exec)>> const m(exec, s);
        return conditions_of(exec, m.matrix)[0];
    };
    // |A| = 2 large, |A^-1| = 33 / small up to terms of 1 / large
    CHECK(condition(1e18f, 1e-10f) == doctest::Approx(66 * 1e28));
    CHECK(condition(1e150, 1e-100) == doctest::Approx(66 * 1e250));
    CHECK(condition(1e200, 1e-150) == HUGE_VAL); // 1e350
    CHECK(condition(1e-30, 1e-150) == doctest::Approx(66 * 1e120));
}
