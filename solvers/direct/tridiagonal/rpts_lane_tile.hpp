// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tiles of RPTS on one core: one partition in each SIMD lane, transposed through a buffer that stays in the
/// first-level cache. Included by rpts_tiles.cpp, which is compiled for several instruction sets, so everything is in
/// an unnamed namespace.
#pragma once

#include <cstdint>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_tiles.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::rpts;

constexpr int length = host_partition;
constexpr int registers = 2; ///< of a pack: two dependent chains overlap; more registers would spill

/// As many partitions as a pack has lanes, stored row by row: bands[b][j] holds row j of all of them.
template <class T>
struct tile {
    using lanes = pack<T, register_bytes, registers>;
    static constexpr int width = lanes::width;

    alignas(64) lanes bands[4][length];

    partition_rows<lanes> rows() { return {bands[0], bands[1], bands[2], bands[3]}; }
    T& at(int band, int row, int lane) { return reinterpret_cast<T*>(&bands[band][row])[lane]; }

    /// Loads whole partitions, transposed in registers.
    [[gnu::noinline]] void load_band(int band, T const* from) {
        for (int r = 0; r < registers; ++r)
            for (int j = 0; j < length; j += width) {
                typename lanes::vector square[width];
#pragma GCC unroll 16
                for (int l = 0; l < width; ++l)
                    __builtin_memcpy(&square[l], from + (r * width + l) * length + j, sizeof(square[l]));
                transpose(square);
#pragma GCC unroll 16
                for (int i = 0; i < width; ++i) bands[band][j + i].v[r] = square[i];
            }
    }
    [[gnu::noinline]] void store_band(int band, T* to) const {
        for (int r = 0; r < registers; ++r)
            for (int j = 0; j < length; j += width) {
                typename lanes::vector square[width];
#pragma GCC unroll 16
                for (int i = 0; i < width; ++i) square[i] = bands[band][j + i].v[r];
                transpose(square);
#pragma GCC unroll 16
                for (int l = 0; l < width; ++l)
                    __builtin_memcpy(to + (r * width + l) * length + j, &square[l], sizeof(square[l]));
            }
    }
    /// Calls use(element of a band, its row in the tile) for all rows.
    template <class Use>
    COPPICE_ALWAYS_INLINE void for_each_row(int band, Use const& use) {
        for (int l = 0; l < lanes::size; ++l)
            for (int j = 0; j < length; ++j) use(at(band, j, l), std::int64_t(l) * length + j);
    }
    /// Rows after the end of the system become x = 0.
    void load_band_end(int band, T const* from, std::int64_t count, T padding) {
        for_each_row(band, [&](T& to, std::int64_t i) { to = i < count ? from[i] : padding; });
    }

    /// Loads the partitions from `partition` on; corner entries outside the matrix become zero.
    [[gnu::noinline]] void load(system_view<T> const& s, std::int64_t partition) {
        std::int64_t const row = partition * length, count = s.size - row;
        if (count > std::int64_t(length) * lanes::size) {
            load_band(0, s.lower + row);
            load_band(1, s.diagonal + row);
            load_band(2, s.upper + row);
            if (!s.order) load_band(3, s.rhs + row);
        } else {
            load_band_end(0, s.lower + row, count, T(0));
            load_band_end(1, s.diagonal + row, count, T(1));
            load_band_end(2, s.upper + row, s.after ? count : count - 1, T(0));
            if (!s.order) load_band_end(3, s.rhs + row, count, T(0));
        }
        if (s.order) for_each_row(3, [&](T& to, std::int64_t i) { to = i < count ? s.rhs[s.order[row + i]] : T(0); });
        if (partition == 0 && !s.before) at(0, 0, 0) = T(0);
    }
    [[gnu::noinline]] void store_solution(system_view<T> const& s, std::int64_t partition) {
        std::int64_t const row = partition * length, count = s.size - row;
        if (count >= std::int64_t(length) * lanes::size && !s.target) return store_band(3, s.x + row);
        for_each_row(3, [&](T const& value, std::int64_t i) {
            if (i < count) s.x[s.target_of(row + i)] = value;
        });
    }
};

/// Prefetches the memory of the next tile, a part in each step, while this tile computes: the hardware prefetcher does
/// not follow four short strided streams.
template <class T, int Bytes>
struct fetch_ahead {
    char const* bands[4];

    fetch_ahead(system_view<T> const& s, std::int64_t partition) {
        std::int64_t const row = partition * length < s.size ? partition * length : s.size;
        bands[0] = reinterpret_cast<char const*>(s.lower + row);
        bands[1] = reinterpret_cast<char const*>(s.diagonal + row);
        bands[2] = reinterpret_cast<char const*>(s.upper + row);
        bands[3] = reinterpret_cast<char const*>(s.rhs + row);
    }
    COPPICE_ALWAYS_INLINE void operator()(int j) const {
        for (char const* const band : bands)
            for (int line = 0; line < Bytes; line += 64) __builtin_prefetch(band + (j - 2) * Bytes + line);
    }
};

template <class T, class Lanes>
[[gnu::noinline]] void store_coarse(T* to, Lanes const& first, Lanes const& last, std::int64_t partitions) {
    T const* const even = reinterpret_cast<T const*>(&first);
    T const* const odd = reinterpret_cast<T const*>(&last);
    int const count = partitions < Lanes::size ? int(partitions) : Lanes::size;
    for (int l = 0; l < count; ++l) {
        to[2 * l] = even[l];
        to[2 * l + 1] = odd[l];
    }
}

/// The interface unknowns of the partitions from `partition` on; zero outside the system, or the neighbours of a
/// segment.
template <class Lanes, class T>
[[gnu::noinline]] interface_values<Lanes> load_interfaces(level<T> const& s, std::int64_t partition) {
    interface_values<Lanes> x;
    T* const before = reinterpret_cast<T*>(&x.before);
    T* const first = reinterpret_cast<T*>(&x.first);
    T* const last = reinterpret_cast<T*>(&x.last);
    T* const after = reinterpret_cast<T*>(&x.after);
    std::int64_t const size = 2 * s.partitions;
    T const* const coarse = s.coarse.rhs;
    if (partition > 0 && 2 * (partition + Lanes::size) < size) {
        T const* const from = coarse + 2 * partition;
        for (int l = 0; l < Lanes::size; ++l) {
            before[l] = from[2 * l - 1];
            first[l] = from[2 * l];
            last[l] = from[2 * l + 1];
            after[l] = from[2 * l + 2];
        }
        return x;
    }
    T const outside[] = {s.fine.before ? *s.fine.before : T(0), s.fine.after ? *s.fine.after : T(0)};
    for (int l = 0; l < Lanes::size; ++l) {
        std::int64_t const i = 2 * (partition + l);
        before[l] = i == 0 ? outside[0] : i <= size ? coarse[i - 1] : T(0);
        first[l] = i < size ? coarse[i] : T(0);
        last[l] = i + 1 < size ? coarse[i + 1] : T(0);
        after[l] = i + 2 < size ? coarse[i + 2] : i + 2 == size ? outside[1] : T(0);
    }
    return x;
}

// Pairs of partitions of a tile on one core that are split in another way than in the middle, because a partition is
// nearly singular inside (rpts_boundaries.hpp).

constexpr auto in_place = [](int i) COPPICE_INLINE_LAMBDA { return i; }; ///< row i of a pair

/// The rows of two neighbouring lanes of a tile, for pairs that are split in another way; these are solved separately.
template <class T>
struct lane_pair {
    T bands[4][2 * length];

    COPPICE_ALWAYS_INLINE lane_pair(tile<T>& t, int lane) {
        for (int b = 0; b < 4; ++b)
            for (int j = 0; j < 2 * length; ++j) bands[b][j] = t.at(b, j % length, lane + j / length);
    }
    COPPICE_ALWAYS_INLINE partition_rows<T> rows() { return {bands[0], bands[1], bands[2], bands[3]}; }
};

/// The coarse rows of a pair with another split, and bits that flag small multipliers, which the substitution reads.
template <class T>
struct split_pair {
    coarse_row<T> rows[4];
    unsigned small = 0;
};
/// Number of the first split of a pair whose partitions have at least this relative multiplier; -1 if there is none.
template <pivoting P, class T>
[[gnu::noinline]] int find_split(lane_pair<T>& pair, T const& threshold, T const& min_relative, split_pair<T>& found) {
    for (int number = 0; number < pair_split::numbers; ++number) {
        pair_split const split{number};
        found.small = 0;
        bool good = true;
        for (int k = 0; good && k < split.partitions(); ++k) {
            pair_partition const piece = split.partition(k, 2 * length);
            auto const [up, down] = both_sweeps_in_pair<P>(pair.rows(), piece, threshold, in_place);
            good = up.relative >= min_relative || down.relative >= min_relative;
            found.rows[piece.coarse] = up.row, found.rows[piece.coarse + 1] = down.row;
            found.small |= small_multipliers(boundary_multipliers<T>{up.multiplier, down.multiplier}, piece.coarse);
            for (int j = 0; j < 4 && split.partitions() == 1; ++j)
                if (j < piece.coarse || j > piece.coarse + 1)
                    found.rows[j] = single_row<P>(pair.rows(), piece, j, in_place);
        }
        if (good) return number;
    }
    return -1;
}

/// After the reduction of a tile with these multipliers: chooses another split for pairs with a small multiplier, and
/// writes their coarse rows. Returns false if a pair has no split with multipliers of min_multiplier_host.
template <pivoting P, class T>
[[gnu::noinline]] bool resplit_pairs(level<T> const& s, std::int64_t partition, std::int64_t last, tile<T>& t,
                                     boundary_multipliers<typename tile<T>::lanes> const& multipliers) {
    auto const* const first = reinterpret_cast<T const*>(&multipliers.first);
    auto const* const final = reinterpret_cast<T const*>(&multipliers.last);
    auto const of_lane = [&](int l) COPPICE_INLINE_LAMBDA { return boundary_multipliers<T>{first[l], final[l]}; };
    bool all_good = P != pivoting::none;
    for (int l = 0; l + 1 < tile<T>::lanes::size && partition + l + 1 < last; l += 2) {
        unsigned of_pair = small_multipliers(of_lane(l), 0) | small_multipliers(of_lane(l + 1), 2);
        int number = 0;
        bool const small =
            of_lane(l).larger_one() < T(watched_multiplier) || of_lane(l + 1).larger_one() < T(watched_multiplier);
        if (small && P != pivoting::none) {
            lane_pair<T> pair(t, l);
            split_pair<T> found;
            int split = find_split<P>(pair, s.threshold, T(min_multiplier_host), found);
            all_good = all_good && split >= 0;
            if (split < 0) split = find_split<P>(pair, s.threshold, T(min_multiplier), found);
            if (split >= 0) { // also for the first split: the pack rounds differently and has found a small multiplier
                number = split;
                of_pair = found.small;
                for (int k = 0; k < 4; ++k) s.coarse.put(2 * (partition + l) + k, found.rows[k]);
            }
        }
        s.pair_records[(partition + l) / 2] = pair_record(number, of_pair).stored();
    }
    return all_good;
}

/// The pair records of a tile, written by the reduction.
template <pivoting P, class T>
class recorded_pairs {
public:
    boundary_multipliers<typename tile<T>::lanes> multipliers; ///< of pairs that are split in the middle

    [[gnu::noinline]] recorded_pairs(level<T> const& s, std::int64_t partition, std::int64_t last) {
        constexpr int pairs = tile<T>::lanes::size / 2;
        std::int8_t records[pairs] = {};
        std::int64_t const left = (last - partition) / 2;
        if (left >= pairs)
            __builtin_memcpy(records, s.pair_records + partition / 2, pairs);
        else
            __builtin_memcpy(records, s.pair_records + partition / 2, std::size_t(left));
        auto* const first = reinterpret_cast<T*>(&multipliers.first);
        auto* const final = reinterpret_cast<T*>(&multipliers.last);
        for (int k = 0; k < pairs; ++k) {
            pair_record const record(records[k]);
            shifted_ |= std::uint32_t(record.split().number != 0) << 2 * k;
            for (int j = 0; j < 2; ++j) {
                auto const of_lane = record.template multipliers<T>(2 * j);
                first[2 * k + j] = of_lane.first, final[2 * k + j] = of_lane.last;
            }
        }
    }
    COPPICE_ALWAYS_INLINE bool any_shifted() const { return shifted_ != 0; }
    /// Solves the pairs with another split. Their rows in the tile remain as they are.
    template <class Lanes>
    [[gnu::noinline]] void solve_shifted(level<T> const& s, std::int64_t partition, tile<T>& t,
                                         interface_values<Lanes> const& x, T (*solutions)[2 * length]) const {
        auto const of_lane = [](auto const& pack, int lane)
                                 COPPICE_INLINE_LAMBDA { return reinterpret_cast<T const*>(&pack)[lane]; };
        for (int l = 0; l < tile<T>::lanes::size; l += 2) {
            if ((shifted_ >> l & 1) == 0) continue;
            lane_pair<T> pair(t, l);
            pair_record const record(s.pair_records[(partition + l) / 2]);
            T const coarse[] = {of_lane(x.before, l),    of_lane(x.first, l),    of_lane(x.last, l),
                                of_lane(x.first, l + 1), of_lane(x.last, l + 1), of_lane(x.after, l + 1)};
            auto const split = record.split();
            for (int k = 0; k < split.partitions(); ++k) {
                pair_partition const piece = split.partition(k, 2 * length);
                substitute_partition<P>(pair.rows().from(piece.first), piece.length,
                                        piece.around([&](int i) COPPICE_INLINE_LAMBDA { return coarse[1 + i]; }),
                                        s.threshold, record.template multipliers<T>(piece.coarse));
            }
            pair.bands[3][0] = coarse[1], pair.bands[3][2 * length - 1] = coarse[4]; // also of single rows
            for (int j = 0; j < 2 * length; ++j) solutions[l / 2][j] = pair.bands[3][j];
        }
    }
    /// Replaces the solutions of these pairs in the tile.
    void put_shifted(tile<T>& t, T const (*solutions)[2 * length]) const {
        for (int l = 0; l < tile<T>::lanes::size; l += 2)
            for (int j = 0; j < 2 * length && (shifted_ >> l & 1) != 0; ++j)
                t.at(3, j % length, l + j / length) = solutions[l / 2][j];
    }

private:
    static_assert(tile<T>::lanes::size <= 32 && tile<T>::lanes::size % 2 == 0);
    std::uint32_t shifted_ = 0;
};

} // namespace

} // namespace coppice::inline v0_1::COPPICE_ISA
