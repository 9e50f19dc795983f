// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/files/tuning_file.hpp>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <coppice/core/files/file.hpp>
#include <coppice/core/setting.hpp>

namespace coppice::inline v0_1 {

std::filesystem::path default_tuning_file() {
    if (char const* const file = std::getenv("COPPICE_TUNING_FILE"); file && *file) return file;
    if (std::string const cache = detail::cache_home(); !cache.empty())
        return std::filesystem::path(cache) / "coppice" / "tuning.txt";
    return {};
}

namespace detail {
namespace {

/// Exclusive lock of a folder. Two programs that read, modify and replace a file in it then both keep their changes. If
/// folders cannot be locked, or another program holds the lock for seconds, the work continues without the lock.
class folder_lock {
public:
    explicit folder_lock(std::filesystem::path const& folder)
        : descriptor_(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        constexpr int attempts = 1000;
        for (int i = 0; i < attempts && descriptor_ >= 0; ++i) {
            if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    ~folder_lock() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    folder_lock(folder_lock const&) = delete;
    folder_lock& operator=(folder_lock const&) = delete;

private:
    int descriptor_;
};

/// Whether a line begins with the word `kind`; if so, removes it from the line.
bool is_of_kind(std::string_view& line, std::string_view kind) {
    std::string_view const rest = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (rest.substr(0, kind.size()) != kind || rest.substr(kind.size(), 1) != " ") return false;
    line = rest.substr(kind.size() + 1);
    return true;
}

/// Returns the lines of a file with line ends of any system.
std::vector<std::string> lines_of(std::ifstream& in) {
    std::vector<std::string> all;
    for (std::string text; std::getline(in, text);) {
        if (!text.empty() && text.back() == '\r') text.pop_back();
        all.push_back(text);
    }
    return all;
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
    long number = 0;
    for (std::string const& text : lines_of(in)) {
        ++number;
        std::size_t const begin = text.find_first_not_of(' ');
        if (begin == std::string::npos || text[begin] == '#') continue;
        std::string_view rest = text;
        bool const known = std::any_of(std::begin(tuning_kinds), std::end(tuning_kinds), [&](std::string_view k) {
            std::string_view copy = rest;
            return is_of_kind(copy, k);
        });
        bool const mine = is_of_kind(rest, kind);
        tuning_line line(rest, file, number);
        if (!known) line.fail("a record begins with product or tridiagonal");
        if (mine) read(line);
    }
}

void write_tuning_lines(std::filesystem::path const& file, std::string_view kind,
                        std::vector<std::string> const& devices, std::vector<std::string> const& lines) {
    std::error_code none;
    std::filesystem::create_directories(file.parent_path(), none);
    folder_lock const one_at_a_time(file.parent_path());
    std::vector<std::string> all;
    if (std::ifstream in(file); in) {
        all = lines_of(in);
        std::erase_if(all, [&](std::string const& text) {
            std::string_view rest = text;
            if (!is_of_kind(rest, kind)) return false;
            auto const device = tuning_line(rest, file, 1 + (&text - all.data())).value_of("device");
            return std::find(devices.begin(), devices.end(), device) != devices.end();
        });
    }
    if (all.empty()) all.push_back("# Written by `coppice tune`: what was fastest on each device");
    for (auto const& line : lines) all.push_back(std::string(kind) + " " + line);
    std::string text;
    for (auto const& line : all) text.append(line) += '\n';
    atomic_file out(file);
    out.write(text);
    out.commit();
}

} // namespace detail
} // namespace coppice::inline v0_1
