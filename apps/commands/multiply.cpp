// SPDX-License-Identifier: BSD-3-Clause
// coppice multiply A B: the product of two sparse matrices over a named semiring.
#include <array>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/help/pages.hpp"
#include "apps/input.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/processes.hpp"
#include "apps/ranks.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/solvers/distributed/rows/distributed_product.hpp>

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
    int ranks = 1;
    std::string mpi = "auto"; ///< started_processes reads it
};

/// The values of a mask are not used.
matrix_read_options const structure_only{.inexact_integers = inexact_integers::round};

struct product_times {
    double plan = 0, all = 0; ///< seconds
};

/// Writes the product to files and prints the result. `on_host` contains numbers of columns if the semiring writes
/// them.
template <class T>
void publish(multiply_request const& o, any_executor const& chosen, host_executor const& host, csr<T> const& on_host,
             product_times const& times, progress& status, output_files& files) {
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
    result.input(o.first + " " + o.second, on_host.rows(), on_host.columns(), on_host.nonzeros());
    result.backend(chosen);
    if (o.ranks > 1) result.line("ranks", chosen.index() == 0 ? std::to_string(o.ranks) : counted(o.ranks, "device"));
    result.line("semiring", o.semiring);
    result.line("time", show_seconds(times.all) + ", " + show_seconds(times.plan) + " of it for the structure");
    if (!o.output.empty()) result.line("written to", o.output);
    auto& json = result.json();
    json["parts"] = o.ranks;
    json["semiring"] = o.semiring;
    json["plan_seconds"] = times.plan;
    json["seconds"] = times.all;
    result.publish(files);
}

template <class T>
csr_view<T> view_of(row_block<T> const& rows) {
    return {std::int32_t(rows.rows()),
            std::int32_t(rows.all_columns),
            std::int32_t(rows.columns.size()),
            rows.offsets.data(),
            rows.columns.data(),
            rows.values.data()};
}

/// The rows in memory of the executor: `copy` on a device.
template <class T>
csr_view<T> placed_rows(host_executor const&, row_block<T> const& rows, csr<T>&) {
    return rows.offsets.empty() ? csr_view<T>() : view_of(rows);
}
template <class T>
[[maybe_unused]] csr_view<T> placed_rows(cuda_executor const& exec, row_block<T> const& rows, csr<T>& copy) {
    if (rows.offsets.empty()) return {};
    copy = csr<T>(std::int32_t(rows.rows()), std::int32_t(rows.all_columns), exec.copy(rows.offsets),
                  exec.copy(rows.columns), exec.copy(rows.values));
    return copy.view();
}

/// The rows of the product of this rank, on the host. `times` are those of the slowest rank. Collective.
template <class Executor, class T>
csr<T> multiply_rows(multiply_request const& o, Executor const& exec, rank_communicator const& comm,
                     row_block<T> const& a, row_block<T> const& b, row_block<T> const& mask, product_times& times) {
    csr<T> copies[3];
    auto const left = placed_rows(exec, a, copies[0]), right = placed_rows(exec, b, copies[1]),
               admitted = placed_rows(exec, mask, copies[2]);
    auto const wait = [&] {
        exec.synchronize();
        comm.barrier();
    };
    wait();
    stopwatch clock;
    auto plan = o.mask.empty()
                    ? make_product_plan_distributed(exec, comm, left, right)
                    : make_masked_product_plan_distributed(exec, comm, left, right, admitted,
                                                           descriptor{.structure = true, .complement = o.complement});
    wait();
    times.plan = clock.seconds();
    auto product = mxm_distributed(exec, comm, std::move(plan), o.semiring, left, right);
    wait();
    times.all = clock.seconds();
    if constexpr (std::is_same_v<Executor, host_executor>)
        return product;
    else
        return host_executor{1}.copy(product);
}

/// The rows of all ranks, which are on the host, on rank 0.
template <class T>
csr<T> gather_product(host_executor const& host, rank_communicator const& comm, csr<T> const& own) {
    std::vector<std::int32_t> lengths;
    for (std::int64_t i = 0; i < own.rows(); ++i) lengths.push_back(own.row_offsets()[i + 1] - own.row_offsets()[i]);
    auto const all = comm.all_reduce(std::int64_t(own.nonzeros()), plus{});
    checked_cast<std::int32_t>(all, "number of nonzeros of the product, which rank 0 writes");
    auto const all_lengths = gather_blocks(comm, lengths);
    auto const columns =
        gather_blocks(comm, std::vector<std::int32_t>(own.column_indices().begin(), own.column_indices().end()));
    auto const values = gather_blocks(comm, std::vector<T>(own.values().begin(), own.values().end()));
    std::vector<std::int32_t> offsets{0};
    for (std::int32_t const length : all_lengths) offsets.push_back(offsets.back() + length);
    return {std::int32_t(all_lengths.size()), own.columns(), host.copy(offsets), host.copy(columns), host.copy(values)};
}

/// The product on ranks of this process, with equal blocks of rows (--parts).
template <class Executor, class T>
csr<T> multiply_on_ranks(multiply_request const& o, Executor const& chosen, csr<T> const& a, csr<T> const& b,
                         csr<T> const& mask, product_times& times) {
    csr<T> product;
    executors_of_ranks(chosen, o.ranks).run([&](Executor const& exec, rank_communicator const& comm) {
        auto const slice = [&](csr<T> const& whole) {
            rows_of_rank const rows(whole.rows(), comm);
            return slice_rows(whole, rows.first, rows.last);
        };
        product_times own_times;
        auto const own =
            multiply_rows(o, exec, comm, slice(a), slice(b), o.mask.empty() ? row_block<T>() : slice(mask), own_times);
        auto whole = gather_product(host_executor{1}, comm, own);
        if (comm.rank() != 0) return;
        product = std::move(whole);
        times = own_times;
    });
    return product;
}

template <class Executor, class T>
outcome multiply(multiply_request const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    progress status(o.common);
    auto const rule = rule_of(o.semiring);
    auto const first = load_numbered<T>(host, o.first, status, {}, rule);
    auto const& a = first.matrix;
    auto const b = load_matrix<T>(host, o.second, status, rule);
    auto const mask = o.mask.empty() ? csr<T>() : load_numbered<T>(host, o.mask, status, structure_only, rule).matrix;
    require_index_room(o.semiring, o.first, a.columns(), sizeof(T));
    product_times times;
    csr<T> on_host;
    status.show("multiplying");
    if (o.ranks > 1) {
        on_host = multiply_on_ranks(o, exec, a, b, mask, times);
    } else {
        auto const left = exec.copy(a), right = exec.copy(b), admitted = exec.copy(mask);
        exec.synchronize();
        stopwatch clock;
        auto plan = o.mask.empty()
                        ? make_product_plan(exec, left.view(), right.view())
                        : make_masked_product_plan(exec, left.view(), right.view(), admitted.view(),
                                                   descriptor{.structure = true, .complement = o.complement});
        exec.synchronize();
        times.plan = clock.seconds();
        auto const product = mxm(exec, std::move(plan), o.semiring, left.view(), right.view());
        exec.synchronize();
        times.all = clock.seconds();
        on_host = host.copy(product);
    }
    if (writes_indices(o.semiring)) number_as(first.vertices, on_host.values());
    publish(o, chosen, host, on_host, times, status, files);
    return {};
}

/// The rows of this rank. All ranks read a Matrix Market file together; rank 0 reads or generates any other matrix, and
/// has its numbering.
template <class T>
row_block<T> load_rows(multiply_request const& o, host_executor const& host, rank_communicator const& comm,
                       std::string const& matrix, progress& status, vertex_numbering& numbering,
                       matrix_read_options options = {}) {
    auto const rule = rule_of(o.semiring);
    if (names_generator(matrix) || !reads_in_parallel(comm, matrix)) {
        numbered_matrix<T> whole;
        if (comm.rank() == 0) whole = load_numbered<T>(host, matrix, status, options, rule);
        numbering = std::move(whole.vertices);
        return scatter_rows(comm, whole.matrix);
    }
    status.show("reading " + matrix);
    options.limits = status.limits();
    auto rows = read_rows<T>(host, comm, matrix, options);
    check_finite_rows(matrix, rows, rule);
    return rows;
}

template <class Executor, class T>
outcome multiply_over_processes(multiply_request const& o, any_executor const& chosen, Executor const& exec,
                                process_ranks& ranks, output_files& files) {
    auto const host = make_host(o.common);
    rank_communicator const comm(ranks);
    progress status(o.common);
    vertex_numbering numbering, ignored;
    auto const a = load_rows<T>(o, host, comm, o.first, status, numbering);
    auto const b = load_rows<T>(o, host, comm, o.second, status, ignored);
    auto const mask =
        o.mask.empty() ? row_block<T>() : load_rows<T>(o, host, comm, o.mask, status, ignored, structure_only);
    require_index_room(o.semiring, o.first, a.all_columns, sizeof(T));
    status.show("multiplying");
    product_times times;
    auto const own = multiply_rows(o, exec, comm, a, b, mask, times);
    auto whole = gather_product(host, comm, own);
    if (comm.rank() != 0) return {};
    if (writes_indices(o.semiring)) number_as(numbering, whole.values());
    publish(o, chosen, host, whole, times, status, files);
    return {};
}

/// Throws if --parts, or several processes, are combined with incompatible options.
void check_ranks_of_product(multiply_request const& o) {
    check_ranks(o.ranks);
    require_name("--mpi", o.mpi, std::array<std::string_view, 3>{"auto", "on", "off"});
    std::string const several = source_of_ranks(o.ranks);
    if (several.empty()) return;
    if (current_processes() && !o.report.empty()) throw usage_error(several + " cannot be combined with --report");
}

/// Each process is a rank, with its own part of the cores or its own device.
outcome run_over_processes(multiply_request o, process_ranks& ranks) {
    adapt_to_rank(o.common, o.output, ranks);
    o.ranks = ranks.ranks();
    o.common.backend = takes_devices(o.common, o.ranks, &ranks) ? "cuda" : "host";
    auto const chosen = executor_of_process(o.common, ranks);
    output_files files({{"A", o.first}, {"B", o.second}, {"--mask", o.mask}});
    files.expect("-o", o.output);
    files.expect("--json", o.common.json);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return multiply_over_processes<Executor, T>(o, chosen, exec, ranks, files);
    });
}

outcome run(multiply_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.first, "multiply", "two matrices, A and B");
    check_matrix_argument(o.second, "multiply", "two matrices, A and B");
    require_name("semiring", o.semiring, semiring_names);
    if (o.complement && o.mask.empty()) throw usage_error("--complement needs --mask");
    check_ranks_of_product(o);
    if (process_ranks* const ranks = current_processes()) return run_over_processes(o, *ranks);
    bool const on_host = o.ranks > 1 && !takes_devices(o.common, o.ranks, nullptr);
    any_executor const chosen = on_host ? any_executor(make_host(o.common)) : make_executor(o.common);
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
    cli->add_option("B", o->second, "the right factor, in the same forms")->type_name("");
    cli->add_option("--semiring", o->semiring, "one of " + list_of(semiring_names) + "; plus-times by default")
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
    add_ranks_option(*cli, o->ranks);
    add_processes_option(*cli, o->mpi);
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
