// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Updates with dot products on the host. See solvers/iterative/vectors/vector_operations.hpp for the contract.
#pragma once

#include <coppice/core/host/parallel_host.hpp>
#include <coppice/solvers/iterative/vectors/dot_pairs.hpp>

namespace coppice::inline v0_1::detail {

/// <x, y> of a range of memory, accumulated in double, with the widest vector instructions of this machine.
double dot_of_chunk(double const* x, double const* y, std::int64_t n);
double dot_of_chunk(float const* x, float const* y, std::int64_t n);
/// x^H y
complex_pair<double> dot_of_chunk(complex_pair<double> const* x, complex_pair<double> const* y, std::int64_t n);
complex_pair<double> dot_of_chunk(complex_pair<float> const* x, complex_pair<float> const* y, std::int64_t n);

/// Updates a range and computes its dot products while it is in cache, so each vector is read from memory once.
template <class T, class Update>
void update_and_dot(host_executor const& exec, array_view<double> scratch, std::int64_t n, Update const& update,
                    dot_pairs<T> const& pairs, dot_value<T>* sums) {
    std::int64_t const blocks = dot_blocks(n);
    auto* const partial = reinterpret_cast<dot_value<T>*>(scratch.data());
    for_each_block(exec, n, dot_block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        Update const local = update; // a local copy, so that the compiler knows that stores do not change its members
        for (std::int64_t i = first; i < last; ++i) local(i);
        for (int p = 0; p < pairs.count; ++p)
            partial[b * pairs.count + p] =
                dot_of_chunk(pairs.pair[p].left + first, pairs.pair[p].right + first, last - first);
    });
    for (int p = 0; p < pairs.count; ++p) sums[p] = dot_value<T>(0);
    for (std::int64_t b = 0; b < blocks; ++b)
        for (int p = 0; p < pairs.count; ++p) sums[p] += partial[b * pairs.count + p];
}

} // namespace coppice::inline v0_1::detail
