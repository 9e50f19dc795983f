// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices of the suite `multilevel` and of its peers.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/generate/generators.hpp>

namespace coppice::bench {

struct multilevel_problem {
    std::string name;
    std::string generator; ///< as parse_generator() reads it, or one of the two below with ",nx="
    bool symmetric = true;
};

/// Thirteen matrices on plane grids of `points` points per direction, on grids in space of `depth` points, and
/// elasticity on grids of `solid` points.
inline std::vector<multilevel_problem> multilevel_problems(int points, int depth, int solid) {
    auto const n = std::to_string(points), m = std::to_string(depth);
    return {{"5-point", "laplace2d,nx=" + n},
            {"ANISO1", "aniso1,nx=" + n},
            {"ANISO2", "aniso2,nx=" + n},
            {"ANISO3", "aniso3,nx=" + n},
            {"rotated 45", "rotated,nx=" + n + ",angle=45,ratio=0.01"},
            {"rotated 30", "rotated,nx=" + n + ",angle=30,ratio=0.01"},
            {"rotated 30, 7-point", "rotated,nx=" + n + ",angle=30,ratio=0.01,points=7"},
            {"jumps", "jumps,nx=" + n},
            {"ATMOSMODM", "laplace3d,nx=" + m + ",wy=40"},
            {"7-point", "laplace3d,nx=" + m},
            {"convection", "convection,nx=" + n, false},
            {"recirculating", "recirculating,nx=" + n, false},
            {"elasticity", "elasticity,nx=" + std::to_string(solid)}};
}

/// Five-point matrix of -div(w grad u) + v grad u by finite volumes on n x n cells with upwinding; u = 0 outside of the
/// domain. weight(x, y) of a cell; wind(x, y, direction): flow through its right (0) or upper (1) face, in units of w.
template <class Weight, class Wind>
csr<double> finite_volumes(std::int64_t n, Weight const& weight, Wind const& wind) {
    auto a = generate<double>(host_executor{}, "laplace2d", {.nx = n});
    for (std::int64_t i = 0; i < a.rows(); ++i) {
        std::int64_t const x = i % n, y = i / n;
        double const here = weight(x, y);
        // Left, right, below, above: the neighbour, and the flow from this cell to it.
        std::array<std::pair<std::int64_t, double>, 4> neighbours{
            {{x > 0 ? i - 1 : -1, x > 0 ? -wind(x - 1, y, 0) : 0},
             {x + 1 < n ? i + 1 : -1, x + 1 < n ? wind(x, y, 0) : 0},
             {y > 0 ? i - n : -1, y > 0 ? -wind(x, y - 1, 1) : 0},
             {y + 1 < n ? i + n : -1, y + 1 < n ? wind(x, y, 1) : 0}}};
        double diagonal = 0;
        for (auto const& [j, blows] : neighbours) {
            double const w = j < 0 ? here : 2 / (1 / here + 1 / weight(j % n, j / n));
            diagonal += w + (blows > 0 ? blows : 0);
            for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                if (a.column_indices()[k] == j) a.values()[k] = -w - (blows < 0 ? -blows : 0);
        }
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            if (a.column_indices()[k] == i) a.values()[k] = diagonal;
    }
    return a;
}

inline csr<double> make_multilevel_problem(multilevel_problem const& p) {
    auto const comma = p.generator.find(',');
    auto const kind = p.generator.substr(0, comma);
    if (kind != "jumps" && kind != "recirculating") {
        auto const request = parse_generator(p.generator);
        return generate<double>(host_executor{}, request.kind, request.options);
    }
    std::int64_t const n = std::stoll(p.generator.substr(comma + 4)), square = n < 16 ? 1 : n / 16;
    if (kind == "jumps") // jumps between 10^3 and 10^-3 on the squares of a chessboard
        return finite_volumes(
            n,
            [=](std::int64_t x, std::int64_t y) {
                return std::array{1.0, 1e3, 1e-3}[std::size_t((x / square + 2 * (y / square)) % 3)];
            },
            [](std::int64_t, std::int64_t, int) { return 0.0; });
    // The stream function sin(pi x) sin(pi y): a flow around the centre of the square, of magnitude at most 1.
    auto const stream = [=](std::int64_t x, std::int64_t y) {
        double const h = 3.14159265358979323846 / double(n);
        return double(n) / 3.14159265358979323846 * std::sin(h * double(x)) * std::sin(h * double(y));
    };
    return finite_volumes(
        n, [](std::int64_t, std::int64_t) { return 1.0; },
        [=](std::int64_t x, std::int64_t y, int direction) {
            return direction == 0 ? stream(x + 1, y + 1) - stream(x + 1, y) : stream(x, y + 1) - stream(x + 1, y + 1);
        });
}

/// The solution `sine`, as in the command.
inline std::vector<double> sine_of(std::int64_t n) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
        x[std::size_t(i)] = std::sin(16 * 3.14159265358979323846 * double(i) / double(n));
    return x;
}

} // namespace coppice::bench
