// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/extending.md; regions between the markers are in the page word for word.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/krylov.hpp>
#include <coppice/parallel.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/spmv.hpp>

// [begin]
/// M = the 2 x 2 diagonal blocks of A: rows and columns 2 p and 2 p + 1. A row without a partner is a block alone.
template <class Executor, class T>
class pair_preconditioner {
    struct block {
        T a = 1, b = 0, c = 0, d = 1; // the inverse, row by row
    };

public:
    pair_preconditioner(Executor const& exec, coppice::csr_view<T> a)
        : inverse_(exec, (a.rows() + 1) / 2), rows_(a.rows()) {
        coppice::require_square(a, "pair_preconditioner");
        refresh(exec, a);
    }

    /// New values; the matrix is not needed afterwards.
    void refresh(Executor const& exec, coppice::csr_view<T> a) {
        coppice::require_size("rows of the matrix", a.rows(), rows_);
        coppice::for_each(exec, inverse_.size(), invert{a, inverse_.data()});
    }
    /// z = M^-1 r
    void apply(Executor const& exec, coppice::array_view<T const> r, coppice::array_view<T> z) const {
        coppice::require_size("r of pair_preconditioner", r, rows_);
        coppice::require_size("z of pair_preconditioner", z, rows_);
        coppice::for_each(exec, inverse_.size(), multiply{inverse_.data(), r, z});
    }
    bool replayable() const { return true; } // apply() queues the same work, allocates nothing, does not wait
    static constexpr bool shareable = true;  // apply() changes nothing: any number of threads

private:
    struct invert { // block p
        coppice::csr_view<T> a;
        block* inverse;
        COPPICE_HD void operator()(std::int64_t p) const {
            auto const i = 2 * p, j = 2 * p + 1;
            block m{entry(i, i), T(0), T(0), T(1)};
            if (j < a.rows()) m = {entry(i, i), entry(i, j), entry(j, i), entry(j, j)};
            T const determinant = m.a * m.d - m.b * m.c;
            if (determinant == T(0)) // the identity, so that finite vectors stay finite
                inverse[p] = {};
            else
                inverse[p] = {m.d / determinant, -m.b / determinant, -m.c / determinant, m.a / determinant};
        }
        COPPICE_HD T entry(std::int64_t row, std::int64_t column) const {
            T sum(0);
            for (auto k = a.row_begin(row); k < a.row_end(row); ++k)
                if (a.indices[k] == column) sum += a.coefficients[k];
            return sum;
        }
    };
    struct multiply {
        block const* inverse;
        coppice::array_view<T const> r;
        coppice::array_view<T> z;
        COPPICE_HD void operator()(std::int64_t p) const {
            auto const i = 2 * p, j = 2 * p + 1;
            block const m = inverse[p];
            T const u = r[i], v = j < r.size() ? r[j] : T(0);
            z[i] = m.a * u + m.b * v;
            if (j < r.size()) z[j] = m.c * u + m.d * v;
        }
    };
    coppice::buffer<block> inverse_;
    std::int64_t rows_;
};
// [end]

// [begin]
/// Levels of a directed acyclic graph: 0 without predecessors, else 1 + the largest level of a predecessor.
struct level_result {
    std::vector<std::int32_t> levels;
    bool acyclic = false;
};

/// `incoming`: row v contains the edges that enter v.
inline level_result topological_levels(coppice::host_executor const& exec, coppice::csr_view<float> incoming) {
    auto const plan = coppice::make_srcsr_plan(exec, incoming); // depends on the pattern only
    auto const n = std::size_t(incoming.rows());
    std::vector<std::int32_t> level(n, 0), next(n);
    std::int32_t const* const columns = incoming.indices;
    for (std::size_t round = 0; round <= n; ++round) {
        // next_v = max over predecessors u of (level_u + 1), and 0 without predecessors
        coppice::reduce_rows(
            exec, plan, [&](std::int64_t k) { return level[std::size_t(columns[k])] + 1; },
            coppice::adder_of([](std::int32_t a, std::int32_t b) { return std::max(a, b); }, 0),
            [&](std::int64_t v, std::int32_t largest) { next[std::size_t(v)] = largest; });
        if (next == level) return {std::move(level), true};
        level.swap(next);
    }
    return {std::move(level), false}; // levels grow without limit along a cycle
}
// [end]

TEST_CASE("extending: a preconditioner for pairs") {
    coppice::host_executor const exec(2);
    // A is the Kronecker product of tridiag(-1, 2.1, -1) and [1 .9; .9 1], which has two unknowns at each point of a
    // line, and one additional row for an odd number of unknowns.
    int const points = 300, n = 2 * points + 1;
    coppice::coo<double> entries{.rows = n, .columns = n};
    for (int p = 0; p < points; ++p)
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                for (int q : {p - 1, p, p + 1})
                    if (q >= 0 && q < points)
                        entries.add(2 * p + i, 2 * q + j, (p == q ? 2.1 : -1) * (i == j ? 1 : 0.9));
    entries.add(n - 1, n - 1, 5);
    auto const a = coppice::to_csr(exec, entries);
    std::vector<double> exact(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < exact.size(); ++i) exact[i] = std::cos(double(i)); // the two unknowns of a point differ
    std::vector<double> b(exact.size()), x(exact.size(), 0.0), y(exact.size(), 0.0);
    coppice::csr_operator const op(exec, a.view());
    op.apply(exec, exact, b);
    // clang-format off
// [begin]
pair_preconditioner<coppice::host_executor, double> m(exec, a.view());
auto const result = coppice::solve(exec, "cg", op, m, b, x, {.tolerance = 1e-10});
// [end]
    // clang-format on
    CHECK(result.converged);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == doctest::Approx(exact[i]).epsilon(1e-6));
    auto const jacobi = coppice::make_preconditioner(exec, "jacobi", a.view());
    auto const by_jacobi = coppice::solve(exec, "cg", op, jacobi, b, y, {.tolerance = 1e-10});
    CHECK(result.iterations < by_jacobi.iterations);

    // z is what the definition gives: M z = r.
    std::vector<double> r(exact.size()), z(r.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::sin(double(i));
    m.apply(exec, r, z);
    for (std::size_t i = 0; i + 1 < r.size(); i += 2) {
        CHECK(2.1 * z[i] + 1.89 * z[i + 1] == doctest::Approx(r[i]));
        CHECK(1.89 * z[i] + 2.1 * z[i + 1] == doctest::Approx(r[i + 1]));
    }
    CHECK(z.back() == doctest::Approx(r.back() / 5));

    // clang-format off
// [begin]
coppice::any_preconditioner<coppice::host_executor, double> const any(std::move(m), {.name = "pairs"});
auto const again = coppice::solve(exec, "gmres", op, any, b, x, {.tolerance = 1e-10}); // compiled in the library
// [end]
    // clang-format on
    CHECK(again.converged);
    CHECK(any.report().name == "pairs");
    std::vector<double> two(2);
    pair_preconditioner<coppice::host_executor, double> const other(exec, a.view());
    CHECK_THROWS_AS(other.apply(exec, r, two), coppice::dimension_error);
}

TEST_CASE("extending: levels of an acyclic graph") {
    coppice::host_executor const exec(2);
    // 0 -> 1 -> 2 -> 4, 0 -> 3 -> 4, 0 -> 4; vertex 5 has no edge. Rows contain the predecessors.
    coppice::coo<float> edges{.rows = 6, .columns = 6};
    for (auto const& [u, v] : {std::pair{0, 1}, {1, 2}, {2, 4}, {0, 3}, {3, 4}, {0, 4}}) edges.add(v, u, 1);
    auto const a = coppice::to_csr(exec, edges);
    auto const found = topological_levels(exec, a.view());
    CHECK(found.acyclic);
    CHECK(found.levels == std::vector<std::int32_t>{0, 1, 2, 1, 3, 0});

    // A random graph with edges from smaller to larger vertices, against the definition in the order of the vertices.
    int const n = 500;
    coppice::coo<float> many{.rows = n, .columns = n};
    for (int v = 1; v < n; ++v)
        for (int e = 0; e < 3; ++e)
            many.add(v, int((unsigned(v) * 2654435761u + unsigned(e) * 40503u) % unsigned(v)), 1);
    auto const b = coppice::to_csr(exec, many);
    std::vector<std::int32_t> expected(std::size_t(n), 0);
    for (std::size_t v = 0; v < expected.size(); ++v)
        for (auto k = b.view().row_begin(std::int64_t(v)); k < b.view().row_end(std::int64_t(v)); ++k)
            expected[v] = std::max(expected[v], expected[std::size_t(b.column_indices()[k])] + 1);
    CHECK(topological_levels(exec, b.view()).levels == expected);

    edges.add(0, 4, 1); // closes a cycle
    auto const cyclic = coppice::to_csr(exec, edges);
    CHECK_FALSE(topological_levels(exec, cyclic.view()).acyclic);
}
