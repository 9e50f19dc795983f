// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reader of zip archives: names and contents of the members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {

/// A member of an archive, whose checksum and length were not checked yet.
struct zip_member {
    std::string name{};
    std::string_view stored{}; ///< a slice of the archive, compressed if `deflated`
    bool deflated = false;
    std::uint64_t size = 0; ///< bytes of the content, as declared
    std::uint32_t checksum = 0;
};

/// Whether a text starts like a zip archive.
bool is_zip(std::string_view text);

/// Returns the members that the directory at the end of an archive lists, in its order; also with 64-bit sizes (zip64)
/// and with data descriptors. `file` is the name of the archive in messages. Throws format_error (line 0) if the
/// archive is truncated or damaged, consists of several volumes, or has two members of the same name, encrypted
/// members, or members of other compression methods than stored and deflated.
std::vector<zip_member> read_zip(std::string const& file, std::string_view text);

/// Returns the content of a member; if `limit` is less than its size, only about as many bytes, unchecked. Throws
/// format_error (line 0) if length or checksum are wrong, the data are damaged, or the content exceeds the limits;
/// memory_error. Memory is allocated only for a size that the compressed data can have.
file_text content_of(std::string const& file, zip_member const& member, read_limits const& limits = {},
                     std::size_t limit = SIZE_MAX);

} // namespace coppice::inline v0_1
