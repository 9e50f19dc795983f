// SPDX-License-Identifier: BSD-3-Clause
// The third example of docs/guide/parts.md, which contains the region between the markers.
// [begin]
#include <algorithm>
#include <cstdint>
#include <vector>

#include <coppice/graph_parts.hpp>

using namespace coppice;

/// Levels of all vertices from `source`, and for each vertex the largest level of its neighbours (-1 without edges).
struct search_answer {
    std::vector<std::int32_t> levels, largest;
};
search_answer search_on_ranks(csr<double> const& a, int ranks, std::int64_t source) {
    multi_executor<host_executor> const all(std::vector<host_executor>(std::size_t(ranks), host_executor{1}));
    search_answer answer{std::vector<std::int32_t>(std::size_t(a.rows())),
                         std::vector<std::int32_t>(std::size_t(a.rows()))};
    all.run([&](host_executor const& host, rank_communicator const& comm) {
        std::int64_t const p = comm.rank(), first = a.rows() * p / ranks, last = a.rows() * (p + 1) / ranks;
        auto const block = slice_rows(a, first, last); // over MPI: read_rows<double>(host, comm, "graph.mtx")
        distributed_rows const rows(host, comm, block.offsets, block.columns);
        auto const r = bfs_distributed(host, comm, rows, source);
        std::copy_n(r.levels.data(), rows.size(), answer.levels.begin() + first);

        // any multiplication and any associative addition; here of the levels alone
        auto halo = rows.halo_of<std::int32_t>(host, comm);
        std::int32_t* const largest = answer.largest.data() + first;
        reduce_rows(
            host, rows, halo, r.levels.view(), [](std::int64_t, std::int32_t level) { return level; },
            adder_of([](std::int32_t x, std::int32_t y) { return std::max(x, y); }, std::int32_t(-1)),
            [largest](std::int64_t row, std::int32_t level) { largest[row] = level; });
    });
    return answer;
}
// [end]

#include <coppice/algebra/generate/generators.hpp>

int main() {
    host_executor const exec(1);
    auto const a = generate<double>(exec, "laplace2d", {.nx = 9, .ny = 7}); // the diagonal makes loops
    for (int const ranks : {1, 2, 5}) {
        auto const r = search_on_ranks(a, ranks, 0);
        for (int v = 0; v < 63; ++v) {
            int const x = v % 9, y = v / 9;
            if (r.levels[std::size_t(v)] != x + y) return 1;
            if (r.largest[std::size_t(v)] != x + y + (x < 8 || y < 6 ? 1 : 0)) return 2;
        }
    }
    return 0;
}
