// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elements of distributed vectors at global indices of any rank. Rank p owns the elements [begins[p], begins[p + 1]).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/graphs/owned_graph.hpp>
#include <coppice/solvers/distributed/rows/compact_indices.hpp>

namespace coppice::inline v0_1::distributed {

struct is_at_other {
    index_outside own;
    vertex_id const* at;
    COPPICE_HD bool operator()(std::int64_t k) const { return own(at[k]); }
};
/// Distinct indices of other ranks in a list, ascending, and their positions: on the host by a bit set, on devices by
/// binary search.
template <executor Executor>
class indices_of_others {
public:
    indices_of_others(Executor const& exec, array_view<vertex_id const> at, index_outside own) {
        buffer<vertex_id> outside(exec, at.size());
        auto const count = select(exec, at.size(), is_at_other{own, at.data()}, list_index{at.data(), outside.data()});
        list_ = number_by_sort(exec, array_view<vertex_id const>(outside.data(), count)).distinct;
        distinct_ = to_vector(exec, list_);
    }
    std::vector<vertex_id> const& distinct() const { return distinct_; }
    struct positions {
        vertex_id const* list;
        vertex_id count;
        COPPICE_HD vertex_id operator()(vertex_id i) const {
            return coppice::detail::position_between(list, vertex_id(0), count, std::int64_t(i));
        }
    };
    positions view() const { return {list_.data(), vertex_id(list_.size())}; }

private:
    buffer<vertex_id> list_{};
    std::vector<vertex_id> distinct_{};
};
template <>
class indices_of_others<host_executor> {
public:
    indices_of_others(host_executor const& exec, array_view<vertex_id const> at, index_outside own)
        : compact_(exec, at, own) {}
    std::vector<vertex_id> const& distinct() const { return compact_.distinct; }
    struct positions {
        compact_indices<vertex_id> const* compact;
        vertex_id operator()(vertex_id i) const { return (*compact)(i); }
    };
    positions view() const { return {&compact_}; }

private:
    compact_indices<vertex_id> compact_;
};

/// Operators for elements_at::send_back().
struct add_received {
    COPPICE_NO_EXEC_CHECK
    template <class Worker, class X>
    COPPICE_HD void operator()(Worker& worker, X* to, X const& value) const {
        if (value != 0) worker.add(to, value);
    }
};
struct take_smaller {
    COPPICE_NO_EXEC_CHECK
    template <class Worker, class X>
    COPPICE_HD void operator()(Worker& worker, X* to, X const& value) const {
        worker.lower(to, value);
    }
};
/// combine(worker, x + rows[i], values[i]); `rows` null: row i is i.
template <class X, class Combine>
struct combine_received {
    std::int32_t const* rows;
    X const* values;
    X* x;
    Combine combine;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        combine(worker, x + (rows ? rows[i] : i), values[i]);
    }
};

/// The elements of a vector at a list of global indices: those of this rank, and copies of those of others. In memory
/// of the executor.
template <executor Executor, class X>
class elements_at {
public:
    /// `x`: the elements of this rank. Collective.
    elements_at(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                X const* x, array_view<vertex_id const> at)
        : own_{begins[std::size_t(comm.rank())], begins[std::size_t(comm.rank()) + 1]}, others_(exec, at, own_),
          plan_(comm, begins, others_.distinct()), values_(exec, own() + std::int64_t(others_.distinct().size())) {
        exec.copy_elements(x, values_.data(), own());
        halo<Executor, X> exchange(exec, comm, plan_);
        exchange.start(exec, x);
        exchange.finish(exec);
        exec.copy_elements(exchange.values(), values_.data() + own(), std::int64_t(others_.distinct().size()));
    }
    elements_at(elements_at const&) = delete; // positions refer to it
    elements_at& operator=(elements_at const&) = delete;

    /// Position of a global index of the list in values(): first the elements of this rank, then those of others.
    struct positions {
        index_outside own;
        typename indices_of_others<Executor>::positions others;
        COPPICE_NO_EXEC_CHECK
        COPPICE_HD vertex_id operator()(vertex_id i) const {
            return own(i) ? vertex_id(own.last - own.first) + others(i) : vertex_id(i - own.first);
        }
    };
    positions position() const { return {own_, others_.view()}; }
    buffer<X>& values() { return values_; }
    buffer<X> const& values() const { return values_; }

    /// Combines changes[values().size()], in the order of values(), with the elements on the ranks that own them: x,
    /// the elements of this rank, receives the changes of all ranks. combine(worker, X*, X) does not depend on the
    /// order. Collective.
    template <class Combine>
    void send_back(Executor const& exec, rank_communicator const& comm, X const* changes, X* x,
                   Combine const& combine) const {
        using namespace analytics;
        auto const mine = placed(exec, worklist{nullptr, own(), 0});
        vertex_map(exec, nullptr, mine.data(), nothing(), combine_received<X, Combine>{nullptr, changes, x, combine});
        if (!plan_.any) return;
        auto const rows = exec.copy(plan_.send_rows);
        buffer<X> received(exec, rows.size());
        exchange(exec, comm, plan_.receive_begin, changes + own(), plan_.send_begin, received.data());
        auto const all = placed(exec, worklist{nullptr, rows.size(), 0});
        vertex_map(exec, nullptr, all.data(), nothing(),
                   combine_received<X, Combine>{rows.data(), received.data(), x, combine});
    }

private:
    std::int64_t own() const { return own_.last - own_.first; }

    index_outside own_; ///< true for indices of other ranks
    indices_of_others<Executor> others_;
    halo_plan plan_;
    buffer<X> values_;
};

template <class X, class Positions>
struct gather_at_positions {
    vertex_id const* at;
    X const* values;
    Positions position;
    X* to;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = values[position(at[k])]; }
};
/// Values x of all ranks at global indices of any rank, in the order of the indices. Collective.
template <executor Executor, class X>
buffer<X> fetch_values_at(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                          X const* x, array_view<vertex_id const> at) {
    elements_at<Executor, X> const all(exec, comm, begins, x, at);
    buffer<X> values(exec, at.size());
    using positions = typename elements_at<Executor, X>::positions;
    for_each(exec, at.size(),
             gather_at_positions<X, positions>{at.data(), all.values().data(), all.position(), values.data()});
    return values;
}
inline std::vector<vertex_id> values_at(host_executor const& exec, rank_communicator const& comm,
                                        std::vector<std::int64_t> const& begins, vertex_id const* x,
                                        array_view<vertex_id const> at) {
    return to_vector(exec, fetch_values_at(exec, comm, begins, x, at));
}

/// x[at[k]] = min(x[at[k]], values[k]) for global indices `at` of any rank. Collective.
inline void lower_at(rank_communicator const& comm, std::vector<std::int64_t> const& begins, std::vector<vertex_id>& x,
                     std::vector<vertex_message<vertex_id>> messages) {
    auto const by_vertex = [](auto const& a, auto const& b) {
        return a.vertex != b.vertex ? a.vertex < b.vertex : a.value < b.value;
    };
    std::sort(messages.begin(), messages.end(), by_vertex);
    auto const same = [](auto const& a, auto const& b) { return a.vertex == b.vertex; };
    messages.erase(std::unique(messages.begin(), messages.end(), same), messages.end());
    for (auto const& m : send_to_owners(comm, begins, messages)) {
        auto& own = x[std::size_t(m.vertex)];
        own = std::min(own, m.value);
    }
}

} // namespace coppice::inline v0_1::distributed
