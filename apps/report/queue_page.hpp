// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The page of `coppice queue --report`: load, waiting and cost for the operator of servers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/report/data.hpp"

namespace coppice::app::report {

/// Stationary quantities of a queue with a given number of servers.
struct queue_figures {
    std::int64_t servers = 0;
    double open = 0;    ///< mean number of open servers
    double busy = 0;    ///< mean number of busy servers
    double tasks = 0;   ///< mean number of tasks in the system
    double waiting = 0; ///< mean number of waiting tasks
    double waits = 0;   ///< probability that an arriving task waits
    double lost = 0;    ///< probability that an arriving task is rejected
    double cost = 0;    ///< per unit of time
    double load() const { return open > 0 ? busy / open : 0; }
};

struct queue_page {
    std::string title{};
    std::string size{};
    queue_figures chosen{};
    std::int64_t in_advance = 0;             ///< servers to keep open for the most likely number of tasks
    std::vector<queue_figures> by_servers{}; ///< in the order of servers
    std::vector<double> open_servers{};      ///< probability of 1, 2, ... open servers
    std::vector<double> tasks{};             ///< probability of 0, 1, ... tasks
    entries settings{};
    entries environment{};
};

/// Returns the element with the smallest cost.
queue_figures const& cheapest(std::vector<queue_figures> const& all);

/// Returns a self-contained HTML page.
std::string render(queue_page const& data);

} // namespace coppice::app::report
