// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lists of vertices (frontiers) that maps read and append to. See graph/frontier/frontier.hpp.
#pragma once

#include <cstdint>

#include <coppice/core/parallel.hpp>
#include <coppice/graph/frontier/graph_view.hpp>

namespace coppice::inline v0_1::analytics {

/// List of vertices. The list and this descriptor are in the memory of the executor.
struct worklist {
    vertex_id* items = nullptr; ///< null: the vertices 0 .. count - 1
    std::int64_t count = 0;
    std::int64_t work = 0; ///< sum of the `work` arguments of emit(): edges of the rows; 0: not known

    COPPICE_HD vertex_id operator[](std::int64_t i) const { return items ? items[i] : static_cast<vertex_id>(i); }
    COPPICE_HD void clear() { count = work = 0; }
};

inline std::int64_t words_of_bits(std::int64_t bits) { return (bits + 31) / 32; }

/// Set of vertices, one bit each. The words and this descriptor are in the memory of the executor.
struct bitmap {
    std::uint32_t* words = nullptr; ///< bit v % 32 of words[v / 32]: whether v is in the set
    std::int64_t count = 0;         ///< number of vertices
    std::int64_t work = 0;          ///< edges of their rows

    /// The next map writes all words.
    COPPICE_HD void clear() { count = work = 0; }
    COPPICE_HD bool operator()(std::int64_t v) const { return (words[v >> 5] >> (v & 31) & 1) != 0; }
};

/// The lists that a map appends to.
template <int N>
struct outputs {
    worklist* list[N];
};
inline outputs<1> into(worklist* a) { return {{a}}; }
inline outputs<2> into(worklist* a, worklist* b) { return {{a, b}}; }
inline outputs<4> into(worklist* a, worklist* b, worklist* c, worklist* d) { return {{a, b, c, d}}; }
COPPICE_HD inline outputs<1> nothing() { return {{nullptr}}; }

struct begin_lists {
    vertex_id* items;
    std::int64_t capacity;
    worklist* lists;
    COPPICE_HD void operator()(std::int64_t k) const { lists[k] = {items + k * capacity, 0, 0}; }
};
/// Owns N lists of equal capacity.
template <int N>
class worklists {
public:
    struct values {
        worklist list[N];
    };
    template <executor Executor>
    worklists(Executor const& exec, std::int64_t capacity) : items_(exec, N * capacity), lists_(exec, 1) {
        for_each(exec, N, begin_lists{items_.data(), capacity, (*this)[0]});
    }
    worklist* operator[](int k) { return lists_.data()->list + k; }
    /// All lists; waits.
    template <executor Executor>
    values load(Executor const& exec) const {
        return exec.load(lists_.data());
    }

private:
    buffer<vertex_id> items_;
    buffer<values> lists_;
};

/// Owns two bitmaps of n vertices, and the lists that maps over them take.
class bitmap_pair {
public:
    struct values {
        bitmap set[2];
        worklist all_vertices, all_words;
    };
    template <executor Executor>
    bitmap_pair(Executor const& exec, std::int64_t n)
        : words_(exec, 2 * words_of_bits(n)),
          values_(placed(exec, values{{{words(0)}, {words(1)}}, {nullptr, n}, {nullptr, words_of_bits(n)}})) {}
    bitmap* operator[](int k) { return values_.data()->set + k; }
    worklist const* all_vertices() const { return &values_.data()->all_vertices; }
    worklist const* all_words() const { return &values_.data()->all_words; }
    /// Words of bitmap k, unless they were swapped.
    std::uint32_t* words(int k) { return words_.data() + k * (words_.size() / 2); }

private:
    buffer<std::uint32_t> words_;
    buffer<values> values_;
};

/// Swaps two lists or bitmaps and empties the second.
template <class Set>
COPPICE_HD void swap_and_clear(Set& a, Set& b) {
    Set const old = a;
    a = b;
    b = old;
    b.clear();
}

/// Whether a worker processes the vertices that are emitted to list 0 itself, in any number of copies.
template <class Worker>
inline constexpr bool processes_emitted = false;

/// Whether an edge map processes the edges of u: f.enters(worker, u), or true if f has no such member.
COPPICE_NO_EXEC_CHECK
template <class F, class Worker>
COPPICE_HD bool enters_map(F const& f, Worker& worker, vertex_id u) {
    if constexpr (requires { f.enters(worker, u); })
        return f.enters(worker, u);
    else
        return true;
}

/// Type of workers that run concurrently, and the number of warps of them to start. On CUDA this is more than the
/// device runs simultaneously; the last ones find no work left.
template <class Executor>
struct shared_workers;
template <class Executor, int N = 1>
using shared_worker = typename shared_workers<Executor>::template type<N>;

} // namespace coppice::inline v0_1::analytics
