// SPDX-License-Identifier: BSD-3-Clause
#include "core/tuning_file.hpp"

#include <cstdlib>
#include <fstream>

namespace coppice {

std::filesystem::path default_tuning_file() {
    if (char const* const file = std::getenv("COPPICE_TUNING_FILE"); file && *file) return file;
    if (char const* const cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
        return std::filesystem::path(cache) / "coppice" / "tuning.txt";
    if (char const* const home = std::getenv("HOME"); home && *home)
        return std::filesystem::path(home) / ".cache" / "coppice" / "tuning.txt";
    return {};
}

namespace detail {
namespace {

/// Does a line begin with this kind? Then it is left with what follows.
bool is_of_kind(std::string_view& line, std::string_view kind) {
    if (line.substr(0, kind.size()) != kind || line.substr(kind.size(), 1) != " ") return false;
    line.remove_prefix(kind.size() + 1);
    return true;
}

} // namespace

std::string_view tuning_line::value_of(std::string_view name) {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    if (rest_.substr(0, name.size()) != name || rest_.substr(name.size(), 1) != "=")
        fail("expected " + std::string(name) + "=");
    rest_.remove_prefix(name.size() + 1);
    bool const quoted = !rest_.empty() && rest_.front() == '"';
    if (quoted) rest_.remove_prefix(1);
    std::size_t const end = std::min(rest_.find(quoted ? '"' : ' '), rest_.size());
    if (quoted && end == rest_.size()) fail("missing quotation mark");
    std::string_view const value = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return value;
}

void read_tuning_lines(std::filesystem::path const& file, std::string_view kind,
                       std::function<void(tuning_line&)> const& read) {
    std::ifstream in(file);
    if (!in) throw io_error("cannot open '" + file.string() + "'");
    std::string text;
    for (long number = 1; std::getline(in, text); ++number) {
        std::size_t const begin = text.find_first_not_of(" \r");
        if (begin == std::string::npos || text[begin] == '#') continue;
        std::string_view rest = std::string_view(text).substr(begin);
        bool const known = std::any_of(std::begin(tuning_kinds), std::end(tuning_kinds), [&](std::string_view k) {
            std::string_view copy = rest;
            return is_of_kind(copy, k);
        });
        bool const mine = is_of_kind(rest, kind);
        tuning_line line(rest, file, number);
        if (!known) line.fail("expected product or tridiagonal");
        if (mine) read(line);
    }
}

void write_tuning_lines(std::filesystem::path const& file, std::string_view kind,
                        std::vector<std::string> const& starts, std::vector<std::string> const& lines) {
    std::vector<std::string> all;
    if (std::ifstream in(file); in)
        for (std::string text; std::getline(in, text);) {
            std::string_view rest = text;
            bool const replaced =
                is_of_kind(rest, kind) &&
                std::any_of(starts.begin(), starts.end(), [&](auto const& s) { return rest.substr(0, s.size()) == s; });
            if (!replaced) all.push_back(text);
        }
    if (all.empty()) all.push_back("# Written by `coppice tune`: what was fastest on each device");
    for (auto const& line : lines) all.push_back(std::string(kind) + " " + line);
    std::error_code none;
    std::filesystem::create_directories(file.parent_path(), none);
    std::ofstream out(file);
    for (auto const& line : all) out << line << '\n';
    out.flush();
    if (!out) throw io_error("cannot write '" + file.string() + "'");
}

} // namespace detail
} // namespace coppice
