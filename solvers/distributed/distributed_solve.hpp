// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Krylov methods by name for a matrix in parts.
#pragma once

#include <string_view>

#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>

namespace coppice {

/// Solves A x = b whose rows lie in parts by one of krylov_names (see <coppice/krylov.hpp>): called by every
/// part with its own rows, block b[size] and x[size], which holds the starting guess and then the best x. `m` is of the
/// part's own block (csr_part::own_block); all parts take the same name, which may be "none". Every part
/// returns the same result. Dot products have the same bits on all parts and on every run; they depend on the number of
/// parts.
///
/// On devices with NCCL scalars never visit the host; it looks every few iterations whether the solve has ended.
/// options.progress must answer alike on all parts. Throws argument_error for another method, and what the method
/// throws; the other parts throw where they meet the one that failed.
template <executor Base, class T>
krylov_result solve_in_parts(Base const& exec, part_messages const& others, std::string_view method,
                             csr_part<Base, T> const& a, any_preconditioner<Base, T> const& m,
                             array_view<std::type_identity_t<T> const> b, array_view<std::type_identity_t<T>> x,
                             krylov_options const& options = {});

/// The preconditioner of that name (make_preconditioner) for the own block of each part: together they are block
/// Jacobi. "multilevel" is one method over all parts: aggregates end at the cuts, but every level and the last one's
/// solution are those of all, so that the number of iterations hardly depends on the number of parts. Called by all
/// parts, as is apply() of a multilevel method. Throws what make_preconditioner does, and argument_error for the
/// options `block` and `storage` of a multilevel method in several parts.
template <executor Base, class T>
any_preconditioner<Base, T> make_part_preconditioner(Base const& exec, part_messages const& others,
                                                     std::string_view choice, csr_part<Base, T> const& a,
                                                     option_values const& options = {});

} // namespace coppice
