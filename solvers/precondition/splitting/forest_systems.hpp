// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Several tridiagonal systems of one size, each along its own linear forest.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/solvers/direct/regularise/regularise_tridiagonal.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>
#include <coppice/solvers/precondition/splitting/splitting_options.hpp>

namespace coppice::inline v0_1::detail {

/// Keys of the weight coverage of each forest in a report.
inline constexpr std::array<std::string_view, max_factors> coverage_keys{
    "coverage_1",  "coverage_2",  "coverage_3",  "coverage_4",  "coverage_5",  "coverage_6",
    "coverage_7",  "coverage_8",  "coverage_9",  "coverage_10", "coverage_11", "coverage_12",
    "coverage_13", "coverage_14", "coverage_15", "coverage_16"};
inline constexpr std::array<std::string_view, max_factors> diagonal_keys{
    "diagonal_1",  "diagonal_2",  "diagonal_3",  "diagonal_4",  "diagonal_5",  "diagonal_6",
    "diagonal_7",  "diagonal_8",  "diagonal_9",  "diagonal_10", "diagonal_11", "diagonal_12",
    "diagonal_13", "diagonal_14", "diagonal_15", "diagonal_16"};

/// Position in another order of the vertex at each position of one order.
template <class I>
struct compose_orders {
    I const *permutation, *inverse;
    I* positions;
    COPPICE_HD void operator()(std::int64_t p) const { positions[p] = inverse[permutation[p]]; }
};

/// Whether a row of a factor contains almost nothing of its row of B, whose magnitudes add up to `sum`. The inverse of
/// such a factor would amplify the rest of the row, and the next factor would amplify it again. The diagonal entry
/// becomes diagp_2(B) (Eq. 41).
template <class T>
COPPICE_HD bool is_weak_row(T lower, T diagonal, T upper, T sum) {
    T const min_fraction = T(1) / 1024; // of the row sum
    T const low = magnitude(lower), up = magnitude(upper), here = magnitude(diagonal);
    T const off_diagonal = low > up ? low : up;
    return (here > off_diagonal ? here : off_diagonal) < min_fraction * sum && is_finite(sum);
}
/// Replaces the diagonal entry of a weak row of a factor. Returns 1 if it changes.
template <class T, class I>
struct regularise_weak_row {
    csr_view<T, I> b;
    I const* inverse;
    tridiagonal_view<T> rows;
    T* diagonal; ///< of `rows`
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        T sum(0);
        for (I k = b.row_begin(i); k < b.row_end(i); ++k) sum = sum + magnitude(b.coefficients[k]);
        I const p = inverse[i];
        if (!is_weak_row(rows.lower[p], diagonal[p], rows.upper[p], sum)) return 0;
        diagonal[p] = diagonal[p] < T(0) ? -sum : sum;
        return 1;
    }
};

/// Several forests with one system each. They share the memory of regularisation and solves.
template <executor Executor, class T, class I>
class forest_systems {
public:
    forest_systems(Executor const& exec, std::int64_t n, tridiagonal_options const& options)
        : options_(options), n_(n), workspace_(exec, tridiagonal_workspace<T>(n)) {}

    void add(Executor const& exec, linear_forest<I> forest) {
        forests_.push_back(std::move(forest));
        systems_.emplace_back(exec, n_);
        regularised_.push_back(0);
    }
    int count() const { return int(forests_.size()); }
    linear_forest<I> const& forest(int l) const { return forests_[std::size_t(l)]; }
    tridiagonal<T>& system(int l) { return systems_[std::size_t(l)]; }
    tridiagonal<T> const& system(int l) const { return systems_[std::size_t(l)]; }

    /// Regularises system l, a submatrix of B; `whole` as for tridiagonal_regulariser. Waits.
    void regularise(Executor const& exec, int l, csr_view<T, I> b, bool whole) {
        tridiagonal<T>& s = system(l);
        regularise_weak_row<T, I> const regularise_row{b, forest(l).inverse.data(), s.view(), s.diagonal.data()};
        std::int64_t const weak_rows = reduce(exec, n_, std::int64_t(0), regularise_row, plus{});
        regularised_[std::size_t(l)] = weak_rows + regulariser_.regularise(exec, s, options_, whole);
    }
    /// Regularises system l, which is not a submatrix.
    void regularise(Executor const& exec, int l, bool whole) {
        regularised_[std::size_t(l)] = regulariser_.regularise(exec, system(l), options_, whole);
    }
    /// Computes z = P^T T^-1 P r. The solver reads r and writes z in the order of the paths, so the permutations need
    /// no separate pass (thesis section 5.2.4). z may be r.
    void solve(Executor const& exec, int l, array_view<T const> r, array_view<T> z) const {
        I const* const order = forest(l).permutation.data();
        solve_tridiagonal_in_order(exec, system(l).view(), {order, order}, r, z, workspace_.view(), options_);
    }
    /// z = P^T T^-T P r. z may be r. Allocates.
    void solve_transposed(Executor const& exec, int l, array_view<T const> r, array_view<T> z) const {
        detail::solve_transposed(exec, band_matrix<T>(system(l).view()), forest(l).permutation.data(), r, z,
                                 {.pivot = options_.pivot, .threshold = options_.threshold});
    }
    /// z = M_{m-1}^-T ... M_0^-T r, the transpose of solve_successively(). z may be r. Allocates.
    void solve_successively_transposed(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, n_);
        require_size("z of a preconditioner", z, n_);
        solve_transposed(exec, 0, r, z);
        for (int l = 1; l < count(); ++l) solve_transposed(exec, l, array_view<T const>(z), z);
    }
    /// Prepares solve_successively(), after all forests have been added.
    void prepare_successive(Executor const& exec) {
        from_next_.clear();
        for (int l = 0; l + 1 < count(); ++l) {
            from_next_.emplace_back(exec, n_);
            for_each(exec, n_,
                     compose_orders<I>{forest(l).permutation.data(), forest(l + 1).inverse.data(),
                                       from_next_.back().data()});
        }
        for (int k = 0; k < std::min(count() - 1, 2); ++k) between_[k] = buffer<T>(exec, n_);
    }
    /// Computes z = M_0^-1 ... M_{m-1}^-1 r (Eq. 79). z may be r. A factor writes its unknowns in the order of its
    /// paths, and the next one reads them in this order: m + 1 permuted accesses for m factors, none in a separate
    /// pass.
    void solve_successively(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, n_);
        require_size("z of a preconditioner", z, n_);
        int const last = count() - 1;
        if (last == 0) return solve(exec, 0, r, z);
        array_view<T const> read = r;
        for (int l = last; l >= 0; --l) {
            I const* const from = l == last ? forest(l).permutation.data() : from_next_[std::size_t(l)].data();
            array_view<T> const write = l == 0 ? z : between_[(last - l) % 2].view();
            I const* const to = l == 0 ? forest(0).permutation.data() : nullptr;
            solve_tridiagonal_in_order(exec, system(l).view(), {from, to}, read, write, workspace_.view(), options_);
            read = write;
        }
    }
    std::int64_t regularised_rows() const {
        std::int64_t sum = 0;
        for (std::int64_t const rows : regularised_) sum += rows;
        return sum;
    }
    /// Number of forests, weight coverage of each, and number of regularised rows.
    std::vector<finding> findings() const {
        std::vector<finding> all{{"factors", finding_unit::count, double(count())}};
        for (int l = 0; l < count(); ++l)
            all.push_back({coverage_keys[std::size_t(l)], finding_unit::fraction, forest(l).weight_coverage});
        all.push_back({"mended_rows", finding_unit::count, double(regularised_rows())});
        return all;
    }

private:
    tridiagonal_options options_;
    std::int64_t n_;
    std::vector<linear_forest<I>> forests_{};
    std::vector<tridiagonal<T>> systems_{};
    std::vector<std::int64_t> regularised_{};
    tridiagonal_regulariser<Executor, T> regulariser_{};
    mutable buffer<std::byte> workspace_;
    std::vector<buffer<I>> from_next_{}; ///< [l][p]: position in forest l + 1 of the vertex at p in forest l
    mutable buffer<T> between_[2]{};     ///< results between two factors
};

} // namespace coppice::inline v0_1::detail
