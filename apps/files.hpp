// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Output files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::app {

/// Writes to standard output. Throws io_error where not all of it gets there, now or before.
void print_to_stdout(std::string_view text);

/// Whether two names mean one file, however they are spelled and whether or not it is there already.
bool same_file(std::string const& a, std::string const& b);

/// The files a run writes. Each is written into a private folder beside its target; publish() renames them all, and
/// what was not published is removed, also where a signal ends the run. A file that replaces another keeps its mode. A
/// target that is no regular file (a device, a pipe), and "-", standard output, is written in place.
class output_files {
public:
    output_files() = default;
    output_files(output_files const&) = delete;
    output_files& operator=(output_files const&) = delete;
    ~output_files();

    /// States before the work that `path` is going to be written: throws io_error where it cannot be, usage_error where
    /// the run already writes that file, by whatever name, or where its ending promises a format that nothing here
    /// writes, but for `written`. An empty path is no output.
    void expect(std::string_view option, std::string const& path, std::string_view written = "");

    /// Whether a file goes to standard output, which then takes nothing else.
    bool on_stdout() const { return on_stdout_; }

    /// Calls `write(path to write to)`; the file name stays, with its ending (.gz). Empty paths are skipped.
    void write(std::string const& path, std::function<void(std::string const&)> const& write_to);
    /// Writes a text, compressed where the name ends in .gz.
    void write_text(std::string const& path, std::string_view text);

    /// Gives all files their names. Throws io_error.
    void publish();

private:
    struct staged {
        std::filesystem::path temporary; ///< in a folder of its own
        std::filesystem::path target;
    };
    std::vector<std::string> expected_{};
    std::vector<staged> staged_{};
    bool on_stdout_ = false;
};

} // namespace coppice::app
