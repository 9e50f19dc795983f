// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/files/file.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <coppice/core/error.hpp>
#include <coppice/core/files/byte_reader.hpp>
#include <coppice/core/files/partial_file.hpp>
#include <coppice/core/host/pages.hpp>

namespace coppice::inline v0_1 {
namespace {

std::string reason_text(int reason) { return std::generic_category().message(reason); }

} // namespace

bool is_standard_stream(std::filesystem::path const& path) { return path == "-"; }

std::string input_name(std::filesystem::path const& path) {
    return is_standard_stream(path) ? "standard input" : path.string();
}

byte_reader::byte_reader(std::filesystem::path const& path) : path_(path) {
    bool const standard = is_standard_stream(path);
    descriptor_ = standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    struct stat status {};
    int const reason = ::fstat(descriptor_, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
    if (reason != 0) {
        ::close(descriptor_);
        fail(reason);
    }
    // Files of the kernel (/proc) report to be regular files of size 0. Standard input may start at any offset of its
    // file.
    if (S_ISREG(status.st_mode) && status.st_size > 0 && !standard) size_ = status.st_size;
}

byte_reader::~byte_reader() { ::close(descriptor_); }

void byte_reader::fail(int reason) const {
    throw io_error("cannot read " + input_name(path_) + ": " + reason_text(reason));
}

std::size_t byte_reader::read(char* to, std::size_t bytes) {
    if (size_ >= 0)
        bytes = std::min(bytes, static_cast<std::size_t>(size_ - done_)); // bytes that are appended later are ignored
    std::size_t taken = 0;
    while (taken < bytes) {
        ssize_t const got = ::read(descriptor_, to + taken, bytes - taken);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(errno);
        if (got == 0) break;
        taken += static_cast<std::size_t>(got);
    }
    done_ += static_cast<std::int64_t>(taken);
    if (taken < bytes && size_ >= 0)
        throw io_error("cannot read " + input_name(path_) + ": the file was shortened while it was read; it had " +
                       std::to_string(size_) + " bytes and ends after " + std::to_string(done_) +
                       "; read it again when nothing writes to it");
    return taken;
}

void byte_reader::seek(std::int64_t offset) {
    if (::lseek(descriptor_, offset, SEEK_SET) < 0) fail(errno);
    done_ = offset;
}

std::int64_t largest_text(read_limits const& limits) {
    if (limits.max_bytes > 0) return limits.max_bytes;
    return detail::memory_of_machine() / 2;
}

namespace {

// Unpredictable and unique for each call: in containers every run may have the same process id.
std::string random_name() {
    static std::atomic<unsigned> serial{0};
    std::uint64_t word = 0;
    if (::getentropy(&word, sizeof word) != 0) // an old kernel without getrandom()
        word = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    char digits[16];
    auto const end = std::to_chars(digits, digits + sizeof digits, word, 16).ptr;
    return std::string(digits, end) + "-" + std::to_string(::getpid()) + "-" + std::to_string(serial++);
}

struct new_file {
    std::filesystem::path path;
    int descriptor = -1; // -1: see errno
};
// Creates a file that did not exist, in the folder of `path`, and locks it. O_EXCL does not follow symbolic links. A
// name that is already in use is skipped.
new_file create_next_to(std::filesystem::path const& path, mode_t mode) {
    detail::remove_abandoned(path.parent_path());
    for (int attempts = 100;;) {
        // The new name does not contain the name of the file, which may already have the maximum length.
        auto name = path.parent_path() / (std::string(detail::partial_prefix) + random_name());
        int const descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 && detail::lock_partial(descriptor))
            return {std::move(name), descriptor}; // a copy could throw and leave the file open
        if (descriptor >= 0)
            ::close(descriptor); // removed as abandoned before it was locked
        else if (errno != EEXIST)
            return {};
        if (--attempts == 0) return {};
    }
}

} // namespace

atomic_file::atomic_file(std::filesystem::path path) : path_(std::move(path)) {
    if (is_standard_stream(path_)) {
        descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        if (descriptor_ < 0) fail("cannot write ", errno);
        return;
    }
    struct stat status {};
    bool const exists = ::stat(path_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) fail("cannot write ", EISDIR);
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail("cannot write ", errno);
        return;
    }
    if (exists) {
        // A file without write permission is not replaced, even if its folder would allow it.
        if (::access(path_.c_str(), W_OK) != 0) fail("cannot write ", errno);
        std::error_code ignored;
        if (auto const real = std::filesystem::canonical(path_, ignored); !ignored) path_ = real;
    }
    // A file that replaces a private file is private from the beginning.
    auto made = create_next_to(path_, exists ? 0600 : 0666);
    if (made.descriptor < 0) fail("cannot write ", errno);
    temporary_ = std::move(made.path);
    descriptor_ = made.descriptor;
    if (exists) ::fchmod(descriptor_, status.st_mode & 07777);
}

atomic_file::~atomic_file() { discard(); }

void atomic_file::discard() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
}

void atomic_file::fail(char const* what, int reason) const {
    std::string const name = is_standard_stream(path_) ? "standard output" : path_.string();
    throw io_error(what + name + ": " + reason_text(reason));
}

void atomic_file::write(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t const wrote = ::write(descriptor_, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) fail("cannot write ", errno);
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

void atomic_file::commit() {
    bool const renames = !temporary_.empty();
    bool const synced = renames && outputs_are_synced();
    if (int const reason = synced ? detail::sync_to_disk(descriptor_) : 0; reason != 0) fail("cannot write ", reason);
    // Network file systems report failed writes when a descriptor is closed. The other one holds the lock of the file.
    int const second = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (second < 0 || ::close(second) != 0) fail("cannot write ", errno);
    if (renames && ::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot write ", errno);
    temporary_.clear();
    ::close(std::exchange(descriptor_, -1));
    if (int const reason = synced ? detail::sync_folder(path_.parent_path()) : 0; reason != 0)
        fail("cannot write the folder of ", reason);
}

} // namespace coppice::inline v0_1
