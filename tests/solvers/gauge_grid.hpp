// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Laplace matrices of a particle in a magnetic field.
#pragma once

#include <complex>
#include <random>
#include <utility>
#include <vector>

#include <coppice/algebra/convert.hpp>

namespace coppice::test {

using complex_number = std::complex<double>;

/// Phases of width^2 points; 1 if `seed` is 0.
inline std::vector<complex_number> random_gauge(int width, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> angle(0, 6.28);
    std::vector<complex_number> gauge(std::size_t(width * width), 1);
    if (seed > 0)
        for (auto& g : gauge) g = std::polar(1.0, angle(random));
    return gauge;
}
/// A 5-point grid of width^2 points with 4 + shift on the diagonal and -1 times a phase per edge: a field of `flux` per
/// cell, in a gauge with a random phase at each point if `seed` > 0.
inline csr<complex_number> gauge_grid(int width, double flux, complex_number shift, unsigned seed) {
    auto const gauge = random_gauge(width, seed);
    coo<complex_number> entries{width * width, width * width};
    auto const connect = [&](int p, int q, double phase) {
        auto const coupling = -std::conj(gauge[std::size_t(p)]) * std::polar(1.0, phase) * gauge[std::size_t(q)];
        entries.add(p, q, coupling);
        entries.add(q, p, std::conj(coupling));
    };
    for (int y = 0; y < width; ++y)
        for (int x = 0; x < width; ++x) {
            int const p = y * width + x;
            entries.add(p, p, 4.0 + shift);
            if (x + 1 < width) connect(p, p + 1, 0);
            if (y + 1 < width) connect(p, p + width, flux * x);
        }
    return to_csr(host_executor{1}, std::move(entries));
}

} // namespace coppice::test
