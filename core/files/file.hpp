// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Whole files: read into memory (and decompressed if gzipped); written completely or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace coppice::inline v0_1 {

/// Content of a file; `owner` keeps the memory alive. `complete` is false if a limit truncated it.
struct file_text {
    std::string_view view{};
    std::shared_ptr<void const> owner{};
    bool complete = true;
};

/// Called during long file operations with the current step and the number of finished units (bytes, entries) of that
/// step; never by two threads at the same time. Empty: no reports.
using file_progress = std::function<void(char const* step, std::int64_t done, std::int64_t of)>;

/// Limits of the memory that a file may take. If a limit is exceeded, a format_error names it.
struct read_limits {
    /// Ratio of the decompressed text of a compressed file, or of the row offsets of a matrix, to the size of the file;
    /// 0: unlimited. A gzip bomb has a ratio of 1000; files of numbers have ratios below 20.
    double max_expansion = 64;
    /// `max_expansion` does not apply to sizes below this one.
    std::int64_t small_bytes = std::int64_t(64) << 20;
    /// Maximum size of the text of a file or stream in bytes; 0: half of the memory of the machine.
    std::int64_t max_bytes = 0;
};

/// Whether a path is "-": standard input or standard output ("./-" is a file).
bool is_standard_stream(std::filesystem::path const& path);

/// Returns the name of an input for messages: its path or "standard input".
std::string input_name(std::filesystem::path const& path);

/// Reads a file or stream, decompressed if its first two bytes are those of gzip (any number of members), without the
/// byte order mark of UTF-8. Returns at least `limit` bytes of the text, or all of it. Throws io_error; memory_error;
/// format_error (line 0) if the compressed data are truncated, damaged or followed by other bytes, if a file whose name
/// ends in .gz is not a gzip file, if the text exceeds the limits, or (line 1) if it begins as UTF-16 does.
file_text read_text(std::filesystem::path const& path, std::size_t limit = SIZE_MAX, file_progress const& progress = {},
                    read_limits const& limits = {});

/// Compresses `text` (at most 2 GiB) to one gzip member. The output is the same on every run. Members may be
/// concatenated.
std::string gzip_member(std::string_view text);

/// Output file that appears under its name only when it is complete.
///
/// Bytes are written to a new file in the same folder. commit() renames it to `path`; if `path` is a symbolic link, its
/// target is replaced. Without commit() the new file is removed and an existing file at `path` is unchanged. The new
/// file takes the access mode of the file that it replaces. A path that exists and is not a regular file (a pipe, a
/// device), and "-", are written directly. All members throw io_error with the path and the message of the system.
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
    std::filesystem::path temporary_; // empty if path_ is written directly
    int descriptor_ = -1;
};

} // namespace coppice::inline v0_1
