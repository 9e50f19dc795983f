// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Selection of executor and precision by the options of the command.
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

/// Returns the executor according to the options. `auto` selects CUDA if there is a device. Throws backend_error if
/// CUDA is requested and not available. `rank`: among the processes of this machine, which share its devices.
any_executor make_executor(common_options const& options, int rank = 0);

/// Host executor for reading, writing and conversions, in addition to the selected backend.
inline host_executor make_host(common_options const& options) { return host_executor{options.threads}; }

/// Returns the number of working threads: the requested number, at most the number of available cores.
int working_threads(host_executor const& exec);

/// "host" or "cuda".
std::string backend_name(any_executor const& executor);

/// Describes the executor for the output: "host, 2 threads (AMD EPYC ...)" or "cuda, device 0 (NVIDIA H200)".
std::string describe_executor(any_executor const& executor);

/// Returns the name of its processor or device: "NVIDIA H200".
std::string machine_name(any_executor const& executor);

/// Returns names and versions of compiler and libraries.
std::vector<std::pair<std::string, std::string>> describe_build();

/// The real type of a value type: double for std::complex<double>.
template <class T>
using real_of = decltype(std::real(T()));

/// Calls work(executor, std::type_identity<T>{}) with executor and precision according to the options. All four
/// combinations are instantiated.
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
