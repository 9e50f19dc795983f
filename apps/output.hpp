// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Output of a command: lines for the user, JSON for programs, progress during the work.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/app.hpp"
#include "apps/backend.hpp"
#include "apps/files.hpp"
#include <coppice/core/files/file.hpp>

namespace coppice::app {

/// Seconds since construction or the last lap().
class stopwatch {
public:
    double lap() {
        auto const now = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
    }
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string show_count(std::int64_t count);                     ///< "1 440 000"
std::string counted(std::int64_t count, std::string_view noun); ///< "1 path", "2 paths"
std::string show_seconds(double seconds);                       ///< "12.3 ms"
std::string show_scientific(double value);                      ///< "9.13e-07"
std::string show_fraction(double fraction);                     ///< "0.667"
std::string show_size(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros);

/// Formats a JSON object as text.
std::string json_text(nlohmann::ordered_json const& json);
/// Adds "error" and "code" if the run failed.
void add_failure(nlohmann::ordered_json& json, outcome const& end);

/// Returns `text` for a terminal, HTML or XML: control characters (of ASCII, of ISO 6429, of line and direction in
/// Unicode), U+FFFE, U+FFFF and invalid UTF-8 are written as escapes \n, \x1b, \u202e. File names may contain any of
/// them.
std::string printable(std::string_view text);

/// Writes to standard error. Errors of the write are ignored.
void print_to_stderr(std::string_view text);

/// The results of a run, for text and JSON output.
class sheet {
public:
    sheet(std::string_view command, common_options const& options);

    /// Adds a line of text: a label and its value.
    void line(std::string_view label, std::string const& value);
    /// Adds the lines and fields for the matrix, the backend and the precision.
    void input(std::string const& matrix, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros);
    void backend(any_executor const& chosen);
    /// Returns the JSON object of the command.
    nlohmann::ordered_json& json() { return json_; }

    /// Writes the JSON file, prints the text to standard output, and publishes all files of the run. If a failed run
    /// has results, the failure is part of the JSON object. Throws io_error, and then no file has been published.
    void publish(output_files& files, outcome const& end = {});

private:
    common_options const& options_;
    nlohmann::ordered_json json_;
    std::vector<std::pair<std::string, std::string>> lines_{};
};

/// A line on standard error that is overwritten by each message. Silent unless standard error is a terminal and the
/// work has taken half a second; erased at the end.
class progress {
public:
    explicit progress(common_options const& options);
    ~progress() { clear(); }
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;

    /// Whether messages can be visible, so that callers need not prepare them otherwise.
    bool enabled() const { return enabled_; }
    void show(std::string_view message);
    void clear();
    /// Callback for readers and writers of a file: "parsing a.mtx: 45 %". Must not outlive this object.
    file_progress of_file(std::string const& name);
    /// Limits of the memory for the files of this run, from the common options.
    read_limits const& limits() const { return limits_; }

private:
    read_limits limits_;
    bool enabled_;
    bool visible_ = false;
    std::chrono::steady_clock::time_point next_;
};

} // namespace coppice::app
