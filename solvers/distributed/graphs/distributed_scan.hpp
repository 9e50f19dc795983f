// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bidirectional scan over paths of a distributed graph. See graph/scan/bidirectional_scan.hpp.
///
/// Method: (1) each rank scans its pieces of paths; (2) the ranks exchange the open ends, i.e. the ends of pieces at
/// which a path continues on another rank, with the scan result of the piece; the open ends form a graph of paths
/// again, which every rank scans; (3) each rank extends the result of every vertex past the end of its piece. All scans
/// use the single-rank algorithm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/multi_executor.hpp>
#include <coppice/graph/scan/bidirectional_scan.hpp>
#include <coppice/graph/scan/single_rank_graph.hpp>

namespace coppice::inline v0_1 {

/// bidirectional_scan() of a distributed graph. This rank owns `vertices` vertices, numbered after those of lower
/// ranks. neighbor(v, d) and initial(v, d) are called with local indices v; neighbor returns a global index or -1, and
/// `link` of the result holds global indices. `open` and `rounds` of the result describe this rank.
///
/// Collective. Communication: once, through the host, all to all: some integers and one Value per open end. The result
/// equals that of a single rank if the operator is exactly associative in floating point. Synchronises. Throws the
/// errors of bidirectional_scan() and, on all ranks, argument_error if a vertex has a neighbour on another rank that
/// does not have it as a neighbour.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan_distributed(Executor const& exec, rank_communicator const& comm,
                                                     std::int64_t vertices, Neighbor neighbor, Initial initial,
                                                     Combine combine);

namespace distributed {

/// Global indices of the vertices [first, first + rows) of a rank.
template <class I>
struct contiguous_ids {
    I first, rows;
    COPPICE_HD I operator()(std::int64_t v) const { return static_cast<I>(first + v); }
    COPPICE_HD I local(I id) const { return id >= first && id - first < rows ? id - first : I(-1); }
};

/// An end of a piece of a path at which the path continues on another rank. All indices are global.
template <class Value, class I>
struct open_end {
    I vertex;
    I across;     ///< the neighbour on the other rank
    I far;        ///< the other end of the piece
    I unused;     ///< avoids padding before an 8-byte Value: a device would not write padding that the host copies
    Value inward; ///< combination of the values from `vertex` to `far`
};

/// The path after an open end.
template <class Value, class I>
struct continuation {
    I link;      ///< flagged end of the path, or the next vertex if the path is a cycle
    Value value; ///< combination of the values from there to the end; of the whole cycle if it is one
};

/// Whether 2 v + d is a direction in which a path leaves this rank.
template <class Ids, class Neighbor>
struct is_open_end {
    Ids ids;
    Neighbor neighbor;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool operator()(std::int64_t i) const {
        auto const w = neighbor(i / 2, int(i % 2));
        return w >= 0 && ids.local(w) < 0;
    }
};
template <class Ids, class Neighbor>
struct count_open_ends {
    is_open_end<Ids, Neighbor> is;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return is(i) ? 1 : 0; }
};
template <class Value, class I, class Ids, class Neighbor>
struct emit_open_end {
    scan_entry<Value, I> const* entries;
    Ids ids;
    Neighbor neighbor;
    std::int64_t* keys; ///< 2 v + d
    open_end<Value, I>* open_ends;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t position, std::int64_t i) const {
        std::int64_t const v = i / 2;
        int const d = int(i % 2);
        scan_entry<Value, I> const e = entries[v];
        keys[position] = i;
        open_ends[position] = {ids(v), static_cast<I>(neighbor(v, d)), ids(path_end_vertex(e.link[1 - d])), I(0),
                               e.value[1 - d]};
    }
};

/// A value, or none if `any` is false.
template <class Value>
struct optional_value {
    Value value{};
    bool any = false;
    friend bool operator==(optional_value const& a, optional_value const& b) {
        return a.any == b.any && (!a.any || a.value == b.value);
    }
};
template <class Value, class Combine>
struct combine_optional {
    static constexpr bool idempotent = is_idempotent_v<Combine>;
    Combine combine;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD optional_value<Value> operator()(optional_value<Value> const& near,
                                                optional_value<Value> const& far) const {
        if (!near.any) return far;
        if (!far.any) return near;
        return {combine(near.value, far.value), true};
    }
};

/// The neighbours of an open end: in direction 0 the other open end of its piece, in direction 1 the one on the other
/// rank.
template <class I>
struct open_end_neighbor {
    I const* links;
    COPPICE_HD I operator()(std::int64_t g, int d) const { return links[2 * g + d]; }
};
template <class Value, class I>
struct open_end_value {
    open_end<Value, I> const* open_ends;
    COPPICE_HD optional_value<Value> operator()(std::int64_t g, int d) const {
        if (d == 0) return {open_ends[g].inward, true};
        return {};
    }
};

/// The neighbours of all open ends, which are sorted by vertex.
template <class Value, class I>
std::vector<I> neighbors_of_open_ends(std::vector<open_end<Value, I>> const& open_ends) {
    auto const find = [&](I vertex, auto const& fits) {
        auto g = std::lower_bound(open_ends.begin(), open_ends.end(), vertex,
                                  [](open_end<Value, I> const& a, I id) { return a.vertex < id; });
        while (g != open_ends.end() && g->vertex == vertex && !fits(*g)) ++g;
        return g != open_ends.end() && g->vertex == vertex ? static_cast<I>(g - open_ends.begin()) : I(-1);
    };
    std::vector<I> links;
    links.reserve(2 * open_ends.size());
    for (open_end<Value, I> const& g : open_ends) {
        links.push_back(find(g.far, [&](open_end<Value, I> const& other) { return &other != &g; }));
        links.push_back(find(g.across, [&](open_end<Value, I> const& other) { return other.across == g.vertex; }));
        if (links.back() < I(0))
            throw argument_error("vertex " + std::to_string(g.vertex) + " has the neighbour " +
                                 std::to_string(g.across) + " of another rank, which does not have it");
    }
    return links;
}

/// The continuations of the open ends of this rank: `mine` of them, from `first` on.
template <class Value, class I, class Combine>
std::vector<continuation<Value, I>> continuations(std::vector<open_end<Value, I>> const& open_ends, std::int64_t first,
                                                  std::int64_t mine, Combine const& combine) {
    std::vector<I> const links = neighbors_of_open_ends(open_ends);
    combine_optional<Value, Combine> const merge{combine};
    auto const scan = bidirectional_scan<optional_value<Value>, I>(host_executor{1}, std::int64_t(open_ends.size()),
                                                                   open_end_neighbor<I>{links.data()},
                                                                   open_end_value<Value, I>{open_ends.data()}, merge);
    std::vector<continuation<Value, I>> continuations;
    for (std::int64_t k = first; k < first + mine; ++k) {
        auto const& e = scan.entries[k];
        if (e.ended())
            continuations.push_back(
                {path_end(open_ends[std::size_t(path_end_vertex(e.link[1]))].far), e.value[1].value});
        else
            continuations.push_back({open_ends[std::size_t(k)].across, merge(e.value[0], e.value[1]).value});
    }
    return continuations;
}

/// Extends the result of a vertex from the end of its piece to the end of its path.
template <class Value, class I, class Ids, class Neighbor, class Combine>
struct extend_past_piece {
    scan_entry<Value, I>* entries;
    Ids ids;
    Neighbor neighbor;
    Combine combine;
    std::int64_t const* keys; ///< [open_ends]
    continuation<Value, I> const* continuations;
    std::int64_t open_ends;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t v) const {
        scan_entry<Value, I> e = entries[v];
        if (!e.ended()) return; // a cycle within this rank
        for (int d = 0; d < 2; ++d) {
            I const end = path_end_vertex(e.link[d]);
            // If the part of the path on this rank is the single vertex v, it ends at v in both directions.
            int const out = end == static_cast<I>(v) ? d : own(end, 0) < 0 ? 0 : 1;
            e.link[d] = path_end(ids(end));
            if (neighbor(end, out) < 0) continue;
            continuation<Value, I> const next =
                continuations[detail::lower_position(keys, 0, open_ends, 2 * std::int64_t(end) + out)];
            e.link[d] = next.link;
            e.value[d] = is_path_end(next.link) ? combine(e.value[d], next.value) : next.value;
        }
        entries[v] = e;
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD I own(I v, int d) const { return graph_detail::local_neighbor<Ids, Neighbor>{ids, neighbor}(v, d); }
};
template <class Value, class I>
struct count_cyclic {
    scan_entry<Value, I> const* entries;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return entries[v].ended() ? 0 : 1; }
};

/// The scan for vertices whose global indices ascend within a rank and from rank to rank. ids.local(id) returns the
/// local index of a vertex that has neighbours, or -1 if it belongs to another rank.
template <class Value, class I, executor Executor, class Ids, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_distributed(Executor const& exec, rank_communicator const& comm, std::int64_t vertices,
                                       Ids const& ids, Neighbor const& neighbor, Initial const& initial,
                                       Combine const& combine) {
    auto result = bidirectional_scan<Value, I>(
        exec, vertices, graph_detail::local_neighbor<Ids, Neighbor>{ids, neighbor}, initial, combine);
    is_open_end<Ids, Neighbor> const leaves{ids, neighbor};
    std::int64_t const mine =
        reduce(exec, 2 * vertices, std::int64_t{0}, count_open_ends<Ids, Neighbor>{leaves}, plus{});
    buffer<std::int64_t> keys(exec, mine);
    buffer<open_end<Value, I>> open_ends(exec, mine);
    if (mine > 0)
        select(exec, 2 * vertices, leaves,
               emit_open_end<Value, I, Ids, Neighbor>{result.entries.data(), ids, neighbor, keys.data(),
                                                      open_ends.data()});
    std::vector<open_end<Value, I>> all;
    std::int64_t first = 0;
    auto const of_ranks = comm.gather(to_vector(exec, open_ends));
    for (std::size_t p = 0; p < of_ranks.size(); ++p) {
        if (int(p) == comm.rank()) first = std::int64_t(all.size());
        all.insert(all.end(), of_ranks[p].begin(), of_ranks[p].end());
    }
    auto const found = continuations(all, first, mine, combine);
    auto const continuations = exec.copy(found);
    for_each(exec, vertices,
             extend_past_piece<Value, I, Ids, Neighbor, Combine>{result.entries.data(), ids, neighbor, combine,
                                                                 keys.data(), continuations.data(), mine});
    if (std::any_of(found.begin(), found.end(), [](auto const& next) { return !is_path_end(next.link); }))
        result.open =
            2 * reduce(exec, vertices, std::int64_t{0}, count_cyclic<Value, I>{result.entries.data()}, plus{});
    return result;
}

} // namespace distributed

template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan_distributed(Executor const& exec, rank_communicator const& comm,
                                                     std::int64_t vertices, Neighbor neighbor, Initial initial,
                                                     Combine combine) {
    auto const begin = offsets_of_ranks(comm, vertices);
    checked_cast<I>(begin.back(), "number of vertices");
    return distributed::scan_distributed<Value, I>(
        exec, comm, vertices,
        distributed::contiguous_ids<I>{static_cast<I>(begin[std::size_t(comm.rank())]), static_cast<I>(vertices)},
        neighbor, initial, combine);
}

} // namespace coppice::inline v0_1
