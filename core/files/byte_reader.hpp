// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sequential reading of files and streams into memory of the caller.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <coppice/core/error.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {

/// File that is read sequentially by read(2). If the file is shortened meanwhile, read() throws; with a memory mapping
/// the process would be killed by SIGBUS.
class byte_reader {
public:
    /// Opens the file; "-" is standard input. Throws io_error.
    explicit byte_reader(std::filesystem::path const& path);
    byte_reader(byte_reader const&) = delete;
    byte_reader& operator=(byte_reader const&) = delete;
    ~byte_reader();

    /// Returns the size of a regular file when it was opened; -1 for streams and files of the kernel (/proc).
    std::int64_t size() const { return size_; }
    /// Returns the number of bytes read so far.
    std::int64_t done() const { return done_; }
    /// Reads `bytes` bytes, fewer only at the end. Throws io_error with the message of the system, or if a regular file
    /// ends before its initial size.
    std::size_t read(char* to, std::size_t bytes);
    /// Continues at this offset of a regular file, at most its size. Throws io_error.
    void seek(std::int64_t offset);

private:
    [[noreturn]] void fail(int reason) const;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::int64_t size_ = -1;
    std::int64_t done_ = 0;
};

/// Memory that grows by realloc: the system remaps large blocks instead of copying them, and new bytes are not
/// initialised.
class growing_text {
public:
    growing_text() = default;
    growing_text(growing_text const&) = delete;
    growing_text& operator=(growing_text const&) = delete;
    ~growing_text() { std::free(data_); }

    /// Throws memory_error.
    void reserve(std::size_t bytes) {
        if (bytes <= capacity_) return;
        void* const grown = std::realloc(data_, bytes);
        if (!grown) throw memory_error("cannot allocate " + std::to_string(bytes) + " bytes for the text of a file");
        data_ = static_cast<char*>(grown);
        capacity_ = bytes;
    }
    char* free_space() { return data_ + size; }
    std::size_t free_bytes() const { return capacity_ - size; }
    std::string_view view() const { return {data_, size}; }
    file_text release(bool complete) {
        auto const text = view();
        // Moved out first: if the control block cannot be allocated, shared_ptr frees the memory.
        std::shared_ptr<void const> owner(std::exchange(data_, nullptr),
                                          [](void const* p) { std::free(const_cast<void*>(p)); });
        return {text, std::move(owner), complete};
    }

    std::size_t size = 0;

private:
    char* data_ = nullptr;
    std::size_t capacity_ = 0;
};

/// Returns the maximum size of a text: limits.max_bytes or, if that is 0, half of the memory of the machine (of its
/// control group).
std::int64_t largest_text(read_limits const& limits);

} // namespace coppice::inline v0_1
