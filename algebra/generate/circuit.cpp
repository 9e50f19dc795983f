// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conductance matrix of a grid of random resistors.
#include <cmath>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/generate/grid_checks.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/algebra/rows/assemble.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Row of a node: minus the conductances to its neighbours; on the diagonal their sum plus the conductance to ground.
template <class T>
class circuit_rows {
public:
    circuit_rows(std::int64_t nx, std::int64_t ny, generator_options const& o)
        : nx_(nx), ny_(ny), decades_(o.decades), grounded_(o.grounded), ground_(o.ground), along_x_(o.seed, 0),
          along_y_(o.seed, 1), to_ground_(o.seed, 2) {}

    int count(std::int64_t row) const {
        std::int64_t const x = row % nx_, y = row / nx_;
        return 1 + (x > 0) + (x + 1 < nx_) + (y > 0) + (y + 1 < ny_);
    }
    void fill(std::int64_t row, std::int32_t* columns, T* values) const {
        std::int64_t const x = row % nx_, y = row / nx_;
        double sum = to_ground_.uniform(std::uint64_t(row)) < grounded_ ? ground_ : 0;
        auto const put = [&](std::int64_t column, double value) {
            *columns++ = std::int32_t(column);
            *values++ = T(value);
        };
        auto const neighbour = [&](std::int64_t column, double conductance) {
            sum += conductance;
            put(column, -conductance);
        };
        if (y > 0) neighbour(row - nx_, conductance(along_y_, row - nx_));
        if (x > 0) neighbour(row - 1, conductance(along_x_, row - 1));
        T* const diagonal = values;
        put(row, 0);
        if (x + 1 < nx_) neighbour(row + 1, conductance(along_x_, row));
        if (y + 1 < ny_) neighbour(row + nx_, conductance(along_y_, row));
        *diagonal = T(sum);
    }

private:
    /// Conductance of the resistor from a node to the next one.
    double conductance(random_stream const& random, std::int64_t node) const {
        return std::pow(10, -decades_ * random.uniform(std::uint64_t(node)));
    }

    std::int64_t nx_, ny_;
    double decades_, grounded_, ground_;
    random_stream along_x_, along_y_, to_ground_;
};

} // namespace

template <class T>
csr<T> circuit(host_executor const& exec, generator_options const& o) {
    std::int64_t const ny = o.ny ? o.ny : o.nx, n = detail::checked_points(o.nx, ny, 1);
    detail::check_coefficient("decades", o.decades, 0, 30);
    detail::check_coefficient("grounded", o.grounded, 0, 1);
    detail::check_coefficient("ground", o.ground, 0, 1e30);
    return detail::assemble_rows<T>(exec, n, n, circuit_rows<T>(o.nx, ny, o));
}

template csr<float> circuit<float>(host_executor const&, generator_options const&);
template csr<double> circuit<double>(host_executor const&, generator_options const&);

} // namespace coppice::inline v0_1
