// SPDX-License-Identifier: BSD-3-Clause
// --report of the commands for matrices and graphs, drawings of several components, and rankings on the terminal.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "apps/runner.hpp"

using namespace coppice::test;

namespace {

bool holds(std::string const& text, std::string const& substring) { return text.find(substring) != std::string::npos; }

std::string const banner = "%%MatrixMarket matrix coordinate real symmetric\n";

/// Runs a command with --report and returns the page.
std::string page_of(scratch_folder const& folder, std::vector<std::string> arguments) {
    auto const path = folder / "r.html";
    arguments.insert(arguments.end(), {"--report", path, "--backend", "host", "--quiet"});
    auto const r = run(arguments);
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    auto const page = read_text_file(path);
    CHECK(page.rfind("<!doctype html>", 0) == 0);
    for (std::string const reference : {"http:", "https:", "<script ", "<link", "@import", "url("})
        CHECK_MESSAGE(!holds(page, reference), reference);
    return page;
}

/// Values of an attribute of all circles of a picture.
std::vector<double> attributes(std::string const& picture, std::string const& name) {
    std::vector<double> values;
    for (auto at = picture.find("<circle"); at != std::string::npos; at = picture.find("<circle", at + 1)) {
        auto const value = picture.find(name + "='", at) + name.size() + 2;
        values.push_back(std::strtod(picture.c_str() + value, nullptr));
    }
    return values;
}

} // namespace

TEST_CASE("reports of info, generate and multiply show the pattern and the rows") {
    scratch_folder const folder;
    auto const problem = std::string("generate:laplace2d,nx=6"); // 4 corners, 16 points of the border, 16 inside
    for (auto const& page : {page_of(folder, {"info", problem}),
                             page_of(folder, {"generate", "laplace2d", "--nx", "6", "-o", folder / "a.mtx"})}) {
        CHECK(holds(page, "36 x 36, 156 nonzeros"));
        CHECK(holds(page, "id=pattern"));
        CHECK(holds(page, "data:image/png;base64,"));
        CHECK(holds(page, "id=drawing"));
        CHECK(holds(page, "<title>2: 4</title>")); // degrees without the diagonal
        CHECK(holds(page, "<title>3–4: 32</title>"));
    }
    auto const product = page_of(folder, {"multiply", problem, problem});
    CHECK(holds(product, "id=pattern"));
    CHECK(holds(product, "<td>semiring<td>plus-times"));
    auto const wide = folder.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 5 2\n1 5 1\n2 2 1\n");
    CHECK(!holds(page_of(folder, {"info", wide}), "id=drawing"));
    auto const empty = folder.write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    CHECK(!holds(page_of(folder, {"info", empty}), "id=pattern"));
}

TEST_CASE("reports of factor and forest: selected edges, path lengths, both orders, a drawing") {
    scratch_folder const folder;
    auto const path = folder.write("path.mtx", banner + "4 4 3\n2 1 1\n3 2 5\n4 3 2\n");
    auto const factor = page_of(folder, {"factor", path, "--degree", "1", "--method", "greedy"});
    CHECK(holds(factor, "<title>0: 2</title>")); // only the edge 2 - 3 of weight 5
    CHECK(holds(factor, "<title>1: 2</title>"));
    CHECK(holds(factor, "stroke='#0b5cad'"));
    auto const forest = page_of(folder, {"forest", path});
    CHECK(holds(forest, "1 path over 4 rows; the longest has 4 rows."));
    for (std::string const substring : {"id=forest", "id=pattern", "Forest order", "id=drawing", "Path lengths"})
        CHECK_MESSAGE(holds(forest, substring), substring);
}

TEST_CASE("the degree of a vertex does not count the diagonal") {
    scratch_folder const folder;
    auto const loops = folder.write("loops.mtx", banner + "3 3 4\n1 1 1\n2 2 1\n2 1 1\n3 3 1\n");
    auto const page = page_of(folder, {"components", loops});
    CHECK(holds(page, "<title>0: 1</title>"));
    CHECK(holds(page, "<title>1: 2</title>"));
    CHECK(!holds(page.substr(0, page.find("id=found")), "<title>2: "));
}

TEST_CASE("components of a drawing are side by side") {
    scratch_folder const folder;
    std::string text = banner + "23 23 20\n"; // a cycle of 10, one of 6, a path of 5, two vertices without edges
    for (int v = 1; v <= 10; ++v) text += std::to_string(v % 10 + 1) + " " + std::to_string(v) + " 1\n";
    for (int v = 0; v < 6; ++v) text += std::to_string(11 + (v + 1) % 6) + " " + std::to_string(11 + v) + " 1\n";
    for (int v = 17; v < 21; ++v) text += std::to_string(v + 1) + " " + std::to_string(v) + " 1\n";
    auto const sorted = [&] { // lower triangle
        std::istringstream lines(text);
        std::string all, line;
        while (std::getline(lines, line)) {
            int i = 0, j = 0;
            if (line[0] != '%' && line.rfind("23", 0) != 0 && std::sscanf(line.c_str(), "%d %d", &i, &j) == 2 && i < j)
                line = std::to_string(j) + " " + std::to_string(i) + " 1";
            all += line + "\n";
        }
        return all;
    }();
    auto const path = folder / "p.svg";
    REQUIRE(run({"components", folder.write("g.mtx", sorted), "--picture", path, "--quiet"}).code == 0);
    auto const picture = read_text_file(path);
    auto const x = attributes(picture, "cx"), y = attributes(picture, "cy");
    REQUIRE(x.size() == 23);
    struct box {
        double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9;
    };
    std::vector<box> boxes;
    for (auto const& [first, last] : {std::pair(0, 10), {10, 16}, {16, 21}, {21, 22}, {22, 23}}) {
        box b;
        for (auto v = std::size_t(first); v < std::size_t(last); ++v)
            b = {std::min(b.x0, x[v]), std::max(b.x1, x[v]), std::min(b.y0, y[v]), std::max(b.y1, y[v])};
        for (auto const& other : boxes) { // a gap of 1, less rounding
            double const across = std::max(b.x0 - other.x1, other.x0 - b.x1),
                         down = std::max(b.y0 - other.y1, other.y0 - b.y1);
            CHECK(std::max(across, down) > 0.95);
        }
        boxes.push_back(b);
    }
    CHECK(std::any_of(boxes.begin() + 1, boxes.end(), [&](box const& b) { return b.x0 > boxes[0].x1; }));
}

TEST_CASE("names with control characters and invalid UTF-8 in drawings and pages") {
    scratch_folder const folder;
    auto const graph = folder.write("a.csv", "a,b\n\xe9t\xe9,x\x01\nx\x01,\xc3\xa9<\n");
    auto const picture = folder / "p.svg";
    auto const page = page_of(folder, {"bfs", graph, "--renumber", "--columns", "a,b", "--picture", picture});
    for (auto const& text : {page, read_text_file(picture)}) {
        CHECK(holds(text, "\\xe9t\\xe9"));
        CHECK(holds(text, "x\\x01"));
        CHECK(holds(text, "\xc3\xa9&lt;"));
        CHECK(!holds(text, "\xe9"));
        CHECK(!holds(text, "\x01"));
    }
}

TEST_CASE("rankings: the ten largest vertices on the terminal and as JSON") {
    scratch_folder const folder;
    std::string star = banner + "13 13 12\n";
    for (int v = 1; v <= 13; ++v)
        if (v != 5) star += std::to_string(std::max(v, 5)) + " " + std::to_string(std::min(v, 5)) + " 1\n";
    auto const graph = folder.write("star.mtx", star);
    for (std::string const command : {"pagerank", "betweenness", "closeness", "katz"}) {
        CAPTURE(command);
        auto const r = run({command, graph, "--backend", "host"});
        REQUIRE(r.code == 0);
        auto const at = r.out.find("\nlargest vertices");
        REQUIRE(at != std::string::npos);
        std::istringstream words(r.out.substr(at + 17));
        int vertex = 0;
        words >> vertex;
        CHECK(vertex == 5); // the centre of the star
        auto const json = run({command, graph, "--backend", "host", "--json", "-"}).json();
        auto const& largest = json["largest_vertices"];
        REQUIRE(largest.size() == 10);
        CHECK(largest[0]["vertex"] == 5);
        CHECK(largest[1]["vertex"] == 1); // among equal values, smaller numbers are first
        for (std::size_t k = 1; k < largest.size(); ++k) CHECK(largest[k]["value"] <= largest[k - 1]["value"]);
    }
    CHECK(!holds(run({"bfs", graph}).out, "largest vertices"));
    auto const names = folder.write("names.txt", "ann bob\nbob cy\nbob dan\n");
    auto const named = run({"pagerank", names, "--renumber", "--symmetrise", "--json", "-"}).json();
    CHECK(named["largest_vertices"][0]["vertex"] == "bob");
}
