// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Whole files: read as one text (inflated from gzip), written completely or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace coppice {

/// Bytes of a file; `owner` keeps them alive. `complete` is false where a limit cut them off.
struct file_text {
    std::string_view view{};
    std::shared_ptr<void const> owner{};
    bool complete = true;
};

/// Told during long work on files which step it is in and how many units (bytes, entries) of it are done, by one thread
/// at a time; empty: nobody wants to know.
using file_progress = std::function<void(char const* step, std::int64_t done, std::int64_t of)>;

/// How much memory a file may take. What exceeds a limit is a format_error that names the limit.
struct read_limits {
    /// Memory of the inflated text of a compressed file, or of the row offsets of a matrix, divided by the bytes of the
    /// file; 0: any. A bomb of gzip has a ratio of 1000; files of numbers have ratios below 20.
    double max_expansion = 64;
    /// What takes less memory than this is not refused by `max_expansion`.
    std::int64_t small_bytes = std::int64_t(64) << 20;
    /// Bytes of the text of a file or stream; 0: the memory of the machine.
    std::int64_t max_bytes = 0;
};

/// Whether a path is "-": standard input where it is read, standard output where it is written ("./-" is a file).
bool is_standard_stream(std::filesystem::path const& path);

/// What messages call an input: its path, or "standard input".
std::string input_name(std::filesystem::path const& path);

/// The text of a file or stream without the byte order mark of UTF-8, inflated if its first two bytes are those of gzip
/// (any number of members). At least
/// `limit` bytes of the text, or all of it. Throws io_error; memory_error; format_error (line 0) if the compressed data
/// are truncated, damaged or followed by other bytes, if a name that ends in .gz holds no gzip data, or if the text
/// exceeds the limits.
file_text read_text(std::filesystem::path const& path, std::size_t limit = SIZE_MAX, file_progress const& progress = {},
                    read_limits const& limits = {});

/// `text` (at most 2 GiB) as one gzip member, the same bytes on every run; members may be written one after the other.
std::string gzip_member(std::string_view text);

/// A file that appears under its name only when it is complete.
///
/// Bytes go to a new file in the same folder, which commit() renames over `path` (a symbolic link is followed). Without
/// commit() the new file is removed and whatever stood at `path` is untouched; what is replaced hands on its mode. A
/// path that exists and is not a regular file (a pipe, a device), and "-", is written to directly. All calls throw
/// io_error with the path and the system's reason.
class atomic_file {
public:
    explicit atomic_file(std::filesystem::path path);
    atomic_file(atomic_file const&) = delete;
    atomic_file& operator=(atomic_file const&) = delete;
    ~atomic_file();

    void write(std::string_view bytes);
    void commit();

private:
    [[noreturn]] void fail(char const* what, int reason) const;
    void discard() noexcept;

    std::filesystem::path path_;
    std::filesystem::path temporary_; // empty where path_ is written to directly
    int descriptor_ = -1;
};

} // namespace coppice
