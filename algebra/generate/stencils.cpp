// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Stencil matrices on structured grids.
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/generate/grid_checks.hpp>
#include <coppice/algebra/rows/assemble.hpp>

namespace coppice::inline v0_1 {
namespace {

using detail::check_coefficient, detail::checked_points;

struct stencil_point {
    int dx, dy, dz;
    double value;
};

/// Rows of a matrix with one stencil for all grid points, truncated at the boundary. Stencil points are in the order of
/// columns.
template <class T>
class stencil_rows {
public:
    stencil_rows(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::initializer_list<stencil_point> points)
        : nx_(static_cast<std::uint32_t>(nx)), ny_(static_cast<std::uint32_t>(ny)),
          nz_(static_cast<std::uint32_t>(nz)) {
        for (auto const& p : points) add(p);
    }

    void add(stencil_point p) {
        points_[size_] = p;
        shift_[size_] = static_cast<std::int32_t>((p.dz * std::int64_t(ny_) + p.dy) * nx_ + p.dx);
        values_[size_] = static_cast<T>(p.value);
        reach_x_ |= p.dx != 0;
        reach_y_ |= p.dy != 0;
        reach_z_ |= p.dz != 0;
        ++size_;
    }

    int count(std::int64_t row) const {
        auto const at = locate(row);
        if (at.interior) return size_;
        int inside = 0;
        for (int p = 0; p < size_; ++p) inside += holds(at, p) ? 1 : 0;
        return inside;
    }

    void fill(std::int64_t row, std::int32_t* columns, T* values) const {
        auto const at = locate(row);
        auto const centre = static_cast<std::int32_t>(row);
        if (at.interior) {
            for (int p = 0; p < size_; ++p) columns[p] = centre + shift_[p];
            for (int p = 0; p < size_; ++p) values[p] = values_[p];
            return;
        }
        for (int p = 0; p < size_; ++p) {
            if (!holds(at, p)) continue;
            *columns++ = centre + shift_[p];
            *values++ = values_[p];
        }
    }

private:
    struct grid_point {
        std::uint32_t x, y, z;
        bool interior;
    };

    grid_point locate(std::int64_t row) const {
        auto const i = static_cast<std::uint32_t>(row);
        std::uint32_t const line = i / nx_;
        std::uint32_t const x = i - line * nx_;
        std::uint32_t const z = line / ny_;
        std::uint32_t const y = line - z * ny_;
        // x - 1 wraps around for x = 0, so one comparison tests both boundaries, also if nx is 1 or 2.
        bool const interior =
            (!reach_x_ || x - 1 < nx_ - 2) && (!reach_y_ || y - 1 < ny_ - 2) && (!reach_z_ || z - 1 < nz_ - 2);
        return {x, y, z, interior};
    }
    bool holds(grid_point const& at, int p) const {
        auto const& s = points_[p];
        return at.x + static_cast<std::uint32_t>(s.dx) < nx_ && at.y + static_cast<std::uint32_t>(s.dy) < ny_ &&
               at.z + static_cast<std::uint32_t>(s.dz) < nz_;
    }

    std::uint32_t nx_, ny_, nz_;
    bool reach_x_ = false, reach_y_ = false, reach_z_ = false;
    int size_ = 0;
    std::array<stencil_point, 27> points_{};
    std::array<std::int32_t, 27> shift_{};
    std::array<T, 27> values_{};
};

template <class T>
csr<T> grid_matrix(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                   std::initializer_list<stencil_point> points) {
    std::int64_t const n = checked_points(nx, ny, nz);
    return detail::assemble_rows<T>(exec, n, n, stencil_rows<T>(nx, ny, nz, points));
}

/// Numbers a grid along its antidiagonals x + y = s, each in the order of y.
class antidiagonals {
public:
    antidiagonals(std::int64_t nx, std::int64_t ny) : nx_(nx), ny_(ny) {}

    /// Number of points with x + y < s: a triangle minus its corners outside the rectangle.
    std::int64_t before(std::int64_t s) const {
        auto const triangle = [](std::int64_t k) { return k > 0 ? k * (k + 1) / 2 : 0; };
        return triangle(s) - triangle(s - nx_) - triangle(s - ny_) + triangle(s - nx_ - ny_);
    }
    std::int64_t position(std::int64_t x, std::int64_t y) const {
        return before(x + y) + y - std::max<std::int64_t>(0, x + y - nx_ + 1);
    }
    /// Returns the antidiagonal of `position`. Their lengths increase to the shorter side, stay constant, and decrease.
    std::int64_t diagonal_of(std::int64_t position) const {
        std::int64_t const shorter = std::min(nx_, ny_), growing = shorter * (shorter - 1) / 2;
        std::int64_t const from_end = nx_ * ny_ - 1 - position;
        if (position < growing) return triangle_root(position);
        if (from_end < growing) return nx_ + ny_ - 2 - triangle_root(from_end);
        return shorter - 1 + (position - growing) / shorter;
    }
    /// Returns {x, y} of a position.
    std::array<std::int64_t, 2> point(std::int64_t position) const {
        std::int64_t const s = diagonal_of(position);
        std::int64_t const y = position - before(s) + std::max<std::int64_t>(0, s - nx_ + 1);
        return {s - y, y};
    }
    bool holds(std::int64_t x, std::int64_t y) const { return x >= 0 && y >= 0 && x < nx_ && y < ny_; }

private:
    /// Returns the largest s with s (s + 1) / 2 <= k. Exact, since the rounding error of the root is less than one.
    static std::int64_t triangle_root(std::int64_t k) {
        auto s = static_cast<std::int64_t>((std::sqrt(8 * static_cast<double>(k) + 1) - 1) / 2);
        if (s * (s + 1) / 2 > k) --s;
        if ((s + 1) * (s + 2) / 2 <= k) ++s;
        return s;
    }

    std::int64_t nx_, ny_;
};

/// ANISO2 in the order of antidiagonals. Stencil points are in the order of their positions.
template <class T>
class aniso3_rows {
public:
    aniso3_rows(std::int64_t nx, std::int64_t ny) : order_(nx, ny) {}

    int count(std::int64_t row) const {
        auto const [x, y] = order_.point(row);
        int inside = 0;
        for (auto const& p : points) inside += order_.holds(x + p.dx, y + p.dy) ? 1 : 0;
        return inside;
    }
    void fill(std::int64_t row, std::int32_t* columns, T* values) const {
        auto const [x, y] = order_.point(row);
        for (auto const& p : points) {
            if (!order_.holds(x + p.dx, y + p.dy)) continue;
            *columns++ = static_cast<std::int32_t>(order_.position(x + p.dx, y + p.dy));
            *values++ = static_cast<T>(p.value);
        }
    }

private:
    static constexpr stencil_point points[9] = {{-1, -1, 0, -0.1}, {0, -1, 0, -0.2}, {-1, 0, 0, -0.2},
                                                {1, -1, 0, -1.0},  {0, 0, 0, 3.0},   {-1, 1, 0, -1.0},
                                                {1, 0, 0, -0.2},   {0, 1, 0, -0.2},  {1, 1, 0, -0.1}};
    antidiagonals order_;
};

} // namespace

template <class T>
csr<T> aniso1(host_executor const& exec, std::int64_t nx, std::int64_t ny) {
    return grid_matrix<T>(exec, nx, ny, 1,
                          {{-1, -1, 0, -0.2},
                           {0, -1, 0, -0.1},
                           {1, -1, 0, -0.2}, //
                           {-1, 0, 0, -1.0},
                           {0, 0, 0, 3.0},
                           {1, 0, 0, -1.0}, //
                           {-1, 1, 0, -0.2},
                           {0, 1, 0, -0.1},
                           {1, 1, 0, -0.2}});
}

template <class T>
csr<T> aniso2(host_executor const& exec, std::int64_t nx, std::int64_t ny) {
    return grid_matrix<T>(exec, nx, ny, 1,
                          {{-1, -1, 0, -0.1},
                           {0, -1, 0, -0.2},
                           {1, -1, 0, -1.0}, //
                           {-1, 0, 0, -0.2},
                           {0, 0, 0, 3.0},
                           {1, 0, 0, -0.2}, //
                           {-1, 1, 0, -1.0},
                           {0, 1, 0, -0.2},
                           {1, 1, 0, -0.1}});
}

template <class T>
csr<T> aniso3(host_executor const& exec, std::int64_t nx, std::int64_t ny) {
    std::int64_t const n = checked_points(nx, ny, 1);
    return detail::assemble_rows<T>(exec, n, n, aniso3_rows<T>(nx, ny));
}

buffer<std::int32_t> antidiagonal_order(host_executor const& exec, std::int64_t nx, std::int64_t ny) {
    std::int64_t const n = checked_points(nx, ny, 1);
    buffer<std::int32_t> order(exec, n);
    antidiagonals const grid(nx, ny);
    for_each(exec, n, [&](std::int64_t position) {
        auto const [x, y] = grid.point(position);
        order[position] = static_cast<std::int32_t>(y * nx + x);
    });
    return order;
}

template <class T>
csr<T> laplace2d(host_executor const& exec, std::int64_t nx, std::int64_t ny) {
    return grid_matrix<T>(exec, nx, ny, 1,
                          {{0, -1, 0, -1.0}, {-1, 0, 0, -1.0}, {0, 0, 0, 4.0}, {1, 0, 0, -1.0}, {0, 1, 0, -1.0}});
}

template <class T>
csr<T> laplace3d(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz, double wx, double wy,
                 double wz) {
    check_coefficient("wx", wx, 0, 1e30);
    check_coefficient("wy", wy, 0, 1e30);
    check_coefficient("wz", wz, 0, 1e30);
    return grid_matrix<T>(exec, nx, ny, nz,
                          {{0, 0, -1, -wz},
                           {0, -1, 0, -wy},
                           {-1, 0, 0, -wx},
                           {0, 0, 0, 2 * (wx + wy + wz)},
                           {1, 0, 0, -wx},
                           {0, 1, 0, -wy},
                           {0, 0, 1, -wz}});
}

template <class T>
csr<T> laplace27(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    std::int64_t const n = checked_points(nx, ny, nz);
    stencil_rows<T> rows(nx, ny, nz, {});
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) rows.add({dx, dy, dz, dx == 0 && dy == 0 && dz == 0 ? 26.0 : -1.0});
    return detail::assemble_rows<T>(exec, n, n, rows);
}

template <class T>
csr<T> rotated(host_executor const& exec, std::int64_t nx, std::int64_t ny, double angle, double ratio, int points) {
    check_coefficient("angle", angle, -360, 360);
    check_coefficient("ratio", ratio, 0, 1);
    double const radians = angle * std::numbers::pi / 180;
    double const c = std::cos(radians), s = std::sin(radians);
    double const kxx = c * c + ratio * s * s, kyy = s * s + ratio * c * c, kxy = (1 - ratio) * c * s;
    if (points == 9) {
        // Element integrals of bilinear shape functions: -u_xx gives [-1 2 -1; -4 8 -4; -1 2 -1] / 6; u_xy gives a
        // quarter of the difference between the diagonals.
        double const centre = 8 * (kxx + kyy) / 6, along_x = (2 * kyy - 4 * kxx) / 6, along_y = (2 * kxx - 4 * kyy) / 6;
        double const rising = -(kxx + kyy) / 6 - kxy / 2, falling = -(kxx + kyy) / 6 + kxy / 2;
        return grid_matrix<T>(exec, nx, ny, 1,
                              {{-1, -1, 0, rising},
                               {0, -1, 0, along_y},
                               {1, -1, 0, falling}, //
                               {-1, 0, 0, along_x},
                               {0, 0, 0, centre},
                               {1, 0, 0, along_x}, //
                               {-1, 1, 0, falling},
                               {0, 1, 0, along_y},
                               {1, 1, 0, rising}});
    }
    if (points != 7) throw argument_error("points is " + std::to_string(points) + ", expected 7 or 9");
    // 2 u_xy h^2 = +-(2 u - E - W - N - S + the two points of the diagonal closer to the strong direction).
    double const mixed = std::abs(kxy);
    int const direction = kxy < 0 ? -1 : 1;
    stencil_point const below{-direction, -1, 0, -mixed}, above{direction, 1, 0, -mixed};
    stencil_point const south{0, -1, 0, mixed - kyy}, north{0, 1, 0, mixed - kyy};
    return grid_matrix<T>(exec, nx, ny, 1,
                          {direction > 0 ? below : south,
                           direction > 0 ? south : below,
                           {-1, 0, 0, mixed - kxx},
                           {0, 0, 0, 2 * (kxx + kyy - mixed)},
                           {1, 0, 0, mixed - kxx},
                           direction > 0 ? north : above,
                           direction > 0 ? above : north});
}

template <class T>
csr<T> convection(host_executor const& exec, generator_options const& o) {
    std::int64_t const ny = o.ny ? o.ny : o.nx, nz = o.nz ? o.nz : 1;
    double const wz = nz > 1 ? o.wz : 0, vz = nz > 1 ? o.vz : 0;
    check_coefficient("wx", o.wx, 0, 1e30);
    check_coefficient("wy", o.wy, 0, 1e30);
    check_coefficient("wz", wz, 0, 1e30);
    check_coefficient("vx", o.vx, -1e30, 1e30);
    check_coefficient("vy", o.vy, -1e30, 1e30);
    check_coefficient("vz", vz, -1e30, 1e30);
    // Upwind differences: the value is taken from the side that the flow comes from.
    auto const from = [](double w, double v) { return -(w + std::max(v, 0.0)); };
    double const centre = 2 * (o.wx + o.wy + wz) + std::abs(o.vx) + std::abs(o.vy) + std::abs(vz);
    stencil_point const left{-1, 0, 0, from(o.wx, o.vx)}, right{1, 0, 0, from(o.wx, -o.vx)};
    stencil_point const south{0, -1, 0, from(o.wy, o.vy)}, north{0, 1, 0, from(o.wy, -o.vy)};
    if (nz == 1) return grid_matrix<T>(exec, o.nx, ny, nz, {south, left, {0, 0, 0, centre}, right, north});
    stencil_point const below{0, 0, -1, from(wz, vz)}, above{0, 0, 1, from(wz, -vz)};
    return grid_matrix<T>(exec, o.nx, ny, nz, {below, south, left, {0, 0, 0, centre}, right, north, above});
}

template <class T>
csr<T> transport(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz, double vx, double vy,
                 double vz) {
    check_coefficient("vx", vx, -1e30, 1e30);
    check_coefficient("vy", vy, -1e30, 1e30);
    check_coefficient("vz", vz, -1e30, 1e30);
    // Offsets between neighbouring nodes, so that columns are ascending. For each offset e, a node is coupled to the
    // nodes at -e and at +e.
    constexpr std::array<std::array<int, 3>, 7> edges{
        {{1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {0, 0, 1}, {1, 1, 0}, {0, 1, 0}, {1, 0, 0}}};
    std::int64_t const n = checked_points(nx, ny, nz);
    stencil_rows<T> rows(nx, ny, nz, {});
    double centre = 0;
    auto const speed = [&](std::array<int, 3> const& e) { return vx * e[0] + vy * e[1] + vz * e[2]; };
    for (auto const& e : edges) {
        rows.add({-e[0], -e[1], -e[2], -(1 + std::max(speed(e), 0.0))});
        centre += 2 + std::abs(speed(e));
    }
    rows.add({0, 0, 0, centre});
    for (auto e = edges.rbegin(); e != edges.rend(); ++e)
        rows.add({(*e)[0], (*e)[1], (*e)[2], -(1 + std::max(-speed(*e), 0.0))});
    return detail::assemble_rows<T>(exec, n, n, rows);
}

#define COPPICE_INSTANTIATE(T)                                                                                         \
    template csr<T> aniso1<T>(host_executor const&, std::int64_t, std::int64_t);                                       \
    template csr<T> aniso2<T>(host_executor const&, std::int64_t, std::int64_t);                                       \
    template csr<T> aniso3<T>(host_executor const&, std::int64_t, std::int64_t);                                       \
    template csr<T> laplace2d<T>(host_executor const&, std::int64_t, std::int64_t);                                    \
    template csr<T> laplace3d<T>(host_executor const&, std::int64_t, std::int64_t, std::int64_t, double, double,       \
                                 double);                                                                              \
    template csr<T> laplace27<T>(host_executor const&, std::int64_t, std::int64_t, std::int64_t);                      \
    template csr<T> rotated<T>(host_executor const&, std::int64_t, std::int64_t, double, double, int);                 \
    template csr<T> transport<T>(host_executor const&, std::int64_t, std::int64_t, std::int64_t, double, double,       \
                                 double);                                                                              \
    template csr<T> convection<T>(host_executor const&, generator_options const&)
COPPICE_INSTANTIATE(float);
COPPICE_INSTANTIATE(double);
#undef COPPICE_INSTANTIATE

} // namespace coppice::inline v0_1
