// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multiplicative splitting with factors of any supported pattern (thesis sections 5.1.5, 5.1.9).
#pragma once

#include <string>
#include <vector>

#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/splitting/direct_splitting.hpp>
#include <coppice/solvers/precondition/splitting/normalised_weights.hpp>
#include <coppice/solvers/precondition/splitting/regularise_factor.hpp>

namespace coppice::inline v0_1 {

struct mixed_options {
    /// Kinds of the factors 0, 1, ...: 1 to 16. There are fewer factors if no weights remain.
    std::vector<factor_kind> kinds{factor_kind::blocks, factor_kind::forest, factor_kind::forest, factor_kind::forest};
    int bands = 2;    ///< bands of factor_kind::bands on each side of the diagonal: 1 to 8
    double omega = 0; ///< in [0, 1]: damping factor for weights of edges that an earlier factor contains
    factor_options factor{.ties = tie_rule::near}; ///< for forests and pairs
    tridiagonal_options solve{};                   ///< for the systems
};

namespace detail {

/// Weights that a factor contains for the first time, and weights of all factors so far.
template <class T, class I>
struct take_row_weights {
    csr_view<T, I> first; ///< C_0
    factor_pattern<I> pattern;
    T omega;
    T* now; ///< C_l, replaced by C_{l+1} (Eq. 71)
    COPPICE_HD graph_detail::held_weight operator()(std::int64_t i) const {
        graph_detail::held_weight sum{0, 0};
        for (I k = first.row_begin(i); k < first.row_end(i); ++k) {
            if (first.indices[k] == I(i)) continue;
            double const size = double(magnitude(first.coefficients[k]));
            bool const takes = now[k] != T(0) && pattern(i, first.indices[k]);
            if (takes) now[k] = omega * now[k];
            sum.newest += takes ? size : 0;
            sum.all += takes || now[k] != first.coefficients[k] ? size : 0;
        }
        return sum;
    }
};
/// Assigns an entry to factor l if its pattern contains it and no earlier factor has it.
template <class T, class I>
struct claim_row {
    csr_view<T, I> a;
    factor_pattern<I> pattern;
    std::uint8_t l;
    std::uint8_t* owner; ///< factor that owns a nonzero, counted from 1; 0: none
    COPPICE_HD void operator()(std::int64_t i) const {
        for (I k = a.row_begin(i); k < a.row_end(i); ++k)
            if (owner[k] == 0 && pattern(i, a.indices[k])) owner[k] = l;
    }
};
/// Entries of M_l (Eq. 60).
template <class T, class I>
struct direct_values {
    direct_factor<T> factor;
    std::uint8_t const* owner; ///< null: factors may share entries
    COPPICE_HD bool contains(I k) const { return !owner || owner[k] == factor.l + 1; }
    COPPICE_HD T off_diagonal(std::int64_t i, std::int64_t j, T entry) const {
        return factor.off_diagonal(i, j, entry);
    }
    COPPICE_HD T on_diagonal(std::int64_t i) const { return factor.on_diagonal(i); }
};

} // namespace detail

/// Computes z = M_0^-1 ... M_{m-1}^-1 T^-1 r with T = diagp_1(A) and the factors of Eqs. 57 to 60, as direct_splitting;
/// but the pattern of each factor is a linear forest, a forest of pairs, or a band of A in the given order. Each
/// pattern is found in the remaining weights of the previous factors: with omega = 0 no entry of A is in two factors.
/// Cost: m solves, no product with A. If A is multiplied from the left by a diagonal matrix, so is M. Singular factors
/// are regularised. M is not symmetric even if A is. apply() uses workspace of the object: one solve at a time.
template <executor Executor, class T, class I = std::int32_t>
class mixed_splitting {
public:
    /// Throws the same exceptions as inner_alternation.
    mixed_splitting(Executor const& exec, csr_view<T, I> a, mixed_options const& options = {})
        : fingerprint_(exec, require_square(a, "a preconditioner")), diagonal_(exec, a.rows()),
          owner_(exec, options.omega == 0 ? a.nonzeros() : I(0)) {
        check(options);
        detail::stopwatch watch(exec);
        detail::normalised_weights<T, I> const weights(exec, a, scales_);
        find_factors(exec, a, weights.view(), options);
        factors_seconds_ = watch.lap();
        read(exec, a);
        systems_seconds_ = watch.lap();
    }

    /// Reads new values as inner_alternation::refresh(); same errors.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        fingerprint_.require_same(exec, a);
        scales_.read(exec, a);
        read(exec, a);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, diagonal_.size());
        require_size("z of a preconditioner", z, diagonal_.size());
        factors_.back().solve(exec, r, z);
        for (std::size_t l = factors_.size() - 1; l-- > 0;) factors_[l].solve(exec, array_view<T const>(z), z);
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, diagonal_.size());
        require_size("z of a preconditioner", z, diagonal_.size());
        factors_.front().solve_transposed(exec, r, z);
        for (std::size_t l = 1; l < factors_.size(); ++l) factors_[l].solve_transposed(exec, array_view<T const>(z), z);
    }
    bool replayable() const { return true; }
    int factors() const { return int(factors_.size()); }
    /// The pattern of factor l; with omega = 0 entries of earlier factors are excluded. For device code of the same
    /// executor.
    detail::factor_pattern<I> pattern(int l) const { return factors_[std::size_t(l)].pattern(); }
    std::vector<finding> findings() const {
        std::vector<finding> all{{"factors", finding_unit::count, double(factors())}};
        for (std::size_t l = 0; l < factors_.size(); ++l)
            all.push_back({detail::coverage_keys[l], finding_unit::fraction, coverages_[l]});
        all.push_back({"mended_rows", finding_unit::count, double(regularised_)});
        all.push_back({"weight_coverage", finding_unit::fraction, covered_});
        all.push_back({"parts_seconds", finding_unit::seconds, factors_seconds_});
        all.push_back({"systems_seconds", finding_unit::seconds, systems_seconds_});
        return all;
    }

private:
    using factor = detail::solvable_factor<Executor, T, I>;

    static void check(mixed_options const& o) {
        detail::check_splitting_options({.factors = int(o.kinds.size()), .omega = o.omega});
        if (o.bands < 1 || o.bands > largest_block)
            throw argument_error("bands of a splitting are " + std::to_string(o.bands) + ", expected 1 to " +
                                 std::to_string(largest_block));
    }
    static factor make_factor(Executor const& exec, csr_view<T, I> weights, factor_kind kind, mixed_options const& o) {
        if (kind == factor_kind::bands) return factor(exec, weights.rows(), o.bands, o.solve);
        if (kind == factor_kind::blocks) return factor(exec, pair_forest(exec, weights, o.factor), o.solve);
        factor_options paths = o.factor;
        paths.degree = 2; // paths
        return factor(exec, extract_forest(exec, weights, parallel_factor(exec, weights, paths)), o.solve);
    }
    void find_factors(Executor const& exec, csr_view<T, I> a, csr_view<T, I> first, mixed_options const& o) {
        double const total = detail::off_diagonal_weight(exec, first);
        buffer<T> adjusted = copy_of(exec, first.values());
        csr_view<T, I> now = first;
        now.coefficients = adjusted.data();
        fill(exec, owner_.view(), std::uint8_t(0));
        for (factor_kind const kind : o.kinds) {
            factor next = make_factor(exec, now, kind, o);
            auto const held = reduce(exec, first.rows(), graph_detail::held_weight{0, 0},
                                     detail::take_row_weights<T, I>{first, next.pattern(), T(o.omega), adjusted.data()},
                                     graph_detail::add_held_weight{});
            if (held.newest == 0 && !factors_.empty()) continue; // no weight remains for this factor
            factors_.push_back(std::move(next));
            coverages_.push_back(total > 0 ? held.newest / total : 1);
            covered_ = total > 0 ? held.all / total : 1;
            if (owner_.size() > 0)
                for_each(exec, a.rows(),
                         detail::claim_row<T, I>{a, factors_.back().pattern(), std::uint8_t(factors_.size()),
                                                 owner_.data()});
        }
    }
    void read(Executor const& exec, csr_view<T, I> a) {
        for_each(exec, a.rows(), detail::diagonal_entry<T, I, I>{a, diagonal_.data()});
        int const m = factors();
        regularised_ = 0;
        for (int l = 0; l < m; ++l) {
            factor& now = factors_[std::size_t(l)];
            now.read(exec, a,
                     detail::direct_values<T, I>{{diagonal_.data(), scales_.inverse.data(), m, l},
                                                 owner_.size() > 0 ? owner_.data() : nullptr});
            regularised_ += regulariser_.regularise(exec, now, m == 1 && covered_ == 1);
        }
    }

    detail::pattern_fingerprint fingerprint_;
    detail::row_scales<T, I> scales_{};
    buffer<T> diagonal_;
    buffer<std::uint8_t> owner_; ///< of the nonzeros of A, if no nonzero is in two factors
    std::vector<factor> factors_{};
    factor_regulariser<Executor, T, I> regulariser_{};
    std::vector<double> coverages_{};
    double covered_ = 1;
    std::int64_t regularised_ = 0;
    double factors_seconds_ = 0, systems_seconds_ = 0;
};

namespace detail {

/// Names of factor_kind, in its order.
inline constexpr choice_names factor_kind_names{"forest", "blocks", "bands"};

} // namespace detail

struct mixed_splitting_entry {
    static constexpr option_row options[] = {
        detail::factors_row,
        {.name = "first",
         .kind = option_kind::choice,
         .standard = "blocks",
         .meaning =
             "pattern of the first factor: a forest, a forest of pairs (2x2 blocks), or a band in the given numbering",
         .choices = detail::factor_kind_names},
        {.name = "others",
         .kind = option_kind::choice,
         .standard = "forest",
         .meaning = "pattern of the other factors",
         .choices = {"forest", "blocks"}},
        {.name = "bands",
         .standard = "2",
         .meaning = "bands on either side, for first = bands",
         .min = 1,
         .max = largest_block},
        detail::omega_row("0"),
        detail::ties_row,
        detail::rounds_row,
        detail::seed_row,
        detail::pivoting_row,
        detail::threshold_row};
    static constexpr preconditioner_row row{.name = "mos",
                                            .matrix = "as mos-d, also with factors of other patterns",
                                            .setup = "m times that of block-forest",
                                            .suits = "as mos-d; the first factor has more entries; not for cg",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .options = options};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return mixed_splitting<Executor, T, I>(exec, a, read(o));
    }
    static mixed_options read(chosen_options const& o) {
        mixed_options chosen{.bands = int(o.integer("bands")),
                             .omega = o.real("omega"),
                             .factor = detail::read_factor_options(o),
                             .solve = detail::read_tridiagonal_options(o)};
        chosen.kinds.assign(std::size_t(o.integer("factors")), factor_kind(o.choice("others")));
        chosen.kinds.front() = factor_kind(o.choice("first"));
        return chosen;
    }
};

} // namespace coppice::inline v0_1
