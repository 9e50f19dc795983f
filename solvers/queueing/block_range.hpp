// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factorisation of the diagonal blocks of a range of block rows, for repeated solves.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/regularise/regularise_tridiagonal.hpp>

namespace coppice::inline v0_1::detail {

/// Every `step`-th block row of each system of a batch, from block row `first` on. The rows of the range are numbered
/// consecutively.
struct block_rows {
    std::int64_t block = 1;     ///< rows of a block
    std::int64_t in_system = 0; ///< blocks of a system
    std::int64_t first = 0, step = 1;
    std::int64_t systems = 1;

    COPPICE_HD std::int64_t of_system() const { return first < in_system ? (in_system - first - 1) / step + 1 : 0; }
    COPPICE_HD std::int64_t blocks() const { return systems * of_system(); }
    COPPICE_HD std::int64_t rows() const { return blocks() * block; }
    /// Index in the padded matrix of row q of the range.
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

/// The factorised diagonal blocks of a range, in memory of an executor.
template <executor Executor, class T>
class block_range {
public:
    /// Singular tridiagonal blocks are regularised if `regularise` is set. Waits for the device.
    template <class I>
    block_range(Executor const& exec, block_hybrid<T, I> const& a, block_rows range, bool regularise)
        : range_(range), lower_(a.lower_bands()), upper_(a.upper_bands()), regularise_(regularise && !one_system()),
          singular_(exec, one_system() ? 1 : range.blocks()), rhs_(exec, range.rows()) {
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

    /// Copies and factorises the blocks with new values. Throws matrix_error for a singular block that is not
    /// regularised. Waits for the device; allocates nothing, unless blocks are regularised for the first time.
    template <class I>
    void refresh(Executor const& exec, block_hybrid<T, I> const& a) {
        if (range_.rows() == 0) return;
        auto const view = a.view();
        for (int d = 0; d <= lower_ + upper_; ++d)
            for_each(exec, range_.rows(), gather_band<T>{range_, view.bands + d * view.padded_rows(), band(d)});
        if (regularise_) regularised_rows_ = regulariser_.regularise(exec, system_, {}, false);
        factorise_bands(exec, matrix(), factor_.view(), {}, singular_.view());
        if (!regularise_) require_regular(exec);
    }

    block_rows const& rows() const { return range_; }
    std::int64_t regularised_rows() const { return regularised_rows_; }
    /// Right-hand sides of the range, row by row; solve() overwrites them with the solution.
    T* rhs() const { return rhs_.data(); }
    /// Solves D y = r in place. Neither allocates nor waits.
    void solve(Executor const& exec) const {
        if (range_.rows() == 0) return;
        columns_view<T> const x(rhs_.data(), range_.rows(), 1);
        solve_factored_bands(exec, matrix(), factor_.view(), x, x, workspace_.view());
    }

    /// Solves D^T y = r in place. Allocates.
    void solve_transposed(Executor const& exec) const {
        if (range_.rows() == 0) return;
        band_options const options{.operation = matrix_operation::transposed};
        buffer<std::byte> workspace(exec, bands_workspace<T>(exec, matrix(), 1, options));
        columns_view<T> const x(rhs_.data(), range_.rows(), 1);
        solve_bands<T>(exec, matrix(), x, x, workspace.view(), options);
    }

private:
    /// Blocks that are not tridiagonal are stored as one banded system without couplings between the blocks, since
    /// there are no batches of banded systems.
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
                   first_singular{singular_.data(), one_system() ? 0 : range_.block, none}, smaller{});
        if (q < none)
            throw matrix_error("diagonal block " + std::to_string(range_.row(q) / range_.block) +
                               " is singular: its column " + std::to_string(q % range_.block) + " has no pivot");
    }

    block_rows range_;
    int lower_, upper_;
    bool regularise_;
    tridiagonal<T> system_{};
    buffer<T> bands_{}; ///< used if the blocks are not tridiagonal
    tridiagonal_regulariser<Executor, T> regulariser_{};
    std::int64_t regularised_rows_ = 0;
    buffer<std::int64_t> singular_;
    mutable buffer<T> rhs_;
    buffer<std::byte> factor_{};
    mutable buffer<std::byte> workspace_{};
};

} // namespace coppice::inline v0_1::detail
