// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the two sources instantiate for their executor.
#pragma once

#include <string>
#include <utility>

#include <coppice/solvers/distributed/bands/distributed_tridiagonal.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks_solve.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/levels/distributed_multilevel.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr_apply.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>

namespace coppice {

template <executor Base, class T>
krylov_result solve_in_parts(Base const& exec, part_messages const& others, std::string_view method,
                             csr_part<Base, T> const& a, any_preconditioner<Base, T> const& m,
                             array_view<std::type_identity_t<T> const> b, array_view<std::type_identity_t<T>> x,
                             krylov_options const& options) {
    return solve(part_executor<Base>(exec, others), method, a, m, b, x, options);
}

template <executor Base, class T>
any_preconditioner<Base, T> make_part_preconditioner(Base const& exec, part_messages const& others,
                                                     std::string_view choice, csr_part<Base, T> const& a,
                                                     option_values const& options) {
    named_choice named = parse_choice(choice);
    if (others.parts() == 1 || named.name != "multilevel")
        return make_preconditioner(exec, choice, a.own_block().view(), options);
    for (auto const& [key, value] : options.entries()) named.options.set(key, value);
    chosen_options const chosen("preconditioner \"multilevel\"", multilevel_entry::options, named.options);
    for (auto const& [option, only] : {std::pair("block", "1"), std::pair("storage", "single")})
        if (std::string const given(chosen.text(option)); given != only)
            throw argument_error("multilevel in several parts: " + std::string(option) + "=" + given +
                                 " is for one part; only " + only + " is there");
    detail::stopwatch watch(exec);
    distributed::multilevel_parts<Base, T> made(exec, others, a, multilevel_entry::read(chosen));
    return {std::move(made), preconditioner_report{named.name, watch.lap(), chosen.all(), {}}};
}

// What the library has for an executor; the sources say it within namespace coppice.
#define COPPICE_PARTS_OF_TYPE(EXECUTOR, T)                                                                             \
    template class csr_part<EXECUTOR, T>;                                                                              \
    template class reduced_tridiagonal_part<T, EXECUTOR>;                                                              \
    COPPICE_TRIDIAGONAL_PART(, EXECUTOR, T)                                                                            \
    template krylov_result solve_in_parts(EXECUTOR const&, part_messages const&, std::string_view,                     \
                                          csr_part<EXECUTOR, T> const&, any_preconditioner<EXECUTOR, T> const&,        \
                                          array_view<T const>, array_view<T>, krylov_options const&);                  \
    template any_preconditioner<EXECUTOR, T> make_part_preconditioner(                                                 \
        EXECUTOR const&, part_messages const&, std::string_view, csr_part<EXECUTOR, T> const&, option_values const&);
#define COPPICE_PARTS_OF(EXECUTOR)                                                                                     \
    COPPICE_PARTS_OF_TYPE(EXECUTOR, float)                                                                             \
    COPPICE_PARTS_OF_TYPE(EXECUTOR, double)

} // namespace coppice
