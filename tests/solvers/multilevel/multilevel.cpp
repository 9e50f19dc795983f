// SPDX-License-Identifier: BSD-3-Clause
// The multilevel forest method: definiteness, iteration counts independent of the size, refresh, and unsuitable
// matrices.
#include <coppice/csr.hpp>
#include <coppice/multilevel.hpp>
#include <coppice/solve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "solvers/dense_splittings.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/multilevel/multilevel_cycle.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

template <class Executor>
using multilevel = multilevel_preconditioner<Executor, double>;

dense to_dense(csr<double> const& a) {
    dense m(a.rows());
    for (int i = 0; i < m.n; ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) m(i, a.column_indices()[k]) = a.values()[k];
    return m;
}
double largest_of(dense const& m) {
    double largest = 0;
    for (double const v : m.a) largest = std::max(largest, std::abs(v));
    return largest;
}
/// Returns the eigenvalues of a symmetric matrix by LAPACK, in increasing order.
std::vector<double> eigenvalues(dense m) {
    std::vector<double> w(static_cast<std::size_t>(m.n));
    for (int i = 0; i < m.n; ++i)
        for (int j = 0; j < i; ++j) m(i, j) = m(j, i) = (m(i, j) + m(j, i)) / 2;
    LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', m.n, m.a.data(), m.n, w.data());
    return w;
}
/// Diffusion coefficients that jump by factors of 1000 and 1/1000 between squares of a chessboard.
csr<double> jumps(std::int64_t n) {
    auto a = generate<double>(host_executor{1}, "laplace2d", {.nx = n});
    auto const weight = [&](std::int64_t cell) {
        std::int64_t const x = cell % n * 8 / n, y = cell / n * 8 / n;
        return std::array{1.0, 1e3, 1e-3}[std::size_t((x + 2 * y) % 3)];
    };
    for (std::int64_t i = 0; i < a.rows(); ++i) {
        double sum = 0;
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
            std::int64_t const j = a.column_indices()[k];
            if (j == i) continue;
            a.values()[k] = -2 / (1 / weight(i) + 1 / weight(j));
            sum -= a.values()[k];
        }
        sum += double(4 - (a.row_offsets()[i + 1] - a.row_offsets()[i] - 1)) * weight(i);
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            if (a.column_indices()[k] == i) a.values()[k] = sum;
    }
    return a;
}

/// Linear finite elements on the triangles of a grid of (n + 2)^2 randomly displaced points, with a diffusion exp(3 g)
/// in each triangle for Gaussian g; zero on the boundary. Obtuse angles give large positive couplings: far from an
/// M-matrix.
csr<double> lognormal(int n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> gauss;
    std::uniform_real_distribution<double> shift(-0.45, 0.45);
    int const edge_points = n + 2;
    std::vector<std::array<double, 2>> at;
    for (int k = 0; k < edge_points * edge_points; ++k)
        at.push_back({k % edge_points + shift(random), 0.3 * (k / edge_points + shift(random))});
    dense a(n * n);
    auto const unknown = [&](int k) {
        int const x = k % edge_points - 1, y = k / edge_points - 1;
        return x < 0 || y < 0 || x >= n || y >= n ? -1 : x + n * y;
    };
    auto const add_triangle = [&](std::array<int, 3> const& v) {
        double const weight = std::exp(3 * gauss(random));
        // Edges opposite to each corner; gradients are edges rotated by 90 degrees, divided by twice the area.
        std::array<std::array<double, 2>, 3> edge{};
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t d = 0; d < 2; ++d)
                edge[c][d] = at[std::size_t(v[(c + 2) % 3])][d] - at[std::size_t(v[(c + 1) % 3])][d];
        double const area = std::abs(edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]) / 2 + 1e-3;
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t d = 0; d < 3; ++d)
                if (int const i = unknown(v[c]), j = unknown(v[d]); i >= 0 && j >= 0)
                    a(i, j) += weight * (edge[c][0] * edge[d][0] + edge[c][1] * edge[d][1]) / (4 * area);
    };
    for (int y = 0; y + 1 < edge_points; ++y)
        for (int x = 0; x + 1 < edge_points; ++x) {
            int const k = x + edge_points * y;
            add_triangle({k, k + 1, k + edge_points + 1});
            add_triangle({k, k + edge_points + 1, k + edge_points});
        }
    return to_csr<double>(a);
}

template <class Executor>
krylov_result solve_with(Executor const& exec, std::string_view method, std::string_view preconditioner,
                         csr<double> const& a, double tolerance) {
    auto const local = exec.copy(a);
    csr_operator<Executor, double> const op(exec, local.view());
    auto const m = make_preconditioner(exec, preconditioner, local.view());
    auto const b = exec.copy(random_vector<double>(int(a.rows()), 3));
    auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
    return solve(exec, method, op, m, b.view(), x.view(),
                 {.tolerance = tolerance, .max_iterations = 300, .restart = 30});
}

} // namespace

TEST_CASE_TEMPLATE("multilevel: a symmetric positive definite matrix stays so", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    std::vector<std::pair<char const*, csr<double>>> matrices;
    matrices.emplace_back("laplace2d", generate<double>(host, "laplace2d", {.nx = 13, .ny = 11}));
    matrices.emplace_back("aniso2", generate<double>(host, "aniso2", {.nx = 12}));
    matrices.emplace_back("rotated", generate<double>(host, "rotated", {.nx = 12, .angle = 30, .ratio = 0.01}));
    matrices.emplace_back("elasticity", generate<double>(host, "elasticity", {.nx = 3, .ny = 4, .nz = 4}));
    matrices.emplace_back("jumps", jumps(12));
    matrices.emplace_back("random", to_csr<double>(random_matrix(150, true, 4)));
    matrices.emplace_back("lognormal", lognormal(14, 1));
    matrices.emplace_back("lognormal, another", lognormal(15, 2));
    if (races_watched) matrices.erase(matrices.begin() + 2, matrices.end());
    for (auto const& [name, a] : matrices)
        for (auto const smoother : {multilevel_smoother::jacobi, multilevel_smoother::l1, multilevel_smoother::forest,
                                    multilevel_smoother::chebyshev, multilevel_smoother::gauss_seidel})
            for (auto const cycle : {multilevel_cycle::v, multilevel_cycle::w}) {
                auto const& case_name = name;
                CAPTURE(case_name);
                CAPTURE(int(smoother));
                CAPTURE(int(cycle));
                auto const local = exec.copy(a);
                multilevel<std::remove_const_t<decltype(exec)>> const m(
                    exec, local.view(),
                    {.smoother = smoother, .cycle = cycle, .storage = multilevel_storage::full, .coarsest = 6});
                CHECK(m.report().levels.size() >= 2);
                auto const inverse = inverse_of(exec, m, int(a.rows()));
                double asymmetry = 0;
                for (int i = 0; i < inverse.n; ++i)
                    for (int j = 0; j < i; ++j)
                        asymmetry = std::max(asymmetry, std::abs(inverse(i, j) - inverse(j, i)));
                CHECK(asymmetry < 1e-12 * largest_of(inverse));
                auto const values = eigenvalues(inverse);
                CHECK(values.front() > 0);
                // 2 M - A is positive definite: a cycle reduces the error of A.
                auto const x = random_vector<double>(inverse.n, 8);
                auto const dense_a = to_dense(a);
                auto const energy = [&](std::vector<double> const& v) {
                    auto const w = times(dense_a, v);
                    return std::inner_product(v.begin(), v.end(), w.begin(), 0.0);
                };
                CHECK(energy(minus(x, times(inverse, times(dense_a, x)))) < energy(x));
            }
}

TEST_CASE_TEMPLATE("multilevel: sweeps over several ranges of rows stay symmetric", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = exec.copy(jumps(101)); // three ranges on the first level
    multilevel<std::remove_const_t<decltype(exec)>> const m(
        exec, a.view(), {.smoother = multilevel_smoother::gauss_seidel, .storage = multilevel_storage::full});
    auto const dot = [](std::vector<double> const& x, std::vector<double> const& y) {
        return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    for (unsigned seed = 1; seed < 4; ++seed) {
        auto const x = random_vector<double>(int(a.rows()), seed), y = random_vector<double>(int(a.rows()), seed + 9);
        auto const mx = apply(exec, m, x), my = apply(exec, m, y);
        CHECK(dot(x, mx) > 0);
        CHECK(std::abs(dot(x, my) - dot(y, mx)) < 1e-12 * std::sqrt(dot(x, mx) * dot(y, my)));
    }
}

TEST_CASE_TEMPLATE("multilevel: sweeps on a last level that is not solved directly stay symmetric", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 30}));
    auto const dot = [](std::vector<double> const& x, std::vector<double> const& y) {
        return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    for (auto const smoother : {multilevel_smoother::gauss_seidel, multilevel_smoother::jacobi,
                                multilevel_smoother::chebyshev, multilevel_smoother::forest}) {
        CAPTURE(int(smoother));
        for (int const levels : {1, 2}) {
            multilevel_options const options{
                .smoother = smoother, .storage = multilevel_storage::full, .coarsest = 1, .max_levels = levels};
            multilevel<std::remove_const_t<decltype(exec)>> const m(exec, a.view(), options);
            auto const x = random_vector<double>(int(a.rows()), 3), y = random_vector<double>(int(a.rows()), 4);
            auto const mx = apply(exec, m, x), my = apply(exec, m, y);
            CHECK(dot(x, mx) > 0);
            CHECK(std::abs(dot(x, my) - dot(y, mx)) < 1e-12 * std::sqrt(dot(x, mx) * dot(y, my)));
        }
    }
}

TEST_CASE_TEMPLATE("multilevel: levels are the same on every executor", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    for (char const* name : {"laplace2d,nx=90", "laplace3d,nx=20", "aniso2,nx=80", "rotated,nx=80,angle=30,ratio=0.01",
                             "convection,nx=90"}) {
        CAPTURE(name);
        auto const generator = parse_generator(name);
        auto const a = generate<double>(host, generator.kind, generator.options);
        auto const local = exec.copy(a);
        multilevel_options const options{.smoother = multilevel_smoother::jacobi, .coarsest = 100};
        auto const expected = multilevel<host_executor>(host, a.view(), options).report();
        auto const found = multilevel<std::remove_const_t<decltype(exec)>>(exec, local.view(), options).report();
        CHECK(found.aggregates == expected.aggregates);
        REQUIRE(found.levels.size() == expected.levels.size());
        CHECK(found.levels.size() > 2);
        for (std::size_t i = 0; i < found.levels.size(); ++i) {
            CAPTURE(i);
            CHECK(found.levels[i].rows == expected.levels[i].rows);
            CHECK(found.levels[i].nonzeros == expected.levels[i].nonzeros);
            CHECK(found.levels[i].coverage == doctest::Approx(expected.levels[i].coverage));
        }
    }
}

TEST_CASE_TEMPLATE("multilevel: iterations hardly grow with the size", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{2};
    auto const of = [&](char const* kind, generator_options o, std::int64_t n) {
        o.nx = n;
        return generate<double>(host, kind, o);
    };
    struct problem {
        char const *name, *kind, *method;
        generator_options options;
        std::int64_t small, large;
        std::int64_t max_iterations; ///< iterations of the large one
        double growth;
        char const* more = "";
    };
    for (problem const& p : {problem{"5-point", "laplace2d", "cg", {}, 60, 180, 20, 1.25},
                             {"ANISO1", "aniso1", "cg", {}, 60, 180, 22, 1.25},
                             {"ANISO2", "aniso2", "cg", {}, 60, 180, 22, 1.25},
                             {"ANISO3", "aniso3", "cg", {}, 60, 180, 22, 1.25},
                             {"rotated", "rotated", "cg", {.angle = 45, .ratio = 0.01}, 60, 180, 40, 1.6},
                             {"7-point", "laplace3d", "cg", {}, 13, 32, 20, 1.35}, // smoothed along paths alone
                             {"7-point", "laplace3d", "cg", {}, 13, 32, 17, 1.25, ",products=1e9"},
                             {"ATMOSMODM", "laplace3d", "cg", {.wy = 40}, 13, 32, 18, 1.25},
                             {"convection", "convection", "bicgstab", {}, 60, 180, 18, 1.6}}) {
        for (std::string name : {"multilevel,smoother=jacobi", "multilevel,smoother=gauss-seidel"}) {
            name += p.more;
            name += ",coarsest=128"; // otherwise a device would solve most levels of the small problem directly
            CAPTURE(p.name);
            CAPTURE(name);
            auto const small = solve_with(exec, p.method, name, of(p.kind, p.options, p.small), 1e-8);
            auto const large = solve_with(exec, p.method, name, of(p.kind, p.options, p.large), 1e-8);
            CHECK(small.converged);
            CHECK(large.converged);
            CHECK(large.iterations <= p.max_iterations);
            CHECK(double(large.iterations) <=
                  std::max(p.growth * double(small.iterations), double(small.iterations) + 2));
        }
    }
    for (char const* name : {"multilevel,smoother=jacobi", "multilevel,smoother=gauss-seidel"}) {
        auto const rough = solve_with(exec, "cg", name, jumps(180), 1e-8);
        CHECK(rough.converged);
        CHECK(rough.iterations <= 30);
    }
    for (auto const options : {"multilevel,smoother=forest", "multilevel,smoother=chebyshev", "multilevel,cycle=w",
                               "multilevel,storage=full", "multilevel,storage=half"}) {
        CAPTURE(options);
        CHECK(solve_with(exec, "cg", options, of("laplace2d", {}, 150), 1e-8).iterations <= 19);
    }
}

// Returns the number of rounds of proposals until the [0, 2]-factor is maximal, by the definition of algorithm 8.
int rounds_of_factor(csr<float> const& weights) {
    edge_order<std::int32_t> const order{};
    auto const n = std::size_t(weights.rows());
    std::vector<std::vector<std::int32_t>> neighbours(n);
    auto const is_among = [](std::vector<std::int32_t> const& all, std::int32_t v) {
        return std::find(all.begin(), all.end(), v) != all.end();
    };
    for (int round = 1;; ++round) {
        std::vector<std::vector<std::int32_t>> proposed(n);
        for (std::size_t v = 0; v < n; ++v) {
            std::vector<std::int32_t> candidates;
            for (auto k = weights.row_offsets()[v]; k < weights.row_offsets()[v + 1]; ++k)
                if (auto const w = weights.column_indices()[k];
                    weights.values()[k] > 0 && neighbours[std::size_t(w)].size() < 2 && !is_among(neighbours[v], w))
                    candidates.push_back(k);
            std::sort(candidates.begin(), candidates.end(), [&](auto k, auto l) {
                return order.before(std::int32_t(v), weights.values()[k], weights.column_indices()[k],
                                    weights.values()[l], weights.column_indices()[l]);
            });
            for (std::size_t s = 0; s < std::min(candidates.size(), 2 - neighbours[v].size()); ++s)
                proposed[v].push_back(weights.column_indices()[candidates[s]]);
        }
        bool confirmed = false;
        for (std::size_t v = 0; v < n; ++v)
            for (auto const w : proposed[v])
                if (is_among(proposed[std::size_t(w)], std::int32_t(v))) {
                    neighbours[v].push_back(w);
                    confirmed = true;
                }
        if (!confirmed) return round;
    }
}
TEST_CASE("multilevel: the factor of runs has no dependency chain across a slanted grid") {
    using namespace multilevel_detail;
    host_executor const exec(1);
    auto const a = generate<double>(exec, "rotated", {.nx = 120, .angle = 45, .ratio = 0.01});
    auto const plan = make_srcsr_plan(exec, a.view());
    auto const rows = compute_row_scales(exec, a.view(), plan);
    auto const couplings = couplings_of<host_executor, double, std::int32_t>(exec, a.view(), plan, rows, {});
    auto const forest = strong_forest(exec, couplings.strong, tie_rule::near);
    auto const g = couple_runs<host_executor, double, std::int32_t>(exec, a.view(), rows, forest, true, 3);
    auto const strong = g.across.strong;
    csr<float> const weights(strong.rows(), strong.columns(), exec.copy(strong.row_offsets()),
                             exec.copy(strong.column_indices()), exec.copy(strong.values()));
    CHECK(weights.rows() > 3000);
    CHECK(rounds_of_factor(weights) < 12); // 39 if ties prefer the nearest number
}

TEST_CASE_TEMPLATE("multilevel: the predicted row lengths of a prolongator are exact", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using namespace multilevel_detail;
    auto const exec = Fixture::exec();
    using exec_type = decltype(Fixture::exec());
    using I = std::int32_t;
    for (char const* const kind : {"laplace3d", "rotated", "convection"}) {
        CAPTURE(kind);
        auto const a = exec.copy(generate<double>(host_executor{}, kind, {.nx = kind[0] == 'l' ? 40 : 200}));
        auto const plan = make_srcsr_plan(exec, a.view());
        auto const rows = compute_row_scales(exec, a.view(), plan);
        buffer<I> mirrors;
        bool const symmetric = is_symmetric(exec, a.view());
        if (!symmetric) mirrors = graph_detail::find_mirrors(exec, plan, a.view());
        auto const couplings =
            couplings_of<exec_type, double, I>(exec, a.view(), plan, rows, array_view<I const>(mirrors.view()));
        auto const made = aggregate_level<exec_type, double, I>(exec, a.view(), rows, couplings, symmetric, 3, 2);
        filter_scales<double> const scales{rows, {}};
        smoothed_prolongator<exec_type, double, I> const p(exec, a.view(), plan, scales, made, 1,
                                                           membership_matrix<double>(exec, made.aggregates), true,
                                                           {{0.12, true}, 1e30}, std::move(mirrors));
        length_of_row<double, I> const length{a.view(),
                                              {scales.inverse_scale(),
                                               {0.12, true},
                                               scales.diagonal(),
                                               scales.kinds(),
                                               false,
                                               {made.aggregates.of.data(), made.runs.data()}},
                                              {}};
        CHECK(reduce(exec, std::int64_t(a.rows()), std::int64_t{0}, length, plus{}) == p.nonzeros());
        double const products = double(p.nonzeros()) / a.rows() * double(p.nonzeros()) / a.rows() * a.nonzeros();
        CHECK(exceeds_products(exec, length, products / 1.5));
        CHECK_FALSE(exceeds_products(exec, length, products));
    }
}
TEST_CASE_TEMPLATE("multilevel: a row of many entries does not slow down the sample of rows", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using namespace multilevel_detail;
    using I = std::int32_t;
    auto const exec = Fixture::exec();
    int const n = 4096; // 16^3 unknowns, all of which are in the sample, and a hub that is coupled to all others
    auto const grid = generate<double>(host_executor{1}, "laplace3d", {.nx = 16});
    std::vector<I> offsets{0}, indices;
    std::vector<double> values;
    for (int i = 0; i <= n; ++i) {
        if (i == n)
            for (int j = 0; j < n; ++j) {
                indices.push_back(j);
                values.push_back(-1.0);
            }
        else
            for (I k = grid.row_offsets()[i]; k < grid.row_offsets()[i + 1]; ++k) {
                indices.push_back(grid.column_indices()[k]);
                values.push_back(grid.values()[k] + (grid.column_indices()[k] == i ? 1.0 : 0.0));
            }
        indices.push_back(n);
        values.push_back(i == n ? double(n) : -1.0);
        offsets.push_back(I(indices.size()));
    }
    host_executor const host{1};
    csr<double> const a(n + 1, n + 1, host.copy(offsets), host.copy(indices), host.copy(values));
    auto const plan = make_srcsr_plan(host, a.view());
    auto const rows = compute_row_scales(host, a.view(), plan);
    filter_rule<double, I> const all{1 / rows.scale, {0, false}, rows.diagonal.data(), rows.kinds.data(), false, {}};
    triangles_of_row<double, I> const triangles{{a.view(), all}};
    CHECK(triangles.row_of(n) == n);
    CHECK(triangles(n) <= 64 * 63 / 2);
    CHECK(triangles(1000) == 6); // its neighbours and the hub
    auto const local = exec.copy(a);
    CHECK(all_finite(apply(exec, multilevel<std::remove_const_t<decltype(exec)>>(exec, local.view()),
                           random_vector<double>(n + 1, 1))));
}
TEST_CASE_TEMPLATE("multilevel: a prolongator that would fill in the levels is smoothed along paths only", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using namespace multilevel_detail;
    auto const exec = Fixture::exec();
    using exec_type = decltype(Fixture::exec());
    using I = std::int32_t;
    auto const a = exec.copy(generate<double>(host_executor{}, "laplace3d", {.nx = 20}));
    auto const plan = make_srcsr_plan(exec, a.view());
    auto const rows = compute_row_scales(exec, a.view(), plan);
    auto const couplings = couplings_of<exec_type, double, I>(exec, a.view(), plan, rows, {});
    auto const made = aggregate_level<exec_type, double, I>(exec, a.view(), rows, couplings, true, 3, 2);
    filter_scales<double> const scales{rows, {}};
    auto const nonzeros = [&](double products) {
        smoothed_prolongator<exec_type, double, I> const p(exec, a.view(), plan, scales, made, 1,
                                                           membership_matrix<double>(exec, made.aggregates), true,
                                                           {{0.12, true}, products * double(a.nonzeros())}, {});
        return p.nonzeros();
    };
    auto const full = nonzeros(1e9), along_paths = nonzeros(15), none = nonzeros(0);
    CHECK(along_paths < full * 4 / 5);
    CHECK(none == a.rows()); // columns of P_0
    CHECK(none < along_paths / 2);
}
TEST_CASE_TEMPLATE("multilevel: clusters that are coupled weakly are not merged", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    // A grid of clusters: paths of four vertices with weights of 1, with edges of weight `between` from each
    // vertex to that of the clusters around it.
    int const width = 12, length = 4, n = width * width * length;
    auto const make = [&](double between) {
        coo<double> entries{n, n};
        std::vector<double> diagonal(std::size_t(n), 1e-6);
        auto const connect = [&](int i, int j, double weight) {
            entries.add(i, j, -weight), entries.add(j, i, -weight);
            diagonal[std::size_t(i)] += weight, diagonal[std::size_t(j)] += weight;
        };
        for (int c = 0; c < width * width; ++c)
            for (int k = 0; k < length; ++k) {
                if (k > 0) connect(c * length + k - 1, c * length + k, 1);
                if (c % width > 0) connect((c - 1) * length + k, c * length + k, between);
                if (c >= width) connect((c - width) * length + k, c * length + k, between);
            }
        for (int i = 0; i < n; ++i) entries.add(i, i, diagonal[std::size_t(i)]);
        return to_csr(host_executor{1}, entries);
    };
    auto const spanning = [&](csr<double> const& a) { // number of aggregates with vertices of two clusters
        auto const here = exec.copy(a);
        auto const report = multilevel<Executor>(exec, here.view()).report();
        std::vector<std::set<int>> clusters(report.aggregates.size());
        for (int i = 0; i < n; ++i)
            if (report.aggregates.at(std::size_t(i)) >= 0)
                clusters[std::size_t(report.aggregates[std::size_t(i)])].insert(i / length);
        return std::count_if(clusters.begin(), clusters.end(), [](auto const& c) { return c.size() > 1; });
    };
    CHECK(spanning(make(1e-4)) == 0);
    CHECK(spanning(make(0.3)) > 0);
}
TEST_CASE_TEMPLATE("multilevel: the first prolongator is not smoothed if that would fill in the levels", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const report = [&](csr<double> const& a, double products) {
        auto const here = exec.copy(a);
        multilevel<Executor> m(exec, here.view(), {.products = products});
        auto const r = random_vector<double>(int(a.rows()), 2);
        auto const before = apply(exec, m, r);
        CHECK(all_finite(before));
        m.refresh(exec, here.view());
        CHECK(apply(exec, m, r) == before);
        return m.report();
    };
    auto const space = generate<double>(host_executor{1}, "laplace3d", {.nx = 20});
    auto const full = report(space, 1e9), usual = report(space, 15);
    CHECK(full.levels.at(0).smoothed);
    CHECK_FALSE(usual.levels.at(0).smoothed);
    CHECK(usual.levels.at(1).smoothed);
    CHECK(usual.levels.at(1).rows > full.levels.at(1).rows * 5 / 4); // aggregates of four instead of six
    CHECK(usual.levels.at(1).nonzeros < full.levels.at(1).nonzeros * 2 / 3);
    CHECK(usual.operator_complexity < full.operator_complexity * 0.85);
    // Plane grids, and grids in space with one strong direction, have short rows.
    host_executor const host{1};
    for (auto const& a :
         {generate<double>(host, "laplace2d", {.nx = 60}), generate<double>(host, "laplace3d", {.nx = 20, .wy = 40}),
          generate<double>(host, "rotated", {.nx = 60, .angle = 45, .ratio = 0.01}), jumps(60)})
        CHECK(report(a, 15).levels.at(0).smoothed);
    // 7 points of a convection in space, unsymmetric
    auto const convection = report(generate<double>(host, "convection", {.nx = 20, .nz = 20}), 15);
    CHECK_FALSE(convection.levels.at(0).smoothed);
    for (double const broken : {-1.0, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(report(space, broken), argument_error);
}

// A V cycle by its definition: the first smoothing from zero, the correction, the last smoothing.
struct plain_level {
    int rows, below;
    std::vector<double> a, p, r, diagonal; ///< a[rows, rows], p[rows, below], r[below, rows]
    double scale;
};
using plain_vector = std::vector<double>;
plain_vector plain_product(std::vector<double> const& m, int rows, int columns, plain_vector const& x) {
    plain_vector y(std::size_t(rows), 0);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) y[std::size_t(i)] += m[std::size_t(i * columns + j)] * x[std::size_t(j)];
    return y;
}
plain_vector cycle_of(std::vector<plain_level> const& levels, std::size_t depth, std::vector<double> const& inverse,
                      plain_vector const& b) {
    if (depth == levels.size()) return plain_product(inverse, int(b.size()), int(b.size()), b);
    plain_level const& l = levels[depth];
    std::size_t const n = b.size();
    auto const residual = [&](plain_vector const& x) {
        auto r = plain_product(l.a, l.rows, l.rows, x);
        for (std::size_t i = 0; i < n; ++i) r[i] = b[i] - l.scale * r[i];
        return r;
    };
    plain_vector x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = l.diagonal[i] * b[i];
    auto const corrected = plain_product(
        l.p, l.rows, l.below, cycle_of(levels, depth + 1, inverse, plain_product(l.r, l.below, l.rows, residual(x))));
    for (std::size_t i = 0; i < n; ++i) x[i] += corrected[i];
    auto const r = residual(x);
    for (std::size_t i = 0; i < n; ++i) x[i] += l.diagonal[i] * r[i];
    return x;
}
/// A matrix with empty rows and one dense row, its values in float.
std::vector<double> random_rectangle(int rows, int columns, int seed) {
    auto const values = random_vector<double>(rows * columns, seed),
               chosen = random_vector<double>(rows * columns, seed + 1);
    std::vector<double> m(values.size(), 0);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            auto const k = std::size_t(i * columns + j);
            if (i == rows / 2 || (i % 7 != 3 && chosen[k] > 0.4)) m[k] = float(values[k]);
        }
    return m;
}
template <class S>
csr<S> sparse_rectangle(std::vector<double> const& m, int rows, int columns) {
    std::vector<std::int32_t> offsets{0}, indices;
    std::vector<S> values;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j)
            if (double const v = m[std::size_t(i * columns + j)]; v != 0) {
                indices.push_back(j);
                values.push_back(S(float(v)));
            }
        offsets.push_back(std::int32_t(indices.size()));
    }
    host_executor const host{1};
    return {rows, columns, host.copy(offsets), host.copy(indices), host.copy(values)};
}
TEST_CASE_TEMPLATE("multilevel: lower levels in one kernel are a V cycle", Fixture, COPPICE_TEST_EXECUTORS) {
    using namespace multilevel_detail;
    auto const exec = Fixture::exec();
    for (auto const& rows : {std::vector{3, 1}, std::vector{40, 9}, std::vector{1, 1, 1, 1},
                             std::vector{700, 150, 60, 33}, std::vector{90, 50, 30, 20, 15, 11, 9, 8, 7, 6, 5, 4, 3}}) {
        CAPTURE(rows.front());
        std::vector<plain_level> plain;
        for (std::size_t d = 0; d + 1 < rows.size(); ++d) {
            int const n = rows[d], below = rows[d + 1], seed = int(100 * d);
            plain.push_back({n, below, random_rectangle(n, n, seed), random_rectangle(n, below, seed + 10),
                             random_rectangle(below, n, seed + 20), random_vector<double>(n, seed + 30), 0.5});
        }
        int const last = rows.back();
        auto const inverse = random_vector<double>(last * last, 5);
        auto const b = random_vector<double>(rows.front(), 7);
        lower_cycle<double, float, std::int32_t> cycle;
        std::vector<csr<float>> matrices;
        std::vector<buffer<double>> vectors;
        auto const sparse = [&](std::vector<double> const& m, int n, int columns) {
            return matrices.emplace_back(exec.copy(sparse_rectangle<float>(m, n, columns))).view();
        };
        auto const vector = [&](std::vector<double> const& v) { return vectors.emplace_back(exec.copy(v)).data(); };
        double* below_b = vector(b);
        double* x = vector(std::vector<double>(b.size(), std::nan("")));
        double* const solution = x;
        for (plain_level const& l : plain) {
            std::vector<double> const garbage(std::size_t(l.below), std::nan(""));
            auto& to = cycle.levels[cycle.count++];
            to = {sparse(l.a, l.rows, l.rows),
                  sparse(l.p, l.rows, l.below),
                  sparse(l.r, l.below, l.rows),
                  l.scale,
                  vector(l.diagonal),
                  below_b,
                  x,
                  vector(std::vector<double>(std::size_t(l.rows), std::nan(""))),
                  vector(garbage),
                  vector(garbage)};
            below_b = to.b_below;
            x = to.x_below;
        }
        cycle.inverse = vector(inverse);
        cycle.last_rows = last;
        for (int again = 0; again < 2; ++again) { // the vectors of an earlier cycle have no influence
            run_lower_levels(exec, cycle);
            auto const got = to_vector(exec, array_view<double const>(solution, rows.front()));
            auto const expected = cycle_of(plain, 0, inverse, plain_vector(b.begin(), b.end()));
            double largest = 0, off = 0;
            for (std::size_t i = 0; i < got.size(); ++i) {
                largest = std::max(largest, std::abs(expected[i]));
                off = std::max(off, std::abs(expected[i] - got[i]));
            }
            CHECK(off <= 1e-11 * largest);
        }
    }
}

TEST_CASE_TEMPLATE("multilevel: the longest row of a level and of its transfer operators", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const longest = [&](std::vector<std::int32_t> a, std::vector<std::int32_t> p, std::vector<std::int32_t> r) {
        auto const here = exec.copy(a), to = exec.copy(p), back = exec.copy(r);
        std::int32_t const rows = std::int32_t(a.size()) - 1, below = std::int32_t(r.size()) - 1;
        return reduce(
            exec, std::int64_t(std::max(rows, below)), 0,
            multilevel_detail::longest_of_rows<std::int32_t>{here.data(), to.data(), back.data(), rows, below},
            maximum{});
    };
    CHECK(longest({0, 3, 4}, {0, 1, 2}, {0, 2}) == 3);
    CHECK(longest({0, 3, 4}, {0, 1, 6}, {0, 2}) == 5);
    CHECK(longest({0, 3, 4}, {0, 1, 2}, {0, 1, 1, 8}) == 7);
}

TEST_CASE_TEMPLATE("multilevel: rigid body modes are in the range of P_0, whose columns are orthonormal", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const points = 40, n = 3 * points;
    auto const modes = rigid_body_modes(3, random_vector<double>(n, 5));
    std::vector<std::int32_t> of(std::size_t(n), -1);
    for (int v = 0; v < n; ++v) // aggregates of 1, 2, 3, ... points; the last five points have no aggregate
        for (int g = 0, first = 0; v / 3 < points - 5 && first <= v / 3; first += ++g) of[std::size_t(v)] = g;
    int const count = of[std::size_t(n - 16)] + 1;
    vertex_aggregates<> const aggregates{n, count, exec.copy(of)};
    multilevel_detail::level_modes<double> const given{3, 6, exec.copy(modes)};
    auto const [p, next] = multilevel_detail::tentative_of_modes(exec, aggregates, given);
    REQUIRE(p.columns() == 6 * count);
    auto const local = host_executor{1}.copy(p);
    auto const coarse = to_vector(exec, next.vectors);
    dense dense_p(std::max(n, 6 * count));
    for (int v = 0; v < n; ++v)
        for (int k = local.row_offsets()[v]; k < local.row_offsets()[v + 1]; ++k)
            dense_p(v, local.column_indices()[k]) = local.values()[k];
    for (int c = 0; c < 6; ++c)
        for (int v = 0; v < n; ++v) {
            double sum = 0;
            for (int j = 0; j < 6 * count; ++j) sum += dense_p(v, j) * coarse[std::size_t(c * 6 * count + j)];
            double const mode = of[std::size_t(v)] < 0 ? 0.0 : modes[std::size_t(c * n + v)];
            CHECK(sum == doctest::Approx(mode).epsilon(1e-12));
        }
    int columns = 0;
    for (int i = 0; i < 6 * count; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int v = 0; v < n; ++v) sum += dense_p(v, i) * dense_p(v, j);
            CHECK((std::abs(sum) < 1e-12 || (i == j && std::abs(sum - 1) < 1e-12)));
            columns += i == j && sum > 0.5;
        }
    CHECK(columns == 3 + 5 + 6 * (count - 2)); // one point has three independent modes, two have five
}

TEST_CASE_TEMPLATE("multilevel: with rigid body modes elasticity does not grow", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const with_modes = [&](int points, multilevel_options const& options, auto const& use) {
        auto const a = exec.copy(generate<double>(host_executor{2}, "elasticity", {.nx = points}));
        std::vector<double> at;
        for (int p = 0; p < points * points * points; ++p)
            for (int const c : {p % points, p / points % points, p / points / points}) at.push_back(c);
        auto const modes = exec.copy(rigid_body_modes(3, at));
        multilevel<Executor> m(exec, a.view(), options, {.block = 3, .count = 6, .vectors = modes});
        return use(a, m);
    };
    auto const iterations = [&](int points) {
        return with_modes(points, {}, [&](auto const& a, auto& m) {
            csr_operator<Executor, double> const op(exec, a.view());
            auto const b = exec.copy(random_vector<double>(int(a.rows()), 3));
            auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
            auto const result = solve(exec, "cg", op, m, b.view(), x.view(), {.tolerance = 1e-8, .max_iterations = 60});
            CHECK(result.converged);
            return result.iterations;
        });
    };
    auto const small = iterations(6), large = iterations(12);
    CHECK(large <= small + 2);
    CHECK(large <= 18);
    with_modes(4, {.storage = multilevel_storage::full, .coarsest = 30}, [&](auto const& a, auto& m) {
        CHECK(m.report().levels.size() >= 2);
        auto const inverse = inverse_of(exec, m, int(a.rows()));
        CHECK(eigenvalues(inverse).front() > 0);
        for (int i = 0; i < inverse.n; ++i)
            for (int j = 0; j < i; ++j) CHECK(std::abs(inverse(i, j) - inverse(j, i)) < 1e-12 * largest_of(inverse));
        auto const r = random_vector<double>(inverse.n, 2);
        auto const before = apply(exec, m, r);
        m.refresh(exec, a.view());
        CHECK(apply(exec, m, r) == before);
        return 0;
    });
    auto const a = exec.copy(generate<double>(host_executor{1}, "elasticity", {.nx = 7}));
    auto const short_one = exec.copy(std::vector<double>(5));
    CHECK_THROWS_AS(multilevel<Executor>(exec, a.view(), {}, {.block = -1}), argument_error);
    CHECK_THROWS_AS(multilevel<Executor>(exec, a.view(), {}, {.block = 2}), dimension_error);
    CHECK_THROWS_AS(multilevel<Executor>(exec, a.view(), {}, {.block = 3, .count = 1, .vectors = short_one}),
                    dimension_error);
    std::vector<double> poisoned(std::size_t(a.rows()), 1.0);
    poisoned[5] = std::numeric_limits<double>::infinity();
    auto const bad = exec.copy(poisoned);
    CHECK_THROWS_WITH_AS(multilevel<Executor>(exec, a.view(), {}, {.count = 1, .vectors = bad.view()}),
                         "element 5 of the near-null-space vectors is not finite", matrix_error);
    CHECK_THROWS_AS(rigid_body_modes(4, std::vector<double>(8)), argument_error);
    CHECK_THROWS_AS(rigid_body_modes(2, std::vector<double>(7)), dimension_error);
    CHECK(
        solve_with(exec, "cg", "multilevel,block=3", generate<double>(host_executor{1}, "elasticity", {.nx = 8}), 1e-8)
            .converged);
}

/// Returns A with b x b blocks: a_ij times `within`[b b], which may be zero.
csr<double> with_blocks(csr<double> const& a, int b, std::vector<double> const& within) {
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;
    for (int i = 0; i < a.rows() * b; ++i) {
        for (int k = a.row_offsets()[i / b]; k < a.row_offsets()[i / b + 1]; ++k)
            for (int c = 0; c < b; ++c) {
                columns.push_back(a.column_indices()[k] * b + c);
                values.push_back(a.values()[k] * within[std::size_t(i % b * b + c)]);
            }
        offsets.push_back(int(columns.size()));
    }
    host_executor const exec{1};
    return {a.rows() * b, a.rows() * b, exec.copy(offsets), exec.copy(columns), exec.copy(values)};
}

/// Returns A with all entries of the b x b blocks that have an entry; the new ones are zeros.
csr<double> with_complete_blocks(csr<double> const& a, int b) {
    host_executor const exec{1};
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;
    for (int first = 0; first < a.rows(); first += b) {
        std::set<int> points;
        for (int k = a.row_offsets()[first]; k < a.row_offsets()[first + b]; ++k)
            points.insert(a.column_indices()[k] / b);
        for (int i = first; i < first + b; ++i) {
            for (int const p : points)
                for (int c = 0; c < b; ++c) columns.push_back(p * b + c);
            values.resize(columns.size(), 0.0);
            for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
                auto const at =
                    std::lower_bound(columns.begin() + offsets.back(), columns.end(), a.column_indices()[k]);
                values[std::size_t(at - columns.begin())] = a.values()[k];
            }
            offsets.push_back(int(columns.size()));
        }
    }
    return {a.rows(), a.rows(), exec.copy(offsets), exec.copy(columns), exec.copy(values)};
}

TEST_CASE_TEMPLATE("multilevel: a block size is detected where components are separate in the null space", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const block_of = [&](csr<double> const& a, near_null_space<double> const& near = {}) {
        auto const local = exec.copy(a);
        return multilevel<Executor>(exec, local.view(), {}, near).report().block;
    };
    auto const plane = generate<double>(host_executor{1}, "laplace2d", {.nx = 20});
    auto const solid = with_complete_blocks(generate<double>(host_executor{1}, "elasticity", {.nx = 12}), 3);
    CHECK(block_of(plane) == 1);
    CHECK(block_of(solid) == 3);
    CHECK(block_of(solid, {.block = 1}) == 1);
    CHECK(block_of(with_blocks(plane, 2, {2, 1, 1, 2})) == 2);
    CHECK(block_of(with_blocks(plane, 4, {4, 1, 1, 1, 1, 4, 1, 1, 1, 1, 4, 1, 1, 1, 1, 4})) == 4);
    CHECK(block_of(with_blocks(plane, 3, {3, 1, 1, 1, 3, 1, 1, 1, 3})) == 3);
    // Two vertices for each of a graph, coupled like their originals and with each other: the constants of one vertex
    // of each pair are not in the null space.
    auto pairs = with_blocks(plane, 2, {1, 1, 1, 1});
    for (int i = 0; i < pairs.rows(); ++i)
        for (int k = pairs.row_offsets()[i]; k < pairs.row_offsets()[i + 1]; ++k)
            if (pairs.column_indices()[k] / 2 == i / 2) pairs.values()[k] = pairs.column_indices()[k] == i ? 9 : -1;
    CHECK(block_of(pairs) == 1);
    auto const upwind = generate<double>(host_executor{1}, "convection", {.nx = 20});
    CHECK(block_of(with_blocks(upwind, 2, {2, 1, 1, 2})) == 1);               // not symmetric
    CHECK(block_of(with_blocks(upwind, 2, {2, 1, 1, 2}), {.block = 2}) == 2); // as given

    // Detected or given: the same bits; a power of two changes no bit.
    auto a = exec.copy(solid);
    auto const r = random_vector<double>(int(a.rows()), 5);
    auto const detected = apply(exec, multilevel<Executor>(exec, a.view()), r);
    CHECK(apply(exec, multilevel<Executor>(exec, a.view(), {}, {.block = 3}), r) == detected);
    CHECK(apply(exec, multilevel<Executor>(exec, a.view(), {}, {.block = 1}), r) != detected);
    auto small = with_complete_blocks(solid, 3);
    for (auto& v : small.values()) v = std::ldexp(v, -40);
    auto const smaller = exec.copy(small);
    auto scaled = apply(exec, multilevel<Executor>(exec, smaller.view()), r);
    for (auto& v : scaled) v = std::ldexp(v, -40);
    CHECK(scaled == detected);
}

TEST_CASE_TEMPLATE("multilevel: components without couplings have the cycles of their matrices", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    for (auto const kind : {"laplace2d", "convection"}) {
        auto const one = generate<double>(host_executor{1}, kind, {.nx = 30});
        int const n = int(one.rows());
        // Below, positive entries are couplings between points and not between unknowns.
        multilevel_options const options{
            .smoother = multilevel_smoother::jacobi, .storage = multilevel_storage::full, .max_levels = 2};
        auto const r = random_vector<double>(2 * n, 4);
        std::vector<double> expected(std::size_t(2 * n));
        auto const local = exec.copy(one);
        multilevel<Executor> const single(exec, local.view(), options);
        CHECK(single.report().levels.size() == 2);
        CHECK(single.report().direct);
        for (int c = 0; c < 2; ++c) {
            std::vector<double> own(static_cast<std::size_t>(n));
            for (int i = 0; i < n; ++i) own[std::size_t(i)] = r[std::size_t(2 * i + c)];
            auto const z = apply(exec, single, own);
            for (int i = 0; i < n; ++i) expected[std::size_t(2 * i + c)] = z[std::size_t(i)];
        }
        auto const a = exec.copy(with_blocks(one, 2, {1, 0, 0, 1}));
        multilevel<Executor> both(exec, a.view(), options, {.block = 2});
        auto const z = apply(exec, both, r);
        CHECK(both.report().levels.size() == single.report().levels.size());
        for (std::size_t i = 0; i < z.size(); ++i) CHECK(z[i] == doctest::Approx(expected[i]).epsilon(1e-9));
        both.refresh(exec, a.view());
        CHECK(apply(exec, both, r) == z);
    }
}

TEST_CASE_TEMPLATE("multilevel: with points of three unknowns elasticity takes few iterations", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "elasticity", {.nx = 18});
    auto const result = solve_with(exec, "cg", "multilevel,block=3,smoother=gauss-seidel", a, 1e-8);
    CHECK(result.converged);
    CHECK(result.iterations <= 16); // 14; with P over all components 16 at 24^3
}

TEST_CASE_TEMPLATE("multilevel: powers of two change no bit, nor does the order of a row's columns", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    for (auto const kind : {"aniso2", "convection"})
        for (auto const storage : {multilevel_storage::single, multilevel_storage::full, multilevel_storage::half}) {
            auto a = generate<double>(host_executor{1}, kind, {.nx = 40});
            auto const r = random_vector<double>(int(a.rows()), 3);
            multilevel_options const options{.storage = storage, .coarsest = 30};
            auto const local = exec.copy(a);
            multilevel<Executor> m(exec, local.view(), options);
            auto const expected = apply(exec, m, r);
            for (int const power : {-500, 1, 300}) {
                CAPTURE(power);
                auto scaled_one = exec.copy(a);
                std::vector<double> values(a.values().begin(), a.values().end());
                for (double& v : values) v = std::ldexp(v, power);
                scaled_one.values() = exec.copy(values);
                auto const unscaled = [&](std::vector<double> z) {
                    for (double& v : z) v = std::ldexp(v, power);
                    return z;
                };
                CHECK(unscaled(apply(exec, multilevel<Executor>(exec, scaled_one.view(), options), r)) == expected);
                m.refresh(exec, scaled_one.view());
                CHECK(unscaled(apply(exec, m, r)) == expected);
            }
            std::vector<std::int32_t> columns(a.column_indices().begin(), a.column_indices().end());
            std::vector<double> values(a.values().begin(), a.values().end());
            for (int i = 0; i < a.rows(); ++i) {
                std::reverse(columns.begin() + a.row_offsets()[i], columns.begin() + a.row_offsets()[i + 1]);
                std::reverse(values.begin() + a.row_offsets()[i], values.begin() + a.row_offsets()[i + 1]);
            }
            csr<double> const reversed{a.rows(), a.columns(), exec.copy(a.row_offsets()), exec.copy(columns),
                                       exec.copy(values)};
            multilevel<Executor> other(exec, reversed.view(), options);
            CHECK(apply(exec, other, r) == expected);
            other.refresh(exec, reversed.view());
            CHECK(apply(exec, other, r) == expected);
        }
}

TEST_CASE_TEMPLATE("multilevel: full storage has the range of the matrix", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const grid = to_dense(generate<double>(host_executor{1}, "laplace2d", {.nx = 20}));
    dense both(2 * grid.n); // two grids, of which float holds only one
    for (int i = 0; i < grid.n; ++i)
        for (int j = 0; j < grid.n; ++j) {
            both(i, j) = grid(i, j);
            both(grid.n + i, grid.n + j) = 0x1p-200 * grid(i, j);
        }
    auto const a = exec.copy(to_csr<double>(both));
    multilevel<std::remove_const_t<decltype(exec)>> const m(
        exec, a.view(), {.smoother = multilevel_smoother::jacobi, .storage = multilevel_storage::full, .coarsest = 30});
    std::vector<double> b(std::size_t(both.n)), x(b.size());
    for (int i = 0; i < grid.n; ++i) b[std::size_t(grid.n + i)] = 1 + i % 3;
    auto const norm = [](std::vector<double> const& r) {
        double squares = 0;
        for (double const v : r) squares += v * v;
        return std::sqrt(squares);
    };
    for (int step = 0; step < 20; ++step) {
        auto const z = apply(exec, m, minus(b, times(both, x)));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += z[i];
    }
    CHECK(norm(minus(b, times(both, x))) <= 1e-3 * norm(b));
}

TEST_CASE_TEMPLATE("multilevel: sweeps do not amplify", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // 5-point stencils without a diagonal, with a small one, with some zeros, and with advection that exceeds
    // diffusion.
    struct stencil {
        double diagonal, west, east, others;
        int zeros; ///< one of so many diagonal entries is 0
    };
    constexpr stencil stencils[] = {{0, -1, -1, -1, 0}, {1, -1, -1, -1, 0}, {4, -1, -1, -1, 3}, {4, -4, 2, -1, 0}};
    auto const check = [&]<class T>(T, stencil const& s) {
        CAPTURE(s.diagonal);
        CAPTURE(s.east);
        auto a = generate<T>(host_executor{1}, "laplace2d", {.nx = 120});
        std::int64_t const n = a.rows();
        for (std::int64_t i = 0; i < n; ++i)
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
                std::int64_t const to = a.column_indices()[k] - i;
                double const diagonal = s.zeros > 0 && i % s.zeros == 0 ? 0 : s.diagonal;
                a.values()[k] = T(to == 0 ? diagonal : to == -1 ? s.west : to == 1 ? s.east : s.others);
            }
        auto const there = exec.copy(a);
        auto const m = make_preconditioner(exec, "multilevel,smoother=gauss-seidel", there.view());
        auto const b = exec.copy(random_vector<T>(int(n), 3));
        buffer<T> z(exec, n), x(exec, n);
        m.apply(exec, b.view(), z.view());
        auto const of_z = to_vector(exec, z);
        CHECK(std::all_of(of_z.begin(), of_z.end(), [](T e) { return std::abs(e) <= 1e5; }));
        if (s.east <= 0) return;
        fill(exec, x.view(), T(0));
        auto const result =
            solve(exec, "gmres", csr_operator(exec, there.view()), m, b.view(), x.view(), {.tolerance = 1e-5});
        CHECK(result.converged);
        CHECK(result.iterations <= 40);
    };
    for (stencil const& s : stencils) {
        check(1.0, s);
        check(1.0f, s);
    }
}

TEST_CASE_TEMPLATE("multilevel: unsuitable matrices", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    multilevel_options const options{.coarsest = 8};
    auto const made = [&](dense const& m) {
        auto const local = exec.copy(to_csr<double>(m));
        return multilevel<Executor>(exec, local.view(), options);
    };
    auto const stays_finite = [&](dense const& m) {
        return all_finite(apply(exec, made(m), random_vector<double>(m.n, 1)));
    };
    int const n = 300;
    auto const sample = random_matrix(n, true, 6);

    dense diagonal(n);
    for (int i = 0; i < n; ++i) diagonal(i, i) = i % 2 ? 2 + i : -3;
    auto const of_diagonal = made(diagonal);
    CHECK(of_diagonal.report().end == coarsening_end::nothing);
    auto const r = random_vector<double>(n, 2);
    auto const z = apply(exec, of_diagonal, r);
    for (int i = 0; i < n; ++i) CHECK(z[std::size_t(i)] == doctest::Approx(r[std::size_t(i)] / diagonal(i, i)));

    CHECK(stays_finite(dense(n))); // no entry at all
    auto broken = sample;          // rows of zeros, zero and negative diagonals
    for (int i = 0; i < n; i += 7)
        for (int j = 0; j < n; ++j) broken(i, j) = broken(j, i) = 0;
    for (int i = 1; i < n; i += 7) broken(i, i) = 0;
    for (int i = 2; i < n; i += 7) broken(i, i) *= -1;
    CHECK(stays_finite(broken));
    CHECK(stays_finite(random_matrix(n, false, 3)));
    auto skew = sample; // a sign pattern that is not that of an M-matrix, and one-sided entries
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) skew(i, j) *= i < j ? -1 : 1;
    CHECK(stays_finite(skew));

    dense pieces(n); // separate paths of 5 unknowns, each singular
    for (int i = 0; i < n; ++i)
        for (int const j : {i - 1, i + 1})
            if (j >= 0 && j < n && j / 5 == i / 5) {
                pieces(i, j) = -1;
                pieces(i, i) += 1;
            }
    CHECK(stays_finite(pieces));

    dense star(n); // one huge row
    for (int i = 1; i < n; ++i) {
        star(0, i) = star(i, 0) = -1;
        star(i, i) = 1.01;
    }
    star(0, 0) = n;
    auto const of_star = made(star);
    CHECK(all_finite(apply(exec, of_star, r)));
    CHECK(of_star.report().levels.size() <= 4);

    dense full(n); // all couplings are equally strong
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) full(i, j) = i == j ? n : -1;
    CHECK(stays_finite(full));
    dense skewed(n); // unsymmetric couplings without mirror entries: no aggregation is possible
    for (int i = 0; i < n; ++i) {
        skewed(i, i) = 1;
        skewed(i, (i * 7 + 1) % n) += 3;
    }
    CHECK(stays_finite(skewed));

    auto const local = exec.copy(to_csr<double>(sample));
    using changed = multilevel_options;
    for (auto const& bad : {changed{.first_run = 0}, changed{.second_run = 0}, changed{.max_levels = 0},
                            changed{.coarsest = -1}, changed{.products = -1}})
        CHECK_THROWS_WITH_AS(multilevel<Executor>(exec, local.view(), bad), doctest::Contains(", expected at least "),
                             argument_error);
    csr_view<double> wide = local.view();
    wide.column_count = n + 1;
    CHECK_THROWS_AS(multilevel<Executor>(exec, wide), dimension_error);
    auto poisoned = sample;
    poisoned(3, 4) = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(made(poisoned), matrix_error);
    csr<double> const doubled{2, 2, exec.copy(std::vector<std::int32_t>{0, 2, 3}),
                              exec.copy(std::vector<std::int32_t>{0, 0, 1}), exec.copy(std::vector<double>{1, 1, 1})};
    CHECK_THROWS_AS(multilevel<Executor>(exec, doubled.view()), matrix_error);
    multilevel<Executor> unchanged(exec, local.view(), options);
    auto const before = apply(exec, unchanged, r);
    auto const other = exec.copy(to_csr<double>(random_matrix(n, true, 7)));
    CHECK_THROWS_AS(unchanged.refresh(exec, other.view()), error);
    CHECK(apply(exec, unchanged, r) == before);
    CHECK_THROWS_AS(apply(exec, unchanged, std::vector<double>(3)), dimension_error);
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "multilevel,cycle=x", local.view()), doctest::Contains("cycle"),
                         argument_error);
}
