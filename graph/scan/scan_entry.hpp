// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What a bidirectional scan begins with and ends with. See graph/scan/bidirectional_scan.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <coppice/core/parallel.hpp>

namespace coppice {

/// Marks vertex v as the end of a path: its negative 1-based number.
template <class I>
COPPICE_HD constexpr I path_end(I v) {
    return -v - 1;
}
template <class I>
COPPICE_HD constexpr bool is_path_end(I link) {
    return link < 0;
}
/// The vertex that path_end() marked.
template <class I>
COPPICE_HD constexpr I path_end_vertex(I link) {
    return -link - 1;
}

namespace graph_detail {
// Entries of 16 bytes, like those for positions, are read and written at once.
template <class Value, class I>
inline constexpr std::size_t scan_entry_alignment = 2 * (sizeof(I) + sizeof(Value)) == 16 ? 16
                                                    : alignof(Value) > alignof(I)         ? alignof(Value)
                                                                                          : alignof(I);
} // namespace graph_detail

/// What the scan knows at one vertex in its two directions, in the order of the neighbours that it was given.
///
/// When the scan is over, link[d] marks the end of the path in direction d, and value[d] combines the initial values
/// from this vertex to that end, both included. In a cycle both links stay vertices.
template <class Value, class I>
struct alignas(graph_detail::scan_entry_alignment<Value, I>) scan_entry {
    I link[2];
    Value value[2];

    COPPICE_HD bool ended() const { return is_path_end(link[0]) && is_path_end(link[1]); }
};

template <class Value, class I>
struct scan_result {
    buffer<scan_entry<Value, I>> entries{}; ///< [vertices]
    std::int64_t open = 0;                  ///< directions that met no end: twice the number of vertices in cycles
    int rounds = 0;
};

/// An operator that declares `static constexpr bool idempotent = true` promises to be associative, commutative and
/// idempotent, with values that compare equal where they are the same, like `min`.
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
} // namespace coppice
