// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/bands/distributed_bands.hpp>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solvers/direct/block_banded/growth_families.hpp"
#include "solvers/distributed/split_systems.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using rank_offsets = std::vector<std::int64_t>;

/// (Block) rows [begin, end) of a matrix in the memory of an executor.
template <class T>
struct rows_on {
    buffer<T> lower{}, diagonal{}, upper{};
    band_matrix<T> matrix{};

    template <class Executor>
    rows_on(Executor const& exec, band_matrix<T> const& a, std::int64_t begin, std::int64_t end) : matrix(a) {
        if (a.lower_bands >= 0) {
            std::vector<T> bands;
            for (int k = 0; k <= a.lower_bands + a.upper_bands; ++k)
                bands.insert(bands.end(), a.diagonal + k * a.size + begin, a.diagonal + k * a.size + end);
            diagonal = exec.copy(bands);
        } else {
            std::int64_t const each = std::int64_t(a.block) * a.block;
            auto const blocks = [&](T const* of) {
                return exec.copy(std::vector<T>(of + begin * each, of + end * each));
            };
            lower = blocks(a.lower);
            diagonal = blocks(a.diagonal);
            upper = blocks(a.upper);
            matrix.lower = lower.data();
            matrix.upper = upper.data();
        }
        matrix.diagonal = diagonal.data();
        matrix.size = (end - begin) * (a.lower_bands >= 0 ? 1 : a.block);
    }
};

/// Rows [where[p], where[p + 1]) of a matrix in memory of the host, on rank p. `gap`: elements between columns, which
/// must not change.
template <class T, class Executor>
solution<T> solve_distributed(std::vector<Executor> const& executors, band_matrix<T> const& a, std::vector<T> const& d,
                              rank_offsets const& where, band_options const& options = {}, std::int64_t gap = 0) {
    multi_executor<Executor> const all(executors);
    std::int64_t const columns = a.size == 0 ? 0 : std::int64_t(d.size()) / a.size;
    std::int64_t const rows_of_block = a.lower_bands >= 0 ? 1 : a.block;
    solution<T> out{std::vector<T>(d.size()), std::vector<solve_report>(executors.size())};
    T const unused(-7);
    std::atomic<int> changed = 0;
    all.run([&](Executor const& exec, rank_communicator const& comm) {
        auto const p = std::size_t(comm.rank());
        rows_on<T> const own(exec, a, where[p], where[p + 1]);
        std::int64_t const n = own.matrix.size, first = where[p] * rows_of_block, leading = n + gap;
        std::vector<T> rhs(std::size_t(leading * columns));
        for (std::int64_t c = 0; c < columns; ++c)
            std::copy_n(d.begin() + c * a.size + first, n, rhs.begin() + c * leading);
        auto const on_device = exec.copy(rhs);
        auto x = exec.copy(std::vector<T>(std::size_t(leading * columns), unused));
        out.reports[p] = solve_bands_distributed(exec, comm, own.matrix, {on_device.data(), n, columns, leading},
                                                 {x.data(), n, columns, leading}, options);
        auto const values = to_vector(exec, x);
        for (std::int64_t c = 0; c < columns; ++c) {
            std::copy_n(values.begin() + c * leading, n, out.x.begin() + c * a.size + first);
            changed +=
                int(gap - std::count(values.begin() + c * leading + n, values.begin() + (c + 1) * leading, unused));
        }
    });
    CHECK(changed == 0);
    return out;
}

template <class T, class Fixture>
struct rank_checks {
    static constexpr double bound = 60 * epsilon<T>; // computed in double or long double, with different rounding
    int checked = 0, refined = 0, accurate = 0;

    void one(band_matrix<T> const& a, plain_rows<T> const& meaning, rank_offsets const& where, std::int64_t columns,
             band_options const& options = {}) {
        auto const d = rhs_for(meaning, columns, 5);
        auto const r = solve_distributed(executors_of<Fixture>(where.size() - 1), a, d, where, options);
        double const error = backward_error_of(meaning, r.x, d);
        solve_report const& first = r.reports[0];
        if (error > bound ||
            first.status != solve_status::ok) { // only for ill-conditioned systems, and always reported
            CHECK(lapack_condition(meaning) > 0.01 / epsilon<T>);
            CHECK(first.status != solve_status::ok);
        } else {
            CHECK(first.backward_error <= error + epsilon<T>);
        }
        for (solve_report const& report : r.reports) {
            CHECK(report.status == first.status);
            CHECK(report.backward_error == first.backward_error);
            CHECK(report.tries == first.tries);
        }
        refined += first.tries > 1;
        accurate += first.status == solve_status::ok;
        ++checked;
    }
    /// Tests several numbers of ranks, with equal and unequal ranges.
    void all(band_matrix<T> const& a, plain_rows<T> const& meaning, std::int64_t rows, std::int64_t columns,
             band_options const& options = {}) {
        CAPTURE(a.block);
        CAPTURE(a.lower_bands);
        CAPTURE(a.upper_bands);
        CAPTURE(options.cyclic);
        for (int const ranks : {1, 2, 3, 4, 8}) {
            // Sanitizers are slow: with the thread sanitizer only 4 ranks; with others 3 ranks for long systems, 1 and
            // 8 ranks for short ones (8 exceeds the rows of some systems). Other numbers of ranks execute the same
            // code.
            if (races_watched ? ranks != 4 : sanitized && (rows > 50 ? ranks != 3 : ranks != 1 && ranks != 8)) continue;
            CAPTURE(ranks);
            one(a, meaning, equal_rank_offsets(rows, ranks), columns, options);
        }
        auto const at = [&](std::int64_t row) { return std::min(row, rows); };
        for (rank_offsets const& where :
             {rank_offsets{0, at(1), at(1), at(2), at(4), at(9), rows}, rank_offsets{0, 0, 0, at(7), rows, rows},
              rank_offsets{0, rows - at(1), rows}}) {
            CAPTURE(where[1]);
            if (sanitized && where.size() < 7) continue;
            one(a, meaning, where, columns, options);
        }
    }
};

constexpr std::pair<int, int> widths[] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}, {2, 1}, {1, 3},
                                          {0, 5}, {4, 4}, {8, 2}, {3, 8}, {8, 8}, {8, 0}};

template <class T, class Fixture>
void check_classes() {
    rank_checks<T, Fixture> of;
    for (std::int64_t const rows : {2, 40, sanitized ? 60 : 170}) {
        CAPTURE(rows);
        for (int const n : {1, 2, 3, 5, 8})
            for (bool const cyclic : {false, true}) {
                if (sanitized && rows > 40 && n != 1 && n != 8) continue; // most of the time
                block_storage<T> const s(rows, n, std::uint64_t(n * 1000 + rows), cyclic);
                of.all(s.view(), s.meaning(cyclic), rows, n % 3 + 1, {.cyclic = cyclic});
            }
        for (auto const& [below, above] : widths) {
            if (sanitized && rows > 40 && below != above) continue;
            banded_storage<T> s(rows, below, above, std::uint64_t(rows + 9 * below + above));
            if (below == 0 || above == 0) // a triangular matrix, which would otherwise be ill-conditioned
                for (std::int64_t i = 0; i < rows; ++i) s.at(i, 0) = T(8);
            of.all(s.view(), s.meaning(), rows, below % 3 + 1);
        }
    }
    CHECK(of.accurate >= of.checked - 4);
    CHECK(of.refined * 10 <= of.checked);
}

} // namespace

TEST_CASE_TEMPLATE("distributed bands: every class in any ranges, float", Fixture, COPPICE_TEST_EXECUTORS) {
    check_classes<float, Fixture>();
}
TEST_CASE_TEMPLATE("distributed bands: every class in any ranges, double", Fixture, COPPICE_TEST_EXECUTORS) {
    check_classes<double, Fixture>();
}
TEST_CASE_TEMPLATE("distributed bands: every class in any ranges, complex float", Fixture, COPPICE_TEST_EXECUTORS) {
    check_classes<std::complex<float>, Fixture>();
}
TEST_CASE_TEMPLATE("distributed bands: every class in any ranges, complex double", Fixture, COPPICE_TEST_EXECUTORS) {
    check_classes<std::complex<double>, Fixture>();
}

TEST_CASE_TEMPLATE("distributed bands: as one executor and as LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    std::int64_t const n = 3000;
    for (auto const& [below, above] : {std::pair(1, 1), std::pair(2, 2), std::pair(3, 1), std::pair(8, 8)}) {
        banded_storage<double> s(n, below, above, 4);
        CAPTURE(s.below);
        for (std::int64_t i = 0; i < n; ++i) s.at(i, 0) = 1.5 * (below + above); // of condition below 100
        auto const meaning = s.meaning();
        auto const d = rhs_for(meaning, 1, 3);
        auto const exact = lapack_band_solution(meaning, std::max(below, above), d);
        auto const one = solve_banded_storage(Fixture::exec(), s, d);
        for (int const ranks : {2, 5}) {
            auto const where = equal_rank_offsets(n, ranks);
            auto const r =
                solve_distributed(executors_of<Fixture>(std::size_t(ranks)), band_matrix<double>(s.view()), d, where);
            CHECK(forward_error_of(r.x, exact) <= 1e-14);
            CHECK(forward_error_of(r.x, one.x) <= 1e-14);
            CHECK(r.reports[0].status == one.reports[0].status);
            CHECK(r.reports[0].tries == 1);
            CHECK(r.reports[0].componentwise_error < 1e-14);
        }
    }
    // If only one rank has rows, the result is bitwise equal to that of solve_bands.
    block_storage<std::complex<float>> const s(70, 4, 3, true);
    auto const d = rhs_for(s.meaning(true), 2, 8);
    auto const one = solve_blocks(Fixture::exec(), s, d, {.cyclic = true, .condition = true});
    auto const r = solve_distributed(executors_of<Fixture>(3), band_matrix<std::complex<float>>(s.view()), d,
                                     {0, 0, 70, 70}, {.cyclic = true, .condition = true});
    CHECK(r.x == one.x);
    CHECK(r.reports[0].backward_error == one.reports[0].backward_error);
    CHECK(r.reports[2].condition == one.reports[0].condition);
}

TEST_CASE_TEMPLATE("distributed bands: transposed", Fixture, COPPICE_TEST_EXECUTORS) {
    using T = std::complex<double>;
    rank_checks<T, Fixture> of;
    for (auto const operation : {matrix_operation::transposed, matrix_operation::conjugate_transposed}) {
        bool const conjugated = operation == matrix_operation::conjugate_transposed;
        for (std::int64_t const rows : {3, sanitized ? 25 : 60}) {
            if (sanitized && conjugated && rows > 3) continue; // most of the time of this case
            CAPTURE(rows);
            for (int const n : {1, 2, 8})
                for (bool const cyclic : {false, true}) {
                    if (races_watched && n == 8) continue;
                    block_storage<T> const s(rows, n, std::uint64_t(n + rows), cyclic);
                    of.all(s.view(), s.meaning(cyclic).transposed(conjugated), rows, 2,
                           {.cyclic = cyclic, .operation = operation});
                }
            for (auto const& [below, above] : {std::pair(1, 1), std::pair(3, 1), std::pair(2, 8)}) {
                banded_storage<T> const s(rows, below, above, 17);
                of.all(s.view(), s.meaning().transposed(conjugated), rows, 1, {.operation = operation});
            }
        }
    }
}

TEST_CASE_TEMPLATE("distributed bands: refinement while it halves the error", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_checks<double, Fixture> of;
    for (std::uint64_t const seed : {216, 257}) { // of condition 1e12 and 7e9; one step is not enough
        CAPTURE(seed);
        block_storage<double> s(40, 8, seed, false);
        for (double& value : s.diagonal) value *= 1e-8;
        for (double& value : s.upper)
            if (!std::isnan(value)) value = std::round(1.4 * value);
        of.one(s.view(), s.meaning(false), {0, 2, 38, 40}, 1);
    }
    CHECK(of.accurate == of.checked);
}

TEST_CASE_TEMPLATE("distributed bands: singular diagonal blocks of a nonsingular matrix", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_checks<double, Fixture> of;
    std::int64_t const rows = 48;
    // Ones next to a zero diagonal: nonsingular only for even numbers of rows.
    for (int const k : {1, 2, 5, 8}) {
        auto const c = banded_storage<double>(
            toeplitz<double>(rows * k, k, k, [&](int band) { return band == k || band == -k ? 1.0 : 0.0; }));
        of.all(c.view(), c.meaning(), rows * k, 2);
        for (rank_offsets const& where :
             {rank_offsets{0, 15 * k, 26 * k, rows * k}, rank_offsets{0, k, 2 * k, 3 * k, rows * k}})
            of.one(c.view(), c.meaning(), where, 1);
        block_storage<double> s(rows, k, 6, true); // the identity, and rows in another order
        for (std::int64_t i = 0; i < rows * k * k; ++i) {
            std::int64_t const row = i % k, column = i / k % k;
            s.diagonal[std::size_t(i)] = 0;
            s.lower[std::size_t(i)] = row == column ? 1 : 0;
            s.upper[std::size_t(i)] = row == (column + 1) % k ? -1 : 0;
        }
        s.spoil(0, rows);
        for (rank_offsets const& where :
             {rank_offsets{0, 15, 26, 48}, rank_offsets{0, 1, 2, 3, 48}, rank_offsets{0, 47, 48}})
            of.one(s.view(), s.meaning(false), where, 1);
    }
    // A permutation: rows of the rank have no entries in the own columns of the rank.
    auto const shift = toeplitz<double>(40, 3, 3, [](int) { return 0.0; });
    banded_storage<double> p = shift;
    for (std::int64_t i = 0; i < 40; ++i)
        if (std::int64_t const to = i / 4 * 4 + 3 - i % 4; to - i >= -3 && to - i <= 3) p.at(i, int(to - i)) = 1;
    of.all(p.view(), p.meaning(), 40, 1);

    // A row that is a multiple of the boundary row: another boundary row is chosen.
    distributed::bordered_rows<double> boundary;
    boundary.before = 1;
    boundary.inner.own.rows = 1;
    block_storage<double> s(2, 1, 1, false);
    s.lower[1] = s.diagonal[0] = s.upper[0] = 1;
    s.diagonal[1] = boundary.entry(0, 2) / boundary.entry(0, 1);
    of.one(s.view(), s.meaning(false), {0, 1, 2}, 1);
    CHECK(of.accurate == of.checked);
}

namespace {

template <class T, class Fixture>
solve_report report_of(band_matrix<T> const& a, std::int64_t rows, int ranks, band_options const& options = {}) {
    std::vector<T> const d(std::size_t(a.size), T(1));
    auto const r =
        solve_distributed(executors_of<Fixture>(std::size_t(ranks)), a, d, equal_rank_offsets(rows, ranks), options);
    for (solve_report const& other : r.reports) CHECK(other.status == r.reports[0].status);
    return r.reports[0];
}

} // namespace

TEST_CASE_TEMPLATE("distributed bands: singular matrices and values that are not finite", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using T = double;
    for (int const ranks : {2, 3, 8}) {
        if (sanitized && ranks != 3) continue;
        CAPTURE(ranks);
        for (int const n : {1, 3, 8}) {
            CAPTURE(n);
            block_storage<T> s(40, n, 3, true);
            auto const whole = s;
            for (int k = 0; k < n; ++k) // an empty row
                for (auto* const band : {&s.lower, &s.diagonal, &s.upper})
                    (*band)[std::size_t(17 * n + k) * std::size_t(n)] = 0;
            CHECK(report_of<T, Fixture>(s.view(), 40, ranks, {.cyclic = true}).status == solve_status::singular);
            s.spoil(0, 40);
            CHECK(report_of<T, Fixture>(s.view(), 40, ranks).status == solve_status::singular);
            s = whole;
            s.diagonal[33 * std::size_t(n) * std::size_t(n)] = std::numeric_limits<T>::quiet_NaN();
            CHECK(report_of<T, Fixture>(s.view(), 40, ranks, {.cyclic = true}).status == solve_status::not_finite);
            s = whole;
            s.upper[2 * std::size_t(n) * std::size_t(n)] = std::numeric_limits<T>::infinity();
            CHECK(report_of<T, Fixture>(s.view(), 40, ranks, {.cyclic = true}).status == solve_status::not_finite);
            // Rows that sum to zero, cyclic and not cyclic.
            for (bool const cyclic : {false, true}) {
                s = whole;
                for (auto* const band : {&s.lower, &s.upper})
                    for (T& value : *band) value = 1;
                for (std::int64_t i = 0; i < 40; ++i)
                    for (int e = 0; e < n * n; ++e)
                        s.diagonal[std::size_t(i * n * n + e)] = e % (n + 1) != 0                 ? 0
                                                                 : !cyclic && (i == 0 || i == 39) ? -n
                                                                                                  : -2 * n;
                if (!cyclic) s.spoil(0, 40);
                for (auto const operation : {matrix_operation::none, matrix_operation::transposed})
                    CHECK(
                        report_of<T, Fixture>(s.view(), 40, ranks, {.cyclic = cyclic, .operation = operation}).status ==
                        solve_status::singular);
            }
        }
        banded_storage<T> s(50, 2, 4, 5);
        for (int k = -2; k <= 4; ++k) s.at(25, k) = 0;
        CHECK(report_of<T, Fixture>(s.view(), 50, ranks).status == solve_status::singular);
        s.at(25, 0) = std::numeric_limits<T>::quiet_NaN();
        CHECK(report_of<T, Fixture>(s.view(), 50, ranks).status == solve_status::not_finite);
    }
    // A right-hand side with NaN.
    block_storage<T> const s(20, 2, 3, false);
    std::vector<T> d(80, 1);
    d[50] = std::numeric_limits<T>::quiet_NaN();
    auto const r = solve_distributed(executors_of<Fixture>(2), band_matrix<T>(s.view()), d, {0, 10, 20});
    CHECK(r.reports[1].status == solve_status::not_finite);
    CHECK(backward_error_of(s.meaning(false), {r.x.begin(), r.x.begin() + 40}, {d.begin(), d.begin() + 40}) <=
          50 * epsilon<T>);
}

namespace {

template <class T, class Fixture>
void check_growth() {
    rank_checks<T, Fixture> of;
    auto const all = [&](growth_case<T> const& c) {
        CAPTURE(c.name);
        std::int64_t const rows = c.matrix.size / (c.matrix.lower_bands >= 0 ? 1 : c.matrix.block);
        for (int const ranks : {2, 3, 8}) {
            if (sanitized && ranks != 3) continue;
            CAPTURE(ranks);
            of.one(c.matrix, c.meaning, equal_rank_offsets(rows, ranks), 2, {.cyclic = c.cyclic});
        }
    };
    for (int k = 1; k <= 8; ++k) {
        for (bool const transposed : {false, true}) all(grcar<T>(400, k, transposed));
        if (lapack_condition(bands_of_ones<T>(129, k, 9 - k, 1).meaning) < 1e4) all(bands_of_ones<T>(129, k, 9 - k, 1));
    }
    for (int n = 1; n <= 8; ++n) {
        CAPTURE(n);
        for (double const h : {0.1, 0.3, 1.0})
            all(boundary_value_problem<T>(120 / n + 33, n, h, h == 1.0 || n % 2 == 0, std::uint64_t(n)));
    }
    for (double const lambda : {10.0, 1000.0}) all(collocation<T>(300, lambda));
    for (int const reach : {1, 2}) all(compact_scheme<T>(300, 1.0 / 3, 2, reach));
    CHECK(of.accurate == of.checked);
    CHECK(of.refined * 10 <= of.checked);
}

} // namespace

TEST_CASE_TEMPLATE("distributed bands: an empty column or row is singular for any ranges", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using T = double;
    for (int const n : {4, 9})
        for (int const reach : {1, 2})
            for (int empty = 0; empty < n; ++empty)
                for (bool const column : {false, true})
                    for (int const ranks : {2, 3, 4}) {
                        CAPTURE(n);
                        CAPTURE(reach);
                        CAPTURE(empty);
                        CAPTURE(column);
                        CAPTURE(ranks);
                        banded_storage<T> s(n, reach, reach, 17);
                        for (int i = 0; i < n; ++i)
                            for (int k = -reach; k <= reach; ++k)
                                if ((column ? i + k : i) == empty) s.at(i, k) = 0;
                        CHECK(report_of<T, Fixture>(s.view(), n, ranks).status == solve_status::singular);
                    }
}

TEST_CASE_TEMPLATE("distributed bands: no growth", Fixture, COPPICE_TEST_EXECUTORS) {
    check_growth<double, Fixture>();
    check_growth<float, Fixture>();
}

TEST_CASE_TEMPLATE("distributed bands: options, the same bits on every run", Fixture, COPPICE_TEST_EXECUTORS) {
    using T = double;
    block_storage<T> const s(200, 3, 8, true);
    auto const d = rhs_for(s.meaning(true), 5, 8);
    auto const where = equal_rank_offsets(200, 4);
    auto const run = [&](band_options options, std::int64_t gap = 0) {
        options.cyclic = true;
        return solve_distributed(executors_of<Fixture>(4), band_matrix<T>(s.view()), d, where, options, gap);
    };
    auto const first = run({});
    for (int k = 0; k < 3; ++k) CHECK(run({}, k).x == first.x); // also with leading dimensions
    CHECK(run({.refinements = 2}).reports[3].backward_error <= 4 * epsilon<T>);
    CHECK(run({.error_bound = 1e-30}).reports[1].status == solve_status::inaccurate);
    CHECK(run({.error_bound = 1e-30}).reports[1].tries == 2);
    CHECK(run({.error_bound = 1}).reports[1].tries == 1);

    // If the matrix is multiplied by a power of two, the bits of x are the same, divided by that power.
    auto scaled = s;
    for (auto* const band : {&scaled.lower, &scaled.diagonal, &scaled.upper})
        for (T& value : *band) value *= 0x1p40;
    auto const r =
        solve_distributed(executors_of<Fixture>(4), band_matrix<T>(scaled.view()), d, where, {.cyclic = true});
    for (std::size_t i = 0; i < r.x.size(); ++i) CHECK(r.x[i] * 0x1p40 == first.x[i]);
    CHECK(r.reports[0].backward_error == first.reports[0].backward_error);

    auto const none =
        solve_distributed(executors_of<Fixture>(3), band_matrix<T>(tridiagonal_view<T>{}), {}, {0, 0, 0, 0});
    CHECK(none.reports[2].status == solve_status::ok);
}

TEST_CASE_TEMPLATE("distributed bands: bad input is an error on all ranks", Fixture, COPPICE_TEST_EXECUTORS) {
    using T = double;
    using exec_type = decltype(Fixture::exec());
    multi_executor<exec_type> const all(executors_of<Fixture>(3));
    std::vector<std::string> messages(3);
    struct call {
        std::int64_t rhs_rows = 12, solution_rows = 12, columns = 1;
        band_options options{};
        std::int64_t systems = 1;
        bool in_place = false;
    };
    auto const fails = [&](banded_view<T> shape, call const& of) {
        all.run([&](exec_type const& exec, rank_communicator const& comm) {
            bool const bad = comm.rank() == 1;
            call const mine = bad ? of : call{};
            auto const bands = exec.copy(std::vector<T>(400, 1));
            buffer<T> x(exec, 100);
            banded_view<T> const view = bad ? shape : banded_view<T>{12, 2, 1, nullptr};
            band_matrix<T> a(banded_view<T>{view.length, view.lower_bands, view.upper_bands, bands.data()});
            a.systems = mine.systems;
            try {
                solve_bands_distributed(exec, comm, a,
                                        {mine.in_place ? x.data() : bands.data(), mine.rhs_rows, mine.columns},
                                        {x.data(), mine.solution_rows, mine.columns}, mine.options);
            } catch (error const& e) {
                messages[std::size_t(comm.rank())] = e.what();
                throw;
            }
        });
    };
    banded_view<T> const good{12, 2, 1, nullptr};
    CHECK_THROWS_AS(fails(good, {.solution_rows = 11}), dimension_error);
    CHECK(messages[1] == "solution rows of solve_bands_distributed: got 11, expected 12");
    CHECK(messages[0] == "rank 1 failed: " + messages[1]);
    CHECK(messages[2] == messages[0]);
    CHECK_THROWS_AS(fails(good, {.rhs_rows = 13}), dimension_error);
    CHECK_THROWS_AS(fails(good, {.options = {.cyclic = true}}), argument_error);
    CHECK_THROWS_AS(fails(good, {.options = {.error_bound = -1}}), argument_error);
    CHECK_THROWS_AS(fails(good, {.systems = 3}), argument_error);
    CHECK_THROWS_AS(fails(good, {.in_place = true}), argument_error);
    CHECK_THROWS_AS(fails({12, 9, 1, nullptr}, {}), argument_error);

    // Inconsistent arguments of the ranks: the same message on all ranks.
    std::string const others = "1 right-hand sides, not cyclic, operation 0, 0 refinements, error bound 0";
    std::string const fit = "solve_bands_distributed: rank 1 has 2 lower and 2 upper bands, " + others +
                            ", rank 0 has 2 lower and 1 upper bands, " + others + ", expected the same";
    CHECK_THROWS_WITH_AS(fails({12, 2, 2, nullptr}, {}), fit.c_str(), argument_error);
    for (std::string const& message : messages) CHECK(message == fit);
    CHECK_THROWS_AS(fails(good, {.columns = 2}), argument_error);
    CHECK_THROWS_AS(fails(good, {.options = {.operation = matrix_operation::transposed}}), argument_error);
    CHECK_THROWS_AS(fails(good, {.options = {.refinements = 1}}), argument_error);
}
