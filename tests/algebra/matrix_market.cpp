// SPDX-License-Identifier: BSD-3-Clause
// Reading of Matrix Market files: valid files compared with a simple reference reader, malformed files with their
// table.
#include <coppice/matrix_file.hpp>
#include <coppice/matrix_market.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <sys/stat.h>

#include "support/datasets.hpp"
#include "support/dense_entries.hpp"
#include "support/executors.hpp"
#include "support/matrix_market_reference.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"

using namespace coppice;
using coppice::test::dense_entries;
namespace fs = std::filesystem;

namespace {

bool same_number(double a, double b) {
    return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

template <class T, class I>
void check_against(csr<T, I> const& a, test::reference_matrix const& expected) {
    REQUIRE(a.rows() == expected.rows);
    REQUIRE(a.columns() == expected.columns);
    REQUIRE(std::size_t(a.nonzeros()) == expected.entries.size());
    auto at = expected.entries.begin();
    bool same = true;
    for (I row = 0; row < a.rows(); ++row) {
        for (I k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k, ++at) {
            std::complex<double> const value = a.values()[k];
            same = same && at->first == std::pair<std::int64_t, std::int64_t>(row, a.column_indices()[k]) &&
                   same_number(value.real(), at->second.real()) &&
                   (std::is_floating_point_v<T> || same_number(value.imag(), at->second.imag()));
        }
    }
    CHECK(same);
}

/// Reads `file` into all suitable types and compares with the reference.
void check_file(host_executor const& exec, fs::path const& file) {
    CAPTURE(file.string());
    auto const expected = test::read_reference(test::inflate_file(file));
    auto const h = read_matrix_market_header(file);
    CHECK(name_of(h.format) == expected.format);
    CHECK(name_of(h.field) == expected.field);
    CHECK(name_of(h.symmetry) == expected.symmetry);
    CHECK(h.rows == expected.rows);
    CHECK(h.columns == expected.columns);
    CHECK(h.stored == expected.stored);
    check_against(read_matrix_market<std::complex<double>>(exec, file), expected);
    if (h.field == matrix_market_field::complex) return;
    check_against(read_matrix_market<double>(exec, file), expected);
    check_against(read_matrix_market<double, std::int64_t>(exec, file), expected);
}

std::vector<fs::path> files_in(fs::path const& folder) {
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".mtx" || entry.path().extension() == ".gz") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// Returns the exception of `read` for this file as "LINE: message", or "accepted".
std::string fault_in(fs::path const& file, std::function<void()> const& read) {
    try {
        read();
    } catch (format_error const& e) {
        std::string const position_key = e.file() + (e.line() > 0 ? ":" + std::to_string(e.line()) : "") + ": ";
        REQUIRE(std::string(e.what()).starts_with(position_key));
        auto const within = e.file().substr(std::min(file.string().size(), e.file().size())); // of an archive
        CHECK(e.file() == file.string() + within);
        CHECK((within.empty() || within[0] == ':'));
        return std::to_string(e.line()) + ": " + std::string(e.what()).substr(position_key.size());
    }
    return "accepted";
}
template <class T, class I = std::int32_t>
std::string fault_of(fs::path const& file, int threads = 1) {
    return fault_in(file, [&] { read_matrix_market<T, I>(host_executor{threads}, file); });
}
/// The same for a file of any format.
template <class T>
std::string fault_of_any(fs::path const& file, int threads = 1) {
    return fault_in(file, [&] { read_matrix<T>(host_executor{threads}, file); });
}

} // namespace

#define HOST_EXECUTORS coppice::test::on_threads

TEST_CASE_TEMPLATE("tiny files read as the reference reads them", Fixture, HOST_EXECUTORS) {
    auto const files = files_in(test::source_folder() / "datasets" / "tiny");
    CHECK(files.size() >= 32);
    for (auto const& file : files) check_file(Fixture::exec(), file);
}

TEST_CASE("tiny files cover every legal header") {
    std::set<std::string> kinds;
    for (auto const& file : files_in(test::source_folder() / "datasets" / "tiny")) {
        auto const h = read_matrix_market_header(file);
        kinds.insert(std::string(name_of(h.format)) + " " + name_of(h.field) + " " + name_of(h.symmetry));
    }
    // Numbers of valid symmetries: coordinate files have 3 for real, 3 for integer, 2 for pattern and 4 for complex
    // values; array files have 3 for real, 3 for integer and 4 for complex values.
    CHECK(kinds.size() == 22);
}

TEST_CASE("tiny files have the values that are written in them") {
    host_executor const exec{1};
    auto const tiny = test::source_folder() / "datasets" / "tiny";
    using c = std::complex<double>;
    CHECK(dense_entries(read_matrix_market<double>(exec, tiny / "array_real_skew.mtx")) ==
          std::vector<double>{0, -2, -3, 2, 0, -5, 3, 5, 0});
    CHECK(dense_entries(read_matrix_market<double>(exec, tiny / "array_real_symmetric.mtx")) ==
          std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6});
    CHECK(dense_entries(read_matrix_market<double>(exec, tiny / "array_real_general.mtx")) ==
          std::vector<double>{1, 3, 5, 2, 0, 6});
    CHECK(read_matrix_market<double>(exec, tiny / "array_real_general.mtx").nonzeros() == 6);
    CHECK(dense_entries(read_matrix_market<c>(exec, tiny / "coordinate_complex_hermitian.mtx")) ==
          std::vector<c>{2, {1, 1}, 0, {1, -1}, 0, {0, -4}, 0, {0, 4}, -5});
    CHECK(dense_entries(read_matrix_market<float>(exec, tiny / "coordinate_pattern_symmetric.mtx")) ==
          std::vector<float>{0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1});
    CHECK(dense_entries(read_matrix_market<double>(exec, tiny / "spelling.mtx")) ==
          std::vector<double>{1.5, 0, 0, 0, .5, 0, 0, 0, 1});
    CHECK(dense_entries(read_matrix_market<double>(exec, tiny / "fortran_exponents.mtx")) ==
          std::vector<double>{1, -.25, 3.125, 1.5e-101, 1.25e100, 400});
    auto const doubled = read_matrix_market<double>(exec, tiny / "duplicates_and_zeros.mtx");
    CHECK(doubled.nonzeros() == 3);
    CHECK(dense_entries(doubled) == std::vector<double>{0, 0, 0, 0}); // (1e16 + 1) - 1e16 in file order
    auto const extremes = dense_entries(read_matrix_market<double>(exec, tiny / "extremes.mtx"));
    CHECK(std::isnan(extremes[0]));
    CHECK(extremes[1] == std::numeric_limits<double>::infinity());
    CHECK(extremes[2] == -std::numeric_limits<double>::infinity());
    CHECK(extremes[4] == std::numeric_limits<double>::denorm_min());
    CHECK(extremes[5] == std::numeric_limits<double>::max());
}

TEST_CASE("malformed files: type, file, line and message") {
    auto const folder = test::source_folder() / "datasets" / "malformed";
    std::istringstream table(test::read_bytes(folder / "TABLE.tsv"));
    std::set<std::string> named;
    std::string row;
    REQUIRE(std::getline(table, row));
    REQUIRE(row == "file\tline\tmessage holds");
    while (std::getline(table, row)) {
        std::istringstream cells(row);
        std::string name, line, fragment;
        REQUIRE(std::getline(cells, name, '\t'));
        REQUIRE(std::getline(cells, line, '\t'));
        REQUIRE(std::getline(cells, fragment));
        CAPTURE(name);
        named.insert(name);
        auto const fault = fault_of_any<std::complex<double>>(folder / name);
        INFO(fault);
        CHECK(fault.starts_with(line + ": "));
        CHECK(fault.find(fragment) != std::string::npos);
        CHECK(fault_of_any<std::complex<double>>(folder / name, 2) == fault);
        if (name.find(".mtx") == std::string::npos || name.ends_with(".bz2")) continue;
        CHECK(fault_of<std::complex<double>>(folder / name) == fault);
        if (fault_of<double>(folder / name).find("holds complex values") == std::string::npos)
            CHECK(fault_of<double>(folder / name) == fault);
    }
    CHECK(named.size() >= 140);
    for (auto const& entry : fs::directory_iterator(folder)) {
        auto const name = entry.path().filename().string();
        CAPTURE(name);
        CHECK((named.contains(name) || name == "TABLE.tsv"));
    }
}

TEST_CASE("a complex file is rejected for a real type, a large one for a narrow index") {
    auto const tiny = test::source_folder() / "datasets" / "tiny";
    for (auto const* name : {"coordinate_complex_general.mtx", "array_complex_hermitian.mtx"}) {
        CHECK(fault_of<double>(tiny / name) == "1: the file holds complex values, expected real ones");
        CHECK(fault_of<float>(tiny / name) == "1: the file holds complex values, expected real ones");
    }
    test::temporary_folder const folder;
    auto const wide =
        folder.file("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3000000000 1\n2 3000000000 7\n");
    CHECK(fault_of<double>(wide) == "2: a matrix of 2 x 3000000000 is too large for a 32-bit index");
    auto const a = read_matrix_market<double, std::int64_t>(host_executor{1}, wide);
    CHECK(a.columns() == 3000000000);
    CHECK(a.column_indices()[0] == 2999999999);
}

TEST_CASE("values are rounded once, to the requested type") {
    test::temporary_folder const folder;
    // The first value is just above the midpoint of two floats, by less than the resolution of double.
    auto const file = folder.file("rounding.mtx", "%%MatrixMarket matrix array real general\n4 1\n"
                                                  "1.00000005960464477539062500000000000001\n1e-46\n-1e-300\n1e-40\n");
    auto const x = read_vector<float>(host_executor{1}, file);
    CHECK(x[0] == 1.00000011920928955078125f);
    CHECK(x[1] == 0.0f);
    CHECK((x[2] == 0.0f && std::signbit(x[2])));
    CHECK(x[3] == 1e-40f);
    auto const large = folder.file("large.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e39\n");
    CHECK(fault_of<float>(large) == "3: value '1e39' is beyond the range of a 32-bit floating-point number");
    CHECK(fault_of<double>(large) == "accepted");
    auto const whole =
        folder.file("whole.mtx", "%%MatrixMarket matrix array integer general\n1 1\n1000000000000000000000\n");
    CHECK(read_vector<double>(host_executor{1}, whole)[0] == 1e21);
}

TEST_CASE("paths that cannot be read") {
    test::temporary_folder const folder;
    host_executor const exec{1};
    auto const reason_of = [&](fs::path const& path) -> std::string {
        try {
            read_matrix_market<double>(exec, path);
        } catch (io_error const& e) {
            return e.what();
        }
        return "accepted";
    };
    auto const missing = folder.path() / "missing.mtx";
    CHECK(reason_of(missing) == "cannot read " + missing.string() + ": No such file or directory");
    CHECK(reason_of(folder.path()) == "cannot read " + folder.path().string() + ": Is a directory");
    CHECK_THROWS_AS(read_vector<double>(exec, missing), io_error);
    CHECK_THROWS_AS(read_matrix_market_header(missing), io_error);
    auto const locked = folder.file("locked.mtx", "");
    fs::permissions(locked, fs::perms::none);
    if (::geteuid() == 0)
        test::print_skipped("a file without permissions: the superuser reads it all the same");
    else
        CHECK(reason_of(locked) == "cannot read " + locked.string() + ": Permission denied");
}

TEST_CASE("a pipe is read to its end") {
    test::temporary_folder const folder;
    auto const pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] { std::ofstream(pipe) << "%%MatrixMarket matrix array real general\n2 1\n3\n4\n"; });
    auto const x = read_vector<double>(host_executor{1}, pipe);
    writer.join();
    CHECK(x == std::vector<double>{3, 4});
}

TEST_CASE("headers are found after long comments, plain and compressed") {
    test::temporary_folder const folder;
    std::string text = "%%MatrixMarket matrix coordinate pattern symmetric\n";
    for (int line = 0; line < 5000; ++line) text += "% line " + std::to_string(line) + " of a long story\n";
    text += "7 7 1\n3 2\n";
    auto const h = read_matrix_market_header(folder.file("a.mtx", text));
    CHECK(h.rows == 7);
    CHECK(h.stored == 1);
    auto const packed = folder.path() / "a.mtx.gz";
    gzFile const file = gzopen(packed.c_str(), "wb");
    gzwrite(file, text.data(), unsigned(text.size()));
    gzclose(file);
    CHECK(read_matrix_market_header(packed).symmetry == matrix_market_symmetry::symmetric);
    CHECK(read_matrix_market<double>(host_executor{1}, packed).nonzeros() == 2);
    // The header of a file with a damaged body is readable.
    CHECK(read_matrix_market_header(folder.file("cut.mtx", text.substr(0, text.size() - 4))).rows == 7);
}

TEST_CASE("vectors: array and coordinate, as a column and as a row") {
    test::temporary_folder const folder;
    host_executor const exec{2};
    std::string const banner = "%%MatrixMarket matrix ";
    auto const file = [&](std::string const& text) { return folder.file("v.mtx", banner + text); };
    CHECK(read_vector<double>(exec, file("array real general\n3 1\n1\n2\n3\n")) == std::vector<double>{1, 2, 3});
    CHECK(read_vector<float>(exec, file("array integer general\n1 3\n1\n2\n3\n")) == std::vector<float>{1, 2, 3});
    CHECK(read_vector<double>(exec, file("coordinate real general\n4 1 3\n4 1 2.5\n2 1 1\n4 1 1\n")) ==
          std::vector<double>{0, 1, 0, 3.5});
    CHECK(read_vector<double>(exec, file("coordinate pattern general\n1 3 1\n1 2\n")) == std::vector<double>{0, 1, 0});
    using c = std::complex<double>;
    CHECK(read_vector<c>(exec, file("array complex general\n2 1\n1 2\n3 -4\n")) == std::vector<c>{{1, 2}, {3, -4}});
    CHECK(std::signbit(read_vector<double>(exec, file("array real general\n1 1\n-0\n"))[0]));
    CHECK(std::signbit(read_vector<double>(exec, file("coordinate real general\n1 2 1\n1 2 -0\n"))[1]));
    CHECK(read_vector<double>(exec, file("array real general\n0 1\n")).empty());
    CHECK(read_vector<double>(exec, file("array real skew-symmetric\n1 1\n")) == std::vector<double>{0});
    try {
        read_vector<double>(exec, file("array real general\n2 2\n1\n2\n3\n4\n"));
        FAIL("a matrix was read as a vector");
    } catch (format_error const& e) {
        CHECK(std::string(e.what()).ends_with("expected a vector (n x 1 or 1 x n), found a matrix of 2 x 2"));
    }
    CHECK_THROWS_AS(read_vector<double>(exec, file("array complex general\n1 1\n1 2\n")), format_error);
    auto const long_one = file("coordinate real general\n9000000000000000000 1 0\n"); // rejected by the default limits
    CHECK_THROWS_AS(read_vector<double>(exec, long_one), format_error);
    CHECK_THROWS_AS(read_vector<double>(exec, long_one, {.limits = {.max_expansion = 0}}), memory_error);
}

TEST_CASE("a vector of wrong length is rejected before memory is allocated") {
    test::temporary_folder const folder;
    auto const file = folder.file("v.mtx", "%%MatrixMarket matrix coordinate real general\n9000000000000000000 1 0\n");
    try {
        read_vector<double>(host_executor{1}, file, {.length = 3});
        FAIL("a vector of the wrong length was read");
    } catch (dimension_error const& e) {
        CHECK(std::string(e.what()) == file.string() + ": the vector has 9000000000000000000 elements, expected 3");
    }
}

TEST_CASE("public matrices have the sizes that their index states, with any number of threads") {
    auto const folder = test::datasets_folder();
    if (!folder) return test::print_skipped("public matrices (set COPPICE_DATASETS)");
    std::istringstream index(test::read_bytes(*folder / "INDEX.md"));
    int seen = 0;
    for (std::string row; std::getline(index, row);) {
        auto const name_end = row.find(".mtx.gz`");
        if (!row.starts_with("| `") || name_end == std::string::npos) continue;
        std::string const name = row.substr(3, name_end + 4);
        std::istringstream cells(row.substr(row.find('|', row.find('|', name_end) + 1) + 1));
        std::int64_t rows = 0, columns = 0, stored = 0, full = 0;
        char bar = 0;
        REQUIRE((cells >> rows >> bar >> columns >> bar >> stored >> bar >> full));
        CAPTURE(name);
        auto const h = read_matrix_market_header(*folder / name);
        CHECK(h.rows == rows);
        CHECK(h.columns == columns);
        CHECK(h.stored == stored);
        auto const a = read_matrix_market<double>(host_executor{1}, *folder / name);
        CHECK(a.rows() == rows);
        CHECK(a.columns() == columns);
        CHECK(a.nonzeros() == full);
        CHECK(test::same_bits(a, read_matrix_market<double>(host_executor{2}, *folder / name)));
        ++seen;
    }
    CHECK(seen > 0);
}

TEST_CASE("public matrices read as the reference reads them") {
    for (auto const* name : {"real/add32.mtx.gz", "real/bcsstk13.mtx.gz", "real/rajat01.mtx.gz", "rect/well1033.mtx.gz",
                             "graph/football.mtx.gz", "banded/nos1.mtx.gz", "real/steam2.mtx.gz"})
        if (auto const file = test::dataset(name)) check_file(host_executor{2}, *file);
}
