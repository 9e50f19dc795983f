// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/rows/distributed_product.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/executors.hpp"
#include "support/product_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

void run_on(std::size_t ranks, int threads,
            std::function<void(host_executor const&, rank_communicator const&)> const& work) {
    multi_executor<host_executor>(std::vector<host_executor>(ranks, host_executor{threads})).run(work);
}

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
std::string message_of(plain_rows const& a, plain_rows const& b, std::vector<int> const& a_begin,
                       std::vector<int> const& b_begin) {
    try {
        run_on(2, 1, [&](host_executor const& exec, rank_communicator const& comm) {
            block_of_matrix const left(a, a_begin, comm.rank()), right(b, b_begin, comm.rank());
            mxm_distributed(exec, comm, plus_times<double>{}, left.view(), right.view());
        });
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("distributed product: entries have the bits of one executor, over any semiring and with masks") {
    struct shape {
        int rows, inner, columns, per_row;
    };
    for (shape const s :
         {shape{0, 0, 0, 1}, {1, 1, 1, 1}, {7, 5, 9, 2}, {60, 60, 60, 4}, {50, 200, 30, 9}, {400, 300, 350, 6}}) {
        CAPTURE(s.rows);
        auto const a = random_matrix(s.rows, s.inner, s.per_row, 1),
                   b = random_matrix(s.inner, s.columns, s.per_row, 2),
                   mask = random_matrix(s.rows, s.columns, 3 * s.per_row, 3);
        auto const expected = matrix_products_of_one(host_executor{1}, a, b, mask);
        CHECK(expected.maps == maps_by_definition(a, b));
        auto divisions = divisions_of_vertices(s.rows);
        divisions.push_back(equal_division(s.rows, 3));
        int threads = 1;
        for (auto const& begin : divisions) {
            CAPTURE(begin);
            threads = 3 - threads;
            auto const ranks = int(begin.size()) - 1;
            std::vector<int> all_on_last(begin.size(), 0); // rows of B
            all_on_last.back() = s.inner;
            for (auto const& b_begin : {equal_division(s.inner, ranks), all_on_last})
                run_on(std::size_t(ranks), threads, [&](host_executor const& exec, rank_communicator const& comm) {
                    CHECK(matrix_products_over_ranks(exec, comm, a, b, mask, begin, b_begin) == expected);
                });
        }
    }
}

TEST_CASE("distributed product: squares of graphs with loops, isolated vertices and empty rows") {
    for (bool const symmetric : {false, true})
        for (auto const& graph : graphs_for_ranks(symmetric)) {
            CAPTURE(graph.name);
            plain_rows const a{graph.edges.vertices(), simple_edges(graph.edges)};
            auto const expected = matrix_products_of_one(host_executor{1}, a, a, a);
            CHECK(expected.maps == maps_by_definition(a, a));
            for (auto const& begin : divisions_of_vertices(a.rows())) {
                CAPTURE(begin);
                run_on(begin.size() - 1, 1, [&](host_executor const& exec, rank_communicator const& comm) {
                    CHECK(matrix_products_over_ranks(exec, comm, a, a, a, begin, begin) == expected);
                });
            }
        }
}

TEST_CASE("distributed product: 64-bit indices, owners, and a plan for other values") {
    auto const a = random_matrix(90, 90, 4, 5);
    host_executor const one{1};
    auto const expected = to_vector(one, mxm(one, plus_times<double>{}, a.view(), a.view()).values());
    run_on(3, 1, [&](host_executor const& exec, rank_communicator const& comm) {
        auto const block = rows_of_rank(a.entries, equal_division(90, 3), comm.rank());
        std::vector<std::int64_t> const offsets(block.offsets.begin(), block.offsets.end()),
            columns(block.columns.begin(), block.columns.end());
        csr<double, std::int64_t> const rows(block.rows(), 90, exec.copy(offsets), exec.copy(columns),
                                             exec.copy(block.values));
        auto const plan = make_product_plan_distributed(exec, comm, rows, rows);
        for (int again = 0; again < 2; ++again) {
            auto const c = mxm_distributed(exec, comm, plan, plus_times<double>{}, rows, rows);
            CHECK(concatenated(comm, c.values()) == expected);
        }
        CHECK(plan.product.nonzeros() == mxm_distributed(exec, comm, plus_times<double>{}, rows, rows).nonzeros());
    });
}

TEST_CASE("distributed product: invalid factors are errors on all ranks") {
    auto const a = random_matrix(10, 12, 3, 1), b = random_matrix(12, 8, 3, 2);
    std::vector<int> const a_begin{0, 5, 10}, b_begin{0, 6, 12};
    CHECK(message_of(a, b, a_begin, b_begin).empty());
    CHECK(message_of(b, b, b_begin, b_begin).find("rows of the second matrix of a product, on all ranks") !=
          std::string::npos);
    auto twice = b;
    for (std::size_t i = 6; i + 1 < twice.entries.offsets.size(); ++i) // a parallel edge on the second rank
        if (auto const k = std::size_t(twice.entries.offsets[i]); std::size_t(twice.entries.offsets[i + 1]) > k + 1) {
            twice.entries.columns[k + 1] = twice.entries.columns[k];
            break;
        }
    CHECK(message_of(a, twice, a_begin, b_begin).find("second matrix of a product: the columns of row") == 0);
    auto outside = a;
    outside.entries.columns.back() = 12;
    CHECK(message_of(outside, b, a_begin, b_begin).find("first matrix of a product: the columns of row") == 0);
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
