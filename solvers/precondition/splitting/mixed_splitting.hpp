// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multiplicative ansatz with factors of any pattern whose systems can be solved here (thesis
/// sections 5.1.5, 5.1.9).
#pragma once

#include <string>
#include <vector>

#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/splitting/direct_splitting.hpp>
#include <coppice/solvers/precondition/splitting/normalised_weights.hpp>
#include <coppice/solvers/precondition/splitting/regularise_factor.hpp>

namespace coppice {

struct mixed_options {
    /// Of factor 0, 1, ...: 1 to 16; there are fewer where the weights do not give so many.
    std::vector<part_kind> parts{part_kind::blocks, part_kind::forest, part_kind::forest, part_kind::forest};
    int bands = 2;    ///< of part_kind::bands, on either side: 1 to 8
    double omega = 0; ///< in [0, 1]: what is left of the weight of an edge that a part has taken
    factor_options factor{.ties = tie_rule::near}; ///< of forests and pairs
    tridiagonal_options solve{};                   ///< of the systems
};

namespace detail {

/// What of the weights a part takes anew, and what all parts up to it hold.
template <class T, class I>
struct take_row_weights {
    csr_view<T, I> first; ///< C_0
    part_pattern<I> pattern;
    T omega;
    T* now; ///< C_l becomes C_{l+1} (Eq. 71)
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
/// An entry that no part holds yet, and that part l has place for, is of part l.
template <class T, class I>
struct claim_row {
    csr_view<T, I> a;
    part_pattern<I> pattern;
    std::uint8_t l;
    std::uint8_t* owner; ///< part of a nonzero, counted from 1; 0 for none
    COPPICE_HD void operator()(std::int64_t i) const {
        for (I k = a.row_begin(i); k < a.row_end(i); ++k)
            if (owner[k] == 0 && pattern(i, a.indices[k])) owner[k] = l;
    }
};
/// M_l of Eq. 60.
template <class T, class I>
struct direct_values {
    direct_factor<T> factor;
    std::uint8_t const* owner; ///< null: parts share entries
    COPPICE_HD bool holds(I k) const { return !owner || owner[k] == factor.l + 1; }
    COPPICE_HD T beside(std::int64_t i, std::int64_t j, T entry) const { return factor.beside(i, j, entry); }
    COPPICE_HD T on_diagonal(std::int64_t i) const { return factor.on_diagonal(i); }
};

} // namespace detail

/// z = M_0^-1 ... M_{m-1}^-1 T^-1 r with T = diagp_1(A) and the factors of Eqs. 57 to 60, as direct_splitting, where
/// the pattern of each is that of a linear forest, of a forest of pairs, or of a band of A as it is numbered. Each is
/// found in the weights that those before it have left: with omega = 0 no entry of A is in two of them. m solves, no
/// product with A. Multiplying A from the left by a diagonal matrix multiplies M by it. Singular factors are mended.
/// Not symmetric where A is. apply() works in memory of the object: one solve at a time.
template <executor Executor, class T, class I = std::int32_t>
class mixed_splitting {
public:
    /// Throws as inner_alternation.
    mixed_splitting(Executor const& exec, csr_view<T, I> a, mixed_options const& options = {})
        : mark_(exec, require_square(a, "a preconditioner")), diagonal_(exec, a.rows()),
          owner_(exec, options.omega == 0 ? a.nonzeros() : I(0)) {
        check(options);
        detail::stopwatch watch(exec);
        detail::normalised_weights<T, I> const weights(exec, a, scales_);
        find_parts(exec, a, weights.view(), options);
        parts_seconds_ = watch.lap();
        read(exec, a);
        systems_seconds_ = watch.lap();
    }

    /// As that of inner_alternation.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        mark_.require_same(exec, a);
        scales_.read(exec, a);
        read(exec, a);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, diagonal_.size());
        require_size("z of a preconditioner", z, diagonal_.size());
        parts_.back().solve(exec, r, z);
        for (std::size_t l = parts_.size() - 1; l-- > 0;) parts_[l].solve(exec, array_view<T const>(z), z);
    }
    bool replayable() const { return true; }
    int factors() const { return int(parts_.size()); }
    /// Which entries factor l holds, unless an earlier one does and omega is 0; for lanes of the same executor.
    detail::part_pattern<I> pattern(int l) const { return parts_[std::size_t(l)].pattern(); }
    std::vector<finding> findings() const {
        std::vector<finding> all{{"factors", finding_unit::count, double(factors())}};
        for (std::size_t l = 0; l < parts_.size(); ++l)
            all.push_back({detail::coverage_keys[l], finding_unit::share, coverages_[l]});
        all.push_back({"mended_rows", finding_unit::count, double(mended_)});
        all.push_back({"weight_coverage", finding_unit::share, covered_});
        all.push_back({"parts_seconds", finding_unit::seconds, parts_seconds_});
        all.push_back({"systems_seconds", finding_unit::seconds, systems_seconds_});
        return all;
    }

private:
    using part = detail::solvable_part<Executor, T, I>;

    static void check(mixed_options const& o) {
        detail::check_splitting_options({.factors = int(o.parts.size()), .omega = o.omega});
        if (o.bands < 1 || o.bands > largest_block)
            throw argument_error("bands of a splitting are " + std::to_string(o.bands) + ", expected 1 to " +
                                 std::to_string(largest_block));
    }
    static part make_part(Executor const& exec, csr_view<T, I> weights, part_kind kind, mixed_options const& o) {
        if (kind == part_kind::bands) return part(exec, weights.rows(), o.bands, o.solve);
        if (kind == part_kind::blocks) return part(exec, pair_forest(exec, weights, o.factor), o.solve);
        factor_options factor = o.factor;
        factor.degree = 2; // paths
        return part(exec, extract_forest(exec, weights, parallel_factor(exec, weights, factor)), o.solve);
    }
    void find_parts(Executor const& exec, csr_view<T, I> a, csr_view<T, I> first, mixed_options const& o) {
        double const total = detail::off_diagonal_weight(exec, first);
        buffer<T> adjusted = copy_of(exec, first.values());
        csr_view<T, I> now = first;
        now.coefficients = adjusted.data();
        fill(exec, owner_.view(), std::uint8_t(0));
        for (part_kind const kind : o.parts) {
            part next = make_part(exec, now, kind, o);
            auto const held = reduce(exec, first.rows(), graph_detail::held_weight{0, 0},
                                     detail::take_row_weights<T, I>{first, next.pattern(), T(o.omega), adjusted.data()},
                                     graph_detail::add_held_weight{});
            if (held.newest == 0 && !parts_.empty()) continue; // nothing is left for it
            parts_.push_back(std::move(next));
            coverages_.push_back(total > 0 ? held.newest / total : 1);
            covered_ = total > 0 ? held.all / total : 1;
            if (owner_.size() > 0)
                for_each(
                    exec, a.rows(),
                    detail::claim_row<T, I>{a, parts_.back().pattern(), std::uint8_t(parts_.size()), owner_.data()});
        }
    }
    void read(Executor const& exec, csr_view<T, I> a) {
        for_each(exec, a.rows(), detail::diagonal_entry<T, I, I>{a, diagonal_.data()});
        int const m = factors();
        mended_ = 0;
        for (int l = 0; l < m; ++l) {
            part& now = parts_[std::size_t(l)];
            now.read(exec, a,
                     detail::direct_values<T, I>{{diagonal_.data(), scales_.inverse.data(), m, l},
                                                 owner_.size() > 0 ? owner_.data() : nullptr});
            mended_ += mender_.mend(exec, now, m == 1 && covered_ == 1);
        }
    }

    detail::pattern_mark mark_;
    detail::row_scales<T, I> scales_{};
    buffer<T> diagonal_;
    buffer<std::uint8_t> owner_; ///< of the nonzeros of A, where none is in two parts
    std::vector<part> parts_{};
    part_mender<Executor, T, I> mender_{};
    std::vector<double> coverages_{};
    double covered_ = 1;
    std::int64_t mended_ = 0;
    double parts_seconds_ = 0, systems_seconds_ = 0;
};

namespace detail {

/// Names of part_kind, in its order.
inline constexpr choice_names part_names{"forest", "blocks", "bands"};

} // namespace detail

struct mixed_splitting_entry {
    static constexpr option_row options[] = {
        detail::factors_row,
        {.name = "first",
         .kind = option_kind::choice,
         .standard = "blocks",
         .meaning = "pattern of the first factor: a forest, a forest of pairs (2x2 blocks), or a band as numbered",
         .choices = detail::part_names},
        {.name = "others",
         .kind = option_kind::choice,
         .standard = "forest",
         .meaning = "pattern of the others",
         .choices = {"forest", "blocks"}},
        {.name = "bands", .standard = "2", .meaning = "on either side, of a band", .least = 1, .most = largest_block},
        detail::omega_row("0"),
        detail::ties_row,
        detail::rounds_row,
        detail::seed_row,
        detail::pivoting_row,
        detail::threshold_row};
    static constexpr preconditioner_row row{.name = "mos",
                                            .matrix = "as mos-d, factors of other patterns too",
                                            .setup = "m times that of block-forest",
                                            .suits = "as mos-d; a first factor that holds more; not for cg",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .options = options};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        mixed_options chosen{.bands = int(o.integer("bands")),
                             .omega = o.real("omega"),
                             .factor = detail::read_factor_options(o),
                             .solve = detail::read_tridiagonal_options(o)};
        chosen.parts.assign(std::size_t(o.integer("factors")), part_kind(o.choice("others")));
        chosen.parts.front() = part_kind(o.choice("first"));
        return mixed_splitting<Executor, T, I>(exec, a, chosen);
    }
};

} // namespace coppice
