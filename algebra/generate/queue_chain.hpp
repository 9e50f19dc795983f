// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Markov chain of an M/M/n + k system with migration, in which the queue length opens and closes servers (Yang, Li and
/// Li, J. Supercomput. 73, 2017, section 5).
///
/// State (j, p): j of `servers` servers are open, and i = share (j - 1) + p tasks are in the system, 0 <= p < places.
/// States of equal j form a level, a block of `places` rows. The rates of Eq. 8 are
///
///     (j, p) -> (j, p + 1)              arrival
///     (j, p) -> (j, p - 1)              service x min(j, ceil(i / share)): the number of busy servers
///     (j, p) -> (j + 1, p - share)      opening x ceil((p - upper + 1) / share), if p >= upper
///     (j, p) -> (j - 1, p + share)      closing x ceil((lower - p + 1) / share), if p <= lower
///
/// the last two only if the target position exists in the other level. A task that arrives at the last position of a
/// level opens a server immediately (on the last level it is lost); a task that leaves the first position closes one.
/// The thresholds of Eq. 8, i > j share and i < j share, are upper = share + 1, lower = share - 1. The printed service
/// rate floor(i / k) is zero for the first tasks, and k for more than k j tasks independent of j; here the rate is
/// proportional to the number of busy servers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <coppice/algebra/csr.hpp>

namespace coppice::inline v0_1 {

struct queue_options {
    std::int64_t servers = 100; ///< number of levels, at least 1
    std::int64_t places = 16;   ///< positions (numbers of tasks) of a level, at least 1
    std::int64_t share = 1;     ///< tasks per server, 1 to places - 1; any if places = 1
    double arrival = 50;        ///< arrival rate of tasks, > 0
    double service = 1;         ///< service rate of a busy server, > 0
    double opening = 1;         ///< opening rate of servers for each `share` tasks above the limit, > 0
    double closing = 1;         ///< closing rate for each `share` tasks below the limit, > 0
    std::int64_t upper = 0;     ///< smallest p that opens servers, at most places; 0: share + 1
    std::int64_t lower = -1;    ///< largest p that closes servers; -1: share - 1
    double loss = 0;            ///< rate, >= 0, at which every state is left permanently
    /// Number of entries of the matrix; 0: determined by upper and lower. Otherwise openings and closings are
    /// distributed as evenly as possible over the levels, starting from the last and the first position of each.
    std::int64_t nonzeros = 0;
};

/// Returns the number of states. Throws argument_error for options out of range, overflow_error if the states do not
/// fit 32-bit indices.
std::int64_t queue_states(queue_options const& options);

/// Returns the matrix loss I - Q^T of the chain with generator Q, in host memory. Columns sum to `loss`; the diagonal
/// blocks of `places` rows are tridiagonal. For loss > 0 it is a nonsingular M-matrix. The solution x for a start
/// distribution b is the expected (discounted) time in each state. Throws as queue_states().
template <class T = double>
csr<T> queue_matrix(host_executor const& exec, queue_options const& options);

/// A system of Table 2 with the iteration counts of Table 3.
struct cloud_case {
    std::string_view name;
    std::int64_t printed_rows; ///< servers x places, except for Cloud16-800, where 16 x 800 is 12800
    queue_options queue;       ///< our choice of rates; the article does not print them
    int hbisa, cg, bicgstab;   ///< iterations to 1e-7; -1 if not converged
};
/// Returns the ten systems.
std::array<cloud_case, 10> const& cloud_cases();

} // namespace coppice::inline v0_1
