// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vertex maps and edge maps on the host. See graph/frontier/frontier.hpp for the contract.
#pragma once

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

/// Worker that runs alone, so that plain accesses to shared data suffice. Its constructor copies the descriptors of the
/// lists, and its destructor writes them back.
template <int N>
class sequential_worker {
public:
    static constexpr bool recurses = true;

    explicit sequential_worker(outputs<N> const& outs) : outs_(outs) {
        for (int k = 0; k < N; ++k)
            if (outs.list[k]) lists_[k] = *outs.list[k];
    }
    sequential_worker(sequential_worker const&) = delete;
    sequential_worker& operator=(sequential_worker const&) = delete;
    ~sequential_worker() {
        for (int k = 0; k < N; ++k)
            if (outs_.list[k]) *outs_.list[k] = lists_[k];
    }
    template <int K = 0>
    void emit(vertex_id v, std::int64_t work = 0) {
        worklist& list = lists_[K];
        list.items[list.count++] = v;
        list.work += work;
    }
    template <class T>
    T load(T const* p) const {
        return *p;
    }
    template <class T>
    T load_cached(T const* p) const {
        return load(p);
    }
    template <class T>
    void store(T* p, T x) const {
        *p = x;
    }
    template <class T>
    bool claim(T* p, T from, T to) const {
        if (*p != from) return false;
        *p = to;
        return true;
    }
    template <class T>
    T exchange(T* p, T x) const {
        return std::exchange(*p, x);
    }
    template <class T>
    bool lower(T* p, T x) const {
        if (!(x < *p)) return false;
        *p = x;
        return true;
    }
    template <class T>
    void put_lower(T* p, T x) const {
        lower(p, x);
    }
    template <class T>
    T add(T* p, T x) const {
        T const old = *p;
        *p = old + x;
        return old;
    }
    template <class T>
    T set_bits(T* p, T x) const {
        T const old = *p;
        *p = old | x;
        return old;
    }
    void fence() const {}

private:
    outputs<N> outs_;
    worklist lists_[N];
};

/// Concurrent worker: uses relaxed atomic accesses. It collects emitted vertices in a local buffer and reserves list
/// entries once per full buffer.
template <int N>
class concurrent_worker {
public:
    static constexpr bool recurses = true;

    explicit concurrent_worker(outputs<N> const& outs) {
        for (int k = 0; k < N; ++k) out_[k] = outs.list[k];
    }
    concurrent_worker(concurrent_worker const&) = delete;
    concurrent_worker& operator=(concurrent_worker const&) = delete;
    ~concurrent_worker() {
        for (int k = 0; k < N; ++k) flush(k);
    }
    template <int K = 0>
    void emit(vertex_id v, std::int64_t work = 0) {
        items_[K][held_[K]++] = v;
        work_[K] += work;
        if (held_[K] == capacity) flush(K);
    }
    template <class T>
    T load(T const* p) const {
        T x;
        __atomic_load(p, &x, __ATOMIC_RELAXED);
        return x;
    }
    template <class T>
    T load_cached(T const* p) const {
        return load(p);
    }
    template <class T>
    void store(T* p, T x) const {
        __atomic_store(p, &x, __ATOMIC_RELAXED);
    }
    template <class T>
    bool claim(T* p, T from, T to) const {
        return __atomic_compare_exchange(p, &from, &to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    template <class T>
    T exchange(T* p, T x) const {
        T old; // acquires the writes that precede the store of the old value
        __atomic_exchange(p, &x, &old, __ATOMIC_ACQ_REL);
        return old;
    }
    template <class T>
    bool lower(T* p, T x) const {
        T seen = load(p);
        while (x < seen)
            if (__atomic_compare_exchange(p, &seen, &x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return true;
        return false;
    }
    template <class T>
    void put_lower(T* p, T x) const {
        lower(p, x);
    }
    template <class T>
    T add(T* p, T x) const {
        return __atomic_fetch_add(p, x, __ATOMIC_RELAXED);
    }
    template <class T>
    T set_bits(T* p, T x) const {
        return __atomic_fetch_or(p, x, __ATOMIC_RELAXED);
    }
    /// An atomic operation on one shared word, since the thread sanitizer does not model fences.
    void fence() const {
        static int word = 0;
        __atomic_fetch_add(&word, 0, __ATOMIC_ACQ_REL);
    }
    template <class T>
    T await(T const* p) const {
        T x;
        while ((x = load(p)) == 0) std::this_thread::yield();
        fence();
        return x;
    }

private:
    static constexpr int capacity = 256;

    void flush(int k) {
        if (held_[k] == 0) return;
        worklist& list = *out_[k];
        std::int64_t const at = __atomic_fetch_add(&list.count, std::int64_t(held_[k]), __ATOMIC_RELAXED);
        std::copy_n(items_[k], held_[k], list.items + at);
        __atomic_fetch_add(&list.work, work_[k], __ATOMIC_RELAXED);
        held_[k] = 0;
        work_[k] = 0;
    }

    worklist* out_[N];
    int held_[N] = {};
    std::int64_t work_[N] = {};
    vertex_id items_[N][capacity];
};

template <>
struct shared_workers<host_executor> {
    template <int N>
    using type = concurrent_worker<N>;
    static std::int64_t warps(host_executor const& exec) { return exec.threads(); }
};

/// Calls work(worker, number, first, last) for consecutive chunks of [0, n). `workers` workers with different numbers
/// take chunks in ascending order, so that a vertex may wait for vertices in earlier chunks. Runs on the calling thread
/// if one worker suffices.
template <int N, class Work>
void distribute_chunks(host_executor const& exec, int workers, std::int64_t n, std::int64_t chunk,
                       outputs<N> const& outs, Work const& work) {
    if (workers == 1 || n <= chunk) {
        sequential_worker<N> worker(outs);
        for (std::int64_t first = 0; first < n; first += chunk) work(worker, 0, first, std::min(n, first + chunk));
        return;
    }
    std::int64_t next = 0;
    std::int64_t const used = std::min<std::int64_t>(workers, (n + chunk - 1) / chunk);
    detail::for_each_block(exec, used, 1, [&](std::int64_t number, std::int64_t, std::int64_t) {
        concurrent_worker<N> worker(outs);
        for (;;) {
            std::int64_t const first = __atomic_fetch_add(&next, chunk, __ATOMIC_RELAXED);
            if (first >= n) return;
            work(worker, int(number), first, std::min(n, first + chunk));
        }
    });
}

/// Calls work(worker, first, last) for chunks of [0, n). Runs on the calling thread if there is at most one chunk,
/// since waking a thread costs as much as processing thousands of edges.
template <int N, class Work>
void with_workers(host_executor const& exec, std::int64_t n, std::int64_t max_chunk, outputs<N> const& outs,
                  Work const& work) {
    // Chunks are as large as load balancing allows. With smaller chunks, more threads process neighbouring rows of a
    // grid simultaneously and write to cache lines that the other threads read.
    bool const alone = n <= (exec.threads() > 2 ? max_chunk / 4 : max_chunk) || exec.threads() == 1;
    std::int64_t const chunk = alone ? std::max<std::int64_t>(n, 1) : std::clamp(n / 64, max_chunk / 16, max_chunk);
    distribute_chunks(exec, exec.threads(), n, chunk, outs,
                      [&](auto& worker, int, std::int64_t first, std::int64_t last) { work(worker, first, last); });
}

template <int N, class F>
void vertex_map(host_executor const& exec, int const* predicate, worklist const* in, outputs<N> const& outs,
                F const& f) {
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    with_workers(exec, list.count, 4096, outs, [&](auto& worker, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(worker, list[i]);
    });
}

/// One attempt: a worker decides the vertices that a vertex waits for recursively.
template <int N, class F>
void try_vertex_map(host_executor const& exec, int const* predicate, worklist const* in, graph_view const&,
                    outputs<N> const& outs, F const& f) {
    vertex_map(exec, predicate, in, outs, [&](auto& worker, vertex_id v) {
        if (!f(worker, v)) worker.emit(v);
    });
}

/// Prefetches the rows of the vertices that follow items[i], and the offsets of later ones. Always inline: compilers
/// delete calls of a function that only prefetches.
COPPICE_ALWAYS_INLINE void prefetch_row(graph_view const& g, vertex_id const* items, std::int64_t i,
                                        std::int64_t last) {
    constexpr std::int64_t ahead = 8;
    if (i + 2 * ahead < last) __builtin_prefetch(g.offsets + items[i + 2 * ahead]);
    if (i + ahead < last) __builtin_prefetch(g.neighbors + g.offsets[items[i + ahead]]);
}

/// Calls f(worker, u, k) for the edges k of rows in order. If f has concerns(), the edges of many rows are filtered
/// first, without a data-dependent branch.
template <class Worker, class F>
class row_mapper {
public:
    row_mapper(Worker& worker, graph_view const& g, F const& f) : worker_(worker), g_(g), f_(f) {}
    row_mapper(row_mapper const&) = delete;
    row_mapper& operator=(row_mapper const&) = delete;

    /// Maps the edges [k, end) of row u.
    void map(vertex_id u, std::int32_t k, std::int32_t end) {
        if constexpr (filters) {
            bool const is_long = end - k >= piece / 2;
            while (k < end) {
                int found = found_;
                for (std::int32_t const stop = std::min(end, k + piece); k < stop; ++k) {
                    edges_[found] = {u, k};
                    found += f_.concerns(worker_, u, k) ? 1 : 0;
                }
                found_ = found;
                if (is_long || found > piece) flush();
            }
        } else {
            for (; k < end; ++k) f_(worker_, u, k);
        }
    }
    /// Processes the buffered edges.
    void flush() {
        for (int i = 0; i < found_; ++i) f_(worker_, edges_[i].u, edges_[i].k);
        found_ = 0;
    }

private:
    struct edge {
        vertex_id u;
        std::int32_t k;
    };
    static constexpr bool filters = requires(F const& f, Worker& worker, vertex_id u) {
        f.concerns(worker, u, std::int32_t(0));
    };
    static constexpr int piece = 64;

    Worker& worker_;
    graph_view g_;
    F const& f_;
    int found_ = 0;
    edge edges_[filters ? 2 * piece : 1];
};

/// Division of the rows of a list into chunks that have about equal work, which is the number of vertices and edges. An
/// equal number of vertices would not do: in graphs with hubs, these often have consecutive indices.
class row_chunks {
public:
    /// One thread takes all rows if there is no other, or if their work is at most `min_shared`.
    row_chunks(host_executor const& exec, worklist const& list, graph_view const& g, std::int64_t min_shared,
               std::int64_t max_work = 1 << 14)
        : list_(list), g_(g) {
        if (exec.threads() == 1 || list.count == 0) return;
        std::int64_t const work = estimated_work();
        if (work <= min_shared) return;
        shared_ = true;
        work_ = std::clamp(work / (16 * exec.threads()), min_work, max_work);
        vertices_ = list.items ? std::max<std::int64_t>(1, work_ * list.count / work) : 0;
        count_ = list.items ? (list.count + vertices_ - 1) / vertices_ : (work + work_ - 1) / work_;
    }
    bool shared() const { return shared_; }
    std::int64_t count() const { return count_; }
    /// First position in the list of chunk c <= count().
    std::int64_t begin(std::int64_t c) const {
        if (c == 0) return 0;
        if (c == count_) return list_.count;
        return list_.items ? c * vertices_ : vertex_at(c * work_);
    }

private:
    static constexpr std::int64_t min_work = 1024, few = 4096;

    std::int64_t estimated_work() const {
        if (!list_.items) return list_.count + (g_.offsets[list_.count] - g_.offsets[0]);
        if (list_.work > 0) return list_.count + list_.work;
        if (list_.count > few) return list_.count + list_.count * g_.edge_count / g_.vertices;
        std::int64_t work = list_.count; // the rows of a short list may be much longer than the mean
        for (std::int64_t i = 0; i < list_.count; ++i) work += g_.degree(list_.items[i]);
        return work;
    }
    /// Smallest v with v + offsets[v] >= work.
    std::int64_t vertex_at(std::int64_t work) const {
        std::int64_t low = 0, high = list_.count;
        while (low < high) {
            std::int64_t const middle = (low + high) / 2;
            if (middle + (g_.offsets[middle] - g_.offsets[0]) < work)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    worklist list_;
    graph_view g_;
    bool shared_ = false;
    std::int64_t work_ = 0;     ///< of a chunk
    std::int64_t vertices_ = 0; ///< of a chunk, if the list has items
    std::int64_t count_ = 1;
};

/// Work that takes as long as sharing it. Two threads save less than more threads do.
inline std::int64_t min_shared_work(host_executor const& exec) { return exec.threads() > 2 ? 1 << 12 : 20480; }

/// Rows that are too long for one worker. All workers share their edges after the other rows.
class long_rows {
public:
    static constexpr std::int32_t min_length = 1 << 13;

    void add(vertex_id u, std::int32_t begin, std::int32_t end) {
        std::lock_guard const lock(mutex_);
        for (; begin < end; begin += std::min(piece, end - begin))
            edges_.push_back({u, begin, begin + std::min(piece, end - begin)});
    }
    struct edges {
        vertex_id u;
        std::int32_t begin, end;
    };
    std::vector<edges> const& pieces() const { return edges_; }

private:
    static constexpr std::int32_t piece = 1 << 11;
    std::mutex mutex_;
    std::vector<edges> edges_;
};

/// Processes the rows of a range of a list. enters(v) is evaluated when v is reached. Adds rows that are too long to
/// `deferred`; null: processes them, too.
template <class Worker, class F, class Enters>
void edge_map_rows(Worker& worker, worklist const& list, std::int64_t first, std::int64_t last, graph_view const& g,
                   F const& f, Enters const& enters, long_rows* deferred) {
    row_mapper<Worker, F> rows(worker, g, f);
    for (std::int64_t i = first; i < last; ++i) {
        if (list.items) prefetch_row(g, list.items, i, last);
        vertex_id const u = list[i];
        if (!enters(u)) continue;
        std::int32_t const begin = g.offsets[u], end = g.offsets[u + 1];
        if (deferred && end - begin >= long_rows::min_length) {
            deferred->add(u, begin, end);
            continue;
        }
        rows.map(u, begin, end);
    }
    rows.flush();
}
/// Processes the edges that edge_map_rows() has left.
template <int N, class F>
void edge_map_long_rows(host_executor const& exec, long_rows const& rows, graph_view const& g, outputs<N> const& outs,
                        F const& f) {
    auto const& pieces = rows.pieces();
    distribute_chunks(exec, exec.threads(), std::int64_t(pieces.size()), 1, outs,
                      [&](auto& worker, int, std::int64_t first, std::int64_t last) {
                          row_mapper mapper(worker, g, f);
                          for (std::int64_t p = first; p < last; ++p) {
                              auto const& piece = pieces[std::size_t(p)];
                              mapper.map(piece.u, piece.begin, piece.end);
                          }
                          mapper.flush();
                      });
}

template <class F>
concept is_eager = requires(F const& f, sequential_worker<1>& worker, vertex_id v) {
    f.leave(worker, v);
};

/// Collects the vertices emitted to list 0, so that this worker processes them.
template <class Worker>
class eager_worker : public Worker {
public:
    using Worker::Worker;
    template <int K = 0>
    void emit(vertex_id v, std::int64_t work = 0) {
        if constexpr (K == 0)
            own_.push_back(v);
        else
            Worker::template emit<K>(v, work);
    }
    std::vector<vertex_id>& own() { return own_; }
    void hand_over() {
        for (vertex_id const v : own_) Worker::template emit<0>(v);
        own_.clear();
    }

private:
    std::vector<vertex_id> own_;
};

/// Every worker continues with the vertices that it emitted itself while they are too few to share: on a grid, most
/// rounds of a search have too few vertices to justify waking a thread.
template <int N, class F>
void eager_edge_map(host_executor const& exec, worklist const& list, graph_view const& g, outputs<N> const& outs,
                    F const& f) {
    constexpr std::int64_t few = 2048;                   // work that one worker takes alone
    constexpr std::int64_t many = 4096, much = 5 * many; // vertices and work to share
    constexpr int max_steps = 64; // a bound, since a cycle of negative length would continue forever
    row_chunks const chunks(exec, list, g, few);
    long_rows deferred;
    std::int64_t next = 0;
    auto const work = [&](auto&& worker, long_rows* rest) {
        auto const enters = [&](vertex_id u) { return f.enters(worker, u); };
        auto const enters_again = [&](vertex_id u) {
            f.leave(worker, u);
            return f.enters(worker, u);
        };
        for (;;) {
            std::int64_t const c = __atomic_fetch_add(&next, std::int64_t(1), __ATOMIC_RELAXED);
            if (c >= chunks.count()) break;
            edge_map_rows(worker, list, chunks.begin(c), chunks.begin(c + 1), g, f, enters, rest);
        }
        std::vector<vertex_id> now;
        for (int step = 0; step < max_steps && !worker.own().empty(); ++step) {
            auto const count = std::int64_t(worker.own().size());
            worklist const own{worker.own().data(), count, 0};
            if (count > many || row_chunks(exec, own, g, much).shared()) break;
            now.swap(worker.own());
            worker.own().clear();
            edge_map_rows(worker, worklist{now.data(), count, 0}, 0, count, g, f, enters_again, rest);
        }
        worker.hand_over();
    };
    if (!chunks.shared()) return work(eager_worker<sequential_worker<N>>(outs), nullptr);
    detail::for_each_block(
        exec, std::min<std::int64_t>(exec.threads(), chunks.count()), 1,
        [&](std::int64_t, std::int64_t, std::int64_t) { work(eager_worker<concurrent_worker<N>>(outs), &deferred); });
    edge_map_long_rows(exec, deferred, g, outs, f);
}

template <int N, class F>
void edge_map(host_executor const& exec, int const* predicate, worklist const* in, graph_view const& g,
              outputs<N> const& outs, F const& f) {
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    if constexpr (is_eager<F>) return eager_edge_map(exec, list, g, outs, f);
    row_chunks const chunks(exec, list, g, min_shared_work(exec));
    long_rows deferred;
    long_rows* const rest = chunks.shared() ? &deferred : nullptr;
    distribute_chunks(exec, exec.threads(), chunks.count(), 1, outs,
                      [&](auto& worker, int, std::int64_t first, std::int64_t last) {
                          auto const enters = [&](vertex_id u) { return f.enters(worker, u); };
                          edge_map_rows(worker, list, chunks.begin(first), chunks.begin(last), g, f, enters, rest);
                      });
    edge_map_long_rows(exec, deferred, g, outs, f);
}

template <class F>
void edge_sum(host_executor const& exec, int const* predicate, worklist const* in, graph_view const& g, F const& f) {
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    row_chunks const chunks(exec, list, g, min_shared_work(exec));
    distribute_chunks(exec, exec.threads(), chunks.count(), 1, nothing(),
                      [&](auto&, int, std::int64_t first, std::int64_t last) {
                          for (auto i = chunks.begin(first), end = chunks.begin(last); i < end; ++i) {
                              vertex_id const v = list[i];
                              typename F::value sum{};
                              for (auto k = g.offsets[v], stop = g.offsets[v + 1]; k < stop; ++k)
                                  sum = sum + f.term(v, k);
                              f.store(v, sum);
                          }
                      });
}

} // namespace coppice::inline v0_1::analytics
