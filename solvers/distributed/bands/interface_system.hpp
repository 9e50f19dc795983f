// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The small system that couples the ranks at their boundaries, solved on the host.
///
/// The unknowns at a rank boundary, the last ones of one rank and the first ones of the next, are known on both sides
/// as affine functions of the interface right-hand sides; equating both sides gives the equations. They are solved by
/// Householder reflections, which avoid element growth (S. J. Wright 1992: structured orthogonal factorization).
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace coppice::inline v0_1::distributed {

template <class T>
struct wide_type {
    using type = double;
};
template <class R>
struct wide_type<std::complex<R>> {
    using type = std::complex<double>;
};

/// A square matrix and right-hand sides, stored by rows. Each row has few nonzeros, which are in neighbouring columns.
template <class W>
class householder_system {
public:
    householder_system(std::size_t rows, std::size_t columns)
        : n_(rows), width_(rows + columns), a_(n_ * width_), last_(n_, 0) {}
    void set(std::size_t row, std::size_t column, W const& value) {
        a_[row * width_ + column] = value;
        last_[row] = std::max(last_[row], column);
    }
    W& rhs(std::size_t row, std::size_t column) { return a_[row * width_ + n_ + column]; }

    /// Overwrites the right-hand sides with the solution; unknowns without a pivot become zero.
    void solve() {
        for (std::size_t k = 0; k < n_; ++k) reflect(k);
        for (std::size_t k = n_; k-- > 0;)
            for (std::size_t c = n_; c < width_; ++c) {
                W sum = at(k, c);
                for (std::size_t j = k + 1; j <= last_[k]; ++j) sum -= at(k, j) * at(j, c);
                at(k, c) = at(k, k) == W(0) ? W(0) : sum / at(k, k);
            }
    }
    /// After solve(): the smallest and the largest magnitude of a pivot.
    std::pair<double, double> pivots() const {
        std::pair<double, double> of(std::numeric_limits<double>::infinity(), 0.0);
        for (std::size_t k = 0; k < n_; ++k) {
            double const size = std::abs(a_[k * width_ + k]);
            of = {std::min(of.first, size), std::max(of.second, size)};
        }
        return of;
    }

private:
    W& at(std::size_t i, std::size_t j) { return a_[i * width_ + j]; }

    /// Applies I - v v* / (norm (norm + |a|)), which maps column k from row k on to a multiple of a unit vector.
    void reflect(std::size_t k) {
        rows_.assign(1, k);
        for (std::size_t i = k + 1; i < n_; ++i)
            if (at(i, k) != W(0)) rows_.push_back(i);
        double norm = 0;
        for (std::size_t const i : rows_) norm = std::hypot(norm, std::abs(at(i, k)));
        double const first = std::abs(at(k, k));
        if (rows_.size() == 1 || norm == 0) return;
        W const to = first == 0 ? W(-norm) : -at(k, k) / first * norm;
        v_.clear();
        for (std::size_t const i : rows_) {
            v_.push_back((i == k ? at(k, k) - to : at(i, k)) / norm);
            at(i, k) = W(0);
            last_[k] = std::max(last_[k], last_[i]);
        }
        at(k, k) = to;
        auto const apply = [&](std::size_t j) {
            W sum(0);
            for (std::size_t r = 0; r < rows_.size(); ++r) sum += conjugated(v_[r]) * at(rows_[r], j);
            sum /= 1 + first / norm;
            for (std::size_t r = 0; r < rows_.size(); ++r) at(rows_[r], j) -= v_[r] * sum;
        };
        for (std::size_t j = k + 1; j <= last_[k]; ++j) apply(j);
        for (std::size_t j = n_; j < width_; ++j) apply(j);
        for (std::size_t const i : rows_) last_[i] = last_[k];
    }
    static double conjugated(double a) { return a; }
    static std::complex<double> conjugated(std::complex<double> const& a) { return std::conj(a); }

    std::size_t n_, width_;
    std::vector<W> a_;
    std::vector<std::size_t> last_; ///< column of the last entry of a row that may be nonzero
    std::vector<std::size_t> rows_{};
    std::vector<W> v_{};
};

/// The values of all ranks at their ends as functions of the interface unknowns, and the solver for these.
template <class T>
class interface_system {
public:
    using wide = typename wide_type<T>::type;
    /// Values of columns at the ends of a rank: [column][first, last][unknown].
    using end_values = std::vector<T>;

    struct rank_values {
        std::size_t unknowns; ///< number of interface rows of the rank
        end_values spikes;
    };
    struct solution {
        std::vector<std::vector<T>> unknowns; ///< [rank][right-hand side][unknown]
        bool singular = false, nearly_singular = false;
    };

    interface_system() = default;
    interface_system(std::vector<rank_values> ranks, std::size_t interface, bool cyclic)
        : ranks_(std::move(ranks)), interface_(interface), cyclic_(cyclic) {}

    /// Solves for the interface unknowns. `alone`: the values of the right-hand side columns, one vector per rank.
    solution solve(std::vector<end_values> const& alone, std::size_t columns) const {
        std::vector<std::size_t> begin{0};
        for (rank_values const& p : ranks_) begin.push_back(begin.back() + p.unknowns);
        householder_system<wide> system(begin.back(), columns);
        // All boundaries between neighbouring ranks; if cyclic, also that between the last rank and the first.
        std::size_t const count = ranks_.size(), boundaries = count == 0 ? 0 : cyclic_ ? count : count - 1;
        for (std::size_t boundary = 0; boundary < boundaries; ++boundary)
            for (std::size_t i = 0; i < interface_; ++i) {
                std::size_t const row = boundary * interface_ + i, next = (boundary + 1) % count;
                for (std::size_t s = 0; s < ranks_[boundary].unknowns; ++s)
                    system.set(row, begin[boundary] + s, wide(ranks_[boundary].spikes[offset(s, 1, i)]));
                for (std::size_t s = 0; s < ranks_[next].unknowns; ++s)
                    system.set(row, begin[next] + s, -wide(ranks_[next].spikes[offset(s, 0, i)]));
                for (std::size_t c = 0; c < columns; ++c)
                    system.rhs(row, c) = wide(alone[next][offset(c, 0, i)]) - wide(alone[boundary][offset(c, 1, i)]);
            }
        system.solve();
        auto const [smallest, largest] = system.pivots();
        solution found;
        found.singular = begin.back() > 0 && smallest == 0;
        found.nearly_singular =
            smallest <= 4 * double(std::numeric_limits<decltype(std::abs(T()))>::epsilon()) * largest;
        for (std::size_t p = 0; p < count; ++p) {
            found.unknowns.emplace_back();
            for (std::size_t c = 0; c < columns; ++c)
                for (std::size_t u = begin[p]; u < begin[p + 1]; ++u)
                    found.unknowns.back().push_back(T(system.rhs(u, c)));
        }
        return found;
    }

private:
    std::size_t offset(std::size_t column, std::size_t last, std::size_t i) const {
        return (column * 2 + last) * interface_ + i;
    }
    std::vector<rank_values> ranks_{};
    std::size_t interface_ = 0;
    bool cyclic_ = false;
};

} // namespace coppice::inline v0_1::distributed
