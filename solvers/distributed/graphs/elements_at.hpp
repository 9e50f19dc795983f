// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elements of distributed vectors at global indices of any rank. Rank p owns the elements [begins[p], begins[p + 1]).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/graphs/owned_graph.hpp>

namespace coppice::inline v0_1::distributed {

/// The elements of a vector at a list of global indices: those of this rank, and copies of those of others.
template <class X>
class elements_at {
public:
    /// `x`: the elements of this rank. Collective.
    elements_at(host_executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                X const* x, array_view<vertex_id const> at)
        : own_{begins[std::size_t(comm.rank())], begins[std::size_t(comm.rank()) + 1]}, others_(exec, at, own_),
          plan_(comm, begins, others_.distinct), values_(exec, own() + std::int64_t(others_.distinct.size())) {
        std::copy_n(x, own(), values_.data());
        halo<host_executor, X> exchange(exec, comm, plan_);
        exchange.start(exec, x);
        exchange.finish(exec);
        std::copy_n(exchange.values(), others_.distinct.size(), values_.data() + own());
    }
    /// Position of a global index of the list in values(): first the elements of this rank, then those of others.
    vertex_id position(vertex_id i) const {
        return own_(i) ? vertex_id(own() + others_(i)) : vertex_id(i - own_.first);
    }
    buffer<X>& values() { return values_; }
    X const& operator[](vertex_id i) const { return values_[position(i)]; }

    /// Adds changes[values().size()], in the order of values(), to the elements on the ranks that own them: x, the
    /// elements of this rank, receives the changes of all ranks. Collective.
    void add(host_executor const& exec, rank_communicator const& comm, X const* changes, X* x) const {
        for_each(exec, own(), [=](std::int64_t i) { x[i] += changes[i]; });
        if (!plan_.any) return;
        std::vector<X> received(plan_.send_rows.size());
        send_and_receive(comm, plan_.receive_begin, changes + own(), plan_.send_begin, received.data())->finish();
        for (std::size_t i = 0; i < received.size(); ++i) x[plan_.send_rows[i]] += received[i];
    }

private:
    std::int64_t own() const { return own_.last - own_.first; }

    index_outside own_; ///< true for indices of other ranks
    compact_indices<vertex_id> others_;
    halo_plan plan_;
    buffer<X> values_;
};

/// Values x of all ranks at global indices of any rank, in the order of the indices. Collective.
inline std::vector<vertex_id> values_at(host_executor const& exec, rank_communicator const& comm,
                                        std::vector<std::int64_t> const& begins, vertex_id const* x,
                                        array_view<vertex_id const> at) {
    elements_at<vertex_id> const all(exec, comm, begins, x, at);
    std::vector<vertex_id> values(static_cast<std::size_t>(at.size()));
    for_each(exec, at.size(), [&](std::int64_t k) { values[std::size_t(k)] = all[at[k]]; });
    return values;
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
