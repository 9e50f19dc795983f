// SPDX-License-Identifier: BSD-3-Clause
// coppice bench SUITE: runs the benchmark library, if it is part of the build.
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/help/pages.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"

#if defined(COPPICE_HAS_BENCH)
#include "apps/report/bench_page.hpp"
#include "bench/bench.hpp"
#endif

namespace coppice::app {
namespace {

struct options {
    common_options common{};
    std::string suite{};
    std::string only{};
    std::string report{};
    double limit = 0;
    bool quick = false;
};

#if defined(COPPICE_HAS_BENCH)

nlohmann::ordered_json json_of(bench::row const& r) {
    return {{"suite", r.suite},           {"backend", r.backend},
            {"problem", r.problem},       {"method", r.method},
            {"against", r.against},       {"rows", r.rows},
            {"nonzeros", r.nonzeros},     {"seconds", r.seconds},
            {"fastest", r.fastest},       {"bytes", r.bytes},
            {"ratio", r.ratio},           {"note", r.details},
            {"forward_error", r.forward}, {"backward_error", r.backward},
            {"scatter", r.scatter}};
}

/// Names of processor and device that are measured, threads, versions of compiler and libraries.
nlohmann::ordered_json machine_of(bench::options const& b, any_executor const& chosen) {
    any_executor const host = host_executor(b.threads);
    nlohmann::ordered_json json = {{"threads", working_threads(std::get<host_executor>(host))}};
    if (b.host) json["host"] = machine_name(host);
    if (b.cuda) json["cuda"] = machine_name(chosen);
    for (auto const& [name, text] : describe_build()) json["build"][name] = text;
    return json;
}

void write_page(options const& o, bench::options const& b, std::vector<bench::row> const& rows, output_files& files) {
    std::vector<report::measured> figures;
    for (auto const& r : rows)
        figures.push_back({fmt::format("{}, {}", r.suite, r.backend), r.problem, r.method, double(r.rows), r.seconds,
                           r.chart, r.axis, r.at});
    files.write_text(o.report, report::bench_page("coppice bench " + o.suite, bench::machine(b), figures));
}

outcome measure(options const& o, any_executor const& chosen, output_files& files) {
    bool const on_cuda = backend_name(chosen) == "cuda";
    bench::options b{.host = o.common.backend != "cuda", .cuda = on_cuda, .threads = o.common.threads};
    b.quick = o.quick;
    b.limit = o.limit;
    b.only = o.only;
    b.print_table = !o.common.quiet && !files.on_stdout();
    auto const [rows, failures, left_out] = bench::run(o.suite, b);
    sheet result("bench", o.common);
    result.json()["suite"] = o.suite;
    result.json()["machine"] = machine_of(b, chosen);
    result.json()["rows"] = nlohmann::ordered_json::array();
    for (auto const& row : rows) result.json()["rows"].push_back(json_of(row));
    result.json()["failures"] = failures;
    result.json()["left_out"] = left_out;
    if (!o.report.empty()) write_page(o, b, rows, files);
    if (rows.empty() && failures.empty() && left_out.empty())
        result.line("measured", fmt::format("nothing: no problem of suite {} matches --only {}", o.suite, o.only));
    result.publish(files);
    if (failures.empty()) return {};
    return {exit_numerical,
            "not completed: " + list_of(std::vector<std::string_view>(failures.begin(), failures.end()))};
}

std::vector<std::string_view> valid_suites() {
    static auto const names = bench::suite_names();
    std::vector<std::string_view> valid(names.begin(), names.end());
    valid.push_back("all");
    return valid;
}

void check_suite(std::string const& suite) {
    auto const valid = valid_suites();
    if (suite.empty()) throw usage_error("bench needs a SUITE; valid: " + list_of(valid));
    require_name("suite", suite, valid);
}

#else

outcome measure(options const&, any_executor const&, output_files&) {
    return {}; // check_suite() throws
}

std::vector<std::string_view> valid_suites() { return {}; }

void check_suite(std::string const&) {
    throw usage_error("this build of Coppice has no benchmarks, and coppice bench has no SUITE; configure it with "
                      "-DCOPPICE_BUILD_BENCH=ON");
}

#endif

outcome run(options const& o) {
    check_common_options(o.common);
    check_suite(o.suite);
    if (!(o.limit >= 0))
        throw usage_error(fmt::format("--limit is {}, expected a number of seconds of at least 0", o.limit));
    auto const chosen = make_executor(o.common);
    output_files files({});
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    return measure(o, chosen, files);
}

} // namespace

command add_bench(CLI::App& program) {
    auto const o = std::make_shared<options>();
    auto* const cli = program.add_subcommand("bench", "Measure a suite together with other libraries in one run");
    auto const suites = valid_suites();
    cli->add_option("SUITE", o->suite,
                    suites.empty() ? "none in this build; -DCOPPICE_BUILD_BENCH=ON adds them" : list_of(suites))
        ->type_name(type_with_choices("", suites));
    cli->add_option("--only", o->only, "measure only problems whose name contains this")->type_name("TEXT");
    cli->add_flag("--quick", o->quick, "small problems and few repetitions, as a functional test");
    cli->add_option("--limit", o->limit,
                    "begin no problem later than S seconds after the start; 0, the default: no limit")
        ->type_name("S");
    cli->add_option("--report", o->report, "write an HTML page with charts of all measurements")
        ->type_name("FILE.html");
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
