// SPDX-License-Identifier: BSD-3-Clause
// coppice bfs, sssp, components, ...: one command for every row of the registry of graph algorithms.
#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

#include <fmt/format.h>

#include "apps/commands/analytics.hpp"
#include "apps/processes.hpp"
#include "apps/ranks.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/graph/catalogue/checks.hpp>
#include <coppice/graph/catalogue/options.hpp>
#include <coppice/solvers/distributed/graphs/distributed_analytics.hpp>

namespace coppice::app {
namespace {

bool has_check(std::string_view algorithm) {
    auto const names = checked_graph_algorithms();
    return std::find(names.begin(), names.end(), algorithm) != names.end();
}

/// Appends the values of other vertices.
void append(graph_answer& all, graph_answer const& more) {
    if (auto* const values = std::get_if<graph_answer::values>(&all.found)) {
        auto const& others = std::get<graph_answer::values>(more.found);
        values->insert(values->end(), others.begin(), others.end());
    } else {
        auto& vertices = std::get<graph_answer::vertex_numbers>(all.found);
        auto const& others = std::get<graph_answer::vertex_numbers>(more.found);
        vertices.insert(vertices.end(), others.begin(), others.end());
    }
}

/// The result of one rank, with the options g.used. On rank 0, g receives what it shows of several ranks, and `clock`
/// has run since the begin of the set-up. Collective.
template <class Executor, class T>
graph_answer analyse_on_rank(graph_algorithm_row const& row, Executor const& exec, rank_communicator const& comm,
                             row_block<T> const& block, stopwatch& clock, analysed_graph& g) {
    distributed_rows<Executor> const rows(exec, comm, block.offsets, block.columns);
    exec.synchronize();
    comm.barrier();
    if (comm.rank() == 0) g.setup_seconds = clock.lap();
    auto answer = run_graph_algorithm_distributed(exec, comm, row.name, rows, block, g.used);
    exec.synchronize();
    comm.barrier();
    double const seconds = comm.rank() == 0 ? clock.lap() : 0; // ranks of one process share the clock
    bool const between_devices = comm.devices() != nullptr;    // collective over processes
    if (comm.rank() == 0) {
        g.seconds = seconds;
        g.devices = std::is_same_v<Executor, cuda_executor> ? comm.ranks() : 0;
        g.exchange = between_devices ? "devices" : "host: " + comm.why_no_devices();
    }
    return answer;
}

/// Sets the result of ranks of this process, whose blocks of vertices have about equally many edges (--parts): one
/// device each, or a fraction of the threads. `a` is on the host.
template <class Executor, class T>
void analyse_on_ranks(graph_algorithm_row const& row, int ranks, Executor const& chosen, csr<T> const& a,
                      analysed_graph& g) {
    std::vector<graph_answer> answers(static_cast<std::size_t>(ranks));
    stopwatch clock;
    auto const begin = blocks_of_entries(a.row_offsets(), ranks);
    executors_of_ranks(chosen, ranks).run([&](Executor const& exec, rank_communicator const& comm) {
        auto const p = std::size_t(comm.rank());
        answers[p] = analyse_on_rank(row, exec, comm, slice_rows(a, begin[p], begin[p + 1]), clock, g);
    });
    for (std::size_t p = 1; p < answers.size(); ++p) append(answers[0], answers[p]);
    g.answer = std::move(answers[0]);
}

/// Sets the result of one executor, which has a copy of the graph.
template <class Executor, class T>
void analyse_on_one(graph_algorithm_row const& row, Executor const& exec, csr<T> const& on_device, analysed_graph& g) {
    exec.synchronize();
    stopwatch clock;
    g.answer = run_graph_algorithm(exec, row.name, on_device.view(), g.used);
    g.seconds = clock.seconds();
}

template <class Executor, class T>
outcome analyse(graph_algorithm_row const& row, graph_request const& o, any_executor const& chosen,
                Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    progress status(o.common);
    auto graph = load_graph<T>(row, o, host, status);
    auto const& a = graph.matrix;
    analysed_graph g{a.rows(), a.nonzeros(), std::move(graph.vertices)};
    g.used = options_for(row, o, g.numbering, a.rows());
    bool const one = o.ranks == 1 || a.rows() == 0; // several ranks have copies of their rows only
    auto const on_device = one ? exec.copy(a) : csr<T>();
    g.used.undirected = one ? is_undirected(exec, graph_view(on_device)) : is_undirected(host, graph_view(a));
    require_both_directions(row, o, g.used.undirected);
    if (one)
        g.memory = graph_algorithm_memory(row.name, graph_view(a), g.used.undirected, g.used.weighted, host.threads());
    report::graph_page page;
    if (!o.picture.empty())
        page.drawing = report::draw_picture(host, a.view());
    else if (!o.report.empty())
        page.drawing = report::draw_graph(a.view());
    page.drawing.vertices = g.numbering;
    status.show(std::string(row.name));
    if (one)
        analyse_on_one(row, exec, on_device, g);
    else
        analyse_on_ranks(row, o.ranks, exec, a, g);
    if (o.check && g.answer.failure.empty()) {
        status.show("check");
        auto const wrong = check_graph_answer(row.name, host_graph_of(host, a.view()), g.answer, g.used);
        if (!wrong.empty()) g.answer.failure = "the check of the result found " + wrong + " (counted from 0)";
    }
    write_files(o, host, g, status, files);
    if (g.answer.failure.empty()) {
        status.show("report");
        write_pictures(row, o, chosen, a.view(), g.answer, std::move(page), files);
    }
    status.clear();
    return print_result(row, o, chosen, g, files);
}

/// The rows of this rank. All ranks read a Matrix Market file together; any other graph, and one that is converted, is
/// loaded by rank 0, which distributes the rows and keeps the numbering of vertices.
template <class T>
row_block<T> load_rows_of_graph(graph_algorithm_row const& row, graph_request const& o, host_executor const& host,
                                rank_communicator const& comm, vertex_numbering& numbering, progress& status) {
    auto const load_whole = [&] {
        numbered_matrix<T> whole;
        if (comm.rank() == 0) whole = load_graph<T>(row, o, host, status);
        numbering = std::move(whole.vertices);
        return scatter_rows(comm, whole.matrix);
    };
    bool const as_a_whole = names_generator(o.matrix) || o.symmetrise || o.renumber || !o.columns.empty();
    if (as_a_whole || !reads_in_parallel(comm, o.matrix)) return load_whole();
    status.show("reading " + o.matrix);
    auto const rule = rule_for_parallel_edges(row, o);
    auto rows = read_rows<T>(host, comm, o.matrix,
                             {.duplicates = rule == duplicates::refuse ? duplicates::keep : rule,
                              .inexact_integers = rule_for_integers(row, o),
                              .limits = status.limits()});
    require_graph(row, o, rows.all_rows, rows.all_columns);
    check_finite_rows(o.matrix, rows);
    if (rule == duplicates::refuse)
        refuse_parallel_edges(row, o, numbering, rows.first, array_view<vertex_id const>(rows.offsets),
                              array_view<vertex_id const>(rows.columns));
    // If the two directions of an edge have different values, rank 0 loads the whole graph and combines them.
    bool const one_value = !row.undirected || !uses_values(row, o.algorithm) || is_symmetric(host, comm, rows);
    return one_value || !is_undirected(comm, rows) ? std::move(rows) : load_whole();
}

/// The values of all ranks, on rank 0.
graph_answer gather_answer(rank_communicator const& comm, graph_answer const& own) {
    graph_answer all = own;
    auto const gather = [&](auto const& values) {
        auto const whole = gather_blocks(comm, values);
        all.found = std::remove_cvref_t<decltype(values)>(whole.begin(), whole.end());
    };
    if (auto const* const values = std::get_if<graph_answer::values>(&own.found))
        gather(*values);
    else
        gather(std::get<graph_answer::vertex_numbers>(own.found));
    return all;
}

template <class Executor, class T>
outcome analyse_over_processes(graph_algorithm_row const& row, graph_request const& o, any_executor const& chosen,
                               Executor const& exec, process_ranks& ranks, output_files& files) {
    auto const host = make_host(o.common);
    rank_communicator const comm(ranks);
    progress status(o.common);
    analysed_graph g;
    auto const rows = balance_entries(comm, load_rows_of_graph<T>(row, o, host, comm, g.numbering, status));
    g.vertices = rows.all_rows;
    auto used = o.algorithm;
    if (comm.rank() == 0) used = options_for(row, o, g.numbering, g.vertices);
    used.source = comm.gather(used.source)[0];
    used.undirected = is_undirected(comm, rows);
    require_both_directions(row, o, used.undirected);
    for (auto const edges : comm.gather(std::int64_t(rows.columns.size()))) g.edges += edges;
    g.used = used;
    status.show(std::string(row.name));
    comm.barrier();
    stopwatch clock;
    auto const own = analyse_on_rank(row, exec, comm, rows, clock, g);
    g.answer = gather_answer(comm, own);
    if (comm.rank() != 0) return own.failure.empty() ? outcome{} : outcome{exit_numerical, own.failure};
    write_files(o, host, g, status, files);
    status.clear();
    return print_result(row, o, chosen, g, files);
}

/// Throws if --parts, or several processes, are combined with incompatible options.
void check_ranks_of_graph(graph_request const& o) {
    check_ranks(o.ranks);
    require_name("--mpi", o.mpi, std::array<std::string_view, 3>{"auto", "on", "off"});
    std::string const several = source_of_ranks(o.ranks);
    if (!current_processes()) return;
    for (auto const& [option, set] :
         {std::pair{"--check", o.check}, {"--report", !o.report.empty()}, {"--picture", !o.picture.empty()}})
        if (set) throw usage_error(fmt::format("{} cannot be combined with {}", several, option));
}

/// Each process is a rank, with its own part of the cores or its own device.
outcome run_over_processes(graph_algorithm_row const& row, graph_request o, process_ranks& ranks) {
    adapt_to_rank(o.common, o.output, ranks);
    if (ranks.rank() != 0) o.mapping.clear();
    o.ranks = ranks.ranks();
    o.common.backend = takes_devices(o.common, o.ranks, &ranks) ? "cuda" : "host";
    auto const chosen = executor_of_process(o.common, ranks);
    output_files files({{"MATRIX", o.matrix}});
    files.expect("-o", o.output);
    files.expect("--mapping", o.mapping);
    files.expect("--json", o.common.json);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return analyse_over_processes<Executor, T>(row, o, chosen, exec, ranks, files);
    });
}

outcome run(graph_algorithm_row const& row, graph_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, std::string(row.name));
    check_ranks_of_graph(o);
    rule_for_parallel_edges(row, o);
    check_graph_options(row, o.algorithm, "--");
    if (names_of_columns(o.columns).size() > 0 && names_generator(o.matrix))
        throw usage_error("--columns names columns of a file, but MATRIX is " + o.matrix);
    if (!o.mapping.empty() && !o.renumber)
        throw usage_error("--mapping writes the names that --renumber numbers; add --renumber");
    if (process_ranks* const ranks = current_processes()) return run_over_processes(row, o, *ranks);
    any_executor const chosen = o.ranks == 1 || takes_devices(o.common, o.ranks, nullptr)
                                    ? make_executor(o.common)
                                    : any_executor(make_host(o.common));
    output_files files({{"MATRIX", o.matrix}});
    files.expect("-o", o.output);
    files.expect("--mapping", o.mapping);
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    files.expect("--picture", o.picture, ".svg");
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return analyse<Executor, T>(row, o, chosen, exec, files);
    });
}

/// The options that the algorithm reads.
void add_own_options(CLI::App& cli, graph_algorithm_row const& row, graph_request& o) {
    auto& a = o.algorithm;
    if (reads(row, "source"))
        cli.add_option("--source", o.source, "source vertex, by its number or name in the file; the first by default")
            ->type_name("VERTEX");
    if (reads(row, "sink"))
        cli.add_option("--sink", o.sink, "sink vertex, by its number or name in the file; the last by default")
            ->type_name("VERTEX");
    if (reads(row, "hops"))
        add_integer(cli, "--hops", a.hops, "maximum number of edges from the source; 0, the default: no limit")
            ->type_name("N");
    if (reads(row, "length"))
        add_integer(cli, "--length", a.length, "number of steps of a walk; 10 by default")->type_name("N");
    if (reads(row, "return-bias"))
        cli.add_option("--return-bias", a.return_bias,
                       "p of node2vec: a step back has its weight divided by this; 1 by default")
            ->type_name("P");
    if (reads(row, "outward-bias"))
        cli.add_option("--outward-bias", a.outward_bias,
                       "q of node2vec: a step away from the previous vertex, divided by this; 1 by default")
            ->type_name("Q");
    if (reads(row, "seed"))
        add_integer(cli, "--seed", a.seed, "seed of the random numbers; 1 by default")->type_name("N");
    if (reads(row, "weighted"))
        cli.add_flag("--weighted", a.weighted,
                     fmt::format("use the values of the graph as {}; of parallel edges, {}",
                                 row.parallel_weighted == duplicates::min ? "lengths" : "weights",
                                 meaning_of_parallel_edges(row.parallel_weighted)));
    if (reads(row, "delta"))
        cli.add_option("--delta", a.delta, "bucket width of delta-stepping; 0, the default: chosen automatically")
            ->type_name("LENGTH");
    if (reads(row, "damping"))
        cli.add_option("--damping", a.damping, "probability of following an edge; 0.85 by default")->type_name("D");
    if (reads(row, "tolerance"))
        cli.add_option("--tolerance", a.tolerance, "stop if the sum of all changes is less than this; 1e-6 by default")
            ->type_name("EPS");
    if (reads(row, "max-iterations"))
        add_integer(cli, "--max-iterations", a.max_iterations, "maximum number of iterations; 200 by default")
            ->type_name("N");
    if (reads(row, "samples"))
        add_integer(cli, "--samples", a.samples, "number of randomly selected sources; all vertices by default")
            ->type_name("N");
    if (reads(row, "alpha"))
        cli.add_option("--alpha", a.alpha, "attenuation factor of an edge; chosen from the degrees by default")
            ->type_name("X");
    if (reads(row, "resolution"))
        cli.add_option("--resolution", a.resolution, "resolution: larger values give smaller communities; 1 by default")
            ->type_name("X");
    if (reads(row, "capacity"))
        add_integer(cli, "--capacity", a.capacity, "maximum number of selected edges per vertex; 2 by default")
            ->type_name("N");
    if (reads(row, "by-value"))
        cli.add_flag("--by-value", a.by_value,
                     "maximise the sum of the values, without negative edges; by default the sum of |value|");
}

/// How the graph is made of the file.
void add_graph_options(CLI::App& cli, graph_algorithm_row const& row, graph_request& o) {
    cli.add_flag("--symmetrise", o.symmetrise,
                 fmt::format("use the undirected graph: every edge in both directions, with its value; of two "
                             "different values the {} one",
                             row.parallel == duplicates::min ? "smaller" : "larger"));
    cli.add_option(
           "--parallel", o.parallel,
           fmt::format("how parallel edges are combined; by default {}", meaning_of_parallel_edges(row.parallel)))
        ->type_name(alternatives(parallel_rules));
    cli.add_flag(
        "--renumber", o.renumber,
        "edge lists: vertices are arbitrary words or numbers; they are numbered in the order of their occurrence");
    cli.add_option("--columns", o.columns,
                   "tables of edges with a header line: the columns of source, target and weight, or of source and "
                   "target: then every weight is 1")
        ->type_name("SOURCE,TARGET[,WEIGHT]");
    cli.add_option("--mapping", o.mapping, "output file of the names of --renumber: line i is the vertex of row i")
        ->type_name("FILE");
}

command add_algorithm(CLI::App& program, graph_algorithm_row const& row) {
    auto const o = std::make_shared<graph_request>();
    auto* const cli = program.add_subcommand(std::string(row.name), std::string(row.summary));
    cli->footer(
        fmt::format("Values of edges: {}.\nParallel edges (several entries for one pair of vertices): {}.\n\n{}",
                    meaning_of_values(row, false), meaning_of_parallel_edges(row.parallel), cli->get_footer()));
    add_matrix_argument(*cli, o->matrix);
    add_own_options(*cli, row, *o);
    if (has_check(row.name))
        cli->add_flag("--check", o->check,
                      "prove the result in linear time, from its definition, without the algorithm");
    add_graph_options(*cli, row, *o);
    cli->add_option("-o,--output", o->output,
                    "output file: " + std::string(row.output) +
                        "; vertices have their numbers in the file; \"none\" is the number before the first. "
                        "With the ending .csv or .tsv: a table with the names of the vertices, or with their numbers")
        ->type_name("FILE");
    cli->add_option("--report", o->report,
                    "write an HTML page with degrees, results and, if the graph is small, a drawing")
        ->type_name("FILE.html");
    add_picture_option(*cli, o->picture);
    if (is_distributed_graph_algorithm(row.name)) {
        add_ranks_option(*cli, o->ranks);
        add_processes_option(*cli, o->mpi);
    }
    add_common_options(*cli, o->common);
    return {cli, [o, &row] { return run(row, *o); }};
}

} // namespace

std::vector<command> add_graph_algorithms(CLI::App& program) {
    std::vector<command> all;
    for (auto const& row : graph_algorithm_catalogue) all.push_back(add_algorithm(program, row));
    return all;
}

} // namespace coppice::app
