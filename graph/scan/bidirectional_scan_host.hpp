// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The bidirectional scan on the host: O(N) work by walks. See graph/scan/bidirectional_scan.hpp for the contract.
///
/// Pointer jumping needs N log L steps, each with a random memory access. Here a walk starts at each end of each path
/// and goes to the other end; it fills the direction that points back to its start.
#pragma once

#include <algorithm>

#include <coppice/graph/scan/bidirectional_scan.hpp>
#include <coppice/graph/scan/edge_order.hpp>

namespace coppice::inline v0_1::graph_detail {

// Number of walks that a thread interleaves, so that their memory accesses overlap.
inline constexpr int walks_at_once = 8;
/// Number of path ends or cycles per block of work. A few walks may cover most of the graph, so that every thread gets
/// several blocks if there are enough.
inline std::int64_t walks_per_block(host_executor const& exec, std::int64_t walks) {
    return std::clamp<std::int64_t>(walks / (8 * exec.threads()), walks_at_once, 64);
}

/// State of one walk along a path.
template <class Value, class I, class Neighbor, class Initial, class Combine>
class path_walk {
public:
    path_walk(scan_entry<Value, I>* entries, Neighbor const& neighbor, Initial const& initial, Combine const& combine)
        : entries_(entries), neighbor_(neighbor), initial_(initial), combine_(combine) {}

    /// Starts at an end of a path, in the direction in which it has no neighbour.
    void begin(I end) {
        end_ = end;
        int const back = neighbor_(end, 0) < I(0) ? 0 : 1;
        value_ = initial_(end, back);
        fill(end, back);
        came_from_ = end;
        at_ = neighbor_(end, 1 - back);
        if (at_ < I(0)) { // a path of one vertex ends in both directions
            value_ = initial_(end, 1);
            fill(end, 1);
        }
    }
    bool done() const { return at_ < I(0); }
    void step() {
        int const back = neighbor_(at_, 0) == came_from_ ? 0 : 1;
        value_ = combine_(initial_(at_, back), value_);
        fill(at_, back);
        came_from_ = at_;
        at_ = neighbor_(at_, 1 - back);
    }

private:
    void fill(I v, int direction) {
        entries_[v].link[direction] = path_end(end_);
        entries_[v].value[direction] = value_;
    }

    scan_entry<Value, I>* entries_;
    Neighbor const& neighbor_;
    Initial const& initial_;
    Combine const& combine_;
    I end_{};
    I came_from_{};
    I at_ = I(-1);
    Value value_{};
};

/// Executes walks [first, last), several interleaved: begin(walk, k) starts walk k, then walk.step() is called until
/// walk.done().
template <class Walk, class Begin>
void interleave_walks(Walk const& idle, std::int64_t first, std::int64_t last, Begin const& begin) {
    Walk walks[walks_at_once] = {idle, idle, idle, idle, idle, idle, idle, idle};
    for (bool busy = true; busy;) {
        busy = first < last;
        for (Walk& walk : walks) {
            if (walk.done() && first < last) begin(walk, first++);
            if (walk.done()) continue;
            walk.step();
            busy = true;
        }
    }
}

/// The vertex after `at` on a walk that comes from `from`; if from == at, neighbour 0.
template <class I, class Neighbor>
I next_vertex(Neighbor const& neighbor, I from, I at) {
    I const first = neighbor(at, 0);
    return first == from ? neighbor(at, 1) : first;
}

/// Walks around a cycle until it meets a vertex of smaller hash, or returns to its start: then `first` is the leader of
/// the cycle.
template <class I, class Neighbor>
class election_walk {
public:
    explicit election_walk(Neighbor const& neighbor) : neighbor_(neighbor) {}

    void begin(I first, std::uint8_t* leads) {
        first_ = from_ = first;
        at_ = next_vertex(neighbor_, first, first);
        leads_ = leads;
        *leads = 0;
    }
    bool done() const { return leads_ == nullptr; }
    void step() {
        if (at_ == first_) *leads_ = 1;
        if (at_ == first_ || hash(at_) < hash(first_)) {
            leads_ = nullptr;
            return;
        }
        I const next = next_vertex(neighbor_, from_, at_);
        from_ = at_;
        at_ = next;
    }

private:
    static std::uint64_t hash(I v) { return mix_bits(static_cast<std::uint64_t>(v)); }

    Neighbor const& neighbor_;
    I first_{};
    I from_{};
    I at_{};
    std::uint8_t* leads_ = nullptr;
};

/// Calls f(v) for the vertices of the cycle of `start`, in order.
template <class I, class Neighbor, class F>
void for_each_in_cycle(Neighbor const& neighbor, I start, F const& f) {
    I from = start;
    I at = start;
    do {
        f(at);
        I const next = next_vertex(neighbor, from, at);
        from = at;
        at = next;
    } while (at != start);
}

/// Stores leaders[k] = vertex of smallest hash of cycle k; returns the number of cycles. In a cycle of L vertices the
/// walk from another vertex has ln L steps on average.
template <class I, class Neighbor>
std::int64_t elect_leaders(host_executor const& exec, array_view<I const> members, Neighbor const& neighbor,
                           buffer<I>& leaders) {
    buffer<std::uint8_t> leads(exec, members.size());
    detail::for_each_block(exec, members.size(), detail::host_block,
                           [&](std::int64_t, std::int64_t first, std::int64_t last) {
                               interleave_walks(election_walk<I, Neighbor>(neighbor), first, last,
                                                [&](auto& walk, std::int64_t c) { walk.begin(members[c], &leads[c]); });
                           });
    return select(
        exec, members.size(), [&](std::int64_t c) { return leads[c] != 0; },
        [&](std::int64_t position, std::int64_t c) { leaders[position] = members[c]; });
}

/// Stores leaders[k] = first member of cycle k; returns the number of cycles. One thread, which flags the vertices that
/// it has seen.
template <class I, class Neighbor>
std::int64_t first_leaders(host_executor const& exec, array_view<I const> members, std::int64_t vertices,
                           Neighbor const& neighbor, buffer<I>& leaders) {
    buffer<std::uint8_t> seen(exec, vertices);
    fill(exec, seen.view(), std::uint8_t(0));
    std::int64_t cycles = 0;
    for (I const v : members) {
        if (seen[v]) continue;
        leaders[cycles++] = v;
        for_each_in_cycle(neighbor, v, [&](I w) { seen[w] = 1; });
    }
    return cycles;
}

/// Fills the entries of all cycles, starting from any vertex of each, because `combine` is idempotent and commutative.
/// An election takes about 7 times as many steps as the sequential search, but uses all threads.
template <class Value, class I, class Neighbor, class Initial, class Combine>
void walk_cycles(host_executor const& exec, array_view<I const> members, array_view<scan_entry<Value, I>> entries,
                 Neighbor const& neighbor, Initial const& initial, Combine const& combine) {
    constexpr int max_sequential_threads = 6;
    buffer<I> leaders(exec, members.size());
    std::int64_t const cycles = exec.threads() <= max_sequential_threads
                                    ? first_leaders(exec, members, entries.size(), neighbor, leaders)
                                    : elect_leaders(exec, members, neighbor, leaders);
    detail::for_each_block(
        exec, cycles, walks_per_block(exec, cycles), [&](std::int64_t, std::int64_t first, std::int64_t last) {
            for (std::int64_t k = first; k < last; ++k) {
                Value all = initial(leaders[k], 0);
                for_each_in_cycle(neighbor, leaders[k],
                                  [&](I v) { all = combine(all, combine(initial(v, 0), initial(v, 1))); });
                for_each_in_cycle(neighbor, leaders[k], [&](I v) { entries[v].value[0] = entries[v].value[1] = all; });
            }
        });
}

template <class Value, class I, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_on(host_executor const& exec, std::int64_t vertices, Neighbor neighbor, Initial initial,
                              Combine combine) {
    scan_result<Value, I> result;
    result.entries = buffer<scan_entry<Value, I>>(exec, vertices);
    scan_entry<Value, I>* const entries = result.entries.data();
    for_each(exec, vertices, start_scan<Value, I, Neighbor, Initial>{entries, neighbor, initial});

    buffer<I> list(exec, vertices);
    auto const is_end = [&](std::int64_t v) { return neighbor(v, 0) < I(0) || neighbor(v, 1) < I(0); };
    auto const store = [&](std::int64_t position, std::int64_t v) { list[position] = static_cast<I>(v); };
    std::int64_t const ends = select(exec, vertices, is_end, store);
    detail::for_each_block(
        exec, ends, walks_per_block(exec, ends), [&](std::int64_t, std::int64_t first, std::int64_t last) {
            path_walk<Value, I, Neighbor, Initial, Combine> const idle(entries, neighbor, initial, combine);
            interleave_walks(idle, first, last, [&](auto& walk, std::int64_t k) { walk.begin(list[k]); });
        });

    auto const in_cycle = [&](std::int64_t v) { return !entries[v].ended(); };
    std::int64_t const cyclic = select(exec, vertices, in_cycle, store);
    result.open = 2 * cyclic;
    result.rounds = 1;
    if constexpr (is_idempotent_v<Combine>)
        walk_cycles<Value, I>(exec, list.view().slice(0, cyclic), result.entries.view(), neighbor, initial, combine);
    return result;
}

} // namespace coppice::inline v0_1::graph_detail
