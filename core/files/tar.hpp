// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reader of tar archives: names and contents of the regular files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::inline v0_1 {

struct tar_member {
    std::string name{};
    std::string_view bytes{}; ///< a slice of the archive
};

/// Whether a text starts like a tar archive (POSIX ustar, GNU, or the older format without a magic word).
bool is_tar(std::string_view text);

/// Returns the regular files of an archive, in their order, with long names from GNU and pax records. `file` is the
/// name of the archive in messages. Throws format_error (line 0) if the archive is truncated or damaged.
std::vector<tar_member> read_tar(std::string const& file, std::string_view text);

} // namespace coppice::inline v0_1
