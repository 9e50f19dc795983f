// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The weighted graph of a distributed matrix: make_edge_weights() over ranks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/spmv/inspect_nonzeros.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>
#include <coppice/solvers/distributed/levels/couplings.hpp>
#include <coppice/solvers/distributed/levels/pushed_rows.hpp>

namespace coppice::inline v0_1::distributed {

[[noreturn]] inline void refuse_duplicates() {
    throw matrix_error("a row holds a column twice, expected every entry once; sum duplicates first");
}

/// Copies the entries in columns of other ranks to the host.
template <executor Executor, class T>
auto couplings_on_host(Executor const& exec, hypersparse_rows<T> const& k) {
    auto const entries = k.entries().view();
    typename distributed_csr<Executor, T>::entries_of_others all;
    if (k.nonzeros() == 0) return all;
    all.rows = to_vector(exec, k.list());
    all.offsets = to_vector(exec, entries.row_offsets());
    all.columns = to_vector(exec, entries.column_indices());
    all.values = to_vector(exec, entries.values());
    return all;
}

/// Returns the graph with the weights |a_ij| if the whole matrix is symmetric by magnitude, else |a_ij| + |a_ji|. So
/// the factor is that of a single rank, bit for bit. The matrix is that of a distributed_csr (begins(), own_block(),
/// couplings()), has no duplicates and its values are finite (matrix_error, on this rank). Collective.
template <executor Executor, class T>
distributed_graph<Executor, T>
make_weighted_graph(Executor const& exec, rank_communicator const& comm, rank_offsets const& begins, csr_view<T> own,
                    typename distributed_csr<Executor, T>::entries_of_others const& of_others) {
    using flags = detail::nonzero_flags;
    csr<T> made;
    flags found = detail::inspect_nonzeros(exec, own);
    std::int64_t const first = begins[std::size_t(comm.rank())];
    if (found.any(flags::not_finite)) detail::require_finite(exec, own, first);
    if (found.any(flags::unsorted)) {
        made = sort_columns(exec, own);
        own = made.view();
        found = detail::inspect_nonzeros(exec, own);
        if (found.any(flags::unsorted)) refuse_duplicates();
    }
    auto couplings = couplings_of<T>(exec, of_others, own.rows(), begins.back(), first,
                                     [](T value) { return detail::magnitude(value); });
    if (std::size_t(couplings.nonzeros()) != of_others.values.size()) refuse_duplicates();
    auto const mirror = mirrored(exec, comm, couplings, begins);
    bool const symmetric =
        found.symmetric_pattern() && !found.any(flags::uneven) && symmetry_of(exec, couplings, mirror).values;
    if (comm.all_reduce(int(!symmetric), maximum{}) != 0) {
        auto const transposed_block = transpose(exec, own);
        made = detail::merged_weights(exec, own, transposed_block.view());
        own = made.view();
        couplings = add(exec, couplings, mirror);
    }
    return {exec, comm, begins, own, couplings_on_host(exec, couplings)};
}
template <executor Executor, class T>
distributed_graph<Executor, T> make_weighted_graph(Executor const& exec, rank_communicator const& comm,
                                                   distributed_csr<Executor, T> const& a) {
    return make_weighted_graph<Executor, T>(exec, comm, a.begins(), a.own_block().view(), a.couplings());
}

} // namespace coppice::inline v0_1::distributed
