// SPDX-License-Identifier: BSD-3-Clause
// Measurements of `coppice tune` on 2026-11-20 on an NVIDIA H200, CUDA 13.0: device, bytes of a nonzero, class of row
// lengths, block size, lanes, lane chunk, reduction, microseconds for 2^25 nonzeros. CUB's warp scans were up to 3 %
// faster on regular rows of 6 and 9 nonzeros but 25 % slower on a power-law matrix, so they were not selected.
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>

namespace coppice::inline v0_1 {

std::vector<tuning_record> const& shipped_tuning() {
    using enum segmented_reduction;
    static std::vector<tuning_record> const records{
        {"NVIDIA H200", 8, 0, 128, 1, 32, warp_transposed, 204.8},
        {"NVIDIA H200", 8, 0, 256, 1, 32, warp_transposed, 207.5},
        {"NVIDIA H200", 8, 1, 128, 1, 32, warp_transposed, 125.5},
        {"NVIDIA H200", 8, 1, 256, 1, 32, warp_transposed, 131.1},
        {"NVIDIA H200", 8, 2, 128, 1, 32, warp_transposed, 95.3},
        {"NVIDIA H200", 8, 2, 256, 1, 32, warp_transposed, 98.9},
        {"NVIDIA H200", 8, 3, 128, 1, 32, warp_transposed, 86.0},
        {"NVIDIA H200", 8, 3, 256, 1, 32, warp_transposed, 89.5},
        {"NVIDIA H200", 8, 4, 128, 4, 32, warp_transposed, 85.4},
        {"NVIDIA H200", 8, 4, 256, 4, 32, warp_transposed, 87.0},
        {"NVIDIA H200", 8, 5, 128, 1, 32, warp_transposed, 91.8},
        {"NVIDIA H200", 8, 5, 256, 1, 32, warp_transposed, 91.1},
        {"NVIDIA H200", 8, 6, 128, 1, 32, warp_transposed, 93.1},
        {"NVIDIA H200", 8, 6, 256, 1, 32, warp_transposed, 93.9},
        {"NVIDIA H200", 8, 7, 128, 32, 32, warp_transposed, 116.9},
        {"NVIDIA H200", 8, 7, 256, 1, 32, warp_transposed, 103.9},
        {"NVIDIA H200", 8, 8, 128, 1, 32, warp_transposed, 129.9},
        {"NVIDIA H200", 8, 8, 256, 1, 32, warp_transposed, 117.9},
        {"NVIDIA H200", 8, 9, 128, 1, 32, warp_transposed, 131.9},
        {"NVIDIA H200", 8, 9, 256, 1, 32, warp_transposed, 117.5},
        {"NVIDIA H200", 12, 0, 128, 1, 32, warp_transposed, 331.2},
        {"NVIDIA H200", 12, 0, 256, 1, 32, warp_transposed, 335.7},
        {"NVIDIA H200", 12, 1, 128, 1, 32, warp_transposed, 195.0},
        {"NVIDIA H200", 12, 1, 256, 1, 32, warp_transposed, 204.2},
        {"NVIDIA H200", 12, 2, 128, 1, 32, warp_transposed, 147.5},
        {"NVIDIA H200", 12, 2, 256, 1, 32, warp_transposed, 147.9},
        {"NVIDIA H200", 12, 3, 128, 1, 32, warp_transposed, 130.8},
        {"NVIDIA H200", 12, 3, 256, 1, 32, warp_transposed, 131.5},
        {"NVIDIA H200", 12, 4, 128, 4, 32, warp_transposed, 125.3},
        {"NVIDIA H200", 12, 4, 256, 4, 32, warp_transposed, 128.4},
        {"NVIDIA H200", 12, 5, 128, 1, 32, warp_transposed, 133.2},
        {"NVIDIA H200", 12, 5, 256, 1, 32, warp_transposed, 129.5},
        {"NVIDIA H200", 12, 6, 128, 1, 32, warp_transposed, 133.6},
        {"NVIDIA H200", 12, 6, 256, 1, 32, warp_transposed, 134.6},
        {"NVIDIA H200", 12, 7, 128, 32, 32, warp_transposed, 178.6},
        {"NVIDIA H200", 12, 7, 256, 1, 32, warp_transposed, 177.4},
        {"NVIDIA H200", 12, 8, 128, 1, 32, warp_transposed, 211.9},
        {"NVIDIA H200", 12, 8, 256, 1, 32, warp_transposed, 218.1},
        {"NVIDIA H200", 12, 9, 128, 1, 32, warp_transposed, 204.1},
        {"NVIDIA H200", 12, 9, 256, 1, 32, warp_transposed, 214.3},
    };
    return records;
}

} // namespace coppice::inline v0_1
