// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Output files that are written completely or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::app {

/// Writes to standard output. Throws io_error if this or an earlier write failed.
void print_to_stdout(std::string_view text);

/// Whether two paths denote the same file, which may not exist yet.
bool same_file(std::string const& a, std::string const& b);

/// An input of a run: its name in messages, and its path. "-" is standard input; an empty path and generate:... are not
/// files.
struct named_input {
    std::string_view name;
    std::string const& file;
};

/// The output files of a run. Each is written into a private folder next to its target. publish() renames all of them;
/// unpublished files are removed, also if a signal ends the run; if it is killed, the next run that writes into the
/// folder removes them. Published files are on the disk, unless --no-sync. A file that replaces another one keeps its
/// access mode. A target that is not a regular file (a device, a pipe), and "-", standard output, are written directly.
///
/// No output replaces an input: files are compared instead of names, so symbolic links and different spellings are
/// recognised.
class output_files {
public:
    /// `inputs`: every file that the run reads. Throws usage_error if two of them are standard input, which can be read
    /// only once, or if standard output appends to one of them.
    explicit output_files(std::initializer_list<named_input> inputs);
    output_files(output_files const&) = delete;
    output_files& operator=(output_files const&) = delete;
    ~output_files();

    /// Announces the output `path` before the work starts. Throws io_error if it cannot be written, usage_error if it
    /// is an input or another output of the run, or if its ending denotes a format that is not supported for output,
    /// except `written`. An empty path is ignored. The vector that is read as option `updated` may be replaced, also if
    /// it is another vector of the run; the MATRIX may not.
    void expect(std::string_view option, std::string const& path, std::string_view written = "",
                std::string_view updated = "");

    /// Whether a file is written to standard output; nothing else is printed there then.
    bool on_stdout() const { return on_stdout_; }

    /// Calls `write(temporary path)`; the file name keeps its ending (.gz). Empty paths are skipped.
    void write(std::string const& path, std::function<void(std::string const&)> const& write_to);
    /// Writes a text, compressed if the name ends in .gz.
    void write_text(std::string const& path, std::string_view text);

    /// Moves all files to their targets. Throws io_error.
    void publish();

private:
    struct staged {
        std::filesystem::path temporary; ///< in a private folder
        std::filesystem::path target;
        int lock; ///< descriptor of the private folder, see core/files/partial_file.hpp
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
