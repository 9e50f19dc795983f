// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The exchange of a halo in the opposite direction: values for elements of other ranks go to their owners.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/graph/frontier/frontier.hpp>
#include <coppice/solvers/distributed/levels/exchange.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// x[rows[i]] = min(x[rows[i]], values[i]).
template <class T>
struct lower_received {
    std::int32_t const* rows; ///< null: row i is i
    T const* values;
    T* x;
    int* changed; ///< set if an element has become smaller; null: not needed
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        if (worker.lower(x + (rows ? rows[i] : i), values[i]) && changed) worker.store(changed, 1);
    }
};

/// Receives, for the elements of this rank, one value from each rank that has them in its halo. The received values are
/// those of rank 0, then those of rank 1, ..., so that several may belong to one element.
template <executor Executor, class T>
class reverse_halo {
public:
    reverse_halo(Executor const& exec, rank_communicator const& comm, shared_halo_plan<Executor> plan)
        : comm_(comm), plan_(std::move(plan)), values_(exec, plan_->sent_rows.size()),
          all_(analytics::placed(exec, analytics::worklist{nullptr, values_.size(), 0})) {}

    std::int64_t size() const { return values_.size(); }                 ///< number of received values
    std::int32_t const* rows() const { return plan_->sent_rows.data(); } ///< [size()] elements of this rank
    T const* values() const { return values_.data(); }                   ///< [size()]
    analytics::worklist const* all() const { return all_.data(); }       ///< the list 0 .. size() - 1
    bool any() const { return plan_->plan.any; }                         ///< whether any rank has a halo

    /// Sends of_outer[halo], in the order of the halo. Collective. Waits for other ranks only without NCCL.
    void run(Executor const& exec, T const* of_outer) {
        halo_plan const& plan = plan_->plan;
        if (plan.any) exchange(exec, comm_, plan.receive_begin, of_outer, plan.send_begin, values_.data());
    }
    /// Lowers the elements x of this rank to the minimum of themselves and the values of_outer of all ranks. T as for
    /// worker.lower(). `changed`: see lower_received. Collective.
    void lower(Executor const& exec, T const* of_outer, T* x, int* changed = nullptr) {
        run(exec, of_outer);
        analytics::vertex_map(exec, nullptr, all(), analytics::nothing(),
                              lower_received<T>{rows(), values(), x, changed});
    }

private:
    rank_communicator comm_;
    shared_halo_plan<Executor> plan_;
    buffer<T> values_;
    buffer<analytics::worklist> all_;
};

} // namespace coppice::inline v0_1::distributed
