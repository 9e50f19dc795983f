// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/files/run_time_library.hpp>

#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coppice/core/error.hpp>
#include <coppice/core/setting.hpp>

extern char** environ;

namespace coppice::inline v0_1 {
namespace {

using detail::setting;

/// Throws unless the file or folder belongs to this user and nobody else can write it.
void require_private(std::string const& path, bool folder) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0)
        throw backend_error{"cannot read " + path + ": " + std::generic_category().message(errno)};
    bool const kind = folder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode);
    if (!kind || info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw backend_error{path + " is not " + (folder ? "a folder" : "a file") +
                            " of this user that nobody else can write"};
}
/// Makes a folder and its parents, without an error.
void make_folders(std::string const& path) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        ::mkdir(path.substr(0, at).c_str(), 0700);
    ::mkdir(path.c_str(), 0700);
}

/// The folder that later programs read, too; empty if neither variables name one nor the user has one that is private.
/// Throws if COPPICE_CACHE_DIR is not private.
std::string cache_folder() {
    std::string const given = setting("COPPICE_CACHE_DIR"), home = detail::cache_home();
    if (given.empty() && home.empty()) return {};
    std::string path = given.empty() ? home + "/coppice" : given;
    make_folders(path);
    try {
        require_private(path, true);
    } catch (backend_error const&) {
        if (!given.empty()) throw;
        return {};
    }
    return path;
}

/// A folder of this process, which removes it when it ends.
class process_folder {
public:
    process_folder() {
        std::string const base = setting("TMPDIR");
        path_ = (base.empty() ? "/tmp" : base) + "/coppice-XXXXXX";
        if (!::mkdtemp(path_.data()))
            throw backend_error{"cannot make the folder " + path_ + " for compiled functions: " +
                                std::generic_category().message(errno) + "; set COPPICE_CACHE_DIR"};
    }
    ~process_folder() {
        std::error_code ignored;
        if (is_ours()) std::filesystem::remove_all(path_, ignored);
    }
    process_folder(process_folder const&) = delete;
    bool is_ours() const { return owner_ == ::getpid(); } // not that of the process that called fork()
    std::string const& path() const { return path_; }

private:
    std::string path_;
    pid_t owner_ = ::getpid();
};
std::string folder_of_process() {
    static std::mutex guard;
    static std::unique_ptr<process_folder> folder;
    std::scoped_lock const lock(guard);
    if (!folder || !folder->is_ours()) folder = std::make_unique<process_folder>();
    return folder->path();
}

/// Hash of a text (FNV-1a, 64 bits).
std::string hash_of(std::string const& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    std::string digits(16, '0');
    for (std::size_t k = 16; k-- > 0; hash >>= 4) digits[k] = "0123456789abcdef"[hash & 15];
    return digits;
}
std::string content_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A file with a name that no other has, which is removed at the end unless it was renamed.
class temporary_file {
public:
    temporary_file(std::string const& folder, std::string const& ending) : path_(folder + "/new-XXXXXX" + ending) {
        int const file = ::mkstemps(path_.data(), int(ending.size()));
        if (file < 0) throw backend_error{"cannot write to " + folder + ": " + std::generic_category().message(errno)};
        ::close(file);
    }
    ~temporary_file() { ::unlink(path_.c_str()); }
    temporary_file(temporary_file const&) = delete;
    std::string const& path() const { return path_; }
    void rename_to(std::string const& name) const {
        if (::rename(path_.c_str(), name.c_str()) != 0)
            throw backend_error{"cannot write " + name + ": " + std::generic_category().message(errno)};
    }

private:
    std::string path_;
};

std::string compiler(run_time_language language) {
    bool const is_c = language == run_time_language::c;
    std::string given = setting(is_c ? "COPPICE_CC" : "COPPICE_CXX");
    if (!given.empty()) return given;
    return is_c ? "cc" : "c++";
}
/// Runs the compiler, without a shell. Its messages are in the file `log`.
void run_compiler(run_time_language language, std::string const& source, std::string const& library,
                  std::string const& log) {
    std::string const program = compiler(language);
    bool const is_c = language == run_time_language::c;
    std::array<char const*, 11> const arguments = {program.c_str(),
                                                   is_c ? "-std=gnu11" : "-std=gnu++17",
                                                   is_c ? "-O3" : "-O1",
                                                   is_c ? "-fwrapv" : "-ffp-contract=off",
                                                   "-fPIC",
                                                   "-shared",
                                                   "-o",
                                                   library.c_str(),
                                                   source.c_str(),
                                                   "-lm",
                                                   nullptr};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    int const started =
        ::posix_spawnp(&child, program.c_str(), &actions, nullptr, const_cast<char**>(arguments.data()), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (started != 0)
        throw backend_error{"cannot run the compiler " + program + ": " + std::generic_category().message(started)};
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw argument_error("the compiler " + program + " does not accept it: " + content_of(log).substr(0, 600));
}

/// Returns the path of the library of a source.
std::string library_of(std::string const& source, run_time_language language) {
    bool const is_c = language == run_time_language::c;
    return run_time_file(compiler(language), source, {is_c ? ".c" : ".cpp", ".so"},
                         [language](std::string const& text, std::string const& to) {
                             temporary_file const log(to.substr(0, to.rfind('/')), ".log");
                             run_compiler(language, text, to, log.path());
                         });
}

/// Loads a library. It remains loaded, because its functions may be in use until the program ends.
void* loaded(std::string const& path) {
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw backend_error{std::string("cannot load the compiled library: ") + ::dlerror()};
    return handle;
}

/// A library, or the exception of the compiler that does not accept its source.
struct outcome {
    void* library = nullptr;
    std::exception_ptr failure = {};
};
outcome outcome_of(std::string const& source, run_time_language language) {
    try {
        return {loaded(library_of(source, language)), {}};
    } catch (argument_error const&) {
        return {nullptr, std::current_exception()};
    }
}

/// The paths of a stored source and of what was made of it.
struct stored_files {
    std::string source, result;
};
/// Whether the result is stored. Throws if another user can write it, or if it was made of another source.
bool is_stored(stored_files const& files, std::string const& source) {
    if (::access(files.result.c_str(), F_OK) != 0) return false;
    require_private(files.result, false);
    if (content_of(files.source) != source) throw backend_error{files.source + " has another source"};
    return true;
}

} // namespace

std::string run_time_file(std::string const& maker, std::string const& source, run_time_endings const& endings,
                          std::function<void(std::string const&, std::string const&)> const& make) {
    if (setting("COPPICE_JIT") == "off") throw backend_error("COPPICE_JIT is off");
    std::string const name = "/" + hash_of(maker + source);
    auto const files_in = [&](std::string const& folder) {
        return stored_files{folder + name + endings.source, folder + name + endings.result};
    };
    std::string folder = cache_folder();
    if (!folder.empty() && is_stored(files_in(folder), source)) return files_in(folder).result;
    if (folder.empty() || (setting("COPPICE_CACHE_DIR").empty() && ::access(folder.c_str(), W_OK) != 0)) {
        folder = folder_of_process();
        if (is_stored(files_in(folder), source)) return files_in(folder).result;
    }
    temporary_file const text(folder, endings.source), made(folder, endings.result);
    std::ofstream(text.path(), std::ios::binary) << source;
    make(text.path(), made.path());
    stored_files const files = files_in(folder);
    text.rename_to(files.source);
    made.rename_to(files.result);
    return files.result;
}

void* run_time_library(std::string const& source, run_time_language language) {
    static std::mutex guard;
    static auto* const known = new std::unordered_map<std::string, outcome>; // by compiler and source
    if (setting("COPPICE_JIT") == "off") throw backend_error("COPPICE_JIT is off");
    std::scoped_lock const lock(guard);
    std::string key = compiler(language) + '\n' + source;
    auto found = known->find(key); // other failures may have gone at the next call
    if (found == known->end()) found = known->emplace(std::move(key), outcome_of(source, language)).first;
    if (!found->second.library) std::rethrow_exception(found->second.failure);
    return found->second.library;
}

void* run_time_function(void* library, char const* name) noexcept { return ::dlsym(library, name); }

} // namespace coppice::inline v0_1
