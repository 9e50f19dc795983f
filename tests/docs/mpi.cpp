// SPDX-License-Identifier: BSD-3-Clause
// The example of docs/guide/mpi.md, which contains the region between the markers.
// [begin]
#include <cstdio>
#include <exception>
#include <vector>

#include <coppice/krylov.hpp>
#include <coppice/mpi.hpp>
#include <coppice/parts.hpp>
#include <coppice/preconditioner.hpp>

using namespace coppice;

/// Solves A x = b, b = (1, 1, ...), with a matrix of which each rank reads its rows. Returns the number of iterations.
std::int64_t solve_file(mpi_executor<host_executor> const& ranks, char const* path) {
    std::int64_t iterations = 0;
    ranks.run([&](host_executor const& host, rank_communicator const& comm) {
        auto const rows = read_rows<double>(host, comm, path);
        distributed_csr<host_executor, double> const a(host, comm, rows.offsets, rows.columns, rows.values);
        auto const m = make_distributed_preconditioner(host, comm, "multilevel", a);
        auto const b = host.copy(std::vector<double>(std::size_t(a.size()), 1.0));
        auto x = host.copy(std::vector<double>(std::size_t(a.size()), 0.0)); // the elements of this rank
        auto const result = solve_distributed(host, comm, "cg", a, m, b.view(), x.view(), {.tolerance = 1e-8});
        if (result.converged) iterations = result.iterations; // equal on all ranks
    });
    return iterations;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int code = 1;
    {
        mpi_executor<host_executor> const ranks(MPI_COMM_WORLD); // one thread each
        try {
            std::int64_t const iterations = solve_file(ranks, argc > 1 ? argv[1] : "matrix.mtx");
            if (ranks.rank() == 0) std::printf("%lld iterations\n", static_cast<long long>(iterations));
            code = iterations > 0 ? 0 : 1;
        } catch (std::exception const& e) { // all ranks come here, and the one that has failed reports it
            if (ranks.rank() == ranks.failed_rank()) std::fprintf(stderr, "%s\n", e.what());
        }
    }
    MPI_Finalize();
    return code;
}
// [end]
