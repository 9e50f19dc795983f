// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/block_transform.hpp>

#include <cmath>
#include <numbers>

#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {
namespace {

double angle(std::uint64_t seed, std::uint64_t stream, std::int64_t i) {
    return random_stream(seed, stream).uniform(static_cast<std::uint64_t>(i), 0, std::numbers::pi);
}

/// Stores value R(left) R(right) = value R(left + right), R(t) the rotation by angle t; column-major.
template <class T>
void put_rotation(T* block, double value, double left, double right) {
    double const c = value * std::cos(left + right), s = value * std::sin(left + right);
    block[0] = block[3] = static_cast<T>(c);
    block[1] = static_cast<T>(s);
    block[2] = static_cast<T>(-s);
}

} // namespace

template <class T>
block_tridiagonal<T> block_transform(host_executor const& exec, tridiagonal_view<T> a, std::uint64_t seed) {
    std::int64_t const n = a.size();
    block_tridiagonal<T> b(exec, n, 2);
    for_each(exec, n, [&](std::int64_t i) {
        auto const put = [&](buffer<T>& blocks, T const* band, std::int64_t j) {
            bool const inside = j >= 0 && j < n;
            put_rotation(blocks.data() + 4 * i, inside ? double(band[i]) : 0, angle(seed, 0, i), angle(seed, 1, j));
        };
        put(b.lower, a.lower, i - 1);
        put(b.diagonal, a.diagonal, i);
        put(b.upper, a.upper, i + 1);
    });
    return b;
}

template block_tridiagonal<float> block_transform(host_executor const&, tridiagonal_view<float>, std::uint64_t);
template block_tridiagonal<double> block_transform(host_executor const&, tridiagonal_view<double>, std::uint64_t);

} // namespace coppice::inline v0_1
