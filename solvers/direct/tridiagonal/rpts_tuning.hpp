// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How tridiagonal systems are cut on a device: what `coppice tune` measured there, else a rule (rpts_plan.hpp).
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

namespace coppice {

/// What was fastest for one kind of batch on one device.
struct tridiagonal_tuning_record {
    std::string device{};  ///< as the driver names it
    int element_bytes = 0; ///< 4 or 8
    int rows_class = 0;    ///< up to 2^rows_class rows a system, more than half of that
    int systems_class = 0; ///< the same for systems
    rpts::resident_choice choice{};
    double microseconds = 0; ///< of a solve with partial pivoting
};

/// A line of the tuning file without its kind, "tridiagonal" (core/files/tuning_file.hpp); threads=0: systems stay
/// whole; partition=32: a stage of tiles comes first.
///
///     device="NVIDIA H200" bytes=4 rows=12 systems=5 partition=8 threads=128 microseconds=7.1
std::string to_line(tridiagonal_tuning_record const& record);
/// format_error with file and line for a line that is none; io_error for a file that cannot be opened.
std::vector<tridiagonal_tuning_record> read_tridiagonal_tuning(std::filesystem::path const& file);
/// What `coppice tune` found on one device.
struct tridiagonal_tuning {
    std::string device;
    std::vector<tridiagonal_tuning_record> records;
};
/// Writes records in place of those that the file has of the device.
void write_tridiagonal_tuning(std::filesystem::path const& file, tridiagonal_tuning const& tuning);

/// Measures batches of all sizes that stay on chip, in float and double, over the partition sizes and blocks that are
/// possible; returns what was faster than the rule's choice by more than `margin`. `progress` is told a line about
/// each. Takes some ten seconds and 2 GB on an H200. Throws backend_error in a build without CUDA.
tridiagonal_tuning tune_tridiagonal(cuda_executor const& exec,
                                    std::function<void(std::string const&)> const& progress = {}, double margin = 0.03);

namespace rpts {

/// What decides how systems can be cut on a device.
struct device_limits {
    int multiprocessors = 1;
    int in_cluster = 1;   ///< blocks of a cluster at most; 1 where there are none
    int shared_bytes = 0; ///< shared memory of a multiprocessor
};

/// Can so many systems of `rows` rows be cut so? All shares of a system have to be in work at once, or they would wait
/// for each other for ever: a multiprocessor runs 512 threads, as far as its shared memory has room.
template <class T>
bool is_possible(resident_choice const& c, std::int64_t rows, std::int64_t systems, device_limits const& device) {
    if (c.tiles) return rows > 1024 && systems <= most_tiled_systems;
    if (c.partition != least_resident_partition<T> && c.partition != largest_resident_partition<T>) return false;
    std::int64_t const block = std::int64_t(c.threads > 0 ? c.threads : resident_threads) * c.partition;
    if (c.threads == 0) return rows <= block;
    if (rows <= block || rows > std::int64_t(device.multiprocessors) * resident_threads * c.partition) return false;
    resident_plan const plan = plan_resident(rows, 1, c, device.multiprocessors, device.in_cluster);
    std::int64_t const taken = resident_memory<T>(plan).bytes() + 1024; // what the driver takes with it
    std::int64_t const room = std::min<std::int64_t>(resident_threads / plan.threads, device.shared_bytes / taken);
    return plan.cluster ? room > 0 : plan.shares <= room * device.multiprocessors;
}

/// k, where up to 2^k and more than half of that are there.
inline int class_of(std::int64_t count) { return count <= 1 ? 0 : int(std::bit_width(std::uint64_t(count - 1))); }

/// A choice; larger blocks, of which fewer are needed, or tiles where the device cannot run it.
template <class T>
resident_choice made_possible(resident_choice choice, std::int64_t rows, std::int64_t systems,
                              device_limits const& device) {
    while (!is_possible<T>(choice, rows, systems, device)) {
        if (choice.tiles) break; // rows of more than the device holds
        if (choice.threads == 0 || choice.threads == resident_threads) return {least_partition, 0, true};
        choice.threads *= 2;
    }
    return choice;
}

/// The rule's choice, as far as the device can run it.
template <class T>
resident_choice choose_without(std::int64_t rows, std::int64_t systems, device_limits const& device) {
    return made_possible<T>(choose_by_rule<T>(rows, systems, device.multiprocessors, device.in_cluster), rows, systems,
                            device);
}

/// A choice for cyclic systems: partitions whose rows do not join pairs are all of M rows; where the rows do not make
/// that, the smaller ones take their place.
template <class T>
resident_choice choose_cyclic(resident_choice choice, std::int64_t rows, std::int64_t systems,
                              device_limits const& device) {
    constexpr int least = least_resident_partition<T>;
    if (choice.tiles || choice.partition == least || joins_pairs<largest_resident_partition<T>> ||
        rows % largest_resident_partition<T> == 0)
        return choice;
    choice.partition = least;
    if (choice.threads == 0 && rows > std::int64_t(resident_threads) * least) choice.threads = share_threads;
    if (rows <= std::int64_t(choice.threads) * least) choice.threads = 0;
    return made_possible<T>(choice, rows, systems, device);
}

/// The choices measured on one device, by class of rows and of systems; those without a partition were not measured.
class tuning_table {
public:
    static constexpr int classes = 32;

    tuning_table() = default;
    tuning_table(std::vector<tridiagonal_tuning_record> const& records, std::string const& device);

    /// What was measured for systems of this size, if it can be run there, else the rule's choice.
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

/// The user's table of a device, read when asked for first. A file that cannot be read says nothing.
tuning_table const& tuning_of(cuda_executor const& exec);

#if defined(COPPICE_HAS_CUDA)
template <class T>
device_limits limits_of(cuda_executor const& exec);

/// Solves with this table in place of the user's, with partial pivoting.
template <class T>
void solve_by_table(cuda_executor const& exec, tuning_table const& table, system_view<T> const& systems, T* memory);
#endif

} // namespace rpts
} // namespace coppice
