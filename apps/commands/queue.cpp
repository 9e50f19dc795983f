// SPDX-License-Identifier: BSD-3-Clause
// coppice queue: stationary distribution of an M/M/n + k queue with servers that are opened and closed.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/output.hpp"
#include "apps/report/queue_page.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/generate/queue_chain.hpp>
#include <coppice/solvers/queueing/stationary.hpp>

namespace coppice::app {
namespace {

using report::queue_figures;

struct queue_request {
    common_options common{};
    queue_options queue{};
    double server_cost = 1;
    double waiting_cost = 1;
    double loss_cost = 10;
    double tolerance = stationary_options{}.tolerance;
    std::string output{};
    std::string report{};
};

/// Result of the solve.
struct solved_queue {
    queue_options queue{};
    std::int64_t nonzeros = 0;
    std::vector<double> x{};
    stationary_result result{};
    double seconds = 0;
};

void check_cost(char const* option, double value) {
    if (!(value >= 0) || std::isinf(value))
        throw usage_error(fmt::format("{} is {}, expected a number >= 0", option, value));
}

template <class Executor, class T>
solved_queue solve_queue(queue_request const& o, Executor const& exec, queue_options const& queue) {
    solved_queue solved{.queue = queue};
    stopwatch clock;
    auto const a = queue_matrix<T>(make_host(o.common), queue);
    auto const on = exec.copy(a);
    buffer<T> x(exec, a.rows());
    // Levels with the same number of open servers are blocks. If levels are small, larger blocks are chosen.
    solved.result =
        stationary_distribution(exec, on.view(), x.view(), {.block = queue.places, .tolerance = o.tolerance});
    auto const values = to_vector(exec, x);
    solved.x.assign(values.begin(), values.end());
    solved.nonzeros = a.nonzeros();
    solved.seconds = clock.lap();
    return solved;
}

std::int64_t level_of(queue_options const& q, std::size_t state) { return std::int64_t(state) / q.places; }
std::int64_t tasks_of(queue_options const& q, std::size_t state) {
    return q.share * level_of(q, state) + std::int64_t(state) % q.places;
}

queue_figures figures_of(queue_request const& o, solved_queue const& s) {
    queue_figures f{.servers = s.queue.servers};
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        double const p = s.x[i], open = double(level_of(s.queue, i) + 1), tasks = double(tasks_of(s.queue, i));
        double const capacity = open * double(s.queue.share);
        f.open += p * open;
        f.busy += p * std::min(open, std::ceil(tasks / double(s.queue.share)));
        f.tasks += p * tasks;
        f.waiting += p * std::max(tasks - capacity, 0.0);
        if (tasks >= capacity) f.waits += p;
    }
    f.lost = s.x.empty() ? 0 : s.x.back();
    f.cost = o.server_cost * f.open + o.waiting_cost * f.waiting + o.loss_cost * s.queue.arrival * f.lost;
    return f;
}

/// Returns at most 24 numbers of servers up to `all`, evenly spaced.
std::vector<std::int64_t> numbers_of_servers(std::int64_t all) {
    constexpr std::int64_t max_points = 24;
    std::vector<std::int64_t> numbers;
    for (std::int64_t k = 1; k <= max_points; ++k) numbers.push_back(std::max<std::int64_t>(1, all * k / max_points));
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::vector<double> distribution_of(solved_queue const& s, std::int64_t (*of)(queue_options const&, std::size_t)) {
    std::vector<double> p;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        auto const at = std::size_t(of(s.queue, i));
        if (p.size() <= at) p.resize(at + 1, 0.0);
        p[at] += s.x[i];
    }
    return p;
}

report::entries settings_of(queue_request const& o) {
    auto const& q = o.queue;
    auto const show = [](double v) { return fmt::format("{:.6g}", v); };
    return {{"servers", std::to_string(q.servers)},
            {"positions (numbers of tasks) of a level", std::to_string(q.places)},
            {"tasks per server", std::to_string(q.share)},
            {"arrival", show(q.arrival)},
            {"service", show(q.service)},
            {"opening", show(q.opening)},
            {"closing", show(q.closing)},
            {"opens servers from position", std::to_string(q.upper > 0 ? q.upper : std::min(q.share + 1, q.places))},
            {"closes servers up to position", std::to_string(q.lower >= 0 ? q.lower : q.share - 1)},
            {"cost of an open server", show(o.server_cost)},
            {"cost of a waiting task", show(o.waiting_cost)},
            {"cost of a rejected task", show(o.loss_cost)},
            {"tolerance", show_scientific(o.tolerance)}};
}

nlohmann::ordered_json json_of(queue_figures const& f) {
    return {{"servers", f.servers},       {"open_servers", f.open},
            {"load", f.load()},           {"mean_tasks", f.tasks},
            {"mean_waiting", f.waiting},  {"waiting_probability", f.waits},
            {"loss_probability", f.lost}, {"cost", f.cost}};
}

void show_results(sheet& result, queue_request const& o, solved_queue const& s, report::queue_page const& page) {
    auto const& f = page.chosen;
    auto const& best = report::cheapest(page.by_servers);
    result.line("states", fmt::format("{}, {} levels of {}", show_count(std::int64_t(s.x.size())),
                                      show_count(o.queue.servers), o.queue.places));
    result.line("open servers", fmt::format("{:.4g} on average, load {}", f.open, show_fraction(f.load())));
    result.line("tasks", fmt::format("{:.4g} on average, {:.4g} waiting", f.tasks, f.waiting));
    result.line("a task waits", fmt::format("with probability {:.4g}; rejected with {:.3g}", f.waits, f.lost));
    result.line("keep open", fmt::format("{} for the most likely number of tasks", counted(page.in_advance, "server")));
    result.line("cost", fmt::format("{:.5g} per unit of time; minimum with {}: {:.5g}", f.cost,
                                    counted(best.servers, "server"), best.cost));
    result.line("time", fmt::format("{}, {}, residual {}", show_seconds(s.seconds),
                                    counted(s.result.iterations, "iteration"), show_scientific(s.result.residual)));
    if (!o.output.empty()) result.line("written to", o.output);
    auto& json = result.json();
    json["states"] = s.x.size();
    json["nonzeros"] = s.nonzeros;
    json["converged"] = s.result.converged;
    json["reason"] = to_string(s.result.reason);
    json["iterations"] = s.result.iterations;
    json["residual"] = s.result.residual;
    auto const figures = json_of(f);
    for (auto const& [key, value] : figures.items()) json[key] = value;
    json["servers_in_advance"] = page.in_advance;
    json["cheapest_servers"] = best.servers;
    json["by_servers"] = nlohmann::ordered_json::array();
    for (auto const& q : page.by_servers) json["by_servers"].push_back(json_of(q));
    json["seconds"] = s.seconds;
}

template <class Executor, class T>
outcome work(queue_request const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    progress status(o.common);
    report::queue_page page;
    solved_queue solved;
    for (auto const servers : numbers_of_servers(o.queue.servers)) {
        status.show(fmt::format("{} of {} servers", servers, o.queue.servers));
        auto queue = o.queue;
        queue.servers = servers;
        solved = solve_queue<Executor, T>(o, exec, queue);
        if (!solved.result.converged)
            return {exit_numerical, fmt::format("no stationary distribution with {}: {} after {}, residual {}",
                                                counted(servers, "server"), to_string(solved.result.reason),
                                                counted(solved.result.iterations, "iteration"),
                                                show_scientific(solved.result.residual))};
        page.by_servers.push_back(figures_of(o, solved));
    }
    status.clear();
    page.chosen = page.by_servers.back();
    page.open_servers = distribution_of(solved, level_of);
    page.tasks = distribution_of(solved, tasks_of);
    auto const likeliest = std::max_element(page.tasks.begin(), page.tasks.end()) - page.tasks.begin();
    page.in_advance = std::clamp<std::int64_t>((likeliest + o.queue.share - 1) / o.queue.share, 1, o.queue.servers);
    page.title =
        fmt::format("{} for {:.6g} tasks per unit of time", counted(o.queue.servers, "server"), o.queue.arrival);
    page.size = show_size(std::int64_t(solved.x.size()), std::int64_t(solved.x.size()), solved.nonzeros);
    page.settings = settings_of(o);
    page.environment = describe_build();
    page.environment.insert(page.environment.begin(), {"backend", describe_executor(chosen)});
    if (!o.output.empty())
        files.write(o.output, [&](std::string const& path) {
            write_vector(make_host(o.common), path, array_view<double const>(solved.x),
                         " probability of position p of the level with j open servers, at (j - 1) places + p");
        });
    if (!o.report.empty()) files.write_text(o.report, render(page));

    sheet result("queue", o.common);
    result.backend(chosen);
    show_results(result, o, solved, page);
    result.publish(files);
    return {};
}

outcome run(queue_request const& o) {
    check_common_options(o.common);
    check_cost("--server-cost", o.server_cost);
    check_cost("--waiting-cost", o.waiting_cost);
    check_cost("--loss-cost", o.loss_cost);
    if (!(o.tolerance >= 0) || std::isinf(o.tolerance))
        throw usage_error(fmt::format("--tolerance is {}, expected a number >= 0", o.tolerance));
    queue_states(o.queue);
    auto const chosen = make_executor(o.common);
    output_files files({});
    files.expect("-o", o.output, ".npy");
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return work<Executor, T>(o, chosen, exec, files);
    });
}

} // namespace

command add_queue(CLI::App& program) {
    auto const o = std::make_shared<queue_request>();
    auto* const cli = program.add_subcommand(
        "queue", "Load, waiting and cost of servers that are opened and closed according to the queue length");
    auto& q = o->queue;
    add_integer(*cli, "--servers", q.servers, "number of servers; 100 by default")->type_name("N");
    add_integer(*cli, "--places", q.places,
                "positions (numbers of tasks) for each number of open servers; 16 by default")
        ->type_name("K");
    add_integer(*cli, "--share", q.share, "tasks per server; 1 by default")->type_name("N");
    cli->add_option("--arrival", q.arrival, "tasks per unit of time; 50 by default")->type_name("RATE");
    cli->add_option("--service", q.service, "tasks that a busy server finishes per unit of time; 1 by default")
        ->type_name("RATE");
    cli->add_option("--opening", q.opening,
                    "rate of opening a server, for each --share tasks above the limit; 1 by default")
        ->type_name("RATE");
    cli->add_option("--closing", q.closing,
                    "rate of closing a server, for each --share tasks below the limit; 1 by default")
        ->type_name("RATE");
    add_integer(*cli, "--upper", q.upper,
                "first position that opens servers; default: more tasks than the open servers take")
        ->type_name("P");
    add_integer(*cli, "--lower", q.lower,
                "last position that closes servers; default: fewer tasks than the open servers take")
        ->type_name("P");
    cli->add_option("--server-cost", o->server_cost, "cost of an open server per unit of time; 1 by default")
        ->type_name("C");
    cli->add_option("--waiting-cost", o->waiting_cost, "cost of a waiting task per unit of time; 1 by default")
        ->type_name("C");
    cli->add_option("--loss-cost", o->loss_cost, "cost of a rejected task; 10 by default")->type_name("C");
    cli->add_option("--tolerance", o->tolerance, "tolerance of the balance equations of each level; 1e-13 by default")
        ->type_name("T");
    cli->add_option("-o,--output", o->output, "output file of the distribution, a Matrix Market array")
        ->type_name("FILE");
    cli->add_option("--report", o->report, "write an HTML page with charts of load, waiting, cost and the distribution")
        ->type_name("FILE.html");
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
