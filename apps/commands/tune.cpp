// SPDX-License-Identifier: BSD-3-Clause
// coppice tune: measures the best parameters of sparse products and tridiagonal solves on this GPU and stores them.
#include <array>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_tuning.hpp>

namespace coppice::app {
namespace {

struct tune_request {
    common_options common{};
    std::string output{};
    std::string only{};
};

std::filesystem::path path_of(tune_request const& o) {
    if (!o.output.empty()) return o.output;
    auto const file = default_tuning_file();
    if (file.empty())
        throw usage_error(
            "there is no path for the tuning file: COPPICE_TUNING_FILE is not set, and neither XDG_CACHE_HOME "
            "nor HOME is an absolute path; "
            "use -o FILE");
    return file;
}

/// Measures on `gpu`, which `chosen` holds, and stores the fastest parameters in `file`.
outcome measure(tune_request const& o, any_executor const& chosen, // not covered: devices only
                cuda_executor const& gpu, std::filesystem::path const& file) {
    output_files files({{"-o", file.native()}}); // read, then updated in place
    files.expect("--json", o.common.json);
    if (std::error_code none; std::filesystem::exists(file, none)) { // report errors before measuring
        read_tuning_file(file);
        read_tridiagonal_tuning(file);
    }

    bool const talks = !o.common.quiet && !files.on_stdout();
    auto const say = [&](std::string const& line) {
        if (talks) fmt::print("{}\n", line);
    };
    sheet result("tune", o.common);
    auto& json = result.json();
    result.backend(chosen);
    if (o.only != "tridiagonal") {
        auto const records = tune_srcsr(gpu, say);
        write_tuning_file(file, records);
        result.line("sparse products", fmt::format("{} kinds measured", records.size()));
        json["products"] = records.size();
    }
    if (o.only != "product") {
        auto const found = tune_tridiagonal(gpu, say);
        write_tridiagonal_tuning(file, found);
        result.line(
            "tridiagonal systems",
            fmt::format("{} sizes for which another partition size than the default is faster", found.records.size()));
        json["tridiagonal"] = found.records.size();
    }
    result.line("written to", file.string());
    json["file"] = file.string();
    result.publish(files);
    return {};
}

outcome run(tune_request const& o) {
    check_common_options(o.common);
    if (!o.only.empty())
        require_name("value of --only", o.only, std::array<std::string_view, 2>{"product", "tridiagonal"});
    auto const file = path_of(o);
    auto const chosen = make_executor(o.common);
    auto const* const gpu = [&]() -> cuda_executor const* {
#if defined(COPPICE_HAS_CUDA)
        return std::get_if<cuda_executor>(&chosen);
#else
        return nullptr;
#endif
    }();
    if (!gpu)
        throw backend_error("tune measures a GPU, but the host backend is selected; it has no parameters to tune");
    return measure(o, chosen, *gpu, file); // not covered: devices only
}

} // namespace

command add_tune(CLI::App& program) {
    auto const o = std::make_shared<tune_request>();
    auto* const cli = program.add_subcommand("tune", "Measure the fastest parameters on this GPU and store them");
    cli->add_option("-o,--output", o->output, "the tuning file; by default the one that all programs read")
        ->type_name("FILE");
    cli->add_option("--only", o->only, "measure only sparse products, or only tridiagonal systems; both by default")
        ->type_name("product|tridiagonal");
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
