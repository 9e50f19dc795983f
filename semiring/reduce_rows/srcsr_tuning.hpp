// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Choice of the tuning parameters of SRCSR on CUDA (thesis section 3.5.6): tables of measurements and a rule.
///
/// A record holds the fastest parameters for one device, one size of a nonzero in bytes, and one class of mean row
/// lengths. Records come first from the user's tuning file, which `coppice tune` writes, then from the table shipped
/// with the library. If neither has a matching record, a rule decides.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/core/cuda/cuda_executor.hpp>
#include <coppice/core/files/tuning_file.hpp>
#include <coppice/semiring/reduce_rows/srcsr_options.hpp>

namespace coppice::inline v0_1 {

/// Result of `coppice tune` for one class of matrices.
struct tuning_record {
    std::string device{};  ///< name that the driver reports
    int nonzero_bytes = 0; ///< size of a value and a column index together
    int length_class = 0;  ///< see row_length_class
    int threads = 0;       ///< block size
    int lanes = 0;         ///< lanes that fold a row of mean length; determines the path steps per block
    int lane_chunk = 0;
    segmented_reduction reduction = segmented_reduction::warp_transposed;
    double microseconds = 0; ///< measured time of the product
};

/// Class of a mean row length: 0 for up to 2 nonzeros per row, 1 for up to 4, 2 for up to 8, …, 9 for more than 512.
int row_length_class(double mean);

/// Formats a record as a line of the tuning file, without the leading kind "product" (core/files/tuning_file.hpp):
///
///     device="NVIDIA H200" bytes=8 class=3 threads=128 lanes=1 stretch=32 reduction=warp-transposed microseconds=137.2
std::string to_line(tuning_record const& record);
/// Reads a tuning file. Throws format_error with file and line for a malformed line, io_error if the file cannot be
/// opened.
std::vector<tuning_record> read_tuning_file(std::filesystem::path const& file);
/// Writes records of this device; they replace those that the file has for it. Records of other devices are preserved.
/// Creates the folder. Throws io_error on failure.
void write_tuning_file(std::filesystem::path const& file, std::vector<tuning_record> const& records);

/// Measures y = 0.5 y + 1.5 A x in float and double over the Cartesian product of block sizes, lanes per row, lane
/// chunks and segmented reductions, for two banded matrices per class of row lengths, one regular and one irregular.
/// Returns the fastest choice for each type, class and block size; calls `progress` with one line for each. Takes half
/// a minute and 1.5 GB on an H200. Throws backend_error in a build without CUDA.
std::vector<tuning_record> tune_srcsr(cuda_executor const& exec,
                                      std::function<void(std::string const&)> const& progress = {});

/// Returns the records shipped with the library.
std::vector<tuning_record> const& shipped_tuning();

namespace detail {

/// Tuning parameters of a plan, and their origin as text.
struct tuning_choice {
    srcsr_tuning tuning{};
    std::string reason{};
};

/// Completes the fields of `requested` that are 0. Reads the user's tuning file at the first call; an unreadable file
/// is ignored, and `reason` reports that. If no block size is requested, that of reduce_rows is used.
tuning_choice choose_tuning(srcsr_tuning const& requested, std::string const& device, int nonzero_bytes,
                            std::int64_t rows, std::int64_t nonzeros);

/// choose_tuning() from given records.
tuning_choice choose_tuning_from(std::vector<tuning_record> const& user, std::vector<tuning_record> const& shipped,
                                 srcsr_tuning const& requested, std::string const& device, int nonzero_bytes,
                                 std::int64_t rows, std::int64_t nonzeros);

/// Path steps per block for which rows of mean length are folded by `lanes` lanes each.
std::int64_t steps_for_lanes(int threads, int lanes, double steps_per_row);

/// Returns the largest number of nonzeros of a range of whole rows: those of rows of mean length that fill a block,
/// plus slightly more than one row, but not more than `max_capacity`.
inline int range_capacity(srcsr_tuning const& t, std::int64_t rows, std::int64_t nonzeros, int max_capacity) {
    double const mean = double(nonzeros) / double(rows);
    double const target = double(t.work_per_block) * mean / (mean + 1) + 1.25 * mean;
    return target + 16 < max_capacity ? int(target) + 16 : max_capacity;
}

} // namespace detail
} // namespace coppice::inline v0_1
