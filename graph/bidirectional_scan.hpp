// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel bidirectional scan (algorithm 7): two opposed scans along every path of a doubly linked graph whose
/// vertices know their two neighbours but not which of them is forward.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <coppice/core/lane/lane_atomics.hpp>
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

/// Scans every path of a graph in both directions at once.
///
/// The graph is undirected with at most two distinct neighbours a vertex: neighbor(v, d) for d = 0, 1 is a vertex or
/// -1, never v itself, and w is a neighbour of v where v is one of w. initial(v, d) is the Value that v brings into the
/// scan of direction d. combine(near, far) is associative, need not commute, and gets its operands outward from v.
///
/// Vertices in cycles end with links that are no marks; `open` counts them. Where combine is idempotent and initial(v,
/// d) is a property of the edge from v to neighbor(v, d), combining the two values of such a vertex gives the
/// combination of all edges of its cycle. Other values in cycles are unspecified.
///
/// On CUDA by pointer jumping (algorithm 7): round t reaches 2^t vertices far, ceil(log2 L) rounds for a longest path
/// of L vertices; it stops by itself when nothing is left to do and waits once in four rounds. Takes two entries and
/// two bytes of memory per vertex. On the host, where work counts more than steps, each end of a path walks along it.
/// Same bits for any number of threads. All three operators are named function objects with COPPICE_HD call operators;
/// Value is trivially copyable. Throws overflow_error where `vertices` does not fit an I.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan(Executor const& exec, std::int64_t vertices, Neighbor neighbor,
                                         Initial initial, Combine combine);

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

/// What the last round did at one vertex. Both zero: the entry is complete and stands in both buffers.
struct scan_progress {
    std::uint8_t open;    ///< directions without an end
    std::uint8_t changed; ///< directions that met their end or, in an idempotent scan, changed their value
};
/// Whether any vertex was so in a round.
struct round_flags {
    std::int32_t open;
    std::int32_t changed;
};
struct count_open {
    scan_progress const* progress;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return progress[v].open; }
};

/// One round at one vertex (algorithm 7, lines 9-25): each open direction jumps to the far side of its link.
template <class Value, class I, class Combine>
struct scan_step {
    scan_entry<Value, I> const* from;
    scan_entry<Value, I>* to;
    scan_progress* progress;
    round_flags* flags;
    Combine combine;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t v) const {
        if (progress[v].open == 0 && progress[v].changed == 0) return;
        scan_entry<Value, I> e = from[v];
        scan_progress now{0, 0};
        for (int d = 0; d < 2; ++d) {
            I const w = e.link[d];
            if (is_path_end(w)) continue;
            scan_entry<Value, I> const there = from[w];
            // The side of w that does not lead back. In a cycle both lead back once the stride is half its length;
            // the two directions then cover it, and the entry rests.
            int const far = there.link[0] != static_cast<I>(v) ? 0 : 1;
            if (there.link[far] != static_cast<I>(v)) {
                Value const value = combine(e.value[d], there.value[far]);
                if constexpr (is_idempotent_v<Combine>)
                    if (!(value == e.value[d])) ++now.changed;
                e.link[d] = there.link[far];
                e.value[d] = value;
            }
            if (is_path_end(e.link[d]))
                ++now.changed;
            else
                ++now.open;
        }
        to[v] = e;
        progress[v] = now;
        if (now.open > 0) raise_flag(&flags->open);
        if (now.changed > 0) raise_flag(&flags->changed);
    }
};

/// The scan by pointer jumping, a composition of primitives for any executor.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_by_jumping(Executor const& exec, std::int64_t vertices, Neighbor neighbor, Initial initial,
                                      Combine combine) {
    using entry = scan_entry<Value, I>;
    scan_result<Value, I> result;
    result.entries = buffer<entry>(exec, vertices);
    buffer<entry> other(exec, vertices);
    buffer<scan_progress> progress(exec, vertices);
    fill(exec, progress.view(), scan_progress{2, 0});
    for_each(exec, vertices, start_scan<Value, I, Neighbor, Initial>{result.entries.data(), neighbor, initial});
    // Some rounds are queued before the host looks at what they did; those behind the end find nothing to do. 2^62
    // vertices bound the rounds also where neighbours contradict each other.
    constexpr int looks = std::is_same_v<Executor, host_executor> ? 1 : 4, most = 64;
    buffer<round_flags> flags(exec, most);
    fill(exec, flags.view(), round_flags{0, 0});
    for (bool goes_on = vertices > 0; goes_on && result.rounds < most;) {
        auto* const of_rounds = flags.data() + result.rounds;
        for (int t = 0; t < looks; ++t) {
            for_each(exec, vertices,
                     scan_step<Value, I, Combine>{result.entries.data(), other.data(), progress.data(), of_rounds + t,
                                                  combine});
            result.entries.swap(other);
        }
        for (round_flags const& now : exec.load(reinterpret_cast<std::array<round_flags, looks> const*>(of_rounds))) {
            ++result.rounds;
            // While a path is unfinished every round finishes some of its directions (those 2^t to 2^(t+1) - 1 from
            // their end), so without progress only cycles are left. Were an idempotent value v + s not to change v in a
            // whole cycle, all windows of length s would hold the same value, and together they cover the cycle.
            goes_on = now.open != 0 && now.changed != 0;
            if (!goes_on) break;
        }
    }
    result.open = reduce(exec, vertices, std::int64_t{0}, count_open{progress.data()}, plus{});
    return result;
}

template <class Value, class I, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_on(cuda_executor const& exec, std::int64_t vertices, Neighbor neighbor, Initial initial,
                              Combine combine) {
    return scan_by_jumping<Value, I>(exec, vertices, neighbor, initial, combine);
}

} // namespace graph_detail
} // namespace coppice

#include <coppice/graph/bidirectional_scan_host.hpp>

namespace coppice {

template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan(Executor const& exec, std::int64_t vertices, Neighbor neighbor,
                                         Initial initial, Combine combine) {
    checked_cast<I>(vertices, "number of vertices");
    return graph_detail::scan_on<Value, I>(exec, vertices, neighbor, initial, combine);
}

} // namespace coppice
