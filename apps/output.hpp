// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What a command says: lines for people, JSON for programs, progress for those who wait.
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

/// A JSON object as it is written.
std::string json_text(nlohmann::ordered_json const& json);
/// Adds "error" and "code" where the run failed.
void add_failure(nlohmann::ordered_json& json, outcome const& end);

/// `text` for a terminal: control characters (of ASCII, of ISO 6429, of line and direction in Unicode) and bytes that
/// are not UTF-8 are written as escapes, \n, \x1b, \u202e. File names may hold any of them.
std::string printable(std::string_view text);

/// Writes to standard error, which nobody may be reading: what cannot be said there is not said.
void print_to_stderr(std::string_view text);

/// The results of a run, collected once for both readers.
class sheet {
public:
    sheet(std::string_view command, common_options const& options);

    /// A line for people: a label and its value.
    void line(std::string_view label, std::string const& value);
    /// The lines and fields that say which matrix was worked on, where, and in which precision.
    void input(std::string const& matrix, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros);
    void backend(any_executor const& chosen);
    /// The JSON object of the command.
    nlohmann::ordered_json& json() { return json_; }

    /// Stages the JSON file, prints to standard output what belongs there, and publishes all files of the run; a
    /// failure that has results all the same stands in the JSON object too. Throws io_error, and then no file has
    /// appeared.
    void publish(output_files& files, outcome const& end = {});

private:
    common_options const& options_;
    nlohmann::ordered_json json_;
    std::vector<std::pair<std::string, std::string>> lines_{};
};

/// One line on standard error that is rewritten in place. Silent unless standard error is a terminal and the work has
/// taken half a second; wiped when it ends.
class progress {
public:
    explicit progress(common_options const& options);
    ~progress() { clear(); }
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;

    /// Whether any message could ever be seen; spares the caller from preparing them.
    bool enabled() const { return enabled_; }
    void show(std::string_view message);
    void clear();
    /// What readers and writers of a file are to call: "parsing a.mtx: 45 %". Lives as long as this.
    file_progress of_file(std::string const& name);
    /// How much memory the files of this run may take, by the common options.
    read_limits const& limits() const { return limits_; }

private:
    read_limits limits_;
    bool enabled_;
    bool visible_ = false;
    std::chrono::steady_clock::time_point next_;
};

} // namespace coppice::app
