// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The 2x2 block tridiagonal factor of a matrix along a forest of pairs (thesis section 4.6).
#pragma once

#include <coppice/graph/factor/edge_weights.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>
#include <coppice/solvers/precondition/splitting/regularise_factor.hpp>

namespace coppice::inline v0_1 {

/// Computes z = P^T S^-1 P r ("AlgTriBlockPrecond"): P numbers the pairs of a heavy matching along the paths of a
/// linear forest of such pairs; S is the 2x2 block tridiagonal matrix of the entries of P A P^T that this forest
/// covers. A vertex without a partner shares its block with a ghost: an equation x = 1 without couplings. Weights,
/// factors and regularisation are those of forest_preconditioner. If A is symmetric, so is S. apply() uses workspace of
/// the object: one solve at a time.
template <executor Executor, class T, class I = std::int32_t>
class block_forest_preconditioner {
public:
    /// Throws dimension_error if A is not square, matrix_error if its values are not finite or a row holds a column
    /// twice, argument_error for options out of range.
    block_forest_preconditioner(Executor const& exec, csr_view<T, I> a, forest_options const& options = {})
        : fingerprint_(exec, require_square(a, "a preconditioner")), pairs_(find(exec, a, options.factor)),
          factor_(exec, pairs_, options.tridiagonal) {
        detail::stopwatch watch(exec);
        read(exec, a);
        system_seconds_ = watch.lap();
    }

    /// Reads a matrix with the pattern of the first one and new values; pairs and forest are reused. Throws
    /// dimension_error if the size differs, matrix_error if the pattern differs or values are not finite; then the
    /// object is unchanged.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        fingerprint_.require_same(exec, a);
        read(exec, a);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, pairs_.vertices);
        require_size("z of a preconditioner", z, pairs_.vertices);
        factor_.solve(exec, r, z);
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, pairs_.vertices);
        require_size("z of a preconditioner", z, pairs_.vertices);
        factor_.solve_transposed(exec, r, z);
    }
    bool replayable() const { return true; }
    paired_forest<I> const& pairs() const { return pairs_; }
    std::vector<finding> findings() const {
        return {{"paths", finding_unit::count, double(pairs_.blocks.paths)},
                {"longest_path", finding_unit::count, double(pairs_.blocks.longest_path)},
                {"weight_coverage", finding_unit::fraction, pairs_.weight_coverage},
                {"ghosts", finding_unit::count, double(pairs_.ghosts())},
                {"mended_rows", finding_unit::count, double(regularised_)},
                {"forest_seconds", finding_unit::seconds, forest_seconds_},
                {"system_seconds", finding_unit::seconds, system_seconds_}};
    }

private:
    paired_forest<I> find(Executor const& exec, csr_view<T, I> a, factor_options const& factor) {
        detail::stopwatch watch(exec);
        auto const weights = make_edge_weights(exec, a);
        auto pairs = pair_forest(exec, weights.view, factor);
        forest_seconds_ = watch.lap();
        return pairs;
    }
    void read(Executor const& exec, csr_view<T, I> a) {
        factor_.read(exec, a, detail::plain_values<T, I>{a});
        regularised_ = regulariser_.regularise(exec, factor_, pairs_.weight_coverage == 1);
    }

    double forest_seconds_ = 0, system_seconds_ = 0;
    detail::pattern_fingerprint fingerprint_;
    paired_forest<I> pairs_;
    detail::solvable_factor<Executor, T, I> factor_;
    factor_regulariser<Executor, T, I> regulariser_{};
    std::int64_t regularised_ = 0;
};

struct block_forest_entry {
    static constexpr preconditioner_row row{.name = "block-forest",
                                            .matrix = "2x2 block tridiagonal part of A along a forest of pairs",
                                            .setup = "about twice that of forest",
                                            .suits = "as forest, if strong couplings form pairs",
                                            .compared = false,
                                            .options = forest_entry::options};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return block_forest_preconditioner<Executor, T, I>(exec, a, forest_entry::read(o));
    }
};

} // namespace coppice::inline v0_1
