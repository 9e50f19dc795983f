// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/rows/distributed_product.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/executors.hpp"
#include "support/product_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Composed maps of each entry of A B from the definition, in ascending order of the inner index.
std::vector<affine_map<>> maps_by_definition(plain_rows const& a, plain_rows const& b) {
    std::vector<affine_map<>> all;
    auto const &p = a.entries, &q = b.entries;
    for (std::size_t i = 0; i + 1 < p.offsets.size(); ++i) {
        std::map<int, affine_map<>> row;
        for (auto k = std::size_t(p.offsets[i]); k < std::size_t(p.offsets[i + 1]); ++k) {
            auto const inner = std::size_t(p.columns[k]);
            for (auto j = std::size_t(q.offsets[inner]); j < std::size_t(q.offsets[inner + 1]); ++j) {
                auto& sum = row.try_emplace(q.columns[j], compose_maps<>{}.identity()).first->second;
                sum =
                    compose_maps<>{}(sum, maps_of_products{}.multiply(p.lengths[k], q.lengths[j], std::int64_t(inner)));
            }
        }
        for (auto const& [column, map] : row) all.push_back(map);
    }
    return all;
}

/// The error of two ranks that multiply these rows.
template <class Fixture>
std::string message_of(plain_rows const& a, plain_rows const& b, std::vector<int> const& a_begin,
                       std::vector<int> const& b_begin) {
    try {
        rank_pool<Fixture>().run(2, [&](auto const& exec, rank_communicator const& comm) {
            mxm_distributed(exec, comm, plus_times<double>{}, block_of_matrix(exec, a, a_begin, comm.rank()),
                            block_of_matrix(exec, b, b_begin, comm.rank()));
        });
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

/// The matrix of a test: with values that all executors multiply and add exactly, or, on the host, with all bits.
template <class Fixture>
plain_rows values_for(plain_rows a) {
    if constexpr (std::is_same_v<decltype(Fixture::exec()), cuda_executor>) return with_exact_values(std::move(a));
    return a;
}

} // namespace

TEST_CASE_TEMPLATE("distributed product: entries have the bits of one executor, over any semiring and with masks",
                   Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    struct shape {
        int rows, inner, columns, per_row;
    };
    for (shape const s :
         {shape{0, 0, 0, 1}, {1, 1, 1, 1}, {7, 5, 9, 2}, {60, 60, 60, 4}, {50, 200, 30, 9}, {400, 300, 350, 6}}) {
        CAPTURE(s.rows);
        auto const a = values_for<Fixture>(random_matrix(s.rows, s.inner, s.per_row, 1)),
                   b = values_for<Fixture>(random_matrix(s.inner, s.columns, s.per_row, 2)),
                   mask = random_matrix(s.rows, s.columns, 3 * s.per_row, 3);
        auto const expected = matrix_products_of_one(host_executor{1}, a, b, mask);
        CHECK(expected.maps == maps_by_definition(a, b));
        auto divisions = divisions_of_vertices(s.rows);
        divisions.push_back(equal_division(s.rows, 3));
        for (auto const& begin : divisions) {
            CAPTURE(begin);
            auto const ranks = int(begin.size()) - 1;
            std::vector<int> all_on_last(begin.size(), 0); // rows of B
            all_on_last.back() = s.inner;
            for (auto const& b_begin : {equal_division(s.inner, ranks), all_on_last})
                pool.run(std::size_t(ranks), [&](auto const& exec, rank_communicator const& comm) {
                    CHECK(matrix_products_over_ranks(exec, comm, a, b, mask, begin, b_begin) == expected);
                });
        }
    }
}

TEST_CASE_TEMPLATE("distributed product: squares of graphs with loops, isolated vertices and empty rows", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    for (bool const symmetric : {false, true})
        for (auto const& graph : graphs_for_ranks(symmetric)) {
            CAPTURE(graph.name);
            auto const a = values_for<Fixture>({graph.edges.vertices(), simple_edges(graph.edges)});
            auto const expected = matrix_products_of_one(host_executor{1}, a, a, a);
            CHECK(expected.maps == maps_by_definition(a, a));
            for (auto const& begin : divisions_of_vertices(a.rows())) {
                CAPTURE(begin);
                pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                    CHECK(matrix_products_over_ranks(exec, comm, a, a, a, begin, begin) == expected);
                });
            }
        }
}

TEST_CASE_TEMPLATE("distributed product: rows of high-degree vertices", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    int const n = 3000; // row 17 and column 17 are full, so that one fetched row has most of the entries
    plain_rows a{n};
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < n; ++c)
            if (i == 17 || c == 17 || c == (i * 7 + 1) % n) {
                a.entries.columns.push_back(c);
                a.entries.lengths.push_back(double((i + 3 * c) % 32) / 8);
            }
        a.entries.offsets.push_back(int(a.entries.columns.size()));
    }
    host_executor const one{1};
    auto const thin = random_matrix(40, n, 2, 4); // C = thin A has some full rows
    auto const left = values_for<Fixture>(thin);
    auto const expected = to_vector(one, mxm(one, min_plus<double>{}, left.view(), a.view()).values());
    auto const sums = to_vector(one, mxm(one, plus_times<double>{}, left.view(), a.view()).values());
    for (int const ranks : {1, 3}) {
        auto const begin = equal_division(40, ranks), inner = equal_division(n, ranks);
        pool.run(std::size_t(ranks), [&](auto const& exec, rank_communicator const& comm) {
            auto const rows = block_of_matrix(exec, left, begin, comm.rank()),
                       b = block_of_matrix(exec, a, inner, comm.rank());
            CHECK(concatenated(exec, comm, mxm_distributed(exec, comm, min_plus<double>{}, rows, b).values()) ==
                  expected);
            CHECK(concatenated(exec, comm, mxm_distributed(exec, comm, plus_times<double>{}, rows, b).values()) ==
                  sums);
        });
    }
}

TEST_CASE_TEMPLATE("distributed product: 64-bit indices, owners, and a plan for other values", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    auto const a = values_for<Fixture>(random_matrix(90, 90, 4, 5));
    host_executor const one{1};
    auto const expected = to_vector(one, mxm(one, plus_times<double>{}, a.view(), a.view()).values());
    pool.run(3, [&](auto const& exec, rank_communicator const& comm) {
        auto const block = rows_of_rank(a.entries, equal_division(90, 3), comm.rank());
        std::vector<std::int64_t> const offsets(block.offsets.begin(), block.offsets.end()),
            columns(block.columns.begin(), block.columns.end());
        csr<double, std::int64_t> const rows(block.rows(), 90, exec.copy(offsets), exec.copy(columns),
                                             exec.copy(block.values));
        auto const plan = make_product_plan_distributed(exec, comm, rows, rows);
        for (int again = 0; again < 2; ++again) {
            auto const c = mxm_distributed(exec, comm, plan, plus_times<double>{}, rows, rows);
            CHECK(concatenated(exec, comm, c.values()) == expected);
        }
        CHECK(plan.product.nonzeros() == mxm_distributed(exec, comm, plus_times<double>{}, rows, rows).nonzeros());
    });
}

TEST_CASE_TEMPLATE("distributed product: invalid factors are errors on all ranks", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const a = random_matrix(10, 12, 3, 1), b = random_matrix(12, 8, 3, 2);
    std::vector<int> const a_begin{0, 5, 10}, b_begin{0, 6, 12};
    auto const message = message_of<Fixture>;
    CHECK(message(a, b, a_begin, b_begin).empty());
    CHECK(message(b, b, b_begin, b_begin).find("rows of the second matrix of a product, on all ranks") !=
          std::string::npos);
    auto twice = b;
    for (std::size_t i = 6; i + 1 < twice.entries.offsets.size(); ++i) // a parallel edge on the second rank
        if (auto const k = std::size_t(twice.entries.offsets[i]); std::size_t(twice.entries.offsets[i + 1]) > k + 1) {
            twice.entries.columns[k + 1] = twice.entries.columns[k];
            break;
        }
    CHECK(message(a, twice, a_begin, b_begin).find("second matrix of a product: the columns of row") == 0);
    auto outside = a;
    outside.entries.columns.back() = 12;
    CHECK(message(outside, b, a_begin, b_begin).find("first matrix of a product: the columns of row") == 0);
}

TEST_CASE_TEMPLATE("distributed product: numbers of the distinct indices of a list", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937 random(3);
    for (int const range : {1, 300, 2000000000})
        for (int const count : {0, 1, 40, 5000}) {
            CAPTURE(range);
            CAPTURE(count);
            std::vector<std::int32_t> list;
            for (int k = 0; k < count; ++k) list.push_back(std::int32_t(random() % unsigned(range)));
            std::set<std::int32_t> const distinct(list.begin(), list.end());
            std::vector<std::int32_t> const expected(distinct.begin(), distinct.end());
            auto const of_executor = exec.copy(list);
            array_view<std::int32_t const> const view(of_executor.view());
            auto const check = [&](distributed::numbered_indices<std::int32_t> const& found) {
                CHECK(to_vector(exec, found.distinct) == expected);
                auto const positions = to_vector(exec, found.positions);
                REQUIRE(positions.size() == list.size());
                bool right = true;
                for (std::size_t k = 0; k < list.size(); ++k)
                    right = right && expected[std::size_t(positions[k])] == list[k];
                CHECK(right);
            };
            check(distributed::number_indices(exec, view));
            check(distributed::number_by_sort(exec, view));
        }
}

TEST_CASE("distributed product: positions among distinct indices") {
    std::mt19937_64 random(3);
    for (std::int64_t const range : {std::int64_t(1), std::int64_t(300), std::int64_t(50000), std::int64_t(1) << 40})
        for (int const count : {0, 1, 40, 20000})
            for (int const threads : {1, 2}) {
                CAPTURE(range);
                CAPTURE(count);
                std::vector<std::int64_t> list;
                for (int k = 0; k < count; ++k) list.push_back(std::int64_t(random() % std::uint64_t(range)));
                distributed::index_outside const outside{range / 3, range / 2};
                std::set<std::int64_t> expected;
                for (auto const i : list)
                    if (outside(i)) expected.insert(i);
                distributed::compact_indices<std::int64_t> const found(host_executor{threads},
                                                                       array_view<std::int64_t const>(list), outside);
                CHECK(found.distinct == std::vector<std::int64_t>(expected.begin(), expected.end()));
                std::int32_t position = 0;
                bool right = true;
                for (auto const i : expected) right = right && found(i) == position++;
                CHECK(right);
            }
}
