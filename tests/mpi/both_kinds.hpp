// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Runs one body on ranks that are processes of MPI, and on as many ranks of this process.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <coppice/mpi.hpp>
#include <coppice/parts.hpp>

namespace coppice::test {

/// The ranks of this program. Every process runs all test cases.
inline mpi_executor<host_executor> const& processes() {
    static mpi_executor<host_executor> const ranks(MPI_COMM_WORLD);
    return ranks;
}

/// Concatenates the blocks of all ranks.
template <class Value>
std::vector<Value> whole(rank_communicator const& comm, std::vector<Value> const& block) {
    std::vector<Value> all;
    for (auto const& of_rank : comm.gather(block)) all.insert(all.end(), of_rank.begin(), of_rank.end());
    return all;
}

/// The result of body(executor, communicator), equal on all ranks, on `ranks` ranks of this process.
template <class Body>
auto in_process(int ranks, Body const& body) {
    using result = decltype(body(host_executor{1}, processes().comm()));
    std::vector<result> results(static_cast<std::size_t>(ranks));
    multi_executor<host_executor> const all(std::vector<host_executor>(std::size_t(ranks), host_executor{1}));
    all.run([&](host_executor const& exec, rank_communicator const& comm) {
        results[std::size_t(comm.rank())] = body(exec, comm);
    });
    for (auto const& of_rank : results) CHECK(of_rank == results[0]);
    return results[0];
}

/// The result on the processes of MPI. Checks that ranks of this process return the same bits.
template <class Body>
auto over_processes(Body const& body) {
    decltype(body(host_executor{1}, processes().comm())) result{};
    processes().run([&](host_executor const& exec, rank_communicator const& comm) { result = body(exec, comm); });
    CHECK(result == in_process(processes().ranks(), body));
    return result;
}

/// Rows [first, last) of n that belong to this rank.
struct rank_range {
    std::int64_t first, last;
    rank_range(std::int64_t n, rank_communicator const& comm)
        : first(n * comm.rank() / comm.ranks()), last(n * (comm.rank() + 1) / comm.ranks()) {}
};

/// The rows of this rank of the 5-point matrix of a grid of nx * ny points, with 4 + `more` on the diagonal.
template <class T>
row_block<T> rows_of_grid(rank_communicator const& comm, std::int64_t nx, std::int64_t ny, T more) {
    std::int64_t const n = nx * ny;
    rank_range const range(n, comm);
    row_block<T> rows{range.first, n, n, {0}, {}, {}};
    for (std::int64_t i = range.first; i < range.last; ++i) {
        std::int64_t const x = i % nx, y = i / nx;
        auto const add = [&](bool inside, std::int64_t j, T value) {
            if (!inside) return;
            rows.columns.push_back(std::int32_t(j));
            rows.values.push_back(value);
        };
        add(y > 0, i - nx, -1);
        add(x > 0, i - 1, -1);
        add(true, i, 4 + more);
        add(x + 1 < nx, i + 1, -1);
        add(y + 1 < ny, i + nx, -1);
        rows.offsets.push_back(std::int32_t(rows.columns.size()));
    }
    return rows;
}

/// Values in [-1, 1] for the rows of this rank, equal for any number of ranks.
template <class T>
std::vector<T> numbers(std::int64_t first, std::int64_t count) {
    std::vector<T> values;
    for (std::int64_t i = first; i < first + count; ++i) values.push_back(T((i * 7919 + 13) % 2001) / 1000 - 1);
    return values;
}

} // namespace coppice::test
