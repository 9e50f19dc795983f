// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// ILUT and ILU(k): incomplete factors with fill.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <coppice/core/one_user.hpp>
#include <coppice/solvers/precondition/filled/ilut_factors.hpp>
#include <coppice/solvers/precondition/incomplete/ilu_factors.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/interface/wide_copy.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// to[p] = scale[at[p]] from[at[p]]
template <class T>
struct gather_scaled {
    std::int32_t const* at;
    T const *scale, *from;
    T* to;
    COPPICE_HD void operator()(std::int64_t p) const { to[p] = scale[at[p]] * from[at[p]]; }
};
/// to[at[p]] = scale[at[p]] from[p]
template <class T>
struct scatter_scaled {
    std::int32_t const* at;
    T const *scale, *from;
    T* to;
    COPPICE_HD void operator()(std::int64_t p) const { to[at[p]] = scale[at[p]] * from[p]; }
};

} // namespace detail

/// z = Q C U^-1 L^-1 R P r with incomplete factors with fill of the scaled and permuted matrix. They are computed in
/// double precision on one core of the host, for any executor; the triangular solves are exact: rows one after the
/// other on the host, by levels on CUDA. Not symmetric even if A is. refresh() computes everything again but the
/// pattern check.
///
/// Uses workspace of the object: one solve at a time. Throws matrix_error for values that are not finite, and the
/// errors of detail::make_ilut_factors().
template <executor Executor, class T, class I = std::int32_t>
class ilut_preconditioner {
public:
    ilut_preconditioner(Executor const& exec, csr_view<T, I> a, ilut_options const& options)
        : pattern_(exec, require_square(a, "a preconditioner")), options_(options), nonzeros_(double(a.nonzeros())),
          work_(exec, 2 * std::int64_t(a.rows())) {
        make(exec, a);
    }

    void refresh(Executor const& exec, csr_view<T, I> a) {
        pattern_.require_same_pattern(exec, a);
        make(exec, a);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require(r, z);
        auto const use = user_.enter("this ilut_preconditioner");
        std::int64_t const n = pattern_.size().rows;
        T *const first = work_.data(), *const second = first + n;
        for_each(exec, n, detail::gather_scaled<T>{row_of_.data(), row_scale_.data(), r.data(), first});
        lower_.solve(exec, nullptr, first, second);
        upper_.solve(exec, inverse_.data(), second, first);
        for_each(exec, n, detail::scatter_scaled<T>{column_of_.data(), column_scale_.data(), first, z.data()});
    }
    /// The first call after a set-up or refresh transposes the factors.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require(r, z);
        auto const use = user_.enter("this ilut_preconditioner");
        std::int64_t const n = pattern_.size().rows;
        if (!has_transposed_) {
            transposed_upper_.make_transposed(exec, upper_, true, true);
            transposed_lower_.make_transposed(exec, lower_, false, true);
            has_transposed_ = true;
        }
        T *const first = work_.data(), *const second = first + n;
        for_each(exec, n, detail::gather_scaled<T>{column_of_.data(), column_scale_.data(), r.data(), first});
        transposed_upper_.solve(exec, inverse_.data(), first, second);
        transposed_lower_.solve(exec, nullptr, second, first);
        for_each(exec, n, detail::scatter_scaled<T>{row_of_.data(), row_scale_.data(), first, z.data()});
    }
    bool replayable() const { return true; }
    std::vector<finding> findings() const {
        double const stored =
            double(lower_.matrix.nonzeros()) + double(upper_.matrix.nonzeros()) + double(inverse_.size());
        return {{"fill", finding_unit::number, nonzeros_ > 0 ? stored / nonzeros_ : 0},
                {"factor_nonzeros", finding_unit::count, stored},
                {"matched", finding_unit::flag, matched_ ? 1.0 : 0.0},
                {"interchanges", finding_unit::count, double(interchanges_)},
                {"replaced_pivots", finding_unit::count, double(replaced_)},
                {"shift", finding_unit::number, shift_}};
    }

private:
    void require(array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, pattern_.size().rows);
        require_size("z of a preconditioner", z, pattern_.size().rows);
    }
    template <class S>
    static std::vector<T> narrowed(std::vector<S> const& wide) {
        std::vector<T> to(wide.size());
        for (std::size_t k = 0; k < wide.size(); ++k) to[k] = detail::narrowed<T>(wide[k]);
        return to;
    }
    template <class S>
    static detail::triangle<Executor, T> triangle(Executor const& exec, detail::ilut_triangle<S> const& from,
                                                  bool lower) {
        auto const n = std::int32_t(from.offsets.size()) - 1;
        detail::triangle<Executor, T> made;
        made.matrix = {n, n, exec.copy(from.offsets), exec.copy(from.columns), exec.copy(narrowed(from.values))};
        made.schedule.make(exec, std::as_const(made.matrix).row_offsets(), std::as_const(made.matrix).column_indices(),
                           lower);
        return made;
    }
    void make(Executor const& exec, csr_view<T, I> a) {
        detail::require_finite(exec, a);
        csr<detail::wide_number<T>> const on_host = detail::wide_host_copy(exec, a);
        auto const f = detail::make_ilut_factors(on_host.view(), options_);
        auto const scales = [&](std::vector<double> const& of) {
            std::vector<T> to;
            to.reserve(of.size());
            for (double const scale : of) to.push_back(T(detail::real_of_t<T>(scale)));
            return exec.copy(to);
        };
        lower_ = triangle(exec, f.lower, true);
        upper_ = triangle(exec, f.upper, false);
        inverse_ = exec.copy(narrowed(f.inverse_pivots));
        row_of_ = exec.copy(f.row_of);
        column_of_ = exec.copy(f.column_of);
        row_scale_ = scales(f.row_scale);
        column_scale_ = scales(f.column_scale);
        has_transposed_ = false;
        matched_ = f.matched;
        interchanges_ = f.interchanges;
        replaced_ = f.replaced_pivots;
        shift_ = f.shift;
    }

    detail::pattern_fingerprint pattern_;
    ilut_options options_;
    double nonzeros_;
    detail::triangle<Executor, T> lower_{}, upper_{};
    mutable detail::triangle<Executor, T> transposed_lower_{}, transposed_upper_{};
    mutable bool has_transposed_ = false;
    buffer<T> inverse_{}, row_scale_{}, column_scale_{};
    buffer<std::int32_t> row_of_{}, column_of_{}; ///< of A, at each position in the factors
    mutable buffer<T> work_;
    detail::one_user user_{};
    bool matched_ = false;
    std::int64_t interchanges_ = 0, replaced_ = 0;
    double shift_ = 0;
};

namespace detail {

inline constexpr option_row ilut_matching_row{
    .name = "matching",
    .kind = option_kind::choice,
    .standard = "auto",
    .meaning =
        "permutation of the rows that maximises the product of the diagonal; auto: if a diagonal element is small",
    .choices = {"auto", "yes", "no"}};
inline constexpr option_row ilut_order_row{
    .name = "order",
    .kind = option_kind::choice,
    .standard = "auto",
    .meaning = "order of the rows and columns: as they are, or minimum degree of A + A^T; auto: degree",
    .choices = {"auto", "given", "degree"}};
inline constexpr option_row ilut_option_rows[] = {
    {.name = "drop",
     .kind = option_kind::real,
     .standard = "1e-3",
     .meaning = "elements below this fraction of the mean element of their row of A are dropped",
     .max = 1},
    {.name = "fill",
     .kind = option_kind::real,
     .standard = "10",
     .meaning = "maximum number of nonzeros of a row of L, and of U, as a multiple of those of the row of A",
     .max = 1e6},
    {.name = "pivot",
     .kind = option_kind::real,
     .standard = "0.1",
     .meaning = "columns are interchanged if a pivot is below this fraction of its row of U; 0: never",
     .max = 1},
    ilut_matching_row,
    ilut_order_row};
inline constexpr option_row iluk_option_rows[] = {
    {.name = "level", .standard = "1", .meaning = "maximum level of fill; 0: the pattern of A", .min = 0, .max = 1000},
    ilut_matching_row,
    ilut_order_row};

} // namespace detail

struct ilut_entry {
    static constexpr preconditioner_row row{.name = "ilut",
                                            .matrix = "L U with the largest elements of the fill, scaled and permuted",
                                            .setup = "a sequential factorisation on the host, 100 to 1000 products",
                                            .suits = "general matrices on which ilu0 fails: circuits, KKT, advection",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .refresh_allocates = true,
                                            .options = detail::ilut_option_rows};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return ilut_preconditioner<Executor, T, I>(exec, a,
                                                   {.drop = o.real("drop"),
                                                    .fill = o.real("fill"),
                                                    .pivot = o.real("pivot"),
                                                    .matching = ilut_matching(o.choice("matching")),
                                                    .order = ilut_order(o.choice("order"))});
    }
};

struct iluk_entry {
    static constexpr preconditioner_row row{.name = "iluk",
                                            .matrix = "L U on the pattern of A and fill up to a level",
                                            .setup = "a sequential factorisation on the host, 100 to 1000 products",
                                            .suits = "general matrices on which ilu0 converges slowly",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .refresh_allocates = true,
                                            .options = detail::iluk_option_rows};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return ilut_preconditioner<Executor, T, I>(exec, a,
                                                   {.drop = 0,
                                                    .fill = 1e9,
                                                    .level = int(o.integer("level")),
                                                    .pivot = 0,
                                                    .matching = ilut_matching(o.choice("matching")),
                                                    .order = ilut_order(o.choice("order"))});
    }
};

} // namespace coppice::inline v0_1
