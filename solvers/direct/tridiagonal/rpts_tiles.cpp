// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on one core: one partition in each SIMD lane. Tiles are transposed through a buffer that stays in the
/// first-level cache, as the CUDA kernels stage theirs in shared memory. Compiled once for each instruction set.
#include <coppice/solvers/direct/tridiagonal/rpts_tiles.hpp>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_two_sided.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::rpts;

constexpr int length = host_partition;
constexpr int registers = 2; // of a pack: two dependent chains overlap; more registers would spill

// As many partitions as a pack has lanes, stored row by row: bands[b][j] holds row j of all of them.
template <class T>
struct tile {
    using lanes = pack<T, register_bytes, registers>;
    static constexpr int width = lanes::width;

    alignas(64) lanes bands[4][length];

    partition_rows<lanes> rows() { return {bands[0], bands[1], bands[2], bands[3]}; }
    T& at(int band, int row, int lane) { return reinterpret_cast<T*>(&bands[band][row])[lane]; }

    // Loads whole partitions, transposed in registers.
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
    // Rows after the end of the system become x = 0.
    void load_band_end(int band, T const* from, std::int64_t count, T padding) {
        for (int l = 0; l < lanes::size; ++l)
            for (int j = 0; j < length; ++j) {
                std::int64_t const i = std::int64_t(l) * length + j;
                at(band, j, l) = i < count ? from[i] : padding;
            }
    }

    // Gathers the right-hand sides of a system with an order, from row `row` on; zeros after `count` rows.
    void gather_rhs(system_view<T> const& s, std::int64_t row, std::int64_t count) {
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

    // Loads the partitions from `partition` on; corner entries outside the matrix become zero.
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
            load_band_end(2, s.upper + row, s.couples_after() ? count : count - 1, T(0));
            if (!s.order) load_band_end(3, s.rhs + row, count, T(0));
        }
        if (s.order) gather_rhs(s, row, count);
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

// Prefetches the memory of the next tile, a part in each step, while this tile computes: the hardware prefetcher does
// not follow four short strided streams.
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

// The interface unknowns of the partitions from `partition` on; zero outside the system, or the neighbours of a
// segment.
template <class Lanes, class T>
interface_values<Lanes> load_interfaces(level<T> const& s, std::int64_t partition) {
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

constexpr auto in_place = [](int i) COPPICE_INLINE_LAMBDA { return i; }; // row i of a pair

// The rows of two neighbouring lanes of a tile, for pairs that are split in another way; these are solved separately.
template <class T>
struct lane_pair {
    T bands[4][2 * length];

    COPPICE_ALWAYS_INLINE lane_pair(tile<T>& t, int lane) {
        for (int b = 0; b < 4; ++b)
            for (int j = 0; j < 2 * length; ++j) bands[b][j] = t.at(b, j % length, lane + j / length);
    }
    COPPICE_ALWAYS_INLINE partition_rows<T> rows() { return {bands[0], bands[1], bands[2], bands[3]}; }
    // Whether `piece` is not nearly singular inside.
    template <pivoting P>
    COPPICE_ALWAYS_INLINE bool is_good(pair_partition const& piece, T const& threshold) {
        auto const multiplier = [&](bool downwards) COPPICE_INLINE_LAMBDA {
            return multiplier_in_pair<P, T>(rows(), piece, downwards, threshold, in_place);
        };
        return multiplier(true) >= T(min_multiplier) || multiplier(false) >= T(min_multiplier);
    }
    // Number of the first split with which no partition is nearly singular inside; -1 if there is none.
    template <pivoting P>
    [[gnu::noinline]] int find_split(T const& threshold) {
        for (int number = 0; number < pair_split::numbers; ++number) {
            pair_split const split{number};
            int k = 0;
            while (k < split.partitions() && is_good<P>(split.partition(k, 2 * length), threshold)) ++k;
            if (k == split.partitions()) return number;
        }
        return -1;
    }
};

// Computes the coarse rows of a pair of partitions with this split. Returns bits that flag small multipliers, which the
// substitution reads.
template <pivoting P, class T>
[[gnu::noinline]] unsigned resplit(lane_pair<T>& pair, pair_split const& split, T const& threshold,
                                   coarse_row<T> (&coarse)[4]) {
    unsigned small = 0;
    for (int k = 0; k < 4; ++k) {
        pair_partition const piece = split.partition(k / 2, 2 * length);
        if (k == piece.coarse) {
            boundary_multipliers<T> multipliers;
            coarse_row<T> first, last;
            reduce_both<P>(pair.rows().from(piece.first), piece.length, threshold, first, last, no_extra_work{},
                           &multipliers);
            coarse[k] = upward_row(piece, first), coarse[k + 1] = downward_row(piece, last);
            small |= small_multipliers(multipliers, k);
        } else if (k != piece.coarse + 1)
            coarse[k] = single_row<P>(pair.rows(), piece, k, in_place);
    }
    return small;
}

// After the reduction of a tile with these multipliers: chooses another split for pairs with a small multiplier, and
// writes their coarse rows. Returns false if no split of a pair is good.
template <pivoting P, class T>
COPPICE_ALWAYS_INLINE bool resplit_pairs(level<T> const& s, std::int64_t partition, std::int64_t last, tile<T>& t,
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
            int const found = pair.template find_split<P>(s.threshold);
            all_good = all_good && found >= 0;
            if (found >= 0) { // also for the first split: the pack rounds differently and has found a small multiplier
                number = found;
                coarse_row<T> rows[4];
                of_pair = resplit<P>(pair, pair_split{number}, s.threshold, rows);
                for (int k = 0; k < 4; ++k) {
                    std::int64_t const to = 2 * (partition + l) + k;
                    s.coarse.lower[to] = rows[k].lower;
                    s.coarse.diagonal[to] = rows[k].diagonal;
                    s.coarse.upper[to] = rows[k].upper;
                    s.coarse.rhs[to] = rows[k].rhs;
                }
            }
        }
        s.pair_records[(partition + l) / 2] = pair_record(number, of_pair).stored();
    }
    return all_good;
}

// The pair records of a tile, written by the reduction.
template <pivoting P, class T>
class recorded_pairs {
public:
    boundary_multipliers<typename tile<T>::lanes> multipliers; ///< of pairs that are split in the middle

    COPPICE_ALWAYS_INLINE recorded_pairs(level<T> const& s, std::int64_t partition, std::int64_t last) {
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
    // Solves the pairs with another split. Their rows in the tile remain as they are.
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
    // Replaces the solutions of these pairs in the tile.
    void put_shifted(tile<T>& t, T const (*solutions)[2 * length]) const {
        for (int l = 0; l < tile<T>::lanes::size; l += 2)
            for (int j = 0; j < 2 * length && (shifted_ >> l & 1) != 0; ++j)
                t.at(3, j % length, l + j / length) = solutions[l / 2][j];
    }

private:
    static_assert(tile<T>::lanes::size <= 32 && tile<T>::lanes::size % 2 == 0);
    std::uint32_t shifted_ = 0;
};

// Whether no lane has an element below the smallest normal number.
template <class Lanes>
COPPICE_ALWAYS_INLINE bool is_normal(Lanes const& x) {
    using T = typename Lanes::value_type;
    auto const* const of_lane = reinterpret_cast<T const*>(&x);
    bool normal = true;
    for (int l = 0; l < Lanes::size; ++l) normal &= of_lane[l] >= std::numeric_limits<T>::min();
    return normal;
}
// Whether x is finite in all lanes. Uses x - x, which is 0 if x is finite, else NaN.
template <class Lanes>
COPPICE_ALWAYS_INLINE bool is_finite(Lanes const& x) {
    Lanes const none = x - x;
    auto const* const difference = reinterpret_cast<typename Lanes::value_type const*>(&none);
    typename Lanes::value_type sum(0);
    for (int l = 0; l < Lanes::size; ++l) sum += difference[l];
    return sum == 0;
}
// Whether the solution of a tile is finite. Each substitution goes from the middle of a partition to its ends; each
// step is x = reciprocal (rhs - next x1 - after x2). If an x is not finite, no later one is. So it is sufficient to
// check the unknowns at the ends, unless pairs have another split.
template <class T>
COPPICE_ALWAYS_INLINE bool is_solution_finite(tile<T>& t, bool shifted) {
    auto const* const x = t.bands[3];
    auto sum = (x[0] - x[0]) + (x[1] - x[1]) + (x[length - 2] - x[length - 2]) + (x[length - 1] - x[length - 1]);
    for (int j = 2; shifted && j < length - 2; ++j) sum = sum + (x[j] - x[j]);
    return is_finite(sum);
}

// Loads `count` lanes; the others get `padding`.
template <class Lanes, class T>
Lanes load_lanes(T const* from, int count, T padding) {
    Lanes value(padding);
    if (count >= Lanes::size)
        __builtin_memcpy(value.v, from, sizeof(value));
    else
        __builtin_memcpy(value.v, from, std::size_t(count) * sizeof(T));
    return value;
}

// The elimination of a system is one dependent chain, so that two registers are faster at every level.
template <class T>
using system_lanes = pack<T, register_bytes, 2>;

// Solves one system in each lane, by elimination with row exchanges; `memory` holds the slots of the pivot rows.
// Returns whether x is finite: only the first unknown, which is substituted last, needs a check.
template <pivoting P, class T>
bool solve_lanes(system_view<T> const& s, T threshold, std::int64_t first, int count, T* memory) {
    using lanes = system_lanes<T>;
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

// Solves one system from its first row to its last; `memory` holds 4 size elements.
template <pivoting P, class T>
void solve_downwards(system_view<T> const& s, T threshold, T* memory) {
    std::int64_t const n = s.size;
    partition_rows<T> const rows{memory, memory + n, memory + 2 * n, memory + 3 * n};
    for (std::int64_t i = 0; i < n; ++i) {
        rows.lower[i] = i > 0 ? s.lower[i] : T(0);
        rows.diagonal[i] = s.diagonal[i];
        rows.upper[i] = i + 1 < n ? s.upper[i] : T(0);
        rows.rhs[i] = s.rhs[s.source_of(i)];
    }
    solve_directly<P>(rows, int(n), threshold);
    for (std::int64_t i = 0; i < n; ++i) s.x[s.target_of(i)] = rows.rhs[i];
}

template <pivoting P, class T>
bool reduce_tiles(level<T> const& s, std::int64_t first, std::int64_t last, auto const& threshold) {
    tile<T> t;
    using lanes = typename tile<T>::lanes;
    bool all_good = true;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        t.load(s.fine, p);
        coarse_row<lanes> up, down;
        boundary_multipliers<lanes> multipliers;
        lanes min_pivot;
        reduce_both<P>(t.rows(), length, threshold, up, down, fetch_ahead<T, sizeof(lanes)>(s.fine, p + lanes::size),
                       &multipliers, &min_pivot);
        store_coarse(s.coarse.lower + 2 * p, up.lower, down.lower, last - p);
        store_coarse(s.coarse.diagonal + 2 * p, up.diagonal, down.diagonal, last - p);
        store_coarse(s.coarse.upper + 2 * p, up.upper, down.upper, last - p);
        store_coarse(s.coarse.rhs + 2 * p, up.rhs, down.rhs, last - p);
        all_good &= resplit_pairs<P>(s, p, last, t, multipliers);
        all_good &= is_normal(min_pivot);
    }
    return all_good;
}

template <pivoting P, class T>
bool substitute_tiles(level<T> const& s, std::int64_t first, std::int64_t last, auto const& threshold) {
    tile<T> t;
    using lanes = typename tile<T>::lanes;
    bool finite = true;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        t.load(s.fine, p);
        recorded_pairs<P, T> const recorded(s, p, last);
        auto const x = load_interfaces<lanes>(s, p);
        bool const shifted = recorded.any_shifted();
        T solutions[lanes::size / 2][2 * length];
        if (shifted) recorded.solve_shifted(s, p, t, x, solutions);
        substitute_partition<P>(t.rows(), length, x, threshold, recorded.multipliers,
                                fetch_ahead<T, sizeof(lanes)>(s.fine, p + lanes::size));
        if (shifted) recorded.put_shifted(t, solutions);
        finite &= is_solution_finite(t, shifted);
        t.store_solution(s.fine, p);
    }
    return finite;
}

} // namespace

template <class T>
bool rpts_interleaved(system_view<T> const& s, pivoting pivot, T threshold, std::int64_t first, std::int64_t last,
                      T* memory) {
    constexpr int size = system_lanes<T>::size;
    static_assert(size <= rpts::max_lanes<T>);
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
        // the direction of the elimination determines which entries a threshold can flush: use downwards, as elsewhere
        if (threshold > T(0)) return solve_downwards<P>(s, threshold, reinterpret_cast<T*>(memory));
        solve_from_ends<P>(s, partition_rows<lanes>{memory[0], memory[1], memory[2], memory[3]});
    });
    // The unknowns at the ends are substituted last: if any unknown is not finite, one of these is not.
    T const first = s.x[s.target_of(0)], last = s.x[s.target_of(s.size - 1)];
    return (first - first) + (last - last) == T(0);
}

// A threshold takes two instructions for each entry that may become a pivot.
template <pivoting P, class T>
bool rpts_reduce(level<T> const& s, std::int64_t first, std::int64_t last) {
    if (s.threshold > T(0)) return reduce_tiles<P>(s, first, last, typename tile<T>::lanes(s.threshold));
    return reduce_tiles<P>(s, first, last, no_threshold{});
}

template <pivoting P, class T>
bool rpts_substitute(level<T> const& s, std::int64_t first, std::int64_t last) {
    if (s.threshold > T(0)) return substitute_tiles<P>(s, first, last, typename tile<T>::lanes(s.threshold));
    return substitute_tiles<P>(s, first, last, no_threshold{});
}

#define COPPICE_RPTS_LEVELS(P)                                                                                         \
    template bool rpts_reduce<P>(level<float> const&, std::int64_t, std::int64_t);                                     \
    template bool rpts_reduce<P>(level<double> const&, std::int64_t, std::int64_t);                                    \
    template bool rpts_substitute<P>(level<float> const&, std::int64_t, std::int64_t);                                 \
    template bool rpts_substitute<P>(level<double> const&, std::int64_t, std::int64_t);
COPPICE_RPTS_LEVELS(pivoting::none)
COPPICE_RPTS_LEVELS(pivoting::partial)
COPPICE_RPTS_LEVELS(pivoting::scaled_partial)
template bool rpts_interleaved(system_view<float> const&, pivoting, float, std::int64_t, std::int64_t, float*);
template bool rpts_interleaved(system_view<double> const&, pivoting, double, std::int64_t, std::int64_t, double*);
template bool rpts_small(system_view<float> const&, pivoting, float);
template bool rpts_small(system_view<double> const&, pivoting, double);

} // namespace coppice::inline v0_1::COPPICE_ISA
