// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Positions of the rows of block-tridiagonal systems in the memory of the members of teams.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::detail {

/// Layout of the rows of a system. Each member of the team gets a contiguous segment of block rows. If a sweep
/// processes even and odd blocks separately, a member stores the even blocks first. Within each half it stores the
/// first rows of all blocks, then the second rows, and so on: neighbouring threads process neighbouring blocks and read
/// contiguous memory. The last block is padded.
struct resident_layout {
    std::int64_t block = 1;     ///< rows of a block
    std::int64_t in_system = 0; ///< blocks of a system
    std::int64_t systems = 1;
    int members = 1; ///< of a team; at most the number of blocks of a system
    int halves = 1;  ///< 2 if even and odd blocks are separate

    COPPICE_HD std::int64_t rows_of_system() const { return in_system * block; }
    COPPICE_HD std::int64_t rows() const { return systems * rows_of_system(); }
    /// Member m has the blocks [begin(m), begin(m + 1)).
    COPPICE_HD std::int64_t begin(int m) const { return in_system * m / members; }
    COPPICE_HD int member_of(std::int64_t j) const { return int(((j + 1) * members - 1) / in_system); }
    /// Number of blocks of half h before block j.
    COPPICE_HD std::int64_t before(int h, std::int64_t j) const { return halves == 1 ? j : (j + 1 - h) / 2; }
    /// Number of blocks of half h of member m.
    COPPICE_HD int count(int m, int h) const { return int(before(h, begin(m + 1)) - before(h, begin(m))); }
    COPPICE_HD int rows_of_member(int m) const { return int((begin(m + 1) - begin(m)) * block); }
    /// Maximum number of blocks of a member, of all blocks and of one half.
    COPPICE_HD std::int64_t max_blocks() const { return (in_system + members - 1) / members; }
    COPPICE_HD std::int64_t max_count() const { return (max_blocks() + halves - 1) / halves; }

    /// Position of row i of block j of a system in the memory of its member.
    COPPICE_HD std::int64_t local_position(std::int64_t j, std::int64_t i) const {
        int const m = member_of(j), h = int(j % halves);
        std::int64_t const first = h == 0 ? 0 : count(m, 0) * block;
        return first + i * count(m, h) + before(h, j) - before(h, begin(m));
    }
    /// Position of a row over all rows of all systems.
    COPPICE_HD std::int64_t position(std::int64_t row) const {
        std::int64_t const s = row / rows_of_system(), j = row / block - s * in_system;
        return s * rows_of_system() + begin(member_of(j)) * block + local_position(j, row % block);
    }
    /// Row at position q of member m, counted from the first row of its system.
    COPPICE_HD std::int64_t row_of_member(int m, std::int64_t q) const {
        std::int64_t const even = std::int64_t(count(m, 0)) * block;
        int const h = halves == 2 && q >= even ? 1 : 0, n = count(m, h);
        std::int64_t const k = h == 0 ? q : q - even;
        return ((before(h, begin(m)) + k % n) * halves + h) * block + k / n;
    }
    COPPICE_HD std::int64_t row(std::int64_t position) const {
        std::int64_t const s = position / rows_of_system(), in = position - s * rows_of_system();
        int const m = member_of(in / block);
        return s * rows_of_system() + row_of_member(m, in - begin(m) * block);
    }
};

/// Column index of a coupling for a team: member, whether the block is odd, and position, packed into 32 bits.
struct resident_column {
    static constexpr int position_bits = 25, member_bits = 5;
    static constexpr std::int64_t max_rows = std::int64_t(1) << position_bits;
    static constexpr int max_members = 1 << member_bits;

    std::int32_t bits;

    COPPICE_HD static resident_column at(resident_layout const& p, std::int64_t row_of_system) {
        std::int64_t const j = row_of_system / p.block;
        int const odd = p.halves == 2 ? int(j % 2) : 0;
        return {std::int32_t(((p.member_of(j) << 1 | odd) << position_bits) |
                             std::int32_t(p.local_position(j, row_of_system % p.block)))};
    }
    COPPICE_HD int member() const { return bits >> (position_bits + 1); }
    COPPICE_HD bool odd() const { return (bits >> position_bits & 1) != 0; }
    COPPICE_HD int position() const { return bits & ((1 << position_bits) - 1); }
};

} // namespace coppice::inline v0_1::detail
