// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Types for which the library contains compiled solvers and preconditioners.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1::detail {

template <class Executor>
inline constexpr bool is_compiled_executor =
    std::is_same_v<Executor, host_executor> || std::is_same_v<Executor, cuda_executor>;

template <class T>
inline constexpr bool is_compiled_value =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, std::complex<double>>;

/// Whether the library has solvers for matrices of these types; fails with a message if not.
template <class Executor, class T, class I, class O>
constexpr bool require_compiled_solvers() {
    constexpr bool has_executor = is_compiled_executor<Executor>, has_value = is_compiled_value<T>,
                   has_index = std::is_same_v<I, std::int32_t> && std::is_same_v<O, std::int32_t>;
    static_assert(has_executor, "the executor must be a host_executor or a cuda_executor");
    static_assert(has_value, "the values of the matrix must be float, double or std::complex of these");
    static_assert(has_index, "column indices and row offsets of the matrix must be std::int32_t");
    return has_executor && has_value && has_index;
}

/// Converts to anything; returned after a failed static_assert, so that the compiler reports no further error.
struct no_result {
    template <class T>
    operator T() const;
};

} // namespace coppice::inline v0_1::detail
