// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Runs the coppice command as a user does: arguments as input; exit code, standard output and standard error as
/// result.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

extern char** environ;

namespace coppice::test {

namespace fs = std::filesystem;

/// A temporary folder, removed at the end.
class scratch_folder {
public:
    scratch_folder() {
        std::string name = (fs::temp_directory_path() / "coppice-apps-XXXXXX").string();
        if (!mkdtemp(name.data())) std::abort();
        path_ = name;
    }
    scratch_folder(scratch_folder const&) = delete;
    scratch_folder& operator=(scratch_folder const&) = delete;
    ~scratch_folder() { fs::remove_all(path_); }

    std::string operator/(std::string const& name) const { return (path_ / name).string(); }
    std::string write(std::string const& name, std::string const& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return *this / name;
    }
    /// Names of all files in the folder, including hidden ones.
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (auto const& entry : fs::directory_iterator(path_)) found.push_back(entry.path().filename().string());
        return found;
    }

private:
    fs::path path_;
};

inline std::string read_text_file(std::string const& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

struct ended {
    int code = -1; ///< 128 + signal number if a signal ended it
    std::string out{};
    std::string err{};
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Starts a program with the given streams redirected to files; -1 if it cannot be started.
inline pid_t start(std::vector<std::string> arguments, std::vector<std::pair<int, std::string>> const& streams) {
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (auto const& [number, file] : streams)
        posix_spawn_file_actions_addopen(&files, number, file.c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = -1;
    if (posix_spawn(&child, argv[0], &files, nullptr, argv.data(), environ) != 0) child = -1;
    posix_spawn_file_actions_destroy(&files);
    return child;
}

/// Waits for a program; returns its exit code, or 128 + the signal that ended it.
inline int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline ended run_program(std::vector<std::string> const& arguments, std::string const& stdout_to) {
    scratch_folder const folder;
    auto const out = stdout_to.empty() ? folder / "out" : stdout_to, err = folder / "err";
    pid_t const child = start(arguments, {{STDOUT_FILENO, out}, {STDERR_FILENO, err}});
    if (child < 0) return {-1, {}, "the command could not be started"};
    int const code = wait_for(child);
    return {code, stdout_to.empty() ? read_text_file(out) : std::string(), read_text_file(err)};
}

/// Runs `coppice ARGUMENTS...`; `stdout_to` redirects standard output to a file of that name.
inline ended run(std::vector<std::string> arguments, std::string const& stdout_to = {}) {
    arguments.insert(arguments.begin(), COPPICE_COMMAND);
    return run_program(arguments, stdout_to);
}

/// Runs a shell command line in a folder, with the command as $coppice.
inline ended shell(std::string const& folder, std::string const& line) {
    return run_program({"/bin/sh", "-c", "cd \"$1\" && coppice=\"$2\"\n" + line, "sh", folder, COPPICE_COMMAND}, {});
}

/// Whether `text` is exactly one line that begins like every error message.
inline bool is_one_error_line(std::string const& text) {
    return text.rfind("coppice: error: ", 0) == 0 && text.size() > 17 && text.find('\n') == text.size() - 1;
}

} // namespace coppice::test
