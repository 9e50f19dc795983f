// SPDX-License-Identifier: BSD-3-Clause
#include "apps/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/app.hpp"
#include "apps/interrupt.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/core/error.hpp>
#include <coppice/core/files/file.hpp>
#include <coppice/core/files/partial_file.hpp>

namespace coppice::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string const& path, std::string const& why) {
    throw io_error(path + ": cannot be written: " + why);
}

fs::path folder_of(fs::path const& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Resolves symbolic links of the target, so that a link remains a link.
fs::path resolved(fs::path path) {
    std::error_code failure;
    for (int followed = 0; followed < 40 && fs::is_symlink(path, failure); ++followed) {
        auto const to = fs::read_symlink(path, failure);
        if (failure) return path;
        path = to.is_absolute() ? to : folder_of(path) / to;
    }
    auto const folder = fs::canonical(folder_of(path), failure);
    if (failure) return path;
    return path.filename() == "." || path.filename() == ".." ? fs::weakly_canonical(path) : folder / path.filename();
}

bool is_special(fs::path const& path) {
    std::error_code failure;
    return fs::exists(path, failure) && !fs::is_regular_file(path, failure);
}

bool is_one_file(struct stat const& a, struct stat const& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// Whether the path is "-" or a system name of the file or pipe of standard output.
bool is_stdout(fs::path const& path) {
    if (is_standard_stream(path)) return true;
    struct stat file {
    }, out{};
    if (::stat(path.c_str(), &file) != 0 || ::fstat(STDOUT_FILENO, &out) != 0) return false;
    return (S_ISREG(file.st_mode) || S_ISFIFO(file.st_mode)) && is_one_file(file, out);
}

// Whether an input reads the regular file `target`; "-" reads the file of standard input.
bool reads_file(std::string const& input, struct stat const& target) {
    struct stat status {};
    bool const known =
        is_standard_stream(input) ? ::fstat(STDIN_FILENO, &status) == 0 : ::stat(input.c_str(), &status) == 0;
    return known && S_ISREG(target.st_mode) && is_one_file(status, target);
}
bool reads_file(std::string const& input, std::string const& path) {
    struct stat target {};
    if (::stat(path.c_str(), &target) == 0) return reads_file(input, target);
    return !is_standard_stream(input) && same_file(input, path); // neither exists
}

// Rejects file name endings of formats that are not supported for output.
void check_ending(std::string_view option, std::string const& path) {
    static constexpr std::string_view others[] = {".bz2", ".xz",  ".zst", ".lz4", ".lzma", ".zip", ".7z",
                                                  ".Z",   ".tar", ".tgz", ".pdf", ".ps",   ".png", ".jpg",
                                                  ".svg", ".mat", ".npy", ".npz", ".h5",   ".rb",  ".rua"};
    auto const ending = fs::path(path).extension().string();
    if (std::find(std::begin(others), std::end(others), ending) != std::end(others))
        throw usage_error(fmt::format("{} {}: the format {} is not supported for output; files are plain text, "
                                      "or gzip if the name ends in .gz",
                                      option, path, ending));
}

// Converts a message about the temporary file to one about the target.
std::string about_target(std::string const& path, std::string message, std::string const& temporary) {
    if (auto const at = message.find(temporary); at != std::string::npos) message.replace(at, temporary.size(), path);
    return message;
}

struct private_folder {
    fs::path path{}; // empty: see errno
    int lock = -1;
};
// Creates and locks a partial folder in `parent`.
private_folder make_private_folder(fs::path const& parent) {
    detail::remove_abandoned(parent);
    for (int attempts = 100; attempts > 0; --attempts) {
        auto made = make_removable_folder((parent / (std::string(detail::partial_prefix) + "XXXXXX")).string());
        if (made.empty()) return {};
        int const lock = ::open(made.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (lock >= 0 && detail::lock_partial(lock)) return {std::move(made), lock};
        int const reason = errno;
        if (lock >= 0) ::close(lock); // removed as abandoned before it was locked
        forget_interrupt(made);
        errno = reason;
    }
    return {};
}

void check_writable(std::string const& path, fs::path const& target) {
    std::error_code failure;
    if (fs::is_directory(target, failure) || !target.has_filename()) refuse(path, "it is a folder");
    bool const there = fs::exists(target, failure);
    if (!there || fs::is_regular_file(target, failure)) {
        if (!fs::is_directory(folder_of(target), failure)) refuse(path, "its folder does not exist");
        if (access(folder_of(target).c_str(), W_OK | X_OK) != 0) refuse(path, std::strerror(errno));
        if (auto const max_value = ::pathconf(folder_of(target).c_str(), _PC_NAME_MAX);
            max_value > 0 && target.filename().string().size() > static_cast<std::size_t>(max_value))
            refuse(path, std::strerror(ENAMETOOLONG));
    }
    if (there && access(target.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
}

} // namespace

void print_to_stdout(std::string_view text) {
    bool const taken = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!taken || std::fflush(stdout) != 0 || std::ferror(stdout))
        throw io_error(std::string("standard output cannot be written: ") + std::strerror(errno));
}

bool same_file(std::string const& a, std::string const& b) {
    if (is_standard_stream(a) || is_standard_stream(b)) return a == b;
    auto const first = resolved(a), second = resolved(b);
    std::error_code failure;
    return first == second || fs::equivalent(first, second, failure);
}

output_files::~output_files() {
    for (auto const& file : staged_) {
        std::error_code ignored;
        fs::remove_all(file.temporary.parent_path(), ignored);
        ::close(file.lock);
        forget_interrupt(file.temporary.parent_path());
    }
}

output_files::output_files(std::initializer_list<named_input> inputs) {
    struct stat out {};
    bool const appends = ::fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode);
    named_input const* first = nullptr;
    for (auto const& input : inputs) {
        if (input.file.empty() || names_generator(input.file)) continue;
        if (is_standard_stream(input.file)) {
            if (first)
                throw usage_error(fmt::format("{} and {} are both -, but standard input can be read only once",
                                              first->name, input.name));
            first = &input;
        }
        if (appends && reads_file(input.file, out))
            throw usage_error(
                fmt::format("standard output goes to the file that is read as {}; write to another file", input.name));
        inputs_.push_back({std::string(input.name), input.file});
    }
}

void output_files::expect(std::string_view option, std::string const& path, std::string_view written,
                          std::string_view updated) {
    if (path.empty()) return;
    bool const to_stdout = is_stdout(path);
    bool const updates = std::any_of(inputs_.begin(), inputs_.end(), [&](input_file const& input) {
        return input.name == updated && reads_file(input.file, path);
    });
    for (auto const& input : inputs_)
        if (!to_stdout && reads_file(input.file, path) && (!updates || input.name == "MATRIX"))
            throw usage_error(fmt::format("{} {}: this file is also read as {}, and no output replaces an "
                                          "input; write to another file",
                                          option, path, input.name));
    if (to_stdout ? on_stdout_ : std::any_of(expected_.begin(), expected_.end(), [&](std::string const& other) {
            return same_file(path, other);
        }))
        throw usage_error(fmt::format("{} {}: another option writes the same file", option, path));
    on_stdout_ = on_stdout_ || to_stdout;
    if (to_stdout) return;
    if (written.empty() || fs::path(path).extension() != written) check_ending(option, path);
    auto const target = resolved(path);
    check_writable(path, target);
    if (!is_special(target)) expected_.push_back(path);
}

void output_files::write(std::string const& path, std::function<void(std::string const&)> const& write_to) {
    if (path.empty()) return;
    if (is_stdout(path)) return write_to("-");
    auto const target = resolved(path);
    if (is_special(target)) return write_to(target.string());
    auto const folder = make_private_folder(folder_of(target));
    if (folder.path.empty()) refuse(path, std::strerror(errno));
    auto const temporary = folder.path / target.filename();
    staged_.push_back({temporary, target, folder.lock});
    try {
        write_to(temporary.string());
    } catch (io_error const& e) {
        throw io_error(about_target(path, e.what(), temporary.string()));
    }
}

void output_files::write_text(std::string const& path, std::string_view text) {
    write(path, [&](std::string const& to) {
        atomic_file file(to);
        file.write(path.ends_with(".gz") ? gzip_member(text) : text);
        file.commit();
    });
}

void output_files::publish() {
    for (auto const& file : staged_) {
        struct stat old {};
        bool const replaces = ::stat(file.target.c_str(), &old) == 0;
        if ((replaces && ::chmod(file.temporary.c_str(), old.st_mode & 07777) != 0) ||
            std::rename(file.temporary.c_str(), file.target.c_str()) != 0)
            refuse(file.target.string(), std::strerror(errno));
    }
    if (!outputs_are_synced()) return;
    for (auto const& file : staged_) // the contents are on the disk since they were written
        if (int const reason = detail::sync_folder(folder_of(file.target)); reason != 0)
            refuse(file.target.string(), std::strerror(reason));
}

} // namespace coppice::app
