// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The diagonal blocks of a range of block rows, factorised once and solved often.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/regularise/regularise_tridiagonal.hpp>

namespace coppice::detail {

/// Every `step`-th block row of each system of a batch, from `first` on. Its rows are numbered through.
struct block_rows {
    std::int64_t block = 1;     ///< rows of a block
    std::int64_t in_system = 0; ///< blocks of a system
    std::int64_t first = 0, step = 1;
    std::int64_t systems = 1;

    COPPICE_HD std::int64_t of_system() const { return first < in_system ? (in_system - first - 1) / step + 1 : 0; }
    COPPICE_HD std::int64_t blocks() const { return systems * of_system(); }
    COPPICE_HD std::int64_t rows() const { return blocks() * block; }
    /// The row of the matrix, with its blocks filled up, that row q of the range is.
    COPPICE_HD std::int64_t row(std::int64_t q) const {
        std::int64_t const b = q / block, system = b / of_system();
        return (system * in_system + first + (b - system * of_system()) * step) * block + (q - b * block);
    }
};

template <class T>
struct gather_band {
    block_rows range;
    T const* from;
    T* to;
    COPPICE_HD void operator()(std::int64_t q) const { to[q] = from[range.row(q)]; }
};
struct first_singular {
    std::int64_t const* rows;
    std::int64_t block, none;
    COPPICE_HD std::int64_t operator()(std::int64_t b) const { return rows[b] < 0 ? none : b * block + rows[b]; }
};
struct lesser {
    COPPICE_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return b < a ? b : a; }
};

/// The blocks of a range on an executor.
template <executor Executor, class T>
class block_range {
public:
    /// Singular blocks are mended where that is wanted and they are tridiagonal. Waits.
    template <class I>
    block_range(Executor const& exec, block_hybrid<T, I> const& a, block_rows range, bool mends)
        : range_(range), lower_(a.lower_bands()), upper_(a.upper_bands()), mends_(mends && !one_system()),
          singular_(exec, one_system() ? 1 : range.blocks()), right_(exec, range.rows()) {
        if (one_system())
            bands_ = buffer<T>(exec, range.rows() * (lower_ + upper_ + 1));
        else
            system_ = tridiagonal<T>(exec, range.rows());
        if (range.rows() > 0) {
            factor_ = buffer<std::byte>(exec, bands_factor_bytes(exec, matrix()));
            workspace_ = buffer<std::byte>(exec, factored_workspace(exec, matrix(), 1));
        }
        refresh(exec, a);
    }

    /// Copies and factorises the blocks, of new values. Throws matrix_error for a singular one that is not to be
    /// mended. Waits, and allocates nothing but where blocks are mended for the first time.
    template <class I>
    void refresh(Executor const& exec, block_hybrid<T, I> const& a) {
        if (range_.rows() == 0) return;
        auto const view = a.view();
        for (int d = 0; d <= lower_ + upper_; ++d)
            for_each(exec, range_.rows(), gather_band<T>{range_, view.bands + d * view.padded_rows(), band(d)});
        if (mends_) mended_rows_ = mender_.mend(exec, system_, {}, false);
        factorise_bands(exec, matrix(), factor_.view(), {}, singular_.view());
        if (!mends_) require_regular(exec);
    }

    block_rows const& rows() const { return range_; }
    std::int64_t mended_rows() const { return mended_rows_; }
    /// The right-hand sides of the range, row by row, which solve() makes solutions.
    T* right() const { return right_.data(); }
    /// D y = r in place. Neither allocates nor waits.
    void solve(Executor const& exec) const {
        if (range_.rows() == 0) return;
        columns_view<T> const x(right_.data(), range_.rows(), 1);
        solve_factored_bands(exec, matrix(), factor_.view(), x, x, workspace_.view());
    }

private:
    /// Batches of banded systems are one system without couplings between its parts.
    bool one_system() const { return lower_ != 1 || upper_ != 1; }
    T* band(int d) {
        if (one_system()) return bands_.data() + d * range_.rows();
        return d == 0 ? system_.lower.data() : d == 1 ? system_.diagonal.data() : system_.upper.data();
    }
    band_matrix<T> matrix() const {
        if (one_system()) return banded_view<T>{range_.rows(), lower_, upper_, bands_.data()};
        return band_matrix<T>::batch(system_, range_.blocks());
    }
    void require_regular(Executor const& exec) const {
        std::int64_t const none = range_.rows();
        std::int64_t const q =
            reduce(exec, singular_.size(), none,
                   first_singular{singular_.data(), one_system() ? 0 : range_.block, none}, lesser{});
        if (q < none)
            throw matrix_error("diagonal block " + std::to_string(range_.row(q) / range_.block) +
                               " is singular: its column " + std::to_string(q % range_.block) + " has no pivot");
    }

    block_rows range_;
    int lower_, upper_;
    bool mends_;
    tridiagonal<T> system_{};
    buffer<T> bands_{}; ///< of blocks that are not tridiagonal
    tridiagonal_mender<Executor, T> mender_{};
    std::int64_t mended_rows_ = 0;
    buffer<std::int64_t> singular_;
    mutable buffer<T> right_;
    buffer<std::byte> factor_{};
    mutable buffer<std::byte> workspace_{};
};

} // namespace coppice::detail
