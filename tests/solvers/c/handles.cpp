// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h: results against dense references on every executor.
#include <algorithm>
#include <fstream>
#include <limits>

#include "solvers/c/handle_calls.hpp"
#include "support/temporary_folder.hpp"
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/multilevel/multilevel.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

template <class Executor, class T>
void check_products(Executor const& exec) {
    auto const e = handle_of(exec);
    auto const a = sample<T>(37, 23);
    auto const x = wave<T>(23), y = wave<T>(37);
    auto const dx = exec.copy(x);
    auto const once = [&](coppice_matrix_t m, T const* alpha, T const* beta) {
        auto to = exec.copy(y);
        succeed(coppice_spmv(m, "plus-times", dx.data(), 23, to.data(), 37, alpha, beta));
        return to_vector(exec, to);
    };
    T const two(2), half(0.5);
    auto const m = a.handle(e);
    check_near(once(m, nullptr, nullptr), product(a, x, y, T(1), T(0)), 40 * precision<T>);
    check_near(once(m, &two, &half), product(a, x, y, two, half), 40 * precision<T>);
    check_near(once(sample<T, std::int64_t>(37, 23).handle(e), nullptr, nullptr), product(a, x, y, T(1), T(0)),
               40 * precision<T>);
}

} // namespace

TEST_CASE_TEMPLATE("c handles: products of all value and index types", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_products<decltype(exec), float>(exec);
    check_products<decltype(exec), double>(exec);
    check_products<decltype(exec), std::complex<float>>(exec);
    check_products<decltype(exec), std::complex<double>>(exec);
}

TEST_CASE_TEMPLATE("c handles: matrices of compressed columns, from one, and borrowed", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const e = handle_of(exec);
    auto a = sample<double>(19, 26);
    auto const x = wave<double>(26);
    auto const dx = exec.copy(x);
    auto const times_x = [&](coppice_matrix_t m) {
        auto to = exec.copy(std::vector<double>(19, 7.0));
        succeed(coppice_spmv(m, "plus-times", dx.data(), 26, to.data(), 19, nullptr, nullptr));
        return to_vector(exec, to);
    };
    auto const expected = product(a, x, std::vector<double>(19), 1.0, 0.0);

    // The compressed columns of `a`, which are the compressed rows of its transpose; indices count from 1.
    rows_of<double> columns;
    columns.columns = 26;
    for (int j = 0; j < 26; ++j) {
        for (int i = 0; i < 19; ++i)
            for (auto k = a.offsets[std::size_t(i)]; k < a.offsets[std::size_t(i) + 1]; ++k)
                if (a.indices[std::size_t(k)] == j) columns.add(i + 1, a.values[std::size_t(k)]);
        columns.end_row();
    }
    columns.rows = 19;
    for (auto& offset : columns.offsets) ++offset;
    auto const by_columns = columns.handle(e, "order=columns,base=1");
    CHECK(number(by_columns, "rows") == 19);
    CHECK(number(by_columns, "columns") == 26);
    check_near(times_x(by_columns), expected, 1e-12);

    auto const twice_of = [](std::vector<double> all) {
        for (auto& value : all) value *= 2;
        return all;
    };
    auto const twice = twice_of(columns.values);
    succeed(coppice_matrix_set_values(by_columns, twice.data(), std::int64_t(twice.size())));
    auto const doubled = twice_of(expected);
    check_near(times_x(by_columns), doubled, 1e-12);

    auto const offsets = exec.copy(a.offsets);
    auto const indices = exec.copy(a.indices);
    auto const values = exec.copy(a.values);
    matrix_handle borrowed;
    succeed(coppice_matrix_create(e, 19, 26, indices.size(), COPPICE_INT32, offsets.data(), indices.data(),
                                  COPPICE_DOUBLE, values.data(), "storage=borrow", &borrowed));
    check_near(times_x(borrowed), expected, 1e-12);
    void const* data = nullptr;
    std::int64_t length = 0;
    succeed(coppice_array(borrowed, "values", COPPICE_DOUBLE, &data, &length));
    CHECK(data == values.data());
    CHECK(length == values.size());
    auto const others = exec.copy(twice_of(a.values));
    succeed(coppice_matrix_set_values(borrowed, others.data(), others.size())); // borrowed too
    succeed(coppice_synchronize(e));
    check_near(times_x(borrowed), doubled, 1e-12);
    succeed(coppice_array(borrowed, "values", COPPICE_DOUBLE, &data, &length));
    CHECK(data == others.data());
    succeed(coppice_array(borrowed, "column_indices", COPPICE_INT32, &data, &length));
    CHECK(data == indices.data());
}

TEST_CASE_TEMPLATE("c handles: products over every semiring", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const e = handle_of(exec);
    auto const a = sample<double>(40, 40);
    auto const m = a.handle(e);
    auto const x = wave<double>(40);
    auto const dx = exec.copy(x);
    double const inf = std::numeric_limits<double>::infinity();
    auto const check = [&](char const* name, double start, auto const& step) {
        INFO(name);
        std::vector<double> expected(40);
        for (std::size_t i = 0; i < 40; ++i) {
            double sum = start;
            for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
                sum = step(sum, a.values[std::size_t(k)], x[std::size_t(a.indices[std::size_t(k)])]);
            expected[i] = sum;
        }
        auto to = exec.copy(std::vector<double>(40, 5.0));
        succeed(coppice_spmv(m, name, dx.data(), 40, to.data(), 40, nullptr, nullptr));
        CHECK(to_vector(exec, to) == expected);
    };
    check("min-plus", inf, [](double s, double v, double u) { return std::min(s, v + u); });
    check("max-plus", -inf, [](double s, double v, double u) { return std::max(s, v + u); });
    check("max-min", -inf, [](double s, double v, double u) { return std::max(s, std::min(v, u)); });
    check("or-and", 0, [](double s, double v, double u) { return double(s != 0 || (v != 0 && u != 0)); });
    check("max-first", -inf, [](double s, double v, double) { return std::max(s, v); });
    check("max-second", -inf, [](double s, double, double u) { return std::max(s, u); });
    auto to = exec.copy(std::vector<double>(40));
    refused(coppice_spmv(m, "max-times", dx.data(), 40, to.data(), 40, nullptr, nullptr), "min-plus");
    double const one = 1;
    refused(coppice_spmv(m, "min-plus", dx.data(), 40, to.data(), 40, &one, nullptr), "alpha is not NULL");
}

namespace {

template <class T, class Executor>
void check_solve(Executor const& exec, char const* preconditioner, char const* method, std::int64_t columns) {
    INFO(method);
    auto const e = handle_of(exec);
    auto const a = laplacian<T>(12, T(1));
    auto const n = std::size_t(a.rows);
    auto const m = a.handle(e);
    std::vector<T> x, b;
    for (std::int64_t k = 0; k < columns; ++k) {
        auto one = wave<T>(n);
        for (T& value : one) value *= T(float(k + 1));
        auto const right = product(a, one, std::vector<T>(n), T(1), T(0));
        x.insert(x.end(), one.begin(), one.end());
        b.insert(b.end(), right.begin(), right.end());
    }
    auto const db = exec.copy(b);
    auto dx = exec.copy(std::vector<T>(b.size()));
    preconditioner_handle p;
    if (preconditioner) succeed(coppice_preconditioner_create(m, preconditioner, nullptr, 0, &p));
    result_handle r;
    auto const choice = std::string(method) + (precision<T> > 1e-8 ? ",tolerance=1e-5" : ",tolerance=1e-11");
    succeed(coppice_solve(m, p, choice.c_str(), db.data(), dx.data(), std::int64_t(n), columns, &r));
    CHECK(number(r, "converged") == 1);
    CHECK(text(r, "reason") == "converged");
    check_near(to_vector(exec, dx), x, (precision<T> > 1e-8 ? 1e-2 : 1e-8) * double(columns));
    auto const iterations = array<std::int64_t>(r, "iterations");
    REQUIRE(iterations.size() == std::size_t(columns));
    double sum = 0;
    for (auto const count : iterations) sum += double(count);
    CHECK(number(r, "iterations") == sum);
    CHECK(array<std::int32_t>(r, "converged") == std::vector<std::int32_t>(std::size_t(columns), 1));
}

} // namespace

TEST_CASE_TEMPLATE("c handles: solves of all value types", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_solve<float>(exec, nullptr, "auto", 1);
    check_solve<double>(exec, nullptr, "auto", 2);
    check_solve<std::complex<float>>(exec, nullptr, "auto", 1);
    check_solve<std::complex<double>>(exec, nullptr, "auto", 1);
    check_solve<double>(exec, nullptr, "gmres,preconditioner=jacobi", 1);
    check_solve<double>(exec, "forest,rounds=7", "cg", 3);
    check_solve<float>(exec, "ilu0", "bicgstab", 1);
    check_solve<std::complex<double>>(exec, "jacobi", "gmres,restart=40", 2);
}

TEST_CASE_TEMPLATE("c handles: a limit of iterations is a result", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const e = handle_of(exec);
    auto const a = laplacian<double>(30);
    auto const m = a.handle(e);
    auto const b = exec.copy(wave<double>(900));
    auto x = exec.copy(std::vector<double>(900));
    preconditioner_handle none;
    succeed(coppice_preconditioner_create(m, "none", nullptr, 0, &none));
    result_handle r;
    succeed(coppice_solve(m, none, "cg,max-iterations=3,tolerance=1e-10", b.data(), x.data(), 900, 1, &r));
    CHECK(number(r, "converged") == 0);
    CHECK(number(r, "iterations") == 3);
    CHECK(text(r, "method") == "cg");
    CHECK(text(r, "preconditioner") == "none");
    CHECK(text(r, "reason") != "converged");
    CHECK(array<double>(r, "residual_history").size() == 4);
    CHECK(number(r, "relative_residual") <= 1);
    CHECK(number(r, "relative_residual") > 1e-10);
}

TEST_CASE_TEMPLATE("c handles: refresh, and near-null-space vectors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const e = handle_of(exec);
    auto a = laplacian<double>(24, 1e-3);
    std::int64_t const n = a.rows;
    auto const m = a.handle(e);
    auto const r = exec.copy(wave<double>(std::size_t(n)));
    auto const applied = [&](coppice_preconditioner_t p) {
        auto z = exec.copy(std::vector<double>(std::size_t(n)));
        succeed(coppice_preconditioner_apply(p, r.data(), z.data(), n));
        return to_vector(exec, z);
    };
    preconditioner_handle jacobi;
    succeed(coppice_preconditioner_create(m, "jacobi", nullptr, 0, &jacobi));
    auto expected = wave<double>(std::size_t(n));
    for (auto& value : expected) value /= 4.001;
    check_near(applied(jacobi), expected, 1e-14);
    auto const other = laplacian<double>(24, 1.0, 2);
    succeed(coppice_matrix_set_values(m, other.values.data(), std::int64_t(other.values.size())));
    check_near(applied(jacobi), expected, 1e-14); // the old one until it is refreshed
    succeed(coppice_preconditioner_refresh(jacobi, m));
    for (auto& value : expected) value *= 4.001 / 9;
    check_near(applied(jacobi), expected, 1e-14);
    CHECK(text(jacobi, "name") == "jacobi");

    // A preconditioner with near-null-space vectors has the bits of the C++ class with the same vectors, and other bits
    // than without them.
    std::vector<double> modes(std::size_t(2 * n), 1.0);
    for (std::int64_t i = 0; i < n; ++i) modes[std::size_t(n + i)] = double(i % 24);
    auto const near = exec.copy(modes);
    preconditioner_handle with, without;
    succeed(coppice_preconditioner_create(m, "multilevel,block=2", near.data(), 2, &with));
    succeed(coppice_preconditioner_create(m, "multilevel,block=2", nullptr, 0, &without));
    auto const offsets = exec.copy(a.offsets);
    auto const indices = exec.copy(a.indices);
    auto const values = exec.copy(other.values);
    csr_view<double> const view{std::int32_t(n), std::int32_t(n), std::int32_t(indices.size()),
                                offsets.data(),  indices.data(),  values.data()};
    multilevel_preconditioner<Executor, double> const same(exec, view, {}, {2, 2, near.view()});
    auto z = exec.copy(std::vector<double>(std::size_t(n)));
    same.apply(exec, r.view(), z.view());
    CHECK(applied(with) == to_vector(exec, z));
    CHECK(applied(without) != to_vector(exec, z));
    CHECK(number(with, "levels") >= 2);
    CHECK(text(with, "cycle") == "v");

    refused(coppice_preconditioner_create(m, "jacobi", near.data(), 2, &without), "expected NULL");
    refused(coppice_preconditioner_create(m, "multilevel", near.data(), 0, &without), "vector_count is 0");
    refused(coppice_preconditioner_create(m, "multilevel", nullptr, 2, &without), "vector_count is 2");
    // The same of a complex matrix, whose vectors are complex.
    auto const of_complex = laplacian<std::complex<double>>(24, 1e-3);
    auto const complex_handle = of_complex.handle(e);
    std::vector<std::complex<double>> const phases(std::size_t(n), std::polar(1.0, 0.7));
    auto const complex_near = exec.copy(phases);
    preconditioner_handle complex_with;
    succeed(coppice_preconditioner_create(complex_handle, "multilevel", complex_near.data(), 1, &complex_with));
    auto const complex_r = exec.copy(wave<std::complex<double>>(std::size_t(n)));
    auto complex_z = exec.copy(std::vector<std::complex<double>>(std::size_t(n)));
    succeed(coppice_preconditioner_apply(complex_with, complex_r.data(), complex_z.data(), n));
    auto const complex_offsets = exec.copy(of_complex.offsets);
    auto const complex_indices = exec.copy(of_complex.indices);
    auto const complex_values = exec.copy(of_complex.values);
    csr_view<std::complex<double>> const complex_view{
        std::int32_t(n),        std::int32_t(n),        std::int32_t(complex_indices.size()),
        complex_offsets.data(), complex_indices.data(), complex_values.data()};
    auto const complex_same = make_preconditioner(exec, "multilevel", complex_view, option_values{},
                                                  near_null_space<std::complex<double>>{1, 1, complex_near.view()});
    auto complex_expected = exec.copy(std::vector<std::complex<double>>(std::size_t(n)));
    complex_same.apply(exec, complex_r.view(), complex_expected.view());
    CHECK(to_vector(exec, complex_z) == to_vector(exec, complex_expected));

    auto const larger = laplacian<double>(25).handle(e);
    refused(coppice_preconditioner_refresh(jacobi, larger), "coppice_preconditioner_refresh");
    CHECK(applied(with) == to_vector(exec, z));
}

namespace {

/// A directed ring of n vertices with chords i -> 3 i mod n and lengths.
rows_of<double> ring(int n) {
    rows_of<double> a;
    a.columns = n;
    for (int i = 0; i < n; ++i) {
        int const next = (i + 1) % n, chord = 3 * i % n;
        double const length = 1 + i % 7, far = 4 + i % 3;
        if (next < chord) a.add(next, length);
        if (chord != i && chord != next) a.add(chord, far);
        if (next > chord || chord == next) a.add(next, length);
        a.end_row();
    }
    return a;
}

/// Distances from `source` by relaxation of all edges until nothing changes; numbers of hops if `hops_only`.
std::vector<double> distances(rows_of<double> const& a, std::size_t source, bool hops_only) {
    std::vector<double> d(std::size_t(a.rows), std::numeric_limits<double>::infinity());
    d[source] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < d.size(); ++i)
            for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
                double const to = d[i] + (hops_only ? 1 : a.values[std::size_t(k)]);
                double& old = d[std::size_t(a.indices[std::size_t(k)])];
                if (to < old) changed = true, old = to;
            }
    }
    return d;
}

} // namespace

TEST_CASE_TEMPLATE("c handles: graph algorithms", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const e = handle_of(exec);
    auto const a = ring(50);
    auto const m = a.handle(e);
    result_handle levels, lengths, unknown, components, tree, mates;
    succeed(coppice_graph(m, "bfs,source=5", &levels));
    CHECK(array<double>(levels, "values") == distances(a, 5, true));
    CHECK(number(levels, "reached") == 50);
    CHECK(number(levels, "valid") == 1);
    CHECK(text(levels, "failure").empty());
    succeed(coppice_graph(m, "sssp,source=5,delta=2.5", &lengths));
    CHECK(array<double>(lengths, "values") == distances(a, 5, false));

    refused(coppice_graph(m, "components", &unknown), "symmetrise=1");
    succeed(coppice_graph(m, "components,symmetrise=1", &components));
    CHECK(array<std::int64_t>(components, "vertices") == std::vector<std::int64_t>(50, 0));

    // A path of weights 3, 1, 2 and an edge of weight 5 that closes it.
    rows_of<float> square;
    square.columns = 4;
    float const w[4][4] = {{0, 3, 0, 5}, {3, 0, 1, 0}, {0, 1, 0, 2}, {5, 0, 2, 0}};
    for (auto const& row : w) {
        for (int j = 0; j < 4; ++j)
            if (row[j] != 0) square.add(j, row[j]);
        square.end_row();
    }
    auto const s = square.handle(e);
    succeed(coppice_graph(s, "mst", &tree));
    auto const from = array<std::int32_t>(tree, "from"), to = array<std::int32_t>(tree, "to");
    auto weights = array<double>(tree, "weights");
    REQUIRE(from.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) CHECK(w[from[k]][to[k]] == float(weights[k]));
    std::sort(weights.begin(), weights.end());
    CHECK(weights == std::vector<double>{1, 2, 3});
    CHECK(number(tree, "weight") == 6);
    succeed(coppice_graph(s, "matching", &mates));
    CHECK(array<std::int64_t>(mates, "vertices") == std::vector<std::int64_t>{3, 2, 1, 0});

    // Rows in any order are sorted, parallel edges are refused if their values count.
    auto descending = square;
    for (std::size_t i = 0; i < 4; ++i) {
        auto const first = std::ptrdiff_t(square.offsets[i]), last = std::ptrdiff_t(square.offsets[i + 1]);
        std::reverse(descending.indices.begin() + first, descending.indices.begin() + last);
        std::reverse(descending.values.begin() + first, descending.values.begin() + last);
    }
    result_handle again;
    succeed(coppice_graph(descending.handle(e), "mst", &again));
    CHECK(number(again, "weight") == 6);
    rows_of<double> twice;
    twice.columns = 1;
    twice.add(0, 1);
    twice.add(0, 2);
    twice.end_row();
    refused(coppice_graph(twice.handle(e), "sssp", &unknown), "row 0");

    refused(coppice_graph(m, "dijkstra", &unknown), "sssp");
    refused(coppice_graph(m, "bfs,damping=0.5", &unknown), "source");
    refused(coppice_graph(m, "bfs,source=50", &unknown), "source is 50");
    refused(coppice_graph(m, "bfs,source=-1", &unknown), "\"-1\"");
    refused(coppice_graph(sample<double>(3, 4).handle(e), "bfs", &unknown), "square");
    refused(coppice_graph(laplacian<std::complex<double>>(3).handle(e), "bfs", &unknown), "real");
    CHECK(unknown.handle == nullptr);
}

TEST_CASE_TEMPLATE("c handles: an answer that does not exist is no array", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const e = handle_of(exec);
    rows_of<double> a; // 0 -> 1 -> 0 of length -1
    a.columns = 2;
    a.add(1, 1);
    a.end_row();
    a.add(0, -2);
    a.end_row();
    result_handle r;
    succeed(coppice_graph(a.handle(e), "sssp", &r));
    CHECK(number(r, "valid") == 0);
    CHECK(text(r, "failure").find("negative") != std::string::npos);
    void const* data = nullptr;
    std::int64_t length = 0;
    refused(coppice_array(r, "values", COPPICE_DOUBLE, &data, &length), "no array \"values\"");
}

TEST_CASE_TEMPLATE("c handles: matrices of files and generators", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const e = handle_of(exec);
    temporary_folder const folder;
    auto const path = (folder.path() / "a.mtx").string();
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 3 4\n1 1 2\n2 3 4\n2 3 5\n1 2 3\n";
    matrix_handle summed, largest, generated, none;
    succeed(coppice_matrix_read(e, path.c_str(), COPPICE_DOUBLE, nullptr, &summed));
    succeed(coppice_matrix_read(e, path.c_str(), COPPICE_COMPLEX_FLOAT, "duplicates=last", &largest));
    CHECK(number(summed, "rows") == 2);
    CHECK(number(summed, "columns") == 3);
    CHECK(number(summed, "nonzeros") == 3);
    auto const x = exec.copy(std::vector<double>{1, 10, 100});
    auto y = exec.copy(std::vector<double>(2));
    succeed(coppice_spmv(summed, "plus-times", x.data(), 3, y.data(), 2, nullptr, nullptr));
    CHECK(to_vector(exec, y) == std::vector<double>{32, 900});
    auto const cx = exec.copy(std::vector<std::complex<float>>{1, 10, 100});
    auto cy = exec.copy(std::vector<std::complex<float>>(2));
    succeed(coppice_spmv(largest, "plus-times", cx.data(), 3, cy.data(), 2, nullptr, nullptr));
    CHECK(to_vector(exec, cy) == std::vector<std::complex<float>>{32, 500});
    succeed(coppice_matrix_read(e, "generate:laplace2d,nx=9", COPPICE_FLOAT, nullptr, &generated));
    CHECK(number(generated, "rows") == 81);

    auto const missing = (folder.path() / "missing.mtx").string();
    refused(coppice_matrix_read(e, missing.c_str(), COPPICE_DOUBLE, nullptr, &none), COPPICE_STATUS_FILE_ERROR,
            "missing.mtx");
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 3 4\n1 1 x\n";
    refused(coppice_matrix_read(e, path.c_str(), COPPICE_DOUBLE, nullptr, &none), COPPICE_STATUS_FILE_ERROR, "a.mtx:3");
    refused(coppice_matrix_read(e, path.c_str(), COPPICE_INT32, nullptr, &none), "value_type is 0");
    refused(coppice_matrix_read(e, path.c_str(), COPPICE_DOUBLE, "duplicates=mean", &none), "sum");
    refused(coppice_matrix_read(e, nullptr, COPPICE_DOUBLE, nullptr, &none), "path is NULL");
    refused(coppice_matrix_read(e, "generate:laplace2d", COPPICE_COMPLEX_DOUBLE, nullptr, &none), "value_type");
    CHECK(none.handle == nullptr);
}
