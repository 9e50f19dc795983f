// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The workers of vertex maps and edge maps on the host, and the distribution of chunks to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include <coppice/graph/frontier/worklist.hpp>

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

} // namespace coppice::inline v0_1::analytics
