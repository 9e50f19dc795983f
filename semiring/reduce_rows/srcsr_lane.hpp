// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of SRCSR: the work of one thread on its segment of the matrix.
///
/// The path visits the nonzeros in order and takes one extra step at the end of every row: rows + nonzeros steps in
/// all. At the path point (row, nonzero), `row` rows have ended and `nonzero` nonzeros are done. Splitting the path
/// evenly balances long, short and empty rows simultaneously (merge-path view of a CSR matrix).
#pragma once

#include <cstdint>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/semiring/operators/operators.hpp>

namespace coppice::inline v0_1::detail {

struct alignas(16) path_point {
    std::int64_t row;
    std::int64_t nonzero;
};

/// Returns the point after `step` steps. row_end(i) is the end of row i in [0, rows); nonzeros are counted from
/// `first_nonzero`.
template <class RowEnd>
COPPICE_HD path_point path_search(RowEnd const& row_end, std::int64_t rows, std::int64_t first_nonzero,
                                  std::int64_t nonzeros, std::int64_t step) {
    std::int64_t low = step > nonzeros ? step - nonzeros : 0;
    std::int64_t const high = step < rows ? step : rows;
    low = first_not_below(
        low, high, [&](std::int64_t row) { return std::int64_t(row_end(row)) - first_nonzero <= step - row - 1; });
    return {low, first_nonzero + step - low};
}

/// Result of a walk that must be combined with those of the neighbouring segments.
template <class Accumulator>
struct walk_ends {
    bool closes;      ///< whether at least one row ends in the segment
    Accumulator head; ///< partial sum of the first row that ends in the segment
    Accumulator open; ///< partial sum of the row that is open at the end of the segment
};

/// Reduces the nonzeros between two path points from left to right; fold(k, end, row) is ⊕ of the nonzeros [k, end) of
/// a row, the identity if there are none. Rows that begin and end in the segment are passed to `emit(row, sum)`. The
/// first row that ends in the segment may have begun earlier, so its partial sum is returned as `head`.
COPPICE_NO_EXEC_CHECK
template <class RowEnd, class Fold, class Add, class Emit>
COPPICE_HD auto walk_rows(path_point from, path_point to, RowEnd const& row_end, Fold const& fold, Add const& add,
                          Emit const& emit) {
    walk_ends<accumulator_t<Add>> ends{from.row < to.row, add.identity(), add.identity()};
    std::int64_t k = from.nonzero;
    std::int64_t row = from.row;
    if (ends.closes) {
        std::int64_t end = row_end(row);
        ends.head = fold(k, end, row);
        for (++row; row < to.row; ++row) {
            k = end;
            end = row_end(row);
            emit(row, fold(k, end, row));
        }
        k = end;
    }
    ends.open = fold(k, to.nonzero, row);
    return ends;
}

/// walk_rows over products that are already computed: one `accumulate` per nonzero.
COPPICE_NO_EXEC_CHECK
template <class RowEnd, class Product, class Add, class Emit>
COPPICE_HD auto walk(path_point from, path_point to, RowEnd const& row_end, Product const& product, Add const& add,
                     Emit const& emit) {
    auto const fold = [&](std::int64_t k, std::int64_t end, std::int64_t row) {
        accumulator_t<Add> sum = add.identity();
        for (; k < end; ++k) sum = accumulate(add, sum, product(k, row));
        return sum;
    };
    return walk_rows(from, to, row_end, fold, add, emit);
}

/// Combines the open sum before a segment with the open sum of the segment.
COPPICE_NO_EXEC_CHECK
template <class Accumulator, class Add>
COPPICE_HD Accumulator open_after(Accumulator const& before, walk_ends<Accumulator> const& ends, Add const& add) {
    return ends.closes ? ends.open : add(before, ends.open);
}

} // namespace coppice::inline v0_1::detail
