// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <fstream>

#include <fmt/core.h>

#include <coppice/core/executor.hpp>
#include <coppice/core/host/isa.hpp>

namespace coppice::bench {
namespace {

using suite_function = void (*)(table&, options const&);
struct suite {
    char const* name;
    suite_function host;
    suite_function cuda;
    bool of_all = true; ///< is part of "all"
};
#if defined(COPPICE_HAS_CUDA)
#define COPPICE_BENCH_CUDA(f) f
#else
#define COPPICE_BENCH_CUDA(f) nullptr
#endif
constexpr suite suites[] = {
    {"spmv", spmv_host, COPPICE_BENCH_CUDA(spmv_cuda)},
    {"tridiagonal", tridiagonal_host, COPPICE_BENCH_CUDA(tridiagonal_cuda)},
    {"algebra", algebra_host, COPPICE_BENCH_CUDA(algebra_cuda)},
    {"graph", graph_host, COPPICE_BENCH_CUDA(graph_cuda)},
    {"factor", factor_host, COPPICE_BENCH_CUDA(factor_cuda)},
    {"forest", forest_host, COPPICE_BENCH_CUDA(forest_cuda)},
    {"preconditioner", preconditioner_host, COPPICE_BENCH_CUDA(preconditioner_cuda)},
    {"splittings", splittings_host, COPPICE_BENCH_CUDA(splittings_cuda)},
    {"automatic", automatic_host, COPPICE_BENCH_CUDA(automatic_cuda)},
    {"multilevel", multilevel_host, COPPICE_BENCH_CUDA(multilevel_cuda)},
    {"solve", solve_host, COPPICE_BENCH_CUDA(solve_cuda)},
    {"krylov", krylov_host, COPPICE_BENCH_CUDA(krylov_cuda)},
    {"parts", distributed_host, COPPICE_BENCH_CUDA(distributed_cuda)},
    {"cores", cores_host, nullptr, false},
    {"queues", queues_host, COPPICE_BENCH_CUDA(queues_cuda)},
    {"reference", reference_host, COPPICE_BENCH_CUDA(reference_cuda), false},
    {"accuracy", accuracy_host, COPPICE_BENCH_CUDA(accuracy_cuda), false},
};

std::string duration(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
    if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
    return fmt::format("{:.2f} s", seconds);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string processor() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

} // namespace

timing measure(int repetitions, std::function<void(int)> const& prepare, std::function<void(int)> const& work) {
    prepare(0);
    work(0);
    std::vector<double> seconds;
    double const start = now();
    for (int i = 0; i < repetitions && (i < 3 || now() - start < 2.0); ++i) {
        prepare(i + 1);
        double const before = now();
        work(i + 1);
        seconds.push_back(now() - before);
    }
    std::sort(seconds.begin(), seconds.end());
    std::size_t const n = seconds.size();
    double const median = seconds[n / 2];
    return {median, seconds.front(), (seconds[n - 1 - n / 4] - seconds[n / 4]) / median};
}

timing measure(int repetitions, std::function<void(int)> const& work) {
    return measure(
        repetitions, [](int) {}, work);
}

void table::add(std::vector<row> problem) {
    if (problem.empty()) return;
    double const base = problem.front().seconds;
    if (options_.print_table && !header_printed_) {
        fmt::print("{:<8} {:<34} {:<40} {:>10} {:>8} {:>9}  {}\n", "backend", "problem", "method", "median", "x first",
                   "GB/s", "note");
        header_printed_ = true;
    }
    for (row& r : problem) {
        r.against = problem.front().method;
        r.ratio = base > 0 ? r.seconds / base : 0;
        if (options_.print_table)
            fmt::print("{:<8} {:<34} {:<40} {:>10} {:>8.2f} {:>9}  {}\n", r.backend, r.problem, r.method,
                       duration(r.seconds), r.ratio,
                       r.bytes > 0 ? fmt::format("{:.1f}", r.bytes / r.seconds * 1e-9) : "", r.details);
    }
    if (options_.print_table) {
        fmt::print("\n");
        std::fflush(stdout);
    }
    keep(problem);
}

void table::add_as(std::vector<row> problem, std::string const& line) {
    for (row& r : problem) r.against = problem.front().method;
    if (options_.print_table) {
        fmt::print("{}\n", line);
        std::fflush(stdout);
    }
    keep(problem);
}

void table::keep(std::vector<row> const& problem) { rows_.insert(rows_.end(), problem.begin(), problem.end()); }

bool table::is_late() const {
    std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begin_;
    return options_.limit > 0 && spent.count() > options_.limit;
}

bool table::is_in_time(std::string_view problem) {
    bool const late = is_late();
    if (late) left_out_.emplace(problem);
    return !late;
}

void table::remark(std::string const& text) const {
    if (options_.print_table) fmt::print("{}\n", text);
}

std::string text(char const* format, ...) {
    char line[512];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return line;
}

std::vector<std::string> suite_names() {
    std::vector<std::string> names;
    for (suite const& s : suites) names.emplace_back(s.name);
    return names;
}

std::string machine(options const& o) {
    int const level = isa_level();
    std::string text =
        fmt::format("{}, {} threads, host kernels for {}, compiler {}", processor(), host_executor(o.threads).threads(),
                    level >= 4   ? "AVX-512"
                    : level >= 3 ? "AVX2"
                                 : "the base instruction set",
                    __VERSION__);
    if (o.cuda) text += fmt::format("; {} CUDA device(s)", cuda_device_count());
    return text;
}

results run(std::string const& name, options const& o) {
    auto const names = suite_names();
    if (name != "all" && std::find(names.begin(), names.end(), name) == names.end()) {
        std::string known;
        for (auto const& n : names) known += n + ", ";
        throw argument_error("unknown suite '" + name + "': expected one of " + known + "all");
    }
    if (o.cuda) cuda_executor{}; // a clear backend_error before anything is measured
    table t(o);
    t.remark(machine(o));
    std::vector<std::string> failures;
    auto const measure_on = [&](suite const& s, char const* backend, auto const& work) {
        try {
            work(t, o);
        } catch (std::exception const& problem) {
            failures.push_back(fmt::format("{}, {}: {}", s.name, backend, problem.what()));
        }
    };
    for (suite const& s : suites) {
        if (name == "all" ? !s.of_all : name != s.name) continue;
        if (o.host) measure_on(s, "host", s.host);
        if (o.cuda && s.cuda) measure_on(s, "cuda", s.cuda);
    }
    return {t.rows(), std::move(failures), {t.left_out().begin(), t.left_out().end()}};
}

} // namespace coppice::bench
