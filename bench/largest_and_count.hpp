// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A user-defined semiring: the largest product and the number of products.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/core/config.hpp>

namespace coppice::bench {

struct largest_and_count {
    double largest;
    std::int64_t count;
};
COPPICE_HD inline largest_and_count merged(largest_and_count const& a, largest_and_count const& b) {
    return {a.largest < b.largest ? b.largest : a.largest, a.count + b.count};
}
COPPICE_HD inline largest_and_count product(double a, double b) { return {a * b, 1}; }

struct largest_and_count_semiring {
    COPPICE_HD static largest_and_count nothing() { return {-std::numeric_limits<double>::infinity(), 0}; }
    struct adder {
        COPPICE_HD largest_and_count identity() const { return nothing(); }
        COPPICE_HD largest_and_count operator()(largest_and_count const& a, largest_and_count const& b) const {
            return merged(a, b);
        }
    };
    adder add{};
    COPPICE_HD largest_and_count multiply(double a, double b, std::int64_t) const { return product(a, b); }
    COPPICE_HD largest_and_count result(largest_and_count const& sum) const { return sum; }
};

} // namespace coppice::bench
