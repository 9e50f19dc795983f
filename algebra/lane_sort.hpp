// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One row sorted by its columns, by the lane that has written it.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::detail {

/// Sorts columns, and their values with them, in place: by insertion where there are few, else as a heap. Equal columns
/// end in an order that is the same everywhere.
template <class T, class I>
struct lane_sort {
    I* columns;
    T* values; ///< null: columns alone

    COPPICE_HD void operator()(std::int64_t length) const {
        if (length <= 32) return insert_each(length);
        for (std::int64_t top = length / 2; top-- > 0;) sink(top, length);
        for (std::int64_t last = length; last-- > 1;) {
            swap(0, last);
            sink(0, last);
        }
    }

private:
    COPPICE_HD void insert_each(std::int64_t length) const {
        for (std::int64_t k = 1; k < length; ++k)
            for (std::int64_t to = k; to > 0 && columns[to - 1] > columns[to]; --to) swap(to - 1, to);
    }
    COPPICE_HD void sink(std::int64_t at, std::int64_t length) const {
        for (std::int64_t child = 2 * at + 1; child < length; at = child, child = 2 * at + 1) {
            if (child + 1 < length && columns[child] < columns[child + 1]) ++child;
            if (columns[at] > columns[child]) return;
            swap(at, child);
        }
    }
    COPPICE_HD void swap(std::int64_t j, std::int64_t k) const {
        I const column = columns[j];
        columns[j] = columns[k];
        columns[k] = column;
        if (!values) return;
        T const value = values[j];
        values[j] = values[k];
        values[k] = value;
    }
};

} // namespace coppice::detail
