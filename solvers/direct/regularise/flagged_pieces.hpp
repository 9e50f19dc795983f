// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pieces of a system, maximal ranges of rows without a coupling to other rows, of which some rows are flagged.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/algebra/transform.hpp>
#include <coppice/core/memory.hpp>
#include <coppice/solvers/direct/regularise/regularise_lane.hpp>

namespace coppice::inline v0_1::detail {

/// Number of rows or, if no row is, of columns whose entries sum to zero. Sum: vanishing_sum, or another functor with
/// its element of_columns.
template <executor Executor, class Sum>
std::int64_t count_vanishing(Executor const& exec, std::int64_t n, Sum sum) {
    std::int64_t count = 0;
    for (bool const of_columns : {false, true}) {
        sum.of_columns = of_columns;
        if (count == 0) count = reduce(exec, n, std::int64_t(0), sum, plus{});
    }
    return count;
}

/// A flag of each row, and the pieces that the rows belong to. Owns its memory, which only grows.
template <executor Executor>
class flagged_pieces {
public:
    void resize(Executor const& exec, std::int64_t rows) {
        rows_ = rows;
        if (flags_.size() >= rows) return;
        flags_ = buffer<std::uint8_t>(exec, rows);
        uneven_ = buffer<std::uint8_t>(exec, rows);
        piece_ = buffer<std::int32_t>(exec, rows);
        starts_ = buffer<std::int32_t>(exec, rows + 1);
        flags_before_ = buffer<std::int32_t>(exec, rows + 1);
    }
    std::uint8_t* flags() { return flags_.data(); }
    std::int32_t const* starts() const { return starts_.data(); }
    std::int32_t const* flags_before() const { return flags_before_.data(); }

    /// Finds the pieces, which start at the rows where `begins` is true. Returns their number.
    template <class Begins>
    std::int64_t find(Executor const& exec, Begins const& begins) {
        exclusive_scan(exec, rows_, begins, store_piece<Begins>{begins, piece_.data()}, std::int64_t(0));
        std::int64_t const pieces = select(exec, rows_, begins, store_offset<std::int32_t>{starts_.data()});
        fill(exec, starts_.view().slice(pieces, 1), std::int32_t(rows_));
        return pieces;
    }
    /// Updates flags_before().
    void count(Executor const& exec) { count_before(exec, flags_); }
    /// Flags, in addition, the rows of pieces in which all rows or all columns sum to zero; Sum as in
    /// count_vanishing(). Overwrites flags_before().
    template <class Sum>
    void flag_vanishing(Executor const& exec, Sum sum) {
        for (bool const of_columns : {false, true}) {
            sum.of_columns = of_columns;
            for_each(exec, rows_, store_uneven<Sum>{sum, uneven_.data()});
            count_before(exec, uneven_);
            for_each(exec, rows_,
                     flag_singular<Sum>{sum, piece_.data(), starts_.data(), flags_before_.data(), flags_.data()});
        }
    }
    /// The pieces of up to `longest` rows with a flag, as counted.
    regularised_pieces flagged(std::int32_t longest = std::numeric_limits<std::int32_t>::max()) const {
        return {piece_.data(), starts_.data(), flags_before_.data(), longest};
    }

private:
    void count_before(Executor const& exec, buffer<std::uint8_t> const& flags) {
        std::int64_t const all = exclusive_scan(exec, rows_, flag_at{flags.data()},
                                                store_offset<std::int32_t>{flags_before_.data()}, std::int64_t(0));
        fill(exec, flags_before_.view().slice(rows_, 1), std::int32_t(all));
    }

    std::int64_t rows_ = 0;
    buffer<std::uint8_t> flags_{}, uneven_{};
    buffer<std::int32_t> piece_{}, starts_{}, flags_before_{};
};

} // namespace coppice::inline v0_1::detail
