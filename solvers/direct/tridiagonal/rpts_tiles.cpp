// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on one core: a partition per SIMD lane, tiles transposed through a buffer that stays in the first-level
/// cache, as the CUDA kernels stage theirs through shared memory. Compiled once per instruction set.
#include <coppice/solvers/direct/tridiagonal/rpts_tiles.hpp>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_two_sided.hpp>

namespace coppice::COPPICE_ISA {
namespace {

using namespace coppice::rpts;

constexpr int length = host_partition;
constexpr int registers = 2; // of a pack: the chains of two overlap; more would spill

// As many partitions as a pack has lanes, row by row: bands[b][j] holds row j of all of them.
template <class T>
struct tile {
    using lanes = pack<T, register_bytes, registers>;
    static constexpr int width = lanes::width;

    alignas(64) lanes bands[4][length];

    partition_rows<lanes> rows() { return {bands[0], bands[1], bands[2], bands[3]}; }
    T& at(int band, int row, int lane) { return reinterpret_cast<T*>(&bands[band][row])[lane]; }

    // Whole partitions, transposed in registers.
    void load_band(int band, T const* from) {
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
    void store_band(int band, T* to) const {
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
    // Rows behind the end of the system read x = 0.
    void load_band_end(int band, T const* from, std::int64_t count, T filling) {
        for (int l = 0; l < lanes::size; ++l)
            for (int j = 0; j < length; ++j) {
                std::int64_t const i = std::int64_t(l) * length + j;
                at(band, j, l) = i < count ? from[i] : filling;
            }
    }

    // The right-hand sides of a system in another order, from row `row` on; the rest becomes zero.
    void gather_sides(system_view<T> const& s, std::int64_t row, std::int64_t count) {
        for (int l = 0; l < lanes::size; ++l)
            for (int j = 0; j < length; ++j) {
                std::int64_t const i = std::int64_t(l) * length + j;
                at(3, j, l) = i < count ? s.rhs[s.order[row + i]] : T(0);
            }
    }
    void scatter_solution(system_view<T> const& s, std::int64_t row, std::int64_t count) {
        for (int l = 0; l < lanes::size; ++l)
            for (int j = 0; j < length && std::int64_t(l) * length + j < count; ++j)
                s.x[s.target[row + std::int64_t(l) * length + j]] = at(3, j, l);
    }

    // The partitions from `partition` on; corner entries outside the matrix become zero.
    void load(system_view<T> const& s, std::int64_t partition) {
        std::int64_t const row = partition * length, count = s.size - row;
        if (count > std::int64_t(length) * lanes::size) {
            load_band(0, s.lower + row);
            load_band(1, s.diagonal + row);
            load_band(2, s.upper + row);
            if (!s.order) load_band(3, s.rhs + row);
        } else {
            load_band_end(0, s.lower + row, count, T(0));
            load_band_end(1, s.diagonal + row, count, T(1));
            load_band_end(2, s.upper + row, s.couples_behind() ? count : count - 1, T(0));
            if (!s.order) load_band_end(3, s.rhs + row, count, T(0));
        }
        if (s.order) gather_sides(s, row, count);
        if (partition == 0 && !s.couples_before()) at(0, 0, 0) = T(0);
    }
    void store_solution(system_view<T> const& s, std::int64_t partition) {
        std::int64_t const row = partition * length, count = s.size - row;
        if (s.target) return scatter_solution(s, row, count);
        if (count >= std::int64_t(length) * lanes::size) {
            store_band(3, s.x + row);
            return;
        }
        for (int l = 0; l < lanes::size; ++l)
            for (int j = 0; j < length && std::int64_t(l) * length + j < count; ++j)
                s.x[row + std::int64_t(l) * length + j] = at(3, j, l);
    }
};

// Asks for the memory of the next tile step by step, so that it comes while this tile computes: the hardware sees four
// short strided walks and foresees too little.
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
void store_coarse(T* to, Lanes const& first, Lanes const& last, std::int64_t partitions) {
    T const* const even = reinterpret_cast<T const*>(&first);
    T const* const odd = reinterpret_cast<T const*>(&last);
    int const count = partitions < Lanes::size ? int(partitions) : Lanes::size;
    for (int l = 0; l < count; ++l) {
        to[2 * l] = even[l];
        to[2 * l + 1] = odd[l];
    }
}

// The interface unknowns of the partitions from `partition` on; zero outside the system, or what is beyond a stretch.
template <class Lanes, class T>
interface_values<Lanes> load_interfaces(stage<T> const& s, std::int64_t partition) {
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
    T const outside[] = {s.fine.before ? *s.fine.before : T(0), s.fine.behind ? *s.fine.behind : T(0)};
    for (int l = 0; l < Lanes::size; ++l) {
        std::int64_t const i = 2 * (partition + l);
        before[l] = i == 0 ? outside[0] : i <= size ? coarse[i - 1] : T(0);
        first[l] = i < size ? coarse[i] : T(0);
        last[l] = i + 1 < size ? coarse[i + 1] : T(0);
        after[l] = i + 2 < size ? coarse[i + 2] : i + 2 == size ? outside[1] : T(0);
    }
    return x;
}

constexpr auto in_place = [](int i) COPPICE_INLINE_LAMBDA { return i; }; // row i of a pair

// The rows of two neighbouring lanes of a tile, which are solved by themselves where they are cut anew.
template <class T>
struct lane_pair {
    T bands[4][2 * length];

    COPPICE_ALWAYS_INLINE lane_pair(tile<T>& t, int lane) {
        for (int b = 0; b < 4; ++b)
            for (int j = 0; j < 2 * length; ++j) bands[b][j] = t.at(b, j % length, lane + j / length);
    }
    COPPICE_ALWAYS_INLINE partition_rows<T> rows() { return {bands[0], bands[1], bands[2], bands[3]}; }
    // Whether `part` is not nearly singular inside.
    template <pivoting P>
    COPPICE_ALWAYS_INLINE bool is_good(pair_part const& part, T const& threshold) {
        auto const share = [&](bool downwards) COPPICE_INLINE_LAMBDA {
            return share_in_pair<P, T>(rows(), part, downwards, threshold, in_place);
        };
        return share(true) >= T(least_share) || share(false) >= T(least_share);
    }
    // Number of the first cut with which all partitions are good; -1 where there is none.
    template <pivoting P>
    COPPICE_ALWAYS_INLINE int find_cut(T const& threshold) {
        for (int number = 0; number < pair_cut::numbers; ++number) {
            pair_cut const cut{number};
            int k = 0;
            while (k < cut.parts() && is_good<P>(cut.part(k, 2 * length), threshold)) ++k;
            if (k == cut.parts()) return number;
        }
        return -1;
    }
};

// The coarse rows of a pair with this cut; the result is what its sweeps tell the substitution.
template <pivoting P, class T>
COPPICE_ALWAYS_INLINE unsigned cut_anew(lane_pair<T>& pair, pair_cut const& cut, T const& threshold,
                                        coarse_row<T> (&coarse)[4]) {
    unsigned small = 0;
    for (int k = 0; k < 4; ++k) {
        pair_part const part = cut.part(k / 2, 2 * length);
        if (k == part.coarse) {
            outer_shares<T> shares;
            coarse_row<T> first, last;
            reduce_both<P>(pair.rows().from(part.first), part.length, threshold, first, last, no_side_work{}, &shares);
            coarse[k] = upward_row(part, first), coarse[k + 1] = downward_row(part, last);
            small |= small_shares(shares, k);
        } else if (k != part.coarse + 1)
            coarse[k] = row_alone<P>(pair.rows(), part, k, in_place);
    }
    return small;
}

// After the reduction of a tile with these shares: cuts pairs anew where they are small, and writes their coarse rows.
// Returns false if no cut of a pair is good.
template <pivoting P, class T>
COPPICE_ALWAYS_INLINE bool settle_borders(stage<T> const& s, std::int64_t partition, std::int64_t last, tile<T>& t,
                                          outer_shares<typename tile<T>::lanes> const& shares) {
    auto const* const first = reinterpret_cast<T const*>(&shares.first);
    auto const* const final = reinterpret_cast<T const*>(&shares.last);
    auto const of_lane = [&](int l) COPPICE_INLINE_LAMBDA { return outer_shares<T>{first[l], final[l]}; };
    bool all_good = P != pivoting::none;
    for (int l = 0; l + 1 < tile<T>::lanes::size && partition + l + 1 < last; l += 2) {
        unsigned of_pair = small_shares(of_lane(l), 0) | small_shares(of_lane(l + 1), 2);
        int number = 0;
        bool const small = of_lane(l).larger_one() < T(watched_share) || of_lane(l + 1).larger_one() < T(watched_share);
        if (small && P != pivoting::none) {
            lane_pair<T> pair(t, l);
            int const found = pair.template find_cut<P>(s.threshold);
            all_good = all_good && found >= 0;
            if (found >= 0) { // with the first cut as well: packs round in another way, and found a small share
                number = found;
                coarse_row<T> rows[4];
                of_pair = cut_anew<P>(pair, pair_cut{number}, s.threshold, rows);
                for (int k = 0; k < 4; ++k) {
                    std::int64_t const to = 2 * (partition + l) + k;
                    s.coarse.lower[to] = rows[k].lower;
                    s.coarse.diagonal[to] = rows[k].diagonal;
                    s.coarse.upper[to] = rows[k].upper;
                    s.coarse.rhs[to] = rows[k].rhs;
                }
            }
        }
        s.borders[(partition + l) / 2] = pair_note(number, of_pair).stored();
    }
    return all_good;
}

// What the reduction has noted of the pairs of a tile.
template <pivoting P, class T>
class noted_pairs {
public:
    outer_shares<typename tile<T>::lanes> shares; ///< of pairs that are cut in their middle

    COPPICE_ALWAYS_INLINE noted_pairs(stage<T> const& s, std::int64_t partition, std::int64_t last) {
        constexpr int pairs = tile<T>::lanes::size / 2;
        std::int8_t notes[pairs] = {};
        std::int64_t const left = (last - partition) / 2;
        if (left >= pairs)
            __builtin_memcpy(notes, s.borders + partition / 2, pairs);
        else
            __builtin_memcpy(notes, s.borders + partition / 2, std::size_t(left));
        auto* const first = reinterpret_cast<T*>(&shares.first);
        auto* const final = reinterpret_cast<T*>(&shares.last);
        for (int k = 0; k < pairs; ++k) {
            pair_note const note(notes[k]);
            moved_ |= std::uint32_t(note.cut().number != 0) << 2 * k;
            for (int j = 0; j < 2; ++j) {
                auto const of_lane = note.template shares<T>(2 * j);
                first[2 * k + j] = of_lane.first, final[2 * k + j] = of_lane.last;
            }
        }
    }
    COPPICE_ALWAYS_INLINE bool any_moved() const { return moved_ != 0; }
    // Instead of substitute_partition for all lanes of the tile.
    COPPICE_ALWAYS_INLINE void substitute(stage<T> const& s, std::int64_t partition, tile<T>& t,
                                          interface_values<typename tile<T>::lanes> const& x,
                                          typename tile<T>::lanes const& threshold) const {
        T solutions[tile<T>::lanes::size / 2][2 * length];
        auto const of_lane = [](auto const& pack, int lane)
                                 COPPICE_INLINE_LAMBDA { return reinterpret_cast<T const*>(&pack)[lane]; };
        for (int l = 0; l < tile<T>::lanes::size; l += 2) {
            if ((moved_ >> l & 1) == 0) continue;
            lane_pair<T> pair(t, l);
            pair_note const note(s.borders[(partition + l) / 2]);
            T const coarse[] = {of_lane(x.before, l),    of_lane(x.first, l),    of_lane(x.last, l),
                                of_lane(x.first, l + 1), of_lane(x.last, l + 1), of_lane(x.after, l + 1)};
            auto const cut = note.cut();
            for (int k = 0; k < cut.parts(); ++k) {
                pair_part const part = cut.part(k, 2 * length);
                substitute_partition<P>(pair.rows().from(part.first), part.length,
                                        part.around([&](int i) COPPICE_INLINE_LAMBDA { return coarse[1 + i]; }),
                                        s.threshold, note.template shares<T>(part.coarse));
            }
            pair.bands[3][0] = coarse[1], pair.bands[3][2 * length - 1] = coarse[4]; // also of rows alone
            for (int j = 0; j < 2 * length; ++j) solutions[l / 2][j] = pair.bands[3][j];
        }
        substitute_partition<P>(t.rows(), length, x, threshold, shares);
        for (int l = 0; l < tile<T>::lanes::size; l += 2)
            for (int j = 0; j < 2 * length && (moved_ >> l & 1) != 0; ++j)
                t.at(3, j % length, l + j / length) = solutions[l / 2][j];
    }

private:
    static_assert(tile<T>::lanes::size <= 32 && tile<T>::lanes::size % 2 == 0);
    std::uint32_t moved_ = 0;
};

// Is no element of all lanes below the smallest normal number?
template <class Lanes>
COPPICE_ALWAYS_INLINE bool is_normal(Lanes const& x) {
    using T = typename Lanes::value_type;
    auto const* const of_lane = reinterpret_cast<T const*>(&x);
    bool normal = true;
    for (int l = 0; l < Lanes::size; ++l) normal &= of_lane[l] >= std::numeric_limits<T>::min();
    return normal;
}
// Is x finite in all lanes? x - x is 0 then, NaN else.
template <class Lanes>
COPPICE_ALWAYS_INLINE bool is_finite(Lanes const& x) {
    Lanes const none = x - x;
    auto const* const difference = reinterpret_cast<typename Lanes::value_type const*>(&none);
    typename Lanes::value_type sum(0);
    for (int l = 0; l < Lanes::size; ++l) sum += difference[l];
    return sum == 0;
}
// Is the solution of a tile finite? Each substitution goes from the middle of a partition to its ends, in each step
// x = reciprocal (rhs - next x1 - after x2): once x is not finite, no later one is. So the unknowns at the ends tell,
// unless partitions are cut anew.
template <class T>
COPPICE_ALWAYS_INLINE bool is_solved(tile<T>& t, bool cut_anew) {
    auto const* const x = t.bands[3];
    auto sum = (x[0] - x[0]) + (x[1] - x[1]) + (x[length - 2] - x[length - 2]) + (x[length - 1] - x[length - 1]);
    for (int j = 2; cut_anew && j < length - 2; ++j) sum = sum + (x[j] - x[j]);
    return is_finite(sum);
}

// `count` lanes from memory; the others get `filling`.
template <class Lanes, class T>
Lanes load_lanes(T const* from, int count, T filling) {
    Lanes value(filling);
    if (count >= Lanes::size)
        __builtin_memcpy(&value, from, sizeof(value));
    else
        __builtin_memcpy(&value, from, std::size_t(count) * sizeof(T));
    return value;
}

// A system in each lane, eliminated with exchanges of its rows; the slots of the pivot rows are in `memory`. Returns
// whether x is finite: the first unknown, the last that is substituted, tells.
template <pivoting P, class T>
bool solve_lanes(system_view<T> const& s, T threshold, std::int64_t first, int count, T* memory) {
    using lanes = typename tile<T>::lanes;
    lanes* const slots = reinterpret_cast<lanes*>(memory);
    partition_rows<lanes> const rows{slots, slots + s.size, slots + 2 * s.size, slots + 3 * s.size};
    int const n = int(s.size);
    auto const row = [&](int j) COPPICE_INLINE_LAMBDA {
        std::int64_t const at = j * s.systems + first;
        lanes const lower = j > 0 ? load_lanes<lanes>(s.lower + at, count, T(0)) : lanes(T(0));
        lanes const upper = j + 1 < n ? load_lanes<lanes>(s.upper + at, count, T(0)) : lanes(T(0));
        return scaled<P>(lower, load_lanes<lanes>(s.diagonal + at, count, T(1)), upper,
                         load_lanes<lanes>(s.rhs + at, count, T(0)));
    };
    auto const begin = row(0);
    open_row<lanes> p{begin.diagonal, begin.upper, begin.rhs};
    for (int j = 1; j < n; ++j) p = eliminate_row<P>(rows, j, row(j), p, lanes(threshold));
    lanes const x = p.rhs * safe_reciprocal(p.entry);
    rows.rhs[n - 1] = x;
    substitute_upwards<1>(rows, 0, n - 2, x, lanes(T(0)));
    for (int j = 0; j < n; ++j)
        __builtin_memcpy(s.x + j * s.systems + first, &rows.rhs[j], std::size_t(count) * sizeof(T));
    return is_finite(rows.rhs[0]);
}

// One system from its first row to its last; `memory` holds 4 size elements.
template <pivoting P, class T>
void solve_downwards(system_view<T> const& s, T threshold, T* memory) {
    std::int64_t const n = s.size;
    partition_rows<T> const rows{memory, memory + n, memory + 2 * n, memory + 3 * n};
    for (std::int64_t i = 0; i < n; ++i) {
        rows.lower[i] = i > 0 ? s.lower[i] : T(0);
        rows.diagonal[i] = s.diagonal[i];
        rows.upper[i] = i + 1 < n ? s.upper[i] : T(0);
        rows.rhs[i] = s.rhs[s.place_of(i)];
    }
    solve_directly<P>(rows, int(n), threshold);
    for (std::int64_t i = 0; i < n; ++i) s.x[s.target_of(i)] = rows.rhs[i];
}

} // namespace

template <class T>
bool rpts_interleaved(system_view<T> const& s, pivoting pivot, T threshold, std::int64_t first, std::int64_t last,
                      T* memory) {
    constexpr int size = tile<T>::lanes::size;
    static_assert(size <= rpts::most_lanes<T>);
    bool finite = true;
    rpts::with_pivoting(pivot, [&](auto p) {
        for (std::int64_t k = first; k < last; k += size)
            finite &= solve_lanes<decltype(p)::value>(s, threshold, k, last - k < size ? int(last - k) : size, memory);
    });
    return finite;
}

template <class T>
bool rpts_small(system_view<T> const& s, pivoting pivot, T threshold) {
    using lanes = pack<T, 16, 1>;
    lanes memory[4][(host_last + 1) / 2];
    rpts::with_pivoting(pivot, [&](auto p) {
        constexpr pivoting P = decltype(p)::value;
        // Which entries are eliminated, and so may count as zero, depends on the direction: downwards.
        if (threshold > T(0)) return solve_downwards<P>(s, threshold, reinterpret_cast<T*>(memory));
        solve_from_ends<P>(s, partition_rows<lanes>{memory[0], memory[1], memory[2], memory[3]});
    });
    // The unknowns at the ends, the last that are substituted, are not finite if any is not.
    T const first = s.x[s.target_of(0)], last = s.x[s.target_of(s.size - 1)];
    return (first - first) + (last - last) == T(0);
}

template <pivoting P, class T>
bool rpts_reduce(stage<T> const& s, std::int64_t first, std::int64_t last) {
    tile<T> t;
    using lanes = typename decltype(t)::lanes;
    lanes const threshold(s.threshold);
    bool all_good = true;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        t.load(s.fine, p);
        coarse_row<lanes> up, down;
        outer_shares<lanes> shares;
        lanes least_pivot;
        reduce_both<P>(t.rows(), length, threshold, up, down, fetch_ahead<T, sizeof(lanes)>(s.fine, p + lanes::size),
                       &shares, &least_pivot);
        store_coarse(s.coarse.lower + 2 * p, up.lower, down.lower, last - p);
        store_coarse(s.coarse.diagonal + 2 * p, up.diagonal, down.diagonal, last - p);
        store_coarse(s.coarse.upper + 2 * p, up.upper, down.upper, last - p);
        store_coarse(s.coarse.rhs + 2 * p, up.rhs, down.rhs, last - p);
        all_good &= settle_borders<P>(s, p, last, t, shares);
        all_good &= is_normal(least_pivot);
    }
    return all_good;
}

template <pivoting P, class T>
bool rpts_substitute(stage<T> const& s, std::int64_t first, std::int64_t last) {
    tile<T> t;
    using lanes = typename decltype(t)::lanes;
    lanes const threshold(s.threshold);
    bool finite = true;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        t.load(s.fine, p);
        noted_pairs<P, T> const noted(s, p, last);
        auto const x = load_interfaces<lanes>(s, p);
        if (noted.any_moved())
            noted.substitute(s, p, t, x, threshold);
        else
            substitute_partition<P>(t.rows(), length, x, threshold, noted.shares,
                                    fetch_ahead<T, sizeof(lanes)>(s.fine, p + lanes::size));
        finite &= is_solved(t, noted.any_moved());
        t.store_solution(s.fine, p);
    }
    return finite;
}

#define COPPICE_RPTS_STAGES(P)                                                                                         \
    template bool rpts_reduce<P>(stage<float> const&, std::int64_t, std::int64_t);                                     \
    template bool rpts_reduce<P>(stage<double> const&, std::int64_t, std::int64_t);                                    \
    template bool rpts_substitute<P>(stage<float> const&, std::int64_t, std::int64_t);                                 \
    template bool rpts_substitute<P>(stage<double> const&, std::int64_t, std::int64_t);
COPPICE_RPTS_STAGES(pivoting::none)
COPPICE_RPTS_STAGES(pivoting::partial)
COPPICE_RPTS_STAGES(pivoting::scaled_partial)
template bool rpts_interleaved(system_view<float> const&, pivoting, float, std::int64_t, std::int64_t, float*);
template bool rpts_interleaved(system_view<double> const&, pivoting, double, std::int64_t, std::int64_t, double*);
template bool rpts_small(system_view<float> const&, pivoting, float);
template bool rpts_small(system_view<double> const&, pivoting, double);

} // namespace coppice::COPPICE_ISA
