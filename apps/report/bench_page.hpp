// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The page of `coppice bench --report`: curves over the problems of a sweep, bars for a problem by itself.
#pragma once

#include <string>
#include <vector>

namespace coppice::app::report {

/// One measured figure; `chart`, `axis` and `at` place it in a sweep and are empty for a problem by itself.
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

/// The page, self-contained. Every figure is a rate in million rows a second.
std::string bench_page(std::string const& title, std::string const& machine, std::vector<measured> const& figures);

} // namespace coppice::app::report
