// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Values and work vectors of a level of a multilevel method, and the functions that store them.
#pragma once

#include <cstdint>

#include <coppice/core/memory.hpp>
#include <coppice/semiring/operators/stored_value.hpp>

namespace coppice::inline v0_1::multilevel_detail {

template <class T, class S>
struct store_scaled {
    T const* from;
    T inverse_scale;
    S* to;
    COPPICE_HD void operator()(std::int64_t k) const {
        detail::stored_value<S>::store(to[k], static_cast<detail::arithmetic_t<S>>(from[k] * inverse_scale));
    }
};

/// The values and work vectors of a level: matrices in S, vectors in T.
template <class T, class S>
struct level_storage {
    buffer<S> a{}, p{}, r{};
    T scale = 1;
    buffer<T> b{}, x{}, second_b{}, second_x{}; ///< of all levels except the first
    buffer<T> smoothed{};
};

/// x += P e
template <class T>
struct store_added {
    T* x;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { x[row] += sum; }
};
/// A row of a product with a matrix whose values are 1, for rows with few entries.
template <class T, class I, class Store>
struct sum_gathered {
    I const *offsets, *indices;
    T const* x;
    Store store;
    COPPICE_HD void operator()(std::int64_t row) const {
        T sum(0);
        for (I k = offsets[row], end = offsets[row + 1]; k < end; ++k) sum += x[indices[k]];
        store(row, sum);
    }
};

} // namespace coppice::inline v0_1::multilevel_detail
