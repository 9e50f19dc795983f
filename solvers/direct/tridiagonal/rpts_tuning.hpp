// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Choice of the partitioning of tridiagonal systems on a device: measured by `coppice tune`, otherwise by a rule
/// (rpts_plan.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <coppice/core/cuda/cuda_executor.hpp>
#include <coppice/core/files/tuning_file.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_on_chip.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_plan.hpp>

namespace coppice::inline v0_1 {

/// The fastest choice for one class of batches on one device.
struct tridiagonal_tuning_record {
    std::string device{};  ///< name that the driver reports
    int element_bytes = 0; ///< 4 or 8
    int rows_class = 0;    ///< systems with more than 2^(rows_class - 1) and at most 2^rows_class rows
    int systems_class = 0; ///< the same for the number of systems
    rpts::resident_choice choice{};
    double microseconds = 0; ///< of a solve with partial pivoting
};

/// A line of the tuning file without its kind, "tridiagonal" (core/files/tuning_file.hpp). threads=0: systems are not
/// sliced; partition=32: a level of tiles comes first.
///
///     device="NVIDIA H200" bytes=4 rows=12 systems=5 partition=8 threads=128 microseconds=7.1
std::string to_line(tridiagonal_tuning_record const& record);
/// Reads the tridiagonal records of a tuning file. Throws format_error with file and line for an invalid line, io_error
/// if the file cannot be opened.
std::vector<tridiagonal_tuning_record> read_tridiagonal_tuning(std::filesystem::path const& file);
/// Results of `coppice tune` on one device.
struct tridiagonal_tuning {
    std::string device;
    std::vector<tridiagonal_tuning_record> records;
};
/// Replaces the tridiagonal records of the device in the file.
void write_tridiagonal_tuning(std::filesystem::path const& file, tridiagonal_tuning const& tuning);

/// Measures batches of all sizes that fit on chip, in float and double, with all possible partition sizes and blocks.
/// Returns the choices that are faster than that of the rule by more than `margin`. `progress` gets one line for each.
/// Takes about ten seconds and 2 GB on an H200. Throws backend_error in a build without CUDA.
tridiagonal_tuning tune_tridiagonal(cuda_executor const& exec,
                                    std::function<void(std::string const&)> const& progress = {}, double margin = 0.03);

namespace rpts {

/// Properties of a device that limit the partitioning.
struct device_limits {
    int multiprocessors = 1;
    int in_cluster = 1;   ///< max. blocks of a cluster; 1 on a device without clusters
    int shared_bytes = 0; ///< shared memory of a multiprocessor
};

/// Whether the device can run this choice for `systems` systems of `rows` rows. All slices of a system must run
/// simultaneously, otherwise they would deadlock at their barrier. A multiprocessor runs 512 threads if its shared
/// memory suffices.
template <class T>
bool is_possible(resident_choice const& c, std::int64_t rows, std::int64_t systems, device_limits const& device) {
    if (c.tiles) return rows > max_untiled_rows && systems <= max_tiled_systems;
    if (c.partition != min_resident_partition<T> && c.partition != max_resident_partition<T>) return false;
    std::int64_t const block = std::int64_t(c.threads > 0 ? c.threads : resident_threads) * c.partition;
    if (c.threads == 0) return rows <= block;
    if (rows <= block || rows > std::int64_t(device.multiprocessors) * resident_threads * c.partition) return false;
    resident_plan const plan = plan_resident(rows, 1, c, device.multiprocessors, device.in_cluster);
    std::int64_t const taken = resident_memory<T>(plan).bytes() + 1024; // the driver reserves 1 KiB
    std::int64_t const room = std::min<std::int64_t>(resident_threads / plan.threads, device.shared_bytes / taken);
    return plan.cluster ? room > 0 : plan.slices <= room * device.multiprocessors;
}

/// The class k of a count: 2^(k-1) < count <= 2^k.
inline int class_of(std::int64_t count) { return count <= 1 ? 0 : int(std::bit_width(std::uint64_t(count - 1))); }

/// Adapts a choice to the device: larger blocks, of which fewer are needed, or tiles if the device cannot run it.
template <class T>
resident_choice made_possible(resident_choice choice, std::int64_t rows, std::int64_t systems,
                              device_limits const& device) {
    while (!is_possible<T>(choice, rows, systems, device)) {
        if (choice.tiles) break; // more rows than the device holds
        if (choice.threads == 0 || choice.threads == resident_threads) return {min_partition, 0, true};
        choice.threads *= 2;
    }
    return choice;
}

/// The choice of choose_by_rule(), changed if it is not possible on the device.
template <class T>
resident_choice choose_without(std::int64_t rows, std::int64_t systems, device_limits const& device) {
    return made_possible<T>(choose_by_rule<T>(rows, systems, device.multiprocessors, device.in_cluster), rows, systems,
                            device);
}

/// A choice for cyclic systems: partitions that are not reduced by a tree of pairs must all have M rows; if `rows` is
/// not a multiple of M, the smaller partitions are used.
template <class T>
resident_choice choose_cyclic(resident_choice choice, std::int64_t rows, std::int64_t systems,
                              device_limits const& device) {
    constexpr int smallest = min_resident_partition<T>;
    if (choice.tiles || choice.partition == smallest || merges_pairs<max_resident_partition<T>> ||
        rows % max_resident_partition<T> == 0)
        return choice;
    choice.partition = smallest;
    if (choice.threads == 0 && rows > std::int64_t(resident_threads) * smallest) choice.threads = slice_threads;
    if (rows <= std::int64_t(choice.threads) * smallest) choice.threads = 0;
    return made_possible<T>(choice, rows, systems, device);
}

/// The measured choices for one device, by class of rows and of systems; entries without a partition were not measured.
class tuning_table {
public:
    static constexpr int classes = 32;

    tuning_table() = default;
    tuning_table(std::vector<tridiagonal_tuning_record> const& records, std::string const& device);

    /// The measured choice for systems of this size if the device can run it, else the choice of the rule.
    template <class T>
    resident_choice choose(std::int64_t rows, std::int64_t systems, device_limits const& device) const {
        int const of_rows = class_of(rows), of_systems = class_of(systems);
        resident_choice const measured =
            of_rows < classes && of_systems < classes ? at(int(sizeof(T)), of_rows, of_systems) : resident_choice{};
        return is_possible<T>(measured, rows, systems, device) ? measured : choose_without<T>(rows, systems, device);
    }

private:
    resident_choice& at(int bytes, int rows, int systems) {
        return table_[std::size_t(bytes == 8)][std::size_t(rows)][std::size_t(systems)];
    }
    resident_choice at(int bytes, int rows, int systems) const {
        return table_[std::size_t(bytes == 8)][std::size_t(rows)][std::size_t(systems)];
    }
    std::array<std::array<std::array<resident_choice, classes>, classes>, 2> table_{};
};

/// The tuning table of the user for a device, read at the first call. A file that cannot be read is ignored.
tuning_table const& tuning_of(cuda_executor const& exec);

#if defined(COPPICE_HAS_CUDA)
template <class T>
device_limits limits_of(cuda_executor const& exec);

/// Solves with this table instead of that of the user, with partial pivoting.
template <class T>
void solve_by_table(cuda_executor const& exec, tuning_table const& table, system_view<T> const& systems, T* memory);
#endif

} // namespace rpts
} // namespace coppice::inline v0_1
