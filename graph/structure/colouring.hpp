// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Greedy colouring, vertices of high degree first.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include <coppice/algebra/transform.hpp>
#include <coppice/graph/frontier/data_flow.hpp>
#include <coppice/graph/frontier/in_order_host.hpp>

namespace coppice::inline v0_1 {

struct colouring_result {
    buffer<std::int32_t> colours{}; ///< 0, 1, ...: neighbours have different colours; in the memory of the executor
    std::int32_t count = 0;
};

/// Colours an undirected graph with at most (maximum degree + 1) colours. Loops are ignored.
///
/// The result is the greedy colouring in an order in which vertices with more than twice the mean degree come first,
/// then by a hash: a vertex takes the smallest free colour when all its neighbours before it are coloured (Jones and
/// Plassmann 1993). It is the same for any number of threads, on host and CUDA. The host processes the vertices in
/// order, by chunks of vertices if neighbours have close indices. On CUDA threads retry a vertex until the neighbours
/// before it are coloured; if rows are long, a coloured vertex sends its colour to the neighbours after it, and the
/// last message triggers the next vertex. O(n + m) time. Memory: 5 words per vertex; on CUDA 3, with long rows 6 and a
/// bit per edge. Waits.
template <executor Executor>
colouring_result colour_graph(Executor const& exec, graph_view g);

namespace analytics {

/// A vertex of class c without a colour stores -1 - c.
struct no_colour {
    graph_view g;
    vertex_order order;
    std::int32_t* colours;
    worklist* all_vertices;
    COPPICE_HD void operator()(std::int64_t v) const {
        colours[v] = -1 - order.class_of(g.degree(v));
        if (v == 0) *all_vertices = {nullptr, g.vertices, 0};
    }
};
COPPICE_HD inline vertex_position colouring_position(vertex_id v, std::int32_t no_colour) {
    return {v, -1 - no_colour};
}

/// Colours a vertex and, recursively, those that it depends on. Several workers may colour it concurrently: the first
/// one stores its colour, since a later one may have read colours that the first one did not.
struct take_colour {
    graph_view g;
    std::int32_t* colours;
    bool reads_ahead = false;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool operator()(Worker& worker, vertex_id v) const {
        std::int32_t const mine = worker.load(colours + v);
        return mine >= 0 || colour(worker, v, mine, 0) >= 0;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD std::int32_t colour(Worker& worker, vertex_id v, std::int32_t mine, int depth) const {
        // NOLINTNEXTLINE(bugprone-branch-clone): edges_at_once is 1 only on the host
        return reads_ahead ? colour<edges_at_once<Worker>>(worker, v, mine, depth) : colour<1>(worker, v, mine, depth);
    }
    COPPICE_NO_EXEC_CHECK
    template <int width, class Worker>
    COPPICE_HD std::int32_t colour(Worker& worker, vertex_id v, std::int32_t mine, int depth) const {
        vertex_position const position = colouring_position(v, mine);
        for (std::int32_t first = 0;; first += 64) {
            std::uint64_t taken = 0; // bit set of 64 colours
            for (std::int64_t k = g.offsets[v], end = g.offsets[v + 1]; k < end; k += width) {
                vertex_id u[width];
                std::int32_t other[width];
                COPPICE_UNROLL
                // Beyond the last edge, edge k is read again, so that the loop has a fixed number of loads.
                for (int j = 0; j < width; ++j) u[j] = g.neighbors[k + j < end ? k + j : k];
                COPPICE_UNROLL
                for (int j = 0; j < width; ++j) other[j] = worker.load(colours + u[j]);
                COPPICE_UNROLL
                for (int j = 0; j < width; ++j) {
                    if (other[j] < 0 && position.is_after(u[j], -1 - other[j])) {
                        if constexpr (Worker::recurses)
                            if (depth < worker_depth) other[j] = colour(worker, u[j], other[j], depth + 1);
                        if (other[j] < 0) return mine;
                    }
                    // Without a branch, which would be unpredictable. For an uncoloured vertex `bit` is not below 64.
                    auto const bit = static_cast<std::uint32_t>(other[j] - first);
                    taken |= std::uint64_t(bit < 64) << (bit & 63);
                }
            }
            if (~taken == 0) continue;
            std::int32_t free = first;
            for (; taken & 1; taken >>= 1) ++free;
            if constexpr (!Worker::recurses) {
                worker.store(colours + v, free);
                return free;
            }
            return worker.claim(colours + v, mine, free) ? free : worker.load(colours + v);
        }
    }
};

/// Colours the vertices of one class of a chunk, in order, by one worker. Each vertex has a byte: a colour below 32; or
/// `open`, if it has none (vertices of other chunks, those that depend on them, and those of high degree); or `mine`,
/// for the vertices of this chunk that follow.
template <class Worker>
struct colour_in_chunk {
    static constexpr std::uint8_t open = 32;
    static_assert(open + max_slots < 64);
    Worker* worker;
    graph_view g;
    vertex_order order;
    std::uint8_t* bytes;
    std::uint8_t mine;
    int current_class;

    void operator()(vertex_id v) const {
        std::int32_t const degree = g.degree(v);
        if (order.class_of(degree) != current_class) return;
        std::uint8_t const colour = degree < open ? free_colour(v) : open;
        worker->store(bytes + v, colour);
        if (colour == open) worker->emit(v);
    }
    std::uint8_t free_colour(vertex_id v) const {
        std::uint64_t seen = 0; // bit set of the bytes of the neighbours
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k)
            seen |= std::uint64_t(1) << (worker->load(bytes + g.neighbors[k]) & 63);
        bool const needs_order = (seen >> open & ~(std::uint64_t(1) << (mine - open))) != 0;
        return needs_order ? free_with_order(v) : first_zero(seen);
    }
    std::uint8_t free_with_order(vertex_id v) const {
        vertex_position const position(v, current_class);
        std::uint64_t seen = 0;
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = g.neighbors[k];
            std::uint8_t const other = worker->load(bytes + u); // may differ from the value read before
            if (other >= open && other != mine && position.is_after(u, order.class_of(g.degree(u)))) return open;
            seen |= std::uint64_t(1) << (other & 63);
        }
        return first_zero(seen);
    }
    static std::uint8_t first_zero(std::uint64_t seen) { return static_cast<std::uint8_t>(std::countr_one(seen)); }
};
inline void colour_chunks(host_executor const& exec, graph_view g, std::int32_t* colours, worklist* left) {
    vertex_order const order(g, true);
    using lone = colour_in_chunk<sequential_worker<1>>;
    buffer<std::uint8_t> all(exec, g.vertices);
    std::uint8_t* const bytes = all.data();
    detail::for_each_block(exec, g.vertices, max_chunk, [=](std::int64_t, std::int64_t first, std::int64_t last) {
        std::fill(bytes + first, bytes + last, lone::open);
    });
    for_each_chunk(exec, g, into(left), [=](auto& worker, int slot, vertex_chunk const& chunk) {
        auto const mine = std::uint8_t(lone::open + 1 + slot);
        store_all(worker, bytes + chunk.first, bytes + chunk.last, mine);
        std::int64_t seconds = 0;
        for (vertex_id v = chunk.first; v < chunk.last; ++v) seconds += order.class_of(g.degree(v));
        for (int c = seconds < chunk.last - chunk.first ? 0 : 1; c < (seconds > 0 ? 2 : 1); ++c)
            for_each_in_runs<true>(
                g, chunk.runs, 0, chunk.runs.size(), chunk.last,
                colour_in_chunk<std::remove_reference_t<decltype(worker)>>{&worker, g, order, bytes, mine, c});
        for (vertex_id v = chunk.first; v < chunk.last; ++v)
            worker.store(colours + v, bytes[v] < lone::open ? bytes[v] : -1 - order.class_of(g.degree(v)));
    });
}

/// Set of the colours of a vertex's neighbours.
class seen_colours {
public:
    /// Colour c requires at least c + (c - 1) + ... edges, which bounds the number of colours by the number of edges.
    explicit seen_colours(graph_view g) : stamps_(std::size_t(std::sqrt(2.0 * g.edge_count)) + unseen + 8, 0) {}
    void clear() {
        if (++now_ != 0) return;
        std::fill(stamps_.begin(), stamps_.end(), std::uint16_t(0));
        now_ = 1;
    }
    /// Adds a colour; -1: none. Without a branch, which would be unpredictable.
    void add(std::int32_t colour) { stamps_[std::size_t(std::ptrdiff_t(colour) + unseen)] = now_; }
    std::int32_t first_unseen() const {
        std::uint64_t const all = now_ * std::uint64_t(0x0001000100010001);
        for (std::size_t at = unseen;; at += 4) {
            std::uint64_t four;
            std::memcpy(&four, stamps_.data() + at, sizeof(four));
            if (four != all) return static_cast<std::int32_t>(at) - unseen + std::countr_zero(four ^ all) / 16;
        }
    }

private:
    static constexpr int unseen = 1;
    std::vector<std::uint16_t> stamps_;
    std::uint16_t now_ = 0;
};
/// Colours the vertices of a list while other workers colour earlier vertices. Vertices without a colour store
/// `index_in_list`, which gives their order without a branch.
class alignas(128) concurrent_colouring {
public:
    explicit concurrent_colouring(graph_view g, std::int32_t* colours) : g_(g), colours_(colours), seen_(g) {}
    static std::int32_t position_in_list(std::int64_t i) { return static_cast<std::int32_t>(-3 - i); }

    template <class Worker>
    void run(Worker& worker, vertices_in_order const& list, std::int64_t first, std::int64_t last) {
        list.for_each(g_, first, last, [&](vertex_id v) {
            if (!colour(worker, v)) waiting_.push_back(v);
        });
        // By now most of the vertices that they depend on are coloured. Without this retry all later vertices would
        // wait for them.
        std::erase_if(waiting_, [&](vertex_id v) { return colour(worker, v); });
    }
    std::vector<vertex_id> const& waiting() const { return waiting_; }

private:
    template <class Worker>
    bool colour(Worker& worker, vertex_id v) {
        auto const mine = static_cast<std::uint32_t>(worker.load(colours_ + v));
        std::uint32_t waits = 0;
        seen_.clear();
        for (auto k = g_.offsets[v], end = g_.offsets[v + 1]; k < end; ++k) {
            std::int32_t const other = worker.load(colours_ + g_.neighbors[k]);
            waits |= static_cast<std::uint32_t>(other) - mine - 1 < ~mine ? 1 : 0; // mine < other < 0
            seen_.add(other | other >> 31);
        }
        if (waits == 0) worker.store(colours_ + v, seen_.first_unseen());
        return waits == 0;
    }

    graph_view g_;
    std::int32_t* colours_;
    seen_colours seen_;
    std::vector<vertex_id> waiting_;
};
/// Colours the vertices of high degree with one worker and the others, which rarely depend on each other, with all.
inline void colour_list(host_executor const& exec, graph_view g, std::int32_t* colours, worklist* left) {
    vertices_in_order const list(exec, g, vertex_order(g, true));
    std::int64_t const firsts = list.end_of_class(0), all = list.end_of_class(1);
    constexpr std::int64_t chunk = 1024;
    bool const alone = exec.threads() == 1 || all - firsts <= chunk;
    for_each(exec, g.vertices, [=](std::int64_t v) { colours[v] = g.degree(v) > 0 ? -1 : 0; });
    auto const colour = [=, seen = seen_colours(g)](vertex_id v) mutable {
        seen.clear();
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) seen.add(colours[g.neighbors[k]]);
        colours[v] = seen.first_unseen();
    };
    list.for_each(g, 0, alone ? all : firsts, colour);
    if (alone) return;
    for_each(exec, all - firsts,
             [&](std::int64_t i) { colours[list[firsts + i]] = concurrent_colouring::position_in_list(i); });
    std::vector<concurrent_colouring> of_worker(std::size_t(exec.threads()), concurrent_colouring(g, colours));
    distribute_chunks(exec, exec.threads(), all - firsts, chunk, nothing(),
                      [&](auto& worker, int number, std::int64_t first, std::int64_t last) {
                          of_worker[std::size_t(number)].run(worker, list, firsts + first, firsts + last);
                      });
    sequential_worker<1> worker(into(left));
    for (auto const& w : of_worker)
        for (vertex_id const v : w.waiting()) {
            colours[v] = -2;
            worker.emit(v);
        }
}
inline void colour_in_order(host_executor const& exec, graph_view g, std::int32_t* colours) {
    worklists<3> lists(exec, g.vertices);
    if (neighbors_in_chunks(g))
        colour_chunks(exec, g, colours, lists[0]);
    else
        colour_list(exec, g, colours, lists[0]);
    vertex_map_until_done(exec, lists[0], g, lists[1], lists[2], take_colour{g, colours});
}

/// Number of words of the bit set of neighbours' colours; the colour of v is at most its degree.
struct colour_words {
    graph_view g;
    COPPICE_HD std::int32_t operator()(std::int64_t v) const { return g.degree(v) / 64 + 1; }
};
struct count_before {
    graph_view g;
    std::int32_t const* colours;
    std::int32_t* waits;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (colouring_position(v, colours[v]).is_after(u, -1 - colours[u])) worker.add(waits + v, 1);
    }
};
/// A coloured vertex sets the bit of its colour at the vertices after it. The worker with the last message of a vertex
/// colours that vertex.
struct send_colour {
    graph_view g;
    std::int32_t const* first; ///< first word of the bit set of each vertex
    std::uint64_t* bits;
    std::int32_t* colours;
    std::int32_t* waits;

    using message = std::int32_t;
    struct receiver {
        std::int32_t colour, first, last;
    };
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool is_ready(Worker& worker, vertex_id v) const {
        if (waits[v] != 0) return false;
        worker.store(colours + v, 0);
        return true;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD message message_of(Worker& worker, vertex_id u) const {
        return worker.load(colours + u);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD receiver receiver_at(Worker& worker, vertex_id v) const {
        return {worker.load(colours + v), first[v], first[v + 1]};
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool send(Worker& worker, message colour, receiver const& v) const {
        if (v.colour >= 0) return false; // before the sender, or the sender itself
        std::int32_t const word = v.first + colour / 64;
        if (word < v.last) worker.set_bits(bits + word, std::uint64_t(1) << colour % 64);
        return true;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD std::int32_t count_down(Worker& worker, vertex_id v) const {
        return worker.add(waits + v, -1);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void decide(Worker& worker, vertex_id v, receiver const& at) const {
        std::int32_t colour = 0;
        std::uint64_t taken = worker.load(bits + at.first);
        for (std::int32_t word = at.first + 1; ~taken == 0; ++word, colour += 64) taken = worker.load(bits + word);
        for (; taken & 1; taken >>= 1) ++colour;
        worker.store(colours + v, colour);
    }
};
template <class Executor> // a template, since only nvcc compiles maps on CUDA
void colour_by_data_flow(Executor const& exec, graph_view g, std::int32_t* colours, worklist* all_vertices) {
    std::int32_t words = 0;
    auto const first = detail::offsets_of_degrees<std::int32_t>(exec, g.vertices, colour_words{g}, words);
    buffer<std::uint64_t> bits(exec, words);
    buffer<std::int32_t> waits(exec, g.vertices);
    fill(exec, bits.view(), 0);
    fill(exec, waits.view(), 0);
    edge_map(exec, nullptr, all_vertices, g, nothing(), count_before{g, colours, waits.data()});
    flow_along_edges(exec, all_vertices, g, send_colour{g, first.data(), bits.data(), colours, waits.data()});
}
/// Maximum number of edges of a row that one thread reads repeatedly.
inline constexpr std::int32_t max_retried_row = 4096;
struct row_length {
    graph_view g;
    COPPICE_HD std::int32_t operator()(std::int64_t v) const { return g.degree(v); }
};
template <executor Executor>
std::int32_t longest_row(Executor const& exec, graph_view const& g) {
    return reduce(exec, g.vertices, std::int32_t{0}, row_length{g}, maximum{});
}
template <class Executor>
void colour_in_order(Executor const& exec, graph_view g, std::int32_t* colours) {
    auto all_vertices = placed(exec, worklist{});
    for_each(exec, g.vertices, no_colour{g, vertex_order(g, true), colours, all_vertices.data()});
    if (has_long_rows(g) || longest_row(exec, g) > max_retried_row)
        return colour_by_data_flow(exec, g, colours, all_vertices.data());
    worklists<2> lists(exec, g.vertices);
    vertex_map_until_done(exec, all_vertices.data(), g, lists[0], lists[1],
                          take_colour{g, colours, should_read_ahead(exec, g)});
    exec.synchronize();
}
/// Number of colours up to that of a vertex.
struct colours_up_to {
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
    colour_in_order(exec, g, colours);
    result.count = reduce(exec, g.vertices, std::int32_t{0}, colours_up_to{colours}, maximum{});
    return result;
}

#define COPPICE_COLOURING(EXTERN, EXECUTOR) EXTERN template colouring_result colour_graph(EXECUTOR const&, graph_view)
COPPICE_COLOURING(extern, host_executor);
COPPICE_COLOURING(extern, cuda_executor);

} // namespace coppice::inline v0_1
