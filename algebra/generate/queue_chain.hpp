// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Servers that are opened and closed by the queue before them: the chain of an M/M/n + k system with migration (Yang,
/// Li and Li, J. Supercomput. 73, 2017, section 5).
///
/// State (j, p): j of `servers` are open, and tasks i = share (j - 1) + p are in the system, p < places. Levels of
/// equal j are blocks of `places` rows. With the rates of Eq. 8,
///
///     (j, p) -> (j, p + 1)              arrival
///     (j, p) -> (j, p - 1)              service x min(j, ceil(i / share)): the servers that have work
///     (j, p) -> (j + 1, p - share)      opening x ceil((p - upper + 1) / share), where p >= upper
///     (j, p) -> (j - 1, p + share)      closing x ceil((lower - p + 1) / share), where p <= lower
///
/// both as far as the other level has a place for these tasks. A task that arrives at the last place opens a server at
/// once (on the last level it is lost); a task that leaves the first place closes one. The thresholds of Eq. 8, i > j
/// share and i < j share, are upper = share + 1, lower = share - 1. As printed, its rate of service floor(i / k) is
/// zero for the first tasks and k for more than k j, whatever j is; here it is the number of servers that have work.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <coppice/algebra/csr.hpp>

namespace coppice {

struct queue_options {
    std::int64_t servers = 100; ///< levels, at least 1
    std::int64_t places = 16;   ///< tasks that a level tells apart, at least 1
    std::int64_t share = 1;     ///< tasks that a server takes, 1 to places - 1; any for one place
    double arrival = 50;        ///< rates, > 0: of tasks,
    double service = 1;         ///< of a server that has work,
    double opening = 1;         ///< of servers for each share of tasks too many,
    double closing = 1;         ///< and for each share too few
    std::int64_t upper = 0;     ///< first p that opens servers, up to places; 0: share + 1
    std::int64_t lower = -1;    ///< last p that closes servers; -1: share - 1
    double loss = 0;            ///< rate, >= 0, at which every state is left for good
    /// Of the matrix: openings and closings are given to each level as evenly as possible, from the last and the first
    /// place inwards, so that there are so many in all; 0: as upper and lower say.
    std::int64_t nonzeros = 0;
};

/// The number of states. Throws argument_error for options outside their range, overflow_error where the states do not
/// fit 32-bit indices.
std::int64_t queue_states(queue_options const& options);

/// loss I - Q^T of the chain with generator Q, in host memory: columns sum to the loss, the diagonal blocks of
/// `places` rows are tridiagonal, and for loss > 0 it is a nonsingular M-matrix whose solution x is the time, counted
/// with interest, that the chain spends in each state from a start b. Throws as queue_states().
template <class T = double>
csr<T> queue_matrix(host_executor const& exec, queue_options const& options);

/// A system of Table 2, and what Table 3 counts on it.
struct cloud_case {
    std::string_view name;
    std::int64_t printed_rows; ///< servers x places but for Cloud16-800, where 16 x 800 is 12800
    queue_options queue;       ///< rates are not printed: those here are ours
    int hbisa, cg, bicgstab;   ///< iterations to 1e-7; -1 where it did not converge
};
/// The ten systems.
std::array<cloud_case, 10> const& cloud_cases();

} // namespace coppice
