// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of SRCSR: what one worker does with its stretch of the matrix.
///
/// The path. Walk through the nonzeros in order and take one extra step at the end of every row: rows + nonzeros steps
/// in all. A point (row, nonzero) on the path says: `row` rows have ended and `nonzero` nonzeros are done. Cutting the
/// path evenly balances long, short and empty rows at once (merge-path view of a CSR matrix).
#pragma once

#include <cstdint>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/semiring/operators/operators.hpp>

namespace coppice::detail {

struct alignas(16) path_point {
    std::int64_t row;
    std::int64_t nonzero;
};

/// The point after `step` steps: row_end(i) is the end of row i in [0, rows), nonzeros counted from `first_nonzero`.
template <class RowEnd>
COPPICE_HD path_point path_search(RowEnd const& row_end, std::int64_t rows, std::int64_t first_nonzero,
                                  std::int64_t nonzeros, std::int64_t step) {
    std::int64_t low = step > nonzeros ? step - nonzeros : 0;
    std::int64_t const high = step < rows ? step : rows;
    low = first_not_below(
        low, high, [&](std::int64_t row) { return std::int64_t(row_end(row)) - first_nonzero <= step - row - 1; });
    return {low, first_nonzero + step - low};
}

/// What a walk leaves to be joined with its neighbours.
template <class Accumulator>
struct walk_ends {
    bool closes;      ///< at least one row ends inside
    Accumulator head; ///< the part of the first ending row that lies inside
    Accumulator open; ///< the part of the row that is open at the end
};

/// Reduces the nonzeros between two path points from left to right: fold(k, end, row) is ⊕ of nonzeros [k, end) of a
/// row, the identity where there are none. Rows that begin and end inside go to `emit(row, sum)`; the first row that
/// ends inside may have begun earlier, so its part is returned as `head`.
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

/// walk_rows over products that are there already: one `accumulate` a nonzero.
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

/// Joins what is open before a stretch with what the stretch leaves open.
COPPICE_NO_EXEC_CHECK
template <class Accumulator, class Add>
COPPICE_HD Accumulator open_after(Accumulator const& before, walk_ends<Accumulator> const& ends, Add const& add) {
    return ends.closes ? ends.open : add(before, ends.open);
}

} // namespace coppice::detail
