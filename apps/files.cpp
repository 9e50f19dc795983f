// SPDX-License-Identifier: BSD-3-Clause
#include "apps/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <unistd.h>

#include "apps/app.hpp"
#include <coppice/core/error.hpp>

namespace coppice::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string const& path, std::string const& why) {
    throw io_error(path + ": cannot be written: " + why);
}

// The file behind symbolic links, so that a link stays a link.
fs::path resolved(std::string const& path) {
    std::error_code failure;
    auto const target = fs::weakly_canonical(path, failure);
    return failure ? fs::path(path) : target;
}

bool is_special(fs::path const& path) {
    std::error_code failure;
    return fs::exists(path, failure) && !fs::is_regular_file(path, failure);
}

fs::path folder_of(fs::path const& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

} // namespace

output_files::~output_files() {
    for (auto const& file : staged_)
        if (file.temporary != file.target) std::remove(file.temporary.c_str());
}

void output_files::expect(std::string_view option, std::string const& path) {
    if (path.empty()) return;
    auto const target = resolved(path);
    std::error_code failure;
    if (fs::is_directory(target, failure)) refuse(path, "it is a folder");
    if (is_special(target)) {
        if (access(target.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
        return;
    }
    if (!fs::is_directory(folder_of(target), failure)) refuse(path, "its folder does not exist");
    if (access(folder_of(target).c_str(), W_OK | X_OK) != 0) refuse(path, std::strerror(errno));
    if (fs::exists(target, failure) && access(target.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
    if (std::find(expected_.begin(), expected_.end(), target.string()) != expected_.end())
        throw usage_error(std::string(option) + " " + path + ": another option writes the same file");
    expected_.push_back(target.string());
}

void output_files::write(std::string const& path, std::function<void(std::string const&)> const& write_to) {
    if (path.empty()) return;
    auto const target = resolved(path);
    auto temporary = target;
    if (!is_special(target))
        temporary = folder_of(target) / (".coppice-" + std::to_string(getpid()) + "-" + target.filename().string());
    staged_.push_back({temporary.string(), target.string()});
    write_to(temporary.string());
}

void output_files::write_text(std::string const& path, std::string_view text) {
    write(path, [&](std::string const& temporary) {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(temporary.c_str(), "wb"), &std::fclose);
        if (!file) refuse(path, std::strerror(errno));
        bool const written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
        if (!written || std::fclose(file.release()) != 0) refuse(path, std::strerror(errno));
    });
}

void output_files::publish() {
    for (auto const& file : staged_)
        if (file.temporary != file.target && std::rename(file.temporary.c_str(), file.target.c_str()) != 0)
            refuse(file.target, std::strerror(errno));
    staged_.clear();
}

} // namespace coppice::app
