// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pairs of partitions of a tile on one core that are split in another way than in the middle, because a partition is
/// nearly singular inside (rpts_boundaries.hpp). Included by rpts_tiles.cpp, which is compiled for several instruction
/// sets, so everything is in an unnamed namespace.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_two_sided.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_lane_tile.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

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
