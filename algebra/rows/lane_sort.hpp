// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Short runs of keys sorted in place by one worker, such as the columns of a row by the lane that has written it.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::detail {

/// An element that is taken out of its array and put back further up.
template <class T>
struct lifted_element {
    T* elements;
    T value;
};
/// Moves key k, and the elements that were lifted at k, up behind the last key that is not larger.
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
/// Sorts keys, and the values that go with them, stable; for few or nearly sorted ones.
template <class Key, class... T>
COPPICE_HD void sort_by_insertion(std::int64_t length, Key* keys, T*... values) {
    for (std::int64_t k = 1; k < length; ++k) insert_key(keys, k, lifted_element<T>{values, values[k]}...);
}

/// Sorts columns, and their values with them, in place: by insertion where there are few, else as a heap. Equal columns
/// end in an order that is the same everywhere.
template <class T, class I>
struct lane_sort {
    I* columns;
    T* values; ///< null: columns alone

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

} // namespace coppice::detail
