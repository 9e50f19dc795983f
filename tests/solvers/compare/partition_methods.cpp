// SPDX-License-Identifier: BSD-3-Clause
// The methods of L.-W. Chang's thesis and those that split a system into partitions, compared with LAPACK, with long
// double arithmetic and with the published tables.
#include <coppice/solvers/compare/classical.hpp>

#include <cmath>
#include <cstring>

#include "solvers/compare/classical_batch.hpp"
#include "solvers/compare/team_of_block.hpp"
#include "solvers/tridiagonal_reference.hpp"
#include "support/block_stand_in.hpp"
#include "support/counted.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/generate/partition_gallery.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>

using namespace coppice;
using namespace coppice::test;
using method = classical_algorithm;

namespace {

constexpr method all_methods[] = {method::spike,
                                  method::spike_thomas,
                                  method::spike_cr,
                                  method::parallel_diagonal,
                                  method::cf_lu,
                                  method::cf_lu_scaled,
                                  method::adaptive_cr,
                                  method::wang,
                                  method::bondeli,
                                  method::divide_and_conquer,
                                  method::redundant_reduction,
                                  method::g_spike};
bool overflows(method which) { return which == method::cf_lu || which == method::redundant_reduction; }

/// A matrix of Table 6.1 with its solution.
test::system<double> system_of_type(int type, std::uint64_t seed) {
    bool const of_both_theses = type != 2 && type != 6 && type < 14;
    if (of_both_theses) return gallery_system(type, 512, seed);
    auto const a = partition_case<double>(host_executor{1}, type, 512, seed);
    test::system<double> s(512);
    std::copy(a.lower.begin(), a.lower.end(), s.lower.begin());
    std::copy(a.diagonal.begin(), a.diagonal.end(), s.diagonal.begin());
    std::copy(a.upper.begin(), a.upper.end(), s.upper.begin());
    give_solution(s, seed);
    return s;
}

/// Random bands with a diagonal that needs pivoting, or that dominates.
template <class T>
test::system<T> bands_of(std::int64_t n, bool dominant, std::uint64_t seed) {
    auto s = random_system<T>(n, seed);
    if (n > 0) s.lower.front() = s.upper.back() = 0;
    for (T& b : s.diagonal) b = dominant ? T(3) + b : b;
    s.make_rhs();
    return s;
}

/// Column of Table 6.2.
struct published {
    method which;
    double forward[18];
};
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr published table_6_2[] = {
    {method::spike,
     {1.82e-14, 1.27e-16, 1.55e-16, 1.37e-14, 1.07e-14, 1.05e-16, 2.42e-16, 2.14e-04, 2.32e-05, 4.27e-05, 7.52e-04,
      5.58e-05, 5.51e-01, 2.86e+49, 2.09e+60, inf, inf, 3.26e-03}},
    {method::parallel_diagonal,
     {3.72e-14, 1.28e-16, 1.46e-16, 5.09e-15, 7.84e-15, 1.05e-16, 2.41e-16, 1.40e-03, 3.82e-05, 4.27e-05, 6.79e-04,
      4.88e-05, 3.42e+01, 3.19e+49, 1.53e+60, inf, 8.14e-16, 3.13e-14}},
    {method::adaptive_cr,
     {1.23e-13, 1.18e-16, 1.45e-16, 3.76e-14, 1.29e-14, 9.97e-17, 2.37e-16, 2.14e-04, 9.80e-05, 3.38e-05, 2.91e-02,
      5.04e-05, 3.37e-01, 2.97e+55, 9.79e+59, inf, 7.38e-16, 3.31e-14}}};

#if !defined(COPPICE_TEST_CUDA)
/// Number of operations and divisions for n equations in partitions of 8.
std::pair<double, double> count_operations(method which, int n) {
    std::vector<counted> memory(std::size_t(4 * n + classical::extra_elements(which, n, 128, 8)));
    auto const e = classical::equations_at(memory.data(), n);
    for (int i = 0; i < n; ++i)
        e.set(i, {counted(i > 0 ? -1 : 0), counted(4), counted(i < n - 1 ? -1 : 0), counted(1)});
    counted::operations = counted::divisions = 0;
    classical::solve(chain::alone{}, which, e, memory.data() + 4 * n, 128, 8);
    return {double(counted::operations), double(counted::divisions)};
}
#endif

} // namespace

TEST_CASE_TEMPLATE("partition methods: any size, any partition", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {1, 2, 3, 4, 7, 8, 9, 16, 31, 64, 100, 257})
        for (int const partition : {1, 2, 3, 8, 33, 1000})
            for (method const which : all_methods) {
                CAPTURE(n);
                CAPTURE(partition);
                int const number = int(which);
                CAPTURE(number);
                if (overflows(which) && n > 8) continue; // they lose as many digits as their products grow by
                double const lost = which == method::redundant_reduction ? std::pow(10, double(n) - 1) : 1;
                auto const s = bands_of<double>(n, true, std::uint64_t(n));
                CHECK(backward_error(s, solve_batch(exec, s, 1, {which, 128, partition})) <= 1e-14 * lost);
                if (partition != 8) continue;
                auto const f = bands_of<float>(n, true, std::uint64_t(n));
                CHECK(backward_error(f, solve_batch(exec, f, 1, {which, 128, partition})) <= 1e-5 * lost);
            }
}

TEST_CASE_TEMPLATE("partition methods: Tables 6.1 and 6.2", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int type = 1; type <= partition_case_count; ++type) {
        bool const randsvd = type >= 8 && type <= 11;
        // Errors of different samples differ by up to thirty orders of magnitude: compared with LAPACK on the same
        // system.
        bool const drawn = type == 12 || type == 15, hopeless = type == 14 || type == 16;
        for (auto const& [which, forward] : table_6_2) {
            CAPTURE(type);
            int const number = int(which);
            CAPTURE(number);
            std::vector<double> errors, ratios;
            for (std::uint64_t seed = 1; seed <= (randsvd ? 3 : 20); ++seed) {
                auto const s = system_of_type(type, seed);
                auto const x = solve_batch(exec, s, 1, {which, 128, 8});
                errors.push_back(forward_error(s, x));
                if (drawn) ratios.push_back(errors.back() / forward_error(s, lapack_solution(s)));
            }
            double const printed = forward[type - 1];
            if (std::isinf(printed) && type == 17)
                CHECK(std::isinf(*std::min_element(errors.begin(), errors.end()))); // singular partitions
            else if (drawn)
                CHECK(median(ratios) <=
                      10 * printed / (type == 12 ? 2.24e-05 : 1.47e+59)); // compared with the column of MKL
            else if (!hopeless)
                CHECK(median(errors) <= 10 * printed);
            // On type 18 only SPIKE loses accuracy, since its pivots cannot cross partition boundaries.
            if (type == 18) CHECK((median(errors) >= 1e-4) == (which == method::spike));
        }
    }
}

TEST_CASE_TEMPLATE("partition methods: rotations are stable on every matrix of Table 4", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        for (std::uint64_t seed = 1; seed <= (id >= 8 && id <= 11 ? 3 : 5); ++seed)
            for (int const partition : {2, 7, 8, 32}) {
                CAPTURE(id);
                CAPTURE(seed);
                CAPTURE(partition);
                auto const& s = gallery_system(id, 512, seed);
                CHECK(backward_error(s, solve_batch(exec, s, 1, {method::g_spike, 128, partition})) <=
                      100 * std::numeric_limits<double>::epsilon());
            }
    // Partitions of an odd number of rows with a zero diagonal are singular, the matrix is not.
    test::system<double> s(512);
    for (std::size_t i = 0; i < 512; ++i) s.lower[i] = i > 0 ? 1 : 0, s.upper[i] = i < 511 ? 1 : 0;
    give_solution(s, 1);
    for (int const partition : {3, 7, 33}) {
        CAPTURE(partition);
        CHECK(backward_error(s, solve_batch(exec, s, 1, {method::g_spike, 128, partition})) <= 1e-14);
        CHECK(backward_error(s, solve_batch(exec, s, 1, {method::parallel_diagonal, 128, partition})) <= 1e-14);
        CHECK(backward_error(s, solve_batch(exec, s, 1, {method::adaptive_cr, 128, partition})) <= 1e-14);
        CHECK(std::isinf(backward_error(s, solve_batch(exec, s, 1, {method::spike, 128, partition}))));
    }
}

TEST_CASE_TEMPLATE("partition methods: minors overflow, scaled ones do not", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const s = bands_of<double>(512, true, 3);
    auto large = s; // all rows times the same factor: the minors overflow after about ten rows
    for (auto* const band : {&large.lower, &large.diagonal, &large.upper, &large.rhs})
        for (double& value : *band) value *= 0x1p90;
    CHECK(backward_error(s, solve_batch(exec, s, 1, {method::cf_lu})) <= 1e-14);
    CHECK(std::isinf(backward_error(large, solve_batch(exec, large, 1, {method::cf_lu}))));
    CHECK(backward_error(large, solve_batch(exec, large, 1, {method::cf_lu_scaled})) <= 1e-14);
    CHECK(backward_error(large, solve_batch(exec, large, 1, {method::parallel_diagonal})) <= 1e-14);
    // Both methods fail without pivoting on matrices that need it.
    auto const type_17 = system_of_type(17, 1);
    CHECK(std::isinf(backward_error(type_17, solve_batch(exec, type_17, 1, {method::cf_lu_scaled}))));
}

TEST_CASE_TEMPLATE("partition methods: large systems by scans of the executor", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {16383, 16384, 16385, 40001}) {
        CAPTURE(n);
        auto const s = bands_of<double>(n, false, std::uint64_t(n)), easy = bands_of<double>(n, true, 1);
        auto const x = solve_batch(exec, s, 1, {method::parallel_diagonal});
        CHECK(backward_error(s, x) <= 1e-12);
        CHECK(forward_error(s, x) <= 100 * forward_error(s, lapack_solution(s)));
        CHECK(backward_error(easy, solve_batch(exec, easy, 1, {method::cf_lu_scaled})) <= 1e-14);
        CHECK(std::isinf(backward_error(easy, solve_batch(exec, easy, 1, {method::cf_lu}))));
        CHECK(backward_error(easy, solve_batch(exec, easy, 1, {method::spike})) <= 1e-14);
        if constexpr (!std::is_same_v<Fixture, on_cuda>)
            CHECK(solve_batch(host_executor{3}, s, 1, {method::parallel_diagonal}) == x);
    }
}

TEST_CASE_TEMPLATE("partition methods: batches, and the same bits for every system of one", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const one = bands_of<double>(100, true, 5);
    test::system<double> batch(700);
    for (std::size_t i = 0; i < 700; ++i) {
        batch.lower[i] = i % 100 == 0 ? inf : one.lower[i % 100];
        batch.diagonal[i] = one.diagonal[i % 100];
        batch.upper[i] = i % 100 == 99 ? inf : one.upper[i % 100];
        batch.rhs[i] = one.rhs[i % 100];
    }
    for (method const which : all_methods) {
        CAPTURE(int(which));
        auto const x = solve_batch(exec, one, 1, {which}), all = solve_batch(exec, batch, 7, {which});
        for (int k = 0; k < 7; ++k) CHECK(std::memcmp(all.data() + 100 * k, x.data(), 100 * sizeof(double)) == 0);
    }
    CHECK_THROWS_AS(solve_batch(exec, one, 1, {method::spike, 128, 0}), argument_error);
    // NaN in a right-hand side must appear in the result.
    auto spoilt = one;
    spoilt.rhs[50] = std::numeric_limits<double>::quiet_NaN();
    for (method const which : all_methods) CHECK(std::isnan(solve_batch(exec, spoilt, 1, {which})[50]));
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("partition methods: a block of threads and a single one give the same bits") {
    auto const s = bands_of<double>(101, false, 9);
    int const n = 101;
    for (method const which : all_methods) {
        CAPTURE(int(which));
        int const elements = 4 * n + classical::extra_elements(which, n, 128, 8);
        auto const solve = [&](auto const& team, double* memory, double* x) {
            auto const e = classical::equations_at(memory, n);
            put_equations(team, s, e);
            auto const* const solution = classical::solve(team, which, e, memory + 4 * n, 128, 8);
            for (int i = team.rank(); i < n; i += team.size()) x[i] = solution[i];
        };
        std::vector<double> alone(static_cast<std::size_t>(elements)), expected(101), x(101);
        solve(chain::alone{}, alone.data(), expected.data());
        block_runner blocks(warp_lanes, std::size_t(elements) * sizeof(double));
        blocks.run(1, [&](block_stand_in const& block, int, std::byte* shared) {
            solve(team_of_block{block}, reinterpret_cast<double*>(shared), x.data());
        });
        CHECK(std::memcmp(x.data(), expected.data(), 101 * sizeof(double)) == 0);
    }
}

TEST_CASE("partition methods: operations of n equations") {
    for (int const n : {256, 1024}) {
        double const logn = std::log2(n), partitions = n / 8.0;
        auto const near = [](double counted_operations, double expected) {
            return std::abs(counted_operations - expected) <= 0.12 * expected;
        };
        CAPTURE(n);
        double const interface_of = 15, merge = interface_of + 10, remainder = 8; // of two segments
        // Wang, per row: 6 operations of the downward sweep, 6 of the upward sweep, 5 of the substitution. The Thomas
        // algorithm solves the system of the last rows.
        CHECK(near(count_operations(method::wang, n).first, 17.0 * n - 9 * partitions));
        // Per row: three sweeps of 9 operations (one is a division) and 2 operations of the substitution, 29 in total.
        // Diagonal pivoting adds a test of 3 operations to each sweep: 38.
        double const interfaces = partitions * (merge + interface_of + remainder);
        CHECK(near(count_operations(method::spike_thomas, n).first, 29.0 * n + interfaces));
        CHECK(near(count_operations(method::spike, n).first, 38.0 * n + interfaces));
        CHECK(count_operations(method::spike, n).second <= 3.0 * n + 2 * partitions);
        CHECK(near(count_operations(method::bondeli, n).first, 29.0 * n + 30 * partitions));
        // Cyclic reduction also updates the spikes, which costs no additional operations.
        CHECK(near(count_operations(method::spike_cr, n).first, 17.0 * n + interfaces));
        CHECK(near(count_operations(method::divide_and_conquer, n).first,
                   3.0 * n + n * (merge + interface_of + remainder)));
        // In the scan of Kogge and Stone, step s changes no span below 2^s, which saves n - 1 merges in total.
        CHECK(near(count_operations(method::redundant_reduction, n).first, 3.0 * n + merge * (n * (logn - 1) + 1)));
        // One recurrence of 2 x 2 matrices and two of first order. Each row is processed twice: within its group, and
        // with the result of the previous groups.
        CHECK(near(count_operations(method::cf_lu, n).first,
                   2.0 * (12 + 1) * n + n + 2.0 * (3 + 2) * n + 2.0 * (3 + 1) * n));
        CHECK(near(count_operations(method::parallel_diagonal, n).first, 49.0 * n));
        // The operations of cyclic reduction, and a test of three multiplications for each row of each level; all
        // levels together have 2 n rows.
        CHECK(near(count_operations(method::adaptive_cr, n).first, (17.0 + 2 * 3) * n));
        CHECK(near(count_operations(method::adaptive_cr, n).second, 3.0 * n));
        CHECK(count_operations(method::g_spike, n).second <= 3.0 * n + 30 * partitions);
    }
}
#endif
