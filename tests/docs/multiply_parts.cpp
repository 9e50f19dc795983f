// SPDX-License-Identifier: BSD-3-Clause
// The fourth example of docs/guide/parts.md, which contains the region between the markers.
// [begin]
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <coppice/graph_parts.hpp>

using namespace coppice;

/// The number of entries in each row of A A, and the smallest length of a path of two edges to the first vertex.
struct two_steps {
    std::vector<std::int32_t> entries;
    std::vector<double> to_first;
};
two_steps paths_on_ranks(csr<double> const& a, int ranks) {
    multi_executor<host_executor> const all(std::vector<host_executor>(std::size_t(ranks), host_executor{1}));
    double const none = std::numeric_limits<double>::infinity();
    two_steps answer{std::vector<std::int32_t>(std::size_t(a.rows())),
                     std::vector<double>(std::size_t(a.rows()), none)};
    all.run([&](host_executor const& host, rank_communicator const& comm) {
        std::int64_t const p = comm.rank(), first = a.rows() * p / ranks, last = a.rows() * (p + 1) / ranks;
        auto const block = slice_rows(a, first, last); // over MPI: read_rows<double>(host, comm, "graph.mtx")
        csr<double> const own(std::int32_t(block.rows()), a.columns(), host.copy(block.offsets),
                              host.copy(block.columns), host.copy(block.values));

        auto const c = mxm_distributed(host, comm, min_plus<double>{}, own, own); // own rows, global columns
        for (std::int32_t i = 0; i < c.rows(); ++i) {
            auto const begin = c.row_offsets()[i], end = c.row_offsets()[i + 1];
            answer.entries[std::size_t(first + i)] = end - begin;
            if (end > begin && c.column_indices()[begin] == 0)
                answer.to_first[std::size_t(first + i)] = c.values()[begin];
        }
    });
    return answer;
}
// [end]

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/sparse.hpp>

int main() {
    host_executor const exec(1);
    auto const a = generate<double>(exec, "laplace2d", {.nx = 9, .ny = 7}); // 4 on the diagonal, -1 for neighbours
    auto const squared = mxm(exec, min_plus<double>{}, a, a);
    for (int const ranks : {1, 2, 5}) {
        auto const r = paths_on_ranks(a, ranks);
        for (std::int32_t v = 0; v < 63; ++v) {
            if (r.entries[std::size_t(v)] != squared.row_offsets()[v + 1] - squared.row_offsets()[v]) return 1;
            int const steps = v % 9 + v / 9;
            double const expected = steps == 0 || steps == 2 ? -2
                                    : steps == 1             ? 3
                                                             : std::numeric_limits<double>::infinity();
            if (r.to_first[std::size_t(v)] != expected) return 2;
        }
    }
    return 0;
}
