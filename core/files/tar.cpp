// SPDX-License-Identifier: BSD-3-Clause
// POSIX.1-2001, "ustar interchange format" and "pax extended header"; GNU tar manual, "Basic Tar Format".
#include <coppice/core/files/tar.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr std::size_t block_bytes = 512;

// Returns the text of a field, which ends at its first NUL or at the end of the field.
std::string_view text_of(std::string_view field) { return field.substr(0, field.find('\0')); }

/// Parses an octal number or, if the first byte is 0x80, a big-endian number. Empty if it is neither or is negative.
std::optional<std::uint64_t> number_of(std::string_view field) {
    std::uint64_t value = 0;
    if (static_cast<unsigned char>(field[0]) == 0x80) {
        for (char const c : field.substr(1)) {
            if (value >> 55) return std::nullopt;
            value = value << 8 | static_cast<unsigned char>(c);
        }
        return value;
    }
    auto digits = text_of(field);
    while (digits.starts_with(' ')) digits.remove_prefix(1);
    while (digits.ends_with(' ')) digits.remove_suffix(1);
    char const* const end = digits.data() + digits.size();
    auto const [stop, status] = std::from_chars(digits.data(), end, value, 8);
    if (!digits.empty() && (stop != end || status != std::errc{})) return std::nullopt;
    return value;
}

/// Header of a member: one block of fields at fixed offsets.
class member_header {
public:
    explicit member_header(std::string_view bytes) : bytes_(bytes) {}

    bool is_zero() const { return bytes_.find_first_not_of('\0') == bytes_.npos; }
    /// Whether the checksum is correct: the sum of all bytes, with the checksum field taken as blanks.
    bool sum_is_right() const {
        std::uint64_t sum = 8 * ' ';
        for (std::size_t i = 0; i < block_bytes; ++i)
            if (i < 148 || i >= 156) sum += static_cast<unsigned char>(bytes_[i]);
        return number_of(bytes_.substr(148, 8)) == sum;
    }
    bool has_magic() const { return bytes_.substr(257, 5) == "ustar"; }
    char type() const { return bytes_[156]; }
    std::optional<std::uint64_t> size() const { return number_of(bytes_.substr(124, 12)); }
    std::string name() const {
        auto const prefix = bytes_.substr(257, 6) == std::string_view("ustar\0", 6) ? text_of(bytes_.substr(345, 155))
                                                                                    : std::string_view();
        std::string const last(text_of(bytes_.substr(0, 100)));
        return prefix.empty() ? last : std::string(prefix) + "/" + last;
    }

private:
    std::string_view bytes_;
};

/// Returns the value of a key among the records "LENGTH KEY=VALUE\n" of a pax header; empty if the key is missing.
std::string_view pax_value(std::string_view records, std::string_view key) {
    std::string_view found;
    while (!records.empty()) {
        std::size_t length = 0;
        auto const [stop, status] = std::from_chars(records.data(), records.data() + records.size(), length);
        auto const digits = static_cast<std::size_t>(stop - records.data());
        if (status != std::errc{} || length <= digits + 1 || length > records.size()) return found;
        auto const record = records.substr(digits + 1, length - digits - 2);
        if (record.starts_with(key) && record.substr(key.size(), 1) == "=") found = record.substr(key.size() + 1);
        records.remove_prefix(length);
    }
    return found;
}

std::optional<std::uint64_t> decimal(std::string_view digits) {
    std::uint64_t value = 0;
    char const* const end = digits.data() + digits.size();
    auto const [stop, status] = std::from_chars(digits.data(), end, value);
    return stop == end && status == std::errc{} ? std::optional(value) : std::nullopt;
}

} // namespace

bool is_tar(std::string_view text) {
    if (text.size() < block_bytes) return false;
    member_header const first(text.substr(0, block_bytes));
    return first.has_magic() || (!first.is_zero() && first.sum_is_right());
}

std::vector<tar_member> read_tar(std::string const& file, std::string_view text) {
    auto const fail = [&](std::string const& why) { throw format_error(file, 0, why); };
    std::vector<tar_member> members;
    std::string_view long_name, long_size; // of the next member, if a preceding record sets them
    auto const name_of = [&](member_header const& header) {
        return long_name.empty() ? header.name() : std::string(long_name);
    };
    while (!text.empty()) {
        if (text.size() < block_bytes) fail("truncated tar archive: it ends inside a header");
        member_header const header(text.substr(0, block_bytes));
        if (header.is_zero()) break; // the end of the archive
        auto size = header.size();
        if (!header.sum_is_right()) fail("damaged tar archive: wrong checksum of a header");
        if (!long_size.empty()) size = decimal(long_size);
        if (!size) fail("damaged tar archive: a size that is not a number");
        text.remove_prefix(block_bytes);
        if (*size > text.size())
            fail("truncated tar archive: " + name_of(header) + " has " + std::to_string(*size) + " bytes, " +
                 std::to_string(text.size()) + " are present");
        auto const bytes = text.substr(0, *size);
        text.remove_prefix(std::min(text.size(), (*size + block_bytes - 1) / block_bytes * block_bytes));
        switch (header.type()) {
        case 'L': // GNU: the name of the next member
            long_name = text_of(bytes);
            continue;
        case 'x': // pax: values of the next member that do not fit its header fields
            if (auto const name = pax_value(bytes, "path"); !name.empty()) long_name = name;
            long_size = pax_value(bytes, "size");
            continue;
        case '0':
        case '\0':
        case '7':
            members.push_back({name_of(header), bytes});
            break;
        default: // folders, links, devices, comments
            break;
        }
        if (header.type() != 'g' && header.type() != 'K') long_name = long_size = {};
    }
    return members;
}

} // namespace coppice::inline v0_1
