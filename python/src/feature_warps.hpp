// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products of a sparse matrix and rows of features on CUDA (sparse_operations.hpp has the definitions). A group of
/// lanes computes a row: some of its lanes hold different elements of the features, the others read different entries
/// of the row. Long rows are cut where the number of an entry is a multiple of piece_entries; their pieces are reduced
/// first, each by a warp, and then combined. The order of all sums depends on the matrix and the width alone, so that
/// results have the same bits in every run.
///
/// Bodies are templates over the Block of core/block.hpp (tests/sparse/feature_warps.cpp runs them on CPU threads).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include <coppice/core/memory.hpp>
#include <coppice/core/warp_work.hpp>

#include "dense_rows.hpp"

namespace coppice::python {

inline constexpr int piece_entries = 256;
inline constexpr int longest_whole_row = 2 * piece_entries;

/// Elements of a row of features that a lane loads together.
template <class T, int Count>
struct alignas(Count * sizeof(T)) feature_pack {
    T element[Count];
};

/// Loads or stores a pack. Rows of features that are not aligned as packs are read by elements, so that the order of
/// sums is the same.
template <bool Aligned, class T, int Count>
COPPICE_HD void load_pack(T const* from, feature_pack<T, Count>& to) {
    if constexpr (Aligned)
        to = *reinterpret_cast<feature_pack<T, Count> const*>(from);
    else
        for (int e = 0; e < Count; ++e) to.element[e] = from[e];
}
template <bool Aligned, class T, int Count>
COPPICE_HD void store_pack(feature_pack<T, Count> const& from, T* to) {
    if constexpr (Aligned)
        *reinterpret_cast<feature_pack<T, Count>*>(to) = from;
    else
        for (int e = 0; e < Count; ++e) to[e] = from.element[e];
}

/// Lanes of a group: 1 << across_bits hold different elements, 1 << along_bits read different entries.
struct lane_groups {
    int across_bits, along_bits;

    COPPICE_HD int across() const { return 1 << across_bits; }
    COPPICE_HD int along() const { return 1 << along_bits; }
    COPPICE_HD int bits() const { return across_bits + along_bits; }
    /// For features of `packs` packs and rows of `mean` entries.
    static lane_groups of(std::int64_t packs, std::int64_t mean) {
        auto const bits = [](std::int64_t n) { return int(std::bit_width(std::uint64_t(n - 1))); };
        int const across = bits(std::clamp<std::int64_t>(packs, 1, warp_lanes));
        // Each lane has `together` loads in flight.
        return {across, bits(std::clamp<std::int64_t>(mean / 4, 1, warp_lanes >> across))};
    }
};

/// The row of an entry. All lanes of the warp call it with equal arguments.
template <class Block>
COPPICE_HD std::int32_t row_of_entry(Block const& block, std::int32_t const* offsets, std::int64_t rows,
                                     std::int32_t entry) {
    int const lane = block.thread() % warp_lanes;
    std::int64_t low = 0, high = rows; // offsets[low] <= entry < offsets[high]
    while (high - low > 1) {
        std::int64_t const step = (high - low - 1 + warp_lanes - 1) / warp_lanes, probe = low + 1 + lane * step;
        int const below = count_lanes(block.ballot(probe < high && offsets[probe] <= entry));
        high = low + 1 + below * step < high ? low + 1 + below * step : high;
        low = below > 0 ? low + 1 + (below - 1) * step : low;
    }
    return std::int32_t(low);
}

/// Sums of the products of some entries.
template <class T, int Count>
struct feature_sums {
    using pack = feature_pack<T, Count>;
    T sum[Count] = {};

    COPPICE_HD void take(std::int32_t, T value, pack const& x) {
        for (int c = 0; c < Count; ++c) sum[c] += value * x.element[c];
    }
    COPPICE_HD void end(std::int32_t) {}
    template <class Block>
    COPPICE_HD void merge_lane(Block const& block, int lane) {
        for (int c = 0; c < Count; ++c) sum[c] += block.from_lane(sum[c], lane);
    }
    COPPICE_HD void take_stored(pack const& stored, feature_pack<std::int32_t, Count> const&) {
        for (int c = 0; c < Count; ++c) sum[c] += stored.element[c];
    }
    COPPICE_HD pack result() const {
        pack p;
        for (int c = 0; c < Count; ++c) p.element[c] = sum[c];
        return p;
    }
    COPPICE_HD static constexpr bool has_positions() { return false; }
    COPPICE_HD feature_pack<std::int32_t, Count> positions() const { return {}; }
};

/// Largest products of some entries; of equal ones, that of the first entry. NaN is the largest.
template <class T, int Count>
struct feature_maxima {
    using pack = feature_pack<T, Count>;
    T best[Count];
    std::int32_t position[Count]; ///< -1: no entry, or all products are -infinity

    COPPICE_HD feature_maxima() {
        for (int c = 0; c < Count; ++c) best[c] = -std::numeric_limits<T>::infinity(), position[c] = -1;
    }
    /// Entries come in ascending order.
    COPPICE_HD void take(std::int32_t k, T value, pack const& x) {
        for (int c = 0; c < Count; ++c) {
            T const product = value * x.element[c];
            bool const better = !(product <= best[c]) && best[c] == best[c];
            best[c] = better ? product : best[c];
            position[c] = better ? k : position[c];
        }
    }
    /// `k`: the first of the entries that were taken. Products that are all -infinity are those of this entry.
    COPPICE_HD void end(std::int32_t k) {
        for (int c = 0; c < Count; ++c) position[c] = position[c] < 0 ? k : position[c];
    }
    template <class Block>
    COPPICE_HD void merge_lane(Block const& block, int lane) {
        for (int c = 0; c < Count; ++c) {
            T const other = block.from_lane(best[c], lane);
            merge(c, other, block.from_lane(position[c], lane));
        }
    }
    COPPICE_HD void take_stored(pack const& stored, feature_pack<std::int32_t, Count> const& at) {
        for (int c = 0; c < Count; ++c) merge(c, stored.element[c], at.element[c]);
    }
    COPPICE_HD pack result() const {
        pack p;
        for (int c = 0; c < Count; ++c) p.element[c] = position[c] < 0 ? T(0) : best[c];
        return p;
    }
    COPPICE_HD static constexpr bool has_positions() { return true; }
    COPPICE_HD feature_pack<std::int32_t, Count> positions() const {
        feature_pack<std::int32_t, Count> p;
        for (int c = 0; c < Count; ++c) p.element[c] = position[c];
        return p;
    }

private:
    COPPICE_HD void merge(int c, T product, std::int32_t k) {
        bool const nan = product != product, has_nan = best[c] != best[c];
        bool const first = k < position[c];
        bool const better = nan ? !has_nan || first : !has_nan && (product > best[c] || (product == best[c] && first));
        if (k < 0 || (position[c] >= 0 && !better)) return;
        best[c] = product;
        position[c] = k;
    }
};

/// The arguments of a reduction, and how a warp computes them. Sign: 1, or -1 for min as the largest of the
/// negated products.
template <class T, int Count, bool Aligned, bool Chosen>
struct feature_rows {
    using pack = feature_pack<T, Count>;
    csr_view<T> a;
    T const* x;
    std::int64_t width;
    T sign;
    chosen_entries among; ///< read if Chosen
    lane_groups groups;
    T* stored;                     ///< of the pieces of long rows: [2 * pieces, elements of a group]
    std::int32_t* stored_position; ///< the same, for maxima
    std::int64_t begin = 0;        ///< of the elements that are computed: one pack for each lane of a group

    COPPICE_HD std::int64_t offset_of(std::int64_t slot, std::int64_t c) const {
        return slot * (groups.across() * Count) + c - begin;
    }
    COPPICE_HD bool is_long(std::int32_t row) const { return a.offsets[row + 1] - a.offsets[row] > longest_whole_row; }
    /// Adds the entries from, from + step, ... before `end` for the elements from `c`.
    template <class State>
    COPPICE_HD void add(State& state, std::int64_t c, std::uint32_t from, std::uint32_t end, int step) const {
        constexpr int together = 4; // independent loads
        std::int32_t column[together];
        T value[together];
        auto const entry_of = [&](std::uint32_t k, int u) { return k + std::uint32_t(u * step); }; // may pass 2^31
        auto const read_entries = [&](std::uint32_t k) {
            for (int u = 0; u < together; ++u) {
                std::uint32_t const entry = entry_of(k, u);
                column[u] = entry < end ? a.indices[entry] : -1;
                value[u] = entry < end ? sign * a.coefficients[entry] : T(0);
            }
        };
        read_entries(from);
        for (std::uint32_t k = from; k < end; k += std::uint32_t(together * step)) {
            pack of_x[together];
            feature_pack<std::int32_t, Count> chosen[together];
            T factor[together];
            bool present[together];
            for (int u = 0; u < together; ++u) {
                present[u] = column[u] >= 0;
                factor[u] = value[u];
                if (!present[u]) continue;
                std::int64_t const in = std::int64_t(column[u]) * width + c;
                load_pack<Aligned>(x + in, of_x[u]);
                if constexpr (Chosen) load_pack<Aligned>(among.chosen + in, chosen[u]);
            }
            read_entries(k + std::uint32_t(together * step)); // while the features arrive
            for (int u = 0; u < together; ++u) {
                if (!present[u]) continue;
                auto const entry = std::int32_t(entry_of(k, u));
                if constexpr (Chosen) {
                    std::int32_t const number = among.numbers ? among.numbers[entry] : entry;
                    for (int e = 0; e < Count; ++e)
                        if (chosen[u].element[e] == number) state.sum[e] += factor[u] * of_x[u].element[e];
                } else {
                    state.take(entry, factor[u], of_x[u]);
                }
            }
        }
        if (from < end) state.end(std::int32_t(from));
    }
    template <class State>
    COPPICE_HD void store(State const& state, std::int64_t slot, std::int64_t c) const {
        store_pack<true>(state.result(), stored + offset_of(slot, c));
        if (State::has_positions()) store_pack<true>(state.positions(), stored_position + offset_of(slot, c));
    }
    /// Adds the stored pieces of a long row: of `along` lanes, that with number `first`.
    template <class State>
    COPPICE_HD void add_pieces(State& state, std::int64_t c, std::int32_t row_begin, std::int32_t end,
                               int first) const {
        std::int64_t const last = (end - 1) / piece_entries;
        for (std::int64_t p = row_begin / piece_entries + first; p <= last; p += groups.along()) {
            std::int64_t const offset = offset_of(2 * p + (row_begin > p * piece_entries), c);
            pack result;
            feature_pack<std::int32_t, Count> positions{};
            load_pack<true>(stored + offset, result);
            if (State::has_positions()) load_pack<true>(stored_position + offset, positions);
            state.take_stored(result, positions);
        }
    }
};

/// Reduces the entries of long rows with numbers in [p * piece_entries, (p + 1) * piece_entries).
template <class T, int Count, bool Aligned, bool Chosen, class State>
struct reduce_pieces {
    static constexpr int warp_bytes = 16;
    feature_rows<T, Count, Aligned, Chosen> rows;

    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t piece, std::byte*) const {
        auto const& a = rows.a;
        auto const first = std::int32_t(piece * piece_entries);
        std::int32_t const end = a.nonzeros() - first < piece_entries ? a.nonzeros() : first + piece_entries;
        std::int32_t const at_first = row_of_entry(block, a.offsets, a.rows(), first);
        std::int32_t const at_last = row_of_entry(block, a.offsets, a.rows(), end - 1);
        reduce(block, at_first, first, end, piece);
        if (at_last != at_first) reduce(block, at_last, first, end, piece);
    }

private:
    template <class Block>
    COPPICE_HD void reduce(Block const& block, std::int32_t row, std::int32_t first, std::int32_t end,
                           std::int64_t piece) const {
        if (!rows.is_long(row)) return;
        std::int32_t const row_begin = rows.a.offsets[row], row_end = rows.a.offsets[row + 1];
        int const lane = block.thread() % warp_lanes, across = rows.groups.across();
        std::int64_t const c = rows.begin + (lane & (across - 1)) * Count;
        State state;
        if (c < rows.width)
            rows.add(state, c,
                     std::uint32_t(row_begin > first ? row_begin : first) +
                         std::uint32_t(lane >> rows.groups.across_bits),
                     std::uint32_t(row_end < end ? row_end : end), warp_lanes >> rows.groups.across_bits);
        for (int distance = across; distance < warp_lanes; distance *= 2) state.merge_lane(block, lane ^ distance);
        if (lane < across && c < rows.width) rows.store(state, 2 * piece + (row_begin > first), c);
    }
};

/// Computes as many rows of y as the warp has groups, those of long rows from their pieces.
template <class T, int Count, bool Aligned, bool Chosen, class State>
struct reduce_whole_rows {
    static constexpr int warp_bytes = 16;
    feature_rows<T, Count, Aligned, Chosen> rows;
    bool mean;
    T* y;
    std::int32_t* from; ///< may be null

    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t item, std::byte*) const {
        auto const& a = rows.a;
        auto const& groups = rows.groups;
        int const lane = block.thread() % warp_lanes, bits = groups.bits();
        int const in_group = lane & ((1 << bits) - 1);
        std::int64_t const row = item * (warp_lanes >> bits) + (lane >> bits);
        std::int64_t const c = rows.begin + (lane & (groups.across() - 1)) * Count;
        bool const computes = row < a.rows() && c < rows.width;
        std::int32_t first = 0, end = 0;
        State state;
        if (computes) {
            first = a.offsets[row], end = a.offsets[row + 1];
            int const own = in_group >> groups.across_bits;
            if (end - first > longest_whole_row)
                rows.add_pieces(state, c, first, end, own);
            else
                rows.add(state, c, std::uint32_t(first) + std::uint32_t(own), std::uint32_t(end), groups.along());
        }
        for (int distance = groups.across(); distance < 1 << bits; distance *= 2)
            state.merge_lane(block, lane ^ distance);
        if (!computes || in_group >= groups.across()) return;
        auto result = state.result();
        for (int e = 0; e < Count; ++e) {
            T const value = result.element[e];
            result.element[e] = end <= first ? T(0) : mean ? value / T(end - first) : rows.sign * value;
        }
        store_pack<Aligned>(result, y + row * rows.width + c);
        if (from) store_pack<Aligned>(state.positions(), from + row * rows.width + c);
    }
};

/// sample_products by warps: item i computes the values of 32 entries.
template <class T, int Count, bool Aligned>
struct sample_by_warps {
    static constexpr int warp_bytes = 16;
    using pack = feature_pack<T, Count>;
    csr_view<T> a;
    T const *u, *v;
    std::int64_t width;
    T* values;
    std::int32_t const* chosen; ///< may be null
    int across_bits;            ///< 1 << across_bits lanes share an entry

    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t item, std::byte*) const {
        int const lane = block.thread() % warp_lanes, across = 1 << across_bits, along = warp_lanes >> across_bits;
        auto const first = std::int32_t(item * warp_lanes);
        int const count = a.nonzeros() - first < warp_lanes ? a.nonzeros() - first : warp_lanes;
        std::int32_t low = row_of_entry(block, a.offsets, a.rows(), first);
        std::int32_t high = row_of_entry(block, a.offsets, a.rows(), first + count - 1) + 1;
        std::int32_t column = 0;
        if (lane < count) {
            while (high - low > 1) { // offsets[low] <= first + lane < offsets[high]
                std::int32_t const middle = low + (high - low) / 2;
                (a.offsets[middle] <= first + lane ? low : high) = middle;
            }
            column = a.indices[first + lane];
        }
        constexpr int together = Count > 1 ? 2 : 4; // entries of a group that are read at the same time
        T own = 0;
        for (int round = 0; round < across; round += together) {
            std::int32_t row[together], j[together];
            T sum[together] = {};
            for (int e = 0; e < together; ++e) {
                int const at = ((round + e) * along + (lane >> across_bits)) % warp_lanes;
                row[e] = block.from_lane(low, at), j[e] = block.from_lane(column, at);
            }
            for (std::int64_t c = (lane & (across - 1)) * Count; c < width; c += across * Count)
                add_products<together>(sum, row, j, across - round, first + round * along + (lane >> across_bits),
                                       along, c);
            for (int e = 0; e < together; ++e) {
                for (int distance = 1; distance < across; distance *= 2)
                    sum[e] += block.from_lane(sum[e], lane ^ distance);
                T const result = block.from_lane(sum[e], (lane & (along - 1)) << across_bits);
                if (lane / along == round + e) own = result;
            }
        }
        if (lane < count) values[first + lane] = own;
    }

private:
    template <int Entries>
    COPPICE_HD void add_products(T (&sum)[Entries], std::int32_t const (&row)[Entries],
                                 std::int32_t const (&j)[Entries], int entries, std::int32_t entry, int step,
                                 std::int64_t c) const {
        pack left[Entries], right[Entries];
        for (int e = 0; e < Entries; ++e) {
            if (e >= entries) break;
            load_pack<Aligned>(u + row[e] * width + c, left[e]);
            load_pack<Aligned>(v + j[e] * width + c, right[e]);
        }
        for (int e = 0; e < Entries; ++e) {
            if (e >= entries) break;
            feature_pack<std::int32_t, Count> takes{};
            if (chosen) load_pack<Aligned>(chosen + row[e] * width + c, takes);
            for (int i = 0; i < Count; ++i)
                if (!chosen || takes.element[i] == entry + e * step) sum[e] += left[e].element[i] * right[e].element[i];
        }
    }
};

/// Calls work(Count, Aligned), as compile-time constants: packs of 16 bytes if they divide the width, and whether all
/// arrays are aligned as packs.
template <class T, class Work>
void with_pack(std::int64_t width, std::initializer_list<void const*> arrays, Work const& work) {
    constexpr int count = 16 / sizeof(T);
    bool const aligned = std::all_of(arrays.begin(), arrays.end(),
                                     [](void const* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; });
    if (width % count != 0)
        work(std::integral_constant<int, 1>{}, std::true_type{});
    else if (aligned)
        work(std::integral_constant<int, count>{}, std::true_type{});
    else
        work(std::integral_constant<int, count>{}, std::false_type{});
}

/// sparse_operations::reduce_features by for_each_warp of the executor.
template <class T, class Executor>
void reduce_by_warps(Executor const& exec, csr_view<T> a, T const* x, std::int64_t width, row_reduction how, T* y,
                     std::int32_t* from, chosen_entries among) {
    bool const adds = how == row_reduction::sum || how == row_reduction::mean;
    std::int64_t const entries = a.nonzeros(), rows = a.rows();
    std::int64_t const pieces = (entries + piece_entries - 1) / piece_entries;
    bool const has_long = entries > longest_whole_row; // it may have
    with_pack<T>(width, {x, y, from, among.chosen},
                 [&]<int Count, bool Aligned>(std::integral_constant<int, Count>, std::bool_constant<Aligned>) {
                     auto const groups = lane_groups::of(width / Count, entries / std::max<std::int64_t>(rows, 1));
                     std::int64_t const together = groups.across() * Count, in_warp = warp_lanes >> groups.bits();
                     buffer<T> stored(exec, has_long ? 2 * pieces * together : 0);
                     buffer<std::int32_t> positions(exec, has_long && !adds ? 2 * pieces * together : 0);
                     auto const run = [&]<bool Chosen, class State>(std::bool_constant<Chosen>,
                                                                    std::type_identity<State>) {
                         feature_rows<T, Count, Aligned, Chosen> given{
                             a,     x,      width,         how == row_reduction::min ? T(-1) : T(1),
                             among, groups, stored.data(), positions.data()};
                         for (; given.begin < width; given.begin += together) {
                             if (has_long)
                                 for_each_warp(exec, pieces, reduce_pieces<T, Count, Aligned, Chosen, State>{given});
                             for_each_warp(exec, (rows + in_warp - 1) / in_warp,
                                           reduce_whole_rows<T, Count, Aligned, Chosen, State>{
                                               given, how == row_reduction::mean, y, from});
                         }
                     };
                     if (!adds)
                         run(std::false_type{}, std::type_identity<feature_maxima<T, Count>>{});
                     else if (among.chosen)
                         run(std::true_type{}, std::type_identity<feature_sums<T, Count>>{});
                     else
                         run(std::false_type{}, std::type_identity<feature_sums<T, Count>>{});
                 });
}

/// sparse_operations::sample_products by for_each_warp of the executor.
template <class T, class Executor>
void sample_in_warps(Executor const& exec, csr_view<T> a, T const* u, T const* v, std::int64_t width, T* values,
                     std::int32_t const* chosen) {
    std::int64_t const entries = a.nonzeros();
    with_pack<T>(width, {u, v, chosen},
                 [&]<int Count, bool Aligned>(std::integral_constant<int, Count>, std::bool_constant<Aligned>) {
                     for_each_warp(exec, (entries + warp_lanes - 1) / warp_lanes,
                                   sample_by_warps<T, Count, Aligned>{a, u, v, width, values, chosen,
                                                                      lane_groups::of(width / Count, 1).across_bits});
                 });
}

} // namespace coppice::python
