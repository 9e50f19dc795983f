// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The pattern of the rows of a rank, to check that a refresh reads new values of the same matrix.
#pragma once

#include <cstdint>
#include <vector>

#include <coppice/solvers/distributed/levels/couplings.hpp>
#include <coppice/solvers/distributed/levels/refused_refresh.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>

namespace coppice::inline v0_1::distributed {

class rank_pattern {
public:
    template <executor Executor, class T>
    rank_pattern(Executor const& exec, distributed_csr<Executor, T> const& a)
        : own_(exec, a.own_block().view()), couplings_(hash_of(a.couplings())) {}

    /// Throws refused_refresh on all ranks if any rank has another pattern or values that are not finite. Collective.
    template <executor Executor, class T>
    void require_same(Executor const& exec, rank_communicator const& comm,
                      distributed_csr<Executor, T> const& a) const {
        refuse_on_all_ranks(comm, [&] {
            own_.require_same_pattern(exec, a.own_block().view());
            if (hash_of(a.couplings()) != couplings_) detail::pattern_fingerprint::refuse();
            std::int64_t const first = a.begins()[std::size_t(comm.rank())];
            detail::require_finite(exec, a.own_block().view(), first);
            require_finite_couplings(a.couplings(), first);
        });
    }

private:
    static std::uint64_t hash_of(std::vector<std::int32_t> const& list, std::uint32_t salt) {
        detail::hash_index<std::int32_t> const hash{list.data(), salt};
        std::uint64_t sum = list.size();
        for (std::size_t k = 0; k < list.size(); ++k) sum += hash(std::int64_t(k));
        return sum;
    }
    template <class Entries>
    static std::uint64_t hash_of(Entries const& entries) {
        return hash_of(entries.rows, 3) + hash_of(entries.offsets, 4) + hash_of(entries.columns, 5);
    }

    detail::pattern_fingerprint own_;
    std::uint64_t couplings_; ///< hash of the entries in columns of other ranks
};

} // namespace coppice::inline v0_1::distributed
