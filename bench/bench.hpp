// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Measures Coppice and its peers in the same run, on the same data.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/core/executor.hpp>

namespace coppice::bench {

inline char const* backend_of(host_executor const&) { return "host"; }
inline char const* backend_of(cuda_executor const&) { return "cuda"; }

struct options {
    bool host = true;   ///< measure the host backend and its peers
    bool cuda = false;  ///< measure the CUDA backend and its peers; needs a device
    int threads = 0;    ///< host threads; 0: all cores
    bool quick = false; ///< small problems and few repetitions, to test that the suite runs
    double limit = 0;   ///< seconds after which no further problem begins; 0: no limit
    std::string only{}; ///< measure only cases whose name contains this
    bool print_table = true;
};

/// One measured figure.
struct row {
    std::string suite{};
    std::string backend{}; ///< "host" or "cuda"
    std::string problem{}; ///< matrix and value type
    std::string method{};  ///< "coppice ..." or the peer's name and version
    std::string against{}; ///< method that `ratio` compares with: time / its time
    std::int64_t rows = 0;
    std::int64_t nonzeros = 0;
    double seconds = 0; ///< median
    double fastest = 0; ///< minimum
    double bytes = 0;   ///< minimum memory traffic of the operation; 0 if bandwidth is not reported
    double ratio = 0;
    std::string details{}; ///< iterations, coverage, ...
    std::string chart{};   ///< title of a sweep: what its problems have in common
    std::string axis{};    ///< the quantity that differs between the problems
    double at = 0;         ///< its value for this problem
    double forward = 0;    ///< median relative forward error; 0 if errors are not measured
    double backward = 0;   ///< largest backward error
    double scatter = 0;    ///< see timing
};

/// Collects rows and prints a problem as soon as it is complete.
class table {
public:
    explicit table(options const& o) : options_(o) {}
    /// Timed rows of one problem; the first one is the reference of the comparison.
    void add(std::vector<row> problem);
    /// Rows with a comparison that the caller made, and the line that shows them.
    void add_as(std::vector<row> problem, std::string const& line);
    /// Prints a line of free text between problems (machine, versions, ceilings).
    void remark(std::string const& text) const;
    std::vector<row> const& rows() const { return rows_; }
    /// Whether `only` selects this problem.
    bool selects(std::string_view problem) const {
        return options_.only.empty() || problem.find(options_.only) != std::string_view::npos;
    }
    bool is_late() const; ///< whether `limit` seconds have passed since the construction
    /// Whether to measure this problem: it is selected, and not too late.
    bool wants(std::string_view problem) { return selects(problem) && is_in_time(problem); }
    /// The same for a matrix with several operations: `only` selects it, or begins with its name ("R-MAT 18: bfs").
    bool wants_some_of(std::string_view matrix) {
        return (selects(matrix) || options_.only.starts_with(matrix)) && is_in_time(matrix);
    }
    /// The problems that were selected but too late.
    std::set<std::string> const& left_out() const { return left_out_; }

private:
    void keep(std::vector<row> const& problem);
    bool is_in_time(std::string_view problem); ///< remembers those that are not

    options const& options_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::vector<row> rows_;
    std::set<std::string> left_out_;
    bool header_printed_ = false;
};

struct timing {
    double median = 0;
    double fastest = 0;
    double scatter = 0; ///< distance of the quartiles, relative to the median
};
/// Wall-clock seconds of `work(repetition)`: one untimed call, then `repetitions` calls (at least 3), or as many as fit
/// into about two seconds.
timing measure(int repetitions, std::function<void(int)> const& work);
/// As above; `prepare(repetition)` runs before each call and is not timed.
timing measure(int repetitions, std::function<void(int)> const& prepare, std::function<void(int)> const& work);

/// The suites, in the order of suite_names(); each measures the backends and problems that the options select.
std::vector<std::string> suite_names();

struct results {
    std::vector<row> rows;
    std::vector<std::string> failures; ///< suite, backend and message of each suite that stopped; its rows are kept
    std::vector<std::string> left_out; ///< problems that were too late for `limit`
};

/// Runs one suite ("all" for every one except accuracy and cores, which take long, and reference, whose figures are
/// stored).
/// Throws argument_error for an unknown name, backend_error if CUDA is requested and not available.
results run(std::string const& suite, options const& o);

/// Formats like printf into a string; for sources that nvcc compiles, since it does not compile the compile-time checks
/// of fmt.
[[gnu::format(printf, 1, 2)]] std::string text(char const* format, ...);

/// Describes this machine: processor, cores, instruction set, compiler, library versions, device.
std::string machine(options const& o);

// The measurements of each suite on the host and on CUDA. The functions for CUDA exist only in builds with CUDA.
void spmv_host(table& t, options const& o);
void spmv_cuda(table& t, options const& o);
void tridiagonal_host(table& t, options const& o);
void tridiagonal_classes_host(table& t, options const& o); ///< its parts
void tridiagonal_small_host(table& t, options const& o);
void tridiagonal_cuda(table& t, options const& o);
void algebra_host(table& t, options const& o);
void algebra_cuda(table& t, options const& o);
void cores_host(table& t, options const& o); ///< the same operations on 1, 2, 4, ... threads
void graph_host(table& t, options const& o);
void graph_cuda(table& t, options const& o);
void factor_host(table& t, options const& o);
void factor_cuda(table& t, options const& o);
void forest_host(table& t, options const& o);
void forest_cuda(table& t, options const& o);
void preconditioner_host(table& t, options const& o);
void preconditioner_cuda(table& t, options const& o);
void multilevel_host(table& t, options const& o);
void multilevel_cuda(table& t, options const& o);
void automatic_host(table& t, options const& o);
void automatic_cuda(table& t, options const& o);
void splittings_host(table& t, options const& o);
void splittings_cuda(table& t, options const& o);
void solve_host(table& t, options const& o);
void solve_cuda(table& t, options const& o);
void krylov_host(table& t, options const& o);
void krylov_cuda(table& t, options const& o);
void distributed_host(table& t, options const& o);
void distributed_cuda(table& t, options const& o);
void queues_host(table& t, options const& o);
void queues_cuda(table& t, options const& o);
void reference_host(table& t, options const& o);
void reference_cuda(table& t, options const& o);
void accuracy_host(table& t, options const& o);
void accuracy_cuda(table& t, options const& o);

} // namespace coppice::bench
