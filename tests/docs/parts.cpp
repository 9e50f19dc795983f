// SPDX-License-Identifier: BSD-3-Clause
// The example of docs/guide/parts.md, which contains the region between the markers.
// [begin]
#include <algorithm>
#include <vector>

#include <coppice/krylov.hpp>
#include <coppice/parts.hpp>
#include <coppice/preconditioner.hpp>

using namespace coppice;

/// Solves A x = b by CG over ranks with equally many rows; the paths of the preconditioner cross their boundaries.
krylov_result solve_on_ranks(csr<double> const& a, std::vector<double> const& b, std::vector<double>& x, int ranks) {
    multi_executor<host_executor> const all(std::vector<host_executor>(std::size_t(ranks), host_executor{1}));
    std::vector<krylov_result> results(static_cast<std::size_t>(ranks));
    all.run([&](host_executor const& host, rank_communicator const& comm) {
        std::int64_t const p = comm.rank(), first = a.rows() * p / ranks, last = a.rows() * (p + 1) / ranks;
        auto const begin = a.row_offsets()[first], end = a.row_offsets()[last];
        std::vector<std::int32_t> offsets(a.row_offsets().begin() + first, a.row_offsets().begin() + last + 1);
        for (auto& offset : offsets) offset -= begin;
        distributed_csr<host_executor, double> const rows(
            host, comm, offsets, {a.column_indices().begin() + begin, a.column_indices().begin() + end},
            {a.values().begin() + begin, a.values().begin() + end});

        auto const m = make_distributed_preconditioner(host, comm, "forest", rows);
        auto const own_b = host.copy(std::vector<double>(b.begin() + first, b.begin() + last));
        auto own_x = host.copy(std::vector<double>(std::size_t(rows.size()), 0.0));
        results[std::size_t(p)] =
            solve_distributed(host, comm, "cg", rows, m, own_b.view(), own_x.view(), {.tolerance = 1e-10});
        std::copy_n(own_x.data(), rows.size(), x.begin() + first);
    });
    return results[0]; // equal on all ranks
}
// [end]

#include <cmath>

#include <coppice/generators.hpp>

int main() {
    host_executor const exec(1);
    auto const a = generate<double>(exec, "aniso1", {.nx = 40, .ny = 40});
    std::vector<double> const b(std::size_t(a.rows()), 1);
    for (int const ranks : {1, 2, 3}) {
        std::vector<double> x(b.size());
        auto const result = solve_on_ranks(a, b, x, ranks);
        if (!result.converged) return 1;
        double worst = 0;
        for (int i = 0; i < a.rows(); ++i) {
            double sum = -b[std::size_t(i)];
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                sum += a.values()[k] * x[std::size_t(a.column_indices()[k])];
            worst = std::max(worst, std::abs(sum));
        }
        if (!(worst < 1e-8)) return 2;
    }
    return 0;
}
