// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The classical algorithms and the memory that each of them needs.
#pragma once

#include <algorithm>
#include <type_traits>

#include <coppice/core/block.hpp> // warp_lanes
#include <coppice/solvers/compare/adaptive_team.hpp>
#include <coppice/solvers/compare/classical_team.hpp>
#include <coppice/solvers/compare/partition_team.hpp>
#include <coppice/solvers/compare/recurrences.hpp>
#include <coppice/solvers/compare/rotation_team.hpp>

namespace coppice::inline v0_1::classical {

enum class algorithm {
    thomas,
    cr,
    pcr,
    rd,
    cr_pcr,
    cr_rd,
    rd_scaled,
    cr_rd_scaled,
    spike,              ///< SPIKE with diagonal pivoting in the partitions
    spike_thomas,       ///< without pivoting
    spike_cr,           ///< by cyclic reduction
    parallel_diagonal,  ///< diagonal pivoting by linear recurrences
    cf_lu,              ///< LU by continued fractions; overflows
    cf_lu_scaled,       ///< the same with products that are scaled into the range of T
    adaptive_cr,        ///< cyclic reduction over blocks of one or two rows
    wang,               ///< partition method
    bondeli,            ///< divide and conquer with three right-hand sides for each partition
    divide_and_conquer, ///< Wang and Mou
    redundant_reduction,
    g_spike ///< partitions by Givens rotations
};
inline constexpr algorithm last_algorithm = algorithm::g_spike;
/// The first method that is not in Zhang, Cohen and Owens nor a scaled form of one of theirs.
inline constexpr algorithm first_partitioned = algorithm::spike;

/// Groups of methods that share a kernel. The registers of the partitioned methods would lower the occupancy of the
/// others.
enum class method_group { unpartitioned, partitioned, adaptive };
COPPICE_HD constexpr method_group group_of(algorithm which) {
    if (which == algorithm::adaptive_cr) return method_group::adaptive;
    return which < first_partitioned ? method_group::unpartitioned : method_group::partitioned;
}
/// Methods that a whole executor can run on one large system.
constexpr bool takes_large_systems(algorithm which) {
    return which == algorithm::spike || which == algorithm::spike_thomas || which == algorithm::parallel_diagonal ||
           which == algorithm::cf_lu || which == algorithm::cf_lu_scaled;
}

/// Number of partitions of at least two rows, if n allows it, so that their first and last unknowns differ.
COPPICE_HD constexpr int partition_count_of_two(int n, int partition) {
    return partition_count(n, partition > 2 ? partition : 2);
}

/// Elements of memory in addition to the 4 n of the equations, for partitions or groups of about `partition` rows.
COPPICE_HD constexpr int partitioned_elements(algorithm which, int n, int partition) {
    int const partitions = partition_count(n, partition);
    switch (which) {
    case algorithm::parallel_diagonal:
    case algorithm::cf_lu:
    case algorithm::cf_lu_scaled:
        return 4 * n + 4 * partitions;
    case algorithm::adaptive_cr:
        return adaptive_elements(n);
    case algorithm::wang:
        return n + 5 * partitions;
    case algorithm::bondeli:
        return n + 10 * partition_count_of_two(n, partition);
    case algorithm::divide_and_conquer:
        return n + 8 * pair_nodes(n);
    case algorithm::redundant_reduction:
        return 13 * n;
    case algorithm::g_spike:
        return n + rotation_elements(n, partition_count_of_two(n, partition));
    default:
        return n + 8 * pair_nodes(partitions);
    }
}

/// Solves n >= 1 equations, which are overwritten, by one of the partitioned methods. Returns the address of the
/// solution, inside `memory`, which holds partitioned_elements.
template <class T, class Team>
COPPICE_HD T* solve_partitioned(Team const& team, algorithm which, equations<T> const& e, T* memory, int partition) {
    T *const x = memory, *const extra = memory + e.n;
    int const partitions = partition_count(e.n, partition);
    auto const by_recurrences = [&](auto const& solver) {
        solver(team_machine<T, Team>{team, extra + 3 * e.n, partitions}, system_rows<T>{e.a, e.b, e.c, e.d, e.n},
               recurrence_memory<T>{extra, extra + e.n, reinterpret_cast<int*>(extra + 2 * e.n)});
    };
    switch (which) {
    case algorithm::spike:
        spike<T, diagonal_pivots>(team, e, partitions, extra, x);
        break;
    case algorithm::spike_thomas:
        spike<T, single_pivots>(team, e, partitions, extra, x);
        break;
    case algorithm::spike_cr:
        spike_by_reduction(team, e, partitions, extra, x);
        break;
    case algorithm::parallel_diagonal:
        by_recurrences([&](auto const& m, auto const& rows, auto const& at) { parallel_diagonal(m, rows, at, x); });
        break;
    case algorithm::cf_lu:
        by_recurrences([&](auto const& m, auto const& rows, auto const& at) {
            continued_fraction<plain_minor<T>>(m, rows, at, x);
        });
        break;
    case algorithm::cf_lu_scaled:
        by_recurrences([&](auto const& m, auto const& rows, auto const& at) {
            continued_fraction<minor_matrix<T>>(m, rows, at, x);
        });
        break;
    case algorithm::wang:
        wang(team, e, partitions, extra, x);
        break;
    case algorithm::bondeli:
        bondeli(team, e, partition_count_of_two(e.n, partition), extra, x);
        break;
    case algorithm::divide_and_conquer:
        divide_and_conquer(team, e, extra, x);
        break;
    case algorithm::redundant_reduction:
        redundant_reduction(team, e, extra, x);
        break;
    default:
        if (e.n > 1)
            rotated_partitions(team, e, partition_count_of_two(e.n, partition), extra, x);
        else if (team.rank() == 0)
            x[0] = e.d[0] / e.b[0];
        team.sync();
    }
    return x;
}

/// Elements of memory in addition to the 4 n of the equations, if `m` equations remain after the cyclic reduction.
COPPICE_HD constexpr int extra_elements(algorithm which, int n, int intermediate, int partition) {
    if (which >= first_partitioned) return partitioned_elements(which, n, partition);
    int const m = intermediate < n ? intermediate : n;
    switch (which) {
    case algorithm::pcr:
        return 5 * n;
    case algorithm::rd:
        return 13 * n;
    case algorithm::rd_scaled:
        return 10 * n;
    case algorithm::cr_rd_scaled:
        return n + 14 * m;
    case algorithm::cr_pcr:
        return n + 9 * m;
    case algorithm::cr_rd:
        return n + 17 * m;
    default:
        return n;
    }
}

/// Solves n equations by one of the unpartitioned methods, with extra_elements of memory; returns the address of the
/// solution. The hybrid methods end the reduction at `intermediate` equations.
template <class T, class Team>
COPPICE_HD T* solve_unpartitioned(Team const& team, algorithm which, equations<T> const& e, T* memory,
                                  int intermediate) {
    T *const x = memory, *const extra = memory + e.n;
    auto const by_pcr = [&](int stride, int count) {
        equations<T> const small = gathered(team, e, stride, count, extra);
        parallel_cyclic_reduction(team, small, equations_at(extra + 4 * count, count), extra + 8 * count);
        scattered(team, extra + 8 * count, stride, count, x);
    };
    auto const by_rd = [&](int stride, int count) {
        equations<T> const small = gathered(team, e, stride, count, extra);
        recursive_doubling(team, small, extra + 4 * count, extra + 16 * count);
        scattered(team, extra + 16 * count, stride, count, x);
    };
    auto const by_scaled_rd = [&](int stride, int count) {
        equations<T> const small = gathered(team, e, stride, count, extra);
        scaled_recursive_doubling(team, small, extra + 4 * count, extra + 13 * count);
        scattered(team, extra + 13 * count, stride, count, x);
    };
    auto const directly = [&](int stride, int) {
        if (team.rank() == 0) x[stride - 1] = e.d[stride - 1] / e.b[stride - 1];
        team.sync();
    };
    switch (which) {
    case algorithm::thomas:
        thomas(team, e, x);
        break;
    case algorithm::cr:
        cyclic_reduction(team, e, x, 1, directly);
        break;
    case algorithm::pcr:
        parallel_cyclic_reduction(team, e, equations_at(extra, e.n), x);
        break;
    case algorithm::rd:
        recursive_doubling(team, e, extra, x);
        break;
    case algorithm::cr_pcr:
        cyclic_reduction(team, e, x, intermediate, by_pcr);
        break;
    case algorithm::cr_rd:
        cyclic_reduction(team, e, x, intermediate, by_rd);
        break;
    case algorithm::rd_scaled:
        scaled_recursive_doubling(team, e, extra, x);
        break;
    default:
        cyclic_reduction(team, e, x, intermediate, by_scaled_rd);
        break;
    }
    return x;
}

/// Solves n equations by any method of a group, with extra_elements of memory; the solution may also be inside `e`.
template <method_group Group, class T, class Team>
COPPICE_HD T* solve_by_group(Team const& team, algorithm which, equations<T> const& e, T* memory, int intermediate,
                             int partition) {
    if constexpr (Group == method_group::unpartitioned) {
        return solve_unpartitioned(team, which, e, memory, intermediate);
    } else if constexpr (Group == method_group::partitioned) {
        return solve_partitioned(team, which, e, memory, partition);
    } else {
        adaptive_reduction(team, e, memory);
        return e.d;
    }
}

/// Calls run(group) with the group of `which` as a compile-time constant.
template <class Run>
COPPICE_HD decltype(auto) with_group(algorithm which, Run const& run) {
    using enum method_group;
    switch (group_of(which)) {
    case unpartitioned:
        return run(std::integral_constant<method_group, unpartitioned>{});
    case partitioned:
        return run(std::integral_constant<method_group, partitioned>{});
    default:
        return run(std::integral_constant<method_group, adaptive>{});
    }
}

/// Solves n equations by any method, as solve_by_group().
template <class T, class Team>
COPPICE_HD T* solve(Team const& team, algorithm which, equations<T> const& e, T* memory, int intermediate,
                    int partition) {
    return with_group(which, [&](auto group) {
        return solve_by_group<decltype(group)::value>(team, which, e, memory, intermediate, partition);
    });
}

/// Number of workers of a team for n rows, a multiple of the warp size.
constexpr int team_workers(algorithm which, int n, int maximum) {
    // The levels of A-R-CR soon have fewer rows than workers, and a barrier of fewer workers is faster.
    int const workers = which == algorithm::adaptive_cr ? (n + 3) / 4 : n;
    return std::min(maximum, (workers + warp_lanes - 1) / warp_lanes * warp_lanes);
}

} // namespace coppice::inline v0_1::classical
