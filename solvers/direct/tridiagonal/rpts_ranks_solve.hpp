// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bodies of rpts_parts.hpp, over the launchers of the backends (rpts_solve.hpp). Included by the two sources that
/// instantiate them.
#pragma once

#include <coppice/solvers/direct/tridiagonal/rpts_ranks.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_solve.hpp>

namespace coppice::rpts {

/// On CUDA the kernels of cyclic systems keep the couplings at both ends of a part.
inline constexpr bool parts_are_cyclic(host_executor const&) { return false; }
inline constexpr bool parts_are_cyclic(cuda_executor const&) { return true; }

/// Rows of a pair of partitions. Only whole pairs are reduced, so that every border can move.
inline constexpr std::int64_t pair_rows = 2 * least_partition;

/// Calls visit(rows, pairs, elements of a coarse band, offset in elements) for every stage; returns the elements of
/// all.
template <class T, class Visit>
std::int64_t for_each_part_stage(std::int64_t rows, Visit const& visit) {
    std::int64_t offset = 0;
    while (rows > most_part_rows) {
        std::int64_t const pairs = rows / pair_rows, coarse = 4 * pairs + rows % pair_rows;
        std::int64_t const band = elements_in_workspace_units<T>(coarse);
        visit(rows, pairs, band, offset);
        offset += 4 * band + elements_of_borders<T>(2 * pairs, 1);
        rows = coarse;
    }
    return offset;
}

template <class T, executor Executor>
std::int64_t part_workspace(Executor const&, std::int64_t rows) {
    return for_each_part_stage<T>(rows, [](auto...) {}) * std::int64_t(sizeof(T));
}

/// Copies the rows behind the last whole pair of partitions into the coarse system as they are.
template <class T>
struct carry_rows {
    T const *from_lower, *from_diagonal, *from_upper, *from_rhs;
    coarse_view<T> to;
    std::int64_t open_end; ///< the last row of the whole system, whose upper entry may hold anything; or -1
    bool scales;
    COPPICE_HD void operator()(std::int64_t i) const {
        T const above = i == open_end ? T(0) : from_upper[i];
        auto const row = scales ? scaled<pivoting::scaled_partial>(from_lower[i], from_diagonal[i], above, from_rhs[i])
                                : equation<T, T>{from_lower[i], from_diagonal[i], above, from_rhs[i]};
        to.lower[i] = row.lower;
        to.diagonal[i] = row.diagonal;
        to.upper[i] = row.upper;
        to.rhs[i] = row.rhs;
    }
};
template <class T>
struct carry_solution {
    T const* from;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = from[i]; }
};

template <executor Executor>
bool takes_part(Executor const& exec, tridiagonal_options const& options) {
    return options.threshold == 0 && (!parts_are_cyclic(exec) || options.pivot != pivoting::none);
}

/// Scaled pivoting scales the given rows only: a coarse row is small where it has lost digits, and stays small.
inline pivoting pivot_of_stage(tridiagonal_options const& options, int k) {
    return k > 0 && options.pivot == pivoting::scaled_partial ? pivoting::partial : options.pivot;
}

template <class T, executor Executor>
part_stages<T> reduce_part(Executor const& exec, system_view<T> const& part, array_view<std::byte> workspace,
                           tridiagonal_options const& options) {
    T* const memory = reinterpret_cast<T*>(workspace.data());
    part_stages<T> all;
    all.last = part;
    all.last.stretch = true;
    all.last.cyclic = parts_are_cyclic(exec);
    all.solution = part.x;
    for_each_part_stage<T>(
        part.size, [&](std::int64_t rows, std::int64_t pairs, std::int64_t band, std::int64_t offset) {
            T* const at = memory + offset;
            coarse_view<T> const coarse{at, at + band, at + 2 * band, at + 3 * band, band, band};
            stage<T> now{all.last, coarse, 2 * pairs, T(0), reinterpret_cast<std::int8_t*>(at + 4 * band)};
            now.fine.size = pairs * pair_rows;
            std::int64_t const rest = rows - now.fine.size;
            if (rest > 0) now.fine.behind = coarse.rhs + 4 * pairs;
            all.carried[std::size_t(all.depth)] = rest;
            all.stages[std::size_t(all.depth++)] = now;
            all.last.size = 4 * pairs + rest;
            all.last.lower = coarse.lower;
            all.last.diagonal = coarse.diagonal;
            all.last.upper = coarse.upper;
            all.last.rhs = all.last.x = all.solution = coarse.rhs;
        });
    for (int k = 0; k < all.depth; ++k) {
        stage<T> const& now = all.stages[std::size_t(k)];
        system_view<T> const& fine = now.fine;
        coarse_view<T> const& c = now.coarse;
        pivoting const pivot = pivot_of_stage(options, k);
        run_stage(exec, now, stage_step::reduce, pivot);
        std::int64_t const rest = all.carried[std::size_t(k)], first = fine.size, to = 2 * now.partitions;
        for_each(exec, rest,
                 carry_rows<T>{fine.lower + first,
                               fine.diagonal + first,
                               fine.upper + first,
                               fine.rhs + first,
                               {c.lower + to, c.diagonal + to, c.upper + to, c.rhs + to},
                               part.behind ? -1 : rest - 1,
                               pivot == pivoting::scaled_partial});
    }
    return all;
}

template <class T, executor Executor>
void substitute_part(Executor const& exec, part_stages<T> const& part, tridiagonal_options const& options) {
    for (int k = part.depth - 1; k >= 0; --k) {
        stage<T> const& now = part.stages[std::size_t(k)];
        run_stage(exec, now, stage_step::substitute, pivot_of_stage(options, k));
        for_each(exec, part.carried[std::size_t(k)],
                 carry_solution<T>{now.coarse.rhs + 2 * now.partitions, now.fine.x + now.fine.size});
    }
}

#define COPPICE_RPTS_PARTS(T, Executor)                                                                                \
    template std::int64_t part_workspace<T>(Executor const&, std::int64_t);                                            \
    template part_stages<T> reduce_part(Executor const&, system_view<T> const&, array_view<std::byte>,                 \
                                        tridiagonal_options const&);                                                   \
    template void substitute_part(Executor const&, part_stages<T> const&, tridiagonal_options const&);
#define COPPICE_RPTS_PARTS_OF(Executor)                                                                                \
    COPPICE_RPTS_PARTS(float, Executor)                                                                                \
    COPPICE_RPTS_PARTS(double, Executor)                                                                               \
    template bool takes_part(Executor const&, tridiagonal_options const&);

} // namespace coppice::rpts
