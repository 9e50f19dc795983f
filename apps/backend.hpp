// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The one place where the command chooses between executors and precisions.
#pragma once

#include <complex>
#include <string>
#include <type_traits>
#include <variant>

#include "apps/app.hpp"
#include <coppice/core/executor.hpp>

namespace coppice::app {

#if defined(COPPICE_HAS_CUDA)
using any_executor = std::variant<host_executor, cuda_executor>;
#else
using any_executor = std::variant<host_executor>;
#endif

/// The executor that the options ask for; `auto` takes CUDA where there is a device. Throws backend_error where CUDA
/// is asked for and there is none.
any_executor make_executor(common_options const& options);

/// The host executor that reads, writes and converts beside any backend.
inline host_executor make_host(common_options const& options) { return host_executor{options.threads}; }

/// Threads that work: as many as were asked for, and not more than there are cores that the program may use.
int working_threads(host_executor const& exec);

/// "host" or "cuda".
std::string backend_name(any_executor const& executor);

/// What the work ran on, for people: "host, 2 threads (AMD EPYC ...)" or "cuda, NVIDIA H200".
std::string describe_executor(any_executor const& executor);

/// Compiler and library versions of this program, one per entry.
std::vector<std::pair<std::string, std::string>> describe_build();

/// The real type of a value type: double for std::complex<double>.
template <class T>
using real_of = decltype(std::real(T()));

/// Calls work(executor, std::type_identity<T>{}) with the executor and precision that the options ask for. All four
/// pairs are compiled.
template <class Work>
outcome with_backend(common_options const& options, any_executor const& chosen, Work const& work) {
    return std::visit(
        [&](auto const& exec) {
            return options.precision == "single" ? work(exec, std::type_identity<float>{})
                                                 : work(exec, std::type_identity<double>{});
        },
        chosen);
}

/// The same with complex numbers of that precision.
template <class Work>
outcome with_complex_backend(common_options const& options, any_executor const& chosen, Work const& work) {
    return std::visit(
        [&](auto const& exec) {
            return options.precision == "single" ? work(exec, std::type_identity<std::complex<float>>{})
                                                 : work(exec, std::type_identity<std::complex<double>>{});
        },
        chosen);
}

} // namespace coppice::app
