// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Output files that appear whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::app {

/// The files a run writes. Each is written under a temporary name beside its target; publish() renames them all, and
/// what was not published is removed. A target that is no regular file (a device, a pipe) is written in place.
class output_files {
public:
    output_files() = default;
    output_files(output_files const&) = delete;
    output_files& operator=(output_files const&) = delete;
    ~output_files();

    /// States before the work that `path` is going to be written: throws io_error where it cannot be, usage_error where
    /// the run already writes that path. An empty path is no output.
    void expect(std::string_view option, std::string const& path);

    /// Calls `write(temporary path)`; the file name keeps its ending (.gz). Empty paths are skipped.
    void write(std::string const& path, std::function<void(std::string const&)> const& write_to);
    /// Writes a text.
    void write_text(std::string const& path, std::string_view text);

    /// Gives all files their names. Throws io_error.
    void publish();

private:
    struct staged {
        std::string temporary;
        std::string target;
    };
    std::vector<std::string> expected_{};
    std::vector<staged> staged_{};
};

} // namespace coppice::app
