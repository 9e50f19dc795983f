// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method over several ranks. Each rank coarsens its own block; aggregates do not cross rank
/// boundaries; on every level the residual includes the couplings K between ranks.
///
/// The matrix of every level is the Galerkin product over all ranks. If the matrix of all ranks is symmetric, the
/// prolongator is also smoothed across rank boundaries and has entries Q in columns of other ranks. Otherwise the row
/// sums of K are lumped to the diagonal of the filtered matrix, like all dropped entries, so that constants are
/// preserved. Without Q the couplings across a rank boundary become three times too strong, relative to those within a
/// rank, with every level.
///
/// When a level has too few rows for its ranks, the rows of neighbouring ranks move to one of them (merged_rows.hpp),
/// and the levels below are made there by the same classes, at last on one rank.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <coppice/algebra/asymmetry.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/distributed/levels/rank_coupling.hpp>
#include <coppice/solvers/distributed/levels/refused_refresh.hpp>
#include <coppice/solvers/distributed/levels/symmetry_over_ranks.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Preconditioner: a cycle over the levels of all ranks.
template <executor Executor, class T>
class distributed_multilevel {
public:
    distributed_multilevel(Executor const& exec, rank_communicator const& messages,
                           distributed_csr<Executor, T> const& a, multilevel_options const& options,
                           near_null_space<T> const& near)
        : messages_(messages), rows_(a.size()), pattern_(exec, a.own_block().view()),
          coupling_(std::make_unique<rank_coupling<Executor, T>>(exec, messages, a, options)),
          levels_(std::make_unique<rank_hierarchy<Executor, T>>(exec, a.own_block().view(), options, near,
                                                                coupling_.get())),
          totals_(messages.all_reduce(coupling_->totals(levels_->report()), [](auto const& p, auto const& q) {
              return level_totals{std::max(p.levels, q.levels), p.nonzeros + q.nonzeros};
          })) {}

    /// z = M^-1 r, blocks of this rank. Collective. Throws dimension_error for other sizes.
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_sizes(r, z);
        levels_->apply(exec, r.data(), z.data());
    }
    /// z = M^-T r, as apply(). The first call after a set-up or refresh transposes the levels.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_sizes(r, z);
        levels_->apply_transpose(exec, r.data(), z.data());
    }
    bool replayable() const { return coupling_->replayable(); } // not covered: devices only
    void refresh(Executor const&, csr_view<T>) {
        throw argument_error("the multilevel method of several ranks needs the rows of all ranks: call "
                             "refresh_distributed_preconditioner()");
    }
    /// Recomputes all values for new values on the same pattern; aggregates and structures are reused. Collective.
    /// Throws refused_refresh on all ranks, before any change.
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a) {
        csr_view<T> const own = a.own_block().view();
        std::optional<hypersparse_rows<T>> couplings;
        refuse_on_all_ranks(messages_, [&] {
            pattern_.require_same(exec, own);
            couplings.emplace(coupling_->couplings_to_refresh(exec, a));
            constexpr double tolerance = symmetry_tolerance<T>;
            if (coupling_->needs_symmetry() && !(asymmetry_of(exec, own, tolerance) <= tolerance))
                throw matrix_error("the block of rows and columns of this rank is no longer symmetric; make a new "
                                   "preconditioner");
        });
        if (coupling_->needs_symmetry() && !coupling_->are_symmetric(exec, own, *couplings))
            throw refused_refresh("the entries between ranks are no longer symmetric; make a new preconditioner");
        coupling_->begin_refresh(exec, std::move(*couplings));
        levels_->refresh(exec, own);
    }
    std::vector<finding> findings() const {
        multilevel_report const& r = levels_->report();
        double const first = coupling_->first_nonzeros();
        return {{"levels", finding_unit::count, totals_.levels},
                {"operator_complexity", finding_unit::number, first > 0 ? totals_.nonzeros / first : 1},
                {"unknowns_per_point", finding_unit::count, double(r.block)},
                {"weight_coverage", finding_unit::fraction, r.levels.front().coverage},
                {"coupling_seconds", finding_unit::seconds, r.coupling_seconds},
                {"aggregate_seconds", finding_unit::seconds, r.aggregate_seconds},
                {"prolongator_seconds", finding_unit::seconds, r.prolongator_seconds},
                {"galerkin_seconds", finding_unit::seconds, r.galerkin_seconds},
                {"smoother_seconds", finding_unit::seconds, r.smoother_seconds},
                {"boundary_seconds", finding_unit::seconds, coupling_->boundary_seconds()},
                {"merged_seconds", finding_unit::seconds, coupling_->merged_seconds()}};
    }

private:
    void require_sizes(array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, rows_);
        require_size("z of a preconditioner", z, rows_);
    }

    rank_communicator messages_;
    std::int64_t rows_;                   ///< of this rank
    detail::pattern_fingerprint pattern_; ///< of the own block
    std::unique_ptr<rank_coupling<Executor, T>> coupling_;
    std::unique_ptr<rank_hierarchy<Executor, T>> levels_;
    level_totals totals_; ///< of all ranks
};

template <executor Executor, class T>
bool is_symmetric_over_ranks(Executor const& exec, rank_communicator const& comm,
                             distributed_csr<Executor, T> const& a) {
    csr_view<T> const own = a.own_block().view();
    bool const symmetric = asymmetry_of(exec, own, symmetry_tolerance<T>) <= symmetry_tolerance<T>;
    return rank_coupling<Executor, T>(exec, comm, a, {}).agreed_symmetry(exec, own, symmetric);
}

} // namespace distributed
} // namespace coppice::inline v0_1
