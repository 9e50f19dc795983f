// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Systems whose right-hand sides are so large or so small that squares leave the range: they are multiplied by powers
/// of two.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <coppice/algebra/operations.hpp>
#include <coppice/solvers/iterative/vectors/largest_part.hpp>
#include <coppice/solvers/queueing/hbisa_lane.hpp>

namespace coppice::inline v0_1::detail {

/// The largest magnitude of the elements of a block; NaN if one is NaN.
template <class T>
struct largest_of_block {
    std::int64_t rows, block;
    T const* x;
    double* largest;
    COPPICE_HD void operator()(std::int64_t j) const {
        double found = 0;
        for (std::int64_t i = j * block; i < (j + 1) * block && i < rows; ++i) {
            double const size = x[i] < T(0) ? -double(x[i]) : double(x[i]);
            if (size > found || size != size) found = size;
        }
        largest[j] = found;
    }
};
/// The same of a system, from its blocks.
struct largest_of_system {
    std::int64_t blocks; ///< of a system
    double const* of_blocks;
    double* largest;
    COPPICE_HD void operator()(std::int64_t s) const {
        double found = 0;
        for (std::int64_t j = s * blocks; j < (s + 1) * blocks; ++j)
            if (of_blocks[j] > found || of_blocks[j] != of_blocks[j]) found = of_blocks[j];
        largest[s] = found;
    }
};
/// y = 2^-exponent x, with an exponent for each system; 0 if the system is `dropped`.
template <class T>
struct scale_systems {
    std::int64_t in_system;
    int const* exponents;
    int sign;
    std::uint8_t const* dropped; ///< or null
    T const* x;
    T* y;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const s = i / in_system;
        y[i] = dropped && dropped[s] ? T(0) : T(std::ldexp(double(x[i]), sign * exponents[s]));
    }
};
/// Flags systems whose x has left the range of T in the multiplication by a power of two, and ends them as not finite.
template <class T>
struct end_out_of_range {
    std::int64_t in_system;
    int const* exponents;
    T const *scaled, *x;
    hbisa_state* states;
    std::uint8_t* dropped;
    COPPICE_HD void operator()(std::int64_t s) const {
        dropped[s] = 0;
        if (exponents[s] == 0) return;
        double before = 0, after = 0;
        for (std::int64_t i = s * in_system; i < (s + 1) * in_system; ++i) {
            double const p = scaled[i] < T(0) ? -double(scaled[i]) : double(scaled[i]);
            double const q = x[i] < T(0) ? -double(x[i]) : double(x[i]);
            before = p > before ? p : before;
            after = q > after ? q : after;
        }
        if (before == 0 || (after >= double(smallest) && after <= double(largest))) return;
        dropped[s] = 1;
        states[s].end = hbisa_end::not_finite;
        states[s].residual = states[s].best = 1; // of x = 0
    }

private:
    static constexpr T smallest = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
};

/// Copies of b and x, multiplied by a power of two for each system whose largest element of b is outside of 1 / limit
/// to limit; none if there is no such system. The solution of a system is that of b times this power.
template <executor Executor, class T>
class scaled_systems {
public:
    /// `of_blocks`[blocks]: memory for the largest element of each block of `block` rows.
    scaled_systems(Executor const& exec, array_view<T const> b, array_view<T const> x, std::int64_t systems,
                   std::int64_t block, array_view<double> of_blocks)
        : in_system_(b.size() / systems) {
        buffer<double> largest(exec, systems);
        for_each(exec, of_blocks.size(), largest_of_block<T>{b.size(), block, b.data(), of_blocks.data()});
        for_each(exec, systems, largest_of_system{of_blocks.size() / systems, of_blocks.data(), largest.data()});
        auto const sizes = to_vector(exec, largest);
        std::vector<int> exponents(sizes.size());
        std::vector<std::uint8_t> dropped(sizes.size());
        for (std::size_t s = 0; s < sizes.size(); ++s) {
            double const size = sizes[s];
            if (!(size > 0) || !std::isfinite(size) || (size > 1 / limit && size < limit)) continue;
            exponents[s] = std::ilogb(size);
            // A guess that is larger than b by more than the range is of no use.
            double const guess = largest_part(exec, x.slice(std::int64_t(s) * in_system_, in_system_));
            dropped[s] = guess > 0 && std::isfinite(guess) && std::ilogb(guess) - exponents[s] > std::ilogb(limit);
        }
        if (std::all_of(exponents.begin(), exponents.end(), [](int e) { return e == 0; })) return;
        exponents_ = exec.copy(exponents);
        dropped_ = exec.copy(dropped);
        b_ = buffer<T>(exec, b.size());
        x_ = buffer<T>(exec, x.size());
        for_each(exec, b.size(), scale_systems<T>{in_system_, exponents_.data(), -1, nullptr, b.data(), b_.data()});
        for_each(exec, x.size(),
                 scale_systems<T>{in_system_, exponents_.data(), -1, dropped_.data(), x.data(), x_.data()});
    }
    bool any() const { return b_.size() > 0; }
    T const* right() const { return b_.data(); }
    T* solution() { return x_.data(); }

    /// x = the solution of the given systems; 0 if that is out of range.
    void finish(Executor const& exec, array_view<T> x, hbisa_state* states) {
        auto const store = [&](std::uint8_t const* dropped) {
            for_each(exec, x.size(), scale_systems<T>{in_system_, exponents_.data(), 1, dropped, x_.data(), x.data()});
        };
        store(nullptr);
        std::int64_t const systems = exponents_.size();
        for_each(exec, systems,
                 end_out_of_range<T>{in_system_, exponents_.data(), x_.data(), x.data(), states, dropped_.data()});
        store(dropped_.data());
    }

private:
    /// Squares of elements and of residuals stay in the range of double, products with the matrix in that of T.
    static constexpr double limit = sizeof(T) == sizeof(float) ? 0x1p64 : 0x1p400;

    std::int64_t in_system_;
    buffer<int> exponents_{};
    buffer<std::uint8_t> dropped_{};
    buffer<T> b_{}, x_{};
};

} // namespace coppice::inline v0_1::detail
