// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver on one core: a stretch per SIMD lane. Compiled once per instruction set.
#include <coppice/solvers/direct/block_banded/tiles/chain_tiles.hpp>

#include <coppice/core/lane/pack.hpp>

namespace coppice::COPPICE_ISA {
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

template <class Stage>
inline constexpr bool is_row_stage = false;
template <class T>
inline constexpr bool is_row_stage<stage<T, row_units<T>>> = true;

} // namespace

// Scalar rows and those of pentadiagonal matrices in real numbers are unrolled; for the others, code that takes every
// size is a third as fast and a fifth as large.
template <class Stage, class Work>
void with_shape(Stage const& s, Work const& work) {
    if constexpr (std::is_floating_point_v<typename Stage::value_type> && is_row_stage<Stage>) {
        if (s.shape.rows() == 1) return work(unit_shape<known_size<1, 2>>{{}, s.shape.units, s.shape.sides});
        if (s.shape.rows() == 2) return work(unit_shape<known_size<2, 4>>{{}, s.shape.units, s.shape.sides});
    }
    work(s.shape);
}

template <class Stage>
void chain_reduce(Stage const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename lanes_of<typename Stage::value_type>::type;
    with_shape(s, [&](auto const& shape) {
        for (std::int64_t p = first; p < last; p += lane_count<lanes>)
            s.reduce(alone{}, shape, p, reinterpret_cast<lanes*>(memory));
    });
}

template <class Stage>
void chain_substitute(Stage const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename lanes_of<typename Stage::value_type>::type;
    with_shape(s, [&](auto const& shape) {
        for (std::int64_t p = first; p < last; p += lane_count<lanes>)
            s.substitute(alone{}, shape, p, reinterpret_cast<lanes*>(memory));
    });
}

template <class Stage>
void chain_factor(Stage const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename lanes_of<typename Stage::value_type>::type;
    static_assert(lane_count<lanes> <= most_lanes);
    for (std::int64_t p = first; p < last; p += lane_count<lanes>) s.run(alone{}, p, reinterpret_cast<lanes*>(memory));
}

#define COPPICE_CHAIN_TILES(T)                                                                                         \
    template void chain_reduce(stage<T, row_units<T>> const&, std::int64_t, std::int64_t, std::byte*);                 \
    template void chain_substitute(stage<T, row_units<T>> const&, std::int64_t, std::int64_t, std::byte*);             \
    template void chain_reduce(stage<T, link_units<T>> const&, std::int64_t, std::int64_t, std::byte*);                \
    template void chain_substitute(stage<T, link_units<T>> const&, std::int64_t, std::int64_t, std::byte*);            \
    template void chain_factor(factored_stage<T, row_units<T>> const&, std::int64_t, std::int64_t, std::byte*);        \
    template void chain_factor(factored_stage<T, link_units<T>> const&, std::int64_t, std::int64_t, std::byte*);

COPPICE_CHAIN_TILES(float)
COPPICE_CHAIN_TILES(double)
COPPICE_CHAIN_TILES(complex_lane<float>)
COPPICE_CHAIN_TILES(complex_lane<double>)

} // namespace coppice::COPPICE_ISA
