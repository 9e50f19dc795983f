// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/files/file.hpp>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <coppice/core/error.hpp>

namespace coppice {
namespace {

std::string reason_text(int reason) { return std::generic_category().message(reason); }

[[noreturn]] void fail_to_read(std::filesystem::path const& path, int reason) {
    throw io_error("cannot read " + input_name(path) + ": " + reason_text(reason));
}

struct open_file {
    int descriptor = -1;
    ~open_file() {
        if (descriptor > STDIN_FILENO) ::close(descriptor);
    }
};

int open_to_read(std::filesystem::path const& path) {
    return is_standard_stream(path) ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

file_text map_file(std::filesystem::path const& path, int descriptor, std::size_t size) {
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (at == MAP_FAILED) fail_to_read(path, errno);
    std::shared_ptr<void const> owner(at, [size](void const* p) { ::munmap(const_cast<void*>(p), size); });
    return {{static_cast<char const*>(at), size}, std::move(owner), true};
}

file_text read_stream(std::filesystem::path const& path, int descriptor) {
    auto bytes = std::make_shared<std::string>();
    constexpr std::size_t step = std::size_t(1) << 20;
    for (std::size_t size = 0;;) {
        bytes->resize(size + step);
        ssize_t const got = ::read(descriptor, bytes->data() + size, step);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_to_read(path, errno);
        size += static_cast<std::size_t>(got);
        if (got == 0) {
            bytes->resize(size);
            std::string_view const view = *bytes;
            return {view, std::move(bytes), true};
        }
    }
}

} // namespace

bool is_standard_stream(std::filesystem::path const& path) { return path == "-"; }

std::string input_name(std::filesystem::path const& path) {
    return is_standard_stream(path) ? "standard input" : path.string();
}

file_text read_file(std::filesystem::path const& path) {
    open_file const file{open_to_read(path)};
    if (file.descriptor < 0) fail_to_read(path, errno);
    struct stat status {};
    if (::fstat(file.descriptor, &status) != 0) fail_to_read(path, errno);
    if (S_ISDIR(status.st_mode)) fail_to_read(path, EISDIR);
    // Files of the kernel (/proc) claim to be regular and of size 0; standard input may stand anywhere in its file.
    if (!S_ISREG(status.st_mode) || status.st_size == 0 || is_standard_stream(path))
        return read_stream(path, file.descriptor);
    return map_file(path, file.descriptor, static_cast<std::size_t>(status.st_size));
}

namespace {

// Hard to guess, and another one at every call: in containers every run may have the same process id.
std::string random_name() {
    static std::atomic<unsigned> serial{0};
    std::uint64_t word = 0;
    if (::getentropy(&word, sizeof word) != 0) // an old kernel
        word = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    char digits[16];
    auto const end = std::to_chars(digits, digits + sizeof digits, word, 16).ptr;
    return std::string(digits, end) + "-" + std::to_string(::getpid()) + "-" + std::to_string(serial++);
}

struct new_file {
    std::filesystem::path path;
    int descriptor = -1; // -1: errno says why
};
// A file that was not there before, next to `path`: O_EXCL follows no link, and a name that is taken (by a run that was
// killed) is passed over.
new_file create_next_to(std::filesystem::path const& path, mode_t mode) {
    for (int attempts = 100;;) {
        // Not made of the file's name, which may be as long as names can be.
        auto const name = path.parent_path() / (".coppice-partial-" + random_name());
        int const descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0) return {name, descriptor};
        if (errno != EEXIST || --attempts == 0) return {};
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
        // A name that may not be written to is not replaced either, though its folder would allow it.
        if (::access(path_.c_str(), W_OK) != 0) fail("cannot write ", errno);
        std::error_code ignored;
        if (auto const real = std::filesystem::canonical(path_, ignored); !ignored) path_ = real;
    }
    // Nobody else reads what replaces a private file, at no time.
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
    int const descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) fail("cannot write ", errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot write ", errno);
    temporary_.clear();
}

} // namespace coppice
