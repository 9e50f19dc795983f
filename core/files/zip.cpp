// SPDX-License-Identifier: BSD-3-Clause
// Zip archives by their directory: APPNOTE.TXT 6.3 of PKWARE, sections 4.3.7 to 4.3.16 and 4.5.3.
#include <coppice/core/files/zip.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>

#include <zlib.h>

#include <coppice/core/error.hpp>
#include <coppice/core/files/byte_reader.hpp>

namespace coppice::inline v0_1 {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view local_header = "PK\x03\x04", directory_entry = "PK\x01\x02", end_record = "PK\x05\x06",
                           wide_end_record = "PK\x06\x06", wide_locator = "PK\x06\x07";
constexpr std::size_t end_bytes = 22, wide_end_bytes = 56, locator_bytes = 20, entry_bytes = 46, local_bytes = 30;
constexpr std::uint64_t in_wide_field = 0xFFFFFFFF; ///< a 32-bit field whose value is in a zip64 field

template <class N>
std::uint64_t number_at(std::string_view bytes, std::uint64_t at) {
    N value;
    std::memcpy(&value, bytes.data() + at, sizeof(N));
    return value;
}
std::uint64_t two_bytes(std::string_view bytes, std::uint64_t at) { return number_at<std::uint16_t>(bytes, at); }
std::uint64_t four_bytes(std::string_view bytes, std::uint64_t at) { return number_at<std::uint32_t>(bytes, at); }
std::uint64_t eight_bytes(std::string_view bytes, std::uint64_t at) { return number_at<std::uint64_t>(bytes, at); }

/// Whether [at, at + length) is within `size` bytes; no sum overflows.
bool within(std::uint64_t at, std::uint64_t length, std::uint64_t size) { return at <= size && length <= size - at; }

class zip_reader {
public:
    zip_reader(std::string const& file, std::string_view text) : file_(file), text_(text) {}

    std::vector<zip_member> members() {
        auto const where = find_directory();
        auto directory = text_.substr(where.begin, where.bytes);
        std::vector<zip_member> all;
        for (std::uint64_t k = 0; k < where.entries; ++k) all.push_back(take_member(directory, where.begin));
        if (!directory.empty()) refuse("its directory has more bytes than entries");
        std::vector<std::string_view> names;
        names.reserve(all.size());
        for (auto const& m : all) names.push_back(m.name);
        std::sort(names.begin(), names.end());
        auto const twice = std::adjacent_find(names.begin(), names.end());
        if (twice != names.end()) refuse("two members are called '" + std::string(*twice) + "'");
        return all;
    }

private:
    struct directory_range {
        std::uint64_t begin, bytes, entries;
    };

    [[noreturn]] void refuse(std::string const& why) const {
        throw format_error(file_, 0, "damaged zip archive: " + why);
    }

    /// The end record is the last one in the file, followed by a comment of at most 65535 bytes.
    std::uint64_t find_end() const {
        if (text_.size() < end_bytes) refuse("the file ends before its directory");
        std::uint64_t const last = text_.size() - end_bytes, first = last - std::min<std::uint64_t>(last, 0xFFFF);
        for (std::uint64_t at = last + 1; at-- > first;)
            if (text_.substr(at, 4) == end_record && two_bytes(text_, at + 20) == last - at) return at;
        refuse("the file ends before its directory");
    }

    directory_range find_directory() const {
        std::uint64_t const end = find_end();
        directory_range found{four_bytes(text_, end + 16), four_bytes(text_, end + 12), two_bytes(text_, end + 10)};
        std::uint64_t stop = end;
        if (two_bytes(text_, end + 4) != two_bytes(text_, end + 6)) refuse("it has several volumes");
        if (end >= locator_bytes && text_.substr(end - locator_bytes, 4) == wide_locator) {
            stop = eight_bytes(text_, end - locator_bytes + 8);
            if (!within(stop, wide_end_bytes, end - locator_bytes) || text_.substr(stop, 4) != wide_end_record)
                refuse("its zip64 record is missing");
            found = {eight_bytes(text_, stop + 48), eight_bytes(text_, stop + 40), eight_bytes(text_, stop + 32)};
        }
        if (!within(found.begin, found.bytes, stop)) refuse("its directory is outside the file");
        if (found.entries > found.bytes / entry_bytes) refuse("its directory has fewer entries than declared");
        return found;
    }

    /// Replaces sizes and offset by those of the zip64 field, which has only the ones that do not fit.
    void read_wide_field(std::string_view extra, std::uint64_t (&numbers)[3]) const {
        while (extra.size() >= 4) {
            std::uint64_t const id = two_bytes(extra, 0), length = two_bytes(extra, 2);
            if (!within(4, length, extra.size())) break;
            auto field = extra.substr(4, length);
            extra.remove_prefix(4 + length);
            if (id != 1) continue;
            for (auto& number : numbers) {
                if (number != in_wide_field) continue;
                if (field.size() < 8) refuse("a zip64 field is too short");
                number = eight_bytes(field, 0);
                field.remove_prefix(8);
            }
            return;
        }
    }

    /// Removes an entry from the directory, which begins at `members_end`.
    zip_member take_member(std::string_view& directory, std::uint64_t members_end) const {
        if (directory.size() < entry_bytes || !directory.starts_with(directory_entry))
            refuse("an entry of its directory is invalid");
        std::uint64_t const flags = two_bytes(directory, 8), method = two_bytes(directory, 10),
                            name = two_bytes(directory, 28), extra = two_bytes(directory, 30),
                            comment = two_bytes(directory, 32);
        if (!within(entry_bytes, name + extra + comment, directory.size()))
            refuse("an entry of its directory is truncated");
        zip_member m{.name = std::string(directory.substr(entry_bytes, name)),
                     .deflated = method == 8,
                     .checksum = std::uint32_t(four_bytes(directory, 16))};
        std::uint64_t numbers[] = {four_bytes(directory, 24), four_bytes(directory, 20), four_bytes(directory, 42)};
        read_wide_field(directory.substr(entry_bytes + name, extra), numbers);
        auto const [size, stored, at] = numbers;
        directory.remove_prefix(entry_bytes + name + extra + comment);
        if ((flags & 1) != 0) refuse("the member '" + m.name + "' is encrypted");
        if (method != 0 && method != 8)
            refuse("the member '" + m.name + "' has the compression method " + std::to_string(method) +
                   ", expected stored or deflated");
        if (!within(at, local_bytes, members_end) || text_.substr(at, 4) != local_header)
            refuse("the member '" + m.name + "' is missing");
        std::uint64_t const begin = at + local_bytes + two_bytes(text_, at + 26) + two_bytes(text_, at + 28);
        if (!within(begin, stored, members_end) || (!m.deflated && stored != size))
            refuse("the member '" + m.name + "' is truncated");
        m.stored = text_.substr(begin, stored);
        m.size = size;
        return m;
    }

    std::string const& file_;
    std::string_view text_;
};

/// Throws format_error if a content of this size is impossible or exceeds the limits.
void check_size(std::string const& name, zip_member const& m, read_limits const& limits) {
    auto const refuse = [&](std::string const& why) { throw format_error(name, 0, why); };
    constexpr std::uint64_t max_ratio = 1032; // of deflate: two bits for 258 bytes
    std::uint64_t const stored = m.stored.size();
    if (m.deflated && m.size / max_ratio > stored) refuse("declares more bytes than its compressed data can hold");
    if (m.size > std::uint64_t(largest_text(limits)))
        refuse("has more bytes than the limit (by default half of the memory); raise max_bytes (--max-input)");
    if (m.deflated && limits.max_expansion > 0 && m.size > std::uint64_t(limits.small_bytes) &&
        double(m.size) > limits.max_expansion * double(stored))
        refuse("is more than " + std::to_string(std::int64_t(limits.max_expansion)) + " times as long as its " +
               std::to_string(stored) +
               " compressed bytes; if this is intended, raise max_expansion (--max-expansion)");
}

/// Inflates raw deflate data into out[size]. Returns whether they end there, if `whole`, or fill it.
bool inflate_into(std::string_view from, char* out, std::uint64_t size, bool whole) {
    z_stream stream{};
    if (inflateInit2(&stream, -15) != Z_OK) throw memory_error("cannot start zlib"); // not covered: no memory in zlib
    struct closer {
        z_stream& stream;
        ~closer() { inflateEnd(&stream); }
    } const close{stream};
    constexpr std::uint64_t max_step = std::numeric_limits<uInt>::max() / 2;
    Bytef extra = 0; // receives a byte after the declared end
    std::uint64_t done = 0, used = 0;
    int status = Z_OK;
    while (status == Z_OK) {
        auto const in = std::min<std::uint64_t>(from.size() - used, max_step), room = std::min(size - done, max_step);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + used));
        stream.avail_in = uInt(in);
        stream.next_out = room > 0 ? reinterpret_cast<Bytef*>(out + done) : &extra;
        stream.avail_out = room > 0 ? uInt(room) : 1;
        status = inflate(&stream, Z_NO_FLUSH);
        used += in - stream.avail_in;
        if (room == 0 && stream.avail_out == 0) return !whole; // longer than declared
        if (room > 0) done += room - stream.avail_out;
        if (!whole && done == size) return true;
    }
    return status == Z_STREAM_END && done == size && used == from.size();
}

} // namespace

bool is_zip(std::string_view text) { return text.starts_with(local_header) || text.starts_with(end_record); }

std::vector<zip_member> read_zip(std::string const& file, std::string_view text) {
    return zip_reader(file, text).members();
}

file_text content_of(std::string const& file, zip_member const& m, read_limits const& limits, std::size_t limit) {
    auto const name = file + ":" + m.name;
    check_size(name, m, limits);
    bool const whole = limit >= m.size;
    file_text content{m.stored, nullptr, whole};
    if (m.deflated) {
        auto const size = std::min<std::uint64_t>(m.size, limit);
        std::shared_ptr<char[]> const bytes(new char[std::max<std::uint64_t>(size, 1)]);
        if (!inflate_into(m.stored, bytes.get(), size, whole))
            throw format_error(name, 0, "damaged: the compressed data are invalid or have another length");
        content = {{bytes.get(), size}, bytes, whole};
    }
    if (!whole) return content;
    auto sum = crc32(0, nullptr, 0);
    for (auto rest = content.view; !rest.empty();) {
        auto const step = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max() / 2);
        sum = crc32(sum, reinterpret_cast<Bytef const*>(rest.data()), uInt(step));
        rest.remove_prefix(step);
    }
    if (sum != m.checksum) throw format_error(name, 0, "damaged: the checksum of the content is wrong");
    return content;
}

} // namespace coppice::inline v0_1
