// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The bidirectional scan for devices with many threads: walks between posts, pointer jumping from post to post. See
/// graph/scan/bidirectional_scan.hpp for the contract.
///
/// Jumping alone reads every vertex in each of log2 L rounds. Here one vertex of eight is a post, by a hash, so that
/// posts are some eight steps apart along any path: a thread walks from each of them in each direction to the next one,
/// which fills the sides of the vertices in between that point back to it (sublist ranking: Helman, JáJá, 1999). The
/// posts are a graph of their own, small enough for its rounds to take little more than their launches. What they find
/// is added to the vertices in between in one pass.
#pragma once

#include <bit>
#include <limits>

#include <coppice/core/lane/lane_math.hpp>
#include <coppice/graph/scan/edge_order.hpp>
#include <coppice/graph/scan/scan_by_jumping.hpp>

namespace coppice::graph_detail {

/// Vertices in groups of neighbours by number, of each of which one is a post.
inline constexpr std::int64_t post_spacing = 8;
COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t post_of(std::int64_t group) {
    return post_spacing * group + std::int64_t(mix_bits(std::uint64_t(group)) % post_spacing);
}
COPPICE_HD COPPICE_ALWAYS_INLINE bool is_post(std::int64_t v) { return post_of(v / post_spacing) == v; }

/// Steps after which a walk gives up: posts so far apart have a probability of (7/8)^4096, so that neighbours must be
/// contradictory.
inline constexpr int longest_walk = 4096;

/// What the links of a vertex between posts hold until the end: the end of the path, as a mark, or a post and the
/// direction in which it looks on, 2 group + direction, or nothing where no walk has come by.
template <class I>
inline constexpr I no_walk = std::numeric_limits<I>::max();

template <class Value, class I>
struct clear_links {
    scan_entry<Value, I>* entries;
    /// Whole entries: they are read at once, and no walk comes by a short cycle. Entries of up to 32 bytes take the
    /// same sectors of memory as their links alone.
    COPPICE_HD void operator()(std::int64_t v) const { entries[v] = {{no_walk<I>, no_walk<I>}, {}}; }
};

/// The walks: first those from posts, two each, then those from ends of paths that are no posts.
template <class Value, class I, class Neighbor, class Initial, class Combine>
struct walk_to_next_post {
    scan_entry<Value, I>* entries;
    scan_entry<Value, I>* posts; ///< what a post sees up to the next one, which is left out
    std::int64_t vertices, groups;
    std::int32_t* lost; ///< raised where a walk gives up
    Neighbor neighbor;
    Initial initial;
    Combine combine;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t i) const {
        if (i < 2 * groups)
            walk_from_post(i / 2, int(i % 2));
        else
            walk_from_end(i - 2 * groups);
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void walk_from_post(std::int64_t group, int d) const {
        std::int64_t const v = post_of(group);
        if (v >= vertices) { // the last group may have none
            posts[group].link[d] = path_end(I(0));
            posts[group].value[d] = initial(vertices - 1, d);
            return;
        }
        Value ahead = initial(v, d);
        posts[group].link[d] = walk(static_cast<I>(v), d, static_cast<I>(2 * group + 1 - d), false, ahead);
        posts[group].value[d] = ahead;
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void walk_from_end(std::int64_t v) const {
        if (is_post(v)) return;
        I const next[2] = {static_cast<I>(neighbor(v, 0)), static_cast<I>(neighbor(v, 1))};
        for (int d = 0; d < 2; ++d) {
            if (next[d] >= I(0)) continue;
            Value ahead = initial(v, d);
            entries[v].link[d] = path_end(static_cast<I>(v));
            entries[v].value[d] = ahead;
            if (next[1 - d] >= I(0)) walk(static_cast<I>(v), 1 - d, path_end(static_cast<I>(v)), true, ahead);
        }
    }

    /// Walks from v in direction d. The vertices on the way get `link`, and what lies between them and v, with v's
    /// value `ahead` where v is an end. Returns the mark of the end or the group of the post that was met; `ahead` is
    /// what lies before it, v included.
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD I walk(I v, int d, I link, bool from_end, Value& ahead) const {
        Value back = ahead;
        I from = v, at = static_cast<I>(neighbor(v, d));
        if (at < I(0)) return path_end(v);
        for (int step = 0; !is_post(at); ++step) {
            if (step == longest_walk) {
                raise_flag(lost);
                return path_end(v);
            }
            I const next[2] = {static_cast<I>(neighbor(at, 0)), static_cast<I>(neighbor(at, 1))};
            int const behind = next[0] == from ? 0 : 1;
            Value const own = initial(at, behind);
            back = step > 0 || from_end ? combine(own, back) : own;
            entries[at].link[behind] = link;
            entries[at].value[behind] = back;
            ahead = combine(ahead, initial(at, 1 - behind));
            if (next[1 - behind] < I(0)) return path_end(at);
            from = at;
            at = next[1 - behind];
        }
        return static_cast<I>(at / post_spacing);
    }
};

/// Two whole words: no padding, which a device would copy without having written it.
struct scan_outcome {
    std::int64_t open; ///< directions without an end
    std::int64_t lost; ///< not 0: a walk gave up
};
struct join_outcomes {
    COPPICE_HD scan_outcome operator()(scan_outcome const& a, scan_outcome const& b) const {
        return {a.open + b.open, a.lost | b.lost};
    }
};
/// Completes the entry of a vertex from those of the posts.
template <class Value, class I, class Neighbor, class Initial, class Combine>
struct look_from_posts {
    scan_entry<Value, I>* entries;
    scan_entry<Value, I> const* posts;
    std::int32_t const* lost;
    Neighbor neighbor;
    Initial initial;
    Combine combine;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD scan_outcome operator()(std::int64_t v) const {
        scan_entry<Value, I> e = is_post(v) ? posts[v / post_spacing] : entries[v];
        scan_outcome result{0, *lost};
        for (int d = 0; d < 2; ++d) {
            if (!is_path_end(e.link[d]) && !is_post(v) && e.link[d] != no_walk<I>) look_on(e, d);
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
    COPPICE_HD void look_on(scan_entry<Value, I>& e, int d) const {
        scan_entry<Value, I> const post = posts[e.link[d] / 2];
        int const on = static_cast<int>(e.link[d] % 2);
        if (is_path_end(post.link[on])) {
            e.link[d] = post.link[on];
            e.value[d] = combine(e.value[d], post.value[on]);
        } else if constexpr (is_idempotent_v<Combine>) {
            e.value[d] = combine(e.value[d], combine(post.value[0], post.value[1]));
        }
    }
    /// All edges of a cycle without a post, which is short.
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

/// Up to so many posts all rounds are queued at once: one of them takes no longer than a look by the host.
inline constexpr std::int64_t few_posts = 1 << 18;

/// The scan over posts, a composition of primitives for any executor. Waits once where posts are few.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_over_posts(Executor const& exec, std::int64_t vertices, Neighbor neighbor, Initial initial,
                                      Combine combine, std::int64_t few = few_posts) {
    using entry = scan_entry<Value, I>;
    std::int64_t const groups = (vertices + post_spacing - 1) / post_spacing;
    scan_result<Value, I> result;
    result.entries = buffer<entry>(exec, vertices);
    if (vertices == 0) return result;
    buffer<entry> posts(exec, groups);
    buffer<std::int32_t> lost(exec, 1);
    fill(exec, lost.view(), 0);
    for_each(exec, vertices, clear_links<Value, I>{result.entries.data()});
    for_each(exec, 2 * groups + vertices,
             walk_to_next_post<Value, I, Neighbor, Initial, Combine>{result.entries.data(), posts.data(), vertices,
                                                                     groups, lost.data(), neighbor, initial, combine});
    buffer<scan_progress> progress(exec, groups);
    fill(exec, progress.view(), scan_progress{2, 0});
    result.rounds = groups <= few ? jump<Value, I>(exec, posts, progress.view(), combine,
                                                   int(std::bit_width(std::uint64_t(groups))))
                                  : jump_until_done<Value, I>(exec, posts, progress.view(), combine);
    auto const outcome = reduce(exec, vertices, scan_outcome{0, 0},
                                look_from_posts<Value, I, Neighbor, Initial, Combine>{
                                    result.entries.data(), posts.data(), lost.data(), neighbor, initial, combine},
                                join_outcomes{});
    if (outcome.lost != 0) return scan_by_jumping<Value, I>(exec, vertices, neighbor, initial, combine);
    result.open = outcome.open;
    return result;
}

template <class Value, class I, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_on(cuda_executor const& exec, std::int64_t vertices, Neighbor neighbor, Initial initial,
                              Combine combine) {
    return scan_over_posts<Value, I>(exec, vertices, neighbor, initial, combine);
}

} // namespace coppice::graph_detail
