// SPDX-License-Identifier: BSD-3-Clause
// The tuning file of SRCSR, and how a plan uses it.
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <clocale>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "support/temporary_folder.hpp"
#include <coppice/core/error.hpp>

using namespace coppice;

namespace {

tuning_record some_record(std::string device, int length_class) {
    tuning_record r;
    r.device = std::move(device);
    r.nonzero_bytes = 8;
    r.length_class = length_class;
    r.threads = 128;
    r.lanes = 2;
    r.lane_chunk = 48;
    r.reduction = segmented_reduction::raking;
    r.microseconds = 12.5;
    return r;
}

void write(std::filesystem::path const& file, std::string const& text) { std::ofstream(file) << text; }

} // namespace

TEST_CASE("records are written and read back, and those of other devices are preserved") {
    test::temporary_folder const folder;
    auto const file = folder.path() / "deep" / "tuning.txt";
    write_tuning_file(file, {some_record("A \"quoted\" GPU", 1)});
    CHECK_THROWS_AS(read_tuning_file(file), format_error); // names with quotes are not supported
    std::filesystem::remove(file);

    write_tuning_file(file, {some_record("GPU A", 1), some_record("GPU A", 2)});
    write_tuning_file(file, {some_record("GPU B", 3)});
    write_tuning_file(file, {some_record("GPU A", 4)});
    auto const read = read_tuning_file(file);
    REQUIRE(read.size() == 2);
    CHECK(to_line(read[0]) == to_line(some_record("GPU B", 3)));
    CHECK(to_line(read[1]) == to_line(some_record("GPU A", 4)));
}

TEST_CASE("concurrent writers lose no records") {
    test::temporary_folder const folder;
    auto const file = folder.path() / "new" / "tuning.txt";
    constexpr int writers = 8, times = 25;
    std::atomic<int> failed{0};
    std::vector<std::thread> threads;
    for (int w = 0; w < writers; ++w)
        threads.emplace_back([&, w] {
            for (int i = 0; i < times; ++i) try {
                    write_tuning_file(file, {some_record("GPU " + std::to_string(w), i % 10)});
                } catch (error const&) {
                    ++failed;
                }
        });
    for (auto& thread : threads) thread.join();
    CHECK(failed == 0);
    auto const read = read_tuning_file(file);
    REQUIRE(read.size() == writers);
    for (auto const& record : read) CHECK(record.length_class == (times - 1) % 10);
    auto const names = std::filesystem::directory_iterator(file.parent_path());
    CHECK(std::distance(begin(names), end(names)) == 1);
}

TEST_CASE("a symbolic link in place of a writer's temporary file is not followed") {
    test::temporary_folder const folder;
    auto const file = folder.path() / "tuning.txt", victim = folder.file("victim", "precious");
    for (std::string const name : {"tuning.txt.new", "tuning.txt.tmp", "tuning.txt~"})
        std::filesystem::create_symlink(victim, folder.path() / name);
    write_tuning_file(file, {some_record("GPU", 1)});
    CHECK(read_tuning_file(file).size() == 1);
    CHECK(std::filesystem::file_size(victim) == 8);
}

TEST_CASE("numbers of records have a decimal point under every locale") {
    std::string const before = std::setlocale(LC_ALL, nullptr);
    bool found = false;
    for (auto const* const name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"})
        found = found || std::setlocale(LC_ALL, name);
    if (!found) MESSAGE("no locale with a decimal comma is installed: only the C locale is checked");
    auto const line = to_line(some_record("GPU", 1));
    std::setlocale(LC_ALL, before.c_str());
    CHECK(line == "device=\"GPU\" bytes=8 class=1 threads=128 lanes=2 stretch=48 reduction=raking microseconds=12.5");
}

TEST_CASE("malformed lines are rejected with their number") {
    test::temporary_folder const folder;
    auto const file = folder.path() / "tuning.txt";
    std::string const good = to_line(some_record("GPU", 1));
    struct bad_case {
        std::string line;
        std::string says;
    };
    auto const with = [&](std::string const& from, std::string const& to) {
        std::string line = good;
        return line.replace(line.find(from), from.size(), to);
    };
    bad_case const cases[] = {
        {"nonsense", "expected device="},
        {with("threads=128", "threads=100"), "threads is"},
        {with("threads=128", "threads=1e2"), "bad value of threads"},
        {with("lanes=2", "lanes=0"), "bad value of lanes"},
        {with("stretch=48", "strech=48"), "expected stretch="},
        {with("raking", "fast"), "unknown reduction"},
        {with("12.5", "nan"), "bad value of microseconds"},
        {good + " more", "text after"},
        {good.substr(0, good.find("lanes=") + 6), "bad value of lanes"},
        {"device=\"GPU bytes=8", "quotation mark"},
    };
    for (auto const& c : cases) {
        CAPTURE(c.line);
        write(file, "# a comment\n\nproduct " + good + "\nproduct " + c.line + "\n");
        try {
            read_tuning_file(file);
            FAIL_CHECK("not refused");
        } catch (format_error const& e) {
            CHECK(std::string(e.what()).find(":4: ") != std::string::npos);
            CHECK(std::string(e.what()).find(c.says) != std::string::npos);
        }
    }
    write(file, "nonsense " + good + "\n");
    CHECK_THROWS_AS(read_tuning_file(file), format_error);
    // The file as an editor on another system may leave it; a new record still replaces the old one.
    write(file, "  product  " + good + "\r\n\r\n");
    REQUIRE(read_tuning_file(file).size() == 1);
    auto other = some_record("GPU", 2);
    write_tuning_file(file, {other});
    REQUIRE(read_tuning_file(file).size() == 1);
    CHECK(to_line(read_tuning_file(file)[0]) == to_line(other));
    write(file, "tridiagonal of another part of the library\n");
    CHECK(read_tuning_file(file).empty());
    CHECK_THROWS_AS(read_tuning_file(folder.path() / "absent"), io_error);
}

TEST_CASE("the tuning file of the user is found by the environment; a damaged one is reported and ignored") {
    /// Sets an environment variable for a scope; null removes it.
    struct variable {
        std::string name;
        std::optional<std::string> before{};
        variable(char const* n, char const* value) : name(n) {
            if (char const* const old = std::getenv(n)) before = old;
            set(value);
        }
        ~variable() { set(before ? before->c_str() : nullptr); }
        void set(char const* value) const {
            if (value)
                setenv(name.c_str(), value, 1);
            else
                unsetenv(name.c_str());
        }
    };
    test::temporary_folder const folder;
    variable const file("COPPICE_TUNING_FILE", "/a/b.txt"), cache("XDG_CACHE_HOME", "/c"), home("HOME", "/h");
    CHECK(default_tuning_file() == "/a/b.txt");
    file.set("");
    CHECK(default_tuning_file() == "/c/coppice/tuning.txt");
    cache.set("c"); // not absolute: it would be another folder in each working directory
    CHECK(default_tuning_file() == "/h/.cache/coppice/tuning.txt");
    cache.set(nullptr);
    CHECK(default_tuning_file() == "/h/.cache/coppice/tuning.txt");
    home.set(nullptr);
    CHECK(default_tuning_file().empty());
    using user_records = coppice::detail::user_tuning<tuning_record>;
    CHECK(user_records(read_tuning_file).records.empty());
    auto const mine = folder.path() / "mine.txt";
    file.set(mine.c_str());
    CHECK(user_records(read_tuning_file).records.empty()); // the file does not exist
    write_tuning_file(mine, {some_record("GPU", 1)});
    user_records const read(read_tuning_file);
    REQUIRE(read.records.size() == 1);
    CHECK(to_line(read.records[0]) == to_line(some_record("GPU", 1)));
    CHECK(read.trouble.empty());
    write(mine, "product device=\"GPU\" bytes=x\n");
    user_records const damaged(read_tuning_file);
    CHECK(damaged.records.empty());
    CHECK(damaged.trouble.find("mine.txt:1: ") != std::string::npos);
}

TEST_CASE("a plan uses the user's record, then the shipped one, then the rule") {
    auto const user = some_record("GPU", 3);
    auto shipped = some_record("GPU", 3);
    shipped.lanes = 1;
    shipped.lane_chunk = 16;
    std::int64_t const rows = 1000, nonzeros = 9000; // 9 per row: class 3
    auto const choose = [&](std::vector<tuning_record> const& u, std::vector<tuning_record> const& s,
                            srcsr_tuning const& requested = {}, std::string const& device = "GPU") {
        return detail::choose_tuning_from(u, s, requested, device, 8, rows, nonzeros);
    };
    auto const both = choose({user}, {shipped});
    CHECK(both.tuning.lane_chunk == 48);
    CHECK(both.tuning.work_per_block == 64 * 10); // two lanes: 64 rows of 9 and their ends
    CHECK(both.tuning.reduction == segmented_reduction::raking);
    CHECK(both.reason.find("the tuning file") != std::string::npos);
    auto const from_library = choose({}, {shipped});
    CHECK(from_library.tuning.work_per_block == 128 * 10);
    CHECK(from_library.reason.find("the shipped table") != std::string::npos);
    auto const by_rule = choose({user}, {shipped}, {}, "another GPU");
    CHECK(by_rule.tuning.lane_chunk == 32);
    CHECK(by_rule.reason.find("by rule") != std::string::npos);
    auto const requested = choose({user}, {shipped}, {.work_per_block = 700, .lane_chunk = 5});
    CHECK(requested.tuning.work_per_block == 700);
    CHECK(requested.tuning.lane_chunk == 5);
    CHECK_THROWS_AS(choose({}, {}, {.threads = 100}), argument_error);
    CHECK_THROWS_AS(choose({}, {}, {.work_per_block = 5000}), argument_error);
}

TEST_CASE("ranges fit into a block for any mean length") {
    for (double const mean : {0.0, 0.1, 1.0, 9.0, 81.0, 127.0, 128.0, 1e3, 1e6, 1e9})
        for (int const threads : {64, 128, 256}) {
            std::int64_t const rows = 1 << 20;
            auto const c = detail::choose_tuning_from({}, {}, {.threads = threads}, "GPU", 8, rows,
                                                      static_cast<std::int64_t>(mean * double(rows)));
            CHECK(c.tuning.work_per_block >= threads);
            CHECK(c.tuning.work_per_block <= 10 * threads);
        }
}

TEST_CASE("classes of row lengths") {
    CHECK(row_length_class(0) == 0);
    CHECK(row_length_class(2) == 0);
    CHECK(row_length_class(2.1) == 1);
    CHECK(row_length_class(9) == 3);
    CHECK(row_length_class(512) == 8);
    CHECK(row_length_class(1e9) == 9);
}

TEST_CASE("shipped records are valid for a plan") {
    for (auto const& r : shipped_tuning()) {
        CAPTURE(to_line(r));
        CHECK((r.threads == 64 || r.threads == 128 || r.threads == 256));
        CHECK(r.lanes >= 1);
        CHECK(r.lane_chunk >= 1);
    }
}
