// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of a distributed matrix or graph that a rank reads, from their owners.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <coppice/algebra/transform.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// First element and number of elements of a sent row.
template <class O>
struct measure_sent_row {
    std::int32_t const* rows;
    O const* offsets;
    std::int64_t *from, *lengths;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const row = rows[i];
        from[i] = std::int64_t(offsets[row]);
        lengths[i] = std::int64_t(offsets[row + 1]) - std::int64_t(offsets[row]);
    }
};
/// Writes elements [i chunk, (i + 1) chunk) of the sent rows, whose row is found by binary search. A chunk of one
/// element makes the accesses of neighbouring GPU threads neighbours; longer ones save searches.
template <class X, class Element>
struct copy_sent_chunk {
    std::int64_t const *begin, *from; ///< of the sent rows: offsets of their elements here and at their owner
    std::int64_t rows, chunk;
    Element element;
    X* to;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const first = i * chunk, all = begin[rows], end = all - first < chunk ? all : first + chunk;
        std::int64_t row = coppice::detail::lower_position(begin, std::int64_t(0), rows + 1, first + 1) - 1;
        for (std::int64_t k = first; k < end; ++k) {
            while (begin[row + 1] <= k) ++row;
            to[k] = element(from[row] + (k - begin[row]));
        }
    }
};
/// Element k of an array.
template <class X>
struct stored_element {
    X const* elements;
    COPPICE_HD X operator()(std::int64_t k) const { return elements[k]; }
};

/// The exchange of rows: the constructor exchanges their lengths, fetch() elements of any type, as often as required.
/// Its arrays are in memory of the executor.
class fetched_rows {
public:
    /// `needs`: global indices of rows, ascending, without duplicates, on the host; rows of this rank may be among
    /// them. Rank p owns the rows [begins[p], begins[p + 1]). `offsets`[own rows + 1]: of the elements of the rows of
    /// this rank, in memory of the executor. Collective. On CUDA waits.
    template <executor Executor, class I, class O>
    fetched_rows(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                 std::vector<I> const& needs, O const* offsets) {
        halo_plan const plan(comm, begins, needs);
        auto const rows = exec.copy(plan.send_rows);
        buffer<std::int64_t> lengths(exec, rows.size()), received(exec, std::int64_t(needs.size()));
        from_ = buffer<std::int64_t>(exec, rows.size());
        for_each(exec, rows.size(), measure_sent_row<O>{rows.data(), offsets, from_.data(), lengths.data()});
        if (plan.any)
            exchange(exec, comm, plan.send_begin, static_cast<std::int64_t const*>(lengths.data()), plan.receive_begin,
                     received.data());
        to_ = added_up(exec, lengths, sent_);
        begin_ = added_up(exec, received, elements_);
        send_begin_ = picked(exec, to_, plan.send_begin);
        receive_begin_ = picked(exec, begin_, plan.receive_begin);
    }

    /// Offsets of the rows among the fetched elements, [needs + 1], in memory of the executor.
    buffer<std::int64_t> const& begin() const { return begin_; }
    std::int64_t elements() const { return elements_; }

    /// The elements of the rows, in their order, in memory of the executor. element(k): element k of the rows of this
    /// rank, as `offsets` count them; a function object as for for_each(). Collective.
    template <class X, executor Executor, class Element>
    buffer<X> fetch(Executor const& exec, rank_communicator const& comm, Element const& element) const {
        static_assert(std::is_trivially_copyable_v<X>, "ranks exchange trivially copyable values");
        constexpr std::int64_t chunk = std::is_base_of_v<host_executor, Executor> ? 1024 : 1;
        buffer<X> sent(exec, sent_), received(exec, elements_);
        for_each(exec, (sent_ + chunk - 1) / chunk,
                 copy_sent_chunk<X, Element>{to_.data(), from_.data(), from_.size(), chunk, element, sent.data()});
        exchange(exec, comm, send_begin_, static_cast<X const*>(sent.data()), receive_begin_, received.data());
        return received;
    }

private:
    /// The sums of the lengths before each of them, and of all.
    template <executor Executor>
    static buffer<std::int64_t> added_up(Executor const& exec, buffer<std::int64_t> const& lengths,
                                         std::int64_t& total) {
        return coppice::detail::offsets_of_degrees<std::int64_t>(
            exec, lengths.size(), coppice::detail::stored_degree<std::int64_t>{lengths.data()}, total);
    }
    template <executor Executor>
    static rank_offsets picked(Executor const& exec, buffer<std::int64_t> const& elements, rank_offsets const& at) {
        auto const positions = exec.copy(at);
        buffer<std::int64_t> found(exec, positions.size());
        for_each(
            exec, positions.size(),
            coppice::detail::gather_at<std::int64_t, std::int64_t>{elements.data(), positions.data(), found.data()});
        return to_vector(exec, found);
    }

    buffer<std::int64_t> begin_{}, from_{}, to_{}; ///< `from`, `to`: of the elements of the rows that are sent
    std::int64_t sent_ = 0, elements_ = 0;
    rank_offsets send_begin_{}, receive_begin_{};
};

} // namespace coppice::inline v0_1::distributed
