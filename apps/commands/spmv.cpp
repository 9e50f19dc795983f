// SPDX-License-Identifier: BSD-3-Clause
// coppice spmv MATRIX: y = A x over a named semiring.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/help/pages.hpp"
#include "apps/input.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

namespace coppice::app {
namespace {

struct spmv_request {
    common_options common{};
    std::string matrix{};
    std::string semiring = "plus-times";
    std::string scheme = "adaptive";
    std::string x{};
    std::string accumulate{};
    std::string mask{};
    bool complement = false;
    bool transpose = false;
    std::string output{};
    int repeat = 1;
};

srcsr_scheme scheme_by_name(std::string_view name) {
    auto const found = std::find(srcsr_scheme_names.begin(), srcsr_scheme_names.end(), name);
    return static_cast<srcsr_scheme>(found - srcsr_scheme_names.begin());
}

/// Describes the configuration of a plan and the reason of its choice.
template <class O>
std::string describe_plan(srcsr_plan<O> const& plan) {
    if (plan.reason.empty()) return fmt::format("{} chunks of {} path steps", plan.blocks(), plan.work_per_block);
    return fmt::format("{} blocks of {} threads, {} path steps each, {}; {}", plan.blocks(), plan.tuning.threads,
                       plan.work_per_block, segmented_reduction_names[static_cast<std::size_t>(plan.tuning.reduction)],
                       plan.reason);
}

/// Returns the minimum number of bytes that a product must move: matrix and result once, each element of x once.
template <class T>
double min_bytes(csr_view<T> a) {
    double const rows = a.rows(), columns = a.columns(), nonzeros = a.nonzeros();
    return nonzeros * (sizeof(T) + 4) + (rows + 1) * 4 + (rows + columns) * sizeof(T);
}

/// Returns the median time of `repeat` calls; if repeat > 1, one untimed call precedes them.
template <class Executor, class Work>
double median_seconds(Executor const& exec, int repeat, Work const& work) {
    std::vector<double> times;
    for (int i = repeat > 1 ? -1 : 0; i < repeat; ++i) {
        exec.synchronize();
        stopwatch clock;
        work();
        exec.synchronize();
        if (i >= 0) times.push_back(clock.lap());
    }
    auto const middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

/// The matrix of the product: that of the file, or its transpose.
template <class T>
numbered_matrix<T> load_operand(host_executor const& host, spmv_request const& o, progress& status, finite_rule rule) {
    auto a = load_numbered<T>(host, o.matrix, status, {}, rule);
    if (o.transpose) a.matrix = transpose(host, a.matrix.view());
    return a;
}

/// What a product is reported with: seconds of the plan and of one product, and the rate.
struct spmv_times {
    double plan, product, gigabytes_per_second;
};

void show_results(sheet& result, spmv_request const& o, std::string const& plan, bool has_reason,
                  spmv_times const& times) {
    result.line("semiring", o.semiring);
    if (!o.accumulate.empty()) result.line("accumulated with", o.accumulate);
    if (!o.mask.empty()) result.line("mask", o.mask + (o.complement ? ", complemented" : ""));
    result.line("time",
                fmt::format("{}{}, {:.3g} GB/s", show_seconds(times.product),
                            o.repeat > 1 ? fmt::format(" (median of {})", o.repeat) : "", times.gigabytes_per_second));
    if (has_reason) result.line("plan", plan);
    if (!o.output.empty()) result.line("written to", o.output);
    auto& json = result.json();
    json["semiring"] = o.semiring;
    json["scheme"] = o.scheme;
    json["transpose"] = o.transpose;
    json["accumulate"] = o.accumulate;
    json["mask"] = o.mask;
    json["complement"] = o.complement;
    json["plan"] = plan;
    json["repeat"] = o.repeat;
    json["plan_seconds"] = times.plan;
    json["seconds"] = times.product;
    json["gigabytes_per_second"] = times.gigabytes_per_second;
}

template <class Executor, class T>
outcome multiply(spmv_request const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    progress status(o.common);
    auto const rule = rule_of(o.semiring);
    auto const operand = load_operand<T>(host, o, status, rule);
    auto const& a = operand.matrix;
    require_not_empty(o.matrix, a.rows(), a.columns());
    require_index_room(o.semiring, o.matrix, a.columns(), sizeof(T));
    auto const x = o.x.empty() ? make_solution<T>(host, "ones", a.columns())
                               : load_vector<T>(host, o.x, a.columns(), "--x", status, rule);
    auto const compatible_vector = [&](std::string const& path, char const* option) {
        return path.empty() ? buffer<T>(exec, 0)
                            : exec.copy(load_vector<T>(host, path, a.rows(), option, status, rule));
    };
    auto const before = compatible_vector(o.accumulate, "--accumulate"), mask = compatible_vector(o.mask, "--mask");
    auto const on_device = exec.copy(a);
    auto const from = exec.copy(x);
    buffer<T> y(exec, a.rows());

    status.show("multiplying");
    stopwatch clock;
    auto const plan = make_srcsr_plan(exec, on_device.view(), srcsr_options{.scheme = scheme_by_name(o.scheme)});
    exec.synchronize();
    double const plan_seconds = clock.lap();
    double const seconds = median_seconds(exec, o.repeat, [&] {
        // The standard product has additional schemes: atomic additions, tuned sizes.
        if (o.semiring == "plus-times")
            spmv(exec, plan, on_device.view(), from.view(), y.view());
        else
            semiring_spmv(exec, plan, o.semiring, on_device.view(), from.view(), y.view());
        if (!before.empty() || !mask.empty())
            merge_result(exec, o.semiring, mask.view(), o.complement, before.view(), y.view());
    });
    auto result_on_host = host.copy(y);
    if (writes_indices(o.semiring)) number_as(operand.vertices, result_on_host);
    files.write(o.output, [&](std::string const& path) {
        write_vector(host, path, array_view<T const>(result_on_host.view()), {}, status.of_file(o.output));
    });
    status.clear();

    sheet result("spmv", o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    show_results(result, o, describe_plan(plan), !plan.reason.empty(),
                 {plan_seconds, seconds, min_bytes(a.view()) / seconds * 1e-9});
    result.publish(files);
    return {};
}

outcome run(spmv_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "spmv");
    require_name("semiring", o.semiring, semiring_names);
    require_name("scheme", o.scheme, srcsr_scheme_names);
    if (o.scheme == "balanced-atomic" && o.semiring != "plus-times")
        throw usage_error("scheme balanced-atomic uses atomic additions and requires --semiring plus-times");
    if (o.complement && o.mask.empty()) throw usage_error("--complement needs --mask");
    if (!o.accumulate.empty() && writes_indices(o.semiring))
        throw usage_error(o.semiring + " writes column numbers, which --accumulate cannot combine");
    if (o.repeat < 1) throw usage_error(fmt::format("--repeat is {}, expected at least 1", o.repeat));
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix}, {"--x", o.x}, {"--accumulate", o.accumulate}, {"--mask", o.mask}});
    files.expect("-o", o.output, ".npy", "--accumulate"); // y = y + A x in one file
    files.expect("--json", o.common.json);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return multiply<Executor, T>(o, chosen, exec, files);
    });
}

} // namespace

command add_spmv(CLI::App& program) {
    auto const o = std::make_shared<spmv_request>();
    auto* const cli = program.add_subcommand("spmv", "Multiply a matrix and a vector over a semiring");
    add_matrix_argument(*cli, o->matrix);
    cli->add_option("--semiring", o->semiring, "one of " + list_of(semiring_names) + "; plus-times by default")
        ->type_name(type_with_choices("NAME", semiring_names));
    cli->add_option("--scheme", o->scheme,
                    "how rows are distributed on a GPU: " + list_of(srcsr_scheme_names) + "; adaptive by default")
        ->type_name(type_with_choices("NAME", srcsr_scheme_names));
    cli->add_option("--x", o->x, "the vector; all ones by default")->type_name("FILE");
    cli->add_option("--accumulate", o->accumulate,
                    "a vector that is added to the product by the addition of the semiring")
        ->type_name("FILE");
    cli->add_option(
           "--mask", o->mask,
           "a vector: only elements at which it is not 0 are computed; the others are those of --accumulate, or "
           "as of an empty row")
        ->type_name("FILE");
    cli->add_flag("--complement", o->complement, "compute only elements at which the mask is 0");
    cli->add_flag("--transpose", o->transpose, "multiply the transposed matrix");
    cli->add_option("-o,--output", o->output,
                    "output file of y; arg-max writes the numbers of columns in the file, and the number before the "
                    "first for an empty row")
        ->type_name("FILE");
    add_integer(*cli, "--repeat", o->repeat, "number of timed products, of which the median is printed; 1 by default")
        ->type_name("N");
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
