// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/look_back_scan.hpp>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "support/block_stand_in.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// x -> slope x + shift modulo a prime; composition does not commute.
struct affine {
    std::uint32_t slope, shift;
};
struct composed {
    COPPICE_HD affine operator()(affine const& later, affine const& earlier) const {
        constexpr std::uint64_t prime = 1000003;
        return {std::uint32_t(std::uint64_t(later.slope) * earlier.slope % prime),
                std::uint32_t((std::uint64_t(later.slope) * earlier.shift + later.shift) % prime)};
    }
};
/// A state of odd size without default constructor.
struct wide {
    explicit COPPICE_HD wide(int v) : value{v, v + 1, v + 2, v + 3, v + 4} {}
    int value[5];
};
struct last_summed {
    COPPICE_HD wide operator()(wide const& later, wide const& earlier) const {
        wide w = later;
        w.value[4] = earlier.value[4] + later.value[4];
        return w;
    }
};

template <class T>
struct element {
    array_view<T> from;
    COPPICE_HD T operator()(std::int64_t i) const { return from[i]; }
};
template <class T>
struct store {
    array_view<T> to;
    COPPICE_HD void operator()(std::int64_t i, T const& value) const { to[i] = value; }
};
struct wide_of_index {
    COPPICE_HD wide operator()(std::int64_t i) const { return wide(int(i % 7)); }
};
struct store_sum {
    array_view<int> to;
    COPPICE_HD void operator()(std::int64_t i, wide const& w) const { to[i] = w.value[4]; }
};
struct sum_of_reals {
    COPPICE_HD double operator()(double later, double earlier) const { return later + earlier; }
};

std::vector<affine> maps(std::int64_t n) {
    std::mt19937 engine(7);
    std::uniform_int_distribution<std::uint32_t> any(0, 1000002);
    std::vector<affine> m(static_cast<std::size_t>(n), affine{1, 0});
    for (affine& a : m) a = {any(engine), any(engine)};
    return m;
}
std::vector<affine> in_order(std::vector<affine> m) {
    for (std::size_t i = 1; i < m.size(); ++i) m[i] = composed{}(m[i], m[i - 1]);
    return m;
}
bool same(std::vector<affine> const& a, std::vector<affine> const& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(affine)) == 0);
}

} // namespace

TEST_CASE_TEMPLATE("look-back scan: operators that do not commute, in place", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {0,    1,    2,    31,   32,   33,   511,    512,    513,    2559,   2560,  2561,
                                 7679, 7680, 7681, 8191, 8192, 8193, 123456, 245759, 245760, 245761, 500000}) {
        CAPTURE(n);
        auto const expected = in_order(maps(n));
        auto a = exec.copy(maps(n));
        look_back_scan(exec, n, element<affine>{a.view()}, composed{}, store<affine>{a.view()});
        CHECK(same(to_vector(exec, a), expected));
        buffer<int> sums(exec, n);
        look_back_scan(exec, n, wide_of_index{}, last_summed{}, store_sum{sums.view()});
        auto const json = to_vector(exec, sums);
        int sum = 0;
        bool right = true;
        for (std::int64_t i = 0; i < n; ++i) right = right && json[std::size_t(i)] == (sum += int(i % 7) + 4);
        CHECK(right);
    }
}

TEST_CASE_TEMPLATE("look-back scan: groups of groups of blocks", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const blocks : {1024, 1057}) {
        if (sanitized && blocks == 1024) continue;
        CAPTURE(blocks);
        std::int64_t const n = blocks * coppice::detail::look_back_shape_for<affine>.tile() + 1;
        auto a = exec.copy(maps(n));
        look_back_scan(exec, n, element<affine>{a.view()}, composed{}, store<affine>{a.view()});
        CHECK(same(to_vector(exec, a), in_order(maps(n))));
    }
}

TEST_CASE_TEMPLATE("look-back scan: the same bits on every run", Fixture, COPPICE_TEST_EXECUTORS) {
    std::int64_t const n = 300000;
    std::vector<double> values(static_cast<std::size_t>(n));
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal(0, 1e3);
    for (double& v : values) v = normal(engine);
    auto const run = [&](auto const& exec) {
        auto in = exec.copy(values);
        buffer<double> out(exec, n);
        look_back_scan(exec, n, element<double>{in.view()}, sum_of_reals{}, store<double>{out.view()});
        return to_vector(exec, out);
    };
    auto const first = run(Fixture::exec());
    for (int k = 0; k < 5; ++k) CHECK(run(Fixture::exec()) == first);
    if constexpr (!std::is_same_v<Fixture, on_cuda>)
        for (int const threads : {1, 3, 5}) CHECK(run(host_executor{threads}) == first);
}

#if !defined(COPPICE_TEST_CUDA)
template <int Threads, int Items>
bool right_by_blocks(std::int64_t n) {
    constexpr int tile = Threads * Items;
    block_runner runner(Threads, coppice::detail::look_back_states(Threads, Items) * sizeof(affine));
    std::int64_t const blocks = (n + tile - 1) / tile;
    std::vector<std::uint64_t> messages(
        static_cast<std::size_t>(coppice::detail::look_back_tree::messages(blocks) * message_words<affine>));
    auto a = maps(n);
    auto const expected = in_order(a);
    array_view<affine> const view(a.data(), n);
    runner.run(int(blocks), [&](auto const& block, int b, std::byte* shared) {
        coppice::detail::look_back_block<Items>(block, b, n, reinterpret_cast<affine*>(shared), messages.data(),
                                                element<affine>{view}, composed{}, store<affine>{view});
    });
    return same(a, expected);
}

TEST_CASE("look-back scan: the body of the CUDA kernel") {
    for (std::int64_t const n : ends_for_races({1, 2, 3, 95, 191, 192, 193, 1000})) {
        CAPTURE(n);
        CHECK(right_by_blocks<64, 3>(n));
    }
    if (!races_watched) CHECK(right_by_blocks<512, 15>(7681));
    // Groups of 32 blocks, and groups of groups.
    for (std::int64_t const blocks : ends_for_races({33, 32, 64, 71, 1057})) {
        CAPTURE(blocks);
        CHECK(right_by_blocks<warp_lanes, 1>(blocks * warp_lanes)); // one warp for all levels
        if (blocks != 71 && !(races_watched && blocks > 71))
            CHECK(right_by_blocks<2 * warp_lanes, 1>(2 * blocks * warp_lanes - 1));
    }
}
#endif
