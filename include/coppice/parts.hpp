// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Distributed problems on one host (<coppice/mpi.hpp>: on many): each rank has a contiguous block of rows and its own
/// executor, which is a device or some of the cores of this machine.
///
///     std::vector<coppice::host_executor> const executors(2, coppice::host_executor{2});
///     coppice::multi_executor<coppice::host_executor> const all(executors);
///     all.run([&](coppice::host_executor const& exec, coppice::rank_communicator const& comm) {
///         // comm.rank() is the index of this rank; a, d and x hold its rows, in memory of exec
///         auto const report = coppice::solve_tridiagonal_distributed(exec, comm, a.view(), d.view(), x.view());
///     });
///
/// - `solve_tridiagonal_distributed`, `solve_bands_distributed`: direct solves; the latter for every class of
///   <coppice/banded.hpp> and any number of right-hand sides.
/// - `distributed_csr`: products with a sparse matrix, real or complex, and its transpose; `solve_distributed`: Krylov
///   methods.
/// - `make_distributed_preconditioner`, `refresh_distributed_preconditioner`: preconditioners by name, of all ranks if
///   `couples_ranks`, otherwise of the own blocks.
/// - `distributed_graph`: weighted graph; parallel_factor(), extract_forest() and decompose_into_forests() return the
///   same result as on one rank.
/// - `read_rows`: each rank reads its block of rows of a matrix file; `scatter_rows` distributes a matrix of rank 0.
/// - `bidirectional_scan_distributed`: scan of paths that cross rank boundaries.
///
/// Guide: docs/guide/parts.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/bands/distributed_bands.hpp>
#include <coppice/solvers/distributed/bands/distributed_tridiagonal.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>
#include <coppice/solvers/distributed/graphs/distributed_scan.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>

/// Deprecated names, for one version.
namespace coppice::inline v0_1 {

using part_messages [[deprecated("use rank_communicator")]] = rank_communicator;
template <executor Executor, class T>
using csr_part [[deprecated("use distributed_csr")]] = distributed_csr<Executor, T>;
template <executor Executor, class T>
using graph_part [[deprecated("use distributed_graph")]] = distributed_graph<Executor, T>;
template <class T, executor Executor, communicator Messages = rank_communicator>
using reduced_tridiagonal_part [[deprecated("use distributed_rpts")]] = distributed_rpts<T, Executor, Messages>;
template <executor Base>
using part_executor [[deprecated("use rank_executor")]] = rank_executor<Base>;
using host_part [[deprecated("use host_rank")]] = host_rank;
using cuda_part [[deprecated("use cuda_rank")]] = cuda_rank;

[[deprecated("use offsets_of_ranks")]] inline std::vector<std::int64_t> begins_of_parts(rank_communicator const& comm,
                                                                                        std::int64_t size) {
    return offsets_of_ranks(comm, size);
}
template <executor Base, class T>
[[deprecated("use solve_distributed")]] krylov_result
solve_in_parts(Base const& exec, rank_communicator const& comm, std::string_view method,
               distributed_csr<Base, T> const& a, any_preconditioner<Base, T> const& m,
               array_view<std::type_identity_t<T> const> b, array_view<std::type_identity_t<T>> x,
               krylov_options const& options = {}) {
    return solve_distributed(exec, comm, method, a, m, b, x, options);
}
template <executor Base, class T>
[[deprecated("use make_distributed_preconditioner")]] any_preconditioner<Base, T>
make_part_preconditioner(Base const& exec, rank_communicator const& comm, std::string_view choice,
                         distributed_csr<Base, T> const& a, option_values const& options = {}) {
    return make_distributed_preconditioner(exec, comm, choice, a, options);
}
template <class T, executor Executor, communicator Messages>
[[deprecated("use solve_bands_distributed")]] solve_report
solve_bands_part(Executor const& exec, Messages const& comm, band_matrix<T> const& a,
                 columns_view<std::type_identity_t<T> const> d, columns_view<std::type_identity_t<T>> x,
                 band_options const& options = {}) {
    return solve_bands_distributed(exec, comm, a, d, x, options);
}
template <class T, executor Executor, communicator Messages>
[[deprecated("use solve_tridiagonal_distributed")]] solve_report
solve_tridiagonal_part(Executor const& exec, Messages const& comm, tridiagonal_view<T> a,
                       array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                       band_options const& options = {}) {
    return solve_tridiagonal_distributed(exec, comm, a, d, x, options);
}
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
[[deprecated("use bidirectional_scan_distributed")]] scan_result<Value, I>
bidirectional_scan_part(Executor const& exec, rank_communicator const& comm, std::int64_t vertices, Neighbor neighbor,
                        Initial initial, Combine combine) {
    return bidirectional_scan_distributed<Value, I>(exec, comm, vertices, std::move(neighbor), std::move(initial),
                                                    std::move(combine));
}

} // namespace coppice::inline v0_1
