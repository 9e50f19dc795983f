// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The page of `coppice bench --report`: curves over the problems of a sweep, bars for single problems.
#pragma once

#include <string>
#include <vector>

namespace coppice::app::report {

/// One measurement; `chart`, `axis` and `at` are its position in a sweep and are empty for a single problem.
struct measured {
    std::string suite{};
    std::string problem{};
    std::string method{};
    double rows = 0;
    double seconds = 0;
    std::string chart{};
    std::string axis{};
    double at = 0;
};

/// Returns the self-contained page. All values are rates in million rows per second.
std::string bench_page(std::string const& title, std::string const& machine, std::vector<measured> const& figures);

} // namespace coppice::app::report
