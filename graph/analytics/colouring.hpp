// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A colouring: greedy, many edges first.
#pragma once

#include <coppice/algebra/transform.hpp>
#include <coppice/graph/analytics/rounds.hpp>

namespace coppice {

struct colouring_result {
    buffer<std::int32_t> colours{}; ///< 0, 1, ...: neighbours differ; in the memory of the executor
    std::int32_t count = 0;
};

/// Colours of an undirected graph, at most one more than the largest degree. Loops are ignored.
///
/// It is the greedy colouring in an order in which vertices of more than twice the mean of edges come first, then by a
/// hash: a vertex takes the smallest colour that is free when all neighbours before it have theirs (Jones and Plassmann
/// 1993). The same for any number of threads, on host and CUDA. The host colours those that a vertex waits for at once;
/// on CUDA threads try until those have theirs, and where rows are long every vertex that has a colour tells those
/// behind it. Near n + m steps. Memory: 3 words a vertex; on CUDA with long rows 6, and a bit an edge. Waits.
template <executor Executor>
colouring_result colour_graph(Executor const& exec, graph_view g);

namespace analytics {

/// The class of a vertex that has no colour c is -1 - c.
struct no_colour {
    graph_view g;
    vertex_order order;
    std::int32_t* colours;
    worklist* everyone;
    COPPICE_HD void operator()(std::int64_t v) const {
        colours[v] = -1 - order.class_of(g.degree(v));
        if (v == 0) *everyone = {nullptr, g.vertices, 0};
    }
};
COPPICE_HD inline vertex_place colouring_place(vertex_id v, std::int32_t no_colour) { return {v, -1 - no_colour}; }

/// A vertex, and on the way those that it waits for. Others may do the same at once: who is first stores, since whoever
/// is later may have seen colours that the first one did not.
struct take_colour {
    graph_view g;
    std::int32_t* colours;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool operator()(Worker& worker, vertex_id v) const {
        std::int32_t const mine = worker.load(colours + v);
        return mine >= 0 || colour(worker, v, mine, 0) >= 0;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD std::int32_t colour(Worker& worker, vertex_id v, std::int32_t mine, int depth) const {
        vertex_place const place = colouring_place(v, mine);
        for (std::int32_t first = 0;; first += 64) {
            std::uint64_t taken = 0; // of 64 colours
            for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
                vertex_id const u = g.neighbors[k];
                std::int32_t other = worker.load(colours + u);
                if (other < 0 && place.is_behind(u, -1 - other)) {
                    if constexpr (Worker::recurses)
                        if (depth < worker_depth) other = colour(worker, u, other, depth + 1);
                    if (other < 0) return mine;
                }
                // Without a branch, as none could predict it; no colour is none of the 64.
                auto const bit = static_cast<std::uint32_t>(other - first);
                taken |= std::uint64_t(bit < 64) << (bit & 63);
            }
            if (~taken == 0) continue;
            std::int32_t free = first;
            for (; taken & 1; taken >>= 1) ++free;
            return worker.claim(colours + v, mine, free) ? free : worker.load(colours + v);
        }
    }
};
inline void colour_in_order(host_executor const& exec, graph_view g, std::int32_t* colours, worklist* everyone) {
    worklists<2> lists(exec, g.vertices);
    settle_items(exec, everyone, lists[0], lists[1], take_colour{g, colours});
}

/// Bits of the colours that neighbours have; v takes none above its degree.
struct colour_words {
    graph_view g;
    COPPICE_HD std::int32_t operator()(std::int64_t v) const { return g.degree(v) / 64 + 1; }
};
struct count_before {
    graph_view g;
    std::int32_t const* colours;
    std::int32_t* waits;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (colouring_place(v, colours[v]).is_behind(u, -1 - colours[u])) worker.add(waits + v, 1);
    }
};
struct list_first {
    std::int32_t const* waits;
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (waits[v] == 0) worker.emit(v);
    }
};
struct take_free_bit {
    std::int32_t const* first;
    std::uint64_t const* bits;
    std::int32_t* colours;
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id v) const {
        std::int32_t word = first[v], colour = 0;
        for (; ~bits[word] == 0; ++word) colour += 64;
        for (std::uint64_t taken = bits[word]; taken & 1; taken >>= 1) ++colour;
        colours[v] = colour;
    }
};
struct tell_colour {
    graph_view g;
    std::int32_t const* first;
    std::uint64_t* bits;
    std::int32_t const* colours;
    std::int32_t* waits;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (colours[v] >= 0) return; // before u, or u itself
        std::int32_t const c = colours[u];
        if (c <= g.degree(v)) worker.set_bits(bits + first[v] + c / 64, std::uint64_t(1) << c % 64);
        if (worker.add(waits + v, -1) == 1) worker.emit(v);
    }
};
template <class Executor> // a template, as visits on CUDA are compiled by nvcc alone
void colour_by_telling(Executor const& exec, graph_view g, std::int32_t* colours, worklist* everyone) {
    std::int32_t words = 0;
    auto const first = detail::offsets_of_degrees<std::int32_t>(exec, g.vertices, colour_words{g}, words);
    buffer<std::uint64_t> bits(exec, words);
    buffer<std::int32_t> waits(exec, g.vertices);
    fill(exec, bits.view(), 0);
    fill(exec, waits.view(), 0);
    worklists<2> lists(exec, g.vertices);
    worklist *const now = lists[0], *const next = lists[1];
    auto loop = placed(exec, loop_switch{1});
    visit_edges(exec, nullptr, everyone, g, nothing(), count_before{g, colours, waits.data()});
    visit_items(exec, nullptr, everyone, into(now), list_first{waits.data()});
    rounds<Executor>(exec).run(
        loop.data(), item_step{nullptr, now, nothing(), take_free_bit{first.data(), bits.data(), colours}},
        edge_step{nullptr, now, g, into(next), tell_colour{g, first.data(), bits.data(), colours, waits.data()}},
        single_step{next_list{now, next, loop.data()}});
    exec.synchronize(); // what it worked with ends here
}
template <class Executor>
void colour_in_order(Executor const& exec, graph_view g, std::int32_t* colours, worklist* everyone) {
    if (has_long_rows(g)) return colour_by_telling(exec, g, colours, everyone);
    worklists<2> lists(exec, g.vertices);
    settle_items(exec, everyone, lists[0], lists[1], take_colour{g, colours});
    exec.synchronize();
}

struct colour_of {
    std::int32_t const* colours;
    COPPICE_HD std::int32_t operator()(std::int64_t v) const { return colours[v] + 1; }
};

} // namespace analytics

template <executor Executor>
colouring_result colour_graph(Executor const& exec, graph_view g) {
    using namespace analytics;
    colouring_result result{buffer<std::int32_t>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    std::int32_t* const colours = result.colours.data();
    auto everyone = placed(exec, worklist{});
    for_each(exec, g.vertices, no_colour{g, vertex_order(g, true), colours, everyone.data()});
    colour_in_order(exec, g, colours, everyone.data());
    result.count = reduce(exec, g.vertices, std::int32_t{0}, colour_of{colours}, maximum{});
    return result;
}

#define COPPICE_COLOURING(EXTERN, EXECUTOR) EXTERN template colouring_result colour_graph(EXECUTOR const&, graph_view)
COPPICE_COLOURING(extern, host_executor);
COPPICE_COLOURING(extern, cuda_executor);

} // namespace coppice
