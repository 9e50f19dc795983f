// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_solve.hpp for any type of values. Included by the sources that instantiate them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <coppice/core/names.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr_apply.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/iterative/by_name/bicg.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>

namespace coppice::inline v0_1 {

template <executor Base, class T>
krylov_result solve_distributed(Base const& exec, rank_communicator const& comm, std::string_view method,
                                distributed_csr<Base, T> const& a, any_preconditioner<Base, T> const& m,
                                array_view<std::type_identity_t<T> const> b, array_view<std::type_identity_t<T>> x,
                                krylov_options const& options) {
    rank_executor<Base> const rank(exec, comm);
    if (is_transposing(method)) return solve_with_transposes(rank, method, a, m, b, x, options);
    if (std::find(krylov_names.begin(), krylov_names.end(), method) == krylov_names.end()) {
        std::array<std::string_view, krylov_names.size() + transposing_names.size()> all;
        std::copy(transposing_names.begin(), transposing_names.end(),
                  std::copy(krylov_names.begin(), krylov_names.end(), all.begin()));
        detail::throw_unknown_name("Krylov method", method, all);
    }
    return solve(rank, method, a, m, b, x, options);
}

namespace distributed {

/// The preconditioners that couple ranks, for matrices of T, with
///
///     static std::optional<any_preconditioner<Base, T>>
///     make(exec, comm, named_choice const&, a, options, near)    nothing if this choice is made for own blocks
///     static bool refresh(exec, any_preconditioner<Base, T>&, a) false if it is one of own blocks
template <executor Base, class T>
struct preconditioners_over_ranks;

/// Makes the preconditioner of all ranks by make(options), and its report.
template <class Entry, executor Base, class T, class Make>
any_preconditioner<Base, T> make_over_ranks(Base const& exec, named_choice named, option_values const& options,
                                            Make const& make) {
    for (auto const& [key, value] : options.entries()) named.options.set(key, value);
    chosen_options const chosen("preconditioner \"" + named.name + "\"", Entry::row.options, named.options);
    detail::stopwatch watch(exec);
    auto made = make(chosen);
    return {std::move(made), preconditioner_report{named.name, watch.lap(), chosen.all(), {}}};
}

} // namespace distributed

template <executor Base, class T>
any_preconditioner<Base, T> make_distributed_preconditioner(Base const& exec, rank_communicator const& comm,
                                                            std::string_view choice, distributed_csr<Base, T> const& a,
                                                            option_values const& options, near_null_space<T> near) {
    named_choice const named = parse_choice(choice);
    if (comm.ranks() > 1)
        if (auto made = distributed::preconditioners_over_ranks<Base, T>::make(exec, comm, named, a, options, near))
            return std::move(*made);
    csr_view<T> const own = a.own_block().view();
    try {
        return near.block != 0 || near.count != 0 ? make_preconditioner(exec, choice, own, options, near)
                                                  : make_preconditioner(exec, choice, own, options);
    } catch (matrix_error const& e) { // its rows are those of the block
        if (comm.ranks() == 1) throw;
        auto const first = a.begins()[std::size_t(comm.rank())];
        throw matrix_error("preconditioner \"" + named.name + "\" of the diagonal block of rank " +
                           std::to_string(comm.rank()) + ", " + std::to_string(own.rows()) + " rows from row " +
                           std::to_string(first) + " (from 0): " + e.what());
    }
}

template <executor Base, class T>
void refresh_distributed_preconditioner(Base const& exec, any_preconditioner<Base, T>& m,
                                        distributed_csr<Base, T> const& a) {
    if (!distributed::preconditioners_over_ranks<Base, T>::refresh(exec, m, a)) m.refresh(exec, a.own_block().view());
}

#define COPPICE_DISTRIBUTED_SOLVE(EXTERN, EXECUTOR, T)                                                                 \
    EXTERN template class distributed_csr<EXECUTOR, T>;                                                                \
    EXTERN template krylov_result solve_distributed(                                                                   \
        EXECUTOR const&, rank_communicator const&, std::string_view, distributed_csr<EXECUTOR, T> const&,              \
        any_preconditioner<EXECUTOR, T> const&, array_view<T const>, array_view<T>, krylov_options const&);            \
    EXTERN template any_preconditioner<EXECUTOR, T> make_distributed_preconditioner(                                   \
        EXECUTOR const&, rank_communicator const&, std::string_view, distributed_csr<EXECUTOR, T> const&,              \
        option_values const&, near_null_space<T>);                                                                     \
    EXTERN template void refresh_distributed_preconditioner(EXECUTOR const&, any_preconditioner<EXECUTOR, T>&,         \
                                                            distributed_csr<EXECUTOR, T> const&);

} // namespace coppice::inline v0_1
