// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Edge weights in double precision, for algorithms that are compiled for double only.
#pragma once

#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::analytics {

struct widen_weight {
    float const* from;
    double* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = double(from[k]); }
};

/// Returns the weights as doubles, in memory of `exec`.
template <executor Executor>
buffer<double> widened(Executor const& exec, array_view<float const> weights) {
    buffer<double> wide(exec, weights.size());
    for_each(exec, weights.size(), widen_weight{weights.data(), wide.data()});
    return wide;
}

#define COPPICE_WIDENED(EXTERN, EXECUTOR)                                                                              \
    EXTERN template buffer<double> widened(EXECUTOR const&, array_view<float const>)
COPPICE_WIDENED(extern, host_executor);
COPPICE_WIDENED(extern, cuda_executor);

} // namespace coppice::inline v0_1::analytics
