// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/generate/generators.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include "support/executors.hpp"
#include "support/same_bits.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/validate.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

struct size {
    std::int64_t nx, ny, nz;
};
std::vector<size> const flat_sizes{{1, 1, 1}, {1, 6, 1}, {7, 1, 1}, {2, 2, 1},
                                   {2, 5, 1}, {3, 3, 1}, {9, 4, 1}, {5, 11, 1}};
std::vector<size> const solid_sizes{{1, 1, 1}, {4, 1, 1}, {1, 3, 2}, {2, 2, 2}, {3, 4, 5}, {6, 2, 3}};

/// Coefficient between a grid point and the one at distance (dx, dy, dz), |d| <= 1 each; NaN: not in the pattern.
using stencil = std::function<double(int, int, int)>;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// A 3 x 3 stencil as printed: rows y - 1, y, y + 1.
stencil printed(std::vector<double> const& s) {
    return [s](int dx, int dy, int dz) { return dz == 0 ? s[std::size_t(3 * (dy + 1) + dx + 1)] : none; };
}

/// Compares all points with the definition.
void check_grid(csr<double> const& a, size n, stencil const& coefficient) {
    CAPTURE(n.nx);
    CAPTURE(n.ny);
    CAPTURE(n.nz);
    REQUIRE(a.rows() == n.nx * n.ny * n.nz);
    CHECK(a.columns() == a.rows());
    std::int64_t k = 0, row = 0;
    for (std::int64_t z = 0; z < n.nz; ++z)
        for (std::int64_t y = 0; y < n.ny; ++y)
            for (std::int64_t x = 0; x < n.nx; ++x, ++row) {
                REQUIRE(a.row_offsets()[row] == k);
                for (int dz = -1; dz <= 1; ++dz)
                    for (int dy = -1; dy <= 1; ++dy)
                        for (int dx = -1; dx <= 1; ++dx) {
                            double const value = coefficient(dx, dy, dz);
                            if (std::isnan(value) || x + dx < 0 || x + dx >= n.nx || y + dy < 0 || y + dy >= n.ny ||
                                z + dz < 0 || z + dz >= n.nz)
                                continue;
                            REQUIRE(k < a.nonzeros());
                            CHECK(a.column_indices()[k] == ((z + dz) * n.ny + y + dy) * n.nx + x + dx);
                            CHECK(a.values()[k] == value);
                            ++k;
                        }
            }
    CHECK(a.row_offsets()[row] == k);
    CHECK(a.nonzeros() == k);
}

int distance(int dx, int dy, int dz) { return std::abs(dx) + std::abs(dy) + std::abs(dz); }

std::vector<double> const aniso1_stencil{-0.2, -0.1, -0.2, -1.0, 3.0, -1.0, -0.2, -0.1, -0.2};
std::vector<double> const aniso2_stencil{-0.1, -0.2, -1.0, -0.2, 3.0, -0.2, -1.0, -0.2, -0.1};

/// sum_j a_ij u(j) at the middle of a grid of `n` x `n` points; u is a function of (x - middle, y - middle).
double apply_in_the_middle(csr<double> const& a, std::int64_t n, std::function<double(double, double)> const& u) {
    std::int64_t const middle = n / 2, row = middle * n + middle;
    double sum = 0;
    for (auto k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k)
        sum +=
            a.values()[k] * u(double(a.column_indices()[k] % n - middle), double(a.column_indices()[k] / n - middle));
    return sum;
}

} // namespace

TEST_CASE("stencils on grids of every shape") {
    host_executor const exec{2};
    for (auto const& n : flat_sizes) {
        check_grid(aniso1(exec, n.nx, n.ny), n, printed(aniso1_stencil));
        check_grid(aniso2(exec, n.nx, n.ny), n, printed(aniso2_stencil));
        check_grid(laplace2d(exec, n.nx, n.ny), n, printed({none, -1, none, -1, 4, -1, none, -1, none}));
        // The flow comes from the west (v_x > 0) and from the north, y + 1 (v_y < 0).
        generator_options const wind{.nx = n.nx, .ny = n.ny, .wx = 2, .wy = 3, .vx = 5, .vy = -7};
        check_grid(convection(exec, wind), n, printed({none, -3, none, -7, 22, -2, none, -10, none}));
    }
    for (auto const& n : solid_sizes) {
        auto const weight = [](int dx, int dy, int) { return dx != 0 ? 1.5 : dy != 0 ? 40 : 0.25; };
        check_grid(laplace3d(exec, n.nx, n.ny, n.nz, 1.5, 40, 0.25), n, [&](int dx, int dy, int dz) {
            int const d = distance(dx, dy, dz);
            return d == 0 ? 83.5 : d == 1 ? -weight(dx, dy, dz) : none;
        });
        check_grid(laplace27(exec, n.nx, n.ny, n.nz), n,
                   [](int dx, int dy, int dz) { return distance(dx, dy, dz) == 0 ? 26 : -1; });
    }
    generator_options const wind{.nx = 3, .ny = 4, .nz = 5, .vx = 0, .vy = 2, .vz = -4};
    check_grid(convection(exec, wind), {3, 4, 5}, [](int dx, int dy, int dz) {
        if (distance(dx, dy, dz) > 1) return none;
        return distance(dx, dy, dz) == 0 ? 12.0 : dy < 0 ? -3.0 : dz > 0 ? -5.0 : -1.0;
    });
}

TEST_CASE("rotated diffusion is exact for quadratic functions") {
    host_executor const exec{2};
    std::int64_t const n = 5;
    for (int const points : {7, 9})
        for (double const angle : {0.0, 30.0, 45.0, 90.0, 100.0, 135.0, -20.0, 200.0})
            for (double const ratio : {1.0, 0.1, 0.001, 0.0}) {
                CAPTURE(points);
                CAPTURE(angle);
                auto const a = rotated(exec, n, n, angle, ratio, points);
                double const c = std::cos(angle * std::numbers::pi / 180), s = std::sin(angle * std::numbers::pi / 180);
                auto const gives = [&](auto const& u, double expected) {
                    CHECK(std::abs(apply_in_the_middle(a, n, u) - expected) < 1e-14);
                };
                // -div(K grad u) at 0 for u = 1, x, y, x^2, y^2, xy.
                gives([](double, double) { return 1; }, 0);
                gives([](double x, double) { return x; }, 0);
                gives([](double, double y) { return y; }, 0);
                gives([](double x, double) { return x * x; }, -2 * (c * c + ratio * s * s));
                gives([](double, double y) { return y * y; }, -2 * (s * s + ratio * c * c));
                gives([](double x, double y) { return x * y; }, -2 * (1 - ratio) * c * s);
                CHECK(is_symmetric(exec, a.view()));
                CHECK_NOTHROW(validate(exec, a.view(), {.sorted = true, .duplicates = false, .finite = true}));
            }
}

TEST_CASE("ANISO3 is ANISO2 along the antidiagonals") {
    host_executor const exec{2};
    for (auto const& n : flat_sizes) {
        std::vector<std::pair<std::int64_t, std::int64_t>> points; // (x + y, y), sorted: the definition of the order
        for (std::int64_t y = 0; y < n.ny; ++y)
            for (std::int64_t x = 0; x < n.nx; ++x) points.emplace_back(x + y, y);
        std::sort(points.begin(), points.end());
        auto const order = antidiagonal_order(exec, n.nx, n.ny);
        REQUIRE(order.size() == std::int64_t(points.size()));
        for (std::size_t p = 0; p < points.size(); ++p)
            CHECK(order[std::int64_t(p)] == points[p].second * n.nx + points[p].first - points[p].second);

        auto const a = aniso3(exec, n.nx, n.ny);
        CHECK(same_bits(a, permute(exec, view_of(aniso2(exec, n.nx, n.ny)), order.view())));
        for (std::int64_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                if (a.values()[k] == -1) CHECK(std::abs(a.column_indices()[k] - i) == 1);
    }
}

TEST_CASE("sizes and coverages of the published matrices") {
    host_executor const exec;
    CHECK(aniso1<float>(exec, 2500, 2500).nonzeros() == 56220004); // Table 14
    CHECK(aniso2(exec, 1200, 1200).nonzeros() == 12945604);        // Table 17
    auto const near = [](double got, double expected, double by) { return std::abs(got - expected) <= by; };
    auto const of = [&](csr<double> const& a) { return coverages(exec, a.view()); };
    CHECK(near(of(aniso1(exec, 500, 500)).identity_coverage(), .667, .001));
    CHECK(near(of(aniso2(exec, 500, 500)).identity_coverage(), .4 / 3, .001));
    CHECK(near(of(aniso3(exec, 500, 500)).identity_coverage(), .667, .001));
    CHECK(near(of(aniso1(exec, 500, 500)).diagonal_coverage(), .5, .001));

    auto const grid = laplace2d(exec, 1000, 1000); // ECOLOGY1
    CHECK(grid.nonzeros() == 4996000);
    CHECK(near(of(grid).diagonal_coverage(), .5, .001));
    auto const rising = rotated(exec, 1001, 1001, 45, 0.001), level = rotated(exec, 1001, 1001, 0, 0.001);
    CHECK(rising.nonzeros() == 9006001); // MODEL3, MODEL7
    CHECK(near(of(rising).diagonal_coverage(), .445, .001));
    CHECK(near(of(level).diagonal_coverage(), .333, .001));
    auto const slanted = rotated(exec, 1000, 1000, 30, 0.01, 7);
    CHECK(slanted.nonzeros() == 6992002); // MODEL4
    CHECK(near(of(slanted).diagonal_coverage(), .387, .001));
    auto const cube = laplace27(exec, 100, 100, 100);
    CHECK(cube.nonzeros() == 26463592); // MODEL2
    CHECK(near(of(cube).diagonal_coverage(), .51, .01));
}

TEST_CASE("regions of diffusion: position and rotation of each") {
    host_executor const exec{2};
    for (double const angle : {0.0, 30.0, 45.0, -70.0}) {
        auto const one = regions(exec, 7, 5, angle, 0.01, 1), plain = rotated(exec, 7, 5, angle, 0.01);
        CHECK(to_vector(exec, one.column_indices()) == to_vector(exec, plain.column_indices()));
        for (std::int64_t k = 0; k < one.nonzeros(); ++k) CHECK(std::abs(one.values()[k] - plain.values()[k]) < 1e-15);
        auto const four = regions(exec, 9, 9, angle, 0.01, 2), across = rotated(exec, 9, 9, angle + 90, 0.01);
        auto const along = rotated(exec, 9, 9, angle, 0.01);
        CHECK(is_symmetric(exec, four.view()));
        // Inside the lower left square and the one to its right; on the boundary the mean of both.
        for (auto k = four.row_offsets()[20]; k < four.row_offsets()[21]; ++k)
            CHECK(std::abs(four.values()[k] - along.values()[k]) < 1e-15);
        for (auto k = four.row_offsets()[24]; k < four.row_offsets()[25]; ++k)
            CHECK(std::abs(four.values()[k] - across.values()[k]) < 1e-15);
        auto const middle = four.row_offsets()[22] + 4;
        CHECK(std::abs(four.values()[middle] - (along.values()[middle] + across.values()[middle]) / 2) < 1e-15);
    }
    auto const large = regions(exec, 1001, 1001, 45, 0.001); // MODEL5
    CHECK(large.nonzeros() == 9006001);
    CHECK(std::abs(coverages(exec, large.view()).diagonal_coverage() - .445) < .005);
    CHECK_THROWS_AS(regions(exec, 5, 5, 45, 0.1, 0), argument_error);
}

TEST_CASE("elasticity: rigid motions have no energy, stretching that of Hooke's law") {
    host_executor const exec{2};
    double const poisson = 0.3, mu = 0.5 / (1 + poisson), lambda = poisson / ((1 + poisson) * (1 - 2 * poisson));
    auto const a = elasticity(exec, 5, 4, 3, poisson);
    CHECK(a.rows() == 180);
    CHECK(is_symmetric(exec, a.view()));
    auto const gives = [&](int component, auto const& u, double expected) {
        std::int64_t const row = 3 * (2 + 5 * (1 + 4 * 1)) + component; // an interior point
        double sum = 0;
        for (auto k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k) {
            int const column = a.column_indices()[k], point = column / 3;
            sum += a.values()[k] * u(column % 3, point % 5 - 2.0, point / 5 % 4 - 1.0, point / 20 - 1.0);
        }
        CHECK(std::abs(sum - expected) < 1e-13);
    };
    for (int c = 0; c < 3; ++c) {
        gives(
            c, [](int of, double, double, double) { return of + 1.0; }, 0);
        gives(
            c, [](int of, double x, double y, double) { return of == 0   ? -y
                                                               : of == 1 ? x
                                                                         : 0; }, 0);
        gives(
            c, [](int of, double, double y, double z) { return of == 1   ? -z
                                                               : of == 2 ? y
                                                                         : 0; }, 0);
        // u = (x^2, 0, 0) and (x y, 0, 0): -(lambda + mu) grad div u - mu laplace u.
        gives(
            c, [](int of, double x, double, double) { return of == 0 ? x * x : 0; },
            c == 0 ? -2 * (lambda + 2 * mu) : 0);
        gives(
            c, [](int of, double x, double y, double) { return of == 0 ? x * y : 0; }, c == 1 ? -(lambda + mu) : 0);
    }
    double energy = 0; // energy of lifting all interior points relative to the clamped boundary
    for (std::int64_t k = 0; k < a.nonzeros(); ++k) energy += a.values()[k];
    CHECK(energy > 0);
    CHECK_THROWS_AS(elasticity(exec, 5, 5, 5, 0.5), argument_error);
    CHECK_THROWS_AS(elasticity(exec, 1000, 1000, 1000), overflow_error);
}

TEST_CASE("a plate: rigid motions have no energy, also with free faces, and the number of entries is that of a shell") {
    host_executor const exec{2};
    auto const a = elasticity(exec, 7, 6, 2, 0.3, true);
    CHECK(is_symmetric(exec, a.view()));
    for (std::int64_t point = 0; point < 84; ++point) {
        std::int64_t const px = point % 7, py = point / 7 % 6;
        if (px == 0 || px == 6 || py == 0 || py == 5) continue; // clamped neighbours
        for (int c = 0; c < 3; ++c)
            for (int motion = 0; motion < 6; ++motion) {
                double sum = 0, size = 0;
                std::int64_t const row = 3 * point + c;
                for (auto k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k) {
                    int const column = a.column_indices()[k], other = column / 3, of = column % 3;
                    std::array<double, 3> const x{double(other % 7), double(other / 7 % 6), double(other / 42)};
                    // Three translations, then the rotations about z, x and y.
                    int const axis = motion - 3;
                    double const u = motion < 3             ? (of == motion ? 1 : 0)
                                     : of == axis           ? -x[std::size_t((axis + 1) % 3)]
                                     : of == (axis + 1) % 3 ? x[std::size_t(axis)]
                                                            : 0;
                    sum += a.values()[k] * u;
                    size += std::abs(a.values()[k] * u);
                }
                CHECK(std::abs(sum) <= 1e-14 * (1 + size));
            }
    }
    auto const large = elasticity(exec, 60, 60, 2, 0.3, true);
    CHECK(double(large.nonzeros()) / double(large.rows()) == doctest::Approx(35).epsilon(0.15)); // AF_SHELL10
    auto const thick = elasticity(exec, 6, 6, 6, 0.3, true), solid = elasticity(exec, 6, 6, 6, 0.3);
    std::int64_t const row = 3 * (2 + 6 * (2 + 6 * 3)); // far from the faces the rows are equal
    for (std::int64_t k = 0; k < 51; ++k)
        CHECK(thick.values()[thick.row_offsets()[row] + k] == solid.values()[solid.row_offsets()[row] + k]);
    CHECK_THROWS_AS(elasticity(exec, 5, 5, 1, 0.3, true), argument_error);
}

TEST_CASE("transport: fifteen points, interior rows sum to zero, an M-matrix for any flow") {
    host_executor const exec{2};
    auto const a = transport(exec, 9, 8, 7, -3, 2, 0.5);
    CHECK(symmetry_of(exec, a.view()).pattern);
    CHECK_FALSE(is_symmetric(exec, a.view()));
    std::int64_t const inside = 4 + 9 * (4 + 8 * 3);
    CHECK(a.row_offsets()[inside + 1] - a.row_offsets()[inside] == 15);
    double sum = 0;
    for (std::int64_t row = 0; row < a.rows(); ++row)
        for (auto k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k) {
            CHECK((a.column_indices()[k] == row) == (a.values()[k] > 0));
            if (row == inside) sum += a.values()[k];
        }
    CHECK(std::abs(sum) < 1e-13);
    // The reversed flow gives the transpose.
    auto const back = transport(exec, 9, 8, 7, 3, -2, -0.5);
    auto const transposed = transpose(exec, back.view());
    CHECK(same_bits(transposed.values(), a.values()));
    CHECK(is_symmetric(exec, view_of(transport(exec, 5, 5, 5, 0, 0, 0))));
    auto const large = transport(exec, 117, 117, 117, 1, 0.5, 0); // TRANSPORT: 1 602 111 rows, 14.67 a row, c_diag .50
    CHECK(double(large.nonzeros()) / double(large.rows()) == doctest::Approx(14.67).epsilon(0.02));
    CHECK(std::abs(coverages(exec, large.view()).diagonal_coverage() - .50) < .01);
    CHECK_THROWS_AS(transport(exec, 5, 5, 5, 1 / 0.0, 0, 0), argument_error);
}

TEST_CASE("circuit: row sums are zero except at grounds, conductances are within their decades") {
    host_executor const exec{2};
    auto const a = circuit(exec, {.nx = 60, .ny = 50, .seed = 3, .decades = 3, .grounded = 0.1, .ground = 7});
    CHECK(is_symmetric(exec, a.view()));
    std::int64_t grounds = 0;
    double min_value = 1, max_value = 0;
    for (std::int64_t row = 0; row < a.rows(); ++row) {
        double sum = 0;
        for (auto k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k) {
            sum += a.values()[k];
            if (a.column_indices()[k] == row) continue;
            min_value = std::min(min_value, -a.values()[k]);
            max_value = std::max(max_value, -a.values()[k]);
        }
        bool const grounded = sum > 1;
        grounds += grounded ? 1 : 0;
        CHECK(std::abs(sum - (grounded ? 7 : 0)) < 1e-13);
    }
    CHECK(grounds == doctest::Approx(300).epsilon(0.2));
    CHECK(min_value >= 1e-3);
    CHECK(min_value < 2e-3);
    CHECK(max_value <= 1);
    CHECK(max_value > 0.9);
    auto const large = circuit(exec, {.nx = 1259}); // G3_CIRCUIT: 1 585 478 rows, 4.83 a row, c_diag .76
    CHECK(std::abs(coverages(exec, large.view()).diagonal_coverage() - .76) < .01);
    CHECK_THROWS_AS(circuit(exec, {.nx = 5, .grounded = 2}), argument_error);
}

TEST_CASE("convection is unsymmetric and an M-matrix") {
    host_executor const exec{2};
    auto const a = generate(exec, "convection", {.nx = 30, .ny = 20, .nz = 4, .vx = -3, .vy = 8, .vz = 0.5});
    CHECK(symmetry_of(exec, a.view()).pattern);
    CHECK_FALSE(symmetry_of(exec, a.view()).values);
    for (std::int64_t i = 0; i < a.rows(); ++i) {
        double sum = 0;
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
            sum += a.values()[k];
            CHECK((a.values()[k] > 0) == (a.column_indices()[k] == i));
        }
        CHECK(sum >= -1e-12);
    }
    // The reversed velocity gives the transpose.
    auto const back = generate(exec, "convection", {.nx = 30, .ny = 20, .nz = 4, .vx = 3, .vy = -8, .vz = -0.5});
    CHECK(same_bits(transpose(exec, a.view()), back));
}

TEST_CASE("rmat: a simple graph that depends on the seed only") {
    host_executor const two{2};
    generator_options const options{.seed = 5, .scale = 12, .edge_factor = 8};
    auto const a = rmat(two, options);
    CHECK(a.rows() == 4096);
    CHECK(a.nonzeros() > 30000);
    CHECK(a.nonzeros() <= 2 * 8 * 4096);
    CHECK_NOTHROW(validate(two, a.view(), {.sorted = true, .duplicates = false, .finite = true}));
    CHECK(is_symmetric(two, a.view()));
    CHECK(describe(two, a.view()).zero_diagonals == 4096);
    CHECK(std::all_of(a.values().begin(), a.values().end(), [](double w) { return w > 0 && w < 1; }));
    CHECK(std::set<double>(a.values().begin(), a.values().end()).size() == std::size_t(a.nonzeros()) / 2);
    CHECK(same_bits(a, rmat(host_executor{1}, options)));
    generator_options other = options;
    other.seed = 6;
    CHECK_FALSE(same_bits(a, rmat(two, other)));

    CHECK(rmat(two, {.scale = 0}).nonzeros() == 0);
    CHECK(rmat(two, {.scale = 5, .edge_factor = 0}).rows() == 32);
    auto const corner = rmat(two, {.scale = 6, .a = 0, .b = 0, .c = 1, .d = 0, .undirected = false});
    REQUIRE(corner.nonzeros() == 1); // always the lower left quadrant
    CHECK(corner.row_offsets()[63] == 0);
    CHECK(corner.column_indices()[0] == 0);
}

TEST_CASE("rmat draws its quadrants with the given probabilities") {
    host_executor const exec{2};
    // So few edges that hardly any is drawn twice.
    auto const a =
        rmat(exec, {.scale = 20, .edge_factor = 0.1, .a = .4, .b = .3, .c = .2, .d = .1, .undirected = false});
    double const half = std::ldexp(1.0, 19);
    double quadrant[2][2] = {};
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            quadrant[double(i) >= half][a.column_indices()[k] >= half] += 1.0 / a.nonzeros();
    CHECK(a.nonzeros() > 100000);
    CHECK(quadrant[0][0] == doctest::Approx(.4).epsilon(.02)); // three standard deviations are .4 %
    CHECK(quadrant[0][1] == doctest::Approx(.3).epsilon(.02));
    CHECK(quadrant[1][0] == doctest::Approx(.2).epsilon(.02));
    CHECK(quadrant[1][1] == doctest::Approx(.1).epsilon(.02));
}

TEST_CASE("every kind by name: valid, sorted, same bits for any number of threads and every precision") {
    CHECK(generator_kinds().size() == 17);
    for (auto const& kind : generator_kinds()) {
        CAPTURE(kind.name);
        generator_options options{.nx = 130, .ny = 70};
        if (kind.name == "laplace3d" || kind.name == "laplace27" || kind.name == "elasticity" ||
            kind.name == "transport")
            options.nz = 3;
        auto const a = generate(host_executor{1}, kind.name, options);
        CHECK(same_bits(a, generate(host_executor{3}, kind.name, options)));
        CHECK_NOTHROW(validate(host_executor{1}, a.view(), {.sorted = true, .duplicates = false, .finite = true}));
        auto const single = generate<float>(host_executor{1}, kind.name, options);
        REQUIRE(same_bits(single.column_indices(), a.column_indices()));
        bool rounded = true;
        for (std::int64_t k = 0; k < a.nonzeros(); ++k) rounded = rounded && single.values()[k] == float(a.values()[k]);
        CHECK(rounded);
        for (auto const& key : kind.keys) {
            CHECK_NOTHROW(set_generator_option(options, kind.name, key,
                                               key == "points"    ? "7"
                                               : key == "poisson" ? "0.25"
                                                                  : "1"));
            auto const& rows = generator_option_rows();
            CHECK(std::count_if(rows.begin(), rows.end(), [&](auto const& row) { return row.name == key; }) == 1);
        }
    }
}

TEST_CASE("generators as text") {
    CHECK(names_generator("generate:aniso1"));
    CHECK_FALSE(names_generator("aniso1.mtx"));
    auto const request = parse_generator("generate:rotated,nx=1001,angle=-30.5,ratio=1e-2,points=7");
    CHECK(request.kind == "rotated");
    CHECK(request.options.nx == 1001);
    CHECK(request.options.ny == 0);
    CHECK(request.options.angle == -30.5);
    CHECK(request.options.ratio == 0.01);
    CHECK(request.options.points == 7);
    auto const gallery = parse_generator("tridiagonal,n=0,case=20,seed=18446744073709551615");
    CHECK(gallery.options.n == 0);
    CHECK(gallery.options.case_id == 20);
    CHECK(gallery.options.seed == UINT64_MAX);
    host_executor const exec{1};
    CHECK(generate(exec, gallery.kind, gallery.options).rows() == 0);
    auto const five = parse_generator("pentadiagonal,n=50,case=23,seed=3");
    CHECK(generate(exec, five.kind, five.options).values().size() == 5 * 50 - 6);
    CHECK(parse_generator("rmat,edge-factor=3").options.edge_factor == 3);
    CHECK(parse_generator("rmat,edge_factor=3").options.edge_factor == 3);
    CHECK(generate(exec, "laplace2d", {.nx = 6}).rows() == 36);
    CHECK(generate(exec, "laplace3d", {.nx = 6}).rows() == 216);
    CHECK(generate(exec, "convection", {.nx = 6}).rows() == 36);
}

TEST_CASE("invalid texts and values are rejected with a message") {
    struct {
        char const *text, *message;
    } const wrong[] = {
        {"", "unknown generator ''"},
        {"generate:", "unknown generator ''"},
        {"generate:anisotropic", "unknown generator 'anisotropic', expected one of aniso1, aniso2"},
        {"generate:aniso1,", "expected key=value"},
        {"generate:aniso1,,nx=3", "expected key=value"},
        {"generate:aniso1,nx", "expected key=value"},
        {"generate:aniso1,nz=3", "generator aniso1 has no option 'nz', it takes nx, ny"},
        {"generate:aniso1,=3", "generator aniso1 has no option ''"},
        {"generate:aniso1,nx=3,nx=3", "generator option nx is given twice in 'generate:aniso1,nx=3,nx=3'"},
        {"generate:aniso1,nx=", "nx is '', expected an integer from 1 to 2147483647"},
        {"generate:aniso1,nx=0", "nx is '0'"},
        {"generate:aniso1,nx=-5", "nx is '-5'"},
        {"generate:aniso1,nx=3x", "nx is '3x'"},
        {"generate:aniso1,nx=99999999999999999999", "nx is '99999999999999999999'"},
        {"generate:tridiagonal,case=21", "case is '21', expected an integer from 1 to 20"},
        {"generate:pentadiagonal,case=24", "case is '24', expected an integer from 1 to 23"},
        {"generate:rotated,ratio=nan", "ratio is 'nan', expected a number from 0 to 1"},
        {"generate:rmat,a=inf", "a is 'inf'"},
        {"generate:rmat,edge_factor=-1", "edge-factor is '-1'"},
        {"generate:rmat,edge_factor=2,edge-factor=2", "edge-factor is given twice"},
        {"generate:rmat,seed=-1", "seed is '-1'"},
    };
    for (auto const& [text, message] : wrong) {
        auto const& case_text = text;
        CAPTURE(case_text);
        CHECK_THROWS_WITH_AS(parse_generator(text), doctest::Contains(message), argument_error);
    }
    host_executor const exec{1};
    CHECK_THROWS_AS(generate(exec, "nothing", {}), argument_error);
    CHECK_THROWS_AS(aniso1(exec, 0, 5), argument_error);
    CHECK_THROWS_AS(aniso3(exec, 5, -1), argument_error);
    CHECK_THROWS_AS(antidiagonal_order(exec, -1, -1), argument_error);
    CHECK_THROWS_AS(laplace3d(exec, 5, 5, 5, -1, 1, 1), argument_error);
    CHECK_THROWS_AS(laplace3d(exec, 5, 5, 5, 1, none, 1), argument_error);
    CHECK_THROWS_AS(rotated(exec, 5, 5, 45, 2), argument_error);
    CHECK_THROWS_AS(rotated(exec, 5, 5, 45, 0.1, 8), argument_error);
    CHECK_THROWS_AS(convection(exec, {.nx = 5, .vx = 1 / 0.0}), argument_error);
    CHECK_THROWS_AS(rmat(exec, {.scale = 31}), argument_error);
    CHECK_THROWS_AS(rmat(exec, {.edge_factor = -1}), argument_error);
    CHECK_THROWS_AS(rmat(exec, {.a = .5, .b = .5, .c = .5, .d = .5}), argument_error);
    CHECK_THROWS_AS(rmat(exec, {.scale = 30, .edge_factor = 100}), overflow_error);
    CHECK_THROWS_AS(laplace2d(exec, 1 << 20, 1 << 20), overflow_error);
    CHECK_THROWS_AS(laplace27(exec, 1 << 15, 1 << 15, 1 << 15), overflow_error);
    CHECK_THROWS_AS(laplace2d(exec, std::int64_t{1} << 40, 1), overflow_error);
}
