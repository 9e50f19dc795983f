// SPDX-License-Identifier: BSD-3-Clause
// coppice multiply A B: the product of two sparse matrices over a named semiring.
#include <memory>

#include "apps/backend.hpp"
#include "apps/help/pages.hpp"
#include "apps/input.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>

namespace coppice::app {
namespace {

struct multiply_request {
    common_options common{};
    std::string first{};
    std::string second{};
    std::string semiring = "plus-times";
    std::string mask{};
    bool complement = false;
    std::string output{};
    std::string report{};
};

template <class Executor, class T>
outcome multiply(multiply_request const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    progress status(o.common);
    auto const rule = rule_of(o.semiring);
    auto const first = load_numbered<T>(host, o.first, status, {}, rule);
    auto const& a = first.matrix;
    auto const b = load_matrix<T>(host, o.second, status, rule);
    auto const mask = o.mask.empty() ? csr<T>() : load_matrix<T>(host, o.mask, status, rule);
    require_index_room(o.semiring, o.first, a.columns(), sizeof(T));
    auto const left = exec.copy(a), right = exec.copy(b), admitted = exec.copy(mask);

    status.show("multiplying");
    stopwatch clock;
    auto plan = o.mask.empty() ? make_product_plan(exec, left.view(), right.view())
                               : make_masked_product_plan(exec, left.view(), right.view(), admitted.view(),
                                                          descriptor{.structure = true, .complement = o.complement});
    exec.synchronize();
    double const plan_seconds = clock.seconds();
    auto const product = mxm(exec, std::move(plan), o.semiring, left.view(), right.view());
    exec.synchronize();
    double const seconds = clock.seconds();
    auto on_host = host.copy(product);
    if (writes_indices(o.semiring)) number_as(first.vertices, on_host.values());
    files.write(o.output, [&](std::string const& path) {
        write_matrix_market(host, path, on_host, {.progress = status.of_file(o.output)});
    });
    if (!o.report.empty()) {
        report::graph_page page{
            .command = "multiply", .summary = "The product over " + o.semiring, .graph = o.first + " " + o.second};
        show_matrix(on_host.view(), page);
        page.settings = {{"semiring", o.semiring}, {"precision", o.common.precision}};
        if (!o.mask.empty()) page.settings.emplace_back(o.complement ? "complement of mask" : "mask", o.mask);
        show_environment(chosen, page);
        files.write_text(o.report, render(page));
    }
    status.clear();

    sheet result("multiply", o.common);
    result.input(o.first + " " + o.second, product.rows(), product.columns(), product.nonzeros());
    result.backend(chosen);
    result.line("semiring", o.semiring);
    result.line("time", show_seconds(seconds) + ", " + show_seconds(plan_seconds) + " of it for the structure");
    if (!o.output.empty()) result.line("written to", o.output);
    auto& json = result.json();
    json["semiring"] = o.semiring;
    json["plan_seconds"] = plan_seconds;
    json["seconds"] = seconds;
    result.publish(files);
    return {};
}

outcome run(multiply_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.first, "multiply");
    check_matrix_argument(o.second, "multiply");
    require_name("semiring", o.semiring, semiring_names);
    if (o.complement && o.mask.empty()) throw usage_error("--complement needs --mask");
    auto const chosen = make_executor(o.common);
    output_files files({{"A", o.first}, {"B", o.second}, {"--mask", o.mask}});
    files.expect("-o", o.output);
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return multiply<Executor, T>(o, chosen, exec, files);
    });
}

} // namespace

command add_multiply(CLI::App& program) {
    auto const o = std::make_shared<multiply_request>();
    auto* const cli = program.add_subcommand("multiply", "Multiply two sparse matrices over a semiring");
    cli->add_option("A", o->first, "matrix file, or - for standard input, or generate:KIND,nx=...")->type_name("");
    cli->add_option("B", o->second, "the matrix on the right")->type_name("");
    cli->add_option("--semiring", o->semiring, "one of " + list_of(semiring_names))
        ->type_name(type_with_choices("NAME", semiring_names));
    cli->add_option("--mask", o->mask,
                    "a matrix of the product's shape: compute only positions at which it has entries")
        ->type_name("FILE");
    cli->add_flag("--complement", o->complement, "compute only positions at which the mask has no entries");
    cli->add_option("-o,--output", o->output, "output file of the product; arg-max writes the numbers of columns of A")
        ->type_name("FILE");
    cli->add_option("--report", o->report,
                    "write an HTML page with the sparsity pattern of the product and its row degrees")
        ->type_name("FILE.html");
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
