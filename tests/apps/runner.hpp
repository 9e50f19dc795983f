// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Runs the coppice command as a user does: arguments in; exit code, standard output and standard error out.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

extern char** environ;

namespace coppice::test {

namespace fs = std::filesystem;

/// A folder of its own, removed at the end.
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
    /// Names of everything in the folder, hidden files included.
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
    int code = -1; ///< 128 + signal where one ended it
    std::string out{};
    std::string err{};
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs `coppice ARGUMENTS...`; `stdout_to` sends standard output to a file of that name instead.
inline ended run(std::vector<std::string> arguments, std::string const& stdout_to = {}) {
    scratch_folder const folder;
    auto const out = stdout_to.empty() ? folder / "out" : stdout_to, err = folder / "err";
    arguments.insert(arguments.begin(), COPPICE_COMMAND);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    int const failed = posix_spawn(&child, COPPICE_COMMAND, &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) return {-1, {}, "the command could not be started"};
    int status = 0;
    waitpid(child, &status, 0);
    int const code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, stdout_to.empty() ? read_text_file(out) : std::string(), read_text_file(err)};
}

/// Whether `text` is exactly one line that begins as every failure does.
inline bool is_one_error_line(std::string const& text) {
    return text.rfind("coppice: error: ", 0) == 0 && text.size() > 17 && text.find('\n') == text.size() - 1;
}

} // namespace coppice::test
