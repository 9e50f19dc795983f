// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices whose forests cross the boundaries of ranks, and their rows on ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

#include "support/executors.hpp"
#include "support/graphs.hpp"
#include "support/sanitized.hpp"

namespace coppice::test {

using rank_rows = std::vector<int>; ///< first row of each rank, and the end

inline rank_rows equal_rows(int n, int ranks) {
    rank_rows begins;
    for (int p = 0; p <= ranks; ++p) begins.push_back(int(std::int64_t(n) * p / ranks));
    return begins;
}

/// The values in the rows of rank p.
template <class T>
std::vector<T> values_of_rank(plain_csr<T> const& a, rank_rows const& begins, std::size_t p) {
    return {a.values.begin() + a.offsets[std::size_t(begins[p])],
            a.values.begin() + a.offsets[std::size_t(begins[p + 1])]};
}

/// Calls work(exec, comm, a) on the ranks with their rows of a matrix.
template <class Fixture, class T, class Work>
void with_rows(plain_csr<T> const& a, rank_rows const& begins, Work const& work) {
    using exec_type = decltype(Fixture::exec());
    multi_executor<exec_type> const all(executors_of<Fixture>(begins.size() - 1));
    all.run([&](exec_type const& exec, rank_communicator const& comm) {
        auto const p = std::size_t(comm.rank());
        auto const begin = a.offsets[std::size_t(begins[p])], end = a.offsets[std::size_t(begins[p + 1])];
        std::vector<int> offsets(a.offsets.begin() + begins[p], a.offsets.begin() + begins[p + 1] + 1);
        for (int& offset : offsets) offset -= begin;
        distributed_csr<exec_type, T> rows(exec, comm, offsets, {a.indices.begin() + begin, a.indices.begin() + end},
                                           values_of_rank(a, begins, p));
        work(exec, comm, rows);
    });
}

/// A grid with the couplings -wx in a row of the grid and -wy between rows, which ranks divide. The ends of the lines
/// in the direction of the larger coupling have no others, so that the lines are the paths of the forest. `skew` makes
/// the matrix unsymmetric, and entries of -0.001 in one direction only make its pattern unsymmetric.
template <class T = double>
plain_csr<T> grid(int nx, int ny, double wx, double wy, double shift, double skew = 0) {
    graph_builder g(nx * ny);
    for (int i = 0; i < nx * ny; ++i) {
        int const x = i % nx, y = i / nx;
        bool const couples_x = wx > wy || (y > 0 && y + 1 < ny), couples_y = wy > wx || (x > 0 && x + 1 < nx);
        g.entry(i, i, 2 * wx + 2 * wy + shift);
        if (couples_x && x > 0) g.entry(i, i - 1, -wx * (1 + skew));
        if (couples_x && x + 1 < nx) g.entry(i, i + 1, -wx * (1 - skew));
        if (couples_y && y > 0) g.entry(i, i - nx, -wy * (1 + skew));
        if (couples_y && y + 1 < ny) g.entry(i, i + nx, -wy * (1 - skew));
        if (skew != 0 && y + 2 < ny && i % 3 == 0) g.entry(i, i + 2 * nx, -0.001);
    }
    return g.plain<T>();
}
/// Paths of `length` vertices in a random order, with weak couplings between vertices that are not at an end.
inline plain_csr<double> shuffled_paths(int n, int length, double diagonal, double weak) {
    std::mt19937 random(3);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    graph_builder g(n);
    for (int k = 0; k < n; ++k) {
        int const v = order[std::size_t(k)], other = k - n / 2;
        auto const is_inside = [&](int i) { return i % length != 0 && i % length != length - 1; };
        g.entry(v, v, diagonal + (k % 7) * 0.01);
        if (k % length != 0) g.edge(v, order[std::size_t(k - 1)], (k % 3 - 1.5) * 0.8);
        if (weak != 0 && other >= 0 && is_inside(k) && is_inside(other)) g.edge(v, order[std::size_t(other)], weak);
    }
    return g.plain();
}
/// Paths v, v + n / 3, v + 2 n / 3 whose tridiagonal matrices are singular, with weak couplings in the middle.
inline plain_csr<double> singular_paths(int n) {
    graph_builder g(n);
    int const third = n / 3;
    for (int v = 0; v < third; ++v) {
        g.entry(v, v, 1);
        g.entry(v + third, v + third, 2);
        g.entry(v + 2 * third, v + 2 * third, 1);
        g.edge(v, v + third, -1);
        g.edge(v + third, v + 2 * third, -1);
        if (v > 0) g.edge(v + third, v + third - 1, -1e-3);
    }
    return g.plain();
}

/// A random graph. The two directions of an edge have different values in the rows before `unequal` only.
inline plain_csr<double> random_directions(int n, int unequal) {
    std::mt19937 random(5);
    graph_builder g(n);
    for (int e = 0; e < 4 * n; ++e) {
        int const v = int(random() % unsigned(n)), w = int(random() % unsigned(n));
        double const there = double(1 + random() % 1000), back = double(1 + random() % 1000);
        if (v == w) continue;
        g.entry(v, w, there);
        g.entry(w, v, std::max(v, w) < unequal ? back : there);
    }
    for (int v = 0; v < n; ++v) g.entry(v, v, 40'000);
    return g.plain();
}

inline std::vector<double> random_rhs(std::size_t n) {
    std::mt19937 random(11);
    std::vector<double> r(n);
    for (double& value : r) value = double(random() % 2001) / 1000 - 1;
    return r;
}

template <class T>
void check_close(std::vector<T> const& found, std::vector<T> const& expected, double tolerance) {
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        largest = std::max(largest, std::abs(double(expected[i])));
        double const error = std::abs(double(found[i]) - double(expected[i]));
        worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
    }
    CHECK(largest < 1e6);
    CHECK(worst <= tolerance * largest);
}

struct named_matrix {
    std::string name;
    plain_csr<double> a;
    bool divided; ///< between ranks with equally many rows
};
inline std::vector<named_matrix> forest_matrices() {
    int const nx = races_watched ? 24 : 60;
    return {{"strong across the ranks", grid(nx, nx, 0.02, 1, 0.01), false},
            {"strong along the ranks", grid(nx, nx, 1, 0.02, 0.01), false},
            {"unsymmetric", grid(nx, nx, 0.05, 1, 0.05, 0.3), false},
            {"short paths in random order", shuffled_paths(nx * nx, 12, 2.5, 0.01), false},
            {"one path in random order", shuffled_paths(nx * nx, nx * nx, 2.5, 0), true},
            {"one path, not dominant", shuffled_paths(nx * nx, nx * nx, 0.9, 0.01), true},
            {"singular paths", singular_paths(nx * nx), false},
            {"unequal directions", random_directions(600, 600), false},
            {"unequal directions on the first rank", random_directions(600, 80), false}};
}

} // namespace coppice::test
