// SPDX-License-Identifier: BSD-3-Clause
// Random Matrix Market files: valid files in every spelling compared with the reference reader; truncated and damaged
// files, which must give a format_error or a matrix.
#include <coppice/matrix_market.hpp>

#include <cmath>
#include <random>
#include <set>

#include "support/datasets.hpp"
#include "support/executors.hpp"
#include "support/matrix_market_reference.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"

using namespace coppice;
namespace fs = std::filesystem;

namespace {

struct kind {
    char const *format, *field, *symmetry;
};
constexpr kind kinds[] = {{"coordinate", "real", "general"},
                          {"coordinate", "real", "symmetric"},
                          {"coordinate", "real", "skew-symmetric"},
                          {"coordinate", "integer", "general"},
                          {"coordinate", "integer", "skew-symmetric"},
                          {"coordinate", "pattern", "general"},
                          {"coordinate", "pattern", "symmetric"},
                          {"coordinate", "complex", "general"},
                          {"coordinate", "complex", "symmetric"},
                          {"coordinate", "complex", "hermitian"},
                          {"array", "real", "general"},
                          {"array", "real", "symmetric"},
                          {"array", "integer", "skew-symmetric"},
                          {"array", "complex", "hermitian"}};

/// Writes valid files with random formatting.
class scribe {
public:
    explicit scribe(unsigned seed) : random_(seed) {}

    std::string file(kind const& k, std::int64_t rows, std::int64_t columns, std::int64_t entries) {
        text_.clear();
        crlf_ = pick(3) == 0;
        bool const general = std::string(k.symmetry) == "general";
        bool const skew = std::string(k.symmetry) == "skew-symmetric";
        if (!general) columns = rows;
        std::string banner = std::string("%%MatrixMarket matrix ") + k.format + " " + k.field + " " + k.symmetry;
        for (char& c : banner)
            if (pick(4) == 0) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        text_ = banner;
        end_line();
        bool const coordinate = std::string(k.format) == "coordinate";
        if (coordinate && skew && rows < 2) entries = 0;
        line(std::to_string(rows) + blank() + std::to_string(columns) +
             (coordinate ? blank() + std::to_string(entries) : ""));
        if (coordinate) {
            for (std::int64_t e = 0; e < entries; ++e) {
                auto i = std::int64_t(pick(std::uint64_t(rows)));
                auto j = std::int64_t(pick(std::uint64_t(columns)));
                if (!general && i < j) std::swap(i, j);
                if (skew && i == j) (i == rows - 1 ? j = i - 1 : i = i + 1);
                line(index(i + 1) + blank() + index(j + 1) + value(k, i == j));
            }
        } else {
            for (std::int64_t j = 0; j < columns; ++j)
                for (std::int64_t i = general ? 0 : skew ? j + 1 : j; i < rows; ++i) line(value(k, i == j));
        }
        if (pick(2) == 0) text_.erase(text_.find_last_not_of("\r\n") + 1); // no end of the last line
        return text_;
    }

    std::uint64_t pick(std::uint64_t n) { return random_() % n; }

private:
    std::string blank() {
        static constexpr char const* blanks[] = {" ", " ", " ", "\t", "  ", " \t "};
        return blanks[pick(6)];
    }
    void end_line() { text_ += crlf_ ? "\r\n" : "\n"; }
    void line(std::string const& content) {
        for (; pick(12) == 0; end_line()) text_ += pick(2) ? "% 1 2 3 comment" : pick(2) ? "" : "  \t";
        text_ += (pick(8) ? "" : blank()) + content + (pick(8) ? "" : blank());
        end_line();
    }
    std::string index(std::int64_t i) {
        return (pick(20) ? "" : "+") + std::string(pick(20) ? "" : "00") + std::to_string(i);
    }
    std::string value(kind const& k, bool diagonal) {
        std::string const field = k.field;
        if (field == "pattern") return "";
        if (field == "integer") return blank() + std::to_string(std::int64_t(random_()) >> (11 + pick(49)));
        if (field == "real") return blank() + real();
        bool const no_imaginary = diagonal && std::string(k.symmetry) == "hermitian";
        return blank() + real() + blank() + (no_imaginary ? "0.0" : real());
    }
    std::string real() {
        double const mantissa = double(std::int64_t(random_())) / 9.3e18;
        char text[64];
        static constexpr char const* formats[] = {"%.17g", "%.6e", "%+.3f", "%.25E", "%.0f", "%g", "%.16e"};
        std::snprintf(text, sizeof text, formats[pick(7)], std::ldexp(mantissa, int(pick(120)) - 60));
        std::string token = text;
        auto const exponent = token.find_first_of("eE");
        if (exponent != std::string::npos && pick(3) == 0) token[exponent] = pick(2) ? 'D' : 'd';
        return token;
    }

    std::mt19937_64 random_;
    std::string text_{};
    bool crlf_ = false;
};

void check_against(csr<std::complex<double>> const& a, test::reference_matrix const& expected) {
    REQUIRE(a.rows() == expected.rows);
    REQUIRE(a.columns() == expected.columns);
    REQUIRE(std::size_t(a.nonzeros()) == expected.entries.size());
    auto at = expected.entries.begin();
    bool same = true;
    for (int row = 0; row < a.rows(); ++row)
        for (int k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k, ++at)
            same = same && at->first == std::pair<std::int64_t, std::int64_t>(row, a.column_indices()[k]) &&
                   at->second == a.values()[k];
    CHECK(same);
}

/// Reads a file with any damage; fails unless the result is a matrix or an error of the library.
bool read_or_refuse(fs::path const& file) {
    try {
        auto const a = read_matrix_market<std::complex<double>>(host_executor{1}, file);
        REQUIRE(a.row_offsets()[a.rows()] == a.nonzeros());
        return true;
    } catch (format_error const& e) {
        REQUIRE(e.line() >= 0);
        return false;
    }
}

} // namespace

TEST_CASE("random small files in every spelling") {
    test::temporary_folder const folder;
    scribe write(2026);
    for (int round = 0; round < 40; ++round) {
        for (auto const& k : kinds) {
            auto const rows = std::int64_t(1 + write.pick(9));
            auto const columns = std::int64_t(1 + write.pick(9));
            std::string const text = write.file(k, rows, columns, std::int64_t(write.pick(30)));
            auto const file = folder.file("small.mtx", text);
            INFO(text);
            check_against(read_matrix_market<std::complex<double>>(host_executor{1 + round % 2}, file),
                          test::read_reference(text));
        }
    }
}

TEST_CASE("random long files: lines across the ends of chunks") {
    test::temporary_folder const folder;
    scribe write(1);
    kind const long_kinds[] = {kinds[0], kinds[1], kinds[9], kinds[5], kinds[10], kinds[11], kinds[12]};
    for (auto const& k : long_kinds) {
        bool const coordinate = std::string(k.format) == "coordinate";
        std::string const text = write.file(k, coordinate ? 3000 : 400, coordinate ? 2500 : 300, 100000);
        REQUIRE(text.size() > std::size_t(1) << 20);
        auto const file = folder.file("long.mtx", text);
        CAPTURE(k.format);
        CAPTURE(k.field);
        CAPTURE(k.symmetry);
        auto const a = read_matrix_market<std::complex<double>>(host_executor{1}, file);
        check_against(a, test::read_reference(text));
        CHECK(test::same_bits(a, read_matrix_market<std::complex<double>>(host_executor{2}, file)));
    }
}

TEST_CASE("the first error of a long file is reported with its line") {
    test::temporary_folder const folder;
    std::string text = "%%MatrixMarket matrix coordinate real general\n% comment\n1000 1000 300000\n";
    std::vector<std::size_t> line_starts{0, 0, 0};
    for (int e = 0; e < 300000; ++e) {
        line_starts.push_back(text.size());
        text += std::to_string(e % 1000 + 1) + " " + std::to_string(e / 1000 + 1) + " 1.5\n";
    }
    auto const line_of = [&](std::string const& content) -> std::int64_t {
        auto const file = folder.file("fault.mtx", content);
        std::set<std::int64_t> lines;
        for (int threads : {1, 2}) {
            try {
                read_matrix_market<double>(host_executor{threads}, file);
                lines.insert(-1);
            } catch (format_error const& e) {
                lines.insert(e.line());
            }
        }
        REQUIRE(lines.size() == 1);
        return *lines.begin();
    };
    CHECK(line_of(text) == -1);
    for (std::size_t line : {3UL, 70000UL, 123456UL, 300002UL}) { // counted from 0
        std::string damaged = text;
        damaged[line_starts[line]] = 'x';
        damaged[line_starts.back()] = 'x';
        CHECK(line_of(damaged) == std::int64_t(line) + 1);
    }
    CHECK(line_of(text + "\n\n5 5 5\n") == 300006);
    CHECK(line_of(text.substr(0, line_starts[200000])) == 200000);
    // One additional entry, far before the end: the first surplus entry is reported.
    std::string fewer = text;
    fewer.replace(fewer.find("300000"), 6, "150000");
    CHECK(line_of(fewer) == 150004);
}

TEST_CASE("every truncation of every tiny file is read or rejected") {
    test::temporary_folder const folder;
    int refused = 0;
    int read = 0;
    for (auto const& entry : fs::directory_iterator(test::source_folder() / "datasets" / "tiny")) {
        std::string const bytes = test::read_bytes(entry.path());
        std::string const name = "cut" + entry.path().extension().string();
        CAPTURE(entry.path().string());
        for (std::size_t size = 0; size <= bytes.size(); ++size)
            ++(read_or_refuse(folder.file(name, std::string_view(bytes).substr(0, size))) ? read : refused);
    }
    CHECK(read > 32);
    CHECK(refused > 2000);
}

TEST_CASE("files with flipped bytes are read or rejected") {
    test::temporary_folder const folder;
    std::mt19937 random(99);
    static constexpr char likely[] = "0123456789 +-.eEdDxnaif%\n\r\t";
    int refused = 0;
    int read = 0;
    for (auto const& entry : fs::directory_iterator(test::source_folder() / "datasets" / "tiny")) {
        std::string const bytes = test::read_bytes(entry.path());
        std::string const name = "flip" + entry.path().extension().string();
        for (int round = 0; round < 120; ++round) {
            std::string damaged = bytes;
            for (auto flips = 1 + random() % 3; flips > 0; --flips)
                damaged[random() % damaged.size()] =
                    random() % 2 ? static_cast<char>(random()) : likely[random() % (sizeof likely - 1)];
            INFO(damaged);
            ++(read_or_refuse(folder.file(name, damaged)) ? read : refused);
        }
    }
    CHECK(read > 100);
    CHECK(refused > 1000);
}
