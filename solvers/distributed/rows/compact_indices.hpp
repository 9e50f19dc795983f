// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Positions of global indices among the distinct ones, found by all threads of a rank or by its device.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
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

struct every_index {
    template <class I>
    bool operator()(I) const {
        return true;
    }
};
/// Indices outside [first, last).
struct index_outside {
    std::int64_t first, last;
    template <class I>
    COPPICE_HD bool operator()(I i) const {
        using unsigned_index = std::make_unsigned_t<I>;
        return unsigned_index(unsigned_index(i) - unsigned_index(first)) >= unsigned_index(last - first);
    }
};

/// For select(): copies the selected indices of a list.
struct list_index {
    std::int32_t const* at;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t i) const { to[position] = at[i]; }
};

/// Range of the included indices of a list.
template <class I>
struct index_extent {
    I min = std::numeric_limits<I>::max(), max = std::numeric_limits<I>::min();
    std::int64_t count = 0;

    template <class Includes>
    void add(I const* list, std::int64_t first, std::int64_t last, Includes const& includes) {
        I low = min, high = max;
        std::int64_t number = 0;
        for (std::int64_t k = first; k < last; ++k) { // without branches, so that it is vectorised
            I const i = list[k];
            bool const in = includes(i);
            low = in && i < low ? i : low;
            high = in && i > high ? i : high;
            number += in ? 1 : 0;
        }
        min = low, max = high, count += number;
    }
};

/// Maps indices to positions among the distinct ones: a bit set, and for each 64-bit word the number of bits before it.
/// Uses binary search if the bit set would be much longer than the list. I: 32 or 64 bits; indices are not negative.
template <class I>
class compact_indices {
public:
    std::vector<I> distinct{}; ///< ascending

    /// Includes the elements i of `list` for which includes(i) holds. Two parallel passes over the list; the second one
    /// skips blocks without such elements. Throws matrix_error, with the name `what`, for an included element outside
    /// [0, columns) if `what` is not null.
    template <class Includes = every_index>
    explicit compact_indices(host_executor const& exec, array_view<I const> list, Includes const& includes = {},
                             char const* what = nullptr, std::int64_t columns = 0) {
        I const* const all = list.data();
        constexpr std::int64_t block = coppice::detail::host_block;
        std::vector<index_extent<I>> of_blocks(static_cast<std::size_t>((list.size() + block - 1) / block));
        coppice::detail::for_each_block(exec, list.size(), block,
                                        [&](std::int64_t b, std::int64_t first, std::int64_t last) {
                                            of_blocks[std::size_t(b)].add(all, first, last, includes);
                                        });
        index_extent<I> of;
        for (auto const& e : of_blocks) of = {std::min(of.min, e.min), std::max(of.max, e.max), of.count + e.count};
        if (of.count == 0) return;
        if (what && (of.min < 0 || std::int64_t(of.max) >= columns)) throw_outside(list, what, columns);
        first_ = of.min;
        std::int64_t const words = (std::int64_t(of.max) - of.min) / 64 + 1;
        if (words > 16 * of.count + 4096) { // the indices are too sparse for a bit set
            distinct.resize(static_cast<std::size_t>(of.count));
            I* const to = distinct.data();
            select(
                exec, list.size(), [=](std::int64_t k) { return includes(all[k]); },
                [=](std::int64_t at, std::int64_t k) { to[at] = all[k]; });
            coppice::detail::parallel_sort(exec, to, to + of.count, [](I a, I b) { return a < b; });
            distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
            return;
        }
        bits_.assign(std::size_t(words), 0);
        before_.resize(bits_.size());
        coppice::detail::for_each_block(
            exec, list.size(), block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
                if (of_blocks[std::size_t(b)].count == 0) return;
                for (std::int64_t k = first; k < last; ++k) {
                    if (!includes(all[k])) continue;
                    std::atomic_ref<std::uint64_t> const to(bits_[word(all[k])]);
                    if (std::uint64_t const one = bit(all[k]); (to.load(std::memory_order_relaxed) & one) == 0)
                        to.fetch_or(one, std::memory_order_relaxed);
                }
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
    [[noreturn]] static void throw_outside(array_view<I const> list, char const* what, std::int64_t columns) {
        auto const bad = std::find_if(list.begin(), list.end(), [=](I i) { return i < 0 || i >= columns; });
        throw matrix_error(std::string(what) + ": column " + std::to_string(*bad) + " outside a matrix of " +
                           std::to_string(columns) + " columns");
    }
    std::size_t word(I index) const { return (std::size_t(index) - std::size_t(first_)) / 64; }
    std::uint64_t bit(I index) const { return std::uint64_t(1) << ((std::size_t(index) - std::size_t(first_)) % 64); }

    I first_ = 0;
    std::vector<std::uint64_t> bits_{};
    std::vector<std::int32_t> before_{};
};
using compact_columns = compact_indices<std::int32_t>;

/// The distinct indices of a list, ascending, and for each element of the list the position of its index among them; in
/// memory of the executor.
template <class I>
struct numbered_indices {
    buffer<I> distinct{}, positions{};
};

struct store_own_index {
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = i; }
};
/// Whether an element of a sorted list differs from the one before.
template <class I>
struct begins_new_index {
    I const* sorted;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0; }
};
template <class I>
struct store_numbered_index {
    begins_new_index<I> is_new;
    std::int64_t const* source; ///< position in the list of each element of the sorted one
    I *distinct, *positions;
    COPPICE_HD void operator()(std::int64_t i, std::int64_t before) const {
        bool const first = is_new(i) != 0;
        if (first) distinct[before] = is_new.sorted[i];
        positions[source[i]] = I(first ? before : before - 1);
    }
};
/// By a sort, with memory for the number of elements, whatever the range of the indices is. On CUDA waits.
template <executor Executor, class I>
numbered_indices<I> number_by_sort(Executor const& exec, array_view<I const> list) {
    std::int64_t const size = list.size();
    auto sorted = copy_of(exec, list);
    buffer<std::int64_t> source(exec, size);
    for_each(exec, size, store_own_index{source.data()});
    sort_by_key(exec, sorted.view(), source.view());
    begins_new_index<I> const is_new{sorted.data()};
    buffer<I> distinct(exec, size), positions(exec, size);
    std::int64_t const count = exclusive_scan(
        exec, size, is_new, store_numbered_index<I>{is_new, source.data(), distinct.data(), positions.data()},
        std::int64_t(0));
    return {copy_of(exec, array_view<I const>(distinct.data(), count)), std::move(positions)};
}
template <class I>
numbered_indices<I> number_indices(host_executor const& exec, array_view<I const> list) {
    compact_indices<I> const number(exec, list);
    numbered_indices<I> numbered{exec.copy(number.distinct), buffer<I>(exec, list.size())};
    for_each(exec, list.size(), [&](std::int64_t k) { numbered.positions[k] = I(number(list[k])); });
    return numbered;
}
template <class I>
numbered_indices<I> number_indices(cuda_executor const& exec, array_view<I const> list) {
    return number_by_sort(exec, list);
}

} // namespace coppice::inline v0_1::distributed
