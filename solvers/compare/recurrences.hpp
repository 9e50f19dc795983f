// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal solvers by linear recurrences: parallel diagonal pivoting of L.-W. Chang (thesis of 2014, chapter 4) and
/// the CF-LU algorithm (O. Egecioglu 1998; sections 2.1.2 and 4.3.1 of the thesis).
///
/// The algorithms are templates over a Machine with an inclusive scan
///     scan(n, in, merged, out)     calls out(i, s_i) with s_0 = in(0) and s_i = merged(in(i), s_{i-1})
/// A team implements it in shared memory (team_machine), an executor for systems of any size (classical_solve.hpp).
#pragma once

#include <cstdint>

#include <coppice/solvers/compare/classical_team.hpp>
#include <coppice/solvers/compare/diagonal_pivots.hpp>

namespace coppice::inline v0_1::classical {

/// Rows of a system, read only; coefficients outside of the matrix are not read.
template <class T>
struct system_rows {
    T const *lower, *diagonal, *upper, *rhs;
    std::int64_t n;
    COPPICE_HD T a(std::int64_t i) const { return i > 0 && i < n ? lower[i] : T(0); }
    COPPICE_HD T b(std::int64_t i) const { return diagonal[i]; }
    COPPICE_HD T c(std::int64_t i) const { return i < n - 1 ? upper[i] : T(0); }
    COPPICE_HD T d(std::int64_t i) const { return rhs[i]; }
};

/// Intermediate results of the recurrences, n elements each.
template <class T>
struct recurrence_memory {
    T* pivot;  ///< b'_i = theta_i / theta_{i-1}
    T* middle; ///< y_i
    int* kind; ///< of row i
};
inline constexpr int single_row = 0, first_of_two = 1, second_of_two = 2;

/// theta_i = b_i theta_{i-1} - a_i c_{i-1} theta_{i-2} (Equation 4.4) as a matrix; depending on `Minor`, products are
/// scaled.
template <class T, class Minor>
struct minor_of_row {
    system_rows<T> rows;
    COPPICE_HD Minor operator()(std::int64_t i) const {
        return {rows.b(i), i > 0 ? -(rows.a(i) * rows.c(i - 1)) : T(0), T(1), T(0)};
    }
};
/// The matrix of the recurrence without scaling; products overflow, as in the thesis.
template <class T>
struct plain_minor {
    T a11, a12, a21, a22;
    friend COPPICE_HD plain_minor operator*(plain_minor const& l, plain_minor const& e) {
        return {l.a11 * e.a11 + l.a12 * e.a21, l.a11 * e.a12 + l.a12 * e.a22, l.a21 * e.a11 + l.a22 * e.a21,
                l.a21 * e.a12 + l.a22 * e.a22};
    }
};
struct merged_products {
    template <class Item>
    COPPICE_HD Item operator()(Item const& later, Item const& earlier) const {
        return later * earlier;
    }
};

/// Saves the leading entry of row i, and whether row i is a pivot of one row if it starts a pivot (Equation 4.6).
template <class T>
struct save_pivot {
    system_rows<T> rows;
    recurrence_memory<T> at;
    template <class Minor>
    COPPICE_HD void operator()(std::int64_t i, Minor const& theta) const {
        bool const last = i == rows.n - 1;
        T const b1 = last ? T(0) : rows.b(i + 1), c1 = last ? T(0) : rows.c(i + 1);
        bool const single =
            last || diagonal_pivots::single(theta.a11, theta.a21, rows.c(i), rows.a(i + 1), b1, c1, rows.a(i + 2));
        at.pivot[i] = theta.a11 / theta.a21;
        at.kind[i] = single ? single_row : first_of_two;
    }
};
template <class T>
struct save_single_pivot {
    recurrence_memory<T> at;
    template <class Minor>
    COPPICE_HD void operator()(std::int64_t i, Minor const& theta) const {
        at.pivot[i] = theta.a11 / theta.a21;
        at.kind[i] = single_row;
    }
};

/// A row starts a pivot of two rows or not. The map computes this flag of a row from the flag s of the previous row:
/// bit s of `bits` is the result.
struct pivot_map {
    int bits;
    friend COPPICE_HD pivot_map operator*(pivot_map const& l, pivot_map const& e) {
        return {((l.bits >> (e.bits & 1)) & 1) | (((l.bits >> ((e.bits >> 1) & 1)) & 1) << 1)};
    }
};
template <class T>
struct map_of_row {
    recurrence_memory<T> at;
    COPPICE_HD pivot_map operator()(std::int64_t i) const { return {at.kind[i] != 0 ? 1 : 0}; }
};
/// Bit 0 of the merged map is the value of row i. The following row uses it in the next pass.
template <class T>
struct save_kind {
    recurrence_memory<T> at;
    COPPICE_HD void operator()(std::int64_t i, pivot_map const& m) const { at.kind[i] = m.bits & 1; }
};
/// Kind of row i, from its own flag and that of the previous row.
template <class T>
COPPICE_HD int kind_of(recurrence_memory<T> const& at, std::int64_t i) {
    if (at.kind[i] == first_of_two) return first_of_two;
    return i > 0 && at.kind[i - 1] == first_of_two ? second_of_two : single_row;
}
/// Determinant of the pivot of rows i and i + 1.
template <class T>
COPPICE_HD T determinant_of(system_rows<T> const& rows, recurrence_memory<T> const& at, std::int64_t i) {
    return at.pivot[i] * rows.b(i + 1) - rows.a(i + 1) * rows.c(i);
}

/// L and B: y_i = (d_i - a_i y_{i-1}) / b'_i; in a pivot of two z_i = d_i - a_i y_{i-1} and
/// y_{i+1} = (b'_i d_{i+1} - a_{i+1} z_i) / determinant.
template <class T>
struct forward_of_row {
    system_rows<T> rows;
    recurrence_memory<T> at;
    COPPICE_HD first_order<T> operator()(std::int64_t i) const {
        switch (kind_of(at, i)) {
        case single_row:
            return {-(rows.a(i) / at.pivot[i]), rows.d(i) / at.pivot[i]};
        case first_of_two:
            return {-rows.a(i), rows.d(i)};
        default: {
            T const determinant = determinant_of(rows, at, i - 1);
            return {-(rows.a(i) / determinant), at.pivot[i - 1] * rows.d(i) / determinant};
        }
        }
    }
};
/// y_i; in the first row of a pivot of two y_i = (b_{i+1} z_i - c_i d_{i+1}) / determinant.
template <class T>
struct save_middle {
    system_rows<T> rows;
    recurrence_memory<T> at;
    COPPICE_HD void operator()(std::int64_t i, first_order<T> const& carried) const {
        at.middle[i] = carried.offset;
        if (at.kind[i] == first_of_two)
            at.middle[i] = (rows.b(i + 1) * carried.offset - rows.c(i) * rows.d(i + 1)) / determinant_of(rows, at, i);
    }
};

/// M^T from the last row i = n - 1 - j: x_i = y_i - (c_i / b'_i) x_{i+1}; in a pivot of two rows, whose second row
/// passes on x_{i+2}, x_i = y_i + (c_i c_{i+1} / determinant) x_{i+2}. Reads no right-hand side, so x may overwrite it.
template <class T>
struct backward_of_row {
    system_rows<T> rows;
    recurrence_memory<T> at;
    COPPICE_HD first_order<T> operator()(std::int64_t j) const {
        std::int64_t const i = rows.n - 1 - j;
        switch (kind_of(at, i)) {
        case single_row:
            return {-(rows.c(i) / at.pivot[i]), at.middle[i]};
        case second_of_two:
            return {T(1), T(0)};
        default:
            return {rows.c(i) * rows.c(i + 1) / determinant_of(rows, at, i), at.middle[i]};
        }
    }
};
template <class T>
struct save_solution {
    system_rows<T> rows;
    recurrence_memory<T> at;
    T* x;
    COPPICE_HD void operator()(std::int64_t j, first_order<T> const& carried) const {
        std::int64_t const i = rows.n - 1 - j;
        x[i] = carried.offset;
        if (kind_of(at, i) == second_of_two) // carried.offset is x_{i+1}
            x[i] = at.middle[i] - at.pivot[i - 1] * rows.c(i) / determinant_of(rows, at, i - 1) * carried.offset;
    }
};

COPPICE_NO_EXEC_CHECK
template <class T, class Machine>
COPPICE_HD void substitute(Machine const& machine, system_rows<T> const& rows, recurrence_memory<T> const& at, T* x) {
    machine.scan(rows.n, forward_of_row<T>{rows, at}, merged_products{}, save_middle<T>{rows, at});
    machine.scan(rows.n, backward_of_row<T>{rows, at}, merged_products{}, save_solution<T>{rows, at, x});
}

/// Diagonal pivoting by four recurrences; x may be the right-hand side.
COPPICE_NO_EXEC_CHECK
template <class T, class Machine>
COPPICE_HD void parallel_diagonal(Machine const& machine, system_rows<T> const& rows, recurrence_memory<T> const& at,
                                  T* x) {
    machine.scan(rows.n, minor_of_row<T, minor_matrix<T>>{rows}, merged_products{}, save_pivot<T>{rows, at});
    machine.scan(rows.n, map_of_row<T>{at}, merged_products{}, save_kind<T>{at});
    substitute(machine, rows, at, x);
}

/// Solves by recurrences without pivoting; `Minor` is plain_minor<T> or minor_matrix<T>.
COPPICE_NO_EXEC_CHECK
template <class Minor, class T, class Machine>
COPPICE_HD void continued_fraction(Machine const& machine, system_rows<T> const& rows, recurrence_memory<T> const& at,
                                   T* x) {
    machine.scan(rows.n, minor_of_row<T, Minor>{rows}, merged_products{}, save_single_pivot<T>{at});
    substitute(machine, rows, at, x);
}

/// Machine of a team: items are split into groups; each worker scans groups sequentially, and the products of the
/// groups are combined in order. `carries` has space for 4 elements for each group.
template <class T, class Team>
struct team_machine {
    Team const& team;
    T* carries;
    int max_groups;

    template <class In, class Merge, class Out>
    COPPICE_HD void scan(std::int64_t n, In const& in, Merge const& merged, Out const& out) const {
        using item = decltype(in(0));
        static_assert(sizeof(item) <= 4 * sizeof(T) && alignof(item) <= alignof(T));
        auto* const carry = reinterpret_cast<item*>(carries);
        int const groups = n < max_groups ? int(n) : max_groups; // no group is empty
        auto const begin = [&](int g) { return n * g / groups; };
        for (int g = team.rank(); g < groups; g += team.size()) {
            item product = in(begin(g));
            for (std::int64_t i = begin(g) + 1; i < begin(g + 1); ++i) product = merged(in(i), product);
            carry[g] = product;
        }
        team.sync();
        if (team.rank() == 0)
            for (int g = 1; g < groups; ++g) carry[g] = merged(carry[g], carry[g - 1]);
        team.sync();
        for (int g = team.rank(); g < groups; g += team.size()) {
            item product = g == 0 ? in(0) : merged(in(begin(g)), carry[g - 1]);
            for (std::int64_t i = begin(g);;) {
                item const next = i + 1 < begin(g + 1) ? in(i + 1) : product; // read before `out` may overwrite it
                out(i, product);
                if (++i == begin(g + 1)) break;
                product = merged(next, product);
            }
        }
        team.sync();
    }
};

} // namespace coppice::inline v0_1::classical
