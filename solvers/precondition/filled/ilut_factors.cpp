// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/filled/ilut_factors.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/error.hpp>
#include <coppice/core/host/interruption.hpp>
#include <coppice/solvers/precondition/sparse_direct/minimum_degree.hpp>
#include <coppice/solvers/precondition/sparse_direct/scaling_powers.hpp>
#include <coppice/solvers/precondition/sparse_direct/transversal.hpp>

namespace coppice::inline v0_1::detail {
namespace {

/// The scaled matrix with its rows and columns in their order.
template <class S>
struct ordered_matrix {
    std::vector<std::int32_t> offsets{0}, columns{};
    std::vector<S> values{};

    std::int32_t rows() const { return std::int32_t(offsets.size()) - 1; }
};

template <class S>
ordered_matrix<S> in_order(csr_view<S> a, ilut_factors<S> const& f) {
    std::vector<std::int32_t> position(f.column_of.size());
    for (std::size_t q = 0; q < position.size(); ++q) position[std::size_t(f.column_of[q])] = std::int32_t(q);
    ordered_matrix<S> b;
    for (std::int32_t const i : f.row_of) {
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
            auto const j = std::size_t(a.indices[k]);
            b.columns.push_back(position[j]);
            b.values.push_back(a.coefficients[k] * (f.row_scale[std::size_t(i)] * f.column_scale[j]));
        }
        b.offsets.push_back(std::int32_t(b.columns.size()));
    }
    return b;
}

/// Whether a scaled matrix has small diagonal elements, or none, in some rows.
template <class S>
bool has_weak_diagonal(csr_view<S> a, scaling_powers const& powers) {
    constexpr double weak = 0.01;
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        double diagonal = 0;
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
            if (a.indices[k] == i) diagonal = std::abs(powers.apply(a.coefficients[k], i, i));
        if (!(diagonal > weak)) return true;
    }
    return false;
}

/// The matching of the scaled matrix, whose scaling is added to `powers`; empty for a structurally singular matrix.
template <class S>
std::vector<std::int32_t> match_rows(csr_view<S> a, scaling_powers& powers) {
    std::vector<double> sizes(std::size_t(a.nonzeros()));
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
            sizes[std::size_t(k)] = std::abs(powers.apply(a.coefficients[k], i, a.indices[k]));
    auto found = maximum_product_transversal({a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, sizes.data()});
    if (found.first_unmatched() >= 0) return {};
    for (std::size_t i = 0; i < found.column_of.size(); ++i) {
        powers.row[i] += found.row_power[i];
        powers.column[i] += found.column_power[i];
    }
    return std::move(found.column_of);
}

/// Scaling, matching and order.
template <class S>
void arrange(csr_view<S> a, ilut_options const& options, ilut_factors<S>& f) {
    auto const n = std::size_t(a.rows());
    scaling_powers powers(a, false);
    std::vector<std::int32_t> column_of_row;
    bool const requested = options.matching == ilut_matching::yes;
    if (requested || (options.matching == ilut_matching::automatic && has_weak_diagonal(a, powers)))
        column_of_row = match_rows(a, powers);
    f.matched = !column_of_row.empty();
    if (requested && !f.matched && n > 0)
        throw matrix_error("incomplete LU: the matrix is singular whatever its values are, so that its rows cannot be "
                           "matched with different columns; use matching=no");
    std::vector<std::int32_t> position;
    if (options.order != ilut_order::given) position = minimum_degree_order(pattern_view(a), column_of_row);
    if (position.empty()) {
        position.resize(n);
        std::iota(position.begin(), position.end(), 0);
    }
    f.row_of.resize(n);
    f.column_of.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        f.column_of[std::size_t(position[i])] = std::int32_t(i);
        std::size_t const column = f.matched ? std::size_t(column_of_row[i]) : i;
        f.row_of[std::size_t(position[column])] = std::int32_t(i);
    }
    for (std::size_t i = 0; i < n; ++i) {
        f.row_scale.push_back(std::ldexp(1.0, -powers.row[i]));
        f.column_scale.push_back(std::ldexp(1.0, -powers.column[i]));
    }
}

/// The elimination, one row after the other. Columns are named by their position before interchanges; position_[c] is
/// the position of column c in U.
template <class S>
class elimination {
public:
    elimination(ordered_matrix<S> const& a, ilut_options const& options, double shift, ilut_factors<S>& to)
        : a_(a), options_(options), shift_(shift), to_(to), n_(a.rows()), value_(std::size_t(n_), S(0)),
          level_(std::size_t(n_), -1), position_(std::size_t(n_)), column_(std::size_t(n_)) {
        std::iota(position_.begin(), position_.end(), 0);
        std::iota(column_.begin(), column_.end(), 0);
        to_.lower = to_.upper = {};
        to_.inverse_pivots.clear();
        to_.replaced_pivots = to_.interchanges = 0;
    }

    void run() {
        for (std::int32_t i = 0; i < n_; ++i) {
            interruption::check();
            load(i);
            eliminate(i);
            store(i);
        }
        // Columns of U by their last positions, in ascending order.
        auto& u = to_.upper;
        for (auto& c : u.columns) c = position_[std::size_t(c)];
        for (std::int32_t i = 0; i < n_; ++i) sort_row(u, i);
        std::vector<std::int32_t> const before = to_.column_of;
        for (std::int32_t p = 0; p < n_; ++p)
            to_.column_of[std::size_t(p)] = before[std::size_t(column_[std::size_t(p)])];
    }

private:
    void load(std::int32_t i) {
        double squares = 0;
        for (auto k = a_.offsets[std::size_t(i)]; k < a_.offsets[std::size_t(i) + 1]; ++k) {
            put(i, a_.columns[std::size_t(k)], a_.values[std::size_t(k)], 0);
            squares += std::norm(a_.values[std::size_t(k)]);
        }
        auto const length = double(a_.offsets[std::size_t(i) + 1] - a_.offsets[std::size_t(i)]);
        max_entries_ = std::size_t(std::min(double(n_), std::ceil(options_.fill * std::max(1.0, length))));
        norm_ = squares > 0 ? std::sqrt(squares / length) : 1;
        std::int32_t const diagonal = column_[std::size_t(i)];
        put(i, diagonal, S(0), 0);
        S& value = value_[std::size_t(diagonal)];
        value += shift_ * norm_ * (std::real(value) < 0 ? -1.0 : 1.0);
    }
    /// Adds to an element of row i.
    void put(std::int32_t i, std::int32_t column, S value, int level) {
        auto const c = std::size_t(column);
        if (level_[c] < 0) {
            level_[c] = level;
            touched_.push_back(column);
            if (position_[c] < i) before_.push(position_[c]);
        } else {
            level_[c] = std::min(level_[c], level);
        }
        value_[c] += value;
    }
    void eliminate(std::int32_t i) {
        bool const by_level = options_.level >= 0;
        auto const& u = to_.upper;
        while (!before_.empty()) {
            std::int32_t const k = before_.top(); // ascending, because new elements are right of k
            before_.pop();
            auto const c = std::size_t(column_[std::size_t(k)]);
            S const factor = value_[c] * to_.inverse_pivots[std::size_t(k)];
            value_[c] = factor;
            // Its level and value are final: elements on its right contribute nothing to it.
            if (level_[c] > max_level_ || std::abs(factor) < options_.drop * norm_) {
                level_[c] = dropped;
                continue;
            }
            for (auto p = std::size_t(u.offsets[std::size_t(k)]); p < std::size_t(u.offsets[std::size_t(k) + 1]); ++p) {
                int const level = by_level ? level_[c] + 1 + levels_[p] : 0;
                put(i, u.columns[p], -factor * u.values[p], level);
            }
        }
    }
    /// Stores row i of the factors.
    void store(std::int32_t i) {
        left_.clear();
        right_.clear();
        std::int32_t diagonal = column_[std::size_t(i)];
        for (std::int32_t const c : touched_) {
            bool const keeps = level_[std::size_t(c)] <= max_level_ && value_[std::size_t(c)] != S(0) &&
                               std::abs(value_[std::size_t(c)]) >= options_.drop * norm_;
            if (c != diagonal && keeps) (position_[std::size_t(c)] < i ? left_ : right_).push_back(c);
        }
        diagonal = choose_pivot(i, diagonal);
        keep_largest(left_);
        keep_largest(right_);
        append(to_.lower, left_, true);
        append(to_.upper, right_, false);
        to_.inverse_pivots.push_back(S(1) / pivot_of(diagonal));
        for (std::int32_t const c : touched_) {
            value_[std::size_t(c)] = S(0);
            level_[std::size_t(c)] = -1;
        }
        touched_.clear();
    }
    /// Interchanges the diagonal with the largest element of its row of U if it is much smaller; returns its column.
    std::int32_t choose_pivot(std::int32_t i, std::int32_t diagonal) {
        if (right_.empty() || !(options_.pivot > 0)) return diagonal;
        auto const size = [&](std::int32_t c) { return std::abs(value_[std::size_t(c)]); };
        auto const largest = std::max_element(right_.begin(), right_.end(), [&](auto a, auto b) {
            return size(a) != size(b) ? size(a) < size(b) : position_[std::size_t(a)] > position_[std::size_t(b)];
        });
        if (!(size(diagonal) < options_.pivot * size(*largest))) return diagonal;
        std::int32_t const other = *largest, from = position_[std::size_t(other)];
        std::swap(column_[std::size_t(i)], column_[std::size_t(from)]);
        position_[std::size_t(other)] = i;
        position_[std::size_t(diagonal)] = from;
        ++to_.interchanges;
        if (value_[std::size_t(diagonal)] != S(0))
            *largest = diagonal;
        else
            right_.erase(largest);
        return other;
    }
    S pivot_of(std::int32_t diagonal) {
        S const pivot = value_[std::size_t(diagonal)];
        double const min_pivot = std::max(options_.drop, 1e-4) * norm_;
        if (std::abs(pivot) > 1e-12 * norm_ && std::isfinite(std::abs(pivot))) return pivot;
        ++to_.replaced_pivots;
        return std::real(pivot) < 0 ? S(-min_pivot) : S(min_pivot);
    }
    void keep_largest(std::vector<std::int32_t>& row) {
        if (row.size() <= max_entries_) return;
        auto const size = [&](std::int32_t c) { return std::abs(value_[std::size_t(c)]); };
        std::nth_element(row.begin(), row.begin() + std::ptrdiff_t(max_entries_), row.end(), [&](auto a, auto b) {
            return size(a) != size(b) ? size(a) > size(b) : position_[std::size_t(a)] < position_[std::size_t(b)];
        });
        row.resize(max_entries_);
    }
    void append(ilut_triangle<S>& to, std::vector<std::int32_t>& row, bool lower) {
        std::sort(row.begin(), row.end(),
                  [&](auto a, auto b) { return position_[std::size_t(a)] < position_[std::size_t(b)]; });
        for (std::int32_t const c : row) {
            to.columns.push_back(lower ? position_[std::size_t(c)] : c);
            to.values.push_back(value_[std::size_t(c)]);
            if (!lower && options_.level >= 0) levels_.push_back(level_[std::size_t(c)]);
        }
        to.offsets.push_back(
            checked_cast<std::int32_t>(std::int64_t(to.columns.size()), "number of nonzeros of a factor"));
    }
    static void sort_row(ilut_triangle<S>& t, std::int32_t i) {
        auto const begin = std::size_t(t.offsets[std::size_t(i)]), end = std::size_t(t.offsets[std::size_t(i) + 1]);
        if (std::is_sorted(t.columns.begin() + std::ptrdiff_t(begin), t.columns.begin() + std::ptrdiff_t(end))) return;
        std::vector<std::pair<std::int32_t, S>> row;
        for (std::size_t k = begin; k < end; ++k) row.emplace_back(t.columns[k], t.values[k]);
        std::sort(row.begin(), row.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
        for (std::size_t k = begin; k < end; ++k) std::tie(t.columns[k], t.values[k]) = row[k - begin];
    }

    static constexpr int dropped = std::numeric_limits<int>::max();

    ordered_matrix<S> const& a_;
    ilut_options const& options_;
    double shift_;
    ilut_factors<S>& to_;
    std::int32_t n_;
    std::vector<S> value_;                        ///< row i, by columns
    std::vector<int> level_;                      ///< of the elements of row i; -1: not stored
    std::vector<std::int32_t> position_, column_; ///< of columns, and at positions
    std::vector<std::int32_t> touched_{}, left_{}, right_{};
    std::vector<int> levels_{}; ///< of the elements of U
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> before_{};
    int max_level_ = options_.level >= 0 ? options_.level : dropped - 1;
    double norm_ = 1;
    std::size_t max_entries_ = 0;
};

/// Solves with right-hand sides r_p = sum over q of |b_pq|, whose solutions are about 1 for accurate factors of
/// well-conditioned matrices; returns whether the solution is moderate.
template <class S>
bool is_sound(ordered_matrix<S> const& b, ilut_factors<S> const& f) {
    std::vector<S> x(std::size_t(b.rows()));
    for (std::int32_t p = 0; p < b.rows(); ++p) {
        double sum = 0;
        for (auto k = b.offsets[std::size_t(p)]; k < b.offsets[std::size_t(p) + 1]; ++k)
            sum += std::abs(b.values[std::size_t(k)]);
        x[std::size_t(p)] = sum;
    }
    auto const minus_row = [&](ilut_triangle<S> const& t, std::int32_t p) {
        for (auto k = t.offsets[std::size_t(p)]; k < t.offsets[std::size_t(p) + 1]; ++k)
            x[std::size_t(p)] -= t.values[std::size_t(k)] * x[std::size_t(t.columns[std::size_t(k)])];
    };
    double largest = 0;
    for (std::int32_t p = 0; p < b.rows(); ++p) minus_row(f.lower, p);
    for (std::int32_t p = b.rows(); p-- > 0;) {
        minus_row(f.upper, p);
        x[std::size_t(p)] *= f.inverse_pivots[std::size_t(p)];
        largest = std::max(largest, std::abs(x[std::size_t(p)]));
        if (!std::isfinite(std::abs(x[std::size_t(p)]))) return false;
    }
    return largest <= 1e3 / std::numeric_limits<double>::epsilon();
}

} // namespace

template <class S>
ilut_factors<S> make_ilut_factors(csr_view<S> a, ilut_options const& options) {
    ilut_factors<S> f;
    if (a.rows() == 0) return f;
    arrange(a, options, f);
    auto const b = in_order(a, f);
    std::vector<std::int32_t> const columns = f.column_of;
    for (double next = 1e-3; f.shift <= 1e6; f.shift = next, next *= 10) {
        f.column_of = columns;
        elimination<S>(b, options, f.shift, f).run();
        if (is_sound(b, f)) return f;
    }
    throw matrix_error("no usable incomplete factorisation was found: the values of the matrix are too large or too "
                       "small; scale the matrix");
}

template ilut_factors<double> make_ilut_factors(csr_view<double>, ilut_options const&);
template ilut_factors<std::complex<double>> make_ilut_factors(csr_view<std::complex<double>>, ilut_options const&);

} // namespace coppice::inline v0_1::detail
