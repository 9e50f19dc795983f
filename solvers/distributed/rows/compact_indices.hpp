// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Positions of global indices among the distinct ones, found by all threads of a rank.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <coppice/core/error.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::distributed {

/// The executor that sets up a rank on the host: that of the rank if it is one of the host, otherwise one thread.
template <executor Executor>
host_executor set_up_executor([[maybe_unused]] Executor const& exec) {
    if constexpr (std::is_base_of_v<host_executor, Executor>)
        return exec;
    else
        return host_executor(1);
}

/// Throws matrix_error for the first column outside [0, count).
template <class I>
void require_columns(host_executor const& exec, char const* what, array_view<I const> columns, std::int64_t count) {
    std::int64_t const n = columns.size();
    I const* const all = columns.data();
    auto const bad = reduce(
        exec, n, n, [=](std::int64_t k) { return all[k] < 0 || all[k] >= count ? k : n; },
        [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
    if (bad < n)
        throw matrix_error(std::string(what) + ": column " + std::to_string(all[bad]) + " outside a matrix of " +
                           std::to_string(count) + " columns");
}

struct every_index {
    bool operator()(std::int64_t) const { return true; }
};
/// Indices outside [first, last).
struct index_outside {
    std::int64_t first, last;
    bool operator()(std::int64_t i) const { return i < first || i >= last; }
};

/// Maps indices to positions among the distinct ones: a bit set, and for each 64-bit word the number of bits before it.
/// Uses binary search if the bit set would be much longer than the list. I: 32 or 64 bits; indices are not negative.
template <class I>
class compact_indices {
public:
    std::vector<I> distinct{}; ///< ascending

    /// Includes the elements i of `list` for which includes(i) holds. Three parallel passes over the list.
    template <class Includes = every_index>
    explicit compact_indices(host_executor const& exec, array_view<I const> list, Includes const& includes = {}) {
        struct extent {
            I min, max;
            std::int64_t count;
        };
        constexpr extent none{std::numeric_limits<I>::max(), -1, 0};
        I const* const all = list.data();
        auto const of = reduce(
            exec, list.size(), none,
            [=](std::int64_t k) {
                I const i = all[k];
                return includes(i) ? extent{i, i, 1} : none;
            },
            [](extent const& a, extent const& b) {
                return extent{std::min(a.min, b.min), std::max(a.max, b.max), a.count + b.count};
            });
        if (of.count == 0) return;
        first_ = of.min;
        std::int64_t const words = (std::int64_t(of.max) - of.min) / 64 + 1;
        auto const included = [=](std::int64_t k) { return includes(all[k]); };
        if (words > 16 * of.count + 4096) { // the indices are too sparse for a bit set
            distinct.resize(static_cast<std::size_t>(of.count));
            I* const to = distinct.data();
            select(exec, list.size(), included, [=](std::int64_t at, std::int64_t k) { to[at] = all[k]; });
            coppice::detail::parallel_sort(exec, to, to + of.count, [](I a, I b) { return a < b; });
            distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
            return;
        }
        bits_.assign(std::size_t(words), 0);
        before_.resize(bits_.size());
        for_each(exec, list.size(), [&](std::int64_t k) {
            if (!includes(all[k])) return;
            std::atomic_ref<std::uint64_t> const to(bits_[word(all[k])]);
            if (std::uint64_t const b = bit(all[k]); (to.load(std::memory_order_relaxed) & b) == 0)
                to.fetch_or(b, std::memory_order_relaxed);
        });
        auto const count = exclusive_scan(
            exec, words, [this](std::int64_t w) { return std::popcount(bits_[std::size_t(w)]); },
            [this](std::int64_t w, std::int32_t start) { before_[std::size_t(w)] = start; }, std::int32_t(0));
        distinct.resize(static_cast<std::size_t>(count));
        for_each(exec, words, [this](std::int64_t w) {
            auto at = std::size_t(before_[std::size_t(w)]);
            for (std::uint64_t left = bits_[std::size_t(w)]; left != 0; left &= left - 1)
                distinct[at++] = I(first_ + I(w * 64) + I(std::countr_zero(left)));
        });
    }
    /// Position of an index that occurs.
    std::int32_t operator()(I index) const {
        if (bits_.empty())
            return std::int32_t(std::lower_bound(distinct.begin(), distinct.end(), index) - distinct.begin());
        std::size_t const w = word(index);
        return before_[w] + std::popcount(bits_[w] & (bit(index) - 1));
    }

private:
    std::size_t word(I index) const { return (std::size_t(index) - std::size_t(first_)) / 64; }
    std::uint64_t bit(I index) const { return std::uint64_t(1) << ((std::size_t(index) - std::size_t(first_)) % 64); }

    I first_ = 0;
    std::vector<std::uint64_t> bits_{};
    std::vector<std::int32_t> before_{};
};
using compact_columns = compact_indices<std::int32_t>;

} // namespace coppice::inline v0_1::distributed
