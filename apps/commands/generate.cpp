// SPDX-License-Identifier: BSD-3-Clause
// coppice generate KIND -o FILE: test problems.
#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/help/pages.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/generate/generators.hpp>

namespace coppice::app {
namespace {

struct generate_request {
    common_options common{};
    std::string kind{};
    std::string output{};
    std::string report{};
    std::map<std::string, std::string> parameters{}; ///< as entered; missing ones have their default
};

constexpr char const* kind_options_group = "Options of kinds of matrices";

/// Returns "--edge-factor,--edge_factor".
std::string option_of(std::string const& key) {
    auto other = key;
    std::replace(other.begin(), other.end(), '-', '_');
    return "--" + key + (other == key ? "" : ",--" + other);
}

std::string list_of_kinds() {
    std::string text = "Kinds and their options:\n";
    for (auto const& kind : generator_kinds()) {
        std::string keys;
        for (auto const& key : kind.keys) keys += " --" + key;
        text += fmt::format("  {:<14} {}\n  {:<14}{}\n", kind.name, kind.description, "", keys);
    }
    return text;
}

generator_options read_parameters(generate_request const& o) {
    std::vector<std::string_view> names;
    for (auto const& kind : generator_kinds()) names.push_back(kind.name);
    if (o.kind.empty()) throw usage_error("generate needs a KIND; valid: " + list_of(names));
    require_name("kind of matrix", o.kind, names);
    generator_options parameters;
    for (auto const& [key, value] : o.parameters)
        if (!value.empty()) set_generator_option(parameters, o.kind, key, value);
    return parameters;
}

template <class T>
outcome write_generated(generate_request const& o, generator_options const& parameters, output_files& files) {
    auto const host = make_host(o.common);
    progress status(o.common);
    status.show("generating " + o.kind);
    stopwatch clock;
    auto const a = generate<T>(host, o.kind, parameters);
    double const seconds = clock.lap();
    status.show("writing " + o.output);
    files.write(o.output, [&](std::string const& path) {
        write_matrix_market(
            host, path, a,
            {.comment = " " + o.kind + ", made by coppice generate", .progress = status.of_file(o.output)});
    });
    if (!o.report.empty()) {
        report::graph_page page{.command = "generate", .summary = "A generated matrix", .graph = o.kind};
        show_matrix(a.view(), page);
        for (auto const& [key, value] : o.parameters)
            if (!value.empty()) page.settings.emplace_back(key, value);
        page.environment = describe_build();
        files.write_text(o.report, render(page));
    }
    status.clear();

    sheet result("generate", o.common);
    result.line("matrix", o.kind);
    result.line("size", show_size(a.rows(), a.columns(), a.nonzeros()));
    result.line("written to", o.output);
    result.line("time", fmt::format("{} to make, {} to write", show_seconds(seconds), show_seconds(clock.lap())));
    auto& json = result.json();
    json["kind"] = o.kind;
    json["rows"] = a.rows();
    json["columns"] = a.columns();
    json["nonzeros"] = a.nonzeros();
    json["output"] = o.output;
    json["seconds"] = seconds;
    result.publish(files);
    return {};
}

outcome run(generate_request const& o) {
    check_common_options(o.common);
    if (o.common.backend == "cuda")
        make_executor(o.common); // matrices are made on the host, but a missing GPU is reported
    auto const parameters = read_parameters(o);
    if (o.output.empty()) throw usage_error("generate needs -o FILE, the file of the matrix");
    output_files files({});
    files.expect("-o", o.output);
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    return o.common.precision == "single" ? write_generated<float>(o, parameters, files)
                                          : write_generated<double>(o, parameters, files);
}

} // namespace

command add_generate(CLI::App& program) {
    auto const o = std::make_shared<generate_request>();
    auto* const cli = program.add_subcommand("generate", "Write a test problem as a Matrix Market file");
    std::vector<std::string> kinds;
    for (auto const& kind : generator_kinds()) kinds.push_back(kind.name);
    cli->add_option("KIND", o->kind, "kind of matrix; see below")->type_name(type_with_choices("", kinds));
    cli->add_option("-o,--output", o->output, "output file, required; compressed if its name ends in .gz")
        ->type_name("FILE");
    cli->add_option("--report", o->report,
                    "write an HTML page with the sparsity pattern and, if the graph is small, a drawing")
        ->type_name("FILE.html");
    for (auto const& row : generator_option_rows()) {
        std::string const key(row.name);
        cli->add_option(option_of(key), o->parameters[key], std::string(row.meaning))
            ->type_name("NUMBER")
            ->group(kind_options_group);
    }
    add_common_options(*cli, o->common);
    cli->footer(list_of_kinds() + "\n" + cli->get_footer());
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
