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

// The sign of NaN depends on how it was computed and is not printed.
double without_sign_of_nan(double value) {
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

struct character {
    std::size_t bytes = 1;
    std::uint32_t code = invalid;
    static constexpr std::uint32_t invalid = 0xffffffff;
};

// Returns the first character of a text in UTF-8, or one byte if it is invalid.
character first_character(std::string_view text) {
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {1, byte(0)};
    std::size_t const bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || bytes > text.size()) return {};
    std::uint32_t code = byte(0) & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3fU);
    }
    bool const overlong = code < (bytes == 4 ? 0x10000U : bytes == 3 ? 0x800U : 0x80U);
    if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
    return {bytes, code};
}

bool is_control(std::uint32_t code) {
    auto const between = [&](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
    return code < 0x20 || between(0x7f, 0x9f) || between(0x200e, 0x200f) || between(0x2028, 0x202e) ||
           between(0x2066, 0x2069) || between(0xfffe, 0xffff);
}

std::string escape(std::uint32_t code) {
    if (code == '\n') return "\\n";
    if (code == '\r') return "\\r";
    if (code == '\t') return "\\t";
    return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

} // namespace

std::string printable(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        auto const c = first_character(text);
        if (c.code == character::invalid)
            shown += escape(static_cast<unsigned char>(text[0]));
        else if (is_control(c.code))
            shown += escape(c.code);
        else
            shown += text.substr(0, c.bytes);
        text.remove_prefix(c.bytes);
    }
    return shown;
}

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
    return fmt::format("{} x {}, {}", show_count(rows), show_count(columns), counted(nonzeros, "nonzero"));
}

std::string json_text(nlohmann::ordered_json const& json) {
    // JSON has no NaN; the library writes null. Names that are not valid UTF-8 must not end the run.
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
    if (auto const* const host = std::get_if<host_executor>(&chosen)) json_["threads"] = working_threads(*host);
    json_["precision"] = options_.precision;
}

void sheet::publish(output_files& files, outcome const& end) {
    add_failure(json_, end);
    files.write_text(options_.json, json_text(json_));
    if (!options_.quiet && !files.on_stdout()) {
        std::size_t width = 0;
        for (auto const& [label, value] : lines_) width = std::max(width, label.size());
        std::string page;
        for (auto const& [label, value] : lines_) page += fmt::format("{:<{}}  {}\n", label, width, printable(value));
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
    print_to_stderr(fmt::format("\r\033[K{}", printable(message)));
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
