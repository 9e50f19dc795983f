// SPDX-License-Identifier: BSD-3-Clause
// coppice queue: quantities of queues with known formulas, output files, the page.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "apps/runner.hpp"

using namespace coppice::test;
using nlohmann::json;

namespace {

json figures(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "queue");
    arguments.insert(arguments.end(), {"--json", "-", "--backend", "host"});
    auto const result = run(arguments);
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    return result.json();
}

} // namespace

TEST_CASE("queue: one server is M/M/1 with a limit") {
    auto const output_json = figures({"--servers", "1", "--places", "12", "--arrival", "0.75"});
    double const rho = 0.75, all = (1 - std::pow(rho, 12)) / (1 - rho);
    double tasks = 0;
    for (int i = 0; i < 12; ++i) tasks += i * std::pow(rho, i) / all;
    CHECK(output_json["states"] == 12);
    CHECK(output_json["load"].get<double>() == doctest::Approx(1 - 1 / all).epsilon(1e-12));
    CHECK(output_json["waiting_probability"].get<double>() == doctest::Approx(1 - 1 / all).epsilon(1e-12));
    CHECK(output_json["loss_probability"].get<double>() == doctest::Approx(std::pow(rho, 11) / all).epsilon(1e-12));
    CHECK(output_json["mean_tasks"].get<double>() == doctest::Approx(tasks).epsilon(1e-12));
    CHECK(output_json["cost"].get<double>() ==
          doctest::Approx(1 + output_json["mean_waiting"].get<double>() +
                          10 * 0.75 * output_json["loss_probability"].get<double>()));
    CHECK(output_json["servers_in_advance"] == 1);
    CHECK(output_json["by_servers"].size() == 1);
}

TEST_CASE("queue: a server for every task is Erlang's loss system") {
    // With one position per level, j - 1 tasks are in the system if j servers are open, and none of them waits.
    auto const output_json = figures({"--servers", "13", "--places", "1", "--arrival", "5", "--service", "0.5"});
    double blocked = 1;
    for (int n = 1; n <= 12; ++n) blocked = 10 * blocked / (n + 10 * blocked);
    CHECK(output_json["loss_probability"].get<double>() == doctest::Approx(blocked).epsilon(1e-12));
    CHECK(output_json["mean_tasks"].get<double>() == doctest::Approx(10 * (1 - blocked)).epsilon(1e-12));
    CHECK(output_json["waiting_probability"].get<double>() == 0);
    CHECK(output_json["by_servers"].size() == 13);
    CHECK(output_json["by_servers"].back()["cost"] == output_json["cost"]);
}

TEST_CASE("queue: the thresholds of opening and closing servers") {
    // With both at the ends of the positions, servers open only if all positions are taken and close only if none is.
    auto const usual = figures({"--servers", "4", "--places", "8", "--arrival", "2"});
    auto const late = figures({"--servers", "4", "--places", "8", "--arrival", "2", "--upper", "7", "--lower", "0"});
    CHECK(late["mean_waiting"].get<double>() > usual["mean_waiting"].get<double>());
    // The defaults are share + 1 and share - 1, with share = 1.
    CHECK(figures({"--servers", "4", "--places", "8", "--arrival", "2", "--upper", "2", "--lower", "0"})["cost"] ==
          usual["cost"]);
}

TEST_CASE("queue: the distribution, the page, and the same bits with any number of threads") {
    scratch_folder const folder;
    std::vector<std::string> const queue{"--servers", "40", "--arrival", "25", "--waiting-cost", "3"};
    auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), queue.begin(), queue.end());
        return figures(more);
    };
    auto const output_json = with({"-o", folder / "x.mtx", "--report", folder / "q.html", "--threads", "1"});
    for (auto const* field : {"states", "seconds", "iterations", "converged", "residual", "cheapest_servers"})
        CHECK(output_json.contains(field));
    CHECK(output_json["states"] == 640);
    CHECK(output_json["residual"].get<double>() <= 1e-13);
    // The mean number of busy servers is the rate of accepted tasks times the mean service time (Little's law).
    double const busy = output_json["load"].get<double>() * output_json["open_servers"].get<double>();
    CHECK(busy == doctest::Approx(25 * (1 - output_json["loss_probability"].get<double>())).epsilon(1e-10));
    with({"-o", folder / "y.mtx", "--threads", "2"});
    auto const x = read_text_file(folder / "x.mtx");
    CHECK(x == read_text_file(folder / "y.mtx"));
    std::istringstream lines(x);
    std::string line;
    while (std::getline(lines, line) && line[0] == '%') {
    }
    double sum = 0;
    for (double p; lines >> p; sum += p) CHECK(p >= 0);
    CHECK(std::abs(sum - 1) <= 1e-13);

    auto const page = read_text_file(folder / "q.html");
    auto const count = [&](std::string const& what) {
        int found = 0;
        for (auto at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
        return found;
    };
    CHECK(count("<svg") == 5); // load, waiting, cost; open servers, tasks
    CHECK(count("<svg") == count("</svg>"));
    CHECK(count("<path") == 3);
    CHECK(count("http") == 0);
    CHECK(page.find("nan") == std::string::npos);
    int cheaper = 0;
    for (auto const& q : output_json["by_servers"]) cheaper += q["cost"] < output_json["by_servers"][0]["cost"];
    CHECK(cheaper > 0);
    auto const single = with({"--precision", "single"});
    CHECK(single["load"].get<double>() == doctest::Approx(output_json["load"].get<double>()).epsilon(1e-5));
}
