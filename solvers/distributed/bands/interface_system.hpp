// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The small system that joins parts at their cuts, on the host.
///
/// On both sides of a cut stand the same unknowns, the last ones of one part and the first ones of the next, and each
/// part has values of them that depend on its border: equal values are the equations. They are solved by reflections,
/// which let nothing grow where elimination might (S. J. Wright 1992: structured orthogonal factorization).
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace coppice::distributed {

template <class T>
struct wide_of {
    using type = double;
};
template <class R>
struct wide_of<std::complex<R>> {
    using type = std::complex<double>;
};

/// A square matrix and right-hand sides, row by row; few entries of a row differ from zero, and these lie close
/// together.
template <class W>
class reflected_system {
public:
    reflected_system(std::size_t rows, std::size_t sides)
        : n_(rows), width_(rows + sides), a_(n_ * width_), last_(n_, 0) {}
    void set(std::size_t row, std::size_t column, W const& value) {
        a_[row * width_ + column] = value;
        last_[row] = std::max(last_[row], column);
    }
    W& side(std::size_t row, std::size_t side) { return a_[row * width_ + n_ + side]; }

    /// Side by side in place of the right-hand sides; unknowns without a pivot become zero.
    void solve() {
        for (std::size_t k = 0; k < n_; ++k) reflect(k);
        for (std::size_t k = n_; k-- > 0;)
            for (std::size_t c = n_; c < width_; ++c) {
                W sum = at(k, c);
                for (std::size_t j = k + 1; j <= last_[k]; ++j) sum -= at(k, j) * at(j, c);
                at(k, c) = at(k, k) == W(0) ? W(0) : sum / at(k, k);
            }
    }
    /// After solve(): the smallest pivot and the largest one.
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

    /// I - v v* / (norm (norm + |a|)), which takes column k from row k on to a multiple of a unit vector.
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
    std::vector<std::size_t> last_; ///< column of the last entry of a row that may differ from zero
    std::vector<std::size_t> rows_{};
    std::vector<W> v_{};
};

/// What the parts make of the unknowns of their borders, and what solves for these.
template <class T>
class end_system {
public:
    using wide = typename wide_of<T>::type;
    /// Values of columns at the ends of a part: [column][first, last][border].
    using end_values = std::vector<T>;

    struct part {
        std::size_t unknowns; ///< of its border
        end_values spikes;
    };
    struct solution {
        std::vector<std::vector<T>> unknowns; ///< [part][side][unknown]
        bool singular = false, doubtful = false;
    };

    end_system() = default;
    end_system(std::vector<part> parts, std::size_t border, bool cyclic)
        : parts_(std::move(parts)), border_(border), cyclic_(cyclic) {}

    /// From the values of the right-hand sides' columns, one vector for each part.
    solution solve(std::vector<end_values> const& alone, std::size_t sides) const {
        std::vector<std::size_t> begin{0};
        for (part const& p : parts_) begin.push_back(begin.back() + p.unknowns);
        reflected_system<wide> system(begin.back(), sides);
        // Of a chain, all cuts; of a ring, also that between the last part and the first.
        std::size_t const count = parts_.size(), cuts = count == 0 ? 0 : cyclic_ ? count : count - 1;
        for (std::size_t cut = 0; cut < cuts; ++cut)
            for (std::size_t i = 0; i < border_; ++i) {
                std::size_t const row = cut * border_ + i, next = (cut + 1) % count;
                for (std::size_t s = 0; s < parts_[cut].unknowns; ++s)
                    system.set(row, begin[cut] + s, wide(parts_[cut].spikes[place(s, 1, i)]));
                for (std::size_t s = 0; s < parts_[next].unknowns; ++s)
                    system.set(row, begin[next] + s, -wide(parts_[next].spikes[place(s, 0, i)]));
                for (std::size_t c = 0; c < sides; ++c)
                    system.side(row, c) = wide(alone[next][place(c, 0, i)]) - wide(alone[cut][place(c, 1, i)]);
            }
        system.solve();
        auto const [smallest, largest] = system.pivots();
        solution found;
        found.singular = begin.back() > 0 && smallest == 0;
        found.doubtful = smallest <= 4 * double(std::numeric_limits<decltype(std::abs(T()))>::epsilon()) * largest;
        for (std::size_t p = 0; p < count; ++p) {
            found.unknowns.emplace_back();
            for (std::size_t c = 0; c < sides; ++c)
                for (std::size_t u = begin[p]; u < begin[p + 1]; ++u)
                    found.unknowns.back().push_back(T(system.side(u, c)));
        }
        return found;
    }

private:
    std::size_t place(std::size_t column, std::size_t last, std::size_t i) const {
        return (column * 2 + last) * border_ + i;
    }
    std::vector<part> parts_{};
    std::size_t border_ = 0;
    bool cyclic_ = false;
};

} // namespace coppice::distributed
