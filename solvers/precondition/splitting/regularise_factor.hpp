// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Regularises factors of a splitting so that their systems can be solved (compare regularise_tridiagonal.hpp).
#pragma once

#include <cmath>
#include <limits>

#include <coppice/algebra/transform.hpp>
#include <coppice/solvers/direct/regularise/regularise_lane.hpp>
#include <coppice/solvers/precondition/splitting/solvable_factor.hpp>

namespace coppice::inline v0_1::detail {

/// Diagonal dominance and largest entry of row p of a factor.
template <class T>
struct factor_row_diagnostics {
    factor_entries<T> entries;
    COPPICE_HD system_diagnostics operator()(std::int64_t p) const {
        double off_diagonal = 0, largest = 0;
        for (std::int64_t q = entries.first_of(p); q < entries.end_of(p); ++q) {
            double const size = double(magnitude(*entries.at(p, q)));
            largest = maximum{}(largest, size);
            off_diagonal += q == p ? 0 : size;
        }
        double const here = double(magnitude(*entries.at(p, p)));
        return {largest, here > 0 && here >= row_diagnostics<T>::margin * off_diagonal};
    }
};

/// Prepares a test solve: the factor scaled to about one, and a random right-hand side so small that a zero pivot gives
/// a large result, not an infinite one.
template <class T>
struct factor_probe {
    static constexpr double shrink = tridiagonal_probe<T>::shrink;

    factor_entries<T> entries;
    double scale;        ///< power of two by which the copy was multiplied
    double cancellation; ///< a row whose terms cancel to this fraction is nearly singular
    T *rhs, *solution;

    COPPICE_HD void operator()(std::int64_t p) const {
        random_stream const random(0, 7);
        rhs[p] = rhs_of(p, random.bits(std::uint64_t(p)) & 1);
    }
    COPPICE_HD T rhs_of(std::int64_t p, bool negative) const {
        double const size = scale * factor_row_diagnostics<T>{entries}(p).largest;
        return tridiagonal_probe<T>::draw_rhs(p, size, negative);
    }
    COPPICE_HD bool breaks(std::int64_t p) const {
        double terms = 0, row = 0, column = 0;
        for (std::int64_t q = entries.first_of(p); q < entries.end_of(p); ++q) {
            double const entry = magnitude(*entries.at(p, q));
            if (entry != 0) terms += scale * entry * double(magnitude(solution[q]));
            row = maximum{}(row, entry);
            column = maximum{}(column, double(magnitude(*entries.at(q, p))));
        }
        // a zero row has no terms, and no row has terms of an unknown whose column is zero
        return row == 0 || column == 0 ||
               !(cancellation * terms <= double(magnitude(rhs[p])) && double(magnitude(solution[p])) <= 1);
    }
};
/// Whether the entries of row or column p sum to zero up to rounding.
template <class T>
struct factor_vanishing_sum {
    factor_entries<T> entries;
    bool of_columns = false;
    COPPICE_HD std::int64_t operator()(std::int64_t p) const {
        entry_sum all;
        for (std::int64_t q = entries.first_of(p); q < entries.end_of(p); ++q)
            all.add(double(of_columns ? *entries.at(q, p) : *entries.at(p, q)));
        return all.template vanishes<T>() ? 1 : 0;
    }
    COPPICE_HD bool is_coupled(std::int64_t p) const {
        for (std::int64_t q = entries.first_of(p); q < entries.end_of(p); ++q)
            if (q != p && (*entries.at(p, q) != T(0) || *entries.at(q, p) != T(0))) return true;
        return false;
    }
};
/// Removes the flags of rows in other pieces. Returns 1 if the row keeps its flag.
struct keep_flags_in_pieces {
    regularised_pieces pieces;
    std::uint8_t* flags;
    COPPICE_HD std::int64_t operator()(std::int64_t p) const {
        flags[p] = flags[p] && pieces(p) ? 1 : 0;
        return flags[p];
    }
};
struct swap_flag {
    std::uint8_t *a, *b;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::uint8_t const of_a = a[p];
        a[p] = b[p];
        b[p] = of_a;
    }
};
/// Returns whether a segment of coupled blocks starts at position p.
struct begins_block_piece {
    std::uint8_t const* coupled; ///< null: all blocks are coupled
    int block;
    COPPICE_HD bool operator()(std::int64_t p) const {
        return p == 0 || (coupled && p % block == 0 && !coupled[p / block - 1]);
    }
};
/// Makes the diagonal entry of a row slightly larger than the sum of the off-diagonal magnitudes.
template <class T>
struct strengthen_position {
    factor_entries<T> entries;
    regularised_pieces pieces;
    double scale; ///< magnitude of about the largest entry; the pivot of a row without entries
    COPPICE_HD void operator()(std::int64_t p) const {
        if (!pieces(p)) return;
        double size = 0;
        for (std::int64_t q = entries.first_of(p); q < entries.end_of(p); ++q)
            size += q == p ? 0 : double(magnitude(*entries.at(p, q)));
        double const old = double(*entries.at(p, p)), here = old < 0 ? -old : old;
        size = size > here ? size : here;
        size = size > scale * factor_probe<T>::shrink ? (1 + 0x1p-6) * size : scale;
        *entries.at(p, p) = T(old < 0 ? -size : size);
    }
};
template <class T>
struct scale_entry {
    double scale;
    T const* from;
    T* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = T(scale * double(from[k])); }
};

} // namespace coppice::inline v0_1::detail

namespace coppice::inline v0_1 {

/// Regularises singular or nearly singular factors, so that solutions are finite for every finite right-hand side:
/// segments of blocks that fail get dominant diagonals. The object holds the memory of the largest factor, so further
/// calls allocate nothing.
template <executor Executor, class T, class I>
class factor_regulariser {
public:
    /// Returns the number of regularised rows; 0 is the usual case and changes nothing. `whole`: the factor is the
    /// whole matrix, so near-singularity is a property of the matrix, and only pieces are regularised that have no
    /// finite solution, or whose rows or columns all sum to zero up to rounding. Synchronises.
    std::int64_t regularise(Executor const& exec, detail::solvable_factor<Executor, T, I>& factor, bool whole);
    /// Regularises a factor whose diagnostics are given.
    std::int64_t regularise(Executor const& exec, detail::solvable_factor<Executor, T, I>& factor, bool whole,
                            detail::system_diagnostics const& diagnostics);
    static detail::system_diagnostics diagnostics_of(Executor const& exec,
                                                     detail::solvable_factor<Executor, T, I>& factor) {
        auto const entries = factor.entries();
        return reduce(exec, entries.n, detail::system_diagnostics{0, 1}, detail::factor_row_diagnostics<T>{entries},
                      detail::worse_diagnostics{});
    }

private:
    struct sizes {
        std::int64_t positions, off_diagonal, diagonal;
        explicit sizes(detail::factor_entries<T> const& of)
            : positions(of.n), off_diagonal(of.reach > 1 ? 0 : of.n * of.block),
              diagonal(of.n * (of.reach > 1 ? 2 * of.reach + 1 : of.block)) {}
    };
    void take_memory(Executor const& exec, sizes const& n);
    void copy_scaled(Executor const& exec, detail::factor_entries<T> const& entries, double scale);
    std::int64_t test(Executor const& exec, detail::solvable_factor<Executor, T, I>& factor, double scale, bool near);
    bool find_near_singular(Executor const& exec, detail::solvable_factor<Executor, T, I>& factor, double scale);
    std::int64_t regularise_near(Executor const& exec, detail::solvable_factor<Executor, T, I>& factor, double scale);
    std::int64_t regularise_whole(Executor const& exec, detail::solvable_factor<Executor, T, I>& factor, double scale);
    std::int64_t strengthen(Executor const& exec, detail::solvable_factor<Executor, T, I>& factor, bool whole,
                            double scale);

    buffer<T> lower_{}, diagonal_{}, upper_{}, rhs_{}, solution_{};
    detail::flagged_pieces<Executor> pieces_{};
    buffer<std::uint8_t> near_{};
};

template <executor Executor, class T, class I>
void factor_regulariser<Executor, T, I>::take_memory(Executor const& exec, sizes const& n) {
    auto const at_least = [&]<class U>(buffer<U>& memory, std::int64_t size) {
        if (memory.size() < size) memory = buffer<U>(exec, size);
    };
    at_least(lower_, n.off_diagonal);
    at_least(upper_, n.off_diagonal);
    at_least(diagonal_, n.diagonal);
    at_least(rhs_, n.positions);
    at_least(solution_, n.positions);
    pieces_.resize(exec, n.positions);
}

template <executor Executor, class T, class I>
void factor_regulariser<Executor, T, I>::copy_scaled(Executor const& exec, detail::factor_entries<T> const& entries,
                                                     double scale) {
    sizes const n(entries);
    for_each(exec, n.off_diagonal, detail::scale_entry<T>{scale, entries.lower, lower_.data()});
    for_each(exec, n.diagonal, detail::scale_entry<T>{scale, entries.diagonal, diagonal_.data()});
    for_each(exec, n.off_diagonal, detail::scale_entry<T>{scale, entries.upper, upper_.data()});
}

namespace detail {

/// Perturbs diagonal entries by a few units in the last place of their rows, or of the matrix in a zero row: a pivot
/// that would be zero becomes of the size of a rounding error; the result is then large, but only in the singular
/// piece.
template <class T>
struct blur_diagonal {
    factor_entries<T> scaled;
    COPPICE_HD void operator()(std::int64_t p) const {
        double const largest = factor_row_diagnostics<T>{scaled}(p).largest;
        double const blur = 4 * double(std::numeric_limits<T>::epsilon()) * (largest != 0 ? largest : 1.0);
        double const draw = random_stream(0, 8).uniform(std::uint64_t(p), 0.5, 1.0);
        T* const entry = scaled.at(p, p);
        *entry = T(double(*entry) + (*entry < T(0) ? -blur : blur) * draw);
    }
};
template <class T>
struct solution_size {
    T const* solution;
    COPPICE_HD double operator()(std::int64_t p) const { return double(magnitude(solution[p])); }
};

} // namespace detail

template <executor Executor, class T, class I>
std::int64_t factor_regulariser<Executor, T, I>::regularise(Executor const& exec,
                                                            detail::solvable_factor<Executor, T, I>& factor,
                                                            bool whole) {
    return regularise(exec, factor, whole, diagnostics_of(exec, factor));
}

template <executor Executor, class T, class I>
std::int64_t factor_regulariser<Executor, T, I>::regularise(Executor const& exec,
                                                            detail::solvable_factor<Executor, T, I>& factor, bool whole,
                                                            detail::system_diagnostics const& diagnostics) {
    using namespace detail;
    factor_entries<T> const entries = factor.entries();
    std::int64_t const n = entries.n;
    if (diagnostics.dominant != 0 || !std::isfinite(diagnostics.largest) ||
        n >= std::numeric_limits<std::int32_t>::max())
        return 0;
    double const scale = diagnostics.largest > 0 ? std::ldexp(1.0, std::ilogb(diagnostics.largest)) : 1.0;
    take_memory(exec, sizes(entries));
    return whole ? regularise_whole(exec, factor, scale) : regularise_near(exec, factor, scale);
}

/// Executes test solves; flags the rows that break and returns their number. `near`: with perturbed pivots, where rows
/// of nearly singular pieces break too; otherwise those without a finite solution, and if there is a zero pivot, maybe
/// rows of other pieces, which the solver eliminates with it.
template <executor Executor, class T, class I>
std::int64_t factor_regulariser<Executor, T, I>::test(Executor const& exec,
                                                      detail::solvable_factor<Executor, T, I>& factor, double scale,
                                                      bool near) {
    using namespace detail;
    factor_entries<T> const entries = factor.entries();
    std::int64_t const n = entries.n;
    copy_scaled(exec, entries, 1 / scale);
    if (near)
        for_each(exec, n,
                 blur_diagonal<T>{{lower_.data(), diagonal_.data(), upper_.data(), n, entries.block, entries.reach}});
    double const cancellation = near ? 16 * double(std::numeric_limits<T>::epsilon()) : 0.0;
    factor_probe<T> const probe{entries, 1 / scale, cancellation, rhs_.data(), solution_.data()};
    // by the method of later solves: another one may round a zero pivot to a nonzero one
    return flag_broken_rows(exec, n, probe, pieces_.flags(), [&] {
        factor.solve_in_positions(exec, factor.system_of(lower_.data(), diagonal_.data(), upper_.data()),
                                  rhs_.view().slice(0, n), solution_.view().slice(0, n));
    });
}

template <executor Executor, class T, class I>
std::int64_t factor_regulariser<Executor, T, I>::regularise_near(Executor const& exec,
                                                                 detail::solvable_factor<Executor, T, I>& factor,
                                                                 double scale) {
    std::int64_t const n = factor.entries().n;
    std::int64_t const regularised = test(exec, factor, scale, true) > 0 ? strengthen(exec, factor, false, scale) : 0;
    // If rows differ in scale, the perturbation may be so large for other rows that it hides a zero pivot.
    double const largest = reduce(exec, n, 0.0, detail::solution_size<T>{solution_.data()}, maximum{});
    if (largest <= detail::factor_probe<T>::shrink / (64 * double(std::numeric_limits<T>::epsilon())))
        return regularised;
    if (test(exec, factor, scale, false) == 0) return regularised;
    return regularised + strengthen(exec, factor, false, scale);
}

template <executor Executor, class T, class I>
std::int64_t factor_regulariser<Executor, T, I>::regularise_whole(Executor const& exec,
                                                                  detail::solvable_factor<Executor, T, I>& factor,
                                                                  double scale) {
    std::int64_t regularised = 0;
    std::int64_t broken = test(exec, factor, scale, false);
    if (broken > 0 && find_near_singular(exec, factor, scale)) {
        regularised = strengthen(exec, factor, true, scale);
        broken = test(exec, factor, scale, false);
    } else if (broken == 0) {
        broken = count_vanishing(exec, factor.entries().n, detail::factor_vanishing_sum<T>{factor.entries()});
    }
    return broken > 0 ? regularised + strengthen(exec, factor, true, scale) : regularised;
}

/// A zero pivot may break rows of regular pieces. Of the rows that are flagged, as by test() without perturbed pivots,
/// keeps those that break with them too: those of singular pieces do. Returns whether there are any; otherwise the
/// flags are those before.
template <executor Executor, class T, class I>
bool factor_regulariser<Executor, T, I>::find_near_singular(Executor const& exec,
                                                            detail::solvable_factor<Executor, T, I>& factor,
                                                            double scale) {
    using namespace detail;
    std::int64_t const n = factor.entries().n;
    if (near_.size() < n) near_ = buffer<std::uint8_t>(exec, n);
    exec.copy_elements(pieces_.flags(), near_.data(), n);
    test(exec, factor, scale, true);
    for_each(exec, n, swap_flag{pieces_.flags(), near_.data()});
    pieces_.find(exec, begins_block_piece{factor.pattern().coupled, factor.entries().block});
    pieces_.count(exec);
    if (reduce(exec, n, std::int64_t(0), keep_flags_in_pieces{pieces_.flagged(), near_.data()}, plus{}) == 0)
        return false;
    exec.copy_elements(near_.data(), pieces_.flags(), n);
    return true;
}

/// Strengthens the pieces with flagged rows; returns the number of their rows.
template <executor Executor, class T, class I>
std::int64_t factor_regulariser<Executor, T, I>::strengthen(Executor const& exec,
                                                            detail::solvable_factor<Executor, T, I>& factor, bool whole,
                                                            double scale) {
    using namespace detail;
    factor_entries<T> const entries = factor.entries();
    pieces_.find(exec, begins_block_piece{factor.pattern().coupled, entries.block});
    if (whole) pieces_.flag_vanishing(exec, factor_vanishing_sum<T>{entries});
    pieces_.count(exec);
    regularised_pieces const pieces = pieces_.flagged();
    for_each(exec, entries.n, strengthen_position<T>{entries, pieces, scale});
    return reduce(exec, entries.n, std::int64_t(0), count_regularised{pieces}, plus{});
}

} // namespace coppice::inline v0_1
