// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Wall-clock time of the work of an executor.
#pragma once

#include <chrono>
#include <utility>

#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1::detail {

/// Seconds since the last call; includes the queued work of `exec`.
template <executor Executor>
class stopwatch {
public:
    explicit stopwatch(Executor const& exec) : exec_(exec) { lap(); }
    double lap() {
        exec_.synchronize();
        auto const now = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
    }

private:
    Executor const& exec_;
    std::chrono::steady_clock::time_point last_{};
};

} // namespace coppice::inline v0_1::detail
