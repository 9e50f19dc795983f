// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How SRCSR lays a pattern over a GPU: schemes, segmented reductions, sizes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace coppice {

/// How rows are given to CUDA blocks (thesis sections 3.3 and 3.4).
enum class srcsr_scheme {
    /// Whole rows per block (Algorithm 5), but a row much longer than a block's share is cut. The block where a cut row
    /// ends waits for what earlier blocks hand over, and folds the parts in order.
    adaptive,
    /// Every block gets the same share of the path, rows are cut wherever a share ends (Algorithm 4). A second kernel
    /// folds the parts in order; nothing is atomic.
    balanced_postprocess,
    /// The same cuts; parts of cut rows are added to y by atomic operations. Needs a store with open and join (see
    /// `atomic_store`). NOT reproducible: the order of additions, and so the last bits, differ from run to run.
    balanced_atomic,
};
inline constexpr std::array<std::string_view, 3> srcsr_scheme_names{"adaptive", "balanced-postprocess",
                                                                    "balanced-atomic"};

/// How a block reduces a tile of products with rows of any lengths (thesis sections 3.5.1 and 3.5.2). All keep the
/// order of the nonzeros.
enum class segmented_reduction {
    /// Every thread folds an odd number of consecutive path steps, warps correct the first row of each thread by a
    /// segmented scan with shuffles (Figure 22).
    warp_transposed,
    raking,         ///< CUB's block scan of (row begins, value) pairs, one warp rakes over the partial sums
    raking_memoize, ///< the same, partial sums kept in registers
    warp_scans,     ///< CUB's block scan made of warp scans
};
inline constexpr std::array<std::string_view, 4> segmented_reduction_names{"warp-transposed", "raking",
                                                                           "raking-memoize", "warp-scans"};

/// Block size of reduce_rows on CUDA unless its template argument says otherwise.
inline constexpr int srcsr_default_threads = 128;

/// The tuning parameters of thesis section 3.5.6; 0 leaves the choice to the plan.
struct srcsr_tuning {
    int threads = 0;                 ///< block size: 64, 128 or 256
    std::int64_t work_per_block = 0; ///< path steps (rows + nonzeros) per block, at most ten per thread
    int lane_stretch = 0;            ///< nonzeros of a row that one thread folds at most without a segmented reduction
    segmented_reduction reduction = segmented_reduction::warp_transposed;
};

/// Choices for make_srcsr_plan on CUDA. The host has one scheme and ignores them.
struct srcsr_options {
    srcsr_scheme scheme = srcsr_scheme::adaptive;
    srcsr_tuning tuning{};
    int nonzero_bytes = 0; ///< of a value and a column index, for the choice of sizes; 0: those of the matrix, or 8
};

} // namespace coppice
