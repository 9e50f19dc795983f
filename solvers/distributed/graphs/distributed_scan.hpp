// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The bidirectional scan over paths whose vertices lie in parts. See graph/scan/bidirectional_scan.hpp.
///
/// A part scans the pieces of paths that it has. Where a path goes on in another part, what the scan knows there of the
/// piece crosses: these gates of all parts are a graph of paths again, which every part scans; then each vertex learns
/// of what is behind the end of its piece. The scans are those of one executor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/multi_executor.hpp>
#include <coppice/graph/scan/bidirectional_scan.hpp>
#include <coppice/graph/scan/single_rank_graph.hpp>

namespace coppice {

/// bidirectional_scan() over parts: this one has the `vertices` that follow those of the parts before it, and
/// neighbor(v, d), initial(v, d) are asked of its own, counted from 0. neighbor gives the number of a vertex in the
/// whole or -1; the marks in `link` name ends of paths by such numbers. `open` and `rounds` are of this part.
///
/// All parts call it. What crosses are some numbers and a Value for each end of a path's piece at a cut, once, by the
/// host, from every part to every other. The result is that of one executor over the whole for operators that are
/// associative to the bit. Waits. Throws what bidirectional_scan() does, and argument_error, on all parts, where a
/// vertex names one of another part that does not name it.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan_part(Executor const& exec, part_messages const& others, std::int64_t vertices,
                                              Neighbor neighbor, Initial initial, Combine combine);

namespace distributed {

/// The names of vertices [first, first + rows).
template <class I>
struct range_names {
    I first, rows;
    COPPICE_HD I operator()(std::int64_t v) const { return static_cast<I>(first + v); }
    COPPICE_HD I own(I name) const { return name >= first && name - first < rows ? name - first : I(-1); }
};

/// An end of a piece of a path, from which the path goes on in another part.
template <class Value, class I>
struct gate {
    I vertex;     ///< by name, as are the others
    I across;     ///< the neighbour in the other part
    I far;        ///< the other end of the piece
    I unused;     ///< no padding before a Value of 8 bytes, which the host would copy though no device has written it
    Value inward; ///< combined from `vertex` to `far`
};

/// What is behind a gate.
template <class Value, class I>
struct way_out {
    I link;      ///< a mark of the path's end; the next vertex where it is a cycle
    Value value; ///< combined from there to the end; all of a cycle's where it is one
};

/// Whether 2 v + d is a direction in which a path leaves this part.
template <class Names, class Neighbor>
struct is_gate {
    Names names;
    Neighbor neighbor;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool operator()(std::int64_t i) const {
        auto const w = neighbor(i / 2, int(i % 2));
        return w >= 0 && names.own(w) < 0;
    }
};
template <class Names, class Neighbor>
struct count_gates {
    is_gate<Names, Neighbor> is;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return is(i) ? 1 : 0; }
};
template <class Value, class I, class Names, class Neighbor>
struct emit_gate {
    scan_entry<Value, I> const* entries;
    Names names;
    Neighbor neighbor;
    std::int64_t* keys; ///< 2 v + d
    gate<Value, I>* gates;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t position, std::int64_t i) const {
        std::int64_t const v = i / 2;
        int const d = int(i % 2);
        scan_entry<Value, I> const e = entries[v];
        keys[position] = i;
        gates[position] = {names(v), static_cast<I>(neighbor(v, d)), names(path_end_vertex(e.link[1 - d])), I(0),
                           e.value[1 - d]};
    }
};

/// A value, or none: what it costs to cross a cut.
template <class Value>
struct passage {
    Value value{};
    bool any = false;
    friend bool operator==(passage const& a, passage const& b) {
        return a.any == b.any && (!a.any || a.value == b.value);
    }
};
template <class Value, class Combine>
struct combine_passages {
    static constexpr bool idempotent = is_idempotent_v<Combine>;
    Combine combine;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD passage<Value> operator()(passage<Value> const& near, passage<Value> const& far) const {
        if (!near.any) return far;
        if (!far.any) return near;
        return {combine(near.value, far.value), true};
    }
};

/// The neighbours of a gate: in direction 0 the other gate of its piece, in direction 1 the one across the cut.
template <class I>
struct gate_neighbor {
    I const* links;
    COPPICE_HD I operator()(std::int64_t g, int d) const { return links[2 * g + d]; }
};
template <class Value, class I>
struct gate_value {
    gate<Value, I> const* gates;
    COPPICE_HD passage<Value> operator()(std::int64_t g, int d) const {
        if (d == 0) return {gates[g].inward, true};
        return {};
    }
};

/// The neighbours of all gates, which are in the order of their vertices.
template <class Value, class I>
std::vector<I> neighbors_of_gates(std::vector<gate<Value, I>> const& gates) {
    auto const find = [&](I vertex, auto const& fits) {
        auto g = std::lower_bound(gates.begin(), gates.end(), vertex,
                                  [](gate<Value, I> const& a, I name) { return a.vertex < name; });
        while (g != gates.end() && g->vertex == vertex && !fits(*g)) ++g;
        return g != gates.end() && g->vertex == vertex ? static_cast<I>(g - gates.begin()) : I(-1);
    };
    std::vector<I> links;
    links.reserve(2 * gates.size());
    for (gate<Value, I> const& g : gates) {
        links.push_back(find(g.far, [&](gate<Value, I> const& other) { return &other != &g; }));
        links.push_back(find(g.across, [&](gate<Value, I> const& other) { return other.across == g.vertex; }));
        if (links.back() < I(0))
            throw argument_error("vertex " + std::to_string(g.vertex) + " has the neighbour " +
                                 std::to_string(g.across) + " of another part, which does not have it");
    }
    return links;
}

/// What is behind the gates of this part, which are `mine` from `first` on.
template <class Value, class I, class Combine>
std::vector<way_out<Value, I>> ways_out(std::vector<gate<Value, I>> const& gates, std::int64_t first, std::int64_t mine,
                                        Combine const& combine) {
    std::vector<I> const links = neighbors_of_gates(gates);
    combine_passages<Value, Combine> const join{combine};
    auto const scan =
        bidirectional_scan<passage<Value>, I>(host_executor{1}, std::int64_t(gates.size()),
                                              gate_neighbor<I>{links.data()}, gate_value<Value, I>{gates.data()}, join);
    std::vector<way_out<Value, I>> ways;
    for (std::int64_t k = first; k < first + mine; ++k) {
        auto const& e = scan.entries[k];
        if (e.ended())
            ways.push_back({path_end(gates[std::size_t(path_end_vertex(e.link[1]))].far), e.value[1].value});
        else
            ways.push_back({gates[std::size_t(k)].across, join(e.value[0], e.value[1]).value});
    }
    return ways;
}

/// Goes on from the end of a vertex's piece to that of its path.
template <class Value, class I, class Names, class Neighbor, class Combine>
struct leave_piece {
    scan_entry<Value, I>* entries;
    Names names;
    Neighbor neighbor;
    Combine combine;
    std::int64_t const* keys; ///< [gates]
    way_out<Value, I> const* ways;
    std::int64_t gates;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t v) const {
        scan_entry<Value, I> e = entries[v];
        if (!e.ended()) return; // a cycle of this part
        for (int d = 0; d < 2; ++d) {
            I const end = path_end_vertex(e.link[d]);
            // A piece of one vertex ends there in either direction.
            int const out = end == static_cast<I>(v) ? d : own(end, 0) < 0 ? 0 : 1;
            e.link[d] = path_end(names(end));
            if (neighbor(end, out) < 0) continue;
            way_out<Value, I> const way = ways[detail::lower_position(keys, 0, gates, 2 * std::int64_t(end) + out)];
            e.link[d] = way.link;
            e.value[d] = is_path_end(way.link) ? combine(e.value[d], way.value) : way.value;
        }
        entries[v] = e;
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD I own(I v, int d) const { return graph_detail::own_neighbor<Names, Neighbor>{names, neighbor}(v, d); }
};
template <class Value, class I>
struct count_cyclic {
    scan_entry<Value, I> const* entries;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return entries[v].ended() ? 0 : 1; }
};

/// The scan over vertices whose names rise within a part and from one part to the next. names.own(name) is the number
/// here of a vertex that has neighbours, -1 where it is of another part.
template <class Value, class I, executor Executor, class Names, class Neighbor, class Initial, class Combine>
scan_result<Value, I> scan_in_parts(Executor const& exec, part_messages const& others, std::int64_t vertices,
                                    Names const& names, Neighbor const& neighbor, Initial const& initial,
                                    Combine const& combine) {
    auto result = bidirectional_scan<Value, I>(
        exec, vertices, graph_detail::own_neighbor<Names, Neighbor>{names, neighbor}, initial, combine);
    is_gate<Names, Neighbor> const leaves{names, neighbor};
    std::int64_t const mine = reduce(exec, 2 * vertices, std::int64_t{0}, count_gates<Names, Neighbor>{leaves}, plus{});
    buffer<std::int64_t> keys(exec, mine);
    buffer<gate<Value, I>> gates(exec, mine);
    if (mine > 0)
        select(exec, 2 * vertices, leaves,
               emit_gate<Value, I, Names, Neighbor>{result.entries.data(), names, neighbor, keys.data(), gates.data()});
    std::vector<gate<Value, I>> all;
    std::int64_t first = 0;
    auto const of_parts = others.gather(to_vector(exec, gates));
    for (std::size_t p = 0; p < of_parts.size(); ++p) {
        if (int(p) == others.part()) first = std::int64_t(all.size());
        all.insert(all.end(), of_parts[p].begin(), of_parts[p].end());
    }
    auto const found = ways_out(all, first, mine, combine);
    auto const ways = exec.copy(found);
    for_each(exec, vertices,
             leave_piece<Value, I, Names, Neighbor, Combine>{result.entries.data(), names, neighbor, combine,
                                                             keys.data(), ways.data(), mine});
    if (std::any_of(found.begin(), found.end(), [](auto const& way) { return !is_path_end(way.link); }))
        result.open =
            2 * reduce(exec, vertices, std::int64_t{0}, count_cyclic<Value, I>{result.entries.data()}, plus{});
    return result;
}

} // namespace distributed

template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan_part(Executor const& exec, part_messages const& others, std::int64_t vertices,
                                              Neighbor neighbor, Initial initial, Combine combine) {
    auto const begin = begins_of_parts(others, vertices);
    checked_cast<I>(begin.back(), "number of vertices");
    return distributed::scan_in_parts<Value, I>(
        exec, others, vertices,
        distributed::range_names<I>{static_cast<I>(begin[std::size_t(others.part())]), static_cast<I>(vertices)},
        neighbor, initial, combine);
}

} // namespace coppice
