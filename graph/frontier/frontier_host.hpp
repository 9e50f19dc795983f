// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vertex maps and edge maps on the host. See graph/frontier/frontier.hpp for the contract.
#pragma once

#include <algorithm>
#include <cstdint>

#include <coppice/graph/frontier/eager_edge_map_host.hpp>
#include <coppice/graph/frontier/edge_rows_host.hpp>
#include <coppice/graph/frontier/frontier.hpp>
#include <coppice/graph/frontier/workers_host.hpp>

namespace coppice::inline v0_1::analytics {

template <int N, class F>
void vertex_map(host_executor const& exec, int const* predicate, worklist const* in, outputs<N> const& outs,
                F const& f) {
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    with_workers(exec, list.count, 4096, outs, [&](auto& worker, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(worker, list[i]);
    });
}

template <class F>
void bitmap_map(host_executor const& exec, int const* predicate, worklist const* in, bitmap* out, F const& f) {
    if (!is_enabled(predicate)) return;
    std::int64_t const vertices = in->count;
    with_workers(exec, words_of_bits(vertices), 4096 / 32, nothing(),
                 [&](auto& worker, std::int64_t first, std::int64_t last) {
                     std::int64_t count = 0, work = 0;
                     for (std::int64_t word = first; word < last; ++word) {
                         std::uint32_t bits = 0;
                         for (std::int64_t v = 32 * word, end = std::min(v + 32, vertices); v < end; ++v) {
                             if (!f(worker, vertex_id(v))) continue;
                             bits |= std::uint32_t(1) << v % 32;
                             ++count;
                             work += f.work(vertex_id(v));
                         }
                         out->words[word] = bits;
                     }
                     worker.add(&out->count, count);
                     worker.add(&out->work, work);
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
                          auto const enters = [&](vertex_id u) { return enters_map(f, worker, u); };
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
