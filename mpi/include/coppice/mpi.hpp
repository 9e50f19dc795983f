// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Distributed problems over processes of MPI, on one host or many: what <coppice/parts.hpp> offers for the threads of
/// one process. Every rank runs the same function with its own executor and its own block of rows.
///
///     MPI_Init(&argc, &argv);
///     {
///         coppice::mpi_executor const ranks(MPI_COMM_WORLD); // one thread each
///         ranks.run([&](coppice::host_executor const& exec, coppice::rank_communicator const& comm) {
///             auto const rows = coppice::read_rows<double>(exec, comm, "matrix.mtx");
///             coppice::distributed_csr const a(exec, comm, rows.offsets, rows.columns, rows.values);
///             // solve_distributed(exec, comm, "cg", a, ...), as in a multi_executor
///         });
///     }
///     MPI_Finalize();
///
/// The library is libcoppice_mpi: find_package(coppice COMPONENTS mpi), target coppice::mpi. Guide: docs/guide/mpi.md.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <mpi.h>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/core/rank_communicator.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>

namespace coppice::inline v0_1 {

/// The ranks of a duplicate of `comm`. Collective over `comm`. MPI is initialised, and finalised after the result is
/// destroyed; otherwise argument_error. Only one thread of a process calls its members.
std::shared_ptr<process_ranks> make_mpi_ranks(MPI_Comm comm);

/// This process as one rank of a distributed problem. Copies share the transport.
template <executor Executor = host_executor>
class mpi_executor {
public:
    /// Collective over `comm`, which is duplicated. By default a rank has one thread; with a cuda_executor, its device
    /// takes part in exchanges by NCCL, if no two ranks share a device.
    explicit mpi_executor(MPI_Comm comm, Executor exec = one_of_rank())
        : exec_(std::move(exec)), ranks_(make_mpi_ranks(comm)) {
        if constexpr (std::is_same_v<Executor, cuda_executor>) ranks_->use_device(exec_);
    }
    int rank() const { return ranks_->rank(); }
    int ranks() const { return ranks_->ranks(); }
    Executor const& executor_of_rank() const { return exec_; }
    rank_communicator comm() const { return rank_communicator(*ranks_); }
    /// The rank that the last run() names as the first one that failed; -1 if none has.
    int failed_rank() const { return ranks_->failed_rank(); }

    /// Calls work(executor, communicator) on every rank. See process_ranks::run: a failure of one rank is an exception
    /// on all, and none waits for a rank that has failed or returned.
    template <class Work>
    void run(Work const& work) const {
        ranks_->run([&] {
            if constexpr (std::is_same_v<Executor, cuda_executor>) make_current(exec_);
            work(exec_, comm());
        });
    }

private:
    static Executor one_of_rank() {
        if constexpr (std::is_same_v<Executor, host_executor>)
            return host_executor{1};
        else
            return Executor{};
    }

    Executor exec_;
    std::shared_ptr<process_ranks> ranks_;
};

mpi_executor(MPI_Comm)->mpi_executor<host_executor>;

} // namespace coppice::inline v0_1
