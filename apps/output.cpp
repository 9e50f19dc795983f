// SPDX-License-Identifier: BSD-3-Clause
#include "apps/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/version.hpp"
#include <coppice/core/error.hpp>

namespace coppice::app {
namespace {

void print_to_stdout(std::string const& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw io_error(std::string("standard output cannot be written: ") + std::strerror(errno));
}

} // namespace

std::string show_count(std::int64_t count) {
    auto text = std::to_string(count);
    int const first = count < 0 ? 1 : 0;
    for (int i = static_cast<int>(text.size()) - 3; i > first; i -= 3) text.insert(static_cast<std::size_t>(i), " ");
    return text;
}

std::string counted(std::int64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", show_count(count), noun, count == 1 ? "" : "s");
}

std::string show_seconds(double seconds) {
    if (!(seconds < 1e4)) return fmt::format("{:.0f} s", seconds);
    bool const whole = seconds >= 1, milli = seconds >= 1e-3;
    double const value = whole ? seconds : milli ? 1e3 * seconds : 1e6 * seconds;
    int const decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, whole ? "s" : milli ? "ms" : "us");
}

std::string show_scientific(double value) { return fmt::format("{:.2e}", value); }

std::string show_fraction(double fraction) { return fmt::format("{:.3f}", fraction); }

std::string show_size(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros) {
    return fmt::format("{} x {}, {} nonzeros", show_count(rows), show_count(columns), show_count(nonzeros));
}

sheet::sheet(std::string_view command, common_options const& options) : options_(options) {
    json_["command"] = command;
    json_["version"] = version;
}

void sheet::line(std::string_view label, std::string const& value) { lines_.emplace_back(label, value); }

void sheet::input(std::string const& matrix, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros) {
    line("matrix", matrix);
    line("size", show_size(rows, columns, nonzeros));
    json_["matrix"] = matrix;
    json_["rows"] = rows;
    json_["columns"] = columns;
    json_["nonzeros"] = nonzeros;
}

void sheet::backend(any_executor const& chosen) {
    line("backend", describe_executor(chosen) + ", " + options_.precision + " precision");
    json_["backend"] = backend_name(chosen);
    if (auto const* const host = std::get_if<host_executor>(&chosen)) json_["threads"] = host->threads();
    json_["precision"] = options_.precision;
}

void sheet::publish(output_files& files) const {
    // Not-a-number has no JSON; the library writes null for it. A name that is no UTF-8 must not stop the run.
    auto const text = json_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (options_.json == "-") {
        print_to_stdout(text);
    } else {
        files.write_text(options_.json, text);
        if (!options_.quiet) {
            std::size_t width = 0;
            for (auto const& [label, value] : lines_) width = std::max(width, label.size());
            std::string page;
            for (auto const& [label, value] : lines_) page += fmt::format("{:<{}}  {}\n", label, width, value);
            print_to_stdout(page);
        }
    }
    files.publish();
}

progress::progress(common_options const& options)
    : enabled_(!options.quiet && isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(500)) {}

void progress::show(std::string_view message) {
    if (!enabled_) return;
    auto const now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    fmt::print(stderr, "\r\033[K{}", message);
    std::fflush(stderr);
    visible_ = true;
}

void progress::clear() {
    if (!visible_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    visible_ = false;
}

} // namespace coppice::app
