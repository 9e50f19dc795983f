// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The page of `coppice queue --report`: what an operator of servers wants to see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/report/data.hpp"

namespace coppice::app::report {

/// What a queue comes to with so many servers.
struct queue_figures {
    std::int64_t servers = 0;
    double open = 0;    ///< servers, on average
    double busy = 0;    ///< of these
    double tasks = 0;   ///< in the system, on average
    double waiting = 0; ///< of these, for a server
    double waits = 0;   ///< probability that a task that comes waits
    double lost = 0;    ///< probability that it is turned away
    double cost = 0;    ///< per unit of time
    double load() const { return open > 0 ? busy / open : 0; }
};

struct queue_page {
    std::string title{};
    std::string size{};
    queue_figures chosen{};
    std::int64_t in_advance = 0;             ///< servers to keep open for the likeliest number of tasks
    std::vector<queue_figures> by_servers{}; ///< by rising servers
    std::vector<double> open_servers{};      ///< probability of 1, 2, ... open ones
    std::vector<double> tasks{};             ///< probability of 0, 1, ... tasks
    entries settings{};
    entries environment{};
};

/// The cheapest of all.
queue_figures const& cheapest(std::vector<queue_figures> const& all);

/// One self-contained HTML page.
std::string render(queue_page const& data);

} // namespace coppice::app::report
