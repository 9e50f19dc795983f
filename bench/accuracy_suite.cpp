// SPDX-License-Identifier: BSD-3-Clause
// Suite `accuracy`: errors of the direct solvers compared with those of LAPACK on the same systems (thesis, Tables 4 to
// 9; Table 6.1 of L.-W. Chang's thesis; section 5.4 of Zhang, Cohen and Owens). Forward errors are compared system by
// system and the median of the ratios is shown, because the errors for ill-conditioned matrices differ by orders of
// magnitude between seeds.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/problems/accuracy_problems.hpp"
#include <coppice/algebra/block_transform.hpp>
#include <coppice/algebra/generate/partition_gallery.hpp>
#include <coppice/algebra/generate/pentadiagonal_gallery.hpp>
#include <coppice/algebra/generate/tridiagonal_gallery.hpp>
#include <coppice/solvers/compare/classical.hpp>
#include <coppice/solvers/compare/classical_catalogue.hpp>

namespace coppice::bench {
namespace {

struct method {
    char const* name;
    char const* column; ///< heading
    band_options options;
    bool reported;                                  ///< without a report there is one attempt only
    std::optional<classical_algorithm> classical{}; ///< instead of solve_bands
};
method const automatic{"coppice automatic", "automatic", {}, true};
method const scaled{"coppice automatic, scaled partial", "scaled", {.pivot = pivoting::scaled_partial}, true};
method const refined{"coppice automatic, refined once", "refined", {.refinements = 1}, true};
method const chain{"coppice chain", "chain", {.method = band_method::chain}, true};
method const rpts{"coppice rpts", "rpts", {.method = band_method::rpts}, false};
std::vector<method> scalar_methods() { return {automatic, scaled, refined, rpts, chain}; }
/// Appends the classical methods of the catalogue for which selects(algorithm) is true.
template <class Select>
void append_classical(std::vector<method>& methods, Select const& selects) {
    for (auto const& row : classical::catalogue)
        if (selects(row.which)) methods.push_back({row.title, row.title, {}, false, row.which});
}
/// Methods of Zhang, Cohen and Owens.
std::vector<method> classical_methods() {
    std::vector<method> methods{automatic};
    append_classical(methods, [](classical_algorithm which) { return which < classical::first_partitioned; });
    return methods;
}
/// Methods of Chang's thesis and methods with partitions.
std::vector<method> partition_methods() {
    std::vector<method> methods{rpts, chain};
    append_classical(methods, [](classical_algorithm which) { return which >= classical::first_partitioned; });
    return methods;
}
std::vector<method> chain_methods() { return {automatic, scaled, refined, chain}; }

/// The solution and the report of the solver.
template <class T>
struct told_answer {
    std::vector<T> x;
    solve_report report{};
};

template <class Executor, class T>
told_answer<T> answer_of(Executor const& exec, accuracy_system<T> const& s, method const& how) {
    auto const lower = exec.copy(s.solver[0]), diagonal = exec.copy(s.solver[1]), upper = exec.copy(s.solver[2]);
    auto const d = exec.copy(s.rhs);
    buffer<T> x(exec, s.size);
    if (how.classical) {
        solve_classical(exec, tridiagonal_view<T>{s.size, lower.data(), diagonal.data(), upper.data()}, 1,
                        array_view<T const>(d.view()), x.view(), {*how.classical, 128});
        return {to_vector(exec, x)};
    }
    buffer<solve_report> report(exec, how.reported ? 1 : 0);
    solve_bands(exec, s.matrix(lower.data(), diagonal.data(), upper.data()), columns_view<T const>(d.view()),
                columns_view<T>(x.view()), how.options, report.view());
    told_answer<T> answer{to_vector(exec, x)};
    if (how.reported) answer.report = to_vector(exec, report)[0];
    return answer;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}
/// Returns ours / theirs; 1 if both are infinite.
double ratio_of(double ours, double theirs) {
    if (std::isinf(ours) && std::isinf(theirs)) return 1;
    return theirs > 0 ? ours / theirs : ours > 0 ? HUGE_VAL : 1;
}

/// Errors of one method over several systems.
struct record {
    std::vector<double> forward, ratios;
    double backward = 0;
    int more_attempts = 0; ///< systems that needed more than one attempt
    int alarms = 0;        ///< systems whose status was not ok

    void add(answer_errors const& e, double lapack) {
        forward.push_back(e.forward);
        ratios.push_back(ratio_of(e.forward, lapack));
        backward = std::max(backward, e.backward);
    }
    double typical() const { return median(forward); }
    double worst() const { return *std::max_element(forward.begin(), forward.end()); }
    row as_row(std::string const& name) const {
        row r;
        r.method = name;
        r.forward = typical();
        r.backward = backward;
        r.ratio = median(ratios);
        r.details = fmt::format("largest forward {:.1e}, tried again {}, not ok {} of {}", worst(), more_attempts,
                                alarms, forward.size());
        return r;
    }
    /// Formats the median ratio, the largest backward error, the number of repeated attempts (+) and of statuses other
    /// than ok (!).
    std::string cell() const {
        auto text = fmt::format("{:<8.2g}{:.0e}", median(ratios), backward);
        if (more_attempts > 0) text += fmt::format(" +{}", more_attempts);
        return text + alarm();
    }
    std::string alarm() const { return alarms > 0 ? fmt::format(" !{}", alarms) : ""; }
};

/// The systems of one table of the literature.
struct system_class {
    std::string name;
    std::string size; ///< "N = 512"; empty if the sizes differ
    int seeds;
    std::vector<method> methods;

    std::string heading() const {
        auto text = fmt::format("\n{:<36}{:<20}", size.empty() ? name : name + ", " + size, "LAPACK");
        for (method const& m : methods) text += fmt::format("{:<22}", m.column);
        return text;
    }
};

template <class Executor>
class accuracy_run {
public:
    accuracy_run(table& t, options const& o, Executor const& exec) : table_(t), options_(o), exec_(exec) {}

    /// Systems `make(seed)` for seeds 1, 2, ...
    template <class T>
    void compare(system_class const& of, std::string const& matrix, int seeds,
                 std::function<accuracy_system<T>(std::uint64_t)> const& make) {
        std::string const problem = of.name + " " + matrix + (of.size.empty() ? "" : ", " + of.size);
        if (!table_.wants(problem)) return;
        record lapack;
        std::vector<record> ours(of.methods.size());
        std::int64_t size = 0;
        for (int seed = 1; seed <= (options_.quick ? std::min(seeds, 2) : seeds); ++seed) {
            auto s = make(std::uint64_t(seed));
            give_solution(s, std::uint64_t(seed));
            size = s.size;
            auto const theirs = errors_of(s, lapack_answer(s));
            lapack.add(theirs, theirs.forward);
            lapack.alarms += std::isinf(theirs.forward);
            for (std::size_t m = 0; m < of.methods.size(); ++m) {
                auto const answer = answer_of(exec_, s, of.methods[m]);
                ours[m].add(errors_of(s, answer.x), theirs.forward);
                ours[m].more_attempts += of.methods[m].options.refinements == 0 && answer.report.tries > 1;
                ours[m].alarms += answer.report.status != solve_status::ok;
            }
        }
        report(of, problem, matrix, size, lapack, ours);
    }
    template <class T>
    void compare(system_class const& of, std::string const& matrix,
                 std::function<accuracy_system<T>(std::uint64_t)> const& make) {
        compare(of, matrix, of.seeds, make);
    }

private:
    void report(system_class const& of, std::string const& problem, std::string const& matrix, std::int64_t size,
                record const& lapack, std::vector<record> const& ours) {
        std::vector<row> rows{lapack.as_row("LAPACK")};
        auto line = fmt::format("{:<36}{:<20}", matrix,
                                fmt::format("{:.1e} {:.0e}{}", lapack.typical(), lapack.backward, lapack.alarm()));
        for (std::size_t m = 0; m < ours.size(); ++m) {
            rows.push_back(ours[m].as_row(of.methods[m].name));
            line += fmt::format("{:<22}", ours[m].cell());
        }
        for (row& r : rows) {
            r.suite = "accuracy";
            r.backend = backend_of(exec_);
            r.problem = problem;
            r.rows = size;
        }
        auto const heading = of.heading();
        if (heading != heading_) table_.remark(heading);
        heading_ = heading;
        table_.add_as(std::move(rows), line);
    }

    table& table_;
    options const& options_;
    Executor const& exec_;
    std::string heading_;
};

/// Generating a large randsvd matrix takes half a minute, so at most two seeds are used.
int seeds_for(int id, std::int64_t n, int requested) {
    return id >= 8 && id <= 11 && n > randsvd_largest ? std::min(requested, 2) : requested;
}

template <class Executor>
void compare_galleries(accuracy_run<Executor>& run, host_executor const& host, std::int64_t n, int seeds) {
    auto const of_size = [&](char const* name, std::vector<method> methods) {
        return system_class{name, fmt::format("N = {}", n), seeds, std::move(methods)};
    };
    auto const number = [](int id) { return fmt::format("no. {}", id); };
    auto const table_4 = of_size("Table 4", scalar_methods());
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        run.template compare<double>(table_4, number(id), seeds_for(id, n, seeds), [&](std::uint64_t seed) {
            return scalar_system(tridiagonal_case(host, id, n, seed));
        });
    auto const chang = of_size("Table 6.1", scalar_methods());
    for (int const id : {2, 6, 14, 15, 16, 17, 18}) // the other types are in Table 4
        run.template compare<double>(
            chang, number(id), [&](std::uint64_t seed) { return scalar_system(partition_case(host, id, n, seed)); });
    auto const blocks = of_size("2x2 blocks of Table 4", chain_methods());
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        run.template compare<double>(blocks, number(id), seeds_for(id, n, seeds), [&](std::uint64_t seed) {
            auto const a = tridiagonal_case(host, id, n / 2, seed);
            return block_system(block_transform(host, a.view(), seed));
        });
    auto const table_6 = of_size("Table 6", chain_methods());
    for (int id = 1; id <= pentadiagonal_case_count; ++id)
        run.template compare<double>(table_6, number(id), seeds_for(id, n, seeds), [&](std::uint64_t seed) {
            return pentadiagonal_system(pentadiagonal_case(host, id, n, seed));
        });
}

/// Section 5.4 of Zhang, Cohen and Owens, with random entries: a dominant diagonal as in diffusion problems, and rows
/// of nearly equal values.
template <class Executor>
void compare_classical(accuracy_run<Executor>& run) {
    std::int64_t const n = 512;
    system_class const section{"section 5.4, float", fmt::format("N = {}", n), 20, classical_methods()};
    auto const made = [&](std::uint64_t seed, double level, double below, double above, double lowest, double highest) {
        tridiagonal<float> a(host_executor{1}, n);
        std::mt19937_64 engine(seed);
        std::uniform_real_distribution<double> row(1, level), off(below, above), middle(lowest, highest);
        for (std::int64_t i = 0; i < n; ++i) {
            double const scale = row(engine);
            a.lower[i] = i == 0 ? 0.0f : float(scale * off(engine));
            a.diagonal[i] = float(scale * middle(engine));
            a.upper[i] = i == n - 1 ? 0.0f : float(scale * off(engine));
        }
        return scalar_system(a);
    };
    run.template compare<float>(section, "dominant diagonal",
                                [&](std::uint64_t seed) { return made(seed, 1, -1, -0.5, 2.05, 4); });
    run.template compare<float>(section, "close values",
                                [&](std::uint64_t seed) { return made(seed, 10, 0.95, 1.05, 0.95, 1.05); });
}

/// L.-W. Chang's Tables 6.1 and 6.2 (whose "residuals" are forward errors), all types and methods, in 64 partitions.
template <class Executor>
void compare_partitions(accuracy_run<Executor>& run, host_executor const& host) {
    system_class const table{"Table 6.2", "N = 512", 20, partition_methods()};
    for (int id = 1; id <= partition_case_count; ++id)
        run.template compare<double>(table, fmt::format("type {}", id), [&](std::uint64_t seed) {
            return scalar_system(partition_case(host, id, 512, seed));
        });
}

/// Thesis, Table 9: banded matrices of the SuiteSparse collection.
template <class Executor>
void compare_files(table& t, accuracy_run<Executor>& run, host_executor const& host) {
    char const* const folder = std::getenv("COPPICE_DATASETS");
    if (!folder || !std::filesystem::is_directory(std::filesystem::path(folder) / "banded")) {
        if (t.wants("Table 9"))
            t.remark("\nskipped: banded matrices of Table 9 (set COPPICE_DATASETS to a folder with banded/*.mtx.gz)");
        return;
    }
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "banded"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    system_class const table_9{"Table 9", "", 20, chain_methods()};
    for (auto const& file : files)
        if (auto const s = file_system(host, file))
            run.template compare<double>(table_9, file.filename().string(), [&](std::uint64_t) { return *s; });
}

template <class Executor>
void accuracy_suite(table& t, options const& o, Executor const& exec) {
    host_executor const host(o.threads);
    t.remark("Over all seeds: median forward and largest backward error of LAPACK; for each method the median of the "
             "ratios\nto the forward error of LAPACK for the same system, the largest backward error, the number of "
             "repeated attempts (+),\nand the number of statuses other than ok (!; LAPACK: no finite solution)");
    accuracy_run<Executor> run(t, o, exec);
    compare_galleries(run, host, o.quick ? 96 : 512, 20);
    run.template compare<double>({"Table 4", "N = 20000", 20, scalar_methods()}, "no. 13", [&](std::uint64_t seed) {
        return scalar_system(tridiagonal_case(host, 13, 20000, seed));
    });
    compare_files(t, run, host);
    compare_classical(run);
    compare_partitions(run, host);
    std::int64_t const large = o.quick ? 2048 : std::int64_t(1) << 20;
    run.template compare<float>(
        {"float", fmt::format("N = {}", large), 8, scalar_methods()}, "random bands",
        [&](std::uint64_t seed) { return scalar_system(tridiagonal_case<float>(host, 1, large, seed)); });
    if (!o.quick) compare_galleries(run, host, large, 20);
}

} // namespace

void accuracy_host(table& t, options const& o) { accuracy_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void accuracy_cuda(table& t, options const& o) { accuracy_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
