// SPDX-License-Identifier: BSD-3-Clause
// Harwell-Boeing files, edge lists and tar archives, compared with matrices written by hand and simple readers; damaged
// texts.
#include <coppice/matrix_file.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <sstream>

#include "support/datasets.hpp"
#include "support/dense_entries.hpp"
#include "support/executors.hpp"
#include "support/matrix_market_reference.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"
#include <coppice/algebra/files/harwell_boeing.hpp>
#include <coppice/core/error.hpp>
#include <coppice/core/files/tar.hpp>

using namespace coppice;
using coppice::test::dense_entries;
namespace fs = std::filesystem;
using complex = std::complex<double>;

namespace {

template <class T = double>
std::vector<T> dense_of(test::temporary_folder const& folder, std::string const& name, std::string const& text) {
    return dense_entries(read_matrix<T>(host_executor{1}, folder.file(name, text)));
}

std::string fault_of(fs::path const& file, int threads = 1) {
    try {
        read_matrix<complex>(host_executor{threads}, file);
    } catch (error const& e) {
        return e.what();
    }
    return "accepted";
}

std::string const market = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 5\n";

/// A Harwell-Boeing file: lines of title, counts, type and sizes, formats; then `body`.
std::string boeing(std::string const& counts, std::string const& type, std::string const& formats,
                   std::string const& body) {
    return "A title that begins with nothing of note                                |key     \n" + counts + "\n" +
           type + "\n" + formats + "\n" + body;
}

/// The header of a member with its checksum.
std::string with_checksum(std::string header) {
    header.replace(148, 8, 8, ' ');
    unsigned long sum = 0;
    for (unsigned char const c : header) sum += c;
    char field[8];
    std::snprintf(field, sizeof field, "%06lo", sum);
    return header.replace(148, 7, std::string(field, 6) + '\0');
}
/// A member of a tar archive according to the standard: a block of fields, then its bytes. `size`: the field of 12
/// bytes; empty: an octal number.
std::string tar_bytes(std::string const& name, std::string const& bytes, char type = '0',
                      std::string const& size = {}) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    char field[13];
    std::snprintf(field, sizeof field, "%011lo", static_cast<unsigned long>(bytes.size()));
    header.replace(124, 12, size.empty() ? std::string(field, 12) : size);
    header[156] = type;
    header.replace(257, 8,
                   std::string("ustar\0"
                               "00",
                               8));
    return with_checksum(header) + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}
/// A tar archive: members, then two blocks of zeros.
std::string archive(std::vector<std::pair<std::string, std::string>> const& members) {
    std::string text;
    for (auto const& [name, bytes] : members) text += tar_bytes(name, bytes);
    return text + std::string(1024, '\0');
}

} // namespace

TEST_CASE("Harwell-Boeing: every kind of values and symmetry, by hand") {
    test::temporary_folder const folder;
    //     1 3 .
    // A = . . 4
    //     2 . .
    std::string const pointers = "   1   3   4   5\n", indices = "   1   3   1\n   2\n";
    auto const real = "(4I4) (3I4) (2D8.2)";
    CHECK(
        dense_of(folder, "a.rua",
                 boeing("5 1 2 2", "RUA 3 3 4 0", real, pointers + indices + " 1.0D+00 2.0E+00\n 3.0+000      4.\n")) ==
        std::vector<double>{1, 3, 0, 0, 0, 4, 2, 0, 0});
    CHECK(dense_of(folder, "b", boeing("3 1 2", "pra 3 3 4 0", "(4i4) (3i4)", pointers + indices)) ==
          std::vector<double>{1, 1, 0, 0, 0, 1, 1, 0, 0});
    CHECK(dense_of(folder, "c.rb",
                   boeing("4 1 2 1", "iua 3 3 4", "(4I4) (3I4) (4I3)", pointers + indices + "  1-22333  4\n")) ==
          std::vector<double>{1, 333, 0, 0, 0, 4, -22, 0, 0});
    // Lower triangles of [1 2; 2 3], [0 -2; 2 0] and [1 2-3i; 2+3i 4].
    auto const small = "   1   3   4\n   1   2   2\n";
    CHECK(dense_of(folder, "d",
                   boeing("3 1 1 1", "RSA 2 2 3 0", "(4I4) (4I4) (3F4.1)", std::string(small) + " 1.0 2.0 3.0\n")) ==
          std::vector<double>{1, 2, 2, 3});
    CHECK(
        dense_of(folder, "e", boeing("3 1 1 1", "rza 2 2 1 0", "(4I4) (4I4) (3F4.1)", "   1   2   2\n   2\n 2.0\n")) ==
        std::vector<double>{0, -2, 2, 0});
    CHECK(dense_of<complex>(folder, "f",
                            boeing("4 1 1 2", "cha 2 2 3 0", "(4I4) (4I4) (4F4.1)",
                                   std::string(small) + " 1.0  0. 2.0 3.0\n 4.0  0.\n")) ==
          std::vector<complex>{1, {2, -3}, {2, 3}, 4});
    CHECK(dense_of<complex>(folder, "g",
                            boeing("4 1 1 2", "csa 2 2 3 0", "(4I4) (4I4) (4F4.1)",
                                   std::string(small) + " 1.0  7. 2.0 3.0\n 4.0  0.\n")) ==
          std::vector<complex>{{1, 7}, {2, 3}, {2, 3}, 4});
    CHECK(fault_of(folder.file("h", boeing("4 1 1 2", "cha 2 2 3 0", "(4I4) (4I4) (4F4.1)",
                                           std::string(small) + " 1.0  7. 2.0 3.0\n 4.0  0.\n")))
              .find(":7: an entry on the diagonal of a hermitian") != std::string::npos);
    // Line ends of other systems; a line for right-hand sides in the header, and right-hand sides.
    CHECK(dense_of(folder, "i",
                   boeing("4 1 1 1 1", "RSA 2 2 3 0", "(4I4) (4I4) (3F4.1) (3F4.1)\r",
                          "F 1 0\r\n   1   3   4\r\n   1   2   2\r\n 1.0 2.0 3.0\r\n 5.0 6.0\r\n")) ==
          std::vector<double>{1, 2, 2, 3});
    CHECK(read_matrix<double>(host_executor{1}, folder.file("j", boeing("1 1 0 0", "RUA 0 0 0 0", real, "   1\n")))
              .rows() == 0);
}

TEST_CASE("Harwell-Boeing: formats, and points and exponents that they imply") {
    auto const format = [](char const* text) {
        auto const f = detail::parse_card_format("f", 4, text);
        auto const& first = f.first_line.front();
        return std::vector<std::int64_t>{std::int64_t(f.first_line.size()), first.width, first.decimals, first.scale};
    };
    CHECK(format("(16I5)") == std::vector<std::int64_t>{16, 5, 0, 0});
    CHECK(format("(1P,5D16.9)") == std::vector<std::int64_t>{5, 16, 9, 1});
    CHECK(format("( 1P5D16.8 )") == std::vector<std::int64_t>{5, 16, 8, 1});
    CHECK(format("(-2p4e25.16e3)") == std::vector<std::int64_t>{4, 25, 16, -2});
    CHECK(format("(I8)") == std::vector<std::int64_t>{1, 8, 0, 0});
    CHECK(format("(3(1P,E24.16))") == std::vector<std::int64_t>{3, 24, 16, 1});
    CHECK(format("(2(2(I3),1X))") == std::vector<std::int64_t>{4, 3, 0, 0});
    for (auto const* bad : {"",
                            "()",
                            "(16)",
                            "(I)",
                            "(0I5)",
                            "(5I0)",
                            "(5A8)",
                            "(T5,I5)",
                            "(16I5",
                            "16I5",
                            "(16I5)x",
                            "(9999999I5)",
                            "(-5I5)",
                            "(5I5.)(",
                            "(P5I5)",
                            "(1X)",
                            "(I5,2(1X))",
                            "(0(I5))",
                            "((((((((((I5))))))))))",
                            "(9999(9999(9999(1X))),I5)"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(detail::parse_card_format("f", 4, bad), format_error);
    }

    test::temporary_folder const folder;
    auto const values = [&](std::string const& how, std::string const& line) {
        return dense_of(folder, "v",
                        boeing("3 1 1 1", "rua 1 3 3 0", "(4I4) (4I4) (" + how + ")",
                               "   1   2   3   4\n   1   1   1\n" + line + "\n"));
    };
    CHECK(values("3F6.2", "  1234 1.234    -5") == std::vector<double>{12.34, 1.234, -.05});
    CHECK(values("3E8.1", "  1234E1 12.34E15E-00001") == std::vector<double>{1234, 123.4, .05});
    CHECK(values("1P3F7.1", "   1234  12.34  1.E+2") == std::vector<double>{12.34, 1.234, 100});
    CHECK(values("3E8.2", "     nan     inf    -inf")[1] == std::numeric_limits<double>::infinity());
    CHECK_THROWS_AS(values("3E8.1", "  12E1 3  12.34  5.0"), format_error); // two numbers in a field
}

TEST_CASE("Harwell-Boeing: numbers that are shorter than their fields, as written by scipy.io.hb_write") {
    test::temporary_folder const folder;
    auto const values = [&](std::string const& lines) {
        return folder.file("v", boeing("4 1 1 2", "rua 1 4 4 0", "(5I4) (4I4) (3E10.1)",
                                       "   1   2   3   4   5\n   1   1   1   1\n" + lines + "\n"));
    };
    auto const read = [&](std::string const& lines) {
        auto const a = read_matrix<double>(host_executor{1}, values(lines));
        return std::vector<double>(a.values().begin(), a.values().end());
    };
    CHECK(read("  1.0E+00 -2.0E+00 -3.0E+00\n -4.0E+00") == std::vector<double>{1, -2, -3, -4});
    CHECK(read(" -1.0E+00 -2.0E+00  3.0E+00\n -4.0E+00 junk") == std::vector<double>{-1, -2, 3, -4});
    // Adjacent fields of the right width are no such numbers, nor are others.
    CHECK(read("  1.00E+00 -2.00E+00-3.00E+001 -4.0\n  4.0") == std::vector<double>{1, -2, -30, 4});
    CHECK(read("-1.00E+001-2.00E+0013.000E+001\n  4.0") == std::vector<double>{-10, -20, 30, 4});
    CHECK(fault_of(values("  1.0E+00 -2.0E+00\n -3.0E+00 -4.0E+00")).find("found '-2.0E+00'") == std::string::npos);
    CHECK(fault_of(values("  1.0E+00 -2.0E+00 -3.0E+00 -4.0E+00\n")).find(":7: ") != std::string::npos);
}

TEST_CASE("Harwell-Boeing: positions of fields on the first line and on further lines") {
    auto const offsets = [](std::vector<detail::card_field> const& fields) {
        std::vector<std::int64_t> all;
        for (auto const& field : fields) all.push_back(field.offset);
        return all;
    };
    auto const blanks = detail::parse_card_format("f", 4, "(2X,2I3,1X,I4)");
    CHECK(offsets(blanks.first_line) == std::vector<std::int64_t>{2, 5, 9});
    CHECK(offsets(blanks.next_lines) == std::vector<std::int64_t>{2, 5, 9});
    // If a format ends and numbers are left, Fortran starts a new line and repeats the last group in parentheses (2018
    // standard, section 13.4, format control).
    auto const group = detail::parse_card_format("f", 4, "(I4,2(1X,I3))");
    CHECK(offsets(group.first_line) == std::vector<std::int64_t>{0, 5, 9});
    CHECK(offsets(group.next_lines) == std::vector<std::int64_t>{1, 5});
    CHECK(group.lines(0) == 0);
    CHECK(group.lines(3) == 1);
    CHECK(group.lines(4) == 2);
    CHECK(group.lines(6) == 3);

    test::temporary_folder const folder;
    //     2 0  0
    // A = 0 -1 3   with a blank before each field
    CHECK(dense_of(folder, "x",
                   boeing("5 1 1 2", "RUA 2 3 3 0", "(1X,4I3) (1X,4I3) (2(1X,1P,E7.1))",
                          "   1  2  3  4\n   1  2  2\n 2.0E+00 -1.E+00\n 3.0E+00\n")) ==
          std::vector<double>{2, 0, 0, 0, -1, 3});
}

TEST_CASE("Harwell-Boeing: sizes, entries and pointers that contradict each other") {
    test::temporary_folder const folder;
    auto const message_text = [&](std::string const& counts, std::string const& type, std::string const& body) {
        return fault_of(folder.file("f", boeing(counts, type, "(16I5) (16I5) (5E16.8)", body)));
    };
    CHECK(message_text("3 1 1 1", "RUA 3 0 3 0", "    1\n    1    1    1\n  1.0 2.0 3.0\n")
              .find("3 x 0 cannot hold the 3 entries") != std::string::npos);
    CHECK(message_text("3 1 1 1", "RUA 0 3 1 0", "    1    1    1    2\n    1\n  1.0\n")
              .find("0 x 3 cannot hold the 1 entries") != std::string::npos);
    CHECK(message_text("1 1 0 0", "RUA 3 0 0 0", "    2\n").find("outside 1 to 1") != std::string::npos);
    CHECK(message_text("1 1 0 0", "RUA 3 0 0 0", "    1\n") == "accepted");
    CHECK(
        message_text("3 1 1 1", "RUA 3 1 3 0", "    1    3\n    1    2    3\n  1.0 2.0 3.0\n").find("outside 4 to 4") !=
        std::string::npos);
}

TEST_CASE("edge lists: vertices from 0, comments, weights, repeated edges") {
    test::temporary_folder const folder;
    CHECK(dense_of(folder, "a.txt", "# Directed graph\n# FromNodeId\tToNodeId\n0\t1\n2\t0\n\n2\t0\r\n") ==
          std::vector<double>{0, 1, 0, 0, 0, 0, 2, 0, 0});
    CHECK(dense_of(folder, "b", "  0 1 .5\n1 1 -2e0") == std::vector<double>{0, .5, 0, -2});
    CHECK(dense_of<float>(folder, "c.smat", "2 3 2\n0 2 7\n1 0 1\n") == std::vector<float>{0, 0, 7, 1, 0, 0});
    CHECK(read_matrix<double>(host_executor{1}, folder.file("d.smat", "2 3 0\n")).columns() == 3);
    CHECK(fault_of(folder.file("e.txt", "0 2147483645\n1 2147483646\n")).find(":2: vertex '2147483646' is outside") !=
          std::string::npos);
    auto const wide =
        read_matrix<double, std::int64_t>(host_executor{1}, folder.file("f.smat", "2 9000000000 1\n1 8999999999 1\n"));
    CHECK(wide.column_indices()[0] == 8999999999);
}

TEST_CASE("edge lists of many chunks: independent of the number of threads, errors with their line") {
    test::temporary_folder const folder;
    std::mt19937 random(5);
    std::string text = "# two and a half megabytes\n";
    std::map<std::pair<int, int>, double> expected;
    int vertices = 0;
    while (text.size() < 2'500'000) {
        int const from = int(random() % 5000), to = int(random() % 4000);
        text += std::to_string(from) + "\t" + std::to_string(to) + "\n";
        expected[{from, to}] += 1;
        vertices = std::max({vertices, from + 1, to + 1});
    }
    auto const file = folder.file("a.txt", text);
    auto const a = read_matrix<double>(host_executor{1}, file);
    CHECK(a.rows() == vertices);
    CHECK(a.columns() == vertices);
    REQUIRE(a.nonzeros() == int(expected.size()));
    bool same = true;
    auto at = expected.begin();
    for (int i = 0; i < a.rows(); ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k, ++at)
            same = same && at->first == std::pair(i, int(a.column_indices()[k])) && at->second == a.values()[k];
    CHECK(same);
    CHECK(test::same_bits(a, read_matrix<double>(host_executor{2}, file)));
    auto const lines = std::count(text.begin(), text.end(), '\n');
    auto const bad = folder.file("b.txt", text + "7\n");
    CHECK(fault_of(bad) ==
          bad.string() + ":" + std::to_string(lines + 1) + ": expected a vertex, found the end of the line");
    CHECK(fault_of(bad, 2) == fault_of(bad));
}

TEST_CASE("tar archives: which file is the matrix") {
    test::temporary_folder const folder;
    auto const found = [&](std::string const& name, std::vector<std::pair<std::string, std::string>> const& members) {
        return dense_entries(read_matrix<double>(host_executor{1}, folder.file(name, archive(members))));
    };
    std::vector<double> const expected{0, 3, 5, 0};
    std::string const other = "%%MatrixMarket matrix array real general\n1 1\n9\n";
    CHECK(found("a.tar", {{"x/x.mtx", market}}) == expected);
    CHECK(
        found("b.tar", {{"x/readme.txt", "words"}, {"x/x_b.mtx", other}, {"x/x.mtx", market}, {"x/x_x.mtx", other}}) ==
        expected);
    CHECK(found("main.tar", {{"b.mtx", other}, {"main.mtx", market}}) == expected);
    CHECK(found("c", {{"only.mtx", market}}) == expected); // detected by content, whatever its name
    CHECK(found("d.tar", {{"x/x.rb", boeing("3 1 1 1", "RSA 2 2 3 0", "(4I4) (4I4) (3F4.1)",
                                            "   1   3   4\n   1   2   2\n 1.0 2.0 3.0\n")}}) ==
          std::vector<double>{1, 2, 2, 3});
    auto const file = folder.file("e.tar", archive({{"x/x.mtx", market + "9 9 9\n"}}));
    CHECK(fault_of(file) == file.string() + ":x/x.mtx:5: more entries than expected; the size line declares 2");
    CHECK(read_tar("t", archive({{"a", ""}, {"b", std::string(512, 'b')}, {"c", "c"}})).size() == 3);
}

TEST_CASE("tar archives: sizes as binary numbers or in extended headers, and members that are no files") {
    auto const binary = [](std::uint64_t size) { // 0x80, then big-endian
        std::string field(12, '\0');
        field[0] = '\x80';
        for (std::size_t k = 11; size > 0; --k, size >>= 8) field[k] = char(size & 255);
        return field;
    };
    std::string const bytes(300, 'b'), end(1024, '\0');
    auto const sizes = [&](std::string const& text) {
        std::vector<std::size_t> all;
        for (auto const& member : read_tar("t", text + end)) all.push_back(member.bytes.size());
        return all;
    };
    auto const fault = [&](std::string const& text) {
        try {
            read_tar("t", text + end);
        } catch (format_error const& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    CHECK(sizes(tar_bytes("a", bytes, '0', binary(300)) + tar_bytes("b", "b")) == std::vector<std::size_t>{300, 1});
    // "12 size=300" and its line end are 12 bytes; the size in the header of the member itself is then ignored
    auto const extended = tar_bytes("x", "12 size=300\n", 'x'), wrong = tar_bytes("x", "11 size=3x\n", 'x');
    auto const unsized = tar_bytes("a", bytes, '0', std::string(11, '0') + '\0');
    CHECK(sizes(extended + unsized + tar_bytes("b", "b")) == std::vector<std::size_t>{300, 1});
    CHECK(sizes(tar_bytes("folder/", "", '5') + tar_bytes("link", "", '2') + tar_bytes("g", "comment", 'g') +
                tar_bytes("b", "b")) == std::vector<std::size_t>{1});
    CHECK(fault(wrong + unsized) == "t: damaged tar archive: a size that is not a number");
    CHECK(fault(tar_bytes("a", bytes, '0', "\x80" + std::string(11, '\xff'))) ==
          "t: damaged tar archive: a size that is not a number");
    CHECK(fault(tar_bytes("a", bytes, '0', "00000000009" + std::string(1, '\0'))) ==
          "t: damaged tar archive: a size that is not a number");
    for (auto const* damaged : {"0 size=300\n", "99 size=300\n", "x size=300\n", "1 size=300\n", ""}) // no records
        CHECK(sizes(tar_bytes("x", damaged, 'x') + unsized.substr(0, 512)) == std::vector<std::size_t>{0});
    auto changed = tar_bytes("a", bytes);
    changed[0] = 'b';
    CHECK(fault(changed) == "t: damaged tar archive: wrong checksum of a header");
    CHECK_THROWS_WITH_AS(read_tar("t", tar_bytes("a", "") + std::string(300, 'x')),
                         "t: truncated tar archive: it ends inside a header", format_error);
    auto prefixed = tar_bytes("c.mtx", ""); // ustar: the first part of a long name
    prefixed.replace(345, 3, "a/b");
    CHECK(read_tar("t", with_checksum(prefixed)).front().name == "a/b/c.mtx");
    CHECK(fault(tar_bytes("a", bytes, '0', binary(std::uint64_t(1) << 40)))
              .starts_with("t: truncated tar archive: a has"));
}

TEST_CASE("tar archives as written by tar, including long names") {
    test::temporary_folder const folder;
    std::string const deep = "x/" + std::string(90, 'd') + "/" + std::string(120, 'e');
    fs::create_directories(folder.path() / deep);
    std::ofstream(folder.path() / deep / "m.mtx") << market;
    for (std::string const format : {"gnu", "pax", "ustar", "v7"}) {
        bool const is_long = format == "gnu" || format == "pax";
        auto const what = is_long ? deep + "/m.mtx" : std::string("y.mtx");
        std::ofstream(folder.path() / "y.mtx") << market;
        auto const line =
            "cd " + folder.path().string() + " && tar --format=" + format + " -czf t.tar.gz " + what + " 2>/dev/null";
        if (std::system(line.c_str()) != 0) return test::print_skipped("no tar program that knows formats");
        CAPTURE(format);
        matrix_file const file(folder.path() / "t.tar.gz");
        CHECK(file.name().ends_with("t.tar.gz:" + what));
        CHECK(dense_entries(read_matrix<double>(host_executor{1}, folder.path() / "t.tar.gz")) ==
              std::vector<double>{0, 3, 5, 0});
    }
}

TEST_CASE("formats are detected from the content of the file") {
    test::temporary_folder const folder;
    auto const format = [&](std::string const& name, std::string const& text) {
        return matrix_file(folder.file(name, text)).format();
    };
    CHECK(format("a.txt", market) == matrix_format::matrix_market);
    CHECK(format("a", "0 1\n") == matrix_format::edge_list);
    CHECK(format("a", "\n  # words\n") == matrix_format::edge_list);
    CHECK(format("a", "2 2 1\n0 0 1\n") == matrix_format::edge_list);
    CHECK(format("a.smat", "2 2 1\n0 0 1\n") == matrix_format::smat);
    CHECK(format("a", boeing("1 1 0 0", "RUA 0 0 0 0", "(I4) (I4) (F4.1)", "")) == matrix_format::harwell_boeing);
    CHECK_THROWS_AS(format("a.mtx", "2 2 1\n1 1 1\n"), format_error); // the banner is missing
    CHECK_THROWS_AS(format("a", ""), format_error);
    CHECK_FALSE(matrix_file(folder.file("a", market)).is_complex());
}

TEST_CASE("public files of other formats read as plain readers read them") {
    struct expectation {
        char const* name;
        std::int64_t rows, columns, nonzeros;
        bool symmetric, complex_values;
        std::size_t width; // width of the field of a value; 0 for a pattern
    };
    for (auto const& e : {expectation{"west0479.rb.gz", 479, 479, 1910, false, false, 15},
                          expectation{"mahindas.rua.gz", 1258, 1258, 7682, false, false, 16},
                          expectation{"well1850.rra.gz", 1850, 712, 8758, false, false, 16},
                          expectation{"commanche_dual.rb.gz", 7920, 7920, 31680, true, false, 0},
                          expectation{"mhd1280a.rb.gz", 1280, 1280, 47906, false, true, 17}}) {
        auto const file = test::dataset(std::string("formats/") + e.name);
        if (!file) continue;
        CAPTURE(std::string(e.name));
        auto const a = read_matrix<complex>(host_executor{2}, *file);
        CHECK(a.rows() == e.rows);
        CHECK(a.columns() == e.columns);
        CHECK(a.nonzeros() == e.nonzeros);
        // In these files blanks separate all integers; values may be adjacent.
        std::istringstream in(test::inflate_file(*file));
        std::string line, counts, sizes;
        std::getline(in, line);
        std::getline(in, counts);
        std::getline(in, sizes);
        std::getline(in, line);
        std::int64_t all = 0, of_pointers = 0, of_indices = 0, of_values = 0, of_rhs = 0, stored = 0;
        std::istringstream(counts) >> all >> of_pointers >> of_indices >> of_values >> of_rhs;
        std::string type;
        std::int64_t rows = 0, columns = 0;
        std::istringstream(sizes) >> type >> rows >> columns >> stored;
        if (of_rhs > 0) std::getline(in, line);
        std::vector<std::int64_t> pointers(std::size_t(columns) + 1),
            indices{std::vector<std::int64_t>(std::size_t(stored))};
        for (auto& p : pointers) in >> p;
        for (auto& i : indices) in >> i;
        std::vector<double> values;
        std::getline(in, line); // the rest of the last line of indices
        for (std::int64_t l = 0; l < of_values && std::getline(in, line); ++l)
            for (std::size_t at = 0; at + e.width <= line.size(); at += e.width) {
                auto const field = line.substr(at, e.width);
                if (auto const first = field.find_first_not_of(' '); first != field.npos)
                    values.push_back(test::reference_number(field.substr(first)));
            }
        std::size_t const components = e.width == 0 ? 0 : e.complex_values ? 2 : 1;
        REQUIRE(values.size() >= components * std::size_t(stored)); // well1850 has some letters after its last value
        std::map<std::pair<std::int64_t, std::int64_t>, complex> entries;
        for (std::int64_t j = 0; j < columns; ++j)
            for (auto k = pointers[std::size_t(j)]; k < pointers[std::size_t(j) + 1]; ++k) {
                std::size_t const at = components * (std::size_t(k) - 1);
                complex const value(components > 0 ? values[at] : 1, components > 1 ? values[at + 1] : 0);
                auto const i = indices[std::size_t(k) - 1] - 1;
                entries[{i, j}] += value;
                if (e.symmetric && i != j) entries[{j, i}] += value;
            }
        bool same = entries.size() == std::size_t(a.nonzeros());
        auto at = entries.begin();
        for (int i = 0; same && i < a.rows(); ++i)
            for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k, ++at)
                same = same && at->first == std::pair<std::int64_t, std::int64_t>(i, a.column_indices()[k]) &&
                       at->second == a.values()[k];
        CHECK(same);
    }
    if (auto const file = test::dataset("formats/p2p-Gnutella05.txt.gz")) {
        auto const a = read_matrix<double>(host_executor{2}, *file);
        CHECK(a.rows() == 8846);
        CHECK(a.nonzeros() == 31839);
    }
    if (auto const file = test::dataset("formats/usps_3nn.smat.gz")) {
        auto const a = read_matrix<double>(host_executor{2}, *file);
        CHECK(a.rows() == 9298);
        CHECK(a.nonzeros() == 42512);
    }
}

TEST_CASE("damaged files are read or rejected") {
    test::temporary_folder const folder;
    std::string const pointers = "   1   3   4   5\n", indices = "   1   3   1\n   2\n";
    std::vector<std::string> const texts = {boeing("5 1 2 2", "RUA 3 3 4 0", "(4I4) (3I4) (1P2D8.2)",
                                                   pointers + indices + " 1.0D+00 2.0E+00\n 3.0+000      4.\n"),
                                            boeing("4 1 1 2", "cha 2 2 3 0", "(4I4) (4I4) (4F4.1)",
                                                   "   1   3   4\n   1   2   2\n 1.0  0. 2.0 3.0\n 4.0  0.\n"),
                                            "# a graph\n0 1 2.5\n1 2 -1\n4 0 1e3\n", "3 3 2\n0 1 1\n2 2 7\n",
                                            archive({{"x/x_b.mtx", market}, {"x/x.mtx", market}, {"x/y", "words"}})};
    std::string const letters = "0123456789 -+.eEdD()I\n#%\t\r/xX\xff" + std::string(1, '\0');
    std::mt19937 random(11);
    int accepted = 0, refused = 0;
    for (int turn = 0; turn < 600; ++turn) {
        auto text = texts[std::size_t(turn) % texts.size()];
        for (auto changes = 1 + random() % 3; changes > 0; --changes) {
            auto const at = random() % text.size();
            switch (random() % 4) {
            case 0:
                text.resize(at + 1);
                break;
            case 1:
                text.erase(at, 1 + random() % 8);
                if (text.empty()) text = "x";
                break;
            case 2:
                text.insert(at, 1, letters[random() % letters.size()]);
                break;
            default:
                text[at] = letters[random() % letters.size()];
            }
        }
        auto const name = turn % 5 == 3 ? "m.smat" : "m";
        try {
            auto const a = read_matrix<complex>(host_executor{1}, folder.file(name, text));
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
