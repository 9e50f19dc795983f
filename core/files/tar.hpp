// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What stands in a tar archive: names and bytes of its regular files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice {

struct tar_member {
    std::string name{};
    std::string_view bytes{}; ///< in the text of the archive
};

/// Whether a text begins as tar archives do (POSIX ustar, GNU, or the older form without a magic word).
bool is_tar(std::string_view text);

/// The regular files of an archive, in its order; long names by GNU and pax records. `file` is what messages call it.
/// Throws format_error (line 0) where the archive is truncated or damaged.
std::vector<tar_member> read_tar(std::string const& file, std::string_view text);

} // namespace coppice
