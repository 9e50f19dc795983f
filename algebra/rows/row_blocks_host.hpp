// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Concatenation of rows that workers of the host compute in blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <coppice/core/host/interruption.hpp>
#include <coppice/core/host/pages.hpp>
#include <coppice/core/host/spin.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// Returns the offset of the entries of every block and, as last element, the total; size(block) is the number of its
/// entries.
template <class Block, class Size>
std::vector<std::int64_t> block_starts(std::vector<Block> const& blocks, Size const& size) {
    std::vector<std::int64_t> starts(blocks.size() + 1, 0);
    for (std::size_t p = 0; p < blocks.size(); ++p)
        starts[p + 1] = starts[p] + static_cast<std::int64_t>(size(blocks[p]));
    return starts;
}

/// Concatenates blocks of `block` rows: copy(block, start) copies the entries of a block to its offset. offsets[rows +
/// 1] are relative to their block on entry (from offsets[first + 1] on) and absolute on return.
template <class O, class Block, class Copy>
void concatenate_row_blocks(host_executor const& exec, std::vector<Block> const& blocks,
                            std::vector<std::int64_t> const& starts, std::int64_t block, buffer<O>& offsets,
                            Copy const& copy) {
    for_each_block(exec, offsets.size() - 1, block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        std::int64_t const start = starts[static_cast<std::size_t>(p)];
        copy(blocks[static_cast<std::size_t>(p)], start);
        for (std::int64_t i = first; i < last; ++i) offsets[i + 1] = static_cast<O>(offsets[i + 1] + start);
    });
}

/// Computes the offsets of pieces in order; the offset of a piece is available as soon as the sizes of all pieces
/// before it are known.
class ordered_starts {
public:
    explicit ordered_starts(std::int64_t pieces) : ends_(static_cast<std::size_t>(pieces) + 1) {
        for (auto& end : ends_) end.store(unknown, std::memory_order_relaxed);
        ends_[0].store(0, std::memory_order_relaxed);
    }
    std::int64_t next_piece() { return next_.fetch_add(1, std::memory_order_relaxed); }
    /// Sets the size of piece p. Waits until its offset is known and returns it; -1 if an earlier piece has failed.
    std::int64_t start_of(std::int64_t p, std::int64_t size) {
        auto& begin = ends_[static_cast<std::size_t>(p)];
        // All later pieces wait for this thread: to sleep and to be woken would delay each of them.
        if (!spin_until([&begin] { return begin.load(std::memory_order_acquire) != unknown; }))
            begin.wait(unknown, std::memory_order_acquire);
        std::int64_t const start = begin.load(std::memory_order_acquire);
        publish(p, start < 0 ? failed : start + size);
        return start < 0 ? -1 : start;
    }
    /// Marks piece p as failed, so that later pieces do not wait for it.
    void give_up(std::int64_t p) { publish(p, failed); }
    std::int64_t total() const { return ends_.back().load(std::memory_order_acquire); }

private:
    static constexpr std::int64_t unknown = -1, failed = -2;
    void publish(std::int64_t p, std::int64_t end) {
        auto& to = ends_[static_cast<std::size_t>(p) + 1];
        to.store(end, std::memory_order_release);
        to.notify_all();
    }
    std::vector<std::atomic<std::int64_t>> ends_;
    std::atomic<std::int64_t> next_{0};
};

/// Pages of an array that several threads write from the front to the end, each a piece. Without it, all threads would
/// reach a new page of 2 MiB at the same time, and the system clears a page for each of them, of which it keeps one.
class pages_ahead {
public:
    template <class T>
    pages_ahead(host_executor const& exec, buffer<T>& array)
        : base_(reinterpret_cast<std::byte*>(array.data())), bytes_(array.size() * std::int64_t(sizeof(T))),
          element_(sizeof(T)), on_(exec.threads() > 1 && bytes_ >= min_pages * page) {}

    /// To be called before elements [first, last) are written; the calls cover the array without overlap. The thread
    /// that reaches a page provides a later one.
    void before(std::int64_t first, std::int64_t last) const {
        if (!on_) return;
        for (auto p = (first * element_ + page - 1) / page; p * page < last * element_; ++p) {
            std::int64_t const begin = (p == 0 ? 0 : end_after(p - 1)) * page;
            std::int64_t const end = std::min(end_after(p) * page, bytes_);
            if (begin < end) populate_pages(base_ + begin, static_cast<std::size_t>(end - begin));
        }
    }

private:
    static constexpr std::int64_t page = std::int64_t(1) << 21, min_pages = 4, max_ahead = 8;
    /// End of the pages that are provided once a thread has reached page p: at most twice as many as are needed.
    static std::int64_t end_after(std::int64_t p) { return p + 1 + std::min(p, max_ahead); }

    std::byte* base_;
    std::int64_t bytes_, element_;
    bool on_; ///< for large arrays, if there are several threads
};

/// Calls find(worker, p), which returns the number of entries of piece p, then copy(worker, p, start). Each worker has
/// its own object, created by `make`. Pieces start in order, so a piece never waits for one that has not started.
/// Returns the total number of entries. Exceptions are rethrown to the caller.
template <class Make, class Find, class Copy>
std::int64_t find_in_order(host_executor const& exec, std::int64_t pieces, Make const& make, Find const& find,
                           Copy const& copy) {
    ordered_starts order(pieces);
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
                           copy(*worker, p, start);
                       }
                   });
    return order.total();
}

} // namespace coppice::inline v0_1::detail
