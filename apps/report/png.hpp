// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Small PNG images as data URIs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coppice::app::report {

/// An image of one colour whose opacity varies: `alpha` holds width * height values, rows from the top.
/// Returns "data:image/png;base64,...".
std::string png_data_uri(int width, int height, std::uint32_t rgb, std::vector<std::uint8_t> const& alpha);

} // namespace coppice::app::report
