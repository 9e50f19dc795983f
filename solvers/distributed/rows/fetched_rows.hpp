// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of a distributed matrix or graph that a rank reads, from their owners.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// The exchange of rows: the constructor exchanges their lengths, fetch() elements of any type, as often as required.
class fetched_rows {
public:
    /// `needs`: global indices of rows, ascending, without duplicates; rows of this rank may be among them. Rank p owns
    /// the rows [begins[p], begins[p + 1]). `offsets`[own rows + 1]: of the elements of the rows of this rank.
    /// Collective.
    template <class I, class O>
    fetched_rows(host_executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                 std::vector<I> const& needs, O const* offsets)
        : begin_(needs.size() + 1, 0) {
        halo_plan const plan(comm, begins, needs);
        auto const sent = std::int64_t(plan.send_rows.size());
        std::vector<std::int64_t> lengths(static_cast<std::size_t>(sent));
        from_.resize(lengths.size());
        to_.resize(lengths.size() + 1, 0);
        for_each(exec, sent, [&](std::int64_t i) {
            auto const row = plan.send_rows[std::size_t(i)];
            from_[std::size_t(i)] = std::int64_t(offsets[row]);
            lengths[std::size_t(i)] = std::int64_t(offsets[row + 1]) - std::int64_t(offsets[row]);
        });
        add_up(exec, lengths.data(), sent, to_);
        std::vector<std::int64_t> received(needs.size());
        if (plan.any)
            send_and_receive(comm, plan.send_begin, std::as_const(lengths).data(), plan.receive_begin, received.data())
                ->finish();
        add_up(exec, received.data(), std::int64_t(received.size()), begin_);
        for (std::int64_t const row : plan.send_begin) send_begin_.push_back(to_[std::size_t(row)]);
        for (std::int64_t const row : plan.receive_begin) receive_begin_.push_back(begin_[std::size_t(row)]);
    }

    /// Offsets of the rows among the fetched elements, [needs + 1].
    std::vector<std::int64_t> const& begin() const { return begin_; }
    std::int64_t elements() const { return begin_.back(); }

    /// The elements of the rows, in their order. element(k): element k of the rows of this rank, as `offsets` count
    /// them. Collective.
    template <class X, class Element>
    buffer<X> fetch(host_executor const& exec, rank_communicator const& comm, Element const& element) const {
        static_assert(std::is_trivially_copyable_v<X>, "ranks exchange trivially copyable values");
        buffer<X> sent(exec, to_.back()), received(exec, elements());
        X* const to = sent.data();
        for_each(exec, std::int64_t(from_.size()), [&](std::int64_t i) {
            std::int64_t const first = to_[std::size_t(i)], count = to_[std::size_t(i) + 1] - first;
            for (std::int64_t k = 0; k < count; ++k) to[first + k] = element(from_[std::size_t(i)] + k);
        });
        send_and_receive(comm, send_begin_, std::as_const(sent).data(), receive_begin_, received.data())->finish();
        return received;
    }

private:
    static void add_up(host_executor const& exec, std::int64_t const* lengths, std::int64_t count,
                       std::vector<std::int64_t>& begin) {
        begin[std::size_t(count)] = exclusive_scan(
            exec, count, [=](std::int64_t i) { return lengths[i]; },
            [&](std::int64_t i, std::int64_t start) { begin[std::size_t(i)] = start; }, std::int64_t(0));
    }

    std::vector<std::int64_t> begin_, from_{}, to_{}; ///< `from`, `to`: of the elements of the rows that are sent
    rank_offsets send_begin_{}, receive_begin_{};
};

} // namespace coppice::inline v0_1::distributed
