// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of a distributed graph in the order of local vertices, for sources that read or change its weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>
#include <coppice/solvers/distributed/graphs/rank_graph.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Merges a row of the own block with its entries in columns of other ranks; the outer vertices are numbered after the
/// own ones. The order of the entries is that of the global matrix if its rows are sorted.
template <class T>
struct merge_columns {
    csr_view<T> own;
    csr_view<T> others;        ///< columns are positions among the outer vertices
    std::int32_t rows, before; ///< the first `before` outer vertices belong to lower ranks
    std::int32_t* offsets;
    std::int32_t* columns;
    T* values;

    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t at = own.offsets[i] + others.offsets[i];
        offsets[i] = at;
        if (i == rows) return;
        copy_others(i, true, at);
        for (std::int32_t k = own.offsets[i]; k < own.offsets[i + 1]; ++k, ++at) {
            columns[at] = own.indices[k];
            values[at] = own.coefficients[k];
        }
        copy_others(i, false, at);
    }

private:
    COPPICE_HD void copy_others(std::int64_t i, bool of_before, std::int32_t& at) const {
        for (std::int32_t k = others.offsets[i]; k < others.offsets[i + 1]; ++k) {
            if ((others.indices[k] < before) != of_before) continue;
            columns[at] = rows + others.indices[k];
            values[at++] = others.coefficients[k];
        }
    }
};

} // namespace distributed

template <executor Executor, class T>
struct distributed_graph<Executor, T>::state {
    distributed::compact_columns outer_columns;
    distributed::rank_graph<Executor> graph;
    csr<T> weights; ///< columns: own vertices, then outer vertices

    using couplings_type = typename distributed_csr<Executor, T>::entries_of_others;

    state(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins, csr_view<T> own,
          couplings_type const& couplings)
        : outer_columns(distributed::set_up_executor(exec), array_view<std::int32_t const>(couplings.columns)),
          graph(exec, comm, begins, outer_columns.distinct), weights(merged_weights(exec, own, couplings)) {}

private:
    csr<T> merged_weights(Executor const& exec, csr_view<T> own, couplings_type const& entries) const {
        auto const rows = own.rows();
        std::vector<std::int32_t> begin(std::size_t(rows) + 1, 0), at;
        for (std::size_t k = 0; k < entries.rows.size(); ++k)
            begin[std::size_t(entries.rows[k]) + 1] = entries.offsets[k + 1] - entries.offsets[k];
        for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
        for (std::int32_t const column : entries.columns) at.push_back(outer_columns(column));
        auto const outer = std::int32_t(outer_columns.distinct.size());
        csr<T> const couplings(rows, outer, exec.copy(begin), exec.copy(at), exec.copy(entries.values));
        buffer<std::int32_t> offsets(exec, std::int64_t(rows) + 1),
            columns(exec, own.nonzeros() + couplings.nonzeros());
        buffer<T> values(exec, columns.size());
        distributed::rank_ids const ids = graph.ids();
        auto const before =
            std::int32_t(std::lower_bound(outer_columns.distinct.begin(), outer_columns.distinct.end(), ids.first) -
                         outer_columns.distinct.begin());
        for_each(exec, offsets.size(),
                 distributed::merge_columns<T>{own, couplings.view(), rows, before, offsets.data(), columns.data(),
                                               values.data()});
        return {rows, rows + outer, std::move(offsets), std::move(columns), std::move(values)};
    }
};

} // namespace coppice::inline v0_1
