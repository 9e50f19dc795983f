// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The tuning file of the user: results of `coppice tune` for the GPUs of a machine, one record per line. A record
/// begins with its kind, a word, followed by `name=value` pairs in a fixed order; values may be quoted. Empty lines and
/// lines that begin with # are ignored. Each component of the library reads and writes records of one kind.
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

namespace coppice::inline v0_1 {

/// Returns $COPPICE_TUNING_FILE, else coppice/tuning.txt in $XDG_CACHE_HOME or $HOME/.cache; empty if neither of the
/// two is an absolute path.
std::filesystem::path default_tuning_file();

namespace detail {

inline constexpr std::string_view tuning_kinds[] = {"product", "tridiagonal"};

/// Parses the pairs of a record. Throws format_error with file and line if the text is malformed.
class tuning_line {
public:
    /// `text` starts after the kind.
    tuning_line(std::string_view text, std::filesystem::path const& file, long number)
        : rest_(text), file_(file), number_(number) {}

    std::string_view value_of(std::string_view name);
    template <class T>
    T number_of(std::string_view name, T min, T max) {
        std::string_view const text = value_of(name);
        T value{};
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !(value >= min && value <= max))
            fail("bad value of " + std::string(name) + ": '" + std::string(text) + "'");
        return value;
    }
    void end() const {
        if (rest_.find_first_not_of(" \r") != std::string_view::npos) fail("text after the record");
    }
    [[noreturn]] void fail(std::string const& what) const { throw format_error(file_.string(), number_, what); }

private:
    std::string_view rest_;
    std::filesystem::path const& file_;
    long number_;
};

/// Calls read(line) for each record of kind `kind`. Throws format_error if another record has an unknown kind, io_error
/// if the file cannot be opened.
void read_tuning_lines(std::filesystem::path const& file, std::string_view kind,
                       std::function<void(tuning_line&)> const& read);

/// Replaces the records of kind `kind` for the devices in `devices` by `lines` (without the kind); keeps all other
/// lines. Creates the folder. The file is replaced atomically (atomic_file), so that no reader sees an incomplete file.
/// Programs that write at the same time are serialised. Throws io_error if the file cannot be written.
void write_tuning_lines(std::filesystem::path const& file, std::string_view kind,
                        std::vector<std::string> const& devices, std::vector<std::string> const& lines);

/// Records of the user's file; none if the file does not exist. `trouble` is the error message if it could not be read.
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
} // namespace coppice::inline v0_1
