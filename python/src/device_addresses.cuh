// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Device addresses of the functions in the tables of operators. An address is valid in the kernels of the same source
/// file only, since their stack size is computed from the functions that they may call.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include <coppice/core/cuda/cuda_check.hpp>

#include "operators.hpp"

namespace coppice::python::detail {
namespace {

template <class Table, std::size_t... K>
__global__ void store_addresses(std::uintptr_t* to, std::index_sequence<K...>) {
    ((to[K] = reinterpret_cast<std::uintptr_t>(
          std::integral_constant<std::remove_const_t<decltype(Table::template call<K>)>,
                                 Table::template call<K>>::value)),
     ...);
}

} // namespace

/// Synchronises at its first call on a device.
template <class Table>
std::uintptr_t address_in(cuda_executor const& exec, std::size_t row) {
    static std::mutex mutex;
    static std::map<int, std::vector<std::uintptr_t>> of;
    std::lock_guard const lock(mutex);
    auto& known = of[exec.device()];
    if (known.empty()) {
        constexpr std::size_t count = Table::rows.size();
        buffer<std::uintptr_t> stored(exec, std::int64_t(count));
        store_addresses<Table><<<1, 1, 0, exec.stream()>>>(stored.data(), std::make_index_sequence<count>{});
        COPPICE_CUDA_CHECK(cudaGetLastError());
        known = to_vector(exec, stored);
    }
    return known[row];
}

} // namespace coppice::python::detail
