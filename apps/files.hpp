// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Output files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::app {

/// Writes to standard output. Throws io_error where not all of it gets there, now or before.
void print_to_stdout(std::string_view text);

/// Whether two names mean one file, however they are spelled and whether or not it is there already.
bool same_file(std::string const& a, std::string const& b);

/// An input of a run: what messages call it, and the file it comes from: "-" is standard input, an empty name and
/// generate:... are no files.
struct named_input {
    std::string_view name;
    std::string const& file;
};

/// The files a run writes. Each is written into a private folder beside its target; publish() renames them all, and
/// what was not published is removed, also where a signal ends the run. A file that replaces another keeps its mode. A
/// target that is no regular file (a device, a pipe), and "-", standard output, is written in place.
///
/// No output replaces an input: files are compared, not names, so links and other spellings are the same file.
class output_files {
public:
    /// `inputs`: every file that the run reads. Throws usage_error if two of them are standard input, which can be read
    /// only once, or if standard output appends to one of them.
    explicit output_files(std::initializer_list<named_input> inputs);
    output_files(output_files const&) = delete;
    output_files& operator=(output_files const&) = delete;
    ~output_files();

    /// States before the work that `path` is going to be written: throws io_error if it cannot be, usage_error if it is
    /// an input of the run or another of its outputs, by whatever name, or if its ending promises a format that nothing
    /// here writes, except `written`. An empty path is no output. The vector that is read as `updated` may be replaced,
    /// also if it is another vector of the run; the MATRIX may not.
    void expect(std::string_view option, std::string const& path, std::string_view written = "",
                std::string_view updated = "");

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
    struct input_file {
        std::string name;
        std::string file;
    };
    std::vector<input_file> inputs_{};
    std::vector<std::string> expected_{};
    std::vector<staged> staged_{};
    bool on_stdout_ = false;
};

} // namespace coppice::app
