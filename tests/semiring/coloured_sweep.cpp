// SPDX-License-Identifier: BSD-3-Clause
// Multicolour Gauss-Seidel by row ranges (section 3.5.7 of the source thesis) against the sequential sweep.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/colouring.hpp"
#include "support/executors.hpp"
#include "support/graphs.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// a_ij x_j for off-diagonal entries. Reads only x of other colours, which no store of this range writes.
struct off_diagonal {
    double const* values;
    std::int32_t const* columns;
    double const* x;
    COPPICE_HD double operator()(std::int64_t k, std::int64_t row) const {
        return columns[k] == row ? 0.0 : values[k] * x[columns[k]];
    }
};
/// x_i = (b_i - sum) / a_ii.
struct relax {
    double const* b;
    double const* diagonal;
    double* x;
    COPPICE_HD void operator()(std::int64_t row, double sum) const { x[row] = (b[row] - sum) / diagonal[row]; }
};

/// L + d I with the weights of a graph as off-diagonal entries -w: diagonally dominant for d > 0.
plain_csr<double> dominant(plain_csr<double> const& weights, double d) {
    plain_csr<double> a;
    a.rows = a.columns = weights.rows;
    for (std::int32_t i = 0; i < a.rows; ++i) {
        double sum = d;
        for (std::int32_t k = weights.offsets[std::size_t(i)]; k < weights.offsets[std::size_t(i) + 1]; ++k) {
            a.indices.push_back(weights.indices[std::size_t(k)]);
            a.values.push_back(-std::abs(weights.values[std::size_t(k)]));
            sum += std::abs(weights.values[std::size_t(k)]);
        }
        a.indices.push_back(i);
        a.values.push_back(sum);
        a.offsets.push_back(std::int32_t(a.indices.size()));
    }
    return a;
}

void sequential_sweep(csr<double> const& a, std::vector<double> const& b, std::vector<double>& x) {
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        double sum = 0, diagonal = 0;
        for (std::int32_t k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
            if (a.column_indices()[k] == i)
                diagonal = a.values()[k];
            else
                sum += a.values()[k] * x[std::size_t(a.column_indices()[k])];
        }
        x[std::size_t(i)] = (b[std::size_t(i)] - sum) / diagonal;
    }
}

template <class Executor>
void check(Executor const& exec, plain_csr<double> const& plain, std::int64_t fewest_colours, int sweeps) {
    host_executor const host(1);
    auto const order = greedy_colours(plain);
    std::int64_t const colours = std::int64_t(order.first.size()) - 1;
    CHECK(colours >= fewest_colours);
    auto const permuted =
        permute(host, view_of(plain.on(host)), array_view<std::int32_t const>{order.rows.data(), plain.rows});
    // Known solution, b = A x.
    std::vector<double> solution(std::size_t(plain.rows)), b(solution.size(), 0.0), expected(solution.size(), 0.0);
    for (std::size_t i = 0; i < solution.size(); ++i) solution[i] = std::sin(double(i)) + 2;
    for (std::int32_t i = 0; i < plain.rows; ++i)
        for (std::int32_t k = permuted.row_offsets()[i]; k < permuted.row_offsets()[i + 1]; ++k)
            b[std::size_t(i)] += permuted.values()[k] * solution[std::size_t(permuted.column_indices()[k])];
    auto const error = [&](std::vector<double> const& x) {
        double largest = 0;
        for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - solution[i]));
        return largest;
    };

    auto const a = exec.copy(permuted);
    auto const diagonal = exec.copy(extract_diagonal(host, permuted.view()));
    auto const db = exec.copy(b);
    auto x = exec.copy(expected);
    auto const plan = make_srcsr_plan(exec, a.view());
    double const at_start = error(expected);
    double before = at_start;
    for (int s = 0; s < sweeps; ++s) {
        for (std::size_t c = 0; c + 1 < order.first.size(); ++c)
            reduce_rows(exec, plan, row_range{order.first[c], order.first[c + 1]},
                        off_diagonal{a.values().data(), a.column_indices().data(), x.data()}, add_plus<double>{},
                        relax{db.data(), diagonal.data(), x.data()});
        sequential_sweep(permuted, b, expected);
        auto const got = to_vector(exec, x);
        double largest = 0;
        for (std::size_t i = 0; i < got.size(); ++i) largest = std::max(largest, std::abs(got[i] - expected[i]));
        REQUIRE(largest <= 1e-12 * at_start);
        // Gauss-Seidel does not increase the largest error of a diagonally dominant system.
        REQUIRE(error(got) <= before * (1 + 1e-12));
        before = error(got);
    }
    CHECK(before <= 1e-3 * at_start);
}

} // namespace

TEST_CASE_TEMPLATE("coloured sweeps on a grid equal sequential Gauss-Seidel in colour order", Where,
                   COPPICE_TEST_EXECUTORS) {
    check(Where::exec(), dominant(stencil_graph(120, 90, {0, 1, 0, 1, 0, 1, 0, 1, 0}), 0.5), 2, 60);
    check(Where::exec(), dominant(stencil_graph(60, 50, {1, 4, 1, 4, 0, 4, 1, 4, 1}), 2), 4, 60);
}

TEST_CASE_TEMPLATE("coloured sweeps on a random graph", Where, COPPICE_TEST_EXECUTORS) {
    std::mt19937 random(71);
    graph_builder g(5000);
    for (int e = 0; e < 30000; ++e) {
        int const v = int(random() % 5000), w = int(random() % (random() % 2 ? 5000 : 50)); // some high degrees
        if (v != w) g.edge(v, w, double(random() % 1000 + 1) / 1000);
    }
    check(Where::exec(), dominant(g.plain(), 1), 3, 60);
}
