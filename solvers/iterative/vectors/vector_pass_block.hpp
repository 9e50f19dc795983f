// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The body of the kernel of a pass over vectors, over a Block (core/block.hpp), so that it also runs under CPU
/// threads.
#pragma once

#include <coppice/core/grid_sum.hpp>
#include <coppice/solvers/iterative/vectors/dot_pairs.hpp>
#include <coppice/solvers/iterative/vectors/vector_pass.hpp>

namespace coppice::inline v0_1::detail {

/// Number of doubles that a pass sums: one for each real dot product, two for each complex one.
template <class Pass>
constexpr int count_sums() {
    if constexpr (Pass::dots > 0) return Pass::dots * dot_components<pass_element<Pass>>;
    return 0;
}
template <class Pass>
inline constexpr int sums_of_pass = count_sums<Pass>();

/// Number of doubles of shared memory for the state of a pass.
template <class Pass>
inline constexpr int state_words = decides_about_state<Pass>
                                       ? int(sizeof(typename state_of_pass<Pass>::type) + sizeof(double) - 1) /
                                             int(sizeof(double))
                                       : 0;

/// Copies a state word by word, with all threads of the block.
COPPICE_NO_EXEC_CHECK
template <class Block>
COPPICE_HD void copy_state(Block const& block, void const* from, void* to, int words) {
    for (int w = block.thread(); w < words; w += block.threads())
        static_cast<std::uint64_t*>(to)[w] = static_cast<std::uint64_t const*>(from)[w];
}

/// Updates the elements of a thread, and calls take(i, operands) after each update. Loads of several elements are
/// issued before the first store.
COPPICE_NO_EXEC_CHECK
template <class Pass, class Block, class Update, class Take>
COPPICE_HD COPPICE_ALWAYS_INLINE void for_elements(Block const& block, std::int64_t b, std::int64_t blocks,
                                                   std::int64_t n, Update const& update, Take const& take) {
    std::int64_t const stride = blocks * block.threads(), begin = b * block.threads() + block.thread();
    auto const index = [n](std::int64_t k) { return runs_backwards<Pass> ? n - 1 - k : k; };
    if constexpr (loads_operands<Update>) {
        using operands = decltype(update.load(std::int64_t()));
        constexpr int batch = sizeof(operands) <= 24 ? 2 : 1;
        for (std::int64_t k = begin; k < n; k += batch * stride) {
            operands all[batch] = {};
            COPPICE_UNROLL
            for (int u = 0; u < batch; ++u)
                if (k + u * stride < n) all[u] = update.load(index(k + u * stride));
            COPPICE_UNROLL
            for (int u = 0; u < batch; ++u) {
                if (k + u * stride >= n) break;
                std::int64_t const i = index(k + u * stride);
                update.store(i, all[u]);
                take(i, all[u]);
            }
        }
    } else {
        for (std::int64_t k = begin; k < n; k += stride) {
            update(index(k));
            take(index(k), 0);
        }
    }
}

/// Block b of `blocks`. `shared`: sums_of_pass doubles per warp, then state_words; `slots`: one for each of
/// sums_of_pass sums.
COPPICE_NO_EXEC_CHECK
template <class Block, class Pass>
COPPICE_HD void pass_of_block(Block const& block, double* shared, std::int64_t b, std::int64_t blocks, std::int64_t n,
                              Pass const& pass, hand_over_slot* slots) {
    constexpr int dots = Pass::dots;
    auto const update = pass.begin();
    if (is_idle(update)) n = 0;
    if constexpr (dots == 0) {
        for_elements<Pass>(block, b, blocks, n, update, [](std::int64_t, auto const&) {});
    } else {
        using element = pass_element<Pass>;
        constexpr int components = dot_components<element>;
        dot_value<element> sum[dots] = {};
        for_elements<Pass>(block, b, blocks, n, update, [&](std::int64_t i, auto const& operands) {
            COPPICE_UNROLL
            for (int p = 0; p < dots; ++p) {
                if constexpr (loads_operands<decltype(update)>) {
                    sum[p] += pass.term(p, operands);
                } else {
                    auto const pair = pass.pair(p);
                    sum[p] += dot_term(pair.left[i], pair.right[i]);
                }
            }
        });
        double* const state = shared + sums_of_pass<Pass> * (block.threads() / warp_lanes);
        if constexpr (decides_about_state<Pass>)
            if (b + 1 == blocks) copy_state(block, pass.state(), state, state_words<Pass>);
        double all[dots * components];
        COPPICE_UNROLL
        for (int c = 0; c < dots * components; ++c) all[c] = component_of(sum[c / components], c % components);
        if (!grid_sums(block, shared, grid_slots{slots}, b, blocks, all)) return;
        COPPICE_UNROLL
        for (int c = 0; c < dots * components; ++c) component_of(sum[c / components], c % components) = all[c];
        if constexpr (decides_about_state<Pass>) {
            using state_type = typename state_of_pass<Pass>::type;
            if (block.thread() == 0) pass.finish(*reinterpret_cast<state_type*>(state), sum);
            block.sync();
            copy_state(block, state, pass.state(), state_words<Pass>);
        } else {
            if (block.thread() == 0) pass.finish(sum);
        }
    }
}

} // namespace coppice::inline v0_1::detail
