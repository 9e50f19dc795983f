// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vertex maps and edge maps on the host. See graph/frontier/frontier.hpp for the contract.
#pragma once

#include <algorithm>
#include <thread>

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
    detail::for_each_block(exec, workers, 1, [&](std::int64_t number, std::int64_t, std::int64_t) {
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
    // Chunks are no smaller than load balancing requires: on a grid, threads that process neighbouring rows write to
    // cache lines that the others read.
    bool const alone = n <= max_chunk || exec.threads() == 1;
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

    void map(vertex_id u) {
        std::int32_t k = g_.offsets[u];
        std::int32_t const end = g_.offsets[u + 1];
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
/// Processes the rows of a range of a list. enters(v) is evaluated when v is reached.
template <class Worker, class F, class Enters>
void edge_map_rows(Worker& worker, worklist const& list, std::int64_t first, std::int64_t last, graph_view const& g,
                   F const& f, Enters const& enters) {
    row_mapper<Worker, F> rows(worker, g, f);
    for (std::int64_t i = first; i < last; ++i) {
        if (list.items) prefetch_row(g, list.items, i, last);
        if (enters(list[i])) rows.map(list[i]);
    }
    rows.flush();
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
    constexpr std::int64_t few = 256, many = 4096;
    constexpr int max_steps = 64; // a bound, since a cycle of negative length would continue forever
    std::int64_t next = 0;
    std::int64_t const chunk = std::clamp<std::int64_t>(list.count / (8 * exec.threads()), 64, many);
    auto const work = [&](auto&& worker) {
        auto const enters = [&](vertex_id u) { return f.enters(worker, u); };
        auto const enters_again = [&](vertex_id u) {
            f.leave(worker, u);
            return f.enters(worker, u);
        };
        for (;;) {
            std::int64_t const i = __atomic_fetch_add(&next, chunk, __ATOMIC_RELAXED);
            if (i >= list.count) break;
            edge_map_rows(worker, list, i, std::min(list.count, i + chunk), g, f, enters);
        }
        std::vector<vertex_id> now;
        for (int step = 0; step < max_steps && !worker.own().empty() && std::int64_t(worker.own().size()) <= many;
             ++step) {
            now.swap(worker.own());
            worker.own().clear();
            auto const count = std::int64_t(now.size());
            edge_map_rows(worker, worklist{now.data(), count, 0}, 0, count, g, f, enters_again);
        }
        worker.hand_over();
    };
    if (list.count <= few || exec.threads() == 1)
        work(eager_worker<sequential_worker<N>>(outs));
    else
        detail::for_each_block(exec, exec.threads(), 1, [&](std::int64_t, std::int64_t, std::int64_t) {
            work(eager_worker<concurrent_worker<N>>(outs));
        });
}

template <int N, class F>
void edge_map(host_executor const& exec, int const* predicate, worklist const* in, graph_view const& g,
              outputs<N> const& outs, F const& f) {
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    if constexpr (is_eager<F>) return eager_edge_map(exec, list, g, outs, f);
    with_workers(exec, list.count, 4096, outs, [&](auto& worker, std::int64_t first, std::int64_t last) {
        edge_map_rows(worker, list, first, last, g, f, [&](vertex_id u) { return f.enters(worker, u); });
    });
}

template <class F>
void edge_sum(host_executor const& exec, int const* predicate, worklist const* in, graph_view const& g, F const& f) {
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    with_workers(exec, list.count, 4096, nothing(), [&](auto&, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            vertex_id const v = list[i];
            typename F::value sum{};
            for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) sum = sum + f.term(v, k);
            f.store(v, sum);
        }
    });
}

} // namespace coppice::inline v0_1::analytics
