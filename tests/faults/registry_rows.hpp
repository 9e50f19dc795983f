// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Calls of every row of every registry (semirings, preconditioners, Krylov methods, graph algorithms) on small
/// problems, for programs that make resources fail.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <coppice/core/error.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/graph_algorithms.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/sparse.hpp>
#include <coppice/spmv.hpp>

namespace coppice::test {

using bits = std::vector<double>;

inline bool same_bits(bits const& a, bits const& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

template <class Range>
void append(bits& all, Range const& values) {
    for (auto const value : values) all.push_back(double(value));
}

template <class Executor>
bits of_matrix(Executor const& exec, csr<double> const& a) {
    bits found;
    append(found, to_vector(exec, a.row_offsets()));
    append(found, to_vector(exec, a.column_indices()));
    append(found, to_vector(exec, a.values()));
    return found;
}

inline bits of_answer(graph_answer const& answer) {
    bits found;
    if (auto const* values = std::get_if<graph_answer::values>(&answer.found)) append(found, *values);
    if (auto const* numbers = std::get_if<graph_answer::vertex_numbers>(&answer.found)) append(found, *numbers);
    for (auto const& fact : answer.facts)
        if (fact.first.find("seconds") == std::string::npos) found.push_back(fact.second);
    return found;
}

/// The problems of all rows, in the memory of an executor.
template <class Executor>
struct row_problems {
    csr<double> grid, graph;
    buffer<double> b;

    /// Several threads share work, and devices have several blocks, from some thousand rows on.
    row_problems(Executor const& exec, bool large) {
        host_executor const host(1);
        auto grid_on_host = generate<double>(host, "laplace2d", {.nx = large ? 80 : 12});
        auto graph_on_host = generate<double>(host, "rmat", {.scale = large ? 10 : 5, .edge_factor = 4});
        std::vector<double> right(std::size_t(grid_on_host.rows()));
        for (std::size_t i = 0; i < right.size(); ++i) right[i] = double(i % 7) - 3;
        b = exec.copy(right);
        grid = exec.copy(grid_on_host);
        graph = exec.copy(graph_on_host);
    }
    bits all(Executor const& exec) const {
        bits found = to_vector(exec, b);
        for (auto const* a : {&grid, &graph}) append(found, of_matrix(exec, *a));
        return found;
    }
};

/// Calls check(registry, row, work) for all rows; work() makes the call and returns its result.
template <class Executor, class Check>
void for_each_row(Executor const& exec, row_problems<Executor> const& given, Check const& check) {
    auto const grid = given.grid.view(), graph = given.graph.view();
    auto const b = given.b.view();
    auto const result = [&](auto const& compute) {
        auto y = exec.copy(std::vector<double>(std::size_t(b.size())));
        compute(y.view());
        return to_vector(exec, y);
    };
    for (auto const name : semiring_names) {
        check("semiring", std::string(name), [&] {
            return result(
                [&](array_view<double> y) { semiring_spmv(exec, make_srcsr_plan(exec, grid), name, grid, b, y); });
        });
        check("semiring", std::string(name) + ", product",
              [&] { return of_matrix(exec, mxm(exec, name, grid, grid)); });
    }
    check("semiring", "transpose", [&] { return of_matrix(exec, transpose(exec, graph)); });
    for (auto const& row : preconditioner_catalogue) {
        if (find_unmet_need(exec, row.needs, grid)) continue;
        check("preconditioner", std::string(row.name), [&] {
            return result([&](array_view<double> z) { make_preconditioner(exec, row.name, grid).apply(exec, b, z); });
        });
    }
    csr_operator<Executor, double> const op(exec, grid);
    auto const m = make_preconditioner(exec, "jacobi", grid);
    for (auto const name : krylov_names)
        check("krylov", std::string(name), [&] {
            std::int64_t iterations = 0;
            auto x = result([&](array_view<double> y) {
                iterations = solve(exec, name, op, m, b, y, {.tolerance = 1e-8, .max_iterations = 60}).iterations;
            });
            x.push_back(double(iterations));
            return x;
        });
    for (auto const& row : graph_algorithm_catalogue)
        check("graph algorithm", std::string(row.name), [&] {
            analytics_options options;
            options.undirected = true;
            return of_answer(run_graph_algorithm(exec, row.name, graph, options));
        });
}

} // namespace coppice::test
