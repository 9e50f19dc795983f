// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The command as one of several processes that mpiexec has started.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/app.hpp"
#include <coppice/core/rank_communicator.hpp>

namespace coppice::app {

void add_processes_option(CLI::App& cli, std::string& mpi);

/// The processes that work together; MPI runs while the object exists. The library libcoppice_mpi is loaded, so that
/// the command does not depend on MPI.
class started_processes {
public:
    /// For solve, multiply and the distributed graph algorithms with --mpi on, or auto, the default, if an environment
    /// variable of mpiexec reports several processes. Throws backend_error if the library is not installed.
    explicit started_processes(std::vector<std::string> const& arguments);
    ~started_processes();
    started_processes(started_processes const&) = delete;
    started_processes& operator=(started_processes const&) = delete;

    /// Calls work(), collectively if there are several processes, and report(outcome, whether it is that of an
    /// exception) on one process. The exception of a process is the outcome of all; usage_error if processes have
    /// other arguments than the first one. No process returns before the report.
    outcome run(std::function<outcome()> const& work, std::function<void(outcome const&, bool)> const& report);

private:
    std::string arguments_{}; ///< which all processes share
    process_ranks* ranks_ = nullptr;
    void (*close_)(process_ranks*) = nullptr;
};

/// The ranks of the processes; null if this process works alone.
process_ranks* current_processes();

/// What makes several ranks work on a command: "several processes (--mpi)", "--parts", or nothing. Throws usage_error
/// for both; `ranks` is the number of --parts.
std::string source_of_ranks(int ranks);

/// Adapts the options of the command to this process, a rank of `ranks`: it uses an equal fraction of the cores, and
/// only rank 0 writes output.
void adapt_to_rank(common_options& options, std::string& output, process_ranks const& ranks);

} // namespace coppice::app
