// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Explicit instantiations for the two source files of solve_distributed() and related functions for real matrices.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>

#include <coppice/solvers/distributed/bands/distributed_tridiagonal.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks_solve.hpp>
#include <coppice/solvers/distributed/distributed_definitions.hpp>
#include <coppice/solvers/distributed/forests/distributed_adaptive.hpp>
#include <coppice/solvers/distributed/forests/distributed_factors.hpp>
#include <coppice/solvers/distributed/forests/distributed_forest.hpp>
#include <coppice/solvers/distributed/forests/distributed_splitting.hpp>
#include <coppice/solvers/distributed/levels/distributed_multilevel.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>
#include <coppice/solvers/precondition/splitting/alternating.hpp>
#include <coppice/solvers/precondition/splitting/block_forest.hpp>
#include <coppice/solvers/precondition/splitting/direct_splitting.hpp>

namespace coppice::inline v0_1 {
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

template <executor Base, std::floating_point T>
struct preconditioners_over_ranks<Base, T> {
    static std::optional<any_preconditioner<Base, T>> make(Base const& exec, rank_communicator const& comm,
                                                           named_choice const& named, distributed_csr<Base, T> const& a,
                                                           option_values const& options, near_null_space<T> near) {
        if (named.name == "multilevel")
            return make_over_ranks<multilevel_entry, Base, T>(
                exec, named, options, [&](auto const& o) { return make_multilevel(exec, comm, a, o, near); });
        if (near.block != 0 || near.count != 0 || !couples_ranks(named, options)) return std::nullopt;
        return make_of_forests(exec, comm, named, a, options);
    }
    static bool refresh(Base const& exec, any_preconditioner<Base, T>& m, distributed_csr<Base, T> const& a) {
        auto const use = [&](auto& over_ranks) { over_ranks.refresh(exec, a); };
        return m.template use_as<distributed_multilevel<Base, T>>(use) ||
               m.template use_as<distributed_forest<Base, T>>(use) ||
               m.template use_as<distributed_splitting<Base, T>>(use) ||
               m.template use_as<distributed_factors<Base, T>>(use) ||
               m.template use_as<distributed_adaptive<Base, T>>(use);
    }
};

} // namespace distributed

// All instantiations for one executor. Expand within namespace coppice.
#define COPPICE_DISTRIBUTED_TYPE(EXECUTOR, T)                                                                          \
    COPPICE_DISTRIBUTED_SOLVE(, EXECUTOR, T)                                                                           \
    template class distributed_rpts<T, EXECUTOR>;                                                                      \
    COPPICE_DISTRIBUTED_TRIDIAGONAL(, EXECUTOR, T)                                                                     \
    template bool distributed::is_symmetric_over_ranks(EXECUTOR const&, rank_communicator const&,                      \
                                                       distributed_csr<EXECUTOR, T> const&);
#define COPPICE_DISTRIBUTED(EXECUTOR)                                                                                  \
    COPPICE_DISTRIBUTED_TYPE(EXECUTOR, float)                                                                          \
    COPPICE_DISTRIBUTED_TYPE(EXECUTOR, double)

} // namespace coppice::inline v0_1
