// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Small PNG images as data URIs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coppice::app::report {

/// Image of one colour with varying opacity: `alpha` has width * height values, rows from top to bottom. Returns
/// "data:image/png;base64,...".
std::string png_data_uri(int width, int height, std::uint32_t rgb, std::vector<std::uint8_t> const& alpha);

} // namespace coppice::app::report
