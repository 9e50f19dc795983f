// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The user's tuning file: what `coppice tune` measured on the GPUs of a machine, a line for each finding. A line
/// is a word that says what it is about, then `name=value` pairs in a fixed order; values may stand in quotation marks.
/// Lines that are empty or begin with # say nothing. Each part of the library reads and writes lines of its own kind.
///
///     product device="NVIDIA H200" bytes=8 class=3 threads=128 lanes=1 stretch=32 reduction=warp-transposed ...
///     tridiagonal device="NVIDIA H200" bytes=4 rows=12 systems=5 partition=8 threads=128 microseconds=7.1
#pragma once

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <coppice/core/error.hpp>

namespace coppice {

/// $COPPICE_TUNING_FILE, else coppice/tuning.txt in $XDG_CACHE_HOME or ~/.cache; empty without any of them.
std::filesystem::path default_tuning_file();

namespace detail {

inline constexpr std::string_view tuning_kinds[] = {"product", "tridiagonal"};

/// Reads the pairs of a line; format_error with file and line for anything else.
class tuning_line {
public:
    /// `text` begins behind the kind.
    tuning_line(std::string_view text, std::filesystem::path const& file, long number)
        : rest_(text), file_(file), number_(number) {}

    std::string_view value_of(std::string_view name);
    template <class T>
    T number_of(std::string_view name, T least, T most) {
        std::string_view const text = value_of(name);
        T value{};
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
            fail("bad value of " + std::string(name) + ": '" + std::string(text) + "'");
        return value;
    }
    void end() const {
        if (rest_.find_first_not_of(" \r") != std::string_view::npos) fail("text behind the record");
    }
    [[noreturn]] void fail(std::string const& what) const { throw format_error(file_.string(), number_, what); }

private:
    std::string_view rest_;
    std::filesystem::path const& file_;
    long number_;
};

/// Calls read(line) for each line of a kind, and checks that the others are of a known one. io_error for a file that
/// cannot be opened.
void read_tuning_lines(std::filesystem::path const& file, std::string_view kind,
                       std::function<void(tuning_line&)> const& read);

/// Writes `lines` (without their kind) in place of those of that kind about one of `devices`; keeps all others as they
/// stand. Makes the folder. The file is replaced as a whole (atomic_file), so that nobody reads a part of it; programs
/// that write at the same time take turns. io_error if it cannot be written.
void write_tuning_lines(std::filesystem::path const& file, std::string_view kind,
                        std::vector<std::string> const& devices, std::vector<std::string> const& lines);

/// Records of the user, and what was wrong with them; a file that is not there holds none.
template <class Record>
struct user_tuning {
    std::vector<Record> records;
    std::string trouble;

    explicit user_tuning(std::vector<Record> (*read)(std::filesystem::path const&)) {
        auto const file = default_tuning_file();
        std::error_code none;
        if (file.empty() || !std::filesystem::exists(file, none)) return;
        try {
            records = read(file);
        } catch (error const& e) {
            trouble = e.what();
        }
    }
};

} // namespace detail
} // namespace coppice
