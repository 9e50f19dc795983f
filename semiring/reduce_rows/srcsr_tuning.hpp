// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Choice of the tuning parameters of SRCSR on CUDA (thesis section 3.5.6): measured tables and a rule.
///
/// A record says what was fastest on one device, for one number of bytes that a nonzero has in memory, and for one
/// class of mean row lengths. Records come from the user's tuning file, which `coppice tune` writes, then from those
/// shipped with the library; where neither has one, a rule decides.
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

namespace coppice {

/// What `coppice tune` found for one kind of matrix.
struct tuning_record {
    std::string device{};  ///< as the driver names it
    int nonzero_bytes = 0; ///< value and column index together
    int length_class = 0;  ///< see row_length_class
    int threads = 0;       ///< block size
    int lanes = 0;         ///< lanes that fold a row of mean length, which gives the share of a block
    int lane_stretch = 0;
    segmented_reduction reduction = segmented_reduction::warp_transposed;
    double microseconds = 0; ///< of the product it was measured with
};

/// 0 for up to 2 nonzeros a row in the mean, 1 for up to 4, 2 for up to 8, …, 9 for more than 512.
int row_length_class(double mean);

/// A line of the tuning file without its kind, "product" (core/files/tuning_file.hpp):
///
///     device="NVIDIA H200" bytes=8 class=3 threads=128 lanes=1 stretch=32 reduction=warp-transposed microseconds=137.2
std::string to_line(tuning_record const& record);
/// format_error with file and line for a line that is none; io_error for a file that cannot be opened.
std::vector<tuning_record> read_tuning_file(std::filesystem::path const& file);
/// Writes records of this device in place of those that the file has of it; keeps those of other devices. Makes the
/// folder. io_error where it cannot.
void write_tuning_file(std::filesystem::path const& file, std::vector<tuning_record> const& records);

/// Measures y = 0.5 y + 1.5 A x in float and double over the cartesian product of block sizes, lanes per row, stretches
/// and segmented reductions, for two banded matrices per class of row lengths, one regular and one not.
/// Returns the fastest choice for each type, class and block size; `progress` is told a line about each. Takes half a
/// minute and 1.5 GB on an H200. Throws backend_error in a build without CUDA.
std::vector<tuning_record> tune_srcsr(cuda_executor const& exec,
                                      std::function<void(std::string const&)> const& progress = {});

/// The records shipped with the library.
std::vector<tuning_record> const& shipped_tuning();

namespace detail {

/// Tuning of a plan and where it comes from.
struct tuning_choice {
    srcsr_tuning tuning{};
    std::string reason{};
};

/// Fills what `asked` leaves open. Reads the user's tuning file when called first; one that cannot be read is left out,
/// and the reason says so. A plan that does not ask for a block size gets that of reduce_rows.
tuning_choice choose_tuning(srcsr_tuning const& asked, std::string const& device, int nonzero_bytes, std::int64_t rows,
                            std::int64_t nonzeros);

/// The same from given records.
tuning_choice choose_tuning_from(std::vector<tuning_record> const& user, std::vector<tuning_record> const& shipped,
                                 srcsr_tuning const& asked, std::string const& device, int nonzero_bytes,
                                 std::int64_t rows, std::int64_t nonzeros);

/// Path steps of a share in which rows of the mean length take `lanes` lanes each.
std::int64_t share_of_lanes(int threads, int lanes, double steps_per_row);

/// Nonzeros of a share of whole rows at most: what rows of the mean length fill, and a little more than one row; not
/// more than `most`, which a share cannot exceed.
inline int share_capacity(srcsr_tuning const& t, std::int64_t rows, std::int64_t nonzeros, int most) {
    double const mean = double(nonzeros) / double(rows);
    double const wanted = double(t.work_per_block) * mean / (mean + 1) + 1.25 * mean;
    return wanted + 16 < most ? int(wanted) + 16 : most;
}

} // namespace detail
} // namespace coppice
