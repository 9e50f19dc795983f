// SPDX-License-Identifier: BSD-3-Clause
/// \file Choice of the tuning parameters of SRCSR from the mean length of the rows.
#pragma once

#include <cstdint>
#include <string>

#include "semiring/srcsr_options.hpp"

namespace coppice::detail {

/// Fills what `asked` leaves open. The share is as large as gives every thread one row, or one stretch of a row, where
/// all rows have the mean length: with 128 rows of a nine-point grid for 128 threads a product took 143 us on an H200,
/// with 102 or 154 rows 155 to 163.
inline srcsr_tuning complete_tuning(srcsr_tuning asked, std::int64_t rows, std::int64_t nonzeros, std::string& reason) {
    srcsr_tuning t = asked;
    double const steps_per_row = rows > 0 ? double(nonzeros) / double(rows) + 1 : 1;
    if (t.threads == 0) t.threads = srcsr_default_threads;
    if (t.lane_stretch == 0) t.lane_stretch = 32;
    std::int64_t const most = 10 * t.threads;
    if (t.work_per_block == 0) {
        int lanes = 1;
        while (lanes < 32 && double(t.threads / lanes) * steps_per_row > double(most) + 0.5) lanes *= 2;
        t.work_per_block = std::int64_t(double(t.threads / lanes) * steps_per_row + 0.5);
        if (t.work_per_block < 4 * t.threads) t.work_per_block = 4 * t.threads;
    }
    if (t.work_per_block > most) t.work_per_block = most;
    reason = "rows have " + std::to_string(steps_per_row - 1) + " nonzeros in the mean";
    return t;
}

/// Nonzeros of a share of whole rows at most: what rows of the mean length fill, and a little more than one row.
inline int share_capacity(srcsr_tuning const& t, std::int64_t rows, std::int64_t nonzeros) {
    double const mean = double(nonzeros) / double(rows);
    return int(double(t.work_per_block) * mean / (mean + 1) + 1.25 * mean) + 16;
}

} // namespace coppice::detail
