// SPDX-License-Identifier: BSD-3-Clause
// Hybrid storage of block-tridiagonal matrices: layout, suitable block sizes, errors.
#include <coppice/algebra/block_hybrid.hpp>

#include <cstdlib>
#include <vector>

#include "support/executors.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/generate/queue_chain.hpp>
#include <coppice/algebra/random.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// The example of section 5.2 of Yang, Li and Li (2017): three blocks of three rows, 45 nonzero entries.
csr<double> printed_example() {
    double const rows[9][9] = {
        {4, -4, 0, -2, 0, 0, 0, 0, 0},  {-3, 7, -4, 0, -2, 0, 0, 0, 0},  {0, -3, 5, -4, 0, 0, 0, 0, 0},
        {-1, 0, 0, 5, -4, 0, -2, 0, 0}, {0, 0, -3, -3, 9, -4, 0, -1, 0}, {0, -1, 0, 0, -2, 9, 0, 0, -2},
        {0, 0, 0, 0, -1, 0, 5, -3, 0},  {0, 0, 0, 0, 0, -2, -4, 9, -4},  {0, 0, 0, 0, 0, -1, 0, -3, 12}};
    coo<double> entries{9, 9};
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j)
            if (rows[i][j] != 0) entries.add(i, j, rows[i][j]);
    return to_csr(host_executor{1}, entries);
}

/// Computes y = A x from the stored entries.
std::vector<double> product(csr<double> const& a, std::vector<double> const& x) {
    std::vector<double> y(x.size(), 0.0);
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            y[std::size_t(i)] += a.values()[k] * x[std::size_t(a.column_indices()[k])];
    return y;
}

template <class Executor>
void check_product(Executor const& exec, csr<double> const& host, block_hybrid_options const& options) {
    auto const a = exec.copy(host);
    auto const h = to_block_hybrid(exec, a.view(), options);
    std::vector<double> x(std::size_t(host.rows()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = random_stream(0, 1).uniform(i, -1.0, 1.0);
    auto const on = exec.copy(x);
    buffer<double> y(exec, host.rows());
    spmv(exec, h.view(), on.view(), y.view());
    auto const got = to_vector(exec, y), expected = product(host, x);
    for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(got[i] == doctest::Approx(expected[i]).epsilon(1e-13));
}

} // namespace

TEST_CASE_TEMPLATE("block hybrid: the printed example", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = exec.copy(printed_example());
    CHECK(find_block_size(exec, a.view()) == 3);
    auto const h = to_block_hybrid(exec, a.view());
    CHECK(h.block() == 3);
    CHECK(h.blocks() == 3);
    CHECK(h.lower_bands() == 1);
    CHECK(h.upper_bands() == 1);
    CHECK(h.couplings().nonzeros() == 12); // the article states 36 units of storage for them
    auto const bands = to_vector(exec, h.bands());
    CHECK(bands == std::vector<double>{0,  -3, -3, 0,  -3, -2, 0,  -4, -3, //
                                       4,  7,  5,  5,  9,  9,  5,  9,  12, //
                                       -4, -4, 0,  -4, -4, 0,  -3, -4, 0});
    check_product(exec, printed_example(), {});
}

TEST_CASE_TEMPLATE("block hybrid: any block size, a shorter last block, bands, other entries", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    auto const grid = laplace2d<double>(host, 7, 5);
    CHECK(find_block_size(exec, view_of(exec.copy(grid))) == 7);
    CHECK(find_block_size(exec, view_of(exec.copy(aniso1<double>(host, 9, 9)))) == 9);
    for (std::int64_t const block : {5, 7, 11, 35}) { // 5 rows: neighbours at distance 7 are one or two blocks away
        CAPTURE(block);
        check_product(exec, grid, {.block = block, .lenient = true});
    }
    check_product(exec, grid, {});
    auto const bands = generate<double>(host, "pentadiagonal", {.n = 43});
    CHECK(find_block_size(exec, view_of(exec.copy(bands))) == 43); // the matrix is banded: a single block
    check_product(exec, bands, {.block = 8});
    check_product(exec, bands, {.block = 8, .max_bands = 1, .lenient = true});
    for (std::int64_t const positions : {1, 2, 3, 8})
        for (std::int64_t const servers : {1, 2, 9}) {
            auto const chain = queue_matrix<double>(host, {.servers = servers, .places = positions});
            CAPTURE(positions);
            CAPTURE(servers);
            check_product(exec, chain, {.block = positions, .max_bands = 1});
            auto const found = find_block_size(exec, view_of(exec.copy(chain)));
            REQUIRE(found > 0);
            check_product(exec, chain, {.block = found});
        }
    CHECK(find_block_size(
              exec, view_of(exec.copy(queue_matrix<double>(host, {.servers = 9, .places = 12, .share = 4})))) == 12);
    // Full blocks of 2 rows: the diagonal blocks have one band on either side.
    for (int const rows : {4, 5, 14}) {
        CAPTURE(rows);
        coo<double> full{rows, rows};
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < rows; ++j)
                if (std::abs(i / 2 - j / 2) <= 1) full.add(i, j, 1 + i + j);
        auto const dense = to_csr(host, full);
        auto const on = exec.copy(dense);
        CHECK(find_block_size(exec, view_of(on), 1) == 2);
        CHECK(find_block_size(exec, view_of(on), 1, true) == 0);
        CHECK(to_block_hybrid(exec, view_of(on), {.max_bands = 1}).block() == 2);
        check_product(exec, dense, {.max_bands = 1});
    }
    csr<double> const none(0, 0, exec.copy(std::vector<std::int32_t>{0}), {}, {});
    CHECK(to_block_hybrid(exec, none.view()).blocks() == 0);
}

TEST_CASE_TEMPLATE("block hybrid: invalid arguments", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    auto const grid = exec.copy(laplace2d<double>(host, 7, 7));
    auto const with = [&](block_hybrid_options const& o) { to_block_hybrid(exec, grid.view(), o); };
    CHECK_THROWS_WITH_AS(with({.block = 50}), "block size is 50, expected 1 to the 49 rows of the matrix",
                         argument_error);
    CHECK_THROWS_AS(with({.block = -1}), argument_error);
    CHECK_THROWS_AS(with({.max_bands = 0}), argument_error);
    CHECK_THROWS_AS(with({.max_bands = 9}), argument_error);
    CHECK_THROWS_WITH_AS(
        with({.block = 3}),
        "row 0 has an entry outside its block and the adjacent blocks: with blocks of 3 rows the matrix is "
        "not block-tridiagonal",
        matrix_error);
    CHECK_THROWS_WITH_AS(with({.block = 14, .max_bands = 2}),
                         "the diagonal blocks of 14 rows have 7 bands on one side, expected at most 2", matrix_error);
    auto const wide = exec.copy(rmat<double>(host, {.scale = 6, .edge_factor = 8}));
    CHECK(find_block_size(exec, wide.view()) == 0);
    CHECK_THROWS_AS(to_block_hybrid(exec, wide.view()), matrix_error);
    CHECK(to_block_hybrid(exec, wide.view(), {.lenient = true}).block() == 64);
}
