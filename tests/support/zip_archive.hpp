// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Zip archives for tests of readers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

namespace coppice::test {

template <class N>
void append_number(std::string& bytes, N number) {
    bytes.append(reinterpret_cast<char const*>(&number), sizeof number);
}

/// Deflates a text without header, as members of archives are.
inline std::string deflated(std::string_view text) {
    std::string bytes(compressBound(uLong(text.size())), '\0'); // first: a failure would leave the stream
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = uInt(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = uInt(bytes.size());
    deflate(&stream, Z_FINISH);
    bytes.resize(stream.total_out);
    deflateEnd(&stream);
    return bytes;
}

struct zip_options {
    bool deflate = false;
    bool wide = false;       ///< zip64 fields and end record
    bool descriptor = false; ///< sizes of the local headers are 0 and follow the data
    std::string comment{};
};

/// An archive of members with names and contents, with 32-bit sizes unless `wide`.
inline std::string zip_archive(std::vector<std::pair<std::string, std::string>> const& members,
                               zip_options const& o = {}) {
    std::string archive, directory;
    auto const header = [&](std::string& to, bool local, std::uint32_t sum, std::size_t stored, std::size_t size,
                            std::size_t at, std::string const& name) {
        to += local ? "PK\x03\x04" : "PK\x01\x02";
        if (!local) append_number(to, std::uint16_t(45));
        bool const later = local && o.descriptor, wide = o.wide && !later;
        for (int const number : {45, later ? 8 : 0, o.deflate ? 8 : 0, 0, 33}) append_number(to, std::uint16_t(number));
        append_number(to, later ? 0 : sum);
        for (auto const length : {stored, size})
            append_number(to, later ? 0 : wide ? 0xFFFFFFFFU : std::uint32_t(length));
        append_number(to, std::uint16_t(name.size()));
        append_number(to, std::uint16_t(wide ? (local ? 20 : 28) : 0));
        if (!local) {
            to.append(10, '\0'); // comment, volume, attributes
            append_number(to, wide ? 0xFFFFFFFFU : std::uint32_t(at));
        }
        to += name;
        if (!wide) return;
        append_number(to, std::uint16_t(1));
        append_number(to, std::uint16_t(local ? 16 : 24));
        for (auto const length : {size, stored}) append_number(to, std::uint64_t(length));
        if (!local) append_number(to, std::uint64_t(at));
    };
    for (auto const& [name, content] : members) {
        auto const stored = o.deflate ? deflated(content) : content;
        auto const sum = std::uint32_t(crc32(0, reinterpret_cast<Bytef const*>(content.data()), uInt(content.size())));
        header(directory, false, sum, stored.size(), content.size(), archive.size(), name);
        header(archive, true, sum, stored.size(), content.size(), 0, name);
        archive += stored;
        if (!o.descriptor) continue;
        archive += "PK\x07\x08";
        append_number(archive, sum);
        for (auto const length : {stored.size(), content.size()}) append_number(archive, std::uint32_t(length));
    }
    auto const begin = archive.size();
    archive += directory;
    if (o.wide) {
        auto const record = archive.size();
        archive += "PK\x06\x06";
        append_number(archive, std::uint64_t(44));
        archive.append("\x2d\0\x2d\0\0\0\0\0\0\0\0\0", 12);
        for (auto const number : {members.size(), members.size(), directory.size(), begin})
            append_number(archive, std::uint64_t(number));
        archive.append("PK\x06\x07\0\0\0\0", 8);
        append_number(archive, std::uint64_t(record));
        append_number(archive, std::uint32_t(1));
    }
    archive.append("PK\x05\x06\0\0\0\0", 8);
    for (int k = 0; k < 2; ++k) append_number(archive, std::uint16_t(o.wide ? 0xFFFF : members.size()));
    append_number(archive, o.wide ? 0xFFFFFFFFU : std::uint32_t(directory.size()));
    append_number(archive, o.wide ? 0xFFFFFFFFU : std::uint32_t(begin));
    append_number(archive, std::uint16_t(o.comment.size()));
    return archive + o.comment;
}

/// A file of NumPy with these values, row-major. `shape`: "(3,)".
template <class N>
std::string npy_file(std::string const& type, std::string const& shape, std::vector<N> const& values) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\0\x76\0", 10);
    bytes += header;
    bytes.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(N));
    return bytes;
}

} // namespace coppice::test
