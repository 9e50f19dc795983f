// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/compare/spike.hpp>

#include <cmath>
#include <cstring>

#include "solvers/tridiagonal_reference.hpp"
#include "support/executors.hpp"
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

template <class T>
test::system<T> dominant_system(std::int64_t n, std::uint64_t seed) {
    auto s = random_system<T>(n, seed);
    for (T& b : s.diagonal) b += b < 0 ? T(-3) : T(3);
    s.make_rhs();
    return s;
}

/// Solves for `columns` right-hand sides in place; column j is that of s times j + 1.
template <class T, class Executor>
std::vector<T> solved(Executor const& exec, test::system<T> const& s, spike_options const& o, int columns = 1) {
    auto const n = std::size_t(s.size());
    std::vector<T> rhs(n * std::size_t(columns));
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] = s.rhs[i % n] * T(1 + int(i / n));
    auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    auto x = exec.copy(rhs);
    tridiagonal_view<T> const a{s.size(), lower.data(), diagonal.data(), upper.data()};
    columns_view<T> const all(x.data(), s.size(), columns);
    solve_spike(exec, a, columns_view<T const>(all), all, o);
    return to_vector(exec, x);
}

std::vector<spike_options> every_variant(bool pivots) {
    std::vector<spike_options> variants{{.pivots = pivots}};
    for (auto const layout : {spike_layout::marshalled, spike_layout::as_stored})
        for (int const watermark : {0, 1, 5})
            for (bool const fused : {true, false})
                variants.push_back({.pivots = pivots, .layout = layout, .watermark = watermark, .fused = fused});
    return variants;
}

} // namespace

TEST_CASE_TEMPLATE("spike: any size in every layout, tiled and fused or not, gives the same bits", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {1, 2, 30, 31, 32, 62, 63, 992, 1023, 31 * 128 + 1, 31 * 1024 + 17})
        for (bool const pivots : {true, false}) {
            CAPTURE(n);
            CAPTURE(pivots);
            auto const s = dominant_system<double>(n, std::uint64_t(n));
            auto const x = solved(exec, s, {.pivots = pivots});
            CHECK(backward_error(s, x) <= 1e-14);
            for (auto const& o : every_variant(pivots)) {
                CAPTURE(int(o.layout));
                CAPTURE(o.watermark);
                CAPTURE(o.fused);
                auto const y = solved(exec, s, o);
                if (o.fused && !std::is_same_v<Fixture, on_cuda>)
                    CHECK(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
                CHECK(backward_error(s, y) <= 1e-14);
            }
        }
}

TEST_CASE_TEMPLATE("spike: random bands compared with LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const partition : {7, 31, 64})
        for (auto const layout : {spike_layout::staged, spike_layout::marshalled, spike_layout::as_stored}) {
            CAPTURE(partition);
            CAPTURE(int(layout));
            std::vector<double> ratios;
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                auto const s = random_system<double>(20000, seed);
                auto const x = solved(exec, s, {.partition = partition, .layout = layout}, 3);
                std::vector<double> const first(x.begin(), x.begin() + 20000);
                ratios.push_back(forward_error(s, first) / forward_error(s, lapack_solution(s)));
                for (std::size_t i = 0; i < 20000; ++i)
                    if (std::abs(x[40000 + i] - 3 * x[i]) > 1e-6 * std::abs(x[i])) FAIL_CHECK(i);
            }
            CHECK(median(ratios) <= 100);
        }
    auto const f = dominant_system<float>(70001, 2);
    CHECK(backward_error(f, solved(exec, f, {})) <= 1e-6);
    // With a zero diagonal all pivots have two rows, and partitions with an odd number of rows are singular.
    test::system<double> zero(4096);
    for (std::size_t i = 0; i < 4096; ++i) zero.lower[i] = zero.upper[i] = 1;
    give_solution(zero, 1);
    CHECK(backward_error(zero, solved(exec, zero, {.partition = 32})) <= 1e-14);
    CHECK(std::isinf(backward_error(zero, solved(exec, zero, {.partition = 31}))));
}

TEST_CASE_TEMPLATE("spike: segments of one system on separate executors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int64_t const n = 40000;
    auto const s = dominant_system<double>(n, 4);
    host_executor const other{2};
    auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    auto const d = exec.copy(s.rhs);
    for (std::int64_t const split : {12345, 31 * 1024}) { // 31 * 1024: whole groups of partitions
        CAPTURE(split);
        auto x = exec.copy(s.rhs);
        std::vector<double> solution(s.rhs.size());
        std::int64_t const rest = n - split; // the rows after the split are on the host
        auto const after = std::size_t(split);
        using here = std::decay_t<decltype(exec)>;
        spike_segment<double, here> first(exec, {split, lower.data(), diagonal.data(), upper.data()}, true, false);
        spike_segment<double, host_executor> second(
            other, {rest, s.lower.data() + after, s.diagonal.data() + after, s.upper.data() + after}, false, true);
        first.reduce(array_view<double const>(d.data(), split));
        second.reduce(array_view<double const>(s.rhs.data() + after, rest));
        classical::span<double> spans[classical::pair_nodes(2)] = {first.ends(), second.ends()};
        classical::surroundings<double> around[classical::pair_nodes(2)];
        classical::solve_spans(chain::alone{}, spans, around, 2);
        first.solve(around[0], array_view<double const>(d.data(), split), array_view<double>(x.data(), split));
        second.solve(around[1], array_view<double const>(s.rhs.data() + after, rest),
                     array_view<double>(solution.data() + after, rest));
        auto const ahead = to_vector(exec, x);
        std::copy(ahead.begin(), ahead.begin() + split, solution.begin());
        CHECK(backward_error(s, solution) <= 1e-14);
    }
}

TEST_CASE_TEMPLATE("spike: the same bits on any number of threads, and messages for bad arguments", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const s = random_system<double>(50000, 8);
    if constexpr (!std::is_same_v<Fixture, on_cuda>) {
        auto const x = solved(exec, s, {});
        for (int const threads : {1, 3}) CHECK(solved(host_executor{threads}, s, {}) == x);
    }
    CHECK_THROWS_AS(solved(exec, s, {.partition = 0}), argument_error);
    CHECK_THROWS_AS(solved(exec, s, {.partition = 65}), argument_error);
    CHECK_THROWS_AS(solved(exec, s, {.watermark = -1}), argument_error);
    CHECK_THROWS_AS(solved(exec, s, {.layout = spike_layout(7)}), argument_error);
    buffer<double> band(exec, 8);
    tridiagonal_view<double> const a{8, band.data(), band.data(), band.data()};
    CHECK_THROWS_AS(
        solve_spike(exec, a, columns_view<double const>(band.data(), 7, 1), columns_view<double>(band.data(), 8, 1)),
        dimension_error);
    CHECK_THROWS_AS(solve_spike(exec, tridiagonal_view<double>{8, nullptr, band.data(), band.data()},
                                columns_view<double const>(band.data(), 8, 1), columns_view<double>(band.data(), 8, 1)),
                    argument_error);
    solve_spike(exec, tridiagonal_view<double>{}, columns_view<double const>{}, columns_view<double>{});
}
