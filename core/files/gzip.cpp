// SPDX-License-Identifier: BSD-3-Clause
// Compression and decompression of gzip; see core/files/file.hpp.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include <zlib.h>

#include <coppice/core/error.hpp>
#include <coppice/core/files/byte_reader.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr int gzip_wrapper = 15 + 16; // largest window, gzip header and trailer

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

uInt as_chunk(std::size_t bytes) {
    return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max() / 2));
}

Bytef* as_bytes(char const* p) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(p)); // zlib takes its input as non-const
}

// Number of bytes read between two progress reports.
constexpr std::size_t bytes_per_step = std::size_t(1) << 20;

[[noreturn]] void refuse_length(std::string const& name, std::int64_t max_bytes) {
    throw format_error(name, 0,
                       "the text has more than " + std::to_string(max_bytes) +
                           " bytes, the limit (by default half of the memory); a stream without end cannot be read; "
                           "if the text is as long as that, raise max_bytes (--max-input)");
}

/// Decompresses the data of a reader; `first` are the bytes that were already read from it.
class inflater {
public:
    inflater(std::string name, byte_reader& in, std::string_view first, read_limits const& limits)
        : name_(std::move(name)), in_(in), limits_(limits), max_bytes_(largest_text(limits)) {
        window_.reserve(std::max(first.size(), bytes_per_step));
        window_ = first;
        rest_ = window_;
        if (inflateInit2(&stream_, gzip_wrapper) != Z_OK) throw memory_error("cannot start zlib");
    }
    inflater(inflater const&) = delete;
    inflater& operator=(inflater const&) = delete;
    ~inflater() { inflateEnd(&stream_); }

    file_text run(std::size_t limit, file_progress const& progress) {
        growing_text text;
        text.reserve(4 * rest_.size() + 4096);
        while (text.size < limit) {
            if (text.free_bytes() == 0) text.reserve(text.size + text.size / 2 + 4096);
            if (rest_.empty()) refill();
            if (progress) progress("inflating", in_.done(), std::max(in_.size(), in_.done()));
            bool const member_ends = step(text);
            check_size(text.size);
            if (member_ends && !next_member()) return text.release(true);
        }
        return text.release(false);
    }

private:
    // Appends input to rest_. Returns false at the end of the file.
    bool refill() {
        if (in_.size() >= 0 && in_.done() == in_.size()) return false;
        std::string next(rest_);
        std::size_t const before = next.size();
        next.resize(before + bytes_per_step);
        next.resize(before + in_.read(next.data() + before, bytes_per_step));
        window_.swap(next);
        rest_ = window_;
        return rest_.size() > before;
    }

    void check_size(std::size_t size) const {
        auto const bytes = static_cast<std::int64_t>(size);
        if (bytes > max_bytes_) refuse_length(name_, max_bytes_);
        auto const compressed = std::max(in_.size(), in_.done());
        if (limits_.max_expansion > 0 && bytes > limits_.small_bytes &&
            double(bytes) > limits_.max_expansion * double(compressed))
            throw format_error(name_, 0,
                               "the text is more than " + std::to_string(std::int64_t(limits_.max_expansion)) +
                                   " times as long as its " + std::to_string(compressed) +
                                   " compressed bytes; if this is intended, raise max_expansion (--max-expansion)");
    }

    // Decompresses into the free space. Returns true at the end of a member.
    bool step(growing_text& text) {
        stream_.next_in = as_bytes(rest_.data());
        stream_.avail_in = as_chunk(rest_.size());
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
        if (rest_.empty() && stream_.avail_out > 0 && !refill())
            throw format_error(name_, 0, "truncated gzip data: the file ends inside a compressed member");
        return false;
    }

    // Zero bytes after the last member are padding, as in gzip; any other bytes must start a member.
    bool next_member() {
        do {
            rest_.remove_prefix(std::min(rest_.find_first_not_of('\0'), rest_.size()));
        } while (rest_.size() < 2 && refill());
        if (rest_.empty()) return false;
        if (!is_gzip(rest_)) throw format_error(name_, 0, "unexpected bytes after the gzip data");
        inflateReset(&stream_);
        return true;
    }

    std::string name_;
    byte_reader& in_;
    read_limits limits_;
    std::int64_t max_bytes_;
    std::string window_;
    std::string_view rest_;
    z_stream stream_{};
};

/// Appends the rest of the input to `text`, up to `limit` bytes of text. Returns whether that is all.
bool read_rest(std::string const& name, byte_reader& in, growing_text& text, std::size_t limit,
               read_limits const& limits) {
    std::int64_t const max_bytes = largest_text(limits);
    if (in.size() > max_bytes && limit > static_cast<std::size_t>(max_bytes)) refuse_length(name, max_bytes);
    if (in.size() >= 0) text.reserve(std::min(static_cast<std::size_t>(in.size()), limit));
    while (text.size < limit) {
        if (in.size() >= 0 && in.done() == in.size()) return true;
        if (text.free_bytes() == 0) text.reserve(text.size + std::max(text.size / 2, bytes_per_step));
        std::size_t const free = text.free_bytes();
        std::size_t const got = in.read(text.free_space(), free);
        text.size += got;
        if (static_cast<std::int64_t>(text.size) > max_bytes) refuse_length(name, max_bytes);
        if (got < free) return true;
    }
    return false;
}

} // namespace

namespace {

/// Removes the byte order mark that some programs write at the beginning of UTF-8 files, and refuses that of UTF-16.
file_text without_byte_order_mark(file_text text, std::filesystem::path const& path) {
    constexpr std::string_view mark = "\xEF\xBB\xBF", starts_of_utf_16[] = {"\xFF\xFE", "\xFE\xFF"};
    for (auto const start : starts_of_utf_16)
        if (text.view.starts_with(start))
            throw format_error(input_name(path), 1,
                               "the file is encoded as UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)");
    if (text.view.starts_with(mark)) text.view.remove_prefix(mark.size());
    return text;
}

file_text read_bytes(std::filesystem::path const& path, std::size_t limit, file_progress const& progress,
                     read_limits const& limits) {
    auto const name = input_name(path);
    byte_reader in(path);
    growing_text text;
    text.reserve(std::size_t(1) << 16);
    text.size = in.read(text.free_space(), text.free_bytes());
    if (is_gzip(text.view())) return inflater(name, in, text.view(), limits).run(limit, progress);
    if (path.extension() == ".gz" && text.size > 0)
        throw format_error(name, 0, "not gzip data, although the name ends in .gz");
    bool const complete = read_rest(name, in, text, limit, limits);
    return text.release(complete);
}

} // namespace

file_text read_text(std::filesystem::path const& path, std::size_t limit, file_progress const& progress,
                    read_limits const& limits) {
    return without_byte_order_mark(read_bytes(path, limit, progress, limits), path);
}

std::string gzip_member(std::string_view text) {
    if (text.size() > std::numeric_limits<uInt>::max() / 2)
        throw argument_error("gzip member of " + std::to_string(text.size()) + " bytes, expected at most 2 GiB");
    z_stream stream{};
    constexpr int memory_level = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_wrapper, memory_level, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        throw memory_error("cannot start zlib"); // not covered: no memory in zlib
    struct closer {
        z_stream& stream;
        ~closer() { deflateEnd(&stream); }
    } const close{stream};
    std::string member(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = as_bytes(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = as_bytes(member.data());
    stream.avail_out = static_cast<uInt>(member.size());
    deflate(&stream, Z_FINISH); // cannot fail: deflateBound() returned an upper bound of the size
    member.resize(stream.total_out);
    return member;
}

} // namespace coppice::inline v0_1
