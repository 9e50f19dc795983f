// SPDX-License-Identifier: BSD-3-Clause
// The pieces below solve_tridiagonal: the lane code of one partition, and the bodies of the CUDA kernels run on CPU
// threads, so that accuracy and barriers of the GPU path are tested without a GPU.
#include <doctest/doctest.h>

#include "core/pack.hpp"
#include "solvers/rpts_block.hpp"
#include "solvers/tridiagonal_reference.hpp"
#include "support/block_stand_in.hpp"

using namespace coppice;
using namespace coppice::test;
using namespace coppice::rpts;

namespace {

template <class T>
partition_rows<T> rows_of(test::system<T>& s) {
    return {s.lower.data(), s.diagonal.data(), s.upper.data(), s.rhs.data()};
}

/// All stages of a solve as the CUDA launcher runs them, tile by tile; systems of at most `last` rows on one chip.
template <pivoting P, class T>
void solve_in_blocks(system_view<T> const& s, std::int64_t last, int chip_threads) {
    if (s.size <= last) {
        chip_plan<T> const plan(int(s.size));
        block_runner blocks(chip_threads, std::size_t(plan.elements) * sizeof(T));
        blocks.run(1, [&](auto const& block, int, std::byte* shared) {
            solve_on_chip<P>(block, s, plan, T(0), reinterpret_cast<T*>(shared));
        });
        return;
    }
    std::int64_t const partitions = partitions_of(s.size, block_partition);
    std::vector<T> coarse[4];
    for (auto& band : coarse) band.assign(std::size_t(2 * partitions), T(0));
    stage<T> const at{s, {coarse[0].data(), coarse[1].data(), coarse[2].data(), coarse[3].data()}, partitions, T(0)};
    int const tiles = int((partitions + tile_partitions - 1) / tile_partitions);
    block_runner reducers(tile_threads, tile_shared * sizeof(T));
    reducers.run(tiles, [&](auto const& block, int tile, std::byte* shared) {
        reduce_tile<P>(block, at, tile, reinterpret_cast<T*>(shared));
    });
    solve_in_blocks<P>(system_view<T>{2 * partitions, coarse[0].data(), coarse[1].data(), coarse[2].data(),
                                      coarse[3].data(), coarse[3].data()},
                       last, chip_threads);
    block_runner substituters(tile_threads, tile_shared * sizeof(T));
    substituters.run(tiles, [&](auto const& block, int tile, std::byte* shared) {
        substitute_tile<P>(block, at, tile, reinterpret_cast<T*>(shared));
    });
}

template <pivoting P, class T>
std::vector<T> block_solution(test::system<T> const& s, std::int64_t last, int chip_threads = 96) {
    std::vector<T> x(s.rhs);
    solve_in_blocks<P>(
        system_view<T>{s.size(), s.lower.data(), s.diagonal.data(), s.upper.data(), s.rhs.data(), x.data()}, last,
        chip_threads);
    return x;
}

} // namespace

TEST_CASE("rpts: the coarse rows of a partition hold for a known solution") {
    for (int const length : {4, 5, 15, 31, 32}) {
        // Rows 1 .. length of a larger system are the partition, so that it has neighbours on both sides.
        auto s = random_system<double>(length + 2, std::uint64_t(length));
        partition_rows<double> const all = rows_of(s);
        partition_rows<double> const rows{all.lower + 1, all.diagonal + 1, all.upper + 1, all.rhs + 1};
        auto const& x = s.exact;
        auto const last = std::size_t(length);
        auto const check = [&](coarse_row<double> const& first_row, coarse_row<double> const& last_row) {
            double const top = first_row.lower * x[0] + first_row.diagonal * x[1] + first_row.upper * x[last];
            double const bottom = last_row.lower * x[1] + last_row.diagonal * x[last] + last_row.upper * x[last + 1];
            CHECK(top == doctest::Approx(first_row.rhs).epsilon(1e-12));
            CHECK(bottom == doctest::Approx(last_row.rhs).epsilon(1e-12));
        };
        coarse_row<double> first_row, last_row;
        reduce_both<pivoting::partial>(rows, length, 0.0, first_row, last_row);
        check(first_row, last_row);
        check(reduce_upwards<pivoting::partial>(rows, length, 0.0),
              reduce_downwards<pivoting::partial>(rows, length, 0.0));
        check(reduce_upwards<pivoting::scaled_partial>(rows, length, 0.0),
              reduce_downwards<pivoting::scaled_partial>(rows, length, 0.0));
        substitute_partition<pivoting::partial>(rows, length, {x[0], x[1], x[last], x[last + 1]}, 0.0);
        for (std::size_t j = 1; j <= last; ++j) CHECK(s.rhs[j] == doctest::Approx(x[j]).epsilon(1e-9));
    }
}

TEST_CASE("rpts: a partition whose inner matrix is singular is solved by its outer rows") {
    // Odd number of inner rows with zero diagonal: the inner matrix is exactly singular, the system is not.
    for (int const length : {5, 15, 31}) {
        test::system<double> s(length);
        std::fill(s.lower.begin(), s.lower.end(), 1.0);
        std::fill(s.upper.begin(), s.upper.end(), 1.0);
        give_solution(s, 1);
        s.lower.front() = s.upper.back() = 0;
        s.make_rhs();
        auto const& x = s.exact;
        substitute_partition<pivoting::partial>(rows_of(s), length, {0.0, x.front(), x.back(), 0.0}, 0.0);
        for (std::size_t j = 0; j < x.size(); ++j) CHECK(s.rhs[j] == doctest::Approx(x[j]).epsilon(1e-12));
    }
}

TEST_CASE("rpts: lanes of a pack and scalars compute the same") {
    using lanes = pack<double, register_bytes, 2>;
    constexpr int length = 15;
    std::vector<test::system<double>> systems;
    std::vector<lanes> bands[4];
    for (auto& band : bands) band.resize(length);
    for (int l = 0; l < lanes::size; ++l) {
        systems.push_back(random_system<double>(length, 100 + std::uint64_t(l)));
        auto& s = systems.back();
        s.lower.front() = s.upper.back() = 0.5;
        for (int j = 0; j < length; ++j) {
            auto const at = [&](int b) -> double& { return reinterpret_cast<double*>(&bands[b][std::size_t(j)])[l]; };
            at(0) = s.lower[std::size_t(j)], at(1) = s.diagonal[std::size_t(j)];
            at(2) = s.upper[std::size_t(j)], at(3) = s.rhs[std::size_t(j)];
        }
    }
    partition_rows<lanes> const rows{bands[0].data(), bands[1].data(), bands[2].data(), bands[3].data()};
    coarse_row<lanes> first, last;
    reduce_both<pivoting::scaled_partial>(rows, length, lanes(0.0), first, last);
    substitute_partition<pivoting::scaled_partial>(rows, length, {lanes(1.0), lanes(2.0), lanes(3.0), lanes(4.0)},
                                                   lanes(0.0));
    for (int l = 0; l < lanes::size; ++l) {
        auto const own = rows_of(systems[std::size_t(l)]);
        auto const up = reduce_upwards<pivoting::scaled_partial>(own, length, 0.0);
        CHECK(reinterpret_cast<double const*>(&first.diagonal)[l] == doctest::Approx(up.diagonal).epsilon(1e-12));
        CHECK(reinterpret_cast<double const*>(&first.rhs)[l] == doctest::Approx(up.rhs).epsilon(1e-12));
        substitute_partition<pivoting::scaled_partial>(own, length, {1.0, 2.0, 3.0, 4.0}, 0.0);
        for (int j = 0; j < length; ++j)
            CHECK(reinterpret_cast<double const*>(&bands[3][std::size_t(j)])[l] ==
                  doctest::Approx(own.rhs[j]).epsilon(1e-8));
    }
}

TEST_CASE("rpts: kernel bodies reach LAPACK's accuracy on Table 4, through tiles and on chip") {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        for (std::int64_t const last : {100, 5120}) { // 512 rows: a tile, then 34 rows on chip; or all on chip
            CAPTURE(id);
            CAPTURE(last);
            auto const by = [&](auto const& solve) {
                accuracy const result = judge(id, 512, 3, solve);
                if (!ill_conditioned(id)) CHECK(result.median_ratio <= 10);
                CHECK(result.worst_backward_error <= 100 * epsilon);
            };
            by([&](auto const& s) { return block_solution<pivoting::partial>(s, last); });
            by([&](auto const& s) { return block_solution<pivoting::scaled_partial>(s, last); });
        }
}

TEST_CASE("rpts: kernel bodies solve every size around their borders") {
    for (std::int64_t const n : {1, 2, 3, 15, 16, 17, 29, 30, 31, 32, 61, 225, 226, 991, 992, 993, 1984, 1985, 4000})
        for (std::int64_t const last : {20, 300, 5120}) {
            CAPTURE(n);
            CAPTURE(last);
            auto const s = random_system<double>(n, std::uint64_t(n));
            CHECK(backward_error(s, block_solution<pivoting::partial>(s, last)) <= 1e-13);
            auto const f = random_system<float>(n, std::uint64_t(n));
            CHECK(backward_error(f, block_solution<pivoting::scaled_partial>(f, last, 64)) <= 1e-4);
        }
}
