// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions and explicit instantiations for the two source files of solve_distributed() and related functions.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/distributed/bands/distributed_tridiagonal.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks_solve.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/forests/distributed_adaptive.hpp>
#include <coppice/solvers/distributed/forests/distributed_factors.hpp>
#include <coppice/solvers/distributed/forests/distributed_forest.hpp>
#include <coppice/solvers/distributed/forests/distributed_splitting.hpp>
#include <coppice/solvers/distributed/levels/distributed_multilevel.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr_apply.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>
#include <coppice/solvers/precondition/splitting/alternating.hpp>
#include <coppice/solvers/precondition/splitting/block_forest.hpp>
#include <coppice/solvers/precondition/splitting/direct_splitting.hpp>

namespace coppice::inline v0_1 {

template <executor Base, class T>
krylov_result solve_distributed(Base const& exec, rank_communicator const& comm, std::string_view method,
                                distributed_csr<Base, T> const& a, any_preconditioner<Base, T> const& m,
                                array_view<std::type_identity_t<T> const> b, array_view<std::type_identity_t<T>> x,
                                krylov_options const& options) {
    return solve(rank_executor<Base>(exec, comm), method, a, m, b, x, options);
}

namespace distributed {

template <executor Base, class T>
distributed_multilevel<Base, T> make_multilevel(Base const& exec, rank_communicator const& comm,
                                                distributed_csr<Base, T> const& a, chosen_options const& chosen,
                                                near_null_space<T> near) {
    auto const require_only = [&](bool holds, std::string const& option, char const* only) {
        if (!holds)
            throw argument_error("multilevel on several ranks accepts " + option + "=" + only + " only, got " +
                                 std::string(chosen.text(option)));
    };
    require_only(chosen.text("storage") == "single", "storage", "single");
    near.block = multilevel_entry::block_of(chosen, near.block, near.count);
    return {exec, comm, a, multilevel_entry::read(chosen), near};
}

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

/// Makes the preconditioner of that name if it is made of forests over all ranks.
template <executor Base, class T>
std::optional<any_preconditioner<Base, T>> make_of_forests(Base const& exec, rank_communicator const& comm,
                                                           named_choice const& named, distributed_csr<Base, T> const& a,
                                                           option_values const& options) {
    auto const splitting = [&](splitting_kind kind) {
        return [&exec, &comm, &a, kind](chosen_options const& o) {
            return distributed_splitting<Base, T>(exec, comm, a, kind, detail::read_splitting_options(o));
        };
    };
    if (named.name == "forest")
        return make_over_ranks<forest_entry, Base, T>(exec, named, options, [&](chosen_options const& o) {
            return distributed_forest<Base, T>(exec, comm, a, forest_entry::read(o));
        });
    if (named.name == "alt-i")
        return make_over_ranks<inner_alternation_entry, Base, T>(exec, named, options,
                                                                 splitting(splitting_kind::inner));
    if (named.name == "alt-o")
        return make_over_ranks<outer_alternation_entry, Base, T>(exec, named, options,
                                                                 splitting(splitting_kind::outer));
    if (named.name == "mos-d")
        return make_over_ranks<direct_splitting_entry, Base, T>(exec, named, options,
                                                                splitting(splitting_kind::direct));
    if (named.name == "adi")
        return make_over_ranks<grid_alternation_entry, Base, T>(exec, named, options, [&](chosen_options const& o) {
            grid_sizes const grid =
                detail::grid_of_rows(a.begins().back(), {o.integer("nx"), o.integer("ny"), o.integer("nz")});
            return distributed_splitting<Base, T>(exec, comm, a, grid, detail::read_tridiagonal_options(o));
        });
    if (named.name == "mos-a")
        return make_over_ranks<adaptive_splitting_entry, Base, T>(exec, named, options, [&](chosen_options const& o) {
            return distributed_adaptive<Base, T>(exec, comm, a, adaptive_splitting_entry::read(o));
        });
    if (named.name == "block-forest")
        return make_over_ranks<block_forest_entry, Base, T>(exec, named, options, [&](chosen_options const& o) {
            return distributed_factors<Base, T>(exec, comm, a, forest_entry::read(o));
        });
    if (named.name == "mos")
        return make_over_ranks<mixed_splitting_entry, Base, T>(exec, named, options, [&](chosen_options const& o) {
            return distributed_factors<Base, T>(exec, comm, a, mixed_splitting_entry::read(o));
        });
    return std::nullopt;
}

} // namespace distributed

template <executor Base, class T>
any_preconditioner<Base, T> make_distributed_preconditioner(Base const& exec, rank_communicator const& comm,
                                                            std::string_view choice, distributed_csr<Base, T> const& a,
                                                            option_values const& options, near_null_space<T> near) {
    named_choice const named = parse_choice(choice);
    if (comm.ranks() > 1 && named.name == "multilevel")
        return distributed::make_over_ranks<multilevel_entry, Base, T>(
            exec, named, options, [&](auto const& o) { return distributed::make_multilevel(exec, comm, a, o, near); });
    bool const has_vectors = near.block != 0 || near.count != 0;
    if (comm.ranks() > 1 && !has_vectors && couples_ranks(choice, options))
        if (auto made = distributed::make_of_forests(exec, comm, named, a, options)) return std::move(*made);
    csr_view<T> const own = a.own_block().view();
    try {
        return has_vectors ? make_preconditioner(exec, choice, own, options, near)
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
    auto const refresh = [&](auto& over_ranks) { over_ranks.refresh(exec, a); };
    using distributed::distributed_forest, distributed::distributed_multilevel, distributed::distributed_splitting;
    if (!m.template use_as<distributed_multilevel<Base, T>>(refresh) &&
        !m.template use_as<distributed_forest<Base, T>>(refresh) &&
        !m.template use_as<distributed_splitting<Base, T>>(refresh) &&
        !m.template use_as<distributed::distributed_factors<Base, T>>(refresh) &&
        !m.template use_as<distributed::distributed_adaptive<Base, T>>(refresh))
        m.refresh(exec, a.own_block().view());
}

// All instantiations for one executor. Expand within namespace coppice.
#define COPPICE_DISTRIBUTED_TYPE(EXECUTOR, T)                                                                          \
    template class distributed_csr<EXECUTOR, T>;                                                                       \
    template class distributed_rpts<T, EXECUTOR>;                                                                      \
    COPPICE_DISTRIBUTED_TRIDIAGONAL(, EXECUTOR, T)                                                                     \
    template krylov_result solve_distributed(                                                                          \
        EXECUTOR const&, rank_communicator const&, std::string_view, distributed_csr<EXECUTOR, T> const&,              \
        any_preconditioner<EXECUTOR, T> const&, array_view<T const>, array_view<T>, krylov_options const&);            \
    template any_preconditioner<EXECUTOR, T> make_distributed_preconditioner(                                          \
        EXECUTOR const&, rank_communicator const&, std::string_view, distributed_csr<EXECUTOR, T> const&,              \
        option_values const&, near_null_space<T>);                                                                     \
    template void refresh_distributed_preconditioner(EXECUTOR const&, any_preconditioner<EXECUTOR, T>&,                \
                                                     distributed_csr<EXECUTOR, T> const&);
#define COPPICE_DISTRIBUTED(EXECUTOR)                                                                                  \
    COPPICE_DISTRIBUTED_TYPE(EXECUTOR, float)                                                                          \
    COPPICE_DISTRIBUTED_TYPE(EXECUTOR, double)

} // namespace coppice::inline v0_1
