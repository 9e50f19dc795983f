// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elements of a vector in parts that a part reads of others: which they are, and how they come.
///
///     halo<Executor, T> h(exec, others, plan);
///     h.start(exec, x);      what others need of x[own] is on its way
///     ...                    work that needs no halo
///     h.finish(exec);        h.values() has what this part needs, for what is queued from now on
///
/// All parts make the same calls. On the host parts read each other's memory. On devices the elements cross beside the
/// work in between, by NCCL where it is there (part_messages::devices()), without the host; else by
/// memory of the host, which waits for it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::distributed {

/// Columns by their places among those that occur: a bit for each, and how many there are before each word of them.
class column_places {
public:
    std::vector<std::int32_t> distinct{}; ///< ascending

    explicit column_places(std::vector<std::int32_t> const& columns) {
        if (columns.empty()) return;
        auto const [least, most] = std::minmax_element(columns.begin(), columns.end());
        first_ = *least;
        std::size_t const words = (std::size_t(*most) - std::size_t(first_)) / 64 + 1;
        if (words > 16 * columns.size() + 4096) { // too far apart
            distinct = columns;
            std::sort(distinct.begin(), distinct.end());
            distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
            return;
        }
        bits_.assign(words, 0);
        for (std::int32_t const c : columns) bits_[word(c)] |= bit(c);
        before_.reserve(words);
        for (std::size_t w = 0; w < words; ++w) {
            before_.push_back(std::int32_t(distinct.size()));
            for (std::uint64_t left = bits_[w]; left != 0; left &= left - 1)
                distinct.push_back(first_ + std::int32_t(w * 64) + std::countr_zero(left));
        }
    }
    /// Of one that occurs.
    std::int32_t operator()(std::int32_t column) const {
        if (bits_.empty())
            return std::int32_t(std::lower_bound(distinct.begin(), distinct.end(), column) - distinct.begin());
        std::size_t const w = word(column);
        return before_[w] + std::popcount(bits_[w] & (bit(column) - 1));
    }

private:
    std::size_t word(std::int32_t column) const { return (std::size_t(column) - std::size_t(first_)) / 64; }
    std::uint64_t bit(std::int32_t column) const {
        return std::uint64_t(1) << ((std::size_t(column) - std::size_t(first_)) % 64);
    }

    std::int32_t first_ = 0;
    std::vector<std::uint64_t> bits_{};
    std::vector<std::int32_t> before_{};
};

/// `needs`: columns of other parts, ascending, without repetition. Part p has the columns [begin[p], begin[p + 1]).
struct halo_plan {
    std::vector<std::int32_t> send_rows{};     ///< of this part: for part 0, then for part 1, ...
    std::vector<std::int64_t> send_begin{};    ///< [parts + 1], where those for a part begin
    std::vector<std::int64_t> receive_begin{}; ///< [parts + 1], where those from a part begin among `needs`
    std::vector<std::int64_t> receive_from{};  ///< [parts], where they begin among what that part sends
    bool any = false;                          ///< does anything cross between any parts?

    halo_plan(part_messages const& others, std::vector<std::int64_t> const& begin,
              std::vector<std::int32_t> const& needs) {
        auto const parts = std::size_t(others.parts()), self = std::size_t(others.part());
        for (std::size_t p = 0; p <= parts; ++p)
            receive_begin.push_back(std::lower_bound(needs.begin(), needs.end(), begin[p]) - needs.begin());
        send_begin.push_back(0);
        for (auto const& wanted : others.gather(needs)) {
            auto const first = std::lower_bound(wanted.begin(), wanted.end(), begin[self]);
            auto const behind = std::lower_bound(first, wanted.end(), begin[self + 1]);
            for (auto c = first; c != behind; ++c) send_rows.push_back(std::int32_t(*c - begin[self]));
            send_begin.push_back(std::int64_t(send_rows.size()));
            any = any || !wanted.empty();
        }
        auto const all = others.gather(send_begin);
        for (std::size_t p = 0; p < parts; ++p) receive_from.push_back(all[p][self]);
    }
    std::int64_t received() const { return receive_begin.back(); }
    std::int64_t received(std::size_t part) const { return receive_begin[part + 1] - receive_begin[part]; }
};

template <class T>
struct gather_elements {
    T const* x;
    std::int32_t const* rows;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = x[rows[i]]; }
};

/// What others need of this part's vector, in memory of the executor.
template <executor Executor, class T>
struct sent_elements {
    buffer<std::int32_t> rows;
    buffer<T> values;

    sent_elements(Executor const& exec, halo_plan const& plan)
        : rows(exec.copy(plan.send_rows)), values(exec, rows.size()) {}
    T* gather(Executor const& exec, T const* x) {
        for_each(exec, rows.size(), gather_elements<T>{x, rows.data(), values.data()});
        return values.data();
    }
};

template <executor Executor, class T>
class halo;

template <class T>
class halo<host_executor, T> {
public:
    halo(host_executor const& exec, part_messages const& others, halo_plan plan)
        : others_(others), plan_(std::move(plan)), sent_(exec, plan_), values_(exec, plan_.received()) {}

    bool replayable() const { return false; } ///< parts meet
    halo_plan const& plan() const { return plan_; }
    buffer<std::int32_t> const& sent_rows() const { return sent_.rows; } ///< of plan().send_rows
    T const* values() const { return values_.data(); }
    void start(host_executor const& exec, T const* x) {
        if (!plan_.any) return;
        auto const from = others_.gather(memory_of_part{sent_.gather(exec, x)});
        for (std::size_t p = 0; p < from.size(); ++p)
            std::copy_n(from[p].elements + plan_.receive_from[p], plan_.received(p),
                        values_.data() + plan_.receive_begin[p]);
    }
    /// Nobody overwrites or frees what others still read.
    void finish(host_executor const&) {
        if (plan_.any) others_.gather(0);
    }

private:
    struct memory_of_part {
        T const* elements;
    };

    part_messages others_;
    halo_plan plan_;
    sent_elements<host_executor, T> sent_;
    buffer<T> values_;
};

} // namespace coppice::distributed

#if defined(__CUDACC__)
#include <coppice/solvers/distributed/rows/halo_cuda.cuh>
#endif
