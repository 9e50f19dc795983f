// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The bidirectional scan by pointer jumping (algorithm 7): after round t each entry covers 2^t vertices; ceil(log2 L)
/// rounds for a longest path of L vertices. See graph/scan/bidirectional_scan.hpp for the contract.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/graph/scan/scan_entry.hpp>

namespace coppice::inline v0_1::graph_detail {

/// Result of the last round at one vertex. Both zero: the entry is complete and equal in both buffers.
struct scan_progress {
    std::uint8_t open;    ///< directions without an end
    std::uint8_t changed; ///< directions that reached their end or, in an idempotent scan, changed their value
};
/// Whether any vertex was open, or changed, in a round.
struct round_flags {
    std::int32_t open;
    std::int32_t changed;
};
struct count_open {
    scan_progress const* progress;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return progress[v].open; }
};

/// One round at one vertex (algorithm 7, lines 9-25): each open direction jumps to the far link of its linked vertex.
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
            // `far` is the direction of w that does not lead back to v. In a cycle, both directions of w lead to v once
            // the stride is half the length of the cycle. The two directions of v then cover the cycle, and the entry
            // of v no longer changes.
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

/// One round for all vertices; swaps the buffers.
template <class Value, class I, executor Executor, class Combine>
void jump_once(Executor const& exec, buffer<scan_entry<Value, I>>& entries, buffer<scan_entry<Value, I>>& other,
               array_view<scan_progress> progress, round_flags* flags, Combine combine) {
    for_each(exec, entries.size(),
             scan_step<Value, I, Combine>{entries.data(), other.data(), progress.data(), flags, combine});
    entries.swap(other);
}

/// Executes `rounds` rounds over initialised entries with progress {2, 0}; does not wait. Returns the number of rounds.
template <class Value, class I, executor Executor, class Combine>
int jump(Executor const& exec, buffer<scan_entry<Value, I>>& entries, array_view<scan_progress> progress,
         Combine combine, int rounds) {
    buffer<scan_entry<Value, I>> other(exec, entries.size());
    buffer<round_flags> flags(exec, 1); // not read
    fill(exec, flags.view(), round_flags{0, 0});
    for (int t = 0; t < rounds; ++t) jump_once(exec, entries, other, progress, flags.data(), combine);
    return rounds;
}

/// Executes rounds until all entries are complete; waits.
template <class Value, class I, executor Executor, class Combine>
int jump_until_done(Executor const& exec, buffer<scan_entry<Value, I>>& entries, array_view<scan_progress> progress,
                    Combine combine) {
    buffer<scan_entry<Value, I>> other(exec, entries.size());
    // Several rounds are queued before the host reads their flags; rounds after the last necessary one change nothing.
    // 64 rounds suffice for 2^62 vertices, and bound the loop for inconsistent neighbours.
    constexpr int batch = std::is_same_v<Executor, host_executor> ? 1 : 4, max_rounds = 64;
    buffer<round_flags> flags(exec, max_rounds);
    fill(exec, flags.view(), round_flags{0, 0});
    int rounds = 0;
    for (bool goes_on = entries.size() > 0; goes_on && rounds < max_rounds;) {
        auto* const of_rounds = flags.data() + rounds;
        for (int t = 0; t < batch; ++t) jump_once(exec, entries, other, progress, of_rounds + t, combine);
        for (round_flags const& now : exec.load(reinterpret_cast<std::array<round_flags, batch> const*>(of_rounds))) {
            ++rounds;
            // While a path is incomplete, every round completes some of its directions (those 2^t to 2^(t+1) - 1 from
            // their end), so a round without a change leaves only cycles. If an idempotent value v + s does not change
            // v anywhere in a cycle, all windows of length s have the same value, and together they cover the cycle.
            goes_on = now.open != 0 && now.changed != 0;
            if (!goes_on) break;
        }
    }
    return rounds;
}

/// The scan by pointer jumping alone, for any executor.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_by_jumping(Executor const& exec, std::int64_t vertices, Neighbor neighbor, Initial initial,
                                      Combine combine) {
    scan_result<Value, I> result;
    result.entries = buffer<scan_entry<Value, I>>(exec, vertices);
    buffer<scan_progress> progress(exec, vertices);
    fill(exec, progress.view(), scan_progress{2, 0});
    for_each(exec, vertices, start_scan<Value, I, Neighbor, Initial>{result.entries.data(), neighbor, initial});
    result.rounds = jump_until_done<Value, I>(exec, result.entries, progress.view(), combine);
    result.open = reduce(exec, vertices, std::int64_t{0}, count_open{progress.data()}, plus{});
    return result;
}

} // namespace coppice::inline v0_1::graph_detail
