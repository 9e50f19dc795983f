// SPDX-License-Identifier: BSD-3-Clause
#include "apps/output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/version.hpp"

namespace coppice::app {
namespace {

// Not-a-number has a sign that depends on how it came about and says nothing.
double without_sign_of_nan(double value) {
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
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
    if (!(seconds < 1e4)) return fmt::format("{:.0f} s", without_sign_of_nan(seconds));
    bool const whole = seconds >= 1, milli = seconds >= 1e-3;
    double const value = whole ? seconds : milli ? 1e3 * seconds : 1e6 * seconds;
    int const decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, whole ? "s" : milli ? "ms" : "us");
}

std::string show_scientific(double value) { return fmt::format("{:.2e}", without_sign_of_nan(value)); }

std::string show_fraction(double fraction) { return fmt::format("{:.3f}", without_sign_of_nan(fraction)); }

std::string show_size(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros) {
    return fmt::format("{} x {}, {} nonzeros", show_count(rows), show_count(columns), show_count(nonzeros));
}

std::string json_text(nlohmann::ordered_json const& json) {
    // Not-a-number has no JSON; the library writes null for it. A name that is no UTF-8 must not stop the run.
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void add_failure(nlohmann::ordered_json& json, outcome const& end) {
    if (end.reason.empty()) return;
    json["error"] = end.reason;
    json["code"] = end.code;
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

void sheet::publish(output_files& files, outcome const& end) {
    add_failure(json_, end);
    files.write_text(options_.json, json_text(json_));
    if (!options_.quiet && !files.on_stdout()) {
        std::size_t width = 0;
        for (auto const& [label, value] : lines_) width = std::max(width, label.size());
        std::string page;
        for (auto const& [label, value] : lines_) page += fmt::format("{:<{}}  {}\n", label, width, value);
        print_to_stdout(page);
    }
    files.publish();
}

void print_to_stderr(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

progress::progress(common_options const& options)
    : limits_{.max_expansion = options.max_expansion, .max_bytes = options.max_input},
      enabled_(!options.quiet && isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(500)) {}

void progress::show(std::string_view message) {
    if (!enabled_) return;
    auto const now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    print_to_stderr(fmt::format("\r\033[K{}", message));
    visible_ = true;
}

file_progress progress::of_file(std::string const& name) {
    if (!enabled_) return {};
    return [this, name](char const* step, std::int64_t done, std::int64_t of) {
        double const percent = of > 0 ? 100 * static_cast<double>(done) / static_cast<double>(of) : 100;
        show(fmt::format("{} {}: {:.0f} %", step, name, percent));
    };
}

void progress::clear() {
    if (!visible_) return;
    print_to_stderr("\r\033[K");
    visible_ = false;
}

} // namespace coppice::app
