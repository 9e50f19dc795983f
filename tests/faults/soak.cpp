// SPDX-License-Identifier: BSD-3-Clause
// Random work for a given time: executors are made and destroyed, matrices generated, written and read, systems solved,
// solves cancelled, preconditioners refreshed, graph algorithms run; by two processes at the same time, on a device too
// if the build and the machine have one. Each answer is computed twice, on the host with different numbers of threads,
// and must have the same bits. The memory of a process must not grow.
//
//   coppice_soak [SECONDS [SEED]]    default: 10 seconds; 86400 is a day
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coppice/core/error.hpp>
#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/graph_algorithms.hpp>
#include <coppice/krylov.hpp>
#include <coppice/matrix_market.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/spmv.hpp>

#include "support/sanitized.hpp"

namespace {

namespace fs = std::filesystem;
using coppice::host_executor;
using bits = std::vector<double>;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Bytes in memory, after free memory has been given back to the system.
std::int64_t resident_bytes() {
    ::malloc_trim(0);
    std::ifstream in("/proc/self/statm");
    std::int64_t all = 0, resident = 0;
    in >> all >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

/// Everything that decides an answer except the executor.
struct task {
    enum class kind { product, solve, cancelled, refresh, graph, file } what{};
    std::string generator{}, preconditioner{}, method{}, algorithm{};
    coppice::generator_options options{};
    std::uint64_t seed = 0;
};

template <class Range>
auto const& one_of(std::mt19937_64& random, Range const& all) {
    return *(std::begin(all) + std::ptrdiff_t(random() % std::size(all)));
}

task random_task(std::mt19937_64& random) {
    static constexpr char const* grids[] = {"laplace2d", "aniso2", "convection"};
    static constexpr char const* preconditioners[] = {"none",  "jacobi", "forest",       "ilu0",      "isai",
                                                      "mos-d", "alt-i",  "block-forest", "multilevel"};
    task t;
    t.what = static_cast<task::kind>(random() % 6);
    t.seed = random();
    t.preconditioner = one_of(random, preconditioners);
    t.method = one_of(random, coppice::krylov_names);
    t.algorithm = one_of(random, coppice::graph_algorithm_catalogue).name;
    t.generator = t.what == task::kind::graph ? "rmat" : one_of(random, grids);
    t.options.nx = 3 + std::int64_t(random() % 40);
    t.options.ny = 3 + std::int64_t(random() % 40);
    t.options.scale = 3 + int(random() % 6);
    t.options.edge_factor = 4;
    t.options.seed = t.seed;
    return t;
}

std::string text_of(task const& t) {
    return "kind " + std::to_string(int(t.what)) + ", " + t.generator + " " + std::to_string(t.options.nx) + " x " +
           std::to_string(t.options.ny) + " scale " + std::to_string(t.options.scale) + ", " + t.preconditioner + ", " +
           t.method + ", " + t.algorithm;
}

std::vector<double> random_vector(std::int64_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> x(static_cast<std::size_t>(n));
    for (auto& value : x) value = double(random() >> 11) * 0x1p-52 - 1;
    return x;
}

template <class Executor>
bits solve_bits(Executor const& exec, task const& t, coppice::csr_view<double> a) {
    coppice::csr_operator<Executor, double> const op(exec, a);
    auto m = coppice::make_preconditioner(exec, t.preconditioner, a);
    if (t.what == task::kind::refresh) m.refresh(exec, a);
    auto const b = exec.copy(random_vector(a.rows(), t.seed));
    auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
    coppice::krylov_options options{.tolerance = 1e-8, .max_iterations = 40};
    auto const last = t.what == task::kind::cancelled ? std::int64_t(t.seed % 20) : 40;
    options.progress = [last](std::int64_t iteration, double) { return iteration < last; };
    auto const result = coppice::solve(exec, t.method, op, m, b.view(), x.view(), options);
    auto found = to_vector(exec, x);
    found.push_back(double(result.iterations));
    return found;
}

bits graph_bits(coppice::graph_answer const& answer) {
    bits found;
    if (auto const* values = std::get_if<coppice::graph_answer::values>(&answer.found)) found = *values;
    if (auto const* numbers = std::get_if<coppice::graph_answer::vertex_numbers>(&answer.found))
        found.assign(numbers->begin(), numbers->end());
    return found;
}

template <class Executor>
bits file_bits(Executor const& exec, task const& t, coppice::csr<double> const& a, fs::path const& folder) {
    auto const path = folder / (t.seed % 2 ? "a.mtx" : "a.mtx.gz");
    coppice::write_matrix_market(path, a);
    auto const again = exec.copy(coppice::read_matrix_market<double>(host_executor{1}, path));
    return to_vector(exec, again.values());
}

/// The answer of a task. Methods may refuse a matrix or fail numerically; that is an answer, too.
template <class Executor>
bits answer(Executor const& exec, task const& t, fs::path const& folder) {
    auto const on_host = coppice::generate<double>(host_executor{1}, t.generator, t.options);
    auto const a = exec.copy(on_host);
    try {
        switch (t.what) {
        case task::kind::product: {
            auto const x = exec.copy(random_vector(a.columns(), t.seed));
            auto y = exec.copy(std::vector<double>(std::size_t(a.rows())));
            coppice::spmv(exec, coppice::make_srcsr_plan(exec, a.view()), a.view(), x.view(), y.view());
            return to_vector(exec, y);
        }
        case task::kind::graph: {
            coppice::analytics_options options;
            options.undirected = true;
            return graph_bits(coppice::run_graph_algorithm(exec, t.algorithm, a.view(), options));
        }
        case task::kind::file:
            return file_bits(exec, t, on_host, folder);
        default:
            return solve_bits(exec, t, a.view());
        }
    } catch (coppice::error const& e) {
        return {-1, double(e.code())};
    }
}

bool same_bits(bits const& a, bits const& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// Whether two computations have the same bits: on the device, or on the host with different numbers of threads.
bool same_bits_twice(task const& t, std::mt19937_64& random, fs::path const& folder) {
    int const threads = 2 + int(random() % 3);
#if defined(COPPICE_HAS_CUDA)
    static bool const has_device = coppice::cuda_device_count() > 0;
    if (has_device && random() % 2 == 0)
        return same_bits(answer(coppice::cuda_executor{}, t, folder), answer(coppice::cuda_executor{}, t, folder));
#endif
    return same_bits(answer(host_executor(1), t, folder), answer(host_executor(threads), t, folder));
}

/// Works until `end`; the exit code of the process.
int work(double end, std::uint64_t seed) {
    auto const folder = fs::temp_directory_path() / ("coppice-soak-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    std::mt19937_64 random(seed);
    std::int64_t tasks = 0, early = 0;
    double const begin = now();
    int code = 0;
    for (; now() < end && code == 0; ++tasks) {
        auto const t = random_task(random);
        if (!same_bits_twice(t, random, folder)) {
            std::fprintf(stderr, "coppice_soak: seed %llu, task %lld has other bits the second time: %s\n",
                         static_cast<unsigned long long>(seed), static_cast<long long>(tasks), text_of(t).c_str());
            code = 1;
        }
        if (early == 0 && now() > begin + (end - begin) / 4) early = resident_bytes();
    }
    auto const late = resident_bytes();
    std::printf("seed %llu: %lld tasks, %.1f MB in memory after a quarter of the time, %.1f MB at the end\n",
                static_cast<unsigned long long>(seed), static_cast<long long>(tasks), double(early) * 1e-6,
                double(late) * 1e-6);
    // Arenas of malloc for new threads and tables that grow once: a few MB, whatever the time.
    if (!coppice::test::sanitized && early > 0 && late > early + (std::int64_t(48) << 20)) {
        std::fprintf(stderr, "coppice_soak: the memory grows\n");
        code = 1;
    }
    fs::remove_all(folder);
    return code;
}

} // namespace

int main(int argc, char** argv) {
    double const seconds = argc > 1 ? std::atof(argv[1]) : 10;
    std::uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    if (!(seconds > 0)) {
        std::fprintf(stderr, "SECONDS is %s, expected a positive number\n", argv[1]);
        return 2;
    }
    double const end = now() + seconds;
    pid_t const other = ::fork(); // before any thread or device context exists
    if (other < 0) return 1;
    if (other == 0) {
        int const code = work(end, seed + 1);
        std::fflush(stdout);
        ::_exit(code);
    }
    int const code = work(end, seed);
    int status = 0;
    ::waitpid(other, &status, 0);
    return code != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0 ? 1 : 0;
}
