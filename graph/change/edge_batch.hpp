// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graphs with a batch of edges added or removed.
#pragma once

#include <vector>

#include <coppice/algebra/operations.hpp>
#include <coppice/graph/frontier/graph_view.hpp>

namespace coppice::inline v0_1 {

/// Edges in host memory; an undirected edge is stored in both directions (both_directions()).
template <class T>
struct edge_batch {
    std::vector<vertex_id> from{}, to{};
    std::vector<T> values{}; ///< values of edges to add
    std::int64_t size() const { return std::int64_t(from.size()); }
};

namespace analytics {
/// Throws dimension_error if the lengths of the batch differ.
template <class T>
void require_lengths(edge_batch<T> const& batch, bool with_values) {
    require_size("ends of a batch of edges", batch.to, batch.size());
    if (with_values) require_size("values of a batch of edges", batch.values, batch.size());
}
} // namespace analytics

/// Returns the edges of the batch and their opposites; loops once. Throws dimension_error if its lengths differ.
template <class T>
edge_batch<T> both_directions(edge_batch<T> batch) {
    analytics::require_lengths(batch, !batch.values.empty());
    for (std::size_t k = 0, count = batch.from.size(); k < count; ++k) {
        if (batch.from[k] == batch.to[k]) continue;
        vertex_id const u = batch.from[k];
        batch.from.push_back(batch.to[k]);
        batch.to.push_back(u);
        if (!batch.values.empty()) batch.values.push_back(T(batch.values[k]));
    }
    return batch;
}

/// Returns the matrix with these entries inserted. An existing entry takes the new value; if a position occurs several
/// times in the batch, its last value counts. The rows of `a` are sorted without duplicates, and so are those of the
/// result. Time: one pass over the arrays and O(k log m) for k edges. Waits.
///
/// Throws argument_error for an edge outside of the matrix, dimension_error if the lengths of the batch differ or the
/// result has more than 2^31 - 1 entries.
template <executor Executor, class T>
csr<T> with_edges(Executor const& exec, csr_view<T> a, edge_batch<T> const& batch);

/// Returns the matrix without these entries; positions without an entry, and values, are ignored. Otherwise as above.
template <executor Executor, class T>
csr<T> without_edges(Executor const& exec, csr_view<T> a, edge_batch<T> const& batch);

namespace analytics {

/// Distinct edges of a batch, sorted by row and column.
struct sorted_batch {
    std::vector<std::uint64_t> keys;
    std::vector<std::int64_t> order; ///< index in the batch of the last of each
};
template <class T>
sorted_batch sort_batch(csr_view<T> a, edge_batch<T> const& batch, bool with_values) {
    require_lengths(batch, with_values);
    for (std::size_t k = 0; k < batch.from.size(); ++k)
        if (batch.from[k] < 0 || batch.from[k] >= a.rows() || batch.to[k] < 0 || batch.to[k] >= a.columns())
            throw argument_error("edge " + std::to_string(k) + " of a batch leads from " +
                                 std::to_string(batch.from[k]) + " to " + std::to_string(batch.to[k]) +
                                 " in a graph of " + std::to_string(a.rows()) + " vertices, which are counted from 0");
    auto const key = [&](std::int64_t k) {
        auto const i = std::size_t(k);
        return std::uint64_t(std::uint32_t(batch.from[i])) << 32 | std::uint32_t(batch.to[i]);
    };
    std::vector<std::int64_t> all(batch.from.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = std::int64_t(k);
    std::stable_sort(all.begin(), all.end(), [&](std::int64_t x, std::int64_t y) { return key(x) < key(y); });
    sorted_batch s;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k + 1 < all.size() && key(all[k]) == key(all[k + 1])) continue;
        s.keys.push_back(key(all[k]));
        s.order.push_back(all[k]);
    }
    return s;
}

/// Stores for each edge twice its position in the matrix, or the position where it would be inserted, plus 1 if it
/// exists.
template <class T>
struct find_position {
    csr_view<T> a;
    std::uint64_t const* keys;
    std::int64_t* positions;
    COPPICE_HD void operator()(std::int64_t k) const {
        auto const u = static_cast<std::int64_t>(keys[k] >> 32);
        auto const v = static_cast<std::int32_t>(keys[k] & 0xffffffffu);
        std::int64_t const end = a.offsets[u + 1], at = detail::lower_position(a.indices, a.offsets[u], end, v);
        positions[k] = 2 * at + (at < end && a.indices[at] == v ? 1 : 0);
    }
};

/// Entries per block; each block searches the list of changes once.
inline constexpr std::int64_t copied_together = 1024;
struct count_moves {
    std::int64_t const* positions;
    std::int64_t count;
    std::int64_t* before; ///< number of changes before each block of entries
    COPPICE_HD void operator()(std::int64_t b) const {
        before[b] = detail::lower_position(positions, 0, count, b * copied_together);
    }
};
/// Shifts entry p by the number of changes before it: forward if edges are added, backward if they are removed.
template <class T>
struct move_entry {
    csr_view<T> a;
    std::int64_t const* positions; ///< of changes, ascending
    std::int64_t const* before;
    int step; ///< 1: inserted before the entry at a position; -1: the entry at a position is removed
    std::int32_t* indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const block = p / copied_together, low = before[block], high = before[block + 1];
        // Edges inserted at position p itself precede entry p.
        std::int64_t const changes =
            low == high ? low : detail::lower_position(positions, low, high, step > 0 ? p + 1 : p);
        if (step < 0 && changes < high && positions[changes] == p) return;
        std::int64_t const to = p + step * changes;
        indices[to] = a.indices[p];
        values[to] = a.coefficients[p];
    }
};
struct move_offset {
    std::int32_t const* offsets;
    std::uint64_t const* keys; ///< of changes, ascending
    std::int64_t count;
    int step;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t u) const {
        std::int64_t const before = detail::lower_position(keys, 0, count, static_cast<std::uint64_t>(u) << 32);
        to[u] = static_cast<std::int32_t>(offsets[u] + step * before);
    }
};

/// Shifts all entries; `keys` and `positions` are those of the changes.
template <executor Executor, class T>
typename csr<T>::arrays move_entries(Executor const& exec, csr_view<T> a, buffer<std::uint64_t> const& keys,
                                     buffer<std::int64_t> const& positions, int step) {
    std::int64_t const changes = keys.size(), before = a.nonzeros(), after = before + step * changes;
    if (after > std::numeric_limits<std::int32_t>::max())
        throw dimension_error("a batch makes " + std::to_string(after) + " edges, more than 32-bit indices count");
    buffer<std::int32_t> offsets(exec, std::int64_t(a.rows()) + 1), indices(exec, after);
    buffer<T> values(exec, after);
    std::int64_t const blocks = before / copied_together + 2;
    buffer<std::int64_t> moves(exec, blocks);
    for_each(exec, blocks, count_moves{positions.data(), changes, moves.data()});
    for_each(exec, before, move_entry<T>{a, positions.data(), moves.data(), step, indices.data(), values.data()});
    for_each(exec, offsets.size(), move_offset{a.offsets, keys.data(), changes, step, offsets.data()});
    return {std::move(offsets), std::move(indices), std::move(values)};
}

/// Writes the columns and values of new edges.
template <class T>
struct insert_edge {
    std::uint64_t const* keys;
    std::int64_t const* positions;
    T const* values;
    std::int32_t* to_indices;
    T* to_values;
    COPPICE_HD void operator()(std::int64_t k) const {
        to_indices[positions[k] + k] = static_cast<std::int32_t>(keys[k] & 0xffffffffu);
        to_values[positions[k] + k] = values[k];
    }
};
template <class T>
struct replace_value {
    std::int64_t const* positions;
    T const* values;
    T* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[positions[k]] = values[k]; }
};

/// Applies find_position to each of the keys.
template <executor Executor, class T>
std::vector<std::int64_t> find_positions(Executor const& exec, csr_view<T> a, std::vector<std::uint64_t> const& keys) {
    auto const device_keys = exec.copy(keys);
    buffer<std::int64_t> found(exec, device_keys.size());
    for_each(exec, device_keys.size(), find_position<T>{a, device_keys.data(), found.data()});
    return to_vector(exec, found);
}

} // namespace analytics

template <executor Executor, class T>
csr<T> with_edges(Executor const& exec, csr_view<T> a, edge_batch<T> const& batch) {
    using namespace analytics;
    auto const sorted = sort_batch(a, batch, true);
    auto const where = find_positions(exec, a, sorted.keys);
    std::vector<std::uint64_t> keys;
    std::vector<std::int64_t> positions, replaced;
    std::vector<T> added, values;
    for (std::size_t k = 0; k < where.size(); ++k) {
        T const value = batch.values[std::size_t(sorted.order[k])];
        if (where[k] % 2 != 0) { // shifted by the edges that are inserted before it
            replaced.push_back(where[k] / 2 + std::int64_t(keys.size()));
            values.push_back(value);
        } else {
            keys.push_back(sorted.keys[k]);
            positions.push_back(where[k] / 2);
            added.push_back(value);
        }
    }
    auto const new_keys = exec.copy(keys);
    auto const new_positions = exec.copy(positions), at = exec.copy(replaced);
    auto const new_values = exec.copy(added), other_values = exec.copy(values);
    auto b = move_entries(exec, a, new_keys, new_positions, 1);
    for_each(
        exec, new_keys.size(),
        insert_edge<T>{new_keys.data(), new_positions.data(), new_values.data(), b.indices.data(), b.values.data()});
    for_each(exec, at.size(), replace_value<T>{at.data(), other_values.data(), b.values.data()});
    exec.synchronize();
    return {a.rows(), a.columns(), std::move(b.offsets), std::move(b.indices), std::move(b.values)};
}

template <executor Executor, class T>
csr<T> without_edges(Executor const& exec, csr_view<T> a, edge_batch<T> const& batch) {
    using namespace analytics;
    auto const sorted = sort_batch(a, batch, false);
    auto const where = find_positions(exec, a, sorted.keys);
    std::vector<std::uint64_t> keys;
    std::vector<std::int64_t> positions;
    for (std::size_t k = 0; k < where.size(); ++k) {
        if (where[k] % 2 == 0) continue;
        keys.push_back(sorted.keys[k]);
        positions.push_back(where[k] / 2);
    }
    auto const old_keys = exec.copy(keys);
    auto const old_positions = exec.copy(positions);
    auto b = move_entries(exec, a, old_keys, old_positions, -1);
    exec.synchronize();
    return {a.rows(), a.columns(), std::move(b.offsets), std::move(b.indices), std::move(b.values)};
}

#define COPPICE_EDGE_BATCH(EXTERN, EXECUTOR, T)                                                                        \
    EXTERN template csr<T> with_edges(EXECUTOR const&, csr_view<T>, edge_batch<T> const&);                             \
    EXTERN template csr<T> without_edges(EXECUTOR const&, csr_view<T>, edge_batch<T> const&)
COPPICE_EDGE_BATCH(extern, host_executor, float);
COPPICE_EDGE_BATCH(extern, host_executor, double);
COPPICE_EDGE_BATCH(extern, cuda_executor, float);
COPPICE_EDGE_BATCH(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
