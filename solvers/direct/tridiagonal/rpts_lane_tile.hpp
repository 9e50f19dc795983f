// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tiles of RPTS on one core: one partition in each SIMD lane, transposed through a buffer that stays in the
/// first-level cache. Included by rpts_tiles.cpp, which is compiled for several instruction sets, so everything is in
/// an unnamed namespace.
#pragma once

#include <cstdint>

#include <coppice/core/lane/pack.hpp>
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
            load_band_end(2, s.upper + row, s.couples_after() ? count : count - 1, T(0));
            if (!s.order) load_band_end(3, s.rhs + row, count, T(0));
        }
        if (s.order) for_each_row(3, [&](T& to, std::int64_t i) { to = i < count ? s.rhs[s.order[row + i]] : T(0); });
        if (partition == 0 && !s.couples_before()) at(0, 0, 0) = T(0);
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

} // namespace

} // namespace coppice::inline v0_1::COPPICE_ISA
