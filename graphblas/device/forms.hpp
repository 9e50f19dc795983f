// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Entries of tables in memory of the device. A table has its entries on the host, on the device or on both; what both
/// have is equal. Arrays of the device do not change after they are complete, so that copies share them.
#pragma once

#include <memory>

#include "../tables.hpp"
#include "driver.hpp"

namespace coppice::graphblas::device {

using array = std::shared_ptr<void>;

/// Entries by position; flags null: all positions have one.
struct by_position {
    index rows = 0, columns = 0, entries = 0;
    array flags = {}, values = {};
    index positions() const { return rows * columns; }
};
/// Rows of more than `few` entries and of more than `many`, which have more threads each.
struct long_rows {
    static constexpr index few = 64, many = 2048;
    bool known = false;
    index middle_count = 0, long_count = 0;
    array middle = {}, longest = {};
};
/// Entries by rows. `values` may be null if they were not needed.
struct by_rows {
    index rows = 0, columns = 0, entries = 0;
    array offsets = {}, indices = {}, values = {};
    long_rows tiers = {};
};
struct forms {
    std::unique_ptr<by_rows> straight = {}, transposed = {};
    std::unique_ptr<by_position> dense = {};
};

inline list_argument list_of(by_rows const& a) {
    return {static_cast<long const*>(a.offsets.get()), static_cast<int const*>(a.indices.get()), a.values.get()};
}

/// The device of the program; null if there is none. Sets `reason`.
driver* device_or_null(std::string& reason);
/// The same for callers that have memory of it.
driver& the_device();
/// Memory that is not initialised.
array make_array(index count, std::size_t size);
array make_zeros(index count, std::size_t size);
void run(kernel const& k, std::size_t entry, index blocks, arguments const& a);
inline index blocks_of(index positions, index per_block = 256) { return (positions + per_block - 1) / per_block; }

/// What the caller reads of a list.
struct needs {
    bool transposed = false, values = true, tiers = false;
};
/// Returns the entries of the table on the device, after a copy to it if they are not there.
by_rows rows_of_table(table& t, needs const& n);
by_position positions_of_table(table& t);
/// Replaces the entries of the table. Does not throw.
void set_device_forms(table& t, std::shared_ptr<forms const> made, index rows, index columns) noexcept;

/// The kernels that do not depend on types, for values of `size` bytes.
kernel const& structure_kernels(std::size_t size);
/// Keeps the entries of a list for which a flag is set.
by_rows compacted(by_rows const& from, array const& flags, array const& values, std::size_t size);
/// Returns for each of n flags the number of those before it, and their sum at the end.
array scanned(array const& flags, index n, index& sum);

} // namespace coppice::graphblas::device
