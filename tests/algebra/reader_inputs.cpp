// SPDX-License-Identifier: BSD-3-Clause
// Files as written by other programs, options of readers, and limits; compared with entries written by hand.
#include <coppice/matrix_file.hpp>
#include <coppice/matrix_market.hpp>

#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "support/executors.hpp"
#include "support/temporary_folder.hpp"
#include <coppice/core/error.hpp>
#include <coppice/core/files/byte_reader.hpp>

using namespace coppice;
namespace fs = std::filesystem;

namespace {

using entry_list = std::vector<std::tuple<int, int, double>>;

template <class T>
entry_list entries_of(csr<T> const& a) {
    entry_list all;
    for (int i = 0; i < a.rows(); ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            all.emplace_back(i, a.column_indices()[k], a.values()[k]);
    return all;
}

/// Reads `text` from a file with this name.
numbered_matrix<double> read(std::string const& name, std::string const& text, matrix_read_options options = {}) {
    test::temporary_folder const folder;
    return matrix_file(folder.file(name, text), std::move(options)).read_numbered<double>(host_executor{2});
}
entry_list entries_in(std::string const& name, std::string const& text, matrix_read_options options = {}) {
    return entries_of(read(name, text, std::move(options)).matrix);
}

template <class Work>
std::string message_of(Work const& work) {
    try {
        work();
    } catch (error const& e) {
        return e.what();
    }
    return "accepted";
}
std::string fault(std::string const& name, std::string const& text, matrix_read_options options = {}) {
    return message_of([&] { read(name, text, std::move(options)); });
}
bool holds(std::string const& text, std::string const& substring) {
    CAPTURE(text);
    CAPTURE(substring);
    bool const found = text.find(substring) != text.npos;
    CHECK(found);
    return found;
}

std::vector<double> vector_in(std::string const& name, std::string const& bytes, std::int64_t length = -1) {
    test::temporary_folder const folder;
    return read_vector<double>(host_executor{1}, folder.file(name, bytes), {.length = length});
}

template <class N>
std::string npy(std::string const& type, std::string const& shape, std::vector<N> const& values,
                bool by_columns = false) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': " + (by_columns ? "True" : "False") + ", 'shape': " + shape + ", }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\0", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    bytes += header;
    bytes.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(N));
    return bytes;
}

} // namespace

TEST_CASE("entries at the same position are combined by the rule of the caller") {
    std::string const list = "0 1 5\n1 2 7\n0 1 2\n0 1 3\n2 0 -1\n";
    auto const with = [&](duplicates rule) { return entries_in("a.txt", list, {.duplicates = rule}); };
    auto const expected = [](double value) { return entry_list{{0, 1, value}, {1, 2, 7}, {2, 0, -1}}; };
    CHECK(entries_in("a.txt", list) == expected(10));
    CHECK(with(duplicates::sum) == expected(10));
    CHECK(with(duplicates::min) == expected(2));
    CHECK(with(duplicates::max) == expected(5));
    CHECK(with(duplicates::first) == expected(5));
    CHECK(with(duplicates::last) == expected(3));
    CHECK(with(duplicates::count) == entry_list{{0, 1, 3}, {1, 2, 1}, {2, 0, 1}});
    CHECK(with(duplicates::keep) == entry_list{{0, 1, 5}, {0, 1, 2}, {0, 1, 3}, {1, 2, 7}, {2, 0, -1}});
    holds(fault("a.txt", list, {.duplicates = duplicates::refuse}),
          "the entry in row 1, column 2 is stored more than once");
    CHECK(entries_in("a.txt", "0 1 5\n1 0 2\n", {.duplicates = duplicates::refuse}) ==
          entry_list{{0, 1, 5}, {1, 0, 2}});

    // Both directions of an undirected edge, and entries of a Matrix Market file.
    std::string const graph = R"({"directed": false, "multigraph": true, "nodes": [{"id": 0}, {"id": 1}, {"id": 2}],
        "edges": [{"source": 0, "target": 1, "key": 0, "weight": 2}, {"source": 1, "target": 0, "key": 1, "weight": 3},
                  {"source": 1, "target": 2, "key": 0}]})";
    CHECK(entries_in("a.json", graph, {.duplicates = duplicates::min}) ==
          entry_list{{0, 1, 2}, {1, 0, 2}, {1, 2, 1}, {2, 1, 1}});
    CHECK(entries_in("a.json", graph, {.duplicates = duplicates::count}) ==
          entry_list{{0, 1, 2}, {1, 0, 2}, {1, 2, 1}, {2, 1, 1}});
    CHECK(entries_in("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n2 1 4\n1 1 1\n2 1 -4\n",
                     {.duplicates = duplicates::max}) == entry_list{{0, 0, 1}, {0, 1, 4}, {1, 0, 4}});

    for (auto const rule : {duplicates::min, duplicates::max})
        for (auto const* text : {"0 1 nan\n0 1 2\n", "0 1 2\n0 1 nan\n"})
            CHECK(std::isnan(read("a.txt", text, {.duplicates = rule}).matrix.values()[0]));
    test::temporary_folder const folder;
    auto const file = folder.file("a.txt", list);
    CHECK_THROWS_AS(read_matrix<std::complex<double>>(host_executor{1}, file, {.duplicates = duplicates::min}),
                    argument_error);
}

TEST_CASE("edge lists as other programs write them") {
    entry_list const path{{0, 1, 1}, {1, 2, 1}};
    CHECK(entries_in("a.txt", "\xEF\xBB\xBF"
                              "0 1\n1 2\n") == path);
    CHECK(entries_in("a.txt", "0 1 # first\n1 2 % second\n") == path);
    CHECK(entries_in("a.txt", "// comment\n0 1 // first\n1 2\n") == path);
    CHECK(entries_in("a.txt", "source target\n0 1\n1 2\n") == path);
    entry_list const weighted{{0, 1, 2.5}, {1, 2, 1}};
    CHECK(entries_in("a.csv", "source,target,weight\n0,1,2.5\n1,2,1\n") == weighted);
    CHECK(entries_in("a", "Weight, Target, Source\r\n2.5, 1, 0\r\n1, 2, 1\r\n") == weighted);
    CHECK(entries_in("a.txt", "0;1;2.5\n1;2;1\n") == weighted);
    CHECK(entries_in("a.txt", "0,1,2.5 # c\n1 , 2 , 1\n") == weighted);
    CHECK(entries_in("a.csv", "Source,Target,Type,Id,Label,Weight\n0,1,Directed,0,\"a, b\",2.5\n1,2,Directed,1,,1\n") ==
          weighted);
    // KONECT counts from 1; sym: both directions; bip: rows and columns are different vertices.
    CHECK(entries_in("out.a", "% asym unweighted\n% 2 3 3\n1 2\n2 3\n") == path);
    CHECK(entries_in("out.a", "% sym weighted\n1\t2\t2.5\t1190000000\n") == entry_list{{0, 1, 2.5}, {1, 0, 2.5}});
    auto const bipartite = read("out.a", "% bip unweighted\n1 4\n2 1\n").matrix;
    CHECK(bipartite.rows() == 2);
    CHECK(bipartite.columns() == 4);
    CHECK(entries_in("a.txt", "% a comment\n0 1\n1 2\n") == path);

    holds(fault("a.csv", "0,1,2\n1,2\n"), ":2: the weight is missing");
    holds(fault("a.csv", "0,1,2\n1,2,\n"), ":2: the weight is missing");
    holds(fault("a.csv", "0,1\n1,\n"), ":2: expected a vertex, found an empty field");
    holds(fault("a.csv", "0;1;2,5\n"), "expected a weight, found '2,5'; the decimal separator is a point");
    holds(fault("a.csv", "source,target,colour\n0,1,2\n"), "the meaning of column 'colour' is not known");
    holds(fault("a.csv", "source,target\n"), "the file holds no edges");
    holds(fault("a.csv", ""), "a.csv: the file is empty");
    holds(fault("out.a", "% sym unweighted\n0 1\n"), "vertex '0' is 0; vertices count from 1");
    for (auto const name : {"a.txt", "a.csv", "a.mtx", "a.json", "out.a", "a.graph"})
        for (auto const start : {"\xFF\xFE", "\xFE\xFF"}) {
            CAPTURE(name);
            holds(fault(name, start + std::string("0\0 \0", 4)), ":1: the file is encoded as UTF-16");
        }
}

TEST_CASE("numbers of vertices: with gaps, beyond an index, and names") {
    CHECK(read("a.txt", "0 1\n").vertices.base == 0);
    CHECK(read("a.smat", "2 2 1\n0 1 1\n").vertices.base == 0);
    CHECK(read("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n").vertices.base == 1);
    CHECK(read("a.graph", "2 1\n2\n1\n").vertices.base == 1);
    auto const numbers = read("out.a", "% asym unweighted\n1 2\n").vertices;
    CHECK(numbers.name(0) == "1");
    CHECK(numbers.name(-1) == "none");
    CHECK(numbers.find("2", 2) == 1);
    for (auto const* absent : {"0", "3", "", "x", "1x"}) CHECK(numbers.find(absent, 2) == -1);

    // The offsets of rows up to the largest number need more memory than a small file may take.
    auto const gap = fault("a.txt", "0 2000000000\n");
    holds(gap, "2000000001 rows take more than 64 times the memory of a text of 13 bytes");
    holds(gap, "--renumber");
    auto const wide = fault("a.txt", "0 3000000000\n");
    holds(wide, ":1: vertex '3000000000' is outside 0 to 2147483645");
    holds(wide, "--renumber");
    // The field after the comma has a blank: this was read as the edge 0 1, without its weight.
    holds(fault("a.csv", "0,1 2.5\n"), ":1: expected a vertex, found '1 2.5'");
    holds(fault("a.csv", "0,1,2\n0,\"2 3\",1\n"), ":2: expected a vertex, found '2 3'");
    holds(fault("a.csv", "0 1;2;2.5\n"), ":1: expected a vertex, found '0 1'");
    holds(fault("a.txt", "0.0 1.0\n"), "expected a vertex, found '0.0'; vertices are whole numbers");
    holds(fault("a.mtx", "%%MatrixMarket matrix coordinate real general\n2000000000 1 0\n"), "raise max_expansion");

    matrix_read_options const names{.renumber = true};
    auto const sparse = read("a.txt", "7 2000000000\n2000000000 3000000000123\n", names);
    CHECK(entries_of(sparse.matrix) == entry_list{{0, 1, 1}, {1, 2, 1}});
    CHECK(sparse.vertices.names == std::vector<std::string>{"7", "2000000000", "3000000000123"});
    CHECK(sparse.vertices.find("2000000000", 3) == 1);
    auto const people = read("a.csv", "from,to,weight\n\"Smith, Ann\",bob,2\nbob,carol,3\n", names);
    CHECK(entries_of(people.matrix) == entry_list{{0, 1, 2}, {1, 2, 3}});
    CHECK(people.vertices.names == std::vector<std::string>{"Smith, Ann", "bob", "carol"});
    CHECK(read("a.txt", "alice bob\nbob alice\n", names).vertices.names == std::vector<std::string>{"alice", "bob"});
    CHECK(entries_in("a.txt", "0.0 1.0\n1.0 2.0\n", names) == entry_list{{0, 1, 1}, {1, 2, 1}});
    auto const json = read("a.json", R"({"nodes": [{"id": [0, "x"]}, {"id": "b"}, {"id": 7}],
        "edges": [{"source": [0, "x"], "target": "b"}]})");
    CHECK(json.vertices.names == std::vector<std::string>{"[0,\"x\"]", "b", "7"});
}

TEST_CASE("tables of edges: named columns") {
    matrix_read_options const weighted{.columns = {"to stop", "from stop", "minutes"}};
    std::string const table = "line,from stop,to stop,minutes,note\n"
                              "U2,4,9,2.5,\"late, often\"\n"
                              "% 7,9,4,3,a # b\n";
    // '%' begins a comment at the start of a line only.
    CHECK(entries_in("a.csv", table, weighted) == entry_list{{9, 4, 2.5}});
    matrix_read_options const plain{.renumber = true, .columns = {"from stop", "to stop"}};
    auto const by_name = read("a.csv", table, plain);
    CHECK(entries_of(by_name.matrix) == entry_list{{0, 1, 1}});
    CHECK(by_name.vertices.names == std::vector<std::string>{"4", "9"});
    // Separators, quotes that are written twice, and # within a field.
    auto const words = read("a.tsv",
                            "a\tb\tw\n\"Bar \"\"7\"\"\"\tGate # 2\t1\n"
                            "Gate # 2\t\"x\ty\"\t2\n\"x\ty\"\t\"Bar \"\"7\"\"\"\t3\n",
                            {.renumber = true, .columns = {"a", "b", "w"}});
    CHECK(words.vertices.names == std::vector<std::string>{"Bar \"7\"", "Gate # 2", "x\ty"});
    CHECK(entries_of(words.matrix) == entry_list{{0, 1, 1}, {1, 2, 2}, {2, 0, 3}});
    // Empty fields of a table with tabs, as of an index that pandas writes; blanks without a meaning are skipped.
    entry_list const tabs_expected{{4, 9, 2}, {9, 4, 3}};
    CHECK(entries_in("a.tsv", "\tfrom\tto\tw\n0\t4\t9\t2\n1\t9\t4\t3\n", {.columns = {"from", "to", "w"}}) ==
          tabs_expected);
    CHECK(entries_in("a.tsv", "note\tfrom\tmore\tto\tw\n\t4\t\t9\t2\n \t9\tx\t4\t3\n",
                     {.columns = {"from", "to", "w"}}) == tabs_expected);
    CHECK(entries_in("a.txt", " \tfrom to w\n \t4 9 2\n\t9 4 3\n", {.columns = {"from", "to", "w"}}) == tabs_expected);
    // The file may have any name, and a header line of names that the reader does not know.
    CHECK(entries_in("table", "a;b\n0;1\n1;2\n", {.columns = {"a", "b"}}) == entry_list{{0, 1, 1}, {1, 2, 1}});
    std::string many = "c0", row = "0";
    for (int k = 1; k < 100; ++k) many += ",c" + std::to_string(k), row += "," + std::to_string(k);
    CHECK(entries_in("a.csv", many + "\n" + row + "\n", {.columns = {"c90", "c2", "c99"}}) == entry_list{{90, 2, 99}});

    matrix_read_options const plain_columns{.renumber = true, .columns = {"a", "b"}};
    holds(fault("a.csv", table, {.columns = {"from stop", "to"}}),
          ":1: the header line has no column 'to'; it has 'line', 'from stop', 'to stop', 'minutes', 'note'");
    holds(fault("a.csv", "a,b,a\n0,1,2\n", {.columns = {"a", "b"}}), "two columns 'a'");
    holds(fault("a.csv", "a,b\n0,1\n2\n", {.columns = {"a", "b"}}), ":3: expected a vertex, found the end of the line");
    holds(fault("a.csv", "a,b,w\n0,1,\n", {.columns = {"a", "b", "w"}}), ":2: the weight is missing");
    holds(fault("a.csv", "a,b,w\n0,x,\n", {.columns = {"a", "b"}}), "found 'x'");
    holds(fault("a.csv", "a,b\n", {.columns = {"a", "b"}}), "the file holds no edges");
    holds(fault("a.txt", "", {.columns = {"a", "b"}}), "a.txt: the file is empty");
    holds(message_of([&] { read("a.csv", "a,b\n0,1\n", {.columns = {"a", "b", "a"}}); }), "columns names 'a' twice");
    holds(fault("a.graph", "2 1\n2\n1\n", {.columns = {"a", "b"}}),
          "columns are named, but the format of the file is METIS");
    CHECK_THROWS_AS(read("a.csv", table, {.columns = {"line"}}), argument_error);
    // A line break within a field: the next line is not an edge.
    for (std::string const text : {"a,b,note\nx,y,\"one\nu,v,two\"\n", "a;b;note\nx;y;\"one \"\"1\"\"\nu;v;two\"\n"})
        holds(fault("a.csv", text, plain_columns), ":2: a field in double quotes does not end on this line");
    holds(fault("a.csv", "a,b,\"my\nnote,x,y\"\nu,v,w\n", plain_columns), ":1: a field in double quotes does not end");
    holds(fault("a.csv", "x,y\n\"u\nv\",w\n", {.renumber = true}), ":2: a field in double quotes does not end");
    CHECK(read("a.tsv", "a\tb\n5\"\t\"x\n", plain_columns).vertices.names == std::vector<std::string>{"5\"", "\"x"});
}

TEST_CASE("JSON: values that Python writes, and nesting of any depth") {
    auto const weight = [](std::string const& text) {
        return read("a.json", R"({"directed": true, "x": NaN, "nodes": [{"id": "NaN \" Infinity"}], "edges": [)"
                              R"({"source": "NaN \" Infinity", "target": "NaN \" Infinity", "weight": )" +
                                  text + "}]}")
            .matrix.values()[0];
    };
    CHECK(std::isnan(weight("NaN")));
    CHECK(weight("Infinity") == std::numeric_limits<double>::infinity());
    CHECK(weight("-Infinity") == -std::numeric_limits<double>::infinity());
    CHECK(weight("-2.5e3") == -2500);
    for (int const depth : {10, 70, 100000}) {
        CAPTURE(depth);
        std::string const deep = std::string(std::size_t(depth), '[') + std::string(std::size_t(depth), ']');
        // As an attribute it is skipped; as an id its depth is limited.
        CHECK(entries_in("a.json", R"({"nodes": [{"id": 0, "x": )" + deep + R"(}], "edges": []})").empty());
        CHECK(entries_in("a.json", R"({"graph": )" + deep + R"(, "nodes": [], "edges": []})").empty());
        auto const id = fault("a.json", R"({"nodes": [{"id": )" + deep + R"(}], "edges": []})");
        if (depth > 64)
            holds(id, "an id in number 0 of \"nodes\" is nested more than 64 deep");
        else
            CHECK(id == "accepted");
    }
}

TEST_CASE("METIS: a format of any length is rejected without arithmetic") {
    holds(fault("a.graph", "3 2 1" + std::string(90, '1') + " 2\n2\n1 3\n2\n"),
          "is not a format: expected up to three digits");
}

TEST_CASE("Matrix Market as other programs write it") {
    CHECK(entries_in("a.mtx",
                     "%%MatrixMarket matrix coordinate unsigned-integer general\n%\n2 2 2\n1 1 65535\n"
                     "2 2 18446744073709551616\n") == entry_list{{0, 0, 65535}, {1, 1, 18446744073709551616.0}});
    entry_list const path{{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}};
    for (auto const* name : {"a.mtx", "a"})
        CHECK(entries_in(name, "%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n") == path);
    CHECK(entries_in("a.mtx", "\xEF\xBB\xBF%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n") ==
          entry_list{{0, 0, 2}});
    CHECK(entries_in("a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 3\n1 1 0\n2 2 0\n2 1 4\n") ==
          entry_list{{0, 0, 0}, {0, 1, -4}, {1, 0, 4}, {1, 1, 0}});
    holds(fault("a.mtx", "%%MatrixMarket matrix coordinate integer hermitian\n2 2 1\n2 1 1\n"), "write symmetric");
    holds(fault("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"), "exchange row and column");
    holds(fault("a.mtx", "%%MatrixMarket matrix coordinate real general\n%%AMGX 1 1 rhs\n1 1 1\n1 1 4\n1\n"),
          "the line %%AMGX announces");
    holds(fault("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4 % four\n"),
          "a comment must be a separate line");
}

TEST_CASE("vectors in plain text and arrays of NumPy") {
    std::vector<double> const three{1, -2.5, 3};
    for (auto const* text :
         {"1\n-2.5\n3\n", "# x\n1\n\n-2.5 # second\n3", "1 -2.5 3\n", "1, -2.5, 3\n", "1;-2.5;3\r\n"})
        CHECK(vector_in("b.txt", text) == three);
    CHECK(std::isinf(vector_in("b.txt", "inf\n1D2\n")[0]));
    CHECK(vector_in("b.npy", npy<double>("<f8", "(3,)", three)) == three);
    CHECK(vector_in("b.npy", npy<double>("<f8", "(3, 1)", three), 3) == three);
    CHECK(vector_in("b.npy", npy<double>("<f8", "(1, 3)", three), 3) == three);
    CHECK(vector_in("b.npy", npy<float>("<f4", "(3,)", {1, -2.5F, 3})) == three);
    CHECK(vector_in("b.npy", npy<std::int32_t>("<i4", "(2,)", {7, -8})) == std::vector<double>{7, -8});
    CHECK(vector_in("b.npy", npy<std::uint64_t>("<u8", "(1,)", {std::uint64_t(1) << 63})) ==
          std::vector<double>{9223372036854775808.0});
    CHECK(vector_in("b.npy", npy<unsigned char>("|b1", "(2,)", {1, 0})) == std::vector<double>{1, 0});
    CHECK(vector_in("b.npy", npy<std::int8_t>("|i1", "(2,)", {127, -128})) == std::vector<double>{127, -128});
    CHECK(vector_in("b.npy", npy<std::uint8_t>("|u1", "(2,)", {255, 0})) == std::vector<double>{255, 0});
    CHECK(vector_in("b.npy", npy<std::int16_t>("<i2", "(2,)", {32767, -32768})) == std::vector<double>{32767, -32768});
    CHECK(vector_in("b.npy", npy<std::uint16_t>("<u2", "(1,)", {65535})) == std::vector<double>{65535});
    CHECK(vector_in("b.npy", npy<std::uint32_t>("<u4", "(1,)", {4294967295U})) == std::vector<double>{4294967295.0});
    CHECK(vector_in("b.npy", npy<std::int64_t>("<i8", "(1,)", {-(1LL << 52)})) ==
          std::vector<double>{-4503599627370496.0});

    test::temporary_folder const folder;
    auto const columns = [&](std::string const& name, std::string const& bytes) {
        return read_vectors<double>(host_executor{1}, folder.file(name, bytes), {});
    };
    for (auto const& two :
         {columns("c.csv", "1,4\n2,5\n3,6\n"), columns("c.npy", npy<double>("<f8", "(3, 2)", {1, 4, 2, 5, 3, 6})),
          columns("d.npy", npy<double>("<f8", "(3, 2)", {1, 2, 3, 4, 5, 6}, true))}) {
        CHECK(two.rows == 3);
        CHECK(two.columns == 2);
        CHECK(two.values == std::vector<double>{1, 2, 3, 4, 5, 6});
    }
    using complex = std::complex<double>;
    auto const z = folder.file("z.npy", npy<complex>("<c16", "(2,)", {{1, 2}, {3, -4}}));
    CHECK(is_complex_vector(z));
    CHECK_FALSE(is_complex_vector(folder.file("r.txt", "1\n")));
    CHECK(read_vector<complex>(host_executor{1}, z) == std::vector<complex>{{1, 2}, {3, -4}});
    CHECK_THROWS_AS(read_vector<double>(host_executor{1}, z), format_error);
    using single = std::complex<float>;
    CHECK(read_vector<single>(host_executor{1}, z) == std::vector<single>{{1, 2}, {3, -4}});
    for (auto const& wide : {npy<complex>("<c16", "(2,)", {1, {2, 1e39}}),
                             npy<complex>("<c16", "(2,)", {1, {-1e39, 2}}), npy<double>("<f8", "(2,)", {1, 1e39})})
        holds(message_of([&] { read_vector<single>(host_executor{1}, folder.file("w.npy", wide)); }),
              "element 2 is beyond the range of a 32-bit floating-point number");

    auto const refused = [](std::string const& bytes) { return message_of([&] { vector_in("b", bytes); }); };
    holds(refused("1\ntwo\n"), ":2: expected a number, found 'two'");
    holds(refused("1\n2 3\n"), ":2: the line has 2 numbers, the first one has 1");
    holds(refused(npy<double>(">f8", "(1,)", {1})), "big-endian");
    holds(refused(npy<double>("<f2", "(4,)", {1})), "is not read; write it as");
    holds(refused(npy<double>("|O", "(1,)", {1})), "an array of type '|O' is not read; write it as");
    holds(refused(npy<double>("<f8", "(4000000000000, 4000000000000)", {1})), "longer than the file");
    holds(refused(npy<double>("<f8", "(2,)", {1})), "longer than the file");
    holds(refused(npy<double>("<f8", "(1,)", {1, 2})), "the file has bytes after");
    holds(refused(npy<double>("<f8", "()", {1})), "dimensions");
    holds(refused(std::string("\x93NUMPY\x01\0\xff\xff{", 11)), "ends inside the header");
    CHECK_THROWS_AS(vector_in("b.txt", "1\n2\n", 3), dimension_error);
    std::string const market = "%%MatrixMarket matrix ";
    holds(message_of([&] { columns("e.mtx", market + "coordinate real general\n2 2 1\n1 2 3\n"); }),
          "expected a vector, or several as an array, found a sparse matrix of 2 x 2");
    holds(message_of([&] { columns("f.mtx", market + "array real general\n4294967296 4294967296\n1\n"); }),
          "an array of 4294967296 x 4294967296 has more entries than a 64-bit number can count");
}

TEST_CASE("integers that double does not represent exactly are refused, with their line") {
    std::string const market = "%%MatrixMarket matrix array integer general\n3 1\n", wrong = "9007199254740993",
                      exact = "9007199254740992", says = "an integer that double does not represent exactly";
    auto const vector_fault = [&](std::string const& name, std::string const& bytes) {
        return message_of([&] { vector_in(name, bytes); });
    };
    for (std::string const text : {"-9007199254740993", "+09007199254740993", "18446744073709551615",
                                   "123456789012345678901", "100000000000000000000000"}) {
        holds(fault("a.mtx", market + "1\n" + text + "\n" + wrong + "\n"), "a.mtx:4: value '" + text + "' is " + says);
        holds(fault("a.csv", "0,1,2\n1,0," + text + "\n"), "a.csv:2: the weight '" + text + "' is " + says);
        holds(fault("a.graph", "2 1 1\n2 " + text + "\n1 " + text + "\n"), "a.graph:2: the weight '" + text);
        holds(vector_fault("b.txt", "1\n" + text + "\n"), "b.txt:2: value '" + text + "' is " + says);
        holds(vector_fault("b.mtx", market + "1\n" + text + "\n" + wrong + "\n"), "b.mtx:4: value '" + text);
    }
    auto const rb = "t\n3 1 1 1\nIUA 1 1 1 0\n(2I4) (I4) (I20)\n   1   2\n   1\n";
    holds(fault("a.rb", rb + std::string("    ") + wrong + "\n"), ":7: value '" + wrong + "' is " + says);
    holds(vector_fault("b.npy", npy<std::int64_t>("<i8", "(2,)", {1, -(1LL << 53) - 1})), "element 2 is -" + wrong);
    holds(vector_fault("b.npy", npy<std::uint64_t>("<u8", "(1,)", {UINT64_MAX})), "element 1 is 18446744073709551615");

    for (auto const& [text, value] : {std::pair{exact, 0x1p53},
                                      {"-18446744073709551616", -0x1p64},
                                      {"00012", 12.0},
                                      {"9007199254740994", 0x1p53 + 2},
                                      {"10000000000000000000000", 1e22}}) {
        CHECK(entries_in("a.csv", "0,1," + text + "\n") == entry_list{{0, 1, value}});
        CHECK(vector_in("b.mtx", market + "1\n2\n" + text + "\n") == std::vector<double>{1, 2, value});
    }
    CHECK(vector_in("b.npy", npy<std::int64_t>("<i8", "(3,)", {0, -(1LL << 53), 1LL << 62})) ==
          std::vector<double>{0, -0x1p53, 0x1p62});
    for (auto const* real : {"9007199254740993.", "9007199254740993e0"}) // rounded as other real numbers are
        CHECK(entries_in("a.csv", "0,1," + std::string(real) + "\n") == entry_list{{0, 1, 0x1p53}});
    matrix_read_options const rounded{.inexact_integers = inexact_integers::round};
    CHECK(entries_in("a.csv", "0,1," + wrong + "\n", rounded) == entry_list{{0, 1, 0x1p53}});
    CHECK(entries_in("a.mtx", market + "1\n2\n" + wrong + "\n", rounded).size() == 3);
    CHECK(entries_in("a.rb", rb + std::string("    ") + wrong + "\n", rounded).size() == 1);
    CHECK(entries_in("a.graph", "2 1 1\n2 " + wrong + "\n1 " + wrong + "\n", rounded).size() == 2);
    CHECK(entries_in("a.csv", "0,1," + wrong + "\n", {.duplicates = duplicates::count}) == entry_list{{0, 1, 1}});
    // 24 bits are rounded by the choice of single precision
    test::temporary_folder const folder;
    CHECK(read_vector<float>(host_executor{1}, folder.file("b.txt", "16777217\n"))[0] == 16777216.0F);
    CHECK_THROWS_AS(read_vector<float>(host_executor{1}, folder.file("b.txt", wrong + "\n")), format_error);
}

TEST_CASE("vectors are written as arrays of NumPy") {
    test::temporary_folder const folder;
    host_executor const exec{1};
    auto const path = folder.path() / "x.npy";
    for (std::int64_t const n : {0, 1, 5, 100}) {
        std::vector<double> x;
        for (std::int64_t i = 0; i < n; ++i) x.push_back(0.1 * double(i) - 3);
        write_vector(path, x);
        CHECK(read_vector<double>(exec, path) == x);
        auto const bytes = test::read_bytes(path);
        CHECK(bytes.size() == 128 + 8 * std::size_t(n)); // NumPy aligns the values to 64 bytes
        CHECK(bytes.find("'shape': (" + std::to_string(n) + ", )") != bytes.npos);
    }
    using complex = std::complex<float>;
    std::vector<complex> const z{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
    write_vectors(exec, path, array_view<complex const>(z.data(), 6), 2);
    auto const read = read_vectors<complex>(exec, path);
    CHECK(read.rows == 3);
    CHECK(read.columns == 2);
    CHECK(read.values == z);
}

TEST_CASE("headers of NumPy arrays: both lengths, all versions, missing keys") {
    auto const bytes = npy<double>("<f8", "(1,)", {5});
    auto const version = [&](char number) {
        std::string changed = bytes;
        changed[6] = number;
        return changed;
    };
    std::string longer = bytes; // from version 2 on, the length has four bytes
    longer[6] = 2;
    longer.insert(10, 2, '\0');
    CHECK(vector_in("a.npy", longer) == std::vector<double>{5});
    auto const refused = [](std::string const& text) { return message_of([&] { vector_in("b.npy", text); }); };
    holds(refused(version(9)), "version 9 of .npy is not known");
    holds(refused(version(0)), "version 0 of .npy is not known");
    holds(refused(bytes.substr(0, 11)), "ends inside the header of a NumPy array");
    holds(refused(npy<double>("<f8", "(1", {5})), "the shape in the header of the array is malformed");
    holds(refused(npy<double>("<f8", "(-1,)", {5})), "the shape in the header of the array is malformed");
    holds(refused(npy<double>("<f8", "(1, 1, 1)", {5})), "dimensions; expected one or two");
    for (std::string const key : {"descr", "fortran_order", "shape"}) {
        std::string without = bytes;
        without[without.find(key)] = '_';
        holds(refused(without), "has no " + key);
    }
    for (auto const* type : {"<c4", "<b2", "<i3", "<f16", "<q8", "<f8x", "f8", "<f0"})
        holds(refused(npy<double>(type, "(1,)", {5})), "is not read; write it as");

    test::temporary_folder const folder;
    std::string const market = "%%MatrixMarket matrix array ";
    CHECK(is_complex_vector(folder.file("z.mtx", market + "complex general\n1 1\n1 2\n")));
    CHECK_FALSE(is_complex_vector(folder.file("r.mtx", market + "real general\n1 1\n1\n")));
}

TEST_CASE("values and exponents beyond every range, and forms that a format does not allow") {
    holds(fault("a.graph", "2 1 1\n2 1e999\n1 1e999\n"), ":2: ");
    auto const boeing = [](std::string const& format, std::string const& value) {
        return "title\n4 1 1 2\nrua 2 2 2 0\n(4I4) (4I4) " + format + "\n   1   2   3\n   1   2\n" + value +
               "\n         2.5\n";
    };
    CHECK(entries_in("a.rb", boeing("(1F12.1)", "         1.5")) == entry_list{{0, 0, 1.5}, {1, 1, 2.5}});
    CHECK(entries_in("a.rb", boeing("(1E12.4E3)", "       1.5-3")) == entry_list{{0, 0, 1.5e-3}, {1, 1, 2.5}});
    holds(fault("a.rb", boeing("(1F12.1)", " 1.5+9999999")), "'1.5+9999999'");
    holds(fault("a.rb", boeing("(1F12.1)", "       1.5+x")), "expected a real value, found '1.5+x'");
    holds(fault("a.rb", boeing("(1E12.4E)", "         1.5")), "unknown format '(1E12.4E)'");
    holds(fault("out.a", "% bip unweighted\n1 4\n2 1\n", {.renumber = true}), "read it without renumber");
}

TEST_CASE("names of vertices, and progress of a file") {
    vertex_numbering const numbers{.base = 5}, named{.names = {"Bern", "Oslo"}};
    CHECK(numbers.name(3) == "8");
    CHECK(named.name(1) == "Oslo");
    CHECK(numbers.name(-1) == "none");
    CHECK(named.name(-1) == "none");
    CHECK_THROWS_WITH_AS(numbers.name(-2), doctest::Contains("row -2 has no name"), argument_error);
    CHECK_THROWS_WITH_AS(named.name(2), "row 2 has no name, expected 0 to 2 - 1", argument_error);
    CHECK(numbers.find("8", 4) == 3);
    CHECK(numbers.find("9", 4) == -1);
    CHECK(numbers.find("4", 4) == -1);
    CHECK(numbers.find("8x", 4) == -1);
    CHECK(named.find("Oslo", 2) == 1);
    CHECK(named.find("Rome", 2) == -1);

    std::int64_t done = 0, of = 0;
    std::string const text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n";
    matrix_read_options options;
    options.progress = [&](char const* step, std::int64_t bytes, std::int64_t all) {
        if (std::string(step) == "parsing") done = bytes, of = all;
    };
    CHECK(entries_in("a.mtx", text, options) == entry_list{{0, 0, 3}, {1, 1, 4}});
    CHECK(done > 0);
    CHECK(done <= of);
}

TEST_CASE("numbers beyond every floating-point type are zero or an error, whatever their form") {
    std::string const zeros(5000, '0');
    using texts = std::vector<std::string>;
    for (auto const& tiny : texts{"0." + zeros + "1", "0." + zeros + "1e5", "1e-99999", "1e-99999999999999999999",
                                  "+1e-5000", "." + zeros + "1E+3", "1" + zeros + "e-10000"}) {
        CAPTURE(tiny.substr(0, 20));
        CHECK(vector_in("a.txt", tiny + "\n") == std::vector<double>{0});
        auto const negative = "-" + (tiny.starts_with('+') ? tiny.substr(1) : tiny) + "\n";
        CHECK(std::signbit(vector_in("a.txt", negative)[0]));
    }
    for (auto const& large : texts{"1" + zeros, "1" + zeros + "e-10", "1e99999", "1e99999999999999999999", "-1E+5000",
                                   "0." + zeros + "1e10000"}) {
        CAPTURE(large.substr(0, 20));
        holds(message_of([&] { vector_in("a.txt", large + "\n"); }), "is beyond the range of a 64-bit");
    }
}

TEST_CASE("limits: compressed bombs, endless streams, vectors and rows that a small file declares") {
    test::temporary_folder const folder;
    std::string const zeros(std::size_t(8) << 20, '0');
    std::string bomb;
    for (int k = 0; k < 10; ++k) bomb += gzip_member(zeros);
    auto const file = folder.file("bomb.mtx.gz", bomb);
    auto const message_text = message_of([&] { read_text(file); });
    holds(message_text, "the text is more than 64 times as long as its");
    holds(message_text, "--max-expansion");
    CHECK(read_text(file, SIZE_MAX, {}, {.max_expansion = 0}).view.size() == 10 * zeros.size());
    CHECK(read_text(file, SIZE_MAX, {}, {.max_expansion = 2000}).view.size() == 10 * zeros.size());
    holds(message_of([&] { read_text(file, SIZE_MAX, {}, {.max_expansion = 0, .max_bytes = 1 << 20}); }),
          "the text has more than 1048576 bytes");
    holds(message_of([&] { read_text("/dev/zero", SIZE_MAX, {}, {.max_bytes = 1 << 20}); }), "a stream without end");
    holds(message_of([&] { vector_in("b.mtx", "%%MatrixMarket matrix coordinate real general\n900000000000 1 0\n"); }),
          "raise max_expansion");
    CHECK(largest_text({}) > 0);
    CHECK(largest_text({.max_bytes = 5}) == 5);
}

TEST_CASE("a file that is shortened while it is read is an error") {
    test::temporary_folder const folder;
    auto const file = folder.file("a.txt", std::string(200000, 'x'));
    byte_reader in(file);
    std::vector<char> bytes(200000);
    CHECK(in.read(bytes.data(), 1000) == 1000);
    fs::resize_file(file, 50000);
    auto const message_text = message_of([&] { in.read(bytes.data(), bytes.size()); });
    holds(message_text, "the file was shortened while it was read; it had 200000 bytes and ends after 50000");

    // The same through matrix_file: the progress callback, which is called before the rest of a compressed file is
    // read, shortens the file.
    std::string members;
    for (int k = 0; k < 3000; ++k) members += gzip_member("0 1 " + std::to_string(k * 7919 % 100003) + "\n");
    members += std::string(std::size_t(3) << 20, '\0'); // padding, which is read too
    auto const compressed = folder.file("b.txt.gz", members);
    matrix_read_options options;
    options.progress = [&](char const*, std::int64_t, std::int64_t) { fs::resize_file(compressed, 70000); };
    holds(message_of([&] { matrix_file(compressed, options); }), "the file was shortened while it was read");
}
