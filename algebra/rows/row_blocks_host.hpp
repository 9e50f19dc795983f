// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of a matrix that workers of the host have found in blocks, put together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <coppice/core/host/interruption.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::detail {

/// Where the entries of every part begin among all, and behind the last how many there are; size(part) of each.
template <class Part, class Size>
std::vector<std::int64_t> starts_of_parts(std::vector<Part> const& parts, Size const& size) {
    std::vector<std::int64_t> starts(parts.size() + 1, 0);
    for (std::size_t p = 0; p < parts.size(); ++p)
        starts[p + 1] = starts[p] + static_cast<std::int64_t>(size(parts[p]));
    return starts;
}

/// Blocks of `block` rows: place(part, start) copies what part p has found to where it begins among all, and
/// offsets[rows + 1], which count within the blocks from offsets[first + 1] on, count in the whole then.
template <class O, class Part, class Place>
void join_row_blocks(host_executor const& exec, std::vector<Part> const& parts, std::vector<std::int64_t> const& starts,
                     std::int64_t block, buffer<O>& offsets, Place const& place) {
    for_each_block(exec, offsets.size() - 1, block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        std::int64_t const start = starts[static_cast<std::size_t>(p)];
        place(parts[static_cast<std::size_t>(p)], start);
        for (std::int64_t i = first; i < last; ++i) offsets[i + 1] = static_cast<O>(offsets[i + 1] + start);
    });
}

/// Where pieces begin among all that they find, told to each as soon as those before it are found.
class turns {
public:
    explicit turns(std::int64_t pieces) : ends_(static_cast<std::size_t>(pieces) + 1) {
        for (auto& end : ends_) end.store(unknown, std::memory_order_relaxed);
        ends_[0].store(0, std::memory_order_relaxed);
    }
    std::int64_t next_piece() { return next_.fetch_add(1, std::memory_order_relaxed); }
    /// Piece p has so many entries; waits until it is known where they begin, -1 where an earlier piece has failed.
    std::int64_t start_of(std::int64_t p, std::int64_t size) {
        auto& begin = ends_[static_cast<std::size_t>(p)];
        begin.wait(unknown, std::memory_order_acquire);
        std::int64_t const start = begin.load(std::memory_order_acquire);
        tell(p, start < 0 ? failed : start + size);
        return start < 0 ? -1 : start;
    }
    /// Nobody shall wait for piece p.
    void give_up(std::int64_t p) { tell(p, failed); }
    std::int64_t total() const { return ends_.back().load(std::memory_order_acquire); }

private:
    static constexpr std::int64_t unknown = -1, failed = -2;
    void tell(std::int64_t p, std::int64_t end) {
        auto& to = ends_[static_cast<std::size_t>(p) + 1];
        to.store(end, std::memory_order_release);
        to.notify_all();
    }
    std::vector<std::atomic<std::int64_t>> ends_;
    std::atomic<std::int64_t> next_{0};
};

/// find(worker, p), which returns how many entries a piece has, then place(worker, p, start): workers, each with a
/// thing of its own that `make` makes, take piece after piece, so that a piece waits for none that is not begun.
/// Returns how many entries there are; an exception reaches the caller.
template <class Make, class Find, class Place>
std::int64_t find_in_turn(host_executor const& exec, std::int64_t pieces, Make const& make, Find const& find,
                          Place const& place) {
    turns order(pieces);
    for_each_block(exec, std::min<std::int64_t>(exec.threads(), pieces), 1,
                   [&](std::int64_t, std::int64_t, std::int64_t) {
                       std::optional<decltype(make())> worker;
                       for (std::int64_t p; (p = order.next_piece()) < pieces;) {
                           std::int64_t size = 0;
                           try {
                               interruption::check();
                               if (!worker) worker.emplace(make());
                               size = find(*worker, p);
                           } catch (...) {
                               order.give_up(p);
                               throw;
                           }
                           std::int64_t const start = order.start_of(p, size);
                           if (start < 0) return;
                           place(*worker, p, start);
                       }
                   });
    return order.total();
}

} // namespace coppice::detail
