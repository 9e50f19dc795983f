// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of SRCSR on a GPU: schemes, segmented reductions, sizes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace coppice::inline v0_1 {

/// Assignment of rows to CUDA blocks (thesis sections 3.3 and 3.4).
enum class srcsr_scheme {
    /// Whole rows per block (Algorithm 5), but a row much longer than the range of a block is split. The block where a
    /// split row ends waits for the partial sums of earlier blocks and folds them in order.
    adaptive,
    /// All blocks get path ranges of equal length; rows are split at the ends of ranges (Algorithm 4). A second kernel
    /// folds the partial sums in order, without atomic operations.
    balanced_postprocess,
    /// Ranges as for balanced_postprocess; partial sums of split rows are added to y by atomic operations. Needs a
    /// store with open and merge (see `atomic_store`). NOT reproducible: the order of the additions, and therefore the
    /// last bits, differ from run to run.
    balanced_atomic,
};
inline constexpr std::array<std::string_view, 3> srcsr_scheme_names{"adaptive", "balanced-postprocess",
                                                                    "balanced-atomic"};

/// Reduction of a tile of products with rows of arbitrary length within a block (thesis sections 3.5.1 and 3.5.2). All
/// variants preserve the order of the nonzeros.
enum class segmented_reduction {
    /// Every thread folds an odd number of consecutive path steps; a segmented scan by warp shuffles corrects the first
    /// row of each thread (Figure 22).
    warp_transposed,
    raking,         ///< CUB's block scan of (row begins, value) pairs; one warp rakes over the partial sums
    raking_memoize, ///< the same with partial sums in registers
    warp_scans,     ///< CUB's block scan composed of warp scans
};
inline constexpr std::array<std::string_view, 4> segmented_reduction_names{"warp-transposed", "raking",
                                                                           "raking-memoize", "warp-scans"};

/// Default block size of reduce_rows on CUDA; a template argument overrides it.
inline constexpr int srcsr_default_threads = 128;

/// Tuning parameters of thesis section 3.5.6; 0: the plan chooses.
struct srcsr_tuning {
    int threads = 0;                 ///< block size: 64, 128 or 256
    std::int64_t work_per_block = 0; ///< path steps (rows + nonzeros) per block, at most ten per thread
    /// Largest number of nonzeros of a row that one thread folds without a segmented reduction.
    int lane_chunk = 0;
    segmented_reduction reduction = segmented_reduction::warp_transposed;
};

/// Options of make_srcsr_plan on CUDA. The host has one scheme and ignores them.
struct srcsr_options {
    srcsr_scheme scheme = srcsr_scheme::adaptive;
    srcsr_tuning tuning{};
    /// Size of a value and a column index, used to choose the other sizes; 0: that of the matrix, or 8.
    int nonzero_bytes = 0;
};

} // namespace coppice::inline v0_1
