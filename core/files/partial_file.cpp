// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/files/partial_file.hpp>

#include <atomic>
#include <cerrno>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <coppice/core/host/fork_mutex.hpp>

namespace coppice::inline v0_1 {
namespace {

std::atomic<bool> synced_outputs{true};

/// Folders of outputs of this process; never destroyed, since outputs may be written during exit.
struct output_folders {
    detail::fork_mutex mutex{};
    std::set<std::string> known{};

    static output_folders& all() {
        static auto& folders = *new output_folders;
        return folders;
    }
};
[[maybe_unused]] output_folders const& output_folders_at_load = output_folders::all();

/// Whether this is the first call with this folder.
bool is_new_folder(std::string const& folder) {
    auto& folders = output_folders::all();
    std::lock_guard const guard(folders.mutex);
    return folders.known.insert(folder).second;
}

/// Removes a partial file or folder unless a process has locked it.
void remove_unlocked(std::filesystem::path const& path) {
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat status {};
    bool const ours = ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid() &&
                      (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    if (ours && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored); // names are random and not used again, so this is still that file
    }
    ::close(descriptor);
}

} // namespace

void sync_outputs(bool synced) noexcept { synced_outputs = synced; }
bool outputs_are_synced() noexcept { return synced_outputs; }

namespace detail {

bool lock_partial(int descriptor) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

void remove_abandoned(std::filesystem::path const& folder) noexcept {
    try {
        std::filesystem::path const where = folder.empty() ? "." : folder;
        if (!is_new_folder(where.string())) return;
        std::error_code ignored;
        for (std::filesystem::directory_iterator entry(where, ignored), end; entry != end; entry.increment(ignored))
            if (entry->path().filename().string().starts_with(partial_prefix)) remove_unlocked(entry->path());
    } catch (std::exception const&) { // no memory for a name: the next run removes them
    }
}

int sync_to_disk(int descriptor) noexcept {
    while (::fsync(descriptor) != 0)
        if (errno != EINTR) return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
    return 0;
}

int sync_folder(std::filesystem::path const& folder) noexcept {
    int const descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return 0; // a folder that may be written but not read
    int const reason = sync_to_disk(descriptor);
    ::close(descriptor);
    return reason;
}

} // namespace detail
} // namespace coppice::inline v0_1
