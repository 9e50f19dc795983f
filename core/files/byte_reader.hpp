// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bytes of files and streams, from the first to the last, into memory of the caller.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <coppice/core/error.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice {

/// A file that is read from its beginning to its end by read(2): a file that is shortened at the same time is an error,
/// whereas a mapping would end the process by SIGBUS.
class byte_reader {
public:
    /// Opens the file; "-" is standard input. Throws io_error.
    explicit byte_reader(std::filesystem::path const& path);
    byte_reader(byte_reader const&) = delete;
    byte_reader& operator=(byte_reader const&) = delete;
    ~byte_reader();

    /// Bytes that a regular file had when it was opened; -1 for streams and for files of the kernel.
    std::int64_t size() const { return size_; }
    /// Bytes read so far.
    std::int64_t done() const { return done_; }
    /// Reads `bytes` bytes, fewer only at the end. Throws io_error with the reason of the system, and if a regular file
    /// ends before the size that it had.
    std::size_t read(char* to, std::size_t bytes);

private:
    [[noreturn]] void fail(int reason) const;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::int64_t size_ = -1;
    std::int64_t done_ = 0;
};

/// Memory that grows by realloc: large blocks are moved by the system, not copied, and start uninitialised.
class growing_text {
public:
    growing_text() = default;
    growing_text(growing_text const&) = delete;
    growing_text& operator=(growing_text const&) = delete;
    ~growing_text() { std::free(data_); }

    /// Throws memory_error.
    void reserve(std::size_t bytes) {
        if (bytes <= capacity_) return;
        void* const moved = std::realloc(data_, bytes);
        if (!moved) throw memory_error("cannot allocate " + std::to_string(bytes) + " bytes for the text of a file");
        data_ = static_cast<char*>(moved);
        capacity_ = bytes;
    }
    char* free_space() { return data_ + size; }
    std::size_t free_bytes() const { return capacity_ - size; }
    std::string_view view() const { return {data_, size}; }
    file_text release(bool complete) {
        auto const text = view();
        // Given away first: if the owner cannot be allocated, it frees the memory itself.
        std::shared_ptr<void const> owner(std::exchange(data_, nullptr),
                                          [](void const* p) { std::free(const_cast<void*>(p)); });
        return {text, std::move(owner), complete};
    }

    std::size_t size = 0;

private:
    char* data_ = nullptr;
    std::size_t capacity_ = 0;
};

/// Largest text that the limits allow: `max_bytes`, or half of the memory of the machine (of its control group).
std::int64_t largest_text(read_limits const& limits);

} // namespace coppice
