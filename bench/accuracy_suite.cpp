// SPDX-License-Identifier: BSD-3-Clause
// Suite `accuracy`: errors of the direct solvers beside LAPACK's on the same systems (thesis, Tables 4 to 9; Table 6.1
// of L.-W. Chang's thesis). What a row shows as its median is the forward error; the ratio is the median of the ratios
// system by system, since single errors of ill-conditioned matrices differ by many orders from seed to seed.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include <fmt/core.h>

#include "algebra/block_transform.hpp"
#include "algebra/partition_gallery.hpp"
#include "algebra/pentadiagonal_gallery.hpp"
#include "algebra/tridiagonal_gallery.hpp"
#include "bench/accuracy_problems.hpp"
#include "bench/bench.hpp"

namespace coppice::bench {
namespace {

char const* backend_of(host_executor const&) { return "host"; }
[[maybe_unused]] char const* backend_of(cuda_executor const&) { return "cuda"; }

struct method {
    char const* name;
    band_options options;
    bool reported; ///< without a report nothing is tried twice
};
std::vector<method> scalar_methods() {
    return {{"coppice rpts, partial", {.method = band_method::rpts}, false},
            {"coppice rpts, scaled partial", {.pivot = pivoting::scaled_partial, .method = band_method::rpts}, false},
            {"coppice automatic, with report", {}, true},
            {"coppice chain, partial", {.method = band_method::chain}, true},
            {"coppice chain, scaled partial", {.pivot = pivoting::scaled_partial, .method = band_method::chain}, true}};
}
std::vector<method> chain_methods() {
    return {{"coppice chain, partial", {.method = band_method::chain}, true},
            {"coppice automatic, with report", {}, true},
            {"coppice chain, scaled partial", {.pivot = pivoting::scaled_partial, .method = band_method::chain}, true}};
}

/// An answer and what the solver itself says of it.
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
/// Two errors that are not numbers are alike.
double ratio_of(double ours, double theirs) {
    if (std::isinf(ours) && std::isinf(theirs)) return 1;
    return theirs > 0 ? ours / theirs : ours > 0 ? HUGE_VAL : 1;
}

/// What one method does over a number of systems.
struct record {
    std::vector<double> forward, ratios;
    double backward = 0;
    int more_tries = 0; ///< systems for which the first try was not enough
    int alarms = 0;     ///< systems whose status was not ok

    void add(answer_errors const& e, double lapack) {
        forward.push_back(e.forward);
        ratios.push_back(ratio_of(e.forward, lapack));
        backward = std::max(backward, e.backward);
    }
    row line(std::string const& name) const {
        row r;
        r.method = name;
        r.forward = median(forward);
        r.backward = backward;
        r.ratio = median(ratios);
        r.note = fmt::format("largest forward {:.1e}, backward {:.1e}",
                             *std::max_element(forward.begin(), forward.end()), backward);
        if (more_tries > 0) r.note += fmt::format(", tried again {} of {}", more_tries, forward.size());
        if (alarms > 0) r.note += fmt::format(", not ok {} of {}", alarms, forward.size());
        return r;
    }
};

/// Systems `make(seed)` for seeds 1, 2, ...
template <class Executor, class T>
void compare(table& t, options const& o, Executor const& exec, std::string const& problem, int seeds,
             std::vector<method> const& methods, std::function<accuracy_system<T>(std::uint64_t)> const& make) {
    if (!t.wants(problem)) return;
    record lapack;
    std::vector<record> ours(methods.size());
    std::int64_t size = 0;
    for (int seed = 1; seed <= (o.quick ? std::min(seeds, 2) : seeds); ++seed) {
        auto s = make(std::uint64_t(seed));
        give_solution(s, std::uint64_t(seed));
        size = s.size;
        auto const theirs = errors_of(s, lapack_answer(s));
        lapack.add(theirs, theirs.forward);
        for (std::size_t m = 0; m < methods.size(); ++m) {
            auto const answer = answer_of(exec, s, methods[m]);
            ours[m].add(errors_of(s, answer.x), theirs.forward);
            ours[m].more_tries += answer.report.tries > 1;
            ours[m].alarms += answer.report.status != solve_status::ok;
        }
    }
    std::vector<row> rows{lapack.line(sizeof(T) == 4 ? "LAPACK, float" : "LAPACK")};
    for (std::size_t m = 0; m < methods.size(); ++m) rows.push_back(ours[m].line(methods[m].name));
    for (row& r : rows) {
        r.suite = "accuracy";
        r.backend = backend_of(exec);
        r.problem = problem;
        r.rows = size;
    }
    t.add(std::move(rows));
}

/// Large matrices of the randsvd kind take half a minute each.
int seeds_for(int id, std::int64_t n, int wanted) {
    return id >= 8 && id <= 11 && n > randsvd_largest ? std::min(wanted, 2) : wanted;
}

template <class Executor>
void compare_galleries(table& t, options const& o, Executor const& exec, std::int64_t n, int seeds) {
    host_executor const host(o.threads);
    auto const problem = [n](char const* from, int id) { return fmt::format("{} no. {}, N = {}", from, id, n); };
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        compare<Executor, double>(
            t, o, exec, problem("Table 4", id), seeds_for(id, n, seeds), scalar_methods(),
            [&](std::uint64_t seed) { return scalar_system(tridiagonal_case(host, id, n, seed)); });
    for (int const id : {2, 6, 14, 15, 16, 17, 18}) // the other types are in Table 4
        compare<Executor, double>(t, o, exec, problem("Table 6.1", id), seeds_for(id, n, seeds), scalar_methods(),
                                  [&](std::uint64_t seed) { return scalar_system(partition_case(host, id, n, seed)); });
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        compare<Executor, double>(t, o, exec, problem("2x2 blocks of Table 4", id), seeds_for(id, n, seeds),
                                  chain_methods(), [&](std::uint64_t seed) {
                                      auto const a = tridiagonal_case(host, id, n / 2, seed);
                                      return block_system(block_transform(host, a.view(), seed));
                                  });
    for (int id = 1; id <= pentadiagonal_case_count; ++id)
        compare<Executor, double>(
            t, o, exec, problem("Table 6", id), seeds_for(id, n, seeds), chain_methods(),
            [&](std::uint64_t seed) { return pentadiagonal_system(pentadiagonal_case(host, id, n, seed)); });
}

/// Thesis, Table 9: banded matrices of the SuiteSparse collection.
template <class Executor>
void compare_files(table& t, options const& o, Executor const& exec) {
    host_executor const host(o.threads);
    char const* const folder = std::getenv("COPPICE_DATASETS");
    if (!folder || !std::filesystem::is_directory(std::filesystem::path(folder) / "banded")) {
        t.remark("skipped: banded matrices of Table 9 (set COPPICE_DATASETS to a folder with banded/*.mtx.gz)");
        return;
    }
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "banded"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (auto const& file : files)
        if (auto const s = file_system(host, file))
            compare<Executor, double>(t, o, exec, "Table 9 " + file.filename().string(), 20, chain_methods(),
                                      [&](std::uint64_t) { return *s; });
}

template <class Executor>
void accuracy_suite(table& t, options const& o, Executor const& exec) {
    host_executor const host(o.threads);
    t.remark("relative forward errors: median over the seeds; ratio: median of the ratios to LAPACK, system by system");
    compare_galleries(t, o, exec, o.quick ? 96 : 512, 20);
    std::string const dorr = "Table 4 no. 13, N = 20000";
    compare<Executor, double>(t, o, exec, dorr, 20, scalar_methods(), [&](std::uint64_t seed) {
        return scalar_system(tridiagonal_case(host, 13, 20000, seed));
    });
    compare_files(t, o, exec);
    std::int64_t const large = o.quick ? 2048 : std::int64_t(1) << 20;
    compare<Executor, float>(
        t, o, exec, fmt::format("float random bands, N = {}", large), 8, scalar_methods(),
        [&](std::uint64_t seed) { return scalar_system(tridiagonal_case<float>(host, 1, large, seed)); });
    if (!o.quick) compare_galleries(t, o, exec, large, 20);
}

} // namespace

void accuracy_host(table& t, options const& o) { accuracy_suite(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void accuracy_cuda(table& t, options const& o) { accuracy_suite(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
