// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse factorisation L D L^H, row by row.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include <coppice/core/host/interruption.hpp>

namespace coppice::inline v0_1::detail {

/// Size of a factor: nonzeros, and multiplications and additions.
struct factor_size {
    double nonzeros = 0, operations = 0;
    bool exceeds(factor_size const& limit) const { return nonzeros > limit.nonzeros || operations > limit.operations; }
};

/// Elimination tree of a symmetric pattern, and the number of nonzeros below the diagonal of each column of L (Liu,
/// 1990): row k of L has a nonzero in column i if i is between a nonzero of A and k in the tree. `Columns`: the upper
/// triangle by columns, as Eigen's sparse matrices. Takes memory for n numbers, and time for the nonzeros of L; ends
/// beyond the limit, with a size that exceeds it.
struct elimination_tree {
    std::vector<int> parent, below;
    factor_size size;

    template <class Columns>
    elimination_tree(Columns const& upper, factor_size const& limit)
        : parent(std::size_t(upper.cols()), -1), below(parent.size(), 0), size{double(parent.size()), 0} {
        std::vector<int> last_row(parent.size());
        for (int k = 0; k < int(parent.size()) && !size.exceeds(limit); ++k) {
            last_row[std::size_t(k)] = k; // also ends the path of the diagonal
            for (typename Columns::InnerIterator it(upper, k); it; ++it)
                for (auto i = std::size_t(it.row()); last_row[i] != k; i = std::size_t(parent[i])) {
                    if (parent[i] < 0) parent[i] = k;
                    last_row[i] = k;
                    size.nonzeros += 1;
                    size.operations += 2.0 * below[i]++ + 1;
                }
        }
    }
};

/// A = L D L^H with unit diagonal of L and D > 0 (T. A. Davis, Algorithm 849: LDL, ACM TOMS 31, 2005).
template <class S>
class cholesky_factor {
public:
    /// Factorises a matrix of which `upper` is the upper triangle by columns; returns false if a pivot is not positive.
    /// Checks interruption::current().
    template <class Columns>
    bool factorise(Columns const& upper, elimination_tree const& tree) {
        auto const n = std::size_t(upper.cols());
        start_.assign(n + 1, 0);
        for (std::size_t i = 0; i < n; ++i) start_[i + 1] = start_[i] + tree.below[i];
        rows_.resize(std::size_t(start_[n]));
        values_.resize(std::size_t(start_[n]));
        diagonal_.assign(n, 0.0);
        end_.assign(start_.begin(), start_.end() - 1);
        std::vector<S> y(n, S(0));
        std::vector<int> visited(n), path(n), pattern(n);
        for (int k = 0; k < int(n); ++k) {
            interruption::check();
            visited[std::size_t(k)] = k;
            std::size_t top = n; // the columns of row k are pattern[top, n), in topological order
            for (typename Columns::InnerIterator it(upper, k); it; ++it) {
                y[std::size_t(it.row())] += it.value();
                std::size_t length = 0;
                for (int i = int(it.row()); visited[std::size_t(i)] != k; i = tree.parent[std::size_t(i)]) {
                    path[length++] = i;
                    visited[std::size_t(i)] = k;
                }
                while (length > 0) pattern[--top] = path[--length];
            }
            if (!eliminate(k, y, pattern.data() + top, pattern.data() + n)) return false;
        }
        return true;
    }

    /// x = A^-1 x
    void solve(S* x) const {
        auto const n = diagonal_.size();
        for (std::size_t i = 0; i < n; ++i)
            for (auto p = start_[i]; p < start_[i + 1]; ++p) x[rows_[std::size_t(p)]] -= values_[std::size_t(p)] * x[i];
        for (std::size_t i = n; i-- > 0;) {
            S sum = x[i] / diagonal_[i];
            for (auto p = start_[i]; p < start_[i + 1]; ++p)
                sum -= conjugated(values_[std::size_t(p)]) * x[rows_[std::size_t(p)]];
            x[i] = sum;
        }
    }
    /// x = A^-T x, that is, the conjugate of A^-1 conj(x)
    void solve_transposed(S* x) const {
        for (std::size_t i = 0; i < diagonal_.size(); ++i) x[i] = conjugated(x[i]);
        solve(x);
        for (std::size_t i = 0; i < diagonal_.size(); ++i) x[i] = conjugated(x[i]);
    }
    double nonzeros() const { return double(values_.size() + diagonal_.size()); }

private:
    static double conjugated(double v) { return v; }
    static std::complex<double> conjugated(std::complex<double> v) { return std::conj(v); }

    /// Row k of L from row k of A, of which y contains the conjugates of the elements left of the diagonal.
    bool eliminate(int k, std::vector<S>& y, int const* first, int const* last) {
        double d = std::real(y[std::size_t(k)]);
        y[std::size_t(k)] = S(0);
        for (; first != last; ++first) {
            auto const i = std::size_t(*first);
            S const of_row = y[i]; // conj(l_ki) d_i
            y[i] = S(0);
            for (auto p = start_[i]; p < end_[i]; ++p)
                y[std::size_t(rows_[std::size_t(p)])] -= values_[std::size_t(p)] * of_row;
            S const l = conjugated(of_row) / diagonal_[i];
            d -= std::real(l * of_row);
            rows_[std::size_t(end_[i])] = k;
            values_[std::size_t(end_[i]++)] = l;
        }
        diagonal_[std::size_t(k)] = d;
        return d > 0 && std::isfinite(d);
    }

    std::vector<std::int64_t> start_, end_; ///< of each column of L
    std::vector<int> rows_;
    std::vector<S> values_;
    std::vector<double> diagonal_; ///< D
};

} // namespace coppice::inline v0_1::detail
