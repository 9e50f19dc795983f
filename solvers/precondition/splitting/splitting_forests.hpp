// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// First step of alternating and direct splittings: forests of the normalised weights, with one system each.
#pragma once

#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>
#include <coppice/solvers/precondition/splitting/forest_systems.hpp>
#include <coppice/solvers/precondition/splitting/normalised_weights.hpp>

namespace coppice::inline v0_1::detail {

/// Function object `find` for forests of heavy edges.
template <executor Executor>
struct find_heavy_forests {
    Executor const& exec;
    splitting_options const& options;
    template <class T, class I>
    forest_decomposition<I> operator()(csr_view<T, I> weights) const {
        check_splitting_options(options);
        return decompose_into_forests(exec, weights, decomposition_of(options));
    }
};

/// The forests of the normalised weights of A (Eqs. 70 and 71), memory for a system along each, and their report.
template <executor Executor, class T, class I>
class splitting_forests {
public:
    /// find(weights) returns a forest_decomposition; then read(*this) reads the systems. Throws the same exceptions as
    /// inner_alternation.
    template <class Find, class Read>
    splitting_forests(Executor const& exec, csr_view<T, I> a, tridiagonal_options const& options, Find const& find,
                      Read const& read)
        : fingerprint_(exec, require_square(a, "a preconditioner")), systems_(exec, a.rows(), options) {
        stopwatch watch(exec);
        normalised_weights<T, I> const weights(exec, a, scales_);
        weights_seconds_ = watch.lap();
        auto found = find(weights.view());
        covered_ = found.covered.back();
        for (auto& forest : found.forests) systems_.add(exec, std::move(forest));
        forests_seconds_ = watch.lap();
        read(*this);
        systems_seconds_ = watch.lap();
    }

    /// Throws dimension_error if the size differs, matrix_error if the pattern differs or values are not finite.
    void require_same(Executor const& exec, csr_view<T, I> a) const { fingerprint_.require_same(exec, a); }
    forest_systems<Executor, T, I>& systems() { return systems_; }
    forest_systems<Executor, T, I> const& systems() const { return systems_; }
    /// diagp_1(A) and the plan of its pattern. Values are those of the set-up until they are read again.
    row_scales<T, I>& scales() { return scales_; }
    std::vector<finding> findings() const {
        auto all = systems_.findings();
        all.push_back({"weight_coverage", finding_unit::fraction, covered_});
        all.push_back({"weights_seconds", finding_unit::seconds, weights_seconds_});
        all.push_back({"forests_seconds", finding_unit::seconds, forests_seconds_});
        all.push_back({"systems_seconds", finding_unit::seconds, systems_seconds_});
        return all;
    }

private:
    pattern_fingerprint fingerprint_;
    row_scales<T, I> scales_{};
    forest_systems<Executor, T, I> systems_;
    double covered_ = 1; ///< fraction of the weights that the forests cover together
    double weights_seconds_ = 0, forests_seconds_ = 0, systems_seconds_ = 0;
};

} // namespace coppice::inline v0_1::detail
