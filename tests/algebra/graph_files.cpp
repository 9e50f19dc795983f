// SPDX-License-Identifier: BSD-3-Clause
// Graph files of METIS and of the GAP benchmark suite: written by hand, malformed, damaged.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <coppice/core/error.hpp>
#include <coppice/matrix_file.hpp>

#include "support/temporary_folder.hpp"

using namespace coppice;

namespace {

struct entry {
    int row, column;
    double value;
    bool operator==(entry const&) const = default;
};
using entries = std::vector<entry>;

entries read(test::temporary_folder const& folder, std::string const& name, std::string const& text, int& vertices) {
    auto const a = read_matrix<double>(host_executor{1}, folder.file(name, text));
    vertices = a.rows();
    CHECK(a.rows() == a.columns());
    entries all;
    for (int i = 0; i < a.rows(); ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            all.push_back({i, a.column_indices()[k], a.values()[k]});
    return all;
}
std::string fault(test::temporary_folder const& folder, std::string const& name, std::string const& text) {
    try {
        read_matrix<double>(host_executor{1}, folder.file(name, text));
    } catch (format_error const& e) {
        return e.what();
    }
    return "accepted";
}

template <class N>
std::string bytes_of(N x) {
    std::string s(sizeof(N), '\0');
    std::memcpy(s.data(), &x, sizeof(N));
    return s;
}
template <class N>
std::string bytes_of(std::vector<N> const& all) {
    std::string s;
    for (N const x : all) s += bytes_of(x);
    return s;
}
std::string gap_file(char directed, std::int64_t stored, std::int64_t vertices,
                     std::vector<std::int64_t> const& offsets, std::vector<std::int32_t> const& numbers) {
    return std::string(1, directed) + bytes_of(stored) + bytes_of(vertices) + bytes_of(offsets) + bytes_of(numbers);
}

} // namespace

TEST_CASE("METIS graphs: comments, empty lines, weights of all kinds") {
    test::temporary_folder const folder;
    int vertices = 0;
    // A triangle 1 2 3 and the isolated vertex 4.
    entries const triangle{{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {1, 2, 1}, {2, 0, 1}, {2, 1, 1}};
    CHECK(read(folder, "a.graph", "% of a triangle\n4 3\n2 3\n% and on\n3 1\n1 2\n\n", vertices) == triangle);
    CHECK(vertices == 4);
    CHECK(read(folder, "a.metis", "\n4 3 0\r\n2 3\r\n1 3\r\n1 2\r\n\r\n\n% over\n", vertices) == triangle);
    entries const weighted{{0, 1, 5}, {1, 0, 5}, {1, 2, 0.5}, {2, 1, 0.5}};
    CHECK(read(folder, "w.graph", "3 2 001\n2 5\n1 5 3 .5\n2 0.5", vertices) == weighted);
    CHECK(read(folder, "w.graph", "3 2 1\n2 5\n1 5 3 .5\n2 0.5\n", vertices) == weighted);
    // Sizes and two weights per vertex precede its edges.
    CHECK(read(folder, "w.graph", "3 2 111 2\n9 8 7 2 5\n9 8 7 1 5 3 .5\n9 8 7 2 .5\n", vertices) == weighted);
    CHECK(read(folder, "v.graph", "2 1 10\n7 2\n8 1\n", vertices) == entries{{0, 1, 1}, {1, 0, 1}});
    CHECK(read(folder, "0.graph", "0 0\n", vertices).empty());
    CHECK(vertices == 0);
}

TEST_CASE("METIS graphs: errors are reported with their line") {
    test::temporary_folder const folder;
    struct {
        char const* text;
        char const* message;
    } const all[] = {
        {"", "f.graph: the file is empty"},
        {"% nothing\n", "the file ends"},
        {"3\n", ":1: expected a number of edges, found the end of the line"},
        {"-1 0\n", ":1: a number of vertices '-1' is outside 0"},
        {"x 0\n", ":1: expected a number of vertices, found 'x'"},
        {"2 1 2\n2\n1\n", ":1: the format '2' is not a format"},
        {"2 1 0 0 5\n2\n1\n", ":1: the first line has more than"},
        {"2 1000000000000\n2\n1\n", "more than a file of"},
        {"99999999999999 1\n2\n1\n", ":1: a matrix of 99999999999999 x 99999999999999 is too large"},
        {"2 1\n3\n1\n", ":2: a neighbour '3' is outside 1 to 2"},
        {"2 1\n0\n1\n", ":2: a neighbour '0' is outside 1 to 2"},
        {"2 1\n99999999999999999999\n1\n", ":2: a neighbour '99999999999999999999' is outside"},
        {"2 1\n1\n1\n", ":2: vertex 1 is its own neighbour"},
        {"2 1\n2.5\n1\n", ":2: expected a neighbour, found '2.5'"},
        {"2 1 1\n2\n1 1\n", ":2: the weight of the last edge is missing"},
        {"2 1 1\n2 heavy\n1 1\n", ":2: expected the weight of an edge, found 'heavy'"},
        {"2 1 10\n\n1\n", ":2: expected a weight of the vertex, found the end of the line"},
        {"3 1\n2\n1\n", "the file ends after 2 of 3 vertices"},
        {"2 1\n2\n1\n1\n", ":4: there are lines after the last of 2 vertices"},
        {"2 1\n2 2\n1\n", ":3: more than the 1 edges"},
        {"2 2\n2\n1\n", "declares 2 edges, which are 4 neighbours, and there are 2"},
        {"3 1\n2 3\n\n\n", "an edge is listed at one of its vertices only"},
        {"2 1 1\n2 5\n1 6\n", "with different weights at the two"},
    };
    for (auto const& one : all) {
        CAPTURE(one.text);
        auto const said = fault(folder, "f.graph", one.text);
        CAPTURE(said);
        CHECK(said.find(one.message) != std::string::npos);
    }
}

TEST_CASE("GAP graphs: both directions, weights, and malformed files") {
    test::temporary_folder const folder;
    int vertices = 0;
    auto const path = gap_file(0, 4, 3, {0, 1, 3, 4}, {1, 2, 0, 1});
    CHECK(read(folder, "p.sg", path, vertices) == entries{{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}});
    CHECK(vertices == 3);
    auto const directed_graph = gap_file(1, 2, 3, {0, 1, 2, 2}, {1, 2}) +
                                bytes_of(std::vector<std::int64_t>{0, 0, 1, 2}) +
                                bytes_of(std::vector<std::int32_t>{0, 1});
    CHECK(read(folder, "d.sg", directed_graph, vertices) == entries{{0, 1, 1}, {1, 2, 1}});
    auto const weighted = gap_file(0, 2, 2, {0, 1, 2}, {1, 7, 0, -7});
    CHECK(read(folder, "w.wsg", weighted, vertices) == entries{{0, 1, 7}, {1, 0, -7}});
    CHECK(read(folder, "0.sg", gap_file(0, 0, 0, {0}, {}), vertices).empty());

    CHECK(fault(folder, "f.sg", path.substr(0, 20)).find("ends within its head") != std::string::npos);
    CHECK(fault(folder, "f.sg", gap_file(2, 0, 0, {0}, {})).find("first byte must be 0") != std::string::npos);
    CHECK(fault(folder, "f.sg", path + "x").find("takes 65 bytes, and the file has 66") != std::string::npos);
    CHECK(fault(folder, "f.wsg", path).find("takes 81 bytes, and the file has 65") != std::string::npos);
    CHECK(fault(folder, "f.sg", gap_file(0, -4, 3, {0, 1, 3, 4}, {1, 2, 0, 1})).find("does not hold") !=
          std::string::npos);
    CHECK(fault(folder, "f.sg", gap_file(0, 4, INT64_MAX, {0, 1, 3, 4}, {1, 2, 0, 1})).find("does not hold") !=
          std::string::npos);
    CHECK(fault(folder, "f.sg", gap_file(0, 4, 3, {0, 3, 1, 4}, {1, 2, 0, 1})).find("do not increase") !=
          std::string::npos);
    CHECK(fault(folder, "f.sg", gap_file(0, 4, 3, {0, 9, 9, 4}, {1, 2, 0, 1})).find("do not increase") !=
          std::string::npos);
    CHECK(fault(folder, "f.sg", gap_file(0, 4, 3, {1, 1, 3, 4}, {1, 2, 0, 1})).find("expected 0 to 4") !=
          std::string::npos);
    CHECK(fault(folder, "f.sg", gap_file(0, 4, 3, {0, 1, 3, 4}, {1, 2, 3, 1})).find("neighbour 3 of vertex 1") !=
          std::string::npos);
}

TEST_CASE("damaged METIS and GAP graphs are read or rejected") {
    test::temporary_folder const folder;
    std::string const texts[] = {"% a comment\n4 3 1\n2 5 3 1\n1 5 3 2\n1 1 2 2\n\n",
                                 gap_file(0, 4, 3, {0, 1, 3, 4}, {1, 2, 0, 1}),
                                 gap_file(0, 2, 2, {0, 1, 2}, {1, 7, 0, 7})};
    char const* const names[] = {"m.graph", "m.sg", "m.wsg"};
    std::string const letters = "0123456789 -+.e%\n\t\r\xff\x01" + std::string(1, '\0');
    std::mt19937 random(5);
    int accepted = 0, refused = 0;
    for (std::size_t turn = 0; turn < 900; ++turn) {
        auto text = texts[turn % 3];
        auto const at = random() % text.size();
        switch (random() % 4) {
        case 0:
            text.resize(at);
            break;
        case 1:
            text.erase(at, 1 + random() % 8);
            break;
        case 2:
            text.insert(at, 1, letters[random() % letters.size()]);
            break;
        default:
            text[at] = letters[random() % letters.size()];
        }
        try {
            auto const a = read_matrix<double>(host_executor{1}, folder.file(names[turn % 3], text));
            ++accepted;
            bool inside = a.row_offsets()[a.rows()] == a.nonzeros();
            for (auto const column : a.column_indices()) inside = inside && column >= 0 && column < a.columns();
            CHECK(inside);
        } catch (error const&) { // any other exception fails the test
            ++refused;
        }
    }
    CHECK(accepted > 20);
    CHECK(refused > 200);
}

TEST_CASE("graphs of NetworkX: ids of all kinds, order of members, parallel edges, loops") {
    test::temporary_folder const folder;
    int vertices = 0;
    // Output of NetworkX 3.4 for a path b - 7 - (1, 2) with a self-loop at b; "edges" was "links" before 3.4.
    std::string const nodes = R"("nodes": [{"colour": {"r": [1]}, "id": "b"}, {"id": 7}, {"id": [1, 2]}, {"id": "7"}])";
    std::string const edges = R"([{"source": "b", "target": 7}, {"weight": 2.5, "source": 7, "target": [1, 2]},
        {"source": "b", "target": "b", "weight": -3, "key": 0, "nested": {"weight": 8}}])";
    entries const both{{0, 0, -3}, {0, 1, 1}, {1, 0, 1}, {1, 2, 2.5}, {2, 1, 2.5}};
    for (std::string const name : {"edges", "links"}) {
        CHECK(read(folder, "a.json",
                   R"({"directed": false, "multigraph": false, "graph": {"nodes": [1], "edges": 2}, )" + nodes +
                       ", \"" + name + "\": " + edges + "}",
                   vertices) == both);
        CHECK(vertices == 4);
        CHECK(read(folder, "any.name", "\n {\"" + name + "\": " + edges + ", " + nodes + "}", vertices) == both);
    }
    CHECK(read(folder, "a.json", "{\"directed\": true, \"links\": " + edges + ", " + nodes + "}", vertices) ==
          entries{{0, 0, -3}, {0, 1, 1}, {1, 2, 2.5}});
    CHECK(read(folder, "a.json",
               R"({"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 1, "target": 0, "key": 0},
                  {"source": 0, "target": 1, "key": 1, "weight": 4}]})",
               vertices) == entries{{0, 1, 5}, {1, 0, 5}});
    CHECK(read(folder, "a.json", R"({"nodes": [], "edges": []})", vertices).empty());
    CHECK(vertices == 0);
    // Equal numbers are the same node, as in Python; integers that double represents are weights.
    CHECK(read(folder, "a.json",
               R"({"directed": true, "nodes": [{"id": 0}, {"id": true}, {"id": [1, 2.0]}, {"id": "1"}], "edges": [
                  {"source": -0.0, "target": 1, "weight": 9007199254740992},
                  {"source": 1.0, "target": [true, 2], "weight": -9007199254740994},
                  {"source": false, "target": "1", "weight": 9223372036854775808}]})",
               vertices) == entries{{0, 1, 0x1p53}, {0, 3, 0x1p63}, {1, 2, -0x1p53 - 2}});
}

TEST_CASE("graphs of NetworkX: errors are reported") {
    test::temporary_folder const folder;
    struct {
        char const* text;
        char const* message;
    } const all[] = {
        {"", "a.json: the file is empty"},
        {" \n", "a.json: the file is empty except for blanks"},
        {"[]", "expected an object"},
        {"3", "expected an object"},
        {"{\"nodes\": [],\n\"edges\": [}", ":2: not JSON"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 0, \"weight\": nan}]}", "not JSON"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 0, \"weight\": \"3\"}]}",
         "is \"3\", expected a number without quotes"},
        {"{\"nodes\": [], \"edges\": []} x", "not JSON"},
        {"{}", "no list \"nodes\""},
        {"{\"nodes\": []}", "no list \"edges\" (or \"links\")"},
        {"{\"nodes\": {}, \"edges\": []}", "\"nodes\" is not a list"},
        {"{\"nodes\": 4, \"edges\": []}", "\"nodes\" is not a list"},
        {"{\"nodes\": [4], \"edges\": []}", "number 0 of \"nodes\" is not an object"},
        {"{\"nodes\": [{\"id\": 0}, [4]], \"edges\": []}", "number 1 of \"nodes\" is not an object"},
        {"{\"nodes\": [{\"name\": 0}], \"edges\": []}", "number 0 of \"nodes\" has no \"id\""},
        {"{\"nodes\": [{\"id\": 0}, {\"id\": 0}], \"edges\": []}", "node 0 is listed twice"},
        {"{\"nodes\": [{\"id\": true}, {\"id\": 1.0}], \"edges\": []}", "node 1 is listed twice"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 0, \"weight\": 9007199254740993}]}",
         "number 0 of \"edges\" is 9007199254740993, an integer that double does not represent exactly"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 0, \"weight\": -9223372036854775807}]}",
         "does not represent exactly"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 0, \"weight\": 18446744073709551615}]}",
         "does not represent exactly"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 0, \"weight\": "
         "100000000000000000000000}]}",
         "does not represent exactly"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0}]}", "number 0 of \"edges\" has no \"target\""},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": \"0\"}]}",
         "node \"0\", which is not listed"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 0, \"weight\": null}]}",
         "is null, expected"},
        {"{\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 0, \"weight\": 1e999}]}", "not JSON"},
        {"{\"nodes\": [], \"edges\": [], \"links\": []}", "a second list of edges"},
        {"{\"directed\": 1, \"nodes\": [], \"edges\": []}", "\"directed\" is neither"},
    };
    for (auto const& [text, message] : all) {
        auto const& case_text = text;
        CAPTURE(case_text);
        auto const& case_message = message;
        CAPTURE(case_message);
        auto const said = fault(folder, "a.json", text);
        CAPTURE(said);
        CHECK(said.find(message) != said.npos);
    }
    auto const wide =
        folder.file("a.json", R"({"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 0, "weight": 1e200}]})");
    CHECK_THROWS_AS(read_matrix<float>(host_executor{1}, wide), format_error);
    CHECK(read_matrix<double>(host_executor{1}, wide).values()[0] == 1e200);
}

TEST_CASE("graphs of NetworkX: damaged texts are read or rejected, nothing else") {
    test::temporary_folder const folder;
    std::string const good = R"({"directed": true, "graph": {"a": [1, {}]}, "nodes": [{"id": 0}, {"id": "x"}],
        "edges": [{"source": 0, "target": "x", "weight": 2}, {"source": "x", "target": 0}]})";
    std::mt19937 random(7);
    for (int k = 0; k < 600; ++k) {
        std::string text = good;
        std::size_t const at = random() % text.size();
        switch (k % 3) {
        case 0:
            text.resize(at);
            break;
        case 1:
            text[at] = static_cast<char>(random());
            break;
        default:
            text.erase(at, 1 + random() % 9);
        }
        CHECK_NOTHROW(fault(folder, "a.json", text));
    }
    std::string const deep(200000, '[');
    CHECK(fault(folder, "a.json", "{\"graph\": " + deep).find("not JSON") != std::string::npos);
}
