// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The bidirectional scan on the host: O(N) work by walking. See graph/scan/bidirectional_scan.hpp for the contract.
///
/// Pointer jumping does N log L steps, each a read from anywhere in memory. A core rather walks from each end of each
/// path to the other, which fills the direction that points back to where it came from.
#pragma once

#include <coppice/graph/scan/bidirectional_scan.hpp>
#include <coppice/graph/scan/edge_order.hpp>

namespace coppice::graph_detail {

// Walks that a thread has under way at a time, so that their reads from memory overlap.
inline constexpr int walks_at_once = 8;
// Path ends that a worker takes at a time; small, since a few of them may lead through most of the graph.
inline constexpr std::int64_t ends_per_block = 64;

/// One walk along a path: what it needs to fill the entry at `at` and go on.
template <class Value, class I, class Neighbor, class Initial, class Combine>
class path_walk {
public:
    path_walk(scan_entry<Value, I>* entries, Neighbor const& neighbor, Initial const& initial, Combine const& combine)
        : entries_(entries), neighbor_(neighbor), initial_(initial), combine_(combine) {}

    /// Begins at an end of a path, in the direction in which it has no neighbour.
    void begin(I end) {
        end_ = end;
        int const back = neighbor_(end, 0) < I(0) ? 0 : 1;
        value_ = initial_(end, back);
        fill(end, back);
        came_from_ = end;
        at_ = neighbor_(end, 1 - back);
        if (at_ < I(0)) { // a path of one vertex has its end in both directions
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

/// Does walks [first, last), several at a time: begin(walk, k) starts walk k, then walk.step() until walk.done().
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

/// The vertex behind `at` on a way that comes from `from`; from == at takes neighbour 0.
template <class I, class Neighbor>
I next_vertex(Neighbor const& neighbor, I from, I at) {
    I const first = neighbor(at, 0);
    return first == from ? neighbor(at, 1) : first;
}

/// Goes around a cycle until it meets a vertex of smaller hash or comes back: then `first` leads the cycle.
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

/// Calls visit(v) for the vertices of the cycle of `start`, in order.
template <class I, class Neighbor, class Visit>
void visit_cycle(Neighbor const& neighbor, I start, Visit const& visit) {
    I from = start;
    I at = start;
    do {
        visit(at);
        I const next = next_vertex(neighbor, from, at);
        from = at;
        at = next;
    } while (at != start);
}

/// leaders[k] = vertex of smallest hash of cycle k. From any other vertex the walk that would find that out is short,
/// ln L steps on average for a cycle of L vertices. Returns their number.
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

/// leaders[k] = first member of cycle k: one thread marks what it has seen, in a step for each vertex.
template <class I, class Neighbor>
std::int64_t mark_leaders(host_executor const& exec, array_view<I const> members, std::int64_t vertices,
                          Neighbor const& neighbor, buffer<I>& leaders) {
    buffer<std::uint8_t> seen(exec, vertices);
    fill(exec, seen.view(), std::uint8_t(0));
    std::int64_t cycles = 0;
    for (I const v : members) {
        if (seen[v]) continue;
        leaders[cycles++] = v;
        visit_cycle(neighbor, v, [&](I w) { seen[w] = 1; });
    }
    return cycles;
}

/// Fills all cycles, each from one of its vertices: since `combine` is idempotent and commutative it does not matter
/// from which. An election takes some 7 times the steps of marks, and all threads take part.
template <class Value, class I, class Neighbor, class Initial, class Combine>
void walk_cycles(host_executor const& exec, array_view<I const> members, array_view<scan_entry<Value, I>> entries,
                 Neighbor const& neighbor, Initial const& initial, Combine const& combine) {
    constexpr int threads_for_marks = 6;
    buffer<I> leaders(exec, members.size());
    std::int64_t const cycles = exec.threads() <= threads_for_marks
                                    ? mark_leaders(exec, members, entries.size(), neighbor, leaders)
                                    : elect_leaders(exec, members, neighbor, leaders);
    detail::for_each_block(exec, cycles, ends_per_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t k = first; k < last; ++k) {
            Value all = initial(leaders[k], 0);
            visit_cycle(neighbor, leaders[k], [&](I v) { all = combine(all, combine(initial(v, 0), initial(v, 1))); });
            visit_cycle(neighbor, leaders[k], [&](I v) { entries[v].value[0] = entries[v].value[1] = all; });
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
    auto const note = [&](std::int64_t position, std::int64_t v) { list[position] = static_cast<I>(v); };
    std::int64_t const ends = select(exec, vertices, is_end, note);
    detail::for_each_block(exec, ends, ends_per_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        path_walk<Value, I, Neighbor, Initial, Combine> const idle(entries, neighbor, initial, combine);
        interleave_walks(idle, first, last, [&](auto& walk, std::int64_t k) { walk.begin(list[k]); });
    });

    auto const in_cycle = [&](std::int64_t v) { return !entries[v].ended(); };
    std::int64_t const cyclic = select(exec, vertices, in_cycle, note);
    result.open = 2 * cyclic;
    result.rounds = 1;
    if constexpr (is_idempotent_v<Combine>)
        walk_cycles<Value, I>(exec, list.view().slice(0, cyclic), result.entries.view(), neighbor, initial, combine);
    return result;
}

} // namespace coppice::graph_detail
