// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/usual_jobs.md and the table of docs/guide/choosing.md; regions between the markers are in
// the first page word for word.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <coppice/banded.hpp>
#include <coppice/coppice.hpp>

namespace {
namespace jobs {

using coppice::csr;
using coppice::host_executor;
host_executor const exec(2);

// clang-format off
// [begin]
/// 1. A x = b by conjugate gradients with algebraic multigrid.
auto amg(csr<double> const& a, std::vector<double> const& b, std::vector<double>& x) {
    auto const m = coppice::make_preconditioner(exec, "multilevel", a.view());
    return coppice::solve(exec, "cg", coppice::csr_operator(exec, a), m, b, x, {.tolerance = 1e-8});
}
// [end]

// [begin]
/// 2. y_i = max_j |a_ij - x_j|: a product over a user-defined semiring.
void largest_difference(csr<double> const& a, std::vector<double> const& x, std::vector<double>& y) {
    coppice::semiring_of const s{coppice::add_max<double>{}, [](double v, double u) { return std::abs(v - u); }};
    coppice::semiring_spmv(exec, coppice::make_srcsr_plan(exec, a.view()), s, a.view(), coppice::array_view(x),
                           coppice::array_view(y));
}
// [end]

// [begin]
/// 3. Number of edges from vertex 0.
auto levels(csr<double> const& a) { return coppice::bfs(exec, a, 0).levels; }
// [end]

// [begin]
/// 4. A matching of large weight: the mate of every vertex, or -1.
auto mates(csr<double> const& a) { return coppice::parallel_factor(exec, a.view(), {.degree = 1}).neighbors; }
// [end]

// [begin]
/// 5. A batch of tridiagonal systems of equal size, one after the other.
void batch(coppice::tridiagonal<double> const& a, std::int64_t systems, std::vector<double> const& d,
           std::vector<double>& x) {
    auto const all = coppice::band_matrix<double>::batch(coppice::band_matrix<double>(a), systems);
    coppice::solve_bands(exec, all, {coppice::array_view(d)}, {coppice::array_view(x)});
}
// [end]

// [begin]
/// 6. PageRank of a directed graph.
auto ranks(csr<double> const& a) { return coppice::pagerank<double>(exec, a, coppice::transpose(exec, a.view())).ranks; }
// [end]
// clang-format on

} // namespace jobs

std::string text_of_page(char const* name) {
    std::ostringstream text;
    text << std::ifstream(std::string(COPPICE_SOURCE_DIR "/docs/guide/") + name).rdbuf();
    return text.str();
}

} // namespace

TEST_CASE("common tasks: multigrid, user-defined semiring, search, matching, batch, ranks") {
    using namespace jobs;
    auto const a = coppice::laplace2d<double>(exec, 50, 50);
    std::vector<double> exact(2500), b(2500), x(2500, 0.0), y(2500);
    for (std::size_t i = 0; i < 2500; ++i) exact[i] = std::sin(0.01 * double(i));
    coppice::csr_operator(exec, a).apply(exec, exact, b);
    CHECK(amg(a, b, x).converged);
    for (std::size_t i = 0; i < 2500; ++i) CHECK(std::abs(x[i] - exact[i]) < 1e-4);

    largest_difference(a, exact, y);
    auto const v = a.view();
    for (std::int64_t i = 0; i < 2500; ++i) {
        double largest = 0;
        for (auto k = v.row_begin(i); k < v.row_end(i); ++k)
            largest = std::max(largest, std::abs(v.coefficients[k] - exact[std::size_t(v.indices[k])]));
        CHECK(y[std::size_t(i)] == largest);
    }

    auto const level = levels(a); // grid of 50 x 50: the distance is |dx| + |dy|
    for (int i = 0; i < 2500; ++i) CHECK(level[i] == i % 50 + i / 50);

    coppice::coo<double> path{.rows = 4, .columns = 4}; // weights 1, 3, 1: the heavy edge is in the middle
    for (auto const& [i, w] : {std::pair{0, 1.0}, {1, 3.0}, {2, 1.0}}) path.add(i, i + 1, w), path.add(i + 1, i, w);
    auto const mate = mates(coppice::to_csr(exec, path));
    CHECK(coppice::to_vector(exec, mate) == std::vector<std::int32_t>{-1, 2, 1, -1});

    std::int64_t const systems = 7, length = 20;
    coppice::tridiagonal<double> t(exec, systems * length);
    std::vector<double> d(std::size_t(systems * length)), u(d.size());
    for (std::int64_t i = 0; i < systems * length; ++i) {
        t.lower[i] = -1, t.upper[i] = -2, t.diagonal[i] = 4 + double(i / length);
        d[std::size_t(i)] = 1 + double(i % 3);
    }
    batch(t, systems, d, u);
    for (std::int64_t i = 0; i < systems * length; ++i) {
        auto const at = [&](std::int64_t j) { return j / length == i / length && j >= 0 ? u[std::size_t(j)] : 0; };
        double const before = i % length > 0 ? at(i - 1) : 0, after = i % length + 1 < length ? at(i + 1) : 0;
        CHECK(-before + (4 + double(i / length)) * at(i) - 2 * after == doctest::Approx(d[std::size_t(i)]));
    }

    coppice::coo<double> star{.rows = 4, .columns = 4}; // 1, 2, 3 -> 0 -> 1
    for (auto const& [i, j] : {std::pair{1, 0}, {2, 0}, {3, 0}, {0, 1}}) star.add(i, j, 1);
    auto const r = ranks(coppice::to_csr(exec, star));
    double const rest = 0.15 / 4;
    CHECK(r[0] == doctest::Approx(rest + 0.85 * (r[1] + 2 * rest)).epsilon(1e-4));
    CHECK(r[1] == doctest::Approx(rest + 0.85 * r[0]).epsilon(1e-4));
    CHECK(r[2] == doctest::Approx(rest).epsilon(1e-4));
}

TEST_CASE("choosing: the page has the memory of every graph algorithm") {
    auto const page = text_of_page("choosing.md");
    coppice::host_executor const exec(1);
    coppice::graph_view empty, vertices, edges;
    vertices.vertices = edges.edge_count = 1;
    for (auto const& row : coppice::graph_algorithm_catalogue) {
        auto const bytes = [&](coppice::graph_view g, bool undirected) {
            return std::to_string(coppice::graph_algorithm_memory(row.name, g, undirected) -
                                  coppice::graph_algorithm_memory(row.name, empty, undirected));
        };
        std::string cells = "| " + bytes(vertices, true) + " | " + bytes(edges, true) + " |";
        if (!row.undirected && bytes(edges, true) != bytes(edges, false))
            cells += " " + bytes(vertices, false) + " | " + bytes(edges, false) + " |";
        auto const line = page.find("| `" + std::string(row.name) + "` |");
        CAPTURE(row.name);
        CAPTURE(cells);
        REQUIRE(line != std::string::npos);
        CHECK(page.substr(line, page.find('\n', line) - line).find(cells) != std::string::npos);
    }
}
