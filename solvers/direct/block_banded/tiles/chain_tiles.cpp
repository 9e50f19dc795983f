// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver on one core: one segment in each SIMD lane. Compiled once for each instruction set.
#include <coppice/solvers/direct/block_banded/tiles/chain_tiles.hpp>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::chain;

template <class T>
struct lanes_of {
    using type = pack<T, register_bytes, 1>;
};
template <class R>
struct lanes_of<complex_lane<R>> {
    using type = complex_lane<pack<R, register_bytes, 1>>;
};

} // namespace

// The sizes of scalar rows and of pentadiagonal matrices are compile-time constants for real numbers, and their loops
// are unrolled. The general code, used for all other sizes, has a third of the speed and a fifth of the size.
template <class Job>
void chain_pass(Job const& job, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename lanes_of<typename Job::value_type>::type;
    static_assert(lane_count<lanes> <= max_lanes);
    auto const run = [&](auto const&... shape) {
        for (std::int64_t p = first; p < last; p += lane_count<lanes>)
            job.run(alone{}, shape..., p, reinterpret_cast<lanes*>(memory));
    };
    if constexpr (is_real_pass<Job>) {
        auto const& g = job.level.shape;
        if (g.rows() == 1) return run(block_row_shape<known_size<1, 2>>{{}, g.block_rows, g.rhs_count});
        if (g.rows() == 2) return run(block_row_shape<known_size<2, 4>>{{}, g.block_rows, g.rhs_count});
    }
    run();
}

#define COPPICE_CHAIN_JOB(...) template void chain_pass(__VA_ARGS__ const&, std::int64_t, std::int64_t, std::byte*);
#define COPPICE_CHAIN_LEVEL(T, rows)                                                                                   \
    COPPICE_CHAIN_JOB(level_pass<true, chain_level<T, rows<T>>>)                                                       \
    COPPICE_CHAIN_JOB(level_pass<false, chain_level<T, rows<T>>>)                                                      \
    COPPICE_CHAIN_JOB(factored_level<T, rows<T>>)
COPPICE_ALL_LANES(COPPICE_CHAIN_LEVEL, matrix_block_rows)
COPPICE_ALL_LANES(COPPICE_CHAIN_LEVEL, condensed_rows)

} // namespace coppice::inline v0_1::COPPICE_ISA
