// SPDX-License-Identifier: BSD-3-Clause
#include "apps/processes.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include <dlfcn.h>

#include <fmt/format.h>

#include "apps/names.hpp"
#include "apps/version.hpp"
#include <coppice/solvers/distributed/graphs/distributed_analytics.hpp>

namespace coppice::app {
namespace {

process_ranks* processes = nullptr;

int number_in(char const* variable) {
    char const* const text = std::getenv(variable);
    return text ? std::atoi(text) : 0;
}

/// Number of processes according to Open MPI, MPICH and its relatives, or Slurm with PMIx; 0: not started by them.
int processes_of_environment() {
    for (char const* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
        if (int const count = number_in(variable); count > 0) return count;
    return std::getenv("PMIX_RANK") ? number_in("SLURM_NTASKS") : 0;
}

/// The value of --mpi before the command line is parsed: MPI has to start first.
std::string mpi_argument(std::vector<std::string> const& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].rfind("--mpi=", 0) == 0) return arguments[i].substr(6);
        if (arguments[i] == "--mpi" && i + 1 < arguments.size()) return arguments[i + 1];
    }
    return "auto";
}

bool work_together(std::vector<std::string> const& arguments) {
    if (arguments.empty()) return false;
    auto const& command = arguments[0];
    if (command != "solve" && command != "multiply" && !is_distributed_graph_algorithm(command)) return false;
    std::string const mpi = mpi_argument(arguments);
    return mpi == "on" || (mpi == "auto" && processes_of_environment() > 1);
}

/// Loads libcoppice_mpi from the folder of the command, the library folder next to it, or where the system finds it.
void* load_library() {
    std::string const name = fmt::format("libcoppice_mpi.so.{}.{}", COPPICE_VERSION_MAJOR, COPPICE_VERSION_MINOR);
    std::error_code ignored;
    auto const folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    std::string why;
    for (std::filesystem::path const& path : {folder / name, folder / "../mpi" / name,
                                              folder / COPPICE_LIBRARY_FOLDER / name, std::filesystem::path(name)}) {
        // RTLD_GLOBAL: components that Open MPI loads later look for its symbols among the global ones.
        if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
        why = dlerror();
    }
    throw backend_error(fmt::format("several processes need {}, which does not load: {}; build Coppice with "
                                    "COPPICE_MPI=ON and install the component "
                                    "mpi, or let each process work on the whole problem by --mpi off",
                                    name, why));
}

/// The arguments without --threads, which may differ: each host has its cores.
std::string common_arguments(std::vector<std::string> const& arguments) {
    std::string text;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--threads")
            ++i; // its value
        else if (arguments[i].rfind("--threads=", 0) != 0)
            text += ' ' + arguments[i];
    }
    return text;
}

/// Throws usage_error, on all ranks, if a rank has other arguments than rank 0: their algorithms would wait for each
/// other.
void require_same_arguments(rank_communicator const& comm, std::string const& arguments) {
    auto const of_ranks = comm.gather(std::vector<char>(arguments.begin(), arguments.end()));
    auto const command = [&](std::size_t p) { return "coppice" + std::string(of_ranks[p].begin(), of_ranks[p].end()); };
    for (std::size_t p = 1; p < of_ranks.size(); ++p)
        if (of_ranks[p] != of_ranks[0])
            throw usage_error(fmt::format("process {} is started as '{}', process 0 as '{}': processes that work "
                                          "together need the same arguments, except --threads",
                                          p, command(p), command(0)));
}

template <class Function>
Function* find(void* library, char const* name) {
    auto* const found = reinterpret_cast<Function*>(dlsym(library, name));
    if (!found) throw backend_error(fmt::format("libcoppice_mpi has no function {}; install it again", name));
    return found;
}

} // namespace

void add_processes_option(CLI::App& cli, std::string& mpi) {
    cli.add_option(
           "--mpi", mpi,
           "whether processes that mpiexec starts work on one problem together: mpiexec -n P coppice ...; auto, the "
           "default: if there are several; on: also if there is one; off: each works on the whole problem")
        ->type_name("WHEN:auto|on|off");
}

process_ranks* current_processes() { return processes; }

std::string source_of_ranks(int ranks) {
    if (processes && ranks > 1)
        throw usage_error("--parts is for one process; here each of several processes is a rank (--mpi)");
    return processes ? "several processes (--mpi)" : ranks > 1 ? "--parts" : "";
}

started_processes::started_processes(std::vector<std::string> const& arguments)
    : arguments_(common_arguments(arguments)) {
    if (!work_together(arguments)) return;
    void* const library = load_library();
    std::string_view const built = find<char const*()>(library, "coppice_mpi_version")();
    if (built != version)
        throw backend_error(fmt::format("libcoppice_mpi has version {}, the command has {}", built, version));
    ranks_ = find<process_ranks*()>(library, "coppice_mpi_open")();
    if (!ranks_) throw backend_error("MPI does not start");
    close_ = find<void(process_ranks*)>(library, "coppice_mpi_close");
    processes = ranks_;
}

started_processes::~started_processes() {
    processes = nullptr;
    if (ranks_) close_(ranks_);
}

outcome started_processes::run(std::function<outcome()> const& work,
                               std::function<void(outcome const&, bool)> const& report) {
    outcome result;
    bool failed = false;
    auto const attempt = [&](auto const& call) {
        try {
            call();
        } catch (...) {
            result = outcome_of_current_exception();
            failed = true;
        }
    };
    if (!ranks_) {
        attempt([&] { result = work(); });
        report(result, failed);
        return result;
    }
    attempt([&] {
        ranks_->run([&] {
            require_same_arguments(rank_communicator(*ranks_), arguments_);
            result = work();
        });
    });
    int const reporter = std::max(ranks_->failed_rank(), 0);
    if (ranks_->rank() == reporter) report(result, failed);
    attempt([&] { // the same exit code, after the report: mpiexec ends all processes if one ends with an error
        ranks_->run([&] { result.code = rank_communicator(*ranks_).gather(result.code)[std::size_t(reporter)]; });
    });
    return result;
}

void adapt_to_rank(common_options& options, std::string& output, process_ranks const& ranks) {
    if (options.threads == 0)
        options.threads = std::max(1, int(std::thread::hardware_concurrency()) / ranks.local_ranks());
    if (ranks.rank() == 0) return;
    options.quiet = true;
    options.json.clear();
    output.clear();
}

} // namespace coppice::app
