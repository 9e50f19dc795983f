// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// In-place sorting of short sequences of keys by one lane, for example of the columns of a row.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::detail {

/// Element that was taken out of its array and is inserted at a lower index.
template <class T>
struct lifted_element {
    T* elements;
    T value;
};
/// One step of insertion sort: moves key k to its position in keys[0, k), which are sorted, after all keys that are not
/// larger; moves the elements `lifted`, which belong to it, in the same way.
template <class Key, class... T>
COPPICE_HD void insert_key(Key* keys, std::int64_t k, lifted_element<T>... lifted) {
    Key const key = keys[k];
    for (; k > 0 && keys[k - 1] > key; --k) {
        keys[k] = keys[k - 1];
        ((lifted.elements[k] = lifted.elements[k - 1]), ...);
    }
    keys[k] = key;
    ((lifted.elements[k] = lifted.value), ...);
}
/// Insertion sort of keys with their values, stable; for short or nearly sorted sequences.
template <class Key, class... T>
COPPICE_HD void sort_by_insertion(std::int64_t length, Key* keys, T*... values) {
    for (std::int64_t k = 1; k < length; ++k) insert_key(keys, k, lifted_element<T>{values, values[k]}...);
}

/// Sorts columns and their values in place: by insertion if there are few, else by heap sort. The order of equal
/// columns is deterministic.
template <class T, class I>
struct lane_sort {
    I* columns;
    T* values; ///< null: columns only

    COPPICE_HD void operator()(std::int64_t length) const {
        if (length <= 32)
            return values ? sort_by_insertion(length, columns, values) : sort_by_insertion(length, columns);
        for (std::int64_t top = length / 2; top-- > 0;) sink(top, length);
        for (std::int64_t last = length; last-- > 1;) {
            swap(0, last);
            sink(0, last);
        }
    }

private:
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

} // namespace coppice::inline v0_1::detail
