// SPDX-License-Identifier: BSD-3-Clause
// Commands of the registry of graph algorithms: input files, output files, error messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "apps/runner.hpp"

using namespace coppice::test;

namespace {

std::string const banner = "%%MatrixMarket matrix coordinate real ";
/// Two triangles 1 2 3 and 2 3 4 with a tail 4 - 5, and a pair 6 - 7; edge i - j has length i + j - 2.
std::string const kite = banner + "symmetric\n7 7 7\n2 1 1\n3 1 2\n3 2 3\n4 2 4\n4 3 5\n5 4 7\n7 6 11\n";

std::string numbers(std::string const& file) { // without banner, size and line ends
    std::istringstream text(read_text_file(file));
    std::string line, found;
    int lines = 0;
    while (std::getline(text, line))
        if (line[0] != '%' && lines++ > 0) found += (found.empty() ? "" : " ") + line;
    return found;
}

} // namespace

TEST_CASE("graph algorithms: results count vertices from 1") {
    scratch_folder const folder;
    auto const graph = folder.write("kite.mtx", kite);
    auto const answer = [&](std::vector<std::string> arguments) {
        auto const out = folder / "out.mtx";
        arguments.insert(arguments.begin() + 1, graph);
        arguments.insert(arguments.end(), {"-o", out, "--backend", "host", "--json", "-"});
        auto const r = run(arguments);
        CAPTURE(r.err);
        REQUIRE(r.code == 0);
        CHECK(r.json()["seconds"].get<double>() >= 0);
        return std::pair{numbers(out), r.json()};
    };
    CHECK(answer({"bfs"}).first == "0 1 1 2 3 -1 -1");
    CHECK(answer({"bfs"}).second["reached"] == 5);
    CHECK(answer({"bfs", "--source", "7"}).first == "-1 -1 -1 -1 -1 1 0");
    CHECK(answer({"sssp"}).first.rfind("0 1 2 5 12 ", 0) == 0);
    CHECK(answer({"components"}).first == "1 1 1 1 1 6 6");
    CHECK(answer({"components"}).second["largest"] == 5);
    CHECK(answer({"triangles"}).first == "1 2 2 1 0 0 0");
    CHECK(answer({"cores"}).first == "2 2 2 2 1 1 1");
    CHECK(answer({"matching"}).first == "0 3 2 5 4 7 6"); // 6 - 7, 4 - 5, 2 - 3: heaviest first
    CHECK(answer({"b-matching", "--capacity", "1"}).second["weight"] == 11 + 7 + 3);
    CHECK(answer({"b-matching"}).second["edges"] == 5);
    CHECK(answer({"maximal-matching"}).first == "2 1 4 3 0 7 6"); // smaller numbers first
    CHECK(answer({"mst"}).second["weight"] == 1 + 2 + 4 + 7 + 11);
    CHECK(answer({"pagerank"}).second["converged"] == true);
    CHECK(answer({"independent-set"}).second["size"].get<int>() >= 3);
    auto const [colours, output_json] = answer({"colouring"});
    CHECK(output_json["colours"].get<int>() >= 3);
    CHECK(output_json["colours"].get<int>() <= 4); // maximum degree 3, plus 1
    std::istringstream each(colours);
    std::vector<int> const of{std::istream_iterator<int>(each), {}};
    REQUIRE(of.size() == 7);
    for (auto const& [i, j] : {std::pair{2, 1}, {3, 1}, {3, 2}, {4, 2}, {4, 3}, {5, 4}, {7, 6}})
        CHECK(of[std::size_t(i - 1)] != of[std::size_t(j - 1)]);
    CHECK(answer({"widest"}).first.rfind("inf 2 2 2 2 ", 0) == 0);
    CHECK(answer({"strong-components"}).first == "1 1 1 1 1 6 6");
    CHECK(answer({"bridges"}).second["bridges"] == 2); // the tail and the pair
    CHECK(answer({"diameter"}).second["lower"] == 3);
    CHECK(answer({"betweenness"}).first == "0 1 1 3 0 0 0");
    CHECK(answer({"closeness", "--samples", "7"}).second["sources"] == 7);
    CHECK(answer({"truss"}).second["largest"] == 3);
    CHECK(answer({"similarity"}).second["edges"] == 7);
    CHECK(answer({"communities"}).second["communities"].get<int>() >= 2);
    CHECK(answer({"label-propagation"}).second["converged"] == true);
    CHECK(answer({"katz", "--alpha", "0.1"}).second["converged"] == true);
    CHECK(answer({"eigenvector", "--max-iterations", "1000"}).second["converged"] == true);
    CHECK(answer({"hits", "--max-iterations", "1000"}).second["converged"] == true);
}

TEST_CASE("graph algorithms: the results for a graph without vertices") {
    scratch_folder const folder;
    auto const graph = folder.write("none.mtx", banner + "general\n0 0 0\n");
    struct {
        char const* name;
        nlohmann::json facts;
    } const rows[] = {{"components", {{"components", 0}, {"largest", 0}}},
                      {"strong-components", {{"components", 0}, {"largest", 0}}},
                      {"bridges", {{"bridges", 0}, {"components", 0}}},
                      {"pagerank", {{"converged", true}, {"iterations", 0}}},
                      {"betweenness", {{"sources", 0}, {"largest", 0}}},
                      {"edge-betweenness", {{"sources", 0}, {"largest", 0}}},
                      {"closeness", {{"sources", 0}, {"largest", 0}}},
                      {"katz", {{"converged", true}, {"largest", 0}}},
                      {"eigenvector", {{"converged", true}, {"largest", 0}}},
                      {"hits", {{"converged", true}, {"largest", 0}}},
                      {"triangles", {{"triangles", 0}, {"transitivity", 0}, {"mean_clustering", 0}}},
                      {"clustering", {{"mean_clustering", 0}}},
                      {"similarity", {{"edges", 0}, {"mean", 0}}},
                      {"cores", {{"largest", 0}}},
                      {"truss", {{"edges", 0}, {"largest", 0}}},
                      {"communities", {{"communities", 0}, {"largest", 0}}},
                      {"leiden", {{"communities", 0}, {"largest", 0}}},
                      {"label-propagation", {{"communities", 0}, {"converged", true}}},
                      {"mst", {{"trees", 0}, {"weight", 0}}},
                      {"matching", {{"edges", 0}, {"weight", 0}}},
                      {"b-matching", {{"edges", 0}, {"weight", 0}}},
                      {"maximal-matching", {{"edges", 0}}},
                      {"independent-set", {{"size", 0}}},
                      {"colouring", {{"colours", 0}}},
                      {"biconnected", {{"components", 0}, {"articulation_points", 0}}},
                      {"articulation-points", {{"components", 0}, {"articulation_points", 0}}},
                      {"topological-levels", {{"acyclic", true}, {"levels", 0}}},
                      {"longest-paths", {{"acyclic", true}, {"longest", 0}}},
                      {"random-walks", {{"walks", 0}, {"steps_without_edge", 0}}}};
    for (auto const& row : rows) {
        CAPTURE(row.name);
        auto const r = run({row.name, graph, "-o", folder / "out.mtx", "--report", folder / "r.html", "--json", "-"});
        CAPTURE(r.err);
        REQUIRE(r.code == 0);
        for (auto const& [key, value] : row.facts.items()) {
            CAPTURE(key);
            CHECK(r.json()[key] == value);
        }
        CHECK(numbers(folder / "out.mtx").empty());
    }
    for (auto const* name : {"components", "pagerank", "communities", "triangles"})
        CHECK(run({name, graph, "--parts", "2", "-q"}).code == 0);
    CHECK(run({"components", graph, "--check", "-q"}).code == 0);
    CHECK(run({"pagerank", graph, "-o", folder / "out.csv", "-q"}).code == 0);
    CHECK(read_text_file(folder / "out.csv") == "vertex,value\n");
    CHECK(run({"pagerank", graph, "--picture", folder / "p.svg", "-q"}).code == 2);
}

TEST_CASE("graph algorithms: bad input gives one line with the remedy") {
    scratch_folder const folder;
    auto const arrow = folder.write("arrow.mtx", banner + "general\n3 3 2\n1 2 1\n2 3 -1\n");
    auto const fails = [&](std::vector<std::string> arguments, int code, std::string const& words) {
        auto const r = run(arguments);
        CAPTURE(r.err);
        CHECK(r.code == code);
        CHECK(is_one_error_line(r.err));
        CHECK(r.err.find(words) != std::string::npos);
    };
    fails({"components", arrow}, 3, "--symmetrise");
    CHECK(run({"components", arrow, "--symmetrise"}).code == 0);
    CHECK(run({"sssp", arrow}).code == 0);
    fails({"sssp", arrow, "--source", "4"}, 2, "a vertex from 1 to 3");
    fails({"sssp", arrow, "--source", "0"}, 2, "a vertex from 1 to 3");
    fails({"bfs", arrow, "--delta", "1"}, 2, "unknown option");
    auto const falls = folder.write("falls.mtx", banner + "symmetric\n2 2 1\n2 1 -1\n");
    fails({"sssp", falls}, 4, "negative length");
    fails({"pagerank", arrow, "--max-iterations", "1"}, 4, "did not converge");
    fails({"pagerank", arrow, "--damping", "1"}, 2, "damping");
    CHECK(run({"strong-components", arrow}).code == 0);
    fails({"communities", arrow}, 3, "--symmetrise");
    fails({"closeness", arrow, "--samples", "-1"}, 2, "samples");
    fails({"katz", arrow, "--alpha", "-1"}, 2, "alpha");
    fails({"bfs", folder.write("empty.mtx", banner + "general\n0 0 0\n")}, 3, "empty");
    fails({"bfs", folder.write("wide.mtx", banner + "general\n2 3 1\n1 1 1\n")}, 3, "square");
    fails({"sssp", folder.write("nan.mtx", banner + "general\n2 2 1\n1 2 nan\n")}, 3, "");
    CHECK(run({"mst", folder.write("one.mtx", banner + "general\n1 1 1\n1 1 3\n")}).code == 0);
}

TEST_CASE("graph algorithms: the report has degrees, what was found, a ranking and a drawing; no reference") {
    scratch_folder const folder;
    auto const graph = folder.write("kite.mtx", kite);
    auto const has = [](std::string const& text, std::string const& substring) {
        return text.find(substring) != std::string::npos;
    };
    auto const count = [](std::string const& text, std::string const& substring) {
        int n = 0;
        for (auto at = text.find(substring); at != std::string::npos; at = text.find(substring, at + 1)) ++n;
        return n;
    };
    auto const page_of = [&](std::vector<std::string> arguments) {
        auto const path = folder / "r.html";
        arguments.insert(arguments.end(), {"--report", path, "--backend", "host"});
        auto const r = run(arguments);
        CAPTURE(r.err);
        REQUIRE(r.code == 0);
        auto const page = read_text_file(path);
        for (std::string const substring :
             {"<!doctype html>", "id=graph", "id=found", "id=settings", "Vertices by degree"})
            CHECK_MESSAGE(has(page, substring), substring);
        for (std::string const substring : {"http", "<script ", "<link", "@import", "url(", "nan", "inf,"})
            CHECK_MESSAGE(!has(page, substring), substring);
        CHECK(count(page, "<svg") == count(page, "</svg>"));
        return page;
    };
    auto const ranks = page_of({"pagerank", graph});
    CHECK(has(ranks, "The largest values"));
    CHECK(
        has(ranks, "<tr><td class=number>1<td class=number data-value='4'>4<td")); // largest degree, and small degrees
    CHECK(count(ranks, "<circle") == 7);
    CHECK(has(ranks, "<title>3–4: 3</title>")); // 2, 3 and 4 have degree 3
    auto const components = page_of({"components", graph});
    CHECK(has(components, "<td class=number>1<td class=number data-value='1'>1<td class=number data-value=5>5<"));
    CHECK(has(components, "<td class=number>2<td class=number data-value='6'>6<td class=number data-value=2>2<"));
    auto const levels = page_of({"bfs", graph, "--source", "7"}); // most vertices are not reached
    CHECK(has(levels, "<title>1: 1</title>"));
    CHECK(has(levels, "<td>source<td>7<"));
    CHECK(has(page_of({"matching", graph}), "<title>matched: 6</title>"));
    CHECK(has(page_of({"mst", graph}), "id=drawing"));
    auto const large = page_of({"cores", "generate:rmat,scale=10"});
    CHECK(!has(large, "id=drawing"));
    CHECK(has(large, "Vertices by degree"));
    for (auto const& row : {"sssp", "betweenness", "colouring", "bridges", "truss", "diameter"}) page_of({row, graph});
}

TEST_CASE("pictures of forests, matchings and factors: every edge is drawn, selected ones twice") {
    scratch_folder const folder;
    auto const picture_of = [&](std::vector<std::string> arguments) {
        auto const path = folder / "p.svg";
        arguments.insert(arguments.end(), {"--picture", path, "--backend", "host"});
        auto const r = run(arguments);
        CAPTURE(r.err);
        REQUIRE(r.code == 0);
        return read_text_file(path);
    };
    auto const edges = [](std::string const& picture, std::string const& colour) { // lines of that colour
        auto const at = picture.find("stroke='" + colour);
        if (at == std::string::npos) return std::ptrdiff_t(0);
        auto const path = picture.substr(at, picture.find("/>", at) - at);
        return std::count(path.begin(), path.end(), 'L');
    };
    std::string const all = "#9aa5b1", taken = "#0b5cad", grid = "generate:aniso2,nx=9,ny=6";
    auto const forest = picture_of({"forest", grid});
    CHECK(forest.rfind("<?xml", 0) == 0);
    CHECK(forest.find("xmlns='http://www.w3.org/2000/svg'") != std::string::npos);
    CHECK(forest.find("viewBox='0 0 9.2 6.2'") != std::string::npos); // grid points at their coordinates
    CHECK(edges(forest, all) == 8 * 6 + 9 * 5 + 2 * 8 * 5);
    CHECK(edges(forest, taken) >= 54 - 14); // lines along the strong direction, at most 14
    CHECK(edges(forest, taken) < 54);
    CHECK(edges(picture_of({"factor", grid, "--degree", "1"}), taken) <= 27);
    auto const graph = folder.write("kite.mtx", kite);
    CHECK(edges(picture_of({"factor", graph, "--degree", "2", "--method", "greedy"}), taken) == 5);
    CHECK(edges(picture_of({"matching", graph}), taken) == 3);
    CHECK(edges(picture_of({"maximal-matching", graph}), taken) == 3);
    CHECK(edges(picture_of({"mst", graph}), taken) == 5);
    CHECK(edges(picture_of({"components", graph}), all) == 7);
    CHECK(picture_of({"mst", graph}) == picture_of({"mst", graph}));
    auto const large =
        picture_of({"components", "generate:rmat,scale=13,edge_factor=2"}); // a path of points for each colour
    CHECK(large == picture_of({"components", "generate:rmat,scale=13,edge_factor=2", "--threads", "2"}));
    std::ptrdiff_t points = 0;
    for (auto k = large.find("h0"); k != std::string::npos; k = large.find("h0", k + 1)) ++points;
    CHECK(points == 8192);
    CHECK(large.find("<circle") == std::string::npos);
    for (std::string const command : {"mst", "forest", "factor"}) {
        CAPTURE(command);
        auto const r =
            run({command, "generate:laplace2d,nx=500", "--picture", folder / "large.svg", "--backend", "host"});
        CHECK(r.code == 2);
        CHECK(is_one_error_line(r.err));
        CHECK(r.err.find("this one has 250000 and 1248000") != std::string::npos);
        CHECK(run({command, graph, "--picture", folder / "x.png"}).code == 2);
        CHECK(run({command, graph, "-o", folder / "x.svg"}).code == 2);
    }
}

namespace {

/// Runs a graph algorithm on a graph file; returns its output and JSON object.
std::pair<std::string, nlohmann::json> answer_of(scratch_folder const& folder, std::string const& graph,
                                                 std::vector<std::string> arguments) {
    auto const out = folder / "out.mtx";
    arguments.insert(arguments.begin() + 1, graph);
    arguments.insert(arguments.end(), {"-o", out, "--backend", "host", "--json", "-"});
    auto const r = run(arguments);
    CAPTURE(arguments[0]);
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    return {numbers(out), r.json()};
}

} // namespace

TEST_CASE("graph algorithms: parallel edges are combined as the algorithm requires") {
    scratch_folder const folder;
    // 0 - 1 twice; the one of length 2 is on the shortest path, the one of width 5 on the widest.
    auto const list = folder.write("twice.txt", "0 1 5\n0 1 2\n1 2 4\n0 2 10\n2 3 1\n");
    CHECK(answer_of(folder, list, {"sssp"}).first == "0 2 6 7");
    CHECK(answer_of(folder, list, {"widest"}).first == "inf 5 10 1");
    CHECK(answer_of(folder, list, {"mst", "--symmetrise"}).second["weight"] == 2 + 4 + 1);
    CHECK(answer_of(folder, list, {"bridges", "--symmetrise"}).second["bridges"] == 1); // 2 - 3
    auto const plain = folder.write("plain.txt", "0 1\n\n0 1\n1 2\n");
    CHECK(answer_of(folder, plain, {"sssp"}).first == "0 1 2");
    CHECK(answer_of(folder, plain, {"bridges", "--symmetrise"}).second["bridges"] == 1); // 1 - 2
    auto const once = folder.write("once.txt", "0 1\n1 0\n1 2\n2 1\n");
    CHECK(answer_of(folder, once, {"bridges"}).second["bridges"] == 2); // both directions are one edge
    auto const three = folder.write("three.txt", "0 1\n1 0\n0 1\n1 2\n2 1\n");
    CHECK(answer_of(folder, three, {"bridges"}).second["bridges"] == 1);
    for (std::string const name : {"pagerank", "cores", "triangles", "truss", "betweenness"}) {
        auto const r = run({name, plain, "--symmetrise"});
        CAPTURE(name);
        CAPTURE(r.err);
        CHECK(r.code == 3);
        CHECK(is_one_error_line(r.err));
        CHECK(r.err.find("parallel edges from 0 to 1") != std::string::npos);
        CHECK(run({name, plain, "--symmetrise", "--parallel", "once"}).code == 0);
    }
    CHECK(answer_of(folder, list, {"sssp", "--parallel", "max"}).first == "0 5 9 10");
    CHECK(run({"sssp", list, "--parallel", "most"}).code == 2);
    // 1 - 2 is heavier than each of the two edges 0 - 1, but not than their sum.
    auto const heavy = folder.write("heavy.txt", "0 1 5\n0 1 3\n1 2 6\n2 3 1\n");
    CHECK(answer_of(folder, heavy, {"matching", "--symmetrise"}).first == "-1 2 1 -1");
    CHECK(answer_of(folder, heavy, {"b-matching", "--capacity", "1", "--symmetrise"}).second["weight"] == 6);
    // Two triangles connected by three parallel edges whose sum is heavier than each edge of the triangles.
    auto const pair = folder.write("pair.txt", "0 1 2\n1 2 2\n0 2 2\n3 4 2\n4 5 2\n3 5 2\n2 3 20\n2 3 20\n2 3 20\n");
    auto const [labels, output_json] = answer_of(folder, pair, {"communities", "--symmetrise"});
    // With weight 60 between 2 and 3 and 2 elsewhere, {2, 3} is a community, and so are {0, 1} and {4, 5}.
    CHECK(labels == "0 0 2 2 4 4");
    CHECK(output_json["weights"] == "values");
}

TEST_CASE("graph algorithms: --check proves the result, and passes") {
    scratch_folder const folder;
    auto const graph = folder.write("square.mtx", banner + "symmetric\n4 4 4\n2 1 3\n3 2 2\n4 3 1\n4 1 5\n");
    auto const arrows = folder.write("arrows.mtx", banner + "general\n3 3 3\n1 2 1\n2 3 2\n1 3 1\n");
    for (std::string const name : {"bfs", "sssp", "widest", "components", "max-flow", "min-cut", "maximal-matching",
                                   "matching", "independent-set", "colouring", "topological-levels", "longest-paths"}) {
        CAPTURE(name);
        auto const& file = name == "topological-levels" || name == "longest-paths" ? arrows : graph;
        CHECK(answer_of(folder, file, {name, "--check"}).second["checked"] == true);
        CHECK_FALSE(answer_of(folder, file, {name}).second.contains("checked"));
    }
    CHECK(run({"bfs", graph, "--check"}).out.find("passed") != std::string::npos);
    CHECK(run({"bfs", graph, "--check", "--parts", "2", "--backend", "host"}).out.find("passed") != std::string::npos);
    for (char const* const ranks : {"1", "2"}) { // the off-diagonal entries of a Laplacian are negative lengths
        auto const paths = run({"sssp", "generate:laplace2d,nx=5", "--parts", ranks, "--backend", "host"});
        CHECK(paths.code == 4);
        CHECK(paths.err.find("a cycle of negative length is reached") != std::string::npos);
    }
    CHECK(run({"pagerank", graph, "--check"}).code == 2); // there is no check of it
}

TEST_CASE("graph algorithms: the biases of random walks, and the resolution of communities") {
    scratch_folder const folder;
    // With steps back and steps away from the previous vertex excluded, a walk goes round a cycle or a triangle.
    auto const cycle = folder.write("cycle.txt", "0 1\n1 2\n2 3\n3 4\n4 0\n");
    auto const tail = folder.write("tail.txt", "0 1\n1 2\n2 0\n2 3\n");
    auto const walks = [&](std::string const& graph, std::vector<std::string> const& biases) {
        std::vector<std::string> arguments{
            "random-walks", graph, "--symmetrise", "--length", "30", "-o", folder / "walks.csv", "--seed", "7", "-q"};
        arguments.insert(arguments.end(), biases.begin(), biases.end());
        REQUIRE(run(arguments).code == 0);
        std::istringstream text(read_text_file(folder / "walks.csv"));
        std::vector<std::vector<int>> found;
        std::string line, word;
        std::getline(text, line); // names of the columns
        while (std::getline(text, line)) {
            std::istringstream fields(line);
            found.emplace_back();
            while (std::getline(fields, word, ',')) found.back().push_back(std::stoi(word));
        }
        return found;
    };
    // Returns the number of steps with a condition on the vertices before, at and after a position.
    auto const count = [](std::vector<int> const& walk, auto const& holds) {
        int steps = 0;
        for (std::size_t k = 2; k + 1 < walk.size(); ++k) steps += holds(walk[k - 1], walk[k], walk[k + 1]);
        return steps;
    };
    auto const back = [](int before, int, int after) { return before == after; };
    for (auto const& walk : walks(cycle, {"--return-bias", "1e30"})) CHECK(count(walk, back) == 0);
    int returns = 0;
    for (auto const& walk : walks(cycle, {"--return-bias", "1e-30"})) returns += count(walk, back);
    CHECK(returns == 5 * 29);
    // The same numbers by column, if the file is no table.
    auto const rows = walks(cycle, {});
    auto const columns = folder / "walks.mtx";
    REQUIRE(run({"random-walks", cycle, "--symmetrise", "--length", "30", "-o", columns, "--seed", "7", "-q"}).code ==
            0);
    std::istringstream array(read_text_file(columns));
    std::string first;
    std::getline(array, first);
    CHECK(first == "%%MatrixMarket matrix array real general");
    while (array.peek() == '%') std::getline(array, first);
    int vertices = 0, steps = 0, vertex = 0;
    array >> vertices >> steps;
    CHECK(vertices == 5);
    CHECK(steps == 31);
    for (std::size_t k = 0; k < 31; ++k)
        for (std::size_t v = 0; v < 5; ++v) {
            array >> vertex;
            REQUIRE(array.good());
            CHECK(vertex == rows[v][k + 1]);
        }
    auto const to_tail = [](int, int, int after) { return after == 3; };
    for (auto const& walk : walks(tail, {"--return-bias", "1e30", "--outward-bias", "1e30"}))
        if (walk[1] < 2) CHECK(count(walk, to_tail) == 0);

    // The modularity of a merge is positive only below a resolution: all vertices are one community, or each is one.
    CHECK(answer_of(folder, cycle, {"communities", "--symmetrise", "--resolution", "1e-9"}).first == "0 0 0 0 0");
    CHECK(answer_of(folder, cycle, {"communities", "--symmetrise", "--resolution", "100"}).first == "0 1 2 3 4");
}

TEST_CASE("graph algorithms: --symmetrise keeps signs and zeros, and one of two directions") {
    scratch_folder const folder;
    auto const zeros = folder.write("zeros.txt", "0 1 0\n1 2 0.0\n0 2 1\n");
    auto const tree = answer_of(folder, zeros, {"mst", "--symmetrise"}).second;
    CHECK(tree["trees"] == 1);
    CHECK(tree["edges"] == 2);
    CHECK(tree["weight"] == 0);
    CHECK(answer_of(folder, zeros, {"components", "--symmetrise"}).first == "0 0 0");
    CHECK(answer_of(folder, zeros, {"sssp", "--symmetrise"}).first == "0 0 0");
    auto const negative = folder.write("negative.txt", "0 1 -5\n1 2 3\n0 2 1\n");
    CHECK(answer_of(folder, negative, {"mst", "--symmetrise"}).second["weight"] == -5 + 1);
    auto const both = folder.write("both.mtx", banner + "general\n3 3 4\n1 2 3\n2 1 5\n2 3 4\n3 2 4\n");
    for (std::string const more : {"--symmetrise", "--quiet"}) { // values differ between directions: one edge
        CHECK(answer_of(folder, both, {"mst", more}).second["weight"] == 3 + 4);
        CHECK(answer_of(folder, both, {"matching", more}).first == "2 1 0");
        CHECK(answer_of(folder, both, {"b-matching", more}).second["weight"] == 5 + 4);
    }
}

TEST_CASE("graph algorithms: vertices have the numbers of the file") {
    scratch_folder const folder;
    auto const list = folder.write("list.txt", "0 1\n1 2\n3 4\n");
    CHECK(answer_of(folder, list, {"bfs"}).second["source"] == 0);
    CHECK(answer_of(folder, list, {"bfs", "--source", "0"}).first == "0 1 2 -1 -1");
    CHECK(answer_of(folder, list, {"bfs", "--source", "3"}).first == "-1 -1 -1 0 1");
    CHECK(answer_of(folder, list, {"components", "--symmetrise"}).first == "0 0 0 3 3");
    CHECK(read_text_file(folder / "out.mtx").find("row i is vertex i - 1 of the graph file") != std::string::npos);
    CHECK(answer_of(folder, list, {"maximal-matching", "--symmetrise"}).first == "1 0 -1 4 3");
    for (std::string const source : {"5", "-1", "x", "1.5", ""}) {
        auto const r = run({"bfs", list, "--source", source});
        CAPTURE(r.err);
        CHECK(r.code == 2);
        CHECK((source.empty() || r.err.find("a vertex from 0 to 4 of " + list) != std::string::npos));
    }
    auto const page = folder / "page.html";
    REQUIRE(run({"components", list, "--symmetrise", "--report", page}).code == 0);
    CHECK(read_text_file(page).find("<title>4: component of 3</title>") != std::string::npos);

    auto const words = folder.write("words.txt", "7000000000 beta\nbeta 12\n");
    auto const names = folder / "names.txt";
    auto const [levels, output_json] =
        answer_of(folder, words, {"bfs", "--renumber", "--source", "beta", "--mapping", names});
    CHECK(levels == "-1 0 1");
    CHECK(output_json["source"] == "beta");
    CHECK(read_text_file(names) == "7000000000\nbeta\n12\n");
    auto const absent = run({"bfs", words, "--renumber", "--source", "gamma"});
    CHECK(absent.code == 2);
    CHECK(absent.err.find("has no vertex of that name") != std::string::npos);
    CHECK(run({"bfs", list, "--mapping", names}).code == 2);
}

TEST_CASE("graph algorithms: names of a JSON graph that differ by their quotation marks alone") {
    scratch_folder const folder;
    auto const graph = folder.write("g.json", R"({"nodes": [{"id": "a"}, {"id": 1}, {"id": "1"}], "edges": [
        {"source": "a", "target": 1, "weight": 2}, {"source": 1, "target": "1", "weight": 3}]})");
    auto const output = folder / "d.csv";
    CHECK(run({"sssp", graph, "-o", output}).code == 0);
    CHECK(read_text_file(output) == "vertex,value\na,0\n1,2\n\"\"\"1\"\"\",5\n");
    CHECK(run({"sssp", graph, "--source", "\"1\"", "-o", output}).code == 0);
    CHECK(read_text_file(output) == "vertex,value\na,5\n1,3\n\"\"\"1\"\"\",0\n");
}

TEST_CASE("graph algorithms: named columns, and results as tables with the names of vertices") {
    scratch_folder const folder;
    auto const table = folder.write("flights.csv", "carrier,from,to,hours\nX,\"Rome, FCO\",Oslo,3\nY,Oslo,Bern,2.5\n"
                                                   "X,\"Rome, FCO\",Bern,9\nZ,Nome,Nome,1\n");
    std::vector<std::string> const named{table, "--columns", "from,to,hours", "--renumber", "-q"};
    auto const found = [&](std::vector<std::string> arguments, std::string const& output) {
        arguments.insert(arguments.end(), named.begin(), named.end());
        arguments.insert(arguments.end(), {"-o", folder / output});
        auto const r = run(arguments);
        CAPTURE(r.err);
        REQUIRE(r.code == 0);
        return read_text_file(folder / output);
    };
    CHECK(found({"sssp", "--source", "Rome, FCO"}, "d.csv") ==
          "vertex,value\n\"Rome, FCO\",0\nOslo,3\nBern,5.5\nNome,inf\n");
    CHECK(found({"components", "--symmetrise"}, "c.tsv") ==
          "vertex\tvalue\nRome, FCO\tRome, FCO\nOslo\tRome, FCO\nBern\tRome, FCO\nNome\tNome\n");
    CHECK(found({"mst", "--symmetrise"}, "m.csv") == "source,target,value\n\"Rome, FCO\",Oslo,3\nOslo,Bern,2.5\n");
    CHECK(found({"maximal-matching", "--symmetrise"}, "p.csv").find("Nome,\n") != std::string::npos); // no mate
    CHECK(found({"random-walks", "--length", "2"}, "w.csv").find("Oslo,Oslo,Bern,\n") != std::string::npos);
    found({"sssp", "--source", "Oslo"}, "d.csv.gz");
    CHECK(shell(fs::path(table).parent_path().string(), "gzip -dc d.csv.gz").out ==
          "vertex,value\n\"Rome, FCO\",inf\nOslo,0\nBern,2.5\nNome,inf\n");
    // Without --renumber vertices have the numbers of the file.
    auto const numbers = folder.write("n.mtx", banner + "general\n3 3 2\n1 2 5\n2 3 1\n");
    REQUIRE(run({"sssp", numbers, "-q", "-o", folder / "n.csv"}).code == 0);
    CHECK(read_text_file(folder / "n.csv") == "vertex,value\n1,0\n2,5\n3,6\n");
    // Names that could be read as something else are quoted, and the table is read again.
    auto const odd = folder.write("odd.json", R"({"nodes": [{"id": "a\nb"}, {"id": "c\rd"}, {"id": "\tu"}],
        "edges": [{"source": "a\nb", "target": "c\rd"}, {"source": "c\rd", "target": "\tu"}]})");
    REQUIRE(run({"bfs", odd, "-q", "-o", folder / "odd.csv"}).code == 0);
    CHECK(read_text_file(folder / "odd.csv") == "vertex,value\n\"a\nb\",0\n\"c\rd\",1\n\"\tu\",2\n");
    auto const tags = folder.write("tags.csv", "a,b\nx,#y\n\"#y\",%z\n\"%z\",//w\n\"//w\", x\n");
    REQUIRE(run({"mst", tags, "--renumber", "--symmetrise", "--columns", "a,b", "-q", "-o", folder / "m.csv"}).code ==
            0);
    std::vector<std::string> const again{"components",   folder / "m.csv", "--renumber",
                                         "--symmetrise", "--columns",      "source,target",
                                         "-q",           "--mapping",      folder / "names"};
    REQUIRE(run(again).code == 0);
    CHECK(read_text_file(folder / "names") == "x\n#y\n//w\n%z\n");

    for (auto const& [columns, words] : {std::pair<std::string, std::string>{"from", "two or three columns"},
                                         {"from,to,hours,x", "two or three columns"},
                                         {"from,,hours", "two or three columns"}}) {
        auto const r = run({"bfs", table, "--columns", columns, "--renumber"});
        CHECK(r.code == 2);
        CHECK(r.err.find(words) != std::string::npos);
    }
    CHECK(run({"bfs", "generate:rmat,scale=4", "--columns", "a,b"}).code == 2);
    auto const absent = run({"bfs", table, "--columns", "from,too", "--renumber"});
    CHECK(absent.code == 3);
    CHECK(absent.err.find("no column 'too'") != std::string::npos);
}

TEST_CASE("other commands number rows as in the file, too") {
    scratch_folder const folder;
    auto const list = folder.write("list.txt", "0 1 3\n1 0 3\n1 2 1\n2 1 1\n3 3 1\n");
    auto const out = folder / "out.mtx";
    REQUIRE(run({"spmv", list, "--semiring", "arg-max", "-o", out, "-q"}).code == 0);
    CHECK(numbers(out) == "1 0 1 3"); // the column of the largest entry of each row
    REQUIRE(run({"forest", list, "-o", out, "-q"}).code == 0);
    auto const plain = numbers(out);
    std::istringstream each(plain);
    std::vector<int> permutation{std::istream_iterator<int>(each), {}};
    std::sort(permutation.begin(), permutation.end());
    CHECK(permutation == std::vector<int>{0, 1, 2, 3});
    REQUIRE(run({"forest", list, "-o", out + ".gz", "-q"}).code == 0); // compressed once
    CHECK(shell(fs::path(out).parent_path().string(), "gzip -dc out.mtx.gz").out == read_text_file(out));
    auto const nan = run({"spmv", folder.write("nan.txt", "0 1 3\n1 0 nan\n"), "-q"});
    CHECK(nan.code == 3);
    CHECK(nan.err.find("row 1, column 0") != std::string::npos);
}

TEST_CASE("graph algorithms document their use of values; matchings maximise magnitudes or values") {
    scratch_folder const folder;
    auto const negative = folder.write("negative.txt", "0 1 -5\n1 2 3\n2 3 -1\n");
    auto const [pairs, output_json] = answer_of(folder, negative, {"matching", "--symmetrise"});
    CHECK(pairs == "1 0 3 2"); // 5 + 1
    CHECK(output_json["weight"] == 6);
    CHECK(output_json["weights"] == "magnitudes");
    auto const [usual, of_values] = answer_of(folder, negative, {"matching", "--symmetrise", "--by-value"});
    CHECK(usual == "-1 2 1 -1");
    CHECK(of_values["weight"] == 3);
    CHECK(of_values["weights"] == "values");
    CHECK(answer_of(folder, negative, {"b-matching", "--symmetrise", "--by-value"}).second["weight"] == 3);
    CHECK(run({"matching", negative, "--symmetrise"}).out.find("sum of |value|") != std::string::npos);
    for (std::string const name : {"pagerank", "katz", "eigenvector", "hits", "betweenness", "closeness"}) {
        CAPTURE(name);
        CHECK(run({name, "--help"}).out.find("not used") != std::string::npos);
        auto const r = run({name, negative, "--max-iterations", "1000"});
        auto const shown = name == "betweenness" || name == "closeness" ? run({name, negative}) : r;
        CHECK(shown.out.find("not used") != std::string::npos);
    }
}
