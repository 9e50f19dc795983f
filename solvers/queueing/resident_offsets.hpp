// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Where the rows of block-tridiagonal systems lie while teams sweep over them.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::detail {

/// The block rows of a system are dealt out to the members of its team in stretches. A member puts even blocks before
/// odd ones where the sweep goes over these apart, and of either the first rows of all blocks, then the second ones,
/// ...: neighbouring threads take neighbouring blocks, and what they read lies side by side. Blocks are filled up to
/// whole ones.
struct resident_places {
    std::int64_t block = 1;     ///< rows of a block
    std::int64_t in_system = 0; ///< blocks of a system
    std::int64_t systems = 1;
    int members = 1; ///< of a team, at most as many as blocks of a system
    int halves = 1;  ///< 2: even and odd blocks apart

    COPPICE_HD std::int64_t rows_of_system() const { return in_system * block; }
    COPPICE_HD std::int64_t rows() const { return systems * rows_of_system(); }
    /// Blocks [begin(m), begin(m + 1)) are those of member m.
    COPPICE_HD std::int64_t begin(int m) const { return in_system * m / members; }
    COPPICE_HD int member_of(std::int64_t j) const { return int(((j + 1) * members - 1) / in_system); }
    /// Blocks of half h before block j.
    COPPICE_HD std::int64_t before(int h, std::int64_t j) const { return halves == 1 ? j : (j + 1 - h) / 2; }
    /// Blocks of half h that member m has.
    COPPICE_HD int count(int m, int h) const { return int(before(h, begin(m + 1)) - before(h, begin(m))); }
    COPPICE_HD int rows_of_member(int m) const { return int((begin(m + 1) - begin(m)) * block); }
    /// The most that a member has, of all blocks and of those of a half.
    COPPICE_HD std::int64_t most_blocks() const { return (in_system + members - 1) / members; }
    COPPICE_HD std::int64_t most_count() const { return (most_blocks() + halves - 1) / halves; }

    /// Of row i of block j of a system, among those of the block's member.
    COPPICE_HD std::int64_t local_place(std::int64_t j, std::int64_t i) const {
        int const m = member_of(j), h = int(j % halves);
        std::int64_t const first = h == 0 ? 0 : count(m, 0) * block;
        return first + i * count(m, h) + before(h, j) - before(h, begin(m));
    }
    /// The same among all rows of all systems.
    COPPICE_HD std::int64_t place(std::int64_t row) const {
        std::int64_t const s = row / rows_of_system(), j = row / block - s * in_system;
        return s * rows_of_system() + begin(member_of(j)) * block + local_place(j, row % block);
    }
    /// The row at place q of member m, from the first row of its system.
    COPPICE_HD std::int64_t row_of_member(int m, std::int64_t q) const {
        std::int64_t const even = std::int64_t(count(m, 0)) * block;
        int const h = halves == 2 && q >= even ? 1 : 0, n = count(m, h);
        std::int64_t const k = h == 0 ? q : q - even;
        return ((before(h, begin(m)) + k % n) * halves + h) * block + k / n;
    }
    COPPICE_HD std::int64_t row(std::int64_t place) const {
        std::int64_t const s = place / rows_of_system(), in = place - s * rows_of_system();
        int const m = member_of(in / block);
        return s * rows_of_system() + row_of_member(m, in - begin(m) * block);
    }
};

/// A row of a system as seen by its team: member, whether its block is odd, place there.
struct resident_column {
    static constexpr int place_bits = 25, member_bits = 5;
    static constexpr std::int64_t most_rows = std::int64_t(1) << place_bits;
    static constexpr int most_members = 1 << member_bits;

    std::int32_t bits;

    COPPICE_HD static resident_column at(resident_places const& p, std::int64_t row_of_system) {
        std::int64_t const j = row_of_system / p.block;
        int const odd = p.halves == 2 ? int(j % 2) : 0;
        return {std::int32_t(((p.member_of(j) << 1 | odd) << place_bits) |
                             std::int32_t(p.local_place(j, row_of_system % p.block)))};
    }
    COPPICE_HD int member() const { return bits >> (place_bits + 1); }
    COPPICE_HD bool odd() const { return (bits >> place_bits & 1) != 0; }
    COPPICE_HD int place() const { return bits & ((1 << place_bits) - 1); }
};

} // namespace coppice::detail
