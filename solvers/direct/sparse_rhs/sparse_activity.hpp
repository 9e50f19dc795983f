// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Which stretches of the chain solver sparse right-hand sides touch (thesis section 2.7.2: parts whose
/// right-hand sides are all zero are not walked).
#pragma once

#include <cstdint>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/solve/band_solve.hpp>

namespace coppice::sparse_sides {

/// A flag for each link of every depth: the stretch that it stands for holds an entry of the columns at hand.
struct activity {
    chain::levels all{};
    int n = 1;                                ///< rows of a block
    std::uint8_t* flags = nullptr;            ///< null: nobody wants to know
    std::int64_t begin[chain::most_stages]{}; ///< of the flags of depth k + 1
    std::int64_t bytes = 0;

    activity() = default;
    activity(chain::levels const& l, int block) : all(l), n(block) {
        chain::for_each_stage(l, block, 0, [&](int depth, std::int64_t links, std::int64_t, std::int64_t) {
            begin[depth - 1] = bytes;
            bytes += in_workspace_units(links);
        });
    }
    /// Scalar row `row`, counted through the storage, holds something.
    COPPICE_HD void mark(std::int64_t row) const {
        if (!flags) return;
        std::int64_t const i = row / n;
        bool const turns = all.batch.interleaved;
        std::int64_t const s = turns ? i % all.batch.systems : all.batch.system_of(i);
        std::int64_t const j = turns ? i / all.batch.systems : i - all.batch.first_row(s);
        raise_flag(flags + begin[0] + all.first(s, 1) + j / all.stretch(0));
    }
};

/// A stretch of links is active where one of them is.
struct raise_activity {
    activity at;
    int depth; ///< of the links
    COPPICE_HD void operator()(std::int64_t p) const {
        chain::stretch_place const place = chain::place_stretch(at.all, depth, p);
        if (place.link < 0) return;
        std::uint8_t const* const below = at.flags + at.begin[depth - 1] + place.units.base;
        std::uint8_t any = 0;
        for (std::int64_t j = place.begin; j < place.begin + at.all.stretch(depth) && j < place.units.rows; ++j)
            any = std::uint8_t(any | below[j]);
        at.flags[at.begin[depth] + p] = any;
    }
};

} // namespace coppice::sparse_sides
