// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// solve_classical for all executors; included by the sources that instantiate it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <coppice/core/look_back_scan.hpp>
#include <coppice/solvers/compare/classical.hpp>
#include <coppice/solvers/compare/spike.hpp>
#include <coppice/solvers/compare/teams.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>

namespace coppice::inline v0_1 {
namespace classical {

template <class T>
struct batch {
    tridiagonal_view<T> a;
    T const* d;
    T* x;
    int n, intermediate, partition;
    algorithm which;

    COPPICE_HD int elements() const { return 4 * n + extra_elements(which, n, intermediate, partition); }

    /// Solves system s, in `memory` of elements().
    template <method_group Group, class Team>
    COPPICE_HD void solve(Team const& team, std::int64_t s, T* memory) const {
        equations<T> const e = equations_at(memory, n);
        for (int i = team.rank(); i < n; i += team.size()) {
            std::int64_t const at = s * n + i;
            e.set(i, {i > 0 ? a.lower[at] : T(0), a.diagonal[at], i < n - 1 ? a.upper[at] : T(0), d[at]});
        }
        team.sync();
        T const* const solution = solve_by_group<Group>(team, which, e, memory + 4 * n, intermediate, partition);
        for (int i = team.rank(); i < n; i += team.size()) x[s * n + i] = solution[i];
        team.sync();
    }
};

/// An executor as the Machine of recurrences.hpp.
template <class Executor>
struct scanning_machine {
    Executor const& exec;
    template <class In, class Merge, class Out>
    void scan(std::int64_t n, In const& in, Merge const& merged, Out const& out) const {
        look_back_scan(exec, n, in, merged, out);
    }
};

/// Number of rows from which on the whole executor solves a system, if the method supports it.
inline constexpr std::int64_t large_system = 16384;

/// Solves the systems one after the other, each with the whole executor.
template <class T, class Executor>
void run_large(Executor const& exec, batch<T> const& b, std::int64_t systems) {
    bool const spikes = b.which == algorithm::spike || b.which == algorithm::spike_thomas;
    if (spikes) {
        for (std::int64_t begin = 0; begin < systems * b.n; begin += b.n) {
            tridiagonal_view<T> const a{b.n, b.a.lower + begin, b.a.diagonal + begin, b.a.upper + begin};
            solve_spike(exec, a, columns_view<T const>(b.d + begin, b.n, 1), columns_view<T>(b.x + begin, b.n, 1),
                        {.pivots = b.which == algorithm::spike});
        }
        return;
    }
    buffer<T> numbers(exec, 2 * std::int64_t(b.n));
    buffer<int> kinds(exec, b.n);
    recurrence_memory<T> const at{numbers.data(), numbers.data() + b.n, kinds.data()};
    scanning_machine<Executor> const machine{exec};
    for (std::int64_t s = 0; s < systems; ++s) {
        std::int64_t const begin = s * b.n;
        system_rows<T> const rows{b.a.lower + begin, b.a.diagonal + begin, b.a.upper + begin, b.d + begin, b.n};
        if (b.which == algorithm::cf_lu)
            continued_fraction<plain_minor<T>>(machine, rows, at, b.x + begin);
        else if (b.which == algorithm::cf_lu_scaled)
            continued_fraction<minor_matrix<T>>(machine, rows, at, b.x + begin);
        else
            parallel_diagonal(machine, rows, at, b.x + begin);
    }
}

/// Solves the small systems of a batch, one team for each.
template <method_group Group, class T>
struct solve_system {
    batch<T> of;
    template <class Team>
    COPPICE_HD void operator()(Team const& team, std::int64_t s, T* memory) const {
        of.template solve<Group>(team, s, memory);
    }
};

/// Maximum bytes of memory of a team.
inline std::int64_t max_team_bytes(host_executor const&) { return std::numeric_limits<std::int64_t>::max(); }
#if defined(__CUDACC__)
inline std::int64_t max_team_bytes(cuda_executor const& exec) { return shared_limit(exec); }
#endif

template <class T, class Executor>
bool fits(Executor const& exec, batch<T> const& b) {
    return std::int64_t(b.elements()) * std::int64_t(sizeof(T)) <= max_team_bytes(exec);
}
template <class T, class Executor>
void run(Executor const& exec, batch<T> const& b, std::int64_t systems) {
    if (!fits(exec, b))
        throw argument_error("solve_classical: a system of " + std::to_string(b.n) + " equations takes " +
                             std::to_string(std::int64_t(b.elements()) * std::int64_t(sizeof(T))) +
                             " bytes of shared memory, a block has " + std::to_string(max_team_bytes(exec)));
    with_group(b.which, [&](auto group) {
        run_teams<T>(exec, systems, team_workers(b.which, b.n, max_team_workers), b.elements(),
                     solve_system<decltype(group)::value, T>{b});
    });
}

} // namespace classical

template <class T, executor Executor>
void solve_classical(Executor const& exec, tridiagonal_view<T> a, std::int64_t systems,
                     array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                     classical_options options) {
    auto const refuse = [](std::string const& what) { throw argument_error("solve_classical: " + what); };
    if (a.size() < 0 || systems < 0)
        refuse(std::to_string(systems) + " systems of " + std::to_string(a.size()) + " rows");
    require_size("right-hand side of solve_classical", d, a.size());
    require_size("solution of solve_classical", x, a.size());
    if (int(options.algorithm) < 0 || int(options.algorithm) > int(classical::last_algorithm))
        refuse("unknown algorithm " + std::to_string(int(options.algorithm)));
    if (options.intermediate < 1) refuse("intermediate systems of " + std::to_string(options.intermediate));
    if (options.partition < 1) refuse("partitions of " + std::to_string(options.partition) + " rows");
    if (a.size() == 0) return;
    if (systems == 0 || a.size() % systems != 0)
        refuse(std::to_string(a.size()) + " rows do not make " + std::to_string(systems) + " systems");
    if (!a.lower || !a.diagonal || !a.upper || !d.data() || !x.data())
        refuse("null pointer to " + std::to_string(a.size()) + " rows");
    int const n = checked_cast<int>(a.size() / systems * 32, "memory of a system of solve_classical") / 32;
    classical::batch<T> const b{a, d.data(), x.data(), n, options.intermediate, options.partition, options.algorithm};
    bool const large = n >= classical::large_system || !classical::fits(exec, b);
    if (large && classical::takes_large_systems(b.which))
        classical::run_large(exec, b, systems);
    else
        classical::run(exec, b, systems);
}

// Explicit instantiations in the sources of the library.
#define COPPICE_CLASSICAL(T, prefix, Executor)                                                                         \
    prefix void solve_classical(Executor const&, tridiagonal_view<T>, std::int64_t, array_view<T const>,               \
                                array_view<T>, classical_options);
COPPICE_EXTERN_TEMPLATES(COPPICE_REAL_TYPES, COPPICE_CLASSICAL)

} // namespace coppice::inline v0_1
