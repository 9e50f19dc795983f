// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Visits of lists on the host. See graph/frontier/frontier.hpp for the contract.
#pragma once

#include <algorithm>
#include <thread>

#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::analytics {

/// The only worker there is: plain accesses. It has the lists for itself, and gives them back at its end.
template <int N>
class lone_worker {
public:
    static constexpr bool recurses = true;

    explicit lone_worker(outputs<N> const& outs) : outs_(outs) {
        for (int k = 0; k < N; ++k)
            if (outs.list[k]) lists_[k] = *outs.list[k];
    }
    lone_worker(lone_worker const&) = delete;
    lone_worker& operator=(lone_worker const&) = delete;
    ~lone_worker() {
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
    T glance(T const* p) const {
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

/// One of several: relaxed atomic accesses. Keeps what it emits until there is enough to ask for a place once.
template <int N>
class team_worker {
public:
    static constexpr bool recurses = true;

    explicit team_worker(outputs<N> const& outs) {
        for (int k = 0; k < N; ++k) out_[k] = outs.list[k];
    }
    team_worker(team_worker const&) = delete;
    team_worker& operator=(team_worker const&) = delete;
    ~team_worker() {
        for (int k = 0; k < N; ++k) flush(k);
    }
    template <int K = 0>
    void emit(vertex_id v, std::int64_t work = 0) {
        kept_[K][held_[K]++] = v;
        work_[K] += work;
        if (held_[K] == room) flush(K);
    }
    template <class T>
    T load(T const* p) const {
        T x;
        __atomic_load(p, &x, __ATOMIC_RELAXED);
        return x;
    }
    template <class T>
    T glance(T const* p) const {
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
        T old; // who gets it sees what was done before the other put it there
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
    /// All meet at one word, since the thread sanitizer knows no fences.
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
    static constexpr int room = 256;

    void flush(int k) {
        if (held_[k] == 0) return;
        worklist& list = *out_[k];
        std::int64_t const at = __atomic_fetch_add(&list.count, std::int64_t(held_[k]), __ATOMIC_RELAXED);
        std::copy_n(kept_[k], held_[k], list.items + at);
        __atomic_fetch_add(&list.work, work_[k], __ATOMIC_RELAXED);
        held_[k] = 0;
        work_[k] = 0;
    }

    worklist* out_[N];
    int held_[N] = {};
    std::int64_t work_[N] = {};
    vertex_id kept_[N][room];
};

template <>
struct shared_workers<host_executor> {
    template <int N>
    using type = team_worker<N>;
    static std::int64_t warps(host_executor const& exec) { return exec.threads(); }
};

/// Calls work(worker, number, first, last) for the parts of [0, n), which `workers` of different numbers are dealt from
/// front to back: vertices may wait for those before them. In place where one would do.
template <int N, class Work>
void deal_out(host_executor const& exec, int workers, std::int64_t n, std::int64_t part, outputs<N> const& outs,
              Work const& work) {
    if (workers == 1 || n <= part) {
        lone_worker<N> worker(outs);
        for (std::int64_t first = 0; first < n; first += part) work(worker, 0, first, std::min(n, first + part));
        return;
    }
    std::int64_t next = 0;
    detail::for_each_block(exec, workers, 1, [&](std::int64_t number, std::int64_t, std::int64_t) {
        team_worker<N> worker(outs);
        for (;;) {
            std::int64_t const first = __atomic_fetch_add(&next, part, __ATOMIC_RELAXED);
            if (first >= n) return;
            work(worker, int(number), first, std::min(n, first + part));
        }
    });
}

/// Calls work(worker, first, last) for the stretches of [0, n): in place where there is no more than one, since waking
/// a thread costs more than thousands of edges.
template <int N, class Work>
void with_workers(host_executor const& exec, std::int64_t n, std::int64_t stretch, outputs<N> const& outs,
                  Work const& work) {
    // Not in smaller parts than balance asks for: on a grid threads that work on neighbouring rows write to the lines
    // of memory that the others read.
    bool const alone = n <= stretch || exec.threads() == 1;
    std::int64_t const part = alone ? std::max<std::int64_t>(n, 1) : std::clamp(n / 64, stretch / 16, stretch);
    deal_out(exec, exec.threads(), n, part, outs,
             [&](auto& worker, int, std::int64_t first, std::int64_t last) { work(worker, first, last); });
}

template <int N, class F>
void visit_items(host_executor const& exec, int const* gate, worklist const* in, outputs<N> const& outs, F const& f) {
    if (!is_open(gate)) return;
    worklist const list = *in;
    with_workers(exec, list.count, 4096, outs, [&](auto& worker, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(worker, list[i]);
    });
}

/// Once: a worker goes on to what a vertex waits for.
template <int N, class F>
void try_items(host_executor const& exec, int const* gate, worklist const* in, graph_view const&,
               outputs<N> const& outs, F const& f) {
    visit_items(exec, gate, in, outs, [&](auto& worker, vertex_id v) {
        if (!f(worker, v)) worker.emit(v);
    });
}

/// Asks for the rows of the vertices that follow items[i], which are anywhere, and for their offsets before. Always
/// inline: compilers leave out calls of a function that only asks, as if it did nothing.
COPPICE_ALWAYS_INLINE void ask_ahead(graph_view const& g, vertex_id const* items, std::int64_t i, std::int64_t last) {
    constexpr std::int64_t ahead = 8;
    if (i + 2 * ahead < last) __builtin_prefetch(g.offsets + items[i + 2 * ahead]);
    if (i + ahead < last) __builtin_prefetch(g.neighbors + g.offsets[items[i + ahead]]);
}

/// f(worker, u, k) for the edges k of rows, one after the other. Where f says which edges concern it, those of many
/// rows are found first, without a branch that no processor foresees.
template <class Worker, class F>
class row_visitor {
public:
    row_visitor(Worker& worker, graph_view const& g, F const& f) : worker_(worker), g_(g), f_(f) {}
    row_visitor(row_visitor const&) = delete;
    row_visitor& operator=(row_visitor const&) = delete;

    void visit(vertex_id u) {
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
    /// What is left to be done of the rows.
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
/// The rows of a list, or of a part of it; enters(v) decides about each when its turn comes.
template <class Worker, class F, class Enters>
void visit_rows(Worker& worker, worklist const& list, std::int64_t first, std::int64_t last, graph_view const& g,
                F const& f, Enters const& enters) {
    row_visitor<Worker, F> rows(worker, g, f);
    for (std::int64_t i = first; i < last; ++i) {
        if (list.items) ask_ahead(g, list.items, i, last);
        if (enters(list[i])) rows.visit(list[i]);
    }
    rows.flush();
}

template <class F>
concept visits_at_once = requires(F const& f, lone_worker<1>& worker, vertex_id v) {
    f.leave(worker, v);
};

/// Keeps what it appends to list 0, to visit it.
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

/// Every worker goes on to what it appended itself, as long as that is too little to be shared: most rounds of a search
/// on a grid have fewer vertices than waking a thread is worth.
template <int N, class F>
void visit_edges_at_once(host_executor const& exec, worklist const& list, graph_view const& g, outputs<N> const& outs,
                         F const& f) {
    constexpr std::int64_t few = 256, many = 4096;
    constexpr int turns = 64; // since a cycle of negative length would go on without end
    std::int64_t next = 0;
    std::int64_t const part = std::clamp<std::int64_t>(list.count / (8 * exec.threads()), 64, many);
    auto const work = [&](auto&& worker) {
        auto const enters = [&](vertex_id u) { return f.enters(worker, u); };
        auto const enters_again = [&](vertex_id u) {
            f.leave(worker, u);
            return f.enters(worker, u);
        };
        for (;;) {
            std::int64_t const i = __atomic_fetch_add(&next, part, __ATOMIC_RELAXED);
            if (i >= list.count) break;
            visit_rows(worker, list, i, std::min(list.count, i + part), g, f, enters);
        }
        std::vector<vertex_id> now;
        for (int turn = 0; turn < turns && !worker.own().empty() && std::int64_t(worker.own().size()) <= many; ++turn) {
            now.swap(worker.own());
            worker.own().clear();
            auto const count = std::int64_t(now.size());
            visit_rows(worker, worklist{now.data(), count, 0}, 0, count, g, f, enters_again);
        }
        worker.hand_over();
    };
    if (list.count <= few || exec.threads() == 1)
        work(eager_worker<lone_worker<N>>(outs));
    else
        detail::for_each_block(exec, exec.threads(), 1, [&](std::int64_t, std::int64_t, std::int64_t) {
            work(eager_worker<team_worker<N>>(outs));
        });
}

template <int N, class F>
void visit_edges(host_executor const& exec, int const* gate, worklist const* in, graph_view const& g,
                 outputs<N> const& outs, F const& f) {
    if (!is_open(gate)) return;
    worklist const list = *in;
    if constexpr (visits_at_once<F>) return visit_edges_at_once(exec, list, g, outs, f);
    with_workers(exec, list.count, 4096, outs, [&](auto& worker, std::int64_t first, std::int64_t last) {
        visit_rows(worker, list, first, last, g, f, [&](vertex_id u) { return f.enters(worker, u); });
    });
}

template <class F>
void visit_sums(host_executor const& exec, int const* gate, worklist const* in, graph_view const& g, F const& f) {
    if (!is_open(gate)) return;
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

} // namespace coppice::analytics
