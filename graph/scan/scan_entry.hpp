// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Entries, result and initial state of a bidirectional scan. See graph/scan/bidirectional_scan.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {

/// Link that marks vertex v as the end of a path: -(v + 1).
template <class I>
COPPICE_HD constexpr I path_end(I v) {
    return -v - 1;
}
template <class I>
COPPICE_HD constexpr bool is_path_end(I link) {
    return link < 0;
}
/// Inverse of path_end().
template <class I>
COPPICE_HD constexpr I path_end_vertex(I link) {
    return -link - 1;
}

namespace graph_detail {
// Entries of 16 bytes, as for positions, are loaded and stored as a whole.
template <class Value, class I>
inline constexpr std::size_t scan_entry_alignment = 2 * (sizeof(I) + sizeof(Value)) == 16 ? 16
                                                    : alignof(Value) > alignof(I)         ? alignof(Value)
                                                                                          : alignof(I);
} // namespace graph_detail

/// State of the scan at one vertex in its two directions, in the order of its neighbours.
///
/// After the scan, link[d] marks the end of the path in direction d, and value[d] combines the initial values from this
/// vertex to that end, both inclusive. In a cycle both links stay vertices.
template <class Value, class I>
struct alignas(graph_detail::scan_entry_alignment<Value, I>) scan_entry {
    I link[2];
    Value value[2];

    COPPICE_HD bool ended() const { return is_path_end(link[0]) && is_path_end(link[1]); }
};

template <class Value, class I>
struct scan_result {
    buffer<scan_entry<Value, I>> entries{}; ///< [vertices]
    std::int64_t open = 0;                  ///< directions that reached no end: twice the number of vertices in cycles
    int rounds = 0;
};

/// An operator that declares `static constexpr bool idempotent = true` must be associative, commutative and idempotent,
/// and equal values must compare equal, as for `min`.
template <class Combine>
inline constexpr bool is_idempotent_v = false;
template <class Combine>
requires requires { Combine::idempotent; }
inline constexpr bool is_idempotent_v<Combine> = Combine::idempotent;

namespace graph_detail {

template <class Value, class I, class Neighbor, class Initial>
struct start_scan {
    scan_entry<Value, I>* entries;
    Neighbor neighbor;
    Initial initial;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t v) const {
        scan_entry<Value, I> e;
        for (int d = 0; d < 2; ++d) {
            I const w = static_cast<I>(neighbor(v, d));
            e.link[d] = w < I(0) ? path_end(static_cast<I>(v)) : w;
            e.value[d] = initial(v, d);
        }
        entries[v] = e;
    }
};

} // namespace graph_detail
} // namespace coppice::inline v0_1
