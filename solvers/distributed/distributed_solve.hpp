// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Krylov methods by name for a distributed matrix.
#pragma once

#include <string_view>

#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/distributed/levels/refused_refresh.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = b for a row-wise distributed matrix by one of krylov_names or transposing_names (<coppice/krylov.hpp>).
/// T is float, double or std::complex of these. Collective: every rank passes its rows of A and its blocks b[size] and
/// x[size]; x holds the initial guess and receives the best iterate. `m` preconditions the own block of the rank
/// (distributed_csr::own_block). All ranks pass the same method name, which may be "none". Every rank returns the same
/// result. Dot products have the same bits on all ranks and in every run; they depend on the number of ranks.
///
/// On devices with NCCL the scalars stay in device memory; the host checks every few iterations whether the solve has
/// ended. options.progress must return the same value on all ranks. Throws argument_error for an unknown method and,
/// for "bicg" and "qmr", a preconditioner without transpose ("alt-o"), and the errors of the method; the other ranks
/// throw when they next communicate with the rank that failed.
template <executor Base, class T>
krylov_result solve_distributed(Base const& exec, rank_communicator const& comm, std::string_view method,
                                distributed_csr<Base, T> const& a, any_preconditioner<Base, T> const& m,
                                array_view<std::type_identity_t<T> const> b, array_view<std::type_identity_t<T>> x,
                                krylov_options const& options = {});

/// Whether make_distributed_preconditioner() makes one preconditioner of several ranks of this choice, so that its
/// apply() is collective, and not one of each own block.
inline bool couples_ranks(named_choice const& named, option_values const& options = {}) {
    if (named.name == "mos") { // not with a band in the given order
        option_value const* const separate = options.find("first");
        option_value const* const first = separate ? separate : named.options.find("first");
        return !first || first->text != "bands";
    }
    for (std::string_view const name :
         {"multilevel", "forest", "block-forest", "alt-i", "alt-o", "mos-d", "mos-a", "adi"})
        if (named.name == name) return true;
    return false;
}
inline bool couples_ranks(std::string_view choice, option_values const& options = {}) {
    return couples_ranks(parse_choice(choice), options);
}
/// The same for matrices of T: of complex ones "multilevel" only.
template <class T>
bool couples_ranks(std::string_view choice, option_values const& options = {}) {
    return is_complex_number<T> ? parse_choice(choice).name == "multilevel" : couples_ranks(choice, options);
}

/// Creates the named preconditioner (make_preconditioner). Some of them couple all ranks, and their apply() is
/// collective (couples_ranks()); the others are made for the own block of each rank, which together is block Jacobi.
///
/// - "multilevel", one algebraic multigrid method, also for complex matrices: aggregates do not cross rank boundaries,
///   but every level and the coarse solve couple all ranks, so the number of iterations hardly depends on the number of
///   ranks. Levels with few rows per rank move to fewer ranks; ranks may be empty.
/// - "forest", one linear forest, whose paths cross rank boundaries: the preconditioner of one rank up to rounding.
/// - "alt-i", "alt-o", "mos-d", "mos", "mos-a", "adi": several such forests; "block-forest": a forest of pairs. "mos"
///   with `first=bands` is made for the own blocks. Not for complex matrices.
///
/// Complex matrices have the names of complex_preconditioner_names; multilevel treats them as on one rank
/// (complex_multilevel.hpp), with the phases along a search tree of all ranks.
///
/// `near`: the near-null-space vectors of a multilevel method, with the elements of this rank: `vectors`[size() count]
/// in memory of the executor, one vector after the other; all ranks pass the same `block` and `count`. With more than
/// one unknown per point all unknowns of a point belong to one rank. The vectors are not needed afterwards.
///
/// Collective. Throws the errors of make_preconditioner; argument_error for options that are available on one rank
/// only: `storage` of "multilevel", `threshold` of those made of forests, and their `pivoting=none` on CUDA. refresh()
/// of those that couple all ranks throws argument_error; refresh_distributed_preconditioner() refreshes them.
/// apply_transpose() is collective too; its first call after a set-up or refresh exchanges and transposes what it
/// needs. That of "alt-o" throws argument_error.
template <executor Base, class T>
any_preconditioner<Base, T> make_distributed_preconditioner(Base const& exec, rank_communicator const& comm,
                                                            std::string_view choice, distributed_csr<Base, T> const& a,
                                                            option_values const& options = {},
                                                            near_null_space<T> near = {});

/// Recomputes a preconditioner of make_distributed_preconditioner() for new values of `a` on the same pattern (see
/// distributed_csr::set_values). Everything that depends on the pattern, aggregates and forests included, is reused;
/// the result has the same bits as a new preconditioner with these aggregates or forests. Collective for those that
/// couple all ranks; those made for own blocks are refreshed by any_preconditioner::refresh.
///
/// The former throw refused_refresh for another pattern and for values that are not finite, "multilevel" also, if its
/// levels smooth over the boundaries of ranks, for a matrix that is no longer symmetric: on all ranks, before any
/// change, so that the old preconditioner remains valid. The others throw the errors of any_preconditioner::refresh on
/// this rank.
template <executor Base, class T>
void refresh_distributed_preconditioner(Base const& exec, any_preconditioner<Base, T>& m,
                                        distributed_csr<Base, T> const& a);

} // namespace coppice::inline v0_1
