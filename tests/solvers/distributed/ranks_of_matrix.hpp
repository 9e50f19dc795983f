// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Runs a body on ranks that have contiguous ranges of rows of a matrix in host memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>
#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>

#include "support/executors.hpp"

namespace coppice::test {

/// [ranks + 1] the first row of each rank.
using row_ranges = std::vector<std::int64_t>;
/// Ranges of whole points with `block` rows each.
inline row_ranges equal_ranges(std::int64_t n, int ranks, std::int64_t block = 1) {
    row_ranges begin;
    for (int p = 0; p <= ranks; ++p) begin.push_back(n / block * p / ranks * block);
    return begin;
}

/// Collects body(exec, comm, first row, end) of each rank, a vector with an element for each row.
template <class Fixture, class T = double, class Body>
std::vector<T> on_ranks(row_ranges const& begin, Body const& body) {
    using exec_type = decltype(Fixture::exec());
    std::vector<T> all(static_cast<std::size_t>(begin.back()));
    multi_executor<exec_type> const ranks(executors_of<Fixture>(begin.size() - 1));
    ranks.run([&](exec_type const& exec, rank_communicator const& comm) {
        auto const p = std::size_t(comm.rank());
        std::vector<T> const own = body(exec, comm, begin[p], begin[p + 1]);
        std::copy(own.begin(), own.end(), all.begin() + begin[p]);
    });
    return all;
}

/// The rows [first, end) of a matrix in host memory.
template <class Executor, class T>
distributed_csr<Executor, T> matrix_of_rank(Executor const& exec, rank_communicator const& comm, csr<T> const& a,
                                            std::int64_t first, std::int64_t end) {
    auto const rows = slice_rows(a, first, end);
    return {exec, comm, rows.offsets, rows.columns, rows.values};
}

/// Random elements first, ..., end - 1 of a vector, which do not depend on the number of ranks.
inline std::vector<double> numbers(std::int64_t first, std::int64_t end, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    random.discard(std::uint64_t(first));
    std::vector<double> values(static_cast<std::size_t>(end - first));
    for (double& value : values) value = double(random() % 2000) / 1000 - 1;
    return values;
}

template <class Executor, class T>
std::vector<T> applied(Executor const& exec, any_preconditioner<Executor, T> const& m, buffer<T> const& r) {
    buffer<T> z(exec, r.size());
    m.apply(exec, r.view(), z.view());
    return to_vector(exec, z);
}

} // namespace coppice::test
