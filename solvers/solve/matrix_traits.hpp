// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Properties of a matrix that determine suitable solvers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/spmv/inspect_nonzeros.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>
#include <coppice/solvers/precondition/sparse_direct/band_order.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>

namespace coppice::inline v0_1 {

struct matrix_traits {
    bool complex = false;          ///< complex values
    bool symmetric = true;         ///< symmetric up to rounding; complex: Hermitian
    double asymmetry = 0;          ///< if symmetric: see asymmetry_of(); 0 if it is symmetric bit for bit
    bool positive_diagonal = true; ///< every diagonal entry is stored and positive; complex: and real
    bool finite = true;            ///< every value is finite
    /// Mean over the nonzeros of the lengths of their rows, so that long rows count by their cost.
    double row_length = 0;
    /// Whether row_length is above four times the mean length of a row: a graph with vertices of high degree.
    bool has_hubs = false;
    /// Real matrices: mean over the nonempty rows of (sum of the two largest off-diagonal magnitudes) / (sum of all).
    /// Upper bound of the weight coverage of a linear forest; 1 for a tridiagonal matrix.
    double strongest_pair = 0;

    /// Whether there are at most 8 bands on either side: as the rows are or, on the host, in an order that is found in
    /// little time. The band solver then takes time for two or three products per band.
    bool few_bands = false;

    /// Real matrices: mean over the rows of max(0, |a_ii| - sum of the other |a_ij|) / |a_ii|.
    double dominance = 0;
    /// Real matrices: mean over the nonempty rows of min(1, |a_ii| / sum of the other |a_ij|). 1 for M-matrices whose
    /// row sums are not negative; about .6 for elasticity in the plane, .3 in space.
    double diagonal_weight = 1;
    /// On the host: number of levels of a breadth-first search from one row, until half of all rows are visited; at
    /// most many_levels. Of large matrices an estimate from a part of the search. 0: unknown.
    int levels = 0;
    static constexpr int many_levels = 120;

    /// Necessary conditions for a positive definite matrix that one pass can check.
    bool maybe_positive_definite() const { return symmetric && positive_diagonal; }
};

namespace detail {

template <class T, class I, class O>
struct squared_row_length {
    csr_view<T, I, O> a;
    COPPICE_HD double operator()(std::int64_t i) const {
        double const length = double(a.row_end(i) - a.row_begin(i));
        return length * length;
    }
};
template <executor Executor, class T, class I, class O>
void measure_rows(Executor const& exec, csr_view<T, I, O> a, matrix_traits& traits) {
    double const squares = reduce(exec, a.rows(), 0.0, squared_row_length<T, I, O>{a}, plus{});
    traits.row_length = a.nonzeros() > 0 ? squares / double(a.nonzeros()) : 0;
    traits.has_hubs = traits.row_length * double(a.rows()) > 4 * double(a.nonzeros());
}

/// Sum over rows of the fraction of the two largest off-diagonal entries, number of rows that have any, and sums over
/// rows of their dominance and of the weight of their diagonal.
struct pair_fraction {
    double fraction = 0, rows = 0, dominance = 0, diagonal = 0;
    COPPICE_HD pair_fraction operator()(pair_fraction const& a, pair_fraction const& b) const {
        return {a.fraction + b.fraction, a.rows + b.rows, a.dominance + b.dominance, a.diagonal + b.diagonal};
    }
};
template <class T, class I, class O>
struct pair_fraction_of_row {
    csr_view<T, I, O> a;
    COPPICE_HD pair_fraction operator()(std::int64_t i) const {
        double first = 0, second = 0, sum = 0, diagonal = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            double const size = std::abs(double(a.coefficients[k]));
            if (std::int64_t(a.indices[k]) == i) {
                diagonal = size;
                continue;
            }
            sum += size;
            second = size > first ? first : size > second ? size : second;
            first = size > first ? size : first;
        }
        double const dominance = diagonal > sum ? (diagonal - sum) / diagonal : 0;
        if (!(sum > 0)) return {0, 0, dominance, 0};
        return {(first + second) / sum, 1, dominance, diagonal < sum ? diagonal / sum : 1};
    }
};

/// Largest |j - i| of a row.
template <class T, class I, class O>
struct bandwidth_of_row {
    csr_view<T, I, O> a;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        std::int64_t widest = 0;
        for (O k = a.row_begin(i); k < a.row_end(i) && widest <= sparse_factors<double>::max_bands; ++k) {
            std::int64_t const distance = std::int64_t(a.indices[k]) - i;
            std::int64_t const wide = distance < 0 ? -distance : distance;
            widest = wide > widest ? wide : widest;
        }
        return widest;
    }
};

template <executor Executor, class T, class I, class O>
bool has_few_bands(Executor const& exec, csr_view<T, I, O> a) {
    constexpr int bands = sparse_factors<double>::max_bands;
    if constexpr (std::is_same_v<Executor, host_executor> && std::is_same_v<I, std::int32_t> && std::is_same_v<O, I>)
        return find_band_order(pattern_view(a), bands).has_value();
    else
        return reduce(exec, a.rows(), std::int64_t(0), bandwidth_of_row<T, I, O>{a}, maximum{}) <= bands;
}

/// The rows that a breadth-first search from the middle row has visited, level by level.
template <class T, class I, class O>
class row_search {
public:
    explicit row_search(csr_view<T, I, O> a) : a_(a), seen_(std::size_t(a.rows()), false) { add(a.rows() / 2); }

    std::int64_t visited() const { return std::int64_t(order_.size()); }
    /// Visits the next level; returns whether it has any row.
    bool advance() {
        std::size_t const end = order_.size();
        for (; at_ < end; ++at_)
            for (O k = a_.row_begin(order_[at_]); k < a_.row_end(order_[at_]); ++k)
                if (!seen_[std::size_t(a_.indices[k])]) add(a_.indices[k]);
        return order_.size() > end;
    }

private:
    void add(I row) {
        seen_[std::size_t(row)] = true;
        order_.push_back(row);
    }
    csr_view<T, I, O> a_;
    std::vector<bool> seen_;
    std::vector<I> order_{};
    std::size_t at_ = 0; ///< first row of the last level
};

/// Number of levels of a breadth-first search from the middle row, until half of the rows are visited; at most
/// `max_levels`. The search ends after max_rows_to_search rows. The number v(l) of rows in l levels then grows as a
/// power of l: the exponent is that between l / 2 and l. Host only.
template <class T, class I, class O>
int count_levels(csr_view<T, I, O> a, int max_levels) {
    constexpr std::int64_t max_rows_to_search = 50'000;
    std::int64_t const half = std::int64_t(a.rows()) / 2;
    if (half == 0) return 0;
    row_search search(a);
    std::vector<std::int64_t> visited{1};
    while (visited.back() < std::min(half, max_rows_to_search) && int(visited.size()) <= max_levels && search.advance())
        visited.push_back(search.visited());
    int const levels = int(visited.size()) - 1;
    if (visited.back() >= half || visited.back() < max_rows_to_search || levels < 2) return levels;
    double const rows = double(visited.back());
    int const middle = levels / 2;
    double const exponent = std::log(rows / double(visited[std::size_t(middle)])) / std::log(double(levels) / middle);
    return int(std::min<double>(max_levels, levels * std::pow(double(half) / rows, 1 / exponent)));
}

template <executor Executor, class T, class I, class O>
void measure_asymmetry(Executor const& exec, csr_view<T, I, O> a, matrix_traits& traits) {
    constexpr double tolerance = symmetry_tolerance<real_of_t<T>>;
    double const found = asymmetry_of(exec, a, tolerance);
    traits.symmetric = found <= tolerance;
    traits.asymmetry = traits.symmetric ? found : 0;
}

template <executor Executor, class T, class I, class O>
matrix_traits traits_of_real(Executor const& exec, csr_view<T, I, O> a) {
    using flags = nonzero_flags;
    flags const found = inspect_nonzeros(exec, a);
    matrix_traits traits;
    traits.finite = !found.any(flags::not_finite);
    traits.positive_diagonal = !found.any(flags::diagonal);
    bool const equal =
        found.any(flags::unsorted) ? is_symmetric(exec, a) : found.symmetric_pattern() && !found.any(flags::unequal);
    if (!equal) measure_asymmetry(exec, a, traits);
    measure_rows(exec, a, traits);
    auto const pairs = reduce(exec, a.rows(), pair_fraction{}, pair_fraction_of_row<T, I, O>{a}, pair_fraction{});
    traits.strongest_pair = pairs.rows > 0 ? pairs.fraction / pairs.rows : 0;
    traits.dominance = a.rows() > 0 ? pairs.dominance / double(a.rows()) : 0;
    traits.diagonal_weight = pairs.rows > 0 ? pairs.diagonal / pairs.rows : 1;
    if constexpr (std::is_same_v<Executor, host_executor>) traits.levels = count_levels(a, matrix_traits::many_levels);
    return traits;
}

/// Checks a row of complex numbers with sorted columns.
template <class E, class I, class O>
struct inspect_complex_row {
    static constexpr int not_finite = 1, unequal = 2, no_positive_diagonal = 4;
    csr_view<E, I, O> a;
    COPPICE_HD int operator()(std::int64_t i) const {
        int found = no_positive_diagonal;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            E const value = a.coefficients[k];
            I const j = a.indices[k];
            if (!(value.re - value.re == 0) || !(value.im - value.im == 0)) found |= not_finite;
            if (std::int64_t(j) == i && value.re > 0 && value.im == 0) found &= ~no_positive_diagonal;
            O const mirror = position_in_row(a, j, I(i));
            if (mirror < 0 || a.coefficients[mirror].re != value.re || a.coefficients[mirror].im != -value.im)
                found |= unequal;
        }
        return found;
    }
};
struct combine_bits {
    COPPICE_HD int operator()(int a, int b) const { return a | b; }
};

template <executor Executor, class E, class I, class O>
matrix_traits traits_of_complex(Executor const& exec, csr_view<E, I, O> a) {
    using row_flags = inspect_complex_row<E, I, O>;
    int const found = reduce(exec, a.rows(), 0, row_flags{a}, combine_bits{});
    matrix_traits traits;
    traits.complex = true;
    traits.finite = (found & row_flags::not_finite) == 0;
    if (found & row_flags::unequal) measure_asymmetry(exec, a, traits);
    traits.positive_diagonal = (found & row_flags::no_positive_diagonal) == 0;
    return traits;
}

} // namespace detail

/// Computes the properties in one pass over a square matrix, with a binary search for each entry of its upper triangle.
/// Columns may be in any order; unsorted ones cost a sorted copy. Waits.
template <executor Executor, class T, class I, class O>
matrix_traits traits_of(Executor const& exec, csr_view<T, I, O> a) {
    require_square(a, "traits_of");
    if (!a.offsets) return {.complex = is_complex_number<T>};
    if constexpr (is_complex_number<T>) {
        auto traits = detail::traits_of_complex(exec, detail::as_elements(a));
        detail::measure_rows(exec, a, traits);
        traits.few_bands = detail::has_few_bands(exec, a);
        return traits;
    } else {
        auto traits = detail::traits_of_real(exec, a);
        traits.few_bands = detail::has_few_bands(exec, a);
        return traits;
    }
}

} // namespace coppice::inline v0_1
