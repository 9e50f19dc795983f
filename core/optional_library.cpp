// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/optional_library.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

namespace coppice::inline v0_1 {
namespace {

struct folder_list {
    std::mutex mutex{};
    std::vector<std::string> folders{};

    static folder_list& all() {
        static folder_list list;
        return list;
    }
};

} // namespace

void add_library_folder(std::string const& path) {
    folder_list& list = folder_list::all();
    std::scoped_lock const lock(list.mutex);
    if (std::find(list.folders.begin(), list.folders.end(), path) == list.folders.end()) list.folders.push_back(path);
}

optional_library::optional_library(std::string product, std::string const& file, std::span<char const* const> names)
    : product_(std::move(product)) {
    if (!file.empty()) {
        load(file);
        return;
    }
    for (char const* const name : names)
        if (load(name)) return;
    std::string reason = why_not_;
    folder_list& list = folder_list::all();
    std::scoped_lock const lock(list.mutex);
    for (std::string const& folder : list.folders)
        for (char const* const name : names) {
            std::string const file_there = folder + '/' + name;
            if (::access(file_there.c_str(), F_OK) != 0) continue;
            if (load(file_there)) return;
            reason = why_not_; // that of an existing file, for example a library that it needs
        }
    why_not_ = reason;
}

bool optional_library::load(std::string const& path) {
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
        char const* const reason = ::dlerror();
        why_not_ = product_ + " was not found: " + (reason ? reason : path.c_str());
        return false;
    }
    path_ = path;
    why_not_.clear();
    return true;
}

void* optional_library::address_of(char const* name) {
    void* const found = handle_ ? ::dlsym(handle_, name) : nullptr;
    if (!found && why_not_.empty()) why_not_ = product_ + ": " + path_ + " has no function " + name;
    return found;
}

} // namespace coppice::inline v0_1
