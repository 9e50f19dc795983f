// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The bidirectional scan for devices with many threads: walks between splitters, then pointer jumping over the
/// splitters. See graph/scan/bidirectional_scan.hpp for the contract.
///
/// Jumping alone reads every vertex in each of log2 L rounds. Here a hash selects one vertex in eight as a splitter, so
/// that splitters are about eight steps apart on any path. A thread walks from each splitter in each direction to the
/// next one and fills the backward direction of the vertices in between (sublist ranking: Helman, JáJá, 1999). The
/// splitters form a graph that is so small that its rounds take little more than their launches. One final pass
/// combines their results with the vertices in between.
#pragma once

#include <bit>
#include <limits>

#include <coppice/core/lane/lane_math.hpp>
#include <coppice/graph/scan/edge_order.hpp>
#include <coppice/graph/scan/scan_by_jumping.hpp>

namespace coppice::inline v0_1::graph_detail {

/// Group size: each group of eight consecutive vertex indices has one splitter.
inline constexpr std::int64_t splitter_spacing = 8;
COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t splitter_of(std::int64_t group) {
    return splitter_spacing * group + std::int64_t(mix_bits(std::uint64_t(group)) % splitter_spacing);
}
COPPICE_HD COPPICE_ALWAYS_INLINE bool is_splitter(std::int64_t v) { return splitter_of(v / splitter_spacing) == v; }

/// Maximum number of steps of a walk. The probability of this number of vertices without a splitter is (7/8)^4096, so a
/// longer walk means that the neighbours are inconsistent.
inline constexpr int longest_walk = 4096;

/// Value of a link that no walk has reached. Until the final pass, other links of a vertex between splitters are either
/// the end of the path, or a splitter and its continuing direction, encoded as 2 group + direction.
template <class I>
inline constexpr I no_walk = std::numeric_limits<I>::max();

template <class Value, class I>
struct clear_links {
    scan_entry<Value, I>* entries;
    /// Clears whole entries: they are read as a whole, and walks do not reach short cycles. An entry of up to 32 bytes
    /// uses the same memory sectors as its links.
    COPPICE_HD void operator()(std::int64_t v) const { entries[v] = {{no_walk<I>, no_walk<I>}, {}}; }
};

/// All walks: first two from each splitter, then those from ends of paths that are no splitters.
template <class Value, class I, class Neighbor, class Initial, class Combine>
struct walk_to_next_splitter {
    scan_entry<Value, I>* entries;
    scan_entry<Value, I>* splitters; ///< value from a splitter up to the next one, exclusive
    std::int64_t vertices, groups;
    std::int32_t* lost; ///< set if a walk exceeds the maximum number of steps
    Neighbor neighbor;
    Initial initial;
    Combine combine;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t i) const {
        if (i < 2 * groups)
            walk_from_splitter(i / 2, int(i % 2));
        else
            walk_from_end(i - 2 * groups);
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void walk_from_splitter(std::int64_t group, int d) const {
        std::int64_t const v = splitter_of(group);
        if (v >= vertices) { // the last group may have no splitter
            splitters[group].link[d] = path_end(I(0));
            splitters[group].value[d] = initial(vertices - 1, d);
            return;
        }
        Value ahead = initial(v, d);
        splitters[group].link[d] = walk(static_cast<I>(v), d, static_cast<I>(2 * group + 1 - d), false, ahead);
        splitters[group].value[d] = ahead;
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void walk_from_end(std::int64_t v) const {
        if (is_splitter(v)) return;
        I const next[2] = {static_cast<I>(neighbor(v, 0)), static_cast<I>(neighbor(v, 1))};
        for (int d = 0; d < 2; ++d) {
            if (next[d] >= I(0)) continue;
            Value ahead = initial(v, d);
            entries[v].link[d] = path_end(static_cast<I>(v));
            entries[v].value[d] = ahead;
            if (next[1 - d] >= I(0)) walk(static_cast<I>(v), 1 - d, path_end(static_cast<I>(v)), true, ahead);
        }
    }

    /// Walks from v in direction d. The vertices passed get `link` and the combined values between them and v,
    /// including the value `ahead` of v if v is an end. Returns the mark of the end, or the group of the splitter
    /// reached; `ahead` becomes the value from v, inclusive, up to it.
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD I walk(I v, int d, I link, bool from_end, Value& ahead) const {
        Value back = ahead;
        I from = v, at = static_cast<I>(neighbor(v, d));
        if (at < I(0)) return path_end(v);
        for (int step = 0; !is_splitter(at); ++step) {
            if (step == longest_walk) {
                raise_flag(lost);
                return path_end(v);
            }
            I const next[2] = {static_cast<I>(neighbor(at, 0)), static_cast<I>(neighbor(at, 1))};
            int const toward = next[0] == from ? 0 : 1;
            Value const own = initial(at, toward);
            back = step > 0 || from_end ? combine(own, back) : own;
            entries[at].link[toward] = link;
            entries[at].value[toward] = back;
            ahead = combine(ahead, initial(at, 1 - toward));
            if (next[1 - toward] < I(0)) return path_end(at);
            from = at;
            at = next[1 - toward];
        }
        return static_cast<I>(at / splitter_spacing);
    }
};

/// Two words without padding, because a device copies padding that it has not written.
struct scan_outcome {
    std::int64_t open; ///< directions without an end
    std::int64_t lost; ///< not 0: a walk exceeded the maximum number of steps
};
struct merge_outcomes {
    COPPICE_HD scan_outcome operator()(scan_outcome const& a, scan_outcome const& b) const {
        return {a.open + b.open, a.lost | b.lost};
    }
};
/// Completes the entry of a vertex from the entries of the splitters.
template <class Value, class I, class Neighbor, class Initial, class Combine>
struct complete_from_splitters {
    scan_entry<Value, I>* entries;
    scan_entry<Value, I> const* splitters;
    std::int32_t const* lost;
    Neighbor neighbor;
    Initial initial;
    Combine combine;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD scan_outcome operator()(std::int64_t v) const {
        scan_entry<Value, I> e = is_splitter(v) ? splitters[v / splitter_spacing] : entries[v];
        scan_outcome result{0, *lost};
        for (int d = 0; d < 2; ++d) {
            if (!is_path_end(e.link[d]) && !is_splitter(v) && e.link[d] != no_walk<I>) extend(e, d);
            if (!is_path_end(e.link[d])) ++result.open;
        }
        if (result.open > 0) {
            if (e.link[0] == no_walk<I> && is_idempotent_v<Combine> && result.lost == 0)
                e.value[0] = e.value[1] = round(v);
            for (int d = 0; d < 2; ++d)
                if (!is_path_end(e.link[d])) e.link[d] = static_cast<I>(neighbor(v, d));
        }
        entries[v] = e;
        return result;
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void extend(scan_entry<Value, I>& e, int d) const {
        scan_entry<Value, I> const splitter = splitters[e.link[d] / 2];
        int const on = static_cast<int>(e.link[d] % 2);
        if (is_path_end(splitter.link[on])) {
            e.link[d] = splitter.link[on];
            e.value[d] = combine(e.value[d], splitter.value[on]);
        } else if constexpr (is_idempotent_v<Combine>) {
            e.value[d] = combine(e.value[d], combine(splitter.value[0], splitter.value[1]));
        }
    }
    /// Combines all edges of a cycle without a splitter, which is short.
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD Value round(std::int64_t v) const {
        Value all = initial(v, 0);
        I from = static_cast<I>(v), at = static_cast<I>(neighbor(v, 0));
        for (int step = 0; at >= I(0) && at != static_cast<I>(v) && step < longest_walk; ++step) {
            int const ahead = static_cast<I>(neighbor(at, 0)) == from ? 1 : 0;
            all = combine(all, initial(at, ahead));
            from = at;
            at = static_cast<I>(neighbor(at, ahead));
        }
        return all;
    }
};

/// Maximum number of splitters for which all rounds are queued without waiting: a round takes no longer than a check by
/// the host.
inline constexpr std::int64_t few_splitters = 1 << 18;

/// The scan over splitters, for any executor. Waits once if there are few splitters.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_over_splitters(Executor const& exec, std::int64_t vertices, Neighbor neighbor,
                                          Initial initial, Combine combine, std::int64_t few = few_splitters) {
    using entry = scan_entry<Value, I>;
    std::int64_t const groups = (vertices + splitter_spacing - 1) / splitter_spacing;
    scan_result<Value, I> result;
    result.entries = buffer<entry>(exec, vertices);
    if (vertices == 0) return result;
    buffer<entry> splitters(exec, groups);
    buffer<std::int32_t> lost(exec, 1);
    fill(exec, lost.view(), 0);
    for_each(exec, vertices, clear_links<Value, I>{result.entries.data()});
    for_each(exec, 2 * groups + vertices,
             walk_to_next_splitter<Value, I, Neighbor, Initial, Combine>{
                 result.entries.data(), splitters.data(), vertices, groups, lost.data(), neighbor, initial, combine});
    buffer<scan_progress> progress(exec, groups);
    fill(exec, progress.view(), scan_progress{2, 0});
    result.rounds = groups <= few ? jump<Value, I>(exec, splitters, progress.view(), combine,
                                                   int(std::bit_width(std::uint64_t(groups))))
                                  : jump_until_done<Value, I>(exec, splitters, progress.view(), combine);
    auto const outcome = reduce(exec, vertices, scan_outcome{0, 0},
                                complete_from_splitters<Value, I, Neighbor, Initial, Combine>{
                                    result.entries.data(), splitters.data(), lost.data(), neighbor, initial, combine},
                                merge_outcomes{});
    if (outcome.lost != 0) return scan_by_jumping<Value, I>(exec, vertices, neighbor, initial, combine);
    result.open = outcome.open;
    return result;
}

template <class Value, class I, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_on(cuda_executor const& exec, std::int64_t vertices, Neighbor neighbor, Initial initial,
                              Combine combine) {
    return scan_over_splitters<Value, I>(exec, vertices, neighbor, initial, combine);
}

} // namespace coppice::inline v0_1::graph_detail
