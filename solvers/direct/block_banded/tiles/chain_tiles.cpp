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

template <class Level>
inline constexpr bool is_row_level = false;
template <class T>
inline constexpr bool is_row_level<chain_level<T, matrix_block_rows<T>>> = true;

} // namespace

// The sizes of scalar rows and of pentadiagonal matrices are compile-time constants for real numbers, and their loops
// are unrolled. The general code, used for all other sizes, has a third of the speed and a fifth of the size.
template <class Level, class Work>
void with_shape(Level const& s, Work const& work) {
    if constexpr (std::is_floating_point_v<typename Level::value_type> && is_row_level<Level>) {
        if (s.shape.rows() == 1)
            return work(block_row_shape<known_size<1, 2>>{{}, s.shape.block_rows, s.shape.rhs_count});
        if (s.shape.rows() == 2)
            return work(block_row_shape<known_size<2, 4>>{{}, s.shape.block_rows, s.shape.rhs_count});
    }
    work(s.shape);
}

template <class Level>
void chain_reduce(Level const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename lanes_of<typename Level::value_type>::type;
    with_shape(s, [&](auto const& shape) {
        for (std::int64_t p = first; p < last; p += lane_count<lanes>)
            s.reduce(alone{}, shape, p, reinterpret_cast<lanes*>(memory));
    });
}

template <class Level>
void chain_substitute(Level const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename lanes_of<typename Level::value_type>::type;
    with_shape(s, [&](auto const& shape) {
        for (std::int64_t p = first; p < last; p += lane_count<lanes>)
            s.substitute(alone{}, shape, p, reinterpret_cast<lanes*>(memory));
    });
}

template <class Level>
void chain_factor(Level const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename lanes_of<typename Level::value_type>::type;
    static_assert(lane_count<lanes> <= max_lanes);
    for (std::int64_t p = first; p < last; p += lane_count<lanes>) s.run(alone{}, p, reinterpret_cast<lanes*>(memory));
}

#define COPPICE_CHAIN_TILES(T)                                                                                         \
    template void chain_reduce(chain_level<T, matrix_block_rows<T>> const&, std::int64_t, std::int64_t, std::byte*);   \
    template void chain_substitute(chain_level<T, matrix_block_rows<T>> const&, std::int64_t, std::int64_t,            \
                                   std::byte*);                                                                        \
    template void chain_reduce(chain_level<T, condensed_rows<T>> const&, std::int64_t, std::int64_t, std::byte*);      \
    template void chain_substitute(chain_level<T, condensed_rows<T>> const&, std::int64_t, std::int64_t, std::byte*);  \
    template void chain_factor(factored_level<T, matrix_block_rows<T>> const&, std::int64_t, std::int64_t,             \
                               std::byte*);                                                                            \
    template void chain_factor(factored_level<T, condensed_rows<T>> const&, std::int64_t, std::int64_t, std::byte*);
COPPICE_ALL_LANES(COPPICE_CHAIN_TILES)

} // namespace coppice::inline v0_1::COPPICE_ISA
