// SPDX-License-Identifier: BSD-3-Clause
// Crash safety of outputs: a process that writes a file is killed at each of its system calls. Afterwards the file has
// its old or its new content, and the next run removes what was left.
//
//   coppice_crash_test [COMMAND]    with COMMAND also runs of the command; exit code 77: no ptrace on this machine
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coppice/core/files/file.hpp>
#include <coppice/core/files/partial_file.hpp>
#include <coppice/matrix_market.hpp>

namespace {

namespace fs = std::filesystem;
using coppice::host_executor;

[[noreturn]] void fail(std::string const& why) {
    std::fprintf(stderr, "coppice_crash_test: %s\n", why.c_str());
    std::exit(1);
}

struct system_call {
    std::uint64_t number;
    std::array<std::uint64_t, 6> arguments;
};
struct trace {
    std::vector<system_call> calls{}; ///< since the first that creates a file or folder
    bool killed = false;
    int status = 0; ///< as of waitpid
};

bool creates(system_call const& call) {
#if defined(SYS_mkdir)
    if (call.number == SYS_mkdir) return true;
#endif
    return call.number == SYS_mkdirat || (call.number == SYS_openat && (call.arguments[2] & O_CREAT) != 0);
}
bool renames(system_call const& call) {
#if defined(SYS_rename)
    if (call.number == SYS_rename) return true;
#endif
    return call.number == SYS_renameat || call.number == SYS_renameat2;
}

/// Runs `work` in a child process and kills it when it begins its system call number `at`, counted from the first that
/// creates a file; -1: never.
trace traced(std::function<void()> const& work, std::int64_t at) {
    pid_t const child = ::fork();
    if (child < 0) fail("fork failed");
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
        ::raise(SIGSTOP);
        work();
        ::_exit(0);
    }
    trace result;
    ::waitpid(child, &result.status, 0);
    if (!WIFSTOPPED(result.status)) return result; // no ptrace here
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    int signal = 0;
    while (::ptrace(PTRACE_SYSCALL, child, nullptr, signal) == 0 && ::waitpid(child, &result.status, 0) == child &&
           WIFSTOPPED(result.status)) {
        signal = WSTOPSIG(result.status);
        if (signal == SIGTRAP) signal = 0; // exec
        if (signal != (SIGTRAP | 0x80)) continue;
        signal = 0;
        struct __ptrace_syscall_info info {};
        if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &result.status, 0);
            std::fprintf(stderr, "skipped: this kernel does not describe system calls\n");
            std::exit(77);
        }
        if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
        system_call call{info.entry.nr, {}};
        std::copy(std::begin(info.entry.args), std::end(info.entry.args), call.arguments.begin());
        if (result.calls.empty() && !creates(call)) continue;
        if (std::int64_t(result.calls.size()) == at) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &result.status, 0);
            result.killed = true;
            return result;
        }
        result.calls.push_back(call);
    }
    return result;
}

std::string content(fs::path const& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void put(fs::path const& path, std::string const& text) { std::ofstream(path, std::ios::binary) << text; }
std::size_t entries_of(fs::path const& folder) {
    return std::size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// A folder with one output, and the work that writes it.
class output_case {
public:
    output_case(std::string name, fs::path folder, std::string file, std::function<void(fs::path const&)> write)
        : name_(std::move(name)), folder_(std::move(folder)), file_(folder_ / file), write_(std::move(write)) {}

    /// Kills the work at each system call; with and without an older file.
    void run() {
        auto const expected = complete_run();
        std::int64_t kills = 0;
        for (std::string const old : {"", "old content\n"})
            for (std::int64_t at = 0;; ++at, ++kills) {
                prepare(old);
                auto const result = traced([this] { write_(file_); }, at);
                if (!result.killed) break;
                check(old, expected, at);
            }
        std::printf("%-28s %4lld kills\n", name_.c_str(), static_cast<long long>(kills));
        if (kills < 10) fail(name_ + ": fewer system calls than a write has");
    }

private:
    void prepare(std::string const& old) const {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        if (!old.empty()) put(file_, old);
    }
    /// The new content. Checks that data, then the name, then the folder are written to the disk in this order.
    std::string complete_run() {
        prepare("");
        auto const all = traced([this] { write_(file_); }, -1);
        if (WIFEXITED(all.status) && WEXITSTATUS(all.status) == 77) std::exit(77);
        if (!WIFEXITED(all.status) || WEXITSTATUS(all.status) != 0) fail(name_ + ": the work fails without a kill");
        if (entries_of(folder_) != 1) fail(name_ + ": the work leaves more than its file");
        std::size_t written = 0, data = 0, renamed = 0, folder = 0;
        for (std::size_t k = 0; k < all.calls.size(); ++k) {
            if (all.calls[k].number == SYS_write && renamed == 0) written = k;
            if (all.calls[k].number == SYS_fsync && renamed == 0 && data == 0) data = k;
            if (renames(all.calls[k])) renamed = k;
            if (all.calls[k].number == SYS_fsync) folder = k;
        }
        if (!(0 < written && written < data && data < renamed && renamed < folder))
            fail(name_ + ": expected write, fsync, rename, fsync of the folder in this order");
        return content(file_);
    }
    void check(std::string const& old, std::string const& expected, std::int64_t at) {
        auto const now = content(file_);
        std::string const when = name_ + ", killed at system call " + std::to_string(at);
        if (now != expected && (now != old || fs::exists(file_) == old.empty()))
            fail(when + ": the file has neither its old nor its new content, but " + std::to_string(now.size()) +
                 " bytes");
        auto const next = traced([this] { write_(file_); }, -1);
        if (!WIFEXITED(next.status) || WEXITSTATUS(next.status) != 0) fail(when + ": the next run fails");
        if (content(file_) != expected) fail(when + ": the next run writes something else");
        if (entries_of(folder_) != 1) fail(when + ": the next run leaves partial files");
    }

    std::string name_;
    fs::path folder_, file_;
    std::function<void(fs::path const&)> write_;
};

/// A locked partial file belongs to a running process and is not removed.
void check_running(fs::path const& folder) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    coppice::atomic_file running(folder / "a");
    running.write("new");
    auto const other = [&] {
        coppice::atomic_file file(folder / "." / "b"); // a spelling that this process has not looked at
        file.write("b");
        file.commit();
    };
    if (traced(other, -1).status != 0) fail("the second writer fails");
    if (entries_of(folder) != 2) fail("a partial file of a running process was removed");
    running.commit();
    if (content(folder / "a") != "new" || entries_of(folder) != 2) fail("the first writer does not publish its file");
}

void check_without_sync(fs::path const& folder) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    auto const result = traced(
        [&] {
            coppice::sync_outputs(false);
            coppice::atomic_file file(folder / "a");
            file.write("new");
            file.commit();
        },
        -1);
    for (auto const& call : result.calls)
        if (call.number == SYS_fsync) fail("fsync without sync_outputs");
    if (content(folder / "a") != "new") fail("nothing is written without sync_outputs");
}

void run_all(fs::path const& folder, std::string const& command) {
    output_case("atomic_file", folder / "a", "x", [](fs::path const& path) {
        coppice::atomic_file file(path);
        for (int k = 0; k < 4; ++k) file.write(std::string(1000, char('a' + k)));
        file.commit();
    }).run();
    std::vector<double> const x(20, 0.5);
    for (char const* name : {"x.mtx", "x.mtx.gz"})
        output_case(std::string("write_vector ") + name, folder / "b", name, [&](fs::path const& path) {
            coppice::write_vector<double>(host_executor{1}, path, {x.data(), std::int64_t(x.size())}, {}, {});
        }).run();
    check_running(folder / "c");
    check_without_sync(folder / "c");
    if (command.empty()) return;
    output_case("coppice generate", folder / "d", "grid.mtx", [&](fs::path const& path) {
        ::execl(command.c_str(), "coppice", "generate", "laplace2d", "--nx", "3", "--threads", "1", "--quiet", "-o",
                path.c_str(), nullptr);
    }).run();
}

} // namespace

int main(int argc, char** argv) {
    auto const folder = fs::temp_directory_path() / ("coppice-crash-" + std::to_string(::getpid()));
    run_all(folder, argc > 1 ? argv[1] : "");
    fs::remove_all(folder);
    return 0;
}
