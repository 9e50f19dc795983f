// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices of bilinear and trilinear finite elements with varying coefficients or several unknowns per point, which a
/// scalar stencil cannot express.
#include <array>
#include <cmath>
#include <numbers>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/generate/grid_checks.hpp>
#include <coppice/algebra/rows/assemble.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Nine points per row: sum over the four elements around the point. Points outside the grid are dropped.
template <class T>
class region_rows {
public:
    region_rows(std::int64_t nx, std::int64_t ny, double angle, double ratio, int regions)
        : nx_(nx), ny_(ny), regions_(regions) {
        for (int rotation : {0, 1}) {
            double const radians = (angle + 90 * rotation) * std::numbers::pi / 180;
            double const c = std::cos(radians), s = std::sin(radians);
            diffusion_[std::size_t(rotation)] = {c * c + ratio * s * s, s * s + ratio * c * c, (1 - ratio) * c * s};
        }
    }

    int count(std::int64_t row) const {
        std::int64_t const x = row % nx_, y = row / nx_;
        auto const reach = [](std::int64_t at, std::int64_t size) { return 1 + (at > 0) + (at + 1 < size); };
        return reach(x, nx_) * reach(y, ny_);
    }
    void fill(std::int64_t row, std::int32_t* columns, T* values) const {
        std::int64_t const x = row % nx_, y = row / nx_;
        for (std::int64_t j = y > 0 ? y - 1 : y; j <= y + 1 && j < ny_; ++j)
            for (std::int64_t i = x > 0 ? x - 1 : x; i <= x + 1 && i < nx_; ++i) {
                *columns++ = std::int32_t(j * nx_ + i);
                *values++ = T(coupling(x, y, int(i - x), int(j - y)));
            }
    }

private:
    struct tensor {
        double xx, yy, xy;
    };
    /// Elements are numbered from the one at the lower left of point (0, 0).
    tensor const& diffusion_of(std::int64_t ex, std::int64_t ey) const {
        std::int64_t const sum = ex * regions_ / (nx_ + 1) + ey * regions_ / (ny_ + 1);
        return diffusion_[std::size_t(sum % 2)];
    }
    /// Matrix entry that couples point (x, y) to point (x + dx, y + dy): sum over the elements that contain both
    /// points.
    double coupling(std::int64_t x, std::int64_t y, int dx, int dy) const {
        double sum = 0;
        for (int ey = dy > 0 ? 1 : 0; ey <= (dy < 0 ? 0 : 1); ++ey)
            for (int ex = dx > 0 ? 1 : 0; ex <= (dx < 0 ? 0 : 1); ++ex) {
                tensor const& k = diffusion_of(x + ex, y + ey);
                // 1 if the diagonal of the element through this point rises to the right, -1 if it falls.
                double const rising = ex == ey ? 1 : -1;
                sum += dx == 0 && dy == 0 ? (k.xx + k.yy) / 3 + rising * k.xy / 2
                       : dy == 0          ? k.yy / 6 - k.xx / 3
                       : dx == 0          ? k.xx / 6 - k.yy / 3
                                          : -(k.xx + k.yy) / 6 - rising * k.xy / 2;
            }
        return sum;
    }

    std::int64_t nx_, ny_, regions_;
    std::array<tensor, 2> diffusion_{};
};

/// Three displacements per point, with consecutive numbers. Integrals of trilinear functions are products of
/// one-dimensional integrals.
template <class T>
class elasticity_rows {
public:
    elasticity_rows(std::int64_t nx, std::int64_t ny, std::int64_t nz, double poisson, bool plate)
        : size_{nx, ny, nz}, plate_(plate), lambda_(poisson / ((1 + poisson) * (1 - 2 * poisson))),
          mu_(0.5 / (1 + poisson)) {}

    int count(std::int64_t row) const {
        int found = 0;
        for_each_entry(row, [&](std::int64_t, double) { ++found; });
        return found;
    }
    void fill(std::int64_t row, std::int32_t* columns, T* values) const {
        for_each_entry(row, [&](std::int64_t column, double value) {
            *columns++ = std::int32_t(column);
            *values++ = T(value);
        });
    }

private:
    /// Step d, |d| <= 1, along an axis from a point. `face`: the point is on a free face before it (-1), after it (1)
    /// or on none (0); on a free face half of its hat function is missing.
    struct step {
        int d = 0, face = 0;
    };
    // Integrals over products of the two hat functions and their derivatives for mesh width 1.
    static double product(step s) { return s.d != 0 ? 1.0 / 6 : s.face != 0 ? 1.0 / 3 : 2.0 / 3; }
    static double slopes(step s) { return s.d != 0 ? -1 : s.face != 0 ? 1 : 2; }
    /// Derivative of the first hat function times the second.
    static double slope(step s) { return s.d != 0 ? -0.5 * s.d : 0.5 * s.face; }
    /// Derivative of the second hat function times the first.
    static double slope_of_second(step s) { return s.d != 0 ? -slope(s) : slope(s); }

    template <class Entry>
    void for_each_entry(std::int64_t row, Entry const& entry) const {
        std::int64_t const point = row / 3;
        auto const a = std::size_t(row % 3);
        std::array<std::int64_t, 3> const at{point % size_[0], point / size_[0] % size_[1],
                                             point / size_[0] / size_[1]};
        auto const inside = [&](std::array<int, 3> const& d) {
            bool all = true;
            for (std::size_t c = 0; c < 3; ++c) all = all && at[c] + d[c] >= 0 && at[c] + d[c] < size_[c];
            return all;
        };
        int const face = !plate_ ? 0 : at[2] == 0 ? -1 : at[2] + 1 == size_[2] ? 1 : 0;
        for (int z = -1; z <= 1; ++z)
            for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x) {
                    if (!inside({x, y, z})) continue;
                    std::int64_t const other = point + x + size_[0] * (y + size_[1] * z);
                    std::array<step, 3> const d{step{x}, step{y}, step{z, face}};
                    for (std::size_t b = 0; b < 3; ++b)
                        if (a == b || (slope(d[a]) != 0 && slope(d[b]) != 0))
                            entry(3 * other + std::int64_t(b), coupling(d, a, b));
                }
    }
    /// Integral of lambda (d_a u)(d_b v) + mu (d_b u)(d_a v) + [a = b] mu (grad u)(grad v).
    double coupling(std::array<step, 3> const& d, std::size_t a, std::size_t b) const {
        if (a != b)
            return (lambda_ * slope(d[a]) * slope_of_second(d[b]) + mu_ * slope_of_second(d[a]) * slope(d[b])) *
                   product(d[3 - a - b]);
        double sum = 0;
        for (std::size_t c = 0; c < 3; ++c)
            sum +=
                (c == a ? lambda_ + 2 * mu_ : mu_) * slopes(d[c]) * product(d[(c + 1) % 3]) * product(d[(c + 2) % 3]);
        return sum;
    }

    std::array<std::int64_t, 3> size_;
    bool plate_;
    double lambda_, mu_;
};

} // namespace

template <class T>
csr<T> regions(host_executor const& exec, std::int64_t nx, std::int64_t ny, double angle, double ratio, int count) {
    std::int64_t const n = detail::checked_points(nx, ny, 1);
    detail::check_coefficient("angle", angle, -360, 360);
    detail::check_coefficient("ratio", ratio, 0, 1);
    detail::check_coefficient("regions", count, 1, 1e6);
    return detail::assemble_rows<T>(exec, n, n, region_rows<T>(nx, ny, angle, ratio, count));
}

template <class T>
csr<T> elasticity(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz, double poisson,
                  bool plate) {
    std::int64_t const n = detail::checked_points(nx, ny, nz);
    if (n > INT32_MAX / 3)
        throw overflow_error("three unknowns at each of " + std::to_string(n) + " points do not fit 32-bit indices");
    detail::check_coefficient("poisson", poisson, 0, 0.499);
    if (plate && nz < 2) throw argument_error("nz is 1, expected at least 2 for a plate");
    return detail::assemble_rows<T>(exec, 3 * n, 3 * n, elasticity_rows<T>(nx, ny, nz, poisson, plate));
}

#define COPPICE_INSTANTIATE(T)                                                                                         \
    template csr<T> regions<T>(host_executor const&, std::int64_t, std::int64_t, double, double, int);                 \
    template csr<T> elasticity<T>(host_executor const&, std::int64_t, std::int64_t, std::int64_t, double, bool)
COPPICE_INSTANTIATE(float);
COPPICE_INSTANTIATE(double);
#undef COPPICE_INSTANTIATE

} // namespace coppice::inline v0_1
