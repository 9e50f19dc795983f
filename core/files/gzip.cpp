// SPDX-License-Identifier: BSD-3-Clause
// Text in and out of gzip members; see core/files/file.hpp.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include <zlib.h>

#include <coppice/core/error.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice {
namespace {

constexpr int gzip_wrapper = 15 + 16; // largest window, gzip header and trailer

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

uInt as_chunk(std::size_t bytes) {
    return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max() / 2));
}

Bytef* as_bytes(char const* p) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(p)); // zlib takes its input as non-const
}

// Memory that grows by realloc: large blocks are moved by the system, not copied, and start uninitialised.
class growing_text {
public:
    growing_text() = default;
    growing_text(growing_text const&) = delete;
    growing_text& operator=(growing_text const&) = delete;
    ~growing_text() { std::free(data_); }

    void reserve(std::size_t bytes) {
        if (bytes <= capacity_) return;
        void* const moved = std::realloc(data_, bytes);
        if (!moved) throw memory_error("cannot allocate " + std::to_string(bytes) + " bytes for inflated text");
        data_ = static_cast<char*>(moved);
        capacity_ = bytes;
    }
    char* free_space() { return data_ + size; }
    std::size_t free_bytes() const { return capacity_ - size; }
    file_text release(bool complete) {
        std::shared_ptr<void const> owner(data_, [](void const* p) { std::free(const_cast<void*>(p)); });
        return {{std::exchange(data_, nullptr), size}, std::move(owner), complete};
    }

    std::size_t size = 0;

private:
    char* data_ = nullptr;
    std::size_t capacity_ = 0;
};

// Compressed bytes that are inflated between two reports of progress.
constexpr std::size_t bytes_per_step = std::size_t(1) << 22;

class inflater {
public:
    inflater(std::string name, std::string_view compressed) : name_(std::move(name)), rest_(compressed) {
        if (inflateInit2(&stream_, gzip_wrapper) != Z_OK) throw memory_error("cannot start zlib");
    }
    inflater(inflater const&) = delete;
    inflater& operator=(inflater const&) = delete;
    ~inflater() { inflateEnd(&stream_); }

    file_text run(std::size_t limit, file_progress const& progress) {
        auto const compressed = static_cast<std::int64_t>(rest_.size());
        growing_text text;
        // The last four bytes give the size of the last member modulo 2^32: a hint, trusted within reason.
        text.reserve(std::min({std::max<std::size_t>(size_hint(), 4096), rest_.size() * 32 + 4096,
                               limit < SIZE_MAX - 4096 ? limit + 4096 : limit}));
        while (text.size < limit) {
            if (text.free_bytes() == 0) text.reserve(text.size + text.size / 2 + 4096);
            if (progress) progress("inflating", compressed - static_cast<std::int64_t>(rest_.size()), compressed);
            if (step(text) && !next_member()) return text.release(true);
        }
        return text.release(false);
    }

private:
    std::size_t size_hint() const {
        if (rest_.size() < 18) return 0;
        std::size_t size = 0;
        for (std::size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<unsigned char>(rest_[rest_.size() - i]);
        return size + 1; // one byte to spare, so that the end of the stream is seen without growing
    }

    // Inflates into the free space; true at the end of a member.
    bool step(growing_text& text) {
        stream_.next_in = as_bytes(rest_.data());
        stream_.avail_in = as_chunk(std::min(rest_.size(), bytes_per_step));
        stream_.next_out = as_bytes(text.free_space());
        stream_.avail_out = as_chunk(text.free_bytes());
        uInt const in = stream_.avail_in;
        uInt const out = stream_.avail_out;
        int const status = inflate(&stream_, Z_NO_FLUSH);
        rest_.remove_prefix(in - stream_.avail_in);
        text.size += out - stream_.avail_out;
        if (status == Z_STREAM_END) return true;
        if (status == Z_MEM_ERROR) throw memory_error("cannot allocate memory to inflate " + name_);
        if (status != Z_OK && status != Z_BUF_ERROR)
            throw format_error(name_, 0,
                               std::string("damaged gzip data: ") + (stream_.msg ? stream_.msg : "no reason"));
        if (rest_.empty() && stream_.avail_out > 0)
            throw format_error(name_, 0, "truncated gzip data: the file ends inside a compressed member");
        return false;
    }

    // Zero bytes after the last member are padding (gzip's own rule); anything else must be a member.
    bool next_member() {
        if (rest_.find_first_not_of('\0') == std::string_view::npos) return false;
        if (!is_gzip(rest_)) throw format_error(name_, 0, "unexpected bytes after the gzip data");
        inflateReset(&stream_);
        return true;
    }

    std::string name_;
    std::string_view rest_;
    z_stream stream_{};
};

} // namespace

file_text read_text(std::filesystem::path const& path, std::size_t limit, file_progress const& progress) {
    file_text file = read_file(path);
    if (is_gzip(file.view)) return inflater(input_name(path), file.view).run(limit, progress);
    if (path.extension() == ".gz" && !file.view.empty())
        throw format_error(input_name(path), 0, "not gzip data, although the name ends in .gz");
    return file;
}

std::string gzip_member(std::string_view text) {
    if (text.size() > std::numeric_limits<uInt>::max() / 2)
        throw argument_error("gzip member of " + std::to_string(text.size()) + " bytes; at most 2 GiB");
    z_stream stream{};
    constexpr int memory_level = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_wrapper, memory_level, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        throw memory_error("cannot start zlib");
    std::string member(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = as_bytes(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = as_bytes(member.data());
    stream.avail_out = static_cast<uInt>(member.size());
    deflate(&stream, Z_FINISH); // cannot fail: deflateBound() made room for all of it
    member.resize(stream.total_out);
    deflateEnd(&stream);
    return member;
}

} // namespace coppice
